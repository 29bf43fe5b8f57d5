//! What of messages is [observed](crate::observe): that one leaves, and that one has met its receive. What moves for collective
//! operations counts to the calls of those, not here; what two sides of a partitioned message tell each other first is no data.

use super::checked::{self, Met};
use super::counted::Counted;
use super::operation::Operation;
use super::ring::Header;
use super::{
    Buffer, HIDDEN, LETTERS, Mode, collective_context, context as own_context, partitioned_context,
};
use crate::check;
use crate::observe::events::{self, Kind};
use crate::observe::{self, trace};

/// The message `header` leaves with the data of `buffer` for a rank of the job. Where it is checked, it gets its `number` by that.
#[inline(always)]
pub fn sent(
    to: u32,
    mode: Mode,
    header: &mut Header,
    buffer: &Buffer,
    number: impl FnOnce() -> u64,
) {
    if observe::is_on() {
        trace::sent(to, header.context, header.tag, header.bytes);
        count(header.context, header.bytes);
        if check::is_on() {
            header.id = number();
            checked::sent(mode, header, buffer);
        }
    }
}

/// The message `header` of a rank of the job has met its receive, which takes it into `buffer`, and which is `operation` if it was posted.
#[inline(always)]
pub fn received(
    from: u32,
    header: &Header,
    buffer: &Buffer,
    operation: Option<&Counted<Operation>>,
) {
    if observe::is_on() {
        met(&Met::new(header, from), buffer, operation);
    }
}

/// The same of one that was kept.
#[cold]
pub fn met(met: &Met, buffer: &Buffer, operation: Option<&Counted<Operation>>) {
    trace::received(met.from, met.context, met.tag, met.bytes);
    count(met.context, met.bytes);
    if check::is_on() {
        met.compare(buffer, operation);
    }
}

#[cold]
fn count(context: u32, bytes: u64) {
    let hidden = context % HIDDEN;
    let is_library_s = hidden == collective_context(0) || hidden == partitioned_context(0);
    if context < LETTERS && !is_library_s {
        observe::moved(bytes as usize);
    }
}

/// The message `header` has come before its receive. Those of the library's own do not count.
#[cold]
pub fn unexpected(header: &Header) {
    let context = header.context;
    if context < LETTERS && context % HIDDEN == own_context(0) {
        let values = [header.source.into(), header.tag.into(), header.bytes as i64];
        events::raise(Kind::MessageUnexpected, number(context / HIDDEN), values);
    }
}

/// The number by which events name a communicator: 0 would be none.
pub fn number(communicator: u32) -> u64 {
    u64::from(communicator) + 1
}
