//! Ranks under process managers that are made for these tests: honest ones, and such as break what they speak in each place
//! there is. Real ones are in `tests/launchers/`.

#[path = "../launcher/run.rs"]
#[allow(dead_code)]
mod run;
#[path = "../support/mod.rs"]
mod support;

mod pmi;
mod pmix;
mod server;

use run::{Outcome, marked};
use std::path::{Path, PathBuf};
use std::process::Command;

/// `rank.c`, compiled by the prefix's mpicc.
fn compile(folder: &Path) -> PathBuf {
    let program = folder.join("rank");
    support::run(
        support::command(support::prefix().join("bin/mpicc"))
            .args(["-std=gnu11", "-O1", "-Wall", "-Werror", "-o"])
            .arg(&program)
            .arg(support::repository().join("tests/managers/rank.c")),
    );
    program
}

/// The program, without any launcher's variables.
fn rank(program: &Path, arguments: &[&str]) -> Command {
    let program = program.to_str().expect("a name in UTF-8");
    let mut command = marked(program, arguments);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let foreign = ["PMI", "OMPI_", "OPAL_", "PRTE_", "SLURM_", "RMASHM_FD"];
        if foreign.iter().any(|start| name.starts_with(start)) {
            command.env_remove(name);
        }
    }
    command
}

/// Checks that it was an error of MPI_Init's, with these words in its sentence.
#[track_caller]
fn refused(outcome: Outcome, words: &str) {
    let outcome = outcome.says("error in MPI_Init").says(words);
    assert!((1..128).contains(&outcome.status), "{outcome:#?}");
    assert_eq!(outcome.stdout, "", "{outcome:#?}");
}
