//! A campaign: random programs as jobs, most of them under a fault. Without one that ends the job each result is right and the
//! status 0; with one the job ends soon, with the right status and a sentence. Nothing is left of either.
//!
//! `worker/` is the program, whose ranks all draw the same plan; `injector.c` is preloaded into it and makes system calls fail.
//! `make campaign` is the usual way to start this; `--help` tells the options. A round is told by the seed and its number.

mod build;
mod injected;
mod options;
mod plan;
mod round;
mod strike;
mod tally;
mod verdict;

use build::Programs;
use options::Options;
use plan::Plan;
use std::process::ExitCode;
use std::time::Instant;
use tally::Tally;

fn main() -> ExitCode {
    let options = match Options::parse(lexopt::Parser::from_env()) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{}", options::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(text) => {
            eprintln!("rmashm-campaign: {text} (--help tells the options)");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("rmashm-campaign: {text}");
            ExitCode::FAILURE
        }
    }
}

/// Whether no round failed.
fn run(options: &Options) -> Result<bool, String> {
    let programs = Programs::build(&options.prefix)?;
    println!("seed {}", options.seed);
    let start = Instant::now();
    let mut tally = Tally::default();
    let mut number = options.first;
    let is_over = |number: u64| match options.rounds {
        Some(rounds) => number >= options.first.saturating_add(rounds),
        None => start.elapsed() >= options.time,
    };
    while !is_over(number) {
        let plan = Plan::new(options.seed, number);
        if options.only.is_none_or(|only| only == plan.kind) {
            let done = round::run(&programs, &plan)?;
            if options.verbose || !done.complaints.is_empty() {
                println!("{}", done.report(options.seed, number, &plan));
            }
            tally.add(&plan, &done);
        }
        number += 1;
    }
    print!("{tally}");
    Ok(tally.failed() == 0)
}
