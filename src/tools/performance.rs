//! Performance variables: what this process has done so far, and the sessions and handles through which it is read.

use super::{About, BASIC, FILES, MEMORY, MESSAGES, TUNER, WAITING, WINDOWS};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Win;
use crate::runtime::traffic::{of_own, total};
use crate::runtime::wait;
use crate::shm::atomic::{AtomicU64, Ordering};
use crate::shm::{heap, peer, segment::try_segment};
use crate::{
    bail, err, transport,
    win::{self, Window, adoption, parcel},
};
use parking_lot::{Mutex, MutexGuard};
use std::ffi::c_int;

/// A performance variable.
pub struct Performance {
    pub about: About,
    /// `MPI_T_PVAR_CLASS_COUNTER`: counts while a handle is started, from 0 on. `MPI_T_PVAR_CLASS_LEVEL`: is what it is, for all.
    pub class: c_int,
    now: Now,
}

/// What gives its value.
enum Now {
    Process(fn() -> u64),
    /// It belongs to a window.
    Window(fn(&Window) -> u64),
}

impl Performance {
    /// Whether handles start and stop it, and set it.
    pub fn is_counter(&self) -> bool {
        self.class == MPI_T_PVAR_CLASS_COUNTER
    }

    /// Whether its handles are of a window each.
    pub fn is_of_window(&self) -> bool {
        matches!(self.now, Now::Window(_))
    }

    /// Its value; 0 of a window that was freed.
    fn now(&self, window: MPI_Win) -> u64 {
        match self.now {
            Now::Process(now) => now(),
            Now::Window(now) => win::get(window).map_or(0, now),
        }
    }
}

fn count(of: &AtomicU64) -> u64 {
    of.load(Ordering::Relaxed)
}

const fn counter(
    name: &'static str,
    text: &'static str,
    category: usize,
    now: fn() -> u64,
) -> Performance {
    Performance {
        about: About {
            name,
            text,
            category,
            verbosity: TUNER,
        },
        class: MPI_T_PVAR_CLASS_COUNTER,
        now: Now::Process(now),
    }
}

const fn level(name: &'static str, text: &'static str, category: usize, now: Now) -> Performance {
    Performance {
        about: About {
            name,
            text,
            category,
            verbosity: BASIC,
        },
        class: MPI_T_PVAR_CLASS_LEVEL,
        now,
    }
}

static PERFORMANCES: [Performance; 26] = [
    counter(
        "rmashm_waits",
        "Waits whose condition was not met at the first look",
        WAITING,
        || count(&wait::LONG),
    ),
    counter(
        "rmashm_sleeps",
        "Waits in which the process slept in the kernel",
        WAITING,
        || count(&wait::SLEEPS),
    ),
    counter(
        "rmashm_lock_waits",
        "Locks of windows that were not free when they were asked for",
        WAITING,
        || count(&win::LOCK_WAITS),
    ),
    counter(
        "rmashm_bytes_put",
        "Bytes put into windows",
        WINDOWS,
        || total(|cell| &cell.put.bytes),
    ),
    counter(
        "rmashm_bytes_got",
        "Bytes got from windows",
        WINDOWS,
        || total(|cell| &cell.got.bytes),
    ),
    counter(
        "rmashm_bytes_accumulated",
        "Bytes of windows' elements that accumulates, of several elements each, were applied to",
        WINDOWS,
        || total(|cell| &cell.accumulated.bytes),
    ),
    counter("rmashm_puts", "Puts that moved something", WINDOWS, || {
        total(|cell| &cell.put.operations)
    }),
    counter("rmashm_gets", "Gets that moved something", WINDOWS, || {
        total(|cell| &cell.got.operations)
    }),
    counter(
        "rmashm_accumulates",
        "Accumulates of all kinds, of some elements",
        WINDOWS,
        || total(|cell| &cell.accumulated.operations),
    ),
    counter(
        "rmashm_messages_sent",
        "Messages whose send has started, also those of which collective operations are made",
        MESSAGES,
        || total(|cell| &cell.sent.operations),
    ),
    counter("rmashm_bytes_sent", "Their bytes", MESSAGES, || {
        total(|cell| &cell.sent.bytes)
    }),
    counter(
        "rmashm_collectives",
        "Calls of collective operations of communicators",
        MESSAGES,
        || of_own(|own| &own.collective.operations),
    ),
    counter(
        "rmashm_peer_bytes",
        "Bytes copied to and from private memory of other processes",
        MEMORY,
        || count(&peer::COPIED),
    ),
    counter(
        "rmashm_bytes_carried",
        "Bytes that this process has moved in its private memory for others, while it waited",
        WINDOWS,
        || count(&parcel::CARRIED),
    ),
    counter(
        "rmashm_adoptions",
        "How often memory of the program's own was taken into shared memory, for windows",
        WINDOWS,
        || count(&adoption::TIMES),
    ),
    counter(
        "rmashm_adoptions_refused",
        "How often that was tried in vain",
        WINDOWS,
        || count(&adoption::REFUSED),
    ),
    counter(
        "rmashm_file_bytes_read",
        "Bytes read from files",
        FILES,
        || of_own(|own| &own.read.bytes),
    ),
    counter(
        "rmashm_file_bytes_written",
        "Bytes written to files",
        FILES,
        || of_own(|own| &own.written.bytes),
    ),
    level(
        "rmashm_memory_in_use",
        "Bytes of shared memory that this process has allocated and not freed",
        MEMORY,
        Now::Process(|| try_segment().map_or(0, |_| heap::in_use() as u64)),
    ),
    level(
        "rmashm_adopted",
        "Bytes of the program's own memory that lie in shared memory now, whole pages",
        MEMORY,
        Now::Process(|| count(&adoption::ADOPTED)),
    ),
    level(
        "rmashm_segment_in_use",
        "Bytes of memory of the system that all that the job's processes share takes",
        MEMORY,
        Now::Process(|| try_segment().map_or(0, |segment| segment.in_use())),
    ),
    level(
        "rmashm_unexpected_bytes",
        "Bytes that this process holds of messages that no receive has met, with what it takes to keep them",
        MESSAGES,
        Now::Process(|| count(&transport::HELD_BYTES)),
    ),
    level(
        "rmashm_window_bytes",
        "Bytes of this process's part of the window",
        WINDOWS,
        Now::Window(|window| window.own.size as u64),
    ),
    level(
        "rmashm_window_locks",
        "Locks of the window that this process holds, by MPI_Win_lock",
        WINDOWS,
        Now::Window(|window| window.epoch.locks.load(Ordering::Relaxed).into()),
    ),
    level(
        "rmashm_window_locked",
        "Ranks of the window whose part somebody has locked, by MPI_Win_lock",
        WINDOWS,
        Now::Window(|window| {
            let locks = window.targets.iter().map(|target| &target.block.lock);
            locks
                .filter(|lock| lock.writer().is_some() || lock.readers() > 0)
                .count() as u64
        }),
    ),
    level(
        "rmashm_window_locks_wanted",
        "Locks of the window that somebody waits for and has claimed: the next to have them",
        WINDOWS,
        Now::Window(|window| {
            let locks = window.targets.iter().map(|target| &target.block.lock);
            locks.filter(|lock| lock.claim_standing().is_some()).count() as u64
        }),
    ),
];

/// All performance variables. Their number and order do not change while a program runs.
pub fn performances() -> &'static [Performance] {
    &PERFORMANCES
}

/// One use of a variable.
struct Handle {
    index: usize,
    /// Of which window, if the variable belongs to one.
    window: MPI_Win,
    /// What it had counted when it was last started or stopped.
    counted: u64,
    /// What the variable was when it was started; `None` while it is stopped.
    since: Option<u64>,
}

/// The open sessions, each with its handles. Places in both lists are not used again, so that stale handles are found out.
pub struct Sessions(Vec<Option<Vec<Option<Handle>>>>);

static SESSIONS: Mutex<Sessions> = Mutex::new(Sessions(Vec::new()));

/// The open sessions, for this caller alone.
pub fn sessions() -> MutexGuard<'static, Sessions> {
    SESSIONS.lock()
}

impl Sessions {
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|session| *session = None);
    }

    pub fn open(&mut self) -> usize {
        self.0.push(Some(Vec::new()));
        self.0.len() - 1
    }

    /// Ends a session and its handles. Error: `MPI_T_ERR_INVALID_SESSION`.
    pub fn close(&mut self, session: usize) -> Result<()> {
        self.session(session)?;
        self.0[session] = None;
        Ok(())
    }

    fn session(&mut self, session: usize) -> Result<&mut Vec<Option<Handle>>> {
        let found = self.0.get_mut(session).and_then(Option::as_mut);
        found.ok_or_else(|| err!(TInvalidSession, "session is no open session"))
    }

    fn handle(&mut self, session: usize, handle: usize) -> Result<&mut Handle> {
        let found = self.session(session)?.get_mut(handle);
        found
            .and_then(Option::as_mut)
            .ok_or_else(|| err!(TInvalidHandle, "handle is none of this session"))
    }

    /// Makes a handle, stopped, of variable number `index`, of a window if that belongs to one. Error: `MPI_T_ERR_INVALID_SESSION`.
    pub fn alloc(&mut self, session: usize, index: usize, window: MPI_Win) -> Result<usize> {
        let handles = self.session(session)?;
        handles.push(Some(Handle {
            index,
            window,
            counted: 0,
            since: None,
        }));
        Ok(handles.len() - 1)
    }

    /// Ends a handle. Errors: `MPI_T_ERR_INVALID_SESSION`, `MPI_T_ERR_INVALID_HANDLE`.
    pub fn free(&mut self, session: usize, handle: usize) -> Result<()> {
        self.handle(session, handle)?;
        self.session(session)?[handle] = None;
        Ok(())
    }

    /// Does `work` with a handle, or with all of the session's that are of counters. Errors: as [`Sessions::free`], and `refusal` for
    /// one that is not of a counter.
    pub fn each(
        &mut self,
        session: usize,
        handle: Option<usize>,
        refusal: impl Fn() -> crate::error::Error,
        work: impl Fn(&mut Counter<'_>),
    ) -> Result<()> {
        let Some(handle) = handle else {
            let handles = self.session(session)?.iter_mut().flatten();
            for handle in handles.filter(|h| PERFORMANCES[h.index].is_counter()) {
                work(&mut Counter(handle));
            }
            return Ok(());
        };
        let handle = self.handle(session, handle)?;
        if !PERFORMANCES[handle.index].is_counter() {
            return Err(refusal());
        }
        work(&mut Counter(handle));
        Ok(())
    }

    /// The value of a handle; with `reset` it begins anew. Errors: as [`Sessions::free`], `MPI_T_ERR_PVAR_NO_ATOMIC`.
    pub fn read(&mut self, session: usize, handle: usize, reset: bool) -> Result<u64> {
        let handle = self.handle(session, handle)?;
        let variable = &PERFORMANCES[handle.index];
        if !variable.is_counter() {
            if reset {
                bail!(TPvarNoAtomic, "{} cannot be reset", variable.about.name);
            }
            return Ok(variable.now(handle.window));
        }
        let mut counter = Counter(handle);
        let value = counter.value();
        if reset {
            counter.set(0);
        }
        Ok(value)
    }
}

/// A handle of a counter.
pub struct Counter<'a>(&'a mut Handle);

impl Counter<'_> {
    fn now(&self) -> u64 {
        PERFORMANCES[self.0.index].now(self.0.window)
    }

    fn value(&self) -> u64 {
        let running = self
            .0
            .since
            .map_or(0, |since| self.now().wrapping_sub(since));
        self.0.counted.wrapping_add(running)
    }

    /// Goes on counting.
    pub fn start(&mut self) {
        if self.0.since.is_none() {
            self.0.since = Some(self.now());
        }
    }

    pub fn stop(&mut self) {
        self.0.counted = self.value();
        self.0.since = None;
    }

    /// Has counted `value` so far.
    pub fn set(&mut self, value: u64) {
        self.0.counted = value;
        self.0.since = self.0.since.map(|_| self.now());
    }
}
