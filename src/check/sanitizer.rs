//! ThreadSanitizer, in programs that were compiled for it (`-fsanitize=thread`): its public interface, found at run time.
//!
//! The library itself is not compiled for it. What ThreadSanitizer sees of it all the same, by the functions of libc that it stands in
//! front of, says nothing: which locks protect that, it does not see. So a thread is [ignored](Sanitizer::ignore) while it is in the library.
//!
//! **Fibers** stand for what others do: accesses that a thread makes [on](Sanitizer::on) one are not its own, and ordered with its own by
//! [tokens](Token) alone.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// Finds a function of the program's, or of what it is linked with.
fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends with its NUL.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

macro_rules! interface {
    ($($field:ident: $name:literal, $type:ty;)*) => {
        /// What is called of it.
        pub struct Sanitizer {
            $($field: $type,)*
        }

        impl Sanitizer {
            /// `None` if the program has none, or one that is too old.
            fn find() -> Option<Sanitizer> {
                Some(Sanitizer {
                    $($field: {
                        let address = find($name)?;
                        // SAFETY: names of this prefix are the implementation's, and its header gives them these types.
                        unsafe { transmute::<*mut c_void, $type>(address) }
                    },)*
                })
            }
        }
    };
}

type Annotation = unsafe extern "C" fn(*const c_char, c_int);
type OfAddress = unsafe extern "C" fn(*mut c_void);
type OfRange = unsafe extern "C" fn(*mut c_void, c_ulong, *mut c_void);
type Load<T> = unsafe extern "C" fn(*const T, c_int) -> T;
type Add<T> = unsafe extern "C" fn(*mut T, T, c_int) -> T;

interface! {
    ignore_reads: c"AnnotateIgnoreReadsBegin", Annotation;
    heed_reads: c"AnnotateIgnoreReadsEnd", Annotation;
    ignore_writes: c"AnnotateIgnoreWritesBegin", Annotation;
    heed_writes: c"AnnotateIgnoreWritesEnd", Annotation;
    acquire: c"__tsan_acquire", OfAddress;
    release: c"__tsan_release", OfAddress;
    current: c"__tsan_get_current_fiber", unsafe extern "C" fn() -> *mut c_void;
    create: c"__tsan_create_fiber", unsafe extern "C" fn(u32) -> *mut c_void;
    switch: c"__tsan_switch_to_fiber", unsafe extern "C" fn(*mut c_void, u32);
    name: c"__tsan_set_fiber_name", unsafe extern "C" fn(*mut c_void, *const c_char);
    enter: c"__tsan_func_entry", OfAddress;
    leave: c"__tsan_func_exit", unsafe extern "C" fn();
    read: c"__tsan_read_range_pc", OfRange;
    write: c"__tsan_write_range_pc", OfRange;
    load_8: c"__tsan_atomic8_load", Load<u8>;
    load_16: c"__tsan_atomic16_load", Load<u16>;
    load_32: c"__tsan_atomic32_load", Load<u32>;
    load_64: c"__tsan_atomic64_load", Load<u64>;
    add_8: c"__tsan_atomic8_fetch_add", Add<u8>;
    add_16: c"__tsan_atomic16_fetch_add", Add<u16>;
    add_32: c"__tsan_atomic32_fetch_add", Add<u32>;
    add_64: c"__tsan_atomic64_fetch_add", Add<u64>;
}

/// Its number for relaxed atomics, and that for a switch that orders nothing.
const RELAXED: c_int = 0;
const UNORDERED: u32 = 1;

/// The program's, if it has one.
#[inline]
pub fn sanitizer() -> Option<&'static Sanitizer> {
    static FOUND: OnceLock<Option<Sanitizer>> = OnceLock::new();
    FOUND.get_or_init(Sanitizer::find).as_ref()
}

/// What is released there is ordered before what comes after it was acquired. It is its address that counts.
#[repr(transparent)]
pub struct Token(AtomicU64);

impl Token {
    pub const fn new() -> Token {
        Token(AtomicU64::new(0))
    }

    fn address(&self) -> *mut c_void {
        self.0.as_ptr().cast()
    }
}

/// One that makes accesses, which is none of the program's threads. It lives as long as the process.
pub struct Fiber(*mut c_void);

// SAFETY: it is only a name of what ThreadSanitizer keeps; who switches to it holds it alone.
unsafe impl Send for Fiber {}

/// An MPI call, as it is told with an access: its function, and where in the program it returns to; 0 if that is not known.
#[derive(Clone, Copy)]
pub struct Stack {
    function: usize,
    back: usize,
}

impl Stack {
    pub fn new(function: &str, back: usize) -> Stack {
        let mut name = [0_u8; 64];
        let len = function.len().min(name.len() - 1);
        name[..len].copy_from_slice(&function.as_bytes()[..len]);
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Stack {
            // Addresses are told as those of calls, which return behind them.
            function: find(name).map_or(0, |address| address.addr() + 1),
            back,
        }
    }
}

/// What is done to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    Read,
    Write,
    /// The same, each element at once: no race with atomic accesses of the program's.
    AtomicRead,
    AtomicWrite,
}

impl Sanitizer {
    /// What this thread does is not looked at, until [`Sanitizer::heed`] is called as often.
    pub fn ignore(&self) {
        // SAFETY: the names of files may be anything that ends with a NUL.
        unsafe {
            (self.ignore_reads)(c"".as_ptr(), 0);
            (self.ignore_writes)(c"".as_ptr(), 0);
        }
    }

    pub fn heed(&self) {
        // SAFETY: as above.
        unsafe {
            (self.heed_writes)(c"".as_ptr(), 0);
            (self.heed_reads)(c"".as_ptr(), 0);
        }
    }

    pub fn release(&self, token: &Token) {
        // SAFETY: any address of the program's memory will do.
        unsafe { (self.release)(token.address()) }
    }

    pub fn acquire(&self, token: &Token) {
        // SAFETY: as above.
        unsafe { (self.acquire)(token.address()) }
    }

    pub fn fiber(&self, name: &CStr) -> Fiber {
        // SAFETY: the name is copied.
        unsafe {
            let fiber = (self.create)(0);
            (self.name)(fiber, name.as_ptr());
            Fiber(fiber)
        }
    }

    /// Does `work` as `fiber`. It must not allocate, copy or lock: that would be seen as the fiber's.
    pub fn on(&self, fiber: &mut Fiber, work: impl FnOnce()) {
        // SAFETY: both are there, and the fiber is no other thread's, as this one holds it alone.
        unsafe {
            let thread = (self.current)();
            (self.switch)(fiber.0, UNORDERED);
            work();
            (self.switch)(thread, UNORDERED);
        }
    }

    /// Accesses bytes, in the call `stack`. Of an atomic write the bytes are updated, by adding nothing to them.
    ///
    /// # Safety
    ///
    /// The bytes can be read, and written to if that is an atomic write.
    pub unsafe fn access(&self, stack: Stack, how: How, from: usize, to: usize) {
        let pc = |address: usize| address as *mut c_void;
        // SAFETY: what is entered is left. Bytes that are only told are not touched; else the caller has promised it.
        unsafe {
            (self.enter)(pc(stack.back));
            match how {
                How::Read => (self.read)(pc(from), (to - from) as c_ulong, pc(stack.function)),
                How::Write => (self.write)(pc(from), (to - from) as c_ulong, pc(stack.function)),
                How::AtomicRead | How::AtomicWrite => {
                    (self.enter)(pc(stack.function));
                    self.at_once(how, from, to);
                    (self.leave)();
                }
            }
            (self.leave)();
        }
    }

    /// # Safety
    ///
    /// As of [`Sanitizer::access`].
    unsafe fn at_once(&self, how: How, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let most = [8, 4, 2, 1];
            let fits = |size: &usize| at.is_multiple_of(*size) && at + size <= to;
            let size = most.into_iter().find(fits).unwrap_or(1);
            let here = at as *mut u8;
            // SAFETY: promised by the caller; the address is a multiple of the size.
            unsafe {
                match (how == How::AtomicWrite, size) {
                    (false, 8) => _ = (self.load_64)(here.cast(), RELAXED),
                    (false, 4) => _ = (self.load_32)(here.cast(), RELAXED),
                    (false, 2) => _ = (self.load_16)(here.cast(), RELAXED),
                    (false, _) => _ = (self.load_8)(here, RELAXED),
                    (true, 8) => _ = (self.add_64)(here.cast(), 0, RELAXED),
                    (true, 4) => _ = (self.add_32)(here.cast(), 0, RELAXED),
                    (true, 2) => _ = (self.add_16)(here.cast(), 0, RELAXED),
                    (true, _) => _ = (self.add_8)(here, 0, RELAXED),
                }
            }
            at += size;
        }
    }
}
