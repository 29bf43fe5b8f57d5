//! What the C library keeps of other threads in memory that a program may have in a window, and changes in a child of `fork` before any
//! handler of that can run: while the child still shares what was taken in with its parent. Such memory is left alone.
//!
//! | record                       | what glibc does there in the child                 | known by                                  |
//! |------------------------------|----------------------------------------------------|-------------------------------------------|
//! | of a thread (`struct pthread`, above its own variables) | forgets the thread, and its keys | two of its words being its own address |
//! | of a thread's part of malloc's memory (its arena) | makes its lock new, counts no thread there | where it lies, and a pointer to what lies behind it |
//!
//! Threads come with the records of both, and those of ended ones are used by others: they are looked for where there are several.

use super::{PAGE, peer};
use std::ops::Range;
use std::ptr::with_exposed_provenance;

/// A thread's begins at a multiple of so many bytes, and is not longer than a page.
const APART: usize = 64;
/// An arena's first part begins at a multiple of so many bytes, with its record.
const ARENA: usize = 64 << 20;

/// Whether one of a thread may begin on the page before `range`, and end in it.
pub fn may_reach_into(range: &Range<usize>) -> bool {
    let mut page = [0_usize; PAGE / size_of::<usize>()];
    let at = range.start - PAGE;
    // It may not be there, or go meanwhile.
    // SAFETY: words have all values.
    let bytes = unsafe { std::slice::from_raw_parts_mut(page.as_mut_ptr().cast(), PAGE) };
    peer::read(std::process::id() as i32, at, bytes)
        && is_of_thread(at, |place| page[(place - at) / size_of::<usize>()])
}

/// Whether one begins in `range`, whole pages.
///
/// # Safety
/// It is readable.
pub unsafe fn are_in(range: &Range<usize>) -> bool {
    // SAFETY: the caller's promise; others may be writing there.
    let word = |at: usize| unsafe { with_exposed_provenance::<usize>(at).read_volatile() };
    let is_arena =
        |page: usize| page.is_multiple_of(ARENA) && (page + 1..page + PAGE).contains(&word(page));
    let mut pages = range.clone().step_by(PAGE);
    pages.any(|page| is_arena(page) || is_of_thread(page, word))
}

/// Whether a thread's begins on the page, of whose words `word` gives what they are.
fn is_of_thread(page: usize, word: impl Fn(usize) -> usize) -> bool {
    let mut places = (page..page + PAGE).step_by(APART);
    places.any(|at| word(at) == at && word(at + 2 * size_of::<usize>()) == at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn page_of(at: usize) -> Range<usize> {
        let page = at & !(PAGE - 1);
        page..page + PAGE
    }

    #[test]
    fn those_of_a_thread_are_found() {
        let (tell, told) = channel();
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            // SAFETY: it is this thread's, and as large as any.
            let record = unsafe { libc::pthread_self() } as usize;
            // SAFETY: malloc gives a thread an arena of its own, whose record is in the first page.
            let memory = unsafe { libc::malloc(1000) } as usize;
            tell.send((record, memory)).unwrap();
            let _ = ended.recv();
            // SAFETY: what malloc gave.
            unsafe { libc::free(memory as *mut _) };
        });
        let (record, memory) = told.recv().unwrap();
        // SAFETY: both lie in memory that is there.
        unsafe {
            assert!(are_in(&page_of(record)));
            let arena = memory & !(ARENA - 1);
            assert!(are_in(&page_of(arena)));
        }
        let behind = page_of(record).end;
        assert!(may_reach_into(&(behind..behind + PAGE)));
        drop(end);
        thread.join().unwrap();
    }

    #[test]
    fn other_memory_has_none() {
        let memory = vec![7_usize; 4 * PAGE];
        let start = (memory.as_ptr() as usize).next_multiple_of(PAGE);
        // SAFETY: it is there.
        unsafe {
            assert!(!are_in(&(start..start + 2 * PAGE)));
        }
        assert!(!may_reach_into(&(start + PAGE..start + 2 * PAGE)));
        assert!(!may_reach_into(&(PAGE..2 * PAGE)));
    }
}
