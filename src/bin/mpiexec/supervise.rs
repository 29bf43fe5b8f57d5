//! The life of a job, from the start of its ranks to the launcher's exit status: one event loop, one thread.
//!
//! | phase    | until                                                                                         |
//! |----------|-----------------------------------------------------------------------------------------------|
//! | Running  | all ranks have ended                                                                          |
//! | Leftover | what the ranks left running has ended too; after a second, or if the job failed, it is killed |
//! | Draining | all pipes are closed and read; a second of silence is enough if a stranger holds one open      |
//! | Flushing | our stdout and stderr have taken everything                                                   |

use std::collections::HashMap;
use std::io::Read;
use std::time::{Duration, Instant};

use libc::pid_t;
use nix::errno::Errno;
use nix::sys::epoll::{EpollEvent, EpollTimeout};
use nix::sys::signal::Signal;
use rmashm::runtime::table::{Death, State};

use crate::arguments::Request;
use crate::keeper;
use crate::launch::{COMPLAINTS, Launched, SIGNALS};
use crate::report::{Fate, ranks_text, waiting_lines};
use crate::signals::{Arrival, ENDING, stop_self};
use crate::spawn::{Complaint, Step, signal_text};

/// Between passing on a signal that ends the job and killing what has not ended.
const GRACE: Duration = Duration::from_secs(5);
/// The same where a rank failed and nobody waits for an orderly end.
const SHORT_GRACE: Duration = Duration::from_secs(2);
const LEFTOVER: Duration = Duration::from_secs(1);
const SILENCE: Duration = Duration::from_secs(1);
/// How often the process table is looked at for what no signal tells: an MPI_Abort under a wrapper, and others coming
/// to wait in MPI_Init for a rank that is gone.
const LOOK: Duration = Duration::from_millis(500);
const LOOK_SOON: Duration = Duration::from_millis(50);
/// The exit status after `-timeout`, that of GNU timeout.
const TIMED_OUT: u8 = 124;
/// At most so many lines tell what the others waited for.
const WAITING_LINES: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Running,
    Leftover { until: Instant },
    Draining { until: Instant },
    Flushing,
    Over,
}

/// The job is being ended.
struct Ending {
    /// When what is left is killed; none once it was.
    kill_at: Option<Instant>,
    /// The status, should everything that fails do so because we killed it.
    status: u8,
}

struct Supervisor<'a> {
    request: &'a Request,
    job: Launched,
    by_pid: HashMap<pid_t, u32>,
    fates: Vec<Option<Fate>>,
    /// Ranks still alive.
    alive: usize,
    phase: Phase,
    ending: Option<Ending>,
    /// The exit status of the first rank to fail.
    status: Option<u8>,
    /// Ranks that left before MPI_Init.
    early: Vec<u32>,
    /// No child is left but the keeper.
    childless: bool,
    /// The output's end was announced.
    output_failed: bool,
    timeout_at: Option<Instant>,
}

/// Watches the job until it is over; gives the launcher's exit status.
pub fn supervise(request: &Request, job: Launched) -> u8 {
    let ranks = job.ranks.len();
    let by_pid = (0..)
        .zip(&job.ranks)
        .map(|(number, rank)| (rank.pid, number))
        .collect();
    let mut supervisor = Supervisor {
        request,
        by_pid,
        fates: vec![None; ranks],
        alive: ranks,
        phase: Phase::Running,
        ending: None,
        status: None,
        early: Vec::new(),
        childless: false,
        output_failed: false,
        timeout_at: request.timeout.map(|limit| Instant::now() + limit),
        job,
    };
    supervisor.run();
    supervisor.status.unwrap_or(0)
}

impl Supervisor<'_> {
    fn run(&mut self) {
        let mut events = [EpollEvent::empty(); 64];
        while self.phase != Phase::Over {
            let wait = self.next_look().saturating_duration_since(Instant::now());
            // Rounded up, so that the time has come when we look.
            let wait = i32::try_from(wait.as_millis() + 1).unwrap_or(i32::MAX);
            let timeout = EpollTimeout::try_from(wait).unwrap_or(EpollTimeout::ZERO);
            let count = self.job.epoll.wait(&mut events, timeout).unwrap_or(0);
            for event in &events[..count] {
                match event.data() {
                    SIGNALS => self.take_signals(),
                    COMPLAINTS => self.take_complaints(),
                    _ => self.job.output.handle(*event),
                }
            }
            self.look(count > 0);
        }
    }

    /// When something may have to be done though no event comes.
    fn next_look(&self) -> Instant {
        let waits_early = !self.early.is_empty() && self.ending.is_none();
        let regular = Instant::now() + if waits_early { LOOK_SOON } else { LOOK };
        let phase = match self.phase {
            Phase::Leftover { until } | Phase::Draining { until } => Some(until),
            _ => None,
        };
        let kill_at = self.ending.as_ref().and_then(|ending| ending.kill_at);
        let timeout = self.timeout_at.filter(|_| self.ending.is_none());
        let prompt = self.job.output.next_prompt();
        [phase, kill_at, timeout, prompt]
            .into_iter()
            .flatten()
            .fold(regular, Instant::min)
    }

    /// Does what the time, or what the events left, asks for.
    fn look(&mut self, something_came: bool) {
        let now = Instant::now();
        self.job.output.show_prompts(now);
        if !self.output_failed
            && let Some(error) = self.job.output.failure()
        {
            self.lose_output(error);
        }
        match self.phase {
            Phase::Running => self.look_at_ranks(now),
            Phase::Leftover { until } => {
                if self.childless || now >= until || self.ending.is_some() {
                    self.kill_leftover();
                    self.phase = Phase::Draining {
                        until: now + SILENCE,
                    };
                    self.look(false);
                }
            }
            Phase::Draining { until } => {
                let silent = now >= until && !something_came && !self.job.output.is_held_up();
                if silent {
                    self.job.output.close_all();
                }
                if self.job.output.is_over() {
                    self.finish();
                } else if something_came || self.job.output.is_held_up() {
                    self.phase = Phase::Draining {
                        until: now + SILENCE,
                    };
                }
            }
            Phase::Flushing if self.job.output.is_flushed() => self.phase = Phase::Over,
            Phase::Flushing | Phase::Over => {}
        }
    }

    fn look_at_ranks(&mut self, now: Instant) {
        if let Some(ending) = &mut self.ending {
            if ending.kill_at.is_some_and(|at| now >= at) {
                ending.kill_at = None;
                self.status.get_or_insert(ending.status);
                self.send_all(Signal::SIGKILL);
            }
        } else {
            self.look_for_abort();
            self.look_for_missed();
            if self.timeout_at.is_some_and(|at| now >= at) && self.ending.is_none() {
                let limit = self.request.timeout.unwrap_or_default();
                self.job.output.say(&format!(
                    "the job has run for {} s, its time limit: ending it",
                    limit.as_secs_f64()
                ));
                self.say_waiting(&[]);
                self.end(TIMED_OUT, SHORT_GRACE);
            }
        }
        if self.alive == 0 {
            self.phase = Phase::Leftover {
                until: now + LEFTOVER,
            };
            self.look(false);
        }
    }

    /// All output is in: the launcher's own last lines follow it.
    fn finish(&mut self) {
        if self.request.print_exit_codes {
            let codes = self
                .fates
                .iter()
                .map(|fate| fate.map_or(0, Fate::status).to_string());
            let host = nix::unistd::gethostname().unwrap_or_default();
            let line = format!(
                "Exit codes: [{}] {}",
                host.display(),
                codes.collect::<Vec<_>>().join(",")
            );
            self.job.output.print(&line);
        }
        self.phase = Phase::Flushing;
        self.look(false);
    }

    fn take_signals(&mut self) {
        while let Some(arrival) = self.job.signals.next() {
            match arrival.signal {
                Signal::SIGCHLD => self.reap(),
                Signal::SIGTSTP => {
                    self.pass_on(arrival);
                    stop_self();
                    self.send_all(Signal::SIGCONT);
                }
                signal if ENDING.contains(&signal) => self.interrupt(arrival),
                _ => self.pass_on(arrival),
            }
        }
    }

    /// INT, TERM, HUP or QUIT: passed on; what has not ended in time, or when it comes again, is killed.
    fn interrupt(&mut self, arrival: Arrival) {
        let number = arrival.signal as i32;
        let status = 128 + number as u8;
        if self.phase != Phase::Running {
            self.status.get_or_insert(status);
            self.kill_leftover();
            self.phase = Phase::Over;
            return;
        }
        match &mut self.ending {
            Some(ending) => ending.kill_at = Some(Instant::now()),
            None => {
                let text = signal_text(number);
                self.job.output.say(&format!(
                    "signal {number} ({text}) is passed on to all ranks"
                ));
                self.pass_on(arrival);
                self.send_all(Signal::SIGCONT);
                self.ending = Some(Ending {
                    kill_at: Some(Instant::now() + GRACE),
                    status,
                });
            }
        }
    }

    /// Sends a signal to all ranks, but for those that got it from the terminal already.
    fn pass_on(&self, arrival: Arrival) {
        for number in 0..self.fates.len() {
            if !arrival.from_terminal || self.job.ranks[number].own_group {
                self.send(number, arrival.signal);
            }
        }
    }

    fn send_all(&self, signal: Signal) {
        (0..self.fates.len()).for_each(|number| self.send(number, signal));
    }

    /// To the rank's process group, so that a program under a wrapper gets it too.
    fn send(&self, number: usize, signal: Signal) {
        let rank = &self.job.ranks[number];
        if self.fates[number].is_none() {
            let target = if rank.own_group { -rank.pid } else { rank.pid };
            // SAFETY: plain system call. The process was not waited for, so its number and its group's are its own.
            unsafe { libc::kill(target, signal as i32) };
        }
    }

    /// Ends the job: TERM, then KILL.
    fn end(&mut self, status: u8, grace: Duration) {
        self.status.get_or_insert(status);
        self.send_all(Signal::SIGTERM);
        self.send_all(Signal::SIGCONT);
        self.ending = Some(Ending {
            kill_at: Some(Instant::now() + grace),
            status,
        });
    }

    /// Waits for every child that has ended.
    fn reap(&mut self) {
        loop {
            let mut status = 0;
            // SAFETY: `status` is a valid place for the answer.
            let pid = unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) };
            match pid {
                0 => return,
                -1 if Errno::last() == Errno::EINTR => {}
                -1 => {
                    self.childless = true;
                    return;
                }
                _ => {
                    if let Some(number) = self.by_pid.remove(&pid) {
                        let fate = match libc::WIFSIGNALED(status) {
                            true => Fate::Killed {
                                signal: libc::WTERMSIG(status),
                                core: libc::WCOREDUMP(status),
                            },
                            false => Fate::Exited(libc::WEXITSTATUS(status)),
                        };
                        self.ended(number, fate);
                    }
                }
            }
        }
    }

    /// A rank has ended: marks it in the process table, and decides what that means for the job.
    fn ended(&mut self, number: u32, fate: Fate) {
        let rank = number as usize;
        self.take_complaints();
        self.look_for_abort();
        self.fates[rank] = Some(fate);
        self.alive -= 1;
        self.job.roster.leave(number);
        let state = self.job.segment.state(rank);
        let joined = matches!(state, State::Joining | State::Running);
        let death = match fate {
            Fate::Killed { signal, .. } => Some(Death::Signal(signal)),
            Fate::Exited(status) if joined => Some(Death::Status(status)),
            Fate::Exited(_) => None,
        };
        let known = self.ending.is_some();
        let name = self.name(number);
        if let Some(death) = death {
            let unfinished = matches!(fate, Fate::Exited(_));
            if !known {
                let when = if state == State::Joining {
                    " in MPI_Init"
                } else {
                    " without calling MPI_Finalize"
                };
                let when = if unfinished { when } else { "" };
                self.job
                    .output
                    .say(&format!("{name} {}{when}", fate.text()));
                self.say_waiting(&[number]);
                if !self.request.no_cleanup {
                    // Before the others are told: they end by our signal, not by errors of their own.
                    self.end(fate.status().max(1), SHORT_GRACE);
                }
            }
            self.status.get_or_insert(fate.status().max(1));
            self.job.segment.set_dead(rank, death);
            return;
        }
        self.job.segment.set_exited(rank);
        if state == State::Started {
            self.early.push(number);
        }
        if fate.status() != 0 && self.status.is_none() {
            self.status = Some(fate.status());
            if !known {
                self.job.output.say(&format!("{name} {}", fate.text()));
            }
        }
        self.look_for_missed();
    }

    fn name(&self, number: u32) -> String {
        let rank = &self.job.ranks[number as usize];
        format!("rank {number} (pid {}, {})", rank.pid, rank.program)
    }

    /// Did a rank call MPI_Abort?
    fn look_for_abort(&mut self) {
        if self.ending.is_none()
            && let Some((number, code)) = self.job.segment.abort_request()
        {
            let name = self.name(number);
            self.job
                .output
                .say(&format!("{name} ended the job with status {code}"));
            let status = match code as u8 {
                0 => 1,
                status => status,
            };
            self.status = Some(status);
            self.end(status, SHORT_GRACE);
        }
    }

    /// Does anybody wait in MPI_Init for a rank that left before it?
    fn look_for_missed(&mut self) {
        if self.early.is_empty() || self.ending.is_some() {
            return;
        }
        let joining = |rank: &u32| self.job.segment.state(*rank as usize) == State::Joining;
        let waiting: Vec<u32> = (0..self.fates.len() as u32).filter(joining).collect();
        if waiting.is_empty() {
            return;
        }
        let early = std::mem::take(&mut self.early);
        let Some(fate) = self.fates[early[0] as usize] else {
            return;
        };
        let who = self.name(early[0]);
        let (ranks, verb) = (
            ranks_text(&waiting),
            if waiting.len() == 1 { "waits" } else { "wait" },
        );
        let text = format!(
            "{who} {} before MPI_Init, in which {ranks} {verb} for it",
            fate.text()
        );
        self.job.output.say(&text);
        let status = fate.status().max(1);
        if self.request.no_cleanup {
            self.status.get_or_insert(status);
        } else {
            self.end(status, SHORT_GRACE);
        }
        for rank in early {
            let status = self.fates[rank as usize].map_or(0, Fate::status);
            self.job
                .segment
                .set_dead(rank as usize, Death::Status(status.into()));
        }
    }

    /// Says what the ranks that are alive wait for, but for `except`.
    fn say_waiting(&mut self, except: &[u32]) {
        let ranks = (0..self.fates.len() as u32).filter(|rank| !except.contains(rank));
        let alive = ranks.filter(|rank| self.fates[*rank as usize].is_none());
        let segment = &self.job.segment;
        let waits = alive.flat_map(|rank| {
            segment
                .waiting_for(rank as usize)
                .into_iter()
                .map(move |what| (rank, what))
        });
        for line in waiting_lines(waits, WAITING_LINES) {
            self.job.output.say(&line);
        }
    }

    /// Children that could not become their program.
    fn take_complaints(&mut self) {
        let mut bytes = [0; size_of::<Complaint>()];
        loop {
            match self.job.complaints.read(&mut bytes) {
                Ok(count) if count == bytes.len() => {}
                Ok(_) => {
                    // All have become their programs.
                    let _ = self.job.epoll.delete(&self.job.complaints);
                    return;
                }
                Err(_) => return,
            }
            let word = |at: usize| {
                i32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
            };
            let (number, step, errno) = (word(0) as usize, word(4), Errno::from_raw(word(8)));
            if self.ending.is_none() {
                let program = &self.job.ranks[number].program;
                let what = match step {
                    step if step == Step::Directory as i32 => {
                        "its working directory cannot be entered"
                    }
                    step if step == Step::Descriptors as i32 => "its descriptors cannot be set up",
                    _ => "it cannot be run",
                };
                let text = format!(
                    "program '{program}', rank {number}: {what}: {}",
                    errno.desc()
                );
                self.job.output.say(&text);
                self.status = Some(if errno == Errno::ENOENT { 127 } else { 126 });
                self.end(1, Duration::ZERO);
            }
        }
    }

    /// Our stdout, or a file, takes no more: quietly where the reader left, with a word where the disk is full.
    fn lose_output(&mut self, error: Errno) {
        self.output_failed = true;
        let status = if error == Errno::EPIPE {
            128 + libc::SIGPIPE as u8
        } else {
            1
        };
        if error != Errno::EPIPE {
            self.job.output.say(&format!(
                "cannot write the output of the ranks: {}",
                error.desc()
            ));
        }
        if self.ending.is_none() && self.phase == Phase::Running {
            self.end(status, SHORT_GRACE);
        }
        self.status.get_or_insert(status);
    }

    /// Kills what the ranks left running. Their orphans are our children; the orphans' orphans become so.
    fn kill_leftover(&mut self) {
        let me = std::process::id() as pid_t;
        let deadline = Instant::now() + Duration::from_secs(2);
        self.reap();
        while !self.childless && Instant::now() < deadline {
            for pid in keeper::processes()
                .filter(|pid| *pid != self.job.keeper.pid() && parent_of(*pid) == Some(me))
            {
                // SAFETY: plain system call on our own child, not yet waited for.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            std::thread::sleep(Duration::from_millis(1));
            self.reap();
        }
    }
}

/// The parent's process id: the second field after the name, which is in parentheses and may itself have some.
fn parent_of(pid: pid_t) -> Option<pid_t> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()
}
