//! Which MPI library a program was linked with, and which C interface of MPI that is.
//!
//! `mpiexec` and `rmashm-run` ask before they start a program ([`Program`]), and lead it to its library ([`leading`]); `rmashm-abi`
//! looks at all libraries that would be loaded with it, too ([`loading`]). Both are names of `mpiexec`.

mod abi;
pub mod finding;
mod interface;
pub mod leading;
pub mod loading;
mod program;
mod run;

pub use interface::{Interface, Library};
pub use program::Program;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a process that was called by this name has to do, if that is one of the two.
pub fn tool(called: &OsStr) -> Option<fn() -> ExitCode> {
    let name = Path::new(called).file_name()?.as_encoded_bytes();
    // Where packages of several MPIs are installed names may have an ending.
    match () {
        () if name.starts_with(b"rmashm-abi") => Some(abi::main),
        () if name.starts_with(b"rmashm-run") => Some(run::main),
        () => None,
    }
}

/// The folder with the libraries under the names that programs ask for, of the prefix in whose `bin` this process's executable
/// is; none where it is in no prefix.
pub fn folder_of_names() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let folder = executable.parent()?.parent()?.join("lib/rmashm");
    folder.is_dir().then_some(folder)
}

/// The folders that a program's library path begins with: [`folder_of_names`], and that with the names of what programs of Open
/// MPI may have recorded besides, which Open MPI's own launcher must not find.
pub fn folders_of_names() -> Vec<PathBuf> {
    let first = folder_of_names();
    let besides = first.as_ref().map(|folder| folder.join("besides"));
    let besides = besides.filter(|folder| folder.is_dir());
    first.into_iter().chain(besides).collect()
}
