//! What the library exports: every function and every variable that programs for Open MPI 4.1 and 5.0 can ask for.

use crate::compiler::{have_program, run};
use crate::{have_library, library_folder};
use std::collections::{BTreeMap, BTreeSet};

/// The functions of MPI and beside MPI that both versions export, one a line. Each has a second name with a `P` in front.
const FUNCTIONS: [&str; 2] = [
    include_str!("../symbols/openmpi-4.1.4.txt"),
    include_str!("../symbols/openmpi-5.0.11.txt"),
];

/// The variables, with their sizes.
const VARIABLES: [&str; 2] = [
    include_str!("../symbols/openmpi-4.1.4-objects.txt"),
    include_str!("../symbols/openmpi-5.0.11-objects.txt"),
];

const FORTRAN: &str = "a function of Fortran's, which its library here has";
/// Functions that this library does not export. A name that ends in `*` stands for all that begin so, one that begins with it
/// for all that end so.
const MISSING: &[(&str, &str)] = &[
    ("*_F90", FORTRAN),
    ("MPI_COMM_*_FN", FORTRAN),
    ("MPI_TYPE_*_FN", FORTRAN),
    ("MPI_WIN_*_FN", FORTRAN),
    ("MPI_DUP_FN", FORTRAN),
    ("MPI_NULL_COPY_FN", FORTRAN),
    ("MPI_NULL_DELETE_FN", FORTRAN),
    ("MPI_CONVERSION_FN_NULL", FORTRAN),
];

const TABLE: &str = "a table of the library's own, which no header declares and none of its other libraries refers to";
const STATE: &str =
    "what the library was told or found out, for its own parts; no header declares it";
const CLASS: &str = "a class of its objects, for its own parts";
const LOCK: &str = "a lock of its own parts";

/// Variables that this library does not export.
const MISSING_VARIABLES: &[(&str, &str)] = &[
    ("*_f_to_c_table", TABLE),
    ("ompi_message_free_list", TABLE),
    ("*_t_class", CLASS),
    ("ompi_mpi_comm_parent", STATE),
    ("ompi_mpi_communicators", TABLE),
    ("ompi_mpi_windows", TABLE),
    ("ompi_mpi_errcodes", TABLE),
    ("ompi_mpi_errcode_last*", STATE),
    ("ompi_mpi_f90_*_hashtable", TABLE),
    ("ompi_mpi_instance_default", STATE),
    ("*_convertor", STATE),
    ("*_bootstrap_mutex", LOCK),
    ("ompi_mpi_compat_mpi3", STATE),
    ("ompi_mpi_dynamics_enabled", STATE),
    ("ompi_mpi_event_tick_rate", STATE),
    ("ompi_mpi_have_sparse_group_storage", STATE),
    ("ompi_mpi_keep_fqdn_hostnames", STATE),
    ("ompi_mpi_main_thread", STATE),
    ("ompi_mpi_oversubscribed", STATE),
    ("ompi_mpi_param_check", STATE),
    ("ompi_mpi_preconnect_mpi", STATE),
    ("ompi_mpi_show_mca_params*", STATE),
    ("ompi_mpi_spc_*", STATE),
    ("ompi_mpi_state", STATE),
    ("ompi_mpi_thread_*", STATE),
    ("ompi_mpi_yield_when_idle", STATE),
];

/// Whether a name is meant by an entry of a list.
pub fn covers(entry: &str, name: &str) -> bool {
    match entry.split_once('*') {
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
        None => entry == name,
    }
}

/// What is missing and not listed, and what is listed and not missing.
fn judge(missing: &BTreeSet<&str>, listed: &[(&str, &str)]) {
    let known = |name: &&&str| !listed.iter().any(|(entry, _)| covers(entry, name));
    let missed: Vec<_> = missing.iter().filter(known).collect();
    assert!(missed.is_empty(), "not exported: {missed:#?}");
    let stale = |(entry, _): &&(&str, &str)| !missing.iter().any(|name| covers(entry, name));
    let stale: Vec<_> = listed.iter().filter(stale).collect();
    assert!(stale.is_empty(), "listed, but exported: {stale:#?}");
}

/// The exported symbols: type letter and size in bytes by name.
fn exports() -> BTreeMap<String, (char, u64)> {
    let library = library_folder().join("libmpi.so.40").display().to_string();
    let output = run("nm", &["-D", "-S", "--defined-only", &library]);
    let listing = String::from_utf8(output.stdout).expect("symbols are ASCII");
    let symbol = |line: &str| {
        let [_address, size, kind, name] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let size = u64::from_str_radix(size, 16).ok()?;
        Some((name.to_string(), (kind.chars().next()?, size)))
    };
    let exports: BTreeMap<_, _> = listing.lines().filter_map(symbol).collect();
    assert!(exports.len() > 1000, "{library} exports little");
    exports
}

#[test]
fn every_function_of_openmpi_is_exported() {
    let test = "the comparison with Open MPI's symbols";
    if !have_program("nm", test) || !have_library(test) {
        return;
    }
    let exports = exports();
    let is_function = |name: &str| matches!(exports.get(name), Some(('T', _)));
    let names = FUNCTIONS.into_iter().flat_map(str::lines);
    let missing = names.filter(|name| {
        // Queries of what devices there are have one name only.
        let second = !name.starts_with("MPIX_Query_");
        !is_function(name) || second && !is_function(&format!("P{name}"))
    });
    judge(&missing.collect(), MISSING);
    let callbacks = ["COMM_", "TYPE_", "WIN_", ""].into_iter().flat_map(|kind| {
        ["DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN"].map(|name| format!("OMPI_C_MPI_{kind}{name}"))
    });
    let others = ["OMPI_Affinity_str", "ompi_op_set_cxx_callback"].map(str::to_string);
    for name in callbacks.chain(others) {
        assert!(is_function(&name), "{name} is not exported");
    }
}

#[test]
fn every_variable_of_openmpi_is_exported_with_its_size() {
    let test = "the comparison with Open MPI's variables";
    if !have_program("nm", test) || !have_library(test) {
        return;
    }
    let exports = exports();
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    for line in VARIABLES.into_iter().flat_map(str::lines) {
        let (name, size) = line.split_once(' ').expect("a name and a size");
        let size = size.parse().expect("a size");
        // Where versions differ, the smaller: ld.so is silent if a program's copy is larger than the variable.
        let smallest = sizes.entry(name).or_insert(size);
        *smallest = size.min(*smallest);
    }
    let missing = sizes.keys().filter(|name| !exports.contains_key(**name));
    judge(&missing.copied().collect(), MISSING_VARIABLES);
    for (name, size) in sizes {
        if let Some((kind, ours)) = exports.get(name) {
            assert!("BDR".contains(*kind), "{name} is of kind {kind}");
            assert_eq!(*ours, size, "{name}");
        }
    }
}
