//! Events: what kinds there are, who wants to hear of them, and how they are told (MPI 4.1 §15.3.8).
//!
//! **When functions are called.** An event is told where it happens if its function allows that, by a safety level of
//! `MPI_T_CB_REQUIRE_MPI_RESTRICTED` or a higher one: that place is in the middle of a call of MPI, and what the function calls there
//! besides `MPI_T_` functions fails. Else it is told at the end of the program's call, where `MPI_T_CB_REQUIRE_NONE` is enough. One thread
//! at a time tells, and none within a function: what happens meanwhile waits. So no place asks for a level above, and functions of higher
//! levels are called where lower ones would be.
//!
//! **Order.** What waits for being told is a queue for each source. An event that cannot be told here holds up those behind it, so
//! that a source keeps the order of time. What concerns waits is a source of its own: it is told while the call goes on.
//!
//! **What is lost.** A queue has [`ROOM`]. What finds none is counted for its handle, and told to that handle's function for lost
//! events when there is something to be told again.
//!
//! Without handles all this costs the rooms below a look at a word, where they wait or make something.

use super::{About, BASIC, MEMORY, MESSAGES, TUNER, WAITING, WINDOWS, to_handle};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::observe::{
    self,
    events::{self, Event, Kind, Listener},
};
use crate::shm::clock;
use crate::{bail, err};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

/// What an event or its handle belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Nothing,
    Window,
    Communicator,
}

/// A value that comes with an event.
pub struct Element {
    pub name: &'static str,
    /// Whether it is an `int`; else it is an `unsigned long long`.
    pub is_int: bool,
}

/// A kind of events.
pub struct Type {
    pub about: About,
    pub kind: Kind,
    /// An index into [`SOURCES`].
    pub source: usize,
    pub bound: Bound,
    pub elements: &'static [Element],
}

/// Where events come from: name and description.
pub const SOURCES: [(&str, &str); 2] = [
    (
        "rmashm_actions",
        "What this process does, or is done to it; told where it happens, or at the end of the program's call",
    ),
    (
        "rmashm_waits",
        "Waits of this process; told while it waits, or at the end of the program's call",
    ),
];

/// Ticks of all sources in a second.
pub const TICKS: i64 = 1_000_000_000;

/// The time of all sources.
pub fn now() -> i64 {
    clock::now().as_nanos() as i64
}

/// Events of a source that may wait for being told.
pub const ROOM: usize = 256;

const ACTIONS: usize = 0;
const WAITS: usize = 1;

const fn int(name: &'static str) -> Element {
    Element { name, is_int: true }
}

const fn long(name: &'static str) -> Element {
    Element {
        name,
        is_int: false,
    }
}

const fn about(name: &'static str, text: &'static str, category: usize, verbosity: c_int) -> About {
    About {
        name,
        text,
        category,
        verbosity,
    }
}

static TYPES: [Type; 8] = [
    Type {
        about: about(
            "rmashm_lock_contended",
            "A lock of the window is not free: of which rank, -1 for MPI_Win_lock_all, and whether it is wanted exclusively",
            WAITING,
            TUNER,
        ),
        kind: Kind::LockContended,
        source: ACTIONS,
        bound: Bound::Window,
        elements: &[int("target"), int("exclusive")],
    },
    Type {
        about: about(
            "rmashm_long_wait",
            "A wait goes on for longer than rmashm_long_wait_ns, told once: for which rank of the job, -1 for one of \
             several, and nanoseconds so far",
            WAITING,
            BASIC,
        ),
        kind: Kind::LongWait,
        source: WAITS,
        bound: Bound::Nothing,
        elements: &[int("rank"), long("nanoseconds")],
    },
    Type {
        about: about(
            "rmashm_deadlock_suspected",
            "This wait can never end, as far as is known, told once: how many ranks wait so, and for which rank of the job \
             this one does, -1 for one of several",
            WAITING,
            BASIC,
        ),
        kind: Kind::DeadlockSuspected,
        source: WAITS,
        bound: Bound::Nothing,
        elements: &[int("ranks"), int("rank")],
    },
    Type {
        about: about(
            "rmashm_message_unexpected",
            "A message has come before its receive: from which rank of the communicator, its tag and its bytes",
            MESSAGES,
            TUNER,
        ),
        kind: Kind::MessageUnexpected,
        source: ACTIONS,
        bound: Bound::Communicator,
        elements: &[int("source"), int("tag"), long("bytes")],
    },
    Type {
        about: about(
            "rmashm_window_made",
            "A window was made: its handle as Fortran has it, bytes of this process's part, number of processes",
            WINDOWS,
            BASIC,
        ),
        kind: Kind::WindowMade,
        source: ACTIONS,
        bound: Bound::Nothing,
        elements: &[int("window"), long("bytes"), int("processes")],
    },
    Type {
        about: about(
            "rmashm_window_freed",
            "A window was freed: the handle that it had, as Fortran has it",
            WINDOWS,
            BASIC,
        ),
        kind: Kind::WindowFreed,
        source: ACTIONS,
        bound: Bound::Nothing,
        elements: &[int("window")],
    },
    Type {
        about: about(
            "rmashm_memory_adopted",
            "Memory of the program's own was taken into shared memory, for a window: its address and bytes",
            MEMORY,
            TUNER,
        ),
        kind: Kind::MemoryAdopted,
        source: ACTIONS,
        bound: Bound::Nothing,
        elements: &[long("address"), long("bytes")],
    },
    Type {
        about: about(
            "rmashm_memory_refused",
            "Memory of the program's own could not be taken into shared memory: its address and bytes, and the number of \
             the reason",
            MEMORY,
            TUNER,
        ),
        kind: Kind::MemoryRefused,
        source: ACTIONS,
        bound: Bound::Nothing,
        elements: &[long("address"), long("bytes"), int("reason")],
    },
];

/// All kinds of events. Their number and order do not change while a program runs.
pub fn types() -> &'static [Type] {
    &TYPES
}

fn type_of(kind: Kind) -> &'static Type {
    let found = TYPES.iter().find(|one| one.kind == kind);
    found.expect("every kind has a row")
}

impl Type {
    /// Where its elements lie in what `MPI_T_event_copy` gives, and the bytes of all.
    pub fn layout(&self) -> (Vec<usize>, usize) {
        let mut end = 0_usize;
        let place = |element: &Element| {
            let size = element.size();
            let at = end.next_multiple_of(size);
            end = at + size;
            at
        };
        let places = self.elements.iter().map(place).collect();
        (places, end)
    }
}

impl Element {
    fn size(&self) -> usize {
        match self.is_int {
            true => size_of::<c_int>(),
            false => size_of::<u64>(),
        }
    }

    pub fn datatype(&self) -> MPI_Datatype {
        match self.is_int {
            true => MPI_INT,
            false => MPI_UNSIGNED_LONG_LONG,
        }
    }

    /// The bytes of a value.
    fn bytes(&self, value: i64) -> Vec<u8> {
        match self.is_int {
            true => (value as c_int).to_ne_bytes().to_vec(),
            false => value.to_ne_bytes().to_vec(),
        }
    }
}

/// What a function may do that is called for an event, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    None,
    Restricted,
    ThreadSafe,
    AsyncSignalSafe,
}

const LEVELS: [(MPI_T_cb_safety, Safety); 4] = [
    (MPI_T_CB_REQUIRE_NONE, Safety::None),
    (MPI_T_CB_REQUIRE_MPI_RESTRICTED, Safety::Restricted),
    (MPI_T_CB_REQUIRE_THREAD_SAFE, Safety::ThreadSafe),
    (MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, Safety::AsyncSignalSafe),
];

impl Safety {
    /// Error: `MPI_T_ERR_INVALID`.
    pub fn of(level: MPI_T_cb_safety) -> Result<Safety> {
        match LEVELS.iter().find(|row| row.0 == level) {
            Some(row) => Ok(row.1),
            None => bail!(
                TInvalid,
                "cb_safety is {}, which is no safety level",
                level.0
            ),
        }
    }

    fn number(self) -> MPI_T_cb_safety {
        LEVELS[self as usize].0
    }

    /// What the calling thread asks for between the calls of functions that it makes now.
    fn here() -> Safety {
        match events::is_restricted() {
            true => Safety::Restricted,
            false => Safety::None,
        }
    }
}

/// What the program gave to be given back to its functions.
#[derive(Clone, Copy)]
pub struct Data(pub *mut c_void);

// SAFETY: it is only handed back to the program.
unsafe impl Send for Data {}

#[derive(Clone, Copy)]
struct Callback {
    function: MPI_T_event_cb_function,
    data: Data,
}

/// A handle.
struct Registration {
    kind: Kind,
    /// The number of the object that it is bound to; 0: it is bound to none.
    object: u64,
    /// By safety level.
    callbacks: [Option<Callback>; 4],
    dropped: Option<MPI_T_event_dropped_cb_function>,
    /// Events lost that nobody was told of.
    lost: i64,
}

impl Registration {
    /// The function of the lowest level that may be called where `safety` is asked for.
    fn callback(&self, safety: Safety) -> Option<Callback> {
        self.callbacks[safety as usize..]
            .iter()
            .flatten()
            .next()
            .copied()
    }

    fn hears(&self) -> bool {
        self.callbacks.iter().any(Option::is_some)
    }

    fn hears_of(&self, event: &Event) -> bool {
        let is_for = self.object == 0 || self.object == event.object;
        self.kind == event.kind && is_for && self.hears()
    }
}

/// An event that happened then.
#[derive(Clone, Copy)]
pub struct Happened {
    event: Event,
    time: i64,
}

impl Happened {
    pub fn time(&self) -> i64 {
        self.time
    }

    fn about(&self) -> &'static Type {
        type_of(self.event.kind)
    }

    pub fn source(&self) -> usize {
        self.about().source
    }

    /// The bytes of an element. Error: `MPI_T_ERR_INVALID_INDEX`.
    pub fn element(&self, index: c_int) -> Result<Vec<u8>> {
        let elements = self.about().elements;
        let element = super::at(elements, index)?;
        Ok(element.bytes(self.event.values[index as usize]))
    }

    /// All elements where [`Type::layout`] says.
    pub fn bytes(&self) -> Vec<u8> {
        let about = self.about();
        let (places, len) = about.layout();
        let mut bytes = vec![0; len];
        let elements = about.elements.iter().zip(self.event.values);
        for (at, (element, value)) in places.into_iter().zip(elements) {
            let value = element.bytes(value);
            bytes[at..at + value.len()].copy_from_slice(&value);
        }
        bytes
    }
}

/// A function of a tool that runs.
struct Running {
    /// The number of what it is told of, which is its handle.
    instance: usize,
    happened: Happened,
    registration: usize,
    /// What is called when it has returned, if it freed its own handle.
    freed: Option<Freed>,
}

type Freed = (MPI_T_event_free_cb_function, Data);

/// All handles, and what is to be told. Places of handles are not used again, so that stale ones are found out.
struct Registry {
    registrations: Vec<Option<Registration>>,
    queues: [VecDeque<(usize, Happened)>; SOURCES.len()],
    running: Option<Running>,
    instances: usize,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    registrations: Vec::new(),
    queues: [VecDeque::new(), VecDeque::new()],
    running: None,
    instances: 0,
});

/// Whether a thread tells of events, and so no other may.
static TELLING: AtomicBool = AtomicBool::new(false);

/// What is called next.
enum Call {
    Event(Callback, usize, usize),
    Dropped(MPI_T_event_dropped_cb_function, Data, usize, usize, i64),
}

impl Registry {
    /// Error: `MPI_T_ERR_INVALID_HANDLE`.
    fn get(&mut self, handle: usize) -> Result<&mut Registration> {
        let found = self.registrations.get_mut(handle).and_then(Option::as_mut);
        found.ok_or_else(|| {
            err!(
                TInvalidHandle,
                "event_registration is no handle of an event"
            )
        })
    }

    /// After handles or their functions have changed.
    fn changed(&self) {
        let there = || self.registrations.iter().flatten();
        events::want(there().filter(|r| r.hears()).map(|r| r.kind));
        observe::attend(there().next().is_some());
    }

    /// Something has happened.
    fn put(&mut self, event: Event) {
        let happened = Happened { event, time: now() };
        let queue = &mut self.queues[happened.source()];
        let registrations = self.registrations.iter_mut().enumerate();
        for (handle, registration) in registrations.filter_map(|(i, r)| Some((i, r.as_mut()?))) {
            if !registration.hears_of(&event) {
                continue;
            }
            match queue.len() < ROOM {
                true => queue.push_back((handle, happened)),
                false => registration.lost += 1,
            }
        }
    }

    fn waiting(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }

    /// Whether there is something to tell.
    fn is_pending(&self) -> bool {
        let lost = |r: &Registration| r.lost > 0 && r.dropped.is_some();
        self.waiting() > 0 || self.registrations.iter().flatten().any(lost)
    }

    /// What is to be called next, if it may be where `safety` is asked for.
    fn next(&mut self, safety: Safety) -> Option<Call> {
        for (handle, place) in self.registrations.iter_mut().enumerate() {
            if let Some(registration) = place
                && registration.lost > 0
                && let (Some(function), Some(callback)) =
                    (registration.dropped, registration.callback(safety))
            {
                let count = std::mem::take(&mut registration.lost);
                let source = type_of(registration.kind).source;
                return Some(Call::Dropped(
                    function,
                    callback.data,
                    handle,
                    source,
                    count,
                ));
            }
        }
        (0..SOURCES.len()).find_map(|source| self.next_of(source, safety))
    }

    fn next_of(&mut self, source: usize, safety: Safety) -> Option<Call> {
        loop {
            let &(handle, happened) = self.queues[source].front()?;
            let registration = self.registrations[handle].as_ref();
            let callback = registration.and_then(|r| r.callback(safety));
            if callback.is_none() && registration.is_some_and(Registration::hears) {
                // Not here: the next ones wait for it.
                return None;
            }
            self.queues[source].pop_front();
            let Some(callback) = callback else { continue };
            self.instances += 1;
            let instance = self.instances;
            self.running = Some(Running {
                instance,
                happened,
                registration: handle,
                freed: None,
            });
            return Some(Call::Event(callback, handle, instance));
        }
    }
}

/// Calls a function of the program for what has happened.
fn call(next: Call, safety: Safety) {
    match next {
        Call::Event(Callback { function, data }, handle, instance) => {
            // SAFETY: a function of the program, called as §15.3.8 says.
            unsafe {
                function(
                    to_handle(instance),
                    to_handle(handle),
                    safety.number(),
                    data.0,
                )
            };
            let running = REGISTRY.lock().running.take();
            if let Some((function, data)) = running.and_then(|running| running.freed) {
                // SAFETY: as above; no function is called for this handle any more.
                unsafe { function(to_handle(handle), safety.number(), data.0) };
            }
        }
        Call::Dropped(function, data, handle, source, count) => {
            let (handle, source) = (to_handle(handle), source as c_int);
            // SAFETY: as above.
            unsafe { function(count, handle, source, safety.number(), data.0) };
        }
    }
}

/// Tells what is to be told, where `safety` is asked for. What happens meanwhile is left for the next time, or a function that makes
/// what it is told of would never come to an end.
fn tell(safety: Safety) {
    if TELLING.swap(true, Ordering::Acquire) {
        return events::set_pending(true);
    }
    let most = {
        let registry = REGISTRY.lock();
        registry.waiting()
            + registry
                .registrations
                .iter()
                .flatten()
                .filter(|r| r.lost > 0)
                .count()
    };
    for _ in 0..most {
        // The lock is not held while the function runs.
        let next = REGISTRY.lock().next(safety);
        let Some(next) = next else { break };
        match safety {
            Safety::None => call(next, safety),
            _ => events::restricted(|| call(next, safety)),
        }
    }
    TELLING.store(false, Ordering::Release);
    let registry = REGISTRY.lock();
    events::set_pending(registry.is_pending());
}

fn raised(event: Event) {
    REGISTRY.lock().put(event);
    tell(Safety::Restricted);
}

fn left() {
    tell(Safety::None);
}

/// Makes a handle for a kind of events, of one object only unless `object` is 0.
pub fn alloc(kind: Kind, object: u64) -> usize {
    events::set_listener(Listener { raised, left });
    let mut registry = REGISTRY.lock();
    for queue in &mut registry.queues {
        // What happens in the middle of a call allocates nothing.
        queue.reserve(ROOM.saturating_sub(queue.len()));
    }
    registry.registrations.push(Some(Registration {
        kind,
        object,
        callbacks: [None; 4],
        dropped: None,
        lost: 0,
    }));
    registry.changed();
    registry.registrations.len() - 1
}

/// Ends a handle; `function` is called when no other will be for it any more. Error: `MPI_T_ERR_INVALID_HANDLE`.
pub fn free(
    handle: usize,
    function: Option<MPI_T_event_free_cb_function>,
    data: Data,
) -> Result<()> {
    let mut registry = REGISTRY.lock();
    registry.get(handle)?;
    registry.registrations[handle] = None;
    for queue in &mut registry.queues {
        queue.retain(|waiting| waiting.0 != handle);
    }
    registry.changed();
    let Some(function) = function else {
        return Ok(());
    };
    if let Some(running) = &mut registry.running
        && running.registration == handle
    {
        running.freed = Some((function, data));
        return Ok(());
    }
    drop(registry);
    // SAFETY: a function of the program, called as §15.3.8 says.
    unsafe { function(to_handle(handle), Safety::here().number(), data.0) };
    Ok(())
}

/// Sets or, without a function, takes away what is called for a handle where a level is asked for. Error: `MPI_T_ERR_INVALID_HANDLE`.
pub fn register(
    handle: usize,
    safety: Safety,
    function: Option<MPI_T_event_cb_function>,
    data: Data,
) -> Result<()> {
    let mut registry = REGISTRY.lock();
    registry.get(handle)?.callbacks[safety as usize] =
        function.map(|function| Callback { function, data });
    registry.changed();
    Ok(())
}

/// Sets or takes away what is called when events of a handle were lost. Error: `MPI_T_ERR_INVALID_HANDLE`.
pub fn set_dropped(handle: usize, function: Option<MPI_T_event_dropped_cb_function>) -> Result<()> {
    REGISTRY.lock().get(handle)?.dropped = function;
    Ok(())
}

/// Error: `MPI_T_ERR_INVALID_HANDLE` if there is no such handle, or no function of it for this level.
pub fn check_handle(handle: usize, safety: Option<Safety>) -> Result<()> {
    let mut registry = REGISTRY.lock();
    let registration = registry.get(handle)?;
    match safety {
        Some(safety) if registration.callbacks[safety as usize].is_none() => bail!(
            TInvalidHandle,
            "no function is registered for this level of the handle"
        ),
        _ => Ok(()),
    }
}

/// What a function that runs is told of. Error: `MPI_T_ERR_INVALID_HANDLE`.
pub fn instance(instance: usize) -> Result<Happened> {
    let registry = REGISTRY.lock();
    match &registry.running {
        Some(running) if running.instance == instance => Ok(running.happened),
        _ => bail!(
            TInvalidHandle,
            "event_instance is not what a function is being told of"
        ),
    }
}

/// Ends all handles.
pub fn clear() {
    let mut registry = REGISTRY.lock();
    registry.registrations.iter_mut().for_each(|r| *r = None);
    registry.queues.iter_mut().for_each(VecDeque::clear);
    registry.changed();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::events::VALUES;

    /// `docs/hints.md`, of which `rmashm(7)` is made, has a row for each.
    #[test]
    fn every_event_is_documented() {
        let paper = include_str!("../../docs/hints.md");
        for one in &TYPES {
            assert!(one.elements.len() <= VALUES);
            let name = one.about.name;
            assert!(paper.contains(&format!("\n| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn elements_lie_where_c_would_put_them() {
        let (places, len) = type_of(Kind::MessageUnexpected).layout();
        assert_eq!((places, len), (vec![0, 4, 8], 16));
        let (places, len) = type_of(Kind::WindowMade).layout();
        assert_eq!((places, len), (vec![0, 8, 16], 20));
    }
}
