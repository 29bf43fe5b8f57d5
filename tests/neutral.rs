//! What ranks share is the same in all interfaces of the library, since ranks of different ones can be in one job: no room that lays
//! something out in shared memory, or tells other ranks something, asks which interface is compiled, and a constant that is another
//! number in another interface is used there only in files that are known to keep it to the process.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The files of those rooms that use such constants, and for what.
const KNOWN: &[(&str, &str)] = &[
    ("comm/group.rs", "ranks that the program gives and gets"),
    ("comm/predefined.rs", "keys of attributes, and their values"),
    (
        "file/access.rs",
        "becomes a Whence; what the process may do",
    ),
    (
        "file/create.rs",
        "what the process asked for; the others hear its bits",
    ),
    ("file/mod.rs", "what the process may do"),
    ("file/runs.rs", "what the process may do"),
    (
        "file/system.rs",
        "the table from modes to the bits that are told",
    ),
    ("file/two_phase.rs", "what the process may do"),
    (
        "p2p/buffered.rs",
        "what a program attaches; nobody as a peer",
    ),
    ("p2p/probe.rs", "nobody as a peer"),
    (
        "p2p/request.rs",
        "nobody and anything, of a request that is complete",
    ),
    ("p2p/start.rs", "what a receive asks for, nobody as a peer"),
    (
        "runtime/phase.rs",
        "the table from thread levels to numbers",
    ),
    ("transport/arrived.rs", "what a receive asks for"),
    ("transport/mod.rs", "what a receive asks for"),
    ("transport/posted.rs", "what a receive asks for"),
    (
        "transport/operation.rs",
        "what a receive asks for, in words",
    ),
    ("win/accumulate.rs", "nobody as a target"),
    ("win/active.rs", "what the process asserts"),
    ("win/checked/epochs.rs", "what the process asserts"),
    ("win/checked/operations.rs", "nobody as a target"),
    ("win/create.rs", "the value of an attribute"),
    ("win/exposure.rs", "what the process asserts"),
    ("win/mod.rs", "the value of an attribute"),
    (
        "win/passive.rs",
        "which lock the process asks for; what it asserts",
    ),
    ("win/query.rs", "nobody as a target"),
    ("win/together.rs", "what the process asserts"),
    ("win/transfer.rs", "nobody as a target"),
];

/// Those that ask which interface is compiled, and for what.
const ASKING: &[(&str, &str)] = &[
    (
        "comm/affinity.rs",
        "a function of Open MPI's, of this process alone",
    ),
    ("comm/mod.rs", "has that file"),
];

const ROOMS: [&str; 8] = [
    "shm",
    "runtime",
    "transport",
    "comm",
    "p2p",
    "coll",
    "win",
    "file",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the sources can be read");
    let paths = entries.map(|entry| entry.expect("the sources can be read").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The code of the shared rooms, without comments, unit tests and quotes in strings, by file.
fn code() -> BTreeMap<String, String> {
    let files = ROOMS.iter().flat_map(|room| files(&source().join(room)));
    let code = files.map(|path| {
        let text = std::fs::read_to_string(&path).expect("the sources can be read");
        let text = text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let place = path.strip_prefix(source()).expect("it lies there");
        let code = lines.collect::<Vec<_>>().join("\n");
        let code = code.replace("\\\"", "").replace("'\"'", "");
        (place.display().to_string(), code)
    });
    code.collect()
}

/// The words of `code` that are not in a string.
fn words(code: &str) -> BTreeSet<&str> {
    let outside = code.split('"').step_by(2);
    outside
        .flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .collect()
}

/// The constants that are not the same number in all interfaces.
fn constants() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in files(&source().join("mpi/constants")) {
        let text = std::fs::read_to_string(&path).expect("the sources can be read");
        for line in text.lines() {
            let row = line.trim().trim_end_matches(';').split_once(": c_int = ");
            let Some((name, values)) = row else {
                continue;
            };
            let values: BTreeSet<&str> = values.split(", ").collect();
            if values.len() > 1 {
                found.insert(name.to_string());
            }
        }
    }
    found
}

/// The files whose code is `wanted` are those that are known, and no more.
fn are_known(known: &[(&str, &str)], wanted: impl Fn(&str) -> bool, what: &str) {
    let code = code();
    let found = code.iter().filter(|(_, code)| wanted(code));
    let found: BTreeSet<&str> = found.map(|(file, _)| file.as_str()).collect();
    let known: BTreeSet<&str> = known.iter().map(|(file, _)| *file).collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "these {what}: {new:?}");
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(gone.is_empty(), "these do so no more: {gone:?}");
}

#[test]
fn constants_stay_where_they_are_known_to() {
    let constants = constants();
    assert!(constants.contains("MPI_ANY_SOURCE") && constants.len() > 100);
    let uses = |code: &str| words(code).iter().any(|word| constants.contains(*word));
    are_known(
        KNOWN,
        uses,
        "use constants that are other numbers for other ranks",
    );
}

#[test]
fn shared_rooms_do_not_know_the_interface() {
    let asks = |code: &str| code.contains("feature =");
    are_known(ASKING, asks, "ask which interface is compiled");
}

#[test]
fn words_in_strings_do_not_count() {
    assert!(words("let x = MPI_A;").contains("MPI_A"));
    assert!(!words("bail!(Arg, \"x is MPI_A\")").contains("MPI_A"));
}
