//! What a job takes from whom, and what it leaves open to others.

mod support;

use harness::needs::need;
use harness::scratch::Scratch;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{command, prefix, repository, run};

/// A program of `tests/security/`, compiled by the prefix's mpicc.
fn compile(folder: &Path, name: &str) -> PathBuf {
    let program = folder.join(name);
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc.arg(repository().join(format!("tests/security/{name}.c")));
    run(mpicc.arg("-o").arg(&program));
    program
}

/// Two ranks of a program, by our launcher and, where it is there, by Hydra.
fn two_ranks(program: &Path) -> Vec<Command> {
    let mut launchers = vec![command(prefix().join("bin/mpiexec"))];
    if need("mpiexec.hydra", "mpich") {
        launchers.push(command("mpiexec.hydra"));
    }
    for launcher in &mut launchers {
        launcher.args(["-n", "2"]).arg(program);
    }
    launchers
}

/// A copy of `program` that runs with the rights of a group which this process's is not; `None` if no such group can be had.
fn with_rights(program: &Path) -> Option<PathBuf> {
    let own = nix::unistd::getegid();
    let groups = match nix::unistd::geteuid().is_root() {
        true => vec![nix::unistd::Gid::from_raw(65534)],
        false => nix::unistd::getgroups().unwrap_or_default(),
    };
    let group = groups.into_iter().find(|group| *group != own)?;
    let copy = program.with_extension("privileged");
    std::fs::copy(program, &copy).expect("a copy");
    chown(&copy, None, Some(group.as_raw())).expect("its group changed");
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o2755)).expect("its mode set");
    let mode = std::fs::metadata(&copy).expect("the copy is there").mode();
    assert_eq!(mode & 0o2000, 0o2000);
    Some(copy)
}

/// Launchers could be anybody's: a program that has rights which its user has not does not listen to them.
#[test]
fn a_privileged_program_takes_nothing_from_its_environment() {
    let folder = Scratch::new("security");
    let program = compile(&folder, "size");
    let Some(privileged) = with_rights(&program) else {
        eprintln!("skipped: a second group is needed");
        return;
    };
    for mut job in two_ranks(&program) {
        assert_eq!(run(&mut job), "of 2\nof 2\n");
    }
    for mut jobs in two_ranks(&privileged) {
        assert_eq!(run(&mut jobs), "of 1\nof 1\n");
    }
    // What would be errors are none: nobody looks.
    let mut alone = command(&privileged);
    for (name, value) in [
        ("RMASHM_FD", "1"),
        ("RMASHM_RANK", "7"),
        ("PMI_FD", "99"),
        ("PMI_SIZE", "2"),
        ("PMI_RANK", "1"),
        ("PMIX_NAMESPACE", "job"),
        ("PMIX_RANK", "1"),
        ("RMASHM_MEMORY_ALLOC_KINDS", "::"),
    ] {
        alone.env(name, value);
    }
    assert_eq!(run(&mut alone), "of 1\n");
}

/// What a rank starts gets neither the segment nor the connection to the process manager.
#[test]
fn children_of_ranks_inherit_no_descriptor() {
    let folder = Scratch::new("security");
    let program = compile(&folder, "descriptors");
    for mut job in two_ranks(&program) {
        run(&mut job);
    }
}
