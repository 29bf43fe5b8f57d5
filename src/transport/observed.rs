//! What of messages is [observed](crate::observe): that one leaves, and that one has met its receive. What moves for collective
//! operations counts to the calls of those, not here.

use super::{HIDDEN, LETTERS, collective_context};
use crate::observe::{self, trace};

/// A message of so many bytes leaves for a rank of the job.
#[inline(always)]
pub fn sent(to: u32, context: u32, tag: i32, bytes: u64) {
    if observe::is_on() {
        trace::sent(to, context, tag, bytes);
        count(context, bytes);
    }
}

/// One of a rank of the job has met its receive.
#[inline(always)]
pub fn received(from: u32, context: u32, tag: i32, bytes: u64) {
    if observe::is_on() {
        trace::received(from, context, tag, bytes);
        count(context, bytes);
    }
}

#[cold]
fn count(context: u32, bytes: u64) {
    let is_collective = context % HIDDEN == collective_context(0);
    if context < LETTERS && !is_collective {
        observe::moved(bytes as usize);
    }
}
