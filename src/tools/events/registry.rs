//! Who wants to hear of events, and what is to be told: handles, their functions, queues.

use super::kinds::{SOURCES, Type, now, type_of};
use super::telling::{Safety, left, raised};
use crate::error::Result;
use crate::mpi::types::*;
use crate::observe::{
    self,
    events::{self, Event, Kind, Listener},
};
use crate::tools::{at, to_handle};
use crate::{bail, err};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ffi::{c_int, c_void};

/// Events of a source that may wait for being told.
const ROOM: usize = 256;

/// What the program gave to be given back to its functions.
#[derive(Clone, Copy)]
pub struct Data(pub *mut c_void);

// SAFETY: it is only handed back to the program.
unsafe impl Send for Data {}

#[derive(Clone, Copy)]
pub struct Callback {
    pub function: MPI_T_event_cb_function,
    pub data: Data,
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
        let element = at(elements, index)?;
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
pub struct Running {
    /// What it is told of, and the number of that, which is its handle; `None`: that events were lost.
    told: Option<(usize, Happened)>,
    registration: usize,
    /// What is called when it has returned, if it freed its own handle.
    pub freed: Option<Freed>,
}

pub type Freed = (MPI_T_event_free_cb_function, Data);

/// All handles, and what is to be told. Places of handles are not used again, so that stale ones are found out.
pub struct Registry {
    registrations: Vec<Option<Registration>>,
    queues: [VecDeque<(usize, Happened)>; SOURCES.len()],
    pub running: Option<Running>,
    instances: usize,
}

pub static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    registrations: Vec::new(),
    queues: [VecDeque::new(), VecDeque::new()],
    running: None,
    instances: 0,
});

/// What is called next.
pub enum Call {
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
    pub fn put(&mut self, event: Event) {
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

    /// How many functions are to be called at most.
    pub fn to_tell(&self) -> usize {
        let there = self.registrations.iter().flatten();
        self.waiting() + there.filter(|r| r.lost > 0).count()
    }

    /// Whether there is something to tell.
    pub fn is_pending(&self) -> bool {
        let lost = |r: &Registration| r.lost > 0 && r.dropped.is_some();
        self.waiting() > 0 || self.registrations.iter().flatten().any(lost)
    }

    /// What is to be called next, if it may be where `safety` is asked for.
    pub fn next(&mut self, safety: Safety) -> Option<Call> {
        for (handle, place) in self.registrations.iter_mut().enumerate() {
            if let Some(registration) = place
                && registration.lost > 0
                && let (Some(function), Some(callback)) =
                    (registration.dropped, registration.callback(safety))
            {
                let count = std::mem::take(&mut registration.lost);
                let source = type_of(registration.kind).source;
                self.running = Some(Running {
                    told: None,
                    registration: handle,
                    freed: None,
                });
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
                told: Some((instance, happened)),
                registration: handle,
                freed: None,
            });
            return Some(Call::Event(callback, handle, instance));
        }
    }
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
    let told = registry.running.as_ref().and_then(|running| running.told);
    match told {
        Some((number, happened)) if number == instance => Ok(happened),
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
