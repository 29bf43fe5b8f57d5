//! The connection to a process manager that speaks PMI-1 or PMI-2: the socket `PMI_FD`.

use super::super::manager::{self, Tie};
use crate::error::{Error, Result};
use crate::{bail, err};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::socket::{MsgFlags, SockType, getsockopt, send, sockopt};
use std::io::{BufRead, BufReader, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd};
use std::os::unix::net::UnixStream;

/// Far more than a manager says in one line.
const LONGEST_LINE: u64 = 1 << 16;
/// Digits of the length that is before a packet.
const DIGITS: usize = 6;

/// The connection to the process manager.
pub(super) struct Connection {
    stream: BufReader<UnixStream>,
    /// The process id of the process manager; 0 if that is not known.
    pub manager: libc::pid_t,
}

impl Connection {
    /// Takes the descriptor that `PMI_FD` names.
    pub fn open(fd: &str) -> Result<Connection> {
        let fd: i32 = fd
            .parse()
            .map_err(|_| err!(Other, "PMI_FD is \"{fd}\", not a descriptor"))?;
        // SAFETY: a closed descriptor gives an error, and what is asked and changed is a property of it alone.
        let named = unsafe { BorrowedFd::borrow_raw(fd.max(0)) };
        // What this rank starts has nothing to say to the process manager.
        let keep = FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC);
        if fd < 0 || getsockopt(&named, sockopt::SockType) != Ok(SockType::Stream) {
            bail!(
                Other,
                "PMI_FD is {fd}, which is no open connection: the process manager's was not inherited"
            );
        }
        let _ = fcntl(named, keep);
        // SAFETY: the process manager made the descriptor for us, and nobody else in the process uses it.
        let stream = unsafe { UnixStream::from_raw_fd(fd) };
        Ok(Connection {
            manager: manager::at_other_end(stream.as_fd()),
            stream: BufReader::new(stream),
        })
    }

    /// One of which all that will ever be heard is this.
    #[cfg(test)]
    pub fn with(said: &[u8]) -> Connection {
        use std::io::Write;
        use std::os::fd::IntoRawFd;
        let (mut theirs, ours) = UnixStream::pair().unwrap();
        theirs.write_all(said).unwrap();
        Connection::open(&ours.into_raw_fd().to_string()).unwrap()
    }

    /// Sends `words`, and hears and judges the answer by `hear`. The tie to the manager is loosened as long, and stays so after
    /// an error: this process ends by that, and says why.
    pub fn ask<T>(
        &mut self,
        words: &str,
        hear: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        let answer = self.ask_loosely(words, hear)?;
        Tie::tighten(self.stream.get_ref().as_fd());
        Ok(answer)
    }

    /// The same, where the tie stays loose in any case: another question follows.
    pub fn ask_loosely<T>(
        &mut self,
        words: &str,
        hear: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        self.loosen();
        self.tell(words)?;
        hear(self)
    }

    /// From now on this process does not end with the manager.
    pub fn loosen(&self) {
        Tie::loosen(self.stream.get_ref().as_fd());
    }

    /// Sends `words`, whole.
    pub fn tell(&mut self, words: &str) -> Result<()> {
        let mut rest = words.as_bytes();
        while !rest.is_empty() {
            // The end of the manager is an error, not a signal that kills.
            match send(
                self.stream.get_ref().as_raw_fd(),
                rest,
                MsgFlags::MSG_NOSIGNAL,
            ) {
                Ok(sent) => rest = &rest[sent..],
                Err(nix::Error::EINTR) => {}
                Err(nix::Error::EPIPE) => {
                    return Err(lost(
                        "it is closed, as after the MPI_Finalize of an earlier program: one launcher runs one MPI program \
                         per rank",
                    ));
                }
                Err(e) => return Err(lost(e)),
            }
        }
        Ok(())
    }

    /// The next line, without its end.
    pub fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        let mut bounded = (&mut self.stream).take(LONGEST_LINE);
        bounded.read_line(&mut line).map_err(lost)?;
        match line.pop() {
            Some('\n') => Ok(line.trim_end().to_string()),
            None => Err(lost("it was closed")),
            Some(_) => Err(lost(format_args!(
                "an answer of {} bytes has no end",
                line.len() + 1
            ))),
        }
    }

    /// The next packet's words. Its length is in digits and blanks, on either side.
    pub fn packet(&mut self) -> Result<String> {
        let mut length = [0; DIGITS];
        let mut exactly = |bytes: &mut [u8]| {
            let closed = |_| lost("it was closed");
            self.stream.read_exact(bytes).map_err(closed)
        };
        exactly(&mut length)?;
        let length = String::from_utf8_lossy(&length);
        let bytes: Option<usize> = length.trim().parse().ok();
        let bytes = bytes.ok_or_else(|| lost(format_args!("\"{length}\" is no length")))?;
        let mut words = vec![0; bytes];
        exactly(&mut words)?;
        String::from_utf8(words).map_err(lost)
    }
}

/// Why nothing more is heard of the manager.
fn lost(why: impl std::fmt::Display) -> Error {
    err!(
        Other,
        "the process manager's connection (PMI) failed: {why}"
    )
}

/// The manager has answered what makes no sense.
pub(super) fn nonsense(question: &str, answer: &str) -> Error {
    err!(
        Other,
        "the process manager (PMI) answered \"{}\" to \"{}\"",
        short(answer),
        short(question.trim_end())
    )
}

/// The beginning of what may be long.
fn short(words: &str) -> String {
    let beginning: String = words.chars().take(200).collect();
    match beginning.len() < words.len() {
        true => beginning + "…",
        false => beginning,
    }
}
