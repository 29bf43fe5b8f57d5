//! Reading a job's segment without being part of the job. Nothing is mapped and nothing written: the kernel copies what is asked for
//! (`pread`). So a job that changes, ends or writes nonsense meanwhile costs a wrong number or an error, never a signal; a part of
//! the file that nobody has touched stays without memory, as a look at a mapping would not let it; and the ranks notice nothing.
//!
//! What is left of a segment in a core dump is read in the same way.

use super::Offset;
use super::dump::Dump;
use super::maker::{self, Maker};
use super::segment::{Header, is_alike, is_ours};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// No more is read at a time.
const MOST: usize = 1 << 30;

/// What can be looked at in a copy of its bytes: atomics and numbers, of which any bytes are a value.
///
/// # Safety
/// So it is, and the type has no padding that matters and nothing to drop.
pub unsafe trait Plain {}

// SAFETY: any byte is a value.
unsafe impl Plain for u8 {}

/// An open segment, or a core dump that has one.
pub struct Reader {
    file: File,
    dump: Option<Dump>,
}

/// What is behind a descriptor.
pub enum Opened {
    /// A segment of this build.
    Segment(Reader),
    /// One of another build: which, in words.
    Other(String),
    /// A core dump of a process that had one, without it.
    Without,
    /// Something else.
    Nothing,
}

impl Reader {
    /// Opens what may be a segment. Error: the system's.
    pub fn open(path: &Path) -> io::Result<Opened> {
        let reader = Reader {
            file: File::open(path)?,
            dump: None,
        };
        let Ok(header) = reader.read::<Header>(0) else {
            return Ok(Opened::Nothing);
        };
        if is_ours(&header, reader.file.metadata()?.len()) {
            return Ok(Opened::Segment(reader));
        }
        let maker = reader.read::<Maker>(maker::AT);
        Ok(maker.map_or(Opened::Nothing, |maker| Opened::Other(maker.words())))
    }

    /// Opens what may be a core dump of a rank. Error: the system's.
    pub fn open_dump(path: &Path) -> io::Result<Opened> {
        let file = File::open(path)?;
        let Some(dump) = Dump::of(&file)? else {
            return Ok(Opened::Nothing);
        };
        let beginnings = dump.beginnings();
        let mut reader = Reader {
            file,
            dump: Some(dump),
        };
        for base in beginnings {
            reader
                .dump
                .as_mut()
                .into_iter()
                .for_each(|dump| dump.begins_at(base));
            if reader
                .read::<Header>(0)
                .is_ok_and(|header| is_alike(&header))
            {
                return Ok(Opened::Segment(reader));
            }
            let maker = reader.read::<Maker>(maker::AT).ok();
            if let Some(maker) = maker.filter(|maker| maker.is_marked()) {
                return Ok(Opened::Other(maker.words()));
            }
        }
        let had_segment = reader.dump.is_some_and(|dump| dump.had_segment);
        Ok(match had_segment {
            true => Opened::Without,
            false => Opened::Nothing,
        })
    }

    /// The core dump that it is read from, if it is.
    pub fn dump(&self) -> Option<&Dump> {
        self.dump.as_ref()
    }

    fn copy(&self, bytes: &mut [u8], offset: Offset) -> io::Result<()> {
        match &self.dump {
            Some(dump) => dump.read(&self.file, bytes, offset as u64),
            None => self.file.read_exact_at(bytes, offset as u64),
        }
    }

    /// Its number, and that of its device: the same for all who have it.
    pub fn identity(&self) -> io::Result<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        self.file.metadata().map(|file| (file.dev(), file.ino()))
    }

    /// Bytes of memory of the system that it takes.
    pub fn in_use(&self) -> io::Result<u64> {
        use std::os::unix::fs::MetadataExt;
        self.file.metadata().map(|file| file.blocks() * 512)
    }

    /// A copy of what lies at `offset`. Error: where nothing can.
    pub fn read<T: Plain>(&self, offset: Offset) -> io::Result<Box<T>> {
        let mut place = Box::<T>::new_uninit();
        // SAFETY: zeros are a value of these bytes, which are the box's own.
        let bytes = unsafe {
            place.as_mut_ptr().write_bytes(0, 1);
            std::slice::from_raw_parts_mut(place.as_mut_ptr().cast::<u8>(), size_of::<T>())
        };
        self.copy(bytes, offset)?;
        // SAFETY: any bytes are a value.
        Ok(unsafe { place.assume_init() })
    }

    /// Copies of `n` that lie there side by side.
    pub fn read_many<T: Plain>(&self, offset: Offset, n: usize) -> io::Result<Vec<T>> {
        let size = n.checked_mul(size_of::<T>()).filter(|&size| size <= MOST);
        let size = size.ok_or(io::ErrorKind::InvalidData)?;
        let mut places: Vec<MaybeUninit<T>> = Vec::new();
        places
            .try_reserve_exact(n)
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        // SAFETY: as in `read`, for `n` of them.
        unsafe {
            places.as_mut_ptr().write_bytes(0, n);
            let bytes = std::slice::from_raw_parts_mut(places.as_mut_ptr().cast::<u8>(), size);
            self.copy(bytes, offset)?;
            places.set_len(n);
            Ok(places
                .into_iter()
                .map(|place| place.assume_init())
                .collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::atomic::{AtomicU64, Ordering::Relaxed};
    use crate::shm::segment::Segment;
    use crate::shm::{HUGE, PAGE};
    use std::os::fd::{AsFd, AsRawFd};

    // SAFETY: any bytes are a value.
    unsafe impl Plain for AtomicU64 {}

    fn path(fd: impl AsRawFd) -> String {
        format!("/proc/self/fd/{}", fd.as_raw_fd())
    }

    #[test]
    fn what_others_write_is_read_and_nothing_takes_memory_by_it() {
        let segment = Segment::create(PAGE).unwrap();
        let Opened::Segment(reader) = Reader::open(path(segment.fd().unwrap()).as_ref()).unwrap()
        else {
            panic!("it is a segment of this build")
        };
        let at = segment.lease(HUGE).unwrap();
        // SAFETY: in the range just leased.
        unsafe { (*segment.at::<AtomicU64>(at)).store(42, Relaxed) };
        assert_eq!(reader.read::<AtomicU64>(at).unwrap().load(Relaxed), 42);
        let before = segment.in_use();
        let all = reader.read_many::<AtomicU64>(at, HUGE / 8).unwrap();
        assert_eq!(
            (all.len(), all[0].load(Relaxed), all[1].load(Relaxed)),
            (HUGE / 8, 42, 0)
        );
        assert_eq!(segment.in_use(), before);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let segment = Segment::create(PAGE).unwrap();
        let Opened::Segment(reader) = Reader::open(path(segment.fd().unwrap()).as_ref()).unwrap()
        else {
            panic!("it is a segment of this build")
        };
        for offset in [segment.len(), segment.len() - 4, usize::MAX, usize::MAX / 2] {
            assert!(reader.read::<AtomicU64>(offset).is_err(), "{offset}");
        }
        assert!(reader.read_many::<AtomicU64>(0, usize::MAX / 4).is_err());
        assert!(reader.read_many::<AtomicU64>(0, usize::MAX).is_err());
    }

    #[test]
    fn other_files_are_told_apart() {
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        let opened = Reader::open(path(file.as_fd()).as_ref()).unwrap();
        assert!(!matches!(opened, Opened::Segment(_)));
        let empty = std::fs::File::open("/dev/null").unwrap();
        assert!(matches!(
            Reader::open(path(empty.as_fd()).as_ref()).unwrap(),
            Opened::Nothing
        ));
    }
}
