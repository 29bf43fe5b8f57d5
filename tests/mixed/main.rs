//! Runs the programs of `c_tests/` as jobs whose ranks were compiled with different headers, for different interfaces of the
//! library: MPICH's, Open MPI's and the standard's.
//!
//! Each program is compiled three times and runs at 3 to 6 ranks, or at 2 if it is for no more; rank after rank has the next
//! interface. Those of the chapter `mixed` are about what only such jobs can get wrong: they run with each interface at each rank.
//! What the header of another interface than MPICH's refuses is left out there (whether it should is what `c_tests` tells for
//! that interface), but a program of the chapter `mixed` suits all.
//!
//! Environment: `RMASHM_PREFIX` is the prefix under test, as for `c_tests`. Where a compiler or a library is missing nothing is
//! run, and in CI that is a failure.

#[allow(dead_code)]
#[path = "../c_tests/compile.rs"]
mod compile;
#[allow(dead_code)]
#[path = "../c_tests/spec.rs"]
mod spec;

use compile::{Refused, Toolbox};
use harness::turns::Turns;
use harness::{job, leftovers, needs};
use libtest_mimic::{Arguments, Failed, Trial};
use programs::Interface;
use spec::{Launcher, Spec};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Chapters that are not about what ranks have to do with each other.
const LEFT_OUT: [&str; 2] = ["bindings", "tools"];

/// One for each interface.
type Toolboxes = Vec<Toolbox>;

/// What is missing for jobs of all interfaces.
fn missing() -> Option<String> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let prefix = project.join(std::env::var_os("RMASHM_PREFIX").unwrap_or("build".into()));
    let parts = [
        "bin/mpicc",
        "bin/mpicc_abi",
        "lib/openmpi/libmpi.so.40",
        "lib/libmpi_abi.so.1",
    ];
    let mut parts = parts.iter().map(|part| prefix.join(part));
    if let Some(part) = parts.find(|part| !part.exists()) {
        return Some(format!("there is no {}: make builds it", part.display()));
    }
    let compiler = needs::find_program("mpicc.openmpi");
    compiler
        .is_none()
        .then(|| "Debian's libopenmpi-dev is not installed".to_string())
}

/// At how many ranks a program runs: by few as are enough for all interfaces, if it can.
fn ranks_of(spec: &Spec) -> Option<u32> {
    let fit = |ranks: std::ops::RangeInclusive<u32>| {
        let counts = spec.ranks.iter().copied();
        counts.filter(|count| ranks.contains(count)).min()
    };
    fit(3..=6).or_else(|| fit(2..=2))
}

/// The program for all interfaces that it can be compiled for, which are `least` or more.
fn compile(
    toolboxes: &Toolboxes,
    spec: &Spec,
    source: &Path,
    least: usize,
) -> Result<Vec<PathBuf>, String> {
    let mut programs = Vec::new();
    let mut refused = String::new();
    for toolbox in toolboxes {
        if !spec.interfaces.contains(&toolbox.interface) {
            continue;
        }
        match toolbox.compile(source, Launcher::Mpiexec) {
            Ok(program) => programs.push(program),
            Err(Refused::Lacking(name)) => refused += &format!("a header lacks {name}\n"),
            Err(Refused::Wrong(text)) => refused += &text,
        }
    }
    match programs.len() >= least {
        true => Ok(programs),
        false => Err(refused),
    }
}

/// Runs the program for `least` interfaces or more; rank 0 has number `first` of them.
fn run(
    toolboxes: &Toolboxes,
    spec: &Spec,
    source: &Path,
    test_name: &str,
    ranks: u32,
    first: usize,
    least: usize,
) -> Result<(), String> {
    let programs = compile(toolboxes, spec, source, least)?;
    let toolbox = &toolboxes[0];
    let mut command = toolbox.mpiexec(spec);
    for rank in 0..ranks as usize {
        if rank > 0 {
            command.arg(":");
        }
        let program = &programs[(first + rank) % programs.len()];
        command.args(["-n", "1"]).arg(program).args(&spec.arguments);
    }
    command.envs(spec.variables.iter().cloned());
    let before = leftovers::shared_memory_files();
    let ended = job::run(command, &toolbox.output_folder(), test_name, spec.seconds)?;
    let mut complaints = spec.complaints(&ended);
    complaints.extend(leftovers::complaints(&ended.marker, &before));
    match complaints.is_empty() {
        true => Ok(()),
        false => Err(format!("{}\n{}", complaints.join("\n"), ended.report())),
    }
}

fn trials_of(toolboxes: &Arc<Toolboxes>, turns: &Arc<Turns>, source: PathBuf) -> Vec<Trial> {
    let text = |path: &Path| {
        path.file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    };
    let chapter = source
        .parent()
        .and_then(text)
        .expect("a program has a chapter");
    let program = text(&source).expect("it has a name");
    if LEFT_OUT.contains(&&*chapter) || source.extension().is_none_or(|end| end != "c") {
        return Vec::new();
    }
    let name = format!("{chapter}::{program}");
    let mut specs = Spec::all_of(&source).expect("c_tests reads it too");
    specs.retain(|spec| spec.launchers.contains(&Launcher::Mpiexec) && spec.interfaces.len() > 1);
    let (rotations, least) = match &*chapter {
        "mixed" => (3, 3),
        _ => (1, 2),
    };
    let ranks = |spec: Spec| Some((ranks_of(&spec)?, spec));
    let ways = specs.into_iter().filter_map(ranks);
    let ways = ways
        .flat_map(|(ranks, spec)| (0..rotations).map(move |first| (ranks, spec.clone(), first)));
    let trial = |(ranks, spec, first): (u32, Spec, usize)| {
        let test = spec.test_name(&name, ranks, Launcher::Mpiexec);
        let test = format!("{test}::{}_first", Interface::ALL[first].name());
        let (toolboxes, source) = (toolboxes.clone(), source.clone());
        let job = move |test: String| {
            run(&toolboxes, &spec, &source, &test, ranks, first, least).map_err(Failed::from)
        };
        Trial::test(test.clone(), turns.during(move || job(test)))
    };
    ways.map(trial).collect()
}

fn main() -> std::process::ExitCode {
    let mut arguments = Arguments::from_args();
    let turns = Turns::of_tests(&mut arguments.test_threads);
    let trials = match missing() {
        None => {
            let toolboxes: Arc<Toolboxes> = Arc::new(Interface::ALL.map(Toolbox::of).into());
            let sources = toolboxes[0].programs().into_iter();
            sources
                .flat_map(|source| trials_of(&toolboxes, &turns, source))
                .collect()
        }
        Some(text) if needs::in_ci() => vec![Trial::test("interfaces", || Err(Failed::from(text)))],
        Some(text) => {
            println!("skipped: jobs of several interfaces: {text}");
            Vec::new()
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}
