//! What has happened to a rank, and what that means for the job: whether it goes on, and with which status it ends.
//!
//! An end while Joining or Running is a death, as is any signal. An exit with a status other than 0 after MPI_Finalize, or of a
//! program that is not an MPI program, is the job's status and lets the others finish. A rank that left before MPI_Init while
//! others wait in it counts as dead too. MPI_Abort is a request in the process table.
//!
//! At a death the launcher says which rank died how and what the sleepers wait for, sends TERM to all that are connected with it, and only then
//! marks the death in the table: so the others end by the signal and not by errors of their own. After 2 s it sends KILL. Those that have
//! disconnected from it go on. Where one of those connected has an error handler by which it goes on (the process table says so), or with
//! `-disable-auto-cleanup`, there is no signal: waits end with `MPI_ERR_PROC_FAILED`, and a rank without such a handler ends the job when it meets
//! the error. A rank's MPI program that outlives the wrapper that the launcher started is killed when that ends, before the others hear that the
//! rank is dead.

use std::io::Read;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use rmashm::launching::{Death, State};

use crate::report::{Fate, ranks_text, waiting_lines};
use crate::spawn::{Complaint, why};
use crate::supervise::{Phase, SHORT_GRACE, Supervisor};

/// The status of the dynamic loader that has not found a library or a name, and of a shell that has not found a program.
const NOT_FOUND: i32 = 127;
const NOT_FOUND_HINT: &str = ": something was not found; of a program or a library, rmashm-abi FILE tells which MPI it asks for, and what is missing";

/// At most so many lines tell what the others waited for.
const WAITING_LINES: usize = 16;

impl Supervisor<'_> {
    /// A rank has ended: marks it in the process table, and decides what that means for the job.
    pub fn ended(&mut self, number: u32, fate: Fate) {
        let rank = number as usize;
        self.take_complaints();
        self.look_for_abort();
        let is_ending = self.is_ending(number);
        self.has_parted(number);
        self.fates[rank] = Some(fate);
        self.alive -= 1;
        self.job.roster.leave(number);
        if fate == Fate::Exited(0) && !is_ending && self.job.segment.set_quit(rank) {
            self.quit.add(number);
            return;
        }
        let state = self.job.segment.state(rank);
        // Dead: the others have found its MPI process gone before the script that had started it ended.
        let joined = matches!(state, State::Joining | State::Running | State::Dead);
        if matches!(state, State::Joining | State::Running)
            && let Some(process) = self.job.segment.pid(rank)
            && process != self.job.ranks[rank].pid
        {
            // What has started the MPI program is gone, and the rank is to be so before the others hear it.
            self.job.keeper.kill(process);
        }
        let death = match fate {
            Fate::Killed { signal, .. } => Some(Death::Signal(signal)),
            Fate::Exited(status) if joined => Some(Death::Status(status)),
            Fate::Unseen if joined => Some(Death::Unseen),
            Fate::Exited(_) | Fate::Unseen => None,
        };
        // Whoever closed our stdout does not want to hear of it, here as with several ranks.
        let reader_left = self.job.direct && fate.status() == 128 + libc::SIGPIPE as u8;
        let known = is_ending || reader_left;
        if let Some(death) = death {
            let when = match (fate, state) {
                (Fate::Killed { .. }, _) => "",
                (_, State::Joining) => " in MPI_Init",
                _ => self.without(number),
            };
            self.died(number, death, known, &format!("{}{when}", fate.text()));
            return;
        }
        self.job.segment.set_exited(rank);
        if !self.job.segment.came(rank) {
            self.early.push(number);
        }
        if fate.status() != 0 && self.status.is_none() {
            self.status = Some(fate.status());
            if !known {
                let hint = match fate {
                    Fate::Exited(NOT_FOUND) if !self.job.segment.came(rank) => NOT_FOUND_HINT,
                    _ => "",
                };
                let text = format!("{} {}{hint}", self.name(number), fate.text());
                self.job.output.say(&text);
            }
        }
        self.look_for_missed();
    }

    /// A rank that others may need is dead: says `how`, if it is not `known` why it had to die, and ends those that are connected with it,
    /// if none of them goes on without the rank.
    fn died(&mut self, number: u32, death: Death, known: bool, how: &str) {
        let rank = number as usize;
        let status = self.fates[rank].map_or(0, Fate::status).max(1);
        if !known {
            let text = format!("{} {how}", self.name(number));
            self.job.output.say(&text);
            let connected = self.job.segment.connected(number);
            self.say_waiting(&connected);
            if !self.request.no_cleanup && !self.one_survives(&connected) {
                // Before the others are told: they end by our signal, not by errors of their own.
                self.end_part(&connected, status, SHORT_GRACE);
            }
        }
        let so_far = *self.status.get_or_insert(status);
        // What was ended for another's sake has no status of its own.
        let told = if known { so_far } else { status };
        self.job.segment.tell(number, told, known);
        self.job.segment.set_dead(rank, death);
    }

    /// Has a rank come to need one that left with status 0 and without MPI_Finalize? Then that was a death. If nobody has to the
    /// end of the job, or for long, one line says that they left.
    pub fn look_for_quitters(&mut self, now: Instant) {
        if self.ending.is_some() {
            return;
        }
        while self.alive > 0
            && let Some(number) = self.quit.take_missed(&self.job.segment)
        {
            let how = format!("{}{}", Fate::Exited(0).text(), self.without(number));
            self.died(number, Death::Status(0), false, &how);
        }
        let (is_over, how) = (self.alive == 0, Fate::Exited(0).text());
        let rest = if is_over { "" } else { "; the others go on" };
        // Each call that is missing has a line.
        let news = self.quit.news(now, is_over);
        let (in_sessions, in_world): (Vec<u32>, Vec<u32>) = news
            .iter()
            .partition(|rank| self.has_sessions_alone(**rank));
        for ranks in [in_world, in_sessions] {
            if let [first, ..] = ranks[..] {
                let (ranks, without) = (ranks_text(&ranks), self.without(first));
                let text = format!("{ranks} {how}{without}{rest}");
                self.job.output.say(&text);
            }
        }
    }

    /// What a rank that is in MPI has not done before its end.
    fn without(&self, number: u32) -> &'static str {
        match self.has_sessions_alone(number) {
            true => " without calling MPI_Session_finalize",
            false => " without calling MPI_Finalize",
        }
    }

    fn has_sessions_alone(&self, number: u32) -> bool {
        self.job.segment.has_sessions_alone(number as usize)
    }

    /// Did ranks call MPI_Abort? Of those that are connected the first ends all.
    pub fn look_for_abort(&mut self) {
        for number in 0..self.fates.len() as u32 {
            let code = match self.lives(number) {
                true => self.job.segment.take_abort_request(number),
                false => None,
            };
            let Some(code) = code else {
                continue;
            };
            if self.is_ending(number) {
                continue;
            }
            self.look_for_findings();
            if self.ends_by_finding(code) {
                return;
            }
            let name = self.name(number);
            self.job
                .output
                .say(&format!("{name} ended the job with status {code}"));
            let status = match code as u8 {
                0 => 1,
                status => status,
            };
            // After a death it is how the survivors end the job, whose status is the death's.
            self.status.get_or_insert(status);
            let connected = self.job.segment.connected(number);
            self.end_part(&connected, status, SHORT_GRACE);
        }
    }

    /// Does one of the ranks that is alive have an error handler by which it goes on? It then ends the job, or whoever has none and
    /// meets the error.
    pub fn one_survives(&self, ranks: &[u32]) -> bool {
        let ranks = ranks.iter().copied();
        let mut alive = ranks.filter(|&rank| self.lives(rank) || !self.job.segment.is_mine(rank));
        alive.any(|rank| self.job.segment.survives(rank as usize))
    }

    /// The ranks that are alive and none of these, in words.
    pub fn others_than(&self, ranks: &[u32]) -> String {
        let others = (0..self.fates.len() as u32).filter(|rank| !ranks.contains(rank));
        let alive = others.filter(|&rank| self.fates[rank as usize].is_none());
        ranks_text(&alive.collect::<Vec<_>>())
    }

    /// Does anybody wait in MPI_Init for a rank that left before it?
    pub fn look_for_missed(&mut self) {
        if self.early.is_empty() || self.ending.is_some() {
            return;
        }
        // Who has not come there is opening a session.
        let in_init = |rank: &u32| {
            let rank = *rank as usize;
            self.job.segment.state(rank) == State::Joining && self.job.segment.came(rank)
        };
        let own = (0..self.fates.len() as u32).filter(|&rank| self.lives(rank));
        let waiting: Vec<u32> = own.filter(in_init).collect();
        // Each waits for those that were started together with it.
        let world = |rank: &u32| self.job.segment.first_of(*rank);
        let Some(missed) = waiting.iter().map(world).find(|missed| {
            let mut early = self.early.iter().map(world);
            early.any(|world| world == *missed)
        }) else {
            return;
        };
        let of_it = |rank: &u32| self.job.segment.first_of(*rank) == missed;
        let waiting: Vec<u32> = waiting.into_iter().filter(of_it).collect();
        let (early, others) = self.early.iter().partition(|rank| of_it(rank));
        let early: Vec<u32> = early;
        self.early = others;
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
            let connected = self.job.segment.connected(missed);
            self.end_part(&connected, status, SHORT_GRACE);
        }
        for rank in early {
            let status = self.fates[rank as usize].map_or(0, Fate::status);
            self.job
                .segment
                .set_dead(rank as usize, Death::Status(status.into()));
        }
    }

    /// Says what those of the ranks that are alive wait for.
    pub fn say_waiting(&mut self, ranks: &[u32]) {
        let ranks = ranks.iter().copied();
        let alive = ranks.filter(|&rank| self.lives(rank));
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
    pub fn take_complaints(&mut self) {
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
                let text = format!("program '{program}', rank {number}: {}", why(step, errno));
                self.job.output.say(&text);
                self.status = Some(if errno == Errno::ENOENT { 127 } else { 126 });
                self.end(1, Duration::ZERO);
            }
        }
    }

    /// Our stdout, or a file, takes no more: quietly where the reader left, with a word where the disk is full.
    pub fn lose_output(&mut self, error: Errno) {
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
}
