//! The C compilers and headers that tests of `mpi.h` use, and what to do where they are missing.

// Each test program takes what it needs of this module.
#![allow(dead_code)]

use harness::needs::in_ci;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The headers that the build script made.
pub const GENERATED: [&str; 2] = [
    env!("RMASHM_GENERATED_HEADER"),
    env!("RMASHM_GENERATED_ABI_HEADER"),
];

/// The header of Fortran that it made.
pub const GENERATED_MPIF_H: &str = env!("RMASHM_GENERATED_MPIF_H");

/// Where the headers as the build script made them lie, with those of the classes for C++, to be found with `-I`. Which interface `mpi.h` declares is told by
/// `-DMPI_ABI`.
pub fn our_include() -> PathBuf {
    let folder = scratch().join("include");
    std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
    for generated in GENERATED.map(Path::new) {
        let header = std::fs::read(generated).expect("the build script made a header");
        let name = generated.file_name().expect("a header has a name");
        put(&folder.join(name), &header);
    }
    let classes = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/mpicxx.h");
    let parts = classes.with_extension("");
    std::fs::create_dir_all(folder.join("mpicxx")).expect("the scratch folder can be written");
    for part in std::fs::read_dir(&parts).expect("the classes have a folder") {
        let part = part.expect("the folder can be read");
        let name = Path::new("mpicxx").join(part.file_name());
        let text = std::fs::read(part.path()).expect("include can be read");
        put(&folder.join(name), &text);
    }
    let text = std::fs::read(classes).expect("include can be read");
    put(&folder.join("mpicxx.h"), &text);
    folder
}

/// Puts a whole file in place: tests run at the same time, and may write the same one while others read it.
fn put(path: &Path, content: &[u8]) {
    let part = path.with_extension(format!("{:?}", std::thread::current().id()));
    std::fs::write(&part, content).expect("the scratch folder can be written");
    std::fs::rename(part, path).expect("the scratch folder can be written");
}

/// A folder for the files of this test program, which nobody else uses.
pub fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
    std::fs::create_dir_all(&folder).expect("cargo's folder for tests can be written");
    folder
}

/// Whether `there`; where not, the test `test` is skipped with a line that says so, and fails in CI.
pub fn have(there: bool, what: &str, test: &str) -> bool {
    assert!(
        there || !in_ci(),
        "{what} is missing, which CI needs for {test}"
    );
    if !there {
        // Past the test harness, which keeps back what a test that passes prints with `println!`.
        let _ = writeln!(std::io::stderr(), "skipped: {test} needs {what}");
    }
    there
}

/// Whether the program answers to `--version`.
pub fn have_program(program: &str, test: &str) -> bool {
    let there = Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    have(there, program, test)
}

/// Runs a compiler. Its messages are in English with plain quotes.
pub fn run<S: AsRef<std::ffi::OsStr>>(program: &str, arguments: &[S]) -> Output {
    Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .output()
        .unwrap_or_else(|error| panic!("{program} does not start: {error}"))
}

/// Writes a source into the scratch folder.
pub fn write(name: &str, source: &str) -> PathBuf {
    let path = scratch().join(name);
    put(&path, source.as_bytes());
    path
}
