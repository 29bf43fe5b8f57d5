//! The heart: windows, epochs, locks, and one-sided access.
//!
//! Everything here is truly one-sided: data is moved by the calling process when the call is made, by load and store where the
//! target's memory lies in the job segment ([`Reach::Shared`]), by single copies in the kernel where it does not
//! ([`Reach::Peer`]). Completion is therefore a memory fence, and synchronisation is a few words of shared memory
//! ([`crate::block`]).
//!
//! - [`create`]: making and freeing windows, [`lost`]: where one of the processes has died; [`query`]: what a window says about itself; [`hints`]: their table
//! - [`epoch`]: which accesses are allowed when; [its word](crate::block::access)
//! - [`passive`]: lock, lock_all, flush; [`active`]: fence; [`exposure`]: post, start, complete, wait
//! - [`waiting`]: for locks, with how much [`patience`]; [`obstacle`]: which deaths end which waits
//! - [`dynamic`]: windows whose memory comes and goes, found in a tree of [regions](crate::block::regions); [`memory`]: MPI_Alloc_mem
//! - [`private`]: memory where load and store do not reach; [`parcel`]: what a target that waits does there itself;
//!   [`moving`]: when it becomes shared; [`adoption`]: what was taken in; [`forks`]: what a child has in its place
//! - [`checked`]: what is told to the check of races
//! - [`transfer`]: put and get; [`accumulate`]: the accumulate family; [`update`]: how elements are updated, by [`amo`]'s
//!   atomic instructions or under a lock; [`elements`]: arrays of them
//!
//! The rest of MPI is reached through few doors: a communicator's group, rank and meeting; a datatype's messages; an op's
//! kernels; error handlers.
//!
//! **Reach.** Each process has for each target a `Target`: base, size, displacement unit, control block, and how its memory is
//! reached.
//!
//! | reach    | memory                                                    | how                                  |
//! |----------|-----------------------------------------------------------|--------------------------------------|
//! | Shared   | in the segment (allocate, allocate_shared, MPI_Alloc_mem, the program's own that was taken in) | load and store |
//! | Own      | this process's own private memory                         | load and store                       |
//! | Peer     | another process's private memory, own that is read-only   | one copy by the kernel (`shm::peer`) |
//! | Attached | a dynamic window's                                        | one of the three, found by address   |
//!
//! **Completion.** An operation is complete at the target when its call returns, up to the order in which stores become
//! visible. So a flush is a full fence and nothing else. A release would not do: after put and flush, a load of another
//! location must not be taken before the put is seen (the store-buffer litmus test). unlock, unlock_all, complete and fence
//! contain a locked instruction or the fence. Requests of `MPI_Rput` and its kin are complete when they are given.
//!
//! **Fast paths.** The functions whose names end in `_quickly` do the common case or nothing, and say which. An exported
//! function is that and, where it says no, a jump with the same arguments in the same registers to a body that begins anew with
//! every check (`#[quick(…)]`). So a fast path has no error to carry, saves few registers, and can be read in a minute. For put
//! it is the handle's slot, the datatype's size, the target, its epoch, two compares for displacement and length, and a copy.
//! What it left out was dear: the jump from MPI_X to PMPI_X, the load of the first chunk of handles, overflow checks (a target
//! knows how many whole displacement units it has), error results on the stack. (Put of 8 bytes with flush 8.4 ns before, 6.0
//! after, on an AMD EPYC; two calls of empty functions of a shared library take 2.4 each.)

pub mod accumulate;
pub mod active;
pub mod adoption;
pub mod amo;
mod checked;
pub mod create;
pub mod dynamic;
pub mod elements;
mod entry;
pub mod epoch;
pub mod exposure;
mod fitting;
mod forks;
pub mod hints;
mod listed;
pub mod looked;
pub mod lost;
pub mod memory;
mod mixed;
pub mod moving;
pub mod obstacle;
pub mod parcel;
pub mod passive;
pub mod patience;
pub mod private;
pub mod query;
pub mod together;
pub mod transfer;
pub mod turn;
mod update;
pub mod waiting;

use crate::attribute::Attributes;
use crate::bail;
use crate::block::listed::Listed;
use crate::block::{Control, PerRank};
use crate::comm::group::Group;
use crate::errhandler::Slot;
use crate::error::Result;
use crate::handle::{Kind, Table};
use crate::mpi::constants::*;
use crate::mpi::types::{MPI_Aint, MPI_Errhandler, MPI_Win};
use crate::runtime::{self, meeting::Meeting, traffic::Towards};
use crate::shm::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::shm::atomic::{AtomicPtr, AtomicU8, AtomicU16, AtomicU64, AtomicUsize};
use crate::shm::view::View;
use epoch::Epoch;
use memory::Given;
use moving::Part;
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// How a target's memory is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reach {
    /// By load and store: it lies in the job segment.
    Shared = 0,
    /// By load and store, but only here: this process's own private memory.
    Own = 1,
    /// Through the kernel: private memory of another process, and of this one where it may not be written.
    Peer = 2,
    /// A dynamic window: it depends on the address.
    Attached = 3,
}

/// What a process needs to know of a target, close together.
#[repr(C, align(64))]
pub struct Target {
    /// The window's first byte in this process, if it is [`Reach::Shared`].
    here: AtomicPtr<u8>,
    /// The window's first byte in the target, else.
    pub there: *mut u8,
    /// Bytes.
    pub size: usize,
    /// Bytes per unit of displacement.
    pub disp_unit: usize,
    /// Bytes that every process reaches by load and store: all of them ([`Reach::Shared`]) or none.
    near: AtomicUsize,
    /// The same in whole units of displacement.
    near_units: AtomicUsize,
    /// The target's side of locks.
    pub block: &'static PerRank,
    /// The target's rank in the job.
    towards: Towards,
    /// Becomes [`Reach::Shared`] where the target's own memory is [taken in](moving).
    reach: AtomicU8,
    /// This process's own access epoch on this target alone: an [`epoch::Hold`].
    pub hold: AtomicU8,
    /// For how many transfers this process does not [ask](parcel) it.
    pause: AtomicU16,
}

impl Target {
    pub fn new(
        base: *mut u8,
        size: usize,
        disp_unit: usize,
        block: &'static PerRank,
        process: u32,
        reach: Reach,
    ) -> Target {
        let target = Target {
            here: AtomicPtr::default(),
            there: base,
            size,
            disp_unit,
            near: AtomicUsize::default(),
            near_units: AtomicUsize::default(),
            block,
            towards: Towards::new(process),
            reach: AtomicU8::new(reach as u8),
            hold: AtomicU8::default(),
            pause: AtomicU16::default(),
        };
        if reach == Reach::Shared {
            target.settle(base);
        }
        target
    }

    /// Its rank in the job.
    #[inline(always)]
    pub fn process(&self) -> u32 {
        self.towards.rank()
    }

    /// From now on all of it is reached by load and store, at `here`.
    fn settle(&self, here: *mut u8) {
        self.here.store(here, Relaxed);
        // Release: who finds bytes near also finds where they are.
        self.near.store(self.size, Release);
        self.near_units.store(self.size / self.disp_unit, Release);
        self.reach.store(Reach::Shared as u8, Release);
    }

    /// How its memory is reached now.
    #[inline(always)]
    pub fn reach(&self) -> Reach {
        match self.reach.load(Acquire) {
            0 => Reach::Shared,
            1 => Reach::Own,
            2 => Reach::Peer,
            _ => Reach::Attached,
        }
    }

    /// The window's first byte: an address in this process, or in the target for [`Reach::Peer`].
    #[inline(always)]
    pub fn base(&self) -> *mut u8 {
        match self.reach() {
            Reach::Shared => self.here.load(Relaxed),
            _ => self.there,
        }
    }

    /// Where `count` elements of `size` bytes, 255 at most, at `disp` are, if they are reached by load and store.
    #[inline(always)]
    pub fn place(&self, disp: MPI_Aint, count: i64, size: usize) -> Option<*mut u8> {
        // What is negative is larger than every size, and what is not larger does not overflow.
        let (disp, count) = (disp as usize, count as usize);
        // Acquire, which costs nothing here: with `settle`.
        let near = self.near.load(Acquire);
        if disp > self.near_units.load(Acquire) || count > near {
            return None;
        }
        let at = disp.wrapping_mul(self.disp_unit);
        let fits = count.wrapping_mul(size) <= near.wrapping_sub(at);
        fits.then(|| self.here.load(Relaxed).wrapping_add(at))
    }
}

// SAFETY: the addresses are only used under the rules of RMA: what lies there is shared by design.
unsafe impl Send for Target {}
// SAFETY: as above.
unsafe impl Sync for Target {}

/// How the window was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Flavor {
    Create = 1,
    Allocate = 2,
    Dynamic = 3,
    Shared = 4,
}

impl Flavor {
    /// The number that C has.
    pub fn number(self) -> c_int {
        match self {
            Flavor::Create => MPI_WIN_FLAVOR_CREATE,
            Flavor::Allocate => MPI_WIN_FLAVOR_ALLOCATE,
            Flavor::Dynamic => MPI_WIN_FLAVOR_DYNAMIC,
            Flavor::Shared => MPI_WIN_FLAVOR_SHARED,
        }
    }
}

/// A window.
pub struct Window {
    /// Which of this process's windows it is, counted from 1: no other ever has the number.
    pub number: u64,
    /// Which epochs this process has open.
    pub epoch: Epoch,
    /// All processes of the window, by rank.
    pub targets: Box<[Target]>,
    pub rank: usize,
    pub control: Control,
    /// This process's part of it.
    pub mine: &'static PerRank,
    /// Whether some process of the window counts on heavy fences (see [`crate::shm::bias`]).
    pub light_fences: bool,
    /// Its place in the list of windows, at rank 0. Given up before the meeting is left.
    listed: Option<Listed>,
    /// Where the window's processes meet; holds the control block.
    pub meeting: Meeting,
    /// The group of its communicator.
    pub group: Arc<Group>,
    pub flavor: Flavor,
    /// What this process gave: what the attributes point to.
    pub own: Own,
    pub hints: Mutex<hints::Hints>,
    pub name: Mutex<Box<[u8]>>,
    pub handler: Slot,
    pub attributes: Attributes,
    /// What this process expects of post and complete.
    pub expected: Mutex<exposure::Expected>,
    /// What this process brought to the window, if that is memory of the program's own.
    part: Mutex<Part>,
    /// Where parts of others are mapped that have moved.
    views: Mutex<Vec<View>>,
    /// What this process has attached, if it ever has.
    pub attached: Mutex<Option<Box<dynamic::Attached>>>,
    /// Where this process may write to private memory of its own.
    writable: private::Writable,
    /// Of each target, if the window is dynamic: where this process was last.
    recent: Box<[dynamic::Recent]>,
    /// For checks.
    promises: together::Promises,
    names: checked::Names,
}

/// This process's part, in the types that the attributes have in C.
pub struct Own {
    pub base: *mut c_void,
    pub size: isize,
    pub disp_unit: c_int,
    pub flavor: c_int,
    pub model: c_int,
    /// What is freed with the window.
    pub _memory: Option<Given>,
}

// SAFETY: `base` is only handed to the program.
unsafe impl Send for Own {}
// SAFETY: as above; the rest never changes.
unsafe impl Sync for Own {}

/// Locks that were not free when they were asked for.
pub static LOCK_WAITS: AtomicU64 = AtomicU64::new(0);

/// Windows that this process has made.
static MADE: AtomicU64 = AtomicU64::new(0);

/// The windows of this process.
pub static WINDOWS: Table<Window> = Table::new(Kind::Win);

/// The window of a handle. Error: `MPI_ERR_WIN`.
#[inline(always)]
pub fn get(handle: MPI_Win) -> Result<&'static Window> {
    match WINDOWS.find(handle.0) {
        Some(window) => Ok(window),
        None => none(handle),
    }
}

/// The window of a handle, if it is one that fast paths may use: its calls are not observed.
#[inline(always)]
pub fn find(handle: MPI_Win) -> Option<&'static Window> {
    WINDOWS.get(handle.0)
}

/// The window of a handle, if it is one whose calls are observed.
#[inline(always)]
pub fn find_observed(handle: MPI_Win) -> Option<&'static Window> {
    WINDOWS.find_hidden(handle.0)
}

#[cold]
fn none(handle: MPI_Win) -> Result<&'static Window> {
    if handle == crate::mpi::constants::MPI_WIN_NULL {
        bail!(Win, "win is MPI_WIN_NULL");
    }
    bail!(
        Win,
        "win is {:#x}, which is no window (it may have been freed)",
        handle.0
    )
}

impl Window {
    pub fn size(&self) -> usize {
        self.targets.len()
    }

    /// Attaches an error handler. One that lets this process go on after an error says so to the launcher, if the window
    /// has other processes, which may die. Error: `MPI_ERR_ERRHANDLER`.
    pub fn set_handler(&self, handler: MPI_Errhandler) -> Result<()> {
        self.handler.set(Kind::Win, handler)?;
        if self.size() > 1 && self.handler.lets_go_on() {
            runtime::survive();
        }
        Ok(())
    }

    /// The target with `rank`, if there is one and operations on it are allowed, as far as two loads tell.
    #[inline(always)]
    pub fn open_target(&self, rank: c_int) -> Option<&Target> {
        let target = self.find_target(rank)?;
        self.is_open(target).then_some(target)
    }

    /// The target with `rank`, if there is one.
    #[inline(always)]
    fn find_target(&self, rank: c_int) -> Option<&Target> {
        // A negative rank is a large index.
        self.targets.get(rank as u32 as usize)
    }

    /// The target with `rank`. Error: `MPI_ERR_RANK`.
    #[inline(always)]
    pub fn target(&self, rank: c_int) -> Result<&Target> {
        match self.find_target(rank) {
            Some(target) => Ok(target),
            None => self.no_target(rank),
        }
    }

    #[cold]
    fn no_target(&self, rank: c_int) -> Result<&Target> {
        bail!(
            Rank,
            "rank is {rank}, but the window has {} processes, from 0",
            self.size()
        )
    }
}
