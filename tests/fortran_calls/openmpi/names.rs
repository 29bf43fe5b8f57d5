//! The names of Debian's libraries of Open MPI for Fortran: which there are, and what each is a name of.

use crate::support::{command, prefix, run};
use harness::needs::{need, need_file};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The libraries, and how many names each has at least.
pub const LIBRARIES: [(&str, usize); 3] = [
    ("libmpi_mpifh.so.40", 5000),
    ("libmpi_usempif08.so.40", 1000),
    ("libmpi_usempi_ignore_tkr.so.40", 300),
];
pub const DEBIANS: &str = "/usr/lib/x86_64-linux-gnu";

/// Names that no program asks for. A `*` stands for anything at the end.
const NOT_ASKED_FOR: [(&str, &str); 6] = [
    (
        "__mpi_f08_types_MOD___*",
        "for CLASS(*), to which programs do not convert handles",
    ),
    (
        "mpi_fortran_*",
        "variables of the program's, which calls are given here",
    ),
    (
        "ompi_intercept_extra_state_t_class",
        "a class of its objects, for its own parts",
    ),
    (
        "mpiext_pcollreq_mpifh_dummy",
        "nothing: it keeps an archive from being empty",
    ),
    ("ompi_buffer_detach_f08", "between its libraries"),
    ("pompi_buffer_detach_f08", "between its libraries"),
];

fn covers(entry: &str, name: &str) -> bool {
    match entry.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => entry == name,
    }
}

fn is_asked_for(name: &str) -> bool {
    !NOT_ASKED_FOR.iter().any(|(entry, _)| covers(entry, name))
}

/// The names that a library exports, and whether each is code.
fn exported(library: &Path) -> BTreeMap<String, bool> {
    let said = run(command("nm").args(["-D", "--defined-only"]).arg(library));
    let symbol = |line: &str| {
        let mut fields = line.split(' ').skip(1);
        let is_code = matches!(fields.next()?, "T" | "W");
        Some((fields.next()?.to_string(), is_code))
    };
    said.lines().filter_map(symbol).collect()
}

/// What Debian's libraries export, by library; nothing where they are missing.
fn of_libraries() -> Option<Vec<(&'static str, BTreeMap<String, bool>)>> {
    let mut all = Vec::new();
    for (library, least) in LIBRARIES {
        let path = Path::new(DEBIANS).join(library);
        if !need("nm", "binutils") || !need_file(&path, "libopenmpi3") {
            return None;
        }
        let names = exported(&path);
        let count = names.len();
        assert!(count > least, "{library} has only {count} names");
        all.push((library, names));
    }
    Some(all)
}

/// The names that programs may ask for, and whether each is code. Several libraries have some of them.
pub fn asked_for() -> Option<BTreeMap<String, bool>> {
    let names = of_libraries()?.into_iter().flat_map(|(_, names)| names);
    Some(names.filter(|(name, _)| is_asked_for(name)).collect())
}

#[test]
fn every_name_of_openmpis_libraries_is_exported() {
    let Some(libraries) = of_libraries() else {
        return;
    };
    let mut missing = BTreeSet::new();
    for (library, names) in libraries {
        let ours = exported(&prefix().join("lib/openmpi").join(library));
        missing.extend(names.into_keys().filter(|name| !ours.contains_key(name)));
    }
    let missed: Vec<&String> = missing.iter().filter(|name| is_asked_for(name)).collect();
    assert!(missed.is_empty(), "not exported: {missed:?}");
    for (entry, reason) in NOT_ASKED_FOR {
        let needed = missing.iter().any(|name| covers(entry, name));
        assert!(needed, "no name is missing of {entry} ({reason})");
    }
}

/// What a name is made of, as C has it in small letters: `mpi_send` of `PMPI_Send_f08`. Some begin with `mpix_`.
pub fn stem(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let name = name
        .strip_prefix("__mpi_f08_callbacks_mod_")
        .unwrap_or(&name);
    let name = ["ompi", "pmpi"]
        .iter()
        .find(|begin| name.starts_with(**begin))
        .map_or(name, |_| &name[1..]);
    let end = ["_f08_", "_f08", "__", "_f", "_"]
        .into_iter()
        .find(|end| name.ends_with(end));
    let name = name.strip_suffix(end.unwrap_or("")).unwrap_or(name);
    let name = name.strip_suffix("_cptr").unwrap_or(name);
    (name.starts_with("mpi_") || name.starts_with("mpix_")).then(|| name.to_string())
}

/// The bytes of what `mpi_sizeof_complex64_r2_` is for. A complex number has two parts of so many bits.
pub fn size(name: &str) -> Option<u32> {
    let (_, of) = name.split_once("mpi_sizeof_")?;
    let (kind, _rank) = of.split_once('_')?;
    let digits = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    Some(match kind.strip_suffix(digits)? {
        "character" => 1,
        "logical" => 4,
        "complex" => digits.parse::<u32>().ok()? / 4,
        _ => digits.parse::<u32>().ok()? / 8,
    })
}
