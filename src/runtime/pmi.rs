//! PMI-1, the wire protocol of Hydra and Slurm: lines of `key=value` over the descriptor `PMI_FD`.

use super::launcher::variable;
use super::manager::{self, Tie};
use crate::error::Result;
use crate::{bail, err};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, FromRawFd};
use std::os::unix::net::UnixStream;

/// The connection to the process manager.
pub struct Pmi {
    stream: BufReader<UnixStream>,
    space: String,
    pub rank: u32,
    pub ranks: u32,
    /// The process id of the process manager; 0 if that is not known.
    pub manager: libc::pid_t,
    /// The process manager was told that this rank is done, and listens no more.
    over: bool,
}

impl Pmi {
    /// Connects as `PMI_FD`, `PMI_RANK` and `PMI_SIZE` say; `None` if there is no `PMI_FD`.
    pub fn from_env() -> Result<Option<Pmi>> {
        let Some(fd) = variable("PMI_FD") else {
            return Ok(None);
        };
        let number = |name: &str| -> Result<u32> {
            let text =
                variable(name).ok_or_else(|| err!(Other, "PMI_FD is set but {name} is not"))?;
            text.parse()
                .map_err(|_| err!(Other, "{name} is \"{text}\", not a number"))
        };
        let (rank, ranks) = (number("PMI_RANK")?, number("PMI_SIZE")?);
        let fd: i32 = fd
            .parse()
            .map_err(|_| err!(Other, "PMI_FD is \"{fd}\", not a descriptor"))?;
        // What this rank starts has nothing to say to the process manager.
        let keep = FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC);
        if fcntl(unsafe_borrow(fd), keep).is_err() {
            bail!(
                Other,
                "PMI_FD is {fd}, which is not open: the process manager's connection was not inherited"
            );
        }
        // SAFETY: the process manager made the descriptor for us, and nobody else in the process uses it.
        let stream = unsafe { UnixStream::from_raw_fd(fd) };
        let mut pmi = Pmi {
            manager: manager::at_other_end(stream.as_fd()),
            stream: BufReader::new(stream),
            space: String::new(),
            rank,
            ranks,
            over: false,
        };
        pmi.ask(
            "cmd=init pmi_version=1 pmi_subversion=1",
            "response_to_init",
        )?;
        let answer = pmi.ask("cmd=get_my_kvsname", "my_kvsname")?;
        pmi.space = value(&answer, "kvsname")?.to_string();
        Ok(Some(pmi))
    }

    /// Sends a line and reads the answer, which must begin with `cmd=` and the name given.
    fn ask(&mut self, line: &str, expected: &str) -> Result<String> {
        Tie::loosen(self.stream.get_ref().as_fd());
        let answer = self.ask_untied(line, expected);
        if !self.over {
            Tie::tighten(self.stream.get_ref().as_fd());
        }
        answer
    }

    fn ask_untied(&mut self, line: &str, expected: &str) -> Result<String> {
        self.send(line)?;
        let mut answer = String::new();
        let lost = |what: String| {
            err!(
                Other,
                "the process manager's connection (PMI) failed after \"{line}\": {what}"
            )
        };
        match self.stream.read_line(&mut answer) {
            Ok(0) => return Err(lost("it was closed".into())),
            Ok(_) => {}
            Err(e) => return Err(lost(e.to_string())),
        }
        let answer = answer.trim_end().to_string();
        let good = value(&answer, "cmd")? == expected && value(&answer, "rc").unwrap_or("0") == "0";
        if good {
            Ok(answer)
        } else {
            Err(lost(format!("it answered \"{answer}\"")))
        }
    }

    fn send(&mut self, line: &str) -> Result<()> {
        let sent = self
            .stream
            .get_mut()
            .write_all(format!("{line}\n").as_bytes());
        sent.map_err(|e| err!(Other, "the process manager's connection (PMI) failed: {e}"))
    }

    /// Publishes a value for the others, to be seen after the next [`Pmi::barrier`].
    pub fn put(&mut self, key: &str, value: &str) -> Result<()> {
        let line = format!("cmd=put kvsname={} key={key} value={value}", self.space);
        self.ask(&line, "put_result").map(drop)
    }

    pub fn get(&mut self, key: &str) -> Result<String> {
        let line = format!("cmd=get kvsname={} key={key}", self.space);
        let answer = self.ask(&line, "get_result")?;
        value(&answer, "value").map(str::to_string)
    }

    /// Waits until all ranks are here.
    pub fn barrier(&mut self) -> Result<()> {
        self.ask("cmd=barrier_in", "barrier_out").map(drop)
    }

    pub fn appnum(&mut self) -> Option<i32> {
        let answer = self.ask("cmd=get_appnum", "appnum").ok()?;
        value(&answer, "appnum").ok()?.parse().ok()
    }

    /// Tells the process manager that this rank is done with it.
    pub fn finalize(&mut self) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        // The job is over: a manager that has gone away already changes nothing.
        let _ = self.ask("cmd=finalize", "finalize_ack");
    }

    /// Asks the process manager to end the job.
    pub fn abort(&mut self, status: i32) {
        if !self.over {
            // The process ends with its own status, not by the manager's end.
            Tie::loosen(self.stream.get_ref().as_fd());
            let _ = self.send(&format!("cmd=abort exitcode={status}"));
        }
    }
}

fn unsafe_borrow(fd: i32) -> std::os::fd::BorrowedFd<'static> {
    // SAFETY: only one of its flags is set; a closed descriptor gives an error.
    unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) }
}

/// The value of `key` in a line; it ends at the next blank.
fn value<'a>(line: &'a str, key: &str) -> Result<&'a str> {
    let found = line
        .split(' ')
        .find_map(|field| field.strip_prefix(key)?.strip_prefix('='));
    found.ok_or_else(|| {
        err!(
            Other,
            "the process manager (PMI) answered \"{line}\" without {key}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_whole_key() {
        let line = "cmd=get_result rc=0 msg=success value=a=b";
        assert_eq!(value(line, "value").unwrap(), "a=b");
        assert_eq!(value(line, "rc").unwrap(), "0");
        assert!(value(line, "c").is_err());
    }
}
