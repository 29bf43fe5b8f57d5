//! Which of this prefix's libraries a program gets: that of the C interface that it was linked with.
//!
//! Libraries of different interfaces have different names. So the library path begins with the folder that has all of them, and each
//! program finds the one that it asks for, also where it loads it when it runs. A path in the program itself may lead elsewhere before
//! that; then, and where the command line names an interface, the library is loaded before all others.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::finding::Refusal;
use crate::{Interface, Library, Program};

/// What `-abi` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// What the program was linked with.
    #[default]
    Found,
    /// This one, whatever the program says.
    Named(Interface),
    /// It finds its library as if it were not led.
    Untouched,
}

impl Choice {
    pub fn parse(option: &str, value: &OsStr) -> Result<Choice, String> {
        let value = value.to_string_lossy();
        match &*value {
            "auto" => Ok(Choice::Found),
            "none" => Ok(Choice::Untouched),
            name => Interface::of_name(name).map(Choice::Named).ok_or_else(|| {
                format!("{option} is {name}, but can be mpich, openmpi, standard, auto or none")
            }),
        }
    }
}

/// What leads a program to its library.
#[derive(Debug, Default)]
pub struct Lead {
    /// What the file is; none if it is a script, or cannot be read.
    pub program: Option<Program>,
    /// The first folder of its library path.
    pub folder: Option<PathBuf>,
    /// The library that is loaded before all others.
    pub first: Option<PathBuf>,
}

impl Lead {
    /// The interface that the program has, as far as that is known before it runs.
    pub fn interface(&self, choice: Choice) -> Option<Interface> {
        match choice {
            Choice::Named(interface) => Some(interface),
            Choice::Found => self.program.as_ref()?.interface().map(|(_, found)| found),
            Choice::Untouched => None,
        }
    }
}

/// Adds to the `variables` of a process that runs `file`, which the user calls `name`, what leads it to its library: nothing where this
/// process's executable is in no prefix, or where `choice` says so.
pub fn lead(
    variables: &mut BTreeMap<OsString, OsString>,
    choice: Choice,
    file: &Path,
    name: &OsStr,
) -> Result<Lead, Refusal> {
    // What cannot be read may be started all the same, and says itself what is wrong with it.
    let mut lead = Lead {
        program: Program::read(file).ok().flatten(),
        ..Lead::default()
    };
    let folders = crate::folders_of_names();
    let Some(folder) = folders.first().cloned() else {
        return Ok(lead);
    };
    if choice == Choice::Untouched {
        return Ok(lead);
    }
    let nothing = Program::default();
    let program = lead.program.as_ref().unwrap_or(&nothing);
    let first = judge(program, choice, name).map_err(|text| Refusal { text, status: 1 })?;
    let folders: Vec<OsString> = folders.into_iter().map(Into::into).collect();
    let folders = folders.join(OsStr::new(":"));
    prepend(variables, "LD_LIBRARY_PATH", &folders);
    if let Some(interface) = first {
        let library = folder.join(interface.libraries()[0]);
        if !library.exists() {
            let text = format!(
                "{} is not in this installation of rmashm: there is no {}",
                interface.title(),
                library.display()
            );
            return Err(Refusal { text, status: 1 });
        }
        prepend(variables, "LD_PRELOAD", library.as_os_str());
        lead.first = Some(library);
    }
    lead.folder = Some(folder);
    Ok(lead)
}

/// The interface whose library must be loaded before all others, if any; or why the program cannot be started.
fn judge(program: &Program, choice: Choice, name: &OsStr) -> Result<Option<Interface>, String> {
    let shown = name.display();
    for (library, kind) in program.mpi_libraries() {
        match (kind, choice) {
            (Library::Of(own), Choice::Named(wanted)) if own != wanted => {
                return Err(format!(
                    "-abi is {}, but '{shown}' was linked with {} ({library})",
                    wanted.name(),
                    own.title()
                ));
            }
            (Library::Other { whose, advice }, Choice::Found) => {
                return Err(format!(
                    "'{shown}' was linked with the MPI library of {whose} ({library}), in whose place rmashm cannot \
                     stand: {advice}"
                ));
            }
            _ => {}
        }
    }
    Ok(match choice {
        Choice::Named(interface) => Some(interface),
        _ if program.has_rpath => program.interface().map(|(_, interface)| interface),
        _ => None,
    })
}

/// Puts `value` before what a variable has, if that does not begin with it.
fn prepend(variables: &mut BTreeMap<OsString, OsString>, name: &str, value: &OsStr) {
    let mut all = value.to_os_string();
    // An empty word would stand for the working directory.
    if let Some(own) = variables
        .get(OsStr::new(name))
        .filter(|own| !own.is_empty())
    {
        let rest = own.as_bytes().strip_prefix(value.as_bytes());
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b":")) {
            return;
        }
        all.push(":");
        all.push(own);
    }
    variables.insert(name.into(), all);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked_with(library: &str, has_rpath: bool) -> Program {
        Program {
            libraries: vec!["libm.so.6".into(), library.into()],
            has_rpath,
            ..Program::default()
        }
    }

    #[test]
    fn a_program_is_led_to_what_it_was_linked_with() {
        let judge = |library, has_rpath, choice| {
            judge(&linked_with(library, has_rpath), choice, "a".as_ref())
        };
        let named = Choice::Named(Interface::Openmpi);
        assert_eq!(judge("libmpi.so.40", false, Choice::Found), Ok(None));
        let preloaded = Ok(Some(Interface::Openmpi));
        assert_eq!(judge("libmpi.so.40", true, Choice::Found), preloaded);
        assert_eq!(judge("libmpi.so.40", false, named), preloaded);
        assert_eq!(judge("libpython3.so", false, named), preloaded);
        assert_eq!(judge("libpython3.so", true, Choice::Found), Ok(None));
        let other = judge("libmpich.so.12", false, named).unwrap_err();
        assert!(other.contains("the MPICH ABI (libmpich.so.12)"), "{other}");
        let old = judge("libmpi.so.20", false, Choice::Found).unwrap_err();
        assert!(old.contains("Open MPI 2 or 3"), "{old}");
    }

    #[test]
    fn values_of_the_option() {
        let parse = |value: &str| Choice::parse("-abi", value.as_ref());
        assert_eq!(parse("standard"), Ok(Choice::Named(Interface::Standard)));
        assert_eq!(parse("none"), Ok(Choice::Untouched));
        assert!(parse("lam").unwrap_err().contains("mpich, openmpi"));
    }

    #[test]
    fn a_path_keeps_what_it_had() {
        let mut variables = BTreeMap::new();
        prepend(&mut variables, "P", "/a".as_ref());
        prepend(&mut variables, "P", "/b".as_ref());
        prepend(&mut variables, "P", "/b".as_ref());
        assert_eq!(variables[OsStr::new("P")], "/b:/a");
        prepend(&mut variables, "P", "/b:/a".as_ref());
        assert_eq!(variables[OsStr::new("P")], "/b:/a");
        prepend(&mut variables, "P", "/".as_ref());
        assert_eq!(variables[OsStr::new("P")], "/:/b:/a");
        variables.insert("P".into(), "".into());
        prepend(&mut variables, "P", "/a".as_ref());
        assert_eq!(variables[OsStr::new("P")], "/a");
    }
}
