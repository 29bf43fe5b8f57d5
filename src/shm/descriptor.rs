//! A descriptor that the program may close, or whose number it may use for a file of its own: nothing forbids that, and there
//! are programs that close all from 3 on. So before each use it is asked which file it is of (`st_dev`, `st_ino`), and its
//! owner can do without it.
//!
//! The segment's is needed to hand it over, and never again. Where it is there it tells more quickly how much memory the
//! segment holds, and where in it. It has a high number.

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::stat::fstat;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// Numbers from here on are out of the way of programs that count on low ones.
const HIGH: u64 = 960;

/// A duplicate of a descriptor, and which file it is of.
pub struct Descriptor {
    number: RawFd,
    file: (u64, u64),
}

impl Descriptor {
    /// Duplicates `fd`, with a high number and closed by `exec`. `None` if the process can have no more descriptors.
    pub fn keep(fd: BorrowedFd<'_>) -> Option<Descriptor> {
        let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(HIGH, |(soft, _)| soft);
        let high = HIGH.min(limit - limit / 16) as RawFd;
        let duplicate = |from| fcntl(fd, FcntlArg::F_DUPFD_CLOEXEC(from));
        let number = duplicate(high).or_else(|_| duplicate(3)).ok()?;
        Some(Descriptor {
            number,
            file: identity(fd)?,
        })
    }

    /// The descriptor, if it is still the one that was kept.
    pub fn get(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: a number of which the kernel will be asked what it is; what it is not open as, it says so.
        let fd = unsafe { BorrowedFd::borrow_raw(self.number) };
        (identity(fd)? == self.file).then_some(fd)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        if self.get().is_some() {
            // SAFETY: it is the one that was made for this.
            drop(unsafe { OwnedFd::from_raw_fd(self.number) });
        }
    }
}

fn identity(fd: BorrowedFd<'_>) -> Option<(u64, u64)> {
    let status = fstat(fd).ok()?;
    Some((status.st_dev, status.st_ino))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn a_number_of_another_file_is_not_used() {
        let open = |name| std::fs::File::open(name).unwrap();
        let kept = Descriptor::keep(open("/proc/self/exe").as_fd()).unwrap();
        assert!(kept.get().is_some());
        let other = open("/dev/null");
        // SAFETY: the number is that of `kept`, which finds out.
        unsafe {
            libc::dup3(
                std::os::fd::AsRawFd::as_raw_fd(&other),
                kept.number,
                libc::O_CLOEXEC,
            )
        };
        assert!(kept.get().is_none());
        let number = kept.number;
        drop(kept);
        // SAFETY: a number that this test has opened.
        let left = unsafe { OwnedFd::from_raw_fd(number) };
        assert!(
            identity(left.as_fd()).is_some(),
            "closed by who does not own it"
        );
    }
}
