//! The end of the job by one of its ranks: MPI_Abort, and errors that are fatal.

use super::launcher::Launcher;
use super::table::Table;
use crate::shm::atomic::Ordering;

/// In the word of a process that has asked; below it is the exit status. Each has a word of its own, as those that are not connected
/// may do so at the same time.
const ASKED: u64 = 1 << 32;

/// Ends the job, or what of it is connected with this process, with exit status `status`. Does not return.
///
/// The request is left in the segment, so that our launcher can say who did it; then the launcher ends the others, or
/// the foreign one is asked to.
pub fn abort(status: i32) -> ! {
    // A status of 0 would look like success to whoever started the job.
    let status = if status & 0xff == 0 { 1 } else { status };
    if let Some(job) = super::try_job() {
        let asked = ASKED | u64::from(status as u32);
        let aborted = &job.table.processes[job.rank as usize].aborted;
        // The first of its threads says with which status.
        let _ = aborted.compare_exchange(0, asked, Ordering::AcqRel, Ordering::Relaxed);
        if let Launcher::Pmi(pmi) = &job.launcher {
            pmi.lock().abort(status);
        }
    }
    exit_now(status)
}

/// Leaves the process: what is in stdio's buffers is written, no exit handler runs (a handler could call MPI again).
fn exit_now(status: i32) -> ! {
    // SAFETY: flushing all streams and leaving are allowed at any time; a stream locked by another thread would only be
    // waited for, as in exit.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(status)
    }
}

/// Takes the request of `rank`, if it has asked for the end of what is connected with it: the exit status.
pub(super) fn take_request(table: &Table, rank: u32) -> Option<i32> {
    let aborted = &table.processes[rank as usize].aborted;
    // Most looks find none, and write nothing.
    if aborted.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let request = aborted.swap(0, Ordering::AcqRel);
    (request & ASKED != 0).then_some(request as u32 as i32)
}
