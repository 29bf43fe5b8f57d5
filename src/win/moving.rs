//! When a process's own memory becomes shared, and how the others learn of it ([`adoption`] does it).
//!
//! A window over the program's own memory is reached through the kernel at first: 1 to 3 µs an operation. Taken into the
//! segment it is reached by load and store. That costs its owner a look at its mappings and two copies of it, there and
//! back, which pays for windows that are used and not for others; nobody knows which they are. So the others count the time that
//! they spend in the kernel, and once it has come to what the move costs, they ask the owner for it behind the next visit: whatever comes, a
//! window takes no more than twice the time that it would have taken with the better choice made at once. (Of little, a visit more is little;
//! of much, the visit and the better choice's own copy cost about as much as the move.) The owner does it when it is
//! in MPI: in any wait, and in the synchronisation calls of the window.
//!
//! | `place`     | the target's part is                                          | others                              |
//! |-------------|---------------------------------------------------------------|-------------------------------------|
//! | 0           | private memory                                                | visit it ([`visits`])               |
//! | an offset   | in the segment; the list of its [pieces](super::super::shm::view::Piece) is there | map it, and load and store |
//!
//! The place is told while the owner's door is shut, and every visitor looks at it after it has come in. So no update of an
//! element through the kernel, which fetches and puts back, is under way once another may update it by an atomic instruction.
//! The parts of a dynamic window are told in its tree of [regions](crate::block::regions), looked up after coming in: a
//! region for each piece.

use super::adoption::{self, Adoption};
use super::hints::Adopt;
use super::{Reach, Target, Window};
use crate::error::Result;
use crate::runtime::errands::{Errand, ask, set_errand};
use crate::runtime::job;
use crate::runtime::visits::{self, Patience, Visit};
use crate::shm::atomic::{AtomicU64, Ordering};
use crate::shm::heap::{self, Owned};
use crate::shm::replaceable::{Refusal, is_on_this_stack};
use crate::shm::segment::segment;
use crate::shm::view::{Piece, View};
use crate::shm::{Offset, PAGE, clock};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Nanoseconds that it costs to take so many bytes in and to give them back.
fn price(len: usize) -> u64 {
    let pages = len.div_ceil(PAGE) as u64 + 1;
    adoption::fixed_costs() + pages * adoption::page_costs()
}

/// When the owner is asked again: when so much more is spent, or so much in all.
enum Price {
    Of(u64),
    OfAll(u64),
}

/// After a refusal: visitors will have left the next time, and what else there is mostly stays.
fn next_price(now: u64, refusal: Option<Refusal>) -> u64 {
    match refusal {
        Some(Refusal::Visitors) => now,
        _ => 2 * now,
    }
}

/// The list of the pieces of a part, in the segment: how many, then offset and length of each.
pub struct Told(Owned);

impl Told {
    /// Error: `MPI_ERR_NO_MEM`.
    pub fn new(pieces: &[Piece]) -> Result<Told> {
        let words = 1 + 2 * pieces.len();
        let offset = heap::alloc(words * size_of::<u64>(), align_of::<u64>())?;
        let told = Told(Owned::new(offset));
        let list = [pieces.len()].into_iter();
        let list = list.chain(pieces.iter().flat_map(|piece| [piece.offset, piece.len]));
        for (i, word) in list.enumerate() {
            word_at(offset, i).store(word as u64, Ordering::Relaxed);
        }
        Ok(told)
    }

    pub fn offset(&self) -> Offset {
        self.0.offset()
    }

    /// Maps what is told at `offset`. Error: `MPI_ERR_NO_MEM`.
    pub fn view(offset: Offset) -> Result<View> {
        let reach = |words| segment().reach(offset, words * size_of::<u64>());
        reach(1)?;
        let word = |i| word_at(offset, i).load(Ordering::Relaxed) as usize;
        let piece = |i| Piece {
            offset: word(1 + 2 * i),
            len: word(2 + 2 * i),
        };
        reach(1 + 2 * word(0))?;
        let pieces: Vec<Piece> = (0..word(0)).map(piece).collect();
        Ok(View::of(segment(), &pieces)?)
    }
}

fn word_at(offset: Offset, i: usize) -> &'static AtomicU64 {
    let at = offset + i * size_of::<u64>();
    // SAFETY: the owner allocated the list, aligned, and frees it after the window, or when nobody was told of it. Who looks
    // has reached it.
    unsafe { &*segment().at::<AtomicU64>(at) }
}

/// What may be taken in of memory of the program's own: all of it, with what else lies on its pages; but of a stack, where it
/// would be in the way of forks, the pages only that have nothing else.
pub fn movable(bytes: &Range<usize>) -> Range<usize> {
    if !is_on_this_stack(bytes) {
        return bytes.clone();
    }
    let start = bytes.start.next_multiple_of(PAGE);
    start..start.max(bytes.end & !(PAGE - 1))
}

/// This process's part of a window over memory of the program's own.
#[derive(Default)]
pub enum Part {
    /// There is none, or it stays what it is.
    #[default]
    Settled,
    /// And why it stayed so, if it was to be taken in.
    Private(Range<usize>, Option<Refusal>),
    Adopted(
        #[expect(dead_code, reason = "dropped, it goes back")] Adoption,
        Told,
    ),
}

impl Part {
    /// A part that is taken in, or was already, before anybody knows of it, if `wish` says so or it costs nothing.
    pub fn of(bytes: Range<usize>, wish: Adopt) -> Part {
        if bytes.is_empty() || wish == Adopt::Never {
            return Part::Settled;
        }
        if movable(&bytes) != bytes {
            return Part::Private(bytes, Some(Refusal::Stack));
        }
        let mut told = None;
        let mut tell = |pieces: &[Piece]| {
            told = Some(Told::new(pieces)?);
            Ok(())
        };
        let adoption = match wish {
            Adopt::AtOnce => Adoption::of(bytes.clone(), Patience::Long, &mut tell).map_err(Some),
            _ => Adoption::of_adopted(bytes.clone(), &mut tell).ok_or(None),
        };
        match (adoption, told) {
            (Ok(adoption), Some(told)) => Part::Adopted(adoption, told),
            (adoption, _) => Part::Private(bytes, adoption.err().flatten()),
        }
    }

    /// Whether it was taken in, and why it was not, where that is known.
    pub fn outcome(&self) -> Option<std::result::Result<(), Refusal>> {
        match self {
            Part::Settled => None,
            Part::Private(_, refusal) => refusal.map(Err),
            Part::Adopted(..) => Some(Ok(())),
        }
    }

    /// Where it is told, if it is in the segment.
    pub fn place(&self) -> Option<Offset> {
        match self {
            Part::Adopted(_, told) => Some(told.offset()),
            _ => None,
        }
    }
}

/// The windows in which this process may be asked for a move.
static OWNED: Mutex<Vec<Weak<Window>>> = Mutex::new(Vec::new());

/// Lets others ask this process to move what it has in the window.
pub fn watch(window: &Arc<Window>) {
    let is_attached = window.targets[window.rank].reach() == Reach::Attached;
    let price = match &*window.part.lock() {
        _ if is_attached && window.hints.lock().adopt != Adopt::Never => price(0),
        Part::Private(bytes, refusal) if *refusal != Some(Refusal::Stack) => price(bytes.len()),
        _ => return,
    };
    set_errand(Errand::Move, answer_all);
    let mut owned = OWNED.lock();
    owned.retain(|window| window.strong_count() > 0);
    owned.push(Arc::downgrade(window));
    drop(owned);
    window.mine.move_in.answer(price);
}

fn answer_all() {
    let Some(owned) = OWNED.try_lock() else {
        // Another thread is at it, or this one is about to be: the next opportunity will do.
        return ask(job().rank, Errand::Move);
    };
    let asked: Vec<Arc<Window>> = owned.iter().filter_map(Weak::upgrade).collect();
    drop(owned);
    asked.iter().for_each(|window| window.answer());
}

/// Gives all memory back that windows still have, which nobody reaches any more.
pub fn close() {
    OWNED.lock().clear();
    adoption::give_all_back();
}

/// A visit to private memory of a target, until this is dropped.
pub(super) struct Stay<'a> {
    _visit: Visit,
    target: &'a Target,
    address: usize,
    /// When it began, if it counts.
    began: Option<Duration>,
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        if let Some(began) = self.began {
            let spent = clock::now().saturating_sub(began).as_nanos() as u64;
            self.target.spend(self.address, spent);
        }
    }
}

impl Target {
    /// Counts time spent in visits at an address, and asks the owner for a move if it was worth that before: a program that puts much once and
    /// frees the window pays for no move.
    fn spend(&self, address: usize, nanoseconds: u64) {
        let move_in = &self.block.move_in;
        let price = move_in.price.load(Ordering::Relaxed);
        if price == 0 {
            return;
        }
        let before = move_in.spent.fetch_add(nanoseconds, Ordering::Relaxed);
        if before >= price && !move_in.is_asked() {
            move_in.asked.store(address as u64, Ordering::Relaxed);
            ask(self.process(), Errand::Move);
        }
    }
}

impl Window {
    /// Comes into private memory of a target, to stay while it is copied. `None`: it is in the segment by now, and mapped.
    /// Blocks while the owner moves it. Errors: `MPI_ERR_PROC_FAILED`, `MPI_ERR_NO_MEM`.
    pub(super) fn visit<'a>(&self, target: &'a Target, address: usize) -> Result<Option<Stay<'a>>> {
        let visit = visits::visit(target.process())?;
        if let Some(place) = target.block.move_in.place() {
            drop(visit);
            self.follow(target, place)?;
            return Ok(None);
        }
        let others = target.process() != job().rank;
        Ok(Some(Stay {
            _visit: visit,
            target,
            address,
            began: others.then(clock::now),
        }))
    }

    /// Maps a target's part where its owner has told that it is. Error: `MPI_ERR_NO_MEM`.
    fn follow(&self, target: &Target, place: Offset) -> Result<()> {
        let mut views = self.views.lock();
        if target.reach() != Reach::Shared {
            let view = Told::view(place)?;
            target.settle(view.first());
            views.push(view);
        }
        Ok(())
    }

    /// Looks whether a target's part is in the segment by now. Error: `MPI_ERR_NO_MEM`.
    pub(super) fn look_again(&self, target: &Target) -> Result<()> {
        match target.block.move_in.place() {
            Some(place) if target.reach() == Reach::Peer => self.follow(target, place),
            _ => Ok(()),
        }
    }

    /// Does what others ask of this process's part: for calls in which it is in MPI, and has nothing half done.
    #[cold]
    pub(super) fn answer(&self) {
        let move_in = &self.mine.move_in;
        if !move_in.is_asked() {
            return;
        }
        let asked = move_in.asked.load(Ordering::Relaxed) as usize;
        let again = match self.targets[self.rank].reach() {
            Reach::Attached => self.adopt_attached(asked, move_in.spent.load(Ordering::Relaxed)),
            _ => Price::Of(self.adopt_part()),
        };
        match again {
            Price::Of(price) => move_in.answer(price),
            Price::OfAll(price) => move_in.price_is(price),
        }
    }

    /// Takes this process's part in. Gives the price of the next attempt.
    fn adopt_part(&self) -> u64 {
        let now = self.mine.move_in.price.load(Ordering::Relaxed);
        let Some(mut part) = self.part.try_lock() else {
            return now;
        };
        let Part::Private(bytes, _) = &*part else {
            return 0;
        };
        let (bytes, mut told) = (bytes.clone(), None);
        let own = &self.targets[self.rank];
        let adopted = Adoption::of(bytes.clone(), Patience::Short, |pieces| {
            let list = Told::new(pieces)?;
            own.settle(own.there);
            let place = list.offset() as u64;
            // Release: the list.
            self.mine.move_in.place.store(place, Ordering::Release);
            told = Some(list);
            Ok(())
        });
        match (adopted, told) {
            (Ok(adoption), Some(told)) => {
                *part = Part::Adopted(adoption, told);
                0
            }
            (adopted, _) => {
                let refusal = adopted.err();
                *part = Part::Private(bytes, refusal);
                next_price(now, refusal)
            }
        }
    }

    /// Takes the attached region in that an address lies in, if so much was spent as that costs. Gives the price of the next
    /// attempt.
    fn adopt_attached(&self, address: usize, spent: u64) -> Price {
        let now = self.mine.move_in.price.load(Ordering::Relaxed);
        let Some(mut attached) = self.attached.try_lock() else {
            return Price::Of(now);
        };
        let Some(attached) = attached.as_deref_mut() else {
            return Price::Of(price(0));
        };
        let Some(region) = attached.movable_at(address) else {
            return Price::Of(price(0));
        };
        let price_of_it = price(region.len());
        if spent < price_of_it {
            return Price::OfAll(price_of_it);
        }
        Price::Of(match self.adopt_region(attached, region, Patience::Short) {
            Ok(()) => price(0),
            Err(refusal) => next_price(now, Some(refusal)),
        })
    }

    /// The window is about to be freed: it is not worth a move any more.
    pub(super) fn stay(&self) {
        self.mine.move_in.answer(0);
    }

    /// Ends what this process has in the window: its memory is private again. Nobody else reaches it any more.
    pub(super) fn move_out(&self) {
        *self.part.lock() = Part::Settled;
        if let Some(attached) = self.attached.lock().as_deref_mut() {
            attached.move_out();
        }
    }
}
