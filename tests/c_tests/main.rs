//! Compiles every program of `c_tests/` and runs it at each rank count that its first lines ask for.
//!
//! A test is one program, one rank count and one way to start it: `windows::put_get::n4`, `windows::put_get::n4::hydra`. A program that
//! is right prints nothing and exits with 0. After each test no process and no file in /dev/shm may be left behind; a
//! job that hangs is ended by a watchdog that first says where each process waits.
//!
//! Environment: `RMASHM_PREFIX` is the prefix under test (default: `build` in the project), `RMASHM_MPI=mpich` runs the
//! same programs on a real MPICH instead: that of `RMASHM_MPICH_PREFIX`, or Debian's. `RMASHM_ABI` compiles them for another of
//! the library's C interfaces, `openmpi` (by Debian's `mpicc.openmpi`) or `standard`, and runs each with one number of ranks; those
//! that use names which Open MPI's header lacks are ignored. `RMASHM_C_TESTS` names another folder of programs, `CI` makes a missing
//! MPICH a failure. With `RMASHM_CHECK`, which is for our launcher, each runs there with one number of ranks; with `RMASHM_ADOPT` only the programs run that bring memory of their own into a window: it is a matter of theirs.
//! Arguments are those of `cargo test`: a filter, `--exact`, `--list`, `--test-threads`, …

mod compile;
mod spec;

use compile::{Library, Refused, Toolbox};
use harness::turns::Turns;
use harness::{job, leftovers, needs};
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};
use programs::Interface;
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
    let turns = Turns::of_tests(&mut arguments.test_threads);
    let toolbox = Arc::new(Toolbox::find());
    let mut sources = toolbox.programs();
    if toolbox.interface == Interface::Openmpi && !arguments.list {
        sources = compilable(&toolbox, sources);
    }
    if std::env::var_os("RMASHM_ADOPT").is_some() {
        sources.retain(|source| brings_memory(source));
    }
    let mut trials = Vec::new();
    for source in sources {
        trials.extend(trials_of(&toolbox, &turns, source));
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

/// Whether the program makes a window over memory that MPI has not allocated, by itself or by a header of these tests.
fn brings_memory(source: &Path) -> bool {
    let text = std::fs::read_to_string(source).expect("the source can be read");
    let calls = ["MPI_Win_create", "MPI_Win_attach"];
    let of_header = |line: &str| {
        let name = line.strip_prefix("#include \"")?.strip_suffix('"')?;
        let folders = source.ancestors().skip(1).take(2);
        let mut headers = folders.map(|folder| folder.join(name));
        headers.find(|header| header.is_file())
    };
    calls.iter().any(|call| text.contains(call))
        || (text.lines().filter_map(of_header)).any(|header| brings_memory(&header))
}

/// Those of the sources that the header has all names for. The others are told.
fn compilable(toolbox: &Toolbox, sources: Vec<PathBuf>) -> Vec<PathBuf> {
    let lacks = |source: &PathBuf| match toolbox.compile(source, Launcher::Mpiexec) {
        Err(Refused::Lacking(name)) => Some(name),
        _ => None,
    };
    let half = sources.len() / 2;
    let lacking: Vec<Option<String>> = std::thread::scope(|scope| {
        let parts = [&sources[..half], &sources[half..]];
        let workers =
            parts.map(|part| scope.spawn(move || part.iter().map(lacks).collect::<Vec<_>>()));
        let found = workers.map(|worker| worker.join().expect("no compiler panics"));
        found.concat()
    });
    let (mut whole, mut left) = (Vec::new(), Vec::new());
    for (source, lacking) in sources.into_iter().zip(lacking) {
        match lacking {
            Some(lacked) => left.push(format!("{} ({lacked})", name(&source))),
            None => whole.push(source),
        }
    }
    let (count, list) = (left.len(), left.join(" "));
    println!("{count} programs use names that the header lacks: {list}");
    whole
}

/// The chapter and the program: `windows::put_get`.
fn name(source: &Path) -> String {
    fn text(part: Option<&OsStr>) -> Cow<'_, str> {
        part.expect("a program has a chapter").to_string_lossy()
    }
    let chapter = source.parent().and_then(Path::file_name);
    format!("{}::{}", text(chapter), text(source.file_stem()))
}

fn trials_of(toolbox: &Arc<Toolbox>, turns: &Arc<Turns>, source: PathBuf) -> Vec<Trial> {
    let name = name(&source);
    let specs = match Spec::all_of(&source) {
        Ok(specs) => specs,
        Err(text) => return vec![Trial::test(name, move || Err(Failed::from(text)))],
    };
    let mut trials = Vec::new();
    let is_other_interface = toolbox.interface != Interface::Mpich;
    let is_checked = std::env::var_os("RMASHM_CHECK").is_some();
    for spec in specs {
        let is_skipped = toolbox.library == Library::Mpich && spec.mpich_skip.is_some();
        if is_skipped || !spec.interfaces.contains(&toolbox.interface) {
            continue;
        }
        for &launcher in &spec.launchers {
            let only_ours = toolbox.library == Library::Mpich || is_other_interface;
            if only_ours && launcher.is_foreign() {
                continue;
            }
            if is_checked && launcher != Launcher::Mpiexec {
                continue;
            }
            for &ranks in &spec.ranks {
                let is_once = is_other_interface || is_checked;
                if is_once && Some(ranks) != spec.usual_ranks() {
                    continue;
                }
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
                let job = turns.during(move || {
                    if missing {
                        return Err(Failed::from(
                            "Debian's mpich is not installed (package mpich)",
                        ));
                    }
                    run(&toolbox, &spec, &source, &full_name, ranks, launcher).map_err(Failed::from)
                });
                let trial = Trial::test(test_name, job);
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
    let program = toolbox
        .compile(source, launcher)
        .map_err(|refused| match refused {
            Refused::Lacking(name) => format!("the header lacks {name}"),
            Refused::Wrong(text) => text,
        })?;
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
