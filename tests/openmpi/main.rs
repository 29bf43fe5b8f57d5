//! Open MPI's interface: what `lib/openmpi/libmpi.so.40` of the prefix exports, the values and layouts of Open MPI's headers, and
//! programs that are compiled with those.
//!
//! Headers are looked for where Debian's libopenmpi-dev has them (Open MPI 4) and in `build/peers/openmpi` (5); a list of folders
//! in `RMASHM_OPENMPI_HEADERS`, with colons between them, says otherwise.

#[path = "../compiler/mod.rs"]
mod compiler;
#[path = "../support/mod.rs"]
mod support;

mod classes;
mod exports;
mod fortran;
mod programs;
mod values;

use compiler::{have, have_program};
use std::path::PathBuf;

/// Where the library for programs of Open MPI is.
fn library_folder() -> PathBuf {
    support::prefix().join("lib/openmpi")
}

/// Whether the prefix has it; where not, the test `test` is skipped, but not in CI.
fn have_library(test: &str) -> bool {
    let library = library_folder().join("libmpi.so.40");
    have(
        library.exists(),
        "lib/openmpi/libmpi.so.40 of the prefix",
        test,
    )
}

/// The folders of the headers that there are, for the test `test`; none where it must be skipped. In CI there must be two.
fn headers(test: &str) -> Vec<PathBuf> {
    if !have_program("gcc", test) {
        return Vec::new();
    }
    let folders = match std::env::var_os("RMASHM_OPENMPI_HEADERS") {
        Some(folders) => std::env::split_paths(&folders).collect(),
        None => vec![
            PathBuf::from("/usr/lib/x86_64-linux-gnu/openmpi/include"),
            support::repository().join("build/peers/openmpi/include"),
        ],
    };
    let there = |folder: &PathBuf| {
        let what = format!("Open MPI's header in {}", folder.display());
        have(folder.join("mpi.h").is_file(), &what, test)
    };
    folders.into_iter().filter(there).collect()
}
