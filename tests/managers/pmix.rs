//! PMIx, with a library made for these tests.

use crate::run::{Outcome, Run};
use crate::{compile, rank, refused, support};
use harness::scratch::Scratch;
use std::path::Path;
use std::process::Command;

/// Compiles the library into the folder. (The tests have none loaded, so it is looked for by the library path.)
fn library(folder: &Path, options: &[&str]) {
    support::run(
        Command::new("gcc")
            .args([
                "-std=gnu11",
                "-shared",
                "-fPIC",
                "-pthread",
                "-Wall",
                "-Werror",
            ])
            .args(options)
            .arg("-o")
            .arg(folder.join("libpmix.so.2"))
            .arg(support::repository().join("tests/managers/libpmix.c")),
    );
}

/// The program under a launcher whose library is in the folder; each run is another job.
fn under(folder: &Path, program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Command {
    use std::sync::atomic::{AtomicU32, Ordering};
    static JOBS: AtomicU32 = AtomicU32::new(0);
    let job = JOBS.fetch_add(1, Ordering::Relaxed);
    let mut command = rank(program, arguments);
    command
        .env("LD_LIBRARY_PATH", folder)
        .env(
            "PMIX_NAMESPACE",
            format!("job {job} of {}", std::process::id()),
        )
        .env("PMIX_RANK", "0")
        .envs(settings.iter().copied());
    command
}

struct Jobs {
    folder: Scratch,
    program: std::path::PathBuf,
}

impl Jobs {
    fn new() -> Jobs {
        let folder = Scratch::new("managers");
        let program = compile(&folder);
        library(&folder, &[]);
        Jobs { folder, program }
    }

    fn start(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Run {
        Run::start(under(&self.folder, &self.program, arguments, settings))
    }

    fn run(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Outcome {
        self.start(arguments, settings).finish()
    }
}

#[test]
fn a_job_of_one() {
    let jobs = Jobs::new();
    for wrong in ["", "finalize", "register", "pmix.appnum"] {
        let outcome = jobs.run(&[], &[("FALSE_PMIX", wrong)]).ended(0);
        assert_eq!(
            (outcome.stdout.as_str(), outcome.stderr.as_str()),
            ("rank 0 of 1\n", "finalized\n")
        );
    }
}

#[test]
fn ends_are_told() {
    let jobs = Jobs::new();
    for wrong in ["", "abort"] {
        let outcome = jobs.run(&["abort", "7"], &[("FALSE_PMIX", wrong)]);
        outcome.ended(7).says("aborted: 7 MPI_Abort");
    }
    let outcome = jobs.run(&["exit", "0"], &[]).ended(0);
    assert_eq!(outcome.stderr, "finalized\n");
    jobs.run(&["exit", "3"], &[]).ended(3).quietly();
}

#[test]
fn a_rank_ends_with_its_manager() {
    let jobs = Jobs::new();
    let there = jobs.folder.file("there");
    let lost = [("FALSE_PMIX_LOST", &*format!("{there}.0"))];
    jobs.run(&["wait", &there], &lost).ended(137).quietly();
}

#[test]
fn calls_that_fail() {
    let jobs = Jobs::new();
    for (rank, wrong, words) in [
        ("0", "init", "PMIx_Init failed: A-FAILURE (called of "),
        (
            "0",
            "pmix.job.size",
            "PMIx_Get of pmix.job.size failed: NOTHING-OF-THAT-NAME",
        ),
        ("0", "null", "PMIx_Get of pmix.job.size gave no value"),
        (
            "0",
            "job size of another type",
            "pmix.job.size is of type 3, not a number",
        ),
        ("0", "put", "PMIx_Put failed"),
        ("0", "commit", "PMIx_Commit failed"),
        ("0", "fence", "PMIx_Fence failed"),
        ("1", "fence", "PMIx_Fence failed"),
        ("1", "rmashm-machine", "PMIx_Get of rmashm-machine failed"),
        (
            "1",
            "string of another type",
            "rmashm-machine is of type 14, not a string",
        ),
        (
            "1",
            "null string",
            "rmashm-machine is of type 3, not a string",
        ),
        ("1", "", "runs on another machine than rank 0"),
        (
            "2",
            "",
            "says that this is rank 2, but also that there are 2 ranks",
        ),
    ] {
        let settings = [
            ("FALSE_PMIX", wrong),
            ("FALSE_PMIX_RANK", rank),
            ("FALSE_PMIX_SIZE", "2"),
        ];
        refused(jobs.run(&[], &settings), words);
    }
}

#[test]
fn no_library() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    std::fs::write(folder.join("libpmix.so.2"), "no library").unwrap();
    let refuses = |words| {
        let outcome = Run::start(under(&folder, &program, &[], &[])).finish();
        refused(
            outcome
                .says("Debian: libpmix2")
                .says("PMIX_NAMESPACE is job"),
            words,
        );
    };
    refuses("cannot be loaded: ");
    // A job of one needs none, where that is known.
    for name in ["OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"] {
        let outcome = Run::start(under(&folder, &program, &[], &[(name, "1")])).finish();
        assert_eq!(outcome.ended(0).quietly().stdout, "rank 0 of 1\n");
    }
    // One that lacks a function.
    library(&folder, &["-DLACKING"]);
    refuses("PMIx_Error_string");
}

/// What the launcher says of its installation goes before the loader's own path.
#[test]
fn the_launchers_own_library() {
    let jobs = Jobs::new();
    let other = Scratch::new("managers");
    std::fs::write(other.join("libpmix.so.2"), "no library").unwrap();
    for (name, folder) in [("PMIX_PREFIX", "lib"), ("OPAL_PREFIX", "lib/openmpi")] {
        let prefix = Scratch::new("managers");
        let place = prefix.join(folder);
        std::fs::create_dir_all(&place).unwrap();
        std::fs::copy(jobs.folder.join("libpmix.so.2"), place.join("libpmix.so.2")).unwrap();
        let prefix = prefix.to_str().expect("a name in UTF-8");
        let command = under(&other, &jobs.program, &[], &[(name, prefix)]);
        let outcome = Run::start(command).finish().ended(0);
        assert_eq!(outcome.stderr, "finalized\n");
    }
}

/// A program that a rank starts inherits the variables, and is none of the job's ranks.
#[test]
fn a_ranks_child() {
    let jobs = Jobs::new();
    let program = jobs.program.to_str().expect("a name in UTF-8");
    let outcome = jobs.run(&["child", program], &[]).ended(0);
    let outcome = outcome.says("this rank runs an MPI program already");
    assert!(outcome.stdout.contains("child: 15\n"), "{outcome:#?}");
}
