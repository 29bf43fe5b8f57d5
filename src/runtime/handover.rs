//! Handing the job segment to the other ranks under a foreign launcher: rank 0 listens on a Unix socket in the abstract
//! name space (nothing is left in a directory), the others connect, and get the descriptor as a message's passenger.

use crate::error::Result;
use crate::{bail, err};
use nix::sys::socket::{
    AddressFamily, Backlog, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType,
    UnixAddr, accept4, bind, connect, getsockopt, listen, recvmsg, sendmsg, socket, sockopt,
};
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Rank 0's end: listens before the name is published.
pub struct Host {
    socket: OwnedFd,
    pub name: String,
}

impl Host {
    pub fn open() -> Result<Host> {
        let name = format!("rmashm-{}-{:016x}", std::process::id(), random());
        let failed = |e| err!(Other, "no Unix socket to hand the job segment over: {e}");
        let socket = stream_socket().map_err(failed)?;
        let address = UnixAddr::new_abstract(name.as_bytes()).map_err(failed)?;
        bind(socket.as_raw_fd(), &address).map_err(failed)?;
        listen(&socket, Backlog::MAXCONN).map_err(failed)?;
        Ok(Host { socket, name })
    }

    /// Gives `segment` to `guests` processes of the same user; others are turned away.
    pub fn serve(&self, segment: BorrowedFd<'_>, guests: u32) -> Result<()> {
        let mut served = 0;
        while served < guests {
            let guest = match accept4(self.socket.as_raw_fd(), SockFlag::SOCK_CLOEXEC) {
                // SAFETY: accept4 has just made the descriptor for us.
                Ok(fd) => unsafe { OwnedFd::from_raw_fd(fd) },
                Err(nix::Error::EINTR | nix::Error::ECONNABORTED) => continue,
                Err(e) => bail!(
                    Other,
                    "waiting for the other ranks to fetch the job segment: {e}"
                ),
            };
            if !same_user(&guest) {
                continue;
            }
            let passenger = [segment.as_raw_fd()];
            let sent = sendmsg::<()>(
                guest.as_raw_fd(),
                &[IoSlice::new(b"s")],
                &[ControlMessage::ScmRights(&passenger)],
                MsgFlags::MSG_NOSIGNAL,
                None,
            );
            served += u32::from(sent.is_ok());
        }
        Ok(())
    }
}

/// Fetches the job segment from the host called `name`.
pub fn fetch(name: &str) -> Result<OwnedFd> {
    let failed = |e| {
        err!(
            Other,
            "cannot fetch the job segment from rank 0 (socket {name}): {e}"
        )
    };
    let socket = stream_socket().map_err(failed)?;
    let address = UnixAddr::new_abstract(name.as_bytes()).map_err(failed)?;
    connect(socket.as_raw_fd(), &address).map_err(failed)?;
    if !same_user(&socket) {
        bail!(
            Other,
            "the process that offers the job segment belongs to another user"
        );
    }
    let mut byte = [0_u8];
    let mut pieces = [IoSliceMut::new(&mut byte)];
    let mut space = nix::cmsg_space!([i32; 1]);
    let message = loop {
        match recvmsg::<()>(
            socket.as_raw_fd(),
            &mut pieces,
            Some(&mut space),
            MsgFlags::MSG_CMSG_CLOEXEC,
        ) {
            Err(nix::Error::EINTR) => {}
            other => break other.map_err(failed)?,
        }
    };
    for control in message.cmsgs().map_err(failed)? {
        if let ControlMessageOwned::ScmRights(fds) = control
            && let Some(&fd) = fds.first()
        {
            // SAFETY: the kernel has just made the descriptor for us out of the message.
            return Ok(unsafe { OwnedFd::from_raw_fd(fd) });
        }
    }
    bail!(
        Other,
        "rank 0 closed the connection without handing over the job segment"
    )
}

fn stream_socket() -> nix::Result<OwnedFd> {
    socket(
        AddressFamily::Unix,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    )
}

fn same_user(socket: &OwnedFd) -> bool {
    getsockopt(socket, sockopt::PeerCredentials)
        .is_ok_and(|peer| peer.uid() == nix::unistd::geteuid().as_raw())
}

/// A number others cannot guess.
fn random() -> u64 {
    let mut bytes = [0_u8; 8];
    // SAFETY: the kernel writes at most the bytes of the array.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    u64::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::segment::Segment;

    #[test]
    fn a_segment_arrives_in_another_thread() {
        let segment = Segment::create(0).unwrap();
        let host = Host::open().unwrap();
        let name = host.name.clone();
        let guests: Vec<_> = (0..3)
            .map(|_| {
                std::thread::spawn({
                    let name = name.clone();
                    move || Segment::attach(fetch(&name).unwrap()).unwrap().len()
                })
            })
            .collect();
        host.serve(segment.fd(), 3).unwrap();
        assert!(
            guests
                .into_iter()
                .all(|g| g.join().unwrap() == segment.len())
        );
        drop(host);
        assert!(fetch(&name).is_err(), "nothing is left behind");
    }
}
