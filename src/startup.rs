//! Starting and ending: the one place that knows all rooms and brings them up, and down, in order.

use crate::error::Result;
use crate::runtime::phase;
use crate::{comm, p2p, runtime};

/// Makes this process part of its job and opens every room. Blocks until all ranks of the job have called it.
///
/// `level` is the thread level asked for; every level is honoured. Errors: `MPI_ERR_OTHER` if it was called before, and
/// those of becoming a job.
pub fn start(level: i32) -> Result<()> {
    phase::starting(level)?;
    runtime::attach()?;
    p2p::open()?;
    comm::prepare_world()?;
    runtime::meet()?;
    comm::open_world()?;
    phase::running();
    Ok(())
}

/// Closes every room. Blocks until all ranks of the job have called it. Error: `MPI_ERR_OTHER` if MPI is not initialized.
pub fn end() -> Result<()> {
    phase::ending()?;
    // The attributes of MPI_COMM_SELF go before anything else (MPI 4.1 §11.2.4): their callbacks may use all of MPI.
    let farewell = comm::delete_self_attributes();
    let sent = p2p::close();
    let left = runtime::leave();
    comm::close_world();
    phase::over();
    farewell.and(sent).and(left)
}
