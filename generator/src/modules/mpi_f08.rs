//! Prints the module `mpi_f08`: handles are types, choice buffers have descriptors, large counts are specifics of the same
//! generics.

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
        name => panic!("nothing in mpi_f08 is called {name}"),
    })
}

fn handles(interface: &Interface) -> String {
    let mut out = String::new();
    for constant in constants(interface) {
        if let Constant::Handle(kind) = constant.kind {
            let (name, value) = (constant.name, constant.value);
            let _ = writeln!(out, "  type({kind}), parameter :: {name} = {kind}({value})");
        }
    }
    out
}

fn interfaces(interface: &Interface) -> String {
    let mut out = String::new();
    // The callbacks that C has as constants are declared in the frame, by their abstract interfaces.
    let declared = |p: &Procedure| p.places.f08 && (p.function.is_some() || has_choice(p));
    let all = procedures(interface, declared);
    for procedure in &all {
        let mark = match all.iter().find(|p| p.name == procedure.name && !p.large) {
            Some(small) if procedure.large && !differ(small, procedure) => {
                match procedure.parameters.iter().any(is_callback) {
                    // A generic of its own (MPI 4.1 §19.2.5).
                    true => "_c",
                    // The other serves here, where an address is as large as a count.
                    false => continue,
                }
            }
            _ => "",
        };
        let name = &procedure.name;
        // MPICH has the profiled specifics under names of its own.
        let (start, rest) = name
            .split_once('_')
            .expect("all names begin with MPI_ or MPIX_");
        let profiled = format!("P{name}");
        let specific = format!("P{start}R_{rest}");
        for (generic, specific) in [(name, name), (&profiled, &specific)] {
            let symbol = generic.to_lowercase();
            let _ = writeln!(out, "  interface {generic}{mark}");
            print_specific(&mut out, specific, &symbol, procedure);
            let _ = writeln!(out, "  end interface {generic}{mark}");
        }
    }
    out
}

/// Whether a compiler can tell a call of one from a call of the other.
fn differ(small: &Procedure, large: &Procedure) -> bool {
    let mut pairs = small.parameters.iter().zip(&large.parameters);
    let wide = |kind: &Kind| matches!(kind, Kind::Address | Kind::Count | Kind::Offset);
    let differs = |(one, other): (&Parameter, &Parameter)| {
        let callbacks = is_callback(one) && is_callback(other);
        one.kind != other.kind && !callbacks && !(wide(&one.kind) && wide(&other.kind))
    };
    small.parameters.len() != large.parameters.len() || pairs.any(differs)
}

fn is_callback(parameter: &Parameter) -> bool {
    matches!(parameter.kind, Kind::Callback(_))
}

fn has_choice(procedure: &Procedure) -> bool {
    let mut parameters = procedure.parameters.iter();
    parameters.any(|parameter| parameter.kind == Kind::Choice)
}

/// The specific, under the name that it has in MPICH. Compilers have descriptors of their own: gfortran's are known to the
/// library, others are told to make those of C.
fn print_specific(out: &mut String, name: &str, symbol: &str, procedure: &Procedure) {
    let buffers = has_choice(procedure);
    let buffer_mark = if buffers { "ts" } else { "" };
    let (large_mark, c_mark) = match procedure.large {
        true => ("_large", "_c"),
        false => ("", ""),
    };
    let name = format!("{name}_f08{buffer_mark}{large_mark}");
    let Body {
        mut head,
        declarations,
        end,
    } = body(
        &name,
        procedure,
        "integer, optional, intent(out)",
        |parameter| vec![declare(parameter)],
    );
    if buffers {
        head += &format!(" WITH_DESCRIPTORS(\"rmashm_{symbol}{c_mark}_cfi\")");
    }
    statement(out, 4, &head);
    out.push_str("      import\n");
    for line in &declarations {
        statement(out, 6, line);
    }
    statement(out, 4, &end);
}

fn declare(parameter: &Parameter) -> String {
    let kind = match &parameter.kind {
        Kind::Choice => "type(*), dimension(..)".to_owned(),
        Kind::Callback(interface) => {
            return format!("procedure({interface}) :: {}", parameter.name);
        }
        Kind::Pointer | Kind::Detached => "type(c_ptr)".to_owned(),
        Kind::Handle(handle) => format!("type({handle})"),
        Kind::Status => "type(MPI_Status)".to_owned(),
        Kind::Text(length) => format!("character(len={length})"),
        same => same_type(same).expect("all other kinds are of the same type in both modules"),
    };
    declaration(&kind, parameter, parameter.asynchronous, &parameter.shape)
}
