//! Two launchers of one job: `mpiexec -join`. Programs meet at ports by published names; the end of one is the other's only where they are
//! connected, also the launcher's own. After each run no process of it may be left.

mod ends;
mod ports;
#[path = "../launcher/run.rs"]
#[allow(dead_code)]
mod run;
#[path = "../support/mod.rs"]
mod support;
mod which;

use harness::scratch::Scratch;
use run::{Outcome, Run, marked};
use std::process::Command;
use support::{command, prefix, repository};

/// The path of the launcher of the prefix.
fn launcher() -> String {
    prefix().join("bin/mpiexec").display().to_string()
}

/// It with these arguments.
fn mpiexec(arguments: &[&str]) -> Command {
    marked(&launcher(), arguments)
}

/// A folder in which the programs run.
struct Place {
    folder: Scratch,
    program: String,
}

impl Place {
    fn new() -> Place {
        Place::of("program.c")
    }

    fn of(source: &str) -> Place {
        let folder = Scratch::new("join");
        let program = folder.file("program");
        let mut mpicc = command(prefix().join("bin/mpicc"));
        mpicc.args(["-std=gnu11", "-O1", "-Wall", "-Werror", "-I"]);
        mpicc.arg(repository().join("c_tests"));
        mpicc.arg(repository().join("tests/join").join(source));
        support::run(mpicc.arg("-o").arg(&program));
        Place { folder, program }
    }

    fn mpiexec(&self, options: &[&str], words: &[&str]) -> Command {
        let folder = self.folder.display().to_string();
        let all = [
            options,
            &["-n", "2", "-wdir", &folder, &self.program],
            words,
        ];
        mpiexec(&all.concat())
    }

    fn first(&self, words: &[&str]) -> Run {
        Run::start(self.mpiexec(&[], words))
    }

    /// Started when the other's ranks are there.
    fn joined(&self, other: &Run, words: &[&str]) -> Run {
        other.wait_until("its ranks", || !other.ranks().is_empty());
        let pid = other.child.id().to_string();
        Run::start(self.mpiexec(&["-join", &pid], words))
    }

    fn await_files(&self, run: &Run, who: &str, what: &str) {
        for rank in 0..2 {
            let name = format!("{who}.{what}.{rank}");
            run.wait_until(&name, || self.folder.has(&name));
        }
    }

    fn go(&self) {
        self.folder.write("go", "");
    }
}

/// Both have gone this way: those of the first launcher serve, the others call.
fn both(way: &str) -> (Outcome, Outcome) {
    let place = Place::new();
    let first = place.first(&["serve", "name", way]);
    let second = place.joined(&first, &["call", "name", way]);
    let second = second.finish();
    (first.finish(), second)
}

#[test]
fn two_jobs_meet_work_and_part() {
    let (first, second) = both("part");
    assert_eq!(first.ended(0).quietly().stdout, "serve: done\n");
    assert_eq!(second.ended(0).quietly().stdout, "call: done\n");
}

#[test]
fn those_that_join_start_others() {
    let (first, second) = both("spawn");
    assert_eq!(first.ended(0).quietly().stdout, "serve: done\n");
    let second = second.ended(0).quietly();
    assert_eq!(second.lines(), ["call: done", "child: done"]);
}

#[test]
fn one_after_the_other() {
    let place = Place::new();
    let server = place.first(&["alone", "idle"]);
    place.await_files(&server, "alone", "idles");
    // Neither has to do with the first; the second knows the job by its own process.
    let one = place.joined(&server, &["serve", "name", "part"]);
    let other = place.joined(&one, &["call", "name", "part"]);
    for outcome in [other.finish(), one.finish()] {
        outcome.ended(0).quietly();
    }
    place.go();
    assert_eq!(server.finish().ended(0).quietly().stdout, "alone: done\n");
}

#[test]
fn ranks_are_called_by_their_numbers_among_themselves() {
    let place = Place::new();
    let first = place.first(&["alone", "idle"]);
    place.await_files(&first, "alone", "idles");
    let pid = first.child.id().to_string();
    let words = [
        "-join",
        &pid,
        "-l",
        "-n",
        "2",
        "sh",
        "-c",
        "cat; echo $RMASHM_RANK of $RMASHM_SIZE",
    ];
    let outcome = Run::start_with_input(mpiexec(&words), b"read\n".to_vec()).finish();
    let outcome = outcome.ended(0).quietly();
    assert_eq!(outcome.lines(), ["[0] 0 of 2", "[0] read", "[1] 1 of 2"]);
    let words = [
        "-join",
        &pid,
        "-print-all-exitcodes",
        "-n",
        "2",
        "sh",
        "-c",
        "exit $RMASHM_RANK",
    ];
    let outcome = Run::start(mpiexec(&words)).finish().ended(1);
    assert!(outcome.stdout.ends_with("] 0,1\n"), "{outcome:?}");
    place.go();
    first.finish().ended(0).quietly();
}
