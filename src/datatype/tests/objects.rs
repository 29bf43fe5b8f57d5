//! Bounds, errors, sizes of layouts, contents, handles.

use super::*;
use crate::attribute::{Callbacks, Value, create_keyval};
use crate::error::Class;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn markers_set_bounds() {
    let [lb, ub, int] = [MPI_LB, MPI_UB, MPI_INT].map(|h| get_arc(h).unwrap());
    let types = [lb.clone(), int.clone(), ub.clone()];
    let marked = structure(&[1, 1, 1], &[-3, 0, 6], &types, false).unwrap();
    assert_eq!((marked.lb(), marked.ub(), marked.size()), (-3, 6, 4));
    let twice = contiguous(2, &Arc::new(marked), false).unwrap();
    assert_eq!((twice.lb(), twice.ub(), twice.true_ub()), (-3, 15, 13));
    // Each sets its own bound only.
    for (marker, bounds) in [(lb, (10, 0)), (ub, (0, 10))] {
        let alone = structure(&[1], &[10], &[marker], false).unwrap();
        assert_eq!(((alone.lb(), alone.ub()), alone.size()), (bounds, 0));
    }
}

#[test]
fn a_struct_is_padded_like_c() {
    let [char, double, int] = [MPI_CHAR, MPI_DOUBLE, MPI_INT].map(|h| get_arc(h).unwrap());
    let types = [double, int.clone(), char];
    let s = structure(&[1, 1, 1], &[0, 8, 12], &types, false).unwrap();
    assert_eq!((s.size(), s.extent(), s.true_ub()), (13, 16, 13));
    let empty = structure(&[], &[], &[], false).unwrap();
    assert_eq!((empty.size(), empty.extent()), (0, 0));
    assert!(contiguous(0, &int, false).unwrap().layout().size() == 0);
}

#[test]
fn what_is_not_in_the_type_map_sets_no_bounds() {
    let [char, double] = [MPI_CHAR, MPI_DOUBLE].map(|h| get_arc(h).unwrap());
    let empty = Arc::new(contiguous(0, &double, false).unwrap());
    let bounds = |member: &Arc<Datatype>, displacements: [i64; 2]| {
        let types = [member.clone(), char.clone()];
        let s = structure(&[1, 1], &displacements, &types, false).unwrap();
        (s.lb(), s.ub())
    };
    assert_eq!(bounds(&empty, [0, -13]), (-13, -12));
    assert_eq!(bounds(&empty, [100, 0]), (0, 1));
    // A set bound is in the type map, also without data.
    let sized = Arc::new(resized(&empty, -3, 16, false).unwrap());
    assert_eq!(bounds(&sized, [0, -13]), (-3, 13));
    let none = Arc::new(contiguous(0, &sized, false).unwrap());
    assert_eq!(bounds(&none, [0, -13]), (-13, -12));
}

/// As a recursive program makes them: each of the one before and a little more, which adjoins nothing.
fn nest(depth: usize, before: bool) -> Arc<Datatype> {
    let [char, short] = [MPI_CHAR, MPI_SHORT].map(|h| get_arc(h).unwrap());
    (0..depth).fold(short.clone(), |nest, i| {
        let little = if i % 2 == 0 { &char } else { &short };
        let (types, at) = match before {
            true => ([little.clone(), nest], -4 * i as i64 - 4),
            false => ([nest, little.clone()], 4 * i as i64 + 4),
        };
        let displacements = if before { [at, 0] } else { [0, at] };
        Arc::new(structure(&[1, 1], &displacements, &types, false).unwrap())
    })
}

#[test]
fn deep_nests_are_made_used_and_freed_on_a_small_stack() {
    const DEPTH: usize = 100_000;
    let work = || {
        for before in [false, true] {
            let nest = nest(DEPTH, before);
            let size = 2 + DEPTH / 2 * 3;
            assert_eq!((nest.size(), nest.signature().elements), (size, DEPTH + 1));
            let low = if before { -4 * DEPTH as isize } else { 0 };
            assert_eq!(nest.true_lb(), low);
            let mut memory = vec![0u8; 4 * DEPTH + 4];
            memory
                .iter_mut()
                .enumerate()
                .for_each(|(i, b)| *b = noise(i));
            let base = memory.as_ptr().wrapping_offset(-low);
            let mut packed = vec![0u8; size];
            // SAFETY: the memory has all that the datatype tells of.
            unsafe { nest.pack(base, 1, 0..size, packed.as_mut_ptr()) };
            let mut places = Vec::new();
            nest.for_each_run(base.addr(), 1, |at, len| {
                places.extend((at..at + len).map(|at| at - memory.as_ptr().addr()));
            });
            let wanted: Vec<u8> = places.iter().map(|&place| noise(place)).collect();
            assert!(packed == wanted);
            assert_eq!(nest.signature().elements_in(size), Some(DEPTH + 1));
            let again = nest.envelope().types[usize::from(before)].clone();
            assert_eq!(nest.size() - again.size(), 2);
        }
    };
    let small = std::thread::Builder::new().stack_size(64 << 10);
    small.spawn(work).unwrap().join().unwrap();
}

fn class<T>(result: Result<T>) -> Class {
    result.err().expect("an error").class
}

#[test]
fn what_does_not_fit_is_an_error() {
    let int = get_arc(MPI_INT).unwrap();
    let max = i64::MAX;
    assert_eq!(class(contiguous(-1, &int, false)), Class::Count);
    assert_eq!(class(contiguous(max, &int, true)), Class::Arg);
    assert_eq!(class(vector(max, max, max, &int, true)), Class::Arg);
    assert_eq!(class(vector(2, -1, 1, &int, true)), Class::Arg);
    assert_eq!(class(hvector(2, 1, i64::MIN, &int, true)), Class::Arg);
    assert_eq!(
        class(hindexed(&[1, 1], &[i64::MIN, max], &int, true)),
        Class::Arg
    );
    assert_eq!(class(indexed(&[1, -1], &[0, 1], &int, true)), Class::Arg);
    assert_eq!(class(indexed_block(1, &[max], &int, true)), Class::Arg);
    assert_eq!(
        class(structure(&[max], &[0], std::slice::from_ref(&int), true)),
        Class::Arg
    );
    assert_eq!(class(resized(&int, max, max, true)), Class::Arg);
    let order = MPI_ORDER_C;
    assert_eq!(
        class(subarray(&[max, max], &[1, 1], &[0, 0], order, &int, true)),
        Class::Arg
    );
    assert_eq!(
        class(subarray(&[4], &[2], &[3], order, &int, true)),
        Class::Arg
    );
    assert_eq!(
        class(subarray(&[4], &[0], &[0], order, &int, true)),
        Class::Arg
    );
    assert_eq!(class(subarray(&[4], &[1], &[0], 7, &int, true)), Class::Arg);
    let huge = contiguous(1 << 60, &int, true).unwrap();
    assert_eq!(huge.size(), 1 << 62);
    assert_eq!(class(huge.bytes(4)), Class::Count);
    assert_eq!(class(contiguous(4, &Arc::new(huge), true)), Class::Arg);
}

#[test]
fn large_counts_make_no_records() {
    let int = get_arc(MPI_INT).unwrap();
    let vector = Arc::new(vector(1 << 40, 1, 2, &int, true).unwrap());
    assert!(matches!(
        vector.layout().form,
        layout::Form::Strided {
            count: 0x100_0000_0000,
            stride: 8,
            block: 4
        }
    ));
    let mut nested = int.clone();
    for _ in 0..10 {
        nested = Arc::new(contiguous(8, &nested, false).unwrap());
    }
    assert!(nested.is_dense());
    assert_eq!(nested.size(), 4 << 30);
    let displacements: Vec<i64> = (0..100_000).map(|i| 4 * i).collect();
    let regular = indexed_block(2, &displacements, &int, false).unwrap();
    assert!(matches!(
        regular.layout().form,
        layout::Form::Strided { count: 100_000, .. }
    ));
    let rows = Arc::new(contiguous(3, &vector, true).unwrap());
    let outer = hvector(1 << 10, 1, -(1 << 50), &rows, true).unwrap();
    assert_eq!(outer.size(), 3 << 52);
}

#[test]
fn contents_describe_the_call() {
    let int = get_arc(MPI_INT).unwrap();
    let small = vector(3, 2, -5, &int, false).unwrap();
    let e = small.envelope();
    assert_eq!(e.combiner, MPI_COMBINER_VECTOR);
    assert_eq!((&e.integers[..], &e.counts[..]), (&[3, 2, -5][..], &[][..]));
    let large = hindexed(&[1, 2], &[40, 80], &int, true).unwrap();
    let e = large.envelope();
    assert_eq!((&e.integers[..], &e.addresses[..]), (&[][..], &[][..]));
    assert_eq!(&e.counts[..], [2, 1, 2, 40, 80]);
    assert_eq!(hand_out(&e.types[0]).unwrap(), MPI_INT);
    let e = hindexed(&[1, 2], &[40, 80], &int, false).unwrap();
    assert_eq!(e.envelope().integers, [2, 1, 2]);
    assert_eq!(e.envelope().addresses, [40, 80]);
    let pair = get_arc(MPI_SHORT_INT).unwrap();
    assert_eq!(hand_out(&pair).unwrap(), MPI_SHORT_INT);
}

#[test]
fn handles_live_and_die() {
    let int = get_arc(MPI_INT).unwrap();
    let handle = insert(contiguous(2, &int, false).unwrap().into()).unwrap();
    assert!(Named::of(handle).is_none());
    let object = get(handle).unwrap();
    assert_eq!(class(object.committed()), Class::Type);
    assert!(
        !dup(&get_arc(handle).unwrap(), handle)
            .unwrap()
            .is_committed()
    );
    object.commit();
    assert!(get_committed(handle).is_ok());
    assert!(
        dup(&get_arc(handle).unwrap(), handle)
            .unwrap()
            .is_committed()
    );
    object.set_name(b"two");
    assert_eq!(&*object.name(), b"two");
    // (That the handle is none from here on is for a program that makes no other meanwhile: `c_tests/datatypes/errors_types.c`.)
    free(handle).unwrap();
    for handle in [MPI_INT, MPI_FLOAT_INT, MPI_DATATYPE_NULL] {
        assert_eq!(class(free(handle)), Class::Type);
    }
    assert_eq!(&*get(MPI_FLOAT_INT).unwrap().name(), b"MPI_FLOAT_INT");
}

#[test]
fn fortran_kinds_are_made_once() {
    let real = f90::real(15, MPI_UNDEFINED).unwrap();
    assert_eq!(f90::real(15, MPI_UNDEFINED).unwrap(), real);
    assert_eq!(get(real).unwrap().basic(), Some(Basic::F64));
    assert!(get(real).unwrap().is_committed());
    assert_eq!(get(real).unwrap().envelope().integers, [15, MPI_UNDEFINED]);
    assert_eq!(class(free(real)), Class::Type);
    let basic = |h: Result<MPI_Datatype>| get(h.unwrap()).unwrap().basic();
    assert_eq!(basic(f90::real(6, 37)), Some(Basic::F32));
    assert_eq!(basic(f90::real(16, 10)), Some(Basic::F80));
    assert_eq!(basic(f90::real(33, 10)), Some(Basic::F128));
    assert_eq!(
        basic(f90::complex(MPI_UNDEFINED, 300)),
        Some(Basic::ComplexF64)
    );
    assert_eq!(basic(f90::integer(9)), Some(Basic::I32));
    assert_eq!(basic(f90::integer(10)), Some(Basic::I64));
    assert_eq!(class(f90::integer(39)), Class::Arg);
    assert_eq!(class(f90::real(34, 1)), Class::Arg);
    assert_eq!(class(f90::real(MPI_UNDEFINED, MPI_UNDEFINED)), Class::Arg);
    assert_eq!(f90::match_size(MPI_TYPECLASS_REAL, 8).unwrap(), MPI_REAL8);
    assert_eq!(class(f90::match_size(MPI_TYPECLASS_INTEGER, 3)), Class::Arg);
    let logical = f90::match_size(MPIX_TYPECLASS_LOGICAL, 2).unwrap();
    assert_eq!(logical, MPI_LOGICAL2);
}

#[test]
fn buffers_where_no_memory_can_be_are_errors() {
    let int = get(MPI_INT).unwrap();
    assert_eq!(class(int.check_buffer(0, 1, "buf")), Class::Buffer);
    assert!(int.check_buffer(0, 0, "buf").is_ok());
    assert_eq!(class(int.check_buffer(usize::MAX, 1, "buf")), Class::Buffer);
    let place = 0x7000_0000_0000i64;
    let absolute = hindexed(&[1], &[place], &get_arc(MPI_INT).unwrap(), false).unwrap();
    assert!(absolute.check_buffer(0, 1, "buf").is_ok());
}

unsafe extern "C" fn copy(
    _: MPI_Datatype,
    _: c_int,
    _: *mut c_void,
    value: *mut c_void,
    copied: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: MPI gives places for a pointer and an `int`.
    unsafe {
        copied.cast::<usize>().write(value.addr() + 1);
        flag.write(1);
    }
    MPI_SUCCESS
}

unsafe extern "C" fn delete(
    _: MPI_Datatype,
    _: c_int,
    value: *mut c_void,
    log: *mut c_void,
) -> c_int {
    // SAFETY: the test gives a counter that outlives the attributes.
    unsafe { &*log.cast::<AtomicUsize>() }.fetch_add(value.addr(), Ordering::Relaxed);
    MPI_SUCCESS
}

#[test]
fn attributes_go_with_the_last_handle() {
    let sum = AtomicUsize::new(0);
    let callbacks = Callbacks::Type(Some(copy), Some(delete));
    let key = create_keyval(callbacks, (&raw const sum).cast_mut().cast()).unwrap();
    let int = get_arc(MPI_INT).unwrap();
    let first = insert(contiguous(2, &int, false).unwrap().into()).unwrap();
    get(first)
        .unwrap()
        .attributes
        .set(first.0, key, Value::Pointer(10))
        .unwrap();
    let second = insert(dup(&get_arc(first).unwrap(), first).unwrap().into()).unwrap();
    let copied = get(second).unwrap().attributes.get(key).unwrap();
    assert!(matches!(copied, Some(Value::Pointer(11))));
    let again = hand_out(&get(second).unwrap().envelope().types[0]).unwrap();
    assert_eq!(again, first);
    free(first).unwrap();
    assert_eq!(sum.load(Ordering::Relaxed), 0);
    free(again).unwrap();
    assert_eq!(sum.load(Ordering::Relaxed), 10);
    free(second).unwrap();
    assert_eq!(sum.load(Ordering::Relaxed), 21);
}
