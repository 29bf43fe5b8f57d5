//! What this process holds of messages that no receive has met, and the senders that are to announce theirs because of it.
//!
//! A message that is only announced stays with its sender, whose standard send then waits for its receive (MPI 4.1 §3.5: a
//! program may not count on buffering). It matches in its order as any other. So what is held has a bound, and a receive never
//! waits for room.
//!
//! The bound goes with the memory there is. What this process could still take is shared out: a sender may have one part of it
//! here, and in any case as much as its ring holds. So one that floods this process leaves room for the others. Beyond that it
//! is told to announce what it sends, also what waits for room in the ring, which it learns when it has filled its ring again,
//! until half of what is held of it was received.
//!
//! **How it is counted.** Data that came before its receive, what is on its way in rings included, and 256 bytes for each
//! message. What could be taken is what the machine, the cgroup and the process's own limits leave, less an eighth of each; of
//! that one eighth, or a part in as many as there are ranks. It is looked for anew (100 µs) only when a sender has that much.
//!
//! **What has no bound**: announcements, half a KiB at both ends each, because every `MPI_Isend` must be matched. A blocking
//! send has one at a time. Letters are sent all the same. In a cgroup of 64 MiB, where a flood ended in SIGKILL, the job stays
//! below 17 MiB. The word in the ring orders nothing: a sender that learns of it late has sent a ring's length more.
//!
//! No process leaves a cell in a ring because it holds enough. So no program that is right waits for ever; one that counts on
//! buffering does where buffers end, and they end late.

use super::ring::Control;
use crate::err;
use crate::error::Result;
use crate::runtime::{self, job};
use crate::shm::atomic::{AtomicU64, Ordering::Relaxed};
use crate::shm::memory;

/// What it takes to keep a message, beside its data.
const RECORD: usize = 256;
/// At least so many processes may take what is left.
const TAKERS: usize = 8;

/// What it takes to look how much memory there is.
const LOOKING: usize = 32 << 10;

/// What all of it takes, for those that look.
pub static BYTES: AtomicU64 = AtomicU64::new(0);

pub struct Held {
    /// By the sender's rank in the job, of those that have a ring.
    senders: Vec<Option<Share>>,
    total: usize,
    /// What may be held in all, when memory was last looked at.
    limit: usize,
    /// Bytes that each sender may have in any case.
    least: usize,
}

/// What is held of one sender.
struct Share {
    bytes: usize,
    /// Whether it was told to announce.
    is_much: bool,
    control: &'static Control,
}

impl Held {
    /// For rings of `ring` bytes, of which there may be one for each of so many ranks. Error: `MPI_ERR_NO_MEM`.
    pub fn new(ranks: usize, ring: usize) -> Result<Held> {
        let mut senders = Vec::new();
        senders
            .try_reserve_exact(ranks)
            .map_err(|_| err!(NoMem, "no memory for what {ranks} ranks may send"))?;
        senders.resize_with(ranks, || None);
        Ok(Held {
            senders,
            total: 0,
            limit: 0,
            least: ring,
        })
    }

    /// The senders that share these words with this process have rings from now on.
    pub fn begin(&mut self, controls: impl Iterator<Item = (u32, &'static Control)>) {
        for (sender, control) in controls {
            // One of this process's world has a ring already, through which it sends.
            self.senders[sender as usize].get_or_insert(Share {
                bytes: 0,
                is_much: false,
                control,
            });
        }
    }

    /// Another process has come to the place of `sender`, which was told nothing. What is held of the one before counts on.
    pub fn renew(&mut self, sender: u32) {
        if let Some(share) = &mut self.senders[sender as usize] {
            share.is_much = false;
        }
    }

    /// What is shared with that sender.
    pub fn control(&mut self, from: u32) -> &'static Control {
        self.share(from).control
    }

    fn share(&mut self, from: u32) -> &mut Share {
        let share = self.senders[from as usize].as_mut();
        share.expect("what has come from it came through its ring")
    }

    /// Counts a message with so many bytes of data; `None` is one whose data is its sender's.
    #[inline]
    pub fn add(&mut self, from: u32, data: Option<usize>) {
        let Some(data) = data else { return };
        self.total += data + RECORD;
        BYTES.store(self.total as u64, Relaxed);
        let least = self.least;
        let share = self.share(from);
        share.bytes += data + RECORD;
        if share.bytes > least && !share.is_much {
            self.look(from);
        }
    }

    /// Counts it no more: it goes to a receive.
    #[inline]
    pub fn remove(&mut self, from: u32, data: Option<usize>) {
        let Some(data) = data else { return };
        self.total -= data + RECORD;
        BYTES.store(self.total as u64, Relaxed);
        let most = self.most();
        let share = self.share(from);
        share.bytes -= data + RECORD;
        if share.is_much && share.bytes <= most / 2 {
            share.tell(false);
        }
    }

    /// Whether so much of the sender is held that it announces.
    pub fn is_much_of(&self, from: u32) -> bool {
        let share = self.senders[from as usize].as_ref();
        share.is_some_and(|share| share.is_much)
    }

    /// The bytes that each sender may have.
    fn most(&self) -> usize {
        self.limit.saturating_sub(self.total).max(self.least)
    }

    /// More than its least is held of a sender.
    fn look(&mut self, from: u32) {
        let bytes = self.share(from).bytes;
        if bytes <= self.most() {
            return;
        }
        // It reads files, in a way that does not end in a sentence where there is no memory.
        drop(runtime::must_hold(LOOKING));
        let takers = TAKERS.max(job().table.present().len());
        self.limit = self.total.saturating_add(memory::spare() / takers);
        if bytes > self.most() {
            self.share(from).tell(true);
        }
    }
}

impl Share {
    fn tell(&mut self, is_much: bool) {
        self.is_much = is_much;
        self.control.set_announce(is_much);
    }
}
