//! `mpicc`, `mpicxx` and `mpifort`: the compiler with the flags that find this prefix's `mpi.h`, Fortran modules and libraries.
//!
//! One program under several names, which tell the language ([`language`]); a name that ends in `_abi` compiles for the
//! standard's ABI. It finds its prefix from where the program itself lies (`<prefix>/bin/mpicc`), so an installed or staged
//! prefix may be moved. It answers the questions of both MPICH's (`-show`, `-compile_info`, `-link_info`) and
//! Open MPI's (`-showme…`) wrappers, because build systems ask either. As `rmashm-modules` it makes the Fortran modules.
//!
//! It never reads the program text; after its own options are taken out, the compiler replaces this process.

mod command_line;
mod compiler;
mod flags;
mod fortran;
mod language;
mod modules;

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use command_line::{CommandLine, Part, Question};
use flags::{Flags, Interface};
use fortran::Compiler;
use language::Language;

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
    if tool.starts_with("rmashm-modules") {
        return modules::run(language, arguments);
    }
    let line = CommandLine::parse(language, arguments);
    let prefix = prefix()?;
    let interface = match line.wants_standard_abi || tool.ends_with("_abi") {
        true => Interface::Standard,
        false => Interface::Mpich,
    };
    let compiler = || compiler::find(language, line.compiler.as_deref());
    let mut flags = Flags::of_prefix(&prefix, interface);
    let mut complaint = None;
    if language == Language::Cxx {
        flags = flags.with_classes();
    }
    if language.is_fortran() {
        if interface == Interface::Standard {
            return Err(Refusal(
                "Fortran has the interface of MPICH alone: leave -abi out".to_owned(),
                1,
            ));
        }
        // Where there is no compiler, the questions that are not about it have an answer all the same.
        let fortran = compiler().ok().map(|words| (Compiler::ask(&words), words));
        let modules = fortran.as_ref().and_then(|(fortran, words)| {
            let modules = fortran::folder(&prefix, fortran);
            if modules.is_none() {
                let program = words[0].to_string_lossy();
                complaint = Some(fortran::missing(&prefix, fortran, &program));
            }
            modules
        });
        let options = fortran.map_or(&[][..], |(fortran, _)| fortran.options());
        flags = flags.for_fortran(modules, options);
    }

    if let (None, true) = (&line.question, language.is_fortran() && line.has_input)
        && let Some(warning) = fortran::warning(&line.arguments)
    {
        eprintln!("{tool}: {warning}");
    }

    let answer = match line.question {
        None => return Err(compile(&line, compiler()?, &flags, complaint)),
        Some(Question::Help) => {
            format!(
                "Usage: {tool} [options of {tool}] [options and files of the compiler]\n{}",
                HELP.trim_end()
            )
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
            Part::Incdirs => {
                let folders = flags.include_dirs();
                let folders = folders
                    .iter()
                    .map(|folder| flags::quote(folder.as_os_str().as_bytes()));
                folders.collect::<Vec<_>>().join(" ")
            }
            Part::Libdirs => flags::quote(flags.library_dir().as_os_str().as_bytes()),
            Part::Libs => flags.libraries().join(" "),
            Part::Version => {
                format!(
                    "{tool}: rmashm {} (MPI 5.0, language: {})",
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

/// Becomes the compiler; returns only if that fails or must not be tried. With a complaint to make where the compiler fails, it
/// waits for it.
fn compile(
    line: &CommandLine,
    compiler: Vec<OsString>,
    flags: &Flags,
    complaint: Option<String>,
) -> Refusal {
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
    let error = match complaint {
        Some(complaint) if line.has_input => match command.status() {
            Ok(status) if status.success() => std::process::exit(0),
            Ok(status) => return Refusal(complaint, status.code().unwrap_or(1) as u8),
            Err(error) => error,
        },
        _ => command.exec(),
    };
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

/// What `-help` prints behind the usage; `mpicc(1)` is made of it, too.
const HELP: &str = include_str!("mpicc.txt");
