//! The command line: from words to a [`Request`], with every mistake refused in a sentence.
//!
//! A command line is parts separated by `:`, each with options, a program and its arguments. Options of the whole job
//! may stand in any part. A part ends at a word that is `:` alone; everything after the program's name up to there is
//! the program's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::checked::Check;
use crate::environment::Base;
use crate::hosts;
use crate::observed::Report;
use crate::options::{self, Ask, Spec};
use crate::request::{MOST_RANKS, Part, Request};
use crate::values;
use programs::leading::Choice;
use rmashm::launching::initial;

/// What the user wants done.
#[derive(Debug)]
pub enum Command {
    Run(Box<Request>),
    Help,
    Version,
}

/// What `-prepend-rank` puts before a line.
const RANK_PREFIX: &str = "[%r] ";

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
            Ok(Command::Run(Box::new(request)))
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
        let mut reader = Words { words, next: 0 };
        let (mut asked_ranks, mut per_node) = (false, None);
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
                Ask::PerNode => per_node = Some(values::rank_count(&name, &values[0])?),
                _ => {
                    asked_ranks |= spec.ask == Ask::Ranks;
                    apply(&spec, &name, values, request, &mut part)?;
                }
            }
        }
        if let Some(ranks) = per_node.filter(|_| !asked_ranks) {
            (part.ranks, asked_ranks) = (ranks, true);
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
type Given = (Spec, String, Vec<OsString>);

/// Walks over the options at the beginning of a part.
struct Words<'a> {
    words: &'a [OsString],
    next: usize,
}

impl Words<'_> {
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
        if spec.ask == Ask::Cannot {
            return Err(format!("{written} cannot be had: {}", spec.help));
        }
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
        while values.len() < spec.words() {
            let Some(value) = self.words.get(self.next) else {
                return Err(format!(
                    "{written} wants {}, and nothing follows",
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
        Ask::Ranks => part.ranks = values::rank_count(name, &values[0])?,
        Ask::WorkDir => part.directory = Some(values.remove(0).into()),
        Ask::Env => part.environment.set.push(values::variable(name, values)?),
        Ask::EnvList => part.environment.only(values::names(&values[0])),
        Ask::EnvAll => part.environment.base = Some(Base::All),
        Ask::EnvNone => part.environment.base = Some(Base::Only(Vec::new())),
        Ask::Export => values::export(name, values, &mut part.environment)?,
        Ask::Unset => part.environment.unset.push(values.remove(0)),
        Ask::SearchPath => part.search_path = Some(values.remove(0)),
        Ask::Abi => part.interface = Choice::parse(name, &values[0])?,
        Ask::GlobalEnv => request
            .environment
            .set
            .push(values::variable(name, values)?),
        Ask::GlobalEnvList => request.environment.only(values::names(&values[0])),
        Ask::GlobalEnvAll => request.environment.base = Some(Base::All),
        Ask::GlobalEnvNone => request.environment.base = Some(Base::Only(Vec::new())),
        Ask::PrependRank => request.prefix = Some(RANK_PREFIX.into()),
        Ask::PrependPattern => request.prefix = Some(values.remove(0)),
        Ask::OutPattern => request.out_pattern = Some(values.remove(0)),
        Ask::ErrPattern => request.err_pattern = Some(values.remove(0)),
        Ask::OutputFolder => output_folder(&values[0], request),
        Ask::Output => output(name, &values[0], request)?,
        Ask::MergeOutput => request.merge_output = true,
        Ask::Stdin => request.reader = values::reader_rank(name, &values[0])?,
        Ask::BindTo => request.bind_to_core = values::binding(name, &values[0])?,
        Ask::BindToCore => request.bind_to_core = true,
        Ask::NoOversubscribe => request.no_oversubscribe = true,
        Ask::Timeout => request.timeout = values::seconds(name, &values[0])?,
        Ask::Universe => request.universe = values::universe(name, &values[0])?,
        Ask::Join => request.join = Some(values::join(name, &values[0])?),
        Ask::Deadlock => request.deadlock = Some(values::deadlock(name, &values[0])?),
        Ask::Check => {
            let how = values.first().map(OsString::as_os_str);
            request.check = Some(Check::named(name, how)?);
            request.check_says_so = true;
        }
        Ask::Report => {
            let file = values.first().map(OsString::as_os_str);
            request.reports.push(Report::named(name, file)?);
        }
        Ask::Trace => request.trace = Some(values.remove(0).into()),
        Ask::TraceSize => request.trace_size = Some(values::mebibytes(name, &values[0])?),
        Ask::PrintExitCodes => request.print_exit_codes = true,
        Ask::NoCleanup => request.no_cleanup = true,
        Ask::MemoryAllocKinds => {
            request.memory_alloc_kinds = Some(values::kinds(name, values.remove(0))?)
        }
        Ask::InitialErrhandler => {
            let name = values[0].to_string_lossy();
            request.initial_errhandler =
                Some(initial::check(&name).map_err(|error| error.into_text().into_string())?);
        }
        Ask::ThreadLevel => request.thread_level = Some(values::level(name, &values[0])?),
        Ask::ForwardSignals => values::forwarded(name, &values[0])?,
        Ask::Hosts => hosts::check_list(&values[0].to_string_lossy())?,
        Ask::HostFile => hosts::check_file(values[0].as_ref())?,
        Ask::Verbose | Ask::VerboseHow => request.verbose = true,
        // The last four were dealt with where they were read.
        Ask::Nothing | Ask::Cannot | Ask::PerNode | Ask::ConfigFile | Ask::Help | Ask::Version => {}
    }
    Ok(())
}

/// `-output-filename`: the files that Open MPI would write.
fn output_folder(folder: &OsStr, request: &mut Request) {
    let file = |stream: &str| {
        let mut name = OsString::from(folder.display().to_string().replace('%', "%%"));
        name.push(format!("/1/rank.%r/{stream}"));
        Some(name)
    };
    (request.out_pattern, request.err_pattern) = (file("stdout"), file("stderr"));
    request.makes_folders = true;
}

/// `-output`: a list of what Open MPI has options of their own for as well.
fn output(name: &str, list: &OsStr, request: &mut Request) -> Result<(), String> {
    for word in list.to_string_lossy().split(',') {
        match word.split_once('=') {
            None if word.eq_ignore_ascii_case("tag") => request.prefix = Some(RANK_PREFIX.into()),
            None if word.to_ascii_lowercase().starts_with("merge") => request.merge_output = true,
            Some((dir, folder)) if dir.eq_ignore_ascii_case("dir") => {
                output_folder(folder.as_ref(), request);
            }
            Some((file, start)) if file.eq_ignore_ascii_case("file") => {
                let pattern = OsString::from(format!("{}.%r", start.replace('%', "%%")));
                (request.out_pattern, request.merge_output) = (Some(pattern), true);
            }
            _ => {
                return Err(format!(
                    "{name} has {word}; it can have tag, merge, dir=DIR and file=NAME"
                ));
            }
        }
    }
    Ok(())
}

/// Reads the parts of a configuration file: one a line, words as a shell would split them, `#` begins a comment, a
/// backslash at the end of a line continues it.
fn parse_file(path: &OsStr, request: &mut Request) -> Result<Option<Command>, String> {
    for (at, words) in lines_of(path)? {
        let parsed = parse_parts(&words, request, true);
        if let Some(command) = parsed.map_err(|error| format!("{at}: {error}"))? {
            return Ok(Some(command));
        }
    }
    Ok(None)
}

/// Reads options of a part from a file: written as in a configuration file, but for number and program, which are known.
pub fn read_options(path: &OsStr, part: &mut Part) -> Result<(), String> {
    let shown = path.display();
    // To read from something else might take for ever.
    if !std::fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return Err(format!("{shown} is not there, or is no regular file"));
    }
    for (at, words) in lines_of(path)? {
        read_line(&words, part).map_err(|error| format!("{at}: {error}"))?;
    }
    Ok(())
}

fn read_line(words: &[OsString], part: &mut Part) -> Result<(), String> {
    let mut request = Request::default();
    let mut reader = Words { words, next: 0 };
    while let Some((spec, name, values)) = reader.option()? {
        if !spec.ask.is_for_later() {
            return Err(format!(
                "{name} is not for processes that are started later"
            ));
        }
        apply(&spec, &name, values, &mut request, part)?;
    }
    if let Some(word) = words.get(reader.next) {
        return Err(format!(
            "'{}' is no option: which program it is, and its arguments, the call says",
            word.display()
        ));
    }
    part.initial_errhandler = request.initial_errhandler.or(part.initial_errhandler);
    part.memory_alloc_kinds = request
        .memory_alloc_kinds
        .or(part.memory_alloc_kinds.take());
    Ok(())
}

/// The words of each line of a file that has some, and which line it is.
fn lines_of(path: &OsStr) -> Result<Vec<(String, Vec<OsString>)>, String> {
    let shown = path.display();
    let text = std::fs::read(path)
        .map_err(|error| format!("cannot read the configuration file {shown}: {error}"))?;
    let mut number = 0;
    // A file written on Windows ends its lines with a carriage return too, which a shell would take for a part of a word.
    let mut lines = text
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut all = Vec::new();
    while let Some(line) = lines.next() {
        number += 1;
        let at = format!("{shown}, line {number}");
        let mut line = line.to_vec();
        while line.ends_with(b"\\") {
            line.pop();
            line.push(b' ');
            line.extend_from_slice(lines.next().unwrap_or_default());
            number += 1;
        }
        let Some(words) = shlex::bytes::split(&line) else {
            return Err(format!("{at}: a quote is not closed"));
        };
        let words: Vec<OsString> = words.into_iter().map(OsString::from_vec).collect();
        if !words.is_empty() {
            all.push((at, words));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbtest::arbitrary::{self, Unstructured};
    use harness::scratch::Scratch;

    fn run(line: &str) -> Result<Request, String> {
        match parse(line.split_whitespace().map(OsString::from))? {
            Command::Run(request) => Ok(*request),
            other => Err(format!("{other:?}")),
        }
    }

    /// A word that may mean something, or nothing.
    fn draw(drawn: &mut Unstructured<'_>, names: &[String]) -> arbitrary::Result<String> {
        let words = [
            ":",
            "4",
            "a",
            "-1",
            "0",
            "core",
            "A=b",
            "=",
            "-",
            "--",
            "localhost",
            "99999999999",
        ];
        Ok(match drawn.int_in_range(0..=9)? {
            0 => drawn.arbitrary()?,
            1..=5 => drawn.choose(&words)?.to_string(),
            6 => format!("-{}={}", drawn.choose(names)?, drawn.choose(&words)?),
            _ => format!("-{}", drawn.choose(names)?),
        })
    }

    fn names() -> Vec<String> {
        let all = options::ours().chain(options::of_others());
        all.flat_map(|option| option.names)
            .map(|name| name.to_string())
            .collect()
    }

    /// What is no command line is an error with a sentence; of one there is a rank at least.
    fn judge(parsed: Result<Command, String>, of: &dyn std::fmt::Debug) {
        match parsed {
            Ok(Command::Run(request)) => assert!(request.ranks() >= 1, "{of:?}"),
            Ok(_) => {}
            Err(sentence) => assert!(sentence.len() > 5, "{of:?}: {sentence:?}"),
        }
    }

    #[test]
    fn whatever_the_words_are() {
        let names = names();
        arbtest::arbtest(|drawn| {
            let mut words = Vec::new();
            while !drawn.is_empty() {
                words.push(draw(drawn, &names)?);
            }
            judge(parse(words.iter().map(OsString::from)), &words);
            Ok(())
        })
        .budget_ms(1000);
    }

    #[test]
    fn whatever_a_configuration_file_says() {
        let (names, folder) = (names(), Scratch::new("configfile"));
        arbtest::arbtest(|drawn| {
            let mut text = String::new();
            while !drawn.is_empty() {
                text += &draw(drawn, &names)?;
                text.push(*drawn.choose(&[' ', ' ', ' ', '\n', '\\', '"', '\'', '#', '\r'])?);
            }
            let file = folder.write("parts", &text);
            let words = ["-configfile", &file].map(OsString::from);
            judge(parse(words), &text);
            Ok(())
        })
        .budget_ms(1000);
    }

    #[test]
    fn options_of_a_part_in_a_file() {
        let folder = Scratch::new("options");
        let read = |text: &str| {
            let mut part = Part::default();
            let file = folder.write("options", text);
            read_options(file.as_ref(), &mut part).map(|()| part)
        };
        let part = read(
            "# how\n-env A 'b c' \\\n -wdir /tmp\n\n-initial-errhandler mpi_errors_return\n-path /a:/b\r\n",
        );
        let part = part.unwrap();
        assert_eq!(part.environment.set, [("A".into(), "b c".into())]);
        assert_eq!(part.directory.as_deref(), Some("/tmp".as_ref()));
        assert_eq!(part.initial_errhandler, Some("mpi_errors_return"));
        assert_eq!(part.search_path.as_deref(), Some("/a:/b".as_ref()));
        for (text, sentence) in [
            ("-env A 1\n-n 4", "line 2: -n is not for"),
            ("-timeout 5", "-timeout is not for"),
            ("\n\n./a b", "line 3: './a' is no option"),
            ("-wdri /tmp", "line 1: unknown option"),
            ("-wdir", "line 1: -wdir wants DIR, and nothing follows"),
            ("-env 'A 1", "a quote is not closed"),
            ("-initial-errhandler never", "line 1: "),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(sentence), "{text}: {error}");
        }
        let mut part = Part::default();
        for nothing in ["/nowhere/at/all", "/dev/zero", "/"] {
            let error = read_options(nothing.as_ref(), &mut part).unwrap_err();
            assert!(error.contains("is not there, or"), "{error}");
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
            ("-usize many a", "no number of processes"),
            ("-usize 0 a", "no number of processes"),
            ("-deadlock never a", "end, report or off"),
            ("-l=3 a", "takes no value"),
            ("-memory-alloc-kinds system,, a", "no list"),
        ] {
            let error = run(line).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }

    #[test]
    fn the_universe_has_a_size() {
        let universe = |line| run(line).unwrap().universe;
        assert_eq!(universe("-usize 7 a"), Some(7));
        assert_eq!(universe("-usize -1 a"), None);
        assert_eq!(universe("a"), None);
    }

    #[test]
    fn variables_in_both_forms() {
        let request = run("-genv A 1 -genv B=2=3 -env C 4 a").unwrap();
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        assert_eq!(request.environment.set, [pair("A", "1"), pair("B", "2=3")]);
        assert_eq!(request.parts[0].environment.set, [pair("C", "4")]);
    }
}
