//! Duplicates of communicators, at once or by and by.
//!
//! `MPI_Comm_idup` copies attributes and sets a handle apart at the call. Then it reduces (class of an error, place, context)
//! by a maximum, as a nonblocking collective operation. At its end, outside of all locks, the duplicate is published under its
//! handle.

use super::Comm;
use super::hints::Hints;
use super::making::{Fresh, Mine, Shape, Site, agree, failed_elsewhere, open, told};
use crate::attribute::Attributes;
use crate::errhandler::Slot;
use crate::error::{Class, Error, Result};
use crate::handle::Kind;
use crate::mpi::types::{MPI_Comm, MPI_Errhandler};
use crate::runtime;
use crate::runtime::ties::Why;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::c_int;

/// What a process brings to a duplicate.
struct Part {
    mine: Mine,
    hints: Hints,
    /// From the process that brings it.
    fresh: Option<Fresh>,
}

impl Part {
    fn new(parent: &Comm, hints: Result<Hints>) -> Result<Part> {
        let hints = hints?;
        let mine = Mine {
            topology: parent.topology.clone(),
            ..Mine::new(parent.attributes.copies(parent.handle.0)?)?
        };
        let fresh = match parent.meeting.rank {
            0 => Some(Fresh::new(parent.meeting.size())?),
            _ => None,
        };
        Ok(Part { mine, hints, fresh })
    }

    fn site(&self) -> Site {
        self.fresh.as_ref().map_or(Site::new(0, 0), Fresh::site)
    }
}

/// Deletes the copies of attributes for a duplicate of `handle` that is not made.
fn discard(attributes: &Attributes, handle: MPI_Comm) {
    // The error of the call is the one to tell.
    let _ = attributes.delete_all(handle.0);
}

/// Duplicates `parent` with its attributes, its topology and `hints`. Collective over `parent`; blocks
/// until all processes have called.
pub fn duplicate(parent: &Comm, hints: Result<Hints>, call: &str) -> Result<MPI_Comm> {
    let part = Part::new(parent, hints);
    let mine = told(&part).map(|()| part.as_ref().map_or(Site::default(), Part::site));
    let sites = match agree(&parent.meeting, &mine, call) {
        Ok(sites) => sites,
        Err(error) => {
            if let Ok(part) = &part {
                discard(&part.mine.attributes, parent.handle);
            }
            return Err(error);
        }
    };
    let Part { mine, hints, fresh } = part?;
    if let Some(fresh) = fresh {
        fresh.accept();
    }
    let (site, shape) = (sites[0], Shape::of(parent));
    let meeting = match open(parent, &sites, Some((site, &shape)), call) {
        Ok(meeting) => meeting.expect("this process is one of the duplicate's"),
        Err(error) => {
            discard(&mine.attributes, parent.handle);
            return Err(error);
        }
    };
    let handler = parent.handler.inherit();
    Ok(mine.publish(shape, site, meeting, handler, hints))
}

/// What is known of everybody's parts when the greatest of each of these numbers is: nothing failed if the first is 0,
/// and only one process brings a site.
pub type Numbers = [i64; 3];

fn failure(error: &Error, seat: usize) -> Numbers {
    [(error.class as i64) << 32 | seat as i64, 0, 0]
}

/// The error handlers of the duplicates that are not there yet, by their handles.
static PENDING: Mutex<BTreeMap<c_int, Waiting>> = Mutex::new(BTreeMap::new());

struct Waiting {
    handler: Slot,
    /// Whether it will have other processes.
    shared: bool,
}

/// Sets the error handler of a duplicate that is not there yet; `None` if `handle` is not one. Error: `MPI_ERR_ERRHANDLER`.
pub fn set_handler(handle: MPI_Comm, errhandler: MPI_Errhandler) -> Option<Result<()>> {
    let pending = PENDING.lock();
    let Waiting { handler, shared } = pending.get(&handle.0)?;
    let done = handler.set(Kind::Comm, errhandler);
    if *shared && handler.lets_go_on() {
        runtime::survive();
    }
    Some(done)
}

/// A duplicate that this process has begun to make. It goes on as soon as the greatest of everybody's [`Numbers`] is known;
/// how they come to know it is not this room's.
pub struct Begun<'a> {
    parent: &'a Comm,
    part: Result<Part>,
}

/// Begins to duplicate `parent`: attributes are copied now.
pub fn begin(parent: &Comm, hints: Result<Hints>) -> Begun<'_> {
    let part = Part::new(parent, hints);
    Begun { parent, part }
}

impl Begun<'_> {
    /// What the others have to know of this process's part.
    pub fn numbers(&self) -> Numbers {
        match &self.part {
            Ok(part) => {
                let Site { block, context, .. } = part.site();
                [0, block as i64, context.into()]
            }
            Err(error) => failure(error, self.parent.meeting.rank),
        }
    }

    /// Gives the duplicate its handle, and the parent's error handler. Errors: those of this process's part; the others
    /// need its numbers nevertheless.
    pub fn promise(self) -> Result<Promised> {
        let Part { mine, hints, fresh } = self.part?;
        // What is agreed on may be known to others before it is known here.
        let brought = fresh.map(Fresh::accept);
        let handle = MPI_Comm(mine.handle.handle());
        let waiting = Waiting {
            handler: self.parent.handler.inherit(),
            shared: self.parent.meeting.size() > 1,
        };
        PENDING.lock().insert(handle.0, waiting);
        Ok(Promised {
            handle,
            parent: self.parent.handle,
            shape: Shape::of(self.parent),
            mine,
            hints,
            brought,
        })
    }
}

/// A duplicate that has a handle, and is not there yet.
pub struct Promised {
    pub handle: MPI_Comm,
    parent: MPI_Comm,
    shape: Shape,
    mine: Mine,
    hints: Hints,
    brought: Option<Site>,
}

impl Promised {
    /// Makes the duplicate, now that the greatest numbers are known. Error: a process's part failed.
    pub fn keep(self, [failed, block, context]: Numbers) -> Result<()> {
        if failed != 0 {
            PENDING.lock().remove(&self.handle.0);
            discard(&self.mine.attributes, self.parent);
            drop(self.brought.map(Fresh::again));
            return Err(failed_elsewhere(
                failed as u32 as usize,
                Class::of((failed >> 32) as i32).unwrap_or(Class::Other),
            ));
        }
        let site = Site::new(block as usize, context as u32);
        let meeting = site.sure_meeting(&self.shape, Why::Shared)?;
        // Another thread that sets the error handler meanwhile finds it here, or published.
        let mut pending = PENDING.lock();
        let waiting = pending.remove(&self.handle.0);
        let handler = waiting.expect("it was put there with the handle").handler;
        self.mine
            .publish(self.shape, site, meeting, handler, self.hints);
        Ok(())
    }
}
