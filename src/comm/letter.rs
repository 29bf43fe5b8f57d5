//! Letters: how processes that have no communicator of just themselves find each other.
//!
//! A letter is a message of a few words in a context that no communicator has, under a key that sender and receiver
//! compute of what they have in common. Letters of one process to another under one key arrive in the order in which they
//! were sent. The sender needs nobody to be there already, and their number is bounded by memory only.
//!
//! Context and tag are a hash, 59 bits, of what the callers have in common: parent and tag or the string, and the members. So
//! calls that overlap are told apart, and only what the key is made of can be wrong without the others hearing of it: the rest
//! is told in the new meeting. Whatever fails, both sides write the same number of letters, and what one does not wait for it
//! [ignores](ignore), so none is left for the next call.

use crate::error::Result;
use crate::mpi::constants::MPI_COMM_NULL;
use crate::runtime::{Need, Needs, Ranks, job};
use crate::transport::counted::Counted;
use crate::transport::operation::block;
use crate::transport::{
    self, About, Action, Buffer, Envelope, LETTERS, Mode, Operation, Partners, TAG_UB, Target,
};
use parking_lot::Mutex;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What the letters for one purpose have in common.
#[derive(Clone, Copy)]
pub struct Key {
    context: u32,
    tag: i32,
}

/// A number made of what processes have in common; never 0.
pub fn fingerprint(what: impl Hash) -> u64 {
    // Processes of one job run the same code, so that the hash is the same in all of them.
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish() | 1 << 63
}

/// The key for what these have in common.
pub fn key(what: impl Hash) -> Key {
    let number = fingerprint(what);
    Key {
        context: LETTERS | number as u32,
        tag: (number >> 32) as i32 & TAG_UB,
    }
}

fn about(key: Key, action: Action, peer: u32, partners: &Arc<[u32]>) -> About {
    About {
        action,
        context: key.context,
        peer: peer as i32,
        tag: key.tag,
        partners: Partners::These(partners.clone()),
        comm: MPI_COMM_NULL,
    }
}

/// Blocks until all are done. Errors: of what ends a wait by `ranks`.
fn settle(
    operations: &[Counted<Operation>],
    partners: &[u32],
    ranks: Ranks<'_>,
    what: &dyn Fn() -> String,
) -> Result<()> {
    let done = || operations.iter().all(|o| o.is_done());
    let needs = Needs::Told(&|need| *need = Need::any(partners.iter().copied()));
    let settled = block(what, ranks, needs, done);
    if settled.is_err() {
        for operation in operations.iter() {
            transport::withdraw(operation);
        }
    }
    settled
}

/// Sends `words` to each of `to` (ranks in the job). Blocks until they have left. Error: `MPI_ERR_PROC_FAILED`.
pub fn send(key: Key, to: &[u32], words: &[u64], what: &dyn Fn() -> String) -> Result<()> {
    let partners: Arc<[u32]> = to.into();
    // SAFETY: the words outlive the operations, which are settled here.
    let buffer = unsafe { Buffer::bytes(words.as_ptr().cast(), size_of_val(words)) };
    let mut operations = Vec::new();
    for &to in to {
        let target = Target {
            context: key.context,
            source: job().rank,
            to,
            tag: key.tag,
            waits: false,
            receives: false,
        };
        let about = || about(key, Action::Send, to, &partners);
        operations.extend(transport::send(
            target,
            buffer.clone(),
            Mode::Standard,
            about,
        )?);
    }
    settle(&operations, to, Ranks::Needed(to), what)
}

/// Begins to receive the next letter of `from` under `key`.
///
/// # Safety
/// The words are the operation's until it is done, or withdrawn.
unsafe fn begin(
    key: Key,
    from: u32,
    partners: &Arc<[u32]>,
    words: &mut [u64],
) -> Counted<Operation> {
    // SAFETY: the caller's promise.
    let buffer = unsafe { Buffer::bytes(words.as_mut_ptr().cast(), size_of_val(words)) };
    let envelope = Envelope {
        source: from as i32,
        tag: key.tag,
    };
    let about = about(key, Action::Receive, from, partners);
    transport::receive(key.context, envelope, buffer, about)
}

/// Room for a few words and the members of a group.
fn room() -> Vec<u64> {
    vec![0_u64; job().room() + 8]
}

/// Receives the next letter of `from` (a rank in the job) under `key`, and ends with an error by `ranks`: whoever writes may then have given up.
/// `partners` are those who act for it.
pub fn receive(
    key: Key,
    from: u32,
    partners: &Arc<[u32]>,
    ranks: Ranks<'_>,
    what: &dyn Fn() -> String,
) -> Result<Vec<u64>> {
    let mut words = room();
    // SAFETY: the words outlive the operation, which is settled here.
    let operation = unsafe { begin(key, from, partners, &mut words) };
    settle(std::slice::from_ref(&operation), partners, ranks, what)?;
    let outcome = operation.outcome();
    outcome.error.map_or(Ok(()), Err)?;
    words.truncate(outcome.status.count() as usize / size_of::<u64>());
    Ok(words)
}

/// A letter that nobody reads.
struct Unread {
    operation: Counted<Operation>,
    _words: Vec<u64>,
}

/// Those that have not come.
static UNREAD: Mutex<Vec<Unread>> = Mutex::new(Vec::new());

/// Nobody reads the next letters of `from` under `key`, so many: what comes under that key behind them is for the next call.
pub fn ignore(key: Key, from: u32, count: usize) {
    let mut unread = UNREAD.lock();
    unread.retain(|letter| !letter.operation.is_done());
    let partners: Arc<[u32]> = Arc::new([from]);
    unread.extend((0..count).map(|_| {
        let mut words = room();
        Unread {
            // SAFETY: the words are kept until the operation is done.
            operation: unsafe { begin(key, from, &partners, &mut words) },
            _words: words,
        }
    }));
}
