//! Messages that are [checked](crate::check): what is sent fits what is received (MPI 4.1 §3.3.1, §3.2.4), and is received.
//!
//! The sender tells what is in a message under the message's number. The receiver compares it with its buffer when both have met, before
//! anything else is done with them. Buffers that are no elements of the program's are silent, as those of plans' own memory.

use super::counted::Counted;
use super::operation::Operation;
use super::ring::Header;
use super::{Buffer, HIDDEN, LETTERS, Mode, collective_context, communicator, partitioned_context};
use crate::check::room::Room;
use crate::check::{self, Finding, Place, collectives, messages, signature};
use crate::naming;
use crate::runtime::revoked;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ptr;
use std::sync::LazyLock;

/// Where receives that wait were posted, by their operations.
static POSTED: LazyLock<Mutex<FxHashMap<usize, (&'static str, Place)>>> =
    LazyLock::new(Mutex::default);

/// Whose message it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Program,
    Collective,
    /// The terms of a partitioned one, which stand for all its data.
    Terms,
}

fn kind(of: u32) -> Option<Kind> {
    match of % HIDDEN {
        _ if of >= LETTERS => None,
        0 => Some(Kind::Program),
        hidden if hidden == collective_context(0) => Some(Kind::Collective),
        hidden if hidden == partitioned_context(0) => Some(Kind::Terms),
        _ => None,
    }
}

/// A message leaves: `header` has its number.
#[cold]
pub fn sent(mode: Mode, header: &Header, buffer: &Buffer) {
    if let (Some(_), Some((datatype, count))) = (kind(header.context), buffer.elements_told()) {
        let words = datatype.number(count).words();
        messages::sent(
            header.id,
            mode == Mode::Ready,
            words,
            &datatype.described(count),
        );
    }
}

/// A receive waits for its message.
#[cold]
pub fn posted(operation: &Counted<Operation>) {
    if matches!(
        kind(operation.about.context),
        Some(Kind::Program | Kind::Terms)
    ) {
        let call = (check::called(), check::here());
        let mut posted = POSTED.lock();
        if posted.has_room(1) {
            posted.insert(operation.addr(), call);
        }
    }
}

/// A receive does not wait any more.
#[cold]
pub fn withdrawn(operation: &Operation) {
    POSTED.lock().remove(&ptr::from_ref(operation).addr());
}

/// Where a message comes from that has met a receive.
pub struct Met {
    pub context: u32,
    /// The sender's rank in the communicator, and in the job.
    pub source: i32,
    pub from: u32,
    pub tag: i32,
    pub bytes: u64,
    /// The sender's number of it.
    pub id: u64,
}

impl Met {
    pub fn new(header: &Header, from: u32) -> Met {
        Met {
            context: header.context,
            source: header.source as i32,
            from,
            tag: header.tag,
            bytes: header.bytes,
            id: header.id,
        }
    }

    /// It goes into `buffer`, for the receive `operation`, or one that the present call waits for.
    #[cold]
    pub fn compare(&self, buffer: &Buffer, operation: Option<&Counted<Operation>>) {
        let posted = operation.and_then(|operation| {
            let at = operation.addr();
            POSTED.lock().remove(&at)
        });
        let (Some(kind), Some((datatype, count))) = (kind(self.context), buffer.elements_told())
        else {
            return;
        };
        let Some(sent) = messages::told(self.from, self.id) else {
            return;
        };
        let room = datatype.number(count);
        let [elements, _] = sent.signature;
        let first = match kind {
            Kind::Program | Kind::Terms => datatype.number_of_first(count, elements),
            Kind::Collective => room,
        };
        if signature::fit(first.words(), sent.signature)
            || kind == Kind::Collective && collectives::was_told(self.context / HIDDEN)
        {
            return;
        }
        let is_too_long = self.bytes > buffer.len() as u64 && elements > room.elements;
        if kind == Kind::Program && is_too_long && messages::is_forgiving(self.context / HIDDEN) {
            return;
        }
        let (call, place) = posted.unwrap_or_else(|| (check::called(), check::here()));
        let (told, by) = (&sent.elements, sent.by(self.from));
        let wanted = datatype.described(count);
        let finding = match kind {
            Kind::Program if is_too_long => Finding {
                kind: "message too long",
                section: "MPI 4.1 §3.2.4",
                text: format!(
                    "the message from {} with tag {} is of {told}, {} bytes, {by}, but the receive has room for {wanted}, \
                     {} bytes",
                    self.sender(),
                    self.tag,
                    self.bytes,
                    buffer.len()
                ),
            },
            Kind::Program | Kind::Terms => Finding {
                kind: "type mismatch",
                section: match kind {
                    Kind::Terms => "MPI 4.1 §4.2",
                    _ => "MPI 4.1 §3.3.1",
                },
                text: format!(
                    "the message from {} with tag {} is of {told}, {by}, but received as {wanted}: send and receive must \
                     name the same types",
                    self.sender(),
                    self.tag,
                ),
            },
            Kind::Collective => Finding {
                kind: "collective mismatch",
                section: "MPI 4.1 §6.1",
                text: format!(
                    "{} gives this process a block of {told} ({by}), which takes it as {wanted}: both must be the same",
                    self.sender(),
                ),
            },
        };
        check::tell_of(finding, call, place);
    }

    fn sender(&self) -> String {
        sender(self.source, self.from, self.context)
    }
}

fn sender(source: i32, from: u32, of: u32) -> String {
    let number = of / HIDDEN;
    let communicator = naming::communicator(number);
    match number == 0 && usize::try_from(source) == Ok(from as usize) {
        true => format!("rank {source} of {communicator}"),
        false => format!("rank {source} of {communicator} (rank {from} of the job)"),
    }
}

/// A message has come that no receive waits for.
#[cold]
pub fn kept(met: &Met) {
    if kind(met.context) != Some(Kind::Program) {
        return;
    }
    let Some(sent) = messages::told(met.from, met.id).filter(|sent| sent.ready) else {
        return;
    };
    check::tell(Finding {
        kind: "ready send without receive",
        section: "MPI 4.1 §3.4",
        text: format!(
            "the message from {} with tag {} came before its receive, but was {}: a ready send may begin when its receive is posted, \
             and not before",
            met.sender(),
            met.tag,
            sent.by(met.from)
        ),
    });
}

/// A message of the program's that no receive will meet any more.
#[cold]
pub fn left(met: &Met) {
    if kind(met.context) != Some(Kind::Program) {
        return;
    }
    // Of a communicator that was revoked nothing can be received.
    if communicator(met.context).is_some_and(|number| revoked::revoker(number).is_some()) {
        return;
    }
    let sent = messages::told(met.from, met.id);
    let what = match &sent {
        Some(sent) => format!("{}, {}", sent.elements, sent.by(met.from)),
        None => format!("{} bytes", met.bytes),
    };
    check::tell(Finding {
        kind: "message never received",
        section: "MPI 4.1 §11.2.2",
        text: format!(
            "a message from {} with tag {} was never received: {what}",
            met.sender(),
            met.tag
        ),
    });
}
