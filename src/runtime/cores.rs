//! Which cores the ranks may use, which they are on, and that they are spread over them.
//!
//! Ranks wait for each other, so where they share cores a job is as fast as its fullest core. The kernel balances cores
//! too, but by what each process did of late: those that have just begun, or have slept, it piles up on one core and leaves
//! there for tens of milliseconds. So a rank that waits and has no core of its own looks now and then where the others are,
//! and if too many are on its core, some of them go to another: by a rule, so that not all do. They are not bound there.
//!
//! A look at the others comes with every 16th wait. If the cores do not have their share, all that look come to the same plan:
//! each core keeps its share, the lower ranks, and the others go in order to where the fewest are. A rank goes by narrowing its
//! affinity to the one core and widening it again at once, and only where it may run: a bound rank stays. Sleepers do not
//! count, nor do those that are not in MPI. (Why: 16 switches of 2.5 µs for a barrier of 32 ranks on 2 cores if they are 16 and
//! 16, but 7 and 25 were seen for the first tenth of a second. Figures: `bench/RESULTS.md`.)

use super::table::{CORE_WORDS, Process, State};
use super::{job, me};
use crate::shm::atomic::Ordering;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use parking_lot::RwLock;

/// The cores that the ranks may use together, in order, counted from 1.
static CORES: RwLock<Vec<u32>> = RwLock::new(Vec::new());
/// For the kernel: the calling thread.
const THIS: Pid = Pid::from_raw(0);

/// Tells the other ranks which cores this one may use.
pub(super) fn publish(process: &Process) {
    let Ok(set) = sched_getaffinity(THIS) else {
        return;
    };
    for core in (0..CORE_WORDS * 64).filter(|&core| set.is_set(core) == Ok(true)) {
        process.cores[core / 64].fetch_or(1 << (core % 64), Ordering::Relaxed);
    }
}

/// How many cores this process may use; 1 where the system does not tell.
pub(super) fn usable() -> u32 {
    let Ok(set) = sched_getaffinity(THIS) else {
        return 1;
    };
    let cores = (0..CORE_WORDS * 64).filter(|&core| set.is_set(core) == Ok(true));
    cores.count().max(1) as u32
}

/// Learns which cores the ranks that have come may use together. Returns how many there are.
pub(super) fn learn() -> usize {
    let processes = job().table.present();
    let union = |word: usize| {
        let masks = processes.iter();
        let masks = masks.map(|process| process.cores[word].load(Ordering::Relaxed));
        masks.fold(0, |all, mask| all | mask)
    };
    let words: Vec<u64> = (0..CORE_WORDS).map(union).collect();
    let has = |core: &usize| words[core / 64] >> (core % 64) & 1 != 0;
    let cores = (0..CORE_WORDS * 64).filter(has);
    let mut known = CORES.write();
    *known = cores.map(|core| core as u32 + 1).collect();
    known.len()
}

/// Tells the other ranks on which core this one is, and returns it.
fn tell() -> u32 {
    let core = nix::sched::sched_getcpu().map_or(0, |core| core as u32 + 1);
    let mine = &me().core;
    // Written only when it changes: the others read the line.
    if mine.load(Ordering::Relaxed) != core {
        mine.store(core, Ordering::Relaxed);
    }
    core
}

/// Whether no other rank was on this core when it last told.
pub(super) fn has_own() -> bool {
    let core = tell();
    let mine = me();
    let is_here =
        |other: &Process| !std::ptr::eq(other, mine) && other.core.load(Ordering::Relaxed) == core;
    !job().table.present().iter().any(is_here)
}

/// Goes to another core, if too many of the ranks that are awake are on this one, and the rule names this rank.
#[cold]
pub fn spread() {
    tell();
    let place = |process: &Process| match (process.state(), process.doorbell.sleepers()) {
        (State::Running, 0) => process.core.load(Ordering::Relaxed),
        _ => 0,
    };
    let places: Vec<u32> = job().table.present().iter().map(place).collect();
    let core = better(job().rank as usize, &places, &CORES.read());
    if let Some(core) = core {
        go_to(core);
        tell();
    }
}

/// The core that `rank` should go to, if it should. `places` has the core of each rank, or 0 for those that need none.
///
/// All who see the same places come to the same plan: each core keeps its share of those that it has, the lower ranks, and
/// one after the other the rest go to where the fewest are.
fn better(rank: usize, places: &[u32], cores: &[u32]) -> Option<u32> {
    let core_of = |rank: usize| cores.binary_search(&places[rank]).ok();
    let all = (0..places.len()).filter_map(core_of).count();
    let share = all / cores.len().max(1);
    // So many cores keep one more.
    let mut larger = all - share * cores.len();
    let mut kept = vec![0; cores.len()];
    let mut rest = Vec::new();
    for rank in 0..places.len() {
        let Some(core) = core_of(rank) else { continue };
        let room = share + usize::from(larger > 0);
        if kept[core] < room {
            kept[core] += 1;
            larger -= usize::from(kept[core] > share);
        } else {
            rest.push(rank);
        }
    }
    if !rest.contains(&rank) {
        return None;
    }
    rest.iter().find_map(|&next| {
        let core = (0..cores.len()).min_by_key(|&core| kept[core])?;
        kept[core] += 1;
        (next == rank).then_some(cores[core])
    })
}

/// Brings the calling thread to a core, if it may run there. It may go on to all others it could run on before.
fn go_to(core: u32) {
    let core = core as usize - 1;
    let mut there = CpuSet::new();
    if let Ok(before) = sched_getaffinity(THIS)
        && before.is_set(core) == Ok(true)
        && there.set(core).is_ok()
        && sched_setaffinity(THIS, &there).is_ok()
    {
        // Only a kernel that has changed its mind refuses what it allowed just now.
        let _ = sched_setaffinity(THIS, &before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where all ranks are after those that should have gone.
    fn spread(places: &[u32], cores: &[u32]) -> Vec<u32> {
        let goes = |(rank, &place)| better(rank, places, cores).unwrap_or(place);
        places.iter().enumerate().map(goes).collect()
    }

    #[test]
    fn who_is_spread_stays() {
        for places in [
            vec![],
            vec![1],
            vec![2, 1],
            vec![1, 2, 2],
            vec![2, 1, 1, 2, 2],
        ] {
            assert_eq!(spread(&places, &[1, 2]), places);
        }
    }

    #[test]
    fn the_lower_ranks_stay_and_the_others_fill_the_gaps() {
        assert_eq!(spread(&[1, 1], &[1, 2]), [1, 2]);
        assert_eq!(spread(&[2, 2, 2, 2, 1, 2], &[1, 2]), [2, 2, 2, 1, 1, 1]);
        assert_eq!(spread(&[3, 3, 3, 3, 3], &[3, 5, 9]), [3, 3, 5, 9, 5]);
        assert_eq!(spread(&[7; 4], &[1, 2, 7, 9]), [7, 1, 2, 9]);
    }

    #[test]
    fn who_sleeps_or_is_elsewhere_does_not_count() {
        assert_eq!(spread(&[1, 0, 1, 0, 0], &[1, 2]), [1, 0, 2, 0, 0]);
        assert_eq!(spread(&[4, 4, 1, 1], &[1, 2]), [4, 4, 1, 2]);
        assert_eq!(spread(&[1, 1, 1], &[]), [1, 1, 1]);
        assert_eq!(spread(&[1, 1, 1], &[1]), [1, 1, 1]);
    }

    #[test]
    fn who_goes_to_a_core_is_not_bound_to_it() {
        let before = sched_getaffinity(THIS).unwrap();
        for core in 1..=1024 {
            go_to(core);
        }
        assert_eq!(before, sched_getaffinity(THIS).unwrap());
    }
}
