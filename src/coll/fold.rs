//! Folding what processes gave to a reduction over notes or the board.

use super::elements::{Element, Vector};
use crate::err;
use crate::error::Result;
use crate::op::Op;
use crate::shm::copy::copy;

/// What is folded at a time, so that it stays in the nearest cache.
const BLOCK: usize = 8 << 10;

/// Folding what processes gave, packed, in the order of their ranks.
pub struct Fold {
    op: Op,
    element: Element,
    /// Whether what was given can be an operand where it is: it looks as elements in memory do, and is not changed. (A user's
    /// function may change its input, which others read.)
    pub direct: bool,
    /// Room for an operand, and for a share that nobody wants here.
    operand: Vec<u128>,
    share: Vec<u128>,
}

impl Fold {
    pub fn new(op: Op, element: Element) -> Fold {
        Fold {
            direct: element.datatype.is_dense() && op.predefined().is_some(),
            op,
            element,
            operand: Vec::new(),
            share: Vec::new(),
        }
    }

    /// `out = parts[0] op parts[1] op …`
    pub fn fold(
        &mut self,
        parts: impl DoubleEndedIterator<Item = *const u8> + Clone,
        out: &Vector,
    ) -> Result<()> {
        let mut parts = parts.rev();
        let Some(last) = parts.next() else {
            return Ok(());
        };
        let (count, len) = (out.count, out.bytes());
        let inout = std::ptr::with_exposed_provenance_mut::<u8>(out.address);
        if self.direct {
            let size = self.element.datatype.size();
            let step = (BLOCK / size.max(1)).max(1);
            // What was copied is still near when it is folded.
            for begin in (0..count).step_by(step) {
                let (at, n) = (begin * size, step.min(count - begin));
                let inout = inout.wrapping_add(at);
                // SAFETY: the result buffer is the caller's; the elements have no gaps.
                unsafe {
                    if last.wrapping_add(at) != inout.cast_const() {
                        copy(last.wrapping_add(at), inout, n * size);
                    }
                    for part in parts.clone() {
                        self.apply(part.wrapping_add(at), inout, n)?;
                    }
                }
            }
            return Ok(());
        }
        // SAFETY: the result buffer is the caller's, or this one's share.
        unsafe { out.buffer()?.write(0..len, last) };
        for part in parts {
            let input = start_of(&mut self.operand, &self.element, count);
            // SAFETY: `input` has room for `count` elements; both are laid out as the datatype says.
            unsafe {
                self.element.datatype.unpack(part, input, count, 0..len);
                self.apply(input, inout, count)?;
            }
        }
        Ok(())
    }

    /// Folds `count` elements of all parts over those of the `lender`, which is the last but for the caller: elements without
    /// gaps, by an operation for which it does not matter which of two is the first.
    pub fn fold_at(
        &self,
        parts: impl DoubleEndedIterator<Item = *const u8> + Clone + ExactSizeIterator,
        lender: usize,
        count: usize,
    ) -> Result<()> {
        let inout = parts.clone().nth(lender).expect("a member's").cast_mut();
        for (seat, part) in parts.enumerate().rev() {
            if seat != lender {
                // SAFETY: the part is the lender's on the board, and this share of it the caller's to change.
                unsafe { self.apply(part, inout, count)? };
            }
        }
        Ok(())
    }

    /// `inout = input op inout`
    ///
    /// # Safety
    /// Both are `count` elements laid out as the datatype says, aligned as any.
    unsafe fn apply(&self, input: *const u8, inout: *mut u8, count: usize) -> Result<()> {
        let Element { datatype, handle } = &self.element;
        // SAFETY: the caller's promise.
        unsafe { self.op.apply(input, inout, count, datatype, *handle) }
    }

    /// Makes room to fold `count` elements, if `is_apart` into memory of its own. Error: `MPI_ERR_NO_MEM`.
    pub fn make_room(&mut self, count: usize, is_apart: bool) -> Result<()> {
        let (low, high) = span(&self.element, count);
        let words = ((high - low) as usize).div_ceil(16);
        let needed = [
            (&mut self.operand, !self.direct),
            (&mut self.share, is_apart),
        ];
        for (memory, _) in needed.into_iter().filter(|(_, is_needed)| *is_needed) {
            let more = words.saturating_sub(memory.len());
            memory.try_reserve_exact(more).map_err(|_| {
                err!(
                    NoMem,
                    "no {} bytes to reduce {count} elements in",
                    16 * words
                )
            })?;
            memory.resize(memory.len() + more, 0);
        }
        Ok(())
    }

    /// The room for `count` elements that nobody wants here.
    pub fn share(&mut self, count: usize) -> Vector {
        let start = start_of(&mut self.share, &self.element, count);
        Vector {
            address: start.expose_provenance(),
            count,
            element: self.element.clone(),
        }
    }
}

/// Where `count` elements begin and end, in bytes from their address on.
fn span(element: &Element, count: usize) -> (isize, isize) {
    element.datatype.span(count).unwrap_or((0, 0))
}

/// The address for `count` elements in `memory`, which has room for them.
fn start_of(memory: &mut [u128], element: &Element, count: usize) -> *mut u8 {
    let low = span(element, count).0;
    memory.as_mut_ptr().cast::<u8>().wrapping_offset(-low)
}
