//! Published names, by which processes of a job find each other's [ports](super::port) (MPI 4.1 §11.9.4).
//!
//! A published name is a block in a list of the process that has published it. Names of processes that have ended are none. A name that
//! is taken back leaves its block for the next one.

use super::elsewhere;
use super::table::Table;
use super::{job, me};
use crate::bail;
use crate::error::Result;
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering, full_fence};
use crate::shm::reader::Plain;
use crate::shm::segment::segment;
use crate::shm::{LINE, Offset, heap};
use parking_lot::Mutex;

/// A published name in the segment; behind it its bytes, then those of the port's name.
#[repr(C, align(128))]
pub(super) struct Name {
    /// The next of the process's (an offset), or 0.
    pub(super) next: AtomicU64,
    /// Bytes of the name and of the port; 0: it is published no more.
    pub(super) name: AtomicU32,
    port: AtomicU32,
    /// For how many bytes there is room.
    room: AtomicU32,
    /// How often it was used for a name.
    uses: AtomicU32,
}

// SAFETY: it is made of atomics.
unsafe impl Plain for Name {}

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

/// Takes a name back under which this process has published that port. Error: `MPI_ERR_SERVICE`.
pub fn unpublish(service: &[u8], port: &str) -> Result<()> {
    let _one = PUBLISHING.lock();
    // Another process may have published it at the same moment, and be found first by all others.
    let mut own = names_of(&job().table, job().rank).into_iter();
    if let Some((name, _, published)) = own.find(|(_, name, _)| name == service) {
        if published != port {
            bail!(
                Service,
                "\"{}\" is published with port {published}, not {port}",
                String::from_utf8_lossy(service)
            );
        }
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
        None => {
            let advice = elsewhere::advice_on_name(service);
            bail!(
                Name,
                "\"{}\" is not published{advice}",
                String::from_utf8_lossy(service)
            )
        }
    }
}
