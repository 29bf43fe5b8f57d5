//! `rmashm-modules`, and what `mpifort` and `make` say where modules or compilers are missing.

use super::programs::{compile, runs};
use super::{have_gfortran, tool};
use crate::support::{command, prefix, repository, run, run_to_fail};
use harness::needs::{find_program, missing};
use harness::scratch::Scratch;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Stages a prefix of the test's own, and returns it with what was said of that. `path` has the programs.
fn stage(folder: &Scratch, path: Option<&Path>) -> (PathBuf, String) {
    let (ours, prefix) = (prefix(), folder.join("prefix"));
    let mut stage = command("/bin/sh");
    stage.arg(repository().join("tools/stage"));
    for part in ["lib", "bin", "include"] {
        stage.arg(ours.join(part));
    }
    stage.arg(&prefix).envs(path.map(|path| ("PATH", path)));
    let output = stage.output().expect("a shell runs");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{said}");
    (prefix, said)
}

/// A compiler that says what it is, and otherwise ends with `status`.
fn compiler(folder: &Scratch, says: &str, status: i32) -> PathBuf {
    let script =
        format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{says}' && exit 0\nexit {status}\n");
    let path = PathBuf::from(folder.write("a-compiler", &script));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_missing_compiler_is_said_in_one_line() {
    let folder = Scratch::new("no-compiler");
    // All that tools/stage calls, and no compiler.
    let bin = folder.join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in [
        "dirname", "head", "install", "ln", "mkdir", "rm", "sed", "sh",
    ] {
        let program = find_program(name).unwrap_or_else(|| panic!("there is no {name}"));
        symlink(program, bin.join(name)).unwrap();
    }
    let (prefix, said) = stage(&folder, Some(&bin));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("no Fortran compiler") && said.contains("apt-get install gfortran"),
        "{said}"
    );
    for file in ["bin/mpifort", "include/mpif.h", "lib/pkgconfig/mpi-fort.pc"] {
        assert!(prefix.join(file).exists(), "{file}");
    }
    let mut modules = tool(&prefix, "rmashm-modules");
    let said = run_to_fail(modules.env("PATH", &bin), 127);
    assert!(said.contains("no Fortran compiler on PATH"), "{said}");
    // What a program is compiled with is known all the same.
    let mut mpifort = tool(&prefix, "mpifort");
    let flags = run(mpifort.env("PATH", &bin).arg("-showme:compile"));
    assert_eq!(flags, format!("-I{}/include\n", prefix.display()));
}

#[test]
fn modules_of_another_compiler_are_said() {
    if !have_gfortran() {
        return;
    }
    let folder = Scratch::new("other-compiler");
    let newer = "GNU Fortran (GCC) 99.1.0";
    let refusing = compiler(&folder, newer, 3);
    let mut mpifort = tool(prefix(), "mpifort");
    let said = run_to_fail(mpifort.env("MPICH_FC", &refusing).arg("a.f90"), 3);
    let command = format!("rmashm-modules FC={} makes", refusing.display());
    for part in ["gfortran 99.1.0", "gfortran-mod-15", &command] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
    // A program that needs none compiles without a word.
    let content = compiler(&folder, newer, 0);
    let mut mpifort = tool(prefix(), "mpifort");
    let output = mpifort.env("MPICH_FC", content).arg("a.f90").output();
    let output = output.expect("mpifort runs");
    assert!(output.status.success() && output.stderr.is_empty());
}

#[test]
fn modules_can_be_made_anew() {
    if !have_gfortran() {
        return;
    }
    let folder = Scratch::new("anew");
    let (prefix, said) = stage(&folder, None);
    assert_eq!(said, "");
    let modules = prefix.join("lib/fortran");
    std::fs::remove_dir_all(&modules).unwrap();
    let said = run(tool(&prefix, "rmashm-modules").arg("FC=gfortran -O1"));
    assert!(said.contains("made mpi and mpi_f08 for gfortran"), "{said}");
    runs(&prefix, &compile(&prefix, &folder, "types.f90", None));
    // Nothing but modules is left, and those in one folder.
    let kinds: Vec<_> = std::fs::read_dir(&modules).unwrap().flatten().collect();
    assert_eq!(kinds.len(), 1);
    let files = std::fs::read_dir(kinds[0].path()).unwrap().flatten();
    for file in files {
        assert_eq!(file.path().extension().unwrap(), "mod");
    }
    let refused = run_to_fail(tool(&prefix, "rmashm-modules").arg("-FC"), 1);
    assert!(refused.contains("-FC is not known"), "{refused}");
    let broken = compiler(&folder, "own 1.0", 5);
    let argument = format!("FC={}", broken.display());
    let refused = run_to_fail(tool(&prefix, "rmashm-modules").arg(argument), 1);
    assert!(
        refused.contains("cannot compile mpi_f08_types.F90"),
        "{refused}"
    );
}

#[test]
fn another_compiler_compiles_the_same_programs() {
    const NAMES: [&str; 6] = [
        "flang",
        "flang-new",
        "flang-21",
        "flang-20",
        "flang-new-19",
        "flang-new-18",
    ];
    let Some(flang) = NAMES.into_iter().find(|name| find_program(name).is_some()) else {
        missing("flang is not installed (Debian: apt-get install flang-19)");
        return;
    };
    let folder = Scratch::new("flang");
    let (prefix, _) = stage(&folder, None);
    run(tool(&prefix, "rmashm-modules").arg(format!("FC={flang}")));
    for file in [
        "fixed_form.f",
        "memory.f90",
        "types.f90",
        "sections.f90",
        "sections_collectives.f90",
        "sections_messages.f90",
        "sections_windows.f90",
    ] {
        runs(&prefix, &compile(&prefix, &folder, file, Some(flang)));
    }
}
