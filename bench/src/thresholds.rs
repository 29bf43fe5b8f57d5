//! `--thresholds`: what the numbers in the library that depend on the machine were chosen by. Both sides of each are measured, on
//! the library's own sources where they can be had alone, and shown with the number as it is.

use crate::shm::copy;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{ptr, thread};

#[path = "../../src/transport/distance.rs"]
#[allow(dead_code)]
mod distance;

/// Rounds of a measurement, of which the best counts.
const ROUNDS: u32 = 7;

pub fn print() {
    let cores = cores();
    copies();
    for &other in cores.iter().skip(1) {
        pieces(cores[0], other);
    }
    waits(&cores);
    println!(
        "\nSizes at which messages and collectives change their way (transport/engine/sending.rs, transport/transfer.rs, coll/, \
         runtime/board.rs):\nmake bench BENCH=\"--families sizes --peers none\" shows the steps at them."
    );
}

/// The cores that this process may use.
fn cores() -> Vec<usize> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).expect("the kernel tells the cores");
    (0..CpuSet::count())
        .filter(|&core| allowed.is_set(core) == Ok(true))
        .collect()
}

/// Puts the calling thread on a core.
fn stay_on(core: usize) {
    let mut set = CpuSet::new();
    set.set(core).expect("it was in a set");
    sched_setaffinity(Pid::from_raw(0), &set).expect("it is one of ours");
}

/// Nanoseconds of one of many calls, the best of some rounds.
fn nanoseconds(calls: u32, mut call: impl FnMut()) -> f64 {
    let mut round = || {
        let began = Instant::now();
        (0..calls).for_each(|_| call());
        began.elapsed().as_nanos() as f64 / f64::from(calls)
    };
    (0..ROUNDS).map(|_| round()).fold(f64::MAX, f64::min)
}

/// libc's copy, the ways of the library, and the one that it takes, between addresses that differ in their place in a cache line.
fn copies() {
    println!(
        "Copies, ns (shm/copy.rs: words from {} bytes, or string from {}, past the caches from {})\n",
        copy::OWN,
        copy::LONG,
        copy::leaving()
    );
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "bytes", "libc", "words", "string", "past", "taken"
    );
    let most = copy::leaving().min(32 << 20) * 2;
    let (from, mut to) = (vec![1_u8; most + 16], vec![0_u8; most]);
    let (from, to) = (from[16..].as_ptr(), to.as_mut_ptr());
    let mut bytes = copy::OWN;
    while bytes <= most {
        let calls = (16_u32 << 20).div_ceil(bytes as u32);
        let ways = [
            ptr::copy,
            copy::by_words,
            copy::by_string,
            copy::past_caches,
            copy::copy,
        ];
        let times = ways.map(|copy: unsafe fn(*const u8, *mut u8, usize)| {
            // SAFETY: both have room for the most bytes, and do not overlap.
            nanoseconds(calls, || unsafe {
                copy(black_box(from), black_box(to), bytes)
            })
        });
        println!(
            "{bytes:>9} {}",
            times.map(|t| format!("{t:>9.0}")).join(" ")
        );
        bytes *= 2;
    }
}

/// Pieces that one core writes and another reads: how long each way of writing takes, and until they were read.
fn pieces(near: usize, far: usize) {
    println!("\nPieces from core {near} to core {far}, ns (transport/distance.rs)\n");
    println!(
        "{:>9} {:>22} {:>22}   the timed copy says",
        "bytes", "ordinary: copied, read", "past caches: the same"
    );
    for bytes in [distance::LEAST, 2 << 10, distance::TELLING, 8 << 10] {
        let ordinary = piece(near, far, bytes, copy::copy_to_segment);
        let past = piece(near, far, bytes, copy::past_caches);
        let nearness = distance::nearness(bytes, Duration::from_nanos(ordinary.0 as u64));
        println!(
            "{bytes:>9} {:>11.0} {:>10.0} {:>11.0} {:>10.0}   {nearness:?}",
            ordinary.0, ordinary.1, past.0, past.1
        );
    }
}

/// The median nanoseconds to copy a piece, and until the other core has read it and said so.
fn piece(
    near: usize,
    far: usize,
    bytes: usize,
    copy: unsafe fn(*const u8, *mut u8, usize),
) -> (f64, f64) {
    const TURNS: usize = 2001;
    let source = vec![1_u8; bytes];
    let mut shared = vec![0_u64; bytes / 8];
    let place = shared.as_mut_ptr() as usize;
    let (written, read) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let reader = || {
        stay_on(far);
        for turn in 1..=TURNS {
            while written.load(Ordering::Acquire) < turn {
                spin_loop();
            }
            for word in 0..bytes / 8 {
                // SAFETY: the writer waits until this turn is said to be read.
                black_box(unsafe { (place as *const u64).add(word).read_volatile() });
            }
            read.store(turn, Ordering::Release);
        }
    };
    let mut times = Vec::with_capacity(TURNS);
    thread::scope(|scope| {
        scope.spawn(reader);
        scope.spawn(|| {
            stay_on(near);
            for turn in 1..=TURNS {
                let began = Instant::now();
                // SAFETY: both have room for the bytes, and the reader waits for the next turn.
                unsafe { copy(source.as_ptr(), place as *mut u8, bytes) };
                // As a ring's, with the fence that publishes it.
                written.swap(turn, Ordering::SeqCst);
                let copied = began.elapsed();
                while read.load(Ordering::Acquire) < turn {
                    spin_loop();
                }
                times.push((copied, began.elapsed()));
            }
        });
    });
    let median = |which: fn(&(Duration, Duration)) -> Duration| {
        let mut sorted: Vec<Duration> = times.iter().map(which).collect();
        sorted.sort();
        sorted[TURNS / 2].as_nanos() as f64
    };
    (median(|times| times.0), median(|times| times.1))
}

/// What a yield and a wake-up cost, by which a waiter decides how long to spin and to yield.
fn waits(cores: &[usize]) {
    const CALLS: u32 = 20_000;
    println!("\nWaiting, ns (runtime/wait.rs, runtime/yields.rs)\n");
    let alone = on(cores[0], || nanoseconds(CALLS, thread::yield_now));
    println!("{alone:>9.0}  a yield that finds nobody (SPIN is longer than many)");
    let over = AtomicBool::new(false);
    let shared = thread::scope(|scope| {
        scope.spawn(|| {
            stay_on(cores[0]);
            while !over.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        });
        let time = on(cores[0], || nanoseconds(CALLS, thread::yield_now));
        over.store(true, Ordering::Relaxed);
        time
    });
    println!("{shared:>9.0}  a yield to another that yields (MOMENT is about this)");
    for &core in cores.iter().take(2) {
        let woken = on(cores[0], || wake_up(core));
        println!(
            "{woken:>9.0}  from core {} waking a sleeper on core {core}",
            cores[0]
        );
    }
    println!("           (WAKING is about this, YIELD_LEAST less, YIELD_MOST more)");
}

/// Does something on a core.
fn on<T: Send>(core: usize, work: impl FnOnce() -> T + Send) -> T {
    let on_core = || {
        stay_on(core);
        work()
    };
    thread::scope(|scope| scope.spawn(on_core).join().expect("it does not panic"))
}

/// Nanoseconds from waking a thread that sleeps on another core to its being awake: half of a round trip.
fn wake_up(core: usize) -> f64 {
    const CALLS: u32 = 2000;
    let (turn, caller) = (AtomicUsize::new(0), thread::current());
    let sleep = |mine: usize| {
        while turn.load(Ordering::Acquire) % 2 != mine {
            thread::park();
        }
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            stay_on(core);
            for _ in 0..ROUNDS * CALLS {
                sleep(1);
                turn.fetch_add(1, Ordering::Release);
                caller.unpark();
            }
        });
        let both = nanoseconds(CALLS, || {
            turn.fetch_add(1, Ordering::Release);
            other.thread().unpark();
            sleep(0);
        });
        both / 2.0
    })
}
