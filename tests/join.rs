//! Two launchers of one job: `mpiexec -join`. Programs meet at ports by published names; the end of one is the other's only where they are
//! connected, also the launcher's own. After each run no process of it may be left.

mod support;

#[path = "launcher/run.rs"]
#[allow(dead_code)]
mod run;

use harness::scratch::Scratch;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use run::{Outcome, Run, marked};
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use support::{command, prefix, repository};

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
        let launcher = prefix().join("bin/mpiexec").display().to_string();
        let folder = self.folder.display().to_string();
        let all = [
            options,
            &["-n", "2", "-wdir", &folder, &self.program],
            words,
        ];
        marked(&launcher, &all.concat())
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

/// The port that is served there.
fn port(place: &Place, server: &Run) -> String {
    server.wait_until("its port", || place.folder.has("port"));
    place.folder.read("port")
}

#[test]
fn a_port_on_the_command_line_says_which_job() {
    let place = Place::new();
    let server = place.first(&["serve", "name", "part"]);
    let port = port(&place, &server);
    let client = Run::start(place.mpiexec(
        &["-v", "-check=off"],
        &["call", "rmashm:1:2:3", &port, "part"],
    ))
    .finish();
    assert_eq!(client.stdout, "call: done\n", "{client:?}");
    let pid = server.child.id();
    client
        .ended(0)
        .says(&format!("of the job of process {pid}"));
    assert_eq!(server.finish().ended(0).quietly().stdout, "serve: done\n");
    // What is no more is no reason not to start.
    let late = Run::start(place.mpiexec(&[], &["connect", &port]));
    let late = late.finish().ended(0);
    assert!(late.stdout.contains("a port of another job"), "{late:?}");
}

#[test]
fn a_job_that_is_not_to_be_joined_or_cannot_be_is_not() {
    for (of_server, of_client) in [
        (&["-check"][..], &[][..]),
        (&[], &["-join", "none"]),
        (&[], &["-report"]),
    ] {
        let place = Place::new();
        let server = Run::start(place.mpiexec(of_server, &["serve", "name", "idle"]));
        let port = port(&place, &server);
        let client = place.mpiexec(of_client, &["connect", &port]);
        let said = Run::start(client).finish().ended(0).stdout;
        assert!(said.contains("a port of another job"), "{said}");
        let advice = match of_server.is_empty() {
            true => "is of that job",
            false => "which cannot be joined: what its ranks do is told at its end",
        };
        assert!(said.contains(advice), "{said}");
        if of_server.is_empty() {
            let client = Run::start(place.mpiexec(&[], &["call", &port, "part"]));
            client.finish().ended(0).quietly();
            place.go();
            server.finish().ended(0).quietly();
        } else {
            server.signal(Signal::SIGTERM);
            server.finish();
        }
    }
}

#[test]
fn a_job_without_our_launcher_is_not_told_to_be_joined() {
    let place = Place::new();
    let mut server = marked(&place.program, &["serve", "name", "idle"]);
    server.current_dir(&*place.folder);
    let server = Run::start(server);
    let port = port(&place, &server);
    let client = place.mpiexec(&[], &["connect", &port]);
    let said = Run::start(client).finish().ended(0).stdout;
    let advice = "which cannot be joined: no mpiexec of rmashm's watches over it";
    assert!(said.contains(advice), "{said}");
    server.signal(Signal::SIGTERM);
    server.finish();
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
fn one_that_has_just_been_started_is_waited_for() {
    let place = Place::new();
    let launcher = prefix().join("bin/mpiexec").display().to_string();
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
    let launcher = prefix().join("bin/mpiexec").display().to_string();
    Run::start(marked(&launcher, &words)).finish().ended(0);
    let second = Run::start(place.mpiexec(&["-join", &names[0]], &["call", "name", "part"]));
    second.finish().ended(0).quietly();
    first.finish().ended(0).quietly();
}

#[test]
fn one_that_a_rank_of_another_job_has_started_is_joined_itself() {
    // What is to become the launcher has the outer job's segment open until then.
    for before in ["", "sleep 0.5; "] {
        let place = Place::new();
        let launcher = prefix().join("bin/mpiexec").display().to_string();
        let folder = place.folder.display().to_string();
        let script = format!(
            "cd \"$2\"
            ({before}exec \"$1\" -n 2 \"$3\" serve name part) & server=$!
            \"$1\" -join $server -n 2 \"$3\" call name part || {{ kill $server; exit 1; }}
            wait $server"
        );
        let sh = ["-n", "1", "sh", "-c", &script, "sh"];
        let words = [&launcher, &folder, &place.program].map(String::as_str);
        let outcome = Run::start(marked(&launcher, &[&sh[..], &words].concat()))
            .finish()
            .ended(0)
            .quietly();
        let mut lines = outcome.lines();
        lines.sort_unstable();
        assert_eq!(lines, ["call: done", "serve: done"]);
    }
}

#[test]
fn the_first_may_end_first() {
    let place = Place::new();
    let first = place.first(&["serve", "name", "part"]);
    let second = place.joined(&first, &["call", "name", "idle"]);
    first.finish().ended(0).quietly();
    place.await_files(&second, "call", "idles");
    place.folder.write("end", "");
    let third = place.joined(&second, &["alone", "kill"]);
    third.finish().ended(137).says("was killed by signal 9");
    place.go();
    assert_eq!(second.finish().ended(0).quietly().stdout, "call: done\n");
}

#[test]
fn the_end_of_one_is_not_that_of_another_which_never_connected() {
    for (way, status, sentence) in [
        ("kill", 137, "was killed by signal 9"),
        ("abort", 44, "ended the job with status 44"),
        ("deadlock", 55, "none can ever go on, so the job is ended"),
    ] {
        // Either way.
        for ends_first in [false, true] {
            let place = Place::new();
            let ways = if ends_first {
                [way, "idle"]
            } else {
                ["idle", way]
            };
            let first = place.first(&["alone", ways[0]]);
            let second = place.joined(&first, &["alone", ways[1]]);
            place.await_files(&first, "alone", "idles");
            place.await_files(&second, "alone", "is there");
            place.folder.write("end", "");
            let (ends, stays) = match ends_first {
                true => (first, second),
                false => (second, first),
            };
            let said = ends.finish().ended(status).says(sentence);
            assert!(!said.stderr.contains("not connected"), "{said:?}");
            place.go();
            let stayed = stays.finish().ended(0).quietly();
            assert_eq!(stayed.stdout, "alone: done\n");
        }
    }
}

#[test]
fn the_end_of_one_is_that_of_another_which_is_connected() {
    for (way, status) in [("kill", 137), ("abort", 44)] {
        let (first, second) = both(way);
        let second = second.ended(status);
        let first = first.ended(status).says("which another mpiexec (pid ");
        assert!(first.stderr.contains("ending those that are connected"));
        assert!(
            !first.stderr.contains("Fatal error"),
            "{first:?} {second:?}"
        );
    }
}

#[test]
fn a_port_ends_with_the_process_that_has_opened_it() {
    let place = Place::new();
    let first = place.first(&["serve", "name", "shut"]);
    let second = place.joined(&first, &["call", "name", "shut"]);
    place.await_files(&second, "call", "calls");
    place.folder.write("end", "");
    first.finish().ended(137);
    second.finish().ended(0).quietly();
}

#[test]
fn a_caller_that_has_died_is_not_accepted() {
    let place = Place::new();
    let first = place.first(&["serve", "name", "late"]);
    let second = place.joined(&first, &["call", "name", "part"]);
    place.await_files(&second, "call", "calls");
    // By then it has called.
    std::thread::sleep(Duration::from_millis(300));
    // Nobody tells of their death.
    second.signal(Signal::SIGSTOP);
    for (rank, _) in second.ranks() {
        kill(Pid::from_raw(rank), Signal::SIGKILL).unwrap();
    }
    place.folder.write("end", "");
    let third = place.joined(&first, &["call", "name", "part"]);
    third.finish().ended(0).quietly();
    first.finish().ended(0).quietly();
    second.signal(Signal::SIGCONT);
    second.finish().ended(137);
}

#[test]
fn a_caller_that_dies_while_it_is_met_leaves_its_place_to_the_next() {
    let place = Place::new();
    // Its errors are fatal.
    let first = place.first(&["serve", "name", "late"]);
    let second = place.joined(&first, &["call", "name", "part"]);
    place.await_files(&second, "call", "calls");
    std::thread::sleep(Duration::from_millis(300));
    // What its root is met for, the other one does not agree to any more, or the root does not tell.
    let ranks = second.ranks();
    kill(Pid::from_raw(ranks[1].0), Signal::SIGSTOP).unwrap();
    place.folder.write("end", "");
    std::thread::sleep(Duration::from_millis(300));
    for (rank, _) in ranks {
        // The launcher may have been faster with the second one.
        let _ = kill(Pid::from_raw(rank), Signal::SIGKILL);
    }
    second.finish().ended(137);
    let third = place.joined(&first, &["call", "name", "part"]);
    third.finish().ended(0).quietly();
    first.finish().ended(0).quietly();
}

impl Place {
    /// Jobs of so many processes each that die while they connect, more of them in all than the job of `server` has places.
    fn deaths(&self, server: &Run, way: &str, processes: u32) {
        const PLACES: u32 = 128;
        let pid = server.child.id().to_string();
        for job in 0..=PLACES / processes + 1 {
            let within = (200 + 97 * job).to_string();
            let count = processes.to_string();
            let options = ["-join", &pid, "-disable-auto-cleanup", "-n", &count];
            let folder = self.folder.display().to_string();
            let words = ["-wdir", &folder, &self.program, way, &within];
            let launcher = prefix().join("bin/mpiexec").display().to_string();
            let run = Run::start(marked(&launcher, &[&options[..], &words].concat()));
            run.finish().ended(137);
        }
    }
}

#[test]
fn those_that_die_while_they_connect_do_not_end_who_serves_and_take_no_place() {
    let place = Place::of("deaths.c");
    let server = place.first(&["serve"]);
    server.wait_until("its ranks", || !server.ranks().is_empty());
    place.deaths(&server, "alone", 8);
    place.deaths(&server, "together", 4);
    place.joined(&server, &["last"]).finish().ended(0).quietly();
    let server = server.finish().ended(0).quietly();
    assert_eq!(server.stdout, "serve: done\n");
}

#[test]
fn those_that_die_at_a_port_where_nobody_accepts_take_no_place() {
    let place = Place::of("deaths.c");
    let server = place.first(&["serve", "late"]);
    server.wait_until("its ranks", || !server.ranks().is_empty());
    place.deaths(&server, "alone", 8);
    place.folder.write("end", "");
    place.joined(&server, &["last"]).finish().ended(0).quietly();
    server.finish().ended(0).quietly();
}

#[test]
fn a_deadlock_of_connected_ones_ends_both() {
    let (first, second) = both("hang");
    for outcome in [first, second] {
        assert_eq!(outcome.status, 55, "{outcome:?}");
    }
}

#[test]
fn of_a_deadlock_it_is_not_told_that_those_have_ended_which_wait_elsewhere() {
    let place = Place::new();
    let first = Run::start(place.mpiexec(&["-deadlock", "off"], &["serve", "name", "hang"]));
    let second = place.joined(&first, &["call", "name", "hang"]).finish();
    let second = second.ended(55).says("rank 0 waits for rank 2");
    assert!(!second.stderr.contains("exited with status"), "{second:?}");
    first.finish().ended(55);
}

#[test]
fn a_launcher_that_is_killed_takes_its_own_along() {
    for is_first in [false, true] {
        let place = Place::new();
        let first = place.first(&["serve", "name", "idle"]);
        let second = place.joined(&first, &["call", "name", "idle"]);
        place.await_files(&first, "serve", "idles");
        place.await_files(&second, "call", "idles");
        let (killed, stays, who) = match is_first {
            true => (first, second, "call"),
            false => (second, first, "serve"),
        };
        killed.signal(Signal::SIGKILL);
        killed.wait_until("the end of its ranks", || killed.ranks().is_empty());
        killed.wait_until("the keeper's end", || killed.left().is_empty());
        assert_eq!(killed.finish().status, 137);
        place.go();
        let stayed = stays.finish().ended(0).quietly();
        assert_eq!(stayed.stdout, format!("{who}: done\n"));
    }
}

#[test]
fn a_launcher_that_is_killed_takes_those_along_that_are_connected() {
    for is_first in [false, true] {
        let place = Place::new();
        let first = place.first(&["serve", "name", "wait"]);
        let second = place.joined(&first, &["call", "name", "wait"]);
        // Mostly one of these finds it first.
        let others = [0, 1, 2].map(|_| place.joined(&first, &["alone", "idle"]));
        for other in &others {
            other.wait_until("its ranks", || other.ranks().len() == 2);
        }
        place.await_files(&first, "serve", "is connected");
        place.await_files(&second, "call", "is connected");
        let (killed, stays) = match is_first {
            true => (first, second),
            false => (second, first),
        };
        killed.signal(Signal::SIGKILL);
        killed.wait_until("the end of its ranks", || killed.ranks().is_empty());
        killed.wait_until("the keeper's end", || killed.left().is_empty());
        assert_eq!(killed.finish().status, 137);
        let stayed = stays.finish().ended(1).says("is gone with it");
        assert!(!stayed.stderr.contains("MPI_ERR"), "{stayed:?}");
        place.go();
        for other in others {
            other.finish().ended(0).quietly();
        }
    }
}

#[test]
fn a_signal_is_for_the_ranks_of_one() {
    let place = Place::new();
    let first = place.first(&["alone", "idle"]);
    place.await_files(&first, "alone", "idles");
    let second = place.joined(&first, &["serve", "name", "part"]);
    second.wait_until("its ranks", || second.ranks().len() == 2);
    second.signal(Signal::SIGINT);
    second.finish().ended(130);
    place.go();
    first.finish().ended(0).quietly();
}

#[test]
fn ranks_are_called_by_their_numbers_among_themselves() {
    let place = Place::new();
    let first = place.first(&["alone", "idle"]);
    place.await_files(&first, "alone", "idles");
    let pid = first.child.id().to_string();
    let launcher = prefix().join("bin/mpiexec").display().to_string();
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
    let outcome = Run::start_with_input(marked(&launcher, &words), b"read\n".to_vec()).finish();
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
    let outcome = Run::start(marked(&launcher, &words)).finish().ended(1);
    assert!(outcome.stdout.ends_with("] 0,1\n"), "{outcome:?}");
    place.go();
    first.finish().ended(0).quietly();
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
    let launcher = prefix().join("bin/mpiexec").display().to_string();
    let many = ["-join", &pid, "-n", "100", "true"];
    for _ in 0..3 {
        Run::start(marked(&launcher, &many))
            .finish()
            .ended(0)
            .quietly();
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

#[test]
fn a_name_that_another_job_has_published_is_told() {
    let place = Place::new();
    let name = format!("a name {}", std::process::id());
    let first = place.first(&["serve", &name, "part"]);
    let launcher = prefix().join("bin/mpiexec").display().to_string();
    let pid = first.child.id().to_string();
    let told = format!(
        "; the job of process {pid} has it: a program that is started by mpiexec -join {pid} is of that job"
    );
    first.wait_until("the name", || {
        let words = ["-n", "1", &place.program, "lookup", &name];
        let outcome = Run::start(marked(&launcher, &words)).finish().ended(0);
        outcome.stdout.contains(&told)
    });
    let second = place.joined(&first, &["call", &name, "part"]);
    second.finish().ended(0).quietly();
    first.finish().ended(0).quietly();
}
