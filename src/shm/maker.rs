//! Who has made the job's segment, in words, for those that do not fit together with it: the launcher of one build and the library
//! of another.
//!
//! Its place, at the end of the segment's first page, and its form are the same in all builds, whatever else lies in the segment.
//!
//! | said | state                                                            |
//! |------|------------------------------------------------------------------|
//! | 0    | nobody has said that it does not fit                             |
//! | 1    | one has, and the others leave it the word: the job ends of it   |

use super::PAGE;
use super::atomic::{AtomicU32, Ordering};
use crate::version;
use std::ffi::{CStr, OsStr, c_void};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// Where it lies in the segment.
pub(super) const AT: usize = PAGE - size_of::<Maker>();

const MARK: [u8; 8] = *b"rmashmby";
const WORDS: usize = 368;
/// So long the others wait for the end of the job before they say it, too.
const PATIENCE: Duration = Duration::from_secs(1);

// SAFETY: numbers only.
unsafe impl super::reader::Plain for Maker {}

/// Any bytes are valid: a segment of an older build has zeros here.
#[repr(C)]
pub(super) struct Maker {
    mark: [u8; 8],
    said: AtomicU32,
    len: u32,
    words: [u8; WORDS],
}

impl Maker {
    /// Writes who this is, where nobody reads yet.
    ///
    /// # Safety
    /// `place` is a maker's in memory of this process alone.
    pub(super) unsafe fn write(place: *mut Maker) {
        let mut words = [0; WORDS];
        let own = this_build();
        let len = own.len().min(WORDS);
        words[..len].copy_from_slice(&own.as_bytes()[..len]);
        let maker = Maker {
            mark: MARK,
            said: AtomicU32::new(0),
            len: len as u32,
            words,
        };
        // SAFETY: the caller's promise.
        unsafe { place.write(maker) };
    }

    /// Says that this process and the maker do not fit. Of several processes one says it at once. The others wait for a moment, in
    /// which the launcher ends the job mostly.
    pub(super) fn refuse(&self) -> String {
        if self.is_marked() && self.said.swap(1, Ordering::Relaxed) != 0 {
            std::thread::sleep(PATIENCE);
        }
        format!(
            "the job was begun by {}, and this program has loaded {}: they are of different builds, and do not fit together. \
             Use the mpiexec and the library of one build",
            self.words(),
            this_build()
        )
    }

    /// Whether there is one.
    pub(super) fn is_marked(&self) -> bool {
        self.mark == MARK
    }

    /// The maker.
    pub(super) fn words(&self) -> String {
        match self.is_marked() {
            true => {
                String::from_utf8_lossy(&self.words[..WORDS.min(self.len as usize)]).into_owned()
            }
            false => "an older build".to_string(),
        }
    }
}

/// The file that this code is in, and which build it is.
fn this_build() -> String {
    let mut place = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: an address of this code, and room for what is said of it.
    let name = unsafe {
        match libc::dladdr(this_build as *const c_void, place.as_mut_ptr()) {
            0 => None,
            _ => Some(place.assume_init().dli_fname).filter(|name| !name.is_null()),
        }
    };
    // SAFETY: the name of a file that is loaded, which stays.
    let name = name.map(|name| unsafe { CStr::from_ptr(name) });
    let path = std::path::Path::new(OsStr::from_bytes(name.map_or(b"rmashm", CStr::to_bytes)));
    // A program is loaded by the name that it was called by.
    let own = || std::env::current_exe().unwrap_or_else(|_| path.to_path_buf());
    let path = path.canonicalize().unwrap_or_else(|_| own());
    format!("{} ({})", path.display(), version::text())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maker() -> Maker {
        let mut place = MaybeUninit::uninit();
        // SAFETY: the place is this function's.
        unsafe {
            Maker::write(place.as_mut_ptr());
            place.assume_init()
        }
    }

    #[test]
    fn it_ends_where_the_page_does() {
        assert_eq!(AT + size_of::<Maker>(), 4096);
        assert_eq!(AT % align_of::<Maker>(), 0);
    }

    #[test]
    fn both_are_named() {
        let said = maker().refuse();
        assert_eq!(said.matches(&this_build()).count(), 2, "{said}");
    }

    #[test]
    fn one_without_a_mark_is_older() {
        let mut maker = maker();
        maker.mark = [0; 8];
        assert!(maker.refuse().contains("an older build"));
    }

    #[test]
    fn a_length_that_makes_no_sense_is_cut() {
        let mut maker = maker();
        maker.len = u32::MAX;
        assert!(maker.refuse().contains("do not fit"));
    }
}
