//! `int` handles and the objects behind them.
//!
//! A handle has MPICH's shape: two bits that say "made by the user" (`10` or `11`; predefined objects have `01`), four
//! bits of kind (communicator, window, …), and 26 bits of which 20 are the index in the kind's [`Table`] and 6 are a
//! generation; the lower bit of the "made by the user" pair is the generation's seventh bit. A slot that is used again
//! gets the next generation, so a handle of a freed object is found out. Datatypes are different: see [`Kind::rests`].
//!
//! A table is an append-only array of chunks, the first of them in place: looking a handle up is a load and a compare (for
//! the thousands after the first, one load more), without lock and without reference count. Inserting and removing take a
//! lock.

use crate::bail;
use crate::error::Result;
use parking_lot::Mutex;
use std::collections::VecDeque;
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
const INDEX_BITS: u32 = 20;
const GENERATIONS: u32 = 1 << 7;
const CHUNK: usize = 1024;
const CHUNKS: usize = (1 << INDEX_BITS) / CHUNK;
/// Slots that rest are reused only when this many are free, so that a stale handle stays recognisable for long.
const REST: usize = 64;

/// Whether `handle` has the bits of a user object of `kind`.
pub fn is_user(handle: i32, kind: Kind) -> bool {
    let h = handle as u32;
    h >> 31 == 1 && (h >> KIND_SHIFT) & 0xf == kind as u32
}

fn index_of(handle: i32) -> usize {
    (handle as u32 & ((1 << INDEX_BITS) - 1)) as usize
}

fn make(kind: Kind, index: usize, generation: u32) -> i32 {
    let direct_bit = generation >> 6 & 1;
    (1 << 31
        | direct_bit << 30
        | (kind as u32) << KIND_SHIFT
        | (generation & 0x3f) << INDEX_BITS
        | index as u32) as i32
}

struct Slot<T> {
    /// The live handle, or 0.
    handle: AtomicI32,
    /// What an `Arc<T>` turned into, or null: set before `handle` is, and taken before it is 0 again.
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
    /// (index, next generation), oldest first.
    slots: VecDeque<(usize, u32)>,
    used: usize,
}

impl Free {
    /// A slot that was used before, if one is to be used again.
    fn take(&mut self, kind: Kind) -> Option<(usize, u32)> {
        if !kind.rests() {
            return self.slots.pop_back();
        }
        let exhausted = self.used == 1 << INDEX_BITS;
        if self.slots.len() > REST || exhausted {
            return self.slots.pop_front();
        }
        None
    }

    /// A slot that was never used, if there is one.
    fn fresh(&mut self) -> Option<(usize, u32)> {
        let index = self.used;
        (index < 1 << INDEX_BITS).then(|| {
            self.used += 1;
            (index, 0)
        })
    }
}

/// A handle that no object has yet. It goes back to the table if it is not filled.
pub struct Reserved<'a, T> {
    table: &'a Table<T>,
    index: usize,
    generation: u32,
}

impl<T> Reserved<'_, T> {
    /// The handle that the object will have.
    pub fn handle(&self) -> i32 {
        make(self.table.kind, self.index, self.generation)
    }

    /// Gives `object` the handle.
    pub fn fill(self, object: Arc<T>) -> i32 {
        let handle = self.handle();
        let slot = self
            .table
            .slot(self.index)
            .expect("the slot was made when it was reserved");
        slot.object
            .store(Arc::into_raw(object).cast_mut(), Ordering::Relaxed);
        slot.handle.store(handle, Ordering::Release);
        std::mem::forget(self);
        handle
    }
}

impl<T> Drop for Reserved<'_, T> {
    fn drop(&mut self) {
        let mut free = self.table.free.lock();
        free.slots.push_back((self.index, self.generation));
    }
}

/// The objects of one kind.
pub struct Table<T> {
    kind: Kind,
    first: [Slot<T>; CHUNK],
    /// All but the first, which is null.
    chunks: [AtomicPtr<[Slot<T>; CHUNK]>; CHUNKS],
    free: Mutex<Free>,
}

impl<T> Table<T> {
    pub const fn new(kind: Kind) -> Table<T> {
        Table {
            kind,
            first: [const { Slot::empty() }; CHUNK],
            chunks: [const { AtomicPtr::new(null_mut()) }; CHUNKS],
            free: Mutex::new(Free {
                slots: VecDeque::new(),
                used: 0,
            }),
        }
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> Option<&Slot<T>> {
        if index < CHUNK {
            return Some(&self.first[index]);
        }
        let chunk = self.chunks[index / CHUNK].load(Ordering::Acquire);
        // SAFETY: a chunk pointer is null or what `slot_or_new` leaked: it stays valid for ever.
        unsafe { chunk.as_ref() }.map(|c| &c[index % CHUNK])
    }

    fn slot_or_new(&self, index: usize) -> &Slot<T> {
        if self.slot(index).is_none() {
            let fresh = Box::new([const { Slot::empty() }; CHUNK]);
            // The caller holds the lock of `free`: nobody else makes chunks.
            self.chunks[index / CHUNK].store(Box::into_raw(fresh), Ordering::Release);
        }
        self.slot(index).expect("the chunk was just made")
    }

    /// Gives `object` a handle. Error: `MPI_ERR_NO_MEM` when handles are exhausted.
    pub fn insert(&self, object: Arc<T>) -> Result<i32> {
        Ok(self.reserve()?.fill(object))
    }

    /// Sets a handle apart, so that making an object cannot fail at its end. Error as [`Table::insert`].
    pub fn reserve(&self) -> Result<Reserved<'_, T>> {
        let mut free = self.free.lock();
        let Some((index, generation)) = free.take(self.kind).or_else(|| free.fresh()) else {
            bail!(
                NoMem,
                "{:?} handles are exhausted: {} are in use",
                self.kind,
                1 << INDEX_BITS
            );
        };
        self.slot_or_new(index);
        Ok(Reserved {
            table: self,
            index,
            generation,
        })
    }

    /// The object of `handle`. The reference is good until the handle is removed, which a correct program does not do
    /// while it uses the object in another call.
    #[inline(always)]
    pub fn get(&self, handle: i32) -> Option<&T> {
        let slot = self.slot(index_of(handle))?;
        if slot.handle.load(Ordering::Acquire) != handle {
            return None;
        }
        // SAFETY: `object` is null (for the handle 0, among others) or came from `Arc::into_raw`, and the table owns it.
        unsafe { slot.object.load(Ordering::Relaxed).as_ref() }
    }

    /// The object of `handle`, counted: for keeping it beyond the call.
    pub fn get_arc(&self, handle: i32) -> Option<Arc<T>> {
        let _free = self.free.lock();
        let object: *const T = self.get(handle)?;
        // SAFETY: `object` came from `Arc::into_raw`, and the lock keeps `remove` from dropping the table's count.
        unsafe {
            Arc::increment_strong_count(object);
            Some(Arc::from_raw(object))
        }
    }

    /// Ends the handle's life and gives its object back.
    pub fn remove(&self, handle: i32) -> Option<Arc<T>> {
        let mut free = self.free.lock();
        self.get(handle)?;
        let index = index_of(handle);
        let slot = self.slot(index)?;
        let object = slot.object.swap(null_mut(), Ordering::Relaxed);
        slot.handle.store(0, Ordering::Release);
        let generation = (handle as u32 >> INDEX_BITS & 0x3f) | (handle as u32 >> 30 & 1) << 6;
        let next = generation + u32::from(self.kind.rests());
        free.slots.push_back((index, next % GENERATIONS));
        // SAFETY: `object` came from `Arc::into_raw` in `insert`, and this takes the table's only count of it.
        Some(unsafe { Arc::from_raw(object) })
    }

    /// The handles that are alive, for end-of-life work and diagnosis.
    pub fn live(&self) -> Vec<i32> {
        let free = self.free.lock();
        (0..free.used)
            .filter_map(|i| Some(self.slot(i)?.handle.load(Ordering::Relaxed)))
            .filter(|&h| h != 0)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_have_mpich_bits() {
        let table = Table::<u32>::new(Kind::Win);
        let h = table.insert(Arc::new(7)).unwrap();
        assert_eq!(h as u32 >> 26, 0b10_1000);
        assert!(is_user(h, Kind::Win) && !is_user(h, Kind::Comm));
        assert_eq!(table.get(h), Some(&7));
    }

    #[test]
    fn a_freed_handle_is_found_out_for_127_reuses() {
        let table = Table::<u32>::new(Kind::Info);
        let first = table.insert(Arc::new(0)).unwrap();
        table.remove(first).unwrap();
        for i in 1..(GENERATIONS as usize * (REST + 1)) {
            let h = table.insert(Arc::new(i as u32)).unwrap();
            assert_ne!(h, first);
            assert!(table.get(first).is_none());
            assert!(table.remove(first).is_none());
            assert_eq!(*table.remove(h).unwrap(), i as u32);
        }
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
        drop(table.reserve().unwrap());
        assert_eq!(table.live().len(), 2);
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
        let handles: Vec<i32> = (0..20_000)
            .map(|i| table.insert(Arc::new(i)).unwrap())
            .collect();
        assert!(
            handles
                .iter()
                .enumerate()
                .all(|(i, &h)| table.get(h) == Some(&i))
        );
        assert_eq!(table.live().len(), 20_000);
    }
}
