//! Where the data of a parcel is at the target: runs of bytes, and arrays of elements.

use crate::datatype::{Basic, Visit};
use std::ops::Range;

/// What a parcel has room for.
pub const PATTERNS: usize = 1024;

/// Runs of `block` bytes at the target, `stride` bytes from start to start.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pattern {
    pub address: usize,
    pub stride: isize,
    pub count: u32,
    pub block: u32,
}

impl Pattern {
    pub fn bytes(&self) -> usize {
        self.count as usize * self.block as usize
    }

    /// Where the run behind the last one would be.
    fn next(&self) -> usize {
        let whole = self.stride.wrapping_mul(self.count as isize);
        self.address.wrapping_add_signed(whole)
    }

    /// From the first byte to the last. `None` if that is nowhere.
    pub fn hull(&self) -> Option<Range<usize>> {
        let last = self.stride.checked_mul(self.count as isize - 1)?;
        let last = self.address.checked_add_signed(last)?;
        let end = self.address.max(last).checked_add(self.block as usize)?;
        Some(self.address.min(last)..end)
    }

    /// The runs' addresses and lengths; runs that follow each other are one.
    pub fn runs(&self) -> impl Iterator<Item = (usize, usize)> {
        let Pattern {
            address, stride, ..
        } = *self;
        let (count, block) = match stride == self.block as isize {
            true => (1, self.bytes()),
            false => (self.count as usize, self.block as usize),
        };
        (0..count).map(move |i| {
            let offset = stride.wrapping_mul(i as isize);
            (address.wrapping_add_signed(offset), block)
        })
    }

    /// Becomes itself and `new` behind it, if that is a pattern.
    #[inline]
    fn go_on(&mut self, new: &Pattern) -> bool {
        let stride = match (self.count, new.count) {
            (1, 1) => new.address.wrapping_sub(self.address) as isize,
            (1, _) => new.stride,
            _ => self.stride,
        };
        let longer = Pattern { stride, ..*self };
        let continues = self.block == new.block
            && longer.next() == new.address
            && (new.count == 1 || new.stride == stride);
        if continues {
            *self = Pattern {
                count: self.count + new.count,
                ..longer
            };
        }
        continues
    }
}

/// Writes down where data is, in patterns, until there is no more room.
pub struct Patterns {
    to: *mut Pattern,
    pub count: usize,
    full: bool,
    pub pieces: u32,
    pub bytes: usize,
}

impl Patterns {
    /// # Safety
    /// The array is the caller's own as long as this is used.
    pub unsafe fn new(to: *mut [Pattern; PATTERNS]) -> Patterns {
        Patterns {
            to: to.cast(),
            count: 0,
            full: false,
            pieces: 0,
            bytes: 0,
        }
    }
}

impl Visit for Patterns {
    #[inline]
    fn run(&mut self, address: usize, len: usize) {
        self.strided(address, 1, 0, len);
    }

    #[inline]
    fn strided(&mut self, address: usize, count: usize, stride: isize, block: usize) {
        if self.full {
            return;
        }
        let new = Pattern {
            address,
            stride,
            count: count as u32,
            block: block as u32,
        };
        // SAFETY: so many have been written, as the maker of this promised.
        let written = unsafe { std::slice::from_raw_parts_mut(self.to, self.count) };
        let continues = written.last_mut().is_some_and(|last| last.go_on(&new));
        if !continues {
            self.full = self.count == PATTERNS;
            if self.full {
                return;
            }
            // SAFETY: there is room for one more.
            unsafe { self.to.add(self.count).write(new) };
            self.count += 1;
        }
        self.pieces += new.count;
        self.bytes += new.bytes();
    }
}

/// Writes down the elements of one kind that runs of bytes are, each with the gaps that it has in an array.
pub struct Elements<'a> {
    pub basic: Basic,
    pub to: &'a mut Patterns,
    /// Bytes of the current element that earlier runs had.
    position: usize,
}

impl<'a> Elements<'a> {
    pub fn new(basic: Basic, to: &'a mut Patterns) -> Elements<'a> {
        Elements {
            basic,
            to,
            position: 0,
        }
    }

    /// Whether runs of so many bytes are elements as they are.
    fn is_whole(&self, block: usize) -> bool {
        self.basic.is_dense() && self.position == 0 && block.is_multiple_of(self.basic.size())
    }
}

impl Visit for Elements<'_> {
    #[inline]
    fn run(&mut self, address: usize, len: usize) {
        if self.is_whole(len) {
            return self.to.run(address, len);
        }
        // One at a time, from where its first byte is.
        let (size, extent) = (self.basic.size(), self.basic.extent());
        let mut at = (size - self.position) % size;
        while at < len {
            self.to.run(address.wrapping_add(at), extent);
            at += size;
        }
        self.position = (self.position + len) % size;
    }

    #[inline]
    fn strided(&mut self, address: usize, count: usize, stride: isize, block: usize) {
        if self.is_whole(block) {
            return self.to.strided(address, count, stride, block);
        }
        for i in 0..count {
            let offset = stride.wrapping_mul(i as isize);
            self.run(address.wrapping_add_signed(offset), block);
        }
    }
}
