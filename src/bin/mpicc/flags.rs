//! The flags that point a compiler at a prefix, as arguments and as text for a shell.
//!
//! The text is read by people, by shells, by CMake's FindMPI (regular expressions that know double quotes after the
//! `-I`, `-L` or `-Wl,` but no single quotes and no backslashes) and by Meson (Python's `shlex`), so a folder with
//! spaces is printed as `-I"/a b/include"` and `-Wl,"-rpath,/a b/lib"`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The C interface of MPI that programs are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    Mpich,
    /// The standard's own (MPI 5.0 §20).
    Standard,
}

impl Interface {
    /// The library's name after `-l`. Not `mpi`: an `-L` of the user's own must not find another MPI by it. What a linked
    /// program records is the library's soname, `libmpi.so.12`, which every MPICH-ABI library answers to, or `libmpi_abi.so.1`,
    /// which all others will.
    pub fn library(self) -> &'static str {
        match self {
            Interface::Mpich => "rmashm",
            Interface::Standard => "mpi_abi",
        }
    }
}

/// The library of Fortran's procedures, by a name of its own for the same reason. Its soname is `libmpifort.so.12`.
const FORTRAN_LIBRARY: &str = "rmashmfort";

/// That of the C++ classes, by the name that MPICH's has.
const CLASSES: &str = "mpicxx";

/// The flags for one prefix.
pub struct Flags {
    prefix: PathBuf,
    interface: Interface,
    /// Whether programs get the library of the C++ classes, too.
    classes: bool,
    fortran: Option<Fortran>,
}

/// What a Fortran compiler needs beside.
struct Fortran {
    /// The folder of the modules that it can read, if there is one.
    modules: Option<PathBuf>,
    options: &'static [&'static str],
}

impl Flags {
    pub fn of_prefix(prefix: &Path, interface: Interface) -> Flags {
        Flags {
            prefix: prefix.to_path_buf(),
            interface,
            classes: false,
            fortran: None,
        }
    }

    /// The same for programs in C++, which get the library of the classes, if the prefix has it.
    pub fn with_classes(self) -> Flags {
        let library = self.library_dir().join(format!("lib{CLASSES}.so"));
        Flags {
            classes: self.interface == Interface::Mpich && library.exists(),
            ..self
        }
    }

    /// The flags for a Fortran compiler that needs these options.
    pub fn for_fortran(self, modules: Option<PathBuf>, options: &'static [&'static str]) -> Flags {
        let fortran = Some(Fortran { modules, options });
        Flags { fortran, ..self }
    }

    pub fn include_dir(&self) -> PathBuf {
        self.prefix.join("include")
    }

    /// That of headers, and the one of modules.
    pub fn include_dirs(&self) -> Vec<PathBuf> {
        let modules = self.fortran.as_ref().and_then(|f| f.modules.clone());
        [self.include_dir()].into_iter().chain(modules).collect()
    }

    /// What `#include <mpi.h>` or `include 'mpif.h'` leads to.
    pub fn header(&self) -> PathBuf {
        self.include_dir().join(match self.interface {
            _ if self.fortran.is_some() => "mpif.h",
            Interface::Mpich => "mpi.h",
            Interface::Standard => "mpi_abi.h",
        })
    }

    /// The names after `-l`, in their order.
    pub fn libraries(&self) -> Vec<&'static str> {
        let language = self.language_library().into_iter();
        language.chain([self.interface.library()]).collect()
    }

    /// The name of the library that the language has beside that for C.
    fn language_library(&self) -> Option<&'static str> {
        match self.fortran {
            Some(_) => Some(FORTRAN_LIBRARY),
            None => self.classes.then_some(CLASSES),
        }
    }

    pub fn library_dir(&self) -> PathBuf {
        self.prefix.join("lib")
    }

    /// Arguments for compiling.
    pub fn compile(&self) -> Vec<OsString> {
        self.compile_flags().iter().map(Flag::argument).collect()
    }

    /// Arguments for linking.
    pub fn link(&self) -> Vec<OsString> {
        self.link_flags().iter().map(Flag::argument).collect()
    }

    /// The flags for compiling as a line for a shell.
    pub fn compile_text(&self) -> String {
        text(&self.compile_flags())
    }

    /// The flags for linking as a line for a shell.
    pub fn link_text(&self) -> String {
        text(&self.link_flags())
    }

    fn compile_flags(&self) -> Vec<Flag> {
        let folders = self.include_dirs().into_iter();
        let mut flags: Vec<Flag> = folders.map(|folder| Flag::new("-I", folder)).collect();
        if let Some(fortran) = &self.fortran {
            flags.extend(fortran.options.iter().map(|option| Flag::new(option, "")));
        }
        if self.interface == Interface::Standard {
            flags.push(Flag::new("-D", "MPI_ABI"));
        }
        flags
    }

    fn link_flags(&self) -> Vec<Flag> {
        let library_dir = self.library_dir();
        let mut flags = vec![Flag::new("-L", &library_dir)];
        if library_dir.as_os_str().as_bytes().contains(&b',') {
            // `-Wl,` would break the folder at its comma.
            flags.push(Flag::new("-Xlinker", ""));
            flags.push(Flag::new("-rpath", ""));
            flags.push(Flag::new("-Xlinker", ""));
            flags.push(Flag::new("", &library_dir));
        } else {
            let mut rpath = OsString::from("-rpath,");
            rpath.push(&library_dir);
            flags.push(Flag::new("-Wl,", rpath));
        }
        // RUNPATH and not RPATH: LD_LIBRARY_PATH must be able to put another MPICH-ABI library in our place.
        flags.push(Flag::new("-Wl,", "--enable-new-dtags"));
        if let Some(language) = self.language_library() {
            // Recorded by programs that use the classes only: the others run where there is no such library.
            let (begin, end) = ("--push-state,--as-needed", "--pop-state");
            let around = |word| self.classes.then(|| Flag::new("-Wl,", word));
            flags.extend(around(begin));
            flags.push(Flag::new("-l", language));
            flags.extend(around(end));
        }
        flags.push(Flag::new("-l", self.interface.library()));
        flags
    }
}

/// One argument: what is never quoted, and what is quoted in print where it needs to be.
struct Flag {
    lead: &'static str,
    value: OsString,
}

impl Flag {
    fn new(lead: &'static str, value: impl AsRef<OsStr>) -> Flag {
        Flag {
            lead,
            value: value.as_ref().to_os_string(),
        }
    }

    fn argument(&self) -> OsString {
        let mut argument = OsString::from(self.lead);
        argument.push(&self.value);
        argument
    }

    fn text(&self) -> String {
        if self.value.is_empty() {
            return self.lead.to_string();
        }
        format!("{}{}", self.lead, quote(self.value.as_bytes()))
    }
}

fn text(flags: &[Flag]) -> String {
    flags.iter().map(Flag::text).collect::<Vec<_>>().join(" ")
}

/// Words of a command line as a shell would have to be given them.
pub fn print_words<'a>(words: impl Iterator<Item = &'a OsString>) -> Vec<String> {
    words.map(|word| quote(word.as_bytes())).collect()
}

/// A word as a shell reads it back: in double quotes if anything in it is special.
pub fn quote(word: &[u8]) -> String {
    let plain = |byte: &u8| {
        byte.is_ascii_alphanumeric() || b"_./-+=,:@%^".contains(byte) || !byte.is_ascii()
    };
    let shown = String::from_utf8_lossy(word);
    if !word.is_empty() && word.iter().all(plain) {
        return shown.into_owned();
    }
    let mut quoted = String::from("\"");
    for character in shown.chars() {
        if "\\\"$`".contains(character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_folders_are_not_quoted() {
        let flags = Flags::of_prefix(Path::new("/opt/rmashm"), Interface::Mpich);
        assert_eq!(flags.compile_text(), "-I/opt/rmashm/include");
        assert_eq!(
            flags.link_text(),
            "-L/opt/rmashm/lib -Wl,-rpath,/opt/rmashm/lib -Wl,--enable-new-dtags -lrmashm"
        );
    }

    #[test]
    fn the_standards_interface_has_its_own_header_and_library() {
        let flags = Flags::of_prefix(Path::new("/opt/rmashm"), Interface::Standard);
        assert_eq!(flags.compile_text(), "-I/opt/rmashm/include -DMPI_ABI");
        assert!(flags.link_text().ends_with(" -lmpi_abi"));
    }

    #[test]
    fn fortran_has_modules_and_a_library_beside() {
        let flags = Flags::of_prefix(Path::new("/p"), Interface::Mpich);
        let flags = flags.for_fortran(Some("/p/lib/fortran/x".into()), &["-option"]);
        assert_eq!(
            flags.compile_text(),
            "-I/p/include -I/p/lib/fortran/x -option"
        );
        assert!(flags.link_text().ends_with(" -lrmashmfort -lrmashm"));
        assert_eq!(flags.header(), Path::new("/p/include/mpif.h"));
    }

    #[test]
    fn folders_with_spaces_are_quoted_after_the_flag() {
        let flags = Flags::of_prefix(Path::new("/my $dir"), Interface::Mpich);
        assert_eq!(flags.compile_text(), r#"-I"/my \$dir/include""#);
        assert!(
            flags
                .link_text()
                .starts_with(r#"-L"/my \$dir/lib" -Wl,"-rpath,/my \$dir/lib" "#)
        );
        assert_eq!(flags.compile(), ["-I/my $dir/include"]);
    }

    #[test]
    fn a_comma_in_the_folder_survives_the_linker() {
        let link = Flags::of_prefix(Path::new("/a,b"), Interface::Mpich).link();
        assert_eq!(link[1..5], ["-Xlinker", "-rpath", "-Xlinker", "/a,b/lib"]);
    }

    #[test]
    fn what_is_printed_reads_back_as_it_was() {
        for word in ["", "plain", "two words", r#"-DX="a\b$c`""#, "it's", "*"] {
            let printed = quote(word.as_bytes());
            assert_eq!(
                crate::command_line::split(printed.as_bytes()),
                [word.as_bytes()],
                "{printed}"
            );
        }
    }
}
