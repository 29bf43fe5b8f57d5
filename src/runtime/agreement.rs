//! An exchange in which all members succeed, or all fail.

use super::meeting::{Meeting, SLOT};
use crate::error::{Class, Error, Result};

/// Bytes of an error's sentence that reach the other members.
const REASON: usize = SLOT - 3 * size_of::<u64>();

/// What a member tells that has no part to give.
#[derive(Clone, Copy)]
struct Excuse {
    class: Class,
    len: u16,
    reason: [u8; REASON],
}

/// How another member failed.
pub struct OtherFailed {
    /// Its rank in the meeting.
    pub rank: usize,
    pub class: Class,
    /// Its error's sentence, as much of it as there is room for.
    pub reason: String,
}

impl OtherFailed {
    /// The error for calls that fail on all members alike.
    pub fn alike(self, call: &str) -> Error {
        let OtherFailed {
            rank,
            class,
            reason,
        } = self;
        Error::new(class, format!("{call} failed on rank {rank}: {reason}"))
    }
}

impl Meeting {
    /// Gives every member's part to all, in the order of ranks, if all have one. A barrier besides. `what` names the MPI call
    /// for diagnosis.
    ///
    /// Errors: the member's own; what `answer` makes of the first failure, if only others failed; as [`Meeting::barrier`].
    pub fn agree<T: Copy>(
        &self,
        mine: &Result<T>,
        what: &dyn Fn() -> String,
        answer: impl Fn(OtherFailed) -> Error,
    ) -> Result<Vec<T>> {
        let told = mine.as_ref().map_err(Excuse::of).copied();
        let parts: Result<Vec<T>> = self.exchange_each(told, what, |rank, told| match told {
            Ok(part) => Ok(*part),
            Err(excuse) => Err(answer(excuse.failure(rank))),
        })?;
        match mine {
            Ok(_) => parts,
            Err(error) => Err(error.clone()),
        }
    }
}

impl Excuse {
    fn of(error: &Error) -> Excuse {
        let mut told = Excuse {
            class: error.class,
            len: u16::try_from(error.text.len()).unwrap_or(u16::MAX),
            reason: [0; REASON],
        };
        let fits = error.text.len().min(told.reason.len());
        told.reason[..fits].copy_from_slice(&error.text.as_bytes()[..fits]);
        told
    }

    fn failure(&self, rank: usize) -> OtherFailed {
        let len = usize::from(self.len);
        let whole = len <= self.reason.len();
        let bytes = &self.reason[..len.min(self.reason.len())];
        let text = String::from_utf8_lossy(bytes);
        OtherFailed {
            rank,
            class: self.class,
            reason: match whole {
                true => text.into_owned(),
                false => format!("{text}…"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_is_cut_and_says_so() {
        let told = |len| Excuse::of(&Error::new(Class::Arg, "x".repeat(len))).failure(3);
        assert_eq!(told(REASON).reason, "x".repeat(REASON));
        assert_eq!(told(REASON + 1).reason, "x".repeat(REASON) + "…");
        assert_eq!((told(0).rank, told(0).class), (3, Class::Arg));
    }
}
