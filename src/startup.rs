//! Starting and ending: the one place that knows all rooms and brings them up, and down, in order.

use crate::error::Result;
use crate::{comm, runtime};

/// Makes this process part of its job and opens every room. Blocks until all ranks of the job have called it.
pub fn start() -> Result<()> {
    runtime::attach()?;
    comm::prepare_world()?;
    runtime::meet()?;
    comm::open_world()
}

/// Closes every room. Blocks until all ranks of the job have called it.
pub fn end() -> Result<()> {
    runtime::leave()
}
