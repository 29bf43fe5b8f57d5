//! The messages that this process has announced and whose data was not fetched yet.

use super::buffer::Buffer;
use super::counted::Counted;
use super::links::Outgoing;
use super::offer::{Answer, Offer};
use super::operation::Operation;
use super::shown::Shown;
use super::transfer::{Announced, Place};
use crate::error::Result;
use crate::mpi::types::MPI_Status;
use crate::runtime::must_reach;
use crate::shm::atomic::{AtomicUsize, Ordering};
use crate::shm::heap::{self, Owned};
use crate::shm::segment::segment;
use crate::shm::{Offset, PAGE};
use rustc_hash::FxHashMap;

/// Each word has a line of its own: its receiver's write delays no other.
const APART: usize = 64;

/// How many there are: so long others may read this process's memory at any time, by the kernel.
static ON_OFFER: AtomicUsize = AtomicUsize::new(0);

/// Whether another process may read what this one sends or shows, in the middle of whatever this one does.
pub fn may_be_fetched() -> bool {
    ON_OFFER.load(Ordering::Relaxed) > 0 || Shown::is_any()
}

pub struct Sending {
    pub operation: Counted<Operation>,
    pub buffer: Buffer,
    /// A copy in the segment.
    pub block: Option<Owned>,
}

impl Sending {
    /// Where in the segment a copy of the data is, which is made now if there is none. Error: `MPI_ERR_NO_MEM`.
    pub fn copied(&mut self) -> Result<Offset> {
        if self.block.is_none() && !self.buffer.is_empty() {
            (_, self.block) = Place::copied(&self.buffer)?;
        }
        Ok(self.block.as_ref().map_or(0, Owned::offset))
    }
}

/// A message on offer.
struct Offered {
    sending: Sending,
    offer: Offset,
    /// For whom it is, by the rank in the job.
    to: u32,
    /// Whether it is short and its sender still has it.
    short: bool,
    /// Bytes that its sender has left.
    left: usize,
}

impl Offered {
    /// Leaves a copy of the message to whoever receives it; false if it was taken. Error: `MPI_ERR_NO_MEM`.
    fn leave(&mut self, id: u64) -> Result<bool> {
        let offer = offer_at(self.offer);
        Ok(offer.is_with_sender(id) && offer.leave(id, self.sending.copied()?))
    }
}

/// So many looks for messages in vain are made before the senders of short ones leave them.
const PATIENCE: u32 = 256;

#[derive(Default)]
pub struct Sends {
    by_id: FxHashMap<u64, Offered>,
    /// How many of these are short and with their senders.
    short: usize,
    /// Looks for messages since the last of them was put on offer.
    looks: u32,
    /// Bytes that were left and not fetched yet.
    left: usize,
    /// Messages whose senders wait for the answer in the word: they were cancelled when a receive had taken them.
    watched: Vec<u64>,
    /// Words of the segment that are free. There are as many as messages were announced at a time, at most.
    words: Vec<Offset>,
}

/// The word at `offset` of the segment.
pub fn offer_at(offset: Offset) -> &'static Offer {
    must_reach(offset, size_of::<Offer>());
    // SAFETY: the offset is that of a sender's words, which are atomics and never freed.
    unsafe { &*segment().at::<Offer>(offset) }
}

impl Sends {
    /// Puts the message `id` for `to` on offer: where the word is. If it is `short`, its sender waits for a moment only.
    /// Error: `MPI_ERR_NO_MEM`.
    pub fn offer(&mut self, id: u64, to: u32, sending: Sending, short: bool) -> Result<Offset> {
        let offer = match self.words.pop() {
            Some(word) => word,
            None => {
                let page = heap::alloc_zeroed(PAGE, APART)?;
                self.words
                    .extend((page + APART..page + PAGE).step_by(APART));
                page
            }
        };
        offer_at(offer).make(id);
        sending.operation.set_number(id);
        if short {
            self.short += 1;
            self.looks = 0;
        }
        let offered = Offered {
            sending,
            offer,
            to,
            short,
            left: 0,
        };
        self.by_id.insert(id, offered);
        ON_OFFER.store(self.by_id.len(), Ordering::Relaxed);
        Ok(offer)
    }

    /// Puts a message on offer of which nothing has left yet. `None`: there is no memory for that.
    pub fn offer_waiting(&mut self, id: u64, to: u32, data: &Outgoing) -> Option<Announced> {
        let operation = data.operation.clone()?;
        let (place, block) = Place::of(&data.buffer, false).ok()?;
        let sending = Sending {
            operation,
            buffer: data.buffer.clone(),
            block,
        };
        let offer = self.offer(id, to, sending, false).ok()?;
        Some(Announced { place, offer })
    }

    pub fn get_mut(&mut self, id: u64) -> Option<&mut Sending> {
        self.by_id.get_mut(&id).map(|offered| &mut offered.sending)
    }

    /// For whom the message is, if it is short and its sender has not left it.
    pub fn short(&self, id: u64) -> Option<u32> {
        let offered = self.by_id.get(&id)?;
        offered.short.then_some(offered.to)
    }

    /// Ends a message that was taken.
    pub fn end(&mut self, id: u64) -> Option<Sending> {
        let Offered { sending, offer, .. } = self.remove(id)?;
        self.words.push(offer);
        Some(sending)
    }

    fn remove(&mut self, id: u64) -> Option<Offered> {
        let offered = self.by_id.remove(&id)?;
        ON_OFFER.store(self.by_id.len(), Ordering::Relaxed);
        self.short -= usize::from(offered.short);
        self.left -= offered.left;
        Some(offered)
    }

    /// Counts a look for messages in vain: whether short messages have been on offer for long enough.
    #[inline]
    pub fn is_out_of_patience(&mut self) -> bool {
        self.short > 0 && {
            self.looks += 1;
            self.looks >= PATIENCE
        }
    }

    /// Leaves copies of the short messages, the oldest first and of at most so many bytes in all, and so ends their sends; says to
    /// whom. True if a send has ended.
    pub fn leave(&mut self, most: usize, mut to: impl FnMut(u32)) -> bool {
        self.looks = 0;
        if self.short == 0 {
            return false;
        }
        let is_here = |id: u64, it: &Offered| it.short && offer_at(it.offer).is_with_sender(id);
        let short = self.by_id.iter().filter(|&(&id, it)| is_here(id, it));
        let mut short: Vec<u64> = short.map(|(&id, _)| id).collect();
        short.sort_unstable();
        let mut ended = false;
        for id in short {
            let offered = self.by_id.get_mut(&id).expect("it was there");
            let len = offered.sending.buffer.len();
            // Where there is no room, the sends wait for their receivers.
            if self.left + len > most {
                break;
            }
            match offered.leave(id) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(_) => break,
            }
            offered.short = false;
            to(offered.to);
            self.short -= 1;
            offered.left = len;
            self.left += len;
            ended |= offered.sending.operation.complete(MPI_Status::EMPTY, None);
        }
        ended
    }

    /// Takes the operation's message back: its number, if no receive has met it.
    pub fn take_back(&mut self, operation: &Operation) -> Option<u64> {
        let id = self.find(operation)?;
        if !offer_at(self.by_id[&id].offer).take_back(id) {
            return None;
        }
        self.end(id);
        Some(id)
    }

    /// Puts the operation's message where its receiver finds it, if a matched probe holds it: the send is over then, and
    /// what is left of it is the copy. Error: `MPI_ERR_NO_MEM`.
    pub fn hand_over(&mut self, operation: &Operation) -> Result<bool> {
        let id = self.find(operation);
        let offered = id.and_then(|id| Some((id, self.by_id.get_mut(&id)?)));
        offered.map_or(Ok(false), |(id, offered)| offered.leave(id))
    }

    /// From now on looks for the answer to the operation's message in its word, if it was taken.
    pub fn watch(&mut self, operation: &Operation) {
        self.watched.extend(self.find(operation));
    }

    /// Looks for answers in words, and completes the sends whose buffers are free by that; true if there was one.
    #[inline]
    pub fn look_for_answers(&mut self) -> bool {
        !self.watched.is_empty() && self.take_answers()
    }

    fn take_answers(&mut self) -> bool {
        let watched = std::mem::take(&mut self.watched);
        let mut completed = false;
        for id in watched {
            let Some(offered) = self.by_id.get_mut(&id) else {
                continue;
            };
            let is_free = match offer_at(offered.offer).answered(id) {
                None => {
                    self.watched.push(id);
                    continue;
                }
                Some(Answer::Fetched) => true,
                // The request for the copy is on its way. If there is no memory for it, that is where to say so.
                Some(Answer::Refused) => offered.sending.copied().is_ok(),
            };
            let operation = &offered.sending.operation;
            completed |= is_free && operation.complete(MPI_Status::EMPTY, None);
        }
        completed
    }

    /// Whether no message is on offer.
    pub fn are_over(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Says that this process does nothing else until the operation's message has left.
    pub fn set_awaited(&self, operation: &Operation) {
        if let Some(id) = self.find(operation) {
            offer_at(self.by_id[&id].offer).set_awaited(id);
        }
    }

    /// For whom the operation's message is, if that is on offer or not answered yet.
    pub fn receiver(&self, operation: &Operation) -> Option<u32> {
        Some(self.by_id[&self.find(operation)?].to)
    }

    /// Whether the operation's message may be read where it is, now or soon: a receive has taken it, and has not answered.
    pub fn may_be_read(&self, operation: &Operation) -> bool {
        self.find(operation).is_some_and(|id| {
            let offered = &self.by_id[&id];
            offered.sending.block.is_none() && offer_at(offered.offer).may_be_read()
        })
    }

    /// Forgets the operation's message, which was taken and may not be answered.
    pub fn forget(&mut self, operation: &Operation) {
        let found = self.find(operation);
        // Its word rests for ever: the receiver may write an answer there yet.
        if let Some(Offered { sending, .. }) = found.and_then(|id| self.remove(id)) {
            // Its receiver may be reading the copy.
            sending.block.map(Owned::keep);
        }
    }

    /// The number of the operation's message, if that is on offer or not answered yet.
    fn find(&self, operation: &Operation) -> Option<u64> {
        let id = operation.number();
        let offered = self.by_id.get(&id)?;
        std::ptr::eq(&*offered.sending.operation, operation).then_some(id)
    }
}
