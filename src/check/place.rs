//! Where in the program a call stands: the address that it returns to, told by a file and an offset in it, so that every process
//! of the job, and the launcher after a rank's end, can say which line that is.
//!
//! **The address** is taken where an exported function is entered for a look: the function [jumps](crate::called_through) to a few instructions
//! that keep what lies on top of the stack, and go on. Compilers make that jump of a call in the last place; where one does not, or where a
//! library of ours for another language stands between, the address is one of ours, and the stack is unwound instead.

use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::shm::maps::Maps;
use crate::shm::text::Text;
use std::arch::{asm, global_asm};
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Files that a rank's calls stand in; calls from others have no place.
const MODULES: usize = 128;
/// Words of 8 bytes of a path.
const PATH: usize = 63;
/// Frames that are looked at for the first of the program.
const DEPTH: usize = 32;

global_asm!(
    ".pushsection .tbss, \"awT\", @nobits",
    ".balign 16",
    ".type rmashm_came_from, @object",
    ".size rmashm_came_from, 16",
    ".hidden rmashm_came_from",
    ".globl rmashm_came_from",
    "rmashm_came_from: .zero 16",
    ".popsection",
);

/// Keeps the address on top of the stack, and goes on at the one in r11. All arguments stay where they are.
#[unsafe(naked)]
pub unsafe extern "C" fn keep_and_go_on() {
    core::arch::naked_asm!(
        "mov r10, [rsp]",
        "push rax",
        "lea rax, [rip + rmashm_came_from@TLSDESC]",
        "call [rax + rmashm_came_from@TLSCALL]",
        "mov fs:[rax], r10",
        "pop rax",
        "jmp r11",
    )
}

/// Makes a function of the same arguments as `$to` that keeps where it returns to for [`came_from`], and becomes `$to`.
#[macro_export]
macro_rules! called_through {
    ($to:path) => {
        ::core::arch::naked_asm!(
            "lea r11, [rip + {to}]",
            "jmp {keep}",
            to = sym $to,
            keep = sym $crate::check::place::keep_and_go_on,
        )
    };
}

/// What was kept last in this thread.
#[inline(always)]
pub fn came_from() -> usize {
    word::<0>()
}

/// Whether this thread is in a call, as [`set_inside`] has said. What the compiler keeps for threads takes longer to be reached.
#[inline(always)]
pub(super) fn is_inside() -> bool {
    word::<8>() != 0
}

/// One of the thread's two words.
#[inline(always)]
fn word<const AT: usize>() -> usize {
    let word: usize;
    // SAFETY: the instructions read the thread's own word.
    unsafe {
        asm!(
            "lea rax, [rip + rmashm_came_from@TLSDESC]",
            "call [rax + rmashm_came_from@TLSCALL]",
            "mov rax, fs:[rax + {at}]",
            at = const AT,
            out("rax") word,
        );
    }
    word
}

pub(super) fn set_inside(is_inside: bool) {
    // SAFETY: the instructions write the thread's own second word.
    unsafe {
        asm!(
            "lea rax, [rip + rmashm_came_from@TLSDESC]",
            "call [rax + rmashm_came_from@TLSCALL]",
            "mov fs:[rax + 8], {value}",
            value = in(reg) usize::from(is_inside),
            out("rax") _,
        );
    }
}

/// Where a call stands: the number of a file in its rank's [`Modules`], counted from 1, above 48 bits of offset. It says something only
/// together with the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place(u64);

const OFFSET: u32 = 48;
/// What stands around a place in a text, which the launcher turns into words.
pub const BEGIN: char = '\u{1}';
pub const END: char = '\u{2}';

impl Place {
    /// Nobody knows.
    pub const UNKNOWN: Place = Place(0);

    pub fn bits(self) -> u64 {
        self.0
    }

    /// One that another process has written down.
    pub fn of_bits(bits: u64) -> Place {
        Place(bits)
    }

    /// The text for a place of `rank`'s program, in a finding.
    pub fn of(self, rank: u32) -> String {
        match self {
            Place::UNKNOWN => "an unknown place".to_string(),
            Place(bits) => format!("{BEGIN}{rank}:{bits:x}{END}"),
        }
    }

    /// The place that such a text, without its bounds, speaks of, and its rank.
    pub fn parse(text: &str) -> Option<(u32, Place)> {
        let (rank, bits) = text.split_once(':')?;
        Some((
            rank.parse().ok()?,
            Place(u64::from_str_radix(bits, 16).ok()?),
        ))
    }

    #[cfg(test)]
    pub fn test(bits: u64) -> Place {
        Place(bits)
    }
}

/// A file that is mapped in a process.
#[repr(C)]
struct Module {
    /// Where it begins, and the end of its code.
    from: AtomicU64,
    to: AtomicU64,
    path: Text<PATH>,
}

/// The files of one rank, which alone writes them.
#[repr(C)]
pub struct Modules {
    count: AtomicU32,
    _pad: u32,
    all: [Module; MODULES],
}

/// One thread at a time adds a file.
static ADDING: parking_lot::Mutex<()> = parking_lot::Mutex::new(());

impl Modules {
    /// The place of the call that returns to `back`, or of that which has led there from outside of our libraries.
    pub fn place(&self, back: usize) -> Place {
        match self.module(back) {
            Some((_, true)) => self.unwound(back),
            Some((number, false)) => self.at(number, back),
            None => Place::UNKNOWN,
        }
    }

    /// The same if `back` alone says it, as it is the program's.
    pub fn place_of_program(&self, back: usize) -> Option<Place> {
        match self.module(back) {
            Some((number, false)) => Some(self.at(number, back)),
            _ => None,
        }
    }

    /// The file and the offset of a place.
    pub fn resolve(&self, place: Place) -> Option<(String, u64)> {
        let number = (place.0 >> OFFSET).checked_sub(1)? as usize;
        let known = self.count.load(Ordering::Acquire) as usize;
        let module = self.all.get(..known.min(MODULES))?.get(number)?;
        Some((module.path.get(), place.0 & ((1 << OFFSET) - 1)))
    }

    /// The address in this process, whose files these are, of a place in a process with the files `others`.
    pub fn here(&self, others: &Modules, place: Place) -> Option<usize> {
        let (path, offset) = others.resolve(place)?;
        let known = self.count.load(Ordering::Acquire) as usize;
        let mut all = self.all[..known.min(MODULES)].iter();
        let same = all.find(|module| module.path.get() == path)?;
        Some((same.from.load(Ordering::Relaxed) + offset) as usize)
    }

    fn at(&self, number: usize, back: usize) -> Place {
        let from = self.all[number].from.load(Ordering::Relaxed);
        Place((number as u64 + 1) << OFFSET | (back as u64 - from) & ((1 << OFFSET) - 1))
    }

    /// The first place on the stack that is the program's, outside of where `back` is, if that is there: in a handler of a signal others are inside.
    #[cold]
    fn unwound(&self, back: usize) -> Place {
        let mut addresses = [0; DEPTH];
        let all = stack(&mut addresses);
        let outer = all.iter().position(|address| *address == back);
        let mut all = all[outer.unwrap_or(0)..].iter();
        let found = all.find_map(|back| match self.module(*back) {
            Some((number, false)) => Some(self.at(number, *back)),
            _ => None,
        });
        found.unwrap_or(Place::UNKNOWN)
    }

    /// The number of the file that an address is in, and whether it is one of ours.
    #[inline]
    fn module(&self, back: usize) -> Option<(usize, bool)> {
        let known = self.count.load(Ordering::Acquire) as usize;
        let is_in = |module: &Module| {
            let (from, to) = (&module.from, &module.to);
            (from.load(Ordering::Relaxed)..to.load(Ordering::Relaxed) & !1).contains(&(back as u64))
        };
        match self.all[..known].iter().position(is_in) {
            Some(number) => Some((number, self.is_own(number))),
            None => self.add(back),
        }
    }

    fn is_own(&self, number: usize) -> bool {
        // The lowest bit of the end says it: files end at whole pages.
        self.all[number].to.load(Ordering::Relaxed) & 1 == 1
    }

    #[cold]
    fn add(&self, back: usize) -> Option<(usize, bool)> {
        let mut info = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: the address is only compared, and the answer is written whole where the call succeeds.
        let info = unsafe {
            match libc::dladdr(back as *const c_void, info.as_mut_ptr()) {
                0 => return None,
                _ => info.assume_init(),
            }
        };
        let _adding = ADDING.lock();
        let number = self.count.load(Ordering::Relaxed) as usize;
        let module = self.all.get(number)?;
        // SAFETY: the name of a file that is mapped ends with a zero.
        let name = unsafe { CStr::from_ptr(info.dli_fname) };
        let given = Path::new(OsStr::from_bytes(name.to_bytes()));
        // The program's own name is as it was started.
        let path = match given.is_absolute() {
            true => given.to_path_buf(),
            false => std::fs::read_link("/proc/self/exe").unwrap_or(given.to_path_buf()),
        };
        let from = info.dli_fbase as u64;
        let to = end_of(back) as u64;
        let is_own = is_library(&path);
        module.path.put(path.as_os_str().as_bytes());
        module.from.store(from, Ordering::Relaxed);
        module.to.store(to | u64::from(is_own), Ordering::Relaxed);
        self.count.store(number as u32 + 1, Ordering::Release);
        Some((number, is_own))
    }
}

// The unwinder's own: libc's `backtrace` may be a sanitizer's, which would be the first of the program on the stack.
unsafe extern "C" {
    fn _Unwind_Backtrace(
        add: extern "C" fn(context: *mut c_void, frames: *mut c_void) -> c_int,
        frames: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// Frames that are found.
struct Frames<'a> {
    addresses: &'a mut [usize],
    count: usize,
}

/// Where the functions on this thread's stack go on, from the innermost, which is this one; as many as there is room for.
#[inline(never)]
pub fn stack(addresses: &mut [usize]) -> &[usize] {
    let mut frames = Frames {
        addresses,
        count: 0,
    };
    // SAFETY: `add` gets the frames that are given here.
    unsafe { _Unwind_Backtrace(add, (&raw mut frames).cast()) };
    let Frames { addresses, count } = frames;
    &addresses[..count]
}

extern "C" fn add(context: *mut c_void, frames: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const END: c_int = 5;
    // SAFETY: the unwinder gives its context, and the frames that it was given.
    let (back, frames) = unsafe { (_Unwind_GetIP(context), &mut *frames.cast::<Frames>()) };
    let Some(address) = frames.addresses.get_mut(frames.count) else {
        return END;
    };
    *address = back;
    frames.count += 1;
    GO_ON
}

/// The end of the mapping that `back` is in.
fn end_of(back: usize) -> usize {
    let maps = Maps::read();
    let mut all = maps.iter().flat_map(Maps::iter);
    let mapping = all.find(|mapping| mapping.range.contains(&back));
    mapping.map_or(back + 1, |mapping| mapping.range.end)
}

/// Whether it is one of the files of this library, or of those that programs in other languages call it by: Python's `ctypes` and `cffi` make
/// calls by libffi.
fn is_library(path: &Path) -> bool {
    const OURS: [&str; 5] = ["librmashm", "libmpi", "libffi", "_ctypes", "_cffi_backend"];
    let name = path.file_name().unwrap_or_default().as_bytes();
    OURS.iter().any(|ours| name.starts_with(ours.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[unsafe(naked)]
    extern "C" fn asked(_: u64, _: u64, _: u64, _: u64, _: u64, _: u64, _: u64, _: u64) -> u64 {
        called_through!(answer)
    }

    extern "C" fn answer(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64) -> u64 {
        assert_eq!([a, b, c, d, e, f, g, h], [1, 2, 3, 4, 5, 6, 7, 8]);
        came_from() as u64
    }

    #[test]
    fn a_call_says_where_it_returns_to_and_keeps_its_arguments() {
        let back = asked(1, 2, 3, 4, 5, 6, 7, 8);
        let own = a_call_says_where_it_returns_to_and_keeps_its_arguments as fn() as usize as u64;
        assert!(back.abs_diff(own) < 1 << 16, "{back:x} {own:x}");
        std::thread::spawn(move || assert_eq!(came_from(), 0))
            .join()
            .unwrap();
    }

    #[test]
    fn a_place_is_told_by_its_file() {
        // SAFETY: it is made of atomics, for which zeros are valid.
        let modules: Box<Modules> = unsafe { Box::new(std::mem::zeroed()) };
        let back = asked(1, 2, 3, 4, 5, 6, 7, 8) as usize;
        let (place, again) = (modules.place(back), modules.place(back + 1));
        assert_ne!(place, again);
        let (path, offset) = modules.resolve(place).unwrap();
        assert_eq!(Path::new(&path), std::env::current_exe().unwrap());
        assert_eq!(modules.resolve(again), Some((path, offset + 1)));
        let text = place.of(7);
        assert_eq!(
            Place::parse(text.trim_matches([BEGIN, END])),
            Some((7, place))
        );
        assert_eq!(modules.place(1), Place::UNKNOWN);
    }
}
