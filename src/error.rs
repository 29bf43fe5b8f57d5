//! Errors: the MPI error classes, and errors that carry a class and a sentence.
//!
//! Inside the library everything that can fail returns [`Result`]. Only the boundary (`abi`) knows integer codes: it
//! hands an [`Error`] to [`register`], which keeps the sentence and gives a code; [`text_of`] gives the sentence back for
//! `MPI_Error_string`. Classes have numbers of the library's own, which ranks tell each other, and the numbers that C has.
//!
//! Classes that nothing here raises: `NAME`, `PORT`, `SERVICE`, `SPAWN` (dynamic processes are not offered:
//! `UNSUPPORTED_OPERATION`), `CONVERSION` (data in files is native), `RMA_CONFLICT` (conflicting accesses are not looked for),
//! `RMA_SHARED` (all memory of one machine can be shared), `PENDING` (calls that complete several requests see all of them
//! through), `PROC_ABORTED`, and `UNKNOWN`, the class of a code that is none. Of the tools': `CANNOT_INIT`, `MEMORY`,
//! `OUT_OF_HANDLES`, `OUT_OF_SESSIONS`, `INVALID_ITEM`, `CVAR_SET_NOT_NOW`, `NOT_SUPPORTED`, `NOT_ACCESSIBLE`. `INTERN` would
//! be an error of ours.
//!
//! In MPICH's interface a code is the class in bits 0-6, and from bit 8 on the serial number of the sentence, of which the last 1024 are kept. For
//! an older one `MPI_Error_string` gives the class's general sentence.

pub mod made;

use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::reserve;
use crate::shm;
use crate::shm::error::Cause;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::fmt::{self, Arguments, Write};
use std::ops::{Deref, DerefMut};

pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. One word, which no success has: so a [`Result`] without a value comes back in a register, and what hands an error
/// on is short.
#[derive(Clone, Debug)]
pub struct Error(Box<Particulars>);

/// The class a program tests for, and a sentence for its user that names the argument and its value.
#[derive(Clone, Debug)]
pub struct Particulars {
    pub class: Class,
    pub text: Box<str>,
    /// A code that a user's callback returned and that must reach the caller unchanged.
    code: Option<i32>,
    /// The object whose error handler is meant, where the arguments do not say it.
    pub object: Option<Object>,
}

/// What grows where there is memory.
struct Sentence(String);

impl Write for Sentence {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.0.try_reserve(more.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(more);
        Ok(())
    }
}

/// The object whose error handler an error goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    Comm(MPI_Comm),
    Win(MPI_Win),
    /// A window that ends with the error, when its handler was called.
    Ending(MPI_Win),
    Session(MPI_Session),
    File(MPI_File),
    /// The same for a file.
    EndingFile(MPI_File),
    Request(MPI_Request),
    /// None yet: the handler that was given to the call which makes it.
    Given(MPI_Errhandler),
}

impl Deref for Error {
    type Target = Particulars;

    fn deref(&self) -> &Particulars {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Particulars {
        &mut self.0
    }
}

impl Error {
    pub fn new(class: Class, text: impl Into<Box<str>>) -> Error {
        Error(Box::new(Particulars {
            class,
            text: text.into(),
            code: None,
            object: None,
        }))
    }

    /// An error with a sentence that is yet to be put together: out of the way of calls that succeed.
    #[cold]
    #[inline(never)]
    pub fn formatted(class: Class, text: Arguments<'_>) -> Error {
        let mut sentence = Sentence(String::new());
        // As much of it as there is memory for: to have none may be what it says.
        let _ = sentence.write_fmt(text);
        Error::new(class, sentence.0)
    }

    /// An error that is already a code: what a user's callback returned.
    pub fn from_code(code: i32) -> Error {
        let mut error = Error::new(Class::Other, String::from_utf8_lossy(&text_of(code)));
        error.code = Some(code);
        error
    }

    pub fn into_text(self) -> Box<str> {
        self.0.text
    }

    /// The same error, for the error handler of `object`: for functions that get its handle through a pointer.
    pub fn on(mut self, object: Object) -> Error {
        self.object = Some(object);
        self
    }
}

impl From<shm::error::Error> for Error {
    #[cold]
    fn from(shm::error::Error { cause, text }: shm::error::Error) -> Error {
        let class = match cause {
            Cause::NoMemory => Class::NoMem,
            Cause::TooLarge => Class::Size,
            Cause::NotAllocated => Class::Base,
            Cause::Ended => Class::ProcFailed,
            Cause::Refused => Class::Other,
        };
        Error::new(class, text)
    }
}

/// `err!(Rank, "rank is {}", r)` makes an [`Error`].
#[macro_export]
macro_rules! err {
    ($class:ident, $($arg:tt)+) => {
        $crate::error::Error::formatted($crate::error::Class::$class, format_args!($($arg)+))
    };
}

/// `bail!(Rank, "rank is {}", r)` returns an [`Error`] from the function.
#[macro_export]
macro_rules! bail {
    ($class:ident, $($arg:tt)+) => {
        return Err($crate::err!($class, $($arg)+))
    };
}

macro_rules! classes {
    ($($name:ident = $value:literal, $number:ident, $text:literal;)*) => {
        /// The error classes of MPI 5.0 §9.4 (and of its chapters), with numbers of the library's own, which are MPICH's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Class { $($name = $value,)* }

        /// The classes, the numbers that C has for them, their names in C, and their general sentences.
        const CLASSES: &[(Class, i32, &str, &str)] =
            &[$((Class::$name, $number, stringify!($number), $text),)*];
    };
}

/// Where C has no such class, there is one for processes that are gone.
#[cfg(feature = "standard")]
const PROC_FAILED: i32 = MPI_ERR_PROC_ABORTED;
#[cfg(not(feature = "standard"))]
const PROC_FAILED: i32 = MPI_ERR_PROC_FAILED;

/// Whether C has names for that (`MPIX_Comm_ack_failed`).
pub const FAILURES_CAN_BE_ACKNOWLEDGED: bool = cfg!(not(feature = "standard"));

impl Class {
    /// The class of the library's own number.
    pub fn of(class: i32) -> Option<Class> {
        let mut classes = CLASSES.iter().map(|&(class, ..)| class);
        classes.find(|&known| known as i32 == class)
    }

    /// The class of the number that C has.
    pub fn of_number(number: i32) -> Option<Class> {
        let known = CLASSES.iter().find(|known| known.1 == number);
        known.map(|&(class, ..)| class)
    }

    fn row(self) -> (i32, &'static str, &'static str) {
        let known = CLASSES.iter().find(|&&(class, ..)| class == self);
        let &(_, number, name, text) = known.expect("all classes have a row");
        (number, name, text)
    }

    /// The number that C has. Where its interface does not have the class, there is one that says nearly the same.
    pub fn number(self) -> i32 {
        match self.row().0 {
            number if number <= MPI_ERR_LASTCODE => number,
            _ if self == Class::Errhandler => MPI_ERR_ARG,
            _ => MPI_ERR_OTHER,
        }
    }

    /// The name in C: `MPI_ERR_RMA_SYNC`.
    pub fn name(self) -> &'static str {
        match self {
            Class::ProcFailed => "MPI_ERR_PROC_FAILED",
            class => class.row().1,
        }
    }

    /// The general sentence.
    pub fn text(self) -> &'static str {
        self.row().2
    }
}

classes! {
    Success = 0, MPI_SUCCESS, "No MPI error";
    Buffer = 1, MPI_ERR_BUFFER, "Invalid buffer pointer";
    Count = 2, MPI_ERR_COUNT, "Invalid count";
    Type = 3, MPI_ERR_TYPE, "Invalid datatype";
    Tag = 4, MPI_ERR_TAG, "Invalid tag";
    Comm = 5, MPI_ERR_COMM, "Invalid communicator";
    Rank = 6, MPI_ERR_RANK, "Invalid rank";
    Root = 7, MPI_ERR_ROOT, "Invalid root";
    Group = 8, MPI_ERR_GROUP, "Invalid group";
    Op = 9, MPI_ERR_OP, "Invalid operation";
    Topology = 10, MPI_ERR_TOPOLOGY, "Invalid topology";
    Dims = 11, MPI_ERR_DIMS, "Invalid dimension argument";
    Arg = 12, MPI_ERR_ARG, "Invalid argument";
    Unknown = 13, MPI_ERR_UNKNOWN, "Unknown error";
    Truncate = 14, MPI_ERR_TRUNCATE, "Message truncated";
    Other = 15, MPI_ERR_OTHER, "Other MPI error";
    Intern = 16, MPI_ERR_INTERN, "Internal error of the MPI library";
    InStatus = 17, MPI_ERR_IN_STATUS, "The error is in the status";
    Pending = 18, MPI_ERR_PENDING, "Pending request (neither failed nor completed)";
    Request = 19, MPI_ERR_REQUEST, "Invalid request";
    Access = 20, MPI_ERR_ACCESS, "Access to the file was refused";
    Amode = 21, MPI_ERR_AMODE, "Invalid access mode";
    BadFile = 22, MPI_ERR_BAD_FILE, "Invalid file name";
    Conversion = 23, MPI_ERR_CONVERSION, "A data conversion function failed";
    DupDatarep = 24, MPI_ERR_DUP_DATAREP, "The data representation is already defined";
    FileExists = 25, MPI_ERR_FILE_EXISTS, "The file exists";
    FileInUse = 26, MPI_ERR_FILE_IN_USE, "The file is in use";
    File = 27, MPI_ERR_FILE, "Invalid file handle";
    Info = 28, MPI_ERR_INFO, "Invalid info object";
    InfoKey = 29, MPI_ERR_INFO_KEY, "Invalid info key";
    InfoValue = 30, MPI_ERR_INFO_VALUE, "Invalid info value";
    InfoNokey = 31, MPI_ERR_INFO_NOKEY, "The info key is not set";
    Io = 32, MPI_ERR_IO, "Input/output error";
    Name = 33, MPI_ERR_NAME, "Unknown service name";
    NoMem = 34, MPI_ERR_NO_MEM, "Not enough memory";
    NotSame = 35, MPI_ERR_NOT_SAME, "A collective argument is not the same on all processes";
    NoSpace = 36, MPI_ERR_NO_SPACE, "No space left on the device";
    NoSuchFile = 37, MPI_ERR_NO_SUCH_FILE, "The file does not exist";
    Port = 38, MPI_ERR_PORT, "Invalid port";
    Quota = 39, MPI_ERR_QUOTA, "Quota exceeded";
    ReadOnly = 40, MPI_ERR_READ_ONLY, "The file or file system is read-only";
    Service = 41, MPI_ERR_SERVICE, "Invalid service name";
    Spawn = 42, MPI_ERR_SPAWN, "Error in starting processes";
    UnsupportedDatarep = 43, MPI_ERR_UNSUPPORTED_DATAREP, "Unsupported data representation";
    UnsupportedOperation = 44, MPI_ERR_UNSUPPORTED_OPERATION, "Unsupported operation";
    Win = 45, MPI_ERR_WIN, "Invalid window";
    Base = 46, MPI_ERR_BASE, "Invalid base address";
    Locktype = 47, MPI_ERR_LOCKTYPE, "Invalid lock type";
    Keyval = 48, MPI_ERR_KEYVAL, "Invalid attribute key";
    RmaConflict = 49, MPI_ERR_RMA_CONFLICT, "Conflicting accesses to a window";
    RmaSync = 50, MPI_ERR_RMA_SYNC, "Wrong synchronization of RMA calls";
    Size = 51, MPI_ERR_SIZE, "Invalid size argument";
    Disp = 52, MPI_ERR_DISP, "Invalid displacement argument";
    Assert = 53, MPI_ERR_ASSERT, "Invalid assert argument";
    RmaRange = 55, MPI_ERR_RMA_RANGE, "Target memory is not part of the window";
    RmaAttach = 56, MPI_ERR_RMA_ATTACH, "Memory cannot be attached";
    RmaShared = 57, MPI_ERR_RMA_SHARED, "Memory cannot be shared";
    RmaFlavor = 58, MPI_ERR_RMA_FLAVOR, "Wrong flavor of window";
    TMemory = 59, MPI_T_ERR_MEMORY, "No memory for the tool information interface";
    TNotInitialized = 60, MPI_T_ERR_NOT_INITIALIZED, "The tool information interface is not initialized";
    TCannotInit = 61, MPI_T_ERR_CANNOT_INIT, "The tool information interface cannot be initialized";
    TInvalidIndex = 62, MPI_T_ERR_INVALID_INDEX, "Invalid index";
    TInvalidItem = 63, MPI_T_ERR_INVALID_ITEM, "Invalid item";
    TInvalidHandle = 64, MPI_T_ERR_INVALID_HANDLE, "Invalid handle of the tool information interface";
    TOutOfHandles = 65, MPI_T_ERR_OUT_OF_HANDLES, "No more handles of the tool information interface";
    TOutOfSessions = 66, MPI_T_ERR_OUT_OF_SESSIONS, "No more sessions of the tool information interface";
    TInvalidSession = 67, MPI_T_ERR_INVALID_SESSION, "Invalid session of the tool information interface";
    TCvarSetNotNow = 68, MPI_T_ERR_CVAR_SET_NOT_NOW, "The control variable cannot be set now";
    TCvarSetNever = 69, MPI_T_ERR_CVAR_SET_NEVER, "The control variable cannot be set";
    TPvarNoStartstop = 70, MPI_T_ERR_PVAR_NO_STARTSTOP, "The performance variable cannot be started or stopped";
    TPvarNoWrite = 71, MPI_T_ERR_PVAR_NO_WRITE, "The performance variable cannot be written or reset";
    TPvarNoAtomic = 72, MPI_T_ERR_PVAR_NO_ATOMIC, "The performance variable cannot be read and reset at once";
    TInvalidName = 73, MPI_T_ERR_INVALID_NAME, "Invalid name";
    TInvalid = 74, MPI_T_ERR_INVALID, "Invalid use of the tool information interface";
    Session = 75, MPI_ERR_SESSION, "Invalid session";
    ProcAborted = 76, MPI_ERR_PROC_ABORTED, "A process was aborted";
    ValueTooLarge = 77, MPI_ERR_VALUE_TOO_LARGE, "A value is too large for its argument";
    TNotSupported = 78, MPI_T_ERR_NOT_SUPPORTED, "Not supported by the tool information interface";
    TNotAccessible = 79, MPI_T_ERR_NOT_ACCESSIBLE, "Not accessible now";
    Errhandler = 80, MPI_ERR_ERRHANDLER, "Invalid error handler";
    Abi = 81, MPI_ERR_ABI, "The binary interface cannot be changed";
    ProcFailed = 101, PROC_FAILED, "A process failed";
    ProcFailedPending = 102, MPIX_ERR_PROC_FAILED_PENDING, "The operation waits for a process that has failed";
    Revoked = 103, MPIX_ERR_REVOKED, "The communicator was revoked";
}

/// Whether codes carry the number of their sentence beside the class, as MPICH's do. Where they do not, a code is its class, as
/// programs of the other interfaces take it to be, and has the sentence of the thread's last error if that is of the class.
const CODES_HAVE_NUMBERS: bool = cfg!(not(any(feature = "openmpi", feature = "standard")));

/// Codes carry the class in the low 7 bits, as MPICH's do.
const CLASS_BITS: u32 = 7;
/// How many sentences are kept: `MPI_Error_string` of a code older than that gives the class's general sentence.
const KEPT: u32 = 1024;
/// The serial number of a sentence begins at bit 8.
const SERIAL_SHIFT: u32 = 8;
/// Serial numbers stay below this, so that codes stay positive and below `MPI_ERR_LASTCODE`.
const SERIAL_MAX: u32 = 1 << 21;

const _: () = assert!(CLASS_BITS <= SERIAL_SHIFT);
const _: () = assert!(!CODES_HAVE_NUMBERS || SERIAL_MAX << SERIAL_SHIFT <= MPI_ERR_LASTCODE as u32);

struct Sentences {
    next: u32,
    ring: Vec<(i32, Box<str>)>,
}

static SENTENCES: Mutex<Sentences> = Mutex::new(Sentences {
    next: 0,
    ring: Vec::new(),
});

thread_local! {
    /// The last error, where codes are classes.
    static LAST: RefCell<(i32, Box<str>)> = RefCell::new((0, "".into()));
}

/// Keeps the sentence of `error` and returns the code that stands for it.
pub fn register(error: &Error) -> i32 {
    if let Some(code) = error.code {
        return code;
    }
    let class = error.class.number();
    if !CODES_HAVE_NUMBERS {
        LAST.set((class, error.text.clone()));
        return class;
    }
    let mut kept = SENTENCES.lock();
    let room = (KEPT as usize).saturating_sub(kept.ring.len());
    if kept.ring.try_reserve_exact(room).is_err() {
        // The class is a code too, with a sentence of its own.
        return class;
    }
    kept.next = kept.next % (SERIAL_MAX - 1) + 1;
    let code = class | (kept.next << SERIAL_SHIFT) as i32;
    let entry = (code, error.text.clone());
    if reserve::holds(entry.1.as_ptr()) {
        // There is no memory for what stays: the reserve is for what goes again.
        return class;
    }
    let slot = (kept.next % KEPT) as usize;
    if kept.ring.is_empty() {
        kept.ring.resize(KEPT as usize, (0, "".into()));
    }
    kept.ring[slot] = entry;
    code
}

/// Whether it is an error code: of the library's own, or of the program's.
pub fn is_code(code: i32) -> bool {
    match code {
        0..=MPI_ERR_LASTCODE => Class::of_number(class_of(code)).is_some(),
        _ => made::class_of(code).is_some(),
    }
}

/// The class of an error code, by C's number.
pub fn class_of(code: i32) -> i32 {
    match code {
        ..=MPI_ERR_LASTCODE if CODES_HAVE_NUMBERS => code & ((1 << CLASS_BITS) - 1),
        ..=MPI_ERR_LASTCODE => code,
        _ => made::class_of(code).unwrap_or(MPI_ERR_UNKNOWN),
    }
}

/// The name in C of a class, by C's number.
pub fn class_name(class: i32) -> String {
    match Class::of_number(class) {
        Some(class) => class.name().to_string(),
        None => format!("error class {class}"),
    }
}

const UNKNOWN: &str = "Unknown error code";

/// The sentence of an error code: the one kept for it, or its class's general one. Of the program's codes, what it gave, in
/// whatever encoding.
pub fn text_of(code: i32) -> Box<[u8]> {
    if code > MPI_ERR_LASTCODE {
        return made::text_of(code).unwrap_or_else(|| UNKNOWN.as_bytes().into());
    }
    let general = Class::of_number(class_of(code)).map_or(UNKNOWN, Class::text);
    let kept = |text: &str| format!("{general}: {text}").into_bytes().into();
    if !CODES_HAVE_NUMBERS {
        return LAST.with_borrow(|(last, text)| match *last == code && code != MPI_SUCCESS {
            true => kept(text),
            false => general.as_bytes().into(),
        });
    }
    let serial = (code as u32) >> SERIAL_SHIFT;
    if serial == 0 {
        return general.as_bytes().into();
    }
    match SENTENCES.lock().ring.get((serial % KEPT) as usize) {
        Some((c, text)) if *c == code => kept(text),
        _ => general.as_bytes().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_keeps_class_and_sentence() {
        let code = register(&err!(Rank, "rank is 9"));
        assert_eq!(class_of(code), Class::Rank as i32);
        assert_eq!(*text_of(code), *b"Invalid rank: rank is 9");
    }

    #[test]
    fn classes_have_their_names_of_c() {
        assert_eq!(class_name(Class::RmaSync as i32), "MPI_ERR_RMA_SYNC");
        assert_eq!(class_name(Class::Arg as i32), "MPI_ERR_ARG");
        assert_eq!(class_name(126), "error class 126");
    }

    #[test]
    fn an_old_code_falls_back_to_its_class() {
        let old = register(&err!(Win, "first"));
        for i in 0..KEPT {
            register(&err!(Win, "later {i}"));
        }
        assert_eq!(*text_of(old), *b"Invalid window");
    }

    #[test]
    fn codes_stay_positive() {
        for _ in 0..5 {
            let code = register(&err!(Errhandler, "x"));
            assert!(code > 0 && code < 0x3fff_ffff);
        }
    }

    /// Each class that MPI defines is one of the library's, by MPICH's number.
    #[test]
    fn all_classes_are_known() {
        let mut known = std::collections::BTreeSet::new();
        for line in include_str!("mpi/constants/errors.rs").lines() {
            let Some((name, values)) = line.trim_start().split_once(": c_int = ") else {
                continue;
            };
            let mpich = values
                .split_once(',')
                .and_then(|(mpich, _)| mpich.parse().ok());
            // MPICH numbers its extensions from 100; only those that this library raises are classes.
            if let Some(number) = mpich.filter(|&number| number < 100) {
                let class = Class::of(number).unwrap_or_else(|| panic!("{name}"));
                assert_eq!(class.name(), name);
                known.insert(number);
            }
        }
        assert!(known.len() > 70);
    }
}
