//! Receives of callers that wait at once. Where no other thread can want the lock, they look for their message with it in
//! hand for a while: so they need no operation that is posted, found, completed and asked for its outcome.
//!
//! There are 256 such looks. A message that comes within them goes from the ring into its buffer; after each part of one that comes
//! in parts there are as many again. A short one that can be loaded from where it is is fetched at once; any other that must be fetched
//! ends the looks, and the receive is posted as any other. One way 8 bytes take 105 ns by this, on top of what the cache line takes.

use super::{Core, Engine, lock, unlock};
use crate::observe;
use crate::runtime::{phase, wait};
use crate::transport::counted::Counted;
use crate::transport::matching::Receive;
use crate::transport::offer::Answer;
use crate::transport::operation::{About, Operation};
use crate::transport::ring::Header;
use crate::transport::sends::offer_at;
use crate::transport::streams::{Key, Message, write};
use crate::transport::transfer::{Announced, received};
use crate::transport::{Buffer, Envelope, Outcome, observed, task, ways};

/// So many looks at the rings are made with the lock in hand: messages of the slowest of caches come within them.
const LOOKS: u32 = 256;

/// Messages of so many bytes are copied with the lock in hand.
const AT_ONCE: u64 = 8 << 10;

/// A receive that is looked for, older than all that is posted later.
pub(super) struct Direct {
    context: u32,
    envelope: Envelope,
    buffer: Buffer,
    found: Found,
}

enum Found {
    Open,
    /// Its message comes in parts.
    Coming(Coming),
    /// It has got its message.
    Over(Outcome),
    /// Its message has to be fetched: it is to be met as any other.
    Elsewhere,
}

/// A message of which some parts have come, with so many bytes.
struct Coming {
    message: Message,
    came: usize,
}

/// Receives into `buffer`. How that ended, if the message comes soon and at once; else the operation of the receive, which is posted.
#[inline(always)]
pub fn receive_at_once(
    context: u32,
    envelope: Envelope,
    buffer: Buffer,
    about: impl FnOnce() -> About,
) -> Result<Outcome, Counted<Operation>> {
    let mut engine = lock();
    engine.take_what_is_there();
    let (buffer, found) = match engine.can_look(context) {
        true => engine.look_for(context, envelope, buffer.anew()),
        false => (buffer, Found::Open),
    };
    if let Found::Over(outcome) = found {
        unlock(engine);
        return Ok(outcome);
    }
    let (receive, operation) = Receive::new(buffer, about());
    match found {
        Found::Coming(coming) => engine
            .core
            .streams
            .go_on(coming.message, receive, coming.came),
        _ => engine.core.begin_receive(context, envelope, receive),
    }
    unlock(engine);
    Err(operation)
}

impl Engine {
    /// Whether no other thread can want the lock, and no receive of the context is older.
    #[inline]
    fn can_look(&mut self, context: u32) -> bool {
        !phase::is_threaded()
            && wait::spin() > 0
            && !task::are_begun()
            && self.core.queues(context).are_unused()
    }

    /// Looks for the message of a receive into `buffer`.
    #[inline]
    fn look_for(&mut self, context: u32, envelope: Envelope, buffer: Buffer) -> (Buffer, Found) {
        self.core.direct = Some(Direct {
            context,
            envelope,
            buffer,
            found: Found::Open,
        });
        let mut left = LOOKS;
        while left > 0 {
            left = match self.poll() {
                false => {
                    if left == LOOKS {
                        observe::lingers();
                    }
                    left - 1
                }
                true if self.core.is_direct_coming() => LOOKS,
                true => 0,
            };
        }
        let direct = self.core.direct.take();
        let Direct { buffer, found, .. } = direct.expect("nobody else takes it");
        (buffer, found)
    }
}

impl Core {
    /// Whether the receive that is looked for needs no more looks.
    #[inline]
    pub(super) fn is_direct_over(&self) -> bool {
        let found = self.direct.as_ref().map(|direct| &direct.found);
        matches!(found, Some(Found::Over(_) | Found::Elsewhere))
    }

    fn is_direct_coming(&self) -> bool {
        let found = self.direct.as_ref().map(|direct| &direct.found);
        matches!(found, Some(Found::Coming(_)))
    }

    /// Gives a message to the receive that is looked for; false if there is none for it.
    #[inline]
    pub(super) fn deliver_directly(&mut self, from: u32, header: &Header, data: &[u8]) -> bool {
        let Some(direct) = self.wanted(header) else {
            return false;
        };
        observed::received(from, header, &direct.buffer, None);
        let len = data.len().min(direct.buffer.len());
        // SAFETY: the buffer is that of the caller, who waits.
        unsafe { direct.buffer.take_over(0..len, data.as_ptr()) };
        let envelope = header.envelope();
        direct.found = Found::Over(received(envelope, data.len() as u64, direct.buffer.len()));
        true
    }

    /// Fetches a message for the receive that is looked for, if it is short and can be loaded from where it is; false if not.
    pub(super) fn fetch_directly(
        &mut self,
        header: &Header,
        from: u32,
        mut announced: Announced,
    ) -> bool {
        let Some(direct) = self.wanted(header) else {
            return false;
        };
        if header.bytes > AT_ONCE || !announced.place.is_in_segment() {
            return false;
        }
        let offer = announced.offer;
        // If its sender has taken it back, the receive goes on waiting.
        if announced.find(offer_at(offer).take(header.id)) {
            observed::received(from, header, &direct.buffer, None);
            let len = direct.buffer.len().min(header.bytes as usize);
            let failure = announced.place.load(&direct.buffer, len).err();
            let envelope = header.envelope();
            let Outcome { status, error, .. } =
                received(envelope, header.bytes, direct.buffer.len());
            direct.found = Found::Over(Outcome::new(status, failure.or(error)));
            self.answer(from, header.id, offer, Answer::Fetched);
        }
        true
    }

    /// The same of the first part of a message.
    #[inline]
    pub(super) fn begin_directly(&mut self, from: u32, header: &Header, data: &[u8]) -> bool {
        let Some(direct) = self.wanted(header) else {
            return false;
        };
        observed::received(from, header, &direct.buffer, None);
        let begun = ways::begin(header.bytes, header.exchanged);
        write(&direct.buffer, 0, data);
        let envelope = header.envelope();
        let message = Message {
            key: (from, header.id),
            envelope,
            bytes: header.bytes as usize,
            begun,
        };
        let came = data.len();
        direct.found = Found::Coming(Coming { message, came });
        true
    }

    /// The same of another part.
    #[inline]
    pub(super) fn go_on_directly(&mut self, key: Key, data: &[u8]) -> bool {
        let Some(Direct { buffer, found, .. }) = &mut self.direct else {
            return false;
        };
        let Found::Coming(coming) = found else {
            return false;
        };
        let Message {
            envelope, bytes, ..
        } = coming.message;
        if coming.message.key != key {
            return false;
        }
        write(buffer, coming.came, data);
        coming.came += data.len();
        if coming.came == bytes {
            let message = coming.message;
            *found = Found::Over(received(envelope, bytes as u64, buffer.len()));
            self.came_in_parts(&message);
        }
        true
    }

    /// A message is kept: if it is that of the receive that is looked for, none that comes later is.
    #[inline]
    pub(super) fn end_direct(&mut self, header: &Header) {
        if let Some(direct) = self.wanted(header) {
            direct.found = Found::Elsewhere;
        }
    }

    /// The receive that is looked for, if such a message is what it wants.
    #[inline]
    fn wanted(&mut self, header: &Header) -> Option<&mut Direct> {
        let direct = self.direct.as_mut()?;
        let is_it = direct.context == header.context
            && direct.envelope.meets(header.source as i32, header.tag)
            && matches!(direct.found, Found::Open);
        is_it.then_some(direct)
    }
}
