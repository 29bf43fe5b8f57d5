//! The partitions of partitioned operations: each is in use by itself, what is sent from MPI_Pready on, what is received until MPI_Parrived has
//! said that it is there. To [pending] each is an operation of its own, by a number below 0 that is no request's.

use super::pending;
use super::room::Room;
use crate::shm::atomic::{AtomicI32, AtomicUsize, Ordering};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// So many partitions of a request are looked at.
pub const MOST: usize = 256;

/// Of a request: partitions, and the numbers that they have.
type Partitions = FxHashMap<i32, Vec<(usize, i32)>>;

static ALL: Mutex<Option<Partitions>> = Mutex::new(None);
/// How many requests have some.
static COUNT: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicI32 = AtomicI32::new(0);

/// What the present call uses is in use as a partition of a request from now on.
#[cold]
pub fn began(request: i32, partition: usize) {
    // After 2^31 of them the first are long over.
    let number = LAST.fetch_sub(1, Ordering::Relaxed).wrapping_sub(1) | i32::MIN;
    if note(request, partition, number).is_some() {
        pending::began(number);
    } else {
        pending::miss();
    }
}

fn note(request: i32, partition: usize, number: i32) -> Option<()> {
    let mut all = ALL.lock();
    let all = all.get_or_insert_default();
    if !all.has_room(1) {
        return None;
    }
    let own = all.entry(request).or_default();
    if own.len() < MOST && own.has_room(1) {
        own.push((partition, number));
        COUNT.store(all.len(), Ordering::Release);
        return Some(());
    }
    None
}

/// A partition is complete, and the program knows.
#[cold]
pub fn ended(request: i32, partition: usize) {
    if let Some(number) = remove(request, partition) {
        pending::ended(number);
    }
}

/// A partition is not in use after all.
#[cold]
pub fn taken_back(request: i32, partition: usize) {
    if let Some(number) = remove(request, partition) {
        pending::let_go(number);
    }
}

fn remove(request: i32, partition: usize) -> Option<i32> {
    let mut all = ALL.lock();
    let own = all.as_mut()?.get_mut(&request)?;
    let at = own.iter().position(|&(part, _)| part == partition)?;
    Some(own.swap_remove(at).1)
}

/// The numbers of all partitions of a request, which it has no more.
pub(super) fn take(request: i32) -> Vec<(usize, i32)> {
    if COUNT.load(Ordering::Acquire) == 0 {
        return Vec::new();
    }
    let mut all = ALL.lock();
    let Some(all) = &mut *all else {
        return Vec::new();
    };
    let own = all.remove(&request).unwrap_or_default();
    COUNT.store(all.len(), Ordering::Release);
    own
}
