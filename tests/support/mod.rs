//! What the integration tests share: the staged prefix, scratch folders, commands.

// Each test program takes what it needs of this module.
#![allow(dead_code)]

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The staged prefix: `RMASHM_PREFIX` if that is set, and taken as it is; else `build/` of this repository, staged by
/// `make` first, so that what is tested is never older than the sources.
pub fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        if let Some(prefix) = env::var_os("RMASHM_PREFIX") {
            let prefix = PathBuf::from(prefix);
            assert!(
                prefix.join("lib/librmashm.so").is_file(),
                "RMASHM_PREFIX={} is not staged",
                prefix.display()
            );
            return prefix;
        }
        // `cargo test` holds no lock of its target folder while tests run, so cargo may run here.
        run(Command::new("make")
            .arg("--no-print-directory")
            .arg("stage")
            .current_dir(repository()));
        repository().join("build")
    })
}

/// The root of this repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A command without the variables that would make it see another MPI than the one under test.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in [
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "LIBRARY_PATH",
        "CPATH",
        "C_INCLUDE_PATH",
        "CPLUS_INCLUDE_PATH",
        "PKG_CONFIG_PATH",
        "MPI_HOME",
        "MPICC",
        "MPICXX",
        "MPICH_CC",
        "MPICH_CXX",
        "OMPI_CC",
        "OMPI_CXX",
        "MPICH_FC",
        "MPICH_F77",
        "MPICH_F90",
        "OMPI_FC",
        "OMPI_F77",
        "MPIFC",
        "FC",
        "FFLAGS",
        "FCFLAGS",
        "CC",
        "CXX",
        "CFLAGS",
        "CXXFLAGS",
        "LDFLAGS",
        "DESTDIR",
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
    ] {
        command.env_remove(variable);
    }
    command
}

/// `PATH` with a folder put in front.
pub fn path_with(folder: &Path) -> std::ffi::OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths(std::iter::once(folder.to_path_buf()).chain(env::split_paths(&path)))
        .expect("a folder without colon")
}

/// Runs a command that must succeed, and returns what it wrote to stdout. A failure shows all it wrote.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = output(command);
    assert!(
        output.status.success(),
        "{command:?} ended with {}\n{}",
        output.status,
        both(&output)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a command that must fail with the given exit status, and returns what it wrote to stderr.
#[track_caller]
pub fn run_to_fail(command: &mut Command, status: i32) -> String {
    let output = output(command);
    assert_eq!(
        output.status.code(),
        Some(status),
        "{command:?}\n{}",
        both(&output)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn output(command: &mut Command) -> Output {
    match command.output() {
        Ok(output) => output,
        Err(error) => panic!("cannot run {command:?}: {error}"),
    }
}

fn both(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
