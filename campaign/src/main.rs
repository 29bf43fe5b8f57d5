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
use round::Done;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};
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
    let numbers = Numbers::new(options);
    let mut tally = Tally::default();
    let (sender, rounds) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            let (sender, programs, numbers) = (sender.clone(), &programs, &numbers);
            scope.spawn(move || run_rounds(options, programs, numbers, &sender));
        }
        drop(sender);
        for (number, plan, done) in rounds {
            let done = done?;
            if options.verbose || !done.complaints.is_empty() {
                println!("{}", done.report(options.seed, number, &plan));
            }
            tally.add(&plan, &done);
        }
        Ok::<(), String>(())
    })?;
    print!("{tally}");
    Ok(tally.failed() == 0)
}

/// A round's number, what it was, and what came of it.
type Outcome = (u64, Plan, Result<Done, String>);

/// Runs rounds until there are no more of them, or nobody listens.
fn run_rounds(options: &Options, programs: &Programs, numbers: &Numbers, sender: &Sender<Outcome>) {
    while let Some(number) = numbers.next() {
        let plan = Plan::new(options.seed, number);
        if options.wants(&plan) {
            let done = round::run(programs, number, &plan);
            if sender.send((number, plan, done)).is_err() {
                return;
            }
        }
    }
}

/// The numbers of the rounds.
struct Numbers {
    next: AtomicU64,
    /// There are so many, if that is known.
    end: Option<u64>,
    start: Instant,
    time: Duration,
}

impl Numbers {
    fn new(options: &Options) -> Numbers {
        let rounds = options.rounds;
        Numbers {
            next: AtomicU64::new(options.first),
            end: rounds.map(|rounds| options.first.saturating_add(rounds)),
            start: Instant::now(),
            time: options.time,
        }
    }

    fn next(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let is_over = match self.end {
            Some(end) => number >= end,
            None => self.start.elapsed() >= self.time,
        };
        (!is_over).then_some(number)
    }
}
