//! `rmashm-abi`: tells which MPI library programs were linked with, and whether rmashm stands in for it.

use crate::{Library, Program, folders_of_names, loading};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `--help` prints; `rmashm-abi(1)` is made of it, too.
const HELP: &str = include_str!("rmashm-abi.txt");

/// What MPI libraries' names begin with.
const PREFIXES: [&str; 8] = [
    "MPI_", "PMPI_", "MPIX_", "PMPIX_", "OMPI_", "ompi_", "mpi_", "pmpi_",
];

/// Of several programs, the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Served = 0,
    NotServed = 1,
    Unknown = 2,
}

pub fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let asks_for_help = files.iter().any(|file| file == Path::new("--help"));
    if asks_for_help || files.is_empty() {
        print!("{HELP}");
        return ExitCode::from(if asks_for_help { 0 } else { 2 });
    }
    let mut worst = Verdict::Served;
    for file in &files {
        let shown = file.display();
        let (text, verdict) = judge(file)
            .unwrap_or_else(|error| (format!("cannot be read: {error}"), Verdict::Unknown));
        println!("{shown}: {text}");
        worst = worst.max(verdict);
    }
    ExitCode::from(worst as u8)
}

fn judge(file: &Path) -> std::io::Result<(String, Verdict)> {
    let Some(program) = Program::read_whole(file)? else {
        let text = "no program and no library; if it is a script, ask about what it starts";
        return Ok((text.into(), Verdict::Unknown));
    };
    let folders = folders_of_names();
    let loaded = loading::with(&program, file, &folders)?;
    // The file itself, and what comes with it.
    let mut parts = vec![(None, program)];
    for library in &loaded {
        if let Some(path) = &library.path
            && let Some(part) = Program::read_whole(path)?
        {
            parts.push((Some(library.name.as_str()), part));
        }
    }
    let asked = parts.iter().flat_map(|(by, part)| {
        let libraries = part.mpi_libraries();
        libraries.map(move |(name, library)| (*by, name, library))
    });
    let mut asked: Vec<_> = asked.collect();
    asked.sort_by_key(|(by, name, _)| (*name, by.is_some()));
    asked.dedup_by_key(|(_, name, _)| *name);
    if asked.is_empty() {
        let text = "asks for no MPI library (it may load one when it runs: mpiexec -abi NAME says which it shall have)";
        return Ok((text.into(), Verdict::Unknown));
    }
    let mut lines = Vec::new();
    let mut verdict = Verdict::Served;
    for (by, name, library) in asked {
        let by = by.map_or(String::new(), |by| format!(", asked for by {by}"));
        match library {
            Library::Of(interface) => {
                let title = interface.title();
                let served = folders.iter().any(|all| all.join(name).exists());
                if !served {
                    verdict = Verdict::NotServed;
                }
                let answer = if served {
                    "served"
                } else {
                    "not in this prefix"
                };
                lines.push(format!("{title} ({name}{by}): {answer}"));
            }
            Library::Other { whose, advice } => {
                verdict = Verdict::NotServed;
                lines.push(format!("{name}{by} is of {whose}: not served; {advice}"));
            }
        }
    }
    let defined: HashSet<&str> = parts
        .iter()
        .flat_map(|(_, part)| part.defined.iter().map(String::as_str))
        .collect();
    let is_mpi = |name: &&str| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let wanted = parts.iter().flat_map(|(_, part)| &part.wanted);
    let wanted: HashSet<&str> = wanted.map(String::as_str).filter(is_mpi).collect();
    let mut missing: Vec<&str> = wanted.difference(&defined).copied().collect();
    if verdict == Verdict::Served && !missing.is_empty() {
        missing.sort_unstable();
        verdict = Verdict::NotServed;
        let (count, list) = (missing.len(), missing.join(" "));
        lines.push(format!(
            "of {} names {count} are not there: {list}",
            wanted.len()
        ));
    }
    for library in loaded.iter().filter(|library| library.path.is_none()) {
        verdict = verdict.max(Verdict::NotServed);
        lines.push(format!("{} is not found on this machine", library.name));
    }
    Ok((lines.join("\n    "), verdict))
}
