//! Programs in Fortran that are compiled with Debian's `mpifort.openmpi`. The names of Open MPI's libraries for them are in
//! `tests/fortran_calls/openmpi`.

use crate::compiler::{have_program, run, scratch};
use crate::{have_library, library_folder, support};
use harness::job;
use std::path::{Path, PathBuf};

/// Builds a program of `tests/fortran`, if the compiler is there. Open MPI 4's libraries lack a procedure that its module declares:
/// the lines with its name are left out.
fn build(name: &str, lacking: &[&str]) -> Option<PathBuf> {
    build_with(&[], name, lacking)
}

fn build_with(arguments: &[&str], name: &str, lacking: &[&str]) -> Option<PathBuf> {
    let test = "programs of mpifort.openmpi";
    if !have_program("mpifort.openmpi", test)
        || !have_program("gfortran", test)
        || !have_library(test)
    {
        return None;
    }
    let source = support::repository().join(format!("tests/fortran/{name}.f90"));
    let text = std::fs::read_to_string(source).expect("the program can be read");
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !lacking.iter().any(|word| line.contains(word)))
        .collect();
    // Its modules are its own.
    let folder = scratch().join(format!("{name}.fortran"));
    std::fs::create_dir_all(&folder).expect("a scratch folder can be written");
    let (source, program) = (folder.join("program.f90"), folder.join(name));
    std::fs::write(&source, kept.join("\n")).expect("a scratch folder can be written");
    let [source, program_path, folder] = [&source, &program, &folder].map(|p| p.to_string_lossy());
    let mut words = vec!["-w", "-fallow-argument-mismatch", &source, "-J", &folder];
    words.extend(["-o", &program_path]);
    words.extend(arguments);
    let output = run("mpifort.openmpi", &words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    Some(program)
}

/// Runs it silently, with all names bound at its start.
fn silent(program: &Path) {
    let name = program.file_name().expect("a name").to_string_lossy();
    for ranks in [1, 2, 4] {
        let mut command = support::command(support::prefix().join("bin/mpiexec"));
        command.env("LD_BIND_NOW", "1");
        command.args(["-n", &ranks.to_string()]).arg(program);
        let ended = job::run(command, &scratch(), &format!("{name}.n{ranks}"), 60);
        let ended = ended.unwrap_or_else(|why| panic!("{name}: {why}"));
        let silent = ended.stdout.is_empty() && ended.stderr.is_empty();
        assert!(
            ended.status == 0 && silent,
            "{name}, {ranks} ranks: {}",
            ended.report()
        );
    }
}

fn program(name: &str, lacking: &[&str]) {
    if let Some(program) = build(name, lacking) {
        silent(&program);
    }
}

#[test]
fn mpif_h_of_openmpi() {
    program("mpif_h", &[]);
}

#[test]
fn use_mpi_of_openmpi() {
    program("use_mpi", &[]);
}

#[test]
fn use_mpi_f08_of_openmpi() {
    program("use_mpi_f08", &["MPI_Status_f082f", "'status_f082f'"]);
}

/// Handles in arrays, which have other sizes in both languages; more of them than have room without memory of their own.
#[test]
fn arrays_of_handles() {
    program("handles", &[]);
}

/// Open MPI 4 has no sessions: the program is linked with our libraries, which have.
#[test]
fn what_error_handlers_are_given() {
    let libraries = ["libmpi_mpifh.so.40", "libmpi.so.40"].map(|name| library_folder().join(name));
    let [fortran, c] = libraries
        .each_ref()
        .map(|library| library.to_string_lossy());
    if let Some(program) = build_with(&[&fortran, &c], "errhandlers", &[]) {
        silent(&program);
    }
}

/// A program needs no library of Open MPI's.
#[test]
fn no_library_of_openmpi_is_loaded() {
    let Some(program) = build("handles", &[]) else {
        return;
    };
    let libraries = support::prefix().join("lib/rmashm");
    let mut ldd = support::command("ldd");
    let output = ldd.env("LD_LIBRARY_PATH", &libraries).arg(program).output();
    let said = String::from_utf8(output.expect("ldd runs").stdout).expect("names are ASCII");
    let of_mpi = |line: &&str| line.contains("mpi") || line.contains("open-");
    let of_mpi: Vec<&str> = said.lines().filter(of_mpi).collect();
    assert!(of_mpi.len() >= 2, "{said}");
    for line in of_mpi {
        assert!(line.contains(&*libraries.to_string_lossy()), "{line}");
    }
}
