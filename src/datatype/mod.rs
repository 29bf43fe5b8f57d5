//! Datatypes: what the elements of a message are and where they lie in memory (MPI 4.1 chapter 5).
//!
//! This room is pure logic: it communicates with nobody. A [`Datatype`] has a [`layout`] (where the bytes are), a
//! [`signature`] (which elements they make) and an [`Envelope`] (how it was made). The predefined ones are in a table
//! indexed by the low byte of the handle. For the paths that count instructions, [`predefined_kind`] tells size and
//! kind from the handle alone.
//!
//! The memory of `count` elements at an address is a [`Message`]: it can be packed, unpacked, copied to another
//! message ([`transfer`]) as a whole or by ranges of packed positions, and visited run by run.

mod arrays;
mod basic;
mod construct;
mod copy;
pub mod external;
pub mod f90;
mod handles;
mod layout;
mod object;
mod predefined;
mod rope;
mod scaled;
mod signature;
mod told;
mod walk;

#[cfg(test)]
mod tests;

pub use arrays::{darray, subarray};
pub use basic::Basic;
pub use construct::{
    contiguous, dup, hindexed, hindexed_block, hvector, indexed, indexed_block, resized, structure,
    vector,
};
pub use copy::{pack, transfer, unpack};
pub use handles::{
    Kept, find_committed, free, get, get_arc, get_committed, hand_out, insert, keep, lend,
};
pub use layout::Layout;
pub use object::{Datatype, Envelope, can_be_memory};
pub use predefined::{
    Named, delete_predefined_attributes, pair_of, predefined_kind, predefined_size,
};
pub use scaled::scaled;
pub use walk::{Message, Visit};
