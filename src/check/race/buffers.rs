//! The origin buffers of operations that are not complete at the origin: the next operation is not to use them.

use super::What;
use super::log::On;
use super::span::{Pair, Span};
use crate::check::Place;
use crate::check::room::Room;

/// So many are kept, the last ones.
const MOST: usize = 1024;

/// A buffer that an operation reads, or writes its result to.
#[derive(Clone, Copy)]
pub struct Held {
    pub on: On,
    pub what: What,
    pub place: Place,
    /// In addresses of this process.
    pub span: Span,
    /// With the first bytes of the target that it belongs to.
    pub pair: Option<Pair>,
}

/// Those of one kind, and between which addresses they all are.
pub struct Buffers {
    all: Vec<Held>,
    low: u64,
    high: u64,
}

impl Buffers {
    pub const fn new() -> Buffers {
        Buffers {
            all: Vec::new(),
            low: u64::MAX,
            high: 0,
        }
    }

    pub fn add(&mut self, held: Held) {
        if let Some(last) = self.all.last_mut()
            && last.on == held.on
            && last.place == held.place
            && last.span.common(&held.span).is_some()
            && last.span == held.span
        {
            return;
        }
        if self.all.len() == MOST {
            self.all.drain(..MOST / 2);
        }
        if !self.all.has_room(1) {
            return;
        }
        self.low = self.low.min(held.span.low);
        self.high = self.high.max(held.span.high);
        self.all.push(held);
    }

    /// Whether there are none.
    pub fn are_free(&self) -> bool {
        self.all.is_empty()
    }

    /// One that has bytes of `span`.
    #[inline]
    pub fn find(&self, span: &Span) -> Option<&Held> {
        if span.high <= self.low || span.low >= self.high {
            return None;
        }
        self.all
            .iter()
            .find(|held| held.span.common(span).is_some())
    }

    /// Those for which `are_free` are free again.
    pub fn free(&mut self, are_free: impl Fn(On) -> bool) {
        if self.all.is_empty() {
            return;
        }
        self.all.retain(|held| !are_free(held.on));
        if self.all.is_empty() {
            (self.low, self.high) = (u64::MAX, 0);
        }
    }
}
