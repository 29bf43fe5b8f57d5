//! Which of this prefix's libraries the ranks get: that of the C interface that their program was linked with.
//!
//! Libraries of different interfaces have different names. So the ranks' library path begins with the folder that has all of them,
//! and each program finds the one that it asks for, also where it loads it when it runs. A path in the program itself may lead
//! elsewhere before that; then, and where the command line names an interface, the library is loaded before all others.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use programs::{Interface, Library, Program};

use crate::program::Refusal;

/// What `-abi` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// What the program was linked with.
    #[default]
    Found,
    /// This one, whatever the program says.
    Named(Interface),
    /// The ranks find their libraries as if there were no launcher.
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

/// Adds to the `variables` of ranks that run `file`, which the user calls `name`, what leads them to their library.
pub fn lead(
    variables: &mut BTreeMap<OsString, OsString>,
    choice: Choice,
    file: &Path,
    name: &OsStr,
) -> Result<(), Refusal> {
    let Some(folder) = programs::folder_of_names() else {
        return Ok(());
    };
    if choice == Choice::Untouched {
        return Ok(());
    }
    // What cannot be read may be started all the same, and says itself what is wrong with it.
    let program = Program::read(file).ok().flatten().unwrap_or_default();
    let first = judge(&program, choice, name).map_err(|text| Refusal { text, status: 1 })?;
    for folder in programs::folders_of_names().iter().rev() {
        prepend(variables, "LD_LIBRARY_PATH", folder.as_os_str(), ":");
    }
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
        prepend(variables, "LD_PRELOAD", library.as_os_str(), ":");
    }
    Ok(())
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

/// Puts `value` before what a variable has.
fn prepend(
    variables: &mut BTreeMap<OsString, OsString>,
    name: &str,
    value: &OsStr,
    separator: &str,
) {
    let mut all = value.to_os_string();
    // An empty word would stand for the working directory.
    if let Some(own) = variables
        .get(OsStr::new(name))
        .filter(|own| !own.is_empty())
    {
        all.push(separator);
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
        prepend(&mut variables, "P", "/a".as_ref(), ":");
        prepend(&mut variables, "P", "/b".as_ref(), ":");
        assert_eq!(variables[OsStr::new("P")], "/b:/a");
        variables.insert("P".into(), "".into());
        prepend(&mut variables, "P", "/a".as_ref(), ":");
        assert_eq!(variables[OsStr::new("P")], "/a");
    }
}
