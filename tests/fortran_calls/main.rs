//! Every procedure of Fortran is called, under each of its names, with the arguments of a call of C's function; and says the same.
//!
//! The programs are printed here, in C: Fortran's arguments are addresses, and descriptors are made by hand. Most calls are errors:
//! it is the sentence of the error, which names argument and value, that must be the same, and what a call gives that succeeds.

#[path = "../support/mod.rs"]
mod support;

mod arguments;
mod calls;
mod mpich;
mod openmpi;
mod said;

use generator::model::{Face, Function, Interface};
use support::repository;

fn interface(face: Face) -> Interface {
    let (values, functions) = (repository().join("src/mpi"), repository().join("src/abi"));
    generator::read::interface(&values, &functions, face).expect("the sources can be read")
}

/// The function of C that a procedure stands for.
fn function<'i>(interface: &'i Interface, name: &Option<String>) -> Option<&'i Function> {
    let mut functions = interface.functions.iter();
    functions.find(|function| Some(&function.name) == name.as_ref())
}

const FRAME: &str = include_str!("frame.c");

/// One call of the program: what calls, and the name of the procedure.
struct Call {
    caller: String,
    name: String,
}

/// A table of calls. A procedure is referred to by a name of its own, as C has some of the names for other things.
fn table(name: &str, calls: &[Call]) -> String {
    let (mut declarations, mut rows) = (String::new(), String::new());
    for (
        at,
        Call {
            caller,
            name: called,
        },
    ) in calls.iter().enumerate()
    {
        declarations += &format!("extern procedure {name}{at} __asm__(\"{called}\");\n");
        rows += &format!("    {{ {caller}, \"{called}\", {name}{at} }},\n");
    }
    format!("{declarations}static const struct call {name}[] = {{\n{rows}    {{ NULL }},\n}};\n")
}
