//! Prints the module `mpi`: interfaces that check all arguments but choice buffers.

use super::constants::{Kind as Constant, constants};
use super::declarations::{Body, body, declaration, same_type};
use super::text::statement;
use super::{fill, procedures};
use crate::fortran::{Intent, Kind, Parameter, Procedure};
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
            let is_pointer = |p: &Parameter| p.kind == Kind::Pointer;
            // What the program hands to MPI, as MPI_CONVERSION_FN_NULL, has its memory as buffers.
            let generic =
                procedure.function.is_some() && procedure.parameters.iter().any(is_pointer);
            if !generic {
                out += "  interface\n";
                print_body(&mut out, &with_memory_as(Memory::Buffer, &name, &procedure));
                out += "  end interface\n";
                continue;
            }
            let _ = writeln!(out, "  interface {name}");
            print_body(
                &mut out,
                &with_memory_as(Memory::Integer, &name, &procedure),
            );
            // With a pointer of C: a specific with a name of its own (MPI 4.1 §19.1.3), which is the same in memory, and so the
            // same procedure.
            let specific = format!("{name}_CPTR");
            let specific = with_memory_as(Memory::Pointer, &specific, &procedure);
            let head = format!("{} SAME_AS(\"{}_\")", specific.head, name.to_lowercase());
            print_body(&mut out, &Body { head, ..specific });
            let _ = writeln!(out, "  end interface {name}");
        }
    }
    out
}

fn print_body(out: &mut String, body: &Body) {
    statement(out, 4, &body.head);
    out.push_str("      import\n");
    for line in &body.declarations {
        statement(out, 6, line);
    }
    statement(out, 4, &body.end);
}

/// What a parameter is that is a pointer in C.
#[derive(Clone, Copy)]
enum Memory {
    Buffer,
    Integer,
    Pointer,
}

fn with_memory_as(memory: Memory, name: &str, procedure: &Procedure) -> Body {
    let declare = |parameter: &Parameter| {
        let mut parameter = parameter.clone();
        if procedure.function.is_none() {
            // The same as a procedure of the program's own, where the standard says nothing of INTENT.
            parameter.intent = Intent::Unsaid;
        }
        declare(&parameter, memory)
    };
    body(name, procedure, "integer, intent(out)", declare)
}

fn declare(parameter: &Parameter, memory: Memory) -> Vec<String> {
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
        Kind::Pointer => match memory {
            Memory::Buffer => return choice(name),
            Memory::Integer => "integer(kind=MPI_ADDRESS_KIND)".to_owned(),
            Memory::Pointer => "type(c_ptr)".to_owned(),
        },
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
