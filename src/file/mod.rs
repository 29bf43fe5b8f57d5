//! Files (MPI 4.1 chapter 14), on the system's calls.
//!
//! Every process opens the file for itself. What the processes share, the shared file pointer, lies in the segment behind the
//! file's [`Meeting`]. Data is moved by the call that asks for it, by reading and writing at offsets: nonblocking calls and the
//! begin of split ones are complete when they return. A collective access is each process's own, for none needs what another one
//! does; but where short runs of several interleave, those of a blocking one go by way of memory that all share (see `two_phase`).
//! The kernel keeps all processes' views of a file the same, so that what was written is read by any process that is told of it. A
//! write locks the range that it covers (see `runs`).
//!
//! Elements that are others in the file than in memory go through a buffer (see `convert`).

mod access;
mod checked;
mod convert;
mod cover;
mod create;
mod hints;
mod representation;
mod runs;
mod staging;
mod system;
mod two_phase;
mod view;

pub use access::{Direction, From, Split};
pub use convert::{Elements, Memory};
pub use create::{delete, open};
pub use representation::{Conversion, Representation, register};
pub use view::View;

use crate::comm::checked::Together;
use crate::comm::group::Group;
use crate::errhandler::Slot;
use crate::error::{Error, Object, Result};
use crate::handle::{Kind, Table};
use crate::info::Info;
use crate::mpi::constants::*;
use crate::mpi::types::MPI_File;
use crate::naming;
use crate::runtime::meeting::Meeting;
use crate::runtime::neutral::Neutral;
use crate::shm::atomic::{AtomicU64, Ordering};
use crate::{bail, err};
use hints::{Buffering, Hints};
use parking_lot::Mutex;
use staging::Staging;
use std::ffi::c_int;
use std::hash::{Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use two_phase::Together as InTwoPhases;

/// An open file.
pub struct File {
    file: std::fs::File,
    path: PathBuf,
    pub amode: c_int,
    pub group: Arc<Group>,
    /// Where its processes meet; holds the shared file pointer.
    meeting: Meeting,
    /// The shared file pointer, in etypes.
    shared: &'static AtomicU64,
    state: Mutex<State>,
    /// Whether accesses of different processes exclude each other.
    atomic: AtomicBool,
    /// Of the threads that lock the file, all of which have the same lock, one at a time: those that write, in atomic mode all.
    serial: Mutex<()>,
    /// The individual file pointer, in etypes.
    position: Mutex<i64>,
    pub handler: Slot,
    hints: Mutex<Hints>,
    /// The memory of collective accesses.
    staging: Mutex<Option<Arc<Staging>>>,
    /// For checks.
    calls: Together,
}

/// What a process has of a file for itself.
struct State {
    view: View,
    /// Average lengths of the runs in the views of all processes.
    runs: Vec<u64>,
    /// Which collective accesses all processes make together.
    together: InTwoPhases,
    /// The split operation that was begun and not ended.
    split: Option<(Split, usize)>,
}

static FILES: Table<File> = Table::new(Kind::File);

/// The file of a handle. Error: `MPI_ERR_FILE`.
pub fn get(handle: MPI_File) -> Result<&'static File> {
    FILES.get(handle.0).ok_or_else(|| match handle {
        MPI_FILE_NULL => err!(File, "file is MPI_FILE_NULL"),
        _ => err!(
            File,
            "file is {:#x}, which is no open file (it may be closed)",
            handle.0
        ),
    })
}

/// Closes a file. Collective. Errors: `MPI_ERR_FILE`, `MPI_ERR_IO` (a split operation was not ended); `MPI_ERR_PROC_FAILED` and those of
/// deleting it, and then the file is to [end] when its error handler was called.
pub fn close(handle: MPI_File) -> Result<()> {
    let file = get(handle)?;
    if file.state.lock().split.is_some() {
        bail!(Io, "a split operation on the file was begun and not ended");
    }
    file.called_together();
    let mut met = file.barrier("MPI_File_close");
    if file.amode & MPI_MODE_DELETE_ON_CLOSE != 0 && met.is_ok() {
        let gone = match file.meeting.rank {
            0 => std::fs::remove_file(&file.path)
                .map_err(|error| system::failed(&error, "deleting", &file.path)),
            _ => Ok(()),
        };
        met = agree(&file.meeting, &gone, "MPI_File_close").map(|_| ());
    }
    met.map_err(|error| error.on(Object::EndingFile(handle)))?;
    end(handle);
    Ok(())
}

/// Ends the file here, if it is still there.
pub fn end(handle: MPI_File) {
    FILES.remove(handle.0);
}

/// Gives every process's part to all, if all succeeded. Else all get an error of the class of the first one.
fn agree<T: Neutral>(place: &Meeting, mine: &Result<T>, call: &str) -> Result<Vec<T>> {
    let what = || format!("{call}: waiting for the other processes of the file");
    place.agree(mine, &what, |failure| failure.alike(call))
}

/// A name as processes tell each other of it: they compare it.
fn told(name: &str) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

impl File {
    /// What people read.
    pub fn title(&self) -> String {
        naming::printable(self.path.as_os_str().as_bytes())
    }

    fn barrier(&self, call: &str) -> Result<()> {
        let what = || format!("{call}: waiting for the other processes of the file");
        self.meeting.barrier(&what)
    }

    fn failed(&self, error: &std::io::Error, doing: &str) -> Error {
        system::failed(error, doing, &self.path)
    }

    fn is(&self, mode: c_int) -> bool {
        self.amode & mode != 0
    }

    /// Error: `MPI_ERR_UNSUPPORTED_OPERATION` in sequential mode.
    fn not_sequential(&self, what: &str) -> Result<()> {
        if self.is(MPI_MODE_SEQUENTIAL) {
            bail!(
                UnsupportedOperation,
                "the file is open with MPI_MODE_SEQUENTIAL, which does not have {what}"
            );
        }
        Ok(())
    }

    /// Bytes of the file. Error: `MPI_ERR_IO`.
    pub fn size(&self) -> Result<i64> {
        match self.file.metadata() {
            Ok(about) => Ok(about.len() as i64),
            Err(error) => Err(self.failed(&error, "asking the size of")),
        }
    }

    /// Changes the size, or with `at_least` only makes room. Collective. Errors: `MPI_ERR_ARG` (negative), `MPI_ERR_NOT_SAME`,
    /// `MPI_ERR_READ_ONLY`, `MPI_ERR_UNSUPPORTED_OPERATION`, and the system's.
    pub fn resize(&self, size: i64, at_least: bool, call: &str) -> Result<()> {
        let checked = self.check_resize(size).map(|()| size);
        let sizes = agree(&self.meeting, &checked, call)?;
        if let Some(rank) = sizes.iter().position(|&other| other != sizes[0]) {
            bail!(
                NotSame,
                "size is {} at rank 0{} and {} at rank {rank}{}",
                sizes[0],
                self.meeting.in_job(0),
                sizes[rank],
                self.meeting.in_job(rank)
            );
        }
        let done = match self.meeting.rank {
            0 if at_least => system::reserve(&self.file, size),
            0 => self.file.set_len(size as u64),
            _ => Ok(()),
        };
        let done = done.map_err(|error| self.failed(&error, "changing the size of"));
        agree(&self.meeting, &done, call).map(|_| ())
    }

    fn check_resize(&self, size: i64) -> Result<()> {
        if size < 0 {
            bail!(Arg, "size is {size}, and must not be negative");
        }
        if self.is(MPI_MODE_RDONLY) {
            bail!(ReadOnly, "the file is open with MPI_MODE_RDONLY");
        }
        self.not_sequential("a size to be set")
    }

    /// Writes what this process has written to the device. Error: the system's.
    pub fn sync(&self) -> Result<()> {
        if self.is(MPI_MODE_RDONLY) {
            return Ok(());
        }
        self.file
            .sync_data()
            .map_err(|error| self.failed(&error, "writing to the device"))
    }

    /// Whether accesses exclude each other. Collective. Error: `MPI_ERR_NOT_SAME`.
    pub fn set_atomic(&self, atomic: bool) -> Result<()> {
        let all = agree(&self.meeting, &Ok(atomic), "MPI_File_set_atomicity")?;
        if all.iter().any(|&other| other != atomic) {
            bail!(NotSame, "flag is not the same on all processes of the file");
        }
        self.atomic.store(atomic, Ordering::Release);
        Ok(())
    }

    pub fn is_atomic(&self) -> bool {
        self.atomic.load(Ordering::Acquire)
    }

    /// This process's view.
    pub fn view(&self) -> View {
        self.state.lock().view.clone()
    }

    /// Where a view begins for which `disp` is given: in sequential mode at the byte of the file that the shared file pointer is at, and
    /// nowhere else. Error: `MPI_ERR_ARG`.
    pub fn view_begin(&self, disp: i64) -> Result<i64> {
        match (self.is(MPI_MODE_SEQUENTIAL), disp) {
            (true, MPI_DISPLACEMENT_CURRENT) => self.byte_offset(self.shared_position()),
            (true, _) => bail!(
                Arg,
                "disp is {disp}, and of a file that is open with MPI_MODE_SEQUENTIAL the view begins where the shared file pointer is: \
                 MPI_DISPLACEMENT_CURRENT"
            ),
            (false, MPI_DISPLACEMENT_CURRENT) => bail!(
                Arg,
                "disp is MPI_DISPLACEMENT_CURRENT, which is for files open with MPI_MODE_SEQUENTIAL"
            ),
            (false, _) => Ok(disp),
        }
    }

    /// Changes the view to what `view` makes, and sets all file pointers to its beginning. Collective. Errors: those of `view`, on all
    /// processes alike.
    pub fn set_view(&self, view: impl FnOnce() -> Result<View>, hints: Result<Info>) -> Result<()> {
        let mut new_hints = self.hints.lock().clone();
        let new = hints.and_then(|hints| {
            new_hints.change(&hints)?;
            view()
        });
        let buffering = new_hints.buffering;
        let told = |view: &View| (told(&view.datarep.name()), view.run(), buffering);
        let told = new.as_ref().map(told).map_err(Error::clone);
        let told = agree(&self.meeting, &told, "MPI_File_set_view")?;
        if let Some(rank) = told.iter().position(|other| other.0 != told[0].0) {
            bail!(
                NotSame,
                "datarep is not the same at rank 0{} and at rank {rank}{}",
                self.meeting.in_job(0),
                self.meeting.in_job(rank)
            );
        }
        let view = new?;
        *self.hints.lock() = new_hints;
        {
            let mut state = self.state.lock();
            state.view = view;
            state.runs = told.iter().map(|told| told.1).collect();
        }
        self.settle(told[0].2);
        *self.position.lock() = 0;
        self.shared.store(0, Ordering::Release);
        // Nobody moves the shared file pointer before all have set it.
        self.barrier("MPI_File_set_view")
    }

    /// The hints that are honoured.
    pub fn info(&self) -> Info {
        let hints = self.hints.lock();
        hints.info(self.group.size(), self.group.kinds())
    }

    /// Takes over hints. Collective. Errors: `MPI_ERR_INFO_VALUE` and others of `info`, on all processes alike.
    pub fn take_hints(&self, info: Result<Info>) -> Result<()> {
        let mut hints = self.hints.lock().clone();
        let taken = info.and_then(|info| {
            hints.change(&info)?;
            Ok(hints.buffering)
        });
        let told = agree(&self.meeting, &taken, "MPI_File_set_info")?;
        *self.hints.lock() = hints;
        self.settle(told[0]);
        Ok(())
    }

    /// Obeys hints that were taken: those that have to be the same everywhere as rank 0 has them.
    fn settle(&self, buffering: Buffering) {
        let mut hints = self.hints.lock();
        hints.buffering = buffering;
        let mut state = self.state.lock();
        state.together = InTwoPhases::of(&buffering, &state.runs);
        if let Some(advice) = hints.advice() {
            system::advise(&self.file, advice);
        }
    }
}
