//! One program with parts in C, C++ and Fortran, which hand each other MPI's objects: that of `programs/languages`, begun in any of
//! them and linked by any of the three compilers.

use super::programs::{runs, runs_on_mpich};
use super::{MPICH_LIBRARY, have_gfortran, source, tool};
use crate::support::{prefix, run};
use harness::needs::{need, need_file};
use harness::scratch::Scratch;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The parts, in an order in which their modules are there when they are needed.
const PARTS: [&str; 4] = ["in_c.c", "in_cxx.cpp", "interfaces.f90", "in_fortran.f90"];

/// The compiler of a source.
fn compiler(file: &str) -> Command {
    let (name, options): (_, &[&str]) = match file.rsplit_once('.') {
        Some((_, "c")) => ("mpicc", &["-std=gnu11", "-Wextra"]),
        Some((_, "cpp")) => ("mpicxx", &["-std=c++17", "-Wextra"]),
        _ => ("mpifort", &[]),
    };
    let mut compiler = tool(prefix(), name);
    compiler.args(["-O1", "-Wall", "-Werror"]).args(options);
    compiler
}

fn object(folder: &Path, file: &str) -> PathBuf {
    let object = folder.join(file).with_extension("o");
    let source = source(&format!("languages/{file}"));
    let mut compiler = compiler(file);
    run(compiler
        .current_dir(folder)
        .arg("-c")
        .arg(source)
        .arg("-o")
        .arg(&object));
    object
}

/// What the compilers of the other languages link, as `mpifort` and `mpicxx` say it themselves.
fn libraries(of: &str) -> Vec<String> {
    let said = run(tool(prefix(), of).arg("-showme:link"));
    shlex::split(&said).expect("it can be given to a shell")
}

/// The program that begins in `main`, linked by the compiler of that language.
fn program(folder: &Path, parts: &[PathBuf], main: &str) -> PathBuf {
    let program = folder.join(main.replace('.', "_"));
    let mut link = compiler(main);
    link.arg(object(folder, main)).args(parts);
    if !main.ends_with("cpp") {
        link.args(libraries("mpicxx")).arg("-lstdc++");
    }
    if !main.ends_with("f90") {
        link.args(libraries("mpifort")).args(["-lgfortran", "-lm"]);
    }
    run(link.arg("-o").arg(&program));
    program
}

#[test]
fn of_three_languages() {
    if !have_gfortran() || !need("g++", "g++") {
        return;
    }
    let folder = Scratch::new("languages");
    let parts = PARTS.map(|part| object(&folder, part));
    for main in ["main.c", "main.cpp", "main.f90"] {
        runs(prefix(), &program(&folder, &parts, main));
    }
    if need_file(Path::new(MPICH_LIBRARY), "libmpich12") && need("mpiexec.mpich", "mpich") {
        runs_on_mpich(&folder.join("main_f90"), &folder);
    }
}
