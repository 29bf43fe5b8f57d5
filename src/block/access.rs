//! The access epoch of a window as a whole, in one word.
//!
//! | state       | opened by                    | operations     | ended by                  |
//! |-------------|------------------------------|----------------|---------------------------|
//! | `None`      |                              | no             |                           |
//! | `FenceIdle` | fence without NOSUCCEED      | yes → `Fence`  | fence; any other opening  |
//! | `Fence`     | the first operation          | yes            | fence                     |
//! | `LockAll`   | lock_all                     | yes            | unlock_all                |
//! | `Locks`     | the first lock               | locked targets | the last unlock           |
//! | `Start`     | start                        | its group      | complete                  |
//!
//! `Locks` is not stored: it is `None` while locks are held, so that threads that lock and unlock different targets at the
//! same time need not agree on which is first and last.
//!
//! A fence opens an epoch only if operations and another fence follow (MPI 4.1 §12.5.1), so after it any other kind of
//! epoch may be opened as long as no operation was made: an access epoch, or an exposure epoch by post. One thread may do
//! the one while another does the other, and both end what the fence began. So nothing here is a look and then a store.
//! Relaxed all the same: what depends on another thread's call the program orders.
//!
//! Each change is also shown to those that look at the job from outside ([`super::listed`]); no rank reads that.

use crate::shm::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Access {
    None = 0,
    FenceIdle = 1,
    Fence = 2,
    LockAll = 3,
    Locks = 4,
    Start = 5,
}

impl Access {
    pub fn from(n: u8) -> Access {
        match n {
            0 => Access::None,
            1 => Access::FenceIdle,
            2 => Access::Fence,
            3 => Access::LockAll,
            4 => Access::Locks,
            _ => Access::Start,
        }
    }
}

/// The word.
pub struct AccessWord {
    word: AtomicU8,
    shown: &'static AtomicU32,
}

impl AccessWord {
    pub fn new(shown: &'static AtomicU32) -> AccessWord {
        let word = AtomicU8::new(Access::None as u8);
        AccessWord { word, shown }
    }

    /// Of two threads that change the word at once the later one may be shown before the other.
    #[inline(always)]
    fn show(&self, state: u8) {
        self.shown.store(state.into(), Relaxed);
    }

    #[inline(always)]
    pub fn get(&self) -> Access {
        Access::from(self.word.load(Relaxed))
    }

    /// Whether the state is this one: for fast paths.
    #[inline(always)]
    pub fn is(&self, state: Access) -> bool {
        self.word.load(Relaxed) == state as u8
    }

    /// For calls beside which no other thread may open or close an epoch.
    #[inline(always)]
    pub fn set(&self, state: Access) {
        self.word.store(state as u8, Relaxed);
        self.show(state as u8);
    }

    /// Opens an epoch where none is, or a fence that no operation followed: whether it was so.
    pub fn open(&self, epoch: Access) -> bool {
        let open = |now: u8| {
            let fits = now == Access::None as u8 || now == Access::FenceIdle as u8;
            fits.then_some(epoch as u8)
        };
        let opened = self.word.fetch_update(Relaxed, Relaxed, open).is_ok();
        if opened {
            self.show(epoch as u8);
        }
        opened
    }

    /// Closes an epoch: whether it was open.
    pub fn close(&self, epoch: Access) -> bool {
        self.change(epoch, Access::None)
    }

    /// Ends a fence that no operation followed. What another thread has opened since stays.
    #[cold]
    pub fn end_idle_fence(&self) {
        self.change(Access::FenceIdle, Access::None);
    }

    /// Makes of a fence that an operation follows an epoch: whether there is one.
    pub fn use_fence(&self) -> bool {
        self.change(Access::FenceIdle, Access::Fence) || self.is(Access::Fence)
    }

    fn change(&self, from: Access, to: Access) -> bool {
        let (from, to) = (from as u8, to as u8);
        let changed = self.word.compare_exchange(from, to, Relaxed, Relaxed);
        if changed.is_ok() {
            self.show(to);
        }
        changed.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word() -> AccessWord {
        AccessWord::new(Box::leak(Box::default()))
    }

    fn is_shown(state: &AccessWord) -> bool {
        Access::from(state.shown.load(Relaxed) as u8) == state.get()
    }

    #[test]
    fn a_fence_is_an_epoch_once_an_operation_follows() {
        let state = word();
        assert!(!state.use_fence() && state.get() == Access::None);
        state.set(Access::FenceIdle);
        assert!(state.use_fence() && state.use_fence() && state.get() == Access::Fence);
        assert!(!state.open(Access::Start));
        state.end_idle_fence();
        assert!(state.is(Access::Fence) && !state.close(Access::Start));
        assert!(is_shown(&state));
    }

    #[test]
    fn after_an_idle_fence_another_epoch_is_opened_once() {
        for before in [Access::None, Access::FenceIdle] {
            let state = word();
            state.set(before);
            assert!(state.open(Access::Start) && !state.open(Access::Start));
            state.end_idle_fence();
            assert!(is_shown(&state));
            assert!(state.close(Access::Start) && !state.close(Access::Start));
            assert!(is_shown(&state));
        }
    }
}
