//! Which thread may call, and what may be called from the program's functions that MPI calls.
//!
//! | level                   | what is wrong                                                       |
//! |-------------------------|---------------------------------------------------------------------|
//! | `MPI_THREAD_SINGLE`     | a call by another thread than the one that called MPI_Init          |
//! | `MPI_THREAD_FUNNELED`   | the same                                                            |
//! | `MPI_THREAD_SERIALIZED` | a call by one thread while another one is in a call                 |
//! | `MPI_THREAD_MULTIPLE`   | nothing; calls do not come here                                     |
//!
//! What MPI lets any thread call at any time (MPI 4.1 §11.6.1 and what may be called before MPI_Init) is left alone.

use super::{Finding, Place, called, here, rank, tell};
use crate::naming::routine;
use crate::shm::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering, heavy_fence};
use crate::shm::bias::{Bias, Mark};
use crate::shm::membarrier;
use parking_lot::{Mutex, MutexGuard};
use std::arch::asm;
use std::cell::{Cell, RefCell, RefMut, UnsafeCell};
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// How the world model was asked to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Level {
    /// Nothing is looked at.
    Any = 0,
    Single,
    Funneled,
    Serialized,
}

static LEVEL: AtomicU8 = AtomicU8::new(Level::Any as u8);
/// The thread that called MPI_Init, or 0.
static MAIN: AtomicU64 = AtomicU64::new(0);
/// The thread that is in a call, which, and where; where threads take turns.
static INSIDE: Mutex<Option<(u64, &'static str, Place)>> = Mutex::new(None);

/// The main thread's [pointer](thread_pointer) where no other one may call; else 0.
static ALONE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What of the program's MPI is calling in this thread.
    static CALLING: Cell<&'static str> = const { Cell::new("") };
}

/// The thread's number; none is used again.
fn own() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    thread_local!(static OWN: Cell<u64> = const { Cell::new(0) });
    if OWN.get() == 0 {
        OWN.set(1 + LAST.fetch_add(1, Ordering::Relaxed));
    }
    OWN.get()
}

/// This thread, the main one, has asked for a level.
pub fn use_as(level: Level) {
    MAIN.store(own(), Ordering::Relaxed);
    let alone = match level {
        Level::Single | Level::Funneled => thread_pointer(),
        Level::Any | Level::Serialized => 0,
    };
    ALONE.store(alone, Ordering::Relaxed);
    LEVEL.store(level as u8, Ordering::Release);
}

/// Where the thread's own data is, by which it is told from those that live.
#[inline(always)]
fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the first word there is its own address, as the ABI says.
    unsafe {
        asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, preserves_flags))
    };
    pointer
}

/// Whether this is the only thread that may call.
#[inline(always)]
pub(super) fn is_alone() -> bool {
    ALONE.load(Ordering::Relaxed) == thread_pointer()
}

/// What belongs to that thread.
pub(super) struct Alone<T>(RefCell<T>);

// SAFETY: only the thread at whose pointer `ALONE` stands reaches what is in it, one at a time, as it stands there from MPI_Init on until it is 0 for ever.
unsafe impl<T: Send> Sync for Alone<T> {}

impl<T> Alone<T> {
    pub const fn new(value: T) -> Alone<T> {
        Alone(RefCell::new(value))
    }

    /// It, as long as that lives; `None` in another thread, or while it is had already.
    #[inline(always)]
    pub fn get(&self) -> Option<RefMut<'_, T>> {
        match is_alone() {
            true => self.0.try_borrow_mut().ok(),
            false => None,
        }
    }
}

/// Another level may hold from now on, as sessions have their own: nobody knows which a call belongs to.
pub fn use_at_will() {
    ALONE.store(0, Ordering::Relaxed);
    LEVEL.store(Level::Any as u8, Ordering::Release);
}

/// This process is a child of a fork. What the thread that was alone had is the parent's, and nobody reaches it here.
pub(super) fn forget() {
    ALONE.store(0, Ordering::Relaxed);
}

/// What threads have one at a time, by a lock. A thread that is alone takes none, but raises a mark by plain stores, until another one
/// comes: one of a session's, or that breaks the rules. Short accesses of [`bias`](crate::shm::bias) are the former, long ones those of all others.
pub(super) struct OneByOne<T> {
    lock: Mutex<()>,
    bias: Bias,
    mark: Mark,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time reaches what is in it, see above.
unsafe impl<T: Send> Sync for OneByOne<T> {}

/// The thread has it, as long as this lives.
pub(super) struct Turn<'a, T> {
    of: &'a OneByOne<T>,
    locked: Option<MutexGuard<'a, ()>>,
}

impl<T> OneByOne<T> {
    pub const fn new(value: T) -> OneByOne<T> {
        // SAFETY: both are made of atomics, and begin with zeros in the segment too.
        let (bias, mark) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        OneByOne {
            lock: Mutex::new(()),
            bias,
            mark,
            value: UnsafeCell::new(value),
        }
    }

    /// From now on a thread that is alone takes no lock, if there is one and heavy fences reach it.
    pub fn favour(&self) {
        let _locked = self.lock.lock();
        if ALONE.load(Ordering::Relaxed) != 0 && membarrier::register() {
            self.bias.short();
        }
    }

    /// Waits until no other thread has it. A thread that has it already must not ask.
    #[inline(always)]
    pub fn lock(&self) -> Turn<'_, T> {
        // Where the mark is up, it is this thread's, which a signal has interrupted: that waits, as for a lock.
        let is_short = is_alone() && !self.mark.is_up() && self.bias.enter(&self.mark, true);
        Turn {
            locked: (!is_short).then(|| self.lock_of_many()),
            of: self,
        }
    }

    /// Whether this thread would be alone with it, as [`Turn::is_alone`] says.
    #[inline(always)]
    pub fn is_alone(&self) -> bool {
        is_alone() && self.bias.is_direct()
    }

    /// Whether nobody has it: neither another thread, nor this one, which a signal may have interrupted.
    pub fn is_free(&self) -> bool {
        !self.mark.is_up() && !self.lock.is_locked()
    }

    #[cold]
    #[inline(never)]
    fn lock_of_many(&self) -> MutexGuard<'_, ()> {
        let locked = self.lock.lock();
        let fence = || {
            if !heavy_fence() {
                // Refused, though it was promised. What the other thread has stored is seen after such a time.
                std::thread::sleep(Duration::from_millis(1));
            }
            true
        };
        while !self.bias.long(0, fence, || !self.mark.is_up()) {
            std::thread::yield_now();
        }
        locked
    }
}

impl<T> Turn<'_, T> {
    /// Whether no other thread of this process waits for it, or can come to have it meanwhile: only this one writes what only holders write.
    #[inline(always)]
    pub fn is_alone(&self) -> bool {
        self.locked.is_none()
    }
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: this thread alone has it.
        unsafe { &*self.of.value.get() }
    }
}

impl<T> DerefMut for Turn<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and by this alone.
        unsafe { &mut *self.of.value.get() }
    }
}

impl<T> Drop for Turn<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.locked.is_none() {
            self.of.mark.lower(true);
        }
    }
}

/// Has MPI call `work`, a function of the program's that may not communicate, `what` in words.
#[inline]
pub fn calling<R>(what: &'static str, work: impl FnOnce() -> R) -> R {
    if !super::is_on() {
        return work();
    }
    let outer = CALLING.replace(what);
    let result = work();
    CALLING.set(outer);
    result
}

/// Whether this thread is in such a function.
pub(super) fn is_called() -> bool {
    !CALLING.get().is_empty()
}

/// A call begins; whether its end is to be told. `is_outermost`: it is not made by a function that MPI has called.
#[inline(always)]
pub(super) fn enter(is_outermost: bool) -> bool {
    match is_outermost {
        true if is_alone() || LEVEL.load(Ordering::Relaxed) == Level::Any as u8 => false,
        true => look_at_thread(),
        false => {
            look_at_caller();
            false
        }
    }
}

#[cold]
fn look_at_thread() -> bool {
    let (name, own) = (called(), own());
    let level = LEVEL.load(Ordering::Acquire);
    // Nearly all calls are the main thread's: names are looked at last.
    if level != Level::Serialized as u8 && MAIN.load(Ordering::Relaxed) == own || is_for_all(name) {
        return false;
    }
    if level != Level::Serialized as u8 {
        if MAIN.load(Ordering::Relaxed) != 0 {
            let level = match level == Level::Single as u8 {
                true => "MPI_THREAD_SINGLE",
                false => "MPI_THREAD_FUNNELED",
            };
            tell(Finding {
                kind: "thread level",
                section: "MPI 4.1 §11.6",
                text: format!(
                    "it is called by another thread than the one that called MPI_Init, and the level is {level}; \
                     MPI_THREAD_MULTIPLE is needed, or MPI_THREAD_SERIALIZED if threads take turns"
                ),
            });
        }
        return false;
    }
    let here = here();
    let other = {
        let mut inside = INSIDE.lock();
        let other = *inside;
        if other.is_none() {
            *inside = Some((own, name, here));
        }
        other
    };
    match other {
        Some((thread, other, place)) if thread != own => {
            tell(Finding {
                kind: "thread level",
                section: "MPI 4.1 §11.6",
                text: format!(
                    "it is called while another thread is in {other} at {}, and the level is MPI_THREAD_SERIALIZED; \
                     MPI_THREAD_MULTIPLE is needed, or threads that take turns",
                    place.of(rank())
                ),
            });
            false
        }
        _ => true,
    }
}

/// A call has ended whose begin said so.
#[cold]
pub(super) fn leave() {
    let mut inside = INSIDE.lock();
    if inside.is_some_and(|(thread, ..)| thread == own()) {
        *inside = None;
    }
}

/// What any thread may call at any time: names that begin so, and those of handlers and conversions.
fn is_for_all(name: &str) -> bool {
    const BEGINS: &str = "Init Final Query_thread Is_thread_main Get_version Get_library_version Get_processor_name Get_address Get_count Get_elements \
        Get_hw_resource_info Abi_ Info_ Session_ T_ Error_ Add_error Remove_error Abort";
    const PARTS: [&str; 3] = ["rrhandler", "_f2c", "_c2f"];
    begins(name, BEGINS) || PARTS.iter().any(|part| name.contains(part))
}

/// Whether a function's name, without `MPI_`, begins with one of these words.
fn begins(name: &str, words: &str) -> bool {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    words.split(' ').any(|word| name.starts_with(word))
}

#[cold]
fn look_at_caller() {
    let (what, name) = (CALLING.get(), called());
    if !what.is_empty() && communicates(name) {
        tell(Finding {
            kind: "forbidden call",
            section: "MPI 4.1 §6.9.5",
            text: format!("it is called inside {what}, which may not communicate"),
        });
    }
}

/// Whether the function communicates, or waits for others.
fn communicates(name: &str) -> bool {
    const BEGINS: &str = "Send Recv Isend Irecv Bsend Ssend Rsend Ibsend Issend Irsend Isendrecv Mrecv Imrecv Mprobe Probe Iprobe Improbe \
        Wait Start Pready Barrier Ibarrier Bcast Ibcast Gather Igather Scatter Iscatter Allreduce Allgather Alltoall Iallreduce \
        Iallgather Ialltoall Reduce Ireduce Scan Iscan Exscan Iexscan Neighbor_ Ineighbor_ Put Rput Accumulate Fetch_and_op \
        Compare_and_swap Win_ File_ Comm_dup Comm_idup Comm_split Comm_spawn Comm_accept Comm_connect Comm_disconnect Intercomm_";
    const WHOLE: [&str; 9] = [
        "MPI_Comm_create",
        "MPI_Comm_create_group",
        "MPI_Test",
        "MPI_Testall",
        "MPI_Testany",
        "MPI_Testsome",
        "MPI_Get",
        "MPI_Rget",
        "MPI_Get_accumulate",
    ];
    let name = routine(name);
    let is_local = name == "MPI_Reduce_local" || name.ends_with("_init");
    !is_local && (begins(name, BEGINS) || WHOLE.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_communicates_is_told_from_what_does_not() {
        for name in [
            "MPI_Send",
            "MPI_Allreduce",
            "MPI_Wait",
            "MPI_Get",
            "MPI_Win_fence",
            "MPI_Testall",
            "MPI_Comm_dup_with_info",
        ] {
            assert!(communicates(name), "{name}");
        }
        for name in [
            "MPI_Get_address",
            "MPI_Alloc_mem",
            "MPI_Reduce_local",
            "MPI_Type_size",
            "MPI_Test_cancelled",
            "MPI_Send_init",
            "MPI_Comm_create_keyval",
        ] {
            assert!(!communicates(name), "{name}");
        }
        assert!(
            is_for_all("MPI_Initialized")
                && is_for_all("MPI_Comm_create_errhandler")
                && is_for_all("MPI_Get_version")
                && !is_for_all("MPI_Get_accumulate")
                && !is_for_all("MPI_Send")
        );
    }

    #[test]
    fn what_is_had_one_by_one_is_had_without_a_lock_until_another_comes() {
        const TIMES: u64 = 20_000;
        let count = OneByOne::new(0_u64);
        assert!(!count.lock().is_alone());
        ALONE.store(thread_pointer(), Ordering::Relaxed);
        count.favour();
        assert_eq!(count.lock().is_alone(), membarrier::is_registered());
        let turn = count.lock();
        assert!(!count.is_free());
        drop(turn);
        assert!(count.is_free());
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                for _ in 0..TIMES {
                    let mut count = count.lock();
                    assert!(!count.is_alone());
                    *count += 1;
                }
            });
            (0..TIMES).for_each(|_| *count.lock() += 1);
            other.join().unwrap();
        });
        ALONE.store(0, Ordering::Relaxed);
        let all = count.lock();
        assert_eq!((*all, all.is_alone()), (2 * TIMES, false));
    }
}
