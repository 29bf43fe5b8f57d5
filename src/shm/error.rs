//! What can go wrong with shared memory: a cause and a sentence. The rooms above make MPI errors of it.

use std::fmt::Arguments;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug)]
pub struct Error {
    pub cause: Cause,
    pub text: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// There is not that much memory, or address space.
    NoMemory,
    /// No address range can be that long.
    TooLarge,
    /// It was not allocated here.
    NotAllocated,
    /// The other process is there no more.
    Ended,
    /// The kernel refused, or the segment is another one.
    Refused,
}

#[cold]
#[inline(never)]
pub(super) fn failure(cause: Cause, text: Arguments<'_>) -> Error {
    let text = text.to_string().into();
    Error { cause, text }
}

/// `failed!(NoMemory, "{len} bytes")` makes an [`Error`].
macro_rules! failed {
    ($cause:ident, $($arg:tt)+) => {
        $crate::shm::error::failure($crate::shm::error::Cause::$cause, format_args!($($arg)+))
    };
}
pub(super) use failed;
