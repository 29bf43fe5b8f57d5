//! The programs of `examples/`, as users compile and run them: with our `mpicc` and `mpiexec`, and on Debian's MPICH, which keeps them
//! honest. Each says how many things were wrong, and its status is 0 only if that is none. Those in Python are run by `mpi4py/run`.

mod support;

use std::path::{Path, PathBuf};

use harness::needs::need;
use harness::scratch::Scratch;
use support::{command, prefix, repository, run};

const RANKS: [u32; 3] = [2, 3, 4];

/// The sources in one language, by the ending of their names.
fn sources(ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository().join("examples")).expect("there are examples");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut sources: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect();
    sources.sort();
    assert!(!sources.is_empty(), "there are no examples in {ending}");
    sources
}

fn name(source: &Path) -> &str {
    let stem = source.file_stem().and_then(|stem| stem.to_str());
    stem.expect("an example has a plain name")
}

/// Compiles all examples and runs each with all numbers of ranks.
fn run_all(folder: &str, compiler: &Path, launcher: &Path) {
    let scratch = Scratch::new(folder);
    for source in sources("c") {
        let program = scratch.join(name(&source));
        let mut compile = command(compiler);
        compile.args(["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-o"]);
        run(compile.arg(&program).arg(&source).arg("-lm"));
        for ranks in RANKS {
            let mut job = command(launcher);
            job.args(["-n", &ranks.to_string()]).arg(&program);
            // Both launchers know it: a job that hangs comes to an end.
            let said = run(job.env("MPIEXEC_TIMEOUT", "120"));
            let (start, end) = (format!("{}: ", name(&source)), ": 0 wrong\n");
            assert!(
                said.starts_with(&start) && said.ends_with(end) && said.lines().count() == 1,
                "{} with {ranks} ranks says {said}",
                source.display()
            );
        }
    }
}

#[test]
fn run_here() {
    let bin = prefix().join("bin");
    run_all("examples", &bin.join("mpicc"), &bin.join("mpiexec"));
}

#[test]
fn run_on_mpich() {
    if need("mpicc.mpich", "libmpich-dev") && need("mpiexec.mpich", "mpich") {
        let [compiler, launcher] = ["mpicc.mpich", "mpiexec.mpich"].map(Path::new);
        run_all("examples-mpich", compiler, launcher);
    }
}

#[test]
fn each_has_its_like_in_python() {
    let [c, python] = ["c", "py"].map(sources);
    let names = |sources: &[PathBuf]| sources.iter().map(|s| name(s).to_string()).collect();
    let [c, python]: [Vec<String>; 2] = [names(&c), names(&python)];
    assert_eq!(c, python);
}
