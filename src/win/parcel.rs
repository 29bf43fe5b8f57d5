//! Transfers to and from private memory that the target carries out itself while it waits in MPI. States and orderings:
//! [`shm::parcel`](crate::shm::parcel).
//!
//! The kernel takes 1.4 µs for a copy, and 350 ns more for each piece that is written. A target that waits looks for errands
//! all the time, and scatters a thousand doubles in less than one of these microseconds. So the origin packs them into a parcel
//! and the target, if it waits in MPI, unpacks it; a get is a parcel that it fills.
//!
//! | the target           | is asked for                                                                           |
//! |----------------------|----------------------------------------------------------------------------------------|
//! | computes             | nothing                                                                                |
//! | waits awake          | puts of more than one piece; what is small                                             |
//! | waits asleep         | puts that would keep the kernel for longer than it takes to wake a process up          |
//!
//! The origin waits for a call longer than the kernel would have taken. Then it takes the parcel back, and leaves the target alone
//! for the next [`PAUSE`] transfers. A target that was asked stays awake for a while.
//!
//! **What the target looks at.** Whether the origin lives, and whether the addresses are in its part of the window and may be
//! written: where the kernel gives an error, a store would end the process. What does not look like that it refuses, as it does
//! while another thread of it attaches memory. The origin then leaves it to the kernel, and does not ask for long.
//!
//! **Moves.** The origin is in a visit all the time, so the memory stays where it is (`Window::visit`).

use super::{Reach, Target, Window};
use crate::block::Control;
use crate::datatype::{self, Layout, Message, Visit};
use crate::error::Result;
use crate::runtime::deaths::dead;
use crate::runtime::errands::{Errand, ask, set_errand};
use crate::runtime::table::Process;
use crate::runtime::wait::{moment, spin};
use crate::runtime::{self, Needs, Ranks, Waiting, job, me, must_reach};
use crate::shm::Offset;
use crate::shm::atomic::{AtomicU64, Ordering::Relaxed, spin_loop};
use crate::shm::heap::{self, Owned};
use crate::shm::parcel::Receipt;
use crate::shm::peer::Way;
use crate::shm::segment::segment;
use parking_lot::Mutex;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// What a parcel has room for: bytes, and patterns of where they are at the target.
const DATA: usize = 64 << 10;
const PATTERNS: usize = 1024;
/// What the kernel takes for a call, and for each piece.
const CALL: Duration = Duration::from_nanos(1400);
const PIECE: Duration = Duration::from_nanos(350);
/// What is so small is left to the target even if it is one piece.
const SMALL: usize = 4 << 10;
/// What takes the kernel longer is worth waking the target.
const WAKING: Duration = Duration::from_micros(100);
/// So many transfers a target is not asked for when it did not take one in time.
const PAUSE: u16 = 16;
/// The same for one that has refused, for which it may have asked the kernel.
const LONG_PAUSE: u16 = 10_000;

/// Runs of `block` bytes at the target, `stride` bytes from start to start.
#[repr(C)]
#[derive(Clone, Copy)]
struct Pattern {
    address: usize,
    stride: isize,
    count: u32,
    block: u32,
}

impl Pattern {
    fn bytes(&self) -> usize {
        self.count as usize * self.block as usize
    }

    /// Where the run behind the last one would be.
    fn next(&self) -> usize {
        let whole = self.stride.wrapping_mul(self.count as isize);
        self.address.wrapping_add_signed(whole)
    }

    /// From the first byte to the last. `None` if that is nowhere.
    fn hull(&self) -> Option<Range<usize>> {
        let last = self.stride.checked_mul(self.count as isize - 1)?;
        let last = self.address.checked_add_signed(last)?;
        let end = self.address.max(last).checked_add(self.block as usize)?;
        Some(self.address.min(last)..end)
    }
}

/// In the segment, in the origin's memory.
#[repr(C, align(64))]
struct Parcel {
    receipt: Receipt,
    /// The origin's rank in the job.
    from: u32,
    /// The target's block in the window, as [`Control::key`] says.
    window: u64,
    /// Whether it is to be filled.
    is_get: u32,
    /// Of the patterns, in the order of the data.
    count: u32,
    patterns: [Pattern; PATTERNS],
    data: [u8; DATA],
}

/// This process's own, when it has needed one. A second thread does without.
static MINE: Mutex<Option<Owned>> = Mutex::new(None);

/// Bytes that this process has moved for others.
pub static CARRIED: AtomicU64 = AtomicU64::new(0);

/// The windows of this process in which it may be asked, by their blocks.
static WINDOWS: Mutex<Vec<(u64, Weak<Window>)>> = Mutex::new(Vec::new());

/// Lets the others ask this process to carry out transfers to its part of a window, if that is private memory.
pub fn accept(window: &Arc<Window>) {
    let own = &window.targets[window.rank];
    if own.reach() == Reach::Shared {
        return;
    }
    set_errand(Errand::Store, carry_out);
    let mut windows = WINDOWS.lock();
    windows.retain(|(_, window)| window.strong_count() > 0);
    windows.push((Control::key(window.mine), Arc::downgrade(window)));
}

/// Nobody will ask any more.
pub fn close() {
    WINDOWS.lock().clear();
    *MINE.lock() = None;
}

/// Lets a target carry out the transfer of the positions `range` of two messages, as far as that is faster. Gives the
/// position that it came to. Error: `MPI_ERR_PROC_FAILED` if it dies over that.
///
/// # Safety
/// `near` is readable (`ToPeer`) or writable (`FromPeer`). `far` lies in the target's part.
pub(super) unsafe fn leave_to(
    target: &Target,
    way: Way,
    near: Message<'_>,
    far: Message<'_>,
    range: Range<usize>,
) -> Result<usize> {
    let mut at = range.start;
    let process = &job().table.processes[target.process() as usize];
    if process.attentive.load(Relaxed) == 0 || !target.may_be_asked() {
        return Ok(at);
    }
    let Some(mut mine) = MINE.try_lock() else {
        return Ok(at);
    };
    let Some(place) = place_of(&mut mine) else {
        return Ok(at);
    };
    let parcel = segment().at::<Parcel>(place);
    while at < range.end {
        // SAFETY: the parcel is this thread's own until it is laid on a desk, and again when it was answered or taken back.
        // `near` is the caller's promise; the patterns have as many bytes as there is room for.
        unsafe {
            let mut patterns = Patterns::new(&raw mut (*parcel).patterns);
            far.walk_range(at..range.end.min(at + DATA), &mut patterns);
            let Some(patience) = patterns.patience(way, target.process()) else {
                break;
            };
            let part = at..at + patterns.bytes;
            let data = (&raw mut (*parcel).data).cast::<u8>();
            if way == Way::ToPeer {
                datatype::pack(near, part.clone(), data);
            }
            (*parcel).from = job().rank;
            (*parcel).window = Control::key(target.block);
            (*parcel).is_get = (way == Way::FromPeer).into();
            (*parcel).count = patterns.count as u32;
            match deliver(
                process,
                target.process(),
                place,
                &(*parcel).receipt,
                patience,
            )? {
                Some(true) => {}
                answer => {
                    target.pause(answer.map_or(PAUSE, |_| LONG_PAUSE));
                    break;
                }
            }
            if way == Way::FromPeer {
                datatype::unpack(near, part.clone(), data);
            }
            at = part.end;
        }
    }
    Ok(at)
}

/// Where this process's parcel is; `None` if there is no memory for one.
fn place_of(mine: &mut Option<Owned>) -> Option<Offset> {
    if mine.is_none() {
        let place = heap::alloc(size_of::<Parcel>(), align_of::<Parcel>()).ok()?;
        *mine = Some(Owned::new(place));
    }
    mine.as_ref().map(Owned::offset)
}

/// Whether the target has carried it out, or has refused to; `None` if it has not taken it in time. Error:
/// `MPI_ERR_PROC_FAILED`.
fn deliver(
    process: &Process,
    rank: u32,
    parcel: Offset,
    receipt: &Receipt,
    patience: Duration,
) -> Result<Option<bool>> {
    receipt.blank();
    let began = Instant::now();
    let awake = moment();
    let mut laid = false;
    loop {
        if !laid && process.desk.lay(parcel) {
            laid = true;
            ask(rank, Errand::Store);
        }
        for _ in 0..16 {
            if let Some(answer) = receipt.answered() {
                return Ok(Some(answer));
            }
            spin_loop();
        }
        let waited = began.elapsed();
        if waited > patience {
            if !laid || process.desk.take_back(parcel) {
                // Perhaps it waits for this core.
                runtime::spread();
                return Ok(None);
            }
            break;
        }
        if waited > awake {
            std::thread::yield_now();
        }
    }
    let what = || format!("a transfer that rank {rank} of the job carries out");
    let waiting = Waiting {
        key: 0,
        what: &what,
        ranks: Ranks::One(rank),
        needs: Needs::One(rank),
        announce: None,
    };
    runtime::wait(&waiting, || receipt.answered().is_some())?;
    Ok(receipt.answered())
}

impl Target {
    fn may_be_asked(&self) -> bool {
        match self.pause.load(Relaxed) {
            0 => self.process() != job().rank,
            pause => {
                self.pause.store(pause - 1, Relaxed);
                false
            }
        }
    }

    fn pause(&self, transfers: u16) {
        self.pause.store(transfers, Relaxed);
    }
}

/// What the kernel has taken, in nanoseconds, for transfers that targets that sleep could have carried out.
static MISSED: AtomicU64 = AtomicU64::new(0);

/// Wakes a target that sleeps when that seems worth it, for the transfers to come.
fn knock(rank: u32, kernel: Duration) {
    let more = kernel.as_nanos() as u64;
    if MISSED.fetch_add(more, Relaxed) + more >= WAKING.as_nanos() as u64 {
        MISSED.store(0, Relaxed);
        runtime::spread();
        ask(rank, Errand::Store);
    }
}

/// Writes down where data is, in patterns, until there is no more room.
struct Patterns {
    to: *mut Pattern,
    count: usize,
    full: bool,
    pieces: u32,
    bytes: usize,
}

impl Patterns {
    /// # Safety
    /// The array is the caller's own as long as this is used.
    unsafe fn new(to: *mut [Pattern; PATTERNS]) -> Patterns {
        Patterns {
            to: to.cast(),
            count: 0,
            full: false,
            pieces: 0,
            bytes: 0,
        }
    }

    /// How long it is worth waiting for the target, if it is.
    fn patience(&self, way: Way, rank: u32) -> Option<Duration> {
        let pieces = match way {
            Way::ToPeer => self.pieces,
            // They are mostly read with their gaps.
            Way::FromPeer => self.pieces.min(8),
        };
        let kernel = CALL + PIECE * (pieces - 1);
        // Where ranks share cores it takes longer until the target is there.
        let small = spin() > 0 && (self.pieces > 1 || self.bytes <= SMALL);
        let sleeps = job().table.processes[rank as usize].doorbell.sleepers() != 0;
        if sleeps && small && kernel < WAKING {
            knock(rank, kernel);
        }
        let worth = kernel >= WAKING || small && !sleeps;
        worth.then_some(kernel + CALL)
    }
}

impl Visit for Patterns {
    #[inline]
    fn run(&mut self, address: usize, len: usize) {
        self.strided(address, 1, 0, len);
    }

    #[inline]
    fn strided(&mut self, address: usize, count: usize, stride: isize, block: usize) {
        if self.full {
            return;
        }
        let new = Pattern {
            address,
            stride,
            count: count as u32,
            block: block as u32,
        };
        // SAFETY: so many have been written, as the maker of this promised.
        let written = unsafe { std::slice::from_raw_parts_mut(self.to, self.count) };
        let continues = written.last_mut().is_some_and(|last| last.go_on(&new));
        if !continues {
            self.full = self.count == PATTERNS;
            if self.full {
                return;
            }
            // SAFETY: there is room for one more.
            unsafe { self.to.add(self.count).write(new) };
            self.count += 1;
        }
        self.pieces += new.count;
        self.bytes += new.bytes();
    }
}

impl Pattern {
    /// Becomes itself and `new` behind it, if that is a pattern.
    #[inline]
    fn go_on(&mut self, new: &Pattern) -> bool {
        let stride = match (self.count, new.count) {
            (1, 1) => new.address.wrapping_sub(self.address) as isize,
            (1, _) => new.stride,
            _ => self.stride,
        };
        let longer = Pattern { stride, ..*self };
        let continues = self.block == new.block
            && longer.next() == new.address
            && (new.count == 1 || new.stride == stride);
        if continues {
            *self = Pattern {
                count: self.count + new.count,
                ..longer
            };
        }
        continues
    }
}

/// Carries out what lies on this process's desk.
fn carry_out() {
    let Some(place) = me().desk.take() else {
        return;
    };
    must_reach(place, size_of::<Parcel>());
    let parcel = segment().at::<Parcel>(place);
    // What is small is on its way while the rest is looked at.
    // SAFETY: a prefetch touches nothing.
    unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const (*parcel).data).cast()) };
    // SAFETY: what lies on a desk is a parcel, which its sender leaves alone until it is answered. It is moved after it was
    // looked at.
    unsafe {
        let from = (*parcel).from;
        let done = may_carry_out(&*parcel);
        if done {
            move_all(parcel);
        }
        (*parcel).receipt.answer(done);
        runtime::ring(from);
    }
}

/// Whether its sender lives, and all of it lies in this process's part of the window, and there is memory that may be written.
fn may_carry_out(parcel: &Parcel) -> bool {
    let patterns = &parcel.patterns[..PATTERNS.min(parcel.count as usize)];
    let bytes: usize = patterns.iter().map(Pattern::bytes).sum();
    if bytes > DATA || dead(Ranks::One(parcel.from)).is_some() {
        return false;
    }
    let windows = WINDOWS.lock();
    let found = windows.iter().find(|(key, _)| *key == parcel.window);
    let Some(window) = found.and_then(|(_, window)| window.upgrade()) else {
        return false;
    };
    drop(windows);
    let hulls = || patterns.iter().map(Pattern::hull);
    let all = hulls().reduce(|all, hull| {
        let (all, hull) = (all?, hull?);
        Some(all.start.min(hull.start)..all.end.max(hull.end))
    });
    window.has_writable(all.flatten()) || hulls().all(|hull| window.has_writable(hull))
}

impl Window {
    /// Whether a range is in this process's part, memory that may be written.
    fn has_writable(&self, range: Option<Range<usize>>) -> bool {
        let Some(range) = range else {
            return false;
        };
        let own = &self.targets[self.rank];
        let part = match own.reach() {
            Reach::Attached => self
                .attached
                .try_lock()
                .and_then(|attached| attached.as_deref()?.region_at(range.start)),
            _ => {
                let begin = own.there as usize;
                Some(begin..begin + own.size)
            }
        };
        part.is_some_and(|part| part.start <= range.start && range.end <= part.end)
            && self.writable.covers(range)
    }
}

/// Moves the data between a parcel and where it belongs.
///
/// # Safety
/// The parcel is on its way, and its data is to go to or from memory of this process that may be written.
unsafe fn move_all(parcel: *mut Parcel) {
    // SAFETY: the caller's promise; so many patterns were looked at.
    let (mut data, patterns, is_get) = unsafe {
        let data = (&raw mut (*parcel).data).cast::<u8>();
        let patterns = (&raw const (*parcel).patterns).cast::<Pattern>();
        let patterns = std::slice::from_raw_parts(patterns, (*parcel).count as usize);
        (data, patterns, (*parcel).is_get)
    };
    for pattern in patterns {
        let message = Message {
            layout: &Layout::run(0, pattern.block as usize),
            extent: pattern.stride,
            base: pattern.address,
            count: pattern.count as usize,
        };
        let bytes = pattern.bytes();
        // SAFETY: the caller's promise; the patterns have at most as many bytes as there is room for.
        unsafe {
            match is_get {
                0 => datatype::unpack(message, 0..bytes, data),
                _ => datatype::pack(message, 0..bytes, data),
            }
        }
        data = data.wrapping_add(bytes);
    }
    let bytes: usize = patterns.iter().map(Pattern::bytes).sum();
    CARRIED.fetch_add(bytes as u64, Relaxed);
}
