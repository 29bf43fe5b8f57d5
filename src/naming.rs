//! How people are told which rank is meant, and of what: the same words in errors, findings and waits.
//!
//! A rank without more is one of the job. Where a communicator or a window numbers its processes otherwise, both numbers are said. Names
//! come from the program, and may hold anything: what ends a line or moves a terminal's cursor is told by its name.

use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Characters of a name that are told where there is little room: a wait has a line.
const SHORT: usize = 40;

/// "rank 0" of an object that numbers its `process`, a rank of the job, like that; else "rank 0 of the window (rank 2 of the job)", where `of`
/// is "the window".
#[cold]
pub fn rank(rank: usize, process: u32, of: &str) -> String {
    match rank == process as usize {
        true => format!("rank {rank}"),
        false => format!("rank {rank} of {of}{}", in_job(rank, process)),
    }
}

/// What follows the number of a rank of something else than the job: its number there, if that is another.
#[cold]
pub fn in_job(rank: usize, process: u32) -> String {
    match rank == process as usize {
        true => String::new(),
        false => format!(" (rank {process} of the job)"),
    }
}

/// What belongs to it: "rank 0's MPI_Put", or "the MPI_Put of rank 0 of the window (rank 2 of the job)".
#[cold]
pub fn owned(rank: usize, process: u32, of: &str, what: &str) -> String {
    match rank == process as usize {
        true => format!("rank {rank}'s {what}"),
        false => format!("the {what} of {}", self::rank(rank, process, of)),
    }
}

/// Its part of a `window`: "rank 0's part of window "grid"", or "the part of rank 0 of window "grid" (rank 2 of the job)".
#[cold]
pub fn part(rank: usize, process: u32, window: &str) -> String {
    match rank == process as usize {
        true => format!("rank {rank}'s part of {window}"),
        false => owned(rank, process, window, "part"),
    }
}

/// A name as it can be shown in a line.
#[cold]
pub fn printable(name: &[u8]) -> String {
    let escaped = format!("{:?}", String::from_utf8_lossy(name));
    let inner = &escaped[1..escaped.len() - 1];
    inner.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The same between quotation marks; of a long one the beginning.
#[cold]
pub fn quoted(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    match text.char_indices().nth(SHORT) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}...", &text[..end]),
    }
}

/// The names that the program has given to communicators, by their numbers.
static COMMUNICATORS: Mutex<BTreeMap<u32, Box<[u8]>>> = Mutex::new(BTreeMap::new());

/// The program has named a communicator; an empty name is none.
pub fn name_communicator(number: u32, name: &[u8]) {
    let mut names = COMMUNICATORS.lock();
    match name.is_empty() {
        true => names.remove(&number),
        false => names.insert(number, name.into()),
    };
}

/// A communicator is gone, and its number may become another's.
pub fn forget_communicator(number: u32) {
    COMMUNICATORS.lock().remove(&number);
}

fn named(number: u32) -> Option<String> {
    let names = COMMUNICATORS.lock();
    let name = names.get(&number)?;
    Some(format!("communicator {}", quoted(name)))
}

/// A communicator as its ranks are told by: "communicator "rows"", "MPI_COMM_WORLD", "MPI_COMM_SELF", or "its communicator".
#[cold]
pub fn communicator(number: u32) -> String {
    named(number).unwrap_or_else(|| match number {
        0 => "MPI_COMM_WORLD".to_string(),
        1 => "MPI_COMM_SELF".to_string(),
        _ => "its communicator".to_string(),
    })
}

/// One routine, whatever its counts are.
pub fn routine(name: &str) -> &str {
    name.strip_suffix("_c").unwrap_or(name)
}

/// The collective call `name` on a communicator: "MPI_Barrier", and where that is not MPI_COMM_WORLD as it is by itself, on which.
#[cold]
pub fn collective(name: &str, number: u32) -> String {
    let call = match routine(name).strip_suffix("_init") {
        Some(started) => format!("{started} (persistent)"),
        None => name.to_string(),
    };
    match (named(number), number) {
        (Some(communicator), _) => format!("{call} on {communicator}"),
        (None, 0) => call,
        (None, 1) => format!("{call} on MPI_COMM_SELF"),
        (None, _) => format!("{call} on communicator {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numbers_are_said_where_they_are_two() {
        assert_eq!(rank(2, 2, "the window"), "rank 2");
        assert_eq!(
            rank(0, 2, "the window"),
            "rank 0 of the window (rank 2 of the job)"
        );
        assert_eq!(owned(1, 1, "the window", "MPI_Put"), "rank 1's MPI_Put");
        assert_eq!(
            owned(0, 2, "the window", "MPI_Put"),
            "the MPI_Put of rank 0 of the window (rank 2 of the job)"
        );
        assert_eq!(part(1, 1, "window \"a\""), "rank 1's part of window \"a\"");
        assert_eq!(
            part(0, 2, "window \"a\""),
            "the part of rank 0 of window \"a\" (rank 2 of the job)"
        );
    }

    #[test]
    fn names_stay_in_their_line() {
        assert_eq!(printable(b"a \"b\" 'c' \\d"), "a \"b\" 'c' \\d");
        assert_eq!(printable(b"\x1b[2Jx\ny\xff"), "\\u{1b}[2Jx\\ny\u{fffd}");
        assert_eq!(printable("é".as_bytes()), "é");
        assert_eq!(quoted(b"a\n\"b\""), "\"a\\n\\\"b\\\"\"");
        let long = "ä".repeat(SHORT + 1);
        assert_eq!(
            quoted(long.as_bytes()),
            format!("\"{}\"...", "ä".repeat(SHORT))
        );
    }

    #[test]
    fn communicators_are_told_apart() {
        let number = 1 << 20;
        assert_eq!(communicator(0), "MPI_COMM_WORLD");
        assert_eq!(communicator(number), "its communicator");
        assert_eq!(collective("MPI_Barrier", 0), "MPI_Barrier");
        assert_eq!(
            collective("MPI_Allreduce_init", 0),
            "MPI_Allreduce (persistent)"
        );
        assert_eq!(collective("MPI_Bcast_init_c", 0), "MPI_Bcast (persistent)");
        assert_eq!(
            collective("MPI_Barrier", number),
            format!("MPI_Barrier on communicator {number}")
        );
        name_communicator(number, b"rows");
        assert_eq!(communicator(number), "communicator \"rows\"");
        assert_eq!(
            collective("MPI_Barrier", number),
            "MPI_Barrier on communicator \"rows\""
        );
        forget_communicator(number);
        assert_eq!(communicator(number), "its communicator");
    }
}
