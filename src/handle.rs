//! `int` handles and the objects behind them.
//!
//! A handle has MPICH's shape: two bits that say where its object is (`10` **direct**, `11` **indirect**; predefined objects
//! have `01`), four bits of kind (communicator, window, …), and 26 bits that name a slot of the kind's [`Table`]. The first
//! thousand slots are in the table itself; their handles have 10 bits of index and 16 of **generation**, and a slot that is
//! used again gets the next one. All others are in chunks; their handles are 26 bits of index, so that memory ends before
//! they do, and their slots rest for long instead. So the handle of a freed object is found out either way. Datatypes are
//! different: see [`Kind::rests`].
//!
//! The chunks are an append-only array: looking a handle up is a load and a compare (for an indirect one, one load more),
//! without lock and without reference count. Inserting and removing take a lock.
//!
//! An object that the user can ask for again and again (a communicator's group) has one handle, which is given again and
//! freed as often as it was given: see [`Given`].
//!
//! | bits  | direct (`10`): the first 1024 of a kind | indirect (`11`): all others |
//! |-------|-----------------------------------------|-----------------------------|
//! | 31-30 | `10`                                    | `11`                        |
//! | 29-26 | kind, by MPICH's numbers                | the same                    |
//! | 25-10 | generation                              | index, upper 16 bits        |
//! | 9-0   | index                                   | index, lower 10 bits        |
//!
//! **Orderings.** A look-up loads the slot's handle (acquire), compares it with the one given, and loads the object's pointer.
//! Inserting stores the pointer, then the handle (release). Removing takes the pointer first, so that the handle 0, which every
//! free slot has, is nobody's.
//!
//! **Rest.** A freed slot goes to the end of a queue. A direct one is used again only when 64 are free, with the next of 65,536
//! generations; an indirect one, which has no bits left for those, when 8192 are. Direct slots are taken first, so most
//! programs never have others.
//!
//! **Hidden** objects have their handle inverted in the slot: a look-up that is part of a fast path finds them not, and
//! [`Table::find`], which is for all others, does. So a fast path can be closed for some objects at no price for the rest.
//!
//! **Lifetimes.** A reference from a look-up is good until the handle is removed; a program that frees an object in one thread
//! while it uses it in another is wrong by MPI's rules. What must outlive the call takes an `Arc`. No pending operation keeps a
//! datatype's handle, but that of a reduction for the user's function, which gets another handle if this one has been freed.

use crate::bail;
use crate::check::{self, objects};
use crate::error::Result;
use parking_lot::Mutex;
use parking_lot::lock_api::{self, RawMutex};
use std::alloc::{Layout, alloc_zeroed};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

/// The kinds of objects, with the number MPICH gives them in bits 26-29 of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    Comm = 1,
    Group = 2,
    Datatype = 3,
    File = 4,
    Errhandler = 5,
    Op = 6,
    Info = 7,
    Win = 8,
    Keyval = 9,
    Request = 11,
    Message = 12,
    /// Requests that are more than one operation. (MPICH has this number for nothing that programs get.)
    Lasting = 13,
    Session = 14,
}

impl Kind {
    /// Whether freed handles of this kind rest, and their slots come back with another generation: a freed handle is then
    /// told from those of objects made later. The handles of datatypes do not: the one freed last is the next one given, as
    /// in MPICH. Programs written there go on with the handle of a freed datatype in an array of types, after they have
    /// made one like it again, and never notice; it is found out only as long as no other datatype is made.
    const fn rests(self) -> bool {
        !matches!(self, Kind::Datatype)
    }
}

const KIND_SHIFT: u32 = 26;
/// Set in the handles of slots in chunks.
const INDIRECT: u32 = 1 << 30;
/// Slots in the table itself, and the bits of their handles above the index.
const DIRECT: usize = 1 << GENERATION_SHIFT;
const GENERATION_SHIFT: u32 = 10;
const GENERATION_MASK: u32 = (1 << KIND_SHIFT) - DIRECT as u32;
/// Slots in chunks.
const INDICES: usize = 1 << KIND_SHIFT;
const CHUNK: usize = 1 << 12;
/// All that an object's kind has handles for at a time.
const HANDLES: usize = DIRECT + INDICES;
/// So many direct slots rest before one is used again, and so many indirect ones, which have no generations.
const REST: [usize; 2] = [1 << 6, 1 << 13];

/// The first handle of the slot that is the `n`th to be used.
fn first_handle(kind: Kind, n: usize) -> i32 {
    let place = match n.checked_sub(DIRECT) {
        None => n as u32,
        Some(index) => INDIRECT | index as u32,
    };
    (1 << 31 | (kind as u32) << KIND_SHIFT | place) as i32
}

/// The handle that the slot of `handle` has next.
fn next_handle(kind: Kind, handle: i32) -> i32 {
    let bits = handle as u32;
    if !kind.rests() || bits & INDIRECT != 0 {
        return handle;
    }
    let next = bits.wrapping_add(1 << GENERATION_SHIFT);
    (bits & !GENERATION_MASK | next & GENERATION_MASK) as i32
}

struct Slot<T> {
    /// The live handle, or 0.
    handle: AtomicI32,
    /// What an [`Owner`] of it turned into, or null: set before `handle` is, and taken before it is 0 again.
    object: AtomicPtr<T>,
}

impl<T> Slot<T> {
    const fn empty() -> Slot<T> {
        Slot {
            handle: AtomicI32::new(0),
            object: AtomicPtr::new(null_mut()),
        }
    }
}

struct Free {
    /// The next handles of slots that were used, oldest first: direct ones, indirect ones. Kinds that do not rest have all in
    /// the first.
    waiting: [VecDeque<i32>; 2],
    /// Slots that were ever used.
    used: usize,
}

impl Free {
    fn push(&mut self, kind: Kind, handle: i32) {
        // It has room there since it was first taken.
        self.waiting(kind, handle).push_back(handle);
    }

    fn waiting(&mut self, kind: Kind, handle: i32) -> &mut VecDeque<i32> {
        let apart = kind.rests() && handle as u32 & INDIRECT != 0;
        &mut self.waiting[usize::from(apart)]
    }

    fn take(&mut self, kind: Kind) -> Option<i32> {
        if !kind.rests() {
            return self.waiting[0]
                .pop_back()
                .or_else(|| self.fresh(kind, HANDLES));
        }
        for (of, end) in [DIRECT, HANDLES].into_iter().enumerate() {
            if self.waiting[of].len() > REST[of] {
                return self.waiting[of].pop_front();
            }
            if let Some(handle) = self.fresh(kind, end) {
                return Some(handle);
            }
        }
        // There is no time for rest.
        self.waiting.iter_mut().find_map(VecDeque::pop_front)
    }

    /// The handle of a slot that was never used, if there is one among the first `end`, and memory for its way back.
    fn fresh(&mut self, kind: Kind, end: usize) -> Option<i32> {
        if self.used >= end {
            return None;
        }
        let handle = first_handle(kind, self.used);
        let all = self.used + 1;
        let waiting = self.waiting(kind, handle);
        waiting.try_reserve(all - waiting.len()).ok()?;
        self.used = all;
        Some(handle)
    }
}

/// A pointer that has an object with others, each of which has a count of it.
///
/// # Safety
/// What `into_raw` gives is where the object is until `from_raw` has taken it, and the last clone has been dropped.
pub unsafe trait Owner<T>: Clone {
    fn into_raw(self) -> *const T;

    /// # Safety
    /// It came from `into_raw`, and is taken once.
    unsafe fn from_raw(object: *const T) -> Self;
}

// SAFETY: both are `Arc`'s.
unsafe impl<T> Owner<T> for Arc<T> {
    fn into_raw(self) -> *const T {
        Arc::into_raw(self)
    }

    unsafe fn from_raw(object: *const T) -> Arc<T> {
        // SAFETY: the caller's promise.
        unsafe { Arc::from_raw(object) }
    }
}

/// A handle that no object has yet. It goes back to the table if it is not filled.
pub struct Reserved<'a, T, P: Owner<T> = Arc<T>, L: RawMutex = parking_lot::RawMutex> {
    table: &'a Table<T, P, L>,
    handle: i32,
}

impl<T, P: Owner<T>, L: RawMutex> Reserved<'_, T, P, L> {
    /// The handle that the object will have.
    pub fn handle(&self) -> i32 {
        self.handle
    }

    /// Gives `object` the handle.
    pub fn fill(self, object: P) -> i32 {
        let slot = self
            .table
            .slot(self.handle)
            .expect("the slot was made when it was reserved");
        slot.object
            .store(object.into_raw().cast_mut(), Ordering::Relaxed);
        slot.handle.store(self.handle, Ordering::Release);
        // The call that makes the first session begins the job that is checked.
        if check::is_on() {
            objects::made(self.table.kind as u32, self.handle as usize);
        }
        ManuallyDrop::new(self).handle
    }

    /// The same, out of sight of [`Table::get`].
    pub fn fill_hidden(self, object: P) -> i32 {
        let table = self.table;
        let handle = self.fill(object);
        let slot = table.slot(handle).expect("it was filled");
        slot.handle.store(!handle, Ordering::Release);
        handle
    }
}

impl<T, P: Owner<T>, L: RawMutex> Drop for Reserved<'_, T, P, L> {
    fn drop(&mut self) {
        self.table.free.lock().push(self.table.kind, self.handle);
    }
}

type Chunk<T> = [Slot<T>; CHUNK];

/// The objects of one kind.
///
/// What is made anew for each message is in one whose lock, and whose counts, take no locked instruction where one thread is in MPI.
pub struct Table<T, P: Owner<T> = Arc<T>, L: RawMutex = parking_lot::RawMutex> {
    kind: Kind,
    direct: [Slot<T>; DIRECT],
    chunks: [AtomicPtr<Chunk<T>>; INDICES / CHUNK],
    free: lock_api::Mutex<L, Free>,
    owns: PhantomData<fn() -> P>,
}

impl<T, P: Owner<T>, L: RawMutex> Table<T, P, L> {
    pub const fn new(kind: Kind) -> Table<T, P, L> {
        Table {
            kind,
            direct: [const { Slot::empty() }; DIRECT],
            chunks: [const { AtomicPtr::new(null_mut()) }; INDICES / CHUNK],
            free: lock_api::Mutex::from_raw(
                L::INIT,
                Free {
                    waiting: [const { VecDeque::new() }; 2],
                    used: 0,
                },
            ),
            owns: PhantomData,
        }
    }

    #[inline(always)]
    fn slot(&self, handle: i32) -> Option<&Slot<T>> {
        let bits = handle as u32;
        if bits & INDIRECT == 0 {
            return Some(&self.direct[bits as usize % DIRECT]);
        }
        let index = bits as usize % INDICES;
        let chunk = self.chunks[index / CHUNK].load(Ordering::Acquire);
        // SAFETY: a chunk pointer is null or what `add_slot` leaked: it stays valid for ever.
        unsafe { chunk.as_ref() }.map(|c| &c[index % CHUNK])
    }

    /// Sees to it that there is a slot for `handle`; false if there is no memory. The caller holds the lock of `free`: nobody
    /// else makes chunks.
    fn add_slot(&self, handle: i32) -> bool {
        if self.slot(handle).is_some() {
            return true;
        }
        // SAFETY: a chunk has a size.
        let chunk = unsafe { alloc_zeroed(Layout::new::<Chunk<T>>()) }.cast::<Chunk<T>>();
        // Zeroed slots are empty.
        self.chunks[handle as u32 as usize % INDICES / CHUNK].store(chunk, Ordering::Release);
        !chunk.is_null()
    }

    /// Gives `object` a handle. Error: `MPI_ERR_NO_MEM` when handles are exhausted.
    pub fn insert(&self, object: P) -> Result<i32> {
        Ok(self.reserve()?.fill(object))
    }

    /// Sets a handle apart, so that making an object cannot fail at its end. Error as [`Table::insert`].
    pub fn reserve(&self) -> Result<Reserved<'_, T, P, L>> {
        let mut free = self.free.lock();
        let Some(handle) = free.take(self.kind) else {
            bail!(
                NoMem,
                "{:?} handles are exhausted: {HANDLES} are in use, or there is no memory for one more",
                self.kind
            );
        };
        if !self.add_slot(handle) {
            free.push(self.kind, handle);
            bail!(
                NoMem,
                "there is no memory for more {:?} handles than {}",
                self.kind,
                free.used - 1
            );
        }
        Ok(Reserved {
            table: self,
            handle,
        })
    }

    /// The object of `handle`. The reference is good until the handle is removed, which a correct program does not do
    /// while it uses the object in another call.
    #[inline(always)]
    pub fn get(&self, handle: i32) -> Option<&T> {
        let slot = self.slot(handle)?;
        if slot.handle.load(Ordering::Acquire) != handle {
            return None;
        }
        // SAFETY: `object` is null (for the handle 0, among others) or came from `Owner::into_raw`, and the table owns it.
        unsafe { slot.object.load(Ordering::Relaxed).as_ref() }
    }

    /// The same of an object that may be hidden.
    #[inline]
    pub fn find(&self, handle: i32) -> Option<&T> {
        self.get(handle).or_else(|| self.find_hidden(handle))
    }

    /// The same of one that is hidden.
    #[inline(always)]
    pub fn find_hidden(&self, handle: i32) -> Option<&T> {
        let slot = self.slot(handle)?;
        if slot.handle.load(Ordering::Acquire) != !handle {
            return None;
        }
        // SAFETY: as in `get`.
        unsafe { slot.object.load(Ordering::Relaxed).as_ref() }
    }

    /// The object of `handle`, counted: for keeping it beyond the call.
    pub fn get_arc(&self, handle: i32) -> Option<P> {
        let _free = self.free.lock();
        let object: *const T = self.find(handle)?;
        // SAFETY: `object` came from `Owner::into_raw`, and the lock keeps `remove` from dropping the table's count, which stays its own.
        let of_table = ManuallyDrop::new(unsafe { P::from_raw(object) });
        Some(P::clone(&of_table))
    }

    /// Gives the handle another object, and the one that it had back.
    pub fn replace(&self, handle: i32, object: P) -> Option<P> {
        let _free = self.free.lock();
        self.find(handle)?;
        let new = object.into_raw().cast_mut();
        let old = self.slot(handle)?.object.swap(new, Ordering::AcqRel);
        // SAFETY: `old` came from `Owner::into_raw`, and this takes the table's only count of it.
        Some(unsafe { P::from_raw(old) })
    }

    /// Ends the handle's life and gives its object back.
    pub fn remove(&self, handle: i32) -> Option<P> {
        self.removing().remove(handle)
    }

    /// Begins to end the lives of several handles.
    pub fn removing(&self) -> Removing<'_, T, P, L> {
        Removing {
            table: self,
            free: None,
        }
    }

    fn remove_with(&self, free: &mut Free, handle: i32) -> Option<P> {
        self.find(handle)?;
        let slot = self.slot(handle)?;
        // Not a swap: whoever changes it has the lock.
        let object = slot.object.load(Ordering::Relaxed);
        slot.object.store(null_mut(), Ordering::Relaxed);
        slot.handle.store(0, Ordering::Release);
        free.push(self.kind, next_handle(self.kind, handle));
        if check::is_on() {
            objects::gone(self.kind as u32, handle as usize);
        }
        // SAFETY: `object` came from `Owner::into_raw` in `fill`, and this takes the table's only count of it.
        Some(unsafe { P::from_raw(object) })
    }
}

/// Ending the lives of several handles, which takes the table's lock once.
pub struct Removing<'a, T, P: Owner<T> = Arc<T>, L: RawMutex = parking_lot::RawMutex> {
    table: &'a Table<T, P, L>,
    free: Option<lock_api::MutexGuard<'a, L, Free>>,
}

impl<T, P: Owner<T>, L: RawMutex> Removing<'_, T, P, L> {
    /// Ends one and gives its object back.
    #[inline]
    pub fn remove(&mut self, handle: i32) -> Option<P> {
        let free = self.free.get_or_insert_with(|| self.table.free.lock());
        self.table.remove_with(free, handle)
    }

    /// Gives the lock back until the next one.
    pub fn pause(&mut self) {
        self.free = None;
    }
}

/// What an object knows of the handle that the user has of it, if the user can ask for one again and again: it is the same
/// each time, and ends when it was freed as often as it was given. Programs ask in inner loops and free nothing.
#[derive(Debug, Default)]
pub struct Given(Mutex<(i32, u64)>);

impl Given {
    /// How often the handle was given and not freed.
    pub fn times(&self) -> u64 {
        self.0.lock().1
    }
}

/// An object that has one handle however often it is asked for.
pub trait Share {
    fn given(&self) -> &Given;
}

impl<T: Share> Table<T> {
    /// Gives the user the handle of `object`, once more. Error as [`Table::insert`].
    pub fn share(&self, object: &Arc<T>) -> Result<i32> {
        let (handle, times) = &mut *object.given().0.lock();
        if *times == 0 {
            *handle = self.insert(object.clone())?;
        }
        *times += 1;
        Ok(*handle)
    }

    /// Takes a handle back that [`Table::share`] gave; the last time, its life ends. `None` if it has none.
    pub fn unshare(&self, handle: i32) -> Option<()> {
        let object = self.get_arc(handle)?;
        let (_, times) = &mut *object.given().0.lock();
        *times = times.checked_sub(1)?;
        if *times == 0 {
            self.remove(handle);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `handle` has the bits of a user object of `kind`.
    fn is_user(handle: i32, kind: Kind) -> bool {
        let h = handle as u32;
        h >> 31 == 1 && (h >> KIND_SHIFT) & 0xf == kind as u32
    }

    #[test]
    fn handles_have_mpich_bits() {
        let table = Table::<u32>::new(Kind::Win);
        let h = table.insert(Arc::new(7)).unwrap();
        assert_eq!(h as u32 >> 26, 0b10_1000);
        assert!(is_user(h, Kind::Win) && !is_user(h, Kind::Comm));
        assert_eq!(table.get(h), Some(&7));
    }

    #[test]
    fn a_freed_handle_is_found_out_until_its_generation_comes_again() {
        let table = Table::<u32>::new(Kind::Info);
        let first = table.insert(Arc::new(0)).unwrap();
        table.remove(first).unwrap();
        for i in 1..((REST[0] + 1) << 16) {
            let h = table.insert(Arc::new(i as u32)).unwrap();
            assert!(h != first && is_user(h, Kind::Info));
            assert!(table.get(first).is_none());
            assert_eq!(*table.remove(h).unwrap(), i as u32);
        }
        assert_eq!(table.insert(Arc::new(1)).unwrap(), first);
    }

    #[test]
    fn a_freed_handle_of_a_chunk_is_found_out_while_its_slot_rests() {
        let table = Table::<u32>::new(Kind::Info);
        let add = || table.insert(Arc::new(0)).unwrap();
        let mut direct: Vec<i32> = (0..DIRECT).map(|_| add()).collect();
        let first = add();
        table.remove(first).unwrap();
        for _ in 0..REST[1] {
            let h = add();
            assert!(h != first && table.get(first).is_none());
            assert!(table.remove(first).is_none());
            table.remove(h).unwrap();
        }
        assert_eq!(add(), first);
        // Direct slots come first as soon as enough of them rest.
        for h in direct.drain(..=REST[0]) {
            table.remove(h).unwrap();
        }
        assert_eq!(add() as u32 & INDIRECT, 0);
        assert_ne!(add() as u32 & INDIRECT, 0);
    }

    impl Share for Given {
        fn given(&self) -> &Given {
            self
        }
    }

    #[test]
    fn a_handle_that_is_given_again_lives_until_it_was_freed_as_often() {
        let table = Table::<Given>::new(Kind::Group);
        let object = Arc::new(Given::default());
        let handle = table.share(&object).unwrap();
        for _ in 0..3 {
            assert_eq!(table.share(&object).unwrap(), handle);
        }
        assert_eq!((object.times(), Arc::strong_count(&object)), (4, 2));
        for left in (0..4).rev() {
            assert!(table.get(handle).is_some());
            table.unshare(handle).unwrap();
            assert_eq!(object.times(), left);
        }
        assert!(table.get(handle).is_none() && table.unshare(handle).is_none());
        assert_eq!(Arc::strong_count(&object), 1);
        assert_ne!(table.share(&object).unwrap(), handle);
    }

    #[test]
    fn the_datatype_freed_last_gives_its_handle_to_the_next() {
        let table = Table::<u32>::new(Kind::Datatype);
        let handles = [0, 1, 2].map(|i| table.insert(Arc::new(i)).unwrap());
        for freed in [0, 2] {
            table.remove(handles[freed]).unwrap();
            assert!(table.get(handles[freed]).is_none());
            assert!(table.remove(handles[freed]).is_none());
        }
        for again in [2, 0] {
            assert_eq!(table.insert(Arc::new(7)).unwrap(), handles[again]);
            assert_eq!(table.get(handles[again]), Some(&7));
        }
        assert!(!handles.contains(&table.insert(Arc::new(3)).unwrap()));
        assert_eq!(table.get(handles[1]), Some(&1));
    }

    #[test]
    fn a_reserved_handle_is_nobodys_until_it_is_filled() {
        let table = Table::<u32>::new(Kind::Comm);
        let reserved = table.reserve().unwrap();
        let handle = reserved.handle();
        assert!(table.get(handle).is_none());
        assert_ne!(table.insert(Arc::new(1)).unwrap(), handle);
        assert_eq!(reserved.fill(Arc::new(2)), handle);
        assert_eq!(table.get(handle), Some(&2));
        let dropped = table.reserve().unwrap().handle();
        assert!(table.get(dropped).is_none());
        assert_eq!(table.free.lock().waiting[0], [dropped]);
    }

    #[test]
    fn garbage_is_no_handle() {
        let table = Table::<u32>::new(Kind::Comm);
        let live = table.insert(Arc::new(1)).unwrap();
        for garbage in [
            0,
            -1,
            1,
            i32::MIN,
            i32::MAX,
            live ^ 1,
            live ^ (1 << 27),
            0x4400_0000,
        ] {
            assert!(table.get(garbage).is_none(), "{garbage:#x}");
        }
    }

    #[test]
    fn twenty_thousand_live_objects() {
        let table = Table::<usize>::new(Kind::Win);
        let add = |i| table.insert(Arc::new(i)).unwrap();
        let handles: Vec<i32> = (0..20_000).map(add).collect();
        for (i, &h) in handles.iter().enumerate() {
            assert!(is_user(h, Kind::Win) && table.get(h) == Some(&i));
        }
    }

    #[test]
    fn when_no_slot_is_left_none_rests() {
        let mut free = Free {
            waiting: Default::default(),
            used: HANDLES - 1,
        };
        let last = free.take(Kind::Win).unwrap();
        assert_eq!(last as u32, 0b11_1000 << KIND_SHIFT | (INDICES as u32 - 1));
        assert!(free.take(Kind::Win).is_none());
        for handle in [last, first_handle(Kind::Win, 7)] {
            free.push(Kind::Win, next_handle(Kind::Win, handle));
            assert!(free.take(Kind::Win).is_some());
            assert!(free.take(Kind::Win).is_none());
        }
    }
}
