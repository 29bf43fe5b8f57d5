//! Duplicates of communicators, at once or by and by.

use super::attributes::Attributes;
use super::create::{Fresh, Mine, Offer, Shape, agree, open, told};
use super::hints::Hints;
use super::{COMMS, Comm};
use crate::coll::{self, Element, Planner};
use crate::error::handler::Slot;
use crate::error::{Error, Result, class_name};
use crate::handle::Kind;
use crate::mpi::constants::{MPI_COMM_NULL, MPI_INT64_T, MPI_MAX};
use crate::mpi::types::{MPI_Comm, MPI_Errhandler};
use crate::p2p::Operation;
use crate::{bail, op, runtime};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;

/// What a process brings to a duplicate.
struct Part {
    mine: Mine,
    hints: Hints,
    /// From the process that brings it.
    fresh: Option<Fresh>,
}

impl Part {
    fn new(parent: &Comm, handle: MPI_Comm, hints: Result<Hints>) -> Result<Part> {
        let hints = hints?;
        let mine = Mine {
            topology: parent.topology.clone(),
            ..Mine::new(parent.attributes.copies(handle.0)?)?
        };
        let fresh = match parent.meeting.rank {
            0 => Some(Fresh::new(parent.meeting.size())?),
            _ => None,
        };
        Ok(Part { mine, hints, fresh })
    }

    fn offer(&self) -> Offer {
        self.fresh.as_ref().map_or(Offer::new(0, 0), Fresh::offer)
    }
}

/// Deletes the copies of attributes for a duplicate of `handle` that is not made.
fn discard(attributes: &Attributes, handle: MPI_Comm) {
    // The error of the call is the one to tell.
    let _ = attributes.delete_all(handle.0);
}

/// Duplicates `parent`, whose handle is `handle`, with its attributes, its topology and `hints`. Collective over `parent`; blocks
/// until all processes have called.
pub fn duplicate(
    parent: &Comm,
    handle: MPI_Comm,
    hints: Result<Hints>,
    call: &str,
) -> Result<MPI_Comm> {
    let part = Part::new(parent, handle, hints);
    let mine = told(&part).map(|()| part.as_ref().map_or(Offer::default(), Part::offer));
    let offers = match agree(&parent.meeting, &mine, call) {
        Ok(offers) => offers,
        Err(error) => {
            if let Ok(part) = &part {
                discard(&part.mine.attributes, handle);
            }
            return Err(error);
        }
    };
    let Part { mine, hints, fresh } = part?;
    if let Some(fresh) = fresh {
        fresh.accept();
    }
    let (offer, shape) = (offers[0], Shape::of(parent));
    let meeting = match open(parent, &offers, Some((offer, &shape)), call) {
        Ok(meeting) => meeting.expect("this process is one of the duplicate's"),
        Err(error) => {
            discard(&mine.attributes, handle);
            return Err(error);
        }
    };
    let handler = parent.handler.inherit();
    Ok(mine.publish(shape, offer, meeting, handler, hints))
}

/// What is known of everybody's parts when the greatest of each of these numbers is: nothing failed if the first is 0,
/// and only one process brings an offer.
type Numbers = [i64; 3];

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

/// Begins to duplicate `parent`, whose handle is `handle`. Attributes are copied, and the error handler is inherited, now.
/// The duplicate has its handle now, and is there when the operation (`None`: now) is complete; if it fails then,
/// `MPI_COMM_NULL` is put at the address `place`. Collective over `parent`; does not block.
///
/// Errors: those of this process's part, which also end the calls of the others.
pub fn begin(
    parent: &Comm,
    handle: MPI_Comm,
    hints: Result<Hints>,
    place: usize,
    call: &'static str,
) -> Result<(MPI_Comm, Option<Arc<Operation>>)> {
    let part = Part::new(parent, handle, hints);
    let numbers: Numbers = match &part {
        Ok(part) => {
            let Offer { block, context, .. } = part.offer();
            [0, block as i64, context.into()]
        }
        Err(error) => failure(error, parent.meeting.rank),
    };
    let element = Element::new(MPI_INT64_T)?;
    let mut planner = Planner::new(handle, call)?;
    planner.among_all();
    let given = planner.temporary(&element, numbers.len())?;
    let greatest = planner.temporary(&element, numbers.len())?;
    // SAFETY: room for as many numbers, which nobody else knows of yet.
    unsafe { with_exposed_provenance_mut::<Numbers>(given.address).write(numbers) };
    planner.allreduce(*op::get(MPI_MAX)?, &given, &greatest)?;
    let Part { mine, hints, fresh } = match part {
        Ok(part) => part,
        Err(error) => {
            // The others need the messages of this process. It has failed for itself already.
            coll::start(planner.finish())?;
            return Err(error);
        }
    };
    // What is agreed on may be known to others before it is known here.
    let brought = fresh.map(Fresh::accept);
    let duplicate = MPI_Comm(mine.handle.handle());
    let shape = Shape::of(parent);
    let waiting = Waiting {
        handler: parent.handler.inherit(),
        shared: parent.meeting.size() > 1,
    };
    PENDING.lock().insert(duplicate.0, waiting);
    planner.at_end(move || {
        let waiting = PENDING.lock().remove(&duplicate.0);
        let [failed, block, context] =
            // SAFETY: the plan's memory lives as long as the plan, whose end this is.
            unsafe { with_exposed_provenance::<Numbers>(greatest.address).read() };
        if failed != 0 {
            discard(&mine.attributes, handle);
            drop(brought.map(Fresh::again));
            // SAFETY: the place for the duplicate's handle is the operation's until it is complete.
            unsafe { with_exposed_provenance_mut::<MPI_Comm>(place).write(MPI_COMM_NULL) };
            bail!(
                Other,
                "process {} of the communicator failed with {}, so that nobody goes on",
                failed as u32,
                class_name((failed >> 32) as i32)
            );
        }
        let offer = Offer::new(block as usize, context as u32);
        let meeting = offer.sure_meeting(&shape)?;
        let handler = waiting.expect("it was put there as this began").handler;
        mine.publish(shape, offer, meeting, handler, hints);
        Ok(())
    });
    let operation = coll::start(planner.finish())?;
    debug_assert!(operation.is_some() || COMMS.get(duplicate.0).is_some());
    Ok((duplicate, operation))
}
