//! Whether the other threads of this process sleep until one of its threads wakes them, and so will do nothing by themselves.
//!
//! A thread sleeps so in a futex without a time limit whose word no other process can wake, which `/proc/self/task` tells. If all others did so
//! at one moment, nobody is there to wake the first. That they did at one moment is known if none of them has run between two
//! looks at all of them.

use super::maps::Maps;
use super::sleepers::{self, Sleep};
use std::collections::BTreeMap;
use std::fs::read_to_string;

/// Which words are such that no other process can wake who sleeps there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Those of private futexes.
    Private,
    /// Also those of others, on memory that is this process's alone: there `pthread_join` waits.
    Own,
}

/// So many threads are looked at.
const MOST: usize = 512;

/// Whether all threads but this one, and but those that are named, sleep until a thread of this process wakes them: which none of those does.
pub fn all_others_sleep(but: &[i32], words: Words) -> bool {
    let maps = match words {
        Words::Private => None,
        Words::Own => match Maps::read() {
            // By a ring, too, the kernel wakes who sleeps in a futex.
            Some(maps) if !maps.iter().any(|mapping| mapping.is_ring()) => Some(maps),
            _ => return false,
        },
    };
    let first = runs_of_sleepers(but, maps.as_ref());
    first.is_some() && first == runs_of_sleepers(but, maps.as_ref())
}

/// The threads but those, and how often each has run. `None` unless all of them sleep so; by words that are not private, if these lie on memory of
/// the process's alone among `maps`.
fn runs_of_sleepers(but: &[i32], maps: Option<&Maps>) -> Option<BTreeMap<i32, String>> {
    let me = nix::unistd::gettid().as_raw();
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir("/proc/self/task").ok()? {
        let name = entry.ok()?.file_name();
        let thread: i32 = name.to_str()?.parse().ok()?;
        if thread == me || but.contains(&thread) {
            continue;
        }
        // How often it has run comes first: who wakes up in between is seen to have run at the second look.
        let runs = read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
        let call = read_to_string(format!("/proc/self/task/{thread}/syscall")).ok()?;
        let sleeps = match sleepers::sleep(&call) {
            Sleep::Private => true,
            Sleep::At(word) => is_own(maps?, word),
            // The first thread stays till all have ended.
            Sleep::Other => has_ended(thread)?,
        };
        if !sleeps || found.len() == MOST {
            return None;
        }
        found.insert(thread, runs);
    }
    Some(found)
}

/// Whether the thread has ended.
fn has_ended(thread: i32) -> Option<bool> {
    let stat = read_to_string(format!("/proc/self/task/{thread}/stat")).ok()?;
    let (_, state) = stat.rsplit_once(") ")?;
    Some(state.starts_with(['Z', 'X']))
}

/// Whether the word lies on memory without a file, of which no other process has any.
fn is_own(maps: &Maps, word: usize) -> bool {
    let at = word..word + size_of::<u32>();
    maps.around(&at)
        .next()
        .is_some_and(|mapping| !mapping.shared && mapping.inode == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    /// In a process of its own, for the threads of other tests would count.
    #[test]
    fn a_thread_that_runs_is_seen() {
        const ALONE: &str = "RMASHM_TEST_IDLE";
        if std::env::var(ALONE).is_err() {
            let me = std::env::current_exe().unwrap();
            let mut alone = std::process::Command::new(me);
            let name = "shm::idle::tests::a_thread_that_runs_is_seen";
            alone.args(["--exact", name, "--test-threads=1"]);
            assert!(alone.env(ALONE, "1").output().unwrap().status.success());
            return;
        }
        // The test's runner sleeps until this thread ends.
        let settled = |wanted: bool| {
            (0..200).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                all_others_sleep(&[], Words::Private) == wanted
            })
        };
        assert!(settled(true));
        static STOP: AtomicBool = AtomicBool::new(false);
        let runner = std::thread::spawn(|| {
            while !STOP.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        assert!(settled(false));
        for _ in 0..100 {
            assert!(!all_others_sleep(&[], Words::Own));
        }
        STOP.store(true, Ordering::Relaxed);
        runner.join().unwrap();
        assert!(settled(true));
        // Who joins sleeps in a futex that is not private, on a stack.
        let hanging = std::thread::spawn(std::thread::park);
        let hung = hanging.thread().clone();
        let joins = std::thread::spawn(|| hanging.join().unwrap());
        assert!((0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            all_others_sleep(&[], Words::Own)
        }));
        assert!(!all_others_sleep(&[], Words::Private));
        hung.unpark();
        joins.join().unwrap();
        let napper = std::thread::spawn(|| std::thread::sleep(Duration::from_secs(2)));
        assert!(settled(false));
        napper.join().unwrap();
    }
}
