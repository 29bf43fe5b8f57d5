//! Where the data is and how it moves, against the model.

use super::*;

#[test]
fn bounds_and_sizes_are_those_of_the_type_map() {
    for model in models(1, 3000) {
        model.check_bounds();
    }
}

#[test]
fn packing_follows_the_type_map() {
    let mut random = Random(99);
    for model in models(2, 1000) {
        let count = random.within(0, 3) as usize;
        let mut memory = Memory::of(&model, count, noise);
        let expected: Vec<u8> = model.bytes(count).iter().map(|d| *memory.at(*d)).collect();
        let size = expected.len();
        let base = memory.base();
        let mut packed = vec![0; size];
        // SAFETY: `memory` holds the message, `packed` its data.
        unsafe { model.object.pack(base, count, 0..size, packed.as_mut_ptr()) };
        assert!(packed == expected);
        for _ in 0..8 {
            let a = random.within(0, size as i64) as usize;
            let b = random.within(a as i64, size as i64) as usize;
            let mut part = vec![0; b - a];
            // SAFETY: as above, for a part of it.
            unsafe { model.object.pack(base, count, a..b, part.as_mut_ptr()) };
            assert!(part == expected[a..b], "{a}..{b} of {size}");
        }
    }
}

#[test]
fn unpacking_follows_the_type_map() {
    let mut random = Random(77);
    for model in models(3, 1000) {
        let count = random.within(0, 3) as usize;
        let places = model.bytes(count);
        let packed: Vec<u8> = (0..places.len()).map(noise).collect();
        let mut expected = Memory::of(&model, count, |_| 0xaa);
        for (place, byte) in places.iter().zip(&packed) {
            *expected.at(*place) = *byte;
        }
        let mut memory = Memory::of(&model, count, |_| 0xaa);
        let base = memory.base();
        let cut = random.within(0, packed.len() as i64) as usize;
        for range in [0..cut, cut..packed.len()] {
            let from = packed[range.clone()].as_ptr();
            // SAFETY: `memory` holds the message, `packed` its data.
            unsafe { model.object.unpack(from, base, count, range) };
        }
        assert!(memory.bytes == expected.bytes);
    }
}

#[test]
fn a_transfer_is_a_pack_and_an_unpack() {
    let all = models(4, 600);
    for pair in all.chunks(2) {
        let (from, to) = (&pair[0], &pair[1]);
        if to.map.is_empty() || from.map.is_empty() {
            continue;
        }
        for to in [to, from] {
            let from_count = 200;
            let size = from.object.size() * from_count;
            let to_count = size.div_ceil(to.object.size());
            if to.bytes(1).len() * to_count > 1 << 20 {
                continue;
            }
            let mut source = Memory::of(from, from_count, noise);
            let mut expected = Memory::of(to, to_count, |_| 0x55);
            let mut target = Memory::of(to, to_count, |_| 0x55);
            for (a, b) in from.bytes(from_count).iter().zip(to.bytes(to_count)) {
                *expected.at(b) = *source.at(*a);
            }
            // SAFETY: both memories hold their messages, and the target's is not shorter.
            unsafe {
                transfer(
                    from.object.message(source.base(), from_count),
                    to.object.message(target.base(), to_count),
                )
            };
            assert!(target.bytes == expected.bytes);
        }
    }
}

#[test]
fn runs_and_elements_are_visited_in_order() {
    for model in models(5, 1000) {
        let base = 1usize << 40;
        let mut visited = Vec::new();
        model.object.for_each_run(base, 2, |address, len| {
            visited.extend((address..address + len).map(|a| a as i64 - base as i64))
        });
        assert!(visited == model.bytes(2));
        let Some(kind) = model.object.basic() else {
            continue;
        };
        let mut visited = Vec::new();
        model.object.for_each_element(base, 2, kind, |address, n| {
            visited.extend((0..n).map(|i| (address + i * kind.extent()) as i64 - base as i64))
        });
        let expected: Vec<i64> = (0..2)
            .flat_map(|i| model.elements.iter().map(move |e| (i, e.0)))
            .map(|(i, d)| i * model.extent() + d)
            .collect();
        assert!(visited == expected);
    }
}

#[test]
fn parts_of_arrays_are_where_their_indices_are() {
    let int = get_arc(MPI_INT).unwrap();
    for order in [MPI_ORDER_C, MPI_ORDER_FORTRAN] {
        let (sizes, subsizes, starts) = ([4, 5, 6], [2, 3, 2], [1, 0, 3]);
        let sub = subarray(&sizes, &subsizes, &starts, order, &int, false).unwrap();
        let mut expected = Vec::new();
        let slow_to_fast: [usize; 3] = if order == MPI_ORDER_C {
            [0, 1, 2]
        } else {
            [2, 1, 0]
        };
        for a in 0..subsizes[slow_to_fast[0]] {
            for b in 0..subsizes[slow_to_fast[1]] {
                for c in 0..subsizes[slow_to_fast[2]] {
                    let index = [a, b, c]
                        .iter()
                        .zip(slow_to_fast)
                        .fold(0, |at, (i, d)| at * sizes[d] + starts[d] + i);
                    expected.push(index as usize * 4);
                }
            }
        }
        let mut visited = Vec::new();
        sub.for_each_run(0, 1, |at, len| visited.extend((at..at + len).step_by(4)));
        assert_eq!(visited, expected);
        assert_eq!((sub.lb(), sub.extent()), (0, 4 * 5 * 6 * 4));
    }
}

/// The process that has index `i` of a dimension, by the words of the standard.
fn owner(i: i64, size: i64, distribution: i32, argument: i32, processes: i64) -> i64 {
    match (distribution, argument) {
        (MPI_DISTRIBUTE_NONE, _) => 0,
        (MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG) => {
            i / ((size + processes - 1) / processes)
        }
        (MPI_DISTRIBUTE_BLOCK, n) => i / n as i64,
        (_, MPI_DISTRIBUTE_DFLT_DARG) => i % processes,
        (_, n) => i / n as i64 % processes,
    }
}

#[test]
fn distributed_arrays_give_every_element_to_its_owner() {
    let int = get_arc(MPI_INT).unwrap();
    let default = MPI_DISTRIBUTE_DFLT_DARG;
    let kinds = [
        (MPI_DISTRIBUTE_BLOCK, default),
        (MPI_DISTRIBUTE_BLOCK, 7),
        (MPI_DISTRIBUTE_CYCLIC, default),
        (MPI_DISTRIBUTE_CYCLIC, 2),
        (MPI_DISTRIBUTE_CYCLIC, 3),
        (MPI_DISTRIBUTE_NONE, default),
    ];
    let gsizes = [10, 7];
    let mut checked = 0;
    for order in [MPI_ORDER_C, MPI_ORDER_FORTRAN] {
        for a in kinds {
            for b in kinds {
                let psizes = [a, b].map(|k| if k.0 == MPI_DISTRIBUTE_NONE { 1 } else { 3 });
                let size = psizes[0] * psizes[1];
                for rank in 0..size {
                    let made = darray(
                        size,
                        rank,
                        &gsizes,
                        &[a.0, b.0],
                        &[a.1, b.1],
                        &psizes,
                        order,
                        &int,
                        false,
                    )
                    .unwrap();
                    let mine = [rank / psizes[1], rank % psizes[1]];
                    let mut expected = Vec::new();
                    for at in 0..gsizes[0] * gsizes[1] {
                        let index = if order == MPI_ORDER_C {
                            [at / gsizes[1], at % gsizes[1]]
                        } else {
                            [at % gsizes[0], at / gsizes[0]]
                        };
                        let has = |d: usize, k: (i32, i32)| {
                            owner(index[d], gsizes[d], k.0, k.1, psizes[d] as i64) == mine[d] as i64
                        };
                        if has(0, a) && has(1, b) {
                            expected.push(at as usize * 4);
                        }
                    }
                    let mut visited = Vec::new();
                    made.for_each_run(0, 1, |at, len| visited.extend((at..at + len).step_by(4)));
                    assert_eq!(visited, expected, "{a:?} {b:?} rank {rank} order {order}");
                    assert_eq!(made.size(), expected.len() * 4);
                    assert_eq!((made.lb(), made.extent()), (0, 10 * 7 * 4));
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 300);
}
