//! `mpiexec`: starts an MPI program as N ranks on this machine, and watches over them.
//!
//! `arguments` and `values` make a `request` of the command line, by the table in `options`; `launch` makes the job's segment and
//! starts the ranks (`program`, `interfaces`, `environment`, `binding`, `spawn`); `supervise` is the event loop, with `signals` and `output`;
//! `verdict` decides what the end of a rank means, in the words of `report`, with `quitters` for those that leave without a word
//! and `standstill` for ranks that can never go on, which `readings` tell, and `places` where they are; `observed` tells what the ranks did,
//! `checked` what they did wrong;
//! `keeper` ends what is left if the launcher itself is killed. `helper` is another beginning: for a job that another launcher has started, or none,
//! it starts what that asks for, which is `later`'s. `join` starts ranks in a job that another launcher has begun, and
//! `neighbours` hears of those that others have started. By other names the program is another tool, [`programs::tool`].
//!
//! The launcher has one thread. It shares with the ranks only the job segment's process table.

mod alike;
mod arguments;
mod binding;
mod checked;
mod environment;
mod foreign;
mod helper;
mod hosts;
mod join;
mod keeper;
mod later;
mod launch;
mod naming;
mod neighbours;
mod observed;
mod options;
mod output;
mod places;
mod quitters;
mod readings;
mod report;
mod request;
mod signals;
mod spawn;
mod standstill;
mod supervise;
mod values;
mod verdict;

use std::ffi::{CString, OsStr};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use arguments::Command;
use request::Request;
use rmashm::launching;

/// The exit status for a command line that makes no sense.
const MISUSE: u8 = 2;

fn main() -> ExitCode {
    let called = std::env::args_os().next().unwrap_or_default();
    if let Some(tool) = programs::tool(&called) {
        return tool();
    }
    keep_name(&called);
    std::process::exit(run().into())
}

/// The system shows the process by the name that it was called by, also where that is a program that has become this one, as in
/// the wheel.
fn keep_name(called: &OsStr) {
    let name = Path::new(called).file_name().unwrap_or_default();
    if let Ok(name) = CString::new(name.as_encoded_bytes()) {
        let _ = nix::sys::prctl::set_name(&name);
    }
}

fn run() -> u8 {
    let mut words = std::env::args_os().skip(1);
    if words
        .next()
        .is_some_and(|word| word == launching::starter::WORD)
    {
        return helper::serve(words.next());
    }
    let mut request = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Command::Help) => return print(&options::help()),
        Ok(Command::Version) => {
            return print(&version());
        }
        Ok(Command::Run(request)) => request,
        Err(text) => return refuse(&text, MISUSE),
    };
    if request.timeout.is_none()
        && let Some(value) = std::env::var_os("MPIEXEC_TIMEOUT").filter(|value| !value.is_empty())
    {
        match values::seconds("MPIEXEC_TIMEOUT", &value) {
            Ok(timeout) => request.timeout = timeout,
            Err(text) => return refuse(&text, MISUSE),
        }
    }
    if let Err(text) = ask_environment(&mut request) {
        return refuse(&text, MISUSE);
    }
    if let Err(text) = join::ask_environment(&mut request) {
        return refuse(&text, MISUSE);
    }
    if let Err(text) = checked::ask_environment(&mut request) {
        return refuse(&text, MISUSE);
    }
    if let Err(text) = observed::ask_environment(&mut request) {
        return refuse(&text, MISUSE);
    }
    match launch::launch(&request) {
        Ok(launched) => supervise::supervise(&request, launched),
        Err(refusal) => refuse(&refusal.text, refusal.status),
    }
}

/// What happens in a deadlock, where only the environment says it.
fn ask_environment(request: &mut Request) -> Result<(), String> {
    if request.deadlock.is_none()
        && let Some(value) = std::env::var_os("RMASHM_DEADLOCK").filter(|value| !value.is_empty())
    {
        request.deadlock = Some(values::deadlock("RMASHM_DEADLOCK", &value)?);
    }
    Ok(())
}

/// The version, and the interfaces whose programs can be started.
fn version() -> String {
    let mut text = format!("mpiexec (rmashm) {}\n", launching::version());
    let Some(folder) = programs::folder_of_names() else {
        return text;
    };
    for interface in programs::Interface::ALL {
        let libraries = interface.libraries().iter();
        let here: Vec<&str> = libraries
            .copied()
            .filter(|name| folder.join(name).exists())
            .collect();
        if !here.is_empty() {
            let (name, title, list) = (interface.name(), interface.title(), here.join(", "));
            text += &format!("{name}: {title} ({list}");
            for (language, library) in interface.other_languages() {
                if folder.join(library).exists() {
                    text += &format!("; {language}: {library}");
                }
            }
            text += ")\n";
        }
    }
    text
}

fn print(text: &str) -> u8 {
    // Whoever closed our stdout does not want the rest.
    let _ = std::io::stdout().write_all(text.as_bytes());
    0
}

fn refuse(text: &str, status: u8) -> u8 {
    let _ = writeln!(std::io::stderr(), "mpiexec: {text}");
    status
}
