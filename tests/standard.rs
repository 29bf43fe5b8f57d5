//! Programs of the standard's interface (MPI 5.0 §20) go from one library to another: compiled with our header or with MPICH's, they
//! run on this library and on MPICH's.

mod support;

use harness::needs::need_mpich_abi;
use harness::scratch::Scratch;
use std::path::Path;
use support::{command, prefix, repository, run};

/// Programs of `c_tests` which check what they get, on any library.
const PROGRAMS: [&str; 13] = [
    "collectives/bcast",
    "collectives/reduce",
    "communicators/attributes",
    "communicators/cart",
    "communicators/dist_graph",
    "environment/info",
    "files/file_data",
    "messages/probe",
    "messages/sendrecv",
    "windows/accumulate",
    "windows/fetch_and_op",
    "windows/put_get",
    "windows/win_attributes",
];

/// Runs the programs, made by `compiler`, by `mpiexec` on the library in `library`. They are silent when they are right.
fn programs(name: &str, compiler: &Path, mpiexec: &Path, library: &Path) {
    let folder = Scratch::new(name);
    let sources = repository().join("c_tests");
    for program in PROGRAMS {
        let source = sources.join(program).with_extension("c");
        let made = folder.join(program.replace('/', "_"));
        let mut compile = command(compiler);
        compile.args(["-O1", "-pthread", "-I"]).arg(&sources);
        run(compile.arg("-o").arg(&made).arg(source).arg("-lm"));
        let mut job = command(mpiexec);
        job.env("LD_LIBRARY_PATH", library).current_dir(&*folder);
        let said = run(job.args(["-n", "2"]).arg(&made));
        assert_eq!(said, "", "{program}");
    }
}

/// The prefix of MPICH and ours, if both have the interface.
fn prefixes() -> Option<[&'static Path; 2]> {
    let mpich = need_mpich_abi()?;
    assert!(
        prefix().join("lib/libmpi_abi.so.1").exists(),
        "the library of the standard's interface is not staged"
    );
    Some([Box::leak(mpich.into_boxed_path()), prefix()])
}

#[test]
fn what_mpich_compiled_runs_here() {
    let Some([mpich, ours]) = prefixes() else {
        return;
    };
    let (compiler, mpiexec) = (mpich.join("bin/mpicc_abi"), ours.join("bin/mpiexec"));
    programs("standard-here", &compiler, &mpiexec, &ours.join("lib"));
}

#[test]
fn what_is_compiled_here_runs_on_mpich() {
    let Some([mpich, ours]) = prefixes() else {
        return;
    };
    let (compiler, mpiexec) = (ours.join("bin/mpicc_abi"), mpich.join("bin/mpiexec"));
    programs("standard-there", &compiler, &mpiexec, &mpich.join("lib"));
}
