//! What a test needs and a machine may lack. A test that needs more than cargo, gcc and make begins with
//! `if !need("cmake", "cmake") { return; }`.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Whether this is CI (`CI=true`), where everything has to be there.
pub fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}

/// Whether `program` is on `PATH`. If not, says that a test is skipped and which Debian package would bring it; in CI fails the
/// test instead.
pub fn need(program: &str, package: &str) -> bool {
    let found = find_program(program).is_some();
    if !found {
        missing(&format!(
            "{program} is not installed (Debian: apt-get install {package})"
        ));
    }
    found
}

/// Whether the file or folder is there; else as [`need`].
pub fn need_file(path: &Path, package: &str) -> bool {
    let found = path.exists();
    if !found {
        missing(&format!(
            "there is no {} (Debian: apt-get install {package})",
            path.display()
        ));
    }
    found
}

/// Says on the test's behalf that it is skipped, and why; in CI fails it.
pub fn missing(sentence: &str) {
    assert!(!in_ci(), "{sentence}, and CI=true");
    skipped(sentence);
}

/// Says on the test's behalf that it is skipped, and why, where that is the machine's setting, which no package changes.
pub fn skipped(sentence: &str) {
    let test = std::thread::current()
        .name()
        .unwrap_or("a test")
        .to_string();
    // Not `eprintln!`, which the test harness keeps from being seen when a test passes.
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {sentence}");
}

/// The prefix of an MPICH with the standard's ABI, whose `mpicc_abi` is on `PATH` (PyPI's `mpich` from 5.0.2 on); else as [`need`].
pub fn need_mpich_abi() -> Option<PathBuf> {
    let compiler = find_program("mpicc_abi");
    let prefix = compiler.and_then(|path| Some(path.parent()?.parent()?.to_path_buf()));
    let prefix = prefix.filter(|prefix| prefix.join("lib/libmpi_abi.so.1").exists());
    if prefix.is_none() {
        missing("there is no mpicc_abi of MPICH (PyPI: pip install mpich)");
    }
    prefix
}

/// Where a program is, by `PATH`.
pub fn find_program(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

/// The first name of MPI's of which the compiler, or the linker, says that it is nowhere. They have to speak English (`LC_ALL=C`).
pub fn undeclared(said: &str) -> Option<String> {
    let complaints = [
        "implicit declaration of function '",
        "' undeclared",
        "unknown type name '",
        "' was not declared",
        " not found in module '",
        "undefined reference to `",
    ];
    let lines = said
        .lines()
        .filter(|line| complaints.iter().any(|complaint| line.contains(complaint)));
    let mut names = lines.filter_map(|line| line.split(['\'', '`']).nth(1));
    // Fortran's compilers have small letters for it.
    let is_mpis = |name: &&str| name.contains("MPI") || name.starts_with("mpi_");
    names.find(is_mpis).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::undeclared;

    #[test]
    fn names_that_are_nowhere() {
        let said = "a.c:3: error: 'counts' undeclared\na.c:4: error: 'MPI_Session' undeclared (first use)\n";
        assert_eq!(undeclared(said).as_deref(), Some("MPI_Session"));
        let said = "ld: a.c:(.text+0x2): undefined reference to `MPI_Put_c'";
        assert_eq!(undeclared(said).as_deref(), Some("MPI_Put_c"));
        let said = "Error: Symbol 'mpi_send_c' referenced at (1) not found in module 'mpi_f08'";
        assert_eq!(undeclared(said).as_deref(), Some("mpi_send_c"));
        assert_eq!(
            undeclared("a.c:3: error: expected ';' before 'MPI_Put'"),
            None
        );
    }
}
