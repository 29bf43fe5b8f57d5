//! The threads of this process that sleep in futexes, as the kernel tells.
//!
//! A futex that is not private is found by the page that its word lies on: so by who wakes it through the same mapping as the
//! thread has fallen asleep through, and by nobody after that was replaced. Such are process-shared locks, and what
//! `pthread_join` waits for, which lies on the stack of the thread that ends.
//!
//! These are asked for while memory is protected. Nothing here allocates: malloc's books may lie on it, and a thread that waits
//! for it may hold malloc's lock.

use std::ops::Range;

/// A thread in a system call.
struct Call {
    number: i64,
    arguments: [usize; 6],
    stack: usize,
}

const WAIT: usize = 0;
const LOCK_PI: usize = 6;
const WAIT_BITSET: usize = 9;
const WAIT_REQUEUE_PI: usize = 11;
const LOCK_PI2: usize = 13;
const PRIVATE: usize = 128;
const CLOCK_REALTIME: usize = 256;
/// Since Linux 5.16 and 6.7.
const FUTEX_WAITV: i64 = 449;
const FUTEX_WAIT: i64 = 455;

impl Call {
    /// What a line of `/proc/PID/syscall` says: number, six arguments, stack pointer, instruction pointer.
    fn of(line: &str) -> Option<Call> {
        let mut words = line.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut word = || usize::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = word()?;
        }
        Some(Call {
            number,
            arguments,
            stack: word()?,
        })
    }

    fn sleeps(&self) -> bool {
        let sleeps = [WAIT, WAIT_BITSET, LOCK_PI, WAIT_REQUEUE_PI, LOCK_PI2];
        let operation = self.arguments[1] & !(PRIVATE | CLOCK_REALTIME);
        self.number == libc::SYS_futex && sleeps.contains(&operation)
    }

    fn is_private(&self) -> bool {
        self.arguments[1] & PRIVATE != 0
    }

    /// The word of a futex that is not private.
    fn shared_word(&self) -> Option<usize> {
        (self.sleeps() && !self.is_private()).then_some(self.arguments[0])
    }

    /// Sleeps for what is not known.
    fn sleeps_otherwise(&self) -> bool {
        matches!(self.number, FUTEX_WAITV | FUTEX_WAIT)
    }
}

/// How a thread sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// Until another thread of its process wakes it.
    Private,
    /// Until somebody wakes those that sleep at this word.
    At(usize),
    /// For something else too, or not at all.
    Other,
}

/// What a line of `/proc/PID/syscall` says of that.
pub fn sleep(line: &str) -> Sleep {
    match Call::of(line) {
        Some(call) if call.sleeps() && call.arguments[3] == 0 => match call.shared_word() {
            None => Sleep::Private,
            Some(word) => Sleep::At(word),
        },
        _ => Sleep::Other,
    }
}

/// Whether a thread of this process sleeps in a futex that is not private and may lie in `range`.
pub fn are_in(range: &Range<usize>) -> bool {
    let mut found = false;
    let told = each(&mut |call| {
        let word = call.shared_word().is_some_and(|word| range.contains(&word));
        found |= word || call.sleeps_otherwise();
    });
    found || !told
}

/// Whether the end of the stack of a thread that is in the kernel lies in `range`, or just above: where it gets its signals.
pub fn stacks_are_in(range: &Range<usize>) -> bool {
    const FRAME: usize = 64 << 10;
    let mut found = false;
    let told = each(&mut |call| {
        found |= range.start < call.stack && call.stack.saturating_sub(FRAME) < range.end;
    });
    found || !told
}

/// Wakes those that fell asleep so in `range`, which was a mapping of what lies at `from`, and still does. They look at their
/// words again.
pub fn wake(range: &Range<usize>, from: *const u8) {
    each(&mut |call| {
        if let Some(word) = call.shared_word().filter(|word| range.contains(word)) {
            let at = from.wrapping_add(word - range.start);
            // SAFETY: the kernel looks whose word it is, and at nothing there.
            unsafe { libc::syscall(libc::SYS_futex, at, libc::FUTEX_WAKE, i32::MAX) };
        }
    });
}

/// Calls `look` with what each thread that is in the kernel does there. False if that is not told.
fn each(look: &mut dyn FnMut(&Call)) -> bool {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    // SAFETY: a path that ends with a zero.
    let list = unsafe { libc::open(c"/proc/self/task".as_ptr(), flags | libc::O_DIRECTORY) };
    if list < 0 {
        return false;
    }
    let mut entries = [0_u64; 512];
    let told = loop {
        let room = size_of_val(&entries);
        // SAFETY: the kernel writes so many bytes at the most.
        let read = unsafe { libc::syscall(libc::SYS_getdents64, list, entries.as_mut_ptr(), room) };
        if read <= 0 {
            break read == 0;
        }
        let first = entries.as_ptr().cast::<u8>();
        // SAFETY: so many bytes were written.
        let bytes = unsafe { std::slice::from_raw_parts(first, read as usize) };
        for name in names(bytes) {
            look_at(list, name, look);
        }
    };
    // SAFETY: the descriptor opened above.
    unsafe { libc::close(list) };
    told
}

/// The numbers among the names of `linux_dirent64`s: those lie behind 19 bytes, the last two but one of which are the length.
fn names(mut entries: &[u8]) -> impl Iterator<Item = &[u8]> {
    const NAME: usize = 19;
    std::iter::from_fn(move || {
        let len = usize::from(u16::from_le_bytes([*entries.get(16)?, *entries.get(17)?]));
        let (entry, rest) = entries.split_at_checked(len.max(NAME))?;
        entries = rest;
        let name = &entry[NAME..];
        Some(&name[..name.iter().position(|&byte| byte == 0).unwrap_or(0)])
    })
    .filter(|name| name.first().is_some_and(u8::is_ascii_digit))
}

/// `thread`: its number, in digits.
fn look_at(list: i32, thread: &[u8], look: &mut dyn FnMut(&Call)) {
    const FILE: &[u8] = b"/syscall\0";
    let mut path = [0_u8; 64];
    let mut text = [0_u8; 512];
    path[..thread.len()].copy_from_slice(thread);
    path[thread.len()..thread.len() + FILE.len()].copy_from_slice(FILE);
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    // SAFETY: the path ends with a zero, the buffer is as long as said, and the descriptor is the one just opened.
    let read = unsafe {
        let file = libc::openat(list, path.as_ptr().cast(), flags);
        if file < 0 {
            return;
        }
        let read = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        read
    };
    let text = text.get(..read.max(0) as usize).unwrap_or_default();
    if let Some(call) = std::str::from_utf8(text).ok().and_then(Call::of) {
        look(&call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    #[test]
    fn sleeps_are_told_apart() {
        let line = |number, operation, limit| {
            format!(
                "{number} 0x7f00 0x{operation:x} 0x0 0x{limit:x} 0x0 0xffffffff 0x7ffe 0x7f01\n"
            )
        };
        assert_eq!(sleep(&line(202, 128, 0)), Sleep::Private);
        assert_eq!(sleep(&line(202, 128 | 256 | 9, 0)), Sleep::Private);
        assert_eq!(sleep(&line(202, 256 | 9, 0)), Sleep::At(0x7f00));
        for other in [
            line(202, 0, 5),
            line(202, 128, 0x7f02),
            line(202, 129, 0),
            line(0, 128, 0),
            "running\n".into(),
            "-1 0x7ffe 0x7f01\n".into(),
            String::new(),
        ] {
            assert_eq!(sleep(&other), Sleep::Other, "{other}");
        }
        let word = |text: String| Call::of(&text).and_then(|call| call.shared_word());
        assert_eq!(word(line(202, 9, 5)), Some(0x7f00));
        assert_eq!(word(line(202, 128 | 9, 5)), None);
        assert_eq!(word(line(202, 1, 0)), None);
    }

    #[test]
    fn a_thread_that_sleeps_for_other_processes_is_found_and_woken() {
        let word = AtomicU32::new(0);
        let at = (&raw const word) as usize;
        let range = at..at + 4;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while word.load(Ordering::Relaxed) == 0 {
                    // SAFETY: the word outlives the call.
                    unsafe { libc::syscall(libc::SYS_futex, at, libc::FUTEX_WAIT, 0, 0) };
                }
            });
            while !are_in(&range) {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(!are_in(&(at + 4..at + 8)));
            word.store(1, Ordering::Relaxed);
            wake(&range, at as *const u8);
        });
        assert!(!are_in(&range));
    }
}
