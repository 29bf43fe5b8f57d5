//! What collective operations work on: elements in memory.

use crate::datatype::{self, Kept};
use crate::error::Result;
use crate::mpi::types::MPI_Datatype;
use crate::runtime::wait::spin;
use crate::shm::Offset;
use crate::shm::atomic::full_fence;
use crate::shm::copy::Way;
use crate::shm::segment::segment;
use crate::transport::Buffer;
use crate::transport::distance::{Distance, TELLING};
use parking_lot::Mutex;
use std::ops::Range;
use std::ptr::{with_exposed_provenance, without_provenance};

/// So many bytes are copied past the caches, to cores that do not share them.
const MUCH: usize = 8 << 10;

/// What is known of the cores of those who read what this process gives.
static READERS: Mutex<Distance> = Mutex::new(Distance::new());

/// The datatype of elements that take part in a collective operation, kept until it is complete.
#[derive(Clone)]
pub struct Element {
    pub datatype: Kept,
    /// For users' reduction functions.
    pub handle: MPI_Datatype,
}

impl Element {
    /// Errors: `MPI_ERR_TYPE` (no datatype, not committed).
    // What is returned by way of memory is waited for where it is moved on by wider words.
    #[inline(always)]
    pub fn new(handle: MPI_Datatype) -> Result<Element> {
        let datatype = datatype::keep(handle)?;
        datatype.committed()?;
        Ok(Element { datatype, handle })
    }
}

/// `count` elements in memory that an operation reads or writes until it is complete.
#[derive(Clone)]
pub struct Vector {
    pub(super) address: usize,
    pub(super) count: usize,
    pub(super) element: Element,
}

impl Vector {
    /// # Safety
    /// At `address` there are `count` elements, which are the operation's until it is complete.
    pub unsafe fn new(address: usize, count: usize, element: Element) -> Vector {
        Vector {
            address,
            count,
            element,
        }
    }

    /// For messages.
    pub fn address(&self) -> usize {
        self.address
    }

    /// `count` of the elements from number `first` on.
    #[inline]
    pub fn part(&self, first: usize, count: usize) -> Vector {
        let skip = (first as isize).wrapping_mul(self.element.datatype.extent());
        Vector {
            address: self.address.wrapping_add_signed(skip),
            count,
            element: self.element.clone(),
        }
    }

    /// Whether the data of both begins at one place. (The addresses alone do not tell: with absolute displacements both are
    /// `MPI_BOTTOM`.)
    #[inline]
    pub fn is_at(&self, other: &Vector) -> bool {
        let begin = |v: &Vector| {
            let low = v
                .element
                .datatype
                .span(v.count.min(1))
                .map_or(0, |(low, _)| low);
            v.address.wrapping_add_signed(low)
        };
        begin(self) == begin(other)
    }

    /// Bytes of data.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.element.datatype.size().saturating_mul(self.count)
    }

    pub fn buffer(&self) -> Result<Buffer> {
        let address = with_exposed_provenance(self.address);
        // SAFETY: what `new` was promised.
        unsafe { Buffer::typed(address, self.count, &self.element.datatype) }
    }

    /// Where in the segment the data is, if it is one run of bytes there.
    pub(super) fn in_segment(&self) -> Result<Option<Offset>> {
        let buffer = self.buffer()?;
        let run = buffer.run().map(without_provenance);
        Ok(run.and_then(|address| segment().offset_of(address, buffer.len())))
    }

    /// Checks that it can be memory of a program. Errors: `MPI_ERR_BUFFER`, `MPI_ERR_COUNT`.
    #[inline]
    pub fn check(&self, name: &str) -> Result<()> {
        let datatype = &self.element.datatype;
        datatype.check_buffer(self.address, self.count, name)
    }

    /// Copies the bytes `range` of the data, as far as it has them, to where there is room for them and others read them.
    pub(super) fn give(&self, range: Range<usize>, to: *mut u8) -> Result<()> {
        let buffer = self.buffer()?;
        let end = buffer.len().min(range.end);
        let range = range.start.min(end)..end;
        let len = range.len();
        if len < TELLING || spin() == 0 {
            // SAFETY: the data is the operation's, and the room is large enough, and no part of it.
            unsafe { buffer.hand_over(range, to, Way::Ordinary) };
            return Ok(());
        }
        // As pieces of a message: the others fetch what lies in this core's caches line by line.
        let manner = READERS.lock().next(len, len >= MUCH);
        // SAFETY: the same.
        unsafe { buffer.hand_over(range, to, manner.way) };
        if manner.is_timed() {
            full_fence();
            READERS.lock().learn(manner, len);
        }
        Ok(())
    }

    /// Copies the bytes `range` of the data from `from`, which others wrote.
    ///
    /// # Safety
    /// They are there, and the data has such a range.
    pub(super) unsafe fn take(&self, range: Range<usize>, from: *const u8) -> Result<()> {
        // SAFETY: the data is the operation's; the rest is the caller's promise.
        unsafe { self.buffer()?.take_over(range, from) };
        Ok(())
    }
}
