//! Ports, by which two processes of a job find each other that have nothing in common (MPI 4.1 §11.9.2), and sockets, by which they do
//! (§11.10.4).
//!
//! A port is a [rendezvous](crate::shm::rendezvous) in the segment. Its name says of which job it is, where it lies, and a number that no
//! other port has. Ports that were closed are used again, by their process, when nobody is there any more: what has the old name finds
//! another number there. Between a look at the number and a call it may change; so the visit is asked for first, which has ended then. The
//! ports of a process that has ended are closed.
//!
//! Two that meet know each other by their places in the process table, which are given again. Who is at a port is therefore
//! [tied](super::ties) to the port's owner from when it has found it open, and to the other before the port's word says that they have
//! met. Who gives places takes the dead away from all ports first ([`Table::leaves_ports`]), and looks at the ties then.

use super::handover::random;
use super::meeting::Meeting;
use super::table::{Process, Table};
use super::ties::{Ties, Why};
use super::wait::NAP;
use super::{
    Announce, Nap, Needs, Ranks, Waiting, elsewhere, job, lookout, me, ring_key, spaces, wait,
};
use crate::error::Result;
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::rendezvous::{RANKS, Rendezvous};
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap};
use crate::{bail, err};
use nix::sys::socket::{MsgFlags, recv, send};
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// What the names of ports begin with.
const SCHEME: &str = "rmashm";

/// A port in the segment.
#[repr(C, align(128))]
struct Block {
    /// The next of those that its process has made (an offset), or 0.
    next: AtomicU64,
    /// Its number; 0: it is closed.
    number: AtomicU64,
    place: Rendezvous,
    /// The rank in the job of the process that has opened it, and how many had its place before.
    owner: AtomicU32,
    generation: AtomicU32,
}

/// A port, by its name.
pub struct Port {
    block: &'static Block,
    /// No other port has it.
    pub number: u64,
    key: u64,
    /// To who has opened it.
    _owner: Ties,
}

/// Opens a port; gives its name. Errors: `MPI_ERR_NO_MEM`, `MPI_ERR_PORT` (the job has more ranks than can be told at ports).
pub fn open() -> Result<String> {
    if job().room() > RANKS as usize {
        bail!(Port, "ports are for jobs of at most {RANKS} processes");
    }
    // One of this process's threads at a time.
    static OPENING: Mutex<()> = Mutex::new(());
    let _one = OPENING.lock();
    let offset = match take_closed() {
        Some(offset) => offset,
        None => add()?,
    };
    let number = random() | 1;
    let block = at(offset);
    let generation = me().generation.load(Ordering::Relaxed);
    block.owner.store(job().rank, Ordering::Relaxed);
    block.generation.store(generation, Ordering::Relaxed);
    block.number.store(number, Ordering::Release);
    let id = job().table.job.id.load(Ordering::Relaxed);
    Ok(format!("{SCHEME}:{id:x}:{offset:x}:{number:x}"))
}

/// One of the closed ports of this process that nobody is at. Nobody comes to it any more by its old name.
fn take_closed() -> Option<Offset> {
    let mut made = made_by(me());
    made.find_map(|(offset, block)| {
        let is_closed = block.number.load(Ordering::Acquire) == 0;
        block.clean();
        (is_closed && block.place.renew()).then_some(offset)
    })
}

/// Makes one more. Error: `MPI_ERR_NO_MEM`.
fn add() -> Result<Offset> {
    let offset = heap::alloc_zeroed(size_of::<Block>(), LINE)?;
    let first = &me().ports;
    let next = first.load(Ordering::Relaxed);
    at(offset).next.store(next, Ordering::Relaxed);
    first.store(offset as u64, Ordering::Release);
    Ok(offset)
}

/// The ports that a process has made, open or not, and where they lie.
fn made_by(process: &Process) -> impl Iterator<Item = (Offset, &'static Block)> {
    let mut next = process.ports.load(Ordering::Acquire) as Offset;
    std::iter::from_fn(move || {
        if next == 0 || segment().reach(next, size_of::<Block>()).is_err() {
            return None;
        }
        let (offset, block) = (next, at(next));
        next = block.next.load(Ordering::Relaxed) as Offset;
        Some((offset, block))
    })
}

impl Table {
    /// Takes `rank`, which has ended, away from all ports. False while one that has called at one may not know yet that it was accepted
    /// by it.
    pub(super) fn leaves_ports(&self, rank: u32) -> bool {
        let at_ports = &self.processes[rank as usize].at_ports;
        if at_ports.load(Ordering::Acquire) == 0 {
            return true;
        }
        let has_ended = |other: u32| self.processes[other as usize].has_ended();
        let ports = self.present().iter().flat_map(made_by);
        // All of them, whatever the first ones say.
        let forgets = |(_, block): (_, &Block)| block.place.forget(rank, has_ended);
        let left = ports.filter(|&port| !forgets(port)).count() == 0;
        if left {
            at_ports.store(0, Ordering::Release);
        }
        left
    }
}

/// Closes a port. Error: `MPI_ERR_PORT`.
pub fn close(name: &str) -> Result<()> {
    let port = get(name)?;
    let closed =
        port.block
            .number
            .compare_exchange(port.number, 0, Ordering::AcqRel, Ordering::Relaxed);
    if closed.is_err() {
        return Err(gone(name));
    }
    ring_key(port.key);
    Ok(())
}

fn at(offset: Offset) -> &'static Block {
    // SAFETY: a port's block is never freed, and made of atomics.
    unsafe { &*segment().at::<Block>(offset) }
}

fn gone(name: &str) -> crate::error::Error {
    err!(
        Port,
        "port_name is \"{name}\", a port that is not open (any more)"
    )
}

/// What a port's name says: of which job it is, where it lies, and its number. None: it is none.
fn read(name: &str) -> Option<(u64, Offset, u64)> {
    let words: Vec<&str> = name.trim().split(':').collect();
    let [SCHEME, id, offset, number] = words[..] else {
        return None;
    };
    let hexadecimal = |word| u64::from_str_radix(word, 16).ok();
    Some((
        hexadecimal(id)?,
        hexadecimal(offset)? as Offset,
        hexadecimal(number)?,
    ))
}

/// The number of the job whose port this is, if it is a port's name.
pub fn job_of(name: &str) -> Option<u64> {
    read(name).map(|(id, ..)| id)
}

/// The port of this name. Error: `MPI_ERR_PORT`.
pub fn get(name: &str) -> Result<Port> {
    let no_port = || err!(Port, "port_name is \"{name}\", which is no port's name");
    let (id, offset, number) = read(name).ok_or_else(no_port)?;
    if id != job().table.job.id.load(Ordering::Relaxed) {
        let advice = elsewhere::advice_on_job(id);
        bail!(
            Port,
            "port_name is \"{name}\", a port of another job: only processes of one job, those that they have started, and those \
             that have joined it, can connect{advice}"
        );
    }
    let leased = segment().leased();
    if !offset.is_multiple_of(LINE)
        || offset == 0
        || offset > leased.saturating_sub(size_of::<Block>())
    {
        return Err(no_port());
    }
    segment().reach(offset, size_of::<Block>())?;
    let block = at(offset);
    let owner = block.owner.load(Ordering::Relaxed);
    if number == 0 || !block.is_open(number) || owner as usize >= job().room() {
        return Err(gone(name));
    }
    let port = Port {
        block,
        number,
        key: offset as u64,
        _owner: Ties::to(Why::Named, &[owner]),
    };
    match port.is_open() {
        true => Ok(port),
        false => Err(gone(name)),
    }
}

impl Block {
    fn is_open(&self, number: u64) -> bool {
        self.number.load(Ordering::Acquire) == number && !self.is_left()
    }

    /// Whether the process that has opened the port has ended: nobody accepts there any more.
    fn is_left(&self) -> bool {
        let owner = self.owner.load(Ordering::Relaxed);
        let opened_it = |process: &Process| {
            let generation = process.generation.load(Ordering::Acquire);
            generation == self.generation.load(Ordering::Relaxed)
        };
        let owner = job().table.processes.get(owner as usize);
        !owner.is_some_and(|owner| opened_it(owner) && !owner.has_ended())
    }

    /// Takes a caller away that has died. True if there was one.
    fn clean(&self) -> bool {
        self.place
            .caller()
            .is_some_and(|rank| job().table.gone(rank).is_some() && self.place.bury(rank))
    }

    /// The same where its death is not told yet.
    fn clean_untold(&self) -> bool {
        let is_gone = |rank: u32| {
            let process = &job().table.processes[rank as usize];
            spaces::are_shared_with(process) && lookout::is_gone(process)
        };
        let caller = self.place.caller();
        caller.is_some_and(|rank| is_gone(rank) && self.place.bury(rank))
    }
}

/// This process is at a port or a socket, or makes what follows from that: it is about to have to do with others, nobody knows with
/// whom. Should it die, it is looked for at the ports before its place is given to another.
pub struct Visit(());

impl Visit {
    pub fn begin() -> Visit {
        me().at_ports.fetch_add(1, Ordering::AcqRel);
        Visit(())
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        me().at_ports.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Whom a process has met at a port.
pub struct Met {
    /// Its rank in the job.
    pub leader: u32,
    /// In which of the port's visits: both know it, and nobody else has met in that.
    pub visit: u32,
    /// To it.
    _ties: Ties,
}

impl Met {
    fn with(leader: u32, visit: u32) -> Met {
        Met {
            leader,
            visit,
            _ties: Ties::to(Why::Named, &[leader]),
        }
    }
}

impl Port {
    fn is_open(&self) -> bool {
        self.block.is_open(self.number)
    }

    fn clean(&self) {
        if self.block.clean() {
            ring_key(self.key);
        }
    }

    /// The visit that is to come, or is; `None` if the port is closed.
    fn visit(&self) -> Option<u32> {
        let visit = self.block.place.visit();
        self.is_open().then_some(visit)
    }

    /// The death of a member of `among`, for which the caller waits, ends it, and that its communicator is revoked.
    fn wait(
        &self,
        among: &Meeting,
        what: &dyn Fn() -> String,
        until: Option<Instant>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        let left = || until.map(|until| until.saturating_duration_since(Instant::now()));
        // By the clock without a limit, too: another launcher may start those that come.
        let nap = || Nap::ByClock(left().unwrap_or(NAP));
        among.unless_revoked(Ranks::Needed(&among.members), |ranks| {
            let waiting = Waiting {
                key: self.key,
                what,
                ranks,
                needs: Needs::Unknown,
                announce: Some(Announce {
                    sleeper: &|| (),
                    nap: &nap,
                }),
            };
            wait(&waiting, || {
                ready() || !self.is_open() || left() == Some(Duration::ZERO)
            })
        })
    }

    /// Waits for a caller, for all `among` whom this process is. Errors: `MPI_ERR_PORT` (it was closed), `MPI_ERR_PROC_FAILED`, `MPIX_ERR_REVOKED`.
    pub fn accept(&self, name: &str, among: &Meeting, call: &str) -> Result<Met> {
        let (place, mut taken) = (&self.block.place, None);
        let what = || format!("{call}: waiting for another process to connect");
        self.wait(among, &what, None, || {
            self.clean();
            // Who accepts such a one fails.
            if self.block.clean_untold() {
                ring_key(self.key);
            }
            taken = self.visit().and_then(|visit| {
                let leader = place.waits(visit)?;
                let met = Met::with(leader, visit);
                let accepted = place.accept(visit, leader, job().rank);
                accepted.then_some(met)
            });
            taken.is_some()
        })?;
        ring_key(self.key);
        taken.ok_or_else(|| gone(name))
    }

    /// Waits until it is accepted, at most so long. Errors: `MPI_ERR_PORT` (nobody has in time, or it was closed), and those of [`Port::accept`].
    pub fn connect(&self, name: &str, most: Duration, among: &Meeting, call: &str) -> Result<Met> {
        let until = Instant::now().checked_add(most);
        let (place, me) = (&self.block.place, job().rank);
        let (mut calls, mut met) = (None, None);
        let accepted = |visit: u32| {
            let leader = place.accepted_by(visit)?;
            Some(Met::with(leader, visit))
        };
        let what = || format!("{call}: waiting for another process to accept");
        let waited = self.wait(among, &what, until, || {
            if calls.is_none() {
                self.clean();
                calls = self.visit().filter(|&visit| place.call(visit, me));
                if calls.is_some() {
                    ring_key(self.key);
                }
            }
            met = calls.and_then(accepted);
            met.is_some()
        });
        if let Some(visit) = calls {
            if met.is_none() && !place.give_up(visit, me) {
                // It was accepted in the last moment.
                met = accepted(visit);
            }
            place.go(visit);
            // The next one may call.
            ring_key(self.key);
        }
        // Who has accepted waits for an answer, also where nobody goes on.
        if let Some(met) = met {
            return Ok(met);
        }
        waited?;
        if !self.is_open() {
            return Err(gone(name));
        }
        bail!(
            Port,
            "nobody has accepted at port \"{name}\" for {} ms, which is how long {call} waits (info key timeout)",
            most.as_millis()
        )
    }
}

/// What two ends of a socket tell each other: who they are, and what tells this way from others between the same two.
pub struct Introduction {
    /// The other's rank in the job.
    pub leader: u32,
    /// The same at both ends.
    pub number: u64,
    /// To it.
    _ties: Ties,
}

/// What goes over a socket: a mark, the job, a random number, the rank [by its name](Table::named).
const WORDS: usize = 4;
const HELLO: u64 = u64::from_le_bytes(*b"rmashm\0\x01");

/// Introduces this process to that at the other end of a socket, and the other way round; `None` where that is of another job.
///
/// Errors: `MPI_ERR_ARG` (no socket), `MPI_ERR_OTHER`, `MPI_ERR_PROC_FAILED` (the other has ended).
pub fn introduce(socket: i32, call: &str) -> Result<Option<Introduction>> {
    let (id, mine) = (job().table.job.id.load(Ordering::Relaxed), random());
    let hello = [HELLO, id, mine, job().table.named(job().rank)].map(u64::to_le_bytes);
    let mut said = hello.as_flattened();
    let mut heard = [0; WORDS * 8];
    let mut there = 0;
    let mut failed = None;
    let waiting = Waiting {
        key: 0,
        what: &|| format!("{call}: waiting for the other end of the socket"),
        ranks: Ranks::None,
        needs: Needs::Unknown,
        announce: Some(Announce {
            sleeper: &|| (),
            nap: &|| Nap::ByClock(LOOK),
        }),
    };
    wait(&waiting, || {
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
        let mut outcome = Ok(());
        if !said.is_empty() {
            outcome = send(socket, said, flags).map(|sent| said = &said[sent..]);
        }
        if there < heard.len() && outcome != Err(nix::Error::ENOTSOCK) {
            let got = recv(socket, &mut heard[there..], MsgFlags::MSG_DONTWAIT);
            outcome = match got {
                Ok(0) => Err(nix::Error::ECONNRESET),
                Ok(more) => {
                    there += more;
                    Ok(())
                }
                Err(error) => Err(error),
            };
        }
        failed = outcome
            .err()
            .filter(|error| !matches!(error, nix::Error::EAGAIN | nix::Error::EINTR));
        failed.is_some() || said.is_empty() && there == heard.len()
    })?;
    match failed {
        Some(nix::Error::ENOTSOCK | nix::Error::EBADF) => {
            bail!(Arg, "fd is {socket}, which is no socket that is connected")
        }
        Some(error) => bail!(
            Other,
            "fd is {socket}, a socket that fails: {}",
            error.desc()
        ),
        None => {}
    }
    let word = |at: usize| {
        let bytes = heard[at * 8..][..8].try_into();
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    if word(0) != HELLO {
        bail!(
            Other,
            "fd is {socket}, a socket whose other end has not called MPI_Comm_join of rmashm"
        );
    }
    if word(1) != id {
        return Ok(None);
    }
    let (leader, ties) = job().table.tie(word(3))?;
    Ok(Some(Introduction {
        leader,
        number: mine ^ word(2),
        _ties: ties,
    }))
}

/// How often a socket is looked at.
const LOOK: Duration = Duration::from_millis(5);
