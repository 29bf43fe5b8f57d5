//! The classes in memory, and the names of the library, against MPICH's: a program compiled with either header runs with either
//! library.

use crate::compiler::{have_program, run, scratch};
use crate::support;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where Debian keeps MPICH's header.
const HEADER: &str = "/usr/include/x86_64-linux-gnu/mpich";
/// Its library.
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/libmpichcxx.so.12";

fn is_missing() -> bool {
    let there = Path::new(HEADER).join("mpicxx.h").is_file() && Path::new(LIBRARY).is_file();
    !crate::compiler::have(there, "Debian's libmpich-dev", "the layout of the classes")
        || !have_program("g++", "the layout of the classes")
        || !have_program("nm", "the names of the classes")
}

/// What the compiler tells of each class of namespace MPI: its size, and its virtual functions in their order.
fn told(include: &Path, which: &str) -> BTreeMap<String, Vec<String>> {
    let folder = scratch().join(which);
    std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
    let source = folder.join("all.cc");
    std::fs::write(&source, "#include <mpi.h>\n").expect("the scratch folder can be written");
    let dump = folder.join("classes");
    let output = run(
        "g++",
        &[
            "-fsyntax-only".to_owned(),
            format!("-fdump-lang-class={}", dump.display()),
            format!("-I{}", include.display()),
            source.display().to_string(),
        ],
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(dump).expect("the compiler has told");
    let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for paragraph in text.split("\n\n") {
        let mut lines = paragraph.lines();
        let title = lines.next().unwrap_or_default();
        let Some((kind, class)) = title.rsplit_once(' ') else {
            continue;
        };
        if !class.starts_with("MPI::") || class.contains("internal") {
            continue;
        }
        // Each line of a table is a place and a function; the last line of a class has addresses of the compiler's own.
        let lines: Vec<String> = match kind {
            "Vtable for" => lines
                .map(|line| line.split_whitespace().skip(1).collect())
                .collect(),
            "Class" => lines
                .take_while(|line| line.contains("size="))
                .map(str::to_owned)
                .collect(),
            _ => continue,
        };
        classes.entry(class.to_owned()).or_default().extend(lines);
    }
    classes
}

/// Every class of MPICH's is here, of the same size, with the same virtual functions in the same places.
pub fn classes() -> Result<(), Failed> {
    if is_missing() {
        return Ok(());
    }
    let ours = told(&support::prefix().join("include"), "ours");
    let theirs = told(Path::new(HEADER), "mpich");
    if theirs.len() < 18 {
        return Err(format!("the compiler tells of {} classes only", theirs.len()).into());
    }
    for (class, told) in theirs {
        let Some(own) = ours.get(&class) else {
            return Err(format!("there is no {class}").into());
        };
        let differs = told.iter().zip(own).find(|(theirs, ours)| theirs != ours);
        if let Some((theirs, ours)) = differs {
            return Err(format!("{class} has\n  {ours}\nwhere MPICH has\n  {theirs}").into());
        }
        if told.len() != own.len() {
            return Err(format!("{class}: {} lines, not {}", own.len(), told.len()).into());
        }
    }
    Ok(())
}

/// The functions and objects that a library defines, of which a program cannot have its own.
fn names(library: &Path) -> BTreeSet<String> {
    let library = library.display().to_string();
    let output = run("nm", &["-D", "--defined-only", &library]);
    let listing = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, kind, name] = words[..] else {
            return None;
        };
        ["T", "B", "D", "R"]
            .contains(&kind)
            .then(|| name.to_owned())
    };
    listing.lines().filter_map(name).collect()
}

/// Our library has all of the names of MPICH's, but the C functions by which MPICH's calls itself.
pub fn symbols() -> Result<(), Failed> {
    if is_missing() {
        return Ok(());
    }
    let ours = names(&support::prefix().join("lib/libmpicxx.so.12"));
    let theirs = names(Path::new(LIBRARY));
    if theirs.len() < 250 {
        return Err(format!("MPICH's library has {} names only", theirs.len()).into());
    }
    let internal =
        |name: &str| name.starts_with("MPIR_Call_") || name.starts_with("MPIR_Grequest_call_");
    let missing: Vec<&String> = theirs
        .difference(&ours)
        .filter(|name| !internal(name))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("not there: {missing:#?}").into()),
    }
}
