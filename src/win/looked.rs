//! The fast paths of windows in jobs whose calls are looked at, in the same words: `find` of the exported functions gives one of these in
//! place of the [`Window`], which is [hidden](crate::handle) from the fast paths themselves.

use super::accumulate::{Array, count as count_updated};
use super::amo::{self, Amo};
use super::checked::operations::{Element, goes_apart};
use super::transfer::{Origin, Remote, transfer_here};
use super::{Window, find_observed};
use crate::check::race::{Kind, series};
use crate::datatype::{self, Basic};
use crate::mpi::types::{MPI_Aint, MPI_Datatype, MPI_Op, MPI_Win};
use crate::observe::{BRIEF, Call};
use crate::op::Predefined;
use crate::shm::peer::Way;
use std::ffi::{c_int, c_void};
use std::ops::Deref;

/// A window whose calls are counted: what its fast paths move counts for the exported function.
pub struct CountedWindow {
    window: &'static Window,
    call: &'static Call,
}

impl CountedWindow {
    #[inline(always)]
    pub fn find(handle: MPI_Win, call: &'static Call) -> Option<CountedWindow> {
        find_observed(handle).map(|window| CountedWindow { window, call })
    }

    /// Does what moves so many elements, if they are few: whether it did.
    #[inline(always)]
    fn moving(&self, count: i64, datatype: MPI_Datatype, quick: impl FnOnce() -> bool) -> bool {
        let size = datatype::predefined_size(datatype);
        let Some(bytes) = size.and_then(|size| size.checked_mul(usize::try_from(count).ok()?))
        else {
            return false;
        };
        let is_done = bytes <= BRIEF && quick();
        if is_done {
            self.call.moved(bytes);
        }
        is_done
    }

    #[inline(always)]
    pub fn put_quickly(&self, origin: Origin, remote: Remote) -> bool {
        self.moving(origin.count, origin.datatype, || {
            self.window.put_quickly(origin, remote)
        })
    }

    #[inline(always)]
    pub fn get_quickly(&self, origin: Origin, remote: Remote) -> bool {
        self.moving(origin.count, origin.datatype, || {
            self.window.get_quickly(origin, remote)
        })
    }

    #[inline(always)]
    pub fn accumulate_quickly(&self, origin: Origin, remote: Remote, op: MPI_Op) -> bool {
        self.moving(1, remote.datatype, || {
            self.window.accumulate_quickly(origin, remote, op)
        })
    }

    #[inline(always)]
    pub fn get_accumulate_quickly(
        &self,
        origin: Origin,
        result: Origin,
        remote: Remote,
        op: MPI_Op,
    ) -> bool {
        self.moving(1, remote.datatype, || {
            self.window
                .get_accumulate_quickly(origin, result, remote, op)
        })
    }

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
        // SAFETY: the caller's promise.
        let quick = || unsafe {
            self.window
                .fetch_and_op_quickly(origin, result, datatype, rank, disp, op)
        };
        self.moving(1, datatype, quick)
    }

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
        // SAFETY: the caller's promise.
        let quick = || unsafe {
            self.window
                .compare_and_swap_quickly(origin, compare, result, datatype, rank, disp)
        };
        self.moving(1, datatype, quick)
    }
}

/// What moves no data is the window's own.
impl Deref for CountedWindow {
    type Target = Window;

    #[inline(always)]
    fn deref(&self) -> &Window {
        self.window
    }
}

/// A window in a job that is checked, with the quick ways there of the exported function: in the words of fast paths. Puts and gets are only
/// [noted](series), operations on one element looked at [at once](crate::check::race::element).
pub struct CheckedWindow {
    window: &'static Window,
    function: &'static str,
}

impl CheckedWindow {
    #[inline(always)]
    pub fn find(handle: MPI_Win, function: &'static str) -> Option<CheckedWindow> {
        find_observed(handle).map(|window| CheckedWindow { window, function })
    }

    #[inline(always)]
    pub fn put_quickly(&self, origin: Origin, remote: Remote) -> bool {
        self.transfer(Way::ToPeer, &origin, &remote)
    }

    #[inline(always)]
    pub fn get_quickly(&self, origin: Origin, remote: Remote) -> bool {
        self.transfer(Way::FromPeer, &origin, &remote)
    }

    #[inline(always)]
    fn transfer(&self, way: Way, origin: &Origin, remote: &Remote) -> bool {
        match goes_apart(self.function) {
            true => self.transfer_apart(way, origin, remote),
            false => self
                .window
                .transfer_in_series(self.function, way, origin, remote),
        }
    }

    /// The same, once for all functions.
    #[inline(never)]
    fn transfer_apart(&self, way: Way, origin: &Origin, remote: &Remote) -> bool {
        self.window
            .transfer_in_series(self.function, way, origin, remote)
    }

    #[inline(always)]
    pub fn lock_quickly(&self, kind: c_int, rank: c_int, assert: c_int) -> bool {
        self.window.lock_checked(kind, rank, assert)
    }

    #[inline(always)]
    pub fn unlock_quickly(&self, rank: c_int) -> bool {
        self.window.unlock_checked(rank)
    }

    /// Nothing of a fence is quick, but what it completes.
    #[inline(always)]
    pub fn fence_quickly(&self, assert: c_int) -> bool {
        self.window.complete_before_fence(assert);
        false
    }

    #[inline(always)]
    pub fn flush_quickly(&self, rank: c_int) -> bool {
        self.window.flush_checked(rank)
    }

    #[inline(always)]
    pub fn flush_all_quickly(&self) -> bool {
        self.window.flush_all_checked()
    }

    #[inline(always)]
    pub fn flush_local_quickly(&self, rank: c_int) -> bool {
        self.window.flush_local_checked(rank)
    }

    #[inline(always)]
    pub fn flush_local_all_quickly(&self) -> bool {
        self.window.flush_local_all_checked()
    }

    #[inline(always)]
    pub fn lock_all_quickly(&self, assert: c_int) -> bool {
        self.window.lock_all_checked(assert)
    }

    #[inline(always)]
    pub fn unlock_all_quickly(&self) -> bool {
        self.window.unlock_all_checked()
    }

    #[inline(always)]
    pub fn accumulate_quickly(&self, origin: Origin, remote: Remote, op: MPI_Op) -> bool {
        let single = (origin.count == 1) & (remote.count == 1);
        if !single || origin.datatype != remote.datatype || origin.address.is_null() {
            return false;
        }
        let mut unwanted = 0_u64;
        let result = (&raw mut unwanted).cast();
        // SAFETY: the caller's promise; an element that an instruction updates is not larger than the word.
        unsafe { self.element_apart(Kind::Accumulate, op, origin.address, result, &remote) }
    }

    #[inline(always)]
    pub fn get_accumulate_quickly(
        &self,
        origin: Origin,
        result: Origin,
        remote: Remote,
        op: MPI_Op,
    ) -> bool {
        let single = |side: &Origin| {
            (side.count == 1) & (side.datatype == remote.datatype) & !side.address.is_null()
        };
        let reading = op == Predefined::NoOp.handle();
        if remote.count != 1 || !single(&result) || !(reading || single(&origin)) {
            return false;
        }
        let (kind, to) = (Kind::GetAccumulate, result.address.cast_mut());
        // SAFETY: the caller's promise.
        unsafe { self.element_apart(kind, op, origin.address, to, &remote) }
    }

    /// [`CheckedWindow::element`], once for several functions.
    ///
    /// # Safety
    /// As there.
    #[inline(never)]
    unsafe fn element_apart(
        &self,
        kind: Kind,
        op: MPI_Op,
        origin: *const c_void,
        result: *mut c_void,
        remote: &Remote,
    ) -> bool {
        let find = |basic| match kind {
            Kind::Accumulate => amo::find_changing(op, basic),
            _ => amo::find(op, basic),
        };
        let (datatype, rank, disp) = (remote.datatype, remote.rank, remote.disp);
        // SAFETY: the caller's promise.
        unsafe { self.element(kind, op, origin, result, datatype, rank, disp, find) }
    }

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
        let kind = Kind::FetchAndOp;
        // SAFETY: the caller's promise.
        complete && unsafe { self.element(kind, op, origin, result, datatype, rank, disp, find) }
    }

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
        let complete = !origin.is_null() && !compare.is_null() && !result.is_null();
        let array = self.window.array(datatype, 1, rank, disp);
        let Some(array) = array.filter(|array| complete && array.can_swap()) else {
            return false;
        };
        let Array { at, size, .. } = array;
        let element = Element {
            function: self.function,
            kind: Kind::CompareAndSwap,
            op: None,
            basic: array.basic,
            target: array.target,
            disp,
            bytes: size,
            reads: [origin, compare],
            writes: result,
        };
        self.update(&element, move || {
            // SAFETY: as in `fetch_and_op_quickly`.
            unsafe {
                amo::compare_and_swap(size, at, compare.cast(), origin.cast(), result.cast());
            }
        })
    }

    /// # Safety
    /// As [`Window::element_quickly`].
    #[inline(always)]
    #[expect(clippy::too_many_arguments)]
    unsafe fn element(
        &self,
        kind: Kind,
        op: MPI_Op,
        origin: *const c_void,
        result: *mut c_void,
        datatype: MPI_Datatype,
        rank: c_int,
        disp: MPI_Aint,
        find: impl FnOnce(Basic) -> Option<Amo>,
    ) -> bool {
        let found = self.window.element(datatype, rank, disp, find);
        let Some((array, amo)) = found else {
            return false;
        };
        let element = Element {
            function: self.function,
            kind,
            op: Some(op),
            basic: array.basic,
            target: array.target,
            disp,
            bytes: array.size,
            reads: [origin; 2],
            writes: result,
        };
        let at = array.at;
        self.update(&element, move || {
            // SAFETY: the caller's promise; `element` found the target's.
            unsafe { amo.update(at, origin.cast(), result.cast()) };
        })
    }

    #[inline(always)]
    fn update(&self, element: &Element<'_>, work: impl Fn() + Copy) -> bool {
        let Some(raised) = self.window.enter(element.target) else {
            return false;
        };
        let is_done = self.window.update_checked(element, work);
        raised.lower();
        if is_done {
            count_updated(element.target, 1, element.bytes);
        }
        is_done
    }
}

impl Window {
    /// A simple one in a job that is checked, if it need only be [noted](series): whether that is so, and it was done.
    #[inline(always)]
    fn transfer_in_series(
        &'static self,
        function: &'static str,
        way: Way,
        origin: &Origin,
        remote: &Remote,
    ) -> bool {
        if !series::may_note() {
            return false;
        }
        let Some((target, there, len)) = self.place(origin, remote) else {
            return false;
        };
        if len == 0 || !self.note(function, way, origin, remote, target, len) {
            return false;
        }
        // SAFETY: as in `transfer_quickly`.
        unsafe { transfer_here(way, origin, target, there, len) };
        true
    }
}
