//! How far this process is with MPI, and how it uses threads: the world model, from before `MPI_Init` to after
//! `MPI_Finalize`, and beside it any number of sessions.
//!
//! | phase    | comes from | when                                                          |
//! |----------|------------|---------------------------------------------------------------|
//! | Before   |            | the process has not called MPI_Init                           |
//! | Starting | Before     | inside MPI_Init, or MPI_Init failed                           |
//! | Running  | Starting   | the world model can be used                                   |
//! | Ending   | Running    | inside MPI_Finalize: callbacks of attributes may still use MPI |
//! | Over     | Ending     | MPI_Finalize is complete, or failed                           |

use super::launcher::variable;
use crate::check::{outside, threads};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::shm::atomic::{AtomicI32, AtomicU32, Ordering};
use crate::{bail, err, observe};

/// The variable that says the least thread level.
pub const THREAD_LEVEL: &str = "RMASHM_THREAD_LEVEL";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Phase {
    Before = 0,
    Starting = 1,
    Running = 2,
    Ending = 3,
    Over = 4,
}

static PHASE: AtomicU32 = AtomicU32::new(Phase::Before as u32);
/// How many sessions are open.
static SESSIONS: AtomicU32 = AtomicU32::new(0);
/// The highest thread level given so far, by MPI_Init or to a session. It is not lowered: a thread may be in a call yet.
static LEVEL: AtomicI32 = AtomicI32::new(0);
/// The thread level given by MPI_Init.
static WORLD_LEVEL: AtomicI32 = AtomicI32::new(0);
/// The thread that called MPI_Init.
static MAIN: AtomicI32 = AtomicI32::new(0);

/// How threads use MPI. C has a number for each, which is another one in each of its interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum Level {
    Single = 0,
    Funneled = 1,
    Serialized = 2,
    Multiple = 3,
}

impl Level {
    pub const ALL: [Level; 4] = [
        Level::Single,
        Level::Funneled,
        Level::Serialized,
        Level::Multiple,
    ];

    /// The level of C's number.
    pub fn of(number: i32) -> Option<Level> {
        Level::ALL
            .into_iter()
            .find(|level| level.number() == number)
    }

    /// The level of this name, with or without what all of them begin with, in letters of either case.
    pub fn named(name: &str) -> Option<Level> {
        let is_it = |level: &Level| {
            let long = level.name();
            let short = long.trim_start_matches("MPI_THREAD_");
            [long, short].iter().any(|it| it.eq_ignore_ascii_case(name))
        };
        Level::ALL.into_iter().find(is_it)
    }

    /// The least level that the world model gets, whatever the program asks for: what `mpiexec -thread-level` says. Error:
    /// `MPI_ERR_OTHER`.
    pub fn least() -> Result<Level> {
        let Some(name) = variable(THREAD_LEVEL).filter(|name| !name.is_empty()) else {
            return Ok(Level::Single);
        };
        let level = Level::named(&name);
        level.ok_or_else(|| {
            err!(
                Other,
                "{THREAD_LEVEL} is \"{name}\", which is no thread level"
            )
        })
    }

    /// C's number.
    pub fn number(self) -> i32 {
        match self {
            Level::Single => MPI_THREAD_SINGLE,
            Level::Funneled => MPI_THREAD_FUNNELED,
            Level::Serialized => MPI_THREAD_SERIALIZED,
            Level::Multiple => MPI_THREAD_MULTIPLE,
        }
    }

    /// Its name in C, which is also the value of the info key `thread_level`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Single => "MPI_THREAD_SINGLE",
            Level::Funneled => "MPI_THREAD_FUNNELED",
            Level::Serialized => "MPI_THREAD_SERIALIZED",
            Level::Multiple => "MPI_THREAD_MULTIPLE",
        }
    }
}

/// How far the world model is.
pub fn phase() -> Phase {
    match PHASE.load(Ordering::Acquire) {
        0 => Phase::Before,
        1 => Phase::Starting,
        2 => Phase::Running,
        3 => Phase::Ending,
        _ => Phase::Over,
    }
}

/// Whether the world model can be used: between MPI_Init and MPI_Finalize, callbacks of the latter included.
pub fn world_usable() -> bool {
    matches!(phase(), Phase::Running | Phase::Ending)
}

/// Whether MPI can be used: through the world model or a session.
pub fn usable() -> bool {
    world_usable() || SESSIONS.load(Ordering::Acquire) > 0
}

/// Whether it can, by sessions alone.
pub fn has_sessions_alone() -> bool {
    !world_usable() && usable()
}

fn step(from: Phase, to: Phase) -> bool {
    PHASE
        .compare_exchange(from as u32, to as u32, Ordering::AcqRel, Ordering::Acquire)
        .is_ok()
}

/// Enters MPI_Init with thread level `level`. Error: `MPI_ERR_OTHER` if the process has entered it before.
pub fn starting(level: Level) -> Result<()> {
    if !step(Phase::Before, Phase::Starting) {
        match phase() {
            Phase::Over => bail!(Other, "MPI cannot be initialized again after MPI_Finalize"),
            _ => bail!(Other, "MPI is already initialized"),
        }
    }
    raise(level);
    WORLD_LEVEL.store(level as i32, Ordering::Relaxed);
    MAIN.store(thread(), Ordering::Relaxed);
    watch(level);
    Ok(())
}

/// Where this job is checked, the program's threads have to keep to what was asked for.
fn watch(level: Level) {
    if SESSIONS.load(Ordering::Relaxed) == 0 {
        threads::use_as(match level {
            Level::Single => threads::Level::Single,
            Level::Funneled => threads::Level::Funneled,
            Level::Serialized => threads::Level::Serialized,
            Level::Multiple => threads::Level::Any,
        });
    }
}

/// The thread level is this one, if it was not higher.
fn raise(level: Level) {
    LEVEL.fetch_max(level as i32, Ordering::Relaxed);
    if level == Level::Multiple {
        observe::be_threaded();
    }
}

/// MPI_Init is complete.
pub fn running() {
    step(Phase::Starting, Phase::Running);
    outside::is_inside(true);
}

/// Enters MPI_Finalize. Error: `MPI_ERR_OTHER` if MPI is not initialized, or not any more.
pub fn ending() -> Result<()> {
    if !step(Phase::Running, Phase::Ending) {
        match phase() {
            Phase::Before | Phase::Starting => bail!(Other, "MPI is not initialized"),
            _ => bail!(Other, "MPI is already finalized"),
        }
    }
    Ok(())
}

/// MPI_Finalize is complete.
pub fn over() {
    step(Phase::Ending, Phase::Over);
    outside::is_inside(usable());
}

/// A session with thread level `level` is open.
pub fn session_opened(level: Level) {
    raise(level);
    threads::use_at_will();
    SESSIONS.fetch_add(1, Ordering::AcqRel);
    outside::is_inside(true);
}

/// A session is closed.
pub fn session_closed() {
    SESSIONS.fetch_sub(1, Ordering::AcqRel);
    outside::is_inside(usable());
}

/// Whether any thread may call MPI at any time: the world model or a session was given that level.
pub fn is_threaded() -> bool {
    LEVEL.load(Ordering::Relaxed) == Level::Multiple as i32
}

/// The thread level that MPI_Init gave.
pub fn world_level() -> Level {
    Level::ALL[WORLD_LEVEL.load(Ordering::Relaxed) as usize]
}

/// Whether the caller is the thread that called MPI_Init.
pub fn on_main_thread() -> bool {
    MAIN.load(Ordering::Relaxed) == thread()
}

fn thread() -> i32 {
    nix::unistd::gettid().as_raw()
}
