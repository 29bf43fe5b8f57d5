//! What Fortran programs are compiled with: `mpif.h`, the modules `mpi` and `mpi_f08`, `mpifort`, and `rmashm-modules`; and programs
//! that have parts in C and C++, too.

#[path = "../compare/mod.rs"]
#[allow(dead_code, reason = "headers of C are compared elsewhere")]
mod compare;
#[path = "../compiler/mod.rs"]
mod compiler;
#[path = "../support/mod.rs"]
mod support;

mod constants;
mod languages;
mod misuse;
mod modules;
mod names;
mod programs;
mod sentences;

use harness::needs::need;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{command, prefix, repository};

/// A tool of a prefix.
fn tool(prefix: &Path, name: &str) -> Command {
    let mut command = command(prefix.join("bin").join(name));
    command.env("LC_ALL", "C");
    command
}

/// Whether there is a compiler that the staged modules are for.
fn have_gfortran() -> bool {
    need("gfortran", "gfortran")
}

/// Where Debian keeps MPICH's `mpif.h` and modules.
const MPICH_INCLUDE: &str = "/usr/include/x86_64-linux-gnu/mpich";
/// Its library.
const MPICH_LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/libmpichfort.so.12";

/// A program of this test, of those that `tests/fortran.rs` compiles with MPICH's `mpif90`, or a demo.
fn source(file: &str) -> PathBuf {
    let folders = ["tests/mpifort/programs", "tests/fortran", "demo"];
    let paths = folders.map(|folder| repository().join(folder).join(file));
    let found = paths.into_iter().find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("there is no program {file}"))
}

/// The sources of the modules, in one text.
fn sources_of_modules() -> String {
    let folder = prefix().join("share/rmashm/fortran");
    let files = ["mpi_f08_types.F90", "mpi.F90", "mpi_f08.F90"];
    let read = |file| std::fs::read_to_string(folder.join(file)).expect("the modules are staged");
    files.map(read).concat()
}
