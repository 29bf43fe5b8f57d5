//! Finding a program before it is started, so that a wrong name costs one line and no process.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

/// Why a program cannot be started, and the exit status that says so as shells do.
#[derive(Debug)]
pub struct Refusal {
    pub text: String,
    pub status: u8,
}

impl From<String> for Refusal {
    fn from(text: String) -> Refusal {
        Refusal { text, status: 1 }
    }
}

/// The file that `program` names: a path (relative to `directory`, where it will run), or a name looked up in the folders of `first`, which
/// were asked for, then in those of `path`, which is PATH.
pub fn find(
    program: &OsStr,
    directory: Option<&Path>,
    first: Option<&OsStr>,
    path: Option<&OsStr>,
) -> Result<PathBuf, Refusal> {
    if program.as_bytes().contains(&b'/') {
        let seen_from_here = directory.unwrap_or(Path::new("")).join(program);
        return check(&seen_from_here, program).map(|()| PathBuf::from(program));
    }
    let default = OsString::from("/usr/local/bin:/usr/bin:/bin");
    let mut refused = None;
    let asked = first.into_iter().flat_map(std::env::split_paths);
    for folder in asked.chain(std::env::split_paths(path.unwrap_or(&default))) {
        let folder = if folder.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            folder
        };
        let file = folder.join(program);
        // A folder that may not be searched, such as another user's, has nothing to say.
        if file.metadata().is_err() {
            continue;
        }
        match check(&file, program) {
            Ok(()) => return Ok(file),
            Err(refusal) if refusal.status == 126 => refused = refused.or(Some(refusal)),
            Err(_) => {}
        }
    }
    let here = directory.unwrap_or(Path::new("")).join(program);
    let name = program.display();
    let text = match (here.is_file(), first) {
        (true, None) => {
            format!("program '{name}' is not in PATH; the one in this folder is ./{name}")
        }
        (true, Some(first)) => format!(
            "program '{name}' is neither in {} nor in PATH; the one in this folder is ./{name}",
            first.display()
        ),
        (false, None) => format!("program '{name}' was not found in PATH"),
        (false, Some(first)) => format!(
            "program '{name}' was found neither in {} nor in PATH",
            first.display()
        ),
    };
    Err(refused.unwrap_or(Refusal { text, status: 127 }))
}

fn check(file: &Path, program: &OsStr) -> Result<(), Refusal> {
    let program = program.display();
    let cannot = |why: &str| Refusal {
        text: format!("program '{program}' cannot be run: {why}"),
        status: 126,
    };
    match file.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(cannot("permission denied"))
        }
        Err(_) => Err(Refusal {
            text: format!("program '{program}' was not found"),
            status: 127,
        }),
        Ok(meta) if meta.is_dir() => Err(cannot("it is a directory")),
        Ok(_) if access(file, AccessFlags::X_OK).is_err() => Err(cannot("it is not executable")),
        Ok(_) => Ok(()),
    }
}
