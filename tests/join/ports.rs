//! How clients find the job of a server by its port, and what becomes of ports and of those that wait at them when somebody dies.

use crate::run::{Run, marked};
use crate::{Place, mpiexec};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::time::Duration;

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
            let run = Run::start(mpiexec(&[&options[..], &words].concat()));
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
fn a_name_that_another_job_has_published_is_told() {
    let place = Place::new();
    let name = format!("a name {}", std::process::id());
    let first = place.first(&["serve", &name, "part"]);
    let pid = first.child.id().to_string();
    let told = format!(
        "; the job of process {pid} has it: a program that is started by mpiexec -join {pid} is of that job"
    );
    first.wait_until("the name", || {
        let words = ["-n", "1", &place.program, "lookup", &name];
        let outcome = Run::start(mpiexec(&words)).finish().ended(0);
        outcome.stdout.contains(&told)
    });
    let second = place.joined(&first, &["call", &name, "part"]);
    second.finish().ended(0).quietly();
    first.finish().ended(0).quietly();
}
