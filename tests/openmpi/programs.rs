//! Programs in C that are compiled with Open MPI's headers, position-independent and not, and run with this library.

use crate::compiler::{have_program, run, scratch};
use crate::{have_library, headers, library_folder, support};
use harness::job;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The numbers of ranks that the first line of a program asks for: `/* ranks: 1 2 */`.
fn ranks(source: &Path) -> Vec<u32> {
    let text = std::fs::read_to_string(source).expect("the program can be read");
    let line = text.lines().next().unwrap_or_default();
    let asked = line
        .strip_prefix("/* ranks: ")
        .and_then(|rest| rest.strip_suffix(" */"));
    let asked =
        asked.unwrap_or_else(|| panic!("{} does not begin with its ranks", source.display()));
    asked
        .split(' ')
        .map(|n| n.parse().expect("a number of ranks"))
        .collect()
}

/// The program made of `source` with the header in `include`.
fn compile(source: &Path, include: &Path, mode: &str) -> PathBuf {
    let stem = source
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let which = include.display().to_string().replace('/', "_");
    let binary = scratch().join(format!("{stem}.{mode}.{which}"));
    let code = if mode == "pie" { "-fPIE" } else { "-fno-pie" };
    let output = run(
        "gcc",
        &[
            "-std=gnu99",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-deprecated-declarations",
            code,
            &format!("-{mode}"),
            "-pthread",
            &format!("-I{}", include.display()),
            &format!("-I{}", support::repository().join("c_tests").display()),
            &source.display().to_string(),
            "-o",
            &binary.display().to_string(),
            &format!("-L{}", library_folder().display()),
            "-l:libmpi.so.40",
        ],
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    binary
}

/// Runs the program at all numbers of ranks that it is for, with the libraries in `folders`. Gives what failed or said something.
fn run_silently(source: &Path, binary: &Path, folders: &OsStr) -> Vec<String> {
    let name = binary.file_name().expect("a name").to_string_lossy();
    let mut failures = Vec::new();
    for ranks in ranks(source) {
        let mut command = support::command(support::prefix().join("bin/mpiexec"));
        command.args(["-n", &ranks.to_string()]).arg(binary);
        command.env("LD_LIBRARY_PATH", folders);
        match job::run(command, &scratch(), &format!("{name}.n{ranks}"), 60) {
            Err(why) => failures.push(format!("{name}: {why}")),
            Ok(ended) => {
                let silent = ended.stdout.is_empty() && ended.stderr.is_empty();
                if ended.status != 0 || !silent {
                    failures.push(format!("{name}, {ranks} ranks: {}", ended.report()));
                }
            }
        }
    }
    failures
}

#[test]
fn programs_of_openmpi_run() {
    let test = "the programs of Open MPI";
    if !have_library(test) {
        return;
    }
    let folder = support::repository().join("c_tests/openmpi");
    let entries = std::fs::read_dir(folder).expect("the programs are there");
    let paths = entries.map(|entry| entry.expect("a file").path());
    let mut sources: Vec<PathBuf> = paths
        .filter(|path| path.extension() == Some("c".as_ref()))
        .collect();
    sources.sort();
    assert!(!sources.is_empty(), "there are no programs");
    let filter = std::env::var("RMASHM_OPENMPI_PROGRAM").unwrap_or_default();
    let mut failures = Vec::new();
    for include in headers(test) {
        for source in sources
            .iter()
            .filter(|s| s.display().to_string().contains(&filter))
        {
            for mode in ["pie", "no-pie"] {
                let binary = compile(source, &include, mode);
                failures.extend(run_silently(
                    source,
                    &binary,
                    &library_folder().into_os_string(),
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The classes, of Open MPI 4's header. The program is linked with Open MPI's libraries, and finds these in their place.
#[test]
fn a_program_in_cxx_runs() {
    let test = "Open MPI's library for C++";
    if !have_library(test) || !have_program("g++", test) {
        return;
    }
    let source = support::repository().join("c_tests/openmpi/classes.cc");
    for include in headers(test) {
        let Ok(library) = include.join("../lib/libmpi_cxx.so").canonicalize() else {
            continue;
        };
        let beside = library.parent().expect("a folder").to_path_buf();
        for mode in ["pie", "no-pie"] {
            let binary = scratch().join(format!("classes.{mode}"));
            let code = if mode == "pie" { "-fPIE" } else { "-fno-pie" };
            let output = run(
                "g++",
                &[
                    "-w",
                    code,
                    &format!("-{mode}"),
                    &format!("-I{}", include.display()),
                    &source.display().to_string(),
                    "-o",
                    &binary.display().to_string(),
                    &format!("-L{}", beside.display()),
                    "-l:libmpi_cxx.so.40",
                    "-l:libmpi.so.40",
                    "-Wl,--allow-shlib-undefined",
                ],
            );
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
            let failures = run_silently(&source, &binary, library_folder().as_os_str());
            assert!(failures.is_empty(), "{}", failures.join("\n"));
        }
    }
}
