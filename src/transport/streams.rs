//! Messages that come in several cells: the parts of each follow each other in its sender's ring, the first of them with the
//! envelope unless the receiver has asked for the data.

use super::matching::Receive;
use super::transfer::settle;
use super::ways::Begun;
use super::{Buffer, Envelope, ways};
use crate::runtime;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Parts that this process has taken or sent.
static PARTS: AtomicU64 = AtomicU64::new(0);

/// How many parts of messages this process has taken or sent.
pub fn parts() -> u64 {
    PARTS.load(Ordering::Relaxed)
}

/// Counts one. Called with the engine's lock.
pub fn count_part() {
    PARTS.store(parts() + 1, Ordering::Relaxed);
}

/// The sender's rank in the job, and its number of the message.
pub type Key = (u32, u64);

/// A message that comes in parts.
#[derive(Clone, Copy)]
pub struct Message {
    pub key: Key,
    pub envelope: Envelope,
    /// Bytes of the whole message.
    pub bytes: usize,
    /// That it began to come, if its time is to be known.
    pub begun: Option<Begun>,
}

/// One of which some parts have come.
struct Stream {
    message: Message,
    into: Into,
}

enum Into {
    /// No receive has met it yet: what has come of it.
    Kept(Vec<u8>),
    /// The receive, and how many bytes have come.
    Receive(Receive, usize),
}

/// The messages on their way.
#[derive(Default)]
pub struct Streams(FxHashMap<Key, Stream>);

impl Streams {
    /// Begins a message of `bytes`, more than none, that goes to `receive`, or is kept for one: then it takes the time of its receiver. It is
    /// `exchanged` as its header says.
    pub fn begin(
        &mut self,
        key: Key,
        envelope: Envelope,
        (bytes, exchanged): (u64, bool),
        receive: Option<Receive>,
    ) {
        let (into, begun) = match receive {
            Some(receive) => (Into::Receive(receive, 0), ways::begin(bytes, exchanged)),
            None => (Into::Kept(runtime::must_hold(bytes as usize)), None),
        };
        let message = Message {
            key,
            envelope,
            bytes: bytes as usize,
            begun,
        };
        self.0.insert(key, Stream { message, into });
    }

    /// Goes on with a message of which so many bytes came to its receive, and not yet all.
    pub fn go_on(&mut self, message: Message, receive: Receive, came: usize) {
        let into = Into::Receive(receive, came);
        self.0.insert(message.key, Stream { message, into });
    }

    /// Takes the next part, and gives the message if that ended its receive. Parts of one whose receive was given up go nowhere.
    pub fn part(&mut self, key: Key, data: &[u8]) -> Option<Message> {
        count_part();
        let stream = self.0.get_mut(&key)?;
        let message = stream.message;
        match &mut stream.into {
            Into::Kept(kept) => {
                kept.extend_from_slice(data);
                None
            }
            Into::Receive(receive, at) => {
                write(&receive.buffer, *at, data);
                *at += data.len();
                if *at != message.bytes {
                    return None;
                }
                settle(receive, message.envelope, message.bytes as u64, None);
                self.0.remove(&key);
                Some(message)
            }
        }
    }

    /// A receive has met a message that was kept. Gives that if it has come.
    pub fn meet(&mut self, key: Key, receive: Receive) -> Option<Message> {
        let stream = self.0.get_mut(&key)?;
        let before = std::mem::replace(&mut stream.into, Into::Receive(receive, 0));
        match before {
            Into::Kept(kept) => self.part(key, &kept),
            Into::Receive(..) => unreachable!("a message meets one receive"),
        }
    }

    /// Forgets the message that goes to a receive: its buffer is not touched after this.
    pub fn forget(&mut self, is_it: impl Fn(&Receive) -> bool) {
        self.0.retain(
            |_, stream| !matches!(&stream.into, Into::Receive(receive, _) if is_it(receive)),
        );
    }
}

/// Writes what lies at `at` of a message to its receive's buffer, as far as there is room.
pub fn write(buffer: &Buffer, at: usize, data: &[u8]) {
    let room = buffer.len().saturating_sub(at);
    let len = data.len().min(room);
    if len > 0 {
        // SAFETY: the receive is incomplete, so the buffer is its own.
        unsafe { buffer.take_over(at..at + len, data.as_ptr()) };
    }
}
