//! Which other worlds this process has to do with: so the launcher knows which worlds are connected (MPI 4.1 §11.10.4), and when
//! nobody names a process any more that has died.
//!
//! A process notes the first places of such worlds in two sets of the segment, its own to write:
//!
//! | set    | a world is there as long as                                                                    |
//! |--------|------------------------------------------------------------------------------------------------|
//! | Shared | the process has a communicator, window or file with some of it (what a meeting belongs to)     |
//! | Named  | the process has a group with some of it, or is about to make a communicator with some of it    |
//!
//! Two worlds are **connected** if a process of each has the other among those that it shares something with. Both are asked, as one
//! of two that disconnect is always the first: from then on it is independent. Until a world has met the one that has asked for it, it is
//! that one's: it ends with it. But those that have asked hear of its end by an error of their call alone. And connected is what is so by
//! way of others.
//!
//! Where the job has room for so many processes that the sets would be most of the table, there are none: then all are connected,
//! and none is forgotten.

use super::table::{MET, Process, State, Table};
use super::try_job;
use crate::bail;
use crate::error::Result;
use crate::shm::atomic::Ordering;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Why a world is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    Shared,
    Named,
}

/// How many [`Ties`] this process has with a world.
static COUNTS: Mutex<BTreeMap<(Why, u32), u32>> = Mutex::new(BTreeMap::new());

/// Notes worlds as long as it lives.
#[derive(Debug)]
pub struct Ties {
    why: Why,
    worlds: Box<[u32]>,
}

impl Default for Ties {
    /// To nobody.
    fn default() -> Ties {
        Ties {
            why: Why::Named,
            worlds: Box::default(),
        }
    }
}

impl Ties {
    /// To the worlds of these processes, by their ranks in the job, but for the caller's own.
    pub fn to(why: Why, members: &[u32]) -> Ties {
        let others = try_job().filter(|job| !members.iter().all(|&m| job.is_of_world(m)));
        let Some(job) = others else {
            return Ties::default();
        };
        let others = members.iter().filter(|&&member| !job.is_of_world(member));
        let mut worlds: Vec<u32> = others.map(|&m| job.table.first_of(m)).collect();
        worlds.sort_unstable();
        worlds.dedup();
        let mut counts = COUNTS.lock();
        for &world in &worlds {
            let count = counts.entry((why, world)).or_default();
            *count += 1;
            if *count == 1 {
                job.table.note(job.rank, why, world);
            }
        }
        Ties {
            why,
            worlds: worlds.into(),
        }
    }

    pub fn are_none(&self) -> bool {
        self.worlds.is_empty()
    }
}

impl Drop for Ties {
    fn drop(&mut self) {
        if self.worlds.is_empty() {
            return;
        }
        let Some(job) = try_job() else { return };
        let mut counts = COUNTS.lock();
        for &world in &self.worlds {
            let count = counts.entry((self.why, world)).or_default();
            *count -= 1;
            if *count == 0 {
                counts.remove(&(self.why, world));
                job.table.unnote(job.rank, self.why, world);
            }
        }
    }
}

impl Table {
    /// What `rank` is called where others hear of it that may not have to do with it yet: its place, and how many had that before.
    pub fn named(&self, rank: u32) -> u64 {
        let generation = &self.processes[rank as usize].generation;
        u64::from(generation.load(Ordering::Acquire)) << 32 | u64::from(rank)
    }

    /// The rank of that [name](Table::named), and the caller's ties to its world. Error: `MPI_ERR_PROC_FAILED` (another process has its
    /// place).
    pub fn tie(&self, name: u64) -> Result<(u32, Ties)> {
        let rank = name as u32;
        if rank as usize >= self.present().len() {
            bail!(Other, "rank {rank} is none of the job");
        }
        let ties = Ties::to(Why::Named, &[rank]);
        // From here on it is not given away.
        match self.named(rank) == name {
            true => Ok((rank, ties)),
            false => bail!(ProcFailed, "rank {rank} of the job has ended"),
        }
    }

    pub(super) fn note(&self, rank: u32, why: Why, world: u32) {
        if let Some(word) = self.ties(rank, why).get(world as usize / 64) {
            word.fetch_or(1 << (world % 64), Ordering::AcqRel);
        }
    }

    fn unnote(&self, rank: u32, why: Why, world: u32) {
        if let Some(word) = self.ties(rank, why).get(world as usize / 64) {
            word.fetch_and(!(1 << (world % 64)), Ordering::AcqRel);
        }
    }

    fn notes(&self, rank: u32, why: Why, world: u32) -> bool {
        let word = self.ties(rank, why).get(world as usize / 64);
        word.is_some_and(|word| word.load(Ordering::Acquire) & 1 << (world % 64) != 0)
    }

    pub(super) fn keeps_ties(&self) -> bool {
        !self.ties(0, Why::Shared).is_empty()
    }

    /// Whether no process that is in MPI has to do with the world of this first place, all of whose processes have ended.
    pub(super) fn is_forgotten(&self, world: u32) -> bool {
        let is_out = |process: &Process| {
            matches!(process.state(), State::Unborn | State::Finalized) || process.has_ended()
        };
        let names =
            |rank: u32| self.notes(rank, Why::Shared, world) || self.notes(rank, Why::Named, world);
        let mut all = (0..).zip(self.present());
        self.keeps_ties() && all.all(|(rank, process)| is_out(process) || !names(rank))
    }

    /// The processes that are connected with `rank`, and end with it, by their ranks in the job, itself among them.
    pub(super) fn connected(&self, rank: u32) -> Vec<u32> {
        let ranks = 0..self.present().len() as u32;
        if !self.keeps_ties() {
            return ranks.collect();
        }
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for rank in ranks {
            members.entry(self.first_of(rank)).or_default().push(rank);
        }
        let own = self.first_of(rank);
        let mut reached = vec![own];
        let mut left: Vec<u32> = members.keys().copied().filter(|&it| it != own).collect();
        let mut next = 0;
        while let Some(&world) = reached.get(next) {
            next += 1;
            let is_near = |other: &u32| self.is_connected(world, *other, &members, rank);
            let near: Vec<u32>;
            (near, left) = left.into_iter().partition(is_near);
            reached.extend(near);
        }
        let all = reached.iter().filter_map(|world| members.get(world));
        all.flatten().copied().collect()
    }

    /// The processes that are there, in parts, each with its first rank first: nobody in one part waits for what somebody in another
    /// does, but at a port or a socket. So worlds are of one part also where one has a group with some of the other.
    pub(super) fn parts(&self) -> Vec<Vec<u32>> {
        let ranks = 0..self.present().len() as u32;
        let of_one_world = ranks.clone().all(|rank| self.first_of(rank) == 0);
        if of_one_world || !self.keeps_ties() {
            return vec![ranks.collect()];
        }
        // Of each place, one of the same part; that of the part's own is itself.
        let mut same: Vec<u32> = ranks.clone().map(|rank| self.first_of(rank)).collect();
        fn root(same: &[u32], mut rank: u32) -> u32 {
            while same[rank as usize] != rank {
                rank = same[rank as usize];
            }
            rank
        }
        let mut join = |one: u32, other: u32| {
            let (one, other) = (root(&same, one), root(&same, other));
            same[one.max(other) as usize] = one.min(other);
        };
        for rank in ranks.clone() {
            let process = &self.processes[rank as usize];
            if matches!(process.state(), State::Joining | State::Running) {
                for why in [Why::Shared, Why::Named] {
                    for (at, word) in (0..).zip(self.ties(rank, why)) {
                        let word = word.load(Ordering::Acquire);
                        let noted = (0..64).filter(|bit| word >> bit & 1 == 1);
                        let noted = noted.map(|bit| 64 * at + bit);
                        noted
                            .filter(|world| ranks.contains(world))
                            .for_each(|world| join(rank, world));
                    }
                }
            }
            let spawner = self.world(rank).spawner.load(Ordering::Relaxed);
            let spawner = spawner.checked_sub(1).filter(|it| ranks.contains(it));
            if let Some(spawner) = spawner.filter(|_| !process.says(MET)) {
                join(rank, spawner);
            }
        }
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for rank in ranks {
            parts.entry(root(&same, rank)).or_default().push(rank);
        }
        parts.into_values().collect()
    }

    /// Whether the world `other` is connected directly with `one`. Of those that have ended only `dead` counts, of which that is asked.
    fn is_connected(
        &self,
        one: u32,
        other: u32,
        members: &BTreeMap<u32, Vec<u32>>,
        dead: u32,
    ) -> bool {
        let shares = |from: u32, with: u32| {
            let of_it = members[&from].iter();
            // What one that is out of MPI has left there says nothing.
            let mut in_mpi = of_it.filter(|&&rank| match self.processes[rank as usize].state() {
                State::Unborn | State::Finalized | State::Exited => false,
                State::Quit | State::Dead => rank == dead,
                State::Started | State::Joining | State::Running => true,
            });
            in_mpi.any(|&rank| self.notes(rank, Why::Shared, with))
        };
        let is_to_meet = || {
            let spawner = self.world(other).spawner.load(Ordering::Relaxed);
            let asked = spawner.checked_sub(1).map(|rank| self.first_of(rank));
            let mut new = members[&other]
                .iter()
                .map(|&rank| &self.processes[rank as usize]);
            asked == Some(one) && new.any(|process| !process.says(MET))
        };
        shares(one, other) && shares(other, one) || is_to_meet()
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Death;
    use super::*;
    use crate::shm::segment::Segment;

    /// A job whose worlds have these sizes, all running; each was asked for by rank 0, and has met it.
    fn job(sizes: &[u32]) -> Table {
        let room = 100;
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(room)).unwrap()));
        let table = Table::create(segment, sizes[0], room as u32, true);
        let mut first = sizes[0];
        for &size in &sizes[1..] {
            table.enroll(first, size, Some(0), None);
            first += size;
        }
        for process in table.present() {
            process.say(MET);
            process.set_state(State::Running);
        }
        table
    }

    fn connect(table: &Table, one: u32, other: u32) {
        table.note(one, Why::Shared, table.first_of(other));
        table.note(other, Why::Shared, table.first_of(one));
    }

    #[test]
    fn worlds_are_connected_by_what_both_share_and_by_way_of_others() {
        let table = job(&[2, 3, 1, 70]);
        assert_eq!(table.connected(1), [0, 1]);
        assert_eq!(table.connected(3), [2, 3, 4]);
        connect(&table, 1, 4);
        assert_eq!(table.connected(0), [0, 1, 2, 3, 4]);
        assert_eq!(table.connected(5), [5]);
        connect(&table, 75, 2);
        assert_eq!(table.connected(75).len(), 75);
        assert!(!table.connected(75).contains(&5));
        // One of the two has disconnected.
        table.unnote(4, Why::Shared, 0);
        assert_eq!(table.connected(0), [0, 1]);
        assert_eq!(table.connected(4).len(), 73);
        // What the dead had in common counts where one of them is asked for, and no more.
        for rank in [4, 75] {
            table.note(rank, Why::Shared, 0);
            table.bury(rank as usize, Death::Signal(9));
        }
        connect(&table, 0, 4);
        table.unnote(0, Why::Shared, 2);
        assert_eq!(table.connected(0), [0, 1]);
        // A group connects nobody.
        table.note(4, Why::Named, 0);
        assert_eq!(table.connected(0), [0, 1]);
    }

    #[test]
    fn who_has_not_met_those_that_have_asked_for_it_ends_with_them_and_not_they_with_it() {
        let table = job(&[2, 3]);
        table.processes[3].take_back(MET);
        assert_eq!(table.connected(0), [0, 1, 2, 3, 4]);
        assert_eq!(table.connected(4), [2, 3, 4]);
        connect(&table, 0, 4);
        assert_eq!(table.connected(4), [2, 3, 4, 0, 1]);
    }

    #[test]
    fn the_dead_are_over_when_nobody_names_them() {
        let table = job(&[2, 3, 2]);
        table.note(1, Why::Named, 2);
        table.note(5, Why::Shared, 2);
        // What they themselves have noted, and one that has left MPI, is nothing.
        table.note(3, Why::Shared, 2);
        table.note(6, Why::Shared, 2);
        table.processes[6].set_state(State::Finalized);
        table.bury(2, Death::Signal(9));
        assert!(!table.is_over(2), "two of it live");
        table.retire(3);
        table.processes[3].set_state(State::Exited);
        table.bury(4, Death::Status(1));
        assert!(!table.is_over(2));
        table.unnote(1, Why::Named, 2);
        assert!(!table.is_over(2));
        table.unnote(5, Why::Shared, 2);
        assert!(table.is_over(2) && table.is_over(4));
        // One that has died while it called at a port is no more for that: there is none.
        table.processes[4].at_ports.store(1, Ordering::Relaxed);
        assert!(table.is_over(2));
    }

    #[test]
    fn parts_have_nothing_to_do_with_each_other() {
        let table = job(&[2, 3, 1, 70]);
        let firsts = |table: &Table| -> Vec<u32> {
            let parts = table.parts();
            let count: usize = parts.iter().map(Vec::len).sum();
            assert_eq!(count, 76);
            parts.iter().map(|part| part[0]).collect()
        };
        assert_eq!(firsts(&table), [0, 2, 5, 6]);
        // One side is enough, also a group.
        table.note(75, Why::Named, 2);
        assert_eq!(firsts(&table), [0, 2, 5]);
        table.processes[5].take_back(MET);
        assert_eq!(firsts(&table), [0, 2]);
        connect(&table, 1, 4);
        assert_eq!(firsts(&table), [0]);
        // What one that has ended has noted is nothing.
        table.unnote(4, Why::Shared, 0);
        table.bury(1, Death::Unseen);
        assert_eq!(firsts(&table), [0, 2]);
    }

    #[test]
    fn what_a_world_has_that_is_parted_stays_while_somebody_names_it() {
        for named in [false, true] {
            let table = job(&[1, 2]);
            let memory = Box::leak(Box::new(Segment::create(8).unwrap()));
            for process in &table.processes[1..3] {
                process.set_state(State::Exited);
            }
            if named {
                table.note(0, Why::Shared, 1);
            }
            // Of its places the first is given.
            table.enroll(1, 1, Some(0), None);
            assert_eq!(table.first_of(2), 2);
            assert!(table.is_forgotten(2));
            assert_eq!(table.processes[2].heap.settle(memory), !named);
        }
    }

    #[test]
    fn a_table_without_sets_has_one_circle() {
        let room = 5000;
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(room)).unwrap()));
        let table = Table::create(segment, 1, room as u32, true);
        table.enroll(1, 2, Some(0), None);
        table.note(1, Why::Shared, 0);
        assert_eq!(table.connected(2), [0, 1, 2]);
        assert_eq!(table.parts(), [[0, 1, 2]]);
        (1..3).for_each(|rank| table.bury(rank, Death::Unseen));
        assert!(!table.is_over(1));
    }
}
