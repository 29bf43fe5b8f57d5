//! Running the jobs, turn about.

use crate::Options;
use crate::libraries::{LIMIT, Program};
use crate::results::{Key, Results};
use crate::steps;
use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// The families and the numbers of ranks they run with.
const JOBS: [(&str, &[usize]); 19] = [
    ("latency", &[2]),
    ("rate", &[2]),
    ("types", &[2]),
    ("accumulate", &[2]),
    ("atomics", &[2]),
    ("locks", &[2, 32]),
    ("contended", &[2, 8]),
    ("epochs", &[2, 8, 32]),
    ("windows", &[2, 8]),
    ("progress", &[2]),
    ("bandwidth", &[2]),
    ("idle", &[2]),
    ("memory", &[8]),
    ("messages", &[2]),
    ("collectives", &[2, 8]),
    ("own_memory", &[2, 8]),
    ("files", &[4]),
    (steps::FAMILY, &[2, 8]),
    ("nothing", &[2, 8, 32]),
];

/// The families.
pub fn families() -> Vec<&'static str> {
    JOBS.iter().map(|(family, _)| *family).collect()
}

/// Runs everything that `options` ask for.
pub fn run(
    options: &Options,
    programs: &[Program],
    after_round: impl Fn(&Results) -> Result<(), String>,
) -> Result<Results, String> {
    let seconds = if options.quick { 0.005 } else { 0.05 };
    let patience = Duration::from_secs(if options.quick { 20 } else { 60 });
    let mut results = Results::default();
    let mut given_up = BTreeSet::new();
    for round in 0..options.rounds {
        for (family, counts) in JOBS {
            let named = options.families.iter().any(|f| f == family);
            // The sweep over every size takes as long as all others together.
            let by_itself = options.families.is_empty() && family != steps::FAMILY;
            if !named && !by_itself {
                continue;
            }
            for &ranks in counts {
                if options.quick && ranks > 8 {
                    continue;
                }
                for turn in 0..programs.len() {
                    // Who begins changes, so that nobody always comes after the same neighbour.
                    let program = &programs[(turn + round) % programs.len()];
                    if !program.runs(family) || given_up.contains(&(family, ranks, program.name)) {
                        continue;
                    }
                    eprint!(
                        "\r\x1b[Kround {}/{}: {family}, {ranks} ranks, {}",
                        round + 1,
                        options.rounds,
                        program.name
                    );
                    let command = program.command(family, ranks, seconds);
                    if let Err(why) =
                        one(command, family, ranks, program.name, patience, &mut results)
                    {
                        given_up.insert((family, ranks, program.name));
                        results.failed(family, ranks, program.name, why);
                    }
                }
            }
        }
        eprint!("\r\x1b[K");
        after_round(&results)?;
    }
    Ok(results)
}

/// Runs one job and reads its results; on failure, why there are no more of them.
fn one(
    mut command: Command,
    family: &'static str,
    ranks: usize,
    program: &'static str,
    patience: Duration,
    results: &mut Results,
) -> Result<(), String> {
    let begin = Instant::now();
    // A process group of its own, so that all of it can be ended.
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|e| format!("cannot be run: {e}"))?;
    let output = reader(child.stdout.take().expect("it was asked for"));
    let errors = reader(child.stderr.take().expect("it was asked for"));
    let status = child.wait_timeout(patience).map_err(|e| e.to_string())?;
    let took = begin.elapsed();
    if status.is_none() {
        end(child.id());
        let _ = child.wait();
    }
    let text = output.join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    let mut last = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["result", case, x, unit, value] = words[..]
            && let (Ok(x), Ok(value)) = (x.parse(), value.parse())
        {
            let key = Key {
                family,
                case: case.to_string(),
                x,
                ranks,
            };
            last = format!(" after {case} {x}");
            results.add(key, unit, program, value);
        }
    }
    // What the benchmark itself found: wrong data.
    let found = errors.lines().find_map(|line| line.strip_prefix("bench: "));
    let found = found.map_or(String::new(), |line| format!(": {line}"));
    match status {
        None => Err(format!("no end in {} s{last}", patience.as_secs())),
        // The bare machine's program has nothing to say about some families.
        Some(status) if !status.success() => Err(format!("{status}{last}{found}")),
        Some(_) => {
            if family == "nothing" {
                let key = Key {
                    family,
                    case: "job".into(),
                    x: 0,
                    ranks,
                };
                results.add(key, "ms", program, took.as_secs_f64() * 1e3);
            } else if text.is_empty() && program != LIMIT {
                return Err("printed nothing".into());
            }
            Ok(())
        }
    }
}

/// Reads all that a job prints.
fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A job that was ended may have printed half a line: what came before counts.
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Ends a job that takes too long: its launcher is asked first, so that it can end the ranks.
fn end(leader: u32) {
    for signal in ["-TERM", "-KILL"] {
        let _ = Command::new("kill")
            .args([signal, "--", &format!("-{leader}")])
            .stderr(Stdio::null())
            .status();
        std::thread::sleep(Duration::from_millis(500));
    }
}
