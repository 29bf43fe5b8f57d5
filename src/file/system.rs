//! Files of the system: opening as an access mode says, and the system's errors as MPI's (MPI 4.1 §14.7).

use crate::error::{Class, Error, Result};
use crate::mpi::constants::*;
use crate::observe;
use crate::{bail, err};
use nix::errno::Errno;
use nix::fcntl::FcntlArg::{F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW};
use nix::fcntl::{PosixFadviseAdvice, fcntl, posix_fadvise, posix_fallocate};
use std::ffi::{OsStr, c_int};
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// File systems that a name may begin with, as ROMIO has them: all are files of the system here.
const PREFIXES: [&str; 11] = [
    "ufs:", "nfs:", "xfs:", "pfs:", "pvfs:", "pvfs2:", "lustre:", "gpfs:", "panfs:", "testfs:",
    "daos:",
];

/// The access modes, in the order of the bits by which processes tell each other of them.
const MODES: [c_int; 9] = [
    MPI_MODE_CREATE,
    MPI_MODE_RDONLY,
    MPI_MODE_WRONLY,
    MPI_MODE_RDWR,
    MPI_MODE_DELETE_ON_CLOSE,
    MPI_MODE_UNIQUE_OPEN,
    MPI_MODE_EXCL,
    MPI_MODE_APPEND,
    MPI_MODE_SEQUENTIAL,
];

/// An access mode as processes tell each other of it.
pub fn told_amode(amode: c_int) -> u32 {
    let modes = (0..MODES.len()).filter(|&bit| amode & MODES[bit] != 0);
    modes.fold(0, |told, bit| told | 1 << bit)
}

/// The access mode that a process told of.
pub fn amode_of(told: u32) -> c_int {
    let modes = (0..MODES.len()).filter(|&bit| told >> bit & 1 != 0);
    modes.fold(0, |amode, bit| amode | MODES[bit])
}

/// The path of a file name. Error: `MPI_ERR_BAD_FILE` if it is empty.
pub fn path(name: &Path) -> Result<PathBuf> {
    let name = name.as_os_str().as_bytes();
    let bare = PREFIXES
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix.as_bytes()));
    let path = PathBuf::from(OsStr::from_bytes(bare.unwrap_or(name)));
    if path.as_os_str().is_empty() {
        bail!(BadFile, "filename is empty");
    }
    Ok(path)
}

/// Error: `MPI_ERR_AMODE` for an access mode that is none.
pub fn check_amode(amode: c_int) -> Result<()> {
    let ways = [MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR];
    let given = ways.iter().filter(|&&way| amode & way != 0).count();
    let wrong = if amode != amode_of(told_amode(amode)) {
        "has unknown bits"
    } else if given != 1 {
        "must have exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"
    } else if amode & MPI_MODE_RDONLY != 0 && amode & (MPI_MODE_CREATE | MPI_MODE_EXCL) != 0 {
        "has MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL"
    } else if amode & MPI_MODE_RDWR != 0 && amode & MPI_MODE_SEQUENTIAL != 0 {
        "has MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL"
    } else {
        return Ok(());
    };
    Err(err!(Amode, "amode is {amode:#x}, which {wrong}"))
}

/// The permissions of new files without a hint.
pub const PERMISSIONS: u32 = 0o666;

/// Opens a file; with permissions for a new one it follows MPI_MODE_CREATE and MPI_MODE_EXCL, which else are left out.
pub fn open(path: &Path, amode: c_int, create: Option<u32>) -> Result<File> {
    let has = |mode: c_int| amode & mode != 0;
    let mut flags = libc::O_CLOEXEC;
    if create.is_some() && has(MPI_MODE_CREATE) {
        flags |= libc::O_CREAT;
    }
    if create.is_some() && has(MPI_MODE_EXCL) {
        flags |= libc::O_EXCL;
    }
    OpenOptions::new()
        .read(!has(MPI_MODE_WRONLY))
        .write(!has(MPI_MODE_RDONLY))
        .custom_flags(flags)
        .mode(create.unwrap_or(PERMISSIONS))
        .open(path)
        .map_err(|error| failed(&error, "opening", path))
}

/// The error of doing something with a file.
pub fn failed(error: &io::Error, doing: &str, path: &Path) -> Error {
    let class = match error.raw_os_error().unwrap_or(0) {
        libc::ENOENT | libc::ENXIO => Class::NoSuchFile,
        libc::EACCES | libc::EPERM => Class::Access,
        libc::EEXIST => Class::FileExists,
        libc::ENOTDIR | libc::EISDIR | libc::ENAMETOOLONG | libc::ELOOP => Class::BadFile,
        libc::EROFS => Class::ReadOnly,
        libc::ENOSPC | libc::EFBIG => Class::NoSpace,
        libc::EDQUOT => Class::Quota,
        libc::EBUSY | libc::ETXTBSY => Class::FileInUse,
        libc::EFAULT => Class::Buffer,
        libc::ENOMEM => Class::NoMem,
        _ => Class::Io,
    };
    Error::new(class, format!("{doing} {}: {error}", path.display()))
}

/// Gives the file at least `size` bytes, with room for them where the file system can promise that.
pub fn reserve(file: &File, size: i64) -> io::Result<()> {
    match posix_fallocate(file, 0, size) {
        Ok(()) => Ok(()),
        Err(Errno::EOPNOTSUPP | Errno::EINVAL) if size > 0 => match file.metadata()?.len() {
            len if len < size as u64 => file.set_len(size as u64),
            _ => Ok(()),
        },
        Err(_) if size == 0 => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Tells the system of the accesses to come.
pub fn advise(file: &File, advice: PosixFadviseAdvice) {
    // Advice that cannot be taken changes nothing.
    let _ = posix_fadvise(file, 0, 0, advice);
}

/// Reads until the memory is full or the file ends. Gives the bytes that were read, also before an error.
pub fn read_at(file: &File, memory: &mut [u8], place: u64) -> (usize, io::Result<()>) {
    let mut done = 0;
    let outcome = until_done(memory.len(), &mut done, |done| {
        file.read_at(&mut memory[done..], place + done as u64)
    });
    (done, outcome)
}

/// Writes all of the memory. Gives the bytes that were written, also before an error.
pub fn write_at(file: &File, memory: &[u8], place: u64) -> (usize, io::Result<()>) {
    let mut done = 0;
    let outcome = until_done(memory.len(), &mut done, |done| {
        match file.write_at(&memory[done..], place + done as u64) {
            Ok(0) => Err(io::ErrorKind::WriteZero.into()),
            written => written,
        }
    });
    (done, outcome)
}

/// Calls `go_on(bytes that are done)` until all are, or none come.
fn until_done(
    all: usize,
    done: &mut usize,
    mut go_on: impl FnMut(usize) -> io::Result<usize>,
) -> io::Result<()> {
    // The file system answers at once or not.
    observe::lingers();
    while *done < all {
        match go_on(*done) {
            Ok(0) => break,
            Ok(n) => *done += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Keeps other open files of the same name from a range of bytes, or from all of them, until it is dropped; or (`shared`) only from
/// writing there.
pub struct Locked<'a> {
    file: &'a File,
    range: Option<Range<u64>>,
}

impl Locked<'_> {
    /// All bytes. Blocks while others do the same.
    pub fn all(file: &File, shared: bool) -> io::Result<Locked<'_>> {
        let kind = if shared { libc::F_RDLCK } else { libc::F_WRLCK };
        Locked::wait(file, kind, None)
    }

    /// A range for writing. Blocks while others do the same. `None` if there are no such locks in the file system, or a process has
    /// locked the range for itself: that may be the caller, who would wait for itself, and it is none of us.
    pub fn range(file: &File, range: Range<u64>) -> Option<Locked<'_>> {
        let (kind, range) = (libc::F_WRLCK, Some(range));
        let mut lock = lock(kind, &range);
        match fcntl(file, F_OFD_SETLK(&lock)) {
            Ok(_) => Some(Locked { file, range }),
            Err(Errno::EAGAIN) => {
                // Locks of open files, as ours are, have no process.
                fcntl(file, F_OFD_GETLK(&mut lock)).ok()?;
                match lock.l_pid {
                    ..=0 => Locked::wait(file, kind, range).ok(),
                    _ => None,
                }
            }
            Err(_) => None,
        }
    }

    /// Lets others share the lock from now on, and keep those from writing too that write for one that has not shared it.
    pub fn share(&self) {
        // To make less of a lock that is held does not fail.
        let _ = fcntl(self.file, F_OFD_SETLK(&lock(libc::F_RDLCK, &self.range)));
    }

    /// Shares the lock of a range that another open file lets others share. Does not block. `None` if that has given it up.
    pub fn shared(file: &File, range: Range<u64>) -> Option<Locked<'_>> {
        let range = Some(range);
        let locked = fcntl(file, F_OFD_SETLK(&lock(libc::F_RDLCK, &range)));
        locked.is_ok().then_some(Locked { file, range })
    }

    fn wait(file: &File, kind: c_int, range: Option<Range<u64>>) -> io::Result<Locked<'_>> {
        loop {
            match fcntl(file, F_OFD_SETLKW(&lock(kind, &range))) {
                Ok(_) => return Ok(Locked { file, range }),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // Giving up a lock that is held does not fail.
        let _ = fcntl(self.file, F_OFD_SETLK(&lock(libc::F_UNLCK, &self.range)));
    }
}

/// A lock of this kind and range. It belongs to the open file, of which each process has its own.
fn lock(kind: c_int, range: &Option<Range<u64>>) -> libc::flock {
    // SAFETY: a zeroed flock is one of the whole file.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    if let Some(range) = range {
        lock.l_start = range.start as libc::off_t;
        lock.l_len = (range.end - range.start) as libc::off_t;
    }
    lock
}
