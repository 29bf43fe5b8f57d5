//! Opening files, and deleting them.

use super::hints::Hints;
use super::system::{self, check_amode};
use super::two_phase::Together as InTwoPhases;
use super::{FILES, File, State, View, agree};
use crate::bail;
use crate::comm::Comm;
use crate::comm::checked::Together;
use crate::errhandler;
use crate::error::{Error, Result};
use crate::info::Info;
use crate::mpi::constants::*;
use crate::mpi::types::MPI_File;
use crate::runtime::meeting::Meeting;
use crate::shm::atomic::{AtomicU64, Ordering};
use crate::shm::heap::Owned;
use crate::shm::segment::segment;
use parking_lot::Mutex;
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Opens a file. Collective over `comm`: all processes get it, or all an error.
///
/// Rank 0 comes first, so that only one creates it. Errors: `MPI_ERR_AMODE`, `MPI_ERR_NOT_SAME` (the modes),
/// `MPI_ERR_INFO_VALUE`, `MPI_ERR_NO_MEM`, and the system's.
pub fn open(
    comm: &Comm,
    name: Result<&Path>,
    amode: c_int,
    hints: Result<Info>,
) -> Result<MPI_File> {
    const CALL: &str = "MPI_File_open";
    let checked = name.and_then(system::path).and_then(|path| {
        check_amode(amode)?;
        Ok((path, Hints::of(&hints?)?, FILES.reserve()?))
    });
    let mode = system::told_amode(amode);
    let told = checked
        .as_ref()
        .map(|(_, hints, _)| (mode, hints.buffering));
    let told = agree(&comm.meeting, &told.map_err(Error::clone), CALL)?;
    let modes: Vec<u32> = told.iter().map(|told| told.0).collect();
    if let Some(rank) = modes.iter().position(|&other| other != modes[0]) {
        bail!(
            NotSame,
            "amode is {:#x} at rank 0{} and {:#x} at rank {rank}{}",
            system::amode_of(modes[0]),
            comm.meeting.in_job(0),
            system::amode_of(modes[rank]),
            comm.meeting.in_job(rank)
        );
    }
    let (path, hints, handle) = checked?;
    let first = match comm.rank {
        0 => create(comm, &path, amode, &hints).map(Some),
        _ => Ok(None),
    };
    let place = first.as_ref().map_err(Error::clone);
    let place = place.map(|first| first.as_ref().map_or(0, |(_, block)| block.offset()));
    let places = agree(&comm.meeting, &place, CALL)?;
    let file = match first? {
        Some((file, block)) => Ok((file, Some(block))),
        None => system::open(&path, amode, None).map(|file| (file, None)),
    };
    let shared = places[0] + Meeting::bytes(comm.size());
    let file = file.and_then(|(file, block)| {
        let about = file.metadata();
        let about = about.map_err(|error| system::failed(&error, "asking the size of", &path))?;
        segment().reach(shared, size_of::<AtomicU64>())?;
        Ok((file, block, about.len()))
    });
    let opened = file.as_ref().map(|_| ()).map_err(Error::clone);
    agree(&comm.meeting, &opened, CALL)?;
    let (file, block, end) = file?;
    if let Some(block) = block {
        // From here on it ends with the meeting.
        block.keep();
    }
    // With the word behind it all of it is mapped.
    let meeting = Meeting::open(places[0], comm.group.members.clone(), comm.rank)?;
    // SAFETY: rank 0 made room for the word behind the meeting, zeroed, and it ends with the meeting, which the file holds.
    let shared = unsafe { &*segment().at::<AtomicU64>(shared) };
    let file = File {
        file,
        path,
        amode,
        group: comm.group.clone(),
        meeting,
        shared,
        state: Mutex::new(State {
            view: View::bytes(),
            runs: vec![u64::MAX; comm.size()],
            together: InTwoPhases::default(),
            split: None,
        }),
        atomic: AtomicBool::new(false),
        serial: Mutex::new(()),
        position: Mutex::new(0),
        handler: errhandler::FILES.inherit(),
        hints: Mutex::new(hints),
        staging: Mutex::new(None),
        calls: Together::made_on(comm),
    };
    // Hints that have to be the same everywhere are rank 0's.
    file.settle(told[0].1);
    if amode & MPI_MODE_APPEND != 0 {
        *file.position.lock() = end as i64;
        shared.store(end, Ordering::Release);
        // Nobody writes before all have seen the same end.
        file.barrier(CALL)?;
    }
    Ok(MPI_File(handle.fill(Arc::new(file))))
}

/// What rank 0 does first: opens the file, which may be new, and makes the place where the processes meet.
fn create(comm: &Comm, path: &Path, amode: c_int, hints: &Hints) -> Result<(std::fs::File, Owned)> {
    let block = Owned::new(Meeting::create_with(comm.size(), size_of::<AtomicU64>())?);
    let permissions = hints.permissions.unwrap_or(system::PERMISSIONS);
    Ok((system::open(path, amode, Some(permissions))?, block))
}

/// Deletes a file. Errors: `MPI_ERR_NO_SUCH_FILE`, and the system's.
pub fn delete(name: &Path) -> Result<()> {
    let path: PathBuf = system::path(name)?;
    std::fs::remove_file(&path).map_err(|error| system::failed(&error, "deleting", &path))
}
