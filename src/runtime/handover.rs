//! Handing the job segment to the other ranks under a foreign launcher: rank 0 listens on a Unix socket in the abstract
//! name space (nothing is left in a directory), the others connect, and get the descriptor as a message's passenger.
//!
//! Everybody on the machine sees the socket's name and can connect. So a guest must belong to the same user, and says which
//! rank it is and a key that only the process manager passes on; each rank is served once. Rank 0 waits for no guest alone:
//! one that says nothing keeps nobody else from being served, and one that says anything else is turned away.
//!
//! Rank 0 makes segment and table, listens, gives the socket's name (64 random bits) and the machine's boot id to the
//! process manager, and comes to its fence. The others come to the fence, get both, and refuse if the boot id is not
//! theirs: two machines. They connect and say rank and key (128 random bits) in one packet. Both ends check that the other
//! belongs to the same user. Rank 0 keeps 64 guests that have said nothing more than there are ranks, then the oldest goes.
//! When all are served the socket closes.

use crate::error::Result;
use crate::{bail, err};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, Backlog, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType,
    UnixAddr, accept4, bind, connect, getsockopt, listen, recv, recvmsg, send, sendmsg, socket,
    sockopt,
};
use std::collections::VecDeque;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// So many guests that have said nothing are kept, besides one for each rank.
const STRANGERS: usize = 64;
/// Bytes of what a guest says: the key, and its rank. It is one packet.
const REQUEST: usize = KEY + size_of::<u32>();
/// Bytes of the key: 128 random bits in hexadecimal digits, which pass through PMI as they are.
const KEY: usize = 32;

/// Rank 0's end: listens before the name is published.
pub struct Host {
    socket: OwnedFd,
    name: String,
    key: String,
    /// Guests that have said nothing yet, the oldest first.
    silent: VecDeque<OwnedFd>,
}

impl Host {
    pub fn open() -> Result<Host> {
        let name = format!("rmashm-{:016x}", random());
        let key = format!("{:016x}{:016x}", random(), random());
        let failed = |e| err!(Other, "no Unix socket to hand the job segment over: {e}");
        let socket = packet_socket(SockFlag::SOCK_NONBLOCK).map_err(failed)?;
        let address = UnixAddr::new_abstract(name.as_bytes()).map_err(failed)?;
        bind(socket.as_raw_fd(), &address).map_err(failed)?;
        listen(&socket, Backlog::MAXCONN).map_err(failed)?;
        Ok(Host {
            socket,
            name,
            key,
            silent: VecDeque::new(),
        })
    }

    /// What the other ranks are to know, and nobody else.
    pub fn invitation(&self) -> String {
        format!("{}:{}", self.name, self.key)
    }

    /// Gives `segment` to the ranks from 1 to `ranks - 1`, once to each. Blocks until all have it.
    pub fn serve(mut self, segment: BorrowedFd<'_>, ranks: u32) -> Result<()> {
        let failed = |e| {
            err!(
                Other,
                "waiting for the other ranks to fetch the job segment: {e}"
            )
        };
        let mut expected: Vec<Vec<u8>> = (1..ranks).map(|rank| request(&self.key, rank)).collect();
        while !expected.is_empty() {
            self.await_any().map_err(failed)?;
            self.let_in().map_err(failed)?;
            self.silent.retain(|guest| match hear(guest) {
                None => true,
                Some(said) => {
                    let rank = expected.iter().position(|request| *request == said);
                    if let Some(rank) = rank.filter(|_| hand_over(segment, guest)) {
                        expected.swap_remove(rank);
                    }
                    false
                }
            });
            if self.silent.len() > ranks as usize + STRANGERS {
                self.silent.pop_front();
            }
        }
        Ok(())
    }

    /// Waits for a new guest, or for a word of one that is there.
    fn await_any(&self) -> nix::Result<()> {
        let all = std::iter::once(&self.socket).chain(&self.silent);
        let mut all: Vec<PollFd> = all
            .map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN))
            .collect();
        match poll(&mut all, PollTimeout::NONE) {
            Ok(_) | Err(nix::Error::EINTR) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Lets one guest in, if there is one and it belongs to this user.
    fn let_in(&mut self) -> nix::Result<()> {
        match accept4(self.socket.as_raw_fd(), SockFlag::SOCK_CLOEXEC) {
            Ok(fd) => {
                // SAFETY: accept4 has just made the descriptor for us.
                let guest = unsafe { OwnedFd::from_raw_fd(fd) };
                if same_user(&guest) {
                    self.silent.push_back(guest);
                }
                Ok(())
            }
            Err(nix::Error::EAGAIN | nix::Error::EINTR | nix::Error::ECONNABORTED) => Ok(()),
            // There is no descriptor left: the oldest one goes.
            Err(nix::Error::EMFILE | nix::Error::ENFILE) if self.silent.pop_front().is_some() => {
                Ok(())
            }
            Err(e) => Err(e),
        }
    }
}

/// What a guest says to be served as `rank`.
fn request(key: &str, rank: u32) -> Vec<u8> {
    [key.as_bytes(), &rank.to_le_bytes()].concat()
}

/// What the guest has said; `None` if it has said nothing yet. Of too long a packet one byte too many, which no request has.
fn hear(guest: &OwnedFd) -> Option<Vec<u8>> {
    let mut said = vec![0; REQUEST + 1];
    match recv(guest.as_raw_fd(), &mut said, MsgFlags::MSG_DONTWAIT) {
        Err(nix::Error::EAGAIN | nix::Error::EINTR) => None,
        heard => {
            said.truncate(heard.unwrap_or(0));
            Some(said)
        }
    }
}

/// Gives the segment to a guest; whether it is on its way.
fn hand_over(segment: BorrowedFd<'_>, guest: &OwnedFd) -> bool {
    let passenger = [segment.as_raw_fd()];
    let sent = sendmsg::<()>(
        guest.as_raw_fd(),
        &[IoSlice::new(b"s")],
        &[ControlMessage::ScmRights(&passenger)],
        MsgFlags::MSG_NOSIGNAL | MsgFlags::MSG_DONTWAIT,
        None,
    );
    sent.is_ok()
}

/// Fetches the job segment for `rank`, by the host's invitation.
pub fn fetch(invitation: &str, rank: u32) -> Result<OwnedFd> {
    let (name, key) = invitation.split_once(':').unwrap_or_default();
    let failed = |e| {
        err!(
            Other,
            "cannot fetch the job segment from rank 0 (socket {name}): {e}"
        )
    };
    let socket = packet_socket(SockFlag::empty()).map_err(failed)?;
    let address = UnixAddr::new_abstract(name.as_bytes()).map_err(failed)?;
    restarted(|| connect(socket.as_raw_fd(), &address)).map_err(failed)?;
    if !same_user(&socket) {
        bail!(
            Other,
            "the process that offers the job segment belongs to another user"
        );
    }
    let request = request(key, rank);
    restarted(|| send(socket.as_raw_fd(), &request, MsgFlags::MSG_NOSIGNAL)).map_err(failed)?;
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
            // What was not heard is given back as a reset.
            Err(nix::Error::ECONNRESET) => break None,
            other => break Some(other.map_err(failed)?),
        }
    };
    if let Some(message) = message {
        for control in message.cmsgs().map_err(failed)? {
            if let ControlMessageOwned::ScmRights(fds) = control
                && let Some(&fd) = fds.first()
            {
                // SAFETY: the kernel has just made the descriptor for us out of the message.
                return Ok(unsafe { OwnedFd::from_raw_fd(fd) });
            }
        }
    }
    bail!(
        Other,
        "rank 0 closed the connection without handing over the job segment"
    )
}

/// Makes a system call again that a signal has interrupted.
fn restarted<T>(mut call: impl FnMut() -> nix::Result<T>) -> nix::Result<T> {
    loop {
        match call() {
            Err(nix::Error::EINTR) => {}
            other => return other,
        }
    }
}

fn packet_socket(flags: SockFlag) -> nix::Result<OwnedFd> {
    socket(
        AddressFamily::Unix,
        SockType::SeqPacket,
        SockFlag::SOCK_CLOEXEC | flags,
        None,
    )
}

fn same_user(socket: &OwnedFd) -> bool {
    getsockopt(socket, sockopt::PeerCredentials)
        .is_ok_and(|peer| peer.uid() == nix::unistd::geteuid().as_raw())
}

/// A number others cannot guess.
pub(super) fn random() -> u64 {
    let mut bytes = [0_u8; 8];
    // By number, as glibc has a function for it from 2.25 on only.
    // SAFETY: the kernel writes at most the bytes of the array.
    unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), 0) };
    u64::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::segment::Segment;
    use std::thread::{self, JoinHandle};

    /// A guest that only connects.
    fn visitor(name: &str) -> nix::Result<OwnedFd> {
        let socket = packet_socket(SockFlag::empty())?;
        let address = UnixAddr::new_abstract(name.as_bytes())?;
        connect(socket.as_raw_fd(), &address)?;
        Ok(socket)
    }

    /// What a guest gets that says `words`: nothing, if it is turned away.
    fn answer(guest: &OwnedFd, words: &[u8]) -> Vec<u8> {
        let mut answer = vec![0; 10];
        send(guest.as_raw_fd(), words, MsgFlags::MSG_NOSIGNAL).unwrap();
        let heard = recv(guest.as_raw_fd(), &mut answer, MsgFlags::empty());
        answer.truncate(heard.unwrap_or(0));
        answer
    }

    /// A host that serves 4 ranks, and its invitation.
    fn serving(segment: &Segment) -> (JoinHandle<Result<()>>, String) {
        let host = Host::open().unwrap();
        let invitation = host.invitation();
        let fd = segment.fd().unwrap().try_clone_to_owned().unwrap();
        let serving = thread::spawn(move || host.serve(fd.as_fd(), 4));
        (serving, invitation)
    }

    fn fetch_all(invitation: &str, segment: &Segment) {
        let guests: Vec<_> = (1..4)
            .map(|rank| {
                let invitation = invitation.to_string();
                thread::spawn(move || {
                    Segment::attach(fetch(&invitation, rank).unwrap().as_fd())
                        .unwrap()
                        .len()
                })
            })
            .collect();
        for guest in guests {
            assert_eq!(guest.join().unwrap(), segment.len());
        }
    }

    #[test]
    fn a_segment_arrives_in_another_thread() {
        let segment = Segment::create(0).unwrap();
        let (serving, invitation) = serving(&segment);
        fetch_all(&invitation, &segment);
        serving.join().unwrap().unwrap();
        assert!(fetch(&invitation, 1).is_err(), "nothing is left behind");
    }

    #[test]
    fn guests_that_say_nothing_hold_up_nobody() {
        let segment = Segment::create(0).unwrap();
        let (serving, invitation) = serving(&segment);
        let name = invitation.split(':').next().unwrap();
        // More than are kept.
        let silent: Vec<_> = (0..STRANGERS + 20)
            .map(|_| visitor(name).unwrap())
            .collect();
        fetch_all(&invitation, &segment);
        serving.join().unwrap().unwrap();
        drop(silent);
    }

    #[test]
    fn guests_that_say_anything_else_are_turned_away() {
        let segment = Segment::create(0).unwrap();
        let (serving, invitation) = serving(&segment);
        let (name, key) = invitation.split_once(':').unwrap();
        let right = request(key, 1);
        let wrong: [&[u8]; 6] = [
            b"please",
            &right[..REQUEST - 1],
            &[&right[..], b"!"].concat(),
            &vec![7; 100_000],
            &request(&"0".repeat(KEY), 1),
            &request(key, 0),
        ];
        for words in wrong {
            assert_eq!(answer(&visitor(name).unwrap(), words), b"");
        }
        assert_eq!(answer(&visitor(name).unwrap(), &request(key, 4)), b"");
        fetch_all(&invitation, &segment);
        serving.join().unwrap().unwrap();
    }

    #[test]
    fn each_rank_is_served_once() {
        let segment = Segment::create(0).unwrap();
        let (serving, invitation) = serving(&segment);
        for rank in [2, 1] {
            assert!(fetch(&invitation, rank).is_ok());
            assert!(fetch(&invitation, rank).is_err(), "a second rank {rank}");
        }
        assert!(fetch(&invitation, 3).is_ok());
        serving.join().unwrap().unwrap();
    }

    /// Runs as another user than this process, in a thread of its own; needs root.
    fn as_another_user<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        if !nix::unistd::geteuid().is_root() {
            eprintln!("skipped: another user is needed, which takes root");
            return None;
        }
        let thread = thread::spawn(|| {
            // The C library would change all threads.
            // SAFETY: a plain system call, which concerns this thread alone.
            let done = unsafe { libc::syscall(libc::SYS_setresuid, -1, 65534, -1) };
            assert_eq!(done, 0);
            work()
        });
        Some(thread.join().unwrap())
    }

    #[test]
    fn another_user_is_not_served() {
        let segment = Segment::create(0).unwrap();
        let (serving, invitation) = serving(&segment);
        let (name, key) = invitation.split_once(':').unwrap();
        let (name, right) = (name.to_string(), request(key, 1));
        let heard = as_another_user(move || {
            let guest = visitor(&name).unwrap();
            let _ = send(guest.as_raw_fd(), &right, MsgFlags::MSG_NOSIGNAL);
            recv(guest.as_raw_fd(), &mut [0], MsgFlags::empty()).unwrap_or(0)
        });
        assert_eq!(heard.unwrap_or(0), 0);
        fetch_all(&invitation, &segment);
        serving.join().unwrap().unwrap();
    }

    #[test]
    fn another_user_is_no_host() {
        if let Some(host) = as_another_user(|| Host::open().unwrap()) {
            let error = fetch(&host.invitation(), 1).unwrap_err();
            assert!(error.text.contains("another user"), "{error:?}");
        }
    }
}
