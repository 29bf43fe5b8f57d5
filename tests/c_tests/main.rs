//! Compiles every program of `c_tests/` and runs it at each rank count that its first lines ask for.
//!
//! A test is one program, one rank count and one way to start it: `windows::put_get::n4`, `windows::put_get::n4::hydra`. A program that
//! is right prints nothing and exits with 0. After each test no process and no file in /dev/shm may be left behind; a
//! job that hangs is ended by a watchdog that first says where each process waits.
//!
//! Environment: `RMASHM_PREFIX` is the prefix under test (default: `build` in the project), `RMASHM_MPI=mpich` runs the
//! same programs on a real MPICH instead: that of `RMASHM_MPICH_PREFIX`, or Debian's. `RMASHM_C_TESTS` names another
//! folder of programs, `CI` makes a missing MPICH a failure. Arguments are those of `cargo test`: a filter, `--exact`, `--list`, `--test-threads`, …

mod compile;
mod spec;

use compile::{Library, Toolbox};
use harness::{job, leftovers, needs};
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};
use spec::{Launcher, Spec};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether there is a C++ compiler. In CI there has to be.
fn has_cxx() -> bool {
    needs::find_program("g++").is_some() || needs::in_ci()
}

/// MPICH's ranks spin while they wait: with more of them than cores little moves.
fn mpich_ranks_max() -> u32 {
    std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2) as u32)
}

fn main() -> std::process::ExitCode {
    let mut arguments = Arguments::from_args();
    // Two jobs at once: many ranks on few cores is what is to be tested, but a watchdog must not be their only end.
    arguments.test_threads.get_or_insert(2);
    let toolbox = Arc::new(Toolbox::find());
    let mut trials = Vec::new();
    for source in toolbox.programs() {
        trials.extend(trials_of(&toolbox, source));
    }
    if !arguments.list && !toolbox.has_mpich() {
        println!("Debian's mpich is not installed: skipping the tests that start programs with it");
    }
    if trials.is_empty() {
        trials.push(Trial::test("programs", || {
            Err(Failed::from("there are no C tests"))
        }));
    }
    let conclusion: Conclusion = libtest_mimic::run(&arguments, trials);
    conclusion.exit_code()
}

/// The chapter and the program: `windows::put_get`.
fn name(source: &Path) -> String {
    fn text(part: Option<&OsStr>) -> Cow<'_, str> {
        part.expect("a program has a chapter").to_string_lossy()
    }
    let chapter = source.parent().and_then(Path::file_name);
    format!("{}::{}", text(chapter), text(source.file_stem()))
}

fn trials_of(toolbox: &Arc<Toolbox>, source: PathBuf) -> Vec<Trial> {
    let name = name(&source);
    let specs = match Spec::all_of(&source) {
        Ok(specs) => specs,
        Err(text) => return vec![Trial::test(name, move || Err(Failed::from(text)))],
    };
    let mut trials = Vec::new();
    for spec in specs {
        if toolbox.library == Library::Mpich && spec.mpich_skip.is_some() {
            continue;
        }
        for &launcher in &spec.launchers {
            if toolbox.library == Library::Mpich && launcher.is_foreign() {
                continue;
            }
            for &ranks in &spec.ranks {
                if toolbox.library == Library::Mpich
                    && ranks > mpich_ranks_max()
                    && spec.ranks[0] != ranks
                {
                    continue;
                }
                let test_name = spec.test_name(&name, ranks, launcher);
                let no_cxx = source.extension().is_some_and(|e| e == "cpp") && !has_cxx();
                let missing = no_cxx || (launcher.is_foreign() && !toolbox.has_mpich());
                let (toolbox, spec, source, full_name) = (
                    toolbox.clone(),
                    spec.clone(),
                    source.clone(),
                    test_name.clone(),
                );
                let skipped = missing && !needs::in_ci();
                let trial = Trial::test(test_name, move || {
                    if missing {
                        return Err(Failed::from(
                            "Debian's mpich is not installed (package mpich)",
                        ));
                    }
                    run(&toolbox, &spec, &source, &full_name, ranks, launcher).map_err(Failed::from)
                });
                trials.push(trial.with_ignored_flag(skipped));
            }
        }
    }
    trials
}

fn run(
    toolbox: &Toolbox,
    spec: &Spec,
    source: &std::path::Path,
    test_name: &str,
    ranks: u32,
    launcher: Launcher,
) -> Result<(), String> {
    let program = toolbox.compile(source, launcher)?;
    let command = toolbox.command(spec, &program, ranks, launcher);
    let before = leftovers::shared_memory_files();
    let ended = job::run(command, &toolbox.output_folder(), test_name, spec.seconds)?;
    let mut complaints = spec.complaints(&ended);
    if toolbox.library == Library::Rmashm {
        complaints.extend(leftovers::complaints(&ended.marker, &before));
    }
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n{}", complaints.join("\n"), ended.report()))
}
