//! MPI in Fortran: the procedures, made of the functions of C ([`procedures`]) by rules about types and names ([`kinds`]), and
//! the few that C does not have ([`own`]).
//!
//! A procedure is described once for `mpif.h`, `mpi` and `mpi_f08`. What differs between them is told by a parameter's kind:
//! `MPI_Comm` is an `INTEGER` in the former and `TYPE(MPI_Comm)` in the latter, say.

mod arguments;
mod buffers;
pub mod kinds;
pub mod names;
mod own;
mod procedures;

pub mod wrappers;

pub use procedures::procedures;

/// A subroutine or function of Fortran.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// As in the standard, `MPI_Comm_rank`. The form with large counts has the same name: it is another specific of the generic.
    pub name: String,
    /// The function of C that does the work, `MPI_Send_c`. None has one that is Fortran's own.
    pub function: Option<String>,
    /// Whether this is the form with large counts.
    pub large: bool,
    /// In the order of the standard, without `ierror`.
    pub parameters: Vec<Parameter>,
    pub outcome: Outcome,
    pub places: Places,
}

/// What a procedure gives back beside its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// It is a subroutine whose last parameter is `ierror`, which is optional in `mpi_f08`.
    Code,
    /// It is a subroutine without `ierror`.
    Nothing,
    /// It is a function, `DOUBLE PRECISION`.
    Double,
    /// It is a function, `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    Address,
}

/// Where a procedure is declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Places {
    /// `mpif.h`. All that is there can also be called without any declaration.
    pub header: bool,
    /// The module `mpi`.
    pub mpi: bool,
    /// The module `mpi_f08`.
    pub f08: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub kind: Kind,
    /// Its shape in `mpi_f08`, an array's first dimension first: `["3", "n"]` is `(3, n)`, and nothing a scalar. An array has
    /// `*` last in `mpi` and `mpif.h`. A choice buffer has its shape from its kind.
    pub shape: Vec<String>,
    pub intent: Intent,
    /// Whether it has the attribute `ASYNCHRONOUS` in `mpi_f08`.
    pub asynchronous: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Data of any type: `TYPE(*), DIMENSION(..)`, `<type> BUF(*)`.
    Choice,
    Integer,
    /// An `INTEGER` that counts elements of an array, from 1 in Fortran and from 0 in C.
    Index,
    Logical,
    /// `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    Address,
    /// An address, or a distance, as it was in MPI-1: `INTEGER`.
    OldAddress,
    /// `INTEGER(KIND=MPI_COUNT_KIND)`.
    Count,
    /// `INTEGER(KIND=MPI_OFFSET_KIND)`.
    Offset,
    /// A handle of this type, `MPI_Comm`. Otherwise an `INTEGER`.
    Handle(String),
    /// `TYPE(MPI_Status)`. Otherwise `INTEGER(MPI_STATUS_SIZE)`, which comes before the dimensions of an array.
    Status,
    /// `INTEGER(MPI_STATUS_SIZE)`, also in `mpi_f08`.
    IntegerStatus,
    /// `TYPE(MPI_Status)`, also in `mpi`.
    TypeStatus,
    /// `CHARACTER` of this length: a name, a number or `*`. Otherwise of the length `*`.
    Text(String),
    /// Where memory begins: `TYPE(C_PTR)`. In `mpi` there is another specific beside it, whose name ends with `_CPTR`, and this
    /// is an `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    Pointer,
    /// Where a buffer begins that was given to MPI: `TYPE(C_PTR)`, otherwise a choice buffer, which stays as it is.
    Detached,
    /// The value of an attribute: `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    Attribute,
    /// The value of an attribute as it was in MPI-1: `INTEGER`.
    OldAttribute,
    /// What is handed on to callbacks: `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    ExtraState,
    /// The same in MPI-1: `INTEGER`.
    OldExtraState,
    /// A procedure with this abstract interface: `PROCEDURE(MPI_User_function)`, otherwise `EXTERNAL`.
    Callback(String),
}

/// What a parameter's `INTENT` is in `mpi_f08`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Intent {
    In,
    Out,
    InOut,
    /// It has none, as the program may hand over `MPI_BOTTOM`, `MPI_STATUS_IGNORE` and the like.
    Unsaid,
}
