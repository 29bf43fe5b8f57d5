//! The process table: what every rank of the job can see of every other, in the segment behind its header. Behind it lies what they
//! have [moved](traffic).
//!
//! It has room for more processes than the job begins with: those that are [started later](super::spawn). A rank in the job is a
//! place in the table. Processes that were started together are a [`World`], whose places lie side by side; what they have in
//! common stands in the entry of the first.
//!
//! Written by the ranks themselves and by the launcher, which marks starts, exits and deaths. All of it is atomics;
//! every word has one writer at a time, as its table of states says.
//!
//! A death is published in this order: fate (relaxed), state (an acquire-release swap: only the first that brings the news goes
//! on), the count of incidents; then everybody is rung. Waiters look at the count alone, one load, until it is not zero. A process
//! that ends outside MPI, before its first session or after its last one, is counted too: it ends the waits in which it has
//! something to do yet, and is no death to the others.

mod process;
mod sleeper;

pub use process::{
    CAME, CORE_WORDS, Death, LEAVING, MET, MISSED, Process, SURVIVES, State, UNFOUND,
};
pub use sleeper::{WAITS, Wait};

use super::cores;
use super::handover::random;
use super::spaces;
use super::ties::Why;
use super::traffic::{self, Rows};
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering, full_fence};
use crate::shm::lock::MAX_RANKS;
use crate::shm::office::{self, Holder, Office};
use crate::shm::segment::Segment;
use crate::shm::{LINE, Offset, PAGE};
use std::ops::Range;

/// Up to so many ranks a wait says who has to end it.
const ROWS: usize = 1 << 12;
/// A job has room for at least so many more processes than it begins with.
const SPARE: u32 = 128;

/// The job as a whole.
#[repr(C, align(128))]
pub struct Job {
    /// Places in the table.
    room: AtomicU32,
    /// Places that were ever given to processes: the first ones. Only grows.
    present: AtomicU32,
    /// Ranks that are dead, or whose processes have ended, and communicators that were revoked. Only grows: a change means "look at
    /// the states, and at the list".
    pub incidents: AtomicU32,
    /// 1 if the launcher watches the ranks and marks their deaths; 0 if the ranks have to look themselves.
    pub watched: AtomicU32,
    /// Of how many cores rank 0 may use the time, by its cgroup; 0 if there is no such limit, or rank 0 has not come yet.
    pub quota: AtomicU32,
    /// A process of which all ranks are descendants: the launcher, or what its ranks find out; 0 if that is not known.
    pub ancestor: AtomicU32,
    /// The name spaces in which the ancestor's number is said: the creator's, see [`spaces`].
    pub spaces: AtomicU64,
    /// Where what is [observed](crate::observe) is kept (an offset); 0: nowhere.
    pub observed: AtomicU64,
    /// The same of what is [checked](crate::check).
    pub checked: AtomicU64,
    /// A number that no other job has.
    pub id: AtomicU64,
    /// The newest piece of the list of [communicators that were revoked](super::revoked) (an offset), or 0.
    pub revoked: AtomicU64,
    /// How many processes the launcher's user says to be useful; 0: none has said it.
    pub universe: AtomicU32,
    /// Who starts processes for the job, see [`super::starter`], and the name spaces in which that is said; 0: not told yet.
    pub starter: Office,
    pub starter_spaces: AtomicU64,
    /// How often launchers have told each other something, see [`super::neighbours`].
    pub tidings: AtomicU32,
    /// How many have died whose places were given to others.
    forgotten: AtomicU32,
}

impl Job {
    /// Places in the table.
    pub fn room(&self) -> usize {
        self.room.load(Ordering::Acquire) as usize
    }

    /// Those that were ever given to processes.
    pub fn present(&self) -> usize {
        self.present.load(Ordering::Acquire) as usize
    }
}

/// Processes that were started together: those of an MPI_COMM_WORLD.
#[repr(C)]
pub struct World {
    /// How many there are.
    pub size: AtomicU32,
    /// Those that have come to MPI_Init.
    pub joined: AtomicU32,
    /// Those that have come to MPI_Finalize.
    pub left: AtomicU32,
    /// 1 + the rank in the job of the process that asked for them; 0: a launcher's user did.
    pub spawner: AtomicU32,
    /// Who has started them, see [`super::neighbours`]; vacant: no launcher of ours.
    pub launcher: Office,
    /// Of how many tidings that one has seen to what they mean.
    pub heard: AtomicU32,
    _pad: u32,
    /// Where they meet (an offset), written by the first before it joins.
    pub meeting: AtomicU64,
}

const _: () = assert!(size_of::<Job>() == LINE);

/// How many processes a table has room for, of a job that begins with so many: some may be started later.
pub fn room_for(ranks: u32) -> u32 {
    ranks
        .saturating_add(SPARE.max(cores::usable()))
        .min(MAX_RANKS as u32)
        .max(ranks)
}

/// The table in a mapped segment.
#[derive(Clone, Copy)]
pub struct Table {
    pub job: &'static Job,
    pub processes: &'static [Process],
    /// What they have moved.
    pub rows: Rows,
    /// A set of ranks for each rank, see [`Table::needs`].
    needs: &'static [AtomicU64],
    /// Two sets of worlds for each rank, see [`super::ties`].
    ties: &'static [AtomicU64],
}

impl Table {
    /// Bytes that a table with this much room takes behind the segment's header.
    pub const fn bytes(room: usize) -> usize {
        let sets = 3 * Table::need_words(room) * 8;
        let each = size_of::<Process>() + traffic::row_bytes(room) + sets;
        size_of::<Job>() + room * each
    }

    /// Where the first rank's entry is in the segment.
    pub(super) const fn first() -> Offset {
        PAGE + size_of::<Job>()
    }

    /// How many words a set of ranks has. None where there are so many ranks that the sets would be most of the table.
    const fn need_words(ranks: usize) -> usize {
        if ranks <= ROWS { ranks.div_ceil(64) } else { 0 }
    }

    /// The set of those that the wait of `rank` needs, a bit each.
    pub fn needs(&self, rank: usize) -> &'static [AtomicU64] {
        let words = Table::need_words(self.processes.len());
        &self.needs[rank * words..][..words]
    }

    /// The worlds that `rank` has noted, a bit each at the number of their first place. Nothing where there are so many ranks.
    pub(super) fn ties(&self, rank: u32, why: Why) -> &'static [AtomicU64] {
        let words = Table::need_words(self.processes.len());
        &self.ties[(2 * rank as usize + why as usize) * words..][..words]
    }

    /// Lays a table out in a fresh segment, with `room` places, the first of which are for a world of `ranks` processes.
    pub fn create(segment: &'static Segment, ranks: u32, room: u32, watched: bool) -> Table {
        // SAFETY: the creator made room for the table (`bytes`) behind the header page; a fresh segment is zero, which is
        // a valid value of all of it, and `Job` is atomics only.
        let job = unsafe { &*segment.at::<Job>(PAGE) };
        job.watched.store(watched.into(), Ordering::Relaxed);
        job.spaces.store(spaces::own(), Ordering::Relaxed);
        job.id.store(random(), Ordering::Relaxed);
        job.room.store(room, Ordering::Release);
        let table = Table::open(segment);
        table.enroll(0, ranks, None, None);
        table
    }

    /// Gives the places from `first` on to the processes of a new world, `size` of them, which `spawner` has asked for and `launcher`
    /// starts. Only one at a time does so: the maker of the table, then a launcher whose [turn](super::neighbours::Turn) it is.
    pub fn enroll(&self, first: u32, size: u32, spawner: Option<u32>, launcher: Option<Holder>) {
        self.part(first..first + size);
        for rank in first..first + size {
            let process = &self.processes[rank as usize];
            match process.state() {
                State::Unborn => {}
                state => {
                    let died = u32::from(state == State::Dead);
                    self.job.forgotten.fetch_add(died, Ordering::AcqRel);
                    for word in [Why::Shared, Why::Named]
                        .into_iter()
                        .flat_map(|why| self.ties(rank, why))
                    {
                        word.store(0, Ordering::Relaxed);
                    }
                    process.renew();
                }
            }
            process.first.store(first, Ordering::Relaxed);
        }
        if size > 0 {
            let world = self.world(first);
            world.size.store(size, Ordering::Relaxed);
            let spawner = spawner.map_or(0, |rank| rank + 1);
            world.spawner.store(spawner, Ordering::Relaxed);
            launcher.into_iter().for_each(|it| world.launcher.give(it));
            // What was told before is none of its business.
            let told = self.job.tidings.load(Ordering::Acquire);
            world.heard.store(told, Ordering::Relaxed);
        }
        self.job.present.fetch_max(first + size, Ordering::AcqRel);
    }

    /// Worlds that are over, of which these places are taken: those of their places that are not are worlds of one each, as the
    /// place of the first is another world's.
    fn part(&self, taken: Range<u32>) {
        let is_used = |&rank: &u32| self.processes[rank as usize].state() != State::Unborn;
        for rank in taken.clone().filter(is_used) {
            let (first, world) = (self.first_of(rank), self.world(rank));
            let old = first..first + world.size.load(Ordering::Relaxed);
            let spawner = world.spawner.load(Ordering::Relaxed);
            let is_forgotten = self.is_forgotten(first);
            for left in old.filter(|rank| !taken.contains(rank)) {
                let process = &self.processes[left as usize];
                if !is_forgotten {
                    // Those that have to do with it have noted the first place.
                    process.heap.bequeath();
                }
                process.first.store(left, Ordering::Relaxed);
                process.world.size.store(1, Ordering::Relaxed);
                process.world.spawner.store(spawner, Ordering::Relaxed);
                if let office::State::Held(launcher) = world.launcher.state() {
                    process.world.launcher.give(launcher);
                }
            }
        }
    }

    /// Whether the places of the world of `rank` can be given to others: all of it have ended, in order and after they have met those
    /// that have asked for them, or else so that nobody has to do with them any more.
    pub fn is_over(&self, rank: u32) -> bool {
        let first = self.first_of(rank);
        let size = self.world(rank).size.load(Ordering::Relaxed) as usize;
        let members = &self.processes[first as usize..][..size];
        let in_order = |process: &Process| process.state() == State::Exited;
        let is_done = |process: &Process| in_order(process) && process.says(MET);
        // Of what has quit, where its launcher is gone nobody makes a death any more.
        let is_left = || self.has_lost_launcher(rank);
        let is_over = |process: &Process| {
            let state = process.state();
            let died = state == State::Dead || state == State::Quit && is_left();
            in_order(process) || died
        };
        // First what the ports say: who comes to know one there is noted before they say it no more.
        let is_forgotten = || {
            (first..)
                .zip(members)
                .all(|(rank, _)| self.leaves_ports(rank))
                && self.is_forgotten(first)
        };
        members.iter().all(is_done) || members.iter().all(is_over) && is_forgotten()
    }

    /// The first of the world of `rank`.
    pub fn first_of(&self, rank: u32) -> u32 {
        self.processes[rank as usize].first.load(Ordering::Relaxed)
    }

    /// The world of `rank`.
    pub fn world(&self, rank: u32) -> &'static World {
        &self.processes[self.first_of(rank) as usize].world
    }

    /// The places that were ever given to processes.
    pub fn present(&self) -> &'static [Process] {
        &self.processes[..self.job.present()]
    }

    /// The table that is in the segment.
    pub fn open(segment: &'static Segment) -> Table {
        // SAFETY: every segment has a table behind its header page, laid out by `create` before others get the descriptor;
        // it is made of atomics and lives as long as the mapping.
        unsafe {
            let job = &*segment.at::<Job>(PAGE);
            let ranks = job.room();
            let first = segment.at::<Process>(Table::first());
            let rows = Table::first() + ranks * size_of::<Process>();
            let needs = segment.at::<AtomicU64>(rows + ranks * traffic::row_bytes(ranks));
            let words = ranks * Table::need_words(ranks);
            Table {
                job,
                processes: std::slice::from_raw_parts(first, ranks),
                rows: Rows::open(segment, rows, ranks),
                needs: std::slice::from_raw_parts(needs, words),
                ties: std::slice::from_raw_parts(needs.add(words), 2 * words),
            }
        }
    }

    /// Rings everybody: something that any of them may wait for has happened.
    pub fn ring_all(&self) {
        full_fence();
        self.present().iter().for_each(Process::ring_sleepers);
    }

    /// Marks a rank dead, once, and rings everybody.
    pub fn bury(&self, rank: usize, death: Death) {
        let process = &self.processes[rank];
        let fate = match death {
            Death::Signal(n) => n,
            Death::Status(n) => 256 + n,
            Death::Unseen | Death::Ended | Death::Left => -1,
        };
        process.fate.store(fate, Ordering::Relaxed);
        if process.state.swap(State::Dead as u32, Ordering::AcqRel) != State::Dead as u32 {
            self.job.incidents.fetch_add(1, Ordering::AcqRel);
            self.ring_all();
        }
    }

    /// Marks a rank whose process ended when it was not in MPI, and rings everybody.
    pub fn retire(&self, rank: usize) {
        let outside = [State::Unborn, State::Started, State::Finalized];
        if self.processes[rank].change_state(&outside, State::Exited) {
            self.job.incidents.fetch_add(1, Ordering::AcqRel);
            self.ring_all();
        }
    }

    /// Marks a rank whose process ended with status 0 while MPI was initialized, and rings everybody: they may miss it. False
    /// if MPI was not initialized.
    pub fn quit(&self, rank: usize) -> bool {
        let quit = self.processes[rank].change_state(&[State::Running], State::Quit);
        if quit {
            self.job.incidents.fetch_add(1, Ordering::AcqRel);
            self.ring_all();
        }
        quit
    }

    /// How a rank ended, if it does nothing for others any more: its process is gone, or left when another had died.
    pub fn end(&self, rank: u32) -> Option<Death> {
        let died = |p: &Process| p.state() == State::Dead;
        self.gone(rank).or_else(|| {
            let left = self.processes[rank as usize].is_leaving();
            let some_died = || {
                self.job.forgotten.load(Ordering::Acquire) != 0 || self.present().iter().any(died)
            };
            (left && some_died()).then_some(Death::Left)
        })
    }

    /// How a rank's process ended, if it did.
    pub fn gone(&self, rank: u32) -> Option<Death> {
        let process = &self.processes[rank as usize];
        match process.state() {
            State::Exited => Some(Death::Ended),
            State::Quit => Some(Death::Status(0)),
            _ => process.death(),
        }
    }

    /// The first of `ranks` that is dead, and how it died.
    pub fn first_dead(&self, mut ranks: impl Iterator<Item = u32>) -> Option<(u32, Death)> {
        if self.job.incidents.load(Ordering::Acquire) == 0 {
            return None;
        }
        ranks.find_map(|r| Some((r, self.processes[r as usize].death()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_wrapper_gives_way_to_its_programs() {
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(2)).unwrap()));
        let table = Table::create(segment, 2, 2, true);
        let (wrapper, program) = (5, 7);
        let [late, early] = table.processes else {
            panic!("two ranks")
        };
        late.start(wrapper);
        assert_eq!(late.pid.load(Ordering::Relaxed), wrapper);
        late.pid.store(program, Ordering::Relaxed);
        early.pid.store(program, Ordering::Relaxed);
        early.set_state(State::Joining);
        early.start(wrapper);
        for process in [late, early] {
            assert_eq!(process.pid.load(Ordering::Relaxed), program);
        }
        assert_eq!(late.state(), State::Started);
        assert_eq!(early.state(), State::Joining);
    }
}
