//! Tests of `mpiexec`: the command line, output, signals, and how jobs end.
//!
//! No test asserts how long something takes; a watchdog ends what hangs. After every run, no process of it may be left.

mod command_line;
mod ends;
mod mpi;
mod run;
mod signals;
mod streams;
mod terminal;
