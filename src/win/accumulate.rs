//! The accumulate family: accumulate, get_accumulate, fetch_and_op, compare_and_swap (MPI 4.1 §12.3.4).
//!
//! Every call of the family is atomic, element by element, against every other on the same elements. How depends only on
//! where the elements are and of what kind, so that any two calls agree on it:
//!
//! - elements of up to 8 bytes, aligned, in shared memory: the CPU's atomic instructions ([`amo`]). While this process, of
//!   one thread in MPI, holds the target exclusively nobody else may interfere, and plain vector loops do the same.
//! - all others (pairs, long double, complex; unaligned; memory that others reach through the kernel): the target's
//!   accumulate lock.

use super::amo::{self, Update};
use super::epoch::Hold;
use super::passive;
use super::transfer::{Origin, Plan, Remote, through_kernel};
use super::{Reach, Target, Window, obstacle};
use crate::abi::constants::{MPI_BYTE, MPI_PROC_NULL, MPI_THREAD_MULTIPLE};
use crate::abi::types::{MPI_Aint, MPI_Datatype, MPI_Op};
use crate::bail;
use crate::datatype::{self, Basic, Datatype};
use crate::error::Result;
use crate::op::Predefined;
use crate::op::{Kernel, kernel_of};
use crate::runtime::{job, phase};
use crate::shm::peer::Way;
use std::ffi::{c_int, c_void};
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

/// What happens to each element.
#[derive(Clone, Copy)]
struct Operation {
    op: Predefined,
    basic: Basic,
    kernel: Kernel,
}

impl Operation {
    fn new(op: MPI_Op, datatype: &Datatype) -> Result<Operation> {
        let Some(op) = Predefined::of(op) else {
            bail!(
                Op,
                "op is {:#x}, but windows take predefined operations only",
                op.0
            );
        };
        let basic = crate::op::check(op, datatype)?;
        match kernel_of(op, basic) {
            Some(kernel) => Ok(Operation { op, basic, kernel }),
            None => bail!(
                Op,
                "op is {}, which is not defined for the datatype",
                op.name()
            ),
        }
    }
}

/// A single element in shared memory that the CPU can update, found without leaving the fast path.
struct Element {
    at: *mut u8,
    size: usize,
    basic: Basic,
}

impl Window {
    #[inline(always)]
    fn element(&self, datatype: MPI_Datatype, rank: c_int, disp: MPI_Aint) -> Option<Element> {
        let (size, basic) = datatype::predefined_kind(datatype)?;
        let target = self.targets.get(rank as u32 as usize)?;
        let (at, too_far) = (disp as usize).overflowing_mul(target.disp_unit);
        let (end, too_far_end) = at.overflowing_add(size);
        let inside =
            !too_far && !too_far_end && end <= target.size && target.reach == Reach::Shared;
        let at = target.base.wrapping_add(at);
        (inside && self.is_open(target) && amo::can_update(basic, at)).then_some(Element {
            at,
            size,
            basic,
        })
    }

    /// `MPI_Accumulate`. Complete at the target on return, up to the fence of a synchronisation call. Errors: as
    /// [`Window::put`], and `MPI_ERR_OP`.
    ///
    /// # Safety
    /// The origin buffer is readable.
    #[inline(always)]
    pub unsafe fn accumulate(&self, origin: Origin, remote: Remote, op: MPI_Op) -> Result<()> {
        if origin.count == 1
            && remote.count == 1
            && origin.datatype == remote.datatype
            && !origin.address.is_null()
            && let Some(e) = self.element(remote.datatype, remote.rank, remote.disp)
            && let Some(op) = Predefined::of(op)
            && let Some(kernel) = kernel_of(op, e.basic)
        {
            // SAFETY: one element of the origin is readable, and `element` found the target's.
            unsafe {
                let operand = amo::read(e.size, origin.address.cast());
                amo::update(Update::of(op, e.basic, kernel), e.size, e.at, operand);
            }
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.update_any(&origin, None, &remote, op) }
    }

    /// `MPI_Get_accumulate`: `result` is what was there. With MPI_NO_OP the origin is not looked at. Errors as
    /// [`Window::accumulate`].
    ///
    /// # Safety
    /// The origin buffer is readable, the result buffer writable.
    pub unsafe fn get_accumulate(
        &self,
        origin: Origin,
        result: Origin,
        remote: Remote,
        op: MPI_Op,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.update_any(&origin, Some(&result), &remote, op) }
    }

    /// `MPI_Fetch_and_op` on one element of a predefined datatype. Errors as [`Window::accumulate`].
    ///
    /// # Safety
    /// An element at `origin` is readable (but for MPI_NO_OP), one at `result` writable.
    #[inline(always)]
    pub unsafe fn fetch_and_op(
        &self,
        origin: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
        op: MPI_Op,
    ) -> Result<()> {
        if let Some(e) = self.element(datatype, rank, disp)
            && let Some(op) = Predefined::of(op)
            && let Some(kernel) = kernel_of(op, e.basic)
            && !result.is_null()
            && (!origin.is_null() || op == Predefined::NoOp)
        {
            // SAFETY: as in `accumulate`; the result is writable for one element.
            unsafe {
                let operand = if op == Predefined::NoOp {
                    0
                } else {
                    amo::read(e.size, origin.cast())
                };
                let before = amo::update(Update::of(op, e.basic, kernel), e.size, e.at, operand);
                amo::write(e.size, result.cast(), before);
            }
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.fetch_and_op_any(origin, result, datatype, rank, disp, op) }
    }

    #[cold]
    unsafe fn fetch_and_op_any(
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
        let origin = Origin {
            address: origin,
            count: 1,
            datatype,
        };
        let result = Origin {
            address: result,
            count: 1,
            datatype,
        };
        let remote = Remote {
            rank,
            disp,
            count: 1,
            datatype,
        };
        // SAFETY: the caller's promise.
        unsafe { self.update_any(&origin, Some(&result), &remote, op) }
    }

    /// `MPI_Compare_and_swap` on one element of an integer, logical or byte datatype. Errors: `MPI_ERR_TYPE`, and those of
    /// [`Window::put`].
    ///
    /// # Safety
    /// Elements at `origin` and `compare` are readable, one at `result` writable.
    #[inline(always)]
    pub unsafe fn compare_and_swap(
        &self,
        origin: *const c_void,
        compare: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
    ) -> Result<()> {
        if let Some(e) = self.element(datatype, rank, disp)
            && can_compare(e.basic)
            && !origin.is_null()
            && !compare.is_null()
            && !result.is_null()
        {
            // SAFETY: as in `fetch_and_op`.
            unsafe { swap_element(e.size, e.at, origin.cast(), compare.cast(), result.cast()) };
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.compare_and_swap_any(origin, compare, result, datatype, rank, disp) }
    }

    #[cold]
    unsafe fn compare_and_swap_any(
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
        let near = Origin {
            address: result,
            count: 1,
            datatype,
        };
        let Some(plan) = self.plan(
            &near,
            &Remote {
                rank,
                disp,
                count: 1,
                datatype,
            },
        )?
        else {
            return Ok(());
        };
        let object = datatype::get(datatype)?;
        object.check_buffer(origin.addr(), 1, "origin_addr")?;
        object.check_buffer(compare.addr(), 1, "compare_addr")?;
        let at: *mut u8 = with_exposed_provenance_mut(plan.remote.base);
        if plan.reach == Reach::Shared && amo::can_update(basic, at) {
            // Only the way here was long: the element is one that others update by the CPU.
            // SAFETY: elements at `origin` and `compare` are readable, one at `result` writable; `at` is in the window.
            unsafe { swap_element(size, at, origin.cast(), compare.cast(), result.cast()) };
            return Ok(());
        }
        let mut before = [0_u8; 16];
        // SAFETY: elements at `origin` and `compare` are readable, no kind that can be compared has more than 16 bytes.
        let (new, expected) = unsafe {
            (
                std::slice::from_raw_parts(origin.cast::<u8>(), size),
                std::slice::from_raw_parts(compare.cast::<u8>(), size),
            )
        };
        self.with_accumulate_lock(plan.target, || {
            // SAFETY: `before` is ours.
            unsafe { move_target(Way::FromPeer, &plan, before.as_mut_ptr()) }?;
            if before[..size] == *expected {
                // SAFETY: only read from.
                unsafe { move_target(Way::ToPeer, &plan, new.as_ptr().cast_mut()) }?;
            }
            Ok(())
        })?;
        // SAFETY: the result is writable for one element.
        unsafe {
            result
                .cast::<u8>()
                .copy_from_nonoverlapping(before.as_ptr(), size)
        };
        Ok(())
    }

    /// Any update of any elements.
    ///
    /// # Safety
    /// The origin buffer is readable (but for MPI_NO_OP), the result buffer writable.
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
        let plan = self.plan(near, remote)?;
        if remote.rank == MPI_PROC_NULL {
            return Ok(());
        }
        let operation = Operation::new(op, far)?;
        let out = match result {
            Some(result) => Some(self.result_side(result, remote, far)?),
            None => None,
        };
        let Some(plan) = plan else { return Ok(()) };
        let kind = datatype::get(near.datatype)?.basic();
        if !reading && kind.is_none_or(|b| b.parts() != operation.basic.parts()) {
            bail!(
                Type,
                "the elements of origin_datatype and target_datatype are of different kinds"
            );
        }
        let elements = plan.remote.size() / operation.basic.size();
        let operand = if reading {
            Elements::Made(Vec::new())
        } else {
            // SAFETY: the origin buffer is readable.
            unsafe { Elements::of(&plan.origin, operation.basic, elements) }
        };
        let mut before = out
            .as_ref()
            .map(|_| vec![0_u8; elements * operation.basic.extent()]);
        let kept = before.as_mut().map(|b| b.as_mut_ptr());
        // SAFETY: the operand has as many elements as the target's part, or none for NO_OP; so has `before`.
        unsafe {
            self.update_target(
                &plan,
                far,
                remote.count as usize,
                operation,
                operand.address(),
                kept,
            )
        }?;
        if let (Some(message), Some(before)) = (out, before) {
            let packed = compress(operation.basic, elements, before);
            // SAFETY: the result buffer is writable, and holds as many bytes as the target's part.
            unsafe { datatype::unpack(message, 0..packed.len(), packed.as_ptr()) };
        }
        Ok(())
    }

    fn result_side(
        &self,
        result: &Origin,
        remote: &Remote,
        far: &Datatype,
    ) -> Result<datatype::Message<'static>> {
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
        if bytes != wanted {
            bail!(
                Type,
                "result and target do not match: {bytes} bytes are to hold {wanted}"
            );
        }
        datatype.check_buffer(result.address.addr(), result.count as usize, "result_addr")?;
        Ok(datatype.message(result.address.cast(), result.count as usize))
    }

    /// Updates the target's elements.
    ///
    /// # Safety
    /// `operand` has as many elements, one extent apart, as the target's part (none are read for NO_OP); `before`, if
    /// given, has room for as many.
    unsafe fn update_target(
        &self,
        plan: &Plan<'_>,
        datatype: &Datatype,
        count: usize,
        operation: Operation,
        operand: *const u8,
        before: Option<*mut u8>,
    ) -> Result<()> {
        let Operation { basic, kernel, .. } = operation;
        let extent = basic.extent();
        let target = plan.target;
        if plan.reach == Reach::Peer {
            // SAFETY: the caller's promise.
            return unsafe { self.update_peer(plan, operation, operand, before) };
        }
        // Threads of this process hold the lock together.
        let alone = matches!(target.hold(), Hold::Exclusive | Hold::ExclusiveCounted)
            && plan.reach == Reach::Shared
            && phase::level() != MPI_THREAD_MULTIPLE;
        let how = Update::of(operation.op, basic, kernel);
        let mut done = 0;
        let mut failed = Ok(());
        datatype.for_each_element(plan.remote.base, count, basic, |address, n| {
            let at: *mut u8 = with_exposed_provenance_mut(address);
            let operand = operand.wrapping_add(done * extent);
            let before = before.map(|b| b.wrapping_add(done * extent));
            done += n;
            // SAFETY: `n` elements of the target at `at`, within the window; the caller's promise for the others.
            let plain = || unsafe {
                if let Some(before) = before {
                    copy_elements(basic, at, before, n);
                }
                (kernel.apply)(operand, at, n);
            };
            let by_cpu = plan.reach == Reach::Shared && amo::can_update(basic, at);
            if by_cpu && !alone {
                for i in 0..n {
                    // SAFETY: as above; `can_update` holds for the first element and so for all.
                    unsafe {
                        let from = operand.wrapping_add(i * extent);
                        let word = if matches!(how, Update::Load) {
                            0
                        } else {
                            amo::read(extent, from)
                        };
                        let old = amo::update(how, extent, at.add(i * extent), word);
                        if let Some(before) = before {
                            amo::write(extent, before.add(i * extent), old);
                        }
                    }
                }
            } else if by_cpu {
                plain();
            } else if failed.is_ok() {
                failed = self.with_accumulate_lock(target, || {
                    plain();
                    Ok(())
                });
            }
        });
        failed
    }

    /// Updates elements in another process's private memory: fetched, updated here, and put back, under the target's lock.
    ///
    /// # Safety
    /// As [`Window::update_target`].
    unsafe fn update_peer(
        &self,
        plan: &Plan<'_>,
        operation: Operation,
        operand: *const u8,
        before: Option<*mut u8>,
    ) -> Result<()> {
        let Operation { op, basic, kernel } = operation;
        let mut packed = vec![0_u8; plan.remote.size()];
        let elements = packed.len() / basic.size();
        self.with_accumulate_lock(plan.target, || {
            // SAFETY: `packed` holds the whole part.
            unsafe { move_target(Way::FromPeer, plan, packed.as_mut_ptr()) }?;
            let mut array = expand(basic, elements, std::mem::take(&mut packed));
            if let Some(before) = before {
                // SAFETY: `before` has room for as many elements.
                unsafe { before.copy_from_nonoverlapping(array.as_ptr(), array.len()) };
            }
            if op == Predefined::NoOp {
                return Ok(());
            }
            // SAFETY: both have so many elements, an extent apart.
            unsafe { (kernel.apply)(operand, array.as_mut_ptr(), elements) };
            let mut packed = compress(basic, elements, array);
            // SAFETY: only read from.
            unsafe { move_target(Way::ToPeer, plan, packed.as_mut_ptr()) }
        })
    }

    fn with_accumulate_lock(
        &self,
        target: &Target,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let lock = &target.block.accumulate;
        if !lock.try_exclusive(job().rank) {
            self.wait_for_accumulate_lock(target)?;
        }
        let done = work();
        passive::ring(lock, lock.release_exclusive());
        done
    }

    #[cold]
    fn wait_for_accumulate_lock(&self, target: &Target) -> Result<()> {
        let rank = self.rank_of(target);
        let name = format!("an accumulate at rank {rank} (its elements are updated under a lock)");
        let (call, held) = (
            format!("an accumulate at rank {rank}"),
            format!("accumulate lock of rank {rank}"),
        );
        let word = &target.block.accumulate;
        let obstacle = || obstacle::of_lock(word, true, &self.meeting.members, &call, &held);
        passive::take(word, true, &name, &obstacle)
    }
}

/// Compares and swaps an element that the CPU can update.
///
/// # Safety
/// `size` bytes at `new` and `expected` are readable, at `result` writable, and `at` is as [`amo::update`] wants it.
#[inline(always)]
unsafe fn swap_element(
    size: usize,
    at: *mut u8,
    new: *const u8,
    expected: *const u8,
    result: *mut u8,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let before =
            amo::compare_and_swap(size, at, amo::read(size, expected), amo::read(size, new));
        amo::write(size, result, before);
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
            | Logical
            | Byte
            | Char
            | WideChar
    )
}

/// Moves the target's part of a plan from or to a packed buffer.
///
/// # Safety
/// `buffer` has as many bytes as the part; it is written (`FromPeer`) or read.
unsafe fn move_target(way: Way, plan: &Plan<'_>, buffer: *mut u8) -> Result<()> {
    let size = plan.remote.size();
    match (plan.reach, way) {
        (Reach::Peer, way) => {
            let whole = datatype::get(MPI_BYTE)?.message(buffer, size);
            let plan = Plan {
                origin: whole,
                remote: plan.remote,
                target: plan.target,
                reach: plan.reach,
            };
            // SAFETY: the caller's promise.
            unsafe { through_kernel(way, &plan) }?;
        }
        // SAFETY: the caller's promise; the part lies in the window, in this process's address space.
        (_, Way::FromPeer) => unsafe { datatype::pack(plan.remote, 0..size, buffer) },
        // SAFETY: as above.
        (_, Way::ToPeer) => unsafe { datatype::unpack(plan.remote, 0..size, buffer) },
    }
    Ok(())
}

/// Elements of one kind, an extent apart, as kernels take them.
enum Elements {
    /// Where the program has them.
    There(*const u8),
    Made(Vec<u8>),
}

impl Elements {
    /// # Safety
    /// The message is readable.
    unsafe fn of(message: &datatype::Message<'_>, basic: Basic, elements: usize) -> Elements {
        if basic.size() == basic.extent()
            && let Some(address) = message.as_run()
        {
            return Elements::There(with_exposed_provenance(address));
        }
        let mut packed = vec![0_u8; message.size()];
        // SAFETY: the message is readable, and the vector is as long.
        unsafe { datatype::pack(*message, 0..packed.len(), packed.as_mut_ptr()) };
        Elements::Made(expand(basic, elements, packed))
    }

    fn address(&self) -> *const u8 {
        match self {
            Elements::There(address) => *address,
            Elements::Made(bytes) => bytes.as_ptr(),
        }
    }
}

/// Packed elements become an array of them: pairs may have gaps there.
fn expand(basic: Basic, elements: usize, packed: Vec<u8>) -> Vec<u8> {
    let (size, extent) = (basic.size(), basic.extent());
    if size == extent {
        return packed;
    }
    let mut array = vec![0_u8; elements * extent];
    for (element, bytes) in array
        .chunks_exact_mut(extent)
        .zip(packed.chunks_exact(size))
    {
        let mut from = 0;
        for &(at, len) in basic.parts() {
            element[at..at + len].copy_from_slice(&bytes[from..from + len]);
            from += len;
        }
    }
    array
}

/// The opposite of [`expand`].
fn compress(basic: Basic, elements: usize, array: Vec<u8>) -> Vec<u8> {
    let (size, extent) = (basic.size(), basic.extent());
    if size == extent {
        return array;
    }
    let mut packed = Vec::with_capacity(elements * size);
    for element in array.chunks_exact(extent) {
        for &(at, len) in basic.parts() {
            packed.extend_from_slice(&element[at..at + len]);
        }
    }
    packed
}

/// Copies `n` elements, an extent apart on both sides, and no gap.
///
/// # Safety
/// They are readable at `from` and writable at `to`.
unsafe fn copy_elements(basic: Basic, from: *const u8, to: *mut u8, n: usize) {
    let extent = basic.extent();
    if basic.size() == extent {
        // SAFETY: the caller's promise.
        return unsafe { to.copy_from_nonoverlapping(from, n * extent) };
    }
    for i in 0..n {
        for &(at, len) in basic.parts() {
            let offset = i * extent + at;
            // SAFETY: the caller's promise: the part is within element `i`.
            unsafe {
                to.add(offset)
                    .copy_from_nonoverlapping(from.add(offset), len)
            };
        }
    }
}
