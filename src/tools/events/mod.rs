//! Events: what kinds there are, who wants to hear of them, and how they are told (MPI 4.1 §15.3.8).
//!
//! **When functions are called.** An event is told where it happens if its function allows that, by a safety level of
//! `MPI_T_CB_REQUIRE_MPI_RESTRICTED` or a higher one: that place is in the middle of a call of MPI, and what the function calls there
//! besides `MPI_T_` functions fails. Else it is told at the end of the program's call, where `MPI_T_CB_REQUIRE_NONE` is enough. One thread
//! at a time tells, and none within a function: what happens meanwhile waits. So no place asks for a level above, and functions of higher
//! levels are called where lower ones would be.
//!
//! **Order.** What waits for being told is a queue for each source. An event that cannot be told here holds up those behind it, so
//! that a source keeps the order of time. What concerns waits is a source of its own: it is told while the call goes on.
//!
//! **What is lost.** A queue has a bound. What finds no room is counted for its handle, and told to that handle's function for lost
//! events when there is something to be told again.
//!
//! Without handles all this costs the rooms below a look at a word, where they wait or make something.

mod kinds;
mod registry;
mod telling;

pub use kinds::{Bound, SOURCES, TICKS, Type, now, types};
pub use registry::{
    Data, Happened, alloc, check_handle, clear, free, instance, register, set_dropped,
};
pub use telling::Safety;
