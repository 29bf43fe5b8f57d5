//! What the dynamic loader would load with a program.

use crate::program::Program;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Who loads the libraries of a library.
const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";

/// A library that would be loaded, and from where; nowhere, if it is not found.
#[derive(Debug, PartialEq, Eq)]
pub struct Loaded {
    pub name: String,
    pub path: Option<PathBuf>,
}

/// All libraries that would be loaded with `program`, the file at `path`, with `folders` before those of the environment.
/// The loader is asked; the program does not run.
pub fn with(program: &Program, path: &Path, folders: &[PathBuf]) -> io::Result<Vec<Loaded>> {
    let own = std::env::var_os("LD_LIBRARY_PATH");
    let paths = own.as_deref().map(std::env::split_paths).into_iter();
    let all = folders.iter().cloned().chain(paths.flatten());
    let all = std::env::join_paths(all).map_err(io::Error::other)?;
    let loader = program.interpreter.as_deref();
    let output = Command::new(loader.unwrap_or(Path::new(LOADER)))
        .arg(std::path::absolute(path)?)
        // As ldd asks: what is not found is a line, too.
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .env("LD_LIBRARY_PATH", all)
        .env_remove("LD_PRELOAD")
        .output()?;
    let listed = String::from_utf8_lossy(&output.stdout);
    let loaded: Vec<Loaded> = listed.lines().filter_map(line).collect();
    if loaded.is_empty() && !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(said.trim().to_string()));
    }
    Ok(loaded)
}

/// `name => path (address)`, `name => not found`, or `path (address)` for what was asked for by its path. What is left is the
/// kernel's.
fn line(text: &str) -> Option<Loaded> {
    let text = text.trim();
    let path_in = |text: &str| Some(PathBuf::from(text.rsplit_once(" (0x")?.0));
    if let Some((name, place)) = text.split_once(" => ") {
        let (name, path) = (name.to_string(), path_in(place));
        return Some(Loaded { name, path });
    }
    let path = path_in(text).filter(|path| path.is_absolute())?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    let path = Some(path);
    Some(Loaded { name, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_loader() {
        let found = line("\tlibmpi.so.40 => /a b/libmpi.so.40 (0x00007f)");
        let expected = Loaded {
            name: "libmpi.so.40".into(),
            path: Some("/a b/libmpi.so.40".into()),
        };
        assert_eq!(found, Some(expected));
        let missing = line("\tlibmpi.so.20 => not found").unwrap();
        assert_eq!(
            (missing.name.as_str(), missing.path),
            ("libmpi.so.20", None)
        );
        let by_path = line("\t/a/rmashm/libmpi.so.12 (0x00007f)").unwrap();
        assert_eq!(by_path.name, "libmpi.so.12");
        assert_eq!(by_path.path, Some("/a/rmashm/libmpi.so.12".into()));
        assert_eq!(line("\tlinux-vdso.so.1 (0x00007ffc)"), None);
    }

    #[test]
    fn this_programs_libraries_are_found() {
        let own = std::env::current_exe().expect("there is /proc");
        let program = Program::read(&own).unwrap().unwrap();
        let loaded = with(&program, &own, &[]).unwrap();
        let libc = loaded.iter().find(|one| one.name == "libc.so.6").unwrap();
        assert!(libc.path.as_ref().is_some_and(|path| path.is_file()));
    }
}
