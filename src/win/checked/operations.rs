//! Operations: what they touch on both sides, told when they are carried out, or [noted](Window::note).

use super::super::transfer::{Origin, Remote};
use super::super::{Flavor, Target, Window};
use crate::check::buffers::{self, Access, Used};
use crate::check::race::requests::Uses;
use crate::check::race::series::{self, Operation};
use crate::check::race::span::{Span, Spans};
use crate::check::race::{self, Kind, NONE, On, What, Words, element, requests, windows};
use crate::check::ranges::Range;
use crate::check::{self, local, pending};
use crate::datatype::{self, Basic};
use crate::error::Result;
use crate::mpi::constants::MPI_PROC_NULL;
use crate::mpi::types::{MPI_Aint, MPI_Datatype, MPI_Op};
use crate::op::Predefined;
use crate::shm::peer::Way;
use std::ffi::c_void;

/// The sides of an operation at the origin.
#[derive(Default)]
pub(in crate::win) struct Near<'a> {
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
    /// Tells of what goes beyond the array that it begins in, as far as that is known, and of what is written and belongs to another buffer, too.
    fn fit(&self, kind: Kind) {
        let result = written_argument(kind);
        let [origin, compare] = self.reads;
        let sides = [
            (origin, Access::Read, "origin_addr"),
            (compare, Access::Read, "compare_addr"),
            (self.writes, Access::Write, result),
        ];
        if self.writes.is_some() && origin.is_some() {
            buffers::are_apart(&self.used(), result);
        }
        for (side, access, argument) in sides {
            if let Some(side) = side
                && let Some(size) = datatype::predefined_size(side.datatype)
            {
                let bytes = size.saturating_mul(side.count as usize);
                buffers::fits(access, argument, side.address.addr(), bytes);
            }
        }
    }

    /// All their bytes, as many of them as are looked at.
    fn used(&self) -> Used {
        let mut used = Used::default();
        let sides = self.reads.map(|side| (side, Access::Read));
        for (side, access) in sides.into_iter().chain([(self.writes, Access::Write)]) {
            if let Some(side) = side {
                side.for_each_run(|from, to| used.add_run(access, (from, to)));
            }
        }
        used
    }
}

impl Origin {
    /// Calls `each` with the addresses from and to which its bytes lie; with none if its arguments are no good.
    fn for_each_run(&self, mut each: impl FnMut(usize, usize)) {
        let Ok(elements) = usize::try_from(self.count) else {
            return;
        };
        if let Ok(datatype) = datatype::get_committed(self.datatype) {
            let base = self.address.addr();
            datatype.for_each_run(base, elements, |at, len| each(at, at.saturating_add(len)));
        }
    }
}

/// The same operation, whose elements of so many bytes lie there, as far as they begin at whole distances of each other.
fn with_elements(what: What, spans: &[Span], extent: u64) -> What {
    let Some(first) = spans.first() else {
        return what;
    };
    let is_whole = |bytes: u64| bytes.is_multiple_of(extent);
    let are_whole = spans.iter().all(|span| {
        let is_one = span.blocks() == 1;
        is_whole(span.low.abs_diff(first.low)) && (is_one || is_whole(span.stride))
    });
    what.with_elements_at(first.low, if are_whole { extent } else { 0 })
}

/// Where an operation of this kind has its result.
fn written_argument(kind: Kind) -> &'static str {
    match kind {
        Kind::Get => "origin_addr",
        _ => "result_addr",
    }
}

/// An atomic operation on one element that may be carried out.
pub(in crate::win) struct Element<'a> {
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

impl Window {
    /// Does an operation of `kind`, as `work` does, in a job that is checked.
    #[cold]
    pub(in crate::win) fn checked(
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
            Kind::Put | Kind::Get => None,
            _ => datatype::get(remote.datatype)
                .ok()
                .and_then(|datatype| datatype.basic()),
        };
        let op = op.and_then(Predefined::of).map_or(NONE, |op| op as u8);
        let number = basic.map_or(NONE, |basic| basic as u8);
        let mut what = What::new(kind, op, number, gives_request(check::called()));
        if let Some(basic) = basic {
            what = with_elements(what, far.all(), basic.extent() as u64);
        }
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
        self.use_buffers(
            &access,
            kind,
            (reads.is_cut || writes.is_cut).then_some(&near),
        );
        if let Some(shared) = shared {
            windows::end(&shared, &access, self);
        }
        race::fetched(&window, target, what);
        Ok(())
    }

    /// The buffers of an operation that was carried out are compared with those that are in use; if it has a request, they are that from now on.
    /// `irregular`: they have more pieces than are compared with other operations on the window.
    fn use_buffers(&self, access: &race::Access, kind: Kind, irregular: Option<&Near<'_>>) {
        let has_request = access.what.has_request();
        requests::hold();
        if has_request || !pending::is_empty() {
            let used = irregular.map_or_else(|| access.used(), Near::used);
            pending::used_once(&used, written_argument(kind));
            if has_request {
                requests::uses_all(On::new(self.checked_id(), access.target), used);
            }
        }
    }

    /// Notes a simple put or get that is about to be carried out: whether it need not be told otherwise.
    #[inline(always)]
    pub(in crate::win) fn note(
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
    pub(in crate::win) fn update_checked(
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
        let at = match self.flavor {
            Flavor::Dynamic => disp as usize,
            _ => disp as usize * target.disp_unit,
        };
        let mut what = What::new(kind, op, basic as u8, gives_request(function))
            .with_elements_at(at as u64, basic.extent() as u64);
        let is_reading = op == self.reading();
        if is_reading {
            what = what.that_reads();
        }
        // Of buffers that must be apart, and are not, the whole way tells.
        let meets = |read: &*const c_void| read.addr().abs_diff(writes.addr()) < bytes;
        if what.fetches() && !is_reading && reads.iter().any(meets) {
            return false;
        }
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
}

/// Whether an operation by this function has a request.
#[inline(always)]
pub(in crate::win) fn gives_request(function: &str) -> bool {
    function.as_bytes().get(4) == Some(&b'R')
}

/// Whether an operation by this function has its quick way out of line, with others: large counts and requests are not worth one each.
#[inline(always)]
pub(in crate::win) fn goes_apart(function: &str) -> bool {
    gives_request(function) || matches!(function.as_bytes(), [.., b'_', b'c'])
}

/// No bytes.
const NOWHERE: Range = (0, 0);
