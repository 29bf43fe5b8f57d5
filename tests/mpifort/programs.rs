//! Programs compiled by `mpifort`, run by our `mpiexec`, and the same executables with MPICH's libraries by MPICH's.

use super::{MPICH_LIBRARY, have_gfortran, source, tool};
use crate::support::{command, prefix, run};
use harness::needs::{need, need_file};
use harness::scratch::Scratch;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Compiles a program with a compiler's name or without.
pub fn compile(prefix: &Path, folder: &Path, file: &str, compiler: Option<&str>) -> PathBuf {
    let named = compiler.map(|name| format!("-fc={name}"));
    let options: Vec<&str> = named.iter().map(String::as_str).collect();
    compile_with(prefix, folder, file, &options)
}

/// The same with any options.
fn compile_with(prefix: &Path, folder: &Path, file: &str, options: &[&str]) -> PathBuf {
    let program = folder.join(file.replace('.', "_"));
    let mut mpifort = tool(prefix, "mpifort");
    mpifort.args(options);
    // What it makes of modules of the program's own lies where it runs.
    mpifort.current_dir(folder).arg("-w").arg(source(file));
    run(mpifort.arg("-o").arg(&program));
    program
}

/// Runs it at several numbers of ranks, with all names bound at the start. It says nothing when all is right.
pub fn runs(prefix: &Path, program: &Path) {
    for ranks in ["1", "2", "4"] {
        let mut mpiexec = tool(prefix, "mpiexec");
        mpiexec.env("LD_BIND_NOW", "1").args(["-n", ranks]);
        // What it writes lies beside it.
        mpiexec.current_dir(program.parent().expect("it lies in a folder"));
        let said = run(mpiexec.arg(program));
        assert_eq!(said, "", "{} on {ranks} ranks", program.display());
    }
}

fn program(file: &str) {
    if have_gfortran() {
        let folder = Scratch::new("mpifort");
        runs(prefix(), &compile(prefix(), &folder, file, None));
    }
}

/// The promise of the names: the executable finds MPICH's libraries under those that it has recorded.
fn program_on_mpich(file: &str) {
    let library = Path::new(MPICH_LIBRARY);
    if !have_gfortran() || !need_file(library, "libmpich12") || !need("mpiexec.mpich", "mpich") {
        return;
    }
    let folder = Scratch::new("mpifort-mpich");
    let program = compile(prefix(), &folder, file, None);
    runs_on_mpich(&program, &folder);
}

/// Runs it with MPICH's libraries alone.
pub fn runs_on_mpich(program: &Path, folder: &Path) {
    let library = Path::new(MPICH_LIBRARY);
    let other = folder.join("other");
    std::fs::create_dir_all(&other).unwrap();
    for (recorded, debians) in [
        ("libmpi.so.12", "libmpich.so.12"),
        ("libmpicxx.so.12", "libmpichcxx.so.12"),
        ("libmpifort.so.12", "libmpichfort.so.12"),
    ] {
        symlink(library.with_file_name(debians), other.join(recorded)).unwrap();
    }
    let mut traced = command(program);
    traced.env("LD_LIBRARY_PATH", &other);
    let trace = run(traced.env("LD_TRACE_LOADED_OBJECTS", "1"));
    let ours = prefix().display().to_string();
    assert!(!trace.contains(&ours), "{trace}");
    let mut mpiexec = command("mpiexec.mpich");
    mpiexec.current_dir(folder).env("LD_LIBRARY_PATH", &other);
    let said = run(mpiexec.args(["-n", "2"]).arg(program));
    assert_eq!(said, "", "{}", program.display());
}

macro_rules! programs {
    ($($test:ident: $file:literal $(, $on_mpich:ident)?;)*) => {
        $(
            #[test]
            fn $test() {
                program($file);
            }
            $(
                #[test]
                fn $on_mpich() {
                    program_on_mpich($file);
                }
            )?
        )*
    };
}

programs! {
    fixed_form: "fixed_form.f", fixed_form_on_mpich;
    free_form: "mpif_h.f90", free_form_on_mpich;
    use_mpi: "use_mpi.f90", use_mpi_on_mpich;
    memory: "memory.f90", memory_on_mpich;
    use_mpi_f08: "use_mpi_f08.f90", use_mpi_f08_on_mpich;
    types: "types.f90", types_on_mpich;
    // MPICH 4.0 takes a block of a block for one without gaps: it describes another section than the program's.
    sections: "sections.f90";
    // MPICH 4.0 does not give derived datatypes back, nor sums.
    sections_in_messages: "sections_messages.f90";
    sections_in_collectives: "sections_collectives.f90";
    sections_in_windows_and_files: "sections_windows.f90";
}

#[test]
fn sections_of_threads() {
    if !have_gfortran() {
        return;
    }
    let folder = Scratch::new("threads_of_sections");
    let program = compile_with(prefix(), &folder, "sections_threads.f90", &["-fopenmp"]);
    runs(prefix(), &program);
}

#[test]
fn sections_when_a_rank_dies() {
    if !have_gfortran() {
        return;
    }
    let folder = Scratch::new("death");
    let program = compile(prefix(), &folder, "sections_death.f90", None);
    let mut mpiexec = tool(prefix(), "mpiexec");
    mpiexec.args(["-disable-auto-cleanup", "-n", "3"]);
    let output = mpiexec.arg(program).output().expect("mpiexec runs");
    assert_eq!(output.status.code(), Some(137), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort();
    assert_eq!(lines, ["rank 0 lives", "rank 2 lives"], "{output:?}");
}

/// Threads of OpenMP; also with Fortran's library inside the program.
#[test]
fn threads() {
    if !have_gfortran() {
        return;
    }
    for options in [&["-fopenmp"][..], &["-fopenmp", "-static-libgfortran"]] {
        let folder = Scratch::new("threads");
        let program = compile_with(prefix(), &folder, "threads.f90", options);
        runs(prefix(), &program);
    }
}

/// The demo says the same at all numbers of ranks.
#[test]
fn the_string() {
    if !have_gfortran() {
        return;
    }
    let folder = Scratch::new("string");
    let program = compile(prefix(), &folder, "string.f90", None);
    for ranks in ["1", "2", "3", "4"] {
        let mut mpiexec = tool(prefix(), "mpiexec");
        let said = run(mpiexec.args(["-n", ranks]).arg(&program));
        assert_eq!(said, "answer after 480 steps: 0.999809\n", "{ranks} ranks");
    }
}
