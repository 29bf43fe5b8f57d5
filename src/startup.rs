//! Starting and ending: the one place that knows all rooms and brings them up, and down, in order.
//!
//! The rooms have users: the world model is one, each session another. The first to come opens them, and the last to go
//! leaves the job to itself: nothing is waiting to be sent, and the process may end, or come again with another session.
//!
//! A session waits for no other process; only MPI_Init meets them. So a process may send to one that has not opened its inbox
//! yet: the cells wait in the sender, and an inbox that was asked for rings everybody when it is opened (`shm::late`; without
//! the asking, 32 ranks that come to MPI_Init wake each other 900 times). Between its last session and the next a process is
//! Finalized in the table, and Running again after. The memory allocation kinds of a session go with its groups, and so with
//! all that is made of them.

use crate::error::Result;
use crate::info::kinds;
use crate::p2p::{buffered, request};
use crate::runtime::Ranks;
use crate::runtime::deaths::dead;
use crate::runtime::phase::{self, Level};
use crate::{check, comm, datatype, runtime, transport, win};
use parking_lot::Mutex;

/// How many use the rooms.
static USERS: Mutex<u32> = Mutex::new(0);

/// Opens the rooms to one more. Blocks under a foreign launcher, until the other processes of the job have come too.
/// Errors: those of becoming a job, `MPI_ERR_INFO_VALUE` for a malformed request of memory kinds by the launcher.
fn enter() -> Result<()> {
    let mut users = USERS.lock();
    if *users == 0 {
        kinds::check_request()?;
        runtime::attach()?;
        transport::open()?;
    }
    *users += 1;
    Ok(())
}

/// One user less. The last one waits until everything this process has sent to living processes has left it.
fn go() -> Result<()> {
    let mut users = USERS.lock();
    *users -= 1;
    if *users > 0 {
        return Ok(());
    }
    let sent = buffered::flush_all().and_then(|()| transport::close());
    runtime::rest();
    sent
}

/// Makes this process part of its job's world. Blocks until all ranks of the job have called it.
///
/// `level` is the thread level asked for; every level is honoured, and a higher one given where the launcher says so. Errors: `MPI_ERR_OTHER`
/// if it was called before, and those of becoming a job.
pub fn start(level: Level) -> Result<()> {
    phase::starting(level.max(Level::least()?))?;
    enter()?;
    comm::prepare_world()?;
    runtime::meet()?;
    comm::open_world()?;
    comm::spawn::meet_parents()?;
    phase::running();
    Ok(())
}

/// Ends the world model. Blocks until all ranks of the job have called it. Error: `MPI_ERR_OTHER` if MPI is not initialized.
pub fn end() -> Result<()> {
    phase::ending()?;
    // The attributes of MPI_COMM_SELF go before anything else (MPI 4.1 §11.2.4): their callbacks may use all of MPI. So may
    // those of MPI_COMM_WORLD and of the predefined datatypes, which libraries hang their state on as well.
    let farewell = comm::delete_world_attributes();
    let farewell = farewell.and(datatype::delete_predefined_attributes());
    if is_checked_and_last() {
        tell_left();
    }
    let sent = buffered::flush_all().and_then(|()| transport::close());
    let left = runtime::leave();
    if left.is_ok() && is_checked_and_last() {
        tell_messages();
    }
    win::moving::close();
    win::parcel::close();
    comm::close_world();
    phase::over();
    let gone = go();
    farewell.and(sent).and(left).and(gone)
}

/// Opens the rooms to a session with thread level `level`. Waits for no process under our own launcher. Errors: those of
/// becoming a job.
pub fn start_session(level: Level) -> Result<()> {
    enter()?;
    runtime::run();
    phase::session_opened(level);
    Ok(())
}

/// Whether this job is checked, and only the last user is left: when that goes it is told what the program has left.
fn is_checked_and_last() -> bool {
    check::is_on() && *USERS.lock() == 1
}

/// What it has not freed.
fn tell_left() {
    check::objects::tell_left(request::is_active);
}

/// The process exits, behind all functions of the program's that run then, and may call. Where a session that was not finalized is the last user, nobody
/// has told yet what is left. (A program that does not end the world model has not come to its end, and its launcher says so.)
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

extern "C" fn at_exit() {
    if check::settle_at_exit() && phase::has_sessions_alone() {
        tell_left();
        tell_messages();
    }
}

/// The messages that it has not received. Of a session's only those that have come by then: nobody is waited for.
fn tell_messages() {
    if dead(Ranks::All).is_none() {
        transport::look_for_left();
    }
}

/// Ends a session's use of the rooms.
pub fn end_session() -> Result<()> {
    if is_checked_and_last() {
        tell_left();
        tell_messages();
    }
    phase::session_closed();
    go()
}
