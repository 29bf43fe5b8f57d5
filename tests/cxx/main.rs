//! Programs in C++: those of `cxx_tests`, which use the classes (`mpicxx.h`) or `rmashm.hpp`, and the one in `docs/cxx.md`.
//!
//! Each is compiled by our `mpicxx` in every standard it is for, and run; it is silent when it is right. Those of the classes are
//! also compiled by MPICH's `mpicxx`, to be run here and, to keep the tests honest, there, and ours run there; some by Open MPI's, to
//! run here with its library of the classes. What the classes look like in memory is compared with MPICH's in `layout.rs`. What of `rmashm.hpp` cannot be compiled is in
//! `misuse.rs`.

#[path = "../compiler/mod.rs"]
mod compiler;
mod layout;
mod misuse;
mod programs;
#[path = "../support/mod.rs"]
mod support;

use libtest_mimic::{Arguments, Trial};

fn main() -> std::process::ExitCode {
    let mut arguments = Arguments::from_args();
    // Two jobs at once, as the C tests: a watchdog must not be their only end.
    arguments.test_threads.get_or_insert(2);
    let mut trials = programs::trials();
    trials.push(Trial::test("layout::classes", layout::classes));
    trials.push(Trial::test("layout::symbols", layout::symbols));
    trials.push(Trial::test("misuse::refused", misuse::refused));
    trials.push(Trial::test("misuse::fatal", misuse::fatal));
    libtest_mimic::run(&arguments, trials).exit_code()
}
