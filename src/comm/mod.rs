//! Communicators.
