//! How the parameters of a procedure are declared, in `mpi` and in `mpi_f08`.

use crate::fortran::{Intent, Kind, Outcome, Parameter, Procedure};

/// What an interface of a procedure is: its head, the declarations in it, and its end.
pub struct Body {
    pub head: String,
    pub declarations: Vec<String>,
    pub end: String,
}

/// The interface of the specific procedure `name`; `declare` gives the declarations of a parameter. `ierror` is declared so.
pub fn body(
    name: &str,
    procedure: &Procedure,
    ierror: &str,
    declare: impl Fn(&Parameter) -> Vec<String>,
) -> Body {
    let mut names: Vec<&str> = procedure.parameters.iter().map(|p| &*p.name).collect();
    let mut declarations: Vec<String> = procedure.parameters.iter().flat_map(declare).collect();
    let result = match procedure.outcome {
        Outcome::Code => {
            names.push("ierror");
            declarations.push(format!("{ierror} :: ierror"));
            None
        }
        Outcome::Nothing => None,
        Outcome::Double => Some("double precision"),
        Outcome::Address => Some("integer(kind=MPI_ADDRESS_KIND)"),
    };
    declarations.extend(result.map(|kind| format!("{kind} :: {name}")));
    let sort = if result.is_some() {
        "function"
    } else {
        "subroutine"
    };
    Body {
        head: format!("{sort} {name}({})", names.join(", ")),
        declarations,
        end: format!("end {sort} {name}"),
    }
}

/// A declaration with the attributes that are there.
pub fn declaration(
    kind: &str,
    parameter: &Parameter,
    asynchronous: bool,
    shape: &[String],
) -> String {
    let intent = match parameter.intent {
        Intent::In => ", intent(in)",
        Intent::Out => ", intent(out)",
        Intent::InOut => ", intent(inout)",
        Intent::Unsaid => "",
    };
    let asynchronous = if asynchronous { ", asynchronous" } else { "" };
    let shape = match shape {
        [] => String::new(),
        shape => format!("({})", shape.join(", ")),
    };
    format!("{kind}{intent}{asynchronous} :: {}{shape}", parameter.name)
}

/// The type of what is of the same type in both modules; `None` for what is not, or is no type.
pub fn same_type(kind: &Kind) -> Option<String> {
    let with_kind = |kind: &str| Some(format!("integer(kind=MPI_{kind}_KIND)"));
    match kind {
        Kind::Integer
        | Kind::Index
        | Kind::OldAddress
        | Kind::OldAttribute
        | Kind::OldExtraState => Some("integer".into()),
        Kind::Logical => Some("logical".into()),
        Kind::Address | Kind::Attribute | Kind::ExtraState => with_kind("ADDRESS"),
        Kind::Count => with_kind("COUNT"),
        Kind::Offset => with_kind("OFFSET"),
        Kind::IntegerStatus => Some("integer".into()),
        Kind::TypeStatus => Some("type(MPI_Status)".into()),
        Kind::Choice
        | Kind::Handle(_)
        | Kind::Status
        | Kind::Text(_)
        | Kind::Pointer
        | Kind::Detached
        | Kind::Callback(_) => None,
    }
}
