//! Programs that no launcher has started, and that start processes: where the helper cannot be had.

mod support;

use harness::scratch::Scratch;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{command, prefix, repository, run};

fn build(folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc.arg(repository().join("tests/helper/program.c"));
    run(mpicc.arg("-o").arg(&program));
    program
}

/// The program with the library of this folder.
fn with_library(program: &Path, folder: &Path) -> Command {
    let mut job = command(program);
    job.env("LD_LIBRARY_PATH", folder);
    job
}

#[test]
fn the_library_has_a_launcher_beside_it() {
    let folder = Scratch::new("helper");
    let program = build(&folder);
    let mut job = with_library(&program, &prefix().join("lib/rmashm"));
    assert_eq!(run(&mut job), "2 started, as more can be\n");
}

#[test]
fn the_library_has_none() {
    let folder = Scratch::new("helper");
    let program = build(&folder);
    let own = folder.join("lib");
    std::fs::create_dir(&own).unwrap();
    std::fs::copy(prefix().join("lib/librmashm.so"), own.join("libmpi.so.12")).unwrap();
    let said = run(&mut with_library(&program, &own));
    assert!(said.starts_with("MPI_ERR_SPAWN of 1: "), "{said}");
    assert!(
        said.contains("is not at ") && said.contains("/bin/mpiexec"),
        "{said}"
    );
}

#[test]
fn what_is_there_is_no_launcher_of_rmashm() {
    let folder = Scratch::new("helper");
    let program = build(&folder);
    let own = folder.join("lib");
    std::fs::create_dir(&own).unwrap();
    std::fs::create_dir(folder.join("bin")).unwrap();
    std::fs::copy(prefix().join("lib/librmashm.so"), own.join("libmpi.so.12")).unwrap();
    for (other, sentence) in [
        (
            Path::new("/bin/true"),
            "has ended before it could start anything",
        ),
        (Path::new("/etc/passwd"), "cannot be started: "),
    ] {
        let _ = std::fs::remove_file(folder.join("bin/mpiexec"));
        std::os::unix::fs::symlink(other, folder.join("bin/mpiexec")).unwrap();
        let said = run(&mut with_library(&program, &own));
        assert!(said.starts_with("MPI_ERR_SPAWN of "), "{said}");
        assert!(said.contains(sentence), "{said}");
    }
}

#[test]
fn the_segments_descriptor_is_closed() {
    let folder = Scratch::new("helper");
    let program = build(&folder);
    let mut job = with_library(&program, &prefix().join("lib/rmashm"));
    let said = run(job.arg("closed"));
    assert!(said.starts_with("MPI_ERR_SPAWN of "), "{said}");
    assert!(said.contains("was closed"), "{said}");
}

#[test]
fn there_are_few_descriptors() {
    let folder = Scratch::new("helper");
    let program = build(&folder);
    let mut job = with_library(&program, &prefix().join("lib/rmashm"));
    let said = run(job.arg("few"));
    assert!(said.starts_with("MPI_ERR_SPAWN of "), "{said}");
    assert!(said.contains("Too many open files"), "{said}");
}

/// Of the user's processes one is the program; the helper is two; what is started is two more.
#[test]
fn the_user_may_have_few_processes() {
    if !nix::unistd::geteuid().is_root() {
        harness::needs::skipped("a user is needed who has no other processes, which root can be");
        return;
    }
    let folder = Scratch::new("helper");
    let program = build(&folder);
    let of = |processes: &str| {
        let mut job = with_library(&program, &prefix().join("lib/rmashm"));
        run(job.args(["processes", processes]))
    };
    for (processes, sentence) in [
        ("1", "cannot be started: "),
        ("4", "cannot start rank 1 of 2 (see ulimit -u)"),
    ] {
        let said = of(processes);
        assert!(said.starts_with("MPI_ERR_SPAWN of "), "{said}");
        assert!(said.contains(sentence), "{processes}: {said}");
    }
    assert_eq!(of("5"), "2 started, as more can be\n");
}

#[test]
fn the_launchers_own_mode_is_for_the_library() {
    let mut launcher = command(prefix().join("bin/mpiexec"));
    let said = support::run_to_fail(launcher.args(["-starts-for-rank", "0"]), 2);
    assert!(said.contains("is for rmashm's library"), "{said}");
}
