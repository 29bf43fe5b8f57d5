//! How jobs end that have two launchers: the end of one is that of the other where they are connected, and only there.

use crate::run::Run;
use crate::{Place, both};
use nix::sys::signal::Signal;

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
