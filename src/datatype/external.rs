//! The data representation `external32` (MPI 4.1 §14.5.2): big-endian, with sizes of its own.
//!
//! Elements differ from memory in three ways: byte order; `long` (4 bytes) and `wchar_t` (2 bytes) are shorter and are
//! cut to the low bytes and extended again; extended precision becomes IEEE quadruple precision.

use super::basic::Basic;
use super::object::Datatype;
use super::predefined::Named;
use super::walk::Message;
use crate::err;
use crate::error::Result;
use std::ops::Range;

/// A number within an element: `memory` bytes there, `external` bytes in external32.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number {
    memory: usize,
    external: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Plain,
    Signed,
    Extended,
}

const fn plain(size: usize) -> Number {
    Number {
        memory: size,
        external: size,
        kind: Kind::Plain,
    }
}

const EXTENDED: Number = Number {
    memory: 16,
    external: 16,
    kind: Kind::Extended,
};

/// The numbers of an element in the order of the type map, four at most. Padding is no part of a message.
fn numbers(named: Named) -> [Option<Number>; 4] {
    let one = |number| [Some(number), None, None, None];
    let two = |first, second| [Some(first), Some(second), None, None];
    let Some(basic) = named.basic() else {
        return [None; 4];
    };
    let long = |signed| Number {
        memory: 8,
        external: 4,
        kind: if signed { Kind::Signed } else { Kind::Plain },
    };
    let twice = |number| two(number, number);
    match basic {
        Basic::I64 if named.is_long() => one(long(true)),
        Basic::U64 if named.is_long() => one(long(false)),
        Basic::LongInt => two(long(true), plain(4)),
        Basic::WideChar => one(Number {
            memory: 4,
            external: 2,
            kind: Kind::Plain,
        }),
        Basic::F80 => one(EXTENDED),
        Basic::ComplexF80 => twice(EXTENDED),
        Basic::LongDoubleInt => two(EXTENDED, plain(4)),
        Basic::ComplexF16 => twice(plain(2)),
        Basic::ComplexF32 => twice(plain(4)),
        Basic::ComplexF64 => twice(plain(8)),
        Basic::ComplexF128 => twice(plain(16)),
        Basic::TwoComplexF32 => [Some(plain(4)); 4],
        Basic::TwoComplexF64 => [Some(plain(8)); 4],
        _ => match basic.parts() {
            [(_, a), (_, b)] => two(plain(*a), plain(*b)),
            _ => one(plain(basic.size())),
        },
    }
}

/// Bytes of one element in external32.
pub fn size_of(named: Named) -> usize {
    let numbers = numbers(named).into_iter().flatten();
    numbers.map(|number| number.external).sum()
}

/// Bytes of `count` elements of `datatype` in external32. Errors: `MPI_ERR_COUNT` if they do not fit in memory.
pub fn size(datatype: &Datatype, count: usize) -> Result<usize> {
    datatype
        .signature()
        .sum(&size_of)
        .and_then(|n| n.checked_mul(count))
        .filter(|&n| n <= isize::MAX as usize)
        .ok_or_else(|| {
            err!(
                Count,
                "count is {count}, and that many elements do not fit in memory"
            )
        })
}

/// Elements are converted through a buffer of their native packed form, of so many bytes.
const STAGE: usize = 4096;

/// Packs `count` elements at `base` in external32.
///
/// # Safety
/// The elements must be readable, and `to` writable for [`size`] bytes.
pub unsafe fn pack(datatype: &Datatype, base: *const u8, count: usize, to: *mut u8) {
    let message = datatype.message(base, count);
    let total = message.size();
    let mut stage = [0u8; STAGE];
    let mut staged = 0..0;
    let (mut native, mut to) = (0, to);
    let signature = datatype.signature().repeat(count);
    signature.for_each(&mut |named, mut left| {
        let (in_memory, in_external) = (native_size(named), size_of(named));
        while left > 0 {
            if native + in_memory > staged.end {
                staged = native..total.min(native + STAGE);
                refill(message, staged.clone(), &mut stage);
            }
            let n = left.min((staged.end - native) / in_memory);
            let at = native - staged.start;
            // SAFETY: `to` has room for all elements of the message.
            let external = unsafe { std::slice::from_raw_parts_mut(to, n * in_external) };
            encode(named, &stage[at..at + n * in_memory], external);
            native += n * in_memory;
            to = to.wrapping_add(n * in_external);
            left -= n;
        }
    });
}

/// Fills `stage` with the packed positions `range` of `message`.
fn refill(message: Message<'_>, range: Range<usize>, stage: &mut [u8; STAGE]) {
    // SAFETY: `pack` was promised that the message is readable; the range is at most STAGE long.
    unsafe { super::copy::pack(message, range, stage.as_mut_ptr()) }
}

/// Unpacks `count` elements from external32 to `base`.
///
/// # Safety
/// The elements must be writable, and `from` readable for [`size`] bytes.
pub unsafe fn unpack(datatype: &Datatype, from: *const u8, base: *mut u8, count: usize) {
    let message = datatype.message(base, count);
    let mut stage = [0u8; STAGE];
    let mut staged = 0..0;
    let mut from = from;
    let signature = datatype.signature().repeat(count);
    signature.for_each(&mut |named, mut left| {
        let (in_memory, in_external) = (native_size(named), size_of(named));
        while left > 0 {
            let mut at = staged.len();
            if at + in_memory > STAGE {
                // SAFETY: the message is writable; `staged` is what the stage holds of it.
                unsafe { super::copy::unpack(message, staged.clone(), stage.as_ptr()) };
                (staged, at) = (staged.end..staged.end, 0);
            }
            let n = left.min((STAGE - at) / in_memory);
            // SAFETY: `from` has all elements of the message.
            let external = unsafe { std::slice::from_raw_parts(from, n * in_external) };
            decode(named, external, &mut stage[at..at + n * in_memory]);
            staged.end += n * in_memory;
            from = from.wrapping_add(n * in_external);
            left -= n;
        }
    });
    // SAFETY: as above.
    unsafe { super::copy::unpack(message, staged, stage.as_ptr()) };
}

/// Bytes of one element in a packed message.
pub fn native_size(named: Named) -> usize {
    named.basic().map_or(0, |basic| basic.size())
}

/// The loop of numbers that differ in the order of their bytes alone.
fn swap<const N: usize>(from: &[u8], to: &mut [u8]) {
    let (from, _) = from.as_chunks::<N>();
    let (to, _) = to.as_chunks_mut::<N>();
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
        to.reverse();
    }
}

/// Copies elements whose numbers differ in the order of their bytes alone. False, and nothing was done, if that is not so.
fn swapped(named: Named, from: &[u8], to: &mut [u8]) -> bool {
    let [Some(first), rest @ ..] = numbers(named) else {
        return false;
    };
    let is_like_first = |number: Number| number == first;
    if !rest.into_iter().flatten().all(is_like_first) || first != plain(first.memory) {
        return false;
    }
    match first.memory {
        1 => to.copy_from_slice(from),
        2 => swap::<2>(from, to),
        4 => swap::<4>(from, to),
        8 => swap::<8>(from, to),
        16 => swap::<16>(from, to),
        _ => return false,
    }
    true
}

/// Whole elements in their packed native form to external32.
pub fn encode(named: Named, native: &[u8], external: &mut [u8]) {
    if swapped(named, native, external) {
        return;
    }
    let (mut from, mut to) = (native, external);
    let numbers = numbers(named);
    while !from.is_empty() {
        for number in numbers.into_iter().flatten() {
            let mut bytes = [0u8; 16];
            encode_number(number, &from[..number.memory], &mut bytes);
            let (here, rest) = to.split_at_mut(number.external);
            here.copy_from_slice(&bytes[..number.external]);
            (from, to) = (&from[number.memory..], rest);
        }
    }
}

/// Whole elements from external32 to their packed native form.
pub fn decode(named: Named, external: &[u8], native: &mut [u8]) {
    if swapped(named, external, native) {
        return;
    }
    let (mut from, mut to) = (external, native);
    let numbers = numbers(named);
    while !from.is_empty() {
        for number in numbers.into_iter().flatten() {
            let (here, rest) = to.split_at_mut(number.memory);
            decode_number(number, &from[..number.external], here);
            (from, to) = (&from[number.external..], rest);
        }
    }
}

/// Native (little-endian) bytes to external32.
fn encode_number(number: Number, native: &[u8], external: &mut [u8; 16]) {
    let mut bytes = [0u8; 16];
    bytes[..native.len()].copy_from_slice(native);
    if number.kind == Kind::Extended {
        bytes = quadruple_of(bytes).to_le_bytes();
    }
    for (to, from) in external
        .iter_mut()
        .zip(bytes[..number.external].iter().rev())
    {
        *to = *from;
    }
}

/// External32 to native bytes.
fn decode_number(number: Number, external: &[u8], native: &mut [u8]) {
    let mut bytes = [0u8; 16];
    for (to, from) in bytes.iter_mut().zip(external.iter().rev()) {
        *to = *from;
    }
    if number.kind == Kind::Signed && external[0] & 0x80 != 0 {
        bytes[number.external..].fill(0xff);
    }
    if number.kind == Kind::Extended {
        bytes = extended_of(u128::from_le_bytes(bytes));
    }
    native.copy_from_slice(&bytes[..number.memory]);
}

/// x87 extended precision to IEEE quadruple precision: the same exponent, the fraction without the explicit leading
/// bit. Every value has its like, but for the subnormals, which keep their bits.
fn quadruple_of(extended: [u8; 16]) -> u128 {
    let bits = u128::from_le_bytes(extended);
    let sign_and_exponent = bits >> 64 & 0xffff;
    let fraction = bits & (u64::MAX >> 1) as u128;
    sign_and_exponent << 112 | fraction << 49
}

/// The other way round, rounded to nearest even.
fn extended_of(quadruple: u128) -> [u8; 16] {
    let mut sign_and_exponent = quadruple >> 112;
    let exponent = sign_and_exponent & 0x7fff;
    let fraction = quadruple & ((1 << 112) - 1);
    let mut significand = fraction >> 49;
    if exponent != 0 {
        significand |= 1 << 63;
    }
    let rest = fraction & ((1 << 49) - 1);
    let half = 1 << 48;
    if exponent == 0x7fff {
        if fraction != 0 {
            significand |= 1 << 62;
        }
    } else if rest > half || (rest == half && significand & 1 == 1) {
        significand += 1;
        if significand >> 64 != 0 {
            significand = 1 << 63;
            sign_and_exponent += 1;
        } else if exponent == 0 && significand >> 63 != 0 {
            sign_and_exponent += 1;
        }
    }
    (sign_and_exponent << 64 | significand).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::{construct, get_arc};
    use super::*;
    use crate::mpi::constants::*;
    use crate::mpi::types::MPI_Datatype;

    fn round(handle: MPI_Datatype, memory: &[u8], external: &[u8]) {
        let datatype = get_arc(handle).unwrap();
        assert_eq!(size(&datatype, 1).unwrap(), external.len());
        let mut packed = vec![0xee; external.len()];
        // SAFETY: both buffers have the size of one element.
        unsafe { pack(&datatype, memory.as_ptr(), 1, packed.as_mut_ptr()) };
        assert_eq!(packed, external);
        let mut back = vec![0; memory.len()];
        // SAFETY: as above.
        unsafe { unpack(&datatype, packed.as_ptr(), back.as_mut_ptr(), 1) };
        assert_eq!(back, memory);
    }

    /// Any bytes of a file are numbers, which come back from what they are written as.
    #[test]
    fn whatever_is_in_a_file() {
        let all: Vec<Named> = Named::all().filter(|named| size_of(*named) > 0).collect();
        arbtest::arbtest(|drawn| {
            let named = *drawn.choose(&all)?;
            let count = drawn.int_in_range(1..=5)?;
            let external = drawn.bytes(count * size_of(named))?;
            let mut native = vec![0xee; count * native_size(named)];
            decode(named, external, &mut native);
            let mut written = vec![0xee; external.len()];
            encode(named, &native, &mut written);
            let mut again = vec![0xee; native.len()];
            decode(named, &written, &mut again);
            assert_eq!(native, again, "{external:x?} is written as {written:x?}");
            Ok(())
        })
        .budget_ms(500);
    }

    #[test]
    fn elements_have_the_bytes_of_the_standard() {
        round(MPI_INT, &0x01020304i32.to_le_bytes(), &[1, 2, 3, 4]);
        round(MPI_LONG, &(-2i64).to_le_bytes(), &[255, 255, 255, 254]);
        round(
            MPI_UNSIGNED_LONG,
            &0xfffffffeu64.to_le_bytes(),
            &[255, 255, 255, 254],
        );
        round(
            MPI_LONG_LONG,
            &(-2i64).to_le_bytes(),
            &(-2i64).to_be_bytes(),
        );
        round(MPI_AINT, &77i64.to_le_bytes(), &77i64.to_be_bytes());
        round(MPI_WCHAR, &0x263au32.to_le_bytes(), &[0x26, 0x3a]);
        round(MPI_DOUBLE, &1.5f64.to_le_bytes(), &1.5f64.to_be_bytes());
        let complex: Vec<u8> = [1.5f32, -2.0]
            .iter()
            .flat_map(|f| f.to_le_bytes())
            .collect();
        let big: Vec<u8> = [1.5f32, -2.0]
            .iter()
            .flat_map(|f| f.to_be_bytes())
            .collect();
        round(MPI_C_COMPLEX, &complex, &big);
        round(
            MPI_SHORT_INT,
            &[2, 1, 0, 0, 6, 5, 4, 3],
            &[1, 2, 3, 4, 5, 6],
        );
        // 1.5 in extended precision.
        let mut extended = [0u8; 16];
        extended[7..10].copy_from_slice(&[0xc0, 0xff, 0x3f]);
        let mut quadruple = [0u8; 16];
        quadruple[..3].copy_from_slice(&[0x3f, 0xff, 0x80]);
        round(MPI_LONG_DOUBLE, &extended, &quadruple);
    }

    #[test]
    fn quadruple_rounds_to_extended() {
        let one = 0x3fffu128 << 112;
        let significand = |q: u128| u128::from_le_bytes(extended_of(q));
        let exact = significand(one);
        assert_eq!(exact, 0x3fff << 64 | 1 << 63);
        assert_eq!(significand(one | 1 << 48), exact);
        assert_eq!(significand(one | 1 << 48 | 1), exact + 1);
        assert_eq!(significand(one | 3 << 48), exact + 2);
        assert_eq!(significand(one | ((1 << 112) - 1)), 0x4000 << 64 | 1 << 63);
        assert_eq!(significand(0x7fff << 112), 0x7fff << 64 | 1 << 63);
    }

    #[test]
    fn many_elements_go_through_the_stage() {
        let int = get_arc(MPI_INT).unwrap();
        let pair = get_arc(MPI_SHORT_INT).unwrap();
        let mixed = construct::structure(&[3, 2], &[0, 16], &[int, pair], false).unwrap();
        let count = 1000;
        let memory: Vec<u8> = (0..32 * count).map(|i| (i * 7 + i / 251) as u8).collect();
        let mut packed = vec![0; size(&mixed, count).unwrap()];
        assert_eq!(packed.len(), count * (12 + 12));
        let mut back = memory.clone();
        for b in back.chunks_mut(32) {
            b[0..12].fill(0);
            b[16..18].fill(0);
            b[20..26].fill(0);
            b[28..32].fill(0);
        }
        // SAFETY: the buffers have room for `count` elements of 32 bytes, and for their packed form.
        unsafe {
            pack(&mixed, memory.as_ptr(), count, packed.as_mut_ptr());
            unpack(&mixed, packed.as_ptr(), back.as_mut_ptr(), count);
        }
        assert!(back == memory);
    }
}
