//! One transfer from its start to its end: what the engine completes and what a request waits for.

use super::counted::Counted;
use super::lock::{Lock, Mutex};
use super::streams::parts;
use super::{communicator, task};
use crate::error::{Error, Object, Result};
use crate::mpi::constants::MPI_ANY_TAG;
use crate::mpi::types::{MPI_Comm, MPI_Status};
use crate::naming;
use crate::observe;
use crate::runtime::deaths::{check_alive, dead, name};
use crate::runtime::wait::{Announce, Nap};
use crate::runtime::{self, Need, Needs, Ranks, Waiting, failures, phase, revoked};
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering, full_fence};
use parking_lot::lock_api::RawMutex;
use std::cell::{Cell, UnsafeCell};
use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

/// A send, a receive, or a collective operation that was started.
pub struct Operation {
    /// One of [`OPEN`], [`ENDING`] and [`ENDED`].
    state: AtomicU8,
    /// Which [acknowledgement](failures::generation) it came after that a failure holds it up; 0: none does.
    held_up: AtomicU32,
    /// Written by whoever takes the state from open to ending; there for all when it has ended.
    end: UnsafeCell<End>,
    /// The number under which the engine has it. Read and written with the engine's lock.
    number: AtomicU64,
    pub about: About,
}

/// How an operation ended, in few bytes.
struct End {
    status: MPI_Status,
    error: Option<Box<Error>>,
}

/// Programs have more operations at a time than are kept: glibc keeps memory of up to 120 bytes at hand, of which a [`Counted`] takes a count. A
/// status has 20; the standard's has more.
const _: () = assert!(size_of::<Operation>() - size_of::<MPI_Status>() <= 120 - 8 - 20);

/// Operations that have ended, whose memory is for the next ones: to give it back to glibc and to get it again costs a tenth of what a
/// message of 8 bytes does, of which there are many at a time. Where no other thread may be in MPI.
static SPARE: Mutex<Vec<Counted<Operation>>> = Mutex::from_raw(Lock::INIT, Vec::new());
/// So many are kept: there are programs that have 256 receives at a time.
const SPARES: usize = 512;

const OPEN: u8 = 0;
const ENDING: u8 = 1;
const ENDED: u8 = 2;

// SAFETY: how it ended is written by one thread, and read by others after that ([`Operation::complete`]).
unsafe impl Sync for Operation {}

/// How an operation ended.
#[derive(Clone)]
pub struct Outcome {
    pub status: MPI_Status,
    pub error: Option<Error>,
    /// Whether there was no operation: the status is the empty one, with `MPI_ERROR` (MPI 4.1 §3.7.3).
    pub is_empty: bool,
}

impl Outcome {
    /// Of an operation that moved nothing.
    pub const NOTHING: Outcome = Outcome::new(MPI_Status::EMPTY, None);

    /// Of no operation: the request is null or inactive.
    pub const EMPTY: Outcome = Outcome {
        status: MPI_Status::EMPTY,
        error: None,
        is_empty: true,
    };

    pub const fn new(status: MPI_Status, error: Option<Error>) -> Outcome {
        Outcome {
            status,
            error,
            is_empty: false,
        }
    }

    /// The same, with the error for the error handler of a communicator.
    #[inline]
    pub fn on(self, comm: MPI_Comm) -> Outcome {
        let error = self.error.map(|error| error.on(Object::Comm(comm)));
        Outcome { error, ..self }
    }
}

/// What an operation is, for whoever waits for it, cancels it, or asks what it is waiting for.
#[derive(Clone)]
pub struct About {
    pub action: Action,
    /// The hidden context its messages are in.
    pub context: u32,
    /// The rank in the communicator; may be `MPI_ANY_SOURCE`.
    pub peer: i32,
    pub tag: i32,
    pub partners: Partners,
    /// Whose error handler its errors go to.
    pub comm: MPI_Comm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Send,
    Receive,
    /// A collective operation, or where jobs are checked one of RMA, by its name: nobody can cancel it.
    Collective(&'static str),
    /// A [`task`] of another kind, by its name.
    Steps(&'static str),
}

/// Whose death means that an operation will never end.
#[derive(Clone)]
pub enum Partners {
    One(u32),
    /// By their ranks in the job.
    These(Arc<[u32]>),
    /// Nobody's, by itself: it is made of parts that have theirs, all with this rank of the job.
    InParts(u32),
}

impl About {
    /// Says that the communicator was revoked, if it was; as [`Ranks::Unless`] wants it.
    pub fn revoked(&self) -> Option<String> {
        revoked::told(communicator(self.context)?)
    }

    /// Whether it is a receive from any rank.
    pub fn is_from_any(&self) -> bool {
        self.action == Action::Receive && matches!(self.partners, Partners::These(_))
    }

    /// Who keeps what waits for it, `what` in words, from ending for ever, as [`Ranks::Who`] wants it. A receive from any
    /// rank, and a collective operation, need all that are alive; but one that has come to MPI_Finalize may have done its
    /// part before. A receive from any rank does without those whose failure was [acknowledged](failures).
    pub fn obstacle(&self, what: &dyn Fn() -> String) -> Option<(u32, String)> {
        let (rank, who) = match &self.partners {
            Partners::One(rank) => {
                let (rank, _) = dead(Ranks::Needed(&[*rank]))?;
                (rank, format!("rank {} (rank {rank} of the job)", self.peer))
            }
            Partners::These(members) => {
                let (mut rank, _) = dead(Ranks::These(members))?;
                if self.is_from_any() {
                    let acknowledged = failures::acknowledged(communicator(self.context)?);
                    let others = members
                        .iter()
                        .filter(|member| !acknowledged.contains(member));
                    let others: Vec<u32> = others.copied().collect();
                    (rank, _) = dead(Ranks::These(&others))?;
                }
                (rank, name(rank, members))
            }
            Partners::InParts(_) => return None,
        };
        Some((rank, format!("{}: waiting for {who}", what())))
    }

    /// Who has to act so that it ends.
    pub fn need(&self) -> Need {
        match (self.action, &self.partners) {
            (Action::Steps(_), _) => Need::default(),
            (_, Partners::One(rank)) => Need::each([*rank]),
            (_, Partners::These(members)) => Need::any(members.iter().copied()),
            (_, Partners::InParts(_)) => Need::default(),
        }
    }

    /// Says in words what it waits for.
    pub fn describe(&self) -> String {
        let tag = match self.tag {
            MPI_ANY_TAG => "any tag".to_string(),
            tag => format!("tag {tag}"),
        };
        match self.action {
            Action::Send => format!("sending to {}, {tag}", self.other_side()),
            Action::Receive if self.peer < 0 => format!("receiving from any rank, {tag}"),
            Action::Receive => format!("receiving from {}, {tag}", self.other_side()),
            Action::Collective(name) => match communicator(self.context) {
                Some(number) => naming::collective(name, number),
                None => name.to_string(),
            },
            Action::Steps(name) => match &self.partners {
                Partners::InParts(_) => format!("{name} {}, {tag}", self.other_side()),
                _ => name.to_string(),
            },
        }
    }

    /// The rank that its message goes to or comes from.
    pub fn other_side(&self) -> String {
        let rank = usize::try_from(self.peer).unwrap_or_default();
        match (&self.partners, communicator(self.context)) {
            (Partners::One(process) | Partners::InParts(process), Some(number)) => {
                naming::rank(rank, *process, &naming::communicator(number))
            }
            _ => format!("rank {}", self.peer),
        }
    }
}

impl Partners {
    /// The ranks in the job.
    pub fn members(&self) -> &[u32] {
        match self {
            Partners::One(rank) => std::slice::from_ref(rank),
            Partners::These(members) => members,
            Partners::InParts(_) => &[],
        }
    }
}

impl Operation {
    #[inline(always)]
    pub fn new(about: About) -> Counted<Operation> {
        let new = Operation {
            state: AtomicU8::new(OPEN),
            held_up: AtomicU32::new(0),
            end: UnsafeCell::new(End {
                status: MPI_Status::EMPTY,
                error: None,
            }),
            number: AtomicU64::new(0),
            about,
        };
        if !phase::is_threaded()
            && let Some(mut spare) = SPARE.lock().pop()
            && let Some(place) = spare.get_mut()
        {
            *place = new;
            return spare;
        }
        Counted::new(new)
    }

    /// Keeps the memory of an operation that nobody else has for the next one.
    #[inline]
    pub fn spare(operation: Counted<Operation>) {
        if !phase::is_threaded() && operation.is_only() {
            let mut spare = SPARE.lock();
            if spare.len() < SPARES && spare.try_reserve(1).is_ok() {
                spare.push(operation);
            }
        }
    }

    /// The number under which the engine has it, or had it last. 0: it never had.
    pub fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// From now on the engine has it under this number.
    pub fn set_number(&self, number: u64) {
        self.number.store(number, Ordering::Relaxed);
    }

    /// Whether it has ended. What it did to memory has happened before.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.state.load(Ordering::Acquire) == ENDED
    }

    /// A failure holds it up, until that is acknowledged.
    pub fn hold_up(&self) {
        self.held_up
            .store(failures::generation(), Ordering::Relaxed);
    }

    /// Whether it has not ended, and a failure holds it up that the program has not acknowledged.
    pub fn is_held_up(&self) -> bool {
        let since = self.held_up.load(Ordering::Relaxed);
        since != 0 && since == failures::generation() && !self.is_done()
    }

    /// Ends it, if it has not ended; it has, after this. True if it was this call that ended it. Whoever calls this wakes the
    /// other threads that may wait for it, by [`wake_threads`].
    #[inline]
    pub fn complete(&self, status: MPI_Status, error: Option<Error>) -> bool {
        let mine = self.begin_end();
        if mine {
            // SAFETY: nobody else writes, as the state was open, and nobody reads before it is `ENDED`.
            unsafe {
                *self.end.get() = End {
                    status,
                    error: error.map(Box::new),
                }
            };
            self.state.store(ENDED, Ordering::Release);
        } else {
            // Whoever is about to write how it ended does nothing else.
            while !self.is_done() {
                spin_loop();
            }
        }
        mine
    }

    /// Takes the state from open to ending: whether it was this call that did. Where no other thread may be in MPI, without a locked
    /// instruction.
    #[inline]
    fn begin_end(&self) -> bool {
        if !phase::is_threaded() {
            return self.state.load(Ordering::Relaxed) == OPEN;
        }
        self.state
            .compare_exchange(OPEN, ENDING, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// How it ended. The error is for the error handler of its communicator.
    #[inline]
    pub fn outcome(&self) -> Outcome {
        assert!(self.is_done(), "an outcome is asked for after the end");
        // SAFETY: nobody writes any more.
        let End { status, error } = unsafe { &*self.end.get() };
        let error = error.as_deref().cloned();
        Outcome::new(*status, error).on(self.about.comm)
    }

    /// Who keeps it from ending for ever, as [`Ranks::Who`] wants it.
    pub fn obstacle(&self) -> Option<(u32, String)> {
        self.about.obstacle(&|| self.describe())
    }

    /// Errors if it will not end any more: `MPI_ERR_PROC_FAILED`, because a process died, `MPIX_ERR_REVOKED`.
    pub fn check_alive(&self) -> Result<()> {
        let (obstacle, revoked) = (|| self.obstacle(), || self.about.revoked());
        let who = Ranks::Who(&obstacle);
        check_alive(Ranks::Unless(&revoked, &who), &|| self.describe())
    }

    /// Says in words what it waits for.
    pub fn describe(&self) -> String {
        self.about.describe()
    }
}

/// Blocks until the operation has ended.
///
/// Errors: `MPI_ERR_PROC_FAILED` if a process that it depends on dies first, `MPIX_ERR_REVOKED`.
#[inline]
pub fn wait(operation: &Operation) -> Result<()> {
    if operation.is_done() {
        return Ok(());
    }
    task::set_awaited(std::iter::once(operation));
    let what = || operation.describe();
    let obstacle = || operation.obstacle();
    let revoked = || operation.about.revoked();
    let who = Ranks::Who(&obstacle);
    let needs = Needs::Told(&|need| *need = operation.about.need());
    let peer = match operation.about.partners {
        Partners::One(rank) => Some(rank),
        Partners::These(_) | Partners::InParts(_) => None,
    };
    block_on(peer, &what, Ranks::Unless(&revoked, &who), needs, || {
        operation.is_done()
    })
}

/// So many looks in vain come before a thread waits, where every rank can have a core.
const LOOKS: u32 = 64;
/// The same where ranks share cores.
const LOOKS_SHARED_CORES: u32 = 4;
/// So many of them are one after another, without giving back the lock, where no other thread may want it.
const AT_ONCE: u32 = 8;

/// Threads of this process that wait in [`block`].
static BLOCKED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Whether this thread is one of them.
    static I_BLOCK: Cell<bool> = const { Cell::new(false) };
}

/// Blocks until `ready` says true, and moves messages along meanwhile.
pub fn block(
    what: &dyn Fn() -> String,
    ranks: Ranks<'_>,
    needs: Needs<'_>,
    ready: impl FnMut() -> bool,
) -> Result<()> {
    block_on(None, what, ranks, needs, ready)
}

/// The same, on the rank `peer` alone if it is known.
fn block_on(
    peer: Option<u32>,
    what: &dyn Fn() -> String,
    ranks: Ranks<'_>,
    needs: Needs<'_>,
    mut ready: impl FnMut() -> bool,
) -> Result<()> {
    // The first looks need no bookkeeping: a message that is on its way arrives within them, and its next part within as
    // many again.
    let looks = match runtime::wait::spin() {
        0 => LOOKS_SHARED_CORES,
        _ => LOOKS,
    };
    let at_once = match phase::is_threaded() {
        true => 1,
        false => AT_ONCE.min(looks),
    };
    observe::lingers();
    let mut in_vain = 0;
    while in_vain < looks {
        in_vain = match task::look(at_once) {
            true => 0,
            false => in_vain + at_once,
        };
        if ready() {
            return Ok(());
        }
    }
    let observed = observe::Wait::begin(peer);
    let outer = I_BLOCK.replace(true);
    BLOCKED.fetch_add(u32::from(!outer), Ordering::SeqCst);
    let waiting = Waiting {
        key: 0,
        what,
        ranks,
        needs,
        announce: Some(Announce {
            sleeper: &super::leave_short,
            nap: &|| Nap::UntilRung,
        }),
    };
    // A message that comes or goes in parts takes long, but the next part never: each is waited for anew.
    let mut over = false;
    let mut result = Ok(());
    while result.is_ok() && !over {
        let before = parts();
        result = runtime::wait(&waiting, || {
            over = ready() || {
                runtime::wait::progress();
                ready()
            };
            over || parts() != before
        });
    }
    BLOCKED.fetch_sub(u32::from(!outer), Ordering::SeqCst);
    I_BLOCK.set(outer);
    if let Some(observed) = observed {
        observed.end(observe::heard().or(peer));
    }
    result
}

/// Wakes the threads of this process that wait, after operations were completed, except the calling one.
#[inline]
pub fn wake_threads() {
    // Without `MPI_THREAD_MULTIPLE` nobody waits while another thread is here.
    if !phase::is_threaded() {
        return;
    }
    // The completion comes before the look for waiters in everybody's eyes: a thread counts itself before it looks.
    full_fence();
    let others = BLOCKED.load(Ordering::Relaxed) - u32::from(I_BLOCK.get());
    if others > 0 {
        runtime::ring(runtime::job().rank);
    }
}
