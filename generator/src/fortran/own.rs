//! What C does not have: the procedures that Fortran alone needs, and those of which C has a constant for a callback.

use super::{Intent, Kind, Outcome, Parameter, Places, Procedure};

const EVERYWHERE: Places = Places {
    header: true,
    mpi: true,
    f08: true,
};
/// What was removed before there was `mpi_f08`.
const OLD: Places = Places {
    f08: false,
    ..EVERYWHERE
};
const MODULES: Places = Places {
    header: false,
    ..EVERYWHERE
};

/// `MPI_Sizeof` is a generic with a specific for each type and kind; its one parameter here stands for all of them.
pub fn procedures() -> Vec<Procedure> {
    let mut all = vec![
        procedure(
            "MPI_F_sync_reg",
            Outcome::Nothing,
            EVERYWHERE,
            vec![Parameter {
                asynchronous: true,
                ..parameter("buf", Kind::Choice, Intent::Unsaid)
            }],
        ),
        procedure(
            "MPI_Sizeof",
            Outcome::Code,
            MODULES,
            vec![
                parameter("x", Kind::Choice, Intent::Unsaid),
                parameter("size", Kind::Integer, Intent::Out),
            ],
        ),
    ];
    for (object, handle) in [
        ("COMM", "MPI_Comm"),
        ("TYPE", "MPI_Datatype"),
        ("WIN", "MPI_Win"),
    ] {
        let handle = Kind::Handle(handle.into());
        let copies = copies(handle.clone(), object, Kind::ExtraState, Kind::Attribute);
        all.push(procedure(
            &format!("MPI_{object}_DUP_FN"),
            Outcome::Code,
            EVERYWHERE,
            copies.clone(),
        ));
        all.push(procedure(
            &format!("MPI_{object}_NULL_COPY_FN"),
            Outcome::Code,
            EVERYWHERE,
            copies,
        ));
        let deletes = deletes(handle, object, Kind::ExtraState, Kind::Attribute);
        all.push(procedure(
            &format!("MPI_{object}_NULL_DELETE_FN"),
            Outcome::Code,
            EVERYWHERE,
            deletes,
        ));
    }
    let comm = Kind::Handle("MPI_Comm".into());
    let copies = copies(comm.clone(), "", Kind::OldExtraState, Kind::OldAttribute);
    all.push(procedure("MPI_DUP_FN", Outcome::Code, OLD, copies.clone()));
    all.push(procedure("MPI_NULL_COPY_FN", Outcome::Code, OLD, copies));
    let deletes = deletes(comm, "", Kind::OldExtraState, Kind::OldAttribute);
    all.push(procedure("MPI_NULL_DELETE_FN", Outcome::Code, OLD, deletes));
    all.push(conversion(false));
    all.push(conversion(true));
    all
}

fn procedure(
    name: &str,
    outcome: Outcome,
    places: Places,
    parameters: Vec<Parameter>,
) -> Procedure {
    Procedure {
        name: name.into(),
        function: None,
        large: false,
        parameters,
        outcome,
        places,
    }
}

fn parameter(name: &str, kind: Kind, intent: Intent) -> Parameter {
    Parameter {
        name: name.into(),
        kind,
        shape: vec![],
        intent,
        asynchronous: false,
    }
}

/// The parameters of what copies an attribute of an object.
fn copies(handle: Kind, object: &str, state: Kind, value: Kind) -> Vec<Parameter> {
    let (old, keyval) = match object {
        "" => ("oldcomm".into(), "keyval".into()),
        object => {
            let object = object.to_lowercase();
            (format!("old{object}"), format!("{object}_keyval"))
        }
    };
    vec![
        parameter(&old, handle, Intent::In),
        parameter(&keyval, Kind::Integer, Intent::In),
        parameter("extra_state", state, Intent::In),
        parameter("attribute_val_in", value.clone(), Intent::In),
        parameter("attribute_val_out", value, Intent::Out),
        parameter("flag", Kind::Logical, Intent::Out),
    ]
}

/// The parameters of what deletes one.
fn deletes(handle: Kind, object: &str, state: Kind, value: Kind) -> Vec<Parameter> {
    let (object, keyval) = match object {
        "" => ("comm".into(), "keyval".into()),
        "TYPE" => ("datatype".into(), "type_keyval".into()),
        object => {
            let object = object.to_lowercase();
            let keyval = format!("{object}_keyval");
            (object, keyval)
        }
    };
    vec![
        parameter(&object, handle, Intent::In),
        parameter(&keyval, Kind::Integer, Intent::In),
        parameter("attribute_val", value, Intent::In),
        parameter("extra_state", state, Intent::In),
    ]
}

/// `MPI_CONVERSION_FN_NULL`, and the same for large counts.
fn conversion(large: bool) -> Procedure {
    let count = if large { Kind::Count } else { Kind::Integer };
    let name = match large {
        false => "MPI_CONVERSION_FN_NULL",
        true => "MPI_CONVERSION_FN_NULL_C",
    };
    let places = match large {
        false => EVERYWHERE,
        true => Places {
            header: false,
            mpi: false,
            f08: true,
        },
    };
    let parameters = vec![
        parameter("userbuf", Kind::Pointer, Intent::In),
        parameter("datatype", Kind::Handle("MPI_Datatype".into()), Intent::In),
        parameter("count", count, Intent::In),
        parameter("filebuf", Kind::Pointer, Intent::In),
        parameter("position", Kind::Offset, Intent::In),
        parameter("extra_state", Kind::ExtraState, Intent::In),
    ];
    procedure(name, Outcome::Code, places, parameters)
}
