//! The accumulate family: accumulate, get_accumulate, fetch_and_op, compare_and_swap (MPI 4.1 §12.3.4).
//!
//! Every call of the family is atomic, element by element, against every other on the same elements; how, is in
//! [`update`](super::update).
//!
//! The fast path is one element of a predefined datatype in shared memory, updated by one atomic instruction: the functions
//! whose names end in `_quickly` do that or nothing. All else is done out of their way.

use super::amo::{self, Amo};
use super::checked::operations::Near;
use super::elements::{Beside, Sides};
use super::transfer::{Effect, Origin, Remote};
use super::turn::Turn;
use super::update::{Operation, move_target};
use super::{Reach, Target, Window, parcel};
use crate::bail;
use crate::check::{self, race::Kind};
use crate::datatype::{self, Basic, Datatype, Message};
use crate::error::Result;
use crate::mpi::constants::MPI_PROC_NULL;
use crate::mpi::types::{MPI_Aint, MPI_Datatype, MPI_Op};
use crate::observe;
use crate::op::Predefined;
use crate::shm::peer::Way;
use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, with_exposed_provenance_mut};

/// An array of elements of one kind, without gaps, in shared memory.
pub(super) struct Array<'a> {
    pub target: &'a Target,
    pub at: *mut u8,
    /// Of an element, in bytes.
    pub size: usize,
    pub basic: Basic,
}

impl Window {
    /// The array that a call speaks of, if the call is simple and right.
    #[inline(always)]
    pub(super) fn array(
        &self,
        datatype: MPI_Datatype,
        count: i64,
        rank: c_int,
        disp: MPI_Aint,
    ) -> Option<Array<'_>> {
        let (size, basic) = datatype::predefined_kind(datatype)?;
        let target = self.open_target(rank)?;
        Some(Array {
            target,
            at: self.near_place(target, disp, count, size)?,
            size,
            basic,
        })
    }

    /// One element, and the instruction that updates it.
    #[inline(always)]
    pub(super) fn element(
        &self,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
        find: impl FnOnce(Basic) -> Option<Amo>,
    ) -> Option<(Array<'_>, Amo)> {
        let element = self.array(datatype, 1, rank, disp)?;
        let amo = find(element.basic)?;
        amo::is_aligned(element.at, element.size).then_some((element, amo))
    }

    /// [`Window::accumulate`] in the simplest case; false if it is not that, and nothing was done.
    #[inline(always)]
    pub fn accumulate_quickly(&self, origin: Origin, remote: Remote, op: MPI_Op) -> bool {
        let single = (origin.count == 1) & (remote.count == 1);
        if !single || origin.datatype != remote.datatype || origin.address.is_null() {
            return false;
        }
        let mut unwanted = 0_u64;
        let result = (&raw mut unwanted).cast();
        let (datatype, rank, disp) = (remote.datatype, remote.rank, remote.disp);
        let find = |basic| amo::find_changing(op, basic);
        // SAFETY: the caller's promise; an element that an instruction updates is not larger than the word.
        unsafe { self.element_quickly(origin.address, result, datatype, rank, disp, find) }
    }

    /// `MPI_Accumulate`. Complete at the target on return, up to the fence of a synchronisation call. Errors: as
    /// [`Window::put`], and `MPI_ERR_OP`, also for MPI_NO_OP; `MPI_ERR_PROC_FAILED` where a process died while it updated
    /// elements of the target.
    pub fn accumulate(&self, origin: Origin, remote: Remote, op: MPI_Op) -> Result<()> {
        if op == Predefined::NoOp.handle() {
            bail!(
                Op,
                "op is MPI_NO_OP, which only operations that fetch take (MPI_Get_accumulate, MPI_Fetch_and_op)"
            );
        }
        // SAFETY: the caller's promise.
        unsafe { self.update(Kind::Accumulate, &origin, None, &remote, op) }
    }

    /// [`Window::get_accumulate`] in the simplest case; false if it is not that, and nothing was done.
    #[inline(always)]
    pub fn get_accumulate_quickly(
        &self,
        origin: Origin,
        result: Origin,
        remote: Remote,
        op: MPI_Op,
    ) -> bool {
        let single = |side: &Origin| (side.count == 1) & (side.datatype == remote.datatype);
        let reading = op == Predefined::NoOp.handle();
        if remote.count != 1 || !single(&result) || !(reading || single(&origin)) {
            return false;
        }
        let (datatype, rank, disp) = (remote.datatype, remote.rank, remote.disp);
        let (from, to) = (origin.address, result.address.cast_mut());
        // SAFETY: the caller's promise.
        unsafe { self.fetch_and_op_quickly(from, to, datatype, rank, disp, op) }
    }

    /// `MPI_Get_accumulate`: `result` is what was there. With MPI_NO_OP the origin is not looked at. Errors as
    /// [`Window::accumulate`].
    pub fn get_accumulate(
        &self,
        origin: Origin,
        result: Origin,
        remote: Remote,
        op: MPI_Op,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.update(Kind::GetAccumulate, &origin, Some(&result), &remote, op) }
    }

    /// [`Window::fetch_and_op`] in the simplest case; false if it is not that, and nothing was done.
    ///
    /// # Safety
    /// As [`Window::fetch_and_op`].
    #[inline(always)]
    pub unsafe fn fetch_and_op_quickly(
        &self,
        origin: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
        op: MPI_Op,
    ) -> bool {
        let find = |basic| amo::find(op, basic);
        let complete = !result.is_null() && (!origin.is_null() || op == Predefined::NoOp.handle());
        // SAFETY: the caller's promise.
        complete && unsafe { self.element_quickly(origin, result, datatype, rank, disp, find) }
    }

    /// Updates one element by the instruction that `find` gives for its kind; false if that does not go, and nothing was
    /// done.
    ///
    /// # Safety
    /// An element at `origin` is readable, if the instruction has an operand, one at `result` writable.
    #[inline(always)]
    unsafe fn element_quickly(
        &self,
        origin: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
        find: impl FnOnce(Basic) -> Option<Amo>,
    ) -> bool {
        let Some((element, amo)) = self.element(datatype, rank, disp, find) else {
            return false;
        };
        let Some(raised) = self.enter(element.target) else {
            return false;
        };
        // SAFETY: one element at `origin` is readable, one at `result` writable; `element` found the target's.
        unsafe { amo.update(element.at, origin.cast(), result.cast()) };
        raised.lower();
        count(element.target, 1, element.size);
        true
    }

    /// `MPI_Fetch_and_op` on one element of a predefined datatype. Errors as [`Window::accumulate`].
    ///
    /// # Safety
    /// An element at `origin` is readable (but for MPI_NO_OP), one at `result` writable.
    pub unsafe fn fetch_and_op(
        &self,
        origin: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
        op: MPI_Op,
    ) -> Result<()> {
        if datatype::get(datatype)?.permanent_handle().is_none() {
            bail!(
                Type,
                "datatype is {:#x}, but MPI_Fetch_and_op takes predefined datatypes only",
                datatype.0
            );
        }
        let remote = Remote::new(rank, disp, 1, datatype);
        // SAFETY: the caller's promise.
        unsafe {
            let origin = Origin::new(origin, 1, datatype);
            let result = Origin::new(result, 1, datatype);
            self.update(Kind::FetchAndOp, &origin, Some(&result), &remote, op)
        }
    }

    /// [`Window::compare_and_swap`] in the simplest case; false if it is not that, and nothing was done.
    ///
    /// # Safety
    /// As [`Window::compare_and_swap`].
    #[inline(always)]
    pub unsafe fn compare_and_swap_quickly(
        &self,
        origin: *const c_void,
        compare: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
    ) -> bool {
        let Some(element) = self.array(datatype, 1, rank, disp) else {
            return false;
        };
        let Array { at, size, .. } = element;
        let complete = !origin.is_null() && !compare.is_null() && !result.is_null();
        if !element.can_swap() || !complete {
            return false;
        }
        let Some(raised) = self.enter(element.target) else {
            return false;
        };
        // SAFETY: as in `fetch_and_op_quickly`.
        unsafe {
            amo::compare_and_swap(size, at, compare.cast(), origin.cast(), result.cast());
        }
        raised.lower();
        count(element.target, 1, size);
        true
    }

    /// An update of any kind, in any job.
    ///
    /// # Safety
    /// As [`Window::update_simple`].
    unsafe fn update(
        &self,
        kind: Kind,
        origin: &Origin,
        result: Option<&Origin>,
        remote: &Remote,
        op: MPI_Op,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        let work = || unsafe { self.update_simple(origin, result, remote, op) };
        if !check::is_on() {
            return work();
        }
        let reading = op == Predefined::NoOp.handle();
        let near = Near {
            reads: [(!reading).then_some(origin), None],
            writes: result,
        };
        self.checked(kind, Some(op), near, remote, work)
    }

    /// `MPI_Compare_and_swap` on one element of an integer, logical or byte datatype. Errors: `MPI_ERR_TYPE`, and those of
    /// [`Window::accumulate`] but `MPI_ERR_OP`.
    ///
    /// # Safety
    /// Elements at `origin` and `compare` are readable, one at `result` writable.
    pub unsafe fn compare_and_swap(
        &self,
        origin: *const c_void,
        compare: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        let work = || unsafe { self.swap_if_equal(origin, compare, result, datatype, rank, disp) };
        if !check::is_on() {
            return work();
        }
        // SAFETY: the caller's promise.
        let [origin, compare, result] = unsafe {
            [origin, compare, result.cast_const()].map(|side| Origin::new(side, 1, datatype))
        };
        let near = Near {
            reads: [Some(&origin), Some(&compare)],
            writes: Some(&result),
        };
        let remote = Remote::new(rank, disp, 1, datatype);
        self.checked(Kind::CompareAndSwap, None, near, &remote, work)
    }

    /// # Safety
    /// As [`Window::compare_and_swap`].
    #[inline(always)]
    unsafe fn swap_if_equal(
        &self,
        origin: *const c_void,
        compare: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
    ) -> Result<()> {
        let Some((size, basic)) = datatype::predefined_kind(datatype).filter(|k| can_compare(k.1))
        else {
            datatype::get(datatype)?;
            bail!(
                Type,
                "datatype is {:#x}, but MPI_Compare_and_swap takes integer, logical and byte datatypes only",
                datatype.0
            );
        };
        // SAFETY: the caller's promise.
        let near = unsafe { Origin::new(result, 1, datatype) };
        let remote = Remote::new(rank, disp, 1, datatype);
        let Some(checked) = self.check_both(&near, &remote, Effect::Change)? else {
            return Ok(());
        };
        let object = datatype::get(datatype)?;
        object.check_buffer(origin.addr(), 1, "origin_addr")?;
        object.check_buffer(compare.addr(), 1, "compare_addr")?;
        count(checked.target, 1, size);
        observe::moved(size);
        let at: *mut u8 = with_exposed_provenance_mut(checked.remote.base);
        if checked.reach == Reach::Shared && amo::can_update(basic, at) {
            // SAFETY: elements at `origin` and `compare` are readable, one at `result` writable; `at` is in the window.
            return self.with_amos(checked.target, || unsafe {
                amo::compare_and_swap(size, at, compare.cast(), origin.cast(), result.cast())
            });
        }
        let mut before = [0_u8; 16];
        // SAFETY: elements at `origin` and `compare` are readable, no kind that can be compared has more than 16 bytes.
        let (new, expected) = unsafe {
            (
                std::slice::from_raw_parts(origin.cast::<u8>(), size),
                std::slice::from_raw_parts(compare.cast::<u8>(), size),
            )
        };
        let mut is_done = false;
        if checked.reach == Reach::Peer
            && let Some(was) = parcel::leave_swap(checked.target, checked.remote, new, expected)?
        {
            (before, is_done) = (was, true);
        }
        if !is_done {
            let _turn = Turn::take(self, checked.target)?;
            // SAFETY: `before` is ours.
            unsafe { move_target(Way::FromPeer, &checked, before.as_mut_ptr()) }?;
            if before[..size] == *expected {
                // SAFETY: only read from.
                unsafe { move_target(Way::ToPeer, &checked, new.as_ptr().cast_mut()) }?;
            }
        }
        // SAFETY: the result is writable for one element.
        unsafe {
            result
                .cast::<u8>()
                .copy_from_nonoverlapping(before.as_ptr(), size)
        };
        Ok(())
    }

    /// An update of arrays of one predefined datatype in shared memory; others go to [`Window::update_any`].
    ///
    /// # Safety
    /// The origin buffer is readable (but for MPI_NO_OP), the result buffer writable.
    unsafe fn update_simple(
        &self,
        origin: &Origin,
        result: Option<&Origin>,
        remote: &Remote,
        op: MPI_Op,
    ) -> Result<()> {
        let alike = |side: &Origin| {
            side.datatype == remote.datatype
                && side.count == remote.count
                && !side.address.is_null()
        };
        if alike(origin)
            && result.is_none_or(alike)
            && remote.count > 0
            && let Some(array) = self.array(remote.datatype, remote.count, remote.rank, remote.disp)
            && let Some(op) = Predefined::of(op)
            && let Some(operation) = Operation::of(op, array.basic)
        {
            let sides = Sides {
                operands: origin.address.cast(),
                before: result.and_then(|r| NonNull::new(r.address.cast_mut().cast())),
            };
            let (n, target) = (remote.count as usize, array.target);
            count(target, n, n * array.size);
            observe::moved(n * array.size);
            // SAFETY: the caller's promise for the sides; `array` found the target's elements.
            return unsafe {
                self.update_array(target, Reach::Shared, array.at, n, &operation, sides)
            };
        }
        // SAFETY: the caller's promise.
        unsafe { self.update_any(origin, result, remote, op) }
    }

    /// Any update of any elements.
    ///
    /// # Safety
    /// As [`Window::update_simple`].
    unsafe fn update_any(
        &self,
        origin: &Origin,
        result: Option<&Origin>,
        remote: &Remote,
        op: MPI_Op,
    ) -> Result<()> {
        // With NO_OP the origin's buffer, count and datatype say nothing: the result's take their place.
        let reading = op == Predefined::NoOp.handle();
        let near = match result {
            Some(result) if reading => result,
            _ => origin,
        };
        let far = datatype::get_committed(remote.datatype)?;
        let effect = match result {
            _ if reading => Effect::Read,
            None => Effect::Change,
            Some(_) => Effect::Exchange,
        };
        let checked = self.check_both(near, remote, effect)?;
        if remote.rank == MPI_PROC_NULL {
            return Ok(());
        }
        let named = Operation::named(op)?;
        let out = match result {
            Some(result) => Some(self.result_side(result, remote, far)?),
            None => None,
        };
        // Of no elements it does not matter what they are.
        let Some(checked) = checked else {
            return Ok(());
        };
        let operation = Operation::new(named, far)?;
        let basic = operation.basic;
        let kind = datatype::get(near.datatype)?.basic();
        if !reading && kind.is_none_or(|b| b.parts() != basic.parts()) {
            bail!(
                Type,
                "the elements of origin_datatype and target_datatype are of different kinds"
            );
        }
        if check::is_on() {
            self.compare_types(effect, near, remote)?;
            if let Some(result) = result.filter(|_| !reading) {
                self.compare_types(Effect::Read, result, remote)?;
            }
        }
        let elements = checked.remote.size() / basic.size();
        let operands = (!reading).then_some(checked.origin);
        let beside = Beside::new(basic, elements, operands, out)?;
        count(checked.target, elements, checked.remote.size());
        observe::moved(checked.remote.size());
        if checked.mixed {
            // SAFETY: as below.
            return unsafe { self.update_mixed(&checked, &operation, beside) };
        }
        // SAFETY: both sides have as many elements as the target's part, the operands none for NO_OP; the origin buffer is
        // readable, the result buffer writable.
        unsafe { self.update_target(&checked, far, checked.remote.count, &operation, beside) }
    }

    fn result_side(
        &self,
        result: &Origin,
        remote: &Remote,
        far: &Datatype,
    ) -> Result<Message<'static>> {
        if result.count < 0 {
            bail!(
                Count,
                "result_count is {}, and a count is not negative",
                result.count
            );
        }
        let datatype = datatype::get_committed(result.datatype)?;
        let (bytes, wanted) = (
            datatype.bytes(result.count as usize)?,
            far.bytes(remote.count as usize)?,
        );
        if bytes < wanted {
            bail!(
                Type,
                "result and target do not match: {bytes} bytes are to hold {wanted}"
            );
        }
        datatype.check_buffer(result.address.addr(), result.count as usize, "result_addr")?;
        Ok(datatype.message(result.address.cast(), result.count as usize))
    }
}

/// Counts an update of elements of the target. Of single ones not the bytes: after an atomic instruction of the CPU a second addition
/// would be felt.
#[inline(always)]
pub(super) fn count(target: &Target, elements: usize, bytes: usize) {
    let accumulated = &target.towards.cell().accumulated;
    match elements {
        1 => accumulated.add_operation(),
        _ => accumulated.add_alone(bytes),
    }
}

impl Array<'_> {
    /// Whether one instruction swaps its first element, if that is what it is compared with.
    #[inline(always)]
    pub(super) fn can_swap(&self) -> bool {
        can_compare(self.basic) && self.size <= 8 && amo::is_aligned(self.at, self.size)
    }
}

/// Whether elements of this kind can be compared (MPI 4.1 §12.3.4.4): integers, logicals, bytes.
#[inline(always)]
fn can_compare(basic: Basic) -> bool {
    use Basic::*;
    matches!(
        basic,
        I8 | I16
            | I32
            | I64
            | I128
            | U8
            | U16
            | U32
            | U64
            | Bool
            | Logical1
            | Logical2
            | Logical4
            | Logical8
            | Logical16
            | Byte
            | Char
            | WideChar
    )
}
