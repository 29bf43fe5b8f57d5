//! Files of the system: opening as an access mode says, and the system's errors as MPI's (MPI 4.1 §14.7).

use crate::abi::constants::*;
use crate::error::{Class, Error, Result};
use crate::{bail, err};
use std::ffi::{OsStr, c_int};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// File systems that a name may begin with, as ROMIO has them: all are files of the system here.
const PREFIXES: [&str; 11] = [
    "ufs:", "nfs:", "xfs:", "pfs:", "pvfs:", "pvfs2:", "lustre:", "gpfs:", "panfs:", "testfs:",
    "daos:",
];

const KNOWN: c_int = MPI_MODE_CREATE
    | MPI_MODE_RDONLY
    | MPI_MODE_WRONLY
    | MPI_MODE_RDWR
    | MPI_MODE_DELETE_ON_CLOSE
    | MPI_MODE_UNIQUE_OPEN
    | MPI_MODE_EXCL
    | MPI_MODE_APPEND
    | MPI_MODE_SEQUENTIAL;

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
    let wrong = if amode & !KNOWN != 0 {
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

/// Opens a file; `create` follows MPI_MODE_CREATE and MPI_MODE_EXCL, which else are left out.
pub fn open(path: &Path, amode: c_int, create: bool) -> Result<File> {
    let has = |mode: c_int| amode & mode != 0;
    let mut flags = libc::O_CLOEXEC;
    if create && has(MPI_MODE_CREATE) {
        flags |= libc::O_CREAT;
    }
    if create && has(MPI_MODE_EXCL) {
        flags |= libc::O_EXCL;
    }
    OpenOptions::new()
        .read(!has(MPI_MODE_WRONLY))
        .write(!has(MPI_MODE_RDONLY))
        .custom_flags(flags)
        .mode(0o666)
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
    // SAFETY: a system call on an open descriptor, without memory.
    let code = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, size) };
    match code {
        0 => Ok(()),
        libc::EOPNOTSUPP | libc::EINVAL if size > 0 => match file.metadata()?.len() {
            len if len < size as u64 => file.set_len(size as u64),
            _ => Ok(()),
        },
        0.. if size == 0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Keeps other processes from the whole file, or (`shared`) from writing it, until it is dropped. Blocks while they do the same.
pub struct Locked<'a>(&'a File);

impl Locked<'_> {
    pub fn new(file: &File, shared: bool) -> io::Result<Locked<'_>> {
        let kind = if shared { libc::F_RDLCK } else { libc::F_WRLCK };
        loop {
            match set_lock(file, kind) {
                Ok(()) => return Ok(Locked(file)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // Giving up a lock that is held does not fail.
        let _ = set_lock(self.0, libc::F_UNLCK);
    }
}

fn set_lock(file: &File, kind: c_int) -> io::Result<()> {
    // SAFETY: a zeroed flock is one of the whole file.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    // SAFETY: an open descriptor and a valid flock, which the kernel only reads. The lock belongs to the open file, of which
    // each process has its own.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLKW, &lock) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
