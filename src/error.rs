//! Errors: the MPI error classes, and errors that carry a class and a sentence.
//!
//! Inside the library everything that can fail returns [`Result`]. Only the boundary (`abi`) knows integer codes: it
//! hands an [`Error`] to [`register`], which keeps the sentence and gives a code whose class is in the low bits, as
//! in MPICH; [`text_of`] gives the sentence back for `MPI_Error_string`.
//!
//! Classes that nothing here raises: `NAME`, `PORT`, `SERVICE`, `SPAWN` (dynamic processes are not offered:
//! `UNSUPPORTED_OPERATION`), `CONVERSION` (data in files is native), `RMA_CONFLICT` (conflicting accesses are not looked for),
//! `RMA_SHARED` (all memory of one machine can be shared), `PENDING` (calls that complete several requests see all of them
//! through), `PROC_ABORTED`, and `UNKNOWN`, the class of a code that is none. Of the tools': `CANNOT_INIT`, `MEMORY`,
//! `OUT_OF_HANDLES`, `OUT_OF_SESSIONS`, `INVALID_ITEM`, `CVAR_SET_NOT_NOW`, `NOT_SUPPORTED`, `NOT_ACCESSIBLE`. `INTERN` would
//! be an error of ours.
//!
//! A code is the class in bits 0-6, and from bit 8 on the serial number of the sentence, of which the last 1024 are kept. For
//! an older one `MPI_Error_string` gives the class's general sentence.

pub mod made;

use crate::mpi::constants::MPI_ERR_LASTCODE;
use crate::mpi::types::*;
use crate::shm;
use crate::shm::error::Cause;
use parking_lot::Mutex;
use std::fmt::Arguments;

pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong: the class a program tests for, and a sentence for its user that names the argument and its value.
#[derive(Clone, Debug)]
pub struct Error {
    pub class: Class,
    pub text: Box<str>,
    /// A code that a user's callback returned and that must reach the caller unchanged.
    code: Option<i32>,
    /// The object whose error handler is meant, where the arguments do not say it.
    pub object: Option<Object>,
}

/// The object whose error handler an error goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    Comm(MPI_Comm),
    Win(MPI_Win),
    Session(MPI_Session),
    File(MPI_File),
    Request(MPI_Request),
    /// None yet: the handler that was given to the call which makes it.
    Given(MPI_Errhandler),
}

impl Error {
    pub fn new(class: Class, text: impl Into<Box<str>>) -> Error {
        Error {
            class,
            text: text.into(),
            code: None,
            object: None,
        }
    }

    /// An error with a sentence that is yet to be put together: out of the way of calls that succeed.
    #[cold]
    #[inline(never)]
    pub fn formatted(class: Class, text: Arguments<'_>) -> Error {
        Error::new(class, text.to_string())
    }

    /// An error that is already a code: what a user's callback returned.
    pub fn from_code(code: i32) -> Error {
        Error {
            class: Class::Other,
            text: String::from_utf8_lossy(&text_of(code)).into(),
            code: Some(code),
            object: None,
        }
    }

    /// The same error, for the error handler of `object`: for functions that get its handle through a pointer.
    pub fn on(self, object: Object) -> Error {
        Error {
            object: Some(object),
            ..self
        }
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
    ($($name:ident = $value:literal, $text:literal;)*) => {
        /// The error classes of MPI 4.1 §9.4 (and of its chapters), with MPICH's values.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Class { $($name = $value,)* }

        impl Class {
            /// The class with this number.
            pub fn of(class: i32) -> Option<Class> {
                match class { $($value => Some(Class::$name),)* _ => None }
            }
        }

        /// The general sentence of a class; `None` for a number that is no class.
        pub fn class_text(class: i32) -> Option<&'static str> {
            match class { $($value => Some($text),)* _ => None }
        }

        fn variant_name(class: i32) -> Option<&'static str> {
            match class { $($value => Some(stringify!($name)),)* _ => None }
        }
    };
}

classes! {
    Success = 0, "No MPI error";
    Buffer = 1, "Invalid buffer pointer";
    Count = 2, "Invalid count";
    Type = 3, "Invalid datatype";
    Tag = 4, "Invalid tag";
    Comm = 5, "Invalid communicator";
    Rank = 6, "Invalid rank";
    Root = 7, "Invalid root";
    Group = 8, "Invalid group";
    Op = 9, "Invalid operation";
    Topology = 10, "Invalid topology";
    Dims = 11, "Invalid dimension argument";
    Arg = 12, "Invalid argument";
    Unknown = 13, "Unknown error";
    Truncate = 14, "Message truncated";
    Other = 15, "Other MPI error";
    Intern = 16, "Internal error of the MPI library";
    InStatus = 17, "The error is in the status";
    Pending = 18, "Pending request (neither failed nor completed)";
    Request = 19, "Invalid request";
    Access = 20, "Access to the file was refused";
    Amode = 21, "Invalid access mode";
    BadFile = 22, "Invalid file name";
    Conversion = 23, "A data conversion function failed";
    DupDatarep = 24, "The data representation is already defined";
    FileExists = 25, "The file exists";
    FileInUse = 26, "The file is in use";
    File = 27, "Invalid file handle";
    Info = 28, "Invalid info object";
    InfoKey = 29, "Invalid info key";
    InfoValue = 30, "Invalid info value";
    InfoNokey = 31, "The info key is not set";
    Io = 32, "Input/output error";
    Name = 33, "Unknown service name";
    NoMem = 34, "Not enough memory";
    NotSame = 35, "A collective argument is not the same on all processes";
    NoSpace = 36, "No space left on the device";
    NoSuchFile = 37, "The file does not exist";
    Port = 38, "Invalid port";
    Quota = 39, "Quota exceeded";
    ReadOnly = 40, "The file or file system is read-only";
    Service = 41, "Invalid service name";
    Spawn = 42, "Error in starting processes";
    UnsupportedDatarep = 43, "Unsupported data representation";
    UnsupportedOperation = 44, "Unsupported operation";
    Win = 45, "Invalid window";
    Base = 46, "Invalid base address";
    Locktype = 47, "Invalid lock type";
    Keyval = 48, "Invalid attribute key";
    RmaConflict = 49, "Conflicting accesses to a window";
    RmaSync = 50, "Wrong synchronization of RMA calls";
    Size = 51, "Invalid size argument";
    Disp = 52, "Invalid displacement argument";
    Assert = 53, "Invalid assert argument";
    RmaRange = 55, "Target memory is not part of the window";
    RmaAttach = 56, "Memory cannot be attached";
    RmaShared = 57, "Memory cannot be shared";
    RmaFlavor = 58, "Wrong flavor of window";
    TMemory = 59, "No memory for the tool information interface";
    TNotInitialized = 60, "The tool information interface is not initialized";
    TCannotInit = 61, "The tool information interface cannot be initialized";
    TInvalidIndex = 62, "Invalid index";
    TInvalidItem = 63, "Invalid item";
    TInvalidHandle = 64, "Invalid handle of the tool information interface";
    TOutOfHandles = 65, "No more handles of the tool information interface";
    TOutOfSessions = 66, "No more sessions of the tool information interface";
    TInvalidSession = 67, "Invalid session of the tool information interface";
    TCvarSetNotNow = 68, "The control variable cannot be set now";
    TCvarSetNever = 69, "The control variable cannot be set";
    TPvarNoStartstop = 70, "The performance variable cannot be started or stopped";
    TPvarNoWrite = 71, "The performance variable cannot be written or reset";
    TPvarNoAtomic = 72, "The performance variable cannot be read and reset at once";
    TInvalidName = 73, "Invalid name";
    TInvalid = 74, "Invalid use of the tool information interface";
    Session = 75, "Invalid session";
    ProcAborted = 76, "A process was aborted";
    ValueTooLarge = 77, "A value is too large for its argument";
    TNotSupported = 78, "Not supported by the tool information interface";
    TNotAccessible = 79, "Not accessible now";
    Errhandler = 80, "Invalid error handler";
    ProcFailed = 101, "A process failed";
}

/// Codes carry the class in the low 7 bits, as MPICH's do.
const CLASS_BITS: u32 = 7;
/// How many sentences are kept: `MPI_Error_string` of a code older than that gives the class's general sentence.
const KEPT: u32 = 1024;
/// The serial number of a sentence begins at bit 8.
const SERIAL_SHIFT: u32 = 8;
/// Serial numbers stay below this, so that codes stay positive and below `MPI_ERR_LASTCODE`.
const SERIAL_MAX: u32 = 1 << 21;

const _: () = assert!(CLASS_BITS <= SERIAL_SHIFT);
const _: () = assert!(SERIAL_MAX << SERIAL_SHIFT <= MPI_ERR_LASTCODE as u32);

struct Sentences {
    next: u32,
    ring: Vec<(i32, Box<str>)>,
}

static SENTENCES: Mutex<Sentences> = Mutex::new(Sentences {
    next: 0,
    ring: Vec::new(),
});

/// Keeps the sentence of `error` and returns the code that stands for it.
pub fn register(error: &Error) -> i32 {
    if let Some(code) = error.code {
        return code;
    }
    let mut kept = SENTENCES.lock();
    kept.next = kept.next % (SERIAL_MAX - 1) + 1;
    let code = error.class as i32 | (kept.next << SERIAL_SHIFT) as i32;
    let entry = (code, error.text.clone());
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
        0..=MPI_ERR_LASTCODE => class_text(class_of(code)).is_some(),
        _ => made::class_of(code).is_some(),
    }
}

/// The class of an error code.
pub fn class_of(code: i32) -> i32 {
    match code {
        ..=MPI_ERR_LASTCODE => code & ((1 << CLASS_BITS) - 1),
        _ => made::class_of(code).unwrap_or(Class::Unknown as i32),
    }
}

/// The name of a class in C: `MPI_ERR_RMA_SYNC`.
pub fn class_name(class: i32) -> String {
    let Some(variant) = variant_name(class) else {
        return format!("error class {class}");
    };
    let mut name = String::from("MPI_ERR");
    for letter in variant.chars() {
        if letter.is_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    // Those of the tool information interface.
    name.replacen("MPI_ERR_T_", "MPI_T_ERR_", 1)
}

const UNKNOWN: &str = "Unknown error code";

/// The sentence of an error code: the one kept for it, or its class's general one. Of the program's codes, what it gave, in
/// whatever encoding.
pub fn text_of(code: i32) -> Box<[u8]> {
    if code > MPI_ERR_LASTCODE {
        return made::text_of(code).unwrap_or_else(|| UNKNOWN.as_bytes().into());
    }
    let serial = (code as u32) >> SERIAL_SHIFT;
    let general = class_text(class_of(code)).unwrap_or(UNKNOWN);
    if serial == 0 {
        return general.as_bytes().into();
    }
    let kept = SENTENCES.lock();
    match kept.ring.get((serial % KEPT) as usize) {
        Some((c, text)) if *c == code => format!("{general}: {text}").into_bytes().into(),
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
}
