//! How fast packing is.

use super::*;

/// Prints how packing compares with plain loops: `cargo test --release pack_speed -- --ignored --nocapture`.
#[test]
#[ignore = "prints times, asserts nothing about them"]
fn pack_speed() {
    let blocks = 1024;
    for (block, stride) in [
        (1, 8),
        (4, 16),
        (8, 64),
        (16, 64),
        (20, 64),
        (64, 256),
        (4096, 8192),
    ] {
        let byte = get_arc(MPI_BYTE).unwrap();
        let element = Arc::new(contiguous(block, &byte, false).unwrap());
        let vector = hvector(blocks, 1, stride, &element, false).unwrap();
        let memory = vec![1u8; (blocks * stride) as usize];
        let mut packed = vec![0u8; (blocks * block) as usize];
        let rounds = if block > 1000 { 200 } else { 20_000 };
        let time = |work: &mut dyn FnMut()| {
            (0..7)
                .map(|_| {
                    let start = std::time::Instant::now();
                    (0..rounds).for_each(|_| work());
                    start.elapsed().as_nanos() as f64 / rounds as f64
                })
                .fold(f64::INFINITY, f64::min)
        };
        let size = packed.len();
        let engine = time(&mut || {
            // SAFETY: `memory` holds the vector, `packed` its data.
            unsafe {
                vector.pack(
                    std::hint::black_box(memory.as_ptr()),
                    1,
                    0..size,
                    packed.as_mut_ptr(),
                )
            };
            std::hint::black_box(&packed);
        });
        let plain = time(&mut || {
            let memory = std::hint::black_box(&memory);
            let stride = stride as usize;
            match block {
                1 => plain_loop::<1>(memory, stride, &mut packed),
                4 => plain_loop::<4>(memory, stride, &mut packed),
                8 => plain_loop::<8>(memory, stride, &mut packed),
                16 => plain_loop::<16>(memory, stride, &mut packed),
                20 => plain_loop::<20>(memory, stride, &mut packed),
                64 => plain_loop::<64>(memory, stride, &mut packed),
                _ => plain_loop::<4096>(memory, stride, &mut packed),
            }
            std::hint::black_box(&packed);
        });
        println!(
            "{blocks} x {block} B, stride {stride}: {engine:.0} ns, plain loop {plain:.0} ns, ratio {:.2}",
            engine / plain
        );
    }
}

/// What a program would write that knows its block length when it is compiled.
fn plain_loop<const BLOCK: usize>(memory: &[u8], stride: usize, packed: &mut [u8]) {
    let (blocks, _) = packed.as_chunks_mut::<BLOCK>();
    for (to, from) in blocks.iter_mut().zip(memory.chunks_exact(stride)) {
        to.copy_from_slice(&from[..BLOCK]);
    }
}
