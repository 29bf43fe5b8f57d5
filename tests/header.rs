//! `include/mpi.h`: it is what the build makes of the sources, and every C and C++ compiler takes it without a warning.

mod compiler;

use compiler::{GENERATED, have_program, our_include, run, write};
use std::fmt::Write;

/// The committed header is the generated one. `BLESS=1 cargo test --test header` brings it up to date.
#[test]
fn the_committed_header_is_fresh() {
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/include/mpi.h");
    let generated = std::fs::read_to_string(GENERATED).expect("the build script made a header");
    assert!(
        !generated.starts_with("#error"),
        "the header could not be made"
    );
    if std::env::var("BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(committed, &generated).expect("include/mpi.h can be written");
    }
    let committed = std::fs::read_to_string(committed).expect("include/mpi.h can be read");
    let differs = generated
        .lines()
        .zip(committed.lines())
        .find(|(new, old)| new != old);
    if let Some((new, old)) = differs {
        panic!("include/mpi.h is stale (BLESS=1 renews it): it has\n  {old}\ninstead of\n  {new}");
    }
    assert_eq!(
        generated.len(),
        committed.len(),
        "include/mpi.h is stale (BLESS=1 renews it)"
    );
}

/// A program that includes the header twice and uses every macro of it that stands for a value.
fn program() -> String {
    let mut source = String::from("#include <mpi.h>\n#include <mpi.h>\n\nint main(void)\n{\n");
    let header = std::fs::read_to_string(GENERATED).expect("the build script made a header");
    let mut used = 0;
    for define in header
        .lines()
        .filter_map(|line| line.strip_prefix("#define "))
    {
        let Some((name, _value)) = define.split_once(' ') else {
            continue;
        };
        if !name.contains('(') {
            let _ = writeln!(source, "    (void)({name});");
            used += 1;
        }
    }
    assert!(used > 300, "the header has only {used} constants");
    source += "    (void)MPI_Comm_c2f(MPI_Comm_f2c(0));\n";
    source += "    return MPI_Wtime() < 0 || PMPI_Wtime() < 0;\n}\n";
    source
}

fn compiles(compiler: &str, language: &str, standards: &[&str], file: &str) {
    if !have_program(compiler, &format!("the header in {language}")) {
        return;
    }
    let source = write(file, &program());
    let include = format!("-I{}", our_include().display());
    let mut complaints = String::new();
    for standard in standards {
        let output = run(
            compiler,
            &[
                &format!("-std={standard}"),
                "-fsyntax-only",
                "-Wall",
                "-Wextra",
                "-pedantic",
                "-Werror",
                &include,
                &source.display().to_string(),
            ],
        );
        if !output.status.success() {
            let _ = writeln!(
                complaints,
                "{compiler} -std={standard}:\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

const C: [&str; 6] = ["c89", "c99", "c11", "c17", "c2x", "gnu17"];
const CXX: [&str; 6] = ["c++98", "c++11", "c++14", "c++17", "c++20", "gnu++17"];

#[test]
fn every_c_standard_takes_it_with_gcc() {
    compiles("gcc", "C", &C, "gcc.c");
}

#[test]
fn every_c_standard_takes_it_with_clang() {
    compiles("clang", "C", &C, "clang.c");
}

#[test]
fn every_cxx_standard_takes_it_with_gxx() {
    compiles("g++", "C++", &CXX, "gxx.cc");
}
