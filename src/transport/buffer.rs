//! The memory of a message in this process: one run of bytes, or elements of a datatype with gaps.

use crate::check::buffers::{self, Access};
use crate::check::{self, room::Room};
use crate::datatype::{self, Datatype, Visit, can_be_memory};
use crate::err;
use crate::error::{Error, Result};
use crate::mpi::constants::MPI_DATATYPE_NULL;
use crate::runtime;
use crate::shm::copy::{Way, copy, copy_by};
use smallvec::SmallVec;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;

/// Memory of the user's, or of a schedule's, that a message is read from or written to.
///
/// It is a number and not a reference: MPI lets a program hand the memory over with one call and take it back with
/// another. Its maker vouches for the memory until the operation it is made for is complete, so to make one is unsafe, and
/// to use one is not.
#[derive(Clone)]
pub struct Buffer {
    /// Where the data begins if it is one run, else the address that the datatype's displacements are relative to.
    address: usize,
    /// Bytes of data.
    len: usize,
    /// What the elements are: of data with gaps, and in a job that is [checked](crate::check) of any.
    elements: Option<Elements>,
}

/// So many elements of a datatype.
#[derive(Clone)]
struct Elements {
    datatype: Kept,
    /// How many; beside [`RUN`] where the data is one run all the same. (Counts of the program's have no such bit.)
    count: usize,
}

/// A datatype that is counted. To let it go takes the count itself, not where that is kept: so a buffer may be in registers.
#[derive(Clone)]
struct Kept(ManuallyDrop<Arc<Datatype>>);

impl Kept {
    fn new(datatype: Arc<Datatype>) -> Kept {
        Kept(ManuallyDrop::new(datatype))
    }
}

impl Drop for Kept {
    #[inline(always)]
    fn drop(&mut self) {
        #[inline(never)]
        fn let_go(datatype: Arc<Datatype>) {
            drop(datatype);
        }
        // SAFETY: it is taken here alone, when nothing else is done with it any more.
        let_go(unsafe { ManuallyDrop::take(&mut self.0) });
    }
}

const RUN: usize = 1 << 63;

impl Elements {
    /// Of what is one run of bytes, for checks.
    #[cold]
    fn of_run(datatype: Arc<Datatype>, count: usize) -> Elements {
        Elements {
            datatype: Kept::new(datatype),
            count: count | RUN,
        }
    }
}

fn can_be_elements(address: usize, datatype: &Datatype, count: usize) -> bool {
    datatype.span(count).is_some_and(|(low, high)| {
        can_be_memory(
            address.wrapping_add_signed(low),
            address.wrapping_add_signed(high),
        )
    })
}

#[cold]
fn no_memory(address: usize, len: usize, name: &str) -> Error {
    err!(
        Buffer,
        "{name} is {address:#x}, which cannot be the address of {len} bytes of data"
    )
}

/// Runs of bytes; of too many one more than that.
struct Runs {
    most: usize,
    found: SmallVec<[(usize, usize); 1]>,
}

impl Visit for Runs {
    fn run(&mut self, address: usize, len: usize) {
        if self.found.len() > self.most {
            return;
        }
        if !self.found.has_room(1) {
            self.most = 0;
            return;
        }
        self.found.push((address, address + len));
    }

    fn strided(&mut self, address: usize, count: usize, stride: isize, block: usize) {
        for i in 0..count.min(self.most + 1) {
            self.run(address.wrapping_add_signed(i as isize * stride), block);
        }
    }
}

impl Buffer {
    /// `len` bytes at `address`.
    ///
    /// # Safety
    /// They are there, to be read by a send and written by a receive, until the operation is complete.
    #[inline]
    pub unsafe fn bytes(address: *const u8, len: usize) -> Buffer {
        Buffer::run_of(address, len)
    }

    #[inline]
    fn run_of(address: *const u8, len: usize) -> Buffer {
        Buffer {
            address: address.expose_provenance(),
            len,
            elements: None,
        }
    }

    pub fn empty() -> Buffer {
        Buffer::run_of(std::ptr::null(), 0)
    }

    /// `count` elements of the datatype `handle` at `address`; no elements may be of `MPI_DATATYPE_NULL`. Errors:
    /// `MPI_ERR_TYPE` if it is no datatype or not committed, `MPI_ERR_COUNT` if so many do not fit in memory.
    ///
    /// # Safety
    /// As [`Buffer::bytes`], where the datatype says.
    #[inline(always)]
    pub unsafe fn elements(
        address: *const u8,
        count: usize,
        handle: crate::mpi::types::MPI_Datatype,
    ) -> Result<Buffer> {
        let quick = match check::is_on() {
            false => datatype::predefined_size(handle),
            true => None,
        };
        let bytes = quick.and_then(|size| count.checked_mul(size));
        // The words of what either way gives, so that they stay in registers: what is stored in words, and moved on by wider ones, is waited
        // for.
        let (address, len, elements) = match bytes {
            Some(len) if isize::try_from(len).is_ok() => (address.expose_provenance(), len, None),
            _ => Buffer::of_derived(address, count, handle)?.into_words(),
        };
        Ok(Buffer {
            address,
            len,
            elements,
        })
    }

    /// The same, put together anew: what is moved to where a reference is taken, in ways that are seldom gone, is kept in memory in all.
    #[inline(always)]
    pub fn anew(self) -> Buffer {
        let (address, len, elements) = self.into_words();
        Buffer {
            address,
            len,
            elements,
        }
    }

    #[inline(always)]
    fn into_words(self) -> (usize, usize, Option<Elements>) {
        (self.address, self.len, self.elements)
    }

    #[inline(never)]
    fn of_derived(
        address: *const u8,
        count: usize,
        handle: crate::mpi::types::MPI_Datatype,
    ) -> Result<Buffer> {
        if count == 0 && handle == MPI_DATATYPE_NULL {
            return Ok(Buffer::empty());
        }
        let datatype = datatype::get_committed(handle)?;
        Buffer::of(address, count, datatype, || datatype::get_arc(handle))
    }

    /// `count` elements of `datatype` at `address`, which is kept as long as needed.
    ///
    /// # Safety
    /// As [`Buffer::elements`].
    pub unsafe fn typed(
        address: *const u8,
        count: usize,
        datatype: &Arc<Datatype>,
    ) -> Result<Buffer> {
        Buffer::of(address, count, datatype, || Ok(datatype.clone()))
    }

    fn of(
        address: *const u8,
        count: usize,
        datatype: &Datatype,
        keep: impl FnOnce() -> Result<Arc<Datatype>>,
    ) -> Result<Buffer> {
        let len = datatype.bytes(count)?;
        let run = datatype.message(address, count).as_run();
        Ok(match run {
            Some(address) => Buffer {
                address,
                len,
                elements: match check::is_on() {
                    true => Some(Elements::of_run(keep()?, count)),
                    false => None,
                },
            },
            None => Buffer {
                address: address.expose_provenance(),
                len,
                elements: Some(Elements {
                    datatype: Kept::new(keep()?),
                    count,
                }),
            },
        })
    }

    /// What the gaps are like, and how many elements there are.
    #[inline(always)]
    fn gaps(&self) -> Option<(&Arc<Datatype>, usize)> {
        match &self.elements {
            Some(Elements { datatype, count }) if count & RUN == 0 => Some((&datatype.0, *count)),
            _ => None,
        }
    }

    /// In a job that is checked: what its elements are, and how many, if it has some.
    pub fn elements_told(&self) -> Option<(&Arc<Datatype>, usize)> {
        let Elements { datatype, count } = self.elements.as_ref()?;
        Some((&datatype.0, count & !RUN))
    }

    /// In a job that is checked: the present call has the data as its argument `argument`.
    #[cold]
    pub fn tell_use(&self, access: Access, argument: &str) {
        let elements = self.elements_told();
        let is_one = elements.is_some_and(|(datatype, _)| datatype.is_of_one_array());
        let runs = self.runs(buffers::RUNS).map(IntoIterator::into_iter);
        buffers::uses(access, argument, runs, is_one);
    }

    /// A run of bytes that is a copy of `other`'s data, and so has its elements.
    pub fn standing_for(self, other: &Buffer) -> Buffer {
        match other.elements_told() {
            Some((datatype, count)) if check::is_on() => Buffer {
                elements: Some(Elements::of_run(datatype.clone(), count)),
                ..self
            },
            _ => self,
        }
    }

    /// The buffer, if it can be memory of a program. Error: `MPI_ERR_BUFFER` for data at the null pointer, or at a constant
    /// such as `MPI_IN_PLACE`.
    #[inline(always)]
    pub fn checked(self, name: &str) -> Result<Buffer> {
        let (address, len, elements) = self.into_words();
        let good = match &elements {
            _ if len == 0 => true,
            Some(Elements { datatype, count }) if count & RUN == 0 => {
                can_be_elements(address, &datatype.0, *count)
            }
            _ => can_be_memory(address, address.wrapping_add(len)),
        };
        if !good {
            return Err(no_memory(address, len, name));
        }
        Ok(Buffer {
            address,
            len,
            elements,
        })
    }

    /// Bytes of data.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes `range` of one run of bytes.
    pub fn part(&self, range: Range<usize>) -> Buffer {
        debug_assert!(self.gaps().is_none() && range.end <= self.len);
        Buffer {
            address: self.address + range.start,
            len: range.len(),
            elements: None,
        }
    }

    /// Where the data is, if it is one run of bytes.
    #[inline]
    pub fn run(&self) -> Option<usize> {
        self.gaps().is_none().then_some(self.address)
    }

    /// Where the runs of its bytes begin and end, in the order of the type map; `None` if there are more than `most`.
    #[cold]
    pub fn runs(&self, most: usize) -> Option<SmallVec<[(usize, usize); 1]>> {
        let mut runs = Runs {
            most,
            found: SmallVec::new(),
        };
        match self.gaps() {
            _ if self.len == 0 => {}
            None => runs.run(self.address, self.len),
            Some((datatype, count)) => datatype.message_at(self.address, count).walk(&mut runs),
        }
        (runs.found.len() <= runs.most).then_some(runs.found)
    }

    /// Copies the bytes `range` of the data to `to`.
    ///
    /// # Safety
    /// `to` has room.
    #[inline]
    pub unsafe fn read(&self, range: Range<usize>, to: *mut u8) {
        debug_assert!(range.end <= self.len);
        match self.gaps() {
            None => {
                let from = with_exposed_provenance::<u8>(self.address + range.start);
                // SAFETY: the maker's promise, and the caller's. (`copy`: a program may send from memory it receives into, though it
                // ought not to.)
                unsafe { from.copy_to(to, range.len()) }
            }
            // SAFETY: the maker's promise, and the caller's.
            Some((datatype, count)) => unsafe {
                datatype.pack(with_exposed_provenance(self.address), count, range, to)
            },
        }
    }

    /// The same into shared memory of which the buffer is no part.
    ///
    /// # Safety
    /// As [`Buffer::read`].
    #[inline]
    pub unsafe fn hand_over(&self, range: Range<usize>, to: *mut u8, way: Way) {
        let Some(address) = self.run() else {
            // SAFETY: the maker's promise, and the caller's.
            return unsafe { self.read(range, to) };
        };
        let from = with_exposed_provenance(address + range.start);
        // SAFETY: the maker's promise, and the caller's.
        unsafe { copy_by(way, from, to, range.len()) }
    }

    /// As [`Buffer::write`], out of shared memory of which the buffer is no part.
    ///
    /// # Safety
    /// As [`Buffer::write`].
    #[inline]
    pub unsafe fn take_over(&self, range: Range<usize>, from: *const u8) {
        let Some(address) = self.run() else {
            // SAFETY: the maker's promise, and the caller's.
            return unsafe { self.write(range, from) };
        };
        let to = with_exposed_provenance_mut(address + range.start);
        // SAFETY: the maker's promise, and the caller's.
        unsafe { copy(from, to, range.len()) }
    }

    /// Copies bytes from `from` to the positions `range` of the data.
    ///
    /// # Safety
    /// `from` has the bytes.
    #[inline]
    pub unsafe fn write(&self, range: Range<usize>, from: *const u8) {
        debug_assert!(range.end <= self.len);
        match self.gaps() {
            None => {
                let to = with_exposed_provenance_mut::<u8>(self.address + range.start);
                // SAFETY: the maker's promise, and the caller's.
                unsafe { to.copy_from(from, range.len()) }
            }
            // SAFETY: the maker's promise, and the caller's.
            Some((datatype, count)) => unsafe {
                let to = with_exposed_provenance_mut(self.address);
                datatype.unpack(from, to, count, range)
            },
        }
    }

    /// The whole data, packed. Error: `MPI_ERR_NO_MEM`.
    pub fn packed(&self) -> Result<Box<[u8]>> {
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(self.len)
            .map_err(|_| err!(NoMem, "no memory for a copy of {} bytes", self.len))?;
        Ok(self.packed_into(bytes))
    }

    /// The same, where nobody takes the error: without memory the job ends.
    pub fn must_pack(&self) -> Box<[u8]> {
        self.packed_into(runtime::must_hold(self.len))
    }

    /// Memory that has the room, and nothing in it.
    fn packed_into(&self, mut bytes: Vec<u8>) -> Box<[u8]> {
        // SAFETY: there is room, and `read` writes all of it.
        unsafe {
            self.read(0..self.len, bytes.as_mut_ptr());
            bytes.set_len(self.len);
        }
        bytes.into_boxed_slice()
    }

    /// Copies the first `len` bytes of `from`, which do not overlap those, to the beginning of this one: in that way, if both are one run.
    pub fn copy_by(&self, way: Way, from: &Buffer, len: usize) {
        match self.run() {
            // SAFETY: both have so many bytes, by their makers' promise.
            Some(target) if way != Way::Ordinary => unsafe {
                from.hand_over(0..len, with_exposed_provenance_mut(target), way)
            },
            _ => self.copy(from, len),
        }
    }

    /// Copies the first `len` bytes of `from` to the beginning of this one.
    pub fn copy(&self, from: &Buffer, len: usize) {
        // SAFETY: both have so many bytes, by their makers' promise; what goes between two buffers with gaps goes through a box.
        unsafe {
            match (from.run(), self.run()) {
                (Some(source), _) => self.write(0..len, with_exposed_provenance(source)),
                (_, Some(target)) => from.read(0..len, with_exposed_provenance_mut(target)),
                _ => self.write(0..len, from.must_pack().as_ptr()),
            }
        }
    }
}
