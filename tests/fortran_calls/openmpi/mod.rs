//! Procedures by the names that Debian's Open MPI 4.1 has in its libraries for `mpif.h`, `mpi` and `mpi_f08`. Those libraries tell
//! what is called: a procedure that is newer has no name that a program of theirs asks for.

mod constants;
mod names;

use crate::calls::{self, Form};
use crate::said::Said;
use crate::support::{command, prefix, run};
use crate::{Call, FRAME, function, interface, table};
use generator::fortran::{Outcome, Procedure, procedures};
use generator::model::{Face, Interface};
use harness::job;
use harness::needs::need;
use harness::scratch::Scratch;
use names::{DEBIANS, LIBRARIES};
use std::collections::BTreeMap;
use std::path::Path;

/// What begins and ends MPI, and is called in processes of its own.
const ALONE: [&str; 4] = ["MPI_Abort", "MPI_Finalize", "MPI_Init", "MPI_Init_thread"];

/// The program: what calls the names, and the tables of them.
struct Program<'i> {
    interface: &'i Interface,
    /// By their names in small letters.
    procedures: BTreeMap<String, Procedure>,
    /// What is printed for procedures, by the name of C's function. `frame.c` has the others.
    printed: BTreeMap<String, String>,
    alone: Vec<Call>,
    calls: Vec<Call>,
    constants: constants::Table<'i>,
}

impl<'i> Program<'i> {
    fn new(interface: &'i Interface) -> Program<'i> {
        // There is none for large counts.
        let procedures = procedures(interface).into_iter().filter(|p| !p.large);
        Program {
            interface,
            procedures: procedures.map(|p| (p.name.to_lowercase(), p)).collect(),
            printed: BTreeMap::new(),
            alone: Vec::new(),
            calls: Vec::new(),
            constants: constants::Table::new(
                interface,
                &Path::new(DEBIANS).join("openmpi/include"),
            ),
        }
    }

    /// Adds what a name is of. `None`: it is of nothing that is known.
    fn add(&mut self, name: &str, is_code: bool) -> Option<()> {
        if !is_code {
            return self.constants.add(name);
        }
        let (caller, is_alone) = match names::size(name) {
            Some(size) => (format!("size_{size}"), false),
            None if name.ends_with("_op_eq") => ("equal".into(), false),
            None if name.ends_with("_op_ne") => ("unequal".into(), false),
            None => self.caller(&names::stem(name)?)?,
        };
        let list = if is_alone {
            &mut self.alone
        } else {
            &mut self.calls
        };
        list.push(Call {
            caller,
            name: name.into(),
        });
        Some(())
    }

    /// What calls the procedure `stem`, and whether it does so in a process of its own.
    fn caller(&mut self, stem: &str) -> Option<(String, bool)> {
        let procedure = self.procedures.get(&stem.replacen("mpix_", "mpi_", 1))?;
        let called = match stem.starts_with("mpix_") {
            true => procedure.name.replacen("MPI_", "MPIX_", 1),
            false => procedure.name.clone(),
        };
        let is_alone = ALONE.contains(&&*procedure.name);
        let function = function(self.interface, &procedure.function)
            .filter(|_| procedure.outcome == Outcome::Code && !is_alone);
        let Some(function) = function else {
            return Some((format!("{called}_called"), is_alone));
        };
        let caller = calls::caller(&called, Form::Address);
        let print = || calls::print(procedure, function, &called, Form::Address);
        self.printed.entry(called.clone()).or_insert_with(print);
        Some((caller, false))
    }

    fn text(self) -> String {
        let mut text = String::from(FRAME);
        text += include_str!("frame.c");
        text.extend(self.printed.into_values());
        text += &table("alone", &self.alone);
        text += &table("calls", &self.calls);
        text += &self.constants.text();
        text += "int main(int argc, char **argv) { run(argv[1], argv[2], alone, calls, constants); return 0; }\n";
        text
    }
}

/// The program is linked with Debian's libraries, and finds these in their place.
#[test]
fn every_name_of_openmpis_libraries_says_what_c_says() {
    if !need("mpicc.openmpi", "libopenmpi-dev") {
        return;
    }
    let Some(names) = names::asked_for() else {
        return;
    };
    let interface = interface(Face::Openmpi);
    let mut program = Program::new(&interface);
    let add = |(name, is_code): &(&String, &bool)| program.add(name, **is_code).is_none();
    let unknown: Vec<_> = names.iter().filter(add).collect();
    assert!(unknown.is_empty(), "of no procedure: {unknown:?}");

    let folder = Scratch::new("fortran-calls-openmpi");
    let source = folder.write("calls.c", &program.text());
    let (executable, lines) = (folder.file("calls"), folder.file("lines"));
    run(command("mpicc.openmpi")
        .args(["-w", "-std=gnu11", "-O0", "-o", &executable, &source])
        .arg("-Wl,--no-as-needed")
        .args(LIBRARIES.map(|(library, _)| Path::new(DEBIANS).join(library))));
    let mut command = command(&executable);
    command
        .args([&lines, &folder.file("data")])
        .env("LD_LIBRARY_PATH", prefix().join("lib/rmashm"))
        .env("LD_BIND_NOW", "1");
    let ended = job::run(command, &folder, "calls", 60).unwrap_or_else(|why| panic!("{why}"));
    let silent = ended.stdout.is_empty() && ended.stderr.is_empty();
    assert!(ended.status == 0 && silent, "{}", ended.report());

    let said = Said::read(&folder.read("lines"));
    let called = said.called();
    let uncalled: Vec<&String> = names
        .keys()
        .filter(|n| !called.contains(n.as_str()))
        .collect();
    assert!(uncalled.is_empty(), "not called: {uncalled:?}");
    let (succeeded, all) = said.successes();
    assert!(
        succeeded * 4 > all,
        "of {all} calls only {succeeded} have succeeded"
    );
    said.must_be_alike();
}
