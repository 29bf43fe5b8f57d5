//! Sessions (MPI 4.1 §11.3): handles on the library that parts of a program open and close for themselves, beside the
//! world model or without it.

use crate::comm::group::Group;
use crate::errhandler::Slot;
use crate::error::Result;
use crate::handle::{Kind, Table};
use crate::info::{Info, kinds};
use crate::mpi::types::*;
use crate::runtime::job;
use crate::runtime::phase::Level;
use crate::{bail, err, startup};
use std::sync::{Arc, OnceLock};

/// An open session.
pub struct Session {
    pub handler: Slot,
    /// The thread level it was given.
    level: Level,
    /// The memory allocation kinds of what is made from it.
    kinds: Arc<str>,
    /// The groups of its process sets, when they were first asked for.
    groups: [OnceLock<Arc<Group>>; PSETS.len()],
}

static SESSIONS: Table<Session> = Table::new(Kind::Session);

/// The names of the process sets that every session has: all processes of the job, and the caller.
pub const PSETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];

/// The session of a handle. Error: `MPI_ERR_SESSION`.
pub fn get(handle: MPI_Session) -> Result<&'static Session> {
    SESSIONS.get(handle.0).ok_or_else(|| match handle.0 {
        0x3800_0000 => err!(Session, "session is MPI_SESSION_NULL"),
        wrong => err!(
            Session,
            "session is {wrong:#x}, which is no session (it may be finalized)"
        ),
    })
}

/// Opens a session as `info` asks, with an error handler. Errors: `MPI_ERR_INFO_VALUE`, `MPI_ERR_ERRHANDLER`, and those of
/// becoming a job.
pub fn open(info: &Info, errhandler: MPI_Errhandler) -> Result<MPI_Session> {
    let handler = Slot::new();
    handler.set(Kind::Session, errhandler)?;
    let level = match info.get("thread_level").map(str::trim) {
        // Whoever says nothing may have threads.
        None => Level::Multiple,
        Some(name) => match Level::ALL.into_iter().find(|level| level.name() == name) {
            Some(level) => level,
            None => bail!(
                InfoValue,
                "the info key thread_level is \"{name}\", which is no thread level"
            ),
        },
    };
    let requested = info.get(kinds::SUPPORTED).map(kinds::granted).transpose()?;
    let session = Session {
        handler,
        level,
        kinds: requested.as_deref().unwrap_or(kinds::world()).into(),
        groups: Default::default(),
    };
    let handle = SESSIONS.reserve()?;
    startup::start_session(session.level)?;
    Ok(MPI_Session(handle.fill(Arc::new(session))))
}

/// Closes a session. Errors: `MPI_ERR_SESSION`, `MPI_ERR_PROC_FAILED`.
pub fn close(handle: MPI_Session) -> Result<()> {
    get(handle)?;
    match SESSIONS.remove(handle.0) {
        Some(_) => startup::end_session(),
        None => bail!(
            Session,
            "session is {:#x}, which was just finalized",
            handle.0
        ),
    }
}

impl Session {
    /// What it was given.
    pub fn info(&self) -> Info {
        let mut info = Info::new();
        info.set("thread_level", self.level.name());
        info.set(kinds::SUPPORTED, &*self.kinds);
        info
    }

    /// The processes of a process set of this session, whose handle is `handle`; `None` if there is no such set.
    pub fn group(&self, handle: MPI_Session, pset: &str) -> Option<&Arc<Group>> {
        let job = job();
        // Names of process sets are URIs, whose scheme and authority have no case (RFC 3986).
        let is_meant = |name: &&str| name.eq_ignore_ascii_case(pset);
        let number = PSETS.iter().position(is_meant)?;
        Some(self.groups[number].get_or_init(|| {
            let members: Vec<u32> = match number {
                0 => job.world().collect(),
                _ => vec![job.rank],
            };
            Arc::new(Group::new(members, job.rank).of_session(handle, self.kinds.clone()))
        }))
    }
}
