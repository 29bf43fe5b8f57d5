//! The procedures of Fortran, of the functions of C.

use super::{Outcome, Places, Procedure, kinds, own};
use crate::model::{Function, Interface};

/// C has them, and Fortran does not: the tool information interface, extensions that MPICH has for C alone or that write to a variable of
/// the program's after they have returned, and what turns handles and statuses of one language into
/// those of the other.
const OF_C_ALONE: [&str; 15] = [
    "MPIR_*",
    "MPIX_Comm_iagree",
    "MPIX_Comm_ishrink",
    "MPIX_Delete_*",
    "MPIX_Info_*",
    "MPIX_Request_*",
    "MPIX_Type_*",
    "MPI_T_*",
    "*_c2f",
    "*_f2c",
    "*_fromint",
    "*_toint",
    "*_c2f08",
    "*_f082c",
    "MPI_Status_f2c",
];

/// What was removed before there was `mpi_f08`.
const REMOVED: [&str; 12] = [
    "MPI_Address",
    "MPI_Attr_*",
    "MPI_Errhandler_create",
    "MPI_Errhandler_get",
    "MPI_Errhandler_set",
    "MPI_Keyval_*",
    "MPI_Type_extent",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_lb",
    "MPI_Type_struct",
    "MPI_Type_ub",
];

/// Parameters of C that Fortran does not have: the command line, which Fortran programs get in another way.
const NOT_IN_FORTRAN: [&str; 2] = ["argc", "argv"];

/// All procedures, those of the functions in their order, each followed by its form with large counts.
pub fn procedures(interface: &Interface) -> Vec<Procedure> {
    let functions = interface.functions.iter();
    let functions = functions.filter(|function| !is_of_c_alone(&function.name));
    let mut procedures: Vec<Procedure> = functions.map(procedure).collect();
    procedures.extend(own::procedures());
    procedures
}

fn is_of_c_alone(function: &str) -> bool {
    OF_C_ALONE.iter().any(|pattern| covers(pattern, function))
}

/// Whether `function` was removed from MPI before there was `mpi_f08`.
pub fn is_removed(function: &str) -> bool {
    REMOVED.iter().any(|pattern| covers(pattern, function))
}

/// A `*` at one end of `pattern` stands for anything.
fn covers(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(beginning)) => name.starts_with(beginning),
        _ => name == pattern,
    }
}

fn procedure(function: &Function) -> Procedure {
    let small = function.name.strip_suffix("_c");
    let (name, large) = (small.unwrap_or(&function.name), small.is_some());
    let spawning = name.contains("spawn");
    let parameters = function.signature.parameters.iter();
    let parameters: Vec<_> = parameters
        .filter(|p| spawning || !NOT_IN_FORTRAN.contains(&p.name.as_str()))
        .collect();
    let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
    let parameters = parameters.iter().map(|p| kinds::parameter(name, p, &names));
    Procedure {
        name: name.into(),
        function: Some(function.name.clone()),
        large,
        parameters: parameters.collect(),
        outcome: match name {
            "MPI_Wtime" | "MPI_Wtick" => Outcome::Double,
            "MPI_Aint_add" | "MPI_Aint_diff" => Outcome::Address,
            "MPI_Pcontrol" => Outcome::Nothing,
            _ => Outcome::Code,
        },
        places: places(name, large),
    }
}

fn places(name: &str, large: bool) -> Places {
    let f08_alone = large;
    Places {
        header: !f08_alone && !matches!(name, "MPI_Status_f082f" | "MPI_Status_f2f08"),
        mpi: !f08_alone,
        f08: !is_removed(name),
    }
}
