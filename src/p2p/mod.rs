//! Point-to-point communication (MPI 4.1 chapters 3 and 4): sends and receives of communicators, and requests.
//!
//! May call `comm` and `transport`, which moves the messages.
//!
//! - [`start`]: sends and receives begin, after their ranks and tags were checked; [`buffered`] sends; [`probe`]s.
//! - [`joint`]: a send and a receive in one; [`partitioned`]: messages in parts.
//! - [`request`]: what a handle stands for; [`completion`]: waiting and testing; [`generalized`]: requests of the program's
//!   own; [`copies`]: requests of operations on copies of buffers.

pub mod buffered;
pub mod completion;
pub mod copies;
pub mod generalized;
pub mod joint;
pub mod partitioned;
pub mod probe;
pub mod request;
pub mod start;
