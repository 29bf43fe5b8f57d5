//! Ports, by which two processes of a job find each other that have nothing in common (MPI 4.1 §11.9.2), and published names.
//!
//! A port is a [rendezvous](crate::shm::rendezvous) in the segment. Its name says of which job it is, where it lies, and a number that no
//! other port has. Ports that were closed are used again, by their process, when nobody is there any more: what has the old name finds
//! another number there. Between a look at the number and a call it may change; so the visit is asked for first, which has ended then.
//!
//! A published name is a block in a list of the process that has published it. Names of processes that have ended are none.

use super::handover::random;
use super::table::Table;
use super::{Announce, Nap, Needs, Ranks, Waiting, job, me, ring_key, wait};
use crate::error::Result;
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering, full_fence};
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
    /// Its number; 0: it is closed.
    number: AtomicU64,
    place: Rendezvous,
    /// The rank in the job of the process that has opened it.
    owner: AtomicU32,
}

/// Those of this process that are closed.
static CLOSED: Mutex<Vec<Offset>> = Mutex::new(Vec::new());

/// A port, by its name.
pub struct Port {
    block: &'static Block,
    /// No other port has it.
    pub number: u64,
    key: u64,
}

/// Opens a port; gives its name. Errors: `MPI_ERR_NO_MEM`, `MPI_ERR_PORT` (the job has more ranks than can be told at ports).
pub fn open() -> Result<String> {
    if job().room() > RANKS as usize {
        bail!(Port, "ports are for jobs of at most {RANKS} processes");
    }
    let offset = match take_closed() {
        Some(offset) => offset,
        None => heap::alloc_zeroed(size_of::<Block>(), LINE)?,
    };
    let number = random() | 1;
    let block = at(offset);
    block.owner.store(job().rank, Ordering::Relaxed);
    block.number.store(number, Ordering::Release);
    let id = job().table.job.id.load(Ordering::Relaxed);
    Ok(format!("{SCHEME}:{id:x}:{offset:x}:{number:x}"))
}

/// One of the closed ports that nobody is at. Nobody comes to it any more by its old name.
fn take_closed() -> Option<Offset> {
    let mut closed = CLOSED.lock();
    let unused = |&offset: &Offset| {
        at(offset).clean();
        at(offset).place.renew()
    };
    let found = closed.iter().position(unused)?;
    Some(closed.swap_remove(found))
}

/// Closes a port that this process has opened. Error: `MPI_ERR_PORT`.
pub fn close(name: &str) -> Result<()> {
    let (port, offset) = find(name)?;
    let closed =
        port.block
            .number
            .compare_exchange(port.number, 0, Ordering::AcqRel, Ordering::Relaxed);
    if closed.is_err() {
        return Err(gone(name));
    }
    ring_key(port.key);
    if port.block.owner.load(Ordering::Relaxed) == job().rank {
        CLOSED.lock().push(offset);
    }
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

/// The port of this name, and where it lies. Error: `MPI_ERR_PORT`.
fn find(name: &str) -> Result<(Port, Offset)> {
    let no_port = || err!(Port, "port_name is \"{name}\", which is no port's name");
    let words: Vec<&str> = name.trim().split(':').collect();
    let [SCHEME, id, offset, number] = words[..] else {
        return Err(no_port());
    };
    let hexadecimal = |word| u64::from_str_radix(word, 16).map_err(|_| no_port());
    let (id, offset, number) = (
        hexadecimal(id)?,
        hexadecimal(offset)? as Offset,
        hexadecimal(number)?,
    );
    if id != job().table.job.id.load(Ordering::Relaxed) {
        bail!(
            Port,
            "port_name is \"{name}\", a port of another job: only processes of one job, and those that they have started, \
             can connect"
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
    if number == 0 || block.number.load(Ordering::Acquire) != number {
        return Err(gone(name));
    }
    let key = offset as u64;
    let port = Port { block, number, key };
    Ok((port, offset))
}

/// The port of this name. Error: `MPI_ERR_PORT`.
pub fn get(name: &str) -> Result<Port> {
    Ok(find(name)?.0)
}

impl Block {
    /// Takes a caller away that has died. True if there was one.
    fn clean(&self) -> bool {
        self.place
            .caller()
            .is_some_and(|rank| job().table.gone(rank).is_some() && self.place.bury(rank))
    }
}

/// Whom a process has met at a port.
pub struct Met {
    /// Its rank in the job.
    pub leader: u32,
    /// In which of the port's visits: both know it, and nobody else has met in that.
    pub visit: u32,
}

impl Port {
    fn is_open(&self) -> bool {
        self.block.number.load(Ordering::Acquire) == self.number
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

    fn wait(
        &self,
        what: &dyn Fn() -> String,
        until: Option<Instant>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        let left = || until.map(|until| until.saturating_duration_since(Instant::now()));
        let nap = || left().map_or(Nap::UntilRung, Nap::ByClock);
        let waiting = Waiting {
            key: self.key,
            what,
            ranks: Ranks::None,
            needs: Needs::Unknown,
            announce: Some(Announce {
                sleeper: &|| (),
                nap: &nap,
            }),
        };
        wait(&waiting, || {
            ready() || !self.is_open() || left() == Some(Duration::ZERO)
        })
    }

    /// Waits for a caller. Error: `MPI_ERR_PORT` (it was closed).
    pub fn accept(&self, name: &str, call: &str) -> Result<Met> {
        let mut taken = None;
        let what = || format!("{call}: waiting for another process to connect");
        self.wait(&what, None, || {
            self.clean();
            taken = self.visit().and_then(|visit| {
                let leader = self.block.place.accept(visit, job().rank)?;
                Some(Met { leader, visit })
            });
            taken.is_some()
        })?;
        ring_key(self.key);
        taken.ok_or_else(|| gone(name))
    }

    /// Waits until it is accepted, at most so long. Error: `MPI_ERR_PORT` (nobody has in time, or it was closed).
    pub fn connect(&self, name: &str, most: Duration, call: &str) -> Result<Met> {
        let until = Instant::now().checked_add(most);
        let (place, me) = (&self.block.place, job().rank);
        let (mut calls, mut met) = (None, None);
        let accepted = |visit: u32| {
            let leader = place.accepted_by(visit)?;
            Some(Met { leader, visit })
        };
        let what = || format!("{call}: waiting for another process to accept");
        let waited = self.wait(&what, until, || {
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
        waited?;
        match met {
            Some(met) => Ok(met),
            None if self.is_open() => bail!(
                Port,
                "nobody has accepted at port \"{name}\" for {} ms, which is how long {call} waits (info key timeout)",
                most.as_millis()
            ),
            None => Err(gone(name)),
        }
    }
}

/// What two ends of a socket tell each other: who they are, and what tells this way from others between the same two.
pub struct Introduction {
    /// The other's rank in the job.
    pub leader: u32,
    /// The same at both ends.
    pub number: u64,
}

/// What goes over a socket: a mark, the job, a random number, the rank.
const WORDS: usize = 4;
const HELLO: u64 = u64::from_le_bytes(*b"rmashm\0\x01");

/// Introduces this process to that at the other end of a socket, and the other way round; `None` where that is of another job.
///
/// Errors: `MPI_ERR_ARG` (no socket), `MPI_ERR_OTHER`.
pub fn introduce(socket: i32, call: &str) -> Result<Option<Introduction>> {
    let (id, mine) = (job().table.job.id.load(Ordering::Relaxed), random());
    let hello = [HELLO, id, mine, job().rank.into()].map(u64::to_le_bytes);
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
    let leader = word(3) as u32;
    let is_here = word(1) == id && (leader as usize) < job().table.present().len();
    Ok(is_here.then_some(Introduction {
        leader,
        number: mine ^ word(2),
    }))
}

/// How often a socket is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// A published name in the segment; behind it its bytes, then those of the port's name.
#[repr(C, align(128))]
struct Name {
    /// The next of the process's (an offset), or 0.
    next: AtomicU64,
    /// Bytes of the name and of the port; 0: it is published no more.
    name: AtomicU32,
    port: AtomicU32,
    /// For how many bytes there is room.
    room: AtomicU32,
    /// How often it was used for a name.
    uses: AtomicU32,
}

/// The names that a process has published, with their ports. Nothing where it has ended.
fn names_of(table: &Table, rank: u32) -> Vec<(&'static Name, Vec<u8>, String)> {
    let mut names = Vec::new();
    if table.gone(rank).is_some() {
        return names;
    }
    let mut next = table.processes[rank as usize].names.load(Ordering::Acquire) as Offset;
    while next != 0 && segment().reach(next, size_of::<Name>()).is_ok() {
        // SAFETY: a block in the list is never freed, and made of atomics.
        let name = unsafe { &*segment().at::<Name>(next) };
        let uses = name.uses.load(Ordering::Acquire);
        let (len, port) = (
            name.name.load(Ordering::Acquire) as usize,
            name.port.load(Ordering::Acquire) as usize,
        );
        let room = name.room.load(Ordering::Relaxed) as usize;
        let at = next + size_of::<Name>();
        if len > 0 && len + port <= room && segment().reach(at, room).is_ok() {
            let mut bytes = vec![0; len + port];
            // SAFETY: so much was allocated behind the block. What its process writes there meanwhile is found by the second look.
            unsafe {
                segment()
                    .at::<u8>(at)
                    .copy_to_nonoverlapping(bytes.as_mut_ptr(), len + port)
            };
            full_fence();
            let is_same = name.uses.load(Ordering::Relaxed) == uses;
            if is_same && name.name.load(Ordering::Relaxed) as usize == len {
                let port = String::from_utf8_lossy(&bytes[len..]).into_owned();
                bytes.truncate(len);
                names.push((name, bytes, port));
            }
        }
        next = name.next.load(Ordering::Acquire) as Offset;
    }
    names
}

/// Who has published a name.
fn holder(service: &[u8]) -> Option<(u32, &'static Name, String)> {
    let table = &job().table;
    (0..table.present().len() as u32).find_map(|rank| {
        let names = names_of(table, rank).into_iter();
        let mut names = names.filter(|(_, name, _)| name == service);
        names.next().map(|(block, _, port)| (rank, block, port))
    })
}

/// One process of this one's threads at a time publishes.
static PUBLISHING: Mutex<()> = Mutex::new(());

/// Publishes a port under a name. Errors: `MPI_ERR_SERVICE` (there is the name already), `MPI_ERR_NO_MEM`.
pub fn publish(service: &[u8], port: &str) -> Result<()> {
    let _one = PUBLISHING.lock();
    if let Some((rank, _, _)) = holder(service) {
        bail!(
            Service,
            "rank {rank} of the job has published \"{}\" already",
            String::from_utf8_lossy(service)
        );
    }
    let need = service.len() + port.len();
    let (name, offset) = match take_unused(need) {
        Some(unused) => unused,
        None => add(need)?,
    };
    name.uses.fetch_add(1, Ordering::Relaxed);
    // Who reads the name that was there before, and then something of this one, sees that.
    full_fence();
    // SAFETY: the block has room for that, and is in use for no name.
    unsafe {
        let text = segment().at::<u8>(offset + size_of::<Name>());
        text.copy_from_nonoverlapping(service.as_ptr(), service.len());
        text.add(service.len())
            .copy_from_nonoverlapping(port.as_ptr(), port.len());
    }
    name.port.store(port.len() as u32, Ordering::Relaxed);
    name.name.store(service.len() as u32, Ordering::Release);
    Ok(())
}

/// A block of this process's that no name is in any more, with room for so many bytes; and where it is.
fn take_unused(need: usize) -> Option<(&'static Name, Offset)> {
    let mut offset = me().names.load(Ordering::Relaxed) as Offset;
    while offset != 0 {
        // SAFETY: a block in the list is never freed, and made of atomics.
        let name = unsafe { &*segment().at::<Name>(offset) };
        let is_unused = name.name.load(Ordering::Relaxed) == 0;
        if is_unused && name.room.load(Ordering::Relaxed) as usize >= need {
            return Some((name, offset));
        }
        offset = name.next.load(Ordering::Relaxed) as Offset;
    }
    None
}

/// Adds a block with room for so many bytes to the list. Error: `MPI_ERR_NO_MEM`.
fn add(room: usize) -> Result<(&'static Name, Offset)> {
    let offset = heap::alloc_zeroed(size_of::<Name>() + room, LINE)?;
    // SAFETY: it was just allocated, zeroed, and is made of atomics.
    let name = unsafe { &*segment().at::<Name>(offset) };
    name.room.store(room as u32, Ordering::Relaxed);
    let first = &me().names;
    name.next
        .store(first.load(Ordering::Relaxed), Ordering::Relaxed);
    first.store(offset as u64, Ordering::Release);
    Ok((name, offset))
}

/// Takes a name back that this process has published. Error: `MPI_ERR_SERVICE`.
pub fn unpublish(service: &[u8]) -> Result<()> {
    let _one = PUBLISHING.lock();
    // Another process may have published it at the same moment, and be found first by all others.
    let own = names_of(&job().table, job().rank).into_iter();
    if let Some((name, _, _)) = own.into_iter().find(|(_, name, _)| name == service) {
        name.name.store(0, Ordering::Release);
        return Ok(());
    }
    match holder(service) {
        Some((rank, _, _)) => bail!(
            Service,
            "rank {rank} of the job has published \"{}\", and only it can take that back",
            String::from_utf8_lossy(service)
        ),
        None => bail!(
            Service,
            "\"{}\" is not published",
            String::from_utf8_lossy(service)
        ),
    }
}

/// The port that is published under a name. Error: `MPI_ERR_NAME`.
pub fn look_up(service: &[u8]) -> Result<String> {
    match holder(service) {
        Some((_, _, port)) => Ok(port),
        None => bail!(
            Name,
            "\"{}\" is not published",
            String::from_utf8_lossy(service)
        ),
    }
}
