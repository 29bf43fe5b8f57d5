//! Hints to communicators (MPI 4.1 §7.4.4): what the program promises of its use of one. They are remembered, and change
//! nothing. They are not passed on to communicators that are made of it.

use crate::error::Result;
use crate::info::Info;
use crate::info::kinds::Assertion;

/// The promises that are true or false, which is the default.
const PROMISES: [&str; 5] = [
    "mpi_assert_no_any_tag",
    "mpi_assert_no_any_source",
    "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking",
    "mpi_assert_strict_persistent_collective_ordering",
];

#[derive(Clone, Debug, Default)]
pub struct Hints {
    promised: [bool; PROMISES.len()],
    kinds: Assertion,
}

impl Hints {
    /// What is understood of `info`. Error: `MPI_ERR_INFO_VALUE` for a list of memory kinds that is malformed.
    pub fn of(info: &Info) -> Result<Hints> {
        let mut hints = Hints::default();
        hints.take(info)?;
        Ok(hints)
    }

    /// Takes over what is understood of `info`; what it does not speak of stays. Error: as [`Hints::of`].
    pub fn take(&mut self, info: &Info) -> Result<()> {
        self.kinds.take(info)?;
        for (key, promised) in PROMISES.iter().zip(&mut self.promised) {
            match info.get(key).map(str::trim) {
                Some("true") => *promised = true,
                Some("false") => *promised = false,
                _ => {}
            }
        }
        Ok(())
    }

    /// All of them, as `MPI_Comm_get_info` gives them. `supported` are the memory allocation kinds of the communicator's
    /// session, or the world's.
    pub fn info(&self, supported: &str) -> Info {
        let mut info = Info::new();
        for (key, promised) in PROMISES.iter().zip(self.promised) {
            info.set(key, if promised { "true" } else { "false" });
        }
        self.kinds.tell(supported, &mut info);
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::kinds;

    #[test]
    fn what_is_not_understood_is_not_told() {
        let mut info = Info::new();
        info.set("colour", "red");
        info.set(PROMISES[1], " true ");
        info.set(PROMISES[2], "perhaps");
        info.set(kinds::SUPPORTED, "gpu");
        let told = Hints::of(&info).unwrap().info("system,mpi");
        assert_eq!(told.len(), PROMISES.len() + 1);
        for key in PROMISES {
            let wanted = if key == PROMISES[1] { "true" } else { "false" };
            assert_eq!(told.get(key), Some(wanted));
        }
        assert_eq!(told.get(kinds::SUPPORTED), Some("system,mpi"));
    }

    /// `docs/hints.md`, of which `rmashm(7)` is made, names each.
    #[test]
    fn every_promise_is_documented() {
        let paper = include_str!("../../docs/hints.md");
        for key in PROMISES {
            assert!(paper.contains(&format!("`{key}`")), "{key}");
        }
    }

    #[test]
    fn hints_stay_until_others_are_given() {
        let mut hints = Hints::default();
        let steps = [("true", "true"), ("maybe", "true"), ("false", "false")];
        for (given, wanted) in steps {
            let mut info = Info::new();
            info.set(PROMISES[0], given);
            hints.take(&info).unwrap();
            hints.take(&Info::new()).unwrap();
            assert_eq!(hints.info("").get(PROMISES[0]), Some(wanted));
        }
    }
}
