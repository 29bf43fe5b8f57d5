//! What the values of options mean, with every mistake in a sentence.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

use rmashm::launching::Level;

use crate::environment::Rules;
use crate::join::{Join, LONGEST_NAME};
use crate::request::{MOST_RANKS, Reader};
use crate::signals;

/// A list of memory allocation kinds, if it is well formed.
pub fn kinds(name: &str, value: OsString) -> Result<OsString, String> {
    match rmashm::launching::memory_kinds(&value.to_string_lossy()) {
        Ok(_) => Ok(value),
        Err(error) => Err(format!("{name}: {}", error.text)),
    }
}

pub fn rank_count(name: &str, value: &OsStr) -> Result<u32, String> {
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

/// The size of the universe; -1 leaves it to the library.
pub fn universe(name: &str, value: &OsStr) -> Result<Option<u32>, String> {
    match value.to_str().map(str::parse::<i32>) {
        Some(Ok(-1)) => Ok(None),
        Some(Ok(size)) if size > 0 => Ok(Some(size as u32)),
        _ => Err(format!(
            "{name} is {}, which is no number of processes",
            value.display()
        )),
    }
}

/// A job that runs: a process of it, or `any`; or the name of one, which begins with a letter; or `none`.
pub fn join(name: &str, value: &OsStr) -> Result<Join, String> {
    let is_name = |text: &str| {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        text.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && text.len() <= LONGEST_NAME
            && text.chars().all(is_part)
    };
    match value.to_str().map(|text| (text, text.parse())) {
        Some(("any", _)) => Ok(Join::Any),
        Some(("none", _)) => Ok(Join::Nobodys),
        Some((_, Ok(pid))) if pid > 0 => Ok(Join::Process(pid)),
        Some((text, _)) if is_name(text) => Ok(Join::Named(text.to_string())),
        _ => Err(format!(
            "{name} is {}, and must be the number of a process of a job, any, or a name: at most {LONGEST_NAME} letters, digits, dots, - and _, \
             a letter first",
            value.display()
        )),
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

/// What happens when ranks wait for each other for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadlock {
    /// It is said, and the job ended.
    End,
    /// It is said.
    Report,
    /// Nobody looks for it.
    Off,
}

pub fn deadlock(name: &str, value: &OsStr) -> Result<Deadlock, String> {
    match value.to_str() {
        Some("end") => Ok(Deadlock::End),
        Some("report") => Ok(Deadlock::Report),
        Some("off") => Ok(Deadlock::Off),
        _ => Err(format!(
            "{name} is {}, and must be end, report or off",
            value.display()
        )),
    }
}

pub fn level(name: &str, value: &OsStr) -> Result<Level, String> {
    let level = value.to_str().and_then(Level::named);
    level.ok_or_else(|| {
        format!(
            "{name} is {}, and must be single, funneled, serialized or multiple",
            value.display()
        )
    })
}

/// So many MiB, in bytes.
pub fn mebibytes(name: &str, value: &OsStr) -> Result<u64, String> {
    match value.to_str().map(str::parse::<u64>) {
        Some(Ok(size @ 1..=65536)) => Ok(size << 20),
        _ => Err(format!(
            "{name} is {}, which is not a number of MiB from 1 to 65536",
            value.display()
        )),
    }
}

/// What ranks are bound to; what follows a colon says how strictly.
pub fn binding(name: &str, value: &OsStr) -> Result<bool, String> {
    const QUALIFIERS: [&str; 6] = [
        "1",
        "overload",
        "overload-allowed",
        "if-supported",
        "ordered",
        "report",
    ];
    let text = value.to_string_lossy().to_ascii_lowercase();
    let mut words = text.split(':');
    let what = words.next();
    let is_known = words.all(|word| QUALIFIERS.contains(&word));
    match what {
        Some("core") if is_known => Ok(true),
        Some("none" | "machine" | "board") if is_known => Ok(false),
        _ => Err(format!(
            "{name} is {}; it can be core or none",
            value.display()
        )),
    }
}

pub fn reader_rank(name: &str, value: &OsStr) -> Result<Reader, String> {
    match value.to_str() {
        Some("none") => Ok(Reader::None),
        Some(rank) if rank.parse::<u32>().is_ok() => Ok(Reader::Rank(rank.parse().unwrap_or(0))),
        _ => Err(format!(
            "{name} is {}; one rank can read the launcher's stdin, or none",
            value.display()
        )),
    }
}

/// Signals that are to be passed on, which must be among those that are.
pub fn forwarded(name: &str, list: &OsStr) -> Result<(), String> {
    let is_passed = |word: &str| {
        let word = word.trim().to_ascii_uppercase();
        let word = if word.starts_with("SIG") {
            word
        } else {
            format!("SIG{word}")
        };
        signals::passed_on().any(|signal| signal.as_str() == word)
    };
    let list = list.to_string_lossy();
    let mut words = list.split(',').filter(|word| !word.is_empty());
    match words.find(|word| !is_passed(word)) {
        None => Ok(()),
        Some(word) => Err(format!(
            "{name} has {word}; INT, TERM, HUP, QUIT, USR1, USR2 and CONT are passed on, and no others"
        )),
    }
}

pub fn names(list: &OsStr) -> Vec<OsString> {
    let names = list.as_bytes().split(|byte| *byte == b',');
    names
        .filter(|name| !name.is_empty())
        .map(|name| OsString::from_vec(name.to_vec()))
        .collect()
}

/// `NAME VALUE`, or `NAME=VALUE` in one word.
pub fn variable(option: &str, mut values: Vec<OsString>) -> Result<(OsString, OsString), String> {
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

pub fn export(option: &str, values: Vec<OsString>, rules: &mut Rules) -> Result<(), String> {
    if split(&values[0]).is_some() {
        rules.set.push(variable(option, values)?);
    } else if let Some(start) = values[0].as_bytes().strip_suffix(b"*") {
        let begins_so = |(name, _): &(OsString, OsString)| name.as_bytes().starts_with(start);
        rules.set.extend(std::env::vars_os().filter(begins_so));
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
