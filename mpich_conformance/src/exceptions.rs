//! `exceptions.toml`: which entries cannot pass, and why.

use crate::options::Fortran;
use crate::testlist::Entry;
use programs::Interface;
use serde::Deserialize;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    exception: Vec<Exception>,
}

/// One reason, and the entries for which it holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    reason: String,
    /// The C interfaces with which it is so; none are all.
    #[serde(default)]
    abi: Vec<String>,
    /// The compilers for Fortran with which it is so; none are all.
    #[serde(default)]
    fortran: Vec<Fortran>,
    /// Whether it is so only under `mpiexec -check`, where some may pass all the same, or only without; if it says nothing, both.
    #[serde(default)]
    check: Option<bool>,
    /// Whether it is about numbers alone: `--kinds` leaves it out.
    #[serde(default)]
    numbers: bool,
    /// `folder/program` (all entries of the program), or the whole line of the report: `folder/program 4 -arg=1`.
    tests: Vec<String>,
}

#[derive(Default)]
pub struct Exceptions {
    known: Vec<Known>,
}

struct Known {
    test: String,
    reason: String,
    /// What is found may depend on what comes first.
    may_pass: bool,
    is_about_numbers: bool,
    /// Of the entries that ran: whether there was one, and whether one did not pass.
    ran: AtomicBool,
    holds: AtomicBool,
}

impl Exceptions {
    /// Those of the file that hold with `interface`, a compiler for `fortran`, and under `-check` or not.
    pub fn read(
        file: &Path,
        interface: Interface,
        fortran: Option<Fortran>,
        check: bool,
    ) -> Result<Self, String> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Self::parse(&text, interface, fortran, check)
            .map_err(|error| format!("{}: {error}", file.display()))
    }

    fn parse(
        text: &str,
        interface: Interface,
        fortran: Option<Fortran>,
        check: bool,
    ) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut known: Vec<Known> = Vec::new();
        for exception in file.exception {
            if let Some(unknown) = exception
                .abi
                .iter()
                .find(|name| Interface::of_name(name).is_none())
            {
                return Err(format!("{unknown} is no interface"));
            }
            let own = interface.name().to_owned();
            if !exception.abi.is_empty() && !exception.abi.contains(&own) {
                continue;
            }
            let compilers = &exception.fortran;
            if !compilers.is_empty() && !fortran.is_some_and(|whose| compilers.contains(&whose)) {
                continue;
            }
            if exception.check.is_some_and(|only| only != check) {
                continue;
            }
            for test in exception.tests {
                if known.iter().any(|other| other.test == test) {
                    return Err(format!("{test} is there twice"));
                }
                known.push(Known {
                    test,
                    reason: exception.reason.clone(),
                    may_pass: exception.check == Some(true),
                    is_about_numbers: exception.numbers,
                    ran: AtomicBool::new(false),
                    holds: AtomicBool::new(false),
                });
            }
        }
        Ok(Self { known })
    }

    /// What is known of an entry: by its line, else by its name.
    fn find(&self, entry: &Entry) -> Option<&Known> {
        let (line, name) = (entry.to_string(), entry.name());
        let by = |wanted: &str| self.known.iter().find(|known| known.test == wanted);
        by(&line).or_else(|| by(&name))
    }

    /// Whether an entry is one that cannot pass.
    pub fn has(&self, entry: &Entry) -> bool {
        self.find(entry).is_some()
    }

    /// Whether an entry is one that cannot pass for a number that interfaces have no part in.
    pub fn is_about_numbers(&self, entry: &Entry) -> bool {
        self.find(entry).is_some_and(|known| known.is_about_numbers)
    }

    /// Takes note of how an entry ended; gives the reason if it is one that cannot pass.
    pub fn reason(&self, entry: &Entry, passed: bool) -> Option<&str> {
        let known = self.find(entry)?;
        known.ran.store(true, Relaxed);
        if !passed {
            known.holds.store(true, Relaxed);
        }
        Some(&known.reason)
    }

    /// The exceptions all of whose entries have passed: they have to go.
    pub fn outdated(&self) -> impl Iterator<Item = &str> {
        self.known
            .iter()
            .filter(|known| !known.may_pass)
            .filter(|known| known.ran.load(Relaxed) && !known.holds.load(Relaxed))
            .map(|known| known.test.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Expectation;

    fn entry(program: &str, ranks: u32) -> Entry {
        Entry {
            directory: "spawn".into(),
            folder: "spawn".into(),
            program: program.into(),
            ranks,
            arguments: Vec::new(),
            environment: Vec::new(),
            launcher_arguments: Vec::new(),
            seconds: 1,
            expectation: Expectation::NoErrors,
            memory: None,
            not_applicable: None,
        }
    }

    const TEXT: &str = "[[exception]]\nreason = 'r'\ntests = ['spawn/a', 'spawn/b 2']\n";

    #[test]
    fn by_name_or_by_line() {
        let exceptions = Exceptions::parse(TEXT, Interface::Mpich, None, false).unwrap();
        assert_eq!(exceptions.reason(&entry("a", 7), false), Some("r"));
        assert_eq!(exceptions.reason(&entry("b", 2), false), Some("r"));
        assert_eq!(exceptions.reason(&entry("b", 3), false), None);
        assert_eq!(exceptions.reason(&entry("c", 2), false), None);
        assert!(exceptions.has(&entry("a", 1)) && !exceptions.has(&entry("c", 2)));
        assert_eq!(exceptions.outdated().count(), 0);
    }

    #[test]
    fn some_hold_with_one_interface() {
        let text = TEXT.replace("tests", "abi = ['openmpi']\ntests");
        let held = |interface| {
            let exceptions = Exceptions::parse(&text, interface, None, false).unwrap();
            exceptions.has(&entry("a", 1))
        };
        assert!(held(Interface::Openmpi) && !held(Interface::Mpich));
    }

    #[test]
    fn some_hold_with_one_compiler_for_fortran() {
        let text = TEXT.replace("tests", "fortran = ['mpich']\ntests");
        let held = |fortran| {
            let exceptions = Exceptions::parse(&text, Interface::Mpich, fortran, false).unwrap();
            exceptions.has(&entry("a", 1))
        };
        assert!(held(Some(Fortran::Mpich)) && !held(Some(Fortran::Rmashm)) && !held(None));
    }

    #[test]
    fn some_hold_only_where_programs_are_checked() {
        let text = TEXT.replace("tests", "check = true\ntests");
        let held = |check| {
            let exceptions = Exceptions::parse(&text, Interface::Mpich, None, check).unwrap();
            exceptions.has(&entry("a", 1))
        };
        assert!(held(true) && !held(false));
        let text = TEXT.replace("tests", "check = false\ntests");
        let outdated = |check| {
            let exceptions = Exceptions::parse(&text, Interface::Mpich, None, check).unwrap();
            exceptions.reason(&entry("a", 1), true);
            exceptions.outdated().count()
        };
        assert_eq!((outdated(false), outdated(true)), (1, 0));
    }

    #[test]
    fn some_are_about_numbers() {
        let text = TEXT.replace("tests", "numbers = true\ntests");
        let is = |text: &str, program| {
            let exceptions = Exceptions::parse(text, Interface::Mpich, None, false).unwrap();
            exceptions.is_about_numbers(&entry(program, 1))
        };
        assert!(is(&text, "a") && !is(&text, "c") && !is(TEXT, "a"));
    }

    #[test]
    fn what_begins_to_pass_has_to_go() {
        let exceptions = Exceptions::parse(TEXT, Interface::Mpich, None, false).unwrap();
        assert_eq!(exceptions.outdated().count(), 0);
        exceptions.reason(&entry("a", 1), true);
        assert_eq!(exceptions.outdated().collect::<Vec<_>>(), ["spawn/a"]);
        exceptions.reason(&entry("a", 2), false);
        assert_eq!(exceptions.outdated().count(), 0);
    }

    #[test]
    fn mistakes_are_refused() {
        let parse = |text: &str| Exceptions::parse(text, Interface::Mpich, None, false);
        assert!(parse("[[exception]]\ntests = ['a']\n").is_err());
        assert!(parse(&TEXT.replace("b 2", "a").replace("spawn/a 2", "spawn/a")).is_err());
        assert!(parse("").is_ok());
        assert!(parse(&TEXT.replace("tests", "abi = ['lam']\ntests")).is_err());
    }

    #[test]
    fn the_file_of_this_project() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("exceptions.toml");
        for interface in Interface::ALL {
            Exceptions::read(&file, interface, Some(Fortran::Mpich), true).unwrap();
        }
    }
}
