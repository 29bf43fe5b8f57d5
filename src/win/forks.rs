//! Forks of a process whose memory is in the job's segment ([`adoption`](super::adoption)).
//!
//! A child would share that memory with the job. So a copy is made before each fork, which the child then has in its place: what
//! was there at the fork, as with all other memory. Where there is no room for a copy, the child has nothing there.
//!
//! From the copies on nothing is allocated or freed until the fork is over: the memory of malloc is some of what was copied. So
//! what the handlers need lies in a mapping of its own, and the book is locked on both sides.

use super::adoption::{BOOK, Book};
use crate::shm::adoption::copy_privately;
use crate::shm::segment::segment;
use crate::shm::{PAGE, mapping, memory};
use parking_lot::RawMutex;
use parking_lot::lock_api::RawMutex as _;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::slice::from_raw_parts_mut;

/// With so many bytes in the segment a fork asks first whether there is room for copies.
const LARGE: usize = 64 << 20;

/// What lies ready for a child while a fork is on its way.
struct Snapshots {
    list: *mut Snapshot,
    len: usize,
}

/// Memory that is in the segment, and its copy, if there is one.
#[repr(C)]
struct Snapshot {
    start: usize,
    len: usize,
    from: *const u8,
    copy: *mut c_void,
}

/// Those of the fork that is on its way. Whoever holds the book has them.
struct Ready(UnsafeCell<Snapshots>);

// SAFETY: used under the lock of the book.
unsafe impl Sync for Ready {}

static READY: Ready = Ready(UnsafeCell::new(Snapshots::NONE));

impl Snapshots {
    const NONE: Snapshots = Snapshots {
        list: null_mut(),
        len: 0,
    };

    fn bytes(&self) -> usize {
        (self.len * size_of::<Snapshot>())
            .next_multiple_of(PAGE)
            .max(PAGE)
    }

    /// Of all that is there, without copies. None if there is no memory for the list.
    fn plan(book: &Book) -> Snapshots {
        let parts = book.there();
        let len = parts.len();
        let planned = Snapshots {
            list: null_mut(),
            len,
        };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let Some(list) = mapping::map_private(planned.bytes(), access) else {
            return Snapshots::NONE;
        };
        let list = list.cast::<Snapshot>();
        for (i, (part, offset)) in parts.into_iter().enumerate() {
            let snapshot = Snapshot {
                start: part.start,
                len: part.len(),
                from: segment().at(offset),
                copy: null_mut(),
            };
            // SAFETY: the mapping has room for all.
            unsafe { list.add(i).write(snapshot) };
        }
        Snapshots { list, len }
    }

    fn all(&mut self) -> &mut [Snapshot] {
        match self.list.is_null() {
            true => &mut [],
            // SAFETY: so many were written.
            false => unsafe { from_raw_parts_mut(self.list, self.len) },
        }
    }

    fn end(&mut self) {
        if !self.list.is_null() {
            // SAFETY: the mapping of `plan`.
            unsafe { mapping::unmap(self.list.cast(), self.bytes()) };
        }
        *self = Snapshots::NONE;
    }
}

/// Handlers that were registered first are called last before a fork, and first in the child: so these are registered when the
/// library is loaded. What others do in theirs is in the snapshots.
#[used]
#[unsafe(link_section = ".init_array")]
static WATCH_FORKS: extern "C" fn() = watch_forks;

extern "C" fn watch_forks() {
    // SAFETY: three functions that stay as long as the library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child)) };
}

extern "C" fn before_fork() {
    let book = BOOK.lock();
    let all = book.len();
    if all > 0 {
        // To find out takes 100 µs.
        let there_is_room = all < LARGE || memory::spare() > all;
        // SAFETY: the book is locked.
        let ready = unsafe { &mut *READY.0.get() };
        *ready = Snapshots::plan(&book);
        for part in ready.all().iter_mut().filter(|_| there_is_room) {
            // SAFETY: the bytes are in the segment, as long as the book says so.
            let copy = unsafe { copy_privately(part.from, part.len) };
            part.copy = copy.unwrap_or(null_mut());
        }
    }
    // Held until the fork is over, on both sides.
    std::mem::forget(book);
}

extern "C" fn after_fork() {
    // SAFETY: `before_fork` has locked the book, on this thread.
    unsafe {
        let ready = &mut *READY.0.get();
        for part in ready.all() {
            if !part.copy.is_null() {
                mapping::unmap(part.copy, part.len);
            }
        }
        ready.end();
        BOOK.force_unlock();
    }
}

extern "C" fn in_child() {
    // SAFETY: `before_fork` has locked the book; the child has this thread alone. What is mapped over are shared mappings that are
    // its parent's.
    unsafe {
        let ready = &mut *READY.0.get();
        for part in ready.all() {
            let (copy, len, to) = (part.copy, part.len, part.start);
            if copy.is_null() || !mapping::move_over(copy, len, len, to) {
                mapping::map_over(to, len, None);
            }
        }
        ready.end();
        // The allocations are the parent's.
        (*BOOK.data_ptr()).disown();
        // Who waits for it does so in the parent: to wake somebody would take a lock that another thread may have held at the fork.
        (&raw const *BOOK.raw()).cast_mut().write(RawMutex::INIT);
    }
}
