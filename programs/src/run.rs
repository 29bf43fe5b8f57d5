//! `rmashm-run`: leads a program to the library of its interface, as `mpiexec` does its ranks, and becomes it. For processes that other
//! launchers start.

use crate::finding::{self, Refusal};
use crate::folder_of_names;
use crate::leading::{self, Choice, Lead};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// What `-h` prints; `rmashm-run(1)` is made of it, too.
const HELP: &str = include_str!("rmashm-run.txt");

const MISUSE: u8 = 2;

/// What the command line asks for.
struct Request {
    verbose: bool,
    choice: Choice,
    /// The program and its arguments.
    words: Vec<OsString>,
}

pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.first().and_then(|word| word.to_str()) {
        Some("-h" | "-help" | "--help") => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some("-V" | "-version" | "--version") => {
            println!("rmashm-run (rmashm) {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let refusal = match parse(words) {
        Ok(request) => become_program(&request),
        Err(text) => Refusal {
            text,
            status: MISUSE,
        },
    };
    say(&refusal.text);
    ExitCode::from(refusal.status)
}

fn parse(words: Vec<OsString>) -> Result<Request, String> {
    let mut request = Request {
        verbose: false,
        choice: Choice::default(),
        words: Vec::new(),
    };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("-v" | "-verbose" | "--verbose") => request.verbose = true,
            Some("-abi" | "--abi") => {
                let name = words.next().ok_or("-abi needs the name of an interface")?;
                request.choice = Choice::parse("-abi", &name)?;
            }
            Some(option) if option.starts_with("--abi=") => {
                request.choice = Choice::parse("-abi", option["--abi=".len()..].as_ref())?;
            }
            Some("--") => {
                request.words = words.collect();
                break;
            }
            Some(option) if option.starts_with('-') => {
                return Err(format!(
                    "{option} is not known; rmashm-run -h lists what is"
                ));
            }
            _ => {
                request.words = std::iter::once(word).chain(words).collect();
                break;
            }
        }
    }
    match request.words.is_empty() {
        true => Err("there is no program; rmashm-run -h tells more".into()),
        false => Ok(request),
    }
}

/// Comes back only where that cannot be.
fn become_program(request: &Request) -> Refusal {
    let name = &request.words[0];
    let (file, variables, lead) = match prepare(request) {
        Ok(prepared) => prepared,
        Err(refusal) => return refusal,
    };
    if request.verbose {
        for line in account(name, &lead) {
            say(&line);
        }
    }
    let mut command = Command::new(&file);
    command.arg0(name).args(&request.words[1..]);
    let error = command.env_clear().envs(variables).exec();
    Refusal {
        text: format!("program '{}' cannot be run: {error}", name.display()),
        status: 126,
    }
}

type Variables = BTreeMap<OsString, OsString>;

fn prepare(request: &Request) -> Result<(OsString, Variables, Lead), Refusal> {
    let name = &request.words[0];
    let path = std::env::var_os("PATH");
    let file = finding::find(name, None, None, path.as_deref())?;
    if folder_of_names().is_none() && request.choice != Choice::Untouched {
        let text = "this tool is in no prefix of rmashm: there is no ../lib/rmashm beside it";
        return Err(Refusal::from(text.to_string()));
    }
    let mut variables: Variables = std::env::vars_os().collect();
    let lead = leading::lead(&mut variables, request.choice, &file, name)?;
    Ok((file.into(), variables, lead))
}

/// What was found, and what was done, in sentences.
fn account(name: &OsStr, lead: &Lead) -> Vec<String> {
    let shown = name.display();
    let found = match &lead.program {
        None => format!(
            "'{shown}' is no program with libraries (a script?): what it starts is led by the path"
        ),
        Some(program) => match program.interface() {
            Some((library, interface)) => {
                let title = interface.title();
                format!("'{shown}' asks for {title} ({library})")
            }
            None => {
                format!(
                    "'{shown}' asks for no MPI library by itself: one that it loads later is found by the path"
                )
            }
        },
    };
    let begins = |variable: &str, with: &Path| format!("{variable} begins with {}", with.display());
    let mut lines = vec![found];
    lines.extend(
        lead.folder
            .iter()
            .map(|folder| begins("LD_LIBRARY_PATH", folder)),
    );
    lines.extend(
        lead.first
            .iter()
            .map(|library| begins("LD_PRELOAD", library)),
    );
    if lead.folder.is_none() {
        lines.push("nothing of its environment is changed".into());
    }
    lines
}

fn say(text: &str) {
    eprintln!("rmashm-run: {text}");
}
