//! Fortran programs built by Debian's `mpif90.mpich`: MPICH's Fortran library, which they are linked with, runs on this library
//! in place of the C library that it was built for, found by the library path or preloaded.

mod support;

use harness::needs::need;
use harness::scratch::Scratch;
use support::{command, prefix, repository, run};

/// Builds a program of `tests/fortran` and runs it in each way.
fn program(name: &str) {
    if !need("mpif90.mpich", "libmpich-dev") || !need("gfortran", "gfortran") {
        return;
    }
    let folder = Scratch::new("fortran");
    let source = repository()
        .join("tests/fortran")
        .join(format!("{name}.f90"));
    let program = folder.join(name);
    run(command("mpif90.mpich")
        .arg(source)
        .arg("-J")
        .arg(&*folder)
        .arg("-o")
        .arg(&program));
    let (library, mpiexec) = (prefix().join("lib"), prefix().join("bin/mpiexec"));
    let preloaded = library.join("librmashm.so");
    for ranks in ["1", "2", "4"] {
        let ways = [
            ("LD_LIBRARY_PATH", &library, "LD_BIND_NOW", ""),
            // All names bound at the start: none is missing, and none comes from the other library.
            ("LD_LIBRARY_PATH", &library, "LD_BIND_NOW", "1"),
            ("LD_PRELOAD", &preloaded, "LD_BIND_NOW", "1"),
        ];
        for (variable, value, bind, when) in ways {
            let mut mpiexec = command(&mpiexec);
            mpiexec.args(["-n", ranks, "-genv", variable]).arg(value);
            mpiexec.args(["-genv", bind, when]).arg(&program);
            let said = run(&mut mpiexec);
            assert_eq!(
                said, "",
                "{name} on {ranks} ranks with {variable}, {bind}={when}"
            );
        }
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

#[test]
fn use_mpi_f08() {
    program("use_mpi_f08");
}
