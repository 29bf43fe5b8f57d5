//! What is in messages, told beside them: their senders write it into a ring in their blocks, by the numbers that messages have anyway,
//! and receivers read it when they have matched them. What was written over meanwhile is not compared.
//!
//! | `id` of an entry | meaning                              |
//! |------------------|--------------------------------------|
//! | 0                | being written                        |
//! | n                | of its rank's message n              |

use super::room::Room;
use super::{Place, called, checker, here};
use crate::shm::atomic::{AtomicU64, Ordering, fence};
use crate::shm::text::{Copied, Text};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// So many messages of a rank are kept.
const KEPT: usize = 4096;

#[repr(C)]
pub struct Messages {
    all: [Entry; KEPT],
}

#[repr(C, align(64))]
struct Entry {
    id: AtomicU64,
    /// 1: its receive must be there.
    ready: AtomicU64,
    signature: [AtomicU64; 2],
    place: AtomicU64,
    call: Text<4>,
    elements: Text<12>,
}

/// The communicators, by their numbers, whose errors are given back to this process's program.
static FORGIVING: LazyLock<Mutex<FxHashSet<u32>>> = LazyLock::new(Mutex::default);

/// Errors of a communicator are given back to the program from now on, or not any more.
pub fn set_forgiving(context: u32, is: bool) {
    let mut forgiving = FORGIVING.lock();
    match is {
        true => forgiving.has_room(1) && forgiving.insert(context),
        false => forgiving.remove(&context),
    };
}

/// Whether a program hears of errors of a communicator, and so of messages that are too long: it may count on that.
pub fn is_forgiving(context: u32) -> bool {
    FORGIVING.lock().contains(&context)
}

/// What was told of a message.
pub struct Sent {
    /// Whether its receive must be there.
    pub ready: bool,
    /// [`words`](super::signature::Signature::words) of its type signature.
    pub signature: [u64; 2],
    /// The same for the reader.
    pub elements: Copied<12>,
    /// The call that has sent it, and where.
    pub call: Copied<4>,
    pub place: Place,
}

impl Sent {
    /// "sent by MPI_Send at a place".
    pub fn by(&self, rank: u32) -> String {
        match self.place {
            Place::UNKNOWN => format!("sent by {}", self.call),
            place => format!("sent by {} at {}", self.call, place.of(rank)),
        }
    }
}

/// This process's present call sends message `id` of so many `elements`, whose receive must be there or not.
pub fn sent(id: u64, ready: bool, signature: [u64; 2], elements: &str) {
    let Some(checker) = checker() else { return };
    let entry = &checker.own.messages.all[id as usize % KEPT];
    entry.id.store(0, Ordering::Relaxed);
    // Whoever reads some of what follows sees that it is written.
    fence(Ordering::Release);
    for (word, value) in entry.signature.iter().zip(signature) {
        word.store(value, Ordering::Relaxed);
    }
    entry.ready.store(ready.into(), Ordering::Relaxed);
    entry.place.store(here().bits(), Ordering::Relaxed);
    entry.call.put(called().as_bytes());
    entry.elements.put(elements.as_bytes());
    entry.id.store(id, Ordering::Release);
}

/// What rank `from` of the job has told of its message `id`, if it is still there.
pub fn told(from: u32, id: u64) -> Option<Sent> {
    let checker = checker()?;
    let entry = &checker.area.block(from).messages.all[id as usize % KEPT];
    if id == 0 || entry.id.load(Ordering::Acquire) != id {
        return None;
    }
    let told = Sent {
        ready: entry.ready.load(Ordering::Relaxed) != 0,
        signature: entry
            .signature
            .each_ref()
            .map(|word| word.load(Ordering::Relaxed)),
        elements: entry.elements.copy(),
        call: entry.call.copy(),
        place: Place::of_bits(entry.place.load(Ordering::Relaxed)),
    };
    fence(Ordering::Acquire);
    (entry.id.load(Ordering::Relaxed) == id).then_some(told)
}
