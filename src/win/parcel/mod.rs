//! Transfers and updates of private memory that the target carries out itself while it waits in MPI. States and orderings:
//! [`shm::parcel`](crate::shm::parcel).
//!
//! The kernel takes 1.4 µs for a copy, and 350 ns more for each piece that is written. A target that waits looks for errands
//! all the time, and scatters a thousand doubles in less than one of these microseconds. So the origin packs them into a parcel
//! and the target, if it waits in MPI, unpacks it; a get is a parcel that it fills. An update is a parcel with operands, in which
//! the target leaves what was there if that is wanted: the kernel would copy twice, under the target's accumulate lock.
//!
//! | the target           | is asked for                                                                           |
//! |----------------------|----------------------------------------------------------------------------------------|
//! | computes             | nothing                                                                                |
//! | waits awake          | puts of more than one piece; what is small; updates of up to 16 KiB                    |
//! | waits asleep         | what would keep the kernel for longer than it takes to wake a process up               |
//!
//! The origin waits for a call longer than the kernel would have taken. Then it takes the parcel back. It leaves the target alone
//! for the next transfers, [`PAUSE`] at least, as it does after an answer that was so late. A target that was asked stays awake for a while.
//!
//! **What the target looks at** ([`serve`]). Whether the origin lives, and whether the addresses are in its part of the window
//! and may be written: where the kernel gives an error, a store would end the process. What does not look like that it refuses,
//! as it does while another thread of it attaches memory. The origin then leaves it to the kernel, and does not ask for long.
//!
//! **Updates** are kept apart by the target's accumulate lock, which other origins hold while they go by the kernel. The target
//! takes it itself, and only if it is free: a thread that looks for errands waits, perhaps for the one that holds the lock, and
//! perhaps holds that very lock. If it does not get it, it is busy: the origin, which holds no lock meanwhile, goes by the kernel
//! under the lock, and may ask again the next time. What is compared and swapped goes the same way.
//!
//! **Moves.** The origin is in a visit all the time, so the memory stays where it is (`Window::visit`).

mod patterns;
mod serve;

pub use serve::{CARRIED, accept, close};

use super::Target;
use super::elements::Sides;
use super::update::Operation;
use crate::block::Control;
use crate::datatype::{self, Basic, Message};
use crate::error::Result;
use crate::op::Predefined;
use crate::runtime::errands::{Errand, ask};
use crate::runtime::table::Process;
use crate::runtime::wait::{moment, spin};
use crate::runtime::{self, Needs, Ranks, Waiting, job};
use crate::shm::Offset;
use crate::shm::atomic::{AtomicU64, Ordering::Relaxed, spin_loop};
use crate::shm::heap::{self, Owned};
use crate::shm::parcel::{Answer, Receipt};
use crate::shm::peer::Way;
use crate::shm::segment::segment;
use parking_lot::{Mutex, MutexGuard};
use patterns::{Elements, PATTERNS, Pattern, Patterns};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Bytes that a parcel has room for.
const DATA: usize = 64 << 10;
/// What the kernel takes for a call, and for each piece.
const CALL: Duration = Duration::from_nanos(1400);
const PIECE: Duration = Duration::from_nanos(350);
/// So many bytes of an update it copies in a nanosecond, and as many back.
const SPEED: u64 = 8;
/// What is so small is left to the target even if it is one piece.
const SMALL: usize = 4 << 10;
/// An update of more bytes is quicker by the kernel: it brings them into the origin's cache as they are, where the target takes the operands out of that
/// line by line.
const UPDATED: usize = 16 << 10;
/// What takes the kernel longer is worth waking the target.
const WAKING: Duration = Duration::from_micros(100);
/// So many transfers a target is not asked for when it was late with one, and more if the kernel is quick with them: it has lost
/// so much time for nothing.
const PAUSE: u16 = 16;
const LOST: Duration = Duration::from_micros(400);
/// The same for one that has refused, for which it may have asked the kernel.
const LONG_PAUSE: u16 = 10_000;

/// What the target is to do.
#[derive(Clone, Copy)]
enum Work {
    /// It gets what is in the parcel.
    Put,
    /// It fills the parcel.
    Get,
    /// It combines its elements with operands in the parcel; if the other is set, what was there goes behind them.
    Update(Operation, bool),
    /// It sets one element to the first [`ELEMENT`] bytes if that is as the second; what was there becomes the third.
    Swap,
}

/// No element that is compared has more bytes.
const ELEMENT: usize = 16;

impl Work {
    /// As numbers, as they are in a parcel: what, and for an update the operation and the kind of the elements.
    fn numbers(self) -> [u8; 4] {
        match self {
            Work::Put => [0; 4],
            Work::Get => [1, 0, 0, 0],
            Work::Update(operation, fetches) => {
                let Operation { op, basic, .. } = operation;
                [2, op as u8, basic as u8, fetches.into()]
            }
            Work::Swap => [3, 0, 0, 0],
        }
    }

    /// What numbers mean; `None` if nothing.
    fn of([what, op, basic, fetches]: [u8; 4]) -> Option<Work> {
        match what {
            0 => Some(Work::Put),
            1 => Some(Work::Get),
            2 => {
                let op = *Predefined::ALL.get(op as usize)?;
                let basic = *Basic::ALL.get(basic as usize)?;
                Some(Work::Update(Operation::of(op, basic)?, fetches != 0))
            }
            3 => Some(Work::Swap),
            _ => None,
        }
    }

    fn is_reading(self) -> bool {
        match self {
            Work::Get => true,
            Work::Update(operation, _) => operation.op == Predefined::NoOp,
            _ => false,
        }
    }

    /// Where in the data that is left what was there, of so many bytes.
    fn before(self, bytes: usize) -> usize {
        match self.is_reading() {
            true => 0,
            false => bytes.next_multiple_of(ELEMENT),
        }
    }

    /// So many bytes of the target a parcel has room for.
    fn room(self) -> usize {
        match self {
            Work::Update(_, true) if !self.is_reading() => DATA / 2,
            Work::Swap => ELEMENT,
            _ => DATA,
        }
    }

    /// How long the kernel would take, for so many pieces and bytes.
    fn by_kernel(self, pieces: u32, bytes: usize) -> Duration {
        let write = CALL + PIECE * (pieces - 1);
        // They are mostly read with their gaps.
        let read = CALL + PIECE * (pieces.min(8) - 1);
        let copy = Duration::from_nanos(bytes as u64 / SPEED);
        match self {
            Work::Put => write,
            Work::Get => read,
            Work::Update(..) if self.is_reading() => read + copy,
            Work::Update(..) | Work::Swap => read + write + 2 * copy,
        }
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
    /// A [`Work`], as numbers.
    work: [u8; 4],
    /// Of the patterns, in the order of the data.
    count: u32,
    patterns: [Pattern; PATTERNS],
    data: [u8; DATA],
}

/// This process's own, when it has needed one. A second thread does without.
static MINE: Mutex<Option<Owned>> = Mutex::new(None);

/// This process's parcel, in the hands of a thread that asks a target.
struct Asking<'a> {
    target: &'a Target,
    process: &'static Process,
    place: Offset,
    parcel: *mut Parcel,
    _mine: MutexGuard<'static, Option<Owned>>,
}

impl<'a> Asking<'a> {
    /// `None` if the target is not to be asked now.
    #[inline]
    fn begin(target: &'a Target) -> Option<Asking<'a>> {
        let process = &job().table.processes[target.process() as usize];
        if process.attentive.load(Relaxed) == 0 || !target.may_be_asked() {
            return None;
        }
        let mut mine = MINE.try_lock()?;
        let place = place_of(&mut mine)?;
        Some(Asking {
            target,
            process,
            place,
            parcel: segment().at::<Parcel>(place),
            _mine: mine,
        })
    }

    /// No patterns yet.
    fn patterns(&self) -> Patterns {
        // SAFETY: the parcel is this thread's own until it is laid on a desk, and again when it was answered or taken back.
        unsafe { Patterns::new(&raw mut (*self.parcel).patterns) }
    }

    fn data(&self) -> *mut u8 {
        // SAFETY: as above.
        unsafe { (&raw mut (*self.parcel).data).cast() }
    }

    /// How long it is worth waiting for the target, if it is.
    fn patience(&self, work: Work, patterns: &Patterns) -> Option<Duration> {
        let kernel = work.by_kernel(patterns.pieces, patterns.bytes);
        let is_little = match work {
            Work::Put | Work::Get => patterns.pieces > 1 || patterns.bytes <= SMALL,
            Work::Update(..) | Work::Swap => true,
        };
        // Where ranks share cores it takes longer until the target is there.
        let small = spin() > 0 && is_little;
        let sleeps = self.process.doorbell.sleepers() != 0;
        if sleeps && small && kernel < WAKING {
            knock(self.target.process(), kernel);
        }
        let worth = kernel >= WAKING || small && !sleeps;
        worth.then_some(kernel + CALL)
    }

    /// Whether the target has done it; if not, nothing was done. Error: `MPI_ERR_PROC_FAILED`.
    ///
    /// # Safety
    /// The patterns are the parcel's, and what the target is to have is in the data.
    unsafe fn is_done(&self, work: Work, patterns: &Patterns, patience: Duration) -> Result<bool> {
        let target = self.target;
        // SAFETY: as above.
        let receipt = unsafe {
            let parcel = self.parcel;
            (*parcel).from = job().rank;
            (*parcel).window = Control::key(target.block);
            (*parcel).work = work.numbers();
            (*parcel).count = patterns.count as u32;
            &(*parcel).receipt
        };
        let answer = deliver(
            self.process,
            target.process(),
            self.place,
            receipt,
            patience,
        )?;
        match answer {
            // It may be free the next time.
            Delivered::InTime(Answer::Stored | Answer::Busy) => {}
            Delivered::InTime(Answer::Refused) | Delivered::Late(Answer::Refused) => {
                target.pause(LONG_PAUSE)
            }
            Delivered::Late(_) | Delivered::TakenBack => {
                let more = LOST.as_nanos() / patience.as_nanos();
                target.pause(PAUSE.max(more as u16));
                // Perhaps it waits for this core.
                runtime::spread();
            }
        }
        Ok(answer.is_stored())
    }
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
    let Some(asking) = Asking::begin(target) else {
        return Ok(at);
    };
    let work = match way {
        Way::ToPeer => Work::Put,
        Way::FromPeer => Work::Get,
    };
    while at < range.end {
        let mut patterns = asking.patterns();
        far.walk_range(at..range.end.min(at + work.room()), &mut patterns);
        let Some(patience) = asking.patience(work, &patterns) else {
            break;
        };
        let part = at..at + patterns.bytes;
        // SAFETY: `near` is the caller's promise; the patterns have as many bytes as there is room for.
        unsafe {
            if way == Way::ToPeer {
                datatype::pack(near, part.clone(), asking.data());
            }
            if !asking.is_done(work, &patterns, patience)? {
                break;
            }
            if way == Way::FromPeer {
                datatype::unpack(near, part.clone(), asking.data());
            }
        }
        at = part.end;
    }
    Ok(at)
}

/// Lets a target update elements of a message, the `elements` of it, as far as that is faster. Gives how many it has. Error:
/// `MPI_ERR_PROC_FAILED`. This process does not hold the target's accumulate lock.
///
/// # Safety
/// `sides` has as many, and `far`, of elements of that kind, lies in the target's part.
pub(super) unsafe fn leave_update(
    target: &Target,
    far: Message<'_>,
    elements: Range<usize>,
    operation: &Operation,
    sides: Sides,
) -> Result<usize> {
    let mut done = 0;
    if elements.len() * operation.kernel.extent > UPDATED {
        return Ok(done);
    }
    let Some(asking) = Asking::begin(target) else {
        return Ok(done);
    };
    let (basic, extent) = (operation.basic, operation.kernel.extent);
    let work = Work::Update(*operation, sides.before.is_some());
    while done < elements.len() {
        let at = elements.start + done;
        let end = elements.end.min(at + work.room() / extent);
        let mut patterns = asking.patterns();
        let positions = at * basic.size()..end * basic.size();
        far.walk_range(positions, &mut Elements::new(basic, &mut patterns));
        let Some(patience) = asking.patience(work, &patterns) else {
            break;
        };
        let (data, sides, bytes) = (asking.data(), sides.skip(done * extent), patterns.bytes);
        // SAFETY: the sides are the caller's promise; there is room for so many bytes, twice if both are needed.
        unsafe {
            if !work.is_reading() {
                data.copy_from_nonoverlapping(sides.operands, bytes);
            }
            if !asking.is_done(work, &patterns, patience)? {
                break;
            }
            if let Some(before) = sides.before {
                let from = data.add(work.before(bytes));
                before.as_ptr().copy_from_nonoverlapping(from, bytes);
            }
        }
        done += bytes / extent;
    }
    Ok(done)
}

/// Lets a target set one element, which `far` is, to `new` if it is as `expected`: what was there, if the target did that. Error:
/// `MPI_ERR_PROC_FAILED`. This process does not hold the target's accumulate lock.
pub(super) fn leave_swap(
    target: &Target,
    far: Message<'_>,
    new: &[u8],
    expected: &[u8],
) -> Result<Option<[u8; ELEMENT]>> {
    let Some(asking) = Asking::begin(target) else {
        return Ok(None);
    };
    let mut patterns = asking.patterns();
    far.walk(&mut patterns);
    let Some(patience) = asking.patience(Work::Swap, &patterns) else {
        return Ok(None);
    };
    let data = asking.data().cast::<[[u8; ELEMENT]; 3]>();
    // SAFETY: the data is this thread's own, before and after.
    unsafe {
        (&mut (*data)[0])[..new.len()].copy_from_slice(new);
        (&mut (*data)[1])[..expected.len()].copy_from_slice(expected);
        let done = asking.is_done(Work::Swap, &patterns, patience)?;
        Ok(done.then(|| (*data)[2]))
    }
}

/// Where this process's parcel is; `None` if there is no memory for one.
fn place_of(mine: &mut Option<Owned>) -> Option<Offset> {
    if mine.is_none() {
        let place = heap::alloc(size_of::<Parcel>(), align_of::<Parcel>()).ok()?;
        *mine = Some(Owned::new(place));
    }
    mine.as_ref().map(Owned::offset)
}

/// What became of a parcel.
#[derive(Clone, Copy)]
enum Delivered {
    InTime(Answer),
    /// When the kernel would long have been through.
    Late(Answer),
    /// The target has not taken it in time.
    TakenBack,
}

impl Delivered {
    fn is_stored(self) -> bool {
        matches!(
            self,
            Delivered::InTime(Answer::Stored) | Delivered::Late(Answer::Stored)
        )
    }
}

/// Lays a parcel on the target's desk, and waits for the answer. Error: `MPI_ERR_PROC_FAILED`.
fn deliver(
    process: &Process,
    rank: u32,
    parcel: Offset,
    receipt: &Receipt,
    patience: Duration,
) -> Result<Delivered> {
    receipt.blank();
    let began = Instant::now();
    let awake = moment();
    let (mut laid, mut yielded) = (false, false);
    loop {
        if !laid && process.desk.lay(parcel) {
            laid = true;
            ask(rank, Errand::Store);
        }
        for _ in 0..16 {
            if let Some(answer) = receipt.answered() {
                return Ok(match yielded && began.elapsed() > patience {
                    true => Delivered::Late(answer),
                    false => Delivered::InTime(answer),
                });
            }
            spin_loop();
        }
        let waited = began.elapsed();
        if waited > patience {
            if !laid || process.desk.take_back(parcel) {
                return Ok(Delivered::TakenBack);
            }
            break;
        }
        if waited > awake {
            yielded = true;
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
    let mut answer = None;
    runtime::wait(&waiting, || {
        answer = receipt.answered();
        answer.is_some()
    })?;
    Ok(answer.map_or(Delivered::TakenBack, Delivered::Late))
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
