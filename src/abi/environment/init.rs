//! Starting and ending MPI (MPI 4.1 §11.2, §11.4, §11.6).
//!
//! What tells whether MPI is initialized may be called at any time, by any thread.

use crate::abi::boundary::pointers::Mut;
use crate::mpi::types::*;
use crate::runtime::phase::{self, Level, Phase};
use crate::{bail, comm, mpi_api, runtime, startup};
use macro_rules_attribute::apply;
use std::ffi::{c_char, c_int};
use std::io::Write;

/// Initializes MPI with `MPI_THREAD_SINGLE`. `argc` and `argv` are not looked at and may be null. Collective over the
/// job; blocks until all its processes have called it.
///
/// MPI 4.1 §11.2.1. Errors: `MPI_ERR_OTHER` (called before; the launch environment is contradictory),
/// `MPI_ERR_NO_MEM` (no memory for the job).
#[apply(mpi_api)]
pub extern "C" fn MPI_Init(argc: Mut<c_int>, argv: Mut<*mut *mut c_char>) -> c_int {
    let _ = (argc, argv);
    startup::start(Level::Single)
}

/// Initializes MPI as `MPI_Init` does, for threads: every level is given as `required`, or higher if `mpiexec -thread-level` says so.
///
/// MPI 4.1 §11.6.2. Errors: as `MPI_Init`, and `MPI_ERR_ARG` (`required` is no thread level, `provided` is null).
#[apply(mpi_api)]
pub extern "C" fn MPI_Init_thread(
    argc: Mut<c_int>,
    argv: Mut<*mut *mut c_char>,
    required: c_int,
    provided: Mut<c_int>,
) -> c_int {
    let _ = (argc, argv);
    let provided = provided.out("provided")?;
    let Some(level) = Level::of(required) else {
        bail!(Arg, "required is {required}, which is no thread level");
    };
    startup::start(level)?;
    provided.set(phase::world_level().number());
    Ok(())
}

/// Tells whether `MPI_Init` or `MPI_Init_thread` has completed, also after `MPI_Finalize`.
///
/// MPI 4.1 §11.4. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Initialized(flag: Mut<c_int>) -> c_int {
    let flag = flag.out("flag")?;
    flag.set((phase::phase() >= Phase::Running).into());
    Ok(())
}

/// Ends MPI. First the attributes of `MPI_COMM_SELF` are deleted, the latest set first. Collective over the job; blocks
/// until all its processes have called it.
///
/// MPI 4.1 §11.2.2, §11.2.4. Errors: `MPI_ERR_OTHER` (MPI is not initialized, or not any more), `MPI_ERR_PROC_FAILED`, and
/// what a delete callback returned.
#[apply(mpi_api)]
pub extern "C" fn MPI_Finalize() -> c_int {
    startup::end()
}

/// Tells whether `MPI_Finalize` has completed.
///
/// MPI 4.1 §11.4. Errors: `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Finalized(flag: Mut<c_int>) -> c_int {
    let flag = flag.out("flag")?;
    flag.set((phase::phase() == Phase::Over).into());
    Ok(())
}

/// Gives the thread level that MPI was initialized with.
///
/// MPI 4.1 §11.6.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_OTHER` (MPI is not initialized).
#[apply(mpi_api)]
pub extern "C" fn MPI_Query_thread(provided: Mut<c_int>) -> c_int {
    let provided = provided.out("provided")?;
    need_mpi()?;
    provided.set(phase::world_level().number());
    Ok(())
}

/// Tells whether the caller is the thread that initialized MPI.
///
/// MPI 4.1 §11.6.2. Errors: `MPI_ERR_ARG` (null pointer), `MPI_ERR_OTHER` (MPI is not initialized).
#[apply(mpi_api)]
pub extern "C" fn MPI_Is_thread_main(flag: Mut<c_int>) -> c_int {
    let flag = flag.out("flag")?;
    need_mpi()?;
    flag.set(phase::on_main_thread().into());
    Ok(())
}

fn need_mpi() -> crate::error::Result<()> {
    if !phase::world_usable() {
        bail!(Other, "MPI is not initialized");
    }
    Ok(())
}

/// Ends the job, or what of it is connected with this process, whatever processes `comm` has, with exit status `errorcode` (1 where
/// its low 8 bits are 0). Does not return.
///
/// MPI 4.1 §9.3 (Abort): ending more than the processes of `comm` is allowed; here the launcher ends a job whose process
/// leaves it early in any case. Errors: `MPI_ERR_COMM`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Abort(comm: MPI_Comm, errorcode: c_int) -> c_int {
    let title = comm::get(comm)?.title();
    let line = format!(
        "rmashm: rank {} called MPI_Abort({title}, {errorcode})\n",
        runtime::job().rank
    );
    // Nothing is left to do for a process that cannot even say why it ends.
    let _ = std::io::stderr().write_all(line.as_bytes());
    runtime::abort::abort(errorcode)
}
