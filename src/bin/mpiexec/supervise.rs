//! The life of a job, from the start of its ranks to the launcher's exit status: one event loop, one thread.
//!
//! | phase    | until                                                                                         |
//! |----------|-----------------------------------------------------------------------------------------------|
//! | Running  | all ranks have ended                                                                          |
//! | Leftover | what the ranks left running has ended too; after a second, or if the job failed, it is killed |
//! | Draining | all pipes are closed and read; a second of silence is enough if a stranger holds one open      |
//! | Flushing | our stdout and stderr have taken everything                                                   |
//!
//! The launcher is a subreaper: what the ranks leave behind becomes its child and is found.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::time::{Duration, Instant};

use libc::pid_t;
use nix::errno::Errno;
use nix::sys::epoll::{EpollEvent, EpollTimeout};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rmashm::launching::{ORDER, parent_of};

use crate::checked::Told;
use crate::foreign;
use crate::helper;
use crate::keeper;
use crate::launch::{COMPLAINTS, Launched, Rank, SIGNALS};
use crate::observed;
use crate::quitters::Quitters;
use crate::report::Fate;
use crate::request::Request;
use crate::signals::{Arrival, ENDING, stop_self};
use crate::spawn::signal_text;
use crate::standstill::Standstill;

/// Between passing on a signal that ends the job and killing what has not ended.
const GRACE: Duration = Duration::from_secs(5);
/// The same where a rank failed and nobody waits for an orderly end.
pub const SHORT_GRACE: Duration = Duration::from_secs(2);
const LEFTOVER: Duration = Duration::from_secs(1);
const SILENCE: Duration = Duration::from_secs(1);
/// How often the process table is looked at for what no signal tells: an MPI_Abort under a wrapper, others coming
/// to wait for a rank that is gone, and ranks waiting for each other.
const LOOK: Duration = Duration::from_millis(150);
const LOOK_SOON: Duration = Duration::from_millis(50);
/// The exit status after `-timeout`, that of GNU timeout.
const TIMED_OUT: u8 = 124;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    Running,
    Leftover { until: Instant },
    Draining { until: Instant },
    Flushing,
    Over,
}

/// The job is being ended.
pub struct Ending {
    /// When what is left is killed; none once it was.
    kill_at: Option<Instant>,
    /// The status, should everything that fails do so because we killed it.
    status: u8,
}

/// A part of the job is being ended: ranks that are connected, and with the others no more.
struct Parting {
    /// Those that have not ended.
    ranks: Vec<u32>,
    /// When they are killed; none once they were.
    kill_at: Option<Instant>,
}

/// The job, and where it stands.
pub struct Supervisor<'a> {
    pub request: &'a Request,
    pub job: Launched,
    pub by_pid: HashMap<pid_t, u32>,
    /// Of each place in the job; where it is another launcher's there is nobody to be watched over.
    pub fates: Vec<Option<Fate>>,
    /// Ranks still alive.
    pub alive: usize,
    pub phase: Phase,
    pub ending: Option<Ending>,
    /// Parts of it that are being ended while the others go on.
    parting: Vec<Parting>,
    /// The exit status of the first rank to fail.
    pub status: Option<u8>,
    /// Ranks that left before MPI_Init.
    pub early: Vec<u32>,
    /// Ranks that left after it with status 0, and without MPI_Finalize.
    pub quit: Quitters,
    pub standstill: Standstill,
    /// What was told of what ranks do wrong.
    pub checked: Told,
    /// Looks for ranks of another MPI.
    pub foreign: foreign::Looks,
    /// No child is left but the keeper.
    pub childless: bool,
    /// The output's end was announced.
    pub output_failed: bool,
    pub timeout_at: Option<Instant>,
    /// Since when there is no room for those that a rank asks for.
    pub unfilled: BTreeMap<u32, Instant>,
    /// Of which processes of other launchers it has been heard that they are dead: ranks, and how many had their places before.
    pub heard: BTreeSet<(u32, u32)>,
}

/// Watches the job until it is over; gives the launcher's exit status.
pub fn supervise(request: &Request, job: Launched) -> u8 {
    let mut supervisor = Supervisor::of(request, job);
    supervisor.run();
    if request.verbose {
        supervisor.tell_adoptions();
    }
    let is_told = observed::tell(request, &supervisor.job.segment, |text| {
        let _ = writeln!(std::io::stderr(), "mpiexec: {text}");
    });
    supervisor.status.unwrap_or(u8::from(!is_told))
}

impl<'a> Supervisor<'a> {
    fn of(request: &'a Request, job: Launched) -> Supervisor<'a> {
        let was_started = |rank: &Rank| (rank.pid == 0).then_some(Fate::Exited(0));
        let mut fates: Vec<_> = job.ranks.iter().map(was_started).collect();
        for (guest, fate) in (0..job.guests).zip(&mut fates) {
            *fate = helper::former_fate(&job.segment, guest);
        }
        // What has become of others before concerned those that were there then.
        let old = job.segment.news().into_iter();
        let heard = old.map(|news| (news.rank, news.generation)).collect();
        let own = (0..).zip(&job.ranks).skip(job.guests as usize);
        let own = own.filter(|(_, rank)| rank.pid != 0);
        let by_pid = own.map(|(number, rank)| (rank.pid, number)).collect();
        Supervisor {
            request,
            by_pid,
            alive: fates.iter().filter(|fate| fate.is_none()).count(),
            fates,
            phase: Phase::Running,
            ending: None,
            parting: Vec::new(),
            status: None,
            early: Vec::new(),
            quit: Quitters::default(),
            standstill: Standstill::default(),
            checked: Told::default(),
            foreign: foreign::Looks::begin(),
            childless: false,
            output_failed: false,
            unfilled: BTreeMap::new(),
            heard,
            timeout_at: request.timeout.map(|limit| Instant::now() + limit),
            job,
        }
    }
}

impl Supervisor<'_> {
    /// Says how much memory of its own each rank had in the job's shared memory, and why some had not.
    fn tell_adoptions(&mut self) {
        let places = 0..self.job.ranks.len();
        for rank in places.filter(|&rank| self.job.segment.is_mine(rank as u32)) {
            let (bytes, refusal) = self.job.segment.adopted(rank);
            if bytes > 0 {
                let text = format!("rank {rank}: {bytes} bytes of its own memory were adopted");
                self.job.output.say(&text);
            }
            if let Some(refusal) = refusal {
                let why = refusal.text();
                let text = format!("rank {rank}: some of its own memory was not adopted: {why}");
                self.job.output.say(&text);
            }
        }
    }

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
        let may_be_missed = !self.early.is_empty() || self.quit.is_any();
        let soon = may_be_missed && self.ending.is_none();
        let regular = Instant::now() + if soon { LOOK_SOON } else { LOOK };
        let phase = match self.phase {
            Phase::Leftover { until } | Phase::Draining { until } => Some(until),
            _ => None,
        };
        let kill_at = self.ending.as_ref().and_then(|ending| ending.kill_at);
        let parting = self.parting.iter().filter_map(|part| part.kill_at).min();
        let timeout = self.timeout_at.filter(|_| self.ending.is_none());
        let prompt = self.job.output.next_prompt();
        let foreign = self.foreign.next();
        let standstill = self.standstill.next(Instant::now());
        let standstill = standstill.filter(|_| self.ending.is_none());
        [
            phase, kill_at, parting, timeout, prompt, foreign, standstill,
        ]
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
        self.look_for_findings();
        self.look_for_departed();
        self.look_for_news();
        if let Some(ending) = &mut self.ending {
            if ending.kill_at.is_some_and(|at| now >= at) {
                ending.kill_at = None;
                self.status.get_or_insert(ending.status);
                self.send_all(Signal::SIGKILL);
            }
        } else {
            self.kill_parting(now);
            self.look_for_abort();
            self.look_for_orders();
            self.look_for_missed();
            self.look_for_quitters(now);
            self.look_for_standstill(now);
            self.look_for_foreign(now);
            if self.timeout_at.is_some_and(|at| now >= at) && self.ending.is_none() {
                let limit = self.request.timeout.unwrap_or_default();
                self.job.output.say(&format!(
                    "the job has run for {} s, its time limit: ending it",
                    limit.as_secs_f64()
                ));
                let all: Vec<u32> = (0..self.fates.len() as u32).collect();
                self.say_waiting(&all);
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
        self.sum_up_findings();
        if self.request.print_exit_codes {
            let guests = self.job.guests as usize;
            let of_this_one = (0..).zip(&self.job.ranks).zip(&self.fates);
            let of_this_one =
                of_this_one.filter(|((rank, started), _)| *rank < guests || started.pid != 0);
            let codes = of_this_one.map(|(_, fate)| fate.map_or(0, Fate::status).to_string());
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
                Signal::SIGCHLD => {
                    self.reap();
                    self.look_for_orders();
                }
                ORDER => {
                    self.look_for_news();
                    self.look_for_orders();
                }
                Signal::SIGTSTP => {
                    self.pass_on(arrival);
                    stop_self();
                    self.send_all(Signal::SIGCONT);
                }
                // A helper ends with the job, and that in its own way.
                signal if ENDING.contains(&signal) && self.job.guests == 0 => {
                    self.interrupt(arrival);
                }
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

    /// Sends a signal to all ranks that were started here, but for those that got it from the terminal already.
    fn pass_on(&self, arrival: Arrival) {
        for number in self.job.guests as usize..self.fates.len() {
            if !arrival.from_terminal || self.job.ranks[number].own_group {
                self.send(number, arrival.signal);
            }
        }
    }

    fn send_all(&self, signal: Signal) {
        (0..self.fates.len()).for_each(|number| self.send(number, signal));
    }

    fn send(&self, number: usize, signal: Signal) {
        let rank = &self.job.ranks[number];
        // A process that was not waited for has its number, and its group's, for itself. Of another's it was looked whether it is there.
        if self.fates[number].is_none() && rank.pid != 0 {
            let _ = kill(rank.target(), signal);
        }
    }

    /// Ends the job: TERM, then KILL.
    pub fn end(&mut self, status: u8, grace: Duration) {
        self.status.get_or_insert(status);
        self.send_all(Signal::SIGTERM);
        self.send_all(Signal::SIGCONT);
        self.ending = Some(Ending {
            kill_at: Some(Instant::now() + grace),
            status,
        });
    }

    /// Ends those of the ranks that live, as [`Supervisor::end`]; the others go on. If there are no others, the job ends.
    pub fn end_part(&mut self, ranks: &[u32], status: u8, grace: Duration) {
        let ranks = ranks.iter().copied();
        let ranks: Vec<u32> = ranks.filter(|&rank| self.lives(rank)).collect();
        if ranks.len() == self.alive {
            self.end(status, grace);
            return;
        }
        self.status.get_or_insert(status);
        for signal in [Signal::SIGTERM, Signal::SIGCONT] {
            ranks
                .iter()
                .for_each(|&rank| self.send(rank as usize, signal));
        }
        let text = format!(
            "not connected with it, and so to go on: {}",
            self.others_than(&ranks)
        );
        self.job.output.say(&text);
        if !ranks.is_empty() {
            let kill_at = Some(Instant::now() + grace);
            self.parting.push(Parting { ranks, kill_at });
        }
    }

    /// Those that are connected with any of these, themselves among them.
    pub fn connected(&self, ranks: &[u32]) -> Vec<u32> {
        let segment = &self.job.segment;
        let mut connected = Vec::new();
        for &rank in ranks {
            if !connected.contains(&rank) {
                connected.extend(segment.connected(rank));
            }
        }
        connected.sort_unstable();
        connected.dedup();
        connected
    }

    /// Whether this launcher watches over the rank, and it has not ended.
    pub fn lives(&self, rank: u32) -> bool {
        self.fates.get(rank as usize).is_some_and(Option::is_none)
    }

    /// Whether the rank is being ended.
    pub fn is_ending(&self, rank: u32) -> bool {
        let mut parting = self.parting.iter();
        self.ending.is_some() || parting.any(|part| part.ranks.contains(&rank))
    }

    /// The rank has ended, and is being ended no more.
    pub fn has_parted(&mut self, rank: u32) {
        for part in &mut self.parting {
            part.ranks.retain(|&other| other != rank);
        }
        self.parting.retain(|part| !part.ranks.is_empty());
    }

    /// Kills those that have not ended in time.
    fn kill_parting(&mut self, now: Instant) {
        let mut late = Vec::new();
        for part in &mut self.parting {
            if part.kill_at.is_some_and(|at| now >= at) {
                part.kill_at = None;
                late.extend(&part.ranks);
            }
        }
        late.into_iter()
            .for_each(|rank: u32| self.send(rank as usize, Signal::SIGKILL));
    }

    /// Waits for every child that has ended.
    fn reap(&mut self) {
        loop {
            let mut status = 0;
            // Not nix's: it refuses the status of a process that a real-time signal has killed.
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

    /// Kills what the ranks left running. Their orphans are our children; the orphans' orphans become so.
    fn kill_leftover(&mut self) {
        let me = std::process::id();
        let deadline = Instant::now() + Duration::from_secs(2);
        self.reap();
        while !self.childless && Instant::now() < deadline {
            for pid in keeper::processes()
                .filter(|pid| *pid != self.job.keeper.pid() && parent_of(*pid as u32) == Some(me))
            {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
            std::thread::sleep(Duration::from_millis(1));
            self.reap();
        }
    }
}
