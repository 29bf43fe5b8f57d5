//! `rmashm-top`: the jobs of this user on this machine, live. It reads what the library has in the job's segment for such as it
//! (`rmashm::seeing`), and what the kernel tells of the ranks' processes; the job notices nothing.

mod find;
mod json;
mod live;
mod look;
mod options;
mod process;
mod screen;
mod state;
mod tables;
mod terminal;
mod text;
mod words;

use find::{Job, Segment};
use look::{Look, Rates};
use options::{HELP, Mode, Options};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args_os().skip(1)) {
        Ok(options) => options,
        Err(wrong) => return fail(&format!("{wrong} (see rmashm-top -help)"), 2),
    };
    let done = match options.mode {
        Mode::Help => print(HELP),
        Mode::Version => print(&format!("rmashm-top of {}\n", rmashm::seeing::version())),
        Mode::Once | Mode::Json => once(&options),
        Mode::Live => watch(&options),
    };
    done.unwrap_or_else(|error| fail(&error, 1))
}

fn fail(sentence: &str, status: u8) -> ExitCode {
    eprintln!("rmashm-top: {sentence}");
    ExitCode::from(status)
}

/// Whoever reads may have had enough.
fn print(text: &str) -> Result<ExitCode, String> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The job that is asked for: by a process of it, or the only one. `None`: there are none or several.
fn chosen(pid: Option<u32>) -> Result<(Option<Job>, Vec<Job>), String> {
    let mut jobs = find::jobs();
    let at = match pid {
        Some(pid) => {
            let at = jobs.iter().position(|job| job.has(pid));
            Some(at.ok_or_else(|| {
                format!("process {pid} is of no job of this user that rmashm has started")
            })?)
        }
        None => (jobs.len() == 1).then_some(0),
    };
    Ok((at.map(|at| jobs.remove(at)), jobs))
}

fn once(options: &Options) -> Result<ExitCode, String> {
    let (job, jobs) = match &options.core {
        Some(path) => (Some(Job::dumped(path)?), Vec::new()),
        None => chosen(options.pid)?,
    };
    let is_json = options.mode == Mode::Json;
    let Some(job) = job else {
        return print(&match (is_json, jobs.is_empty()) {
            (true, _) => format!("{:#}\n", json::jobs(&jobs)),
            (false, true) => "no job of this user runs on this machine\n".into(),
            (false, false) => tables::jobs(&jobs).text(),
        });
    };
    let (look, rates) = look_twice(&job, options)?;
    print(&match is_json {
        true => format!("{:#}\n", json::job(&look, &rates)),
        false => text::job(&look, &rates),
    })
}

fn look_twice(job: &Job, options: &Options) -> Result<(Look, Vec<Rates>), String> {
    let look = || {
        let name = match options.core {
            Some(_) => "the job of the dump".to_string(),
            None => format!("job {}", job.pid),
        };
        Look::at(job).map_err(|error| match &job.segment {
            Segment::Other(maker) => {
                format!(
                    "{name} was begun by another build, {maker}, of sources that keep other things in a job's memory: use the rmashm-top of that"
                )
            }
            Segment::Open(_) => format!("{name} cannot be looked at: {error}"),
        })
    };
    let before = look()?;
    if options.delay.is_zero() {
        let rates = before.since(&before);
        return Ok((before, rates));
    }
    std::thread::sleep(options.delay);
    let now = look()?;
    let rates = now.since(&before);
    Ok((now, rates))
}

fn watch(options: &Options) -> Result<ExitCode, String> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err("this is no terminal: -once and -json print what there is to see".into());
    }
    let (job, _) = chosen(options.pid)?;
    let ended = live::run(job, options.delay).map_err(|error| format!("the terminal: {error}"))?;
    // As a shell says it of a program that a signal has ended.
    Ok(ended.map_or(ExitCode::SUCCESS, |signal| {
        ExitCode::from(128 + signal as u8)
    }))
}
