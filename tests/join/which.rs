//! Which job is joined, by the number of a process or by a name, and which cannot be.

use crate::run::{Run, marked};
use crate::{Place, launcher, mpiexec};
use std::fs::File;
use std::path::PathBuf;

#[test]
fn one_that_has_just_been_started_is_waited_for() {
    let place = Place::new();
    let launcher = launcher();
    let folder = place.folder.display().to_string();
    let serve = [
        "-n",
        "2",
        "-wdir",
        &folder,
        &place.program,
        "serve",
        "name",
        "part",
    ];
    let late = ["-c", "sleep 0.3; exec \"$@\"", "sh", &launcher];
    let first = Run::start(marked("sh", &[&late[..], &serve].concat()));
    let pid = first.child.id().to_string();
    let second = Run::start(place.mpiexec(&["-join", &pid], &["call", "name", "part"]));
    second.finish().ended(0).quietly();
    first.finish().ended(0).quietly();
}

#[test]
fn by_a_name_each_is_first_or_second() {
    let place = Place::new();
    // At the same time: which of them begins the job is chance.
    for round in 0..8 {
        let name = format!("tests-join-{}-{round}", std::process::id());
        let (serve, call) = (["serve", "name", "part"], ["call", "name", "part"]);
        let first = Run::start(place.mpiexec(&["-join", &name], &serve));
        let mut second = place.mpiexec(&[], &call);
        second.env("RMASHM_JOIN", &name);
        let second = Run::start(second);
        second.finish().ended(0).quietly();
        first.finish().ended(0).quietly();
    }
}

/// The memory of a job that a process has open, held by this process, too.
fn held_memory(pid: u32) -> File {
    let folder = format!("/proc/{pid}/fd");
    let files = std::fs::read_dir(folder).expect("its descriptors can be seen");
    let mut paths = files.map(|file| file.unwrap().path());
    let is_memory = |path: &PathBuf| {
        let target = std::fs::read_link(path).unwrap_or_default();
        target.to_string_lossy().contains("memfd:rmashm")
    };
    let path = paths
        .find(is_memory)
        .expect("it has the memory of a job open");
    File::open(path).expect("it can be opened")
}

#[test]
fn what_is_left_of_a_job_of_the_name_is_not_joined() {
    let place = Place::new();
    let name = format!("tests-join-{}-left", std::process::id());
    let first = Run::start(place.mpiexec(&["-join", &name], &["serve", "name", "part"]));
    place.await_files(&first, "serve", "serves");
    let _left = held_memory(first.child.id());
    let second = Run::start(place.mpiexec(&["-join", &name], &["call", "name", "part"]));
    second.finish().ended(0).quietly();
    first.finish().ended(0).quietly();
    let again = Run::start(place.mpiexec(&["-join", &name], &["serve", "name", "part"]));
    let call = Run::start(place.mpiexec(&["-join", &name], &["call", "name", "part"]));
    call.finish().ended(0).quietly();
    again.finish().ended(0).quietly();
}

#[test]
fn by_another_name_it_is_another_job() {
    let place = Place::new();
    let names = ["a", "b"].map(|one| format!("tests.join_{}-{one}", std::process::id()));
    let first = Run::start(place.mpiexec(&["-join", &names[0]], &["serve", "name", "part"]));
    place.await_files(&first, "serve", "serves");
    let words = [
        "-join",
        &names[1],
        "-n",
        "1",
        &place.program,
        "lookup",
        "name",
    ];
    Run::start(mpiexec(&words)).finish().ended(0);
    let second = Run::start(place.mpiexec(&["-join", &names[0]], &["call", "name", "part"]));
    second.finish().ended(0).quietly();
    first.finish().ended(0).quietly();
}

#[test]
fn one_that_a_rank_of_another_job_has_started_is_joined_itself() {
    // What is to become the launcher has the outer job's segment open until then.
    for before in ["", "sleep 0.5; "] {
        let place = Place::new();
        let launcher = launcher();
        let folder = place.folder.display().to_string();
        let script = format!(
            "cd \"$2\"
            ({before}exec \"$1\" -n 2 \"$3\" serve name part) & server=$!
            \"$1\" -join $server -n 2 \"$3\" call name part || {{ kill $server; exit 1; }}
            wait $server"
        );
        let sh = ["-n", "1", "sh", "-c", &script, "sh"];
        let words = [&launcher, &folder, &place.program].map(String::as_str);
        let outcome = Run::start(mpiexec(&[&sh[..], &words].concat()))
            .finish()
            .ended(0)
            .quietly();
        let mut lines = outcome.lines();
        lines.sort_unstable();
        assert_eq!(lines, ["call: done", "serve: done"]);
    }
}

#[test]
fn what_cannot_be_joined_is_told() {
    let place = Place::new();
    let refused = |options: &[&str], status: i32| {
        let outcome = Run::start(place.mpiexec(options, &["alone", "idle"])).finish();
        outcome.ended(status).stderr
    };
    let long = "x".repeat(61);
    for wrong in ["0", "-1", "", "two words", "a/b", "1a", &long] {
        let said = refused(&["-join", wrong], 2);
        assert!(said.contains("must be the number of a process"), "{said}");
    }
    let said = refused(&["-join", "1"], 1);
    assert!(
        said.contains("process 1 is of no job of this user"),
        "{said}"
    );
    let first = place.first(&["alone", "idle"]);
    place.await_files(&first, "alone", "idles");
    let pid = first.child.id().to_string();
    for option in [["-usize", "4"].as_slice(), &["-check"], &["-report"]] {
        let said = refused(&[&["-join", &pid], option].concat(), 2);
        assert!(said.contains("for the mpiexec that begins a job"), "{said}");
    }
    let said = refused(&["-join", &pid, "-n", "1000", "true", ":"], 1);
    assert!(said.contains("no room for 1002 more ranks"), "{said}");
    // What was refused has left no places taken.
    let said = refused(&["-join", &pid, "-n", "100", "./nothing", ":"], 127);
    assert!(said.contains("nothing"), "{said}");
    let many = ["-join", &pid, "-n", "100", "true"];
    for _ in 0..3 {
        Run::start(mpiexec(&many)).finish().ended(0).quietly();
    }
    place.go();
    first.finish().ended(0).quietly();
}

#[test]
fn a_job_whose_ranks_are_observed_is_not_joined() {
    let place = Place::new();
    let first = Run::start(place.mpiexec(&["-check"], &["alone", "idle"]));
    place.await_files(&first, "alone", "idles");
    let second = place.joined(&first, &["alone", "idle"]);
    second
        .finish()
        .ended(1)
        .says("-check), and that of others could not be");
    place.go();
    first.finish().ended(0);
}
