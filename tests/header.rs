//! The headers in `include`: they are what the build makes of the sources, and every C and C++ compiler takes them without a warning.

mod compiler;

use compiler::{GENERATED, GENERATED_MPIF_H, have_program, our_include, run, write};
use std::fmt::Write;
use std::path::Path;

/// The committed headers are the generated ones. `BLESS=1 cargo test --test header` brings them up to date.
#[test]
fn the_committed_headers_are_fresh() {
    for generated in GENERATED.iter().chain([&GENERATED_MPIF_H]).map(Path::new) {
        let name = generated.file_name().expect("a header has a name");
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
        is_fresh(generated, &include.join(name));
    }
}

fn is_fresh(generated: &Path, committed: &Path) {
    let generated = std::fs::read_to_string(generated).expect("the build script made a header");
    assert!(
        !generated.starts_with("#error"),
        "the header could not be made"
    );
    if std::env::var("BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(committed, &generated).expect("include can be written");
    }
    let stale = format!("{} is stale (BLESS=1 renews it)", committed.display());
    let committed = std::fs::read_to_string(committed).expect("include can be read");
    let differs = generated
        .lines()
        .zip(committed.lines())
        .find(|(new, old)| new != old);
    if let Some((new, old)) = differs {
        panic!("{stale}: it has\n  {old}\ninstead of\n  {new}");
    }
    assert_eq!(generated.len(), committed.len(), "{stale}");
}

/// A program that includes `mpi.h` twice and uses every macro of `header` that stands for a value.
fn program(header: &str) -> String {
    let mut source = String::from("#include <mpi.h>\n#include <mpi.h>\n\nint main(void)\n{\n");
    let header = std::fs::read_to_string(header).expect("the build script made a header");
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
    source += "    (void)MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD));\n";
    source += "    return MPI_Wtime() < 0 || PMPI_Wtime() < 0;\n}\n";
    source
}

fn compiles(compiler: &str, language: &str, standards: &[&str], file: &str) {
    if !have_program(compiler, &format!("the header in {language}")) {
        return;
    }
    let include = format!("-I{}", our_include().display());
    let mut complaints = String::new();
    let ways = GENERATED.iter().zip(["-UMPI_ABI", "-DMPI_ABI"]);
    for (standard, (header, abi)) in standards
        .iter()
        .flat_map(|standard| ways.clone().map(move |way| (standard, way)))
    {
        let source = write(&format!("{abi}{file}"), &program(header));
        let output = run(
            compiler,
            &[
                &format!("-std={standard}"),
                "-fsyntax-only",
                "-Wall",
                "-Wextra",
                "-pedantic",
                "-Werror",
                abi,
                &include,
                &source.display().to_string(),
            ],
        );
        if !output.status.success() {
            let _ = writeln!(
                complaints,
                "{compiler} -std={standard} {abi}:\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

const C: [&str; 6] = ["c89", "c99", "c11", "c17", "c2x", "gnu17"];
const CXX: [&str; 7] = [
    "c++98", "c++11", "c++14", "c++17", "c++20", "c++2b", "gnu++17",
];

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

/// `docs/extensions.md` tells of every extension that `mpi.h` declares that it is offered, or refused, and of no other.
#[test]
fn the_table_of_extensions_is_true() {
    let paper = include_str!("../docs/extensions.md");
    let header = include_str!("../include/mpi.h");
    let of_mpich = paper.split("\n## ").find(|part| part.starts_with("MPICH"));
    let rows = of_mpich.expect("a chapter on MPICH").lines();
    let rows = rows.filter_map(|line| line.strip_prefix("| `")?.split_once(" | "));
    let mut told = std::collections::BTreeSet::new();
    for (names, what) in rows {
        let is_there = what.starts_with("offered") || what.starts_with("refused");
        for name in names.split('`').filter(|name| name.starts_with("MPIX_")) {
            let declared = header.contains(&format!("\nint {name}("));
            assert_eq!(declared, is_there, "{name}: {what}");
            told.insert(name);
        }
    }
    let declared = header.lines().filter_map(|line| line.strip_prefix("int "));
    for name in declared.filter_map(|line| line.split('(').next()) {
        let is_extension = name.starts_with("MPIX_");
        assert!(
            !is_extension || told.contains(name),
            "{name} is not told of"
        );
    }
    assert!(told.len() > 40, "there are only {}", told.len());
}
