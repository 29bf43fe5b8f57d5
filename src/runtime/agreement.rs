//! An exchange in which all members succeed, or all fail.

use super::meeting::{MOST, Meeting};
use super::neutral::Neutral;
use crate::error::{Class, Error, Result};
use crate::naming;

/// Bytes of an error's sentence that reach the other members.
const REASON: usize = MOST - 2 * size_of::<u64>();

/// What a member tells. Only what it says is written, so that a small part takes one cache line of its slot.
#[repr(C)]
struct Told<T: Neutral> {
    /// That of the member's error, by the library's own number; 0 if it has a part.
    class: i32,
    /// How long the error's sentence is.
    len: usize,
    what: What<T>,
}

#[repr(C)]
union What<T: Neutral> {
    part: T,
    reason: [u8; REASON],
}

/// How another member failed.
pub struct OtherFailed {
    /// Its rank in the meeting, and in the job.
    pub rank: usize,
    pub process: u32,
    pub class: Class,
    /// Its error's sentence, as much of it as there is room for.
    pub reason: String,
}

impl OtherFailed {
    /// The error for calls that fail on all members alike.
    pub fn alike(self, call: &str) -> Error {
        let OtherFailed {
            rank,
            process,
            class,
            reason,
        } = self;
        let in_job = naming::in_job(rank, process);
        Error::new(
            class,
            format!("{call} failed on rank {rank}{in_job}: {reason}"),
        )
    }
}

impl Meeting {
    /// Gives every member's part to all, in the order of ranks, if all have one. A barrier besides. `what` names the MPI call
    /// for diagnosis.
    ///
    /// Errors: the member's own; what `answer` makes of the first failure, if only others failed; as [`Meeting::barrier`].
    pub fn agree<T: Neutral>(
        &self,
        mine: &Result<T>,
        what: &dyn Fn() -> String,
        answer: impl FnOnce(OtherFailed) -> Error,
    ) -> Result<Vec<T>> {
        // SAFETY: the slot is this member's own.
        let write = |told: *mut Told<T>| unsafe { Told::write(told, mine) };
        let told = self.exchange_in_place(write, what)?;
        if let Err(error) = mine {
            return Err(error.clone());
        }
        let mut parts = Vec::with_capacity(told.len());
        for (rank, told) in told.enumerate() {
            // SAFETY: each member has written what it has to tell.
            match unsafe { Told::read(told) } {
                Some(part) => parts.push(part),
                None => {
                    let process = self.members[rank];
                    // SAFETY: it has written how it failed.
                    return Err(answer(unsafe { Told::failure(told, rank, process) }));
                }
            }
        }
        Ok(parts)
    }
}

impl<T: Neutral> Told<T> {
    /// # Safety
    /// `told` is writable.
    unsafe fn write(told: *mut Told<T>, mine: &Result<T>) {
        let (class, len) = match mine {
            Ok(_) => (0, 0),
            Err(error) => (error.class as i32, error.text.len()),
        };
        // SAFETY: the caller's promise.
        unsafe {
            (&raw mut (*told).class).write(class);
            (&raw mut (*told).len).write(len);
            match mine {
                Ok(part) => (&raw mut (*told).what.part).write(*part),
                Err(error) => {
                    let to = (&raw mut (*told).what.reason).cast::<u8>();
                    to.copy_from_nonoverlapping(error.text.as_ptr(), len.min(REASON));
                }
            }
        }
    }

    /// The member's part, if it has one.
    ///
    /// # Safety
    /// `told` was written by [`Told::write`].
    #[inline]
    unsafe fn read(told: *const Told<T>) -> Option<T> {
        // SAFETY: the caller's promise: the class is always there, and 0 comes with a part.
        unsafe { ((*told).class == 0).then(|| (*told).what.part) }
    }

    /// How member `rank` failed.
    ///
    /// # Safety
    /// `told` was written by [`Told::write`], and has no part.
    #[cold]
    unsafe fn failure(told: *const Told<T>, rank: usize, process: u32) -> OtherFailed {
        // SAFETY: the caller's promise: class, length, and as much of the sentence as there is room for.
        let (class, len, bytes) = unsafe {
            let bytes = (&raw const (*told).what.reason).cast::<u8>();
            let bytes = std::slice::from_raw_parts(bytes, (*told).len.min(REASON));
            ((*told).class, (*told).len, bytes)
        };
        let mut reason = String::from_utf8_lossy(bytes).into_owned();
        if len > REASON {
            reason.push('…');
        }
        let class = Class::of(class).unwrap_or(Class::Other);
        OtherFailed {
            rank,
            process,
            class,
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    /// What others read of this.
    fn told(mine: Result<u64>) -> std::result::Result<u64, OtherFailed> {
        let mut place = MaybeUninit::<Told<u64>>::uninit();
        let told = place.as_mut_ptr();
        // SAFETY: the place is ours, and is written before it is read.
        unsafe {
            Told::write(told, &mine);
            Told::read(told).ok_or_else(|| Told::failure(told, 3, 3))
        }
    }

    #[test]
    fn a_long_reason_is_cut_and_says_so() {
        let reason = |len| {
            let failed = told(Err(Error::new(Class::Arg, "x".repeat(len))))
                .err()
                .unwrap();
            assert_eq!((failed.rank, failed.class), (3, Class::Arg));
            failed.reason
        };
        assert_eq!(reason(0), "");
        assert_eq!(reason(REASON), "x".repeat(REASON));
        assert_eq!(reason(REASON + 1), "x".repeat(REASON) + "…");
    }

    #[test]
    fn a_part_is_told() {
        assert_eq!(told(Ok(42)).ok(), Some(42));
    }
}
