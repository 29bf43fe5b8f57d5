//! Making and freeing windows (MPI 4.1 §12.2).
//!
//! Every process makes an [`Entry`]: what it was asked for, where its memory is, or why it cannot take part. One exchange
//! over the communicator gives all entries to all, and either all go on or all fail. Memory lies in the job segment, so
//! nothing has to be mapped or named: an allocation, an exchange, and the window is there.
//!
//! What can fail on one process (arguments, memory, the handle) is done before the exchange, so that all get the window or all
//! get the error. The entries also say how much of the segment each has mapped, and whether each is known to reach the others'
//! private memory: only where one says no is there another exchange. The kernel allows again what it allowed once, so a process
//! remembers which others it has reached (8 processes: 85 µs a window instead of 160).
//!
//! A contiguous shared window of up to 1 MiB in all is allocated by rank 0 on the guess that all sizes are equal. Where the
//! guess fails, and above that size, a second exchange tells the place. The parts lie side by side in the memory of rank 0's
//! heap; the pages of each are touched first by its user.

use super::checked::Names;
use super::dynamic::Recent;
use super::entry::{Entry, Location, agree, probe_peers, reach_parts};
use super::epoch::Epoch;
use super::hints::{Adopt, Hints};
use super::listed::list;
use super::lost;
use super::memory::{self, Given};
use super::moving::{self, Part, Told, movable};
use super::parcel;
use super::together::Promises;
use super::{Flavor, Own, Reach, Target, WINDOWS, Window};
use crate::attribute::Attributes;
use crate::block::Control;
use crate::check;
use crate::comm::Comm;
use crate::errhandler::Slot;
use crate::error::{Error, Object, Result};
use crate::handle::{Kind, Reserved};
use crate::mpi::constants::MPI_WIN_UNIFIED;
use crate::mpi::types::MPI_Win;
use crate::observe;
use crate::observe::events::{self, Kind as Happening};
use crate::runtime::meeting::Meeting;
use crate::shm::atomic::{Ordering, full_fence};
use crate::shm::heap::{self, Owned};
use crate::shm::segment::segment;
use crate::shm::view::View;
use crate::shm::{Offset, lock, membarrier, peer};
use crate::{bail, err};
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// A contiguous window of up to this many bytes is allocated before the sizes are known, on the guess that all are equal.
const GUESS: usize = 1 << 20;

/// Rank 0's control block, on the way to the others.
fn control_of(comm: &Comm) -> Result<Option<Owned>> {
    let ranks = comm.size();
    if comm.remote.is_some() {
        bail!(
            Comm,
            "comm is an intercommunicator, and windows are of one group"
        );
    }
    if ranks > lock::MAX_RANKS {
        bail!(
            Comm,
            "comm has {ranks} processes, and windows are for {} at most",
            lock::MAX_RANKS
        );
    }
    if comm.rank != 0 {
        return Ok(None);
    }
    Control::create(ranks).map(|offset| Some(Owned::new(offset)))
}

/// Size and displacement unit as the caller gave them. Errors: `MPI_ERR_SIZE`, `MPI_ERR_DISP`.
fn check(size: isize, disp_unit: isize) -> Result<(usize, usize)> {
    let Ok(bytes) = usize::try_from(size) else {
        bail!(Size, "size is {size}, and a size is not negative");
    };
    if disp_unit <= 0 {
        bail!(
            Disp,
            "disp_unit is {disp_unit}, and a displacement unit is at least 1"
        );
    }
    Ok((bytes, disp_unit as usize))
}

/// What one process does before the exchange: its memory and its entry, and all that could fail after it.
struct Prepared {
    hints: Hints,
    memory: Option<Given>,
    control: Option<Owned>,
    handle: Reserved<'static, Window>,
    /// Private memory of this process.
    part: Part,
    entry: Entry,
}

fn exchange(comm: &Comm, prepared: &Result<Prepared>, what: &str) -> Result<Vec<Entry>> {
    let entry = prepared.as_ref().map(|prepared| prepared.entry);
    agree(comm, entry.map_err(Error::clone), what)
}

/// `asked`: the hints, or what is wrong with an argument of this process, so that the others hear of it.
fn prepare(
    comm: &Comm,
    asked: Result<Hints>,
    make: impl FnOnce(&Hints) -> Result<(Option<Given>, Entry)>,
) -> Result<Prepared> {
    lost::look();
    let hints = asked?;
    let (memory, mut entry) = make(&hints)?;
    let control = control_of(comm)?;
    entry.control = control.as_ref().map_or(0, |c| c.offset());
    entry.light_fences = membarrier::register();
    Ok(Prepared {
        hints,
        memory,
        control,
        handle: WINDOWS.reserve()?,
        part: Part::default(),
        entry,
    })
}

/// `MPI_Win_allocate`. Collective. Errors, on all processes alike: `MPI_ERR_SIZE`, `MPI_ERR_DISP`, `MPI_ERR_NO_MEM`.
pub fn allocate(
    comm: &Comm,
    size: isize,
    disp_unit: isize,
    hints: Result<Hints>,
) -> Result<(MPI_Win, *mut c_void)> {
    let prepared = prepare(comm, hints, |hints| {
        let (size, disp_unit) = check(size, disp_unit)?;
        let memory = Given::alloc(size, hints.alignment)?;
        let entry = Entry::new(size, disp_unit, Location::Segment, memory.offset());
        Ok((Some(memory), entry))
    });
    let entries = exchange(comm, &prepared, "MPI_Win_allocate")?;
    reach_parts(comm, &entries, "MPI_Win_allocate")?;
    finish(comm, Flavor::Allocate, prepared?, &entries)
}

/// `MPI_Win_allocate_shared`: contiguous in the order of ranks, or not, as the hint says. Collective. Errors as
/// [`allocate`].
pub fn allocate_shared(
    comm: &Comm,
    size: isize,
    disp_unit: isize,
    hints: Result<Hints>,
) -> Result<(MPI_Win, *mut c_void)> {
    let what = "MPI_Win_allocate_shared";
    let mut prepared = prepare(comm, hints, |hints| {
        let (size, disp_unit) = check(size, disp_unit)?;
        let memory = match hints.noncontiguous {
            // A part without bytes lies nowhere: it has no neighbours whose border it could mark.
            true if size == 0 => None,
            true => Some(Given::alloc(size, hints.alignment)?),
            false => guess(comm, size, hints.alignment)?,
        };
        let location = if hints.noncontiguous {
            Location::Segment
        } else {
            Location::Guess
        };
        let mut entry = Entry::new(
            size,
            disp_unit,
            location,
            memory.as_ref().map_or(0, Given::offset),
        );
        entry.alignment = hints.alignment;
        Ok((memory, entry))
    });
    let mut entries = exchange(comm, &prepared, what)?;
    if entries.iter().any(|o| o.location == Location::Guess) {
        let (start, len) = settle(comm, prepared.as_mut().ok(), &mut entries, what)?;
        reach_parts(comm, &entries, what)?;
        heap::prefer_huge(start, len);
    } else {
        reach_parts(comm, &entries, what)?;
    }
    finish(comm, Flavor::Shared, prepared?, &entries)
}

/// Rank 0's guess at the memory of a contiguous window.
fn guess(comm: &Comm, size: usize, alignment: usize) -> Result<Option<Given>> {
    match size.checked_mul(comm.size()) {
        Some(total) if comm.rank == 0 && total <= GUESS => {
            Ok(Some(Given::alloc(total, alignment)?))
        }
        _ => Ok(None),
    }
}

/// Turns the entries of a contiguous window into places: side by side in the memory of rank 0, which allocates anew where its guess
/// does not fit. Gives its offset and length.
fn settle(
    comm: &Comm,
    mine: Option<&mut Prepared>,
    entries: &mut [Entry],
    what: &str,
) -> Result<(Offset, usize)> {
    let total = entries
        .iter()
        .try_fold(0_usize, |sum, o| sum.checked_add(o.size));
    let total = total.ok_or_else(|| {
        err!(
            NoMem,
            "the sizes in bytes that the processes ask for overflow when added up"
        )
    })?;
    let alignment = entries.iter().map(|o| o.alignment).max().unwrap_or(1);
    let guessed = entries[0].location == Location::Guess
        && entries[0].at != 0
        && total <= entries[0].size * comm.size()
        && alignment == entries[0].alignment;
    let start = if guessed {
        entries[0].at
    } else {
        let placed = if comm.rank == 0 {
            Given::alloc(total, alignment).map(Some)
        } else {
            Ok(None)
        };
        let at = placed
            .as_ref()
            .map_err(Error::clone)
            .map(|p| p.as_ref().map_or(0, Given::offset));
        let answers = agree(comm, at, what)?;
        if let Some(prepared) = mine {
            prepared.memory = placed?;
        }
        answers[0]
    };
    let mut at = start;
    for entry in entries {
        entry.location = Location::Segment;
        entry.at = at;
        at += entry.size;
    }
    Ok((start, total))
}

/// `MPI_Win_create`. Collective. Errors, on all processes alike: `MPI_ERR_SIZE`, `MPI_ERR_DISP`, `MPI_ERR_BASE`,
/// `MPI_ERR_OTHER` where the kernel does not let processes reach each other's private memory.
pub fn create(
    comm: &Comm,
    base: *mut c_void,
    size: isize,
    disp_unit: isize,
    hints: Result<Hints>,
) -> Result<MPI_Win> {
    let what = "MPI_Win_create";
    let mut part = Part::default();
    let prepared = prepare(comm, hints, |hints| {
        let (size, disp_unit) = check(size, disp_unit)?;
        if size > 0 && base.is_null() {
            bail!(Base, "base is a null pointer, but size is {size}");
        }
        if (base as usize).checked_add(size).is_none() {
            bail!(
                Size,
                "base {base:p} and size {size} reach beyond the end of memory"
            );
        }
        let entry = match memory::offset_of(base, size)? {
            Some(offset) => Entry::new(size, disp_unit, Location::Segment, offset),
            None => {
                if size > 0 && !peer::is_mapped(base) {
                    bail!(Base, "there is no memory at base {base:p}");
                }
                let mut entry = Entry::private(comm, size, disp_unit, base as usize);
                let bytes = base as usize..base as usize + size;
                let movable = movable(&bytes);
                if movable != bytes && !movable.is_empty() && hints.adopt != Adopt::Never {
                    entry.location = Location::Attached;
                } else {
                    part = Part::of(bytes, hints.adopt);
                    entry.place = part.place().unwrap_or(0);
                }
                entry
            }
        };
        Ok((None, entry))
    });
    let entries = exchange(comm, &prepared, what)?;
    probe_peers(comm, &entries, what)?;
    reach_parts(comm, &entries, what)?;
    let prepared = Prepared { part, ..prepared? };
    finish(comm, Flavor::Create, prepared, &entries).map(|(win, _)| win)
}

/// `MPI_Win_create_dynamic`. Collective. Errors, on all processes alike: `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` where the kernel
/// does not let processes reach each other's private memory.
pub fn create_dynamic(comm: &Comm, hints: Result<Hints>) -> Result<MPI_Win> {
    let what = "MPI_Win_create_dynamic";
    // Private memory may be attached later: whether it can be reached is found out now, at the address of a byte of ours.
    static PROBE: u8 = 0;
    let prepared = prepare(comm, hints, |_| {
        Ok((
            None,
            Entry::private(comm, 1, 1, (&raw const PROBE) as usize),
        ))
    });
    let mut entries = exchange(comm, &prepared, what)?;
    probe_peers(comm, &entries, what)?;
    reach_parts(comm, &entries, what)?;
    let mut prepared = prepared?;
    for entry in entries.iter_mut().chain([&mut prepared.entry]) {
        (entry.location, entry.size) = (Location::None, 0);
    }
    finish(comm, Flavor::Dynamic, prepared, &entries).map(|(win, _)| win)
}

/// Makes the window object when all have agreed.
fn finish(
    comm: &Comm,
    flavor: Flavor,
    prepared: Prepared,
    entries: &[Entry],
) -> Result<(MPI_Win, *mut c_void)> {
    let Prepared {
        mut hints,
        memory,
        control,
        handle,
        part,
        entry: mine,
    } = prepared;
    let mut views = views_of(comm, entries)?;
    hints.same_address = entries.iter().all(|o| o.at_home);
    let control_offset = entries[0].control;
    if let Some(control) = control {
        // The meeting owns the block from now on.
        control.keep();
    }
    let meeting = Meeting::open(control_offset, comm.group.members.clone(), comm.rank)?;
    let control = Control::open(control_offset, comm.size());
    let targets: Box<[Target]> = entries
        .iter()
        .enumerate()
        .map(|(rank, o)| target(comm, &control, rank, o, views[rank].as_ref()))
        .collect();
    let some_attached = entries.iter().any(|o| o.location == Location::Attached);
    let regions_of = match flavor == Flavor::Dynamic || some_attached {
        true => comm.size(),
        false => 0,
    };
    let recent = (0..regions_of).map(|_| Recent::default()).collect();
    let base: *mut c_void = targets[comm.rank].base().cast();
    let own = Own {
        base,
        size: mine.size as isize,
        disp_unit: c_int::try_from(mine.disp_unit).unwrap_or(c_int::MAX),
        flavor: flavor.number(),
        model: MPI_WIN_UNIFIED,
        _memory: memory,
    };
    let epoch = Epoch::new(&control.shares[comm.rank].access);
    let listed = list(&control, comm, flavor, &hints, entries);
    let number = super::MADE.fetch_add(1, Ordering::Relaxed) + 1;
    let window = Window {
        number,
        epoch,
        targets,
        rank: comm.rank,
        mine: &control.ranks[comm.rank],
        light_fences: entries.iter().any(|o| o.light_fences),
        names: Names::of(&control),
        control,
        listed,
        meeting,
        group: comm.group.clone(),
        flavor,
        own,
        hints: Mutex::new(hints),
        name: Mutex::default(),
        handler: Slot::new(),
        attributes: Attributes::new(Kind::Win),
        expected: Mutex::default(),
        part: Mutex::new(part),
        views: Mutex::new(views.iter_mut().filter_map(Option::take).collect()),
        attached: Mutex::default(),
        writable: Default::default(),
        recent,
        promises: Promises::of(comm),
    };
    window.list_part();
    if some_attached {
        let attached = match mine.location {
            Location::Attached => window.attach_part(mine.at..mine.at + mine.size),
            _ => Ok(()),
        };
        // The others may look as soon as the window is there.
        agree(comm, attached, "MPI_Win_create")?;
    } else if check::is_on() && matches!(flavor, Flavor::Create | Flavor::Dynamic) {
        // What is done through it is compared with what is done through others over the same memory, of which all know from the beginning.
        agree(comm, Ok(()), check::called())?;
    }
    if flavor == Flavor::Shared {
        window
            .targets
            .iter()
            .for_each(|target| window.shares(target));
    }
    window.has_part();
    let window = Arc::new(window);
    moving::watch(&window);
    parcel::accept(&window);
    // Fast paths do not see a window whose calls are observed.
    let handle = match observe::is_on() {
        true => handle.fill_hidden(window),
        false => handle.fill(window),
    };
    if events::are_wanted(Happening::WindowMade) {
        let values = [handle.into(), mine.size as i64, comm.size() as i64];
        events::raise(Happening::WindowMade, number, values);
    }
    Ok((MPI_Win(handle), base))
}

/// Maps the parts of others that were taken in. Errors, on all processes alike: `MPI_ERR_NO_MEM`.
fn views_of(comm: &Comm, entries: &[Entry]) -> Result<Vec<Option<View>>> {
    let view = |(rank, entry): (usize, &Entry)| match entry.place {
        place if place != 0 && rank != comm.rank => Told::view(place).map(Some),
        _ => Ok(None),
    };
    let views: Result<Vec<_>> = entries.iter().enumerate().map(view).collect();
    if entries.iter().any(|entry| entry.place != 0) {
        let mapped = views.as_ref().map(drop).map_err(Error::clone);
        agree(comm, mapped, "MPI_Win_create")?;
    }
    views
}

fn target(
    comm: &Comm,
    control: &Control,
    rank: usize,
    entry: &Entry,
    view: Option<&View>,
) -> Target {
    let (base, reach) = if entry.location == Location::None {
        (std::ptr::null_mut(), Reach::Attached)
    } else if entry.location == Location::Attached {
        (
            std::ptr::with_exposed_provenance_mut(entry.at),
            Reach::Attached,
        )
    } else if let Some(view) = view {
        (view.first(), Reach::Shared)
    } else if entry.place != 0 {
        // This process's own part.
        (
            std::ptr::with_exposed_provenance_mut(entry.at),
            Reach::Shared,
        )
    } else if entry.location == Location::Private {
        let reach = if rank == comm.rank {
            Reach::Own
        } else {
            Reach::Peer
        };
        (std::ptr::with_exposed_provenance_mut(entry.at), reach)
    } else if entry.at == 0 && entry.size == 0 {
        (std::ptr::null_mut(), Reach::Shared)
    } else {
        (segment().at::<u8>(entry.at), Reach::Shared)
    };
    Target::new(
        base,
        entry.size,
        entry.disp_unit,
        &control.ranks[rank],
        comm.world_rank(rank),
        reach,
    )
}

/// `MPI_Win_free`. Collective; blocks until all processes of the window have called it. Errors: `MPI_ERR_RMA_SYNC` if an
/// epoch is open; `MPI_ERR_PROC_FAILED`, and then the window is to [end](super::lost) when its error handler was called.
pub fn free(handle: MPI_Win) -> Result<()> {
    let window = super::get(handle)?;
    window.may_open("MPI_Win_free")?;
    if window.epoch.exposed() {
        bail!(
            RmaSync,
            "this process's part is exposed since MPI_Win_post: call MPI_Win_wait first"
        );
    }
    window.attributes.delete_all(handle.0)?;
    window.called_together();
    window.stay();
    window.saw_flush(None);
    full_fence();
    let all_came = window.meeting.barrier(&|| "MPI_Win_free".to_string());
    all_came.map_err(|error| error.on(Object::Ending(handle)))?;
    // Another may have heard of a death before the last had come.
    window.mine.left.store(1, Ordering::Release);
    window.move_out();
    let window = WINDOWS.remove(handle.0);
    debug_assert!(
        window.is_some(),
        "{:?} {handle:?} was there a moment ago",
        Kind::Win
    );
    if let Some(window) = window {
        window.tell_of_end(handle);
    }
    lost::look();
    Ok(())
}
