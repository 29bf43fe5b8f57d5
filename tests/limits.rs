//! Jobs where there is little address space, few descriptors or short files: under limits that a shell sets, and compiled
//! with a sanitizer that takes most addresses for itself.

mod support;

use std::path::{Path, PathBuf};
use support::{Scratch, command, missing, prefix, repository, run};

/// The program, compiled by our mpicc with these flags.
fn build(folder: &Path, flags: &[&str]) -> PathBuf {
    let program = folder.join("program");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc.args(flags);
    mpicc.arg(repository().join("tests/limits/program.c"));
    run(mpicc.arg("-o").arg(&program));
    program
}

/// The limit holds for the launcher and for all ranks.
#[track_caller]
fn under(limit: &str, ranks: u32) {
    let folder = Scratch::new("limits");
    let program = build(&folder, &[]);
    let mut shell = command("bash");
    let (option, value) = limit.split_once(' ').unwrap();
    let script = r#"ulimit "$0" "$1" && shift && exec "$@""#;
    shell.args(["-c", script, option, value]);
    shell.arg(prefix().join("bin/mpiexec"));
    shell.args(["-n", &ranks.to_string()]).arg(program);
    assert_eq!(run(&mut shell), "");
}

#[test]
fn address_space() {
    under("-v 1000000", 8);
    under("-v 1000000", 16);
    under("-v 4000000", 32);
}

#[test]
fn lengths_of_files() {
    under("-f 2000000", 16);
}

/// Of the ranks alone: the launcher needs some for each of them.
#[test]
fn descriptors() {
    let folder = Scratch::new("limits");
    let program = build(&folder, &[]);
    let mut job = command(prefix().join("bin/mpiexec"));
    job.args(["-n", "4", "bash", "-c", r#"ulimit -n 5 && exec "$0""#]);
    assert_eq!(run(job.arg(program)), "");
}

#[test]
fn the_thread_sanitizer() {
    let folder = Scratch::new("limits");
    let source = folder.join("nothing.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let nothing = folder.join("nothing");
    let mut compiler = command("cc");
    compiler.args(["-fsanitize=thread", "-o"]).arg(&nothing);
    let compiled = compiler.arg(&source).output().unwrap().status.success();
    // There are kernels that place programs where older sanitizers want no program.
    if !compiled || !command(&nothing).output().unwrap().status.success() {
        return missing("cc -fsanitize=thread makes no program that runs (Debian: libtsan2)");
    }
    let program = build(&folder, &["-fsanitize=thread", "-g"]);
    run(&mut command(&program));
    let mut job = command(prefix().join("bin/mpiexec"));
    run(job.args(["-n", "4"]).arg(program));
}
