//! What stands in an executable or a library about what it needs.

use crate::interface::{Interface, Library};
use elf::ElfStream;
use elf::abi::{DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME, PT_INTERP, SHN_UNDEF, STB_WEAK};
use elf::endian::AnyEndian;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// An executable or a shared library, as far as linking goes.
#[derive(Debug, Default, PartialEq)]
pub struct Program {
    /// The names of the libraries that it asks for.
    pub libraries: Vec<String>,
    /// Where its libraries are looked for before any path of the environment.
    pub has_rpath: bool,
    /// Who loads its libraries.
    pub interpreter: Option<PathBuf>,
    /// Names that others must define.
    pub wanted: Vec<String>,
    pub defined: Vec<String>,
}

impl Program {
    /// Reads the head of a file. None is a file of another kind: a script, or a program without libraries.
    pub fn read(path: &Path) -> io::Result<Option<Program>> {
        let Some(mut file) = open(path)? else {
            return Ok(None);
        };
        let interpreter = interpreter(&mut file)?;
        let libraries = entries(&mut file, &[DT_NEEDED])?;
        // Where there is a RUNPATH too, the loader does not look at the RPATH.
        let has_rpath = !entries(&mut file, &[DT_RPATH])?.is_empty()
            && entries(&mut file, &[DT_RUNPATH])?.is_empty();
        Ok(Some(Program {
            libraries,
            has_rpath,
            interpreter,
            ..Program::default()
        }))
    }

    /// The name that a library has recorded as its own.
    pub fn soname(path: &Path) -> Option<String> {
        let mut file = open(path).ok()??;
        entries(&mut file, &[DT_SONAME]).ok()?.pop()
    }

    /// As [`Program::read`], and the names that it wants and defines.
    pub fn read_whole(path: &Path) -> io::Result<Option<Program>> {
        let Some(mut program) = Program::read(path)? else {
            return Ok(None);
        };
        let Some(mut file) = open(path)? else {
            return Ok(None);
        };
        if let Some((symbols, names)) = file.dynamic_symbol_table().map_err(malformed)? {
            for symbol in symbols.iter().skip(1) {
                let name = names.get(symbol.st_name as usize).map_err(malformed)?;
                let (list, counts) = match symbol.st_shndx == SHN_UNDEF {
                    true => (&mut program.wanted, symbol.st_bind() != STB_WEAK),
                    false => (&mut program.defined, true),
                };
                if counts {
                    list.push(name.to_string());
                }
            }
        }
        Ok(Some(program))
    }

    /// The MPI libraries that it itself asks for.
    pub fn mpi_libraries(&self) -> impl Iterator<Item = (&str, Library)> {
        let named = |name: &'_ String| Library::named(name);
        let all = self.libraries.iter();
        all.filter_map(move |name| named(name).map(|library| (name.as_str(), library)))
    }

    /// The interface of the first MPI library that it asks for.
    pub fn interface(&self) -> Option<(&str, Interface)> {
        self.mpi_libraries()
            .find_map(|(name, library)| match library {
                Library::Of(interface) => Some((name, interface)),
                Library::Other { .. } => None,
            })
    }
}

/// The file, if it is of this format.
fn open(path: &Path) -> io::Result<Option<ElfStream<AnyEndian, File>>> {
    let mut file = File::open(path)?;
    let mut magic = [0; 4];
    let mut length = 0;
    while length < magic.len() {
        match file.read(&mut magic[length..])? {
            0 => return Ok(None),
            count => length += count,
        }
    }
    if &magic != b"\x7fELF" {
        return Ok(None);
    }
    ElfStream::open_stream(file).map(Some).map_err(malformed)
}

fn malformed(error: elf::ParseError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

/// The strings of all entries of the dynamic section that have one of these `tags`.
fn entries(file: &mut ElfStream<AnyEndian, File>, tags: &[i64]) -> io::Result<Vec<String>> {
    let Some(dynamic) = file.dynamic().map_err(malformed)? else {
        return Ok(Vec::new());
    };
    let wanted = dynamic.iter().filter(|entry| tags.contains(&entry.d_tag));
    let places: Vec<usize> = wanted.map(|entry| entry.d_val() as usize).collect();
    let Some((_, strings)) = file.dynamic_symbol_table().map_err(malformed)? else {
        return Ok(Vec::new());
    };
    let texts = places.iter().map(|place| strings.get(*place));
    texts
        .map(|text| text.map(str::to_string).map_err(malformed))
        .collect()
}

fn interpreter(file: &mut ElfStream<AnyEndian, File>) -> io::Result<Option<PathBuf>> {
    let segments = file.segments().iter();
    let Some(segment) = segments
        .copied()
        .find(|segment| segment.p_type == PT_INTERP)
    else {
        return Ok(None);
    };
    let bytes = file.segment_data(&segment).map_err(malformed)?;
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(Some(PathBuf::from(String::from_utf8_lossy(text).as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_is_read() {
        let own = std::env::current_exe().expect("there is /proc");
        let program = Program::read_whole(&own).unwrap().unwrap();
        assert!(program.libraries.iter().any(|name| name == "libc.so.6"));
        assert!(program.interpreter.is_some_and(|loader| loader.is_file()));
        assert!(program.wanted.iter().any(|name| name == "abort"));
    }

    #[test]
    fn what_is_no_program_has_no_needs() {
        assert_eq!(Program::read(Path::new("Cargo.toml")).unwrap(), None);
        assert_eq!(Program::read(Path::new("/dev/null")).unwrap(), None);
        assert!(Program::read(Path::new("no such file")).is_err());
    }

    #[test]
    fn a_broken_one_is_an_error() {
        let folder = harness::scratch::Scratch::new("broken-elf");
        let path = folder.join("broken");
        std::fs::write(&path, b"\x7fELF and nothing more").unwrap();
        assert!(Program::read(&path).is_err());
    }
}
