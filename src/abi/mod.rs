//! What C sees: one file per chapter of the standard. A function here checks arguments, turns handles into
//! references, calls one function of a room, and leaves errors to [`boundary`].

pub mod arguments;
pub mod boundary;
pub mod comm;
pub mod constants;
pub mod data;
pub mod datatype;
pub mod datatype_constructors;
pub mod datatype_pack;
pub mod datatype_query;
pub mod environment;
pub mod errhandler;
pub mod handles;
pub mod init;
pub mod op;
pub mod rma;
pub mod status;
pub mod sync;
pub mod types;
