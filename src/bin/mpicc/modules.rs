//! `rmashm-modules`: makes the modules `mpi` and `mpi_f08` for one Fortran compiler.
//!
//! Their sources are in this program. They have nothing but types, constants and interfaces: all procedures are in the library,
//! whatever the compiler. So what the compiler makes of them beside the modules is not kept.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fortran::{self, Compiler, MODULES};
use crate::language::Language;
use crate::{Refusal, compiler, prefix};

/// The sources in the order in which they are compiled.
const SOURCES: [(&str, &str); 3] = [
    (
        "mpi_f08_types.F90",
        include_str!(concat!(env!("OUT_DIR"), "/mpi_f08_types.F90")),
    ),
    (
        "mpi.F90",
        include_str!(concat!(env!("OUT_DIR"), "/mpi.F90")),
    ),
    (
        "mpi_f08.F90",
        include_str!(concat!(env!("OUT_DIR"), "/mpi_f08.F90")),
    ),
];

/// What is asked for.
enum Task {
    /// With this compiler; or leave those that are new enough.
    Make(Option<OsString>, Which),
    WriteSources(PathBuf),
    Help,
}

#[derive(PartialEq)]
enum Which {
    All,
    /// Only where they are older than this program, which has their sources in it.
    Older,
}

/// Does what the command line asks for.
pub fn run(language: Language, arguments: Vec<OsString>) -> Result<(), Refusal> {
    match task(language, arguments)? {
        Task::Help => print!("{HELP}"),
        Task::WriteSources(folder) => {
            fs::create_dir_all(&folder).map_err(|error| cannot("make", &folder, error))?;
            write_sources(&folder)?;
        }
        Task::Make(named, which) => {
            let words = compiler::find(language, named.as_deref())?;
            let (compiler, prefix) = (Compiler::ask(&words), prefix()?);
            if which == Which::Older && are_new(&prefix, &compiler) {
                return Ok(());
            }
            let folder = make(&prefix, &words, &compiler)?;
            let (title, folder) = (&compiler.title, folder.display());
            println!("rmashm-modules: made mpi and mpi_f08 for {title} in {folder}");
        }
    }
    Ok(())
}

fn task(language: Language, arguments: Vec<OsString>) -> Result<Task, Refusal> {
    let (mut named, mut which) = (None, Which::All);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let option = argument.to_string_lossy().into_owned();
        let compilers = ["FC="].iter().chain(language.options());
        let compiler = compilers
            .filter_map(|start| option.strip_prefix(start))
            .next();
        match (&*option, compiler) {
            (_, Some(compiler)) => named = Some(OsString::from(compiler)),
            ("-sources", None) => {
                let Some(folder) = arguments.next() else {
                    return Err(Refusal("-sources wants a folder".to_owned(), 1));
                };
                return Ok(Task::WriteSources(folder.into()));
            }
            ("-older", None) => which = Which::Older,
            ("-help" | "--help" | "-h", None) => return Ok(Task::Help),
            _ => {
                let sentence = format!("{option} is not known; rmashm-modules -help lists what is");
                return Err(Refusal(sentence, 1));
            }
        }
    }
    Ok(Task::Make(named, which))
}

/// Whether the modules for the compiler are there, and newer than this program.
fn are_new(prefix: &Path, compiler: &Compiler) -> bool {
    let written = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(written);
    let folder = fortran::folder(prefix, compiler);
    folder.is_some_and(|folder| {
        MODULES
            .iter()
            .all(|module| written(&folder.join(module)) > program)
    })
}

/// Compiles the modules in a folder of their own, which then takes the place of the former one: whoever compiles with those
/// meanwhile finds some.
fn make(prefix: &Path, words: &[OsString], compiler: &Compiler) -> Result<PathBuf, Refusal> {
    let all = fortran::folder_of_all(prefix);
    let folder = all.join(compiler.kind());
    let part = all.join(format!(".{}.{}", compiler.kind(), std::process::id()));
    fs::create_dir_all(&part).map_err(|error| cannot("make", &part, error))?;
    let made = compile(&part, words).and_then(|()| {
        fs::create_dir_all(&folder).map_err(|error| cannot("make", &folder, error))?;
        let modules = files(&part).into_iter();
        for module in modules.filter(|path| path.extension() == Some(OsStr::new("mod"))) {
            let name = module.file_name().unwrap_or_default();
            fs::rename(&module, folder.join(name))
                .map_err(|error| cannot("write", &folder.join(name), error))?;
        }
        Ok(())
    });
    let _ = fs::remove_dir_all(&part);
    made.map(|()| folder)
}

/// Runs the compiler in `folder`, where it leaves what it makes.
fn compile(folder: &Path, words: &[OsString]) -> Result<(), Refusal> {
    write_sources(folder)?;
    let program = words[0].to_string_lossy();
    for (name, _) in SOURCES {
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .args(["-c", name])
            .current_dir(folder);
        let status = command.status();
        let status = status
            .map_err(|error| Refusal(format!("cannot run the compiler {program}: {error}"), 126))?;
        if !status.success() {
            let sentence = format!("{program} cannot compile {name}: it ended with {status}");
            return Err(Refusal(sentence, 1));
        }
    }
    match MODULES.iter().find(|module| !folder.join(module).is_file()) {
        Some(module) => Err(Refusal(
            format!("{program} has compiled the sources and left no {module}"),
            1,
        )),
        None => Ok(()),
    }
}

/// Writes the sources that are not there yet as they are.
fn write_sources(folder: &Path) -> Result<(), Refusal> {
    for (name, source) in SOURCES {
        let path = folder.join(name);
        if fs::read(&path).ok().as_deref() != Some(source.as_bytes()) {
            fs::write(&path, source).map_err(|error| cannot("write", &path, error))?;
        }
    }
    Ok(())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn cannot(what: &str, path: &Path, error: io::Error) -> Refusal {
    let path = String::from_utf8_lossy(path.as_os_str().as_bytes()).into_owned();
    Refusal(format!("cannot {what} {path}: {error}"), 1)
}

/// What `-help` prints; `rmashm-modules(1)` is made of it, too.
const HELP: &str = include_str!("rmashm-modules.txt");
