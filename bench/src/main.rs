//! `make bench`: one-sided communication on rmashm, on its peers from PyPI and on the bare machine.
//!
//! The same C program ([`bench/c`](../c)) is compiled against each MPI; `bench/limit.c` does the same work without any.
//! They run turn about, several times; what counts is the median, and the ratio of medians of one run. Written are a table
//! on standard output, and `marks.md`, `interfaces.md`, `table.md`, `results.csv` and a picture per family in `build/bench/`. Nothing here passes or
//! fails.

mod interfaces;
mod jobs;
mod libraries;
mod marks;
mod plot;
mod results;
/// The library's own, where they can be had alone.
#[path = "../../src/shm"]
mod shm {
    #[allow(dead_code)]
    pub mod copy;
}
mod steps;
mod table;
mod thresholds;

use results::Results;
use std::path::PathBuf;

const USAGE: &str = "\
usage: rmashm-bench [--quick] [--rounds N] [--families a,b] [--peers mpich,openmpi,intel] [--prefix DIR]
       rmashm-bench --from results.csv
  --quick      one round of short measurements, at most 8 ranks
  --rounds     how often each job is run (5)
  --families   only these; see bench/c/main.c. `sizes`, a sweep over every size that looks for steps, runs only if named
  --peers      compare with these only; `none` for none
  --prefix     where rmashm is staged (build)
  --from       nothing is run: shows results.csv of former runs (a,b: of both together)
  --thresholds only what the library's numbers that depend on the machine were chosen by; nothing else is run
";

/// What was measured. It is written after each round, too: a run that is stopped has measured something.
const CSV: &str = "results.csv";

/// What the command line asks for.
pub struct Options {
    quick: bool,
    rounds: usize,
    families: Vec<String>,
    peers: Vec<String>,
    prefix: PathBuf,
    from: Vec<String>,
}

impl Options {
    fn parse() -> Result<Options, lexopt::Error> {
        use lexopt::prelude::*;
        let list = |text: std::ffi::OsString| -> Result<Vec<String>, lexopt::Error> {
            Ok(text.string()?.split(',').map(str::to_string).collect())
        };
        let mut options = Options {
            quick: false,
            rounds: 0,
            families: Vec::new(),
            peers: libraries::PEERS.map(str::to_string).to_vec(),
            prefix: "build".into(),
            from: Vec::new(),
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("quick") => options.quick = true,
                Long("rounds") => options.rounds = parser.value()?.parse()?,
                Long("families") => options.families = list(parser.value()?)?,
                Long("peers") => options.peers = list(parser.value()?)?,
                Long("from") => options.from = list(parser.value()?)?,
                Long("thresholds") => {
                    thresholds::print();
                    std::process::exit(0);
                }
                Long("prefix") => options.prefix = parser.value()?.into(),
                Short('h') | Long("help") => {
                    print!("{USAGE}");
                    std::process::exit(0);
                }
                other => return Err(other.unexpected()),
            }
        }
        if options.rounds == 0 {
            options.rounds = if options.quick { 1 } else { 5 };
        }
        Ok(options)
    }
}

fn main() {
    let options = Options::parse().unwrap_or_else(|error| {
        eprint!("rmashm-bench: {error}\n{USAGE}");
        std::process::exit(2);
    });
    if let Err(error) = run(&options) {
        eprintln!("rmashm-bench: {error}");
        std::process::exit(1);
    }
}

fn run(options: &Options) -> Result<(), String> {
    let place = PathBuf::from("build/bench");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    };
    let (results, names) = match options.from.is_empty() {
        true => {
            let programs = libraries::prepare(options, &place)?;
            let results = jobs::run(options, &programs, |results| {
                write(CSV, &table::csv(results))
            })?;
            let names = programs.iter().map(|program| program.name);
            (results, names.collect::<Vec<_>>())
        }
        false => former(options)?,
    };
    let interfaces = interfaces::markdown(&results);
    // They are no other libraries: no columns and no lines of their own.
    let names: Vec<&str> = names
        .into_iter()
        .filter(|name| !interfaces::names().any(|other| other == *name))
        .collect();
    let table = table::markdown(&results, &names);
    let marks = table::marks(&results);
    print!("{table}\n### marks\n\n{marks}");
    if !interfaces.is_empty() {
        println!("\n### interfaces\n\n{interfaces}");
        write("interfaces.md", &interfaces)?;
    }
    let steps = steps::markdown(&results, &names);
    if !steps.is_empty() {
        println!("\n### steps\n\n{steps}");
        write("steps.md", &steps)?;
    }
    write("table.md", &table)?;
    write("marks.md", &marks)?;
    write(CSV, &table::csv(&results))?;
    plot::all(&results, &names, &place)?;
    println!(
        "\n{}: marks.md, interfaces.md, table.md, results.csv and the pictures",
        place.display()
    );
    Ok(())
}

/// What former runs have measured, and the programs that there may be.
fn former(options: &Options) -> Result<(Results, Vec<&'static str>), String> {
    let mut names = vec![libraries::OURS];
    names.extend(interfaces::names());
    names.extend(libraries::PEERS);
    names.push(libraries::LIMIT);
    let mut results = Results::default();
    for path in &options.from {
        let csv = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        results.read(&csv, &jobs::families(), &names);
    }
    Ok((results, names))
}
