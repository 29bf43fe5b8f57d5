//! What C is given for an argument of Fortran's, and what has to be done before the call and after it.

use super::{Intent, Kind, Parameter, Procedure};
use crate::model::{Interface, Type, Value, Variable};
use std::fmt::Write;

/// The constant of C that says how long a string is that C gives.
const TEXTS: [(&str, &str); 9] = [
    ("comm_name", "MPI_MAX_OBJECT_NAME"),
    ("datarep", "MPI_MAX_DATAREP_STRING"),
    ("key", "MPI_MAX_INFO_KEY"),
    ("name", "MPI_MAX_PROCESSOR_NAME"),
    ("port_name", "MPI_MAX_PORT_NAME"),
    ("string", "MPI_MAX_ERROR_STRING"),
    ("type_name", "MPI_MAX_OBJECT_NAME"),
    ("version", "MPI_MAX_LIBRARY_VERSION_STRING"),
    ("win_name", "MPI_MAX_OBJECT_NAME"),
];

#[derive(Clone, Copy, PartialEq)]
pub enum Dialect {
    Header,
    F08,
    /// `mpi_f08`, where a choice buffer is not contiguous.
    Sections,
}

impl Dialect {
    pub fn module(self) -> &'static str {
        match self {
            Dialect::Header => "header",
            Dialect::F08 | Dialect::Sections => "f08",
        }
    }
}

/// A parameter's name in Rust.
pub fn name(name: &str) -> String {
    match name {
        "type" | "ref" | "in" => format!("r#{name}"),
        name => name.into(),
    }
}

/// The argument of C for any parameter but a choice buffer.
pub fn plain(
    interface: &Interface,
    parameter: &Parameter,
    variable: &Variable,
    dialect: Dialect,
    before: &mut String,
    after: &mut String,
) -> String {
    let name = name(&parameter.name);
    let module = dialect.module();
    let by_value = !matches!(variable.kind, Type::Pointer { .. } | Type::Callback(_));
    let array = !parameter.shape.is_empty();
    match &parameter.kind {
        Kind::Text(_) if parameter.intent == Intent::In => {
            let _ = writeln!(
                before,
                "    let {name} = Text::of({name}, {name}_length, {});",
                is_stripped(&parameter.name)
            );
            format!("{name}.pointer()")
        }
        Kind::Text(_) => {
            let constant = TEXTS.iter().find(|(text, _)| *text == parameter.name);
            let constant = constant.map_or("", |(_, constant)| constant);
            let length = number(interface, constant);
            let _ = writeln!(before, "    let mut room = [0u8; {length} + 1];");
            let _ = writeln!(after, "    give_text(code, &room, {name}, {name}_length);");
            "room.as_mut_ptr().cast()".into()
        }
        Kind::Handle(handle) if handle == "MPI_File" && by_value => format!("file_in_c(*{name})"),
        Kind::Handle(handle) if handle == "MPI_File" => {
            let _ = writeln!(before, "    let mut file = file_in_c(*{name});");
            let _ = writeln!(after, "    *{name} = file_in_fortran(file);");
            "(&raw mut file).cast()".into()
        }
        Kind::Handle(handle) if by_value => format!("{}::in_c(*{name})", kind(handle)),
        Kind::Integer
        | Kind::Logical
        | Kind::Index
        | Kind::Address
        | Kind::Count
        | Kind::Offset
            if by_value =>
        {
            format!("*{name}")
        }
        Kind::Status if array => format!("{module}::statuses({name})"),
        Kind::Status => format!("{module}::status({name})"),
        Kind::Integer if parameter.name.ends_with("weights") => {
            format!("{module}::weights({name})")
        }
        Kind::Index if array => {
            let _ = writeln!(after, "    from_one_all({name}, *outcount, *incount);");
            format!("{name}.cast()")
        }
        Kind::Index => {
            let _ = writeln!(after, "    from_one({name});");
            format!("{name}.cast()")
        }
        Kind::OldAddress if by_value => format!("*{name} as isize"),
        Kind::OldAddress if array => {
            let _ = writeln!(before, "    let {name} = addresses({name}, *count);");
            format!("{name}.as_ptr().cast_mut().cast()")
        }
        Kind::OldAddress => {
            let _ = writeln!(before, "    let mut given = 0_isize;");
            let _ = writeln!(after, "    *{name} = given as c_int;");
            "(&raw mut given).cast()".into()
        }
        Kind::Detached if dialect == Dialect::Header => {
            // The program's variable is no pointer: what was attached is told by its size alone.
            let _ = writeln!(
                before,
                "    let _ = {name};\n    let mut detached = null_mut::<c_void>();"
            );
            "(&raw mut detached).cast()".into()
        }
        _ => format!("{name}.cast()"),
    }
}

/// The kind of a handle in `fortran/src/face.rs`.
fn kind(handle: &str) -> &str {
    handle.trim_start_matches("MPI_")
}

/// What is another thing in C where handles are pointers: handles, and functions that are given some.
pub fn is_other_in_openmpi(parameter: &Parameter) -> bool {
    match &parameter.kind {
        Kind::Handle(_) => true,
        Kind::Callback(interface) => {
            interface.contains("User_function") || interface.contains("errhandler_function")
        }
        _ => false,
    }
}

/// The argument of C for such a parameter.
pub fn foreign(
    procedure: &Procedure,
    parameter: &Parameter,
    variable: &Variable,
    before: &mut String,
    after: &mut String,
) -> String {
    let name = name(&parameter.name);
    let handle = match &parameter.kind {
        Kind::Handle(handle) => handle,
        Kind::Callback(interface) => {
            let (made, function) = match interface.contains("User_function") {
                true => ("op", "operation"),
                false => ("errhandler", "handler"),
            };
            let _ = writeln!(after, "    functions::{function}(code, c_{made}.handle());");
            return format!("{name}.cast()");
        }
        kind => unreachable!("{kind:?} is the same in C"),
    };
    let kind = kind(handle);
    if !matches!(variable.kind, Type::Pointer { .. }) {
        return format!("{kind}::in_c(*{name})");
    }
    let _ = match parameter.shape.first() {
        Some(length) => {
            let length = match length.as_str() {
                "*" => each(procedure, &parameter.name),
                length => format!("*{length}"),
            };
            writeln!(
                before,
                "    let mut c_{name} = Handles::<{kind}>::of({name}, {length});"
            )
        }
        None => writeln!(
            before,
            "    let mut c_{name} = Changed::<{kind}>::of({name});"
        ),
    };
    if parameter.intent != Intent::In {
        let _ = writeln!(after, "    c_{name}.give();");
    }
    format!("c_{name}.pointer()")
}

/// How many elements an array has that has one for each process that data goes to, or comes from. The one for what is sent does
/// not count where nothing else is sent than what is there already.
fn each(procedure: &Procedure, array: &str) -> String {
    let sending = match array {
        "sendtypes" => true,
        "recvtypes" => false,
        _ => panic!("{array} of {} has no length", procedure.name),
    };
    let length = match (procedure.name.to_lowercase().contains("neighbor"), sending) {
        (true, false) => "neighbors(Comm::in_c(*comm)).0",
        (true, true) => "neighbors(Comm::in_c(*comm)).1",
        (false, _) => "peers(Comm::in_c(*comm))",
    };
    match sending {
        true => format!("if header::is_in_place(sendbuf) {{ 0 }} else {{ {length} }}"),
        false => length.into(),
    }
}

/// Whether blanks at the beginning do not count: in info objects (MPI 4.1 §10).
fn is_stripped(name: &str) -> bool {
    matches!(name, "key" | "value")
}

fn number(interface: &Interface, constant: &str) -> i64 {
    let found = interface
        .constants
        .iter()
        .find(|other| other.name == constant);
    match found.map(|found| &found.value) {
        Some(Value::Decimal(number) | Value::Hexadecimal(number)) => *number,
        _ => panic!("{constant} has no number"),
    }
}
