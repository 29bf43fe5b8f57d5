//! Which MPI library a program was linked with, and which C interface of MPI that is.
//!
//! `mpiexec` and `rmashm-run` ask before they start a program ([`Program`]), and lead it to its library ([`leading`]); `rmashm-abi`
//! looks at all libraries that would be loaded with it, too ([`loading`]).

pub mod finding;
mod interface;
pub mod leading;
pub mod loading;
mod program;

pub use interface::{Interface, Library};
pub use program::Program;

use std::path::PathBuf;

/// The folder with the libraries under the names that programs ask for, of the prefix in whose `bin` this process's executable
/// is; none where it is in no prefix.
pub fn folder_of_names() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let folder = executable.parent()?.parent()?.join("lib/rmashm");
    folder.is_dir().then_some(folder)
}
