//! Which compiler runs: named on the command line or by a variable, or the first usual one on `PATH`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::Refusal;
use crate::command_line;
use crate::language::Language;

/// The compiler to run, as words: from the command line, the environment, or the first usual one on `PATH`.
pub fn find(language: Language, named: Option<&OsStr>) -> Result<Vec<OsString>, Refusal> {
    let package = language.package();
    let from_environment = || {
        language
            .variables()
            .iter()
            .find_map(|v| env::var_os(v).filter(|value| !value.is_empty()))
    };
    let words = match named.map(OsStr::to_os_string).or_else(from_environment) {
        // A path with spaces in it is one word when there is such a file (CMake names compilers like this).
        Some(value) if Path::new(&value).is_file() => vec![value],
        Some(value) => command_line::split(value.as_bytes())
            .into_iter()
            .map(OsString::from_vec)
            .collect(),
        None => match language
            .compilers()
            .iter()
            .find(|name| on_path(OsStr::new(name)).is_some())
        {
            Some(name) => vec![OsString::from(name)],
            None => Vec::new(),
        },
    };
    let Some(program) = words.first() else {
        let (kind, looked) = (language.name(), language.compilers().join(", "));
        let (option, variable) = (language.options()[0], language.variables()[0]);
        return Err(Refusal(
            format!(
                "no {kind} compiler on PATH (looked for {looked}): install one (Debian: apt-get \
                 install {package}) or name one with {option} or {variable}"
            ),
            127,
        ));
    };
    let name = program.to_string_lossy();
    let Some(found) = on_path(program) else {
        return Err(Refusal(
            format!(
                "the compiler {name} is not installed (Debian: apt-get install {package}), or not on PATH"
            ),
            127,
        ));
    };
    // `MPICH_CC=mpicc` would run itself for ever.
    let real = |path: &Path| path.canonicalize().ok();
    let own = env::current_exe().ok();
    if let (Some(found), Some(own)) = (real(&found), own.as_deref().and_then(real))
        && is_this_tool(&found, &own)
    {
        return Err(Refusal(
            format!("the compiler is said to be {name}, which is this tool itself"),
            1,
        ));
    }
    Ok(words)
}

/// Whether the file `found` is the tool itself, which is the file `own`, or one that becomes it: in a wheel names beside it are such
/// files.
fn is_this_tool(found: &Path, own: &Path) -> bool {
    let is_for_mpi = |name: &OsStr| name.as_bytes().starts_with(b"mpi");
    found == own || (found.parent() == own.parent() && found.file_name().is_some_and(is_for_mpi))
}

/// Where a program is: itself if it has a slash in its name, else the first executable of that name on `PATH`.
fn on_path(program: &OsStr) -> Option<PathBuf> {
    let executable = |path: &Path| {
        path.metadata()
            .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    if program.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(program)).filter(|path| executable(path));
    }
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| executable(path))
}
