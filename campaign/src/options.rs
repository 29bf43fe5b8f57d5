//! The command line.

use crate::plan::{Kind, Plan, Work};
use lexopt::prelude::*;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

pub const USAGE: &str = "\
Usage: rmashm-campaign [options]
Runs random programs as jobs of 2 to 16 ranks, most of them under a fault, and judges results, ends and what is left.

  --prefix PREFIX       where rmashm is staged (default: build/)
  --seed N              what rounds there are (default: the time)
  --round N             this round alone, with its output
  --rounds N            so many rounds
  --seconds N           rounds for so long (default: 60)
  --first N             the number of the first round (default: 0)
  --fault NAME          only rounds with this fault: none, kill, launcher, terminate, stop, signals, descriptors, memory, leave,
                        interrupted, scarce, forbidden
  --work NAME           only rounds with programs of this kind: steps, spawns, threads, recovery
  --jobs N              so many rounds at a time (default: 1)
  --verbose             print each round as it ends
  --help                this text

A round that fails is printed with what repeats it. The last line is `N passed, N failed`, and the exit status 0 if none failed.
";

#[derive(Debug)]
pub struct Options {
    pub prefix: PathBuf,
    pub seed: u64,
    pub first: u64,
    pub rounds: Option<u64>,
    pub time: Duration,
    pub fault: Option<Kind>,
    pub work: Option<Work>,
    pub jobs: u64,
    pub verbose: bool,
}

impl Options {
    /// `None` if only the usage is asked for.
    pub fn parse(parser: lexopt::Parser) -> Result<Option<Options>, String> {
        Self::read(parser).map_err(|error| error.to_string())
    }

    fn read(mut parser: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let mut options = Options {
            prefix: PathBuf::from("build"),
            seed: now.as_secs(),
            first: 0,
            rounds: None,
            time: Duration::from_secs(60),
            fault: None,
            work: None,
            jobs: 1,
            verbose: false,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("prefix") => options.prefix = parser.value()?.into(),
                Long("seed") => options.seed = parser.value()?.parse()?,
                Long("first") => options.first = parser.value()?.parse()?,
                Long("rounds") => options.rounds = Some(parser.value()?.parse()?),
                Long("seconds") => options.time = Duration::from_secs(parser.value()?.parse()?),
                Long("round") => {
                    options.first = parser.value()?.parse()?;
                    options.rounds = Some(1);
                    options.verbose = true;
                }
                Long("fault") => {
                    options.fault = Some(parser.value()?.parse_with(|name| {
                        let mut all = Kind::ALL.into_iter().map(|(kind, _)| kind);
                        all.find(|kind| kind.name() == name).ok_or("no such fault")
                    })?);
                }
                Long("work") => {
                    options.work = Some(parser.value()?.parse_with(|name| {
                        let mut all = Work::ALL.into_iter();
                        all.find(|work| work.name() == name)
                            .ok_or("no such kind of program")
                    })?);
                }
                Long("jobs") => options.jobs = parser.value()?.parse::<u64>()?.max(1),
                Long("verbose") => options.verbose = true,
                Long("help") => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Some(options))
    }

    /// Whether such rounds are to be run.
    pub fn wants(&self, plan: &Plan) -> bool {
        self.fault.is_none_or(|fault| fault == plan.kind)
            && self.work.is_none_or(|work| work == plan.work)
    }
}
