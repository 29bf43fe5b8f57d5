//! Arrays of elements of one kind, an extent apart, as kernels take them: what the origin's side of an accumulate becomes,
//! whatever its datatype, and what the result's side is made of. Where they are not arrays as they are, they become some a
//! part at a time, in as much memory as fits the cache, however many they are.

use crate::datatype::{self, Basic, Message};
use crate::err;
use crate::error::Result;
use std::ops::Range;
use std::ptr::{NonNull, with_exposed_provenance, with_exposed_provenance_mut};

/// Bytes of elements that are made an array at a time.
pub const PART: usize = 64 << 10;

/// How many elements of a kind those are.
pub fn part_of(basic: Basic) -> usize {
    PART / basic.extent()
}

/// `len` bytes. Error: `MPI_ERR_NO_MEM`.
pub fn buffer(len: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| {
        err!(
            NoMem,
            "there is no memory for a buffer of {len} bytes, by way of which elements are moved"
        )
    })?;
    bytes.resize(len, 0);
    Ok(bytes)
}

/// Room for elements of a kind, as an array and packed: pairs may have gaps in arrays.
pub struct Room {
    basic: Basic,
    array: Vec<u8>,
    /// Empty if packed elements are an array.
    packed: Vec<u8>,
}

impl Room {
    /// For a [part](part_of) of so many elements. Error: `MPI_ERR_NO_MEM`.
    pub fn new(basic: Basic, elements: usize) -> Result<Room> {
        let n = elements.min(part_of(basic));
        let packed = if basic.is_dense() {
            0
        } else {
            n * basic.size()
        };
        Ok(Room {
            basic,
            array: buffer(n * basic.extent())?,
            packed: buffer(packed)?,
        })
    }

    pub fn array(&mut self) -> *mut u8 {
        self.array.as_mut_ptr()
    }

    /// Where packed elements are put and fetched.
    pub fn packed(&mut self) -> *mut u8 {
        match self.basic.is_dense() {
            true => self.array.as_mut_ptr(),
            false => self.packed.as_mut_ptr(),
        }
    }

    /// Makes an array of the first `n` packed elements.
    pub fn expand(&mut self, n: usize) {
        self.each(n, |element, packed| element.copy_from_slice(packed));
    }

    /// The opposite.
    pub fn compress(&mut self, n: usize) {
        self.each(n, |element, packed| packed.copy_from_slice(element));
    }

    /// Calls `each` with the parts of the first `n` elements that have data, in the array and packed.
    fn each(&mut self, n: usize, mut each: impl FnMut(&mut [u8], &mut [u8])) {
        if self.basic.is_dense() {
            return;
        }
        let elements = self.array.chunks_exact_mut(self.basic.extent());
        let packed = self.packed.chunks_exact_mut(self.basic.size());
        for (element, packed) in elements.zip(packed).take(n) {
            let mut from = 0;
            for &(at, len) in self.basic.parts() {
                each(&mut element[at..at + len], &mut packed[from..from + len]);
                from += len;
            }
        }
    }
}

/// The arrays beside a target's elements.
#[derive(Clone, Copy)]
pub struct Sides {
    /// As many elements, an extent apart; none are read for NO_OP.
    pub operands: *const u8,
    /// Room for as many, if it is wanted what was there.
    pub before: Option<NonNull<u8>>,
}

impl Sides {
    pub const NONE: Sides = Sides {
        operands: std::ptr::null(),
        before: None,
    };

    pub fn skip(self, bytes: usize) -> Sides {
        let skip = |before: NonNull<u8>| NonNull::new(before.as_ptr().wrapping_add(bytes));
        Sides {
            operands: self.operands.wrapping_add(bytes),
            before: self.before.and_then(skip),
        }
    }
}

/// One side's elements.
enum Side<'a> {
    /// None: the operation has no operands, or nobody wants to know what was there.
    None,
    /// An array where the program has it.
    There(usize),
    /// Made a part at a time.
    Made(Message<'a>, Room),
}

impl<'a> Side<'a> {
    fn new(message: Option<Message<'a>>, basic: Basic, elements: usize) -> Result<Side<'a>> {
        let Some(message) = message else {
            return Ok(Side::None);
        };
        Ok(match message.as_run().filter(|_| basic.is_dense()) {
            Some(address) => Side::There(address),
            None => Side::Made(message, Room::new(basic, elements)?),
        })
    }

    /// Where element `at` is, of those from `first` on that there is room for.
    fn address(&mut self, basic: Basic, at: usize, first: usize) -> usize {
        match self {
            Side::None => 0,
            Side::There(address) => address.wrapping_add(at * basic.extent()),
            Side::Made(_, room) => room.array().expose_provenance() + (at - first) * basic.extent(),
        }
    }
}

/// The elements beside those of a target, from the first to the last.
pub struct Beside<'a> {
    basic: Basic,
    operands: Side<'a>,
    before: Side<'a>,
    elements: usize,
    /// How many were given.
    given: usize,
    /// Those that there is room for now.
    part: Range<usize>,
}

impl<'a> Beside<'a> {
    /// For so many elements of kind `basic` of each of the messages: the operands, and what takes what was there. Error:
    /// `MPI_ERR_NO_MEM`.
    pub fn new(
        basic: Basic,
        elements: usize,
        operands: Option<Message<'a>>,
        before: Option<Message<'a>>,
    ) -> Result<Beside<'a>> {
        Ok(Beside {
            basic,
            operands: Side::new(operands, basic, elements)?,
            before: Side::new(before, basic, elements)?,
            elements,
            given: 0,
            part: 0..0,
        })
    }

    /// The sides of the next elements: of `n`, or fewer, but one at least.
    ///
    /// # Safety
    /// The operands' message is readable, the other writable, and so many elements are left.
    pub unsafe fn next(&mut self, n: usize) -> (usize, Sides) {
        if self.given == self.part.end {
            // SAFETY: the caller's promise.
            unsafe { self.turn_over() };
        }
        let n = n.min(self.part.end - self.given);
        let (basic, at, first) = (self.basic, self.given, self.part.start);
        let operands = self.operands.address(basic, at, first);
        let before = self.before.address(basic, at, first);
        self.given += n;
        let sides = Sides {
            operands: with_exposed_provenance(operands),
            before: NonNull::new(with_exposed_provenance_mut(before)),
        };
        (n, sides)
    }

    /// Ends: all that was there is where it was wanted.
    ///
    /// # Safety
    /// As [`Beside::next`].
    pub unsafe fn finish(mut self) {
        // SAFETY: the caller's promise.
        unsafe { self.deliver() };
    }

    /// Goes on to the next part.
    ///
    /// # Safety
    /// As [`Beside::next`].
    unsafe fn turn_over(&mut self) {
        // SAFETY: the caller's promise.
        unsafe { self.deliver() };
        let made = |side: &Side<'_>| matches!(side, Side::Made(..));
        let rest = self.elements - self.given;
        let n = match made(&self.operands) || made(&self.before) {
            true => rest.min(part_of(self.basic)),
            false => rest,
        };
        self.part = self.given..self.given + n;
        let range = self.bytes();
        if let Side::Made(message, room) = &mut self.operands {
            // SAFETY: the caller's promise; there is room for so many elements.
            unsafe { datatype::pack(*message, range, room.packed()) };
            room.expand(n);
        }
    }

    /// Brings what was there in the place of this part to where it is wanted.
    ///
    /// # Safety
    /// As [`Beside::next`].
    unsafe fn deliver(&mut self) {
        let range = self.bytes();
        if let Side::Made(message, room) = &mut self.before {
            room.compress(self.part.len());
            // SAFETY: the caller's promise; so many packed elements are there.
            unsafe { datatype::unpack(*message, range, room.packed()) };
        }
    }

    /// The positions of this part in the messages.
    fn bytes(&self) -> Range<usize> {
        let size = self.basic.size();
        self.part.start * size..self.part.end * size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_come_and_go() {
        let mut room = Room::new(Basic::DoubleInt, 2).unwrap();
        let bytes: Vec<u8> = (0..24).collect();
        room.packed.copy_from_slice(&bytes);
        room.expand(2);
        assert_eq!(room.array.len(), 32);
        assert_eq!(room.array[..12], bytes[..12]);
        assert_eq!(room.array[12..16], [0; 4]);
        assert_eq!(room.array[16..28], bytes[12..]);
        room.packed.fill(0);
        room.compress(2);
        assert_eq!(room.packed, bytes);
    }

    #[test]
    fn there_is_room_for_a_part_at_most() {
        let room = Room::new(Basic::I64, usize::MAX / 8).unwrap();
        assert_eq!((room.array.len(), room.packed.len()), (PART, 0));
    }
}
