//! Prints the module `mpi`: interfaces that check all arguments but choice buffers.

use super::constants::{Kind as Constant, constants};
use super::declarations::{Body, body, declaration, same_type};
use super::text::statement;
use super::{fill, procedures};
use crate::fortran::{Kind, Parameter, Procedure};
use crate::model::Interface;
use std::fmt::Write;

/// The module: `frame` filled in.
pub fn print(interface: &Interface, frame: &str) -> String {
    fill(frame, |name| match name {
        "handles" => handles(interface),
        "interfaces" => interfaces(interface),
        name => panic!("nothing in mpi is called {name}"),
    })
}

fn handles(interface: &Interface) -> String {
    let constants = constants(interface).into_iter();
    let handles = constants.filter(|c| matches!(c.kind, Constant::Handle(_)));
    let lines = handles.map(|c| format!("  integer, parameter :: {} = {}\n", c.name, c.value));
    lines.collect()
}

fn interfaces(interface: &Interface) -> String {
    let mut out = String::new();
    for procedure in procedures(interface, |procedure| procedure.places.mpi) {
        for letter in ["", "P"] {
            let name = format!("{letter}{}", procedure.name);
            let pointer = |p: &&Parameter| p.kind == Kind::Pointer;
            let generic = procedure.parameters.iter().find(pointer).is_some();
            let _ = writeln!(out, "  interface {}", if generic { &name } else { "" });
            print_body(&mut out, &as_integers(&name, &procedure));
            if generic {
                // With a pointer of C: a specific with a name of its own (MPI 4.1 §19.1.3), which is the same in memory, and so
                // the same procedure.
                let specific = as_pointers(&format!("{name}_CPTR"), &procedure);
                let symbol = format!("{}_", name.to_lowercase());
                let head = format!("{} bind(C, name=\"{symbol}\")", specific.head);
                print_body(&mut out, &Body { head, ..specific });
            }
            out += "  end interface\n";
        }
    }
    out.replace("interface \n", "interface\n")
}

fn print_body(out: &mut String, body: &Body) {
    statement(out, 4, &body.head);
    out.push_str("      import\n");
    for line in &body.declarations {
        statement(out, 6, line);
    }
    statement(out, 4, &body.end);
}

fn as_integers(name: &str, procedure: &Procedure) -> Body {
    body(name, procedure, "integer, intent(out)", |parameter| {
        declare(parameter, "integer(kind=MPI_ADDRESS_KIND)")
    })
}

fn as_pointers(name: &str, procedure: &Procedure) -> Body {
    body(name, procedure, "integer, intent(out)", |parameter| {
        declare(parameter, "type(c_ptr)")
    })
}

/// The declarations of a parameter; where memory begins is a `pointer`.
fn declare(parameter: &Parameter, pointer: &str) -> Vec<String> {
    let name = &parameter.name;
    let mut shape = parameter.shape.clone();
    if let Some(last) = shape.last_mut()
        && parameter.kind != Kind::IntegerStatus
    {
        *last = "*".into();
    }
    let kind = match &parameter.kind {
        Kind::Choice | Kind::Detached => return choice(name),
        Kind::Callback(_) => return vec![format!("external :: {name}")],
        Kind::Pointer => pointer.to_owned(),
        Kind::Handle(_) => "integer".to_owned(),
        Kind::Status => {
            shape.insert(0, "MPI_STATUS_SIZE".into());
            "integer".to_owned()
        }
        Kind::Text(_) => "character(len=*)".to_owned(),
        same => same_type(same).expect("all other kinds are of the same type in both modules"),
    };
    vec![declaration(&kind, parameter, false, &shape)]
}

/// A buffer of any type and rank, said to each compiler in its own words.
fn choice(name: &str) -> Vec<String> {
    vec![
        format!("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"),
        format!("!DEC$ ATTRIBUTES NO_ARG_CHECK :: {name}"),
        format!("!DIR$ IGNORE_TKR {name}"),
        format!("type(*) :: {name}(*)"),
    ]
}
