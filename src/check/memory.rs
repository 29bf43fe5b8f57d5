//! Whether memory is there, to be read or written: the kernel's list of what is mapped, asked again only where the one of last time says no.
//! So memory that was unmapped since may pass, and what is there never fails. Of memory that MPI_Alloc_mem gave it is known where it ends.

use super::ranges::{Range, Ranges};
use super::room::Room;
use super::statics::{self, Beyond};
use crate::shm::atomic::{AtomicBool, Ordering};
use crate::shm::maps::Maps;
use parking_lot::RwLock;
use std::collections::BTreeMap;

/// So many ranges of the data are looked at.
const MOST: usize = 64;
/// The kernel lets the main thread's stack grow down by so much at most that its mapping does not show.
const STACK: usize = 64 << 20;

/// What is wrong with memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    ReadOnly,
    Missing,
    /// It goes on behind the end of what MPI_Alloc_mem gave.
    Beyond,
    /// The same of static data.
    BeyondStatic(Beyond),
}

/// What MPI_Alloc_mem has given: begins and ends.
static GIVEN: RwLock<BTreeMap<usize, usize>> = RwLock::new(BTreeMap::new());
/// Whether it has given any yet.
static GAVE: AtomicBool = AtomicBool::new(false);

/// MPI_Alloc_mem gives `bytes` at `base`.
#[cold]
pub fn given(base: usize, bytes: usize) {
    GIVEN.write().insert(base, base + bytes);
    GAVE.store(true, Ordering::Relaxed);
}

/// MPI_Free_mem takes it back.
#[cold]
pub fn taken(base: usize) -> Option<Range> {
    Some((base, GIVEN.write().remove(&base)?))
}

/// What is mapped, in order; what adjoins and is alike is one.
struct Mapped {
    range: Range,
    readable: bool,
    writable: bool,
}

static MAPPED: RwLock<Vec<Mapped>> = RwLock::new(Vec::new());

/// Is all of it there, to be read, and to be written if it shall be? If not, which range is not.
pub fn look(data: &Ranges, write: bool) -> Result<(), (Range, Memory)> {
    data.iter().take(MOST).try_for_each(|range| {
        if check(&MAPPED.read(), range, write).is_ok() {
            return Ok(());
        }
        // Nobody knows where the list cannot be read.
        let Some(now) = ask() else { return Ok(()) };
        let answer = check(&now, range, write);
        *MAPPED.write() = now;
        statics::renew();
        answer.map_err(|memory| (range, memory))
    })
}

/// Whether buffers, each of one operation and in order, end where what they begin in does: memory of MPI_Alloc_mem, and static data. `None` if so.
pub fn goes_beyond(buffers: impl Iterator<Item = Range> + Clone) -> Option<(Range, Memory)> {
    let of_given = match GAVE.load(Ordering::Relaxed) {
        true => {
            let given = GIVEN.read();
            let mut buffers = buffers.clone();
            buffers.find_map(|range| ends_before(&given, range))
        }
        false => None,
    };
    let of_static = || {
        let beyond = statics::beyond(buffers)?;
        Some((beyond.range, Memory::BeyondStatic(beyond)))
    };
    of_given.or_else(of_static)
}

/// What of the range lies behind the end of that in which it begins.
fn ends_before(given: &BTreeMap<usize, usize>, range: Range) -> Option<(Range, Memory)> {
    let (_, &end) = given.range(..=range.0).next_back()?;
    let is_beyond = range.0 < end && end < range.1;
    is_beyond.then_some(((end, range.1), Memory::Beyond))
}

fn ask() -> Option<Vec<Mapped>> {
    let maps = Maps::read()?;
    let mut all: Vec<Mapped> = Vec::new();
    for mapping in maps.iter() {
        let mut range = (mapping.range.start, mapping.range.end);
        if mapping.name == "[stack]" {
            let below = all.last().map_or(0, |below| below.range.1);
            range.0 = below.max(range.0.saturating_sub(STACK));
        }
        if !all.has_room(1) {
            return None;
        }
        match all.last_mut() {
            Some(last)
                if last.range.1 == range.0
                    && (last.readable, last.writable) == (mapping.readable, mapping.writable) =>
            {
                last.range.1 = range.1
            }
            _ => all.push(Mapped {
                range,
                readable: mapping.readable,
                writable: mapping.writable,
            }),
        }
    }
    Some(all)
}

fn check(mapped: &[Mapped], (mut from, to): Range, write: bool) -> Result<(), Memory> {
    let first = mapped.partition_point(|mapped| mapped.range.1 <= from);
    for mapped in &mapped[first..] {
        if mapped.range.0 > from || !mapped.readable && !mapped.writable {
            break;
        }
        if write && !mapped.writable {
            return Err(Memory::ReadOnly);
        }
        from = mapped.range.1;
        if from >= to {
            return Ok(());
        }
    }
    Err(Memory::Missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_has_an_end() {
        let heap = vec![0_u8; 4096];
        let base = heap.as_ptr().addr();
        let beyond = |from, len| goes_beyond(std::iter::once((from, from + len)));
        given(base + 64, 100);
        assert_eq!(beyond(base + 64, 100), None);
        let last = (base + 164, base + 165);
        assert_eq!(beyond(base + 70, 95), Some((last, Memory::Beyond)));
        assert_eq!(beyond(base + 164, 8), None);
        assert_eq!(beyond(base, 4096), None);
        // What lies in several pieces may be one range.
        assert_eq!(told(base + 70, 95, true), Ok(()));
        assert_eq!(taken(base + 64), Some((base + 64, base + 164)));
        assert_eq!(beyond(base + 70, 95), None);
        assert_eq!(taken(base + 64), None);
    }

    fn told(from: usize, len: usize, write: bool) -> Result<(), Memory> {
        let mut data = Ranges::default();
        data.add((from, from + len));
        look(&data, write).map_err(|(_, memory)| memory)
    }

    #[test]
    fn memory_is_told_from_what_is_none() {
        static CONSTANT: [u8; 100] = [7; 100];
        let (constant, heap, here) = (CONSTANT.as_ptr().addr(), vec![0_u8; 1 << 20], 0_u64);
        let stack = (&raw const here).addr();
        assert_eq!(told(constant, 100, false), Ok(()));
        assert_eq!(told(constant, 100, true), Err(Memory::ReadOnly));
        assert_eq!(told(heap.as_ptr().addr(), 1 << 20, true), Ok(()));
        assert_eq!(told(stack, 8, true), Ok(()));
        assert_eq!(told(64, 8, false), Err(Memory::Missing));
        assert_eq!(
            told(heap.as_ptr().addr(), 1 << 46, false),
            Err(Memory::Missing)
        );
    }
}
