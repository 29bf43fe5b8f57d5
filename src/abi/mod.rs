//! What C sees: one file per chapter of the standard. A function here checks arguments, turns handles into
//! references, calls one function of a room, and leaves errors to [`boundary`].

pub mod arguments;
pub mod boundary;
pub mod constants;
pub mod data;
pub mod datatype;
pub mod datatype_constructors;
pub mod datatype_pack;
pub mod datatype_query;
pub mod datatype_removed;
pub mod datatype_structures;
pub mod environment;
pub mod handles;
pub mod op;
pub mod status;
pub mod types;
