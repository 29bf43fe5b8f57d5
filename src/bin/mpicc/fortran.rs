//! Fortran compilers, and which of them can read each other's module files.
//!
//! A module file is a compiler's own: others refuse it, and so do other versions of the same one, as a rule. The modules of one
//! kind of compiler are in a folder of the prefix that has the kind's name.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The modules that programs use, each of which is a file in the folder.
pub const MODULES: [&str; 2] = ["mpi.mod", "mpi_f08.mod"];

/// What a compiler says that it is.
#[derive(Debug, PartialEq, Eq)]
pub struct Compiler {
    /// Its name and version for people.
    pub title: String,
    family: String,
    major: Option<u32>,
}

impl Compiler {
    /// Asks the compiler, which is a command of `words`.
    pub fn ask(words: &[OsString]) -> Compiler {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg("--version");
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let said = command.output().map(|output| output.stdout);
        let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
        let program = Path::new(&words[0]).file_name().unwrap_or(&words[0]);
        Compiler::of(&program.to_string_lossy(), &said)
    }

    /// The compiler `program` that says so of itself.
    fn of(program: &str, said: &str) -> Compiler {
        let line = said.lines().find(|line| !line.trim().is_empty());
        let line = line.unwrap_or(program);
        let family = match program {
            _ if line.starts_with("GNU Fortran") => "gfortran",
            _ if line.contains("flang") => "flang",
            _ => program.split('-').next().unwrap_or(program),
        };
        // What is in parentheses is the version of a package.
        let mut outside = line
            .split('(')
            .map(|part| part.rsplit(')').next().unwrap_or(part));
        let version = outside.find_map(|part| {
            let mut words = part.split_whitespace();
            words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        });
        let major = version.and_then(|word| word.split(['.', '-']).next()?.parse().ok());
        Compiler {
            title: version.map_or(family.to_owned(), |version| format!("{family} {version}")),
            family: family.to_owned(),
            major,
        }
    }

    /// The name of its kind: compilers of one kind read each other's modules.
    pub fn kind(&self) -> String {
        match (&*self.family, self.major) {
            ("gfortran", Some(major)) => {
                // The version that its module files begin with.
                let format = match major {
                    ..=7 => 14,
                    8..=14 => 15,
                    15.. => 16,
                };
                format!("gfortran-mod-{format}")
            }
            (family, Some(major)) => format!("{family}-{major}"),
            (family, None) => family.to_owned(),
        }
    }

    /// Options that all programs need. A program that calls `MPI_SEND` of `mpif.h` with two types of buffers is right, though
    /// gfortran from 10 on would stop there: the procedure has no interface, and two calls of it differ. What has an interface it
    /// still checks.
    pub fn options(&self) -> &'static [&'static str] {
        match self.major {
            Some(10..) if self.family == "gfortran" => &["-fallow-argument-mismatch"],
            _ => &[],
        }
    }
}

/// Where the prefix has the modules of all kinds of compilers.
pub fn folder_of_all(prefix: &Path) -> PathBuf {
    prefix.join("lib/fortran")
}

/// Where the prefix has those of one kind, if it does.
pub fn folder(prefix: &Path, compiler: &Compiler) -> Option<PathBuf> {
    let folder = folder_of_all(prefix).join(compiler.kind());
    has_modules(&folder).then_some(folder)
}

/// Says that the prefix has no modules for this compiler, which has the name `program`, and what to do.
pub fn missing(prefix: &Path, compiler: &Compiler, program: &str) -> String {
    let there = kinds(prefix);
    let there = match there.is_empty() {
        true => "there are none in this prefix yet".to_owned(),
        false => format!("this prefix has those of {}", there.join(", ")),
    };
    let (title, kind) = (&compiler.title, compiler.kind());
    format!(
        "the modules mpi and mpi_f08 are missing for {title} ({kind}): {there}; rmashm-modules FC={program} makes the right ones"
    )
}

/// The kinds of compilers for which there are modules.
fn kinds(prefix: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder_of_all(prefix));
    let entries = entries.into_iter().flatten().flatten();
    let kinds = entries.filter(|entry| has_modules(&entry.path()));
    let mut kinds: Vec<String> = kinds
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    kinds.sort();
    kinds
}

fn has_modules(folder: &Path) -> bool {
    MODULES.iter().all(|module| folder.join(module).is_file())
}

/// Options that make integers of 8 bytes of those that the program gives no kind.
const LARGE_INTEGERS: [&str; 4] = [
    "-fdefault-integer-8",
    "-i8",
    "-integer-size=64",
    "-qintsize=8",
];

/// What is to be said of the program's integers before the compiler runs, if one of these `arguments` changes them.
pub fn warning(arguments: &[OsString]) -> Option<String> {
    let option = LARGE_INTEGERS
        .iter()
        .find(|option| arguments.iter().any(|argument| argument == **option))?;
    Some(format!(
        "{option} does not reach MPI, whose integers have 4 bytes: leave it out, or give all integers that MPI gets a \
         kind of 4 bytes"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_of_one_kind_read_each_others_modules() {
        let cases = [
            (
                "gfortran",
                "GNU Fortran (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright",
                "gfortran-mod-15",
            ),
            (
                "f95",
                "GNU Fortran (GCC) 14.2.1 20240912 (Red Hat 14.2.1-3)",
                "gfortran-mod-15",
            ),
            ("gfortran-15", "GNU Fortran (GCC) 15.1.0", "gfortran-mod-16"),
            ("gfortran-7", "GNU Fortran (GCC) 7.5.0", "gfortran-mod-14"),
            (
                "flang-new-19",
                "Debian flang-new version 19.1.7 (3~deb12u1)\nTarget",
                "flang-19",
            ),
            ("flang", "flang version 21.1.0", "flang-21"),
            ("ifx", "ifx (IFX) 2024.0.0 20231017", "ifx-2024"),
            (
                "nvfortran",
                "\nnvfortran 23.11-0 64-bit target",
                "nvfortran-23",
            ),
            ("own", "", "own"),
        ];
        for (program, said, kind) in cases {
            assert_eq!(Compiler::of(program, said).kind(), kind, "{said}");
        }
        let red_hat = Compiler::of("f95", cases[1].1);
        assert_eq!(red_hat.title, "gfortran 14.2.1");
    }

    #[test]
    fn only_new_versions_of_gfortran_need_an_option() {
        let options = |said| Compiler::of("gfortran", said).options().len();
        assert_eq!(options("GNU Fortran (GCC) 9.3.0"), 0);
        assert_eq!(options("GNU Fortran (GCC) 10.1.0"), 1);
        assert_eq!(options("flang version 19.1"), 0);
    }
}
