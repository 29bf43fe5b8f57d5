//! Procedures by the names of `libmpifort.so.12`, for programs of this library and of MPICH.

use crate::calls::{self, Form};
use crate::said::Said;
use crate::support::{command, prefix, run};
use crate::{Call, FRAME, function, interface, table};
use generator::fortran::names::Names;
use generator::fortran::{Kind, Outcome, Procedure, procedures};
use generator::model::Face;
use harness::job;
use harness::needs::need;
use harness::scratch::Scratch;

/// Functions that cannot be called twice, or after which nothing else can be.
const NOT_HERE: [(&str, &str); 5] = [
    ("MPI_Abort", "ends the program"),
    ("MPI_Finalize", "called once, at the end"),
    ("MPI_Init", "called once, at the beginning"),
    ("MPI_Init_thread", "called by the programs of MPICH's suite"),
    ("MPIX_Comm_revoke", "what is revoked stays so"),
];

/// The names of a procedure, and how each takes buffers.
fn names(procedure: &Procedure) -> Vec<(String, Form)> {
    let names = Names::of(procedure, Face::Mpich);
    let mut all = Vec::new();
    if let Some(header) = &names.header {
        let stem = header.trim_end_matches('_');
        let spellings = [header.clone(), stem.into(), format!("{stem}__")];
        for name in spellings {
            all.extend([(format!("p{name}"), Form::Address), (name, Form::Address)]);
        }
        let capitals = stem.to_uppercase();
        all.extend([
            (format!("P{capitals}"), Form::Address),
            (capitals, Form::Address),
        ]);
    }
    if let Some(f08) = names.f08 {
        all.extend([f08.name, f08.profiling].map(|name| (name, Form::Gfortran)));
        if procedure.parameters.iter().any(|p| p.kind == Kind::Choice) {
            all.extend([f08.cfi, f08.cfi_profiling].map(|name| (name, Form::Cfi)));
        }
    }
    all
}

#[test]
fn every_procedure_says_what_the_function_of_c_says() {
    if !need("gcc", "gcc") {
        return;
    }
    let interface = interface(Face::Mpich);
    let (mut program, mut all) = (String::from(FRAME), Vec::new());
    let mut procedures_called = 0;
    for procedure in procedures(&interface) {
        let Some(function) = function(&interface, &procedure.function) else {
            continue;
        };
        let is_here = NOT_HERE.iter().all(|(name, _)| *name != procedure.name);
        if procedure.outcome != Outcome::Code || !is_here {
            continue;
        }
        let names = names(&procedure);
        for form in [Form::Address, Form::Gfortran, Form::Cfi] {
            if names.iter().any(|(_, of)| *of == form) {
                program += &calls::print(&procedure, function, &function.name, form);
            }
        }
        all.extend(names.into_iter().map(|(name, form)| Call {
            caller: calls::caller(&function.name, form),
            name,
        }));
        procedures_called += 1;
    }
    assert!(
        procedures_called > 550,
        "only {procedures_called} procedures are called"
    );
    program += &table("calls", &all);
    program += include_str!("frame.c");
    let folder = Scratch::new("fortran-calls");
    let source = folder.write("calls.c", &program);
    let (executable, lines) = (folder.file("calls"), folder.file("lines"));
    run(command(prefix().join("bin/mpicc"))
        .args(["-w", "-std=gnu11", "-O0", "-o", &executable, &source, "-L"])
        .arg(prefix().join("lib"))
        .arg("-lmpifort"));
    let mut mpiexec = command(prefix().join("bin/mpiexec"));
    mpiexec.args(["-n", "1", &executable, &lines, &folder.file("data")]);
    let ended = job::run(mpiexec, &folder, "calls", 60).unwrap_or_else(|why| panic!("{why}"));
    let silent = ended.stdout.is_empty() && ended.stderr.is_empty();
    assert!(ended.status == 0 && silent, "{}", ended.report());
    let said = Said::read(&folder.read("lines"));
    assert_eq!(said.called().len(), all.len());
    said.must_be_alike();
}
