//! A communicator duplicated by and by (MPI 4.1 §7.4.2): its processes agree by an allreduce that does not block.

use super::elements::{Element, Vector};
use super::plan;
use super::planner::{Planner, next_tag};
use crate::comm::duplicate::{self, Numbers};
use crate::comm::{Comm, Hints};
use crate::error::Result;
use crate::mpi::constants::{MPI_COMM_NULL, MPI_INT64_T, MPI_MAX};
use crate::mpi::types::{C, Foreign, MPI_Comm};
use crate::op;
use crate::transport::Operation;
use crate::transport::counted::Counted;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

/// Begins to duplicate `parent`. Attributes are copied, and the error handler is inherited, now. The duplicate has its handle
/// now, and is there when the operation (`None`: now) is complete; if it fails then, `MPI_COMM_NULL` is put at the address
/// `place`. Collective over `parent`; does not block.
///
/// Errors: those of this process's part, which also end the calls of the others.
pub fn duplicate(
    parent: &Comm,
    hints: Result<Hints>,
    place: usize,
    name: &'static str,
) -> Result<(MPI_Comm, Option<Counted<Operation>>)> {
    let begun = duplicate::begin(parent, hints);
    let element = Element::new(MPI_INT64_T)?;
    let numbers = begun.numbers();
    let mut planner = Planner::new(parent, name, next_tag(parent));
    planner.among_all();
    let given = planner.temporary(&element, numbers.len())?;
    let greatest = planner.temporary(&element, numbers.len())?;
    // SAFETY: room for as many numbers, which nobody else knows of yet.
    unsafe { with_exposed_provenance_mut::<Numbers>(given.address).write(numbers) };
    planner.allreduce(*op::get(MPI_MAX)?, &given, &greatest)?;
    let promised = match begun.promise() {
        Ok(promised) => promised,
        Err(error) => {
            // The others need the messages of this process. It has failed for itself already.
            plan::start(planner.finish())?;
            return Err(error);
        }
    };
    let handle = promised.handle;
    planner.at_end(move || {
        promised.keep(read(&greatest)).inspect_err(|_| {
            // SAFETY: the place for the duplicate's handle is the operation's until it is complete.
            unsafe {
                with_exposed_provenance_mut::<C<MPI_Comm>>(place).write(MPI_COMM_NULL.foreign())
            };
        })
    });
    Ok((handle, plan::start(planner.finish())?))
}

fn read(greatest: &Vector) -> Numbers {
    // SAFETY: the plan's memory lives as long as the plan, at whose end this is read.
    unsafe { with_exposed_provenance::<Numbers>(greatest.address).read() }
}
