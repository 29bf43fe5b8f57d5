//! Receives of callers that wait at once. Where no other thread can want the lock, they look for their message with it in
//! hand for a while: so they need no operation that is posted, found, completed and asked for its outcome.
//!
//! There are 256 such looks. A message that comes within them goes from the ring into its buffer; one that must be fetched or
//! comes in parts ends them, and the receive is posted as any other. One way 8 bytes take 105 ns by this, on top of what the
//! cache line takes.

use super::{Core, lock, unlock};
use crate::runtime::{phase, wait};
use crate::transport::ring::Header;
use crate::transport::transfer::received;
use crate::transport::{Buffer, Envelope, Outcome, task};

/// So many looks at the rings are made with the lock in hand: messages of the slowest of caches come within them.
const LOOKS: u32 = 256;

/// A receive that is looked for, older than all that is posted later.
pub(super) struct Direct {
    context: u32,
    envelope: Envelope,
    buffer: Buffer,
    found: Found,
}

enum Found {
    Open,
    /// It has got its message.
    Over(Outcome),
    /// Its message has to be fetched, or comes in parts: it is to be met as any other.
    Elsewhere,
}

/// Receives into `buffer` what comes soon and at once. `Err`: that is not so, or something else is to be done first, and the
/// receive has to be posted; here is its buffer.
pub fn receive_at_once(
    context: u32,
    envelope: Envelope,
    buffer: Buffer,
) -> Result<Outcome, Buffer> {
    if phase::is_threaded() || wait::spin() == 0 || task::are_begun() {
        return Err(buffer);
    }
    let mut engine = lock();
    if !engine.core.queues(context).are_unused() {
        return Err(buffer);
    }
    engine.core.direct = Some(Direct {
        context,
        envelope,
        buffer,
        found: Found::Open,
    });
    for _ in 0..LOOKS {
        if engine.poll() {
            break;
        }
    }
    let direct = engine.core.direct.take();
    unlock(engine);
    let direct = direct.expect("nobody else takes it");
    match direct.found {
        Found::Over(outcome) => Ok(outcome),
        Found::Open | Found::Elsewhere => Err(direct.buffer),
    }
}

impl Core {
    /// Whether the receive that is looked for has got its message.
    #[inline]
    pub(super) fn is_direct_over(&self) -> bool {
        matches!(&self.direct, Some(direct) if !matches!(direct.found, Found::Open))
    }

    /// Gives a message to the receive that is looked for; false if there is none for it.
    #[inline]
    pub(super) fn deliver_directly(&mut self, header: &Header, data: &[u8]) -> bool {
        let Some(direct) = self.wanted(header) else {
            return false;
        };
        let len = data.len().min(direct.buffer.len());
        // SAFETY: the buffer is that of the caller, who waits.
        unsafe { direct.buffer.take_over(0..len, data.as_ptr()) };
        let envelope = Envelope {
            source: header.source as i32,
            tag: header.tag,
        };
        direct.found = Found::Over(received(envelope, data.len() as u64, direct.buffer.len()));
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
