//! What C sees: a folder for each chapter of the standard. A function here checks arguments, turns handles into
//! references, calls one function of a room, and leaves errors to [`boundary`].

pub mod bindings;
pub mod boundary;
pub mod collectives;
pub mod communicators;
pub mod datatypes;
pub mod environment;
pub mod files;
pub mod messages;
pub mod tools;
pub mod windows;
