//! The memory by way of which processes move data of a file together: two windows over the file, one of which is filled or emptied
//! by all processes, while the other one goes between memory and the file.

use crate::error::Result;
use crate::runtime::meeting::Meeting;
use crate::shm::atomic::AtomicU32;
use crate::shm::segment::segment;
use crate::shm::{Offset, PAGE, heap};

/// A process's view of it. It begins with a page that has the number of processes that have left for good.
pub struct Staging {
    offset: Offset,
    gone: &'static AtomicU32,
    members: u32,
    owner: bool,
    /// Bytes of a window.
    window: usize,
}

impl Staging {
    /// Makes it, with windows of so many bytes. Collective. `None` if there is no memory for it.
    pub fn make(
        meeting: &Meeting,
        window: usize,
        what: &dyn Fn() -> String,
    ) -> Result<Option<Staging>> {
        let made = meeting.common(PAGE + 2 * window, PAGE, (), what)?;
        Ok(made.map(|(offset, _)| Staging {
            offset,
            // SAFETY: the first page was zeroed before the others learned of it, and is freed when all have left.
            gone: unsafe { &*segment().at::<AtomicU32>(offset) },
            members: meeting.size() as u32,
            owner: meeting.rank == 0,
            window,
        }))
    }

    /// Bytes of a window.
    pub fn window(&self) -> usize {
        self.window
    }

    /// Where the memory of window number `window` of an access is. The next but one has the same.
    pub fn at(&self, window: u64) -> *mut u8 {
        let which = (window % 2) as usize;
        segment().at(self.offset + PAGE + which * self.window)
    }
}

impl Drop for Staging {
    /// The process leaves for good. The one whose heap the memory came from sees to its end.
    fn drop(&mut self) {
        heap::leave(self.offset, self.gone, self.members, self.owner);
    }
}
