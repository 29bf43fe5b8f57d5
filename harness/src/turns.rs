//! Taking turns: how many jobs of tests run at the same time.
//!
//! They are two, say, as many as keep the cores busy. Some jobs wait for a time to be over and leave their cores with nothing to do:
//! once a core has been idle for a while another job begins beside them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// For so long a core is idle before one more job begins, and at least so long after the last one began.
const WHILE: Duration = Duration::from_millis(100);
/// It was idle if all together were so for so much of the time of one.
const IDLE: f64 = 0.4;
/// So many times the usual number of jobs run at most.
const MORE: usize = 4;

pub struct Turns {
    /// How many run in any case, and at most.
    usual: usize,
    most: usize,
    state: Mutex<State>,
    freed: Condvar,
}

struct State {
    running: usize,
    since: Option<Sample>,
}

/// A job that runs until this is dropped.
pub struct Turn<'a>(&'a Turns);

impl Turns {
    /// Those of a test program that may have been told how many threads it has; is told how many it needs.
    pub fn of_tests(threads: &mut Option<usize>) -> Arc<Turns> {
        // Two jobs at once: many ranks on few cores is what is to be tested, but a watchdog must not be their only end.
        let turns = threads.map_or_else(|| Turns::of(2), Turns::exactly);
        *threads = Some(turns.most);
        Arc::new(turns)
    }

    /// Does `work` as a job that may begin.
    pub fn during<R, W: FnOnce() -> R>(
        self: &Arc<Turns>,
        work: W,
    ) -> impl FnOnce() -> R + use<R, W> {
        let turns = self.clone();
        move || {
            let _turn = turns.take();
            work()
        }
    }

    /// `usual` jobs, and more while cores are idle.
    pub fn of(usual: usize) -> Turns {
        Turns::up_to(usual, MORE * usual)
    }

    /// `usual` jobs and no more.
    pub fn exactly(usual: usize) -> Turns {
        Turns::up_to(usual, usual)
    }

    fn up_to(usual: usize, most: usize) -> Turns {
        let state = State {
            running: 0,
            since: None,
        };
        Turns {
            usual,
            most,
            state: Mutex::new(state),
            freed: Condvar::new(),
        }
    }

    /// How many threads there have to be to start them.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Waits until a job may begin.
    pub fn take(&self) -> Turn<'_> {
        let mut state = self.state();
        while !state.may_begin(self, Sample::now) {
            let waited = self.freed.wait_timeout(state, WHILE / 2);
            (state, _) = waited.expect("no thread has panicked");
        }
        state.running += 1;
        // What is idle because of those that run now is to be seen anew.
        state.since = None;
        Turn(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread has panicked")
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.state().running -= 1;
        self.0.freed.notify_one();
    }
}

impl State {
    /// Whether one more may begin now; `now` looks at the machine.
    fn may_begin(&mut self, turns: &Turns, now: impl FnOnce() -> Option<Sample>) -> bool {
        if self.running < turns.usual {
            return true;
        }
        if self.running >= turns.most {
            return false;
        }
        let Some(now) = now() else { return false };
        let Some(since) = &self.since else {
            self.since = Some(now);
            return false;
        };
        if now.at.duration_since(since.at) < WHILE {
            return false;
        }
        let idles = now.idle_since(since) >= IDLE;
        self.since = Some(now);
        idles
    }
}

/// What the kernel has counted of all cores' time up to a moment.
struct Sample {
    at: Instant,
    idle: u64,
    all: u64,
    cores: usize,
}

impl Sample {
    /// `None` where the machine does not tell, or where this process has only a part of it: others' cores may be idle.
    fn now() -> Option<Sample> {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let own = std::fs::read_to_string("/proc/self/stat").ok()?;
        let sample = Sample::read(&text, is_nice(&own)?)?;
        let own = std::thread::available_parallelism().ok()?.get();
        (own >= sample.cores).then_some(sample)
    }

    /// Of /proc/stat. What nice processes do leaves the cores to those that are not: to them it is idle time.
    fn read(text: &str, is_nice: bool) -> Option<Sample> {
        let mut lines = text.lines();
        let all = lines.next()?.strip_prefix("cpu ")?;
        let times: Vec<u64> = all
            .split_whitespace()
            .map(|time| time.parse().ok())
            .collect::<Option<_>>()?;
        // user, nice, system, idle, waiting for a disk, interrupts, softer ones, stolen; guests' time is part of user's.
        let times = times.get(..8)?;
        Some(Sample {
            at: Instant::now(),
            idle: times[3] + times[4] + if is_nice { 0 } else { times[1] },
            all: times.iter().sum(),
            cores: lines.take_while(|line| line.starts_with("cpu")).count(),
        })
    }

    /// How many cores had nothing to do since `before`, as a mean.
    fn idle_since(&self, before: &Sample) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        let idle = self.idle.saturating_sub(before.idle);
        idle as f64 * self.cores as f64 / all as f64
    }
}

/// Whether the process of this /proc/PID/stat is nice. Its name is in parentheses, and may have some.
fn is_nice(stat: &str) -> Option<bool> {
    let (_, fields) = stat.rsplit_once(')')?;
    let nice: i32 = fields.split_whitespace().nth(16)?.parse().ok()?;
    Some(nice > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine of two cores, after `ticks` of which `idle` were of both cores together.
    fn sample(begin: Instant, ticks: u32, idle: u64) -> Option<Sample> {
        Some(Sample {
            at: begin + Duration::from_millis(10) * ticks,
            idle,
            all: 2 * u64::from(ticks),
            cores: 2,
        })
    }

    #[test]
    fn the_kernel_counts() {
        let text = "cpu  10 20 30 400 50 6 7 8 9 10\ncpu0 1 2\ncpu1 3 4\nintr 5\n";
        let read = |is_nice| Sample::read(text, is_nice).unwrap();
        let nice = read(true);
        assert_eq!((nice.idle, nice.all, nice.cores), (450, 531, 2));
        assert_eq!(read(false).idle, 470);
        assert!(Sample::read("cpu 1 2 3\n", false).is_none());
        assert!(Sample::read("", false).is_none());
    }

    #[test]
    fn the_nice_are_known() {
        let of = |nice: &str| {
            let fields = "S 1 2 3 0 -1 4194304 5 6 7 8 9 10 11 12 20";
            is_nice(&format!("42 (a name) of two) {fields} {nice} 1 0 13"))
        };
        assert_eq!(of("0"), Some(false));
        assert_eq!(of("19"), Some(true));
        assert_eq!(of("-5"), Some(false));
        assert_eq!(is_nice("42 (cut short) S 1 2"), None);
    }

    #[test]
    fn one_more_begins_when_a_core_has_been_idle() {
        let begin = Instant::now();
        let turns = Turns::of(2);
        let mut state = State {
            running: 2,
            since: None,
        };
        let mut look = |ticks, idle| state.may_begin(&turns, || sample(begin, ticks, idle));
        assert!(!look(0, 0), "nothing is known yet");
        assert!(!look(5, 5), "not for long");
        assert!(!look(100, 30), "of two cores not even half a one");
        assert!(look(200, 80));
        assert!(!look(205, 85), "from now on it is seen anew");
        assert!(look(300, 140));
        state.running = turns.most();
        assert!(!state.may_begin(&turns, || sample(begin, 400, 340)));
        state.running = 1;
        assert!(state.may_begin(&turns, || None));
    }

    #[test]
    fn where_so_many_are_wanted_no_more_begin() {
        let turns = Turns::exactly(1);
        let first = turns.take();
        assert_eq!(turns.most(), 1);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| drop(turns.take()));
            assert!(!second.is_finished());
            drop(first);
            second.join().unwrap();
        });
        drop(turns.take());
    }
}
