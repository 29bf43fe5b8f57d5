//! The command line: from words to a [`Request`], with every mistake refused in a sentence.
//!
//! A command line is parts separated by `:`, each with options, a program and its arguments. Options of the whole job
//! may stand in any part. A part ends at a word that is `:` alone; everything after the program's name up to there is
//! the program's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use crate::environment::{Base, Rules};
use crate::hosts;
use crate::options::{self, Ask, Spec};

/// What the user wants done.
#[derive(Debug)]
pub enum Command {
    Run(Request),
    Help,
    Version,
}

/// A job to run.
#[derive(Debug, Default)]
pub struct Request {
    pub parts: Vec<Part>,
    pub environment: Rules,
    pub prepend_rank: bool,
    pub out_pattern: Option<OsString>,
    pub err_pattern: Option<OsString>,
    pub bind_to_core: bool,
    pub timeout: Option<Duration>,
    pub print_exit_codes: bool,
    pub no_cleanup: bool,
    pub memory_alloc_kinds: Option<OsString>,
    pub verbose: bool,
}

/// One program and how many ranks run it.
#[derive(Debug, Default)]
pub struct Part {
    pub ranks: u32,
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: Option<PathBuf>,
    pub environment: Rules,
}

impl Request {
    /// Ranks of all parts together.
    pub fn ranks(&self) -> u32 {
        self.parts.iter().map(|part| part.ranks).sum()
    }
}

/// More ranks than this are taken for a mistake; Linux cannot run as many processes as that.
const MOST_RANKS: u32 = 1 << 20;

/// Reads the words after the program's own name.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let words: Vec<OsString> = words.into_iter().collect();
    let mut request = Request::default();
    match parse_parts(&words, &mut request, false)? {
        Some(command) => Ok(command),
        None => {
            if request.parts.is_empty() {
                return Err(
                    "no program was given (mpiexec -n 4 ./program; --help explains)".into(),
                );
            }
            let ranks: u64 = request.parts.iter().map(|part| u64::from(part.ranks)).sum();
            if ranks > u64::from(MOST_RANKS) {
                return Err(format!(
                    "{ranks} ranks are more than the {MOST_RANKS} possible"
                ));
            }
            Ok(Command::Run(request))
        }
    }
}

fn parse_parts(
    words: &[OsString],
    request: &mut Request,
    in_file: bool,
) -> Result<Option<Command>, String> {
    let mut from_file = false;
    for words in words.split(|word| word == ":") {
        let mut part = Part {
            ranks: 1,
            ..Part::default()
        };
        let mut reader = Reader { words, next: 0 };
        let mut asked_ranks = false;
        while let Some((spec, name, values)) = reader.option()? {
            match spec.ask {
                Ask::Help => return Ok(Some(Command::Help)),
                Ask::Version => return Ok(Some(Command::Version)),
                Ask::ConfigFile if in_file => {
                    return Err(format!(
                        "{name} stands in a configuration file: they cannot be nested"
                    ));
                }
                Ask::ConfigFile => {
                    from_file = true;
                    if let Some(command) = parse_file(&values[0], request)? {
                        return Ok(Some(command));
                    }
                }
                _ => {
                    asked_ranks |= spec.ask == Ask::Ranks;
                    apply(spec, &name, values, request, &mut part)?;
                }
            }
        }
        let mut rest = words[reader.next..].iter().cloned();
        match rest.next() {
            Some(program) if program.is_empty() => return Err("the program's name is empty".into()),
            Some(program) => {
                part.program = program;
                part.arguments = rest.collect();
                request.parts.push(part);
            }
            None if asked_ranks || (!from_file && !in_file && !request.parts.is_empty()) => {
                return Err("a part of the command line names no program".into());
            }
            None => {}
        }
    }
    Ok(None)
}

/// An option that was given, its name as it was written, and its values.
type Given = (&'static Spec, String, Vec<OsString>);

/// Walks over the options at the beginning of a part.
struct Reader<'a> {
    words: &'a [OsString],
    next: usize,
}

impl Reader<'_> {
    /// The next option; `None` at the program's name or the end.
    fn option(&mut self) -> Result<Option<Given>, String> {
        let Some(word) = self.words.get(self.next) else {
            return Ok(None);
        };
        let bytes = word.as_bytes();
        if bytes == b"--" {
            self.next += 1;
            return Ok(None);
        }
        if bytes.first() != Some(&b'-') || bytes.len() == 1 {
            return Ok(None);
        }
        self.next += 1;
        let dashes = if bytes.starts_with(b"--") { 2 } else { 1 };
        let (written, attached) = match bytes.iter().position(|byte| *byte == b'=') {
            Some(at) => (
                &bytes[..at],
                Some(OsStr::from_bytes(&bytes[at + 1..]).to_os_string()),
            ),
            None => (bytes, None),
        };
        let written = String::from_utf8_lossy(written).into_owned();
        let name = &written[dashes..];
        let spec = options::find(name).ok_or_else(|| unknown(&written, name))?;
        let mut values = Vec::new();
        if let Some(value) = attached {
            if spec.values.is_empty() {
                return Err(format!(
                    "{written} takes no value, but {} was given",
                    value.display()
                ));
            }
            values.push(value);
        }
        while values.len() < spec.values.len() {
            let Some(value) = self.words.get(self.next) else {
                return Err(format!(
                    "{written} wants {}, and the command line ends",
                    spec.values.join(" ")
                ));
            };
            self.next += 1;
            values.push(value.clone());
            let pair = matches!(spec.ask, Ask::Env | Ask::GlobalEnv);
            if pair && values.len() == 1 && value.as_bytes().contains(&b'=') {
                break;
            }
        }
        Ok(Some((spec, written, values)))
    }
}

fn unknown(written: &str, name: &str) -> String {
    match options::nearest(name) {
        Some(near) => format!("unknown option {written}; did you mean -{near}? (--help lists all)"),
        None => format!("unknown option {written} (--help lists all)"),
    }
}

fn apply(
    spec: &Spec,
    name: &str,
    mut values: Vec<OsString>,
    request: &mut Request,
    part: &mut Part,
) -> Result<(), String> {
    match spec.ask {
        Ask::Ranks => part.ranks = rank_count(name, &values[0])?,
        Ask::WorkDir => part.directory = Some(values.remove(0).into()),
        Ask::Env => part.environment.set.push(variable(name, values)?),
        Ask::EnvList => part.environment.only(names(&values[0])),
        Ask::EnvAll => part.environment.base = Some(Base::All),
        Ask::EnvNone => part.environment.base = Some(Base::Only(Vec::new())),
        Ask::Export => export(name, values, &mut part.environment)?,
        Ask::GlobalEnv => request.environment.set.push(variable(name, values)?),
        Ask::GlobalEnvList => request.environment.only(names(&values[0])),
        Ask::GlobalEnvAll => request.environment.base = Some(Base::All),
        Ask::GlobalEnvNone => request.environment.base = Some(Base::Only(Vec::new())),
        Ask::PrependRank => request.prepend_rank = true,
        Ask::OutPattern => request.out_pattern = Some(values.remove(0)),
        Ask::ErrPattern => request.err_pattern = Some(values.remove(0)),
        Ask::BindTo => request.bind_to_core = binding(name, &values[0])?,
        Ask::Timeout => request.timeout = seconds(name, &values[0])?,
        Ask::PrintExitCodes => request.print_exit_codes = true,
        Ask::NoCleanup => request.no_cleanup = true,
        Ask::MemoryAllocKinds => request.memory_alloc_kinds = Some(kinds(name, values.remove(0))?),
        Ask::Hosts => hosts::check_list(&values[0].to_string_lossy())?,
        Ask::HostFile => hosts::check_file(values[0].as_ref())?,
        Ask::Verbose => request.verbose = true,
        Ask::Nothing | Ask::ConfigFile | Ask::Help | Ask::Version => {}
    }
    Ok(())
}

/// A list of memory allocation kinds, if it is well formed.
fn kinds(name: &str, value: OsString) -> Result<OsString, String> {
    match rmashm::info::kinds::elements(&value.to_string_lossy()) {
        Ok(_) => Ok(value),
        Err(error) => Err(format!("{name}: {}", error.text)),
    }
}

fn rank_count(name: &str, value: &OsStr) -> Result<u32, String> {
    let shown = value.display();
    match value.to_str().map(str::parse::<i128>) {
        Some(Ok(count)) if count < 1 => {
            Err(format!("{name} is {shown}, but a job has at least 1 rank"))
        }
        Some(Ok(count)) if count > i128::from(MOST_RANKS) => Err(format!(
            "{name} is {shown}, which is more than the {MOST_RANKS} ranks possible"
        )),
        Some(Ok(count)) => Ok(count as u32),
        _ => Err(format!("{name} is {shown}, which is not a number of ranks")),
    }
}

/// A time limit; 0 or less is none, as MPICH has it.
pub fn seconds(name: &str, value: &OsStr) -> Result<Option<Duration>, String> {
    match value.to_str().map(str::parse::<f64>) {
        Some(Ok(seconds)) if seconds <= 0.0 => Ok(None),
        Some(Ok(seconds)) if seconds.is_finite() => {
            Ok(Some(Duration::from_secs_f64(seconds.min(1e9))))
        }
        _ => Err(format!(
            "{name} is {}, which is not a number of seconds",
            value.display()
        )),
    }
}

fn binding(name: &str, value: &OsStr) -> Result<bool, String> {
    match value.to_str() {
        Some("core" | "core:1") => Ok(true),
        Some("none") => Ok(false),
        _ => Err(format!(
            "{name} is {}; it can be core or none",
            value.display()
        )),
    }
}

fn names(list: &OsStr) -> Vec<OsString> {
    let names = list.as_bytes().split(|byte| *byte == b',');
    names
        .filter(|name| !name.is_empty())
        .map(|name| OsString::from_vec(name.to_vec()))
        .collect()
}

/// `NAME VALUE`, or `NAME=VALUE` in one word.
fn variable(option: &str, mut values: Vec<OsString>) -> Result<(OsString, OsString), String> {
    let (name, value) = match values.len() {
        2 => (values.remove(0), values.remove(0)),
        _ => split(&values[0]).ok_or_else(|| format!("{option} wants NAME VALUE"))?,
    };
    if name.is_empty() || name.as_bytes().contains(&b'=') {
        return Err(format!(
            "{option}: '{}' cannot be the name of a variable",
            name.display()
        ));
    }
    Ok((name, value))
}

fn export(option: &str, values: Vec<OsString>, rules: &mut Rules) -> Result<(), String> {
    if split(&values[0]).is_some() {
        rules.set.push(variable(option, values)?);
    } else if let Some(value) = std::env::var_os(&values[0]) {
        rules.set.push((values[0].clone(), value));
    }
    Ok(())
}

fn split(word: &OsStr) -> Option<(OsString, OsString)> {
    let bytes = word.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    let string = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((string(&bytes[..at]), string(&bytes[at + 1..])))
}

/// Reads the parts of a configuration file: one a line, words as a shell would split them, `#` begins a comment, a
/// backslash at the end of a line continues it.
fn parse_file(path: &OsStr, request: &mut Request) -> Result<Option<Command>, String> {
    let shown = path.display();
    let text = std::fs::read(path)
        .map_err(|error| format!("cannot read the configuration file {shown}: {error}"))?;
    let mut number = 0;
    let mut lines = text.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        number += 1;
        let first = number;
        let mut line = line.to_vec();
        while line.ends_with(b"\\") {
            line.pop();
            line.push(b' ');
            line.extend_from_slice(lines.next().unwrap_or_default());
            number += 1;
        }
        let at = |error: String| format!("{shown}, line {first}: {error}");
        let words = shlex::bytes::split(&line).ok_or_else(|| at("a quote is not closed".into()))?;
        let words: Vec<OsString> = words.into_iter().map(OsString::from_vec).collect();
        if words.is_empty() {
            continue;
        }
        if let Some(command) = parse_parts(&words, request, true).map_err(at)? {
            return Ok(Some(command));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Result<Request, String> {
        match parse(line.split_whitespace().map(OsString::from))? {
            Command::Run(request) => Ok(request),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn both_kinds_of_dashes() {
        for line in [
            "-n 4 a",
            "-np 4 a",
            "--np 4 a",
            "--np=4 a",
            "-np=4 a",
            "--n=4 -- a",
        ] {
            let request = run(line).unwrap();
            assert_eq!(
                (request.ranks(), request.parts[0].program.to_str()),
                (4, Some("a")),
                "{line}"
            );
        }
    }

    #[test]
    fn the_programs_words_are_its_own() {
        let request = run("a -n 4 --help : -n 2 b").unwrap();
        assert_eq!(request.parts[0].ranks, 1);
        assert_eq!(request.parts[0].arguments, ["-n", "4", "--help"]);
        assert_eq!(request.parts[1].ranks, 2);
    }

    #[test]
    fn mistakes_are_named() {
        for (line, word) in [
            ("-n 0 a", "at least 1"),
            ("-n -3 a", "at least 1"),
            ("-n four a", "not a number"),
            ("-n 99999999999 a", "more than"),
            ("-n 4", "names no program"),
            ("", "no program"),
            ("a :", "names no program"),
            ("-n", "wants N"),
            ("--nq 4 a", "-n"),
            ("-bind-to socket a", "core or none"),
            ("-timeout soon a", "seconds"),
            ("-l=3 a", "takes no value"),
            ("-memory-alloc-kinds system,, a", "no list"),
        ] {
            let error = run(line).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }

    #[test]
    fn variables_in_both_forms() {
        let request = run("-genv A 1 -genv B=2=3 -env C 4 a").unwrap();
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        assert_eq!(request.environment.set, [pair("A", "1"), pair("B", "2=3")]);
        assert_eq!(request.parts[0].environment.set, [pair("C", "4")]);
    }
}
