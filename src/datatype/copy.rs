//! Moving the data of messages: packing, unpacking, and from one message straight into another.
//!
//! There are loops of their own for the common block lengths up to 64 bytes. Two messages are copied directly if one of them is
//! a run or both are laid out alike, else in pieces of 16 KiB on the stack.

use super::layout::Form;
use super::walk::{Message, Visit};
use std::ops::Range;
use std::ptr::{copy, with_exposed_provenance, with_exposed_provenance_mut};

/// Bytes that go through a buffer on the stack when neither side of a copy is one run and the two are laid out
/// differently.
const STAGE: usize = 16 * 1024;

/// Copies the positions `range` of `message` to `to`.
///
/// # Safety
/// The message's memory must be readable and `to` writable for `range.len()` bytes.
#[inline]
pub unsafe fn pack(message: Message<'_>, range: Range<usize>, to: *mut u8) {
    message.walk_range(range, &mut Gather { to });
}

/// Copies `range.len()` bytes from `from` to the positions `range` of `message`.
///
/// # Safety
/// The message's memory must be writable and `from` readable for `range.len()` bytes.
#[inline]
pub unsafe fn unpack(message: Message<'_>, range: Range<usize>, from: *const u8) {
    message.walk_range(range, &mut Scatter { from });
}

/// Copies the message `from` to the beginning of the message `to`, which must not be shorter.
///
/// # Safety
/// The memory of `from` must be readable, as much of `to` writable.
pub unsafe fn transfer(from: Message<'_>, to: Message<'_>) {
    let size = from.size();
    if let Some(source) = from.as_run() {
        // SAFETY: the caller's contract; a run's address is where its first byte lies.
        return unsafe { unpack(to, 0..size, with_exposed_provenance(source)) };
    }
    if let Some(target) = to.as_run() {
        // SAFETY: as above.
        return unsafe { pack(from, 0..size, with_exposed_provenance_mut(target)) };
    }
    if same_form(&from, &to) {
        return from.walk(&mut Move {
            to: to.base.wrapping_sub(from.base),
        });
    }
    // SAFETY: the caller's contract.
    unsafe { by_stage(from, to, size) }
}

/// [`transfer`] of `size` bytes by way of a buffer.
///
/// # Safety
/// As [`transfer`].
// Out of line: the buffer costs the processor a look at each of its pages.
#[inline(never)]
unsafe fn by_stage(from: Message<'_>, to: Message<'_>, size: usize) {
    let mut stage = [const { std::mem::MaybeUninit::<u8>::uninit() }; STAGE];
    let buffer = stage.as_mut_ptr().cast::<u8>();
    let mut position = 0;
    while position < size {
        let end = size.min(position + STAGE);
        // SAFETY: the buffer holds STAGE bytes, and `unpack` reads only those that `pack` wrote.
        unsafe {
            pack(from, position..end, buffer);
            unpack(to, position..end, buffer);
        }
        position = end;
    }
}

/// Whether both messages have their data at the same displacements.
fn same_form(a: &Message<'_>, b: &Message<'_>) -> bool {
    if a.count != b.count || (a.count > 1 && a.extent != b.extent) {
        return false;
    }
    if std::ptr::eq(a.layout, b.layout) {
        return true;
    }
    if a.layout.disp != b.layout.disp || a.layout.size != b.layout.size {
        return false;
    }
    match (&a.layout.form, &b.layout.form) {
        (Form::Run, Form::Run) => true,
        (
            Form::Strided {
                count: c,
                stride: s,
                ..
            },
            Form::Strided { count, stride, .. },
        ) => c == count && s == stride,
        _ => false,
    }
}

struct Gather {
    to: *mut u8,
}

struct Scatter {
    from: *const u8,
}

/// Copies each run to the address `to` bytes further.
struct Move {
    to: usize,
}

/// Calls `$copy::<T>` with a type of as many bytes as `$block`, for the block lengths worth a loop of their own.
macro_rules! by_block {
    ($block:expr, |$t:ident| $fast:expr, $general:expr) => {
        match $block {
            1 => {
                type $t = u8;
                $fast
            }
            2 => {
                type $t = u16;
                $fast
            }
            4 => {
                type $t = u32;
                $fast
            }
            8 => {
                type $t = u64;
                $fast
            }
            12 => {
                type $t = [u32; 3];
                $fast
            }
            16 => {
                type $t = u128;
                $fast
            }
            24 => {
                type $t = [u64; 3];
                $fast
            }
            32 => {
                type $t = [u64; 4];
                $fast
            }
            64 => {
                type $t = [u64; 8];
                $fast
            }
            _ => $general,
        }
    };
}

/// Copies `count` values of type `T`; strides in bytes, addresses at any alignment.
///
/// # Safety
/// All places must be readable (from) and writable (to).
#[inline(always)]
unsafe fn strided<T: Copy>(
    from: *const u8,
    from_stride: isize,
    to: *mut u8,
    to_stride: isize,
    count: usize,
) {
    let (mut from, mut to) = (from, to);
    for _ in 0..count {
        // SAFETY: the caller vouches for `count` places at these strides; the pointers may step past the last one, so
        // they move without claiming to stay inside.
        unsafe {
            to.cast::<T>()
                .write_unaligned(from.cast::<T>().read_unaligned());
        }
        from = from.wrapping_offset(from_stride);
        to = to.wrapping_offset(to_stride);
    }
}

/// Copies values of type `T`, each from the place of `from` and to that of `to` for its number and displacement.
///
/// # Safety
/// All places must be readable (from) and writable (to).
#[inline(always)]
unsafe fn scattered<T: Copy>(
    disps: &[isize],
    from: impl Fn(usize, isize) -> *const u8,
    to: impl Fn(usize, isize) -> *mut u8,
) {
    for (i, &disp) in disps.iter().enumerate() {
        // SAFETY: the caller vouches for all places.
        unsafe {
            to(i, disp)
                .cast::<T>()
                .write_unaligned(from(i, disp).cast::<T>().read_unaligned());
        }
    }
}

impl Visit for Gather {
    #[inline(always)]
    fn run(&mut self, address: usize, len: usize) {
        // SAFETY: whoever made a `Gather` vouches for the message and for the room at `to`. Overlap is harmless.
        unsafe { copy(with_exposed_provenance(address), self.to, len) };
        self.to = self.to.wrapping_add(len);
    }

    #[inline]
    fn strided(&mut self, address: usize, count: usize, stride: isize, block: usize) {
        let from = with_exposed_provenance::<u8>(address);
        by_block!(
            block,
            |T| {
                // SAFETY: as in `run`, for `count` blocks of the size of `T`.
                unsafe { strided::<T>(from, stride, self.to, block as isize, count) }
                self.to = self.to.wrapping_add(count * block);
            },
            for i in 0..count {
                self.run(address.wrapping_add_signed(i as isize * stride), block);
            }
        );
    }

    #[inline]
    fn blocks(&mut self, address: usize, disps: &[isize], block: usize) {
        let near = with_exposed_provenance::<u8>(address);
        let packed = self.to;
        by_block!(
            block,
            |T| {
                let from = |_, disp| near.wrapping_offset(disp);
                let to = |i: usize, _| packed.wrapping_add(i * block);
                // SAFETY: as in `run`, for blocks of the size of `T`.
                unsafe { scattered::<T>(disps, from, to) }
                self.to = packed.wrapping_add(disps.len() * block);
            },
            for &disp in disps {
                self.run(address.wrapping_add_signed(disp), block);
            }
        );
    }
}

impl Visit for Scatter {
    #[inline(always)]
    fn run(&mut self, address: usize, len: usize) {
        // SAFETY: whoever made a `Scatter` vouches for the message and for the bytes at `from`. Overlap is harmless.
        unsafe { copy(self.from, with_exposed_provenance_mut(address), len) };
        self.from = self.from.wrapping_add(len);
    }

    #[inline]
    fn strided(&mut self, address: usize, count: usize, stride: isize, block: usize) {
        let to = with_exposed_provenance_mut::<u8>(address);
        by_block!(
            block,
            |T| {
                // SAFETY: as in `run`, for `count` blocks of the size of `T`.
                unsafe { strided::<T>(self.from, block as isize, to, stride, count) }
                self.from = self.from.wrapping_add(count * block);
            },
            for i in 0..count {
                self.run(address.wrapping_add_signed(i as isize * stride), block);
            }
        );
    }

    #[inline]
    fn blocks(&mut self, address: usize, disps: &[isize], block: usize) {
        let near = with_exposed_provenance_mut::<u8>(address);
        let packed = self.from;
        by_block!(
            block,
            |T| {
                let from = |i: usize, _| packed.wrapping_add(i * block);
                let to = |_, disp| near.wrapping_offset(disp);
                // SAFETY: as in `run`, for blocks of the size of `T`.
                unsafe { scattered::<T>(disps, from, to) }
                self.from = packed.wrapping_add(disps.len() * block);
            },
            for &disp in disps {
                self.run(address.wrapping_add_signed(disp), block);
            }
        );
    }
}

impl Visit for Move {
    #[inline(always)]
    fn run(&mut self, address: usize, len: usize) {
        let to = with_exposed_provenance_mut::<u8>(address.wrapping_add(self.to));
        // SAFETY: whoever made a `Move` vouches for both messages. Overlap is harmless.
        unsafe { copy(with_exposed_provenance(address), to, len) };
    }

    #[inline]
    fn strided(&mut self, address: usize, count: usize, stride: isize, block: usize) {
        let from = with_exposed_provenance::<u8>(address);
        let to = with_exposed_provenance_mut::<u8>(address.wrapping_add(self.to));
        by_block!(
            block,
            |T| {
                // SAFETY: as in `run`, for `count` blocks of the size of `T`.
                unsafe { strided::<T>(from, stride, to, stride, count) }
            },
            for i in 0..count {
                self.run(address.wrapping_add_signed(i as isize * stride), block);
            }
        );
    }

    #[inline]
    fn blocks(&mut self, address: usize, disps: &[isize], block: usize) {
        let source = with_exposed_provenance::<u8>(address);
        let target = with_exposed_provenance_mut::<u8>(address.wrapping_add(self.to));
        by_block!(
            block,
            |T| {
                let from = |_, disp| source.wrapping_offset(disp);
                let to = |_, disp| target.wrapping_offset(disp);
                // SAFETY: as in `run`, for blocks of the size of `T`.
                unsafe { scattered::<T>(disps, from, to) }
            },
            for &disp in disps {
                self.run(address.wrapping_add_signed(disp), block);
            }
        );
    }
}
