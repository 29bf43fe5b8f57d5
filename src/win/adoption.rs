//! Memory of the program's own that was taken into the job's segment: the book of this process (how, is in
//! [`shm::adoption`](crate::shm::adoption)).
//!
//! A *run* is whole pages side by side that are side by side in the segment too, and how many windows (or attached regions)
//! need them. Windows that overlap, or lie on the same page, share runs: of what a window covers only what no run has is taken
//! in, and only what nobody needs any more is given back. So a window's part may be several pieces of the segment.
//!
//! **Before it is given back** the kernel is asked whether it is still there: programs free memory before the window, and what
//! lies there by then is somebody else's.
//!
//! A child of a fork has copies of it: [`forks`](super::forks).

use crate::error::Result as MpiResult;
use crate::observe::events::{self, Kind};
use crate::runtime::me;
use crate::runtime::visits::{Patience, without_visitors};
use crate::shm::adoption::{GivenBack, can_make_huge, give_back, protect_again, take_in};
use crate::shm::heap::{self, Owned};
use crate::shm::replaceable::{Process, Refusal, must_have_address_space};
use crate::shm::segment::segment;
use crate::shm::stillness::Stillness;
use crate::shm::view::Piece;
use crate::shm::{HUGE, Offset, PAGE, mapping, memory, sleepers};
use crate::transport;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A process may have 65,530 mappings, where nobody changed that.
const MAPPINGS: usize = 32_000;

/// Bytes of this process's own memory that are in the segment now, whole pages.
pub static ADOPTED: AtomicU64 = AtomicU64::new(0);
/// How often memory was taken in, and how often that was refused.
pub static TIMES: AtomicU64 = AtomicU64::new(0);
pub static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Nanoseconds that it costs to take a page in and to give it back, by what the last ones took.
static PAGE_COSTS: AtomicU64 = AtomicU64::new(5000);

pub fn page_costs() -> u64 {
    PAGE_COSTS.load(Relaxed)
}

/// Bytes of the segment that are never used again, as threads were running when they were to go back. What all ranks of a large job may lose so is a part
/// of its addresses; and where threads run each time, it does not pay either.
static LOST: AtomicU64 = AtomicU64::new(0);
const MOST_LOST: u64 = 16 << 30;

/// What it costs besides, by what the last ones took: two looks at the mappings, and what the kernel does for each. Of thousands of
/// windows the mappings are many, and to look at them takes long.
static FIXED_COSTS: AtomicU64 = AtomicU64::new(LEAST_COSTS);
const LEAST_COSTS: u64 = 80_000;

pub fn fixed_costs() -> u64 {
    FIXED_COSTS.load(Relaxed)
}

/// What something costs, by what was known before and what it has cost now. That alone may have been interrupted, and says little.
fn learned(before: u64, now: u64) -> u64 {
    ((3 * before + now) / 4).min(before + before / 2)
}

/// Learns from an adoption of so many pages in all that took so long in all.
fn learn_fixed(pages: usize, took: Duration) {
    let copies = pages as u64 * page_costs();
    let costs = (2 * took.as_nanos() as u64).saturating_sub(copies);
    let costs = learned(fixed_costs(), costs);
    FIXED_COSTS.store(costs.max(LEAST_COSTS), Relaxed);
}

/// Learns from so many pages that were taken in. To give them back takes as long.
fn learn(pages: usize, took: Duration) {
    const ENOUGH: usize = 16;
    if pages >= ENOUGH {
        let costs = 2 * took.as_nanos() as u64 / pages as u64;
        PAGE_COSTS.store(learned(page_costs(), costs), Relaxed);
    }
}

struct Run {
    len: usize,
    offset: Offset,
    /// The allocation that it is in.
    memory: Arc<Owned>,
    /// How many need it; 0 if it could not be given back.
    users: usize,
    /// The adoption that it came with: earlier ones do not need it, whatever lay here when they were made.
    since: u64,
}

pub(super) struct Book {
    /// By the address of their first byte.
    runs: BTreeMap<usize, Run>,
    /// How many adoptions there have been.
    adoptions: u64,
}

pub(super) static BOOK: Mutex<Book> = Mutex::new(Book {
    runs: BTreeMap::new(),
    adoptions: 0,
});

/// The whole pages in which bytes lie.
fn pages_of(bytes: &Range<usize>) -> Range<usize> {
    bytes.start & !(PAGE - 1)..bytes.end.next_multiple_of(PAGE)
}

/// Bytes of the program that lie in the segment, until this is dropped: then those go back that nobody else needs.
pub struct Adoption {
    bytes: Range<usize>,
    /// Its number.
    number: u64,
}

impl Adoption {
    /// Takes in what is not in the segment yet. `publish` tells the others where the bytes are, piece by piece, before any of
    /// them may come again; if it cannot, all stays as it was.
    pub fn of(
        bytes: Range<usize>,
        patience: Patience,
        publish: impl FnOnce(&[Piece]) -> MpiResult<()>,
    ) -> Result<Adoption, Refusal> {
        // A safe moment, perhaps in the middle of another call: what is held elsewhere is left for the next one.
        let book = match patience {
            Patience::Long => BOOK.lock(),
            Patience::Short => BOOK.try_lock().ok_or(Refusal::Visitors)?,
        };
        let asked = bytes.clone();
        let began = Instant::now();
        let adopted = must_have_address_space()
            .and_then(|()| Process::look())
            .and_then(|process| Book::adopt(book, &process, bytes, patience, publish));
        match adopted {
            Ok(_) => {
                learn_fixed(asked.len().div_ceil(PAGE), began.elapsed());
                TIMES.fetch_add(1, Relaxed);
                me().adopted.fetch_max(ADOPTED.load(Relaxed), Relaxed);
                tell(Kind::MemoryAdopted, &asked, 0);
            }
            Err(refusal) => {
                REFUSED.fetch_add(1, Relaxed);
                me().refused.store(1 + refusal as u32, Relaxed);
                tell(Kind::MemoryRefused, &asked, refusal as i64);
            }
        }
        adopted
    }

    /// The same if all of it is in the segment already.
    pub fn of_adopted(
        bytes: Range<usize>,
        publish: impl FnOnce(&[Piece]) -> MpiResult<()>,
    ) -> Option<Adoption> {
        let mut book = BOOK.lock();
        let pages = pages_of(&bytes);
        if book.runs.is_empty() || !book.gaps(&pages).is_empty() {
            return None;
        }
        let process = Process::look().ok()?;
        book.forget_what_went(&process, &pages);
        if !book.gaps(&pages).is_empty() {
            return None;
        }
        Book::adopt(book, &process, bytes, Patience::Long, publish).ok()
    }
}

/// Memory was taken in, or not: why.
fn tell(kind: Kind, bytes: &Range<usize>, why: i64) {
    if events::are_wanted(kind) {
        let values = [bytes.start as i64, bytes.len() as i64, why];
        events::raise(kind, 0, values);
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        let mut book = BOOK.lock();
        let pages = pages_of(&self.bytes);
        book.split_at(pages.start);
        book.split_at(pages.end);
        for (_, run) in book.runs.range_mut(pages) {
            // What is here may be another's: programs free memory before its window.
            if run.since <= self.number {
                run.users = run.users.saturating_sub(1);
            }
        }
        book.give_back_unused();
    }
}

/// Gives all memory back, whoever may need it: nobody does any more.
pub fn give_all_back() {
    let mut book = BOOK.lock();
    for run in book.runs.values_mut() {
        run.users = 0;
    }
    book.give_back_unused();
}

impl Book {
    fn adopt(
        mut book: MutexGuard<'_, Book>,
        process: &Process,
        bytes: Range<usize>,
        patience: Patience,
        publish: impl FnOnce(&[Piece]) -> MpiResult<()>,
    ) -> Result<Adoption, Refusal> {
        let pages = pages_of(&bytes);
        book.forget_what_went(process, &pages);
        let mut news = Vec::new();
        book.adoptions += 1;
        let number = book.adoptions;
        for gap in book.gaps(&pages) {
            process.may_take(&gap, pages == bytes)?;
            if process.threads > 1 && LOST.load(Relaxed) >= MOST_LOST {
                return Err(Refusal::Threads);
            }
            // What the program asks for it gets, whatever that costs it.
            let would_lose = |gap| !can_make_huge() && process.has_huge_pages(gap);
            if patience == Patience::Short && gap.len() >= HUGE && would_lose(&gap) {
                return Err(Refusal::Huge);
            }
            if process.mappings() + 2 * book.runs.len() > MAPPINGS {
                return Err(Refusal::Mappings);
            }
            let allocated = heap::alloc_like(gap.len(), gap.start);
            let (memory, offset) = allocated.map_err(|_| Refusal::Memory)?;
            let memory = Arc::new(memory);
            news.push((
                gap.start,
                Run {
                    len: gap.len(),
                    offset,
                    memory,
                    users: 0,
                    since: number,
                },
            ));
        }
        let adopted = without_visitors(patience, || {
            let began = Instant::now();
            take_all(&news, process.threads)?;
            let len: usize = news.iter().map(|(_, run)| run.len).sum();
            learn(len / PAGE, began.elapsed());
            for (start, run) in news {
                ADOPTED.fetch_add(run.len as u64, Relaxed);
                book.runs.insert(start, run);
            }
            book.split_at(pages.start);
            book.split_at(pages.end);
            for (_, run) in book.runs.range_mut(pages) {
                run.users += 1;
            }
            let adoption = Adoption {
                bytes: bytes.clone(),
                number,
            };
            let published = publish(&book.pieces(&bytes));
            Ok((adoption, published))
        });
        drop(book);
        let (adoption, published) = adopted.ok_or(Refusal::Visitors)??;
        // What nobody was told of goes back, by the end of the adoption.
        published.map_err(|_| Refusal::Memory)?;
        Ok(adoption)
    }

    /// Forgets the runs in `pages` in whose place there is something else by now.
    fn forget_what_went(&mut self, process: &Process, pages: &Range<usize>) {
        self.runs.retain(|&start, run| {
            let range = start..start + run.len;
            let elsewhere = range.end <= pages.start || pages.end <= range.start;
            let there = || {
                let parts = process.still_there(segment(), &range, run.offset);
                parts.iter().map(|(part, _)| part.len()).sum::<usize>() == run.len
            };
            let kept = elsewhere || there();
            if !kept {
                ADOPTED.fetch_sub(run.len as u64, Relaxed);
            }
            kept
        });
    }

    /// What no run has of `pages`.
    fn gaps(&self, pages: &Range<usize>) -> Vec<Range<usize>> {
        let mut gaps = Vec::new();
        let mut at = pages.start;
        let before = self.runs.range(..=at).next_back();
        let inside = self.runs.range(at + 1..pages.end.max(at + 1));
        for (&start, run) in before.into_iter().chain(inside) {
            if start > at {
                gaps.push(at..start);
            }
            at = at.max(start + run.len);
        }
        if at < pages.end {
            gaps.push(at..pages.end);
        }
        gaps
    }

    /// Makes two runs of the one that goes across an address.
    fn split_at(&mut self, at: usize) {
        let Some((&start, run)) = self.runs.range_mut(..at).next_back() else {
            return;
        };
        if start + run.len <= at {
            return;
        }
        let front = at - start;
        let back = Run {
            len: run.len - front,
            offset: run.offset + front,
            memory: run.memory.clone(),
            users: run.users,
            since: run.since,
        };
        run.len = front;
        self.runs.insert(at, back);
    }

    /// Where `bytes`, all of which runs have, lie in the segment.
    fn pieces(&self, bytes: &Range<usize>) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let first = self.runs.range(..=bytes.start).next_back();
        let from = first.map_or(bytes.start, |(&start, _)| start);
        for (&start, run) in self.runs.range(from..bytes.end) {
            let begin = start.max(bytes.start);
            let len = (start + run.len).min(bytes.end) - begin;
            let offset = run.offset + (begin - start);
            match pieces.last_mut() {
                Some(last) if last.offset + last.len == offset => last.len += len,
                _ => pieces.push(Piece { offset, len }),
            }
        }
        pieces
    }

    /// What of all runs is still there. Where the kernel does not tell (a process may have no descriptor left to ask with) all of
    /// them are taken to be there.
    pub(super) fn there(&self) -> Vec<(Range<usize>, Offset)> {
        let process = Process::look();
        let mut parts = Vec::new();
        for (&start, run) in &self.runs {
            let range = start..start + run.len;
            let there = match &process {
                Ok(process) => process.still_there(segment(), &range, run.offset),
                Err(_) => vec![(range, true)],
            };
            let offset = |part: &Range<usize>| run.offset + (part.start - start);
            parts.extend(
                there
                    .into_iter()
                    .map(|(part, _)| (part.clone(), offset(&part))),
            );
        }
        parts
    }

    /// Bytes in the segment.
    pub(super) fn len(&self) -> usize {
        self.runs.values().map(|run| run.len).sum()
    }

    /// Forgets all runs, which are another process's.
    pub(super) fn disown(&mut self) {
        std::mem::forget(std::mem::take(&mut self.runs));
    }

    fn give_back_unused(&mut self) {
        if self.runs.values().all(|run| run.users > 0) {
            return;
        }
        let process = Process::look().ok();
        if let Some(process) = process.filter(|process| !process.is_known_to_devices()) {
            // They wait until all have left: at the end of windows.
            without_visitors(Patience::Long, || {
                let still = Stillness::begin(process.threads).ok();
                self.runs.retain(|&start, run| {
                    run.users > 0
                        || give_run_back(start, run, &process, still.as_ref()) == GivenBack::Kept
                });
            });
        }
        // What cannot go back now does so with the next that goes back. Until then it is the program's to make longer, by `realloc`.
        for (&start, run) in self.runs.iter().filter(|(_, run)| run.users == 0) {
            mapping::divide(start + run.len - PAGE);
        }
    }
}

/// Takes all runs in, or none.
fn take_all(news: &[(usize, Run)], threads: usize) -> Result<(), Refusal> {
    if news.is_empty() {
        return Ok(());
    }
    let still = Stillness::begin(threads)?;
    for (i, (start, run)) in news.iter().enumerate() {
        let range = *start..*start + run.len;
        // SAFETY: the kernel said that it may be taken, the allocation is new, and there are no visitors.
        if let Err(refusal) = unsafe { take_in(segment(), &range, run.offset, &still) } {
            for (start, run) in &news[..i] {
                let range = *start..*start + run.len;
                // SAFETY: what was just taken in.
                let given = unsafe { give_back(segment(), &range, run.offset, Some(&still), true) };
                keep_unless_free(run, given);
            }
            return Err(refusal);
        }
    }
    Ok(())
}

fn give_run_back(
    start: usize,
    run: &Run,
    process: &Process,
    still: Option<&Stillness>,
) -> GivenBack {
    let range = start..start + run.len;
    let mut outcome = GivenBack::Free;
    for (part, writable) in process.still_there(segment(), &range, run.offset) {
        let offset = run.offset + (part.start - start);
        let is_seen = transport::may_be_fetched();
        // SAFETY: the kernel said that it is such a mapping, and there are no visitors.
        let given = unsafe { give_back(segment(), &part, offset, still, is_seen) };
        keep_unless_free(run, given);
        if given != GivenBack::Free {
            outcome = given;
        }
        if given == GivenBack::Lost {
            // The range is never used again; the memory was given back.
            memory::release(segment(), part.len());
            LOST.fetch_add(part.len() as u64, Relaxed);
        }
        if process.threads > 1 && given != GivenBack::Kept {
            sleepers::wake(&part, segment().at(offset));
        }
        if !writable {
            protect_again(&part);
        }
    }
    if outcome != GivenBack::Kept {
        ADOPTED.fetch_sub(run.len as u64, Relaxed);
    }
    outcome
}

/// Keeps the allocation for good where the program's memory is still a mapping of it.
fn keep_unless_free(run: &Run, given: GivenBack) {
    if given != GivenBack::Free {
        std::mem::forget(run.memory.clone());
    }
}
