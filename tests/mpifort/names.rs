//! The names that compiled programs have of what the modules declare: the library has all of them, and MPICH's nearly all.

use super::{MPICH_LIBRARY, sources_of_modules, tool};
use crate::compare::judge;
use crate::support::{command, prefix, run};
use harness::needs::{need, need_file};
use harness::scratch::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The names for gfortran, and for others. They differ where a procedure has descriptors, or belongs to a module of MPICH's.
fn names() -> [BTreeSet<String>; 2] {
    let (mut gfortran, mut others) = (BTreeSet::new(), BTreeSet::new());
    let (mut abstractly, mut for_gfortran) = (false, true);
    for line in joined(&sources_of_modules()) {
        let line = line.trim();
        match line {
            "#ifdef __GFORTRAN__" => for_gfortran = true,
            "#else" => for_gfortran = false,
            _ if line.starts_with("abstract interface") => abstractly = true,
            _ if line.starts_with("end interface") => abstractly = false,
            _ => {}
        }
        if line.starts_with(['#', '!']) || line.starts_with("end ") || abstractly {
            continue;
        }
        let bound = ["name=\"", "WITH_DESCRIPTORS(\"", "SAME_AS(\""];
        let bound = bound.iter().find_map(|start| line.split_once(start));
        let bound = bound.and_then(|(_, rest)| rest.split('"').next());
        let procedure = ["subroutine ", "function "];
        let procedure = procedure.iter().find_map(|sort| line.split_once(sort));
        let procedure = procedure.map(|(before, rest)| (before.trim(), word(rest)));
        match (procedure, bound) {
            (Some((before, name)), bound) => {
                let in_module = before.starts_with("IN_LIBRARY") || before.starts_with("module");
                let external = format!("{name}_");
                let own = match (in_module, bound) {
                    (true, _) => format!("__mpi_f08_types_MOD_{name}"),
                    (_, Some(bound)) if !line.contains("WITH_DESCRIPTORS") => bound.to_owned(),
                    _ => external.clone(),
                };
                let alone = before.starts_with("module") || line.contains("sizeof_cfi");
                if for_gfortran || !alone {
                    gfortran.insert(own);
                }
                if !before.starts_with("module") {
                    let bound = bound.filter(|_| !line.contains("SAME_AS"));
                    others.insert(bound.map_or(external, str::to_owned));
                }
            }
            (None, Some(bound)) => {
                gfortran.insert(bound.to_owned());
                others.insert(bound.to_owned());
            }
            (None, None) => {}
        }
    }
    assert!(gfortran.len() > 2000, "only {} names", gfortran.len());
    [gfortran, others]
}

/// The first name in a text, as linkers know it.
fn word(text: &str) -> String {
    let name = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    name.take(1).collect::<String>().to_lowercase()
}

/// The statements, each in one line.
fn joined(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut statement = String::new();
    for line in text.lines() {
        statement += line;
        match statement.strip_suffix('&') {
            Some(begun) => statement = begun.to_owned(),
            None => lines.push(std::mem::take(&mut statement)),
        }
    }
    lines
}

/// A program of C that has the address of each.
#[test]
fn the_library_has_all() {
    let [gfortran, others] = names();
    let all: BTreeSet<&String> = gfortran.union(&others).collect();
    let mut source = String::new();
    for name in &all {
        let _ = writeln!(source, "extern char {name}[];");
    }
    source += "char *all[] = {\n";
    for name in &all {
        let _ = writeln!(source, "    {name},");
    }
    source += "};\nint main(void)\n{\n    return all[0] == 0;\n}\n";
    let folder = Scratch::new("names");
    let (path, program) = (folder.write("all.c", &source), folder.join("all"));
    let mut mpicc = tool(prefix(), "mpicc");
    mpicc.arg("-w").arg(path).arg("-lrmashmfort");
    run(mpicc.arg("-o").arg(&program));
    run(command(&program).env("LD_BIND_NOW", "1"));
}

const NEWER: &str = "newer than MPI 4.0, which Debian's MPICH has";
const LARGE: &str = "MPICH 4.0 has no form with large counts of it";

const RECOVERY: &str = "going on after a death has more names in MPICH 5 and Open MPI 5";

/// Names that MPICH's library lacks, without `mpi_`, `pmpi_`, `pmpir_`, or those with `mpix`. One that ends in `*` stands for all that begin so.
const MISSING: &[(&str, &str)] = &[
    ("__mpi_f08_link_constants_MOD_mpi_buffer_automatic", NEWER),
    ("abi_*", NEWER),
    ("buffer_flush_*", NEWER),
    ("buffer_iflush_*", NEWER),
    ("comm_ack_failed_*", RECOVERY),
    ("comm_attach_buffer_*", NEWER),
    ("comm_detach_buffer_*", NEWER),
    ("comm_flush_buffer_*", NEWER),
    ("comm_get_failed_*", RECOVERY),
    ("comm_iflush_buffer_*", NEWER),
    ("comm_is_revoked_*", RECOVERY),
    ("file_*", LARGE),
    ("get_hw_resource_info_*", NEWER),
    ("op_create_f08_large_", LARGE),
    ("register_datarep_f08_large_", LARGE),
    ("remove_error_*", NEWER),
    ("request_get_status_*", NEWER),
    ("session_attach_buffer_*", NEWER),
    ("session_detach_buffer_*", NEWER),
    ("session_flush_buffer_*", NEWER),
    ("session_iflush_buffer_*", NEWER),
    ("status_get_*", NEWER),
    ("status_set_*", NEWER),
    ("type_get_value_index_*", NEWER),
];

/// A program that calls nothing newer than Debian's MPICH runs with its library.
#[test]
fn mpich_has_what_is_not_newer() {
    if !need_file(Path::new(MPICH_LIBRARY), "libmpich12") || !need("nm", "binutils") {
        return;
    }
    let symbols = run(command("nm").args(["-D", "--defined-only", MPICH_LIBRARY]));
    let symbols: BTreeSet<&str> = symbols
        .lines()
        .filter_map(|l| l.split(' ').next_back())
        .collect();
    let [gfortran, _] = names();
    let missing = gfortran
        .iter()
        .filter(|name| !symbols.contains(name.as_str()));
    let without = |name: &String| {
        let starts = ["pmpir_", "pmpi_", "mpi_", "pmpixr_", "pmpix_", "mpix_"];
        let rest = starts.iter().find_map(|start| name.strip_prefix(start));
        rest.unwrap_or(name).to_owned()
    };
    let missing: BTreeMap<String, String> = missing
        .map(|name| (without(name), format!("MPICH's library has no {name}")))
        .collect();
    judge("names that MPICH's library lacks", &missing, MISSING);
}
