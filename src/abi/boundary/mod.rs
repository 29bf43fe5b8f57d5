//! The border between C and Rust. [`exports`] makes an exported MPI function of a Rust body,
//! and of one that is [`looked`] at, [`pointers`] are what C hands
//! over, [`arguments`] checks what is no pointer, and [`errors`] gives an error to the handler that the standard assigns, in the
//! words of the language that the call came from ([`caller`]).

pub mod arguments;
pub mod caller;
pub mod counts;
pub mod errors;
pub mod exports;
pub mod looked;
pub mod pointers;
