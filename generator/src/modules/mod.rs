//! What Fortran programs are compiled with: the header `mpif.h` ([`mpif_h`]), and the modules `mpi` ([`mpi`]), `mpi_f08`
//! ([`mpi_f08`]) and `mpi_f08_types`, of which both are users ([`types`]).
//!
//! The modules have no code: every procedure is an interface, and lies in the library. So one text serves all compilers, and an
//! executable runs with any library that has MPICH's names. Each is a frame in `include` whose lines `@…@` are filled in.

pub mod constants;
pub mod declarations;
pub mod mpi;
pub mod mpi_f08;
pub mod mpif_h;
pub mod text;
pub mod types;

use crate::fortran::{self, Procedure};
use crate::model::Interface;

/// Fills in a frame.
pub type Print = fn(&Interface, &str) -> String;

/// The sources of the modules, in the order in which they are compiled: the name of a file, whose frame has `.in` after it, and
/// what fills the frame in.
pub const SOURCES: [(&str, Print); 3] = [
    ("mpi_f08_types.F90", types::print),
    ("mpi.F90", mpi::print),
    ("mpi_f08.F90", mpi_f08::print),
];

/// `frame` with what `fill` makes in place of the lines `@name@`.
fn fill(frame: &str, fill: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for line in frame.lines() {
        let name = line.trim().strip_prefix('@');
        match name.and_then(|name| name.strip_suffix('@')) {
            Some(name) => out += &fill(name),
            None => {
                out += line;
                out.push('\n');
            }
        }
    }
    out
}

/// The procedures that a module has of the table: all but those that the frames declare in another way.
fn procedures(interface: &Interface, declared: impl Fn(&Procedure) -> bool) -> Vec<Procedure> {
    const IN_FRAMES: [&str; 3] = ["MPI_Sizeof", "MPI_Status_f082f", "MPI_Status_f2f08"];
    let all = fortran::procedures(interface).into_iter();
    let mut all: Vec<Procedure> = all
        .filter(|p| declared(p) && !IN_FRAMES.contains(&p.name.as_str()))
        .collect();
    all.sort_by_key(|procedure| (procedure.name.to_lowercase(), procedure.large));
    all
}
