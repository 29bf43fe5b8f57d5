//! The word by which one process writes into memory that is another one's, and that one takes it back.
//!
//! | word      | meaning                                             |
//! |-----------|-----------------------------------------------------|
//! | `OPEN`    | the writer may begin                                |
//! | `WRITES`  | it writes, now                                      |
//! | `WRITTEN` | it has written                                      |
//! | `CLOSED`  | the owner has taken the memory back: nobody writes  |
//!
//! The owner opens it before the writer learns of it, and closes it where it cannot wait for what the writer says when it is done. If it writes by then
//! it waits for that, which is as long as a copy takes, or until the writer is dead.
//!
//! **Orderings.** `WRITTEN` is a release, and the owner that finds it acquires: what was written is there, and the memory its own. Who begins and who
//! closes is told by a compare-and-swap.

use super::atomic::{AtomicU32, Ordering};

const OPEN: u32 = 0;
const WRITES: u32 = 1;
const WRITTEN: u32 = 2;
const CLOSED: u32 = 3;

#[derive(Default)]
#[repr(transparent)]
pub struct Claim(AtomicU32);

impl Claim {
    fn change(&self, from: u32, to: u32) -> Result<u32, u32> {
        self.0
            .compare_exchange(from, to, Ordering::Acquire, Ordering::Acquire)
    }

    /// The writer begins; false if the owner has taken the memory back.
    pub fn begin(&self) -> bool {
        self.change(OPEN, WRITES).is_ok()
    }

    /// It has written.
    pub fn end(&self) {
        self.0.store(WRITTEN, Ordering::Release);
    }

    /// The owner takes the memory back, if nobody writes there: false as long as somebody does.
    pub fn close(&self) -> bool {
        self.change(OPEN, CLOSED) != Err(WRITES)
    }
}
