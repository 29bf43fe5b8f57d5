//! Every predefined operation on every kind of element against small integers computed the plain way.

use super::*;
use crate::datatype::{self, Basic};
use crate::error::Class;
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Datatype;
use std::ffi::{c_int, c_void};

/// What kind of number a kind of element is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Sort {
    Integer,
    Real,
    Complex,
    Truth,
    Byte,
    Pair,
    Other,
}

fn sort(basic: Basic) -> Sort {
    use Basic::*;
    match basic {
        I8 | I16 | I32 | I64 | I128 | U8 | U16 | U32 | U64 | Char => Sort::Integer,
        F16 | F32 | F64 | F80 | F128 => Sort::Real,
        ComplexF16 | ComplexF32 | ComplexF64 | ComplexF80 | ComplexF128 => Sort::Complex,
        Bool | Logical1 | Logical2 | Logical4 | Logical8 | Logical16 => Sort::Truth,
        Byte => Sort::Byte,
        Packed | WideChar | TwoComplexF32 | TwoComplexF64 => Sort::Other,
        _ => Sort::Pair,
    }
}

/// The table of MPI 4.1 §6.9.2, with logical operations on Fortran integers and reals as MPICH has them.
fn allowed(op: Predefined, sort: Sort) -> bool {
    use Predefined::*;
    match op {
        Max | Min => matches!(sort, Sort::Integer | Sort::Real),
        Sum | Prod => matches!(sort, Sort::Integer | Sort::Real | Sort::Complex),
        Land | Lor | Lxor => matches!(sort, Sort::Integer | Sort::Real | Sort::Truth),
        Band | Bor | Bxor => matches!(sort, Sort::Integer | Sort::Byte),
        Minloc | Maxloc => sort == Sort::Pair,
        Replace | NoOp => true,
    }
}

/// A small integer as an IEEE number with `exponent` and `fraction` bits.
fn ieee(value: i64, exponent: u32, fraction: u32) -> u128 {
    if value == 0 {
        return 0;
    }
    let magnitude = value.unsigned_abs() as u128;
    let log = magnitude.ilog2();
    let bias = (1u128 << (exponent - 1)) - 1;
    let sign = (value < 0) as u128;
    let rest = (magnitude << (fraction - log)) & ((1 << fraction) - 1);
    sign << (exponent + fraction) | (bias + log as u128) << fraction | rest
}

/// The bytes of a small integer as a number of a simple kind.
fn number(value: i64, basic: Basic) -> Vec<u8> {
    let bits = match basic {
        Basic::F16 => ieee(value, 5, 10),
        Basic::F32 => ieee(value, 8, 23),
        Basic::F64 => ieee(value, 11, 52),
        Basic::F128 => ieee(value, 15, 112),
        Basic::F80 if value == 0 => 0,
        Basic::F80 => {
            let quadruple = ieee(value, 15, 112);
            quadruple >> 112 << 64 | 1 << 63 | (quadruple & ((1 << 112) - 1)) >> 49
        }
        _ => value as i128 as u128,
    };
    let mut bytes = bits.to_le_bytes().to_vec();
    bytes.resize(basic.size(), 0);
    bytes
}

/// The kinds of the two numbers of a complex number or of a pair.
fn halves(basic: Basic) -> (Basic, Basic) {
    use Basic::*;
    match basic {
        ComplexF16 => (F16, F16),
        ComplexF32 | RealReal => (F32, F32),
        ComplexF64 | DoubleDouble => (F64, F64),
        ComplexF80 => (F80, F80),
        ComplexF128 => (F128, F128),
        FloatInt => (F32, I32),
        DoubleInt => (F64, I32),
        LongInt => (I64, I32),
        ShortInt => (I16, I32),
        IntInt => (I32, I32),
        LongDoubleInt => (F80, I32),
        _ => panic!("{basic:?} has no halves"),
    }
}

/// The bytes of an element; what is between the parts of a pair stays as it is.
fn put(value: (i64, i64), basic: Basic, place: &mut [u8]) {
    match sort(basic) {
        Sort::Complex | Sort::Pair => {
            let (a, b) = halves(basic);
            let at = match basic.parts() {
                [_, (at, _)] => *at,
                _ => a.size(),
            };
            place[..a.size()].copy_from_slice(&number(value.0, a));
            place[at..at + b.size()].copy_from_slice(&number(value.1, b));
        }
        _ => place[..basic.size()].copy_from_slice(&number(value.0, basic)),
    }
}

/// `a op b` on small integers.
fn expected(op: Predefined, sort: Sort, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let simple = |value: i64| (value, 0);
    let truth = |value: bool| (value as i64, 0);
    match op {
        Predefined::Max => simple(a.0.max(b.0)),
        Predefined::Min => simple(a.0.min(b.0)),
        Predefined::Sum => (a.0 + b.0, a.1 + b.1),
        Predefined::Prod if sort == Sort::Complex => (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0),
        Predefined::Prod => simple(a.0 * b.0),
        Predefined::Land => truth(a.0 != 0 && b.0 != 0),
        Predefined::Lor => truth(a.0 != 0 || b.0 != 0),
        Predefined::Lxor => truth((a.0 != 0) != (b.0 != 0)),
        Predefined::Band => simple(a.0 & b.0),
        Predefined::Bor => simple(a.0 | b.0),
        Predefined::Bxor => simple(a.0 ^ b.0),
        Predefined::Maxloc if a.0 == b.0 => (a.0, a.1.min(b.1)),
        Predefined::Minloc if a.0 == b.0 => (a.0, a.1.min(b.1)),
        Predefined::Maxloc => {
            if a.0 > b.0 {
                a
            } else {
                b
            }
        }
        Predefined::Minloc => {
            if a.0 < b.0 {
                a
            } else {
                b
            }
        }
        Predefined::Replace => a,
        Predefined::NoOp => b,
    }
}

/// Values that every kind can hold, results included. Unsigned kinds see large numbers in the negative ones, so they
/// get none.
fn value(i: usize, basic: Basic) -> (i64, i64) {
    let mixed = (i * 2654435761) >> 3;
    let small = (mixed % 12) as i64;
    let unsigned = matches!(
        basic,
        Basic::U8 | Basic::U16 | Basic::U32 | Basic::U64 | Basic::Byte
    );
    let truth = matches!(basic, Basic::Bool);
    match () {
        _ if truth => (small & 1, 0),
        _ if unsigned => (small, 0),
        _ => (small - 5, (mixed >> 8) as i64 % 7 - 3),
    }
}

fn nonzero(value: (i64, i64)) -> (i64, i64) {
    let other = |v| if v == 0 { 4 } else { v };
    (other(value.0), other(value.1))
}

/// What [`Kernel::fetch`] makes of the elements behind `offset`, and what it fetches: there are `shift` bytes before that
/// and some behind it, which it is not to touch.
fn fetch(
    kernel: &Kernel,
    op: Predefined,
    input: &[u8],
    inout: &[u8],
    offset: usize,
    shift: usize,
) -> (Vec<u8>, Vec<u8>) {
    let mut inout = inout.to_vec();
    let elements = &mut inout[offset..];
    let mut before = vec![0xee; shift + elements.len() + 40];
    let from = match op {
        Predefined::NoOp => std::ptr::null(),
        _ => input[offset..].as_ptr(),
    };
    let count = elements.len() / kernel.extent;
    let to = elements.as_mut_ptr();
    // SAFETY: the buffers have so many elements; NO_OP needs no input.
    unsafe { (kernel.fetch)(from, to, before[shift..].as_mut_ptr(), count) };
    (inout, before)
}

#[test]
fn every_operation_on_every_kind() {
    for op in Predefined::ALL {
        for basic in Basic::ALL {
            let Some(kernel) = kernel_of(op, basic) else {
                assert!(!allowed(op, sort(basic)), "{op:?} {basic:?}");
                continue;
            };
            assert!(allowed(op, sort(basic)), "{op:?} {basic:?}");
            let extent = basic.extent();
            // Short arrays, those for which there may be wider vectors, those that are aligned for them; at any alignment.
            let long = 4096 / extent + 45;
            for (count, offset) in [
                (0, 0),
                (1, 3),
                (37, 0),
                (37, 1),
                (64, 16),
                (203, 0),
                (203, 1),
                (long, 0),
                (long, 1),
                (long, extent),
                (long, 3 * extent),
            ] {
                let mut input = vec![0xcc; count * extent + offset];
                let mut inout = vec![0xdd; count * extent + offset];
                let mut result = inout.clone();
                for i in 0..count {
                    let at = offset + i * extent;
                    let (mut a, mut b) = (value(i, basic), value(i + 1000, basic));
                    if op == Predefined::Prod && matches!(sort(basic), Sort::Real | Sort::Complex) {
                        // Without zeros, whose products can be negative zeros.
                        (a, b) = (nonzero(a), nonzero(b));
                    }
                    put(a, basic, &mut input[at..]);
                    put(b, basic, &mut inout[at..]);
                    put(expected(op, sort(basic), a, b), basic, &mut result[at..]);
                    if let Some(update) = kernel.update {
                        let mut there = 0_u64;
                        let word: *mut u8 = (&raw mut there).cast();
                        let mut before = [0; 8];
                        // SAFETY: an element of at most eight bytes, in a word; the buffers have one at `at`.
                        unsafe {
                            word.copy_from(inout.as_ptr().add(at), extent);
                            update(word, input.as_ptr().add(at), before.as_mut_ptr());
                        }
                        let element = at..at + extent;
                        assert_eq!(
                            there.to_le_bytes()[..extent],
                            result[element.clone()],
                            "{op:?} {basic:?} {a:?} {b:?}"
                        );
                        assert_eq!(before[..extent], inout[element]);
                    } else {
                        assert!(extent > 8 || op == Predefined::NoOp);
                    }
                }
                for shift in [0, offset, 5, 16] {
                    let (fetched, before) = fetch(kernel, op, &input, &inout, offset, shift);
                    assert!(fetched == result, "{op:?} {basic:?}");
                    let mut old = vec![0xee; before.len()];
                    let (elements, places) = (&inout[offset..], &mut old[shift..]);
                    for i in 0..count {
                        for &(at, len) in basic.parts() {
                            let part = i * extent + at..i * extent + at + len;
                            places[part.clone()].copy_from_slice(&elements[part]);
                        }
                    }
                    assert!(before == old, "{op:?} {basic:?}");
                }
                let (from, to) = (input[offset..].as_ptr(), inout[offset..].as_mut_ptr());
                // SAFETY: both buffers have `count` elements.
                unsafe { (kernel.apply)(from, to, count) };
                assert!(inout == result, "{op:?} {basic:?}");
            }
        }
    }
}

#[test]
fn logicals_are_true_if_not_zero() {
    let land = kernel_of(Predefined::Land, Basic::Logical4).unwrap();
    let input = [7i32, -1, 0, 1 << 31];
    let mut inout = [-1i32, 1, 1, 2];
    // SAFETY: both buffers have four elements.
    unsafe { (land.apply)(input.as_ptr().cast(), inout.as_mut_ptr().cast(), 4) };
    assert_eq!(inout, [1, 1, 0, 1]);
}

fn class<T>(result: crate::error::Result<T>) -> Class {
    result.err().expect("an error").class
}

#[test]
fn undefined_combinations_are_errors() {
    let check = |op, handle| check(op, datatype::get(handle).unwrap());
    assert_eq!(check(Predefined::Sum, MPI_INTEGER).unwrap(), Basic::I32);
    assert_eq!(class(check(Predefined::Sum, MPI_BYTE)), Class::Op);
    assert_eq!(class(check(Predefined::Band, MPI_FLOAT)), Class::Op);
    assert_eq!(class(check(Predefined::Max, MPI_COMPLEX)), Class::Op);
    assert_eq!(class(check(Predefined::Sum, MPI_DOUBLE_INT)), Class::Op);
    assert_eq!(class(check(Predefined::Maxloc, MPI_INT)), Class::Op);
    let error = check(Predefined::Max, MPI_LOGICAL).unwrap_err();
    assert_eq!(
        &*error.text,
        "op is MPI_MAX, which is not defined for MPI_LOGICAL"
    );
    let int = datatype::get(MPI_INT).unwrap();
    assert_eq!(
        class(get(MPI_REPLACE).unwrap().check_reduction(int)),
        Class::Op
    );
    assert!(get(MPI_SUM).unwrap().check_reduction(int).is_ok());
}

unsafe extern "C" fn subtract(
    input: *mut c_void,
    inout: *mut c_void,
    len: *mut c_int,
    datatype: *mut MPI_Datatype,
) {
    // SAFETY: called by the tests below with `len` ints in each buffer.
    unsafe {
        assert_eq!(*datatype, MPI_INT);
        for i in 0..*len as usize {
            let (a, b) = (input.cast::<i32>().add(i), inout.cast::<i32>().add(i));
            *b = *a - *b;
        }
    }
}

#[test]
fn user_operations_get_left_and_right_in_order() {
    let handle = create(Function::Small(subtract), false).unwrap();
    let op = get(handle).unwrap();
    assert!(!op.is_commutative());
    let (input, mut inout) = ([10, 20, 30], [1, 2, 3]);
    let int = datatype::get(MPI_INT).unwrap();
    let to = inout.as_mut_ptr().cast();
    // SAFETY: both buffers have three ints.
    unsafe { op.apply(input.as_ptr().cast(), to, 3, int, MPI_INT) }.unwrap();
    assert_eq!(inout, [9, 18, 27]);
    free(handle).unwrap();
    assert_eq!(class(get(handle)), Class::Op);
    assert_eq!(class(free(MPI_SUM)), Class::Op);
    assert_eq!(class(get(MPI_OP_NULL)), Class::Op);
}

#[test]
fn derived_datatypes_reduce_by_runs() {
    let int = datatype::get_arc(MPI_INT).unwrap();
    let vector = datatype::vector(3, 1, 2, &int, false).unwrap();
    let input: Vec<i32> = (0..10).collect();
    let mut inout = vec![100i32; 10];
    let op = get(MPI_SUM).unwrap();
    let to = inout.as_mut_ptr().cast();
    // SAFETY: two vectors of extent 5 ints lie in each buffer.
    unsafe { op.apply(input.as_ptr().cast(), to, 2, &vector, MPI_DATATYPE_NULL) }.unwrap();
    assert_eq!(inout, [100, 100, 102, 100, 104, 105, 100, 107, 100, 109]);
    let mixed = [int, datatype::get_arc(MPI_FLOAT).unwrap()];
    let mixed = datatype::structure(&[1, 1], &[0, 4], &mixed, false).unwrap();
    assert_eq!(class(check(Predefined::Sum, &mixed)), Class::Op);
}
