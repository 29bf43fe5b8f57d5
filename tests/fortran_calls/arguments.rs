//! The arguments of a call, in C and in Fortran, and what prepares them. A sentinel may take the place of some.

use crate::calls::Form;
use generator::fortran::{Intent, Kind, Parameter, Procedure};
use generator::model::{Type, Variable};
use std::fmt::Write;

/// What is at the end of pointers.
fn value(kind: &Type) -> &Type {
    match kind {
        Type::Pointer { to, .. } => value(to),
        kind => kind,
    }
}

pub fn by_value(variable: &Variable) -> bool {
    !matches!(variable.kind, Type::Pointer { .. } | Type::Callback(_))
}

pub fn is_constant(variable: &Variable) -> bool {
    matches!(variable.kind, Type::Pointer { constant: true, .. })
}

/// The function that turns a kind of handle into Fortran's.
pub fn in_integer(handle: &str) -> String {
    format!("{}_c2f", handle.replace("Datatype", "Type"))
}

/// What an integer argument has: another number for each, so that sentences tell them apart. An epoch begins as it does without
/// assertions; a truth is as gfortran has it.
fn number(at: usize, parameter: &Parameter) -> String {
    match (&parameter.kind, parameter.name.as_str()) {
        (Kind::Logical, _) => "1".into(),
        (_, "assert") => "0".into(),
        (_, "root") => "root".into(),
        _ => format!("{}", 11 + at),
    }
}

/// The sentinel that may take an argument's place, beside those of choice buffers: a variable of the program.
fn sentinel(parameter: &Parameter) -> Option<&'static str> {
    Some(match (&parameter.kind, parameter.name.as_str()) {
        (Kind::Status, _) if parameter.shape.is_empty() => "in_place_of_status",
        (Kind::Status, _) => "in_place_of_statuses",
        (Kind::Integer, "array_of_errcodes") => "in_place_of_errcodes",
        (Kind::Integer, name) if name.ends_with("weights") => "in_place_of_weights",
        (Kind::Text(_), "argv") => "in_place_of_argv",
        (Kind::Text(_), "array_of_argv") => "in_place_of_argvs",
        _ => return None,
    })
}

/// How many choice buffers are before a parameter.
fn buffers_before(procedure: &Procedure, parameter: &Parameter) -> usize {
    let before = procedure.parameters.iter();
    let before = before.take_while(|p| p.name != parameter.name);
    before.filter(|p| p.kind == Kind::Choice).count()
}

/// The objects that an argument is: those that may change are none.
fn objects(handle: &str, variable: &Variable) -> String {
    match by_value(variable) || is_constant(variable) {
        true => format!("object.{handle}"),
        false => format!("no_object.{handle}"),
    }
}

/// The argument of C for parameter `at`, and what prepares it.
pub fn of_c(
    procedure: &Procedure,
    at: usize,
    parameter: &Parameter,
    variable: &Variable,
    prepared: &mut String,
) -> String {
    let argument = in_c(procedure, at, parameter, variable, prepared);
    match sentinel(parameter) {
        Some(sentinel) => format!("in_c({sentinel}, {argument})"),
        None => argument,
    }
}

fn in_c(
    procedure: &Procedure,
    at: usize,
    parameter: &Parameter,
    variable: &Variable,
    prepared: &mut String,
) -> String {
    match &parameter.kind {
        Kind::Callback(interface) => return format!("({interface} *)nothing"),
        Kind::Choice => {
            let which = buffers_before(procedure, parameter);
            return format!("in_c(of_buffer({which}), buffers[{which}])");
        }
        Kind::Status => return "statuses".into(),
        Kind::Handle(handle) if by_value(variable) => return objects(handle, variable),
        Kind::Handle(handle) => {
            let _ = writeln!(
                prepared,
                "    for (int i = 0; i < ELEMENTS; i++) (({handle} *)handles[{at}])[i] = {};",
                objects(handle, variable)
            );
            return format!("({handle} *)handles[{at}]");
        }
        Kind::Text(_) if matches!(&variable.kind, Type::Pointer { to, .. } if matches!(**to, Type::Pointer { .. })) =>
        {
            let _ = writeln!(
                prepared,
                "    for (int i = 0; i < ELEMENTS; i++) handles[{at}][i] = text;"
            );
            return format!("(void *)handles[{at}]");
        }
        Kind::Text(_) if parameter.intent == Intent::In => return "text".into(),
        Kind::Text(_) => return "given_text".into(),
        _ => {}
    }
    if by_value(variable) {
        let number = number(at, parameter);
        return match variable.kind {
            Type::Int => number,
            _ => format!("(long){number}"),
        };
    }
    if parameter.kind == Kind::Logical && parameter.intent == Intent::In {
        truths(at, prepared);
    }
    match value(&variable.kind) {
        Type::Int => format!("(void *)ints[{at}]"),
        _ if parameter.kind == Kind::Logical => format!("(void *)ints[{at}]"),
        _ => format!("(void *)longs[{at}]"),
    }
}

fn truths(at: usize, prepared: &mut String) {
    let _ = writeln!(
        prepared,
        "    for (int i = 0; i < ELEMENTS; i++) ints[{at}][i] = 1;"
    );
}

/// The argument of Fortran, and what prepares it.
pub fn of_fortran(
    procedure: &Procedure,
    at: usize,
    parameter: &Parameter,
    variable: &Variable,
    form: Form,
    prepared: &mut String,
) -> String {
    let argument = in_fortran(procedure, at, parameter, variable, form, prepared);
    match sentinel(parameter) {
        Some(sentinel) => match form {
            Form::Address => format!("in_header({sentinel}, {argument})"),
            _ => format!("in_f08({sentinel}, {argument})"),
        },
        None => argument,
    }
}

fn in_fortran(
    procedure: &Procedure,
    at: usize,
    parameter: &Parameter,
    variable: &Variable,
    form: Form,
    prepared: &mut String,
) -> String {
    match &parameter.kind {
        Kind::Choice => {
            let which = buffers_before(procedure, parameter);
            match form {
                Form::Address => format!("in_header(of_buffer({which}), buffers[{which}])"),
                Form::Gfortran => format!("&gfortran[{which}]"),
                Form::Cfi => format!("&cfi[{which}]"),
            }
        }
        Kind::Callback(_) => "(void *)nothing".into(),
        Kind::Status => "statuses".into(),
        Kind::Text(_) => match (parameter.intent == Intent::In, form) {
            (true, Form::Cfi) => "&cfi_words".into(),
            (true, _) => "words".into(),
            (false, Form::Cfi) => "&cfi_given".into(),
            (false, _) => "given_text".into(),
        },
        Kind::Handle(handle) => {
            let _ = writeln!(
                prepared,
                "    for (int i = 0; i < ELEMENTS; i++) ints[{at}][i] = {}({});",
                in_integer(handle),
                objects(handle, variable)
            );
            format!("ints[{at}]")
        }
        Kind::Address | Kind::Count | Kind::Offset | Kind::Attribute | Kind::ExtraState => {
            if by_value(variable) {
                let number = number(at, parameter);
                let _ = writeln!(prepared, "    longs[{at}][0] = {number};");
            }
            format!("longs[{at}]")
        }
        Kind::Logical if parameter.intent == Intent::In && !by_value(variable) => {
            truths(at, prepared);
            format!("ints[{at}]")
        }
        Kind::Integer
        | Kind::Index
        | Kind::Logical
        | Kind::OldAddress
        | Kind::OldAttribute
        | Kind::OldExtraState => {
            if by_value(variable) {
                let number = number(at, parameter);
                let _ = writeln!(prepared, "    ints[{at}][0] = {number};");
            }
            format!("ints[{at}]")
        }
        _ => "(void *)longs[63]".into(),
    }
}
