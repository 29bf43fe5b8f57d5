//! What a parameter of C is in Fortran: by its type, and where the type does not tell by its name. A few functions are
//! exceptions.

use super::{Intent, Kind, Parameter};
use crate::model::{Type, Variable};

/// The `int`s that are truth values.
const LOGICAL: [&str; 9] = [
    "commute",
    "flag",
    "high",
    "is_set",
    "logical_false",
    "logical_true",
    "periods",
    "remain_dims",
    "reorder",
];
/// The same in one function alone.
const LOGICAL_IN: [(&str, &str); 1] = [("MPI_Dist_graph_neighbors_count", "weighted")];

/// The `int`s that count elements of arrays of the caller, in the functions that complete some of several requests.
const INDEX: [&str; 2] = ["index", "array_of_indices"];

/// Arrays, and how many elements they have: as many as the first of these parameters says that the procedure has. An
/// array of which no parameter tells has `*`; what has none of its lengths is no array.
const LENGTHS: [(&str, &[&str]); 41] = [
    ("argv", &["*"]),
    ("array_of_addresses", &["max_addresses"]),
    ("array_of_argv", &["*"]),
    ("array_of_blocklengths", &["count"]),
    ("array_of_commands", &["*"]),
    ("array_of_dargs", &["ndims"]),
    ("array_of_datatypes", &["max_datatypes"]),
    ("array_of_displacements", &["count"]),
    ("array_of_distribs", &["ndims"]),
    ("array_of_errcodes", &["*"]),
    ("array_of_gsizes", &["ndims"]),
    ("array_of_indices", &["*"]),
    ("array_of_info", &["*"]),
    ("array_of_integers", &["max_integers"]),
    ("array_of_large_counts", &["max_large_counts"]),
    ("array_of_maxprocs", &["*"]),
    ("array_of_partitions", &["length"]),
    ("array_of_psizes", &["ndims"]),
    ("array_of_requests", &["incount", "count"]),
    ("array_of_sizes", &["ndims"]),
    ("array_of_starts", &["ndims"]),
    ("array_of_statuses", &["*"]),
    ("array_of_subsizes", &["ndims"]),
    ("array_of_types", &["count"]),
    ("coords", &["maxdims", "*"]),
    ("degrees", &["n"]),
    ("destinations", &["maxoutdegree", "outdegree", "*"]),
    ("destweights", &["*"]),
    ("dims", &["maxdims", "ndims"]),
    ("displs", &["*"]),
    ("edges", &["maxedges", "*"]),
    ("index", &["maxindex", "nnodes"]),
    ("neighbors", &["maxneighbors"]),
    ("periods", &["maxdims", "ndims"]),
    ("ranks", &["n"]),
    ("ranks1", &["n"]),
    ("ranks2", &["n"]),
    ("remain_dims", &["*"]),
    ("sources", &["maxindegree", "indegree", "n"]),
    ("sourceweights", &["*"]),
    ("weights", &["*"]),
];
/// One for each process of the communicator.
const EACH: [&str; 6] = [
    "sendcounts",
    "recvcounts",
    "sdispls",
    "rdispls",
    "sendtypes",
    "recvtypes",
];

/// The lengths of strings that MPI gives. Others have the length `*`.
const TEXTS: [(&str, &str, &str); 9] = [
    ("MPI_Comm_get_name", "comm_name", "MPI_MAX_OBJECT_NAME"),
    ("MPI_Error_string", "string", "MPI_MAX_ERROR_STRING"),
    (
        "MPI_Get_library_version",
        "version",
        "MPI_MAX_LIBRARY_VERSION_STRING",
    ),
    ("MPI_Get_processor_name", "name", "MPI_MAX_PROCESSOR_NAME"),
    ("MPI_Info_get", "value", "valuelen"),
    ("MPI_Lookup_name", "port_name", "MPI_MAX_PORT_NAME"),
    ("MPI_Open_port", "port_name", "MPI_MAX_PORT_NAME"),
    ("MPI_Type_get_name", "type_name", "MPI_MAX_OBJECT_NAME"),
    ("MPI_Win_get_name", "win_name", "MPI_MAX_OBJECT_NAME"),
];

/// What is read and written, though C has a plain pointer for it.
const READ_AND_WRITTEN: [(&str, &str); 41] = [
    ("MPI_Comm_disconnect", "comm"),
    ("MPI_Comm_free", "comm"),
    ("MPI_Comm_free_keyval", "comm_keyval"),
    ("MPI_Dims_create", "dims"),
    ("MPI_Errhandler_free", "errhandler"),
    ("MPI_File_close", "fh"),
    ("MPI_Group_free", "group"),
    ("MPI_Imrecv", "message"),
    ("MPI_Info_free", "info"),
    ("MPI_Info_get_string", "buflen"),
    ("MPI_Keyval_free", "keyval"),
    ("MPI_Mrecv", "message"),
    ("MPI_Op_free", "op"),
    ("MPI_Pack", "position"),
    ("MPI_Pack_external", "position"),
    ("MPI_Request_free", "request"),
    ("MPI_Session_finalize", "session"),
    ("MPI_Session_get_nth_pset", "pset_len"),
    ("MPI_Start", "request"),
    ("MPI_Startall", "array_of_requests"),
    ("MPI_Status_set_cancelled", "status"),
    ("MPI_Status_set_elements", "status"),
    ("MPI_Status_set_elements_x", "status"),
    ("MPI_Status_set_error", "status"),
    ("MPI_Status_set_source", "status"),
    ("MPI_Status_set_tag", "status"),
    ("MPI_Test", "request"),
    ("MPI_Testall", "array_of_requests"),
    ("MPI_Testany", "array_of_requests"),
    ("MPI_Testsome", "array_of_requests"),
    ("MPI_Type_commit", "datatype"),
    ("MPI_Type_free", "datatype"),
    ("MPI_Type_free_keyval", "type_keyval"),
    ("MPI_Unpack", "position"),
    ("MPI_Unpack_external", "position"),
    ("MPI_Wait", "request"),
    ("MPI_Waitall", "array_of_requests"),
    ("MPI_Waitany", "array_of_requests"),
    ("MPI_Waitsome", "array_of_requests"),
    ("MPI_Win_free", "win"),
    ("MPI_Win_free_keyval", "win_keyval"),
];

/// Of these buffers only the address counts, and it may be `MPI_BOTTOM`'s.
const ADDRESSED: [&str; 2] = ["MPI_Get_address", "MPI_Win_detach"];

/// The parameter of Fortran for `variable`, a parameter of `function`, whose name is without `_c`. `names` are those of all
/// its parameters.
pub fn parameter(function: &str, variable: &Variable, names: &[&str]) -> Parameter {
    let name = variable.name.as_str();
    let mut shape = shape(name, &variable.kind, names);
    let kind = kind(function, variable, &shape);
    if kind == Kind::IntegerStatus {
        shape = vec!["MPI_STATUS_SIZE".into()];
    }
    Parameter {
        name: name.into(),
        intent: intent(function, variable, &kind),
        asynchronous: asynchronous(function, variable, &kind, &shape),
        kind,
        shape,
    }
}

fn shape(name: &str, kind: &Type, names: &[&str]) -> Vec<String> {
    let Type::Pointer { to, .. } = kind else {
        return vec![];
    };
    if let Type::Array { length, .. } = &**to {
        return vec![length.to_string(), "n".into()];
    }
    if EACH.contains(&name) {
        return vec!["*".into()];
    }
    let lengths = LENGTHS.iter().find(|(array, _)| *array == name);
    let known = |length: &&&str| **length == "*" || names.contains(*length);
    let Some(length) = lengths.and_then(|(_, lengths)| lengths.iter().find(known)) else {
        return vec![];
    };
    match name {
        "array_of_argv" => vec!["count".into(), "*".into()],
        _ => vec![length.to_string()],
    }
}

fn kind(function: &str, Variable { name, kind }: &Variable, shape: &[String]) -> Kind {
    let name = name.as_str();
    match value(kind) {
        Type::Callback(interface) => Kind::Callback(interface.clone()),
        Type::Void => pointer(function, name),
        Type::Char => {
            let text = TEXTS
                .iter()
                .find(|text| (text.0, text.1) == (function, name));
            Kind::Text(text.map_or("*", |text| text.2).into())
        }
        Type::Int | Type::Named(_) if is_logical(function, name, kind) => Kind::Logical,
        Type::Int if is_index(name, shape) => Kind::Index,
        Type::Int => Kind::Integer,
        Type::Double => unreachable!("no parameter of MPI is a double"),
        Type::AddressSized => Kind::Address,
        Type::Wide => Kind::Count,
        Type::Named(named) => match named.as_str() {
            "MPI_Aint" if super::procedures::is_removed(function) => Kind::OldAddress,
            "MPI_Aint" => Kind::Address,
            "MPI_Count" => Kind::Count,
            "MPI_Offset" => Kind::Offset,
            "MPI_Fint" => Kind::IntegerStatus,
            "MPI_Status" => Kind::Status,
            "MPI_F08_status" => Kind::TypeStatus,
            handle => Kind::Handle(handle.into()),
        },
        Type::Pointer { .. } | Type::Array { .. } => unreachable!("neither is a value"),
    }
}

/// What is at the end of all pointers.
fn value(kind: &Type) -> &Type {
    match kind {
        Type::Pointer { to, .. } => value(to),
        Type::Array { of, .. } => value(of),
        kind => kind,
    }
}

/// What a pointer to anything is for.
fn pointer(function: &str, name: &str) -> Kind {
    match name {
        "extra_state" if function == "MPI_Keyval_create" => Kind::OldExtraState,
        "extra_state" => Kind::ExtraState,
        "attribute_val" if function.starts_with("MPI_Attr_") => Kind::OldAttribute,
        "attribute_val" => Kind::Attribute,
        "baseptr" => Kind::Pointer,
        "buffer_addr" => Kind::Detached,
        _ if LOGICAL.contains(&name) => Kind::Logical,
        _ => Kind::Choice,
    }
}

fn is_logical(function: &str, name: &str, kind: &Type) -> bool {
    let number = matches!(value(kind), Type::Int);
    number && (LOGICAL.contains(&name) || LOGICAL_IN.contains(&(function, name)))
}

/// In topologies `index` is an array, and something else.
fn is_index(name: &str, shape: &[String]) -> bool {
    INDEX.contains(&name) && (name != "index" || shape.is_empty())
}

fn intent(function: &str, Variable { name, kind }: &Variable, of: &Kind) -> Intent {
    let changed = match kind {
        Type::Pointer { constant, to } => !constant && !is_constant(to),
        _ => false,
    };
    let removed = super::procedures::is_removed(function);
    match of {
        // None in place of the object that is MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE could be changed.
        Kind::Choice if ADDRESSED.contains(&function) => Intent::Unsaid,
        Kind::Choice if function == "MPI_Free_mem" => Intent::In,
        Kind::Choice | Kind::Status if READ_AND_WRITTEN.contains(&(function, name)) => {
            Intent::InOut
        }
        Kind::Choice | Kind::Status if changed => Intent::Unsaid,
        Kind::Callback(_) => Intent::Unsaid,
        Kind::ExtraState | Kind::OldExtraState => Intent::In,
        Kind::Attribute | Kind::OldAttribute if !function.contains("_get") => Intent::In,
        Kind::Logical if function == "MPI_Abi_set_fortran_booleans" => Intent::In,
        Kind::Text(_) if name.starts_with("ar") => Intent::In,
        _ if READ_AND_WRITTEN.contains(&(function, name)) => Intent::InOut,
        Kind::Integer
            if matches!(
                name.as_str(),
                "array_of_errcodes" | "sourceweights" | "destweights"
            ) && changed =>
        {
            Intent::Unsaid
        }
        Kind::Handle(_) if function == "MPI_Cancel" => Intent::In,
        _ if removed && name.starts_with("array_of_") => Intent::In,
        _ if changed && name != "ranges" => Intent::Out,
        _ => Intent::In,
    }
}

fn is_constant(kind: &Type) -> bool {
    matches!(kind, Type::Pointer { constant: true, .. })
}

/// Whether MPI may use a parameter after the call: the buffers of all that does not complete at once, and the arrays that say
/// where in them data is.
fn asynchronous(function: &str, variable: &Variable, kind: &Kind, shape: &[String]) -> bool {
    let name = variable.name.as_str();
    let array = !shape.is_empty() && matches!(variable.kind, Type::Pointer { constant: true, .. });
    match kind {
        Kind::Handle(_) if name == "newcomm" && function.starts_with("MPI_Comm_idup") => true,
        Kind::Choice => is_lasting(function) || LASTING_BUFFERS.contains(&function),
        Kind::Integer | Kind::Address | Kind::Count | Kind::Handle(_) => {
            array && is_lasting(function)
        }
        _ => false,
    }
}

/// Functions whose buffers are in use for longer than the call, and whose names do not say so.
const LASTING_BUFFERS: [&str; 15] = [
    "MPI_Accumulate",
    "MPI_Buffer_attach",
    "MPI_Comm_attach_buffer",
    "MPI_Compare_and_swap",
    "MPI_F_sync_reg",
    "MPI_Fetch_and_op",
    "MPI_Free_mem",
    "MPI_Get",
    "MPI_Get_accumulate",
    "MPI_Get_address",
    "MPI_Put",
    "MPI_Session_attach_buffer",
    "MPI_Win_attach",
    "MPI_Win_create",
    "MPI_Win_detach",
];

/// Whether a function starts what others complete, by its name: `MPI_Isend`, `MPI_File_iread`, `MPI_Rput`.
pub fn is_lasting(function: &str) -> bool {
    let nonblocking = function
        .strip_prefix("MPI_I")
        .or(function.strip_prefix("MPI_File_i"));
    let is_verb = |rest: &str| TRANSFERS.iter().any(|verb| rest.starts_with(verb));
    nonblocking.is_some_and(is_verb)
        || [
            "MPI_Raccumulate",
            "MPI_Rget",
            "MPI_Rget_accumulate",
            "MPI_Rput",
        ]
        .contains(&function)
        || ["_init", "_begin", "_end"]
            .iter()
            .any(|end| function.ends_with(end))
}

/// What may follow the `I` of a nonblocking operation. Other names begin with an I, too.
const TRANSFERS: [&str; 16] = [
    "all",
    "bcast",
    "bsend",
    "exscan",
    "gather",
    "mrecv",
    "neighbor_",
    "read",
    "recv",
    "reduce",
    "rsend",
    "scan",
    "scatter",
    "send",
    "ssend",
    "write",
];
