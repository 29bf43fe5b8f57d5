//! Prints `mpi_f08_types`, what both modules have: kinds, constants that are numbers, types of handles and statuses.

use super::constants::{Kind, constants, handles};
use super::fill;
use super::text::statement;
use crate::model::Interface;
use std::fmt::Write;

/// The module: `frame` filled in.
pub fn print(interface: &Interface, frame: &str) -> String {
    fill(frame, |name| match name {
        "numbers" => numbers(interface),
        "handles" => types(interface),
        "equal" => comparisons(interface, "eq"),
        "not equal" => comparisons(interface, "neq"),
        "sizes" => sizes(),
        "sizes again" => sizes_again(),
        name => panic!("nothing in mpi_f08_types is called {name}"),
    })
}

fn numbers(interface: &Interface) -> String {
    let mut out = String::new();
    for constant in constants(interface) {
        let kind = match constant.kind {
            Kind::Integer => "",
            Kind::Offset => "(kind=MPI_OFFSET_KIND)",
            Kind::Handle(_) => continue,
        };
        let (name, value) = (constant.name, constant.value);
        let _ = writeln!(out, "  integer{kind}, parameter :: {name} = {value}");
    }
    out
}

fn types(interface: &Interface) -> String {
    let mut out = String::new();
    for handle in handles(interface) {
        let _ = writeln!(out, "  type, bind(C) :: {handle}");
        out += "    integer :: MPI_VAL\n";
        let _ = writeln!(out, "  end type {handle}");
    }
    out
}

/// The functions that compare a handle with another, and with an `INTEGER`, under the names that they have in MPICH.
fn comparisons(interface: &Interface, relation: &str) -> String {
    let mut out = String::new();
    for handle in handles(interface) {
        let object = handle.trim_start_matches("MPI_").to_lowercase();
        let typed = format!("type({handle})");
        for (name, left, right) in [
            (relation.to_owned(), typed.as_str(), typed.as_str()),
            (format!("f08_{relation}_f"), &typed, "integer"),
            (format!("f_{relation}_f08"), "integer", &typed),
        ] {
            let name = format!("mpi_{object}_{name}");
            let head = format!("IN_LIBRARY elemental function {name}(x, y)");
            statement(&mut out, 4, &head);
            let _ = writeln!(out, "IMPORT_TYPE({handle})");
            statement(&mut out, 6, &format!("{left}, intent(in) :: x"));
            statement(&mut out, 6, &format!("{right}, intent(in) :: y"));
            statement(&mut out, 6, &format!("logical :: {name}"));
            statement(&mut out, 4, &format!("end function {name}"));
        }
    }
    out
}

/// The types of which `MPI_Sizeof` tells the size, as MPICH names its specifics.
const SIZES: [(&str, &str); 12] = [
    ("character", "character(len=*)"),
    ("logical", "logical"),
    ("xint8", "integer(int8)"),
    ("xint16", "integer(int16)"),
    ("xint32", "integer(int32)"),
    ("xint64", "integer(int64)"),
    ("xreal32", "real(real32)"),
    ("xreal64", "real(real64)"),
    ("xreal128", "real(real128)"),
    ("xcomplex32", "complex(real32)"),
    ("xcomplex64", "complex(real64)"),
    ("xcomplex128", "complex(real128)"),
];

/// The specifics of `MPI_Sizeof`. Elsewhere than with gfortran it is one, which looks into a descriptor.
fn sizes() -> String {
    let mut out = String::from("#ifdef __GFORTRAN__\n");
    for (name, kind) in SIZES {
        let head = format!("module subroutine mpi_sizeof_{name}(x, size, ierror)");
        size(&mut out, &head, kind, &format!("mpi_sizeof_{name}"));
    }
    out += "#else\n";
    let head = "subroutine mpi_sizeof_cfi(x, size, ierror) bind(C, name=\"rmashm_mpi_sizeof_cfi\")";
    size(&mut out, head, "type(*)", "mpi_sizeof_cfi");
    out += "#endif\n";
    out
}

fn size(out: &mut String, head: &str, kind: &str, name: &str) {
    statement(out, 4, head);
    statement(out, 6, &format!("{kind}, dimension(..) :: x"));
    statement(out, 6, "integer, intent(out) :: size");
    statement(out, 6, "integer, optional, intent(out) :: ierror");
    statement(out, 4, &format!("end subroutine {name}"));
}

/// The same specifics for another generic.
fn sizes_again() -> String {
    let names = SIZES.map(|(name, _)| format!("mpi_sizeof_{name}"));
    let mut out = String::from("#ifdef __GFORTRAN__\n");
    statement(&mut out, 4, &format!("procedure :: {}", names.join(", ")));
    out + "#else\n    procedure :: mpi_sizeof_cfi\n#endif\n"
}
