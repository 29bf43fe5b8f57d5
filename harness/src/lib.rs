//! What all tests that run jobs share: a [`job`] under a watchdog, how many [at a time](turns), what they may not [leave
//! behind](leftovers), and what to do where the machine [lacks](needs) something.

pub mod diagnosis;
pub mod job;
pub mod leftovers;
pub mod needs;
pub mod scratch;
pub mod turns;
