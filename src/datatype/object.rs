//! The datatype object, and its description for `MPI_Type_get_envelope` and `MPI_Type_get_contents`.

use super::basic::Basic;
use super::layout::Layout;
use super::predefined;
use super::signature::Signature;
use super::walk::{Message, Visit};
use crate::attribute::Attributes;
use crate::check::signature::Signature as Number;
use crate::error::Result;
use crate::handle::{Given, Kind, Share};
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Datatype;
use crate::{bail, err};
use parking_lot::Mutex;
use std::ffi::c_int;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};

/// Whether memory of a program can lie between two addresses. The lowest page is never mapped, and what begins with a set bit
/// is the kernel's.
#[inline]
pub fn can_be_memory(begin: usize, end: usize) -> bool {
    const LOWEST: usize = 4096;
    LOWEST <= begin && begin <= end && end <= isize::MAX as usize
}

/// A datatype: which elements (signature), where in memory (layout and bounds), and how it was made (envelope).
pub struct Datatype {
    lb: isize,
    ub: isize,
    true_lb: isize,
    true_ub: isize,
    marked: (bool, bool),
    align: usize,
    layout: Layout,
    signature: Signature,
    /// As a number, once that was asked for.
    number: OnceLock<Number>,
    envelope: Envelope,
    committed: AtomicBool,
    /// The handle of a datatype that cannot be freed, else 0.
    permanent: AtomicI32,
    name: Mutex<Box<[u8]>>,
    /// What the user hung on it.
    pub attributes: Attributes,
    pub(super) given: Given,
}

impl Share for Datatype {
    fn given(&self) -> &Given {
        &self.given
    }
}

/// What a constructor knows of the datatype it makes. The bounds and the layout's displacements must fit in `isize`.
pub(super) struct Parts {
    pub lb: isize,
    pub ub: isize,
    /// Whether the lower and the upper bound were set by the user (resized, or `MPI_LB` and `MPI_UB`).
    pub marked: (bool, bool),
    pub align: usize,
    pub layout: Layout,
    pub signature: Signature,
    pub envelope: Envelope,
}

/// The arguments a datatype was made with, in the order of MPI 4.1 §5.1.13.
#[derive(Clone)]
pub struct Envelope {
    pub combiner: c_int,
    pub integers: Vec<c_int>,
    pub addresses: Vec<isize>,
    /// Counts and displacements, if it was made by the large count form of the constructor.
    pub counts: Vec<i64>,
    pub types: Vec<Arc<Datatype>>,
    large: bool,
}

impl Envelope {
    /// The description of a call of the constructor `combiner`; `large` for its `_c` form.
    pub(super) fn new(combiner: c_int, large: bool) -> Envelope {
        Envelope {
            combiner,
            integers: Vec::new(),
            addresses: Vec::new(),
            counts: Vec::new(),
            types: Vec::new(),
            large,
        }
    }

    pub(super) fn named() -> Envelope {
        Envelope::new(MPI_COMBINER_NAMED, false)
    }

    /// Arguments that are `int` in both forms.
    pub(super) fn integers(mut self, values: impl IntoIterator<Item = c_int>) -> Envelope {
        self.integers.extend(values);
        self
    }

    /// Arguments that are `int`, or `MPI_Count` in the large form.
    pub(super) fn counts(mut self, values: impl IntoIterator<Item = i64>) -> Envelope {
        if self.large {
            self.counts.extend(values);
        } else {
            self.integers.extend(values.into_iter().map(|v| v as c_int));
        }
        self
    }

    /// Arguments that are `MPI_Aint`, or `MPI_Count` in the large form.
    pub(super) fn addresses(mut self, values: impl IntoIterator<Item = i64>) -> Envelope {
        if self.large {
            self.counts.extend(values);
        } else {
            self.addresses
                .extend(values.into_iter().map(|v| v as isize));
        }
        self
    }

    pub(super) fn types(mut self, types: impl IntoIterator<Item = Arc<Datatype>>) -> Envelope {
        self.types.extend(types);
        self
    }
}

impl Drop for Envelope {
    /// One after the other: a chain of datatypes, each of which alone holds the one before, may be longer than the stack is deep.
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.types);
        while let Some(next) = left.pop() {
            if let Some(mut last) = Arc::into_inner(next) {
                left.append(&mut last.envelope.types);
            }
        }
    }
}

impl Datatype {
    pub(super) fn new(parts: Parts) -> Datatype {
        let (true_lb, true_ub) = parts.layout.bounds();
        Datatype {
            lb: parts.lb,
            ub: parts.ub,
            true_lb,
            true_ub,
            marked: parts.marked,
            // What has no data needs no alignment.
            align: if parts.layout.size == 0 {
                1
            } else {
                parts.align
            },
            layout: parts.layout,
            signature: parts.signature,
            number: OnceLock::new(),
            envelope: parts.envelope,
            committed: AtomicBool::new(false),
            permanent: AtomicI32::new(0),
            name: Mutex::new(Box::new([])),
            attributes: Attributes::new(Kind::Datatype),
            given: Given::default(),
        }
    }

    /// The same with attributes.
    pub(super) fn with_attributes(self, attributes: Attributes) -> Datatype {
        Datatype { attributes, ..self }
    }

    /// The same, committed and never to be freed.
    pub(super) fn permanent(self, handle: MPI_Datatype) -> Datatype {
        self.make_permanent(handle);
        if let Some(named) = predefined::Named::of(handle) {
            *self.name.lock() = named.name().as_bytes().into();
        }
        self
    }

    pub(super) fn make_permanent(&self, handle: MPI_Datatype) {
        self.permanent.store(handle.0, Ordering::Relaxed);
        self.commit();
    }

    /// The handle of a datatype that cannot be freed: a predefined one, or one of `MPI_Type_create_f90_*`.
    #[inline]
    pub fn permanent_handle(&self) -> Option<MPI_Datatype> {
        match self.permanent.load(Ordering::Relaxed) {
            0 => None,
            handle => Some(MPI_Datatype(handle)),
        }
    }

    /// Bytes of data in an element.
    #[inline]
    pub fn size(&self) -> usize {
        self.layout.size
    }

    /// Bytes from one element to the next.
    #[inline]
    pub fn extent(&self) -> isize {
        self.ub - self.lb
    }

    #[inline]
    pub fn lb(&self) -> isize {
        self.lb
    }

    #[inline]
    pub fn ub(&self) -> isize {
        self.ub
    }

    /// Displacement of the lowest byte of data.
    #[inline]
    pub fn true_lb(&self) -> isize {
        self.true_lb
    }

    /// Displacement behind the highest byte of data.
    #[inline]
    pub fn true_ub(&self) -> isize {
        self.true_ub
    }

    pub(super) fn marked(&self) -> (bool, bool) {
        self.marked
    }

    pub(super) fn align(&self) -> usize {
        self.align
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// That of one element as a number that checks compare.
    pub(super) fn one_number(&self) -> Number {
        *self.number.get_or_init(|| self.signature.number())
    }

    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Whether all of it has to lie in one array, as what it puts together is counted in elements. What is so by bytes may lie in several, as far as
    /// programs know.
    pub fn is_of_one_array(&self) -> bool {
        match self.envelope.combiner {
            MPI_COMBINER_NAMED => true,
            MPI_COMBINER_CONTIGUOUS
            | MPI_COMBINER_DUP
            | MPI_COMBINER_RESIZED
            | MPI_COMBINER_VECTOR
            | MPI_COMBINER_INDEXED
            | MPI_COMBINER_INDEXED_BLOCK
            | MPI_COMBINER_SUBARRAY
            | MPI_COMBINER_DARRAY => self.envelope.types.iter().all(|old| old.is_of_one_array()),
            _ => false,
        }
    }

    /// The kind of the elements, if all are of one: what reductions and accumulates need.
    #[inline]
    pub fn basic(&self) -> Option<Basic> {
        self.signature.basic
    }

    /// Whether any number of elements is one run of bytes that begins at the buffer's address.
    #[inline]
    pub fn is_dense(&self) -> bool {
        self.layout.as_run() == Some(0) && self.extent() == self.layout.size as isize
    }

    pub fn commit(&self) {
        self.committed.store(true, Ordering::Release);
    }

    pub fn is_committed(&self) -> bool {
        self.committed.load(Ordering::Acquire)
    }

    /// This datatype, if it may be used in communication.
    #[inline]
    pub fn committed(&self) -> Result<&Datatype> {
        if self.is_committed() {
            return Ok(self);
        }
        bail!(
            Type,
            "the datatype{} is not committed",
            match &*self.name() {
                b"" => String::new(),
                name => format!(" \"{}\"", String::from_utf8_lossy(name)),
            }
        )
    }

    pub fn name(&self) -> Box<[u8]> {
        self.name.lock().clone()
    }

    /// Names the datatype.
    pub fn set_name(&self, name: &[u8]) {
        *self.name.lock() = name.into();
    }

    /// The message of `count` elements at `base`.
    #[inline]
    pub fn message(&self, base: *const u8, count: usize) -> Message<'_> {
        self.message_at(base.expose_provenance(), count)
    }

    /// The message of `count` elements at an address, which may be one of another process.
    #[inline]
    pub fn message_at(&self, base: usize, count: usize) -> Message<'_> {
        Message {
            layout: &self.layout,
            extent: self.extent(),
            base,
            count,
        }
    }

    /// Bytes of data in `count` elements; an error if they do not fit in memory.
    #[inline]
    pub fn bytes(&self, count: usize) -> Result<usize> {
        match self.size().checked_mul(count) {
            Some(bytes) if bytes <= isize::MAX as usize => Ok(bytes),
            _ => Err(err!(
                Count,
                "count is {count}, and that many elements of {} bytes do not fit in memory",
                self.size()
            )),
        }
    }

    /// How many whole elements `bytes` bytes of data make; `None` if not a whole number.
    pub fn entries_in(&self, bytes: usize) -> Option<usize> {
        match self.size() {
            0 => (bytes == 0).then_some(0),
            size => bytes.is_multiple_of(size).then(|| bytes / size),
        }
    }

    /// The displacements (lowest, behind the highest) from the buffer's address that `count` elements touch; (0, 0) if
    /// none. `None` if they do not fit in an address range.
    #[inline]
    pub fn span(&self, count: usize) -> Option<(isize, isize)> {
        if count == 0 || self.size() == 0 {
            return Some((0, 0));
        }
        let last = isize::try_from(count - 1)
            .ok()?
            .checked_mul(self.extent())?;
        Some((
            self.true_lb.checked_add(last.min(0))?,
            self.true_ub.checked_add(last.max(0))?,
        ))
    }

    /// Refuses a buffer that cannot hold `count` elements: a null pointer with a datatype that does not lead elsewhere
    /// (as absolute displacements from `MPI_BOTTOM` do), or an address range that wraps around.
    #[inline]
    pub fn check_buffer(&self, base: usize, count: usize, name: &str) -> Result<()> {
        if count == 0 || self.size() == 0 {
            return Ok(());
        }
        self.bytes(count)?;
        let (low, high) = self
            .span(count)
            .and_then(|(low, high)| {
                Some((base.checked_add_signed(low)?, base.checked_add_signed(high)?))
            })
            .ok_or_else(|| {
                err!(
                    Buffer,
                    "{name} is {base:#x}, and {count} elements from there reach beyond the address space"
                )
            })?;
        if !can_be_memory(low, high) {
            bail!(
                Buffer,
                "{name} is {base:#x}, and {count} elements from there are at addresses {low:#x} to {high:#x}, where no memory can be"
            );
        }
        Ok(())
    }

    /// Packs the positions `range` of `count` elements at `base` into `to`.
    ///
    /// # Safety
    /// The elements must be readable, and `to` writable for `range.len()` bytes.
    #[inline]
    pub unsafe fn pack(&self, base: *const u8, count: usize, range: Range<usize>, to: *mut u8) {
        // SAFETY: the caller's contract is the same.
        unsafe { super::copy::pack(self.message(base, count), range, to) }
    }

    /// Unpacks `range.len()` bytes at `from` to the positions `range` of `count` elements at `base`.
    ///
    /// # Safety
    /// The elements must be writable, and `from` readable for `range.len()` bytes.
    #[inline]
    pub unsafe fn unpack(&self, from: *const u8, base: *mut u8, count: usize, range: Range<usize>) {
        // SAFETY: the caller's contract is the same.
        unsafe { super::copy::unpack(self.message(base, count), range, from) }
    }

    /// Calls `each(address, bytes)` for the contiguous runs of `count` elements at address `base`, in the order of
    /// the type map.
    pub fn for_each_run(&self, base: usize, count: usize, mut each: impl FnMut(usize, usize)) {
        self.message_at(base, count).walk(&mut each);
    }

    /// Whether `count` elements have a byte in several entries of the type map. Error: `MPI_ERR_NO_MEM`.
    pub fn overlaps(&self, count: usize) -> Result<bool> {
        // Displacements of either sign have their order there.
        const BASE: usize = usize::MAX / 2;
        let (mut runs, mut end, mut rises) = (0, 0, true);
        self.for_each_run(BASE, count, |at, len| {
            rises &= at >= end;
            end = at + len;
            runs += 1;
        });
        if rises {
            return Ok(false);
        }
        let mut all = Vec::new();
        if all.try_reserve_exact(runs).is_err() {
            bail!(
                NoMem,
                "no memory to put {runs} pieces of a datatype in order"
            );
        }
        self.for_each_run(BASE, count, |at, len| all.push((at, at + len)));
        all.sort_unstable();
        Ok(all.windows(2).any(|two| two[1].0 < two[0].1))
    }

    /// Calls `each(address, n)` for `n` elements of the one basic type, `basic.extent()` bytes from start to start,
    /// until all of `count` elements of the datatype are visited, in the order of the type map. `basic` is the kind
    /// that [`Datatype::basic`] gives.
    pub fn for_each_element(
        &self,
        base: usize,
        count: usize,
        basic: Basic,
        mut each: impl FnMut(usize, usize),
    ) {
        if basic.is_dense() && self.is_dense() {
            return each(base, count * (self.size() / basic.size()));
        }
        let mut elements = Elements {
            basic,
            position: 0,
            each,
        };
        let one = self.signature.elements == basic.parts().len();
        if !basic.is_dense() && one && (count == 1 || self.extent() == basic.extent() as isize) {
            // An array of pairs with gaps, as C has them.
            return (elements.each)(base.wrapping_add_signed(self.true_lb), count);
        }
        self.message_at(base, count).walk(&mut elements);
    }
}

/// Turns runs of bytes into runs of elements.
struct Elements<F> {
    basic: Basic,
    /// Bytes of the current element that earlier runs had.
    position: usize,
    each: F,
}

impl<F: FnMut(usize, usize)> Visit for Elements<F> {
    #[inline(always)]
    fn run(&mut self, address: usize, len: usize) {
        let size = self.basic.size();
        if self.basic.is_dense() && self.position == 0 && len.is_multiple_of(size) {
            return (self.each)(address, len / size);
        }
        // Elements with a gap after them or within: one at a time, where its first byte is.
        let mut at = (size - self.position) % size;
        while at < len {
            (self.each)(address + at, 1);
            at += size;
        }
        self.position = (self.position + len) % size;
    }
}
