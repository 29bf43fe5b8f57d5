//! What cannot be done with `rmashm.hpp`, and what the compiler, or MPI, says of it.

use crate::compiler::scratch;
use crate::support;
use harness::needs::{find_program, in_ci};
use harness::{job, leftovers};
use std::path::PathBuf;
use std::process::Output;

/// Statements in a function that has a window of numbers, one of structures and one to which memory is attached, and what both
/// compilers have to say of them.
const REFUSED: [(&str, &str); 13] = [
    ("auto copy = numbers;", "deleted"),
    (
        "rmashm::lock_all lock(numbers); auto copy = lock;",
        "deleted",
    ),
    ("rmashm::exclusive_lock lock(make(), 0);", "deleted"),
    ("rmashm::exclusive_lock(numbers, 0);", "nodiscard"),
    (
        "rmashm::region<int> region(rmashm::dynamic_window(MPI_COMM_WORLD), memory);",
        "deleted",
    ),
    ("std::vector<float> data(3); numbers.put(data, 0);", "span<"),
    ("numbers.get(std::vector<double>(3), 0);", "span<"),
    (
        "const std::vector<double> data(3); numbers.get(data, 0);",
        "span<",
    ),
    (
        "structures.fetch_and_op(one, rmashm::op::sum, 0);",
        "operations are for types that MPI knows",
    ),
    (
        "attached.accumulate<structure>(rmashm::span<const structure>(&one, 1), rmashm::op::sum, 0, 0);",
        "operations are for types that MPI knows",
    ),
    (
        "auto strings = rmashm::window<std::string>::allocate(MPI_COMM_WORLD, 1);",
        "elements of windows are copied as memory",
    ),
    (
        "auto addresses = rmashm::window<int*>::allocate(MPI_COMM_WORLD, 1);",
        "an address means nothing in another process",
    ),
    (
        "auto constants = rmashm::window<const int>::allocate(MPI_COMM_WORLD, 1);",
        "leave const out",
    ),
];

fn function(statement: &str) -> String {
    format!(
        "#include <rmashm.hpp>\n#include <string>\n#include <vector>\nstruct structure {{ int a, b; }};\n\
         rmashm::window<double> make();\n\
         void f(rmashm::window<double>& numbers, rmashm::window<structure>& structures, rmashm::dynamic_window& attached)\n\
         {{\n    std::vector<int> memory(3);\n    const structure one{{}};\n    {statement}\n    (void)numbers, (void)structures, (void)attached, (void)memory, (void)one;\n}}\n"
    )
}

/// Compiles, and does not link.
fn compiles(compiler: &str, standard: &str, name: &str, text: &str) -> Output {
    let source = crate::compiler::write(&format!("{name}.cpp"), text);
    let mut command = support::command(support::prefix().join("bin/mpicxx"));
    command
        .env("LC_ALL", "C")
        .args([format!("-cxx={compiler}"), format!("-std=c++{standard}")])
        .args([
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-DMPICH_SKIP_MPICXX",
        ])
        .arg(source);
    command.output().expect("mpicxx starts")
}

/// Each statement is refused with its words, by one compiler in C++17 and by another in C++20.
pub fn refused() -> Result<(), libtest_mimic::Failed> {
    for (compiler, standard) in [("g++", "17"), ("clang++", "20")] {
        if find_program(compiler).is_none() && !in_ci() {
            println!("{compiler} is missing: what it says is not looked at");
            continue;
        }
        let name = format!("misuse-{compiler}-{standard}");
        let right = compiles(compiler, standard, &name, &function(""));
        assert!(right.status.success(), "{right:?}");
        for (statement, words) in REFUSED {
            let output = compiles(compiler, standard, &name, &function(statement));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                !output.status.success(),
                "{compiler} -std=c++{standard} takes {statement}"
            );
            assert!(
                said.contains(words),
                "{compiler} -std=c++{standard}: {statement}: no {words:?} in\n{said}"
            );
        }
        let output = compiles(
            compiler,
            "14",
            &format!("misuse-{compiler}-14"),
            &function(""),
        );
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("rmashm.hpp is for C++17 and later"), "{said}");
    }
    Ok(())
}

/// Programs that MPI has to end, and what it says.
const FATAL: [(&str, &str, &str); 4] = [
    (
        "before",
        "auto win = rmashm::window<int>::allocate(MPI_COMM_WORLD, 1);\n    MPI_Init(nullptr, nullptr);",
        "which is there between MPI_Init and MPI_Finalize only",
    ),
    (
        "after",
        "MPI_Init(nullptr, nullptr);\n    MPI_Finalize();\n    auto win = rmashm::window<int>::allocate(MPI_COMM_WORLD, 1);",
        "which is there between MPI_Init and MPI_Finalize only",
    ),
    (
        "outlived",
        "MPI_Init(nullptr, nullptr);\n    int memory[1];\n    std::optional<rmashm::region<int>> region;\n    \
         rmashm::dynamic_window win(MPI_COMM_WORLD);\n    region.emplace(win, memory);",
        "error in MPI_Win_detach",
    ),
    (
        "uncaught",
        "MPI_Init(nullptr, nullptr);\n    auto win = rmashm::window<int>::allocate(MPI_COMM_WORLD, 1);\n    win.flush(0);",
        "Wrong synchronization of RMA calls: rank 0 is not locked",
    ),
];

/// The sentence names what is wrong, and the job fails.
pub fn fatal() -> Result<(), libtest_mimic::Failed> {
    for (name, statements, words) in FATAL {
        let text = format!(
            "#include <rmashm.hpp>\n#include <optional>\nint main()\n{{\n    {statements}\n    return 0;\n}}\n"
        );
        let source = crate::compiler::write(&format!("fatal-{name}.cpp"), &text);
        let program: PathBuf = scratch().join(format!("fatal-{name}"));
        let mut mpicxx = support::command(support::prefix().join("bin/mpicxx"));
        support::run(
            mpicxx
                .arg("-std=c++17")
                .arg(&source)
                .arg("-o")
                .arg(&program),
        );
        let mut mpiexec = support::command(support::prefix().join("bin/mpiexec"));
        mpiexec.args(["-n", "2"]).arg(&program);
        let before = leftovers::shared_memory_files();
        let ended = job::run(mpiexec, &scratch(), &format!("fatal-{name}"), 120)?;
        let left = leftovers::complaints(&ended.marker, &before);
        assert!(left.is_empty(), "{left:?}");
        assert!(
            ended.status != 0 && !ended.hung && ended.stderr.contains(words),
            "{}",
            ended.report()
        );
    }
    Ok(())
}
