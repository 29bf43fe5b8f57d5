//! What `librmashm.so` exports: both names of every function in `mpi.h`, no function of MPI that `mpi.h` does not declare,
//! all names that MPICH exports and that programs for it ask for, and the data symbols of MPICH's ABI.

mod compiler;
mod support;

use compiler::{GENERATED, have_program, our_include, run, write};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The folder of the staged library.
fn library_folder() -> PathBuf {
    support::prefix().join("lib")
}

/// The exported symbols: type letter and size in bytes by name.
fn exports() -> BTreeMap<String, (char, u64)> {
    let library = library_folder().join("librmashm.so").display().to_string();
    let output = run("nm", &["-D", "-S", "--defined-only", &library]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let listing = String::from_utf8(output.stdout).expect("symbols are ASCII");
    let symbol = |line: &str| {
        let [_address, size, kind, name] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let size = u64::from_str_radix(size, 16).ok()?;
        Some((name.to_string(), (kind.chars().next()?, size)))
    };
    listing.lines().filter_map(symbol).collect()
}

/// The functions that the header declares.
fn declared() -> BTreeSet<String> {
    let header = std::fs::read_to_string(GENERATED[0]).expect("the build script made a header");
    header
        .lines()
        .filter(|line| !line.starts_with(['#', ' ', '/', '}']) && !line.starts_with("typedef"))
        .filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next())
        .map(str::to_string)
        .collect()
}

#[test]
fn every_function_is_declared_and_exported_under_both_names() {
    if !have_program("nm", "the comparison of symbols") {
        return;
    }
    let (exports, declared) = (exports(), declared());
    assert!(
        declared.len() > 80,
        "only {} functions found in the header",
        declared.len()
    );
    for name in &declared {
        assert!(
            matches!(exports.get(name), Some(('T', _))),
            "{name} is declared, not exported"
        );
    }
    for (name, _) in exports.iter().filter(|(_, (kind, _))| *kind == 'T') {
        if let Some(plain) = name
            .strip_prefix('P')
            .filter(|plain| plain.starts_with("MPI"))
        {
            assert!(
                exports.contains_key(plain),
                "{name} is exported without {plain}"
            );
        } else if name.starts_with("MPI_") || name.starts_with("MPIX_") {
            assert!(
                exports.contains_key(&format!("P{name}")),
                "{name} has no second name"
            );
            assert!(declared.contains(name), "{name} is exported, not declared");
        }
    }
}

/// The names that real libraries export and programs ask for, one a line, with what is known of each in a second column.
const NAMES: [(&str, &str); 5] = [
    ("MPICH 4.0.2", include_str!("symbols/mpich-4.0.2.txt")),
    ("MPICH 5.0.2", include_str!("symbols/mpich-5.0.2.txt")),
    (
        "the Fortran library of MPICH 4.0.2",
        include_str!("symbols/mpich-4.0.2-fortran-needs.txt"),
    ),
    (
        "mpi4py 4.1.2",
        include_str!("symbols/mpi4py-4.1.2-needs.txt"),
    ),
    ("IMB", include_str!("symbols/imb-needs.txt")),
];

#[test]
fn every_name_that_others_have_is_exported() {
    if !have_program("nm", "the comparison of symbols") {
        return;
    }
    let exports = exports();
    let exported = |name: &str| match name.strip_prefix("MPI_") {
        Some(rest) => {
            exports.contains_key(name)
                && (exports.contains_key(&format!("PMPI_{rest}")) || is_data(name))
        }
        None => exports.contains_key(name),
    };
    let mut missing = BTreeMap::new();
    for (whose, list) in NAMES {
        for line in list.lines() {
            let name = line.split(' ').next().unwrap_or_default();
            if !exported(name) {
                missing.insert(name, whose);
            }
        }
    }
    assert!(missing.is_empty(), "not exported: {missing:#?}");
}

/// Whether the name is that of a variable, which has no second name.
fn is_data(name: &str) -> bool {
    !name.contains(char::is_lowercase)
}

#[test]
fn data_symbols_have_mpichs_sizes() {
    if !have_program("nm", "the comparison of symbols") {
        return;
    }
    let exports = exports();
    for (name, size) in [
        ("MPI_UNWEIGHTED", 8),
        ("MPI_WEIGHTS_EMPTY", 8),
        ("MPI_T_PVAR_ALL_HANDLES", 8),
        ("MPI_F_STATUS_IGNORE", 8),
        ("MPI_F_STATUSES_IGNORE", 8),
        ("MPI_F08_STATUS_IGNORE", 8),
        ("MPI_F08_STATUSES_IGNORE", 8),
        ("MPIR_F08_MPI_STATUS_IGNORE_OBJ", 20),
        ("MPIR_F08_MPI_STATUSES_IGNORE_OBJ", 20),
        ("MPIR_C_MPI_UNWEIGHTED", 8),
        ("MPIR_C_MPI_WEIGHTS_EMPTY", 8),
        ("MPIR_F08_MPI_IN_PLACE", 4),
        ("MPIR_F08_MPI_BOTTOM", 4),
        ("MPIR_fortran_true", 4),
        ("MPIR_fortran_false", 4),
    ] {
        let Some((kind, there)) = exports.get(name) else {
            panic!("{name} is not exported");
        };
        assert!("BDR".contains(*kind), "{name} is of kind {kind}");
        assert_eq!(*there, size, "{name}");
    }
}

/// Uses the data symbols and what needs no `MPI_Init`, and says where something is wrong by its exit status.
const PROGRAM: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#define CHECK(what) do { if (!(what)) { printf("wrong: %s\n", #what); failures++; } } while (0)

static int fortran_ignore[MPI_F_STATUS_SIZE];

/* The library must see what the program stores in its copy of the variable: an ignored status has no fields. */
static int convert_ignored(void)
{
    MPI_Status status;
    MPI_F_STATUS_IGNORE = fortran_ignore;
    return MPI_Status_f2c(fortran_ignore, &status) == MPI_SUCCESS ? 0 : 1;
}

int main(int argc, char **argv)
{
    int failures = 0, version, subversion, length, class, value, flag = 5;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    double before = MPI_Wtime();
    void *in = &failures, *out = 0;
    MPI_Status status, copy;
    MPI_F08_status f08;
    MPI_Fint fields[MPI_F_STATUS_SIZE];
    MPI_Aint address, other;
    MPI_Comm_copy_attr_function *dup = MPI_COMM_DUP_FN;

    if (argc > 1 && !strcmp(argv[1], "ignored"))
        return convert_ignored();
    CHECK(MPI_UNWEIGHTED && MPI_WEIGHTS_EMPTY && MPI_UNWEIGHTED != MPI_WEIGHTS_EMPTY);
    CHECK(MPI_T_PVAR_ALL_HANDLES != MPI_T_PVAR_HANDLE_NULL);
    CHECK(MPI_F08_STATUS_IGNORE == &MPIR_F08_MPI_STATUS_IGNORE_OBJ);
    CHECK(MPI_F08_STATUSES_IGNORE == MPIR_F08_MPI_STATUSES_IGNORE_OBJ);
    CHECK(dup(MPI_COMM_WORLD, 0, 0, in, &out, &flag) == MPI_SUCCESS && out == in && flag == 1);

    CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS);
    CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
    CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS);
    CHECK((int)strlen(text) == length && strstr(text, RMASHM_VERSION));
    CHECK(MPI_Get_processor_name(text, &length) == MPI_SUCCESS);
    CHECK(length > 0 && (int)strlen(text) == length);
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1);
    CHECK(PMPI_Wtime() >= before);

    CHECK(MPI_Get_address(&text[0], &address) == MPI_SUCCESS && address == (MPI_Aint)text);
    CHECK(MPI_Get_address(MPI_BOTTOM, &other) == MPI_SUCCESS && other == 0);
    CHECK(MPI_Aint_diff(MPI_Aint_add(address, 7), address) == 7);
    CHECK(MPI_Error_class(MPI_ERR_RANK, &class) == MPI_SUCCESS && class == MPI_ERR_RANK);
    CHECK(MPI_Error_string(MPI_ERR_WIN, text, &length) == MPI_SUCCESS && (int)strlen(text) == length);

    memset(&status, 0, sizeof status);
    CHECK(MPI_Status_set_source(&status, 3) == MPI_SUCCESS && status.MPI_SOURCE == 3);
    CHECK(MPI_Status_set_tag(&status, 4) == MPI_SUCCESS && status.MPI_TAG == 4);
    CHECK(MPI_Status_set_error(&status, MPI_ERR_TAG) == MPI_SUCCESS && status.MPI_ERROR == MPI_ERR_TAG);
    CHECK(MPI_Status_get_source(&status, &value) == MPI_SUCCESS && value == 3);
    CHECK(MPI_Status_get_tag(&status, &value) == MPI_SUCCESS && value == 4);
    CHECK(MPI_Status_get_error(&status, &value) == MPI_SUCCESS && value == MPI_ERR_TAG);
    CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == 0);
    CHECK(MPI_Status_set_cancelled(&status, 8) == MPI_SUCCESS);
    CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == 1);

    CHECK(MPI_Status_c2f(&status, fields) == MPI_SUCCESS);
    CHECK(fields[MPI_F_SOURCE] == 3 && fields[MPI_F_TAG] == 4 && fields[MPI_F_ERROR] == MPI_ERR_TAG);
    CHECK(MPI_Status_f2f08(fields, &f08) == MPI_SUCCESS && f08.MPI_TAG == 4);
    CHECK(MPI_Status_f082c(&f08, &copy) == MPI_SUCCESS && !memcmp(&copy, &status, sizeof copy));
    CHECK(MPI_Status_c2f08(&status, &f08) == MPI_SUCCESS && f08.MPI_SOURCE == 3);
    memset(fields, 0, sizeof fields);
    CHECK(MPI_Status_f082f(&f08, fields) == MPI_SUCCESS && fields[MPI_F_TAG] == 4);
    CHECK(MPI_Status_f2c(fields, &copy) == MPI_SUCCESS && !memcmp(&copy, &status, sizeof copy));

    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_SELF)) == MPI_COMM_SELF);
    CHECK((MPI_Comm_c2f)(MPI_COMM_SELF) == MPI_Comm_c2f(MPI_COMM_SELF));
    CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
    CHECK(MPI_F_STATUS_IGNORE == 0 && MPI_F_STATUSES_IGNORE == 0);
    return failures != 0;
}
"#;

/// A program that is not position-independent has copies of the library's variables of its own.
#[test]
fn a_program_runs_with_and_without_copies_of_the_data() {
    if !have_program("gcc", "a program against the library") {
        return;
    }
    let folder = library_folder().display().to_string();
    let include = format!("-I{}", our_include().display());
    for mode in ["pie", "no-pie"] {
        let source = write(&format!("{mode}.c"), PROGRAM);
        let binary = source.with_extension("").display().to_string();
        let code = if mode == "pie" { "-fPIE" } else { "-fno-pie" };
        let output = run(
            "gcc",
            &[
                "-std=c99",
                "-Wall",
                "-Wextra",
                "-Werror",
                code,
                &format!("-{mode}"),
                &include,
                &source.display().to_string(),
                "-o",
                &binary,
                &format!("-L{folder}"),
                "-lrmashm",
                &format!("-Wl,-rpath,{folder}"),
            ],
        );
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let output = run::<&str>(&binary, &[]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.is_empty(), "{mode}: {said}");
        let output = run(&binary, &["ignored"]);
        assert!(
            !output.status.success(),
            "{mode}: an ignored status was converted"
        );
    }
}
