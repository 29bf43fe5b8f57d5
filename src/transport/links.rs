//! The ways to the other ranks' inboxes, and what waits for room in their rings.
//!
//! Data that takes more than a cell goes in pieces of up to 8 KiB, or 16 in the largest ring: one core copies a piece in while the other
//! copies the one before out. What finds no room waits here, in order, and is moved on by whatever call of
//! this process makes progress next. A send that is cancelled when a piece of it has left is complete with a copy of the rest.

use super::buffer::Buffer;
use super::can_be_announced;
use super::counted::Counted;
use super::distance::Distance;
use super::inbox::Outbox;
use super::operation::Operation;
use super::ring::{Header, Kind};
use super::streams::count_part;
use super::transfer::Announced;
use super::ways;
use crate::bail;
use crate::error::Result;
use crate::runtime::deaths::dead;
use crate::runtime::{self, Ranks};
use crate::shm::atomic::full_fence;
use std::collections::BTreeMap;
use std::ops::Range;

/// So many parts are written before others have their turn.
const TURN: usize = 16;
/// Data goes in pieces of at most so many bytes, so that one end of the ring copies one while the other copies the next.
const PIECE: usize = 8 << 10;
/// And in a ring whose lines neither core has in its caches. (One way, AMD EPYC of family 25, 8, 16 and 32 KiB at a time: 64 KiB 2.57, 2.33 and
/// 2.59 µs, 256 KiB 8.54, 7.75 and 7.86.)
const LONG_PIECE: usize = 16 << 10;
/// To a far core a message of so many bytes goes by the tray, and a shorter one by the ring. (AMD EPYC of family 25, far cores, by the tray and by the ring, µs:
/// `MPI_Sendrecv` of 16 KiB 4.7 and 3.4, of 32 KiB 8.9 and 5.9; one way of 1 MiB 76 and 86.)
const ON_TRAY_TO_FAR: usize = 512 << 10;
/// A rank may be so many messages ahead of what it is to fetch.
const AHEAD: u8 = 64;
/// What is shorter is one piece in every ring.
const SHORT: usize = 1 << 10;

/// Bytes of the pieces of at most `most` in which `len` bytes go, where a cell takes `longest`: all but the last alike, in whole lines.
#[inline]
fn piece(len: usize, most: usize, longest: usize) -> usize {
    let most = most.min(longest & !63);
    if len <= most {
        return most;
    }
    let pieces = len.div_ceil(most);
    len.div_ceil(pieces).next_multiple_of(64)
}

pub struct Links {
    /// By the other's rank in the job, made when they are first used.
    links: Vec<Option<Link>>,
    /// How many more messages have come from each rank than short ones were to be fetched by it, at most [`AHEAD`].
    ahead: Vec<u8>,
    /// Cells that wait, in all links.
    waiting: usize,
    /// Messages of this process, and cells that wait, are numbered in their order.
    number: u64,
    /// The longest payload of a cell.
    longest: usize,
}

struct Link {
    outbox: Outbox,
    distance: Distance,
    /// So many short messages are not to be fetched, and how many were not the last time.
    eager: u32,
    in_vain: u32,
    /// What found no room in the ring, by its number: in order.
    waiting: BTreeMap<u64, (Header, Payload)>,
}

pub enum Payload {
    None,
    Announced(Announced),
    Data(Outgoing),
}

/// Data that goes through the ring, in as many parts as it takes.
pub struct Outgoing {
    pub buffer: Buffer,
    /// The send, which is complete when all is in the ring; `None` if it was before.
    pub operation: Option<Counted<Operation>>,
    /// Bytes that are in the ring.
    pub sent: usize,
    /// What the buffer is, where it is a copy.
    copy: Option<Box<[u8]>>,
}

impl Outgoing {
    pub fn new(buffer: Buffer, operation: Counted<Operation>, sent: usize) -> Outgoing {
        Outgoing {
            buffer,
            operation: Some(operation),
            sent,
            copy: None,
        }
    }

    /// Goes on with a copy of what is left: the send is complete, and its buffer free.
    fn detach(&mut self) -> Option<Counted<Operation>> {
        let len = self.buffer.len() - self.sent;
        let mut rest = runtime::must_hold(len);
        // SAFETY: the buffer is the send's, which is not complete yet; the copy has room for the rest, and gets all of it.
        unsafe {
            self.buffer
                .read(self.sent..self.buffer.len(), rest.as_mut_ptr());
            rest.set_len(len);
        }
        let rest = rest.into_boxed_slice();
        // SAFETY: the copy is kept beside its buffer.
        self.buffer = unsafe { Buffer::bytes(rest.as_ptr(), rest.len()) };
        self.copy = Some(rest);
        self.sent = 0;
        self.operation.take()
    }
}

impl Links {
    /// For a job with room for `ranks` ranks, whose cells have payloads of at most `longest` bytes. Error: `MPI_ERR_NO_MEM`.
    pub fn new(ranks: usize, longest: usize) -> Result<Links> {
        let (mut links, mut ahead) = (Vec::new(), Vec::new());
        let reserved = links
            .try_reserve_exact(ranks)
            .and_then(|()| ahead.try_reserve_exact(ranks));
        if reserved.is_err() {
            bail!(NoMem, "there is no memory for the ways to {ranks} ranks");
        }
        links.resize_with(ranks, || None);
        ahead.resize(ranks, 0);
        Ok(Links {
            links,
            ahead,
            waiting: 0,
            number: 0,
            longest,
        })
    }

    /// Another process has come to the place of `to`: the way to the one before is no more.
    #[inline]
    pub fn renew(&mut self, to: u32) {
        if let Some(link) = self.links[to as usize].take() {
            self.waiting -= link.waiting.len();
        }
        self.ahead[to as usize] = 0;
    }

    /// A number that no other message of this process has.
    pub fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Whether messages to `to` are to be announced, however short.
    #[inline]
    pub fn is_to_announce(&mut self, to: u32) -> bool {
        self.link(to).outbox.is_to_announce()
    }

    /// Whether the receiver would fetch a message of so many bytes, whose sender receives in the same call if it is `exchanged`.
    pub fn is_fetched(&mut self, to: u32, bytes: u64, exchanged: bool) -> bool {
        ways::are_fetched(self.link(to).outbox.fetched(), bytes, exchanged)
    }

    /// Whether the ring to `to` has grown to one whose lines leave the cores' caches.
    pub fn is_largest(&mut self, to: u32) -> bool {
        self.link(to).outbox.is_beyond_cache()
    }

    /// The last part of a message has come by the tray that this process shares with `from`.
    pub fn take_turn(&mut self, from: u32) {
        self.link(from).outbox.take_turn();
    }

    /// Notes that a message has come from `from`, which has `released` so much of what went there.
    #[inline]
    pub fn heard(&mut self, from: u32, released: u32) {
        if let Some(link) = &mut self.links[from as usize] {
            link.outbox.learn(released);
        }
        let ahead = &mut self.ahead[from as usize];
        *ahead = (*ahead + 1).min(AHEAD);
    }

    /// Whether a short message to `to` comes sooner if it is fetched. One that would be `streamed`, if only this side sends, is to be
    /// where the other sends as well. A receiver that came too late for the last ones is not waited for again so soon.
    pub fn is_to_be_fetched(&mut self, to: u32, streamed: bool) -> bool {
        let link = self.link(to);
        if link.eager > 0 {
            link.eager -= 1;
            return false;
        }
        let ahead = &mut self.ahead[to as usize];
        let both_send = *ahead > 0;
        *ahead = ahead.saturating_sub(1);
        both_send || !streamed
    }

    /// A short message to `to` was not fetched in time: so many of the next ones are not to be.
    pub fn lose_patience(&mut self, to: u32) {
        let link = self.link(to);
        link.in_vain = (2 * link.in_vain).clamp(8, 1024);
        link.eager = link.in_vain;
    }

    /// A short message to `to` was fetched in time.
    pub fn gain_patience(&mut self, to: u32) {
        let link = self.link(to);
        link.in_vain /= 2;
    }

    /// Bytes of the pieces, one to a cell, in which `len` bytes of data go, if not in longer ones.
    #[inline]
    pub fn piece(&self, len: usize) -> usize {
        piece(len, PIECE, self.longest)
    }

    /// Whether the ring to `to` has room for all of `len` bytes of data now, and nothing waits for it.
    #[inline(never)]
    pub fn has_room(&mut self, to: u32, len: usize) -> bool {
        let piece = self.piece(len);
        let link = self.link(to);
        link.waiting.is_empty() && link.outbox.has_room(len, piece)
    }

    #[inline]
    fn link(&mut self, to: u32) -> &mut Link {
        self.links[to as usize].get_or_insert_with(|| Link {
            outbox: Outbox::new(to),
            distance: Distance::new(),
            eager: 0,
            in_vain: 0,
            waiting: BTreeMap::new(),
        })
    }

    /// The way to `to`, if nothing waits for it and messages are not to be announced.
    #[inline]
    pub fn ready(&mut self, to: u32) -> Option<&mut Outbox> {
        let link = self.links[to as usize].as_mut()?;
        let is_ready = link.waiting.is_empty() && link.outbox.is_ready();
        is_ready.then_some(&mut link.outbox)
    }

    /// Puts an eager message into the ring to `to`, as far as there is room; true if that was all. `header` is then that
    /// of the next part, and `sent` says how much has gone.
    #[inline]
    pub fn push_eager(
        &mut self,
        to: u32,
        header: &mut Header,
        buffer: &Buffer,
        sent: &mut usize,
    ) -> bool {
        let longest = self.longest;
        let link = self.link(to);
        link.waiting.is_empty() && link.push_data(header, buffer, sent, longest)
    }

    /// Puts a cell into the queue before the ring. The beginning of a message has the message's number there, which is the
    /// newest; another cell gets one.
    pub fn queue(&mut self, to: u32, header: Header, payload: Payload) {
        let number = match header.kind {
            Kind::Eager | Kind::Announce => header.id,
            _ => self.next_number(),
        };
        if let Payload::Data(Outgoing {
            operation: Some(operation),
            ..
        }) = &payload
        {
            operation.set_number(number);
        }
        self.link(to).waiting.insert(number, (header, payload));
        self.waiting += 1;
    }

    /// Puts a cell into the ring, or into the queue before it; true if it is in the ring.
    pub fn post(&mut self, to: u32, mut header: Header, mut payload: Payload) -> bool {
        let longest = self.longest;
        let link = self.link(to);
        let is_in = link.waiting.is_empty() && link.push(&mut header, &mut payload, longest);
        if !is_in {
            self.queue(to, header, payload);
        }
        is_in
    }

    /// Moves what waits into the rings that have room again, and tells of the sends that are complete by that. A message
    /// whose receiver wants that is put on offer by `announce`, and announced. True if something moved.
    #[inline]
    pub fn flush(
        &mut self,
        complete: impl FnMut(&Operation),
        announce: impl FnMut(u64, u32, &Outgoing) -> Option<Announced>,
    ) -> bool {
        self.waiting > 0 && self.move_on(complete, announce)
    }

    fn move_on(
        &mut self,
        mut complete: impl FnMut(&Operation),
        mut announce: impl FnMut(u64, u32, &Outgoing) -> Option<Announced>,
    ) -> bool {
        let mut moved = false;
        let links = (0..).zip(&mut self.links);
        for (to, link) in links.filter_map(|(to, link)| Some((to, link.as_mut()?))) {
            while let Some((number, (mut header, mut payload))) = link.waiting.pop_first() {
                if header.kind == Kind::Eager
                    && can_be_announced(header.context)
                    && link.outbox.is_to_announce()
                    && let Payload::Data(data) = &payload
                    && let Some(announced) = announce(number, to, data)
                {
                    header.announce(number);
                    payload = Payload::Announced(announced);
                }
                let before = payload.sent();
                if !link.push(&mut header, &mut payload, self.longest) {
                    moved |= payload.sent() > before;
                    link.waiting.insert(number, (header, payload));
                    break;
                }
                if let Payload::Data(Outgoing {
                    operation: Some(operation),
                    ..
                }) = payload
                {
                    complete(&operation);
                }
                self.waiting -= 1;
                moved = true;
            }
        }
        moved
    }

    /// Takes the announcement of the message `id` out of the queue, if it waits.
    pub fn unannounce(&mut self, id: u64) {
        self.take_out(id, |header, _| header.kind == Kind::Announce);
    }

    /// Takes the data of a send out of the queue; false if it has left.
    pub fn take_back(&mut self, operation: &Operation) -> bool {
        self.take_out(operation.number(), |header, payload| {
            header.kind == Kind::Eager && payload.is_of(operation)
        })
    }

    /// Goes on with a copy of the data of a send of which a part has left: the operation, which is complete then.
    pub fn detach(&mut self, operation: &Operation) -> Option<Counted<Operation>> {
        let waiting = self.queue_with(operation.number())?;
        match waiting.get_mut(&operation.number())? {
            (_, payload) if !payload.is_of(operation) => None,
            (_, Payload::Data(data)) => data.detach(),
            _ => None,
        }
    }

    /// The queue in which the cell with the number waits.
    #[inline]
    fn queue_with(&mut self, number: u64) -> Option<&mut BTreeMap<u64, (Header, Payload)>> {
        if self.waiting == 0 {
            return None;
        }
        let links = self.links.iter_mut().flatten();
        let mut queues = links.map(|link| &mut link.waiting);
        queues.find(|waiting| waiting.contains_key(&number))
    }

    /// Takes the cell with the number out of its queue, if it is the one.
    fn take_out(&mut self, number: u64, is_it: impl Fn(&Header, &Payload) -> bool) -> bool {
        let Some(waiting) = self.queue_with(number) else {
            return false;
        };
        let found = waiting
            .get(&number)
            .is_some_and(|(header, payload)| is_it(header, payload));
        if found {
            waiting.remove(&number);
            self.waiting -= 1;
        }
        found
    }

    /// Whether nothing waits, but for what those were to get that are gone.
    pub fn is_flushed(&self) -> bool {
        let is_flushed = |(to, link): (u32, &Option<Link>)| match link {
            Some(link) if !link.waiting.is_empty() => dead(Ranks::One(to)).is_some(),
            _ => true,
        };
        self.waiting == 0 || (0..).zip(&self.links).all(is_flushed)
    }
}

impl Link {
    fn push(&mut self, header: &mut Header, payload: &mut Payload, longest: usize) -> bool {
        let pushed = match payload {
            Payload::None => self.outbox.push(header, false, |_| ()),
            Payload::Announced(announced) => {
                header.payload = size_of::<Announced>() as u16;
                // SAFETY: the ring gives room for the payload, whose length is this.
                let write = |to: *mut u8| unsafe { announced.to_payload(to) };
                self.outbox.push(header, false, write)
            }
            Payload::Data(data) => {
                return self.push_data(header, &data.buffer, &mut data.sent, longest);
            }
        };
        if pushed {
            self.outbox.notify();
        }
        pushed
    }

    /// Puts parts of the data into the ring while there is room; true when all are there.
    #[inline]
    fn push_data(
        &mut self,
        header: &mut Header,
        buffer: &Buffer,
        sent: &mut usize,
        longest: usize,
    ) -> bool {
        if buffer.len() < SHORT {
            return self.push_piece(header, buffer, 0..buffer.len(), true, false);
        }
        let tray = self.outbox.is_for_tray(buffer.len());
        let is_long = tray || self.outbox.is_beyond_cache();
        let most = if is_long { LONG_PIECE } else { PIECE };
        let piece = piece(buffer.len(), most, longest);
        let mut pushed = 0;
        let all = loop {
            let next = *sent + piece.min(buffer.len() - *sent);
            if pushed == TURN || !self.push_piece(header, buffer, *sent..next, pushed == 0, tray) {
                break false;
            }
            pushed += 1;
            *sent = next;
            if next == buffer.len() {
                break true;
            }
            header.kind = Kind::Part;
        };
        if pushed > 1 {
            self.outbox.notify();
        }
        all
    }

    /// Puts one cell of data into the ring, and tells the receiver of it, who then begins while the next one is written, if
    /// it is the `first`; false if there is no room. The message is for the `tray`, or not.
    #[inline]
    fn push_piece(
        &mut self,
        header: &mut Header,
        buffer: &Buffer,
        range: Range<usize>,
        first: bool,
        tray: bool,
    ) -> bool {
        let len = range.len();
        let many = len < buffer.len();
        header.payload = len as u16;
        let is_last = range.end == buffer.len();
        let in_caches = many && !tray && !self.outbox.is_beyond_cache();
        let manner = self.distance.next(len, in_caches);
        // To a far core it goes past the caches, and the times that tell how far it is are not those of a tray's lines.
        let tray = tray && (manner.is_near() || buffer.len() >= ON_TRAY_TO_FAR);
        // SAFETY: the ring gives room for the payload; the buffer is the send's until it is complete.
        let write = |to: *mut u8| unsafe { buffer.hand_over(range, to, manner.way) };
        let is_in = match tray {
            true => self.outbox.push_on_tray(header, is_last, write),
            false => {
                let shelf = !many && manner.is_for_shelf();
                self.outbox.push(header, shelf, write)
            }
        };
        if !is_in {
            return false;
        }
        if first {
            self.outbox.notify();
        } else if manner.is_timed() {
            full_fence();
        }
        self.distance.learn(manner, len);
        self.distance.learn_by(manner, || self.outbox.look());
        if many {
            count_part();
        }
        true
    }
}

impl Payload {
    /// Bytes of its data that are in the ring.
    fn sent(&self) -> usize {
        match self {
            Payload::Data(data) => data.sent,
            _ => 0,
        }
    }

    fn is_of(&self, operation: &Operation) -> bool {
        let sent = match self {
            Payload::Data(data) => data.operation.as_ref(),
            _ => None,
        };
        sent.is_some_and(|sent| std::ptr::eq(&**sent, operation))
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG_PIECE, PIECE, piece};

    #[test]
    fn pieces_fit_in_cells_and_cover_the_data() {
        for longest in [3992, 32664, 100_000] {
            for len in (0..70_000).chain([1 << 20, (4 << 20) + 1]) {
                for most in [PIECE, LONG_PIECE] {
                    let piece = piece(len, most, longest);
                    assert!(piece <= longest && piece.is_multiple_of(64) && piece > 0);
                    assert!(longest < most || len > most || piece >= len, "one cell");
                }
            }
        }
    }
}
