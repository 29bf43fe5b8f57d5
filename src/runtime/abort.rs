//! The end of the job by one of its ranks: MPI_Abort, and errors that are fatal.

use super::launcher::Launcher;
use super::table::Table;
use crate::shm::atomic::Ordering;

/// Ends the job with exit status `status`. Does not return.
///
/// The request is left in the segment, so that our launcher can say who did it; then the launcher ends the others, or
/// the foreign one is asked to.
pub fn abort(status: i32) -> ! {
    // A status of 0 would look like success to whoever started the job.
    let status = if status & 0xff == 0 { 1 } else { status };
    if let Some(job) = super::try_job() {
        let request = u64::from(job.rank + 1) << 32 | u64::from(status as u32);
        let _ =
            job.table
                .job
                .abort
                .compare_exchange(0, request, Ordering::AcqRel, Ordering::Relaxed);
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

/// Who asked for the end of the job, and the exit status. Who is `None` if no rank of the job says so: any process that
/// maps the segment can write there, also by mistake.
pub(super) fn request(table: &Table) -> Option<(Option<u32>, i32)> {
    let request = table.job.abort.load(Ordering::Acquire);
    let rank = ((request >> 32) as u32).checked_sub(1);
    let rank = rank.filter(|rank| (*rank as usize) < table.present().len());
    (request != 0).then_some((rank, request as u32 as i32))
}
