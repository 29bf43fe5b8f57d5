//! Fortran programs built by Debian's `mpif90.mpich`. They run without any library of MPICH's: what they are linked with is found
//! under its name here. MPICH's own library for Fortran also runs on the library for C, in place of the one that it was built for.

mod support;

use harness::needs::{need, need_file};
use harness::scratch::Scratch;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::{command, prefix, repository, run};

/// What Debian's programs are linked with.
const DEBIANS: &str = "/usr/lib/x86_64-linux-gnu/libmpichfort.so.12";

/// Builds a program of `tests/fortran`.
fn build(name: &str, folder: &Path) -> Option<PathBuf> {
    if !need("mpif90.mpich", "libmpich-dev") || !need("gfortran", "gfortran") {
        return None;
    }
    let source = repository()
        .join("tests/fortran")
        .join(format!("{name}.f90"));
    let program = folder.join(name);
    run(command("mpif90.mpich")
        .arg(source)
        .arg("-J")
        .arg(folder)
        .arg("-o")
        .arg(&program));
    Some(program)
}

/// Runs it silently on some numbers of ranks, with more environment.
fn silent(program: &Path, environment: &[(&str, &str)]) {
    for ranks in ["1", "2", "3", "4"] {
        let mut mpiexec = command(prefix().join("bin/mpiexec"));
        mpiexec.args(["-n", ranks]);
        for (variable, value) in environment {
            mpiexec.args(["-genv", variable, value]);
        }
        let said = run(mpiexec.arg(program));
        assert_eq!(
            said, "",
            "{program:?} on {ranks} ranks with {environment:?}"
        );
    }
}

/// A program runs as it is; with all names bound at its start, of which none is missing and none comes from MPICH; and
/// with MPICH's library for Fortran.
fn program(name: &str) {
    let folder = Scratch::new("fortran");
    let Some(program) = build(name, &folder) else {
        return;
    };
    silent(&program, &[]);
    silent(&program, &[("LD_BIND_NOW", "1")]);
    if need_file(Path::new(DEBIANS), "libmpich12") {
        let ours = prefix().join("lib/librmashm.so");
        let preloaded = format!("{}:{DEBIANS}", ours.display());
        silent(
            &program,
            &[("LD_PRELOAD", &preloaded), ("LD_BIND_NOW", "1")],
        );
    }
}

#[test]
fn mpif_h() {
    program("mpif_h");
}

#[test]
fn use_mpi() {
    program("use_mpi");
}

/// With this library's procedures alone: MPICH's give C the functions of Fortran as they are, so that no file can have such a view.
#[test]
fn datareps() {
    let folder = Scratch::new("fortran");
    let Some(program) = build("datareps", &folder) else {
        return;
    };
    let mpiexec = || {
        let mut mpiexec = command(prefix().join("bin/mpiexec"));
        // Where the file is left that a job which ends in the middle does not delete.
        mpiexec.args(["-n", "1"]).current_dir(folder.file(""));
        mpiexec
    };
    assert_eq!(run(mpiexec().arg(&program)), "");
    if need_file(Path::new(DEBIANS), "libmpich12") {
        let preloaded = format!("{}:{DEBIANS}", prefix().join("lib/librmashm.so").display());
        let mut mpichs = mpiexec();
        mpichs
            .args(["-genv", "LD_PRELOAD", &preloaded])
            .arg(&program);
        let output = mpichs.output().expect("it can be run");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            (output.status.code(), said.trim()),
            (Some(1), "wrong: bytes"),
            "{output:?}"
        );
    }
}

#[test]
fn use_mpi_f08() {
    program("use_mpi_f08");
}

/// MPICH's library for Fortran cannot do all that is in it.
#[test]
fn sections() {
    let folder = Scratch::new("sections");
    if let Some(program) = build("sections", &folder) {
        silent(&program, &[("LD_BIND_NOW", "1")]);
    }
}

/// A program that was linked with MPICH's library needs no library of MPICH's.
#[test]
fn no_library_of_mpich_is_loaded() {
    let folder = Scratch::new("loaded");
    let Some(program) = build("use_mpi_f08", &folder) else {
        return;
    };
    let library = prefix().join("lib");
    let said = run(command("ldd").env("LD_LIBRARY_PATH", &library).arg(program));
    let of_mpi: Vec<&str> = said.lines().filter(|line| line.contains("mpi")).collect();
    assert!(of_mpi.len() >= 2, "{said}");
    for line in of_mpi {
        assert!(line.contains(&*library.to_string_lossy()), "{line}");
    }
}

/// A tool in C that has put itself between program and library sees the calls of a Fortran program, and nothing that the library
/// does for them.
#[test]
fn tools_in_c_see_the_calls_of_fortran() {
    let folder = Scratch::new("tool");
    let Some(program) = build("sections", &folder) else {
        return;
    };
    let (source, tool) = (folder.join("tool.c"), folder.join("tool.so"));
    let text = "#include <mpi.h>\n#include <stdio.h>\nstatic int sends, datatypes;\n\
        int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)\n\
        { sends++; return PMPI_Isend(buf, count, datatype, dest, tag, comm, request); }\n\
        int MPI_Type_create_hvector_c(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype of, MPI_Datatype *made)\n\
        { datatypes++; return PMPI_Type_create_hvector_c(count, length, stride, of, made); }\n\
        int MPI_Finalize(void)\n\
        { printf(\"%d sends, %d datatypes\\n\", sends, datatypes); return PMPI_Finalize(); }\n";
    std::fs::write(&source, text).expect("a scratch folder can be written");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    run(mpicc
        .args(["-shared", "-fPIC", "-o"])
        .arg(&tool)
        .arg(source));
    let mut mpiexec = command(prefix().join("bin/mpiexec"));
    mpiexec.args(["-n", "1", "-genv", "LD_PRELOAD"]).arg(tool);
    let said = run(mpiexec.arg(program));
    assert_eq!(said, "2 sends, 0 datatypes\n");
}

/// Names of Debian's library that no program asks for: `*` stands for anything at the end.
const NOT_ASKED_FOR: [(&str, &str); 10] = [
    ("MPIR_C_MPI_*", "the library for C has it"),
    ("MPIR_F08_MPI_*", "the library for C has it"),
    ("MPI_Status_*", "the library for C has it"),
    ("PMPI_Status_*", "the library for C has it"),
    (
        "MPIR_F_*",
        "where sentinels are, between parts of MPICH's library",
    ),
    (
        "MPI_F_*",
        "where sentinels are, between parts of MPICH's library",
    ),
    ("mpirinit*", "called by MPICH's library itself"),
    ("__mpi_c_interface_*", "between parts of MPICH's library"),
    (
        "__mpi_constants_MOD___*",
        "for CLASS(*), to which programs do not convert handles",
    ),
    (
        "__mpi_f08_types_MOD___*",
        "for CLASS(*), to which programs do not convert handles",
    ),
];

/// The names that a library exports.
fn exported(library: &Path) -> BTreeSet<String> {
    let said = run(command("nm").args(["-D", "--defined-only"]).arg(library));
    let names = said.lines().filter_map(|line| line.split(' ').nth(2));
    names
        .map(|name| name.split('@').next().unwrap_or(name).into())
        .collect()
}

/// All that programs for Debian's MPICH can ask for is there.
#[test]
fn names_of_debians_library_are_exported() {
    let debians = Path::new(DEBIANS);
    if !need("nm", "binutils") || !need_file(debians, "libmpich12") {
        return;
    }
    let ours = exported(&prefix().join("lib/libmpifort.so.12"));
    let debians = exported(debians);
    let is_exception = |name: &String| {
        let mut patterns = NOT_ASKED_FOR.iter();
        patterns.any(|(pattern, _)| name.starts_with(pattern.trim_end_matches('*')))
    };
    let missing: Vec<&String> = debians
        .difference(&ours)
        .filter(|name| !is_exception(name))
        .collect();
    assert!(debians.len() > 4000, "only {} names", debians.len());
    assert!(missing.is_empty(), "{missing:?}");
    for (pattern, reason) in NOT_ASKED_FOR {
        let needed = debians
            .difference(&ours)
            .any(|name| name.starts_with(pattern.trim_end_matches('*')));
        assert!(needed, "no name is missing of {pattern} ({reason})");
    }
}

/// The library reads of the standard's descriptors what lies at these places.
#[test]
fn descriptors_are_where_they_are_read() {
    if !need("gcc", "gcc") || !need("gfortran", "gfortran") {
        return;
    }
    let folder = Scratch::new("descriptors");
    let program = "#include <ISO_Fortran_binding.h>\n#include <stddef.h>\n\
        _Static_assert(offsetof(CFI_cdesc_t, base_addr) == 0, \"base_addr\");\n\
        _Static_assert(offsetof(CFI_cdesc_t, elem_len) == 8, \"elem_len\");\n\
        _Static_assert(offsetof(CFI_cdesc_t, version) == 16, \"version\");\n\
        _Static_assert(offsetof(CFI_cdesc_t, rank) == 20, \"rank\");\n\
        _Static_assert(offsetof(CFI_cdesc_t, dim) == 24, \"dim\");\n\
        _Static_assert(sizeof(CFI_dim_t) == 24, \"size of a dimension\");\n\
        _Static_assert(offsetof(CFI_dim_t, extent) == 8, \"extent\");\n\
        _Static_assert(offsetof(CFI_dim_t, sm) == 16, \"sm\");\n";
    let source = folder.join("descriptors.c");
    std::fs::write(&source, program).expect("a scratch folder can be written");
    run(command("gcc")
        .args(["-c", "-o"])
        .arg(folder.join("descriptors.o"))
        .arg(source));
}
