//! Errors that end the job: what is said, by whom, and the exit status, alone and on two ranks.

mod support;

use harness::scratch::Scratch;
use std::path::Path;
use std::process::Command;
use support::{command, prefix, repository, run, run_to_fail};

fn build(folder: &Path) -> std::path::PathBuf {
    let program = folder.join("program");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc.arg(repository().join("tests/fatal/program.c"));
    run(mpicc.arg("-o").arg(&program));
    program
}

/// The program alone, and on two ranks.
fn starts(program: &Path, wrong: &str) -> [Command; 2] {
    let mut alone = command(program);
    alone.arg(wrong);
    let mut two = command(prefix().join("bin/mpiexec"));
    two.args(["-n", "2"]).arg(program).arg(wrong);
    [alone, two]
}

/// Each of the wrongs ends the job with this status and these words in its one block of lines.
fn expect(wrongs: &[(&str, i32, &[&str])]) {
    let folder = Scratch::new("fatal");
    let program = build(&folder);
    for mut right in starts(&program, "") {
        run(&mut right);
    }
    for &(wrong, status, words) in wrongs {
        for mut start in starts(&program, wrong) {
            let said = run_to_fail(&mut start, status);
            for word in words {
                assert!(said.contains(word), "{wrong}: no \"{word}\" in:\n{said}");
            }
            let first = said
                .find("rmashm: ")
                .expect("a block begins with the library's name");
            assert!(!said[first..].contains("panicked"), "{wrong}:\n{said}");
        }
    }
}

#[test]
fn calls_at_the_wrong_time_say_so() {
    expect(&[
        (
            "early",
            15,
            &["MPI_Comm_size was called before MPI_Init", "MPI_ERR_OTHER"],
        ),
        ("late", 15, &["MPI_Comm_size was called after MPI_Finalize"]),
        (
            "finalize-only",
            15,
            &["error in MPI_Finalize", "MPI is not initialized"],
        ),
        (
            "twice",
            15,
            &["error in MPI_Init", "MPI is already initialized"],
        ),
        (
            "again",
            15,
            &["error in MPI_Init", "cannot be initialized again"],
        ),
    ]);
}

#[test]
fn fatal_errors_name_rank_function_object_and_argument() {
    expect(&[
        (
            "fatal",
            12,
            &[
                "rank 0",
                "error in MPI_Comm_set_name on communicator MPI_COMM_WORLD",
                "MPI_ERR_ARG: Invalid argument: comm_name is a null pointer",
                "MPI_ERRORS_ARE_FATAL: the job ends",
            ],
        ),
        (
            "no-object",
            8,
            &[
                "error in MPI_Group_size\n",
                "MPI_ERR_GROUP",
                "group is MPI_GROUP_NULL",
            ],
        ),
        (
            "errors-abort",
            14,
            &[
                "MPI_Comm_call_errhandler",
                "MPI_ERR_TRUNCATE",
                "MPI_ERRORS_ABORT: the job ends",
            ],
        ),
    ]);
}

#[test]
fn abort_has_its_status_and_never_that_of_success() {
    expect(&[
        ("abort", 7, &["rank 0 called MPI_Abort(MPI_COMM_WORLD, 7)"]),
        (
            "abort-zero",
            1,
            &["rank 0 called MPI_Abort(MPI_COMM_SELF, 256)"],
        ),
    ]);
}
