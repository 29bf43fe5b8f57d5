//! What the command line asks for: our own options taken out, and what the rest makes the compiler do.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::language::Language;

/// A question to answer instead of compiling.
#[derive(Debug, PartialEq, Eq)]
pub enum Question {
    Show,
    CompileInfo,
    LinkInfo,
    Showme(Part),
    Help,
    /// An option that is of the shape of ours but is none.
    Unknown(OsString),
}

/// The part of the command that `-showme:` names.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    Command,
    Compile,
    Link,
    Incdirs,
    Libdirs,
    Libs,
    Version,
}

/// A command line of the tool, understood.
#[derive(Debug)]
pub struct CommandLine {
    /// The last question asked, if any.
    pub question: Option<Question>,
    /// The compiler named with `-cc=`, `-cxx=` or `-fc=`.
    pub compiler: Option<OsString>,
    /// What goes to the compiler, unchanged and in order.
    pub arguments: Vec<OsString>,
    /// No option stops the compiler before linking.
    pub links: bool,
    /// There is something to compile or link; `-v` or `--version` alone has nothing.
    pub has_input: bool,
    /// A static executable is asked for.
    pub wants_static: bool,
    /// The program is for the standard's ABI.
    pub wants_standard_abi: bool,
}

/// Options of gcc, clang and Fortran compilers whose value is the next argument: that value is neither an option nor an input file.
const WITH_VALUE: [&str; 39] = [
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-A",
    "-B",
    "-T",
    "-u",
    "-z",
    "-e",
    "-G",
    "-MF",
    "-MT",
    "-MQ",
    "-include",
    "-imacros",
    "-iquote",
    "-isystem",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "--param",
    "-target",
    "-arch",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "-wrapper",
    "-J",
    "-module",
    "-module-dir",
];

/// Options after which nothing is linked against libraries.
const WITHOUT_LINK: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"];

impl CommandLine {
    pub fn parse(language: Language, arguments: Vec<OsString>) -> CommandLine {
        let mut line = CommandLine {
            question: None,
            compiler: None,
            arguments: Vec::new(),
            links: true,
            has_input: false,
            wants_static: false,
            wants_standard_abi: false,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            if ["-abi", "--abi", "-mpi-abi", "-mpi_abi"]
                .iter()
                .any(|option| argument == *option)
            {
                line.wants_standard_abi = true;
            } else if let Some(compiler) = compiler_option(language, &argument) {
                line.compiler = Some(compiler);
            } else if let Some(question) = question_option(&argument) {
                line.question = Some(question);
            } else {
                let takes_value = WITH_VALUE.iter().any(|option| argument == *option);
                line.note(argument.as_bytes(), 0);
                line.arguments.push(argument);
                if takes_value {
                    line.arguments.extend(arguments.next());
                }
            }
        }
        line
    }

    /// Notes what one argument of the compiler means for linking. Response files are looked into, to a depth the
    /// compiler would not follow either if they name each other in a circle.
    fn note(&mut self, argument: &[u8], depth: u32) {
        match argument {
            [b'@', file @ ..] => match std::fs::read(OsStr::from_bytes(file)) {
                Ok(content) if depth < 8 => {
                    let mut words = split(&content).into_iter();
                    while let Some(word) = words.next() {
                        self.note(&word, depth + 1);
                        if WITH_VALUE.iter().any(|option| word == option.as_bytes()) {
                            words.next();
                        }
                    }
                }
                // Not a response file to the compiler either: a file whose name begins with an @.
                _ => self.has_input = true,
            },
            b"-static" | b"--static" | b"-static-pie" => self.wants_static = true,
            _ if WITHOUT_LINK
                .iter()
                .any(|option| argument == option.as_bytes()) =>
            {
                self.links = false
            }
            b"-" | [b'-', b'l', ..] => self.has_input = true,
            [b'-', ..] => {}
            _ => self.has_input = true,
        }
    }
}

/// The value of `-cc=` (C), `-cxx=` (C++), `-fc=` (Fortran), with one dash or two.
fn compiler_option(language: Language, argument: &OsStr) -> Option<OsString> {
    let argument = argument.as_bytes();
    let one_dash = match argument {
        [b'-', rest @ ..] if rest.starts_with(b"-") => rest,
        _ => argument,
    };
    let mut options = language.options().iter();
    let value = options.find_map(|option| one_dash.strip_prefix(option.as_bytes()))?;
    Some(OsString::from_vec(value.to_vec()))
}

/// The question an argument asks, if it is one of our options.
fn question_option(argument: &OsStr) -> Option<Question> {
    let text = argument.to_str()?;
    // `--help` is the compiler's, every other option of ours may have two dashes.
    let name = if text == "--help" {
        return None;
    } else {
        text.strip_prefix("--").or(text.strip_prefix('-'))?
    };
    Some(match name {
        "show" | "showme" => Question::Show,
        "compile_info" | "compile-info" => Question::CompileInfo,
        "link_info" | "link-info" => Question::LinkInfo,
        "help" | "showme:help" => Question::Help,
        "showme:command" => Question::Showme(Part::Command),
        "showme:compile" => Question::Showme(Part::Compile),
        "showme:link" => Question::Showme(Part::Link),
        "showme:incdirs" => Question::Showme(Part::Incdirs),
        "showme:libdirs" => Question::Showme(Part::Libdirs),
        "showme:libs" => Question::Showme(Part::Libs),
        "showme:version" => Question::Showme(Part::Version),
        _ if name.starts_with("showme") => Question::Unknown(argument.to_os_string()),
        _ => return None,
    })
}

/// Splits text into words as a shell (and gcc in a response file) does: at white space, which quotes and backslashes
/// protect.
pub fn split(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(mark), _) if byte == mark => quote = None,
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (None | Some(b'"'), b'\\') => {
                // Between double quotes a backslash stands for itself unless what follows is special there.
                let protects =
                    quote.is_none() || bytes.peek().is_some_and(|next| b"\\\"$`".contains(next));
                let meant = if protects {
                    bytes.next().unwrap_or(b'\\')
                } else {
                    b'\\'
                };
                word.get_or_insert_default().push(meant);
            }
            (None, _) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> CommandLine {
        CommandLine::parse(Language::C, arguments.iter().map(OsString::from).collect())
    }

    #[test]
    fn our_options_are_taken_out_and_the_rest_is_kept_in_order() {
        let line = parse(&[
            "-DA=\"x y\"",
            "-cc=clang -m64",
            "-show",
            "a b.c",
            "-o",
            "-show",
        ]);
        assert_eq!(line.arguments, ["-DA=\"x y\"", "a b.c", "-o", "-show"]);
        assert_eq!(line.compiler.as_deref(), Some(OsStr::new("clang -m64")));
        assert_eq!(line.question, Some(Question::Show));
        assert!(line.links && line.has_input);
    }

    #[test]
    fn compiling_without_linking_is_seen() {
        for option in WITHOUT_LINK {
            assert!(!parse(&[option, "a.c"]).links, "{option}");
        }
        assert!(
            parse(&["-o", "-c", "a.c"]).links,
            "-c is the value of -o here"
        );
    }

    #[test]
    fn a_question_to_the_compiler_has_no_input() {
        for arguments in [
            &["-v"][..],
            &["--version"],
            &["-o", "name"],
            &["-dumpmachine"],
            &[],
        ] {
            assert!(!parse(arguments).has_input, "{arguments:?}");
        }
        for arguments in [&["-"][..], &["a.o"], &["-lm"], &["-x", "c", "-"]] {
            assert!(parse(arguments).has_input, "{arguments:?}");
        }
    }

    #[test]
    fn the_standards_abi_is_an_option() {
        let line = parse(&["-abi", "a.c", "-mabi=sysv"]);
        assert!(line.wants_standard_abi);
        assert_eq!(line.arguments, ["a.c", "-mabi=sysv"]);
        assert!(!parse(&["a.c", "-o", "-abi"]).wants_standard_abi);
    }

    #[test]
    fn each_tool_takes_only_its_own_compiler_option() {
        assert_eq!(parse(&["-cxx=g++"]).arguments, ["-cxx=g++"]);
        let line = CommandLine::parse(Language::Cxx, vec!["-cxx=clang++".into(), "-cc=gcc".into()]);
        assert_eq!(line.compiler.as_deref(), Some(OsStr::new("clang++")));
        assert_eq!(line.arguments, ["-cc=gcc"]);
    }

    #[test]
    fn response_files_are_passed_on_and_looked_into() {
        let file = std::env::temp_dir().join(format!("rmashm-mpicc-{}.rsp", std::process::id()));
        std::fs::write(&file, "-c 'a b.c'\n-o \"-static\"").unwrap();
        let argument = format!("@{}", file.display());
        let line = parse(&[&argument]);
        std::fs::remove_file(&file).unwrap();
        assert!(!line.links && line.has_input && !line.wants_static);
        assert_eq!(line.arguments, [argument.as_str()]);
    }

    #[test]
    fn words_split_as_in_a_shell() {
        let words = split(br#" a\ b 'c "d"' "e \"f\" \n" g"h"'i' "" "#);
        let expected: [&[u8]; 5] = [b"a b", b"c \"d\"", br#"e "f" \n"#, b"ghi", b""];
        assert_eq!(words, expected);
    }

    #[test]
    fn unknown_questions_are_not_given_to_the_compiler() {
        assert_eq!(
            parse(&["-showme:linker"]).question,
            Some(Question::Unknown("-showme:linker".into()))
        );
        assert_eq!(parse(&["--help"]).arguments, ["--help"]);
    }
}
