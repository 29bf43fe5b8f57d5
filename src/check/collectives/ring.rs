//! Where the collective calls of a rank are kept: a ring of calls, by communicator and number, and one of the signatures of their blocks.
//! What was written over meanwhile is not compared.
//!
//! | `version` of an entry | meaning                               |
//! |-----------------------|---------------------------------------|
//! | 0                     | nothing was written                   |
//! | odd                   | being written                         |
//! | even                  | how often it was, twice               |

use super::{Call, Words};
use crate::check::{Place, here};
use crate::naming::routine;
use crate::shm::atomic::{AtomicU64, Ordering, fence, store_if_new};
use crate::shm::text::{Copied, Text};
use parking_lot::Mutex;

/// So many calls of a rank are kept.
const KEPT: usize = 1024;
/// And so many blocks of theirs.
const BLOCKS: usize = 32 << 10;

#[repr(C)]
pub struct Collectives {
    all: [Entry; KEPT],
    /// How many blocks were written, or are being.
    written: AtomicU64,
    _pad: u64,
    blocks: [[AtomicU64; 2]; BLOCKS],
}

/// What is another one each time has a line of its own. The rest is mostly as it was, and is not [written](store_if_new) then.
#[repr(C, align(64))]
struct Entry {
    version: AtomicU64,
    number: AtomicU64,
    /// [`Call::on`].
    on: AtomicU64,
    place: AtomicU64,
    root: AtomicU64,
    /// [In place](in_place_bits) above the number of blocks in each list.
    form: AtomicU64,
    own: [AtomicU64; 2],
    /// Where the lists of blocks begin.
    blocks: AtomicU64,
    /// [`Compared::says`](super::Compared::says).
    says: AtomicU64,
    name: Text<5>,
    op: Text<4>,
    elements: Text<10>,
}

impl Entry {
    /// Whether nobody has written while it was read.
    fn is_still(&self, version: u64) -> bool {
        self.version.load(Ordering::Relaxed) == version
    }
}

/// Another's call, as it was read.
pub(super) struct Other {
    pub rank: u32,
    /// Among the members.
    pub at: usize,
    pub place: Place,
    pub root: u64,
    pub in_place: u64,
    pub own: Words,
    pub name: Copied<5>,
    pub op: Copied<4>,
    pub elements: Copied<10>,
    lists: Option<(u64, usize)>,
}

static WRITING: Mutex<()> = Mutex::new(());

fn place_of(on: u64, number: u32) -> usize {
    let on = (on ^ on >> 32) as u32;
    (on.wrapping_mul(0x9e37_79b1) >> 7).wrapping_add(number) as usize % KEPT
}

/// Where everybody may be in place or nobody: 0 where that does not matter, 1 for no, 2 for yes.
pub(super) fn in_place_bits(in_place: Option<bool>) -> u64 {
    match in_place {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    }
}

impl Collectives {
    pub(super) fn write(&self, call: &Call<'_>, elements: &str) {
        let _writing = WRITING.lock();
        let entry = &self.all[place_of(call.on, call.number)];
        let version = entry.version.load(Ordering::Relaxed);
        entry.version.store(version + 1, Ordering::Relaxed);
        let [first, second] = &call.what.blocks;
        let count = first.len() + second.len();
        let is_kept = 0 < count && count <= BLOCKS;
        let at = self.written.load(Ordering::Relaxed);
        if is_kept {
            self.written.store(at + count as u64, Ordering::Relaxed);
        }
        // Whoever reads some of what follows sees that it is written.
        fence(Ordering::Release);
        if is_kept {
            for (i, block) in (at as usize..).zip(first.iter().chain(second)) {
                let [elements, hash] = &self.blocks[i % BLOCKS];
                elements.store(block[0], Ordering::Relaxed);
                hash.store(block[1], Ordering::Relaxed);
            }
        }
        let length = if is_kept { first.len() as u64 } else { 0 };
        store_if_new(&entry.blocks, at);
        let form = in_place_bits(call.what.in_place) << 32 | length;
        entry.form.store(form, Ordering::Relaxed);
        entry.place.store(here().bits(), Ordering::Relaxed);
        entry.root.store(call.what.root.bits(), Ordering::Relaxed);
        for (word, value) in entry.own.iter().zip(call.what.own) {
            word.store(value, Ordering::Relaxed);
        }
        entry.on.store(call.on, Ordering::Relaxed);
        store_if_new(&entry.says, call.what.says);
        entry.name.put(routine(call.name).as_bytes());
        entry.op.put(call.what.op.as_bytes());
        entry.elements.put(elements.as_bytes());
        entry.number.store(call.number.into(), Ordering::Relaxed);
        entry.version.store(version + 2, Ordering::Release);
    }

    pub(super) fn read(&self, call: &Call<'_>, at: usize) -> Option<Other> {
        let (entry, version) = self.entry(call.on, call.number)?;
        let form = entry.form.load(Ordering::Relaxed);
        let length = form as u32 as usize;
        let lists = entry.blocks.load(Ordering::Relaxed);
        let other = Other {
            rank: call.members[at],
            at,
            place: Place::of_bits(entry.place.load(Ordering::Relaxed)),
            root: entry.root.load(Ordering::Relaxed),
            in_place: form >> 32,
            own: entry
                .own
                .each_ref()
                .map(|word| word.load(Ordering::Relaxed)),
            name: entry.name.copy(),
            op: entry.op.copy(),
            elements: entry.elements.copy(),
            lists: (length > 0).then_some((lists, length)),
        };
        fence(Ordering::Acquire);
        entry.is_still(version).then_some(other)
    }

    /// The entry of a call, if it is there, and its version.
    fn entry(&self, on: u64, number: u32) -> Option<(&Entry, u64)> {
        let entry = &self.all[place_of(on, number)];
        let version = entry.version.load(Ordering::Acquire);
        let is_it = entry.number.load(Ordering::Relaxed) == u64::from(number)
            && entry.on.load(Ordering::Relaxed) == on;
        (version > 0 && version.is_multiple_of(2) && is_it).then_some((entry, version))
    }

    /// What a call says that is not compared, and where it stands.
    pub(super) fn says(&self, on: u64, number: u32) -> Option<(u64, Place)> {
        let (entry, version) = self.entry(on, number)?;
        let says = entry.says.load(Ordering::Relaxed);
        let place = Place::of_bits(entry.place.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        entry.is_still(version).then_some((says, place))
    }

    /// Block `i` of a list of a call that was read.
    pub(super) fn block(&self, other: &Other, list: usize, i: usize) -> Option<Words> {
        let (at, length) = other.lists?;
        let at = at + (list * length + i) as u64;
        if i >= length {
            return None;
        }
        let words = self.blocks[at as usize % BLOCKS]
            .each_ref()
            .map(|word| word.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let written = self.written.load(Ordering::Relaxed);
        (written <= at + BLOCKS as u64).then_some(words)
    }
}
