//! What `MPI_INFO_ENV` and `MPI_Info_create_env` tell (MPI 4.1 §10, §11.2.1).

use super::Info;
use crate::errhandler::initial;
use crate::runtime;
use std::os::unix::ffi::OsStrExt;

/// The environment of this process, the same at any time. There is no `thread_level`: that is what was asked for before the
/// program was started, and nothing asks for it there.
pub fn environment() -> Info {
    let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words: Vec<&[u8]> = command.split(|&byte| byte == 0).collect();
    // The last word is the nothing behind the last zero.
    of_arguments(&words[..words.len() - 1])
}

/// The same for a program that was started with these arguments, the first of which is its name.
pub fn of_arguments(arguments: &[&[u8]]) -> Info {
    let mut info = Info::new();
    if let Some((command, rest)) = arguments.split_first() {
        info.set("command", command);
        info.set("argv", rest.join(&b' '));
    }
    if let Some(processes) = processes() {
        info.set("maxprocs", processes.to_string());
    }
    if let Ok(host) = nix::unistd::gethostname() {
        info.set("host", host.as_bytes());
    }
    info.set(super::kinds::SUPPORTED, super::kinds::world());
    if let Some(name) = initial::requested() {
        info.set(initial::KEY, name);
    }
    info.set("arch", std::env::consts::ARCH);
    if let Ok(directory) = std::env::current_dir() {
        info.set("wdir", directory.as_os_str().as_bytes());
    }
    info
}

/// How many processes were started together to run this program: also before MPI_Init, and after MPI_Finalize. A process manager tells
/// only how many run all programs of a command line, before MPI_Init, or nothing.
fn processes() -> Option<u32> {
    match runtime::try_job() {
        Some(job) => Some(job.appsize()),
        None => runtime::appsize(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_command_and_argv() {
        let info = of_arguments(&[b"./a.out", b"-n", b"5"]);
        assert_eq!(info.get("command"), Some("./a.out"));
        assert_eq!(info.get("argv"), Some("-n 5"));
        assert_eq!(info.get("arch"), Some(std::env::consts::ARCH));
    }

    #[test]
    fn the_environment_knows_this_program() {
        let info = environment();
        let first = std::env::args().next().unwrap();
        assert_eq!(info.get("command"), Some(&*first));
        assert!(info.get("wdir").is_some());
    }
}
