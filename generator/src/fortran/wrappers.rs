//! Prints the library's part of Fortran, in Rust: for each procedure the external procedures that programs refer to, which call
//! the function of C by its name.
//!
//! | who refers to it                       | name                                   | choice buffer                |
//! |----------------------------------------|----------------------------------------|------------------------------|
//! | `mpif.h`, `mpi`                        | `mpi_send_`, and three other spellings | an address                   |
//! | `mpi_f08` of gfortran                  | `mpi_send_f08ts_`, `mpi_wait_f08_`     | gfortran's array descriptor  |
//! | `mpi_f08` of gfortran, large counts    | `mpi_send_c_f08ts_`                    | the same                     |
//! | `mpi_f08` of other compilers           | `rmashm_mpi_send_cfi`                  | the descriptor of the standard |
//!
//! Each of them has a twin that calls `PMPI_Send`. What is here is the way from one argument list to the other, a single argument's
//! in `arguments.rs`; what becomes of an argument is said by functions of the crate that includes what is printed (`fortran/src`):
//! `header` has those of `mpif.h`, `f08` those of `mpi_f08`.
//!
//! For programs of Open MPI the names are others (`names.rs`), a choice buffer is an address in `mpi_f08`, too, and handles are
//! turned into those of C.

use super::arguments::{Dialect, foreign, is_other_in_openmpi, name, plain};
use super::buffers::{Part, goes_on, part_of};
use super::names::{self, Names};
use super::{Intent, Kind, Outcome, Parameter, Procedure};
use crate::model::{Constant, Face, Function, Interface, Type, Value};
use std::fmt::Write;

/// Functions that are written by hand, in the files of `fortran/src`: their names alone are printed. A `*` stands for anything.
const BY_HAND: [&str; 14] = [
    "MPI_Attr_get",
    "MPI_Attr_put",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Grequest_start",
    "MPI_Info_get",
    "MPI_Info_get_string",
    "MPI_Keyval_create",
    "MPI_Register_datarep",
    "MPI_Register_datarep_c",
    "MPI_Session_get_nth_pset",
    "*_create_keyval",
    "*_get_attr",
    "*_set_attr",
];

/// The source of Rust.
pub fn print(interface: &Interface, face: Face) -> String {
    let mut out = String::new();
    declarations(&mut out, &interface.functions);
    for procedure in super::procedures(interface) {
        if face == Face::Openmpi && procedure.large {
            continue;
        }
        let names = Names::of(&procedure, face);
        if let Some(function) = procedure
            .function
            .as_ref()
            .filter(|_| !is_by_hand(&procedure))
        {
            let function = interface
                .functions
                .iter()
                .find(|other| other.name == *function);
            let function = function.expect("a procedure is made of a function");
            wrapper(&mut out, interface, face, &procedure, function, &names);
        }
        if procedure.name != "MPI_Sizeof" {
            names.print(
                &mut out,
                is_by_hand(&procedure) || procedure.function.is_none(),
            );
        }
    }
    constants(&mut out, &interface.constants);
    out
}

fn is_by_hand(procedure: &Procedure) -> bool {
    let name = &procedure.name;
    BY_HAND
        .iter()
        .any(|pattern| match pattern.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == pattern,
        })
}

/// What stands above each unsafe block of a procedure.
const SAFETY: &str =
    "// SAFETY: the program promises of its arguments what C's function asks of them.";

/// The functions of C, under both of their names.
fn declarations(out: &mut String, functions: &[Function]) {
    *out += "unsafe extern \"C\" {\n";
    for Function {
        name, signature, ..
    } in functions.iter().filter(|f| !f.name.starts_with("MPI_T_"))
    {
        let parameters = signature.parameters.iter();
        let mut parameters: Vec<&str> = parameters.map(|parameter| in_c(&parameter.kind)).collect();
        if name == "MPI_Pcontrol" {
            parameters.push("...");
        }
        let parameters: Vec<String> = parameters
            .iter()
            .map(|kind| match *kind {
                "..." => "...".into(),
                kind => format!("_: {kind}"),
            })
            .collect();
        let parameters = parameters.join(", ");
        let result = in_c(&signature.result);
        for prefix in ["", "P"] {
            let _ = writeln!(out, "    pub fn {prefix}{name}({parameters}) -> {result};");
        }
    }
    *out += "}\n";
}

/// What C has for a type: a pointer to whatever.
fn in_c(kind: &Type) -> &'static str {
    match kind {
        Type::Pointer { .. } | Type::Array { .. } => "*mut c_void",
        Type::Callback(_) => "*mut c_void",
        Type::Double => "f64",
        Type::Void => "()",
        Type::Char => "c_char",
        Type::Int => "c_int",
        Type::AddressSized => "isize",
        Type::Wide => "i64",
        Type::Named(name) => match name.as_str() {
            "MPI_Aint" => "isize",
            "MPI_Count" | "MPI_Offset" => "i64",
            "MPI_Fint" => "c_int",
            "MPI_File" => "CFile",
            handle if handle.starts_with("MPI_") && !handle.starts_with("MPI_T_") => "CHandle",
            _ => "*mut c_void",
        },
    }
}

/// What a parameter is in the argument list of an external procedure. All are addresses.
fn argument(parameter: &Parameter, buffers: &str) -> String {
    let kind = match parameter.kind {
        Kind::Choice => buffers,
        Kind::Integer
        | Kind::Index
        | Kind::Logical
        | Kind::Handle(_)
        | Kind::OldAddress
        | Kind::OldAttribute
        | Kind::OldExtraState => "*mut c_int",
        Kind::Address | Kind::Attribute | Kind::ExtraState => "*mut isize",
        Kind::Count | Kind::Offset => "*mut i64",
        Kind::Text(_) => "*mut c_char",
        _ => "*mut c_void",
    };
    format!("{}: {kind}", name(&parameter.name))
}

/// The two generic bodies of a procedure, and the exported functions that call them.
fn wrapper(
    out: &mut String,
    interface: &Interface,
    face: Face,
    procedure: &Procedure,
    function: &Function,
    names: &Names,
) {
    let result = match procedure.outcome {
        Outcome::Double => " -> f64",
        Outcome::Address => " -> isize",
        Outcome::Code | Outcome::Nothing => "",
    };
    let has_buffer = procedure.parameters.iter().any(|p| p.kind == Kind::Choice);
    let lengths: Vec<String> = texts_of(procedure)
        .map(|text| format!("{text}_length: usize"))
        .collect();
    let list = |buffers: &str| {
        let mut list: Vec<String> = procedure
            .parameters
            .iter()
            .map(|p| argument(p, buffers))
            .collect();
        if procedure.outcome == Outcome::Code {
            list.push("ierror: *mut c_int".into());
        }
        list.extend(lengths.clone());
        list.join(", ")
    };
    let passed = |list: &str| {
        let names = list
            .split(", ")
            .filter_map(|argument| argument.split_once(':'));
        names
            .map(|(name, _)| format!(", {name}"))
            .collect::<String>()
    };
    let c = &function.name;
    let call = {
        let parameters = function.signature.parameters.iter();
        let mut parameters: Vec<&str> = parameters.map(|parameter| in_c(&parameter.kind)).collect();
        if c == "MPI_Pcontrol" {
            parameters.push("...");
        }
        format!(
            "unsafe extern \"C\" fn({}) -> {}",
            parameters.join(", "),
            in_c(&function.signature.result)
        )
    };
    if let Some(exported) = &names.header {
        let list = list("*mut c_void");
        let body = format!("header_{}", names.stem);
        let text = body_text(interface, face, procedure, function, Dialect::Header);
        let _ = writeln!(
            out,
            "#[inline(always)]\nunsafe fn {body}(call: {call}, {list}){result} {{\n{text}}}"
        );
        let arguments = passed(&list);
        for (name, prefix) in [(exported.clone(), ""), (format!("p{exported}"), "P")] {
            let _ = writeln!(
                out,
                "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {name}({list}){result} {{\n    {SAFETY}\n    unsafe {{ {body}({prefix}{c}{arguments}) }}\n}}"
            );
        }
    }
    if let Some(f08) = &names.f08 {
        let generic = if has_buffer { "<D: Descriptor>" } else { "" };
        let inner = list("*const D");
        let body = format!("f08_{}", names.stem);
        let text = body_text(interface, face, procedure, function, Dialect::F08);
        let arguments = passed(&inner);
        let choice = procedure
            .parameters
            .iter()
            .filter(|p| p.kind == Kind::Choice);
        let contiguous: Vec<String> = choice
            .map(|p| format!("(*{}).is_contiguous()", name(&p.name)))
            .collect();
        let _ = writeln!(
            out,
            "#[inline(always)]\nunsafe fn {body}{generic}(call: {call}, {inner}){result} {{"
        );
        if has_buffer {
            let contiguous = contiguous.join(" && ");
            let _ = writeln!(
                out,
                "    if !({contiguous}) {{\n        return sections_{}(call{arguments});\n    }}",
                names.stem
            );
        }
        let _ = writeln!(out, "{text}}}");
        if has_buffer {
            let text = body_text(interface, face, procedure, function, Dialect::Sections);
            let _ = writeln!(
                out,
                "#[cold]\n#[inline(never)]\nunsafe fn sections_{}{generic}(call: {call}, {inner}){result} {{\n{text}}}",
                names.stem
            );
        }
        let plain = list("*const Gfortran");
        for (name, prefix) in [(&f08.name, ""), (&f08.profiling, "P")] {
            let _ = writeln!(
                out,
                "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {name}({plain}){result} {{\n    {SAFETY}\n    unsafe {{ {body}({prefix}{c}{arguments}) }}\n}}"
            );
        }
        // Strings come as descriptors, too, where buffers do.
        let mut standard = Vec::new();
        let mut arguments = String::new();
        for (argument, of) in list("*const Cfi")
            .split(", ")
            .filter_map(|a| a.split_once(": "))
        {
            let text =
                texts_of(procedure).find(|text| argument.strip_suffix("_length") == Some(text));
            if let Some(text) = text {
                arguments += &format!(", (*{text}).size()");
            } else if texts_of(procedure).any(|text| text == argument) {
                standard.push(format!("{argument}: *const Cfi"));
                arguments += &format!(", (*{argument}).start().cast()");
            } else {
                standard.push(format!("{argument}: {of}"));
                arguments += &format!(", {argument}");
            }
        }
        let standard = standard.join(", ");
        for (name, prefix) in [(&f08.cfi, ""), (&f08.cfi_profiling, "P")] {
            if has_buffer {
                let _ = writeln!(
                    out,
                    "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {name}({standard}){result} {{\n    {SAFETY}\n    unsafe {{ {body}({prefix}{c}{arguments}) }}\n}}"
                );
            }
        }
    }
}

/// The names of the strings among the parameters.
fn texts_of(procedure: &Procedure) -> impl Iterator<Item = &str> {
    let texts = procedure.parameters.iter();
    texts
        .filter(|p| matches!(p.kind, Kind::Text(_)))
        .map(|p| p.name.as_str())
}

/// A body: what comes before the call, the call, what comes after it.
fn body_text(
    interface: &Interface,
    face: Face,
    procedure: &Procedure,
    function: &Function,
    dialect: Dialect,
) -> String {
    let (mut before, mut after) = (String::new(), String::new());
    let mut arguments = Vec::new();
    let mut parts = Vec::new();
    for variable in &function.signature.parameters {
        let Some(parameter) = procedure
            .parameters
            .iter()
            .find(|p| p.name == variable.name)
        else {
            arguments.push(match variable.kind {
                Type::Int => "0".into(),
                _ => "null_mut()".into(),
            });
            continue;
        };
        let name = name(&parameter.name);
        let text = match (&parameter.kind, dialect) {
            (Kind::Choice, Dialect::F08) => match is_attached(procedure) {
                true => format!("f08::attached((*{name}).start())"),
                false => format!("f08::start((*{name}).start())"),
            },
            (Kind::Choice, Dialect::Sections) => {
                let part = part_of(procedure, parameter);
                let (count, datatype) = match &part {
                    Part::Typed { count, datatype } | Part::Copied(Some((count, datatype))) => {
                        (format!("*{count} as i64"), format!("*{datatype}"))
                    }
                    _ => ("0".into(), "NO_TYPE".into()),
                };
                let _ = writeln!(
                    before,
                    "    let {name} = f08::buffer({name}, {count}, {datatype}, {});",
                    part.how(procedure, parameter)
                );
                parts.push((name.clone(), part));
                match is_attached(procedure) {
                    true => format!("f08::attached({name}.start)"),
                    false => format!("{name}.start"),
                }
            }
            (Kind::Choice, Dialect::Header) if is_attached(procedure) => {
                format!("header::attached({name})")
            }
            (Kind::Choice, Dialect::Header) => format!("header::buffer({name})"),
            _ if face == Face::Openmpi && is_other_in_openmpi(parameter) => {
                foreign(procedure, parameter, variable, &mut before, &mut after)
            }
            _ => plain(
                interface,
                parameter,
                variable,
                dialect,
                &mut before,
                &mut after,
            ),
        };
        arguments.push(text);
    }
    // What the parts of a section are counted by takes the place of the caller's count and type.
    for (buffer, part) in &parts {
        if let Part::Typed { count, datatype } = part {
            for (replaced, field) in [(count, "count"), (datatype, "datatype")] {
                let at = function
                    .signature
                    .parameters
                    .iter()
                    .position(|p| p.name == *replaced)
                    .expect("a parameter");
                let cast = if field == "count" { " as _" } else { "" };
                arguments[at] = format!("{buffer}.{field}{cast}");
            }
        }
    }
    let arguments = arguments.join(", ");
    let mut text = before;
    match procedure.outcome {
        Outcome::Code | Outcome::Nothing => {
            match parts.is_empty() {
                true => {
                    let _ = writeln!(
                        text,
                        "    {SAFETY}\n    let code = unsafe {{ call({arguments}) }};"
                    );
                }
                false => {
                    let refused: Vec<String> = parts
                        .iter()
                        .map(|(name, _)| format!("{name}.refused()"))
                        .collect();
                    let object = object(procedure);
                    let _ = writeln!(
                        text,
                        "    let code = match {} {{",
                        refused.join(".or(") + &")".repeat(refused.len() - 1)
                    );
                    let _ = writeln!(
                        text,
                        "        Some(why) => f08::refuse(c\"{}\", why, {object}),",
                        function.name
                    );
                    let _ = writeln!(
                        text,
                        "        {SAFETY}\n        None => unsafe {{ call({arguments}) }},\n    }};"
                    );
                    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
                    let _ = match goes_on(&procedure.name) {
                        true => writeln!(
                            text,
                            "    finish_with([{}], code, request);",
                            names.join(", ")
                        ),
                        false => writeln!(text, "    {}.finish();", names.join(".finish();\n    ")),
                    };
                }
            }
            text += &after;
            if procedure.outcome == Outcome::Code {
                let _ = writeln!(text, "    {}::give(ierror, code);", dialect.module());
            }
        }
        Outcome::Double | Outcome::Address => {
            let _ = writeln!(text, "    {SAFETY}\n    unsafe {{ call({arguments}) }}");
        }
    }
    text
}

/// Whether a buffer may be `MPI_BUFFER_AUTOMATIC`.
fn is_attached(procedure: &Procedure) -> bool {
    procedure.name.to_lowercase().contains("attach_buffer") || procedure.name == "MPI_Buffer_attach"
}

/// The object whose error handler an error is for: which kind, and the handle.
fn object(procedure: &Procedure) -> String {
    let objects = [
        ("MPI_Comm", "Comm"),
        ("MPI_Win", "Win"),
        ("MPI_File", "File"),
    ];
    let found = procedure.parameters.iter().find_map(|p| {
        let (_, kind) = objects
            .iter()
            .find(|(handle, _)| p.kind == Kind::Handle((*handle).into()))?;
        (p.intent == Intent::In).then(|| format!("Object::{kind}(*{})", name(&p.name)))
    });
    found.unwrap_or("Object::None".into())
}

/// The handles that programs refer to by the variables in which their compiler has put the constants of `mpi_f08`.
fn constants(out: &mut String, constants: &[Constant]) {
    for Constant {
        name, kind, value, ..
    } in constants
    {
        let (Type::Named(_), true) = (kind, name.starts_with("MPI_")) else {
            continue;
        };
        let value = match value {
            Value::Same(other) => constants
                .iter()
                .find(|constant| constant.name == *other)
                .map(|same| &same.value),
            value => Some(value),
        };
        let Some(Value::Decimal(number) | Value::Hexadecimal(number)) = value else {
            continue;
        };
        let number = *number as i32;
        for symbol in names::of_constant(name) {
            let _ = writeln!(
                out,
                "#[unsafe(no_mangle)]\npub static {symbol}: c_int = {number};"
            );
        }
    }
}
