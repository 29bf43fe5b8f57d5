//! The constants of `mpif.h`, `mpi` and `mpi_f08` against those of Debian's MPICH, as programs print them.

use super::{MPICH_INCLUDE, have_gfortran};
use crate::compare::{absent, different, judge};
use crate::support::{command, prefix, repository, run};
use generator::model::Face;
use generator::modules::constants::{Kind, constants};
use harness::needs::need_file;
use harness::scratch::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const NEWER: &str = "newer than MPI 4.0, which Debian's MPICH has";

/// Constants of ours that MPICH's `mpif.h` lacks.
const ADDED: &[(&str, &str)] = &[
    ("MPIX_*", IN_C),
    ("MPI_COMBINER_VALUE_INDEX", NEWER),
    ("MPI_COMM_TYPE_HW_*", IN_C),
    ("MPI_COMM_TYPE_RESOURCE_GUIDED", NEWER),
    ("MPI_COMPLEX4", NEWER),
    ("MPI_ERRORS_ABORT", IN_C),
    ("MPI_ERR_ABI", NEWER),
    ("MPI_ERR_ERRHANDLER", NEWER),
    (
        "MPI_ERR_PROC_FAILED",
        "another name of MPIX_ERR_PROC_FAILED",
    ),
    ("MPI_LOGICAL1*", NEWER),
    ("MPI_LOGICAL2", NEWER),
    ("MPI_LOGICAL4", NEWER),
    ("MPI_LOGICAL8", NEWER),
    ("MPI_MAX_PSET_NAME_LEN", IN_C),
    ("MPI_MAX_STRINGTAG_LEN", IN_C),
    ("MPI_REAL2", NEWER),
    ("MPI_SESSION_NULL", IN_C),
];
const IN_C: &str = "MPICH 4.0 has it in C alone";

/// Constants with another value than MPICH's.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "MPI_INTEGER16",
        "a type that exists since MPICH 4.1, with that handle",
    ),
    ("MPI_VERSION", "MPI 5.0, where Debian's MPICH is MPI 4.0"),
];

/// Beside the constants of C: the frames have them.
const OF_FORTRAN: [&str; 10] = [
    "MPI_ADDRESS_KIND",
    "MPI_ASYNC_PROTECTS_NONBLOCKING",
    "MPI_COUNT_KIND",
    "MPI_ERROR",
    "MPI_INTEGER_KIND",
    "MPI_OFFSET_KIND",
    "MPI_SOURCE",
    "MPI_STATUS_SIZE",
    "MPI_SUBARRAYS_SUPPORTED",
    "MPI_TAG",
];

/// The names, and whether each is of a handle.
fn ours() -> BTreeMap<String, bool> {
    let [values, functions] = ["src/mpi", "src/abi"].map(|folder| repository().join(folder));
    let interface = generator::read::interface(&values, &functions, Face::Mpich);
    let interface = interface.expect("the sources are understood");
    let named = constants(&interface);
    let named = named
        .iter()
        .map(|c| (c.name.to_owned(), matches!(c.kind, Kind::Handle(_))));
    let more = OF_FORTRAN.map(|name| (name.to_owned(), false));
    named.chain(more).collect()
}

/// The constants of MPICH's `mpif.h`.
fn of_mpich() -> BTreeSet<String> {
    let header = Path::new(MPICH_INCLUDE).join("mpif.h");
    let header = std::fs::read_to_string(header).expect("the header can be read");
    let statements = header.lines().filter_map(|line| {
        let rest = line.trim().strip_prefix("PARAMETER")?;
        Some(rest.trim().trim_matches(['(', ')']).to_owned())
    });
    let names = statements.flat_map(|statement| {
        let each = statement.split(',').map(str::to_owned);
        each.collect::<Vec<_>>()
    });
    names
        .filter_map(|each| Some(each.split_once('=')?.0.trim().to_owned()))
        .collect()
}

/// What a program with the constants prints that is compiled with these folders, by name.
fn values(
    way: &str,
    folders: &[PathBuf],
    names: &BTreeMap<String, bool>,
) -> BTreeMap<String, String> {
    let mut source = String::from("program values\n");
    source += match way {
        "mpif.h" => "  implicit none\n  include 'mpif.h'\n",
        "mpi" => "  use mpi\n  implicit none\n",
        _ => "  use mpi_f08\n  implicit none\n",
    };
    for (name, handle) in names {
        let value = match () {
            () if *handle && way == "mpi_f08" => format!("{name}%MPI_VAL"),
            () if name.ends_with("SUPPORTED") || name.ends_with("NONBLOCKING") => {
                format!("merge(1, 0, {name})")
            }
            () => name.clone(),
        };
        let _ = writeln!(source, "  print '(a,1x,i0)', '{name}', {value}");
    }
    source += "end program\n";
    let folder = Scratch::new("constants");
    let (path, program) = (folder.write("values.f90", &source), folder.join("values"));
    let mut gfortran = command("gfortran");
    gfortran.args(
        folders
            .iter()
            .map(|folder| format!("-I{}", folder.display())),
    );
    // Constants need no library, nor do the commons: they are only declared.
    run(gfortran.arg(path).arg("-o").arg(&program));
    let printed = run(&mut command(&program));
    let lines = printed.lines().filter_map(|line| line.split_once(' '));
    lines
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn our_folders() -> Vec<PathBuf> {
    let folders = run(command(prefix().join("bin/mpifort")).arg("-showme:incdirs"));
    folders.split_whitespace().map(PathBuf::from).collect()
}

fn there() -> bool {
    have_gfortran() && need_file(&Path::new(MPICH_INCLUDE).join("mpif.h"), "libmpich-dev")
}

#[test]
fn every_name_of_mpich() {
    if !there() {
        return;
    }
    let (ours, mpich) = (ours().into_keys().collect(), of_mpich());
    assert!(mpich.len() > 250, "only {} constants found", mpich.len());
    judge(
        "constants that ours lacks",
        &absent(&mpich, &ours, "missing"),
        &[],
    );
    judge(
        "constants that only ours has",
        &absent(&ours, &mpich, "added"),
        ADDED,
    );
}

fn agree(way: &str, more_differences: &[(&str, &str)]) {
    if !there() {
        return;
    }
    let mpich = of_mpich();
    let mut names = ours();
    assert_eq!(values(way, &our_folders(), &names).len(), names.len());
    names.retain(|name, _| mpich.contains(name));
    let found = different(
        &values(way, &our_folders(), &names),
        &values(way, &[MPICH_INCLUDE.into()], &names),
    );
    judge(way, &found, &[DIFFERENT, more_differences].concat());
}

#[test]
fn values_of_mpif_h() {
    agree("mpif.h", &[]);
}

#[test]
fn values_of_mpi() {
    agree("mpi", &[]);
}

#[test]
fn values_of_mpi_f08() {
    let lengths = "MPICH 4.0 has C's lengths there, with the character that ends a string in C";
    agree("mpi_f08", &[("MPI_MAX_*", lengths)]);
}
