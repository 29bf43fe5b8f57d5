//! `mpicc` and `mpicxx`: the C or C++ compiler with the flags that find this prefix's `mpi.h` and library.
//!
//! One program under several names: called as `mpicxx`, `mpic++` or `mpiCC` it runs the C++ compiler, otherwise the
//! C compiler; a name that ends in `_abi` compiles for the standard's ABI. It finds its prefix from where the program itself lies (`<prefix>/bin/mpicc`), so an installed or staged
//! prefix may be moved. It answers the questions of both MPICH's (`-show`, `-compile_info`, `-link_info`) and
//! Open MPI's (`-showme…`) wrappers, because build systems ask either.
//!
//! It never reads the program text; after its own options are taken out, the compiler replaces this process.

mod command_line;
mod flags;

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use command_line::{CommandLine, Part, Question};
use flags::{Flags, Interface};

/// The language the tool compiles, and what differs by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
}

impl Language {
    /// The language meant by the name the tool was called by.
    fn of_tool(name: &str) -> Language {
        if ["mpicxx", "mpic++", "mpiCC"]
            .iter()
            .any(|cxx| name.starts_with(cxx))
        {
            Language::Cxx
        } else {
            Language::C
        }
    }

    fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cxx => "C++",
        }
    }

    /// Environment variables that name the compiler; the first that is set wins.
    fn variables(self) -> [&'static str; 2] {
        match self {
            Language::C => ["MPICH_CC", "OMPI_CC"],
            Language::Cxx => ["MPICH_CXX", "OMPI_CXX"],
        }
    }

    /// Compilers looked for when none is named; the first on `PATH` is taken.
    fn compilers(self) -> [&'static str; 3] {
        match self {
            Language::C => ["gcc", "cc", "clang"],
            Language::Cxx => ["g++", "c++", "clang++"],
        }
    }

    /// The option by which the command line names the compiler, and Debian's package of the usual one.
    fn option_and_package(self) -> (&'static str, &'static str) {
        match self {
            Language::C => ("-cc=", "gcc"),
            Language::Cxx => ("-cxx=", "g++"),
        }
    }
}

/// A refusal: the sentence to print and the exit status.
struct Refusal(String, u8);

fn main() -> ExitCode {
    let mut arguments = env::args_os();
    let called = arguments.next().unwrap_or_default();
    let tool = Path::new(&called)
        .file_name()
        .unwrap_or(OsStr::new("mpicc"))
        .to_string_lossy()
        .into_owned();
    match run(&tool, arguments.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refusal(sentence, status)) => {
            eprintln!("{tool}: {sentence}");
            ExitCode::from(status)
        }
    }
}

/// Answers the question on the command line, or becomes the compiler and does not return.
fn run(tool: &str, arguments: Vec<OsString>) -> Result<(), Refusal> {
    let language = Language::of_tool(tool);
    let line = CommandLine::parse(language, arguments);
    let prefix = prefix()?;
    let interface = match line.wants_standard_abi || tool.ends_with("_abi") {
        true => Interface::Standard,
        false => Interface::Mpich,
    };
    let mut flags = Flags::of_prefix(&prefix, interface);
    if language == Language::Cxx {
        flags = flags.with_classes();
    }
    let compiler = || compiler(language, line.compiler.as_deref());

    let answer = match line.question {
        None => return Err(compile(&line, compiler()?, &flags)),
        Some(Question::Help) => {
            format!("Usage: {tool} [options of {tool}] [options and files of the compiler]\n{HELP}")
        }
        Some(Question::Show) => {
            let mut words = flags::print_words(compiler()?.iter().chain(&line.arguments));
            words.push(flags.compile_text());
            if line.links {
                words.push(flags.link_text());
            }
            words.join(" ")
        }
        Some(Question::CompileInfo) => {
            let mut words = flags::print_words(compiler()?.iter().chain(&line.arguments));
            words.push(flags.compile_text());
            words.join(" ")
        }
        Some(Question::LinkInfo) => {
            let mut words = flags::print_words(compiler()?.iter().chain(&line.arguments));
            words.push(flags.link_text());
            words.join(" ")
        }
        Some(Question::Showme(part)) => match part {
            Part::Command => flags::print_words(compiler()?.iter()).join(" "),
            Part::Compile => flags.compile_text(),
            Part::Link => flags.link_text(),
            Part::Incdirs => flags::quote(flags.include_dir().as_os_str().as_bytes()),
            Part::Libdirs => flags::quote(flags.library_dir().as_os_str().as_bytes()),
            Part::Libs => flags.libraries(),
            Part::Version => {
                format!(
                    "{tool}: rmashm {} (MPI 4.1, language: {})",
                    env!("CARGO_PKG_VERSION"),
                    language.name()
                )
            }
        },
        Some(Question::Unknown(ref option)) => {
            let option = option.to_string_lossy();
            return Err(Refusal(
                format!("{option} is not known; {tool} -help lists what is"),
                1,
            ));
        }
    };
    println!("{answer}");
    Ok(())
}

/// Becomes the compiler; returns only if that fails or must not be tried.
fn compile(line: &CommandLine, compiler: Vec<OsString>, flags: &Flags) -> Refusal {
    let mut command = Command::new(&compiler[0]);
    command.args(&compiler[1..]).args(&line.arguments);
    if line.has_input {
        let header = flags.header();
        if !header.is_file() {
            let sentence = format!(
                "there is no {}: this program is not in a prefix with that interface",
                header.display()
            );
            return Refusal(sentence, 1);
        }
        command.args(flags.compile());
        if line.links {
            if line.wants_static {
                let sentence = "-static cannot work: rmashm is a shared library only; link without it \
                                (-static-libgcc and -static-libstdc++ are fine)";
                return Refusal(sentence.to_string(), 1);
            }
            command.args(flags.link());
        }
    }
    let error = command.exec();
    Refusal(
        format!(
            "cannot run the compiler {}: {error}",
            compiler[0].to_string_lossy()
        ),
        126,
    )
}

/// The prefix this program is installed in: the folder above the `bin` it lies in.
fn prefix() -> Result<PathBuf, Refusal> {
    let program = env::current_exe()
        .map_err(|error| Refusal(format!("cannot read /proc/self/exe: {error}"), 1))?;
    match program.parent().and_then(Path::parent) {
        Some(prefix) => Ok(prefix.to_path_buf()),
        None => Err(Refusal(
            format!("{} is not in the bin folder of a prefix", program.display()),
            1,
        )),
    }
}

/// The compiler to run, as words: from the command line, the environment, or the first usual one on `PATH`.
fn compiler(language: Language, named: Option<&OsStr>) -> Result<Vec<OsString>, Refusal> {
    let (option, package) = language.option_and_package();
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
        let (kind, [first, second, third]) = (language.name(), language.compilers());
        let variable = language.variables()[0];
        return Err(Refusal(
            format!(
                "no {kind} compiler on PATH (looked for {first}, {second}, {third}): install one (Debian: apt-get \
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
    if real(&found).is_some() && real(&found) == env::current_exe().ok().as_deref().and_then(real) {
        return Err(Refusal(
            format!("the compiler is said to be {name}, which is this tool itself"),
            1,
        ));
    }
    Ok(words)
}

/// Where a program is: itself if it has a slash in its name, else the first executable of that name on `PATH`.
fn on_path(program: &OsStr) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
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

const HELP: &str = "\
Runs the compiler with what it needs to find mpi.h and the library of rmashm.

  -cc=COMPILER        (mpicc) use this C compiler; else MPICH_CC, OMPI_CC, gcc, cc, clang
  -cxx=COMPILER       (mpicxx) use this C++ compiler; else MPICH_CXX, OMPI_CXX, g++, c++, clang++
  -abi                compile for the standard ABI of MPI 5, with mpi_abi.h (also -mpi-abi, and mpicc_abi)
  -show, -showme      print the whole command instead of running it
  -compile_info       print the command to compile with (also -compile-info)
  -link_info          print the command to link with (also -link-info)
  -showme:compile     print only the flags to compile with
  -showme:link        print only the flags to link with
  -showme:incdirs     print the folders of header files
  -showme:libdirs     print the folders of libraries
  -showme:libs        print the names of libraries
  -showme:command     print the compiler
  -showme:version     print the version of rmashm
  -help               print this (also -showme:help); --help is the compiler's own

Everything else goes to the compiler as it is. Options with one dash may have two.";

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn the_name_of_the_tool_chooses_the_language() {
        assert_eq!(Language::of_tool("mpicc"), Language::C);
        assert_eq!(Language::of_tool("mpicc.rmashm"), Language::C);
        for name in ["mpicxx", "mpic++", "mpiCC", "mpicxx.rmashm"] {
            assert_eq!(Language::of_tool(name), Language::Cxx, "{name}");
        }
    }
}
