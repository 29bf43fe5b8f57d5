//! The info key `maxprocs` of the environment: how many processes run the program, under our launcher, under another, and where the
//! variables of the one are handed on by the other.

mod support;

use harness::needs::need;
use harness::scratch::Scratch;
use std::path::Path;
use std::process::Command;
use support::{command, prefix, repository, run};

fn build(folder: &Path) -> String {
    let program = folder.join("program");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc.arg(repository().join("tests/maxprocs/program.c"));
    run(mpicc.arg("-o").arg(&program));
    program.to_str().expect("a name in UTF-8").to_string()
}

fn ours() -> Command {
    command(prefix().join("bin/mpiexec"))
}

/// What the processes say, sorted: the order between them is anybody's.
#[track_caller]
fn lines(command: &mut Command) -> Vec<String> {
    let said = run(command);
    let mut lines: Vec<String> = said.lines().map(str::to_string).collect();
    lines.sort();
    lines
}

#[test]
fn a_job_of_one_program() {
    let folder = Scratch::new("maxprocs");
    let program = build(&folder);
    let said = lines(ours().args(["-n", "3", &program, "a"]));
    assert_eq!(said, ["a 3 3 3 3"; 3]);
    assert_eq!(lines(command(&program).arg("a")), ["a 1 1 1 1"]);
}

#[test]
fn each_program_of_a_command_line_is_told_its_own() {
    let folder = Scratch::new("maxprocs");
    let program = build(&folder);
    let parts = ["-n", "2", &program, "a", ":", "-n", "3", &program, "b"];
    let said = lines(ours().args(parts));
    let [a, b] = ["a 2 2 2 2", "b 3 3 3 3"];
    assert_eq!(said, [a, a, b, b, b]);
}

#[test]
fn a_manager_tells_how_many_all_are_and_the_ranks_how_many_each() {
    if !need("mpiexec.hydra", "mpich") {
        return;
    }
    let folder = Scratch::new("maxprocs");
    let program = build(&folder);
    let parts = ["-n", "1", &program, "a", ":", "-n", "2", &program, "b"];
    let said = lines(command("mpiexec.hydra").args(parts));
    assert_eq!(said, ["a 3 1 1 1", "b 3 2 2 2", "b 3 2 2 2"]);
}

#[test]
fn variables_that_another_launcher_hands_on_are_not_believed() {
    if !need("mpiexec.hydra", "mpich") {
        return;
    }
    let folder = Scratch::new("maxprocs");
    let program = build(&folder);
    // Ours around another: not an MPI program, so that the segment is open, and one in MPI.
    let inner = format!("mpiexec.hydra -n 2 {program} a : -n 1 {program} b");
    let told = ["a 3 2 2 2", "a 3 2 2 2", "b 3 1 1 1"];
    let parts = ["-n", "1", "sh", "-c", &inner, ":", "-n", "4", "true"];
    assert_eq!(lines(ours().args(parts)), told);
    let said = lines(ours().args(["-n", "1", &program, "starts", &inner]));
    assert_eq!(said, told);
    // Another around ours.
    let mpiexec = prefix().join("bin/mpiexec").display().to_string();
    let inner = format!("{mpiexec} -n 2 {program} a : -n 1 {program} b");
    let said = lines(command("mpiexec.hydra").args(["-n", "1", "sh", "-c", &inner]));
    assert_eq!(said, ["a 2 2 2 2", "a 2 2 2 2", "b 1 1 1 1"]);
}

#[test]
fn what_a_rank_starts_is_not_the_rank() {
    let folder = Scratch::new("maxprocs");
    let program = build(&folder);
    let inner = format!("{program} before");
    let said = lines(ours().args(["-n", "2", &program, "starts", &inner]));
    assert_eq!(said, ["none"; 2]);
    // But what a wrapper starts is.
    let said = lines(ours().args(["-n", "2", "sh", "-c", &inner]));
    assert_eq!(said, ["2"; 2]);
}
