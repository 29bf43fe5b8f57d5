//! What a [checked](crate::check) job asks of windows: each operation is told to the check of [races](crate::check::race), with the
//! bytes that it touches on both sides, and so is each synchronisation.

use super::epoch::{self, Hold};
use super::transfer::{Origin, Remote};
use super::{Flavor, Target, Window};
use crate::block::Control;
use crate::check::buffers::{self, Access};
use crate::check::clock::{self, Key, Keys, Within};
use crate::check::race::requests::Uses;
use crate::check::race::series::{self, Operation};
use crate::check::race::span::Spans;
use crate::check::race::{self, Kind, NONE, On, What, Words, element, requests, windows};
use crate::check::ranges::Range;
use crate::check::{self, Finding, local, pending};
use crate::datatype::{self, Basic, Named};
use crate::error::Result;
use crate::mpi::constants::{
    MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED, MPI_PROC_NULL,
};
use crate::mpi::types::{MPI_Aint, MPI_Datatype, MPI_Op};
use crate::op::Predefined;
use crate::shm::peer::Way;
use std::ffi::{c_int, c_void};

/// The sides of an operation at the origin.
#[derive(Default)]
pub(super) struct Near<'a> {
    pub reads: [Option<&'a Origin>; 2],
    pub writes: Option<&'a Origin>,
}

impl<'a> Near<'a> {
    pub fn reads(side: &'a Origin) -> Near<'a> {
        Near {
            reads: [Some(side), None],
            writes: None,
        }
    }

    pub fn writes(side: &'a Origin) -> Near<'a> {
        Near {
            reads: [None, None],
            writes: Some(side),
        }
    }
}

impl Near<'_> {
    /// Tells of what goes beyond the array that it begins in, as far as that is known.
    fn fit(&self, kind: Kind) {
        let result = written_argument(kind);
        let [origin, compare] = self.reads;
        let sides = [
            (origin, Access::Read, "origin_addr"),
            (compare, Access::Read, "compare_addr"),
            (self.writes, Access::Write, result),
        ];
        for (side, access, argument) in sides {
            if let Some(side) = side
                && let Some(size) = datatype::predefined_size(side.datatype)
            {
                let bytes = size.saturating_mul(side.count as usize);
                buffers::fits(access, argument, side.address.addr(), bytes);
            }
        }
    }
}

/// Where an operation of this kind has its result.
fn written_argument(kind: Kind) -> &'static str {
    match kind {
        Kind::Get => "origin_addr",
        _ => "result_addr",
    }
}

/// An atomic operation on one element that may be carried out.
pub(super) struct Element<'a> {
    pub function: &'static str,
    pub kind: Kind,
    pub op: Option<MPI_Op>,
    pub basic: Basic,
    pub target: &'a Target,
    pub disp: MPI_Aint,
    pub bytes: usize,
    /// The origin, and what it is compared with; the result. As far as there are such.
    pub reads: [*const c_void; 2],
    pub writes: *const c_void,
}

/// The bytes that an operation touches: at the target, and at the origin.
#[derive(Default)]
struct Sides {
    far: Spans,
    reads: Spans,
    writes: Spans,
}

impl Words for Window {
    fn checked(&self) -> race::Window<'_> {
        race::Window {
            id: self.names.id,
            members: &self.meeting.members,
        }
    }

    fn window(&self) -> String {
        let name = self.name.lock();
        match name.is_empty() {
            true => format!("a window of {} ranks", self.size()),
            false => format!("window \"{}\"", String::from_utf8_lossy(&name)),
        }
    }

    fn operation(&self, op: u8) -> &'static str {
        Predefined::ALL.get(op as usize).map_or("?", |op| op.name())
    }

    fn basic(&self, basic: u8) -> String {
        let is_it = |named: &Named| named.basic().is_some_and(|b| b as u8 == basic);
        let found = Named::all().find(is_it);
        found.map_or("several basic types".into(), |named| {
            named.name().to_string()
        })
    }

    fn reading(&self) -> u8 {
        Predefined::NoOp as u8
    }
}

/// Fills in the bytes of a side, from `base` on, and gives how many these are; `None` if its arguments are no good.
// Not given as a result: that would be moved from place to place, each time as soon as it was written.
#[inline(always)]
fn fill(spans: &mut Spans, datatype: MPI_Datatype, count: i64, base: usize) -> Option<usize> {
    let elements = usize::try_from(count).ok()?;
    if let Some(size) = datatype::predefined_size(datatype) {
        let bytes = elements.checked_mul(size)?;
        spans.add(base, bytes);
        return Some(bytes);
    }
    fill_derived(spans, datatype, elements, base)
}

#[cold]
#[inline(never)]
fn fill_derived(
    spans: &mut Spans,
    datatype: MPI_Datatype,
    elements: usize,
    base: usize,
) -> Option<usize> {
    let datatype = datatype::get_committed(datatype).ok()?;
    let bytes = datatype.bytes(elements).ok()?;
    datatype
        .message_at(base, elements)
        .walk(&mut |at: usize, len: usize| spans.add(at, len));
    Some(bytes)
}

#[inline(always)]
fn fill_near(spans: &mut Spans, side: &Origin) -> Option<usize> {
    fill(spans, side.datatype, side.count, side.address.addr())
}

/// What a window is called in checks.
pub(super) struct Names {
    id: u64,
    /// What keys of its locks begin with.
    locks: Keys,
}

impl Names {
    pub fn of(control: &Control) -> Names {
        let id = Control::key(control.record);
        let locks = Keys::new(clock::LOCK, id, 0);
        Names { id, locks }
    }
}

impl Window {
    /// Its number in checks.
    pub(super) fn checked_id(&self) -> u64 {
        self.names.id
    }

    /// Does an operation of `kind`, as `work` does, in a job that is checked.
    #[cold]
    pub(super) fn checked(
        &self,
        kind: Kind,
        op: Option<MPI_Op>,
        near: Near<'_>,
        remote: &Remote,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let mut sides = Sides::default();
        if self.fill_sides(&mut sides, remote, &near).is_none() {
            return work();
        }
        let Sides { far, reads, writes } = &sides;
        let basic = match kind {
            Kind::Put | Kind::Get => NONE,
            _ => datatype::get(remote.datatype)
                .ok()
                .and_then(|datatype| datatype.basic())
                .map_or(NONE, |basic: Basic| basic as u8),
        };
        let op = op.and_then(Predefined::of).map_or(NONE, |op| op as u8);
        let mut what = What::new(kind, op, basic, gives_request(check::called()));
        if what.is_atomic() && op == self.reading() {
            what = what.that_reads();
        }
        let target = remote.rank as usize;
        let window = race::Window {
            id: self.checked_id(),
            members: &self.meeting.members,
        };
        let begun = race::begin(&window, target, what, far.all(), self.reading());
        let mut access = race::Access {
            target,
            what,
            spans: far.all(),
            begun,
            reads: reads.all(),
            writes: writes.all(),
            is_series: false,
            content: None,
        };
        // Also where the target's program may see it, and go on.
        let shared = match what.is_atomic() || local::is_seen() {
            true => {
                // The buffer may be none.
                access.content = race::content_if_there(what, reads.all());
                let Some(entered) = race::enter(&window, &access, self) else {
                    return work();
                };
                let shared = windows::enter(&window, target);
                if let Err(failed) = work() {
                    race::take_back(entered);
                    return Err(failed);
                }
                race::end(&window, &access, entered, self);
                shared
            }
            false => {
                work()?;
                access.content = race::content(what, reads.all());
                race::enter_and_end(&window, &access, self)
            }
        };
        // Now that nothing else is wrong with the call.
        near.fit(kind);
        self.use_buffers(&access, kind);
        if let Some(shared) = shared {
            windows::end(&shared, &access, self);
        }
        race::fetched(&window, target, what);
        Ok(())
    }

    /// The buffers of an operation that was carried out are compared with those that are in use; if it has a request, they are that from now on.
    fn use_buffers(&self, access: &race::Access, kind: Kind) {
        let has_request = access.what.has_request();
        requests::hold();
        if has_request || !pending::is_empty() {
            let used = access.used();
            pending::used_once(&used, written_argument(kind));
            if has_request {
                requests::uses_all(On::new(self.checked_id(), access.target), used);
            }
        }
    }

    /// Notes a simple put or get that is about to be carried out: whether it need not be told otherwise.
    #[inline(always)]
    pub(super) fn note(
        &'static self,
        function: &'static str,
        way: Way,
        origin: &Origin,
        remote: &Remote,
        target: &Target,
        bytes: usize,
    ) -> bool {
        let kind = match way {
            Way::ToPeer => Kind::Put,
            Way::FromPeer => Kind::Get,
        };
        let far = match self.flavor {
            Flavor::Dynamic => remote.disp as usize,
            _ => remote.disp as usize * target.disp_unit,
        };
        let near = origin.address.addr();
        let (reads, writes) = match way {
            Way::ToPeer => ((near, near + bytes), NOWHERE),
            Way::FromPeer => (NOWHERE, (near, near + bytes)),
        };
        let has_request = gives_request(function);
        let what = What::new(kind, NONE, NONE, has_request);
        let (id, rank) = (self.checked_id(), remote.rank as usize);
        let on = On::new(id, rank);
        let uses = Uses {
            on,
            reads,
            writes,
            far: match kind {
                Kind::Get => far,
                _ => requests::NOWHERE,
            },
        };
        requests::quickly(uses, has_request, || {
            series::note(&Operation {
                window: race::Window {
                    id,
                    members: &self.meeting.members,
                },
                words: self,
                function,
                target: rank,
                what,
                far: far as u64,
                near: near as u64,
                bytes: bytes as u64,
            })
        })
    }

    /// Has `work` carry out an atomic operation on one element, of `bytes` at `disp`, and looks at it: whether that was done.
    #[inline(always)]
    pub(super) fn update_checked(
        &'static self,
        element: &Element<'_>,
        work: impl Fn() + Copy,
    ) -> bool {
        let Element {
            function,
            kind,
            op,
            basic,
            target,
            disp,
            bytes,
            reads,
            writes,
        } = *element;
        let op = op.and_then(Predefined::of).map_or(NONE, |op| op as u8);
        let mut what = What::new(kind, op, basic as u8, gives_request(function));
        let is_reading = op == self.reading();
        if is_reading {
            what = what.that_reads();
        }
        let at = match self.flavor {
            Flavor::Dynamic => disp as usize,
            _ => disp as usize * target.disp_unit,
        };
        let operation = element::Operation {
            words: self,
            function,
            on: On::new(self.checked_id(), self.rank_of(target)),
            what,
            bytes: bytes as u64,
            far: at as u64,
            near: element::Near {
                reads: reads.map(|at| at.addr() as u64),
                writes: match what.fetches() {
                    true => writes.addr() as u64,
                    false => 0,
                },
            },
        };
        let [reads, writes] = operation.buffers();
        let on = operation.on;
        let uses = Uses {
            on,
            reads,
            writes,
            far: match what.fetches() {
                true => at,
                false => requests::NOWHERE,
            },
        };
        requests::quickly(uses, gives_request(function), || {
            element::update(operation, work)
        })
    }

    /// Fills in the bytes at both sides; `None` if nothing is to be compared, or the call is wrong.
    #[inline(always)]
    fn fill_sides(&self, sides: &mut Sides, remote: &Remote, near: &Near<'_>) -> Option<()> {
        if remote.rank == MPI_PROC_NULL {
            return None;
        }
        let target = self.find_target(remote.rank)?;
        let at = match self.flavor {
            Flavor::Dynamic => remote.disp as usize,
            _ => usize::try_from(remote.disp)
                .ok()?
                .checked_mul(target.disp_unit)?,
        };
        let bytes = fill(&mut sides.far, remote.datatype, remote.count, at)?;
        let [first, second] = near.reads;
        let read = first.map(|side| fill_near(&mut sides.reads, side));
        if let Some(side) = second {
            let mut more = Spans::default();
            fill_near(&mut more, side);
            sides.reads.append(&more);
        }
        let written = near.writes.map(|side| fill_near(&mut sides.writes, side));
        // Where one side has more room than the other, it is not all touched.
        let is_alike = read.or(written)? == Some(bytes);
        (is_alike && bytes > 0).then_some(())
    }

    /// At which process, and under which key, clocks are left when locks are given back: of a target, or of all.
    #[inline(always)]
    fn lock_place(&self, target: Option<&Target>, what: u64) -> (u32, Key) {
        match target {
            Some(target) => (target.process(), self.names.locks.near(what)),
            None => (self.meeting.members[0], self.names.locks.near(ALL + what)),
        }
    }

    /// A target was locked.
    #[inline(always)]
    pub(super) fn saw_lock(&self, target: &Target) {
        if !check::is_on() {
            return;
        }
        let exclusive = self.lock_place(Some(target), EXCLUSIVE);
        if target.hold() == Hold::Shared {
            return clock::take_all([exclusive]);
        }
        let (process, exclusive) = exclusive;
        clock::take_both(process, exclusive);
        // Who has it without a count has found that nobody has come by lock_all yet.
        if target.hold() != Hold::Exclusive {
            clock::take_all([self.lock_place(None, SHARED)]);
        }
    }

    /// The lock of a target, which is held, is about to be given back.
    pub(super) fn before_unlock(&self, target: &Target) {
        if check::is_on() && target.hold() != Hold::None {
            race::complete(self.checked_id(), Some(self.rank_of(target)));
            self.leave_at_lock(target);
        }
    }

    #[inline(always)]
    fn leave_at_lock(&self, target: &Target) {
        let alone = race::is_alone();
        if target.hold() == Hold::Shared {
            clock::keep_all([self.lock_place(Some(target), SHARED)], alone);
        } else {
            let of_all = self.lock_place(None, EXCLUSIVE);
            clock::keep_all([self.lock_place(Some(target), EXCLUSIVE), of_all], alone);
        }
    }

    /// `MPI_Win_lock` where nothing is unusual about it, and what is noted can be settled: whether the lock was taken.
    #[inline(always)]
    pub fn lock_checked(&self, kind: c_int, rank: c_int, assert: c_int) -> bool {
        if !series::may_note() || check::is_inside() {
            return false;
        }
        race::settle_noted();
        let is_taken =
            self.lock_quickly(kind, rank, assert) || self.lock_counted(kind, rank, assert);
        if is_taken && let Some(target) = self.find_target(rank) {
            self.saw_lock(target);
        }
        is_taken
    }

    /// `MPI_Win_unlock` likewise.
    #[inline(always)]
    pub fn unlock_checked(&self, rank: c_int) -> bool {
        let Some(target) = self.find_target(rank) else {
            return false;
        };
        use Hold::{Exclusive, ExclusiveCounted, Shared};
        let is_usual = matches!(target.hold(), Shared | Exclusive | ExclusiveCounted);
        if !is_usual || !series::may_note() || check::is_inside() || requests::are_pending() {
            return false;
        }
        let on = On::new(self.checked_id(), rank as usize);
        race::complete_and_settle(|other| other == on);
        self.leave_at_lock(target);
        self.release(target) || self.give_back(target).is_ok()
    }

    /// `MPI_Win_lock_all` likewise.
    #[inline(always)]
    pub fn lock_all_checked(&self, assert: c_int) -> bool {
        if !series::may_note() || check::is_inside() {
            return false;
        }
        race::settle_noted();
        let is_taken = self.lock_all_quickly(assert);
        if is_taken {
            self.saw_lock_all();
        }
        is_taken
    }

    /// `MPI_Win_unlock_all` likewise.
    #[inline(always)]
    pub fn unlock_all_checked(&self) -> bool {
        let is_usual = self.is_locked_for_all() && series::may_note() && !check::is_inside();
        if !is_usual || requests::are_pending() {
            return false;
        }
        let id = self.checked_id();
        race::complete_and_settle(|on| on.is_of(id));
        self.leave_at_lock_all();
        self.unlock_all_quickly()
    }

    fn leave_at_lock_all(&self) {
        clock::keep_all([self.lock_place(None, SHARED)], race::is_alone());
    }

    pub(super) fn saw_lock_all(&self) {
        if check::is_on() {
            clock::take_all([self.lock_place(None, EXCLUSIVE)]);
        }
    }

    pub(super) fn before_unlock_all(&self) {
        if check::is_on() {
            race::complete(self.checked_id(), None);
            self.leave_at_lock_all();
        }
    }

    /// All operations on the target, or on all, are complete there and here.
    pub(super) fn saw_flush(&self, target: Option<&Target>) {
        if check::is_on() {
            race::complete(self.checked_id(), target.map(|target| self.rank_of(target)));
        }
    }

    /// The same, here alone.
    pub(super) fn saw_flush_local(&self, target: Option<&Target>) {
        if check::is_on() {
            race::complete_here(self.checked_id(), target.map(|target| self.rank_of(target)));
        }
    }

    /// `MPI_Win_fence` is called: what is noted of the epoch that it ends is complete, quicker than where it is [settled](race::settle) first. What breaks
    /// a promise is left, to be told.
    #[inline(always)]
    pub fn complete_before_fence(&self, assert: c_int) {
        let usual = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED;
        let is_usual = self.epoch.access() == epoch::Access::Fence && assert & !usual == 0;
        let is_quick = series::may_note() && !check::is_inside() && !requests::are_pending();
        if is_usual && is_quick {
            clock::enter(race::is_alone());
            let id = self.checked_id();
            let is_one = |on: On| on.is_of(id) && !self.has_promised(on.target());
            race::complete_noted(is_one, || true);
        }
    }

    /// A fence is called: what it completes the program does not know before it has passed.
    #[inline(always)]
    pub(super) fn within_fence(&self) -> Option<Within> {
        check::is_on().then(|| Within::begin(race::is_alone()))
    }

    /// A fence is about to be passed.
    pub(super) fn before_fence(&self, assert: c_int) {
        if !check::is_on() {
            return;
        }
        if assert & MPI_MODE_NOPRECEDE != 0
            && let Some((what, place)) = race::first_pending(self.checked_id())
        {
            let me = self.meeting.members[self.rank];
            let text = format!(
                "assert has MPI_MODE_NOPRECEDE, which says that this rank has made no operation on {} since the last fence, \
                 but it has: {} at {}",
                self.window(),
                what.name(),
                place.of(me)
            );
            check::tell(Finding {
                kind: "wrong assertion",
                section: "MPI 4.1 §12.5.5",
                text,
            });
        }
        race::complete(self.checked_id(), None);
    }

    /// What these ranks of the job have done so far is ordered before what comes.
    pub(super) fn saw(&self, ranks: impl IntoIterator<Item = u32>) {
        if check::is_on() {
            ranks.into_iter().for_each(clock::meet_now);
        }
    }

    /// `MPI_Win_sync`: this process may have seen anything by loads before it, and may by those that follow, as it polls.
    pub fn saw_sync(&self) {
        self.saw(self.meeting.members.iter().copied());
        if check::is_on() {
            clock::loads_until_next_call();
            self.forget_stored();
            local::saw();
        }
    }

    /// This process has a part of it, where loads and stores meet the operations of others.
    pub(super) fn has_part(&self) {
        let by_operations = matches!(self.flavor, Flavor::Allocate | Flavor::Create);
        if check::is_on() && by_operations && self.own.size > 0 {
            let base = self.own.base.addr();
            local::has_part(self.checked_id(), self.rank, base, &self.meeting.members);
        }
    }

    /// All its processes have given it up.
    pub(super) fn gives_up_part(&self) {
        if check::is_on() {
            local::gives_up(self.checked_id());
        }
    }

    /// This process gets the address of memory that it shares with another.
    pub(super) fn shares(&self, target: &Target) {
        if target.process() != self.meeting.members[self.rank] {
            clock::loads_unseen(target.process());
        }
    }
}

/// Whether an operation by this function has a request.
#[inline(always)]
pub(super) fn gives_request(function: &str) -> bool {
    function.as_bytes().get(4) == Some(&b'R')
}

/// Whether an operation by this function has its quick way out of line, with others: large counts and requests are not worth one each.
#[inline(always)]
pub(super) fn goes_apart(function: &str) -> bool {
    gives_request(function) || matches!(function.as_bytes(), [.., b'_', b'c'])
}

/// No bytes.
const NOWHERE: Range = (0, 0);

/// What is left where a lock is, and where that of all targets is.
const EXCLUSIVE: u64 = 0;
const SHARED: u64 = 1;
const ALL: u64 = 2;
