//! Short messages by the shortest way: one cell, written by a call that has nothing else to do, and read by one that waits for it. What it
//! cannot do at once is left to the longer ways, which find all as it was.

use super::{ENGINE, Engine};
use crate::runtime::{phase, traffic, wait};
use crate::shm::copy::copy;
use crate::transport::distance::{LEAST, SHELVED};
use crate::transport::ring::{Header, Kind};
use crate::transport::{Envelope, task};

/// The most bytes: how more are copied best is to be found out.
pub const SHORTEST: usize = LEAST - 1;

/// So many looks at the ring are made, and after every so many of them one at what this process has yet to move on. (What else comes is looked
/// at on the longer way.)
const LOOKS: u32 = 256;
const BETWEEN: u32 = 32;

/// One receive of so many goes the longer way, where all that comes is looked at: who receives from one rank over and over is to hear of the others.
const IN_ROW: u32 = 32;

/// Sends `len` bytes, at most [`SHORTEST`], from rank `source` of a communicator to rank `to` of the job. False: nothing was done.
///
/// # Safety
/// So many bytes are at `data`.
#[inline(never)]
pub unsafe fn send_short(
    (context, source): (u32, u32),
    to: u32,
    tag: i32,
    data: *const u8,
    len: usize,
) -> bool {
    let Some(mut engine) = ENGINE.get().and_then(|engine| engine.try_lock()) else {
        return false;
    };
    let Engine { inbox, core, .. } = &mut *engine;
    let Some(outbox) = core.links.ready(to) else {
        return false;
    };
    let header = Header {
        kind: Kind::Eager,
        exchanged: false,
        context,
        source,
        tag,
        payload: len as u16,
        released: inbox.released(to),
        bytes: len as u64,
        id: 0,
    };
    // SAFETY: the ring gives room for the payload; the data is the caller's promise.
    let is_in = outbox.push(&header, len >= SHELVED, |room| unsafe {
        copy(data, room, len)
    });
    if is_in {
        outbox.notify();
        traffic::towards(to).sent.add_alone(len);
    }
    is_in
}

/// Receives a message of at most `len` bytes from rank `from` of the job, if it comes soon and is the next one from there: how many bytes it
/// has, and its tag. `None`: nothing was done.
///
/// # Safety
/// There is room for so many bytes at `room`.
#[inline(never)]
pub unsafe fn receive_short(
    context: u32,
    from: u32,
    envelope: Envelope,
    room: *mut u8,
    len: usize,
) -> Option<(usize, i32)> {
    if phase::is_threaded() || wait::spin() == 0 || task::are_begun() {
        return None;
    }
    let mut engine = ENGINE.get()?.try_lock()?;
    let Engine { inbox, core, short } = &mut *engine;
    *short += 1;
    if *short == IN_ROW {
        *short = 0;
        return None;
    }
    let ring = inbox.ring_from(from)?;
    if from == core.me || !core.queues(context).are_unused() {
        return None;
    }
    for look in 1..=LOOKS {
        let Some(cell) = inbox.peek(ring) else {
            if look % BETWEEN == 0 && (core.flush() || core.look_for_answers()) {
                return None;
            }
            continue;
        };
        let header = cell.header;
        let (bytes, tag) = (cell.payload.len(), header.tag);
        let is_it = header.kind == Kind::Eager
            && header.context == context
            && envelope.meets(header.source as i32, tag)
            && header.bytes == bytes as u64
            && bytes <= len;
        if !is_it {
            return None;
        }
        core.links.heard(from, header.released);
        // SAFETY: the caller's promise.
        unsafe { copy(cell.payload.as_ptr(), room, bytes) };
        let taken = cell.room();
        core.is_done_with(inbox, ring, taken);
        inbox.offer_room(ring);
        return Some((bytes, tag));
    }
    None
}
