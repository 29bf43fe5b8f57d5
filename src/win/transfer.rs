//! Put and get (MPI 4.1 §12.3.1, §12.3.2).
//!
//! The common call, elements of one predefined datatype without gaps to a target in shared memory, is a handful of
//! compares and one copy ([`Window::place`]). Everything else, and every mistake, goes through [`Window::check_both`].

use super::checked::operations::Near;
use super::moving::Stay;
use super::private::move_data;
use super::{Flavor, Reach, Target, Window};
use crate::check;
use crate::check::race::Kind;
use crate::datatype::{self, Message};
use crate::error::{Error, Result};
use crate::mpi::constants::MPI_PROC_NULL;
use crate::mpi::types::{MPI_Aint, MPI_Datatype};
use crate::naming;
use crate::observe;
use crate::shm::copy::{copy, copy_to_segment};
use crate::shm::peer::Way;
use crate::{bail, err};
use std::ffi::{c_int, c_void};

/// Counts bytes that were moved.
#[inline(always)]
fn count(way: Way, target: &Target, bytes: usize) {
    let moved = target.towards.cell();
    match way {
        Way::ToPeer => moved.put.add_alone(bytes),
        Way::FromPeer => moved.got.add_alone(bytes),
    }
}

/// One side of an operation as the caller gave it. Counts are of `datatype`.
#[derive(Clone, Copy)]
pub struct Origin {
    pub(super) address: *const c_void,
    pub(super) count: i64,
    pub(super) datatype: MPI_Datatype,
}

/// The other side: `disp` is in units of the target's displacement unit.
#[derive(Clone, Copy)]
pub struct Remote {
    pub rank: c_int,
    pub disp: MPI_Aint,
    pub count: i64,
    pub datatype: MPI_Datatype,
}

impl Origin {
    /// # Safety
    /// So many elements of the datatype are there, to be read or written as the operation does, until it is complete.
    #[inline(always)]
    pub unsafe fn new(
        address: *const c_void,
        count: impl Into<i64>,
        datatype: MPI_Datatype,
    ) -> Origin {
        Origin {
            address,
            count: count.into(),
            datatype,
        }
    }
}

impl Remote {
    #[inline(always)]
    pub fn new(
        rank: c_int,
        disp: MPI_Aint,
        count: impl Into<i64>,
        datatype: MPI_Datatype,
    ) -> Remote {
        Remote {
            rank,
            disp,
            count: count.into(),
            datatype,
        }
    }
}

/// What an operation does to the target's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Read,
    Change,
    /// Both, of the same elements.
    Exchange,
}

/// Both sides of an operation, checked.
pub(super) struct Checked<'a> {
    pub origin: Message<'static>,
    /// At an address of this process, or of the peer for [`Reach::Peer`].
    pub remote: Message<'static>,
    pub target: &'a Target,
    /// How the target's memory is reached: as [`Target::reach`], or for this address of a dynamic window; through the kernel
    /// also where this process may not write to its own.
    pub reach: Reach,
    /// As [`Resolved::mixed`].
    pub mixed: bool,
    /// Where the memory is private: it stays where it is as long as this.
    pub _stay: Option<Stay<'a>>,
}

/// The address, here or at the peer, that a target displacement stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Resolved {
    pub address: usize,
    pub reach: Reach,
    /// In a dynamic window: some lies in the segment and some does not, or in another place of the segment. To move it, all of
    /// it is reached as private memory is, at the target's addresses; each element is updated by itself, where it is.
    pub mixed: bool,
}

impl Resolved {
    pub fn new(address: usize, reach: Reach) -> Resolved {
        Resolved {
            address,
            reach,
            mixed: false,
        }
    }
}

/// The error of an access to bytes that are not (all) in the target's part.
#[cold]
fn beyond(target: &Target, remote: &Remote, first: i128, behind: i128) -> Error {
    let rank = remote.rank as usize;
    err!(
        RmaRange,
        "bytes {first} to {behind} of {} are asked for (target_disp {} in units of {} bytes), which has {} bytes",
        naming::owned(rank, target.process(), "the window", "part"),
        remote.disp,
        target.disp_unit,
        target.size
    )
}

impl Window {
    /// Where a simple operation goes: its target, its address here and its length in bytes. `None` if it is not simple or not right.
    #[inline(always)]
    pub(super) fn place(
        &self,
        origin: &Origin,
        remote: &Remote,
    ) -> Option<(&Target, *mut u8, usize)> {
        let same = origin.datatype == remote.datatype && origin.count == remote.count;
        if !same || origin.address.is_null() {
            return None;
        }
        let size = datatype::predefined_size(remote.datatype)?;
        let target = self.open_target(remote.rank)?;
        let at = self.near_place(target, remote.disp, remote.count, size)?;
        Some((target, at, remote.count as usize * size))
    }

    /// Where `count` elements of `size` bytes, 255 at most, at a displacement of `target` are, if they are reached by load and
    /// store, as far as some compares tell.
    #[inline(always)]
    pub(super) fn near_place(
        &self,
        target: &Target,
        disp: MPI_Aint,
        count: i64,
        size: usize,
    ) -> Option<*mut u8> {
        // Matched, not given to `or_else`: that would not be inlined everywhere.
        match target.place(disp, count, size) {
            None => self.recently_attached(target, disp, count, size),
            found => found,
        }
    }

    /// `MPI_Put` if it is a simple one: whether it was.
    #[inline(always)]
    pub fn put_quickly(&self, origin: Origin, remote: Remote) -> bool {
        self.transfer_quickly(Way::ToPeer, origin, remote)
    }

    /// `MPI_Get` if it is a simple one: whether it was.
    #[inline(always)]
    pub fn get_quickly(&self, origin: Origin, remote: Remote) -> bool {
        self.transfer_quickly(Way::FromPeer, origin, remote)
    }

    #[inline(always)]
    fn transfer_quickly(&self, way: Way, origin: Origin, remote: Remote) -> bool {
        let place = self.place(&origin, &remote);
        if let Some((target, there, len)) = place {
            // SAFETY: the origin's bytes are its maker's promise, the target's lie within the window (`place`).
            unsafe { transfer_here(way, &origin, target, there, len) };
        }
        place.is_some()
    }

    /// A simple one, where the fast path is closed because it is observed.
    fn transfer_observed(&self, way: Way, origin: &Origin, remote: &Remote) -> bool {
        let place = self.place(origin, remote);
        if let Some((target, there, len)) = place {
            observe::moved(len);
            // SAFETY: as in `transfer_quickly`.
            unsafe { transfer_here(way, origin, target, there, len) };
        }
        place.is_some()
    }

    /// `MPI_Put`. Complete at the target on return, up to the fence of a synchronisation call. Errors: `MPI_ERR_COUNT`,
    /// `MPI_ERR_TYPE`, `MPI_ERR_RANK`, `MPI_ERR_RMA_SYNC`, `MPI_ERR_BUFFER`, `MPI_ERR_DISP`, `MPI_ERR_RMA_RANGE`.
    pub fn put(&self, origin: Origin, remote: Remote) -> Result<()> {
        self.transfer(Way::ToPeer, Effect::Change, origin, remote)
    }

    /// `MPI_Get`. The data is in the origin buffer on return. Errors as [`Window::put`].
    pub fn get(&self, origin: Origin, remote: Remote) -> Result<()> {
        self.transfer(Way::FromPeer, Effect::Read, origin, remote)
    }

    fn transfer(&self, way: Way, effect: Effect, origin: Origin, remote: Remote) -> Result<()> {
        if !check::is_on() {
            return self.transfer_any(way, effect, origin, remote);
        }
        let (kind, near) = match way {
            Way::ToPeer => (Kind::Put, Near::reads(&origin)),
            Way::FromPeer => (Kind::Get, Near::writes(&origin)),
        };
        self.checked(kind, None, near, &remote, || {
            self.transfer_any(way, effect, origin, remote)
        })
    }

    #[inline(always)]
    fn transfer_any(&self, way: Way, effect: Effect, origin: Origin, remote: Remote) -> Result<()> {
        if observe::is_on() && self.transfer_observed(way, &origin, &remote) {
            return Ok(());
        }
        let Some(checked) = self.check_both(&origin, &remote, effect)? else {
            return Ok(());
        };
        if check::is_on() {
            self.compare_types(effect, &origin, &remote)?;
        }
        let (near, far) = (checked.origin, checked.remote);
        let bytes = near.size();
        observe::moved(bytes);
        // SAFETY: the origin is readable or writable, as its maker promised. The target's part lies within the window, in this
        // process's address space unless a peer has it.
        unsafe {
            match way {
                _ if checked.reach == Reach::Peer => move_data(way, checked.target, near, far)?,
                Way::ToPeer => datatype::transfer(near, far),
                Way::FromPeer => datatype::transfer(far, near),
            }
        };
        count(way, checked.target, bytes);
        Ok(())
    }

    /// Checks both sides of an operation. `None`: nothing is to be moved (MPI_PROC_NULL, no data). An error changes
    /// nothing.
    // Inline, so that what it gives stays in registers: it is moved around byte by byte elsewhere, which costs more than to make it.
    #[inline(always)]
    pub(super) fn check_both(
        &self,
        origin: &Origin,
        remote: &Remote,
        effect: Effect,
    ) -> Result<Option<Checked<'_>>> {
        let near = side("origin", origin.count, origin.datatype)?;
        let far = side("target", remote.count, remote.datatype)?;
        if remote.rank == MPI_PROC_NULL {
            return Ok(None);
        }
        let target = self.target(remote.rank)?;
        self.may_access(target)?;
        near.datatype
            .check_buffer(origin.address.addr(), origin.count as usize, "origin_addr")?;
        if near.bytes != far.bytes {
            return self.check_with_room(origin, &near, remote, &far, effect);
        }
        if far.bytes == 0 {
            return Ok(None);
        }
        let (place, stay) = self.address(target, remote, far.datatype)?;
        let Resolved {
            address,
            reach,
            mixed,
        } = place;
        let reach = match (reach, effect) {
            (Reach::Own, Effect::Change | Effect::Exchange) => {
                self.reach_to_change(address, far.datatype, remote.count as usize)
            }
            (reach, _) => reach,
        };
        let origin = near
            .datatype
            .message(origin.address.cast(), origin.count as usize);
        let remote = far.datatype.message_at(address, remote.count as usize);
        Ok(Some(Checked {
            origin,
            remote,
            target,
            reach,
            mixed,
            _stay: stay,
        }))
    }

    /// The same where one side has more bytes than the other: those that are given are the first of the room for them, as in a
    /// message. Errors: `MPI_ERR_TYPE` if they do not fit in it, or do not end with one of its elements; those of
    /// [`Window::check_both`].
    #[cold]
    fn check_with_room(
        &self,
        origin: &Origin,
        near: &Side,
        remote: &Remote,
        far: &Side,
        effect: Effect,
    ) -> Result<Option<Checked<'_>>> {
        let (mut origin, mut remote) = (*origin, *remote);
        let fits = match effect {
            Effect::Change => near.fits(far).map(|count| remote.count = count),
            Effect::Read => far.fits(near).map(|count| origin.count = count),
            Effect::Exchange => None,
        };
        if fits.is_none() {
            bail!(
                Type,
                "origin and target do not match: {} bytes are at the origin, {} of the target's datatype are {}",
                near.bytes,
                remote.count,
                far.bytes
            );
        }
        self.check_both(&origin, &remote, effect)
    }

    /// The address that a target displacement stands for, and a stay there if the memory is private. Errors: `MPI_ERR_DISP`,
    /// `MPI_ERR_RMA_RANGE`, `MPI_ERR_PROC_FAILED`, `MPI_ERR_NO_MEM`.
    #[inline(always)]
    fn address<'a>(
        &self,
        target: &'a Target,
        remote: &Remote,
        datatype: &datatype::Datatype,
    ) -> Result<(Resolved, Option<Stay<'a>>)> {
        if self.flavor == Flavor::Dynamic {
            return self.stay_attached(target, remote, remote.disp as usize, datatype);
        }
        if remote.disp < 0 {
            bail!(
                Disp,
                "target_disp is {}, and a displacement in a window is not negative",
                remote.disp
            );
        }
        let beyond = |first, behind| Err(beyond(target, remote, first, behind));
        let at = remote.disp as i128 * target.disp_unit as i128;
        let Some((low, high)) = datatype.span(remote.count as usize) else {
            return beyond(at, i128::MAX);
        };
        let (first, behind) = (at + low as i128, at + high as i128);
        if first < 0 || behind > target.size as i128 {
            return beyond(first, behind);
        }
        let stay = match target.reach() {
            Reach::Shared => None,
            Reach::Attached => {
                let at = (target.there as usize).wrapping_add(at as usize);
                return self.stay_attached(target, remote, at, datatype);
            }
            _ => self.visit(target, target.there as usize)?,
        };
        // By now it may be shared.
        let address = (target.base() as usize).wrapping_add(at as usize);
        let reach = match stay {
            None => Reach::Shared,
            Some(_) => target.reach(),
        };
        Ok((Resolved::new(address, reach), stay))
    }

    /// The same for an address of the target, whose part is what it has attached.
    fn stay_attached<'a>(
        &self,
        target: &'a Target,
        remote: &Remote,
        at: usize,
        datatype: &datatype::Datatype,
    ) -> Result<(Resolved, Option<Stay<'a>>)> {
        let found = self.attached_address(remote, at, datatype)?;
        if found.reach == Reach::Shared {
            return Ok((found, None));
        }
        let stay = self.visit(target, at)?;
        // By now it may be shared.
        let found = self.attached_address(remote, at, datatype)?;
        let stay = stay.filter(|_| found.reach != Reach::Shared);
        Ok((found, stay))
    }

    /// Where an address of the target is for this process. Errors: `MPI_ERR_RMA_RANGE`.
    fn attached_address(
        &self,
        remote: &Remote,
        at: usize,
        datatype: &datatype::Datatype,
    ) -> Result<Resolved> {
        let count = remote.count as usize;
        let Some((low, high)) = datatype.span(count) else {
            bail!(
                RmaRange,
                "target_count is {}, and that many elements do not fit in memory",
                remote.count
            );
        };
        let (first, behind) = (at as i128 + low as i128, at as i128 + high as i128);
        let message = datatype.message_at(at, count);
        match self.find_attached(remote.rank, at, first, behind) {
            Ok(found) => Ok(found),
            // There may be gaps between the runs that are not attached.
            Err(_) if message.as_run().is_none() => self.find_each_attached(remote, &message),
            Err(missing) => Err(missing),
        }
    }

    /// The same where each run of the message, at addresses of the target, is to be looked for. Error:
    /// `MPI_ERR_RMA_RANGE`.
    fn find_each_attached(&self, remote: &Remote, message: &Message<'_>) -> Result<Resolved> {
        let (mut found, mut missing) = (None, None);
        message.walk(&mut |at: usize, len: usize| {
            let (first, behind) = (at as i128, at as i128 + len as i128);
            match self.find_attached(remote.rank, at, first, behind) {
                Ok(place) => {
                    let place = Resolved {
                        address: place.address.wrapping_sub(at),
                        ..place
                    };
                    found = match found {
                        Some(before) if before != place => Some(Resolved {
                            mixed: true,
                            // Where the target itself reaches it.
                            ..Resolved::new(0, self.reach_of_private(remote.rank))
                        }),
                        _ => Some(place),
                    };
                }
                Err(failed) => missing = missing.take().or(Some(failed)),
            }
        });
        if let Some(missing) = missing {
            return Err(missing);
        }
        let place = found.unwrap_or(Resolved::new(0, Reach::Own));
        Ok(Resolved {
            address: place.address.wrapping_add(message.base),
            ..place
        })
    }
}

/// A count and a datatype, checked.
struct Side {
    datatype: &'static datatype::Datatype,
    bytes: usize,
}

impl Side {
    /// How many of the elements of the other side this one's bytes are, if it has room for them.
    fn fits(&self, room: &Side) -> Option<i64> {
        let size = room.datatype.size();
        let fits = self.bytes <= room.bytes && self.bytes.is_multiple_of(size);
        fits.then(|| (self.bytes / size) as i64)
    }
}

#[inline(always)]
fn side(which: &str, count: i64, handle: MPI_Datatype) -> Result<Side> {
    if count < 0 {
        bail!(
            Count,
            "{which}_count is {count}, and a count is not negative"
        );
    }
    let datatype = match datatype::find_committed(handle) {
        Some(datatype) => datatype,
        None => datatype::get_committed(handle)?,
    };
    let bytes = datatype.bytes(count as usize)?;
    Ok(Side { datatype, bytes })
}

/// Moves `len` bytes between the origin's buffer and an address `there` of the target in this process's address space, and counts
/// them.
///
/// # Safety
/// Both are readable or writable, as the way asks for.
#[inline(always)]
pub(super) unsafe fn transfer_here(
    way: Way,
    origin: &Origin,
    target: &Target,
    there: *mut u8,
    len: usize,
) {
    let here = origin.address.cast_mut().cast::<u8>();
    // Before the copy, so that the length need not be kept in a register that is saved.
    count(way, target, len);
    // SAFETY: the caller's promise.
    unsafe {
        match way {
            Way::ToPeer => store(here, there, len, copy_to_segment),
            Way::FromPeer => store(there, here, len, copy),
        }
    }
}

/// Copies `len` bytes, which may overlap. Sizes of machine words are single accesses when aligned.
///
/// # Safety
/// `from` is readable and `to` writable for `len` bytes; that is all that `copy` needs.
#[inline(always)]
unsafe fn store(
    from: *const u8,
    to: *mut u8,
    len: usize,
    copy: unsafe fn(*const u8, *mut u8, usize),
) {
    // SAFETY: the caller's promise. Unaligned accesses of fixed size compile to one instruction each.
    unsafe {
        match len {
            8 => to
                .cast::<u64>()
                .write_unaligned(from.cast::<u64>().read_unaligned()),
            4 => to
                .cast::<u32>()
                .write_unaligned(from.cast::<u32>().read_unaligned()),
            _ => copy(from, to, len),
        }
    }
}
