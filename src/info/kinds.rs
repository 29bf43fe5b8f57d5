//! Memory allocation kinds (MPI 4.1 §12.4.3): which memory the library takes as communication buffers, as the value of the
//! info keys `mpi_memory_alloc_kinds` and `mpi_assert_memory_alloc_kinds`.
//!
//! Supported are `system`, and `mpi` with the restrictors `alloc_mem`, `win_allocate` and `win_allocate_shared`. All of it
//! is ordinary memory to this library: an assertion is checked and remembered, and changes nothing.

use super::Info;
use crate::error::Result;
use crate::runtime;
use crate::{bail, err};
use std::sync::LazyLock;

/// What the library says it supports.
pub const SUPPORTED: &str = "mpi_memory_alloc_kinds";
/// What the program says it restricts itself to.
pub const ASSERTED: &str = "mpi_assert_memory_alloc_kinds";

/// Supported without being asked for.
const ALWAYS: [&str; 2] = ["system", "mpi"];
const MPI_RESTRICTORS: [&str; 3] = ["alloc_mem", "win_allocate", "win_allocate_shared"];

/// What asks for kinds in the world model, by precedence: our launcher's option, and Hydra's.
const REQUESTS: [&str; 2] = ["RMASHM_MEMORY_ALLOC_KINDS", "PMI_mpi_memory_alloc_kinds"];

/// The elements of a list of kinds, trimmed; none for the empty string. Error: `MPI_ERR_INFO_VALUE` for a list that is
/// malformed.
pub fn elements(list: &str) -> Result<Vec<&str>> {
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for element in list.split(',') {
        let element = element.trim();
        let malformed =
            element.split(':').any(str::is_empty) || element.contains(char::is_whitespace);
        if malformed {
            bail!(
                InfoValue,
                "\"{list}\" is no list of memory allocation kinds: \"{element}\" is not a name with restrictors after colons"
            );
        }
        found.push(element);
    }
    Ok(found)
}

/// Whether the library supports a kind with its restrictors.
fn is_supported(element: &str) -> bool {
    let mut parts = element.split(':');
    match parts.next() {
        Some("system") => parts.next().is_none(),
        Some("mpi") => parts.all(|restrictor| MPI_RESTRICTORS.contains(&restrictor)),
        _ => false,
    }
}

/// What is supported when `requested` was asked for: the requested kinds that are, in the words of the request, and those
/// that always are. Error: `MPI_ERR_INFO_VALUE`.
pub fn granted(requested: &str) -> Result<String> {
    let mut granted: Vec<&str> = Vec::new();
    let asked = elements(requested)?;
    for element in asked.into_iter().filter(|e| is_supported(e)).chain(ALWAYS) {
        if !granted.contains(&element) {
            granted.push(element);
        }
    }
    Ok(granted.join(","))
}

/// The launcher's request, with the name of its variable.
fn request() -> Option<(&'static str, String)> {
    let set = |name: &&'static str| Some((*name, runtime::variable(name)?));
    REQUESTS.iter().find_map(set)
}

/// Error: `MPI_ERR_INFO_VALUE` if the launcher's request is malformed.
pub fn check_request() -> Result<()> {
    match request() {
        None => Ok(()),
        Some((name, list)) => elements(&list)
            .map(|_| ())
            .map_err(|error| err!(InfoValue, "the environment variable {name}: {}", error.text)),
    }
}

/// What is supported for all objects of the world model, and for sessions that ask for nothing.
pub fn world() -> &'static str {
    static WORLD: LazyLock<String> = LazyLock::new(|| {
        let list = request().map(|(_, list)| list).unwrap_or_default();
        // MPI is not there yet if the request is malformed, and will not come (`check_request`).
        granted(&list).unwrap_or_else(|_| ALWAYS.join(","))
    });
    &WORLD
}

/// What the program has restricted its use of an object to, in its own words, if it has.
#[derive(Clone, Debug, Default)]
pub struct Assertion(Option<String>);

impl Assertion {
    /// Takes over the assertion of `info`, if there is one that counts. Error: `MPI_ERR_INFO_VALUE`.
    pub fn take(&mut self, info: &Info) -> Result<()> {
        if let Some(asserted) = info.get(ASSERTED)
            && accepts(asserted)?
        {
            self.0 = Some(asserted.into());
        }
        Ok(())
    }

    /// Adds to `info` the assertion, and what an object of a session or world that supports `supported` needs to support:
    /// only what is asserted, if something is.
    pub fn tell(&self, supported: &str, info: &mut Info) {
        info.set(SUPPORTED, self.0.as_deref().unwrap_or(supported));
        if let Some(asserted) = &self.0 {
            info.set(ASSERTED, asserted);
        }
    }
}

/// Whether an assertion is to be remembered: it is ignored as a whole if it has a kind that is not supported. Error:
/// `MPI_ERR_INFO_VALUE`.
fn accepts(assertion: &str) -> Result<bool> {
    Ok(elements(assertion)?.into_iter().all(is_supported))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requested_kinds_come_back_in_their_own_words() {
        assert_eq!(granted("").unwrap(), "system,mpi");
        assert_eq!(
            granted("mpi:win_allocate:alloc_mem, cuda:device").unwrap(),
            "mpi:win_allocate:alloc_mem,system,mpi"
        );
        assert_eq!(
            granted("system,mpi,mpi:alloc_mem").unwrap(),
            "system,mpi,mpi:alloc_mem"
        );
    }

    /// Any list is an error, or grants what it would grant again.
    #[test]
    fn whatever_is_requested() {
        arbtest::arbtest(|drawn| {
            let parts = ["system", "mpi", ":", ",", " ", "alloc_mem", "win_allocate"];
            let mut list = String::new();
            while !drawn.is_empty() {
                match drawn.ratio(1, 5)? {
                    true => list.push(drawn.arbitrary()?),
                    false => list += drawn.choose(&parts)?,
                }
            }
            let Ok(granted_now) = granted(&list) else {
                return Ok(());
            };
            assert_eq!(granted(&granted_now).unwrap(), granted_now);
            let kinds = elements(&granted_now).unwrap();
            assert!(ALWAYS.iter().all(|kind| kinds.contains(kind)));
            assert!(kinds.iter().all(|kind| is_supported(kind)));
            Ok(())
        })
        .budget_ms(300);
    }

    #[test]
    fn malformed_lists_are_errors() {
        for list in ["a,,b", ",", "mpi:", ":x", "mpi: alloc_mem", "two words"] {
            assert!(elements(list).is_err(), "{list}");
        }
        assert!(elements(" ").unwrap().is_empty());
    }

    #[test]
    fn an_object_supports_what_it_asserts_or_else_what_its_session_does() {
        let hints = |key: &str, value: &str| {
            let (mut info, mut told) = (Info::new(), Info::new());
            info.set(key, value);
            let mut assertion = Assertion::default();
            assertion.take(&info)?;
            assertion.tell("system,mpi", &mut told);
            Ok::<_, crate::error::Error>(told)
        };
        let restricted = hints(ASSERTED, "mpi:alloc_mem").unwrap();
        assert_eq!(restricted.get(ASSERTED), Some("mpi:alloc_mem"));
        assert_eq!(restricted.get(SUPPORTED), Some("mpi:alloc_mem"));
        for ignored in [(ASSERTED, "mpi,cuda"), (SUPPORTED, "cuda")] {
            let free = hints(ignored.0, ignored.1).unwrap();
            assert_eq!(free.get(ASSERTED), None);
            assert_eq!(free.get(SUPPORTED), Some("system,mpi"));
        }
        assert!(hints(ASSERTED, "mpi,").is_err());
    }

    #[test]
    fn an_assertion_counts_as_a_whole() {
        assert!(accepts("system,mpi:win_allocate_shared").unwrap());
        assert!(!accepts("system,cuda").unwrap());
        assert!(!accepts("system:page").unwrap() && !accepts("mpi:other").unwrap());
        assert!(accepts("mpi::").is_err());
    }
}
