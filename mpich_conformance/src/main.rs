//! Builds MPICH's own test suite against an MPI library, runs its test lists, and reports.
//!
//! The suite comes from Debian's source package (or from `MPICH_SRC`) and lives in `build/mpich`; nothing of it is in
//! this repository. `make conformance` is the usual way to start this; `--help` tells the options.

mod build;
mod exceptions;
mod options;
mod outcome;
mod queue;
mod report;
mod run;
mod source;
mod testlist;
mod verdict;

use build::{Build, Compiler};
use exceptions::Exceptions;
use indicatif::{ProgressBar, ProgressStyle};
use options::Options;
use outcome::{Memory, Outcome};
use programs::Interface;
use report::Counts;
use run::{Done, Runner};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use testlist::Entry;

/// The directories that concern a library that is not MPICH: of `impls`, what is about the standard's info keys. (Not every
/// version of the suite has all of them, or lists in them: that of 4.0 has programs without a list in `basic`, and no
/// `session` and `misc`.)
const DIRECTORIES: [&str; 24] = [
    "rma",
    "errors",
    "info",
    "attr",
    "comm",
    "group",
    "datatype",
    "errhan",
    "pt2pt",
    "part",
    "coll",
    "topo",
    "init",
    "session",
    "basic",
    "misc",
    "spawn",
    "ft",
    "threads",
    "mpi_t",
    "io",
    "perf",
    "impls/mpich/comm",
    "impls/mpich/threads",
];

/// That of the programs in C++. (Those of errors are in a folder of "errors".)
const CLASSES: &str = "cxx";
/// Those of Fortran.
const FORTRAN: [&str; 6] = [
    "f77",
    "f90",
    "f08",
    "errors/f77",
    "errors/f90",
    "errors/f08",
];

fn main() -> ExitCode {
    let options = match Options::parse(lexopt::Parser::from_env()) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{}", options::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(text) => {
            eprintln!("mpich-conformance: {text} (--help tells the options)");
            return ExitCode::from(2);
        }
    };
    match conformance(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("mpich-conformance: {text}");
            println!("0 passed, 1 failed");
            ExitCode::FAILURE
        }
    }
}

/// The root of the project.
fn project() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .parent()
        .expect("the package is a folder of the project")
}

/// Whether all is well.
fn conformance(options: &Options) -> Result<bool, String> {
    let ours = options.mpi.is_none();
    let prefix = absolute(options.mpi.as_ref().unwrap_or(&options.prefix))?;
    let build = configured(options, &prefix, ours)?;
    let mut memory = Memory::read(&build.folder);
    let (entries, without_list) = all_entries(&build, options)?;
    let exceptions = exceptions(options, ours)?;
    let mut entries = choose(entries, options, &memory);
    if options.kinds {
        entries.retain(|entry| !exceptions.is_about_numbers(entry));
    }
    if options.list {
        entries.iter().for_each(|entry| println!("{entry}"));
        return Ok(true);
    }
    if entries.is_empty() && options.rerun_failed {
        println!("nothing of this failed when it last ran\n0 passed, 0 failed");
        return Ok(true);
    }
    if entries.is_empty() && without_list.is_empty() {
        return Err("no entry of the test lists is meant".to_owned());
    }
    let entries: Vec<&Entry> = entries.iter().collect();
    if options.prepare {
        build.compile(&entries, |what| println!("{what}"))?;
        return Ok(true);
    }
    let results = run_all(&build, options, &prefix, ours, &entries, &exceptions)?;
    write_down(&results, options, &build, &mut memory)?;
    let others = Memory::of_others(&build.folder);
    Ok(conclude(&results, &exceptions, &without_list, &others))
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    let found = path.canonicalize();
    found.map_err(|error| format!("{}: {error}", path.display()))
}

/// The suite, configured for an MPI.
fn configured(options: &Options, prefix: &Path, ours: bool) -> Result<Build, String> {
    let home = absolute(&options.prefix)?.join("mpich");
    let fetching = build::turn(&home.join("lock"))?;
    let source = source::suite(&home)?;
    drop(fetching);
    let folder = home.join("runs").join(name_of(prefix, ours, options));
    let compiler = Compiler::of(prefix, options.interface, options.fortran)?;
    Build::configure(source, folder, compiler, options.build_jobs)
}

/// The exceptions are this project's: another MPI has none.
fn exceptions(options: &Options, ours: bool) -> Result<Exceptions, String> {
    if !ours {
        return Ok(Exceptions::default());
    }
    Exceptions::read(
        &project().join("mpich_conformance/exceptions.toml"),
        options.interface,
        options.fortran,
        options.check,
    )
}

/// Keeps the results for the next time, and for others that read them.
fn write_down(
    results: &[(Counts, Done)],
    options: &Options,
    build: &Build,
    memory: &mut Memory,
) -> Result<(), String> {
    for (_, done) in results {
        memory.remember(done.entry.to_string(), done.outcome);
    }
    memory.write()?;
    let usual = build.folder.join("junit.xml");
    report::junit(results, options.junit.as_ref().unwrap_or(&usual))?;
    match &options.tap {
        Some(tap) => report::tap(results, tap),
        None => Ok(()),
    }
}

/// The folder in which the suite is built for this MPI.
fn name_of(prefix: &Path, ours: bool, options: &Options) -> String {
    let mut name = match (ours, options.interface) {
        (false, _) => prefix
            .display()
            .to_string()
            .trim_matches('/')
            .replace('/', "-"),
        (true, Interface::Mpich) => "rmashm".to_owned(),
        (true, interface) => format!("rmashm-{}", interface.name()),
    };
    if let Some(whose) = options.fortran {
        name += &format!("-fortran-{}", whose.name());
    }
    name
}

/// The entries of the directories that are wanted, and those of the directories that have no list.
fn all_entries(build: &Build, options: &Options) -> Result<(Vec<Entry>, Vec<String>), String> {
    let all = || -> Vec<String> {
        let classes = build.has_classes().then_some(CLASSES);
        let names = match options.fortran {
            None => DIRECTORIES.into_iter().chain(classes).collect(),
            Some(_) => FORTRAN.to_vec(),
        };
        names.into_iter().map(str::to_owned).collect()
    };
    let wanted = match options.directories.as_slice() {
        [] => all(),
        named => named.to_vec(),
    };
    let (mut entries, mut without_list) = (Vec::new(), Vec::new());
    for directory in wanted {
        match testlist::read(options.lists, &build.source, &build.folder, &directory)? {
            Some(list) => entries.extend(list),
            None if all().contains(&directory) || build.source.join(&directory).is_dir() => {
                without_list.push(directory);
            }
            None => return Err(format!("the suite has no directory {directory}")),
        }
    }
    Ok((entries, without_list))
}

fn choose(entries: Vec<Entry>, options: &Options, memory: &Memory) -> Vec<Entry> {
    let wanted = |entry: &Entry| {
        let line = entry.to_string();
        let failed = || matches!(memory.of(&line), Some(Outcome::Failed | Outcome::TimedOut));
        options.ranks_max.is_none_or(|most| entry.ranks <= most)
            && (options.filters.is_empty()
                || options.filters.iter().any(|text| line.contains(text)))
            && (!options.rerun_failed || failed())
    };
    let mut entries: Vec<Entry> = entries.into_iter().filter(wanted).collect();
    let mut seen = std::collections::HashSet::new();
    entries.retain(|entry| {
        seen.insert(match options.kinds {
            true => entry.kind(),
            false => entry.to_string(),
        })
    });
    entries
}

fn run_all<'a>(
    build: &Build,
    options: &Options,
    prefix: &Path,
    ours: bool,
    entries: &[&'a Entry],
    exceptions: &Exceptions,
) -> Result<Vec<(Counts, Done<'a>)>, String> {
    // Draws nothing where standard error is not a terminal.
    let bar = ProgressBar::new(entries.len() as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
    bar.set_style(style.map_err(|error| error.to_string())?);
    build.compile(entries, |what| match bar.is_hidden() {
        true => println!("{what}"),
        false => bar.set_message(what.to_owned()),
    })?;
    let runner = Runner {
        build,
        options,
        prefix,
        ours,
    };
    let starting = |entry: &Entry| bar.set_message(entry.to_string());
    let ended = |done: &Done| {
        let failed = matches!(done.outcome, Outcome::Failed | Outcome::TimedOut)
            && !exceptions.has(done.entry);
        if failed || options.verbose {
            let seconds = done.took.as_secs_f64();
            let line = match done.outcome {
                Outcome::Passed => format!("passed: {} ({seconds:.1} s)", done.entry),
                _ => format!("{}: {} ({seconds:.1} s)", done.entry, done.reason),
            };
            bar.suspend(|| println!("{line}"));
        }
        bar.inc(1);
    };
    let results = runner.run(entries, starting, ended);
    bar.finish_and_clear();
    let counted = results.into_iter().map(|mut done| {
        let passed = done.outcome == Outcome::Passed;
        if done.outcome == Outcome::NotApplicable {
            return (Counts::As(done.outcome), done);
        }
        match exceptions.reason(done.entry, passed) {
            Some(reason) if !passed => {
                done.reason = reason.to_owned();
                (Counts::Excepted, done)
            }
            _ => (Counts::As(done.outcome), done),
        }
    });
    Ok(counted.collect())
}

/// Prints what failed and the table; whether all is well.
fn conclude(
    results: &[(Counts, Done)],
    exceptions: &Exceptions,
    without_list: &[String],
    others: &[(String, Memory)],
) -> bool {
    let count = |wanted: &[Outcome]| {
        let counts = results.iter().map(|(counts, _)| counts);
        counts
            .filter(|counts| {
                wanted
                    .iter()
                    .any(|outcome| **counts == Counts::As(*outcome))
            })
            .count()
    };
    for (counts, done) in results {
        if !matches!(counts, Counts::As(Outcome::Failed | Outcome::TimedOut)) {
            continue;
        }
        println!("==== {}: {}", done.entry, done.reason);
        for (name, memory) in others {
            match memory.of(&done.entry.to_string()) {
                Some(Outcome::Failed | Outcome::TimedOut) => println!("it fails on {name} too"),
                Some(Outcome::Passed) => println!("it passes on {name}"),
                _ => {}
            }
        }
        println!("{}", done.details.trim_end());
    }
    println!("the slowest:");
    print!("{}", report::slowest(results, 10));
    print!("{}", report::table(results));
    for directory in without_list {
        println!("{directory}: nothing to run, this version of the suite has no test list there");
    }
    let outdated: Vec<&str> = exceptions.outdated().collect();
    for test in &outdated {
        println!("{test} passes: it has to leave exceptions.toml");
    }
    let failed = count(&[Outcome::Failed, Outcome::TimedOut]) + outdated.len();
    println!("{} passed, {failed} failed", count(&[Outcome::Passed]));
    failed == 0
}
