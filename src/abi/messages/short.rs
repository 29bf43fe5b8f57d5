//! The shortest way of sends and blocking receives: messages of less than 1 KiB, of elements in one run, where all arguments are in order at
//! a glance. Whatever else there is is found on the longer way, which is then the whole of it: nothing was done.

use crate::abi::boundary::pointers::{Elements, Mut, run};
use crate::abi::messages::p2p;
use crate::comm::{self, Comm};
use crate::error::Result;
use crate::mpi::constants::MPI_ANY_TAG;
use crate::mpi::types::*;
use crate::p2p::request::COMPLETE;
use crate::p2p::start::receive_and_wait;
use crate::transport::{self, Envelope, SHORTEST, check_tag, context};
use std::ffi::c_int;

/// The communicator, and the rank in the job of its process `rank`.
#[inline(always)]
fn peer(comm: MPI_Comm, rank: c_int) -> Option<(&'static Comm, u32)> {
    let comm = comm::find(comm)?;
    let peer = comm.peers().members.get(usize::try_from(rank).ok()?)?;
    comm.check_revoked().is_ok().then_some((comm, *peer))
}

/// A short message to `dest`, all of whose arguments are in order.
struct Out {
    from: (u32, u32),
    to: u32,
    tag: c_int,
    address: usize,
    len: usize,
}

impl Out {
    #[inline(always)]
    fn new(comm: MPI_Comm, what: Elements<'_>, dest: c_int, tag: c_int) -> Option<Out> {
        let (comm, to) = peer(comm, dest)?;
        let (address, len) = run(what, 1, SHORTEST)?;
        check_tag(tag).ok()?;
        Some(Out {
            from: (context(comm.context), comm.rank as u32),
            to,
            tag,
            address,
            len,
        })
    }

    #[inline(always)]
    fn send(&self) -> bool {
        let data = std::ptr::with_exposed_provenance(self.address);
        // SAFETY: the promise of the MPI function's caller.
        unsafe { transport::send_short(self.from, self.to, self.tag, data, self.len) }
    }
}

/// Room for a message from `source`, all of whose arguments are in order.
struct Into {
    comm: &'static Comm,
    from: u32,
    envelope: Envelope,
    address: usize,
    len: usize,
}

impl Into {
    #[inline(always)]
    fn new(comm: MPI_Comm, what: Elements<'_>, source: c_int, tag: c_int) -> Option<Into> {
        let (comm, from) = peer(comm, source)?;
        let (address, len) = run(what, 1, usize::MAX)?;
        if tag != MPI_ANY_TAG {
            check_tag(tag).ok()?;
        }
        Some(Into {
            comm,
            from,
            envelope: Envelope { source, tag },
            address,
            len,
        })
    }

    /// The status of the message, if it came.
    #[inline(always)]
    fn receive(&self) -> Option<MPI_Status> {
        let room = std::ptr::with_exposed_provenance_mut(self.address);
        let (context, from, envelope) = (context(self.comm.context), self.from, self.envelope);
        // SAFETY: the promise of the MPI function's caller.
        let came = unsafe { transport::receive_short(context, from, envelope, room, self.len) };
        let (bytes, tag) = came?;
        let mut status = MPI_Status::EMPTY;
        status.MPI_SOURCE = self.envelope.source;
        status.MPI_TAG = tag;
        status.set_count(bytes as u64);
        Some(status)
    }
}

/// True: it is sent.
#[inline(never)]
pub fn send(comm: MPI_Comm, what: Elements<'_>, dest: c_int, tag: c_int) -> bool {
    Out::new(comm, what, dest, tag).is_some_and(|out| out.send())
}

/// The same, with a request that is complete.
#[inline(never)]
pub fn start(
    comm: MPI_Comm,
    what: Elements<'_>,
    dest: c_int,
    tag: c_int,
    request: Mut<MPI_Request>,
) -> bool {
    let Ok(request) = request.out("request") else {
        return false;
    };
    let is_sent = Out::new(comm, what, dest, tag).is_some_and(|out| out.send());
    if is_sent {
        request.set(COMPLETE);
    }
    is_sent
}

/// True: it is received.
#[inline(never)]
pub fn receive(
    comm: MPI_Comm,
    what: Elements<'_>,
    source: c_int,
    tag: c_int,
    status: Mut<MPI_Status>,
) -> bool {
    let received = || {
        let into = Into::new(comm, what, source, tag)?;
        let status = status.single().ok()?;
        status.set(&into.receive()?);
        Some(())
    };
    received().is_some()
}

/// What came of both, if the one was sent.
#[inline(never)]
pub fn exchange(
    comm: MPI_Comm,
    (what, dest, sendtag): (Elements<'_>, c_int, c_int),
    (room, source, recvtag): (Elements<'_>, c_int, c_int),
    status: Mut<MPI_Status>,
) -> Option<Result<()>> {
    let out = Out::new(comm, what, dest, sendtag)?;
    let into = Into::new(comm, room, source, recvtag)?;
    let status = status.single().ok()?;
    if !out.send() {
        return None;
    }
    if let Some(came) = into.receive() {
        status.set(&came);
        return Some(Ok(()));
    }
    let (address, n, datatype) = room;
    let received = p2p::buffer(address, n, datatype, "recvbuf")
        .and_then(|buffer| receive_and_wait(into.comm, buffer, source, recvtag));
    Some(received.and_then(|received| status.report(received)))
}
