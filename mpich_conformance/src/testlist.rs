//! The suite's `testlist` files: one line for each run of a program, or the name of a folder with a list of its own.

use crate::verdict::Expectation;
use std::fmt;
use std::fs;
use std::path::Path;

/// The lists that a folder may have. (`testlist.cvar` repeats the collective tests for each algorithm inside MPICH, and
/// `testlist.gpu` wants a graphics processor: neither asks anything of another library that these do not.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    Usual,
    /// Also those that `configure` makes of the programs that draw datatypes at random: hours of them.
    WithDatatypes,
}

impl Lists {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Usual => &["testlist"],
            Self::WithDatatypes => &["testlist", "testlist.dtp"],
        }
    }
}

/// The suite's own limit for entries that name none.
const SECONDS: u64 = 180;

/// The suite's own number of ranks for entries that name none.
const RANKS: u32 = 2;

/// One run of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The folder of the list, from the suite's root.
    pub directory: String,
    /// The folder of the program: entries may name one below that of the list.
    pub folder: String,
    pub program: String,
    pub ranks: u32,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub launcher_arguments: Vec<String>,
    pub seconds: u64,
    pub expectation: Expectation,
    /// Gigabytes, for those that say so.
    pub memory: Option<f64>,
    /// Why this entry says nothing about a library that is not MPICH.
    pub not_applicable: Option<&'static str>,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{} {}", self.folder, self.program, self.ranks)?;
        for argument in &self.arguments {
            write!(f, " {argument}")?;
        }
        for (name, value) in &self.environment {
            write!(f, " {name}={value}")?;
        }
        Ok(())
    }
}

impl Entry {
    /// The name without what it is run with.
    pub fn name(&self) -> String {
        format!("{}/{}", self.folder, self.program)
    }

    /// What it is but for numbers: how many bytes, how many rounds, how many ranks, if they are several.
    pub fn kind(&self) -> String {
        let mut entry = self.clone();
        entry.ranks = self.ranks.min(2);
        for argument in &mut entry.arguments {
            if let Some((name, value)) = argument.split_once('=')
                && value.parse::<u64>().is_ok()
            {
                *argument = format!("{name}=a number");
            }
        }
        entry.to_string()
    }
}

/// What a line of a list says.
enum Line {
    Nothing,
    Directory(String),
    /// Boxed: it is much larger than the others.
    Entry(Box<Entry>),
}

/// The entries of `directory` and of all folders that its lists name; nothing if the directory has no list. Lists that
/// `configure` has made lie in `built`, the others in `source`.
pub fn read(
    lists: Lists,
    source: &Path,
    built: &Path,
    directory: &str,
) -> Result<Option<Vec<Entry>>, String> {
    let mut entries = Vec::new();
    let mut found = false;
    for name in lists.names() {
        let candidates = [built, source].map(|root| root.join(directory).join(name));
        let Some(list) = candidates.iter().find(|list| list.is_file()) else {
            continue;
        };
        found = true;
        let text =
            fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
        for (number, line) in text.lines().enumerate() {
            let is_folder = |word: &str| source.join(directory).join(word).is_dir();
            let line = parse(directory, line, is_folder)
                .map_err(|text| format!("{}:{}: {text}", list.display(), number + 1))?;
            match line {
                Line::Nothing => {}
                Line::Entry(entry) => entries.push(*entry),
                Line::Directory(inner) => {
                    let inner = join(directory, &inner);
                    let inside = read(lists, source, built, &inner)?;
                    entries.extend(inside.ok_or_else(|| format!("{inner}: there is no testlist"))?);
                }
            }
        }
    }
    Ok(found.then_some(entries))
}

fn join(directory: &str, inner: &str) -> String {
    match directory {
        "" | "." => inner.to_owned(),
        _ => format!("{directory}/{inner}"),
    }
}

/// `program [ranks [key=value ...]]`, `folder`, or a comment.
fn parse(directory: &str, line: &str, is_folder: impl Fn(&str) -> bool) -> Result<Line, String> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else {
        return Ok(Line::Nothing);
    };
    if is_folder(first) {
        return Ok(Line::Directory(first.to_owned()));
    }
    let (folder, program) = match first.rsplit_once('/') {
        Some((inner, program)) => (join(directory, inner), program),
        None => (directory.to_owned(), first),
    };
    let mut entry = Entry {
        directory: directory.to_owned(),
        folder,
        program: program.to_owned(),
        ranks: RANKS,
        arguments: Vec::new(),
        environment: Vec::new(),
        launcher_arguments: Vec::new(),
        seconds: SECONDS,
        expectation: match directory.split('/').next() {
            Some("perf") => Expectation::OwnEnd,
            _ => Expectation::NoErrors,
        },
        memory: None,
        not_applicable: None,
    };
    if let Some(ranks) = words.next() {
        entry.ranks = number(ranks)?;
    }
    for word in words {
        // The suite's own runner passes over other words, and its lists have some.
        let Some((key, value)) = word.split_once('=') else {
            continue;
        };
        match key {
            "arg" => entry.arguments.push(value.to_owned()),
            "env" => {
                let (name, value) = value
                    .split_once('=')
                    .ok_or_else(|| format!("{word} is not of the form env=name=value"))?;
                entry.environment.push((name.to_owned(), value.to_owned()));
            }
            "mpiexecarg" => entry.launcher_arguments.push(value.to_owned()),
            "timeLimit" => entry.seconds = number(value)?,
            "resultTest" => entry.expectation = Expectation::named(value)?,
            "mem" => entry.memory = Some(number(value)?),
            "mpix" if value.eq_ignore_ascii_case("true") => {
                entry.not_applicable = Some("tests MPICH's extensions (mpix=true)");
            }
            // strict=false: uses extensions that most libraries have. xfail: what MPICH is known to fail at; the suite
            // itself ignores the mark for other libraries. mpiversion: the standard that has it. lock: locks out others.
            "strict" | "xfail" | "mpix" | "mpiversion" | "init" | "lock" => {}
            _ => return Err(format!("{key} is not a key of a test list")),
        }
    }
    Ok(Line::Entry(Box::new(entry)))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}

/// The entry of a line.
#[cfg(test)]
pub fn entry(directory: &str, line: &str) -> Entry {
    match parse(directory, line, |word| word == "inner").unwrap() {
        Line::Entry(entry) => *entry,
        _ => panic!("{line} is not an entry"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(line: &str) -> Entry {
        super::entry("rma", line)
    }

    #[test]
    fn a_program_alone_has_the_defaults() {
        let entry = entry("winname");
        assert_eq!((entry.program.as_str(), entry.ranks), ("winname", 2));
        assert_eq!(entry.seconds, 180);
        assert_eq!(entry.expectation, Expectation::NoErrors);
        assert_eq!(entry.to_string(), "rma/winname 2");
    }

    #[test]
    fn keys_and_comments() {
        let line = "  get 4 a/stray/word arg=-type=MPI_INT:4+MPI_DOUBLE:2 arg=-n=7 env=A=b=c timeLimit=600 mem=8.5 \
                    resultTest=TestErrFatal mpiexecarg=-x strict=false xfail=ticket1 # arg=no";
        let entry = entry(line);
        assert_eq!(entry.ranks, 4);
        assert_eq!(entry.arguments, ["-type=MPI_INT:4+MPI_DOUBLE:2", "-n=7"]);
        assert_eq!(entry.environment, [("A".to_owned(), "b=c".to_owned())]);
        assert_eq!(entry.launcher_arguments, ["-x"]);
        assert_eq!((entry.seconds, entry.memory), (600, Some(8.5)));
        assert_eq!(entry.expectation, Expectation::Failure);
        assert_eq!(
            entry.to_string(),
            "rma/get 4 -type=MPI_INT:4+MPI_DOUBLE:2 -n=7 A=b=c"
        );
    }

    #[test]
    fn kinds_are_without_numbers() {
        let kind = |line| entry(line).kind();
        assert_eq!(kind("a 2 arg=-count=10"), kind("a 7 arg=-count=4194304"));
        for other in [
            "a 1 arg=-count=10",
            "a 2",
            "a 2 arg=-rounds=10",
            "a 2 arg=-count=10 arg=-type=MPI_INT",
            "a 2 arg=-count=10 env=A=1",
            "b 2 arg=-count=10",
        ] {
            assert_ne!(kind("a 2 arg=-count=10"), kind(other));
        }
        assert_ne!(
            kind("a 2 arg=-type=MPI_INT"),
            kind("a 2 arg=-type=MPI_CHAR")
        );
    }

    #[test]
    fn a_program_of_another_folder() {
        let entry = entry("../util/check 1");
        assert_eq!(entry.directory, "rma");
        assert_eq!(entry.folder, "rma/../util");
        assert_eq!(entry.program, "check");
    }

    #[test]
    fn programs_that_measure_have_to_come_to_their_end() {
        let Line::Entry(entry) = parse("perf", "timer 1", |_| false).unwrap() else {
            panic!("it is an entry");
        };
        assert_eq!(entry.expectation, Expectation::OwnEnd);
    }

    #[test]
    fn extensions_are_not_applicable() {
        assert!(entry("a 2 mpix=TRUE").not_applicable.is_some());
        assert!(entry("a 2 mpix=false").not_applicable.is_none());
    }

    #[test]
    fn comments_and_folders() {
        assert!(matches!(
            parse("rma", "# test 2", |_| false),
            Ok(Line::Nothing)
        ));
        assert!(matches!(parse("rma", "", |_| false), Ok(Line::Nothing)));
        let line = parse("rma", "inner ", |word| word == "inner");
        assert!(matches!(line, Ok(Line::Directory(name)) if name == "inner"));
    }

    #[test]
    fn mistakes_are_refused() {
        for line in [
            "a two",
            "a 2 colour=red",
            "a 2 env=name",
            "a 2 resultTest=x",
        ] {
            assert!(parse("rma", line, |_| false).is_err(), "{line}");
        }
    }

    #[test]
    fn lists_name_folders_and_lie_in_two_places() {
        let root = std::env::temp_dir().join(format!("conformance-lists-{}", std::process::id()));
        let (source, built) = (root.join("source"), root.join("built"));
        for (folder, file, text) in [
            (&source, "testlist", "a\nb\n"),
            (&source, "a/testlist", "one 1\n"),
            (&source, "b/testlist.in", "@x@two 1\n"),
            (&built, "b/testlist", "two 1\n"),
            (&built, "b/testlist.dtp", "three 3\n"),
        ] {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let [usual, all] = [Lists::Usual, Lists::WithDatatypes].map(|lists| {
            let entries = read(lists, &source, &built, "").unwrap().unwrap();
            entries.iter().map(Entry::to_string).collect::<Vec<_>>()
        });
        let none = read(Lists::Usual, &source, &built, "c");
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(usual, ["a/one 1", "b/two 1"]);
        assert_eq!(all, ["a/one 1", "b/two 1", "b/three 3"]);
        assert_eq!(none, Ok(None));
    }
}
