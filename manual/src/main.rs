//! Makes the man pages of the tools and the shells' completions of `mpiexec` and `rmashm-top`.
//!
//!     rmashm-manual <share of a prefix> [suffix of the tools' names]
//!
//! Nothing is said twice: options are those of the launcher's own table and of the tools' help texts, what else there is to say comes
//! from `docs`. `tools/stage` runs it, and the Debian package once more, for tools that are called `mpiexec.rmashm` and so on.

mod bash;
mod fish;
/// The launcher's table, of which it prints its help.
#[path = "../../src/bin/mpiexec/options.rs"]
#[allow(dead_code)]
mod options;
mod pages;
mod paper;
mod roff;
mod top;
mod values;
mod zsh;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(share) = arguments.next().map(PathBuf::from) else {
        eprintln!("Usage: rmashm-manual FOLDER [SUFFIX]");
        return ExitCode::from(2);
    };
    let suffix = arguments.next().unwrap_or_default();
    let written = files(&suffix.to_string_lossy());
    for (name, text) in written {
        let path = share.join(name);
        if let Err(error) = write(&path, &text) {
            eprintln!("rmashm-manual: cannot write {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// All files below `share`, and what is in them.
fn files(suffix: &str) -> Vec<(String, String)> {
    let mut files = pages::all(suffix);
    let tools = ["mpiexec", "mpirun"].map(|tool| format!("{tool}{suffix}"));
    let bash = bash::completion(&tools);
    for tool in &tools {
        let name = format!("bash-completion/completions/{tool}");
        files.push((name, bash.clone()));
    }
    let zsh = format!("zsh/site-functions/_{}", tools[0]);
    files.push((zsh, zsh::completion(&tools)));
    for tool in &tools {
        let name = format!("fish/vendor_completions.d/{tool}.fish");
        let text = match tool == &tools[0] {
            true => fish::completion(tool),
            false => fish::as_well(tool, &tools[0]),
        };
        files.push((name, text));
    }
    files.extend(top::completions());
    files
}

/// Writes a file if it is not there yet as it is.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if std::fs::read(path).ok().as_deref() == Some(text.as_bytes()) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
        let found = files.iter().find(|file| file.0 == name);
        &found.unwrap_or_else(|| panic!("there is no {name}")).1
    }

    #[test]
    fn every_option_is_in_the_page_and_in_the_completions() {
        let files = files("");
        let page = file(&files, "man/man1/mpiexec.1").replace("\\-", "-");
        let page = page.replace("\\fB", " ").replace("\\fP", " ");
        let bash = file(&files, "bash-completion/completions/mpirun");
        let zsh = file(&files, "zsh/site-functions/_mpiexec");
        let fish = file(&files, "fish/vendor_completions.d/mpiexec.fish");
        let mut count = 0;
        for option in options::ours() {
            for name in option.names {
                let words = |text: &str| {
                    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
                    text.split(|c: char| !is_part(c))
                        .any(|word| word == format!("-{name}"))
                };
                assert!(words(&page), "{name}");
                assert!(words(bash), "{name}");
                // A value that may be left out comes behind an equals sign.
                let in_zsh = |dashes: &str| {
                    ["[", "=-["]
                        .iter()
                        .any(|behind| zsh.contains(&format!("'*{dashes}{name}{behind}")))
                };
                assert!(in_zsh("-") && in_zsh("--"), "{name}");
                assert!(
                    fish.contains(&format!(" -o {name} "))
                        && fish.contains(&format!(" -l {name} ")),
                    "{name}"
                );
                count += 1;
            }
        }
        assert!(count > 50);
        for name in options::of_others() {
            assert!(page.contains(&format!("-{}", name.names[0])), "{name:?}");
        }
    }

    #[test]
    fn every_option_of_rmashm_top_is_in_its_completions() {
        let files = files("");
        let bash = file(&files, "bash-completion/completions/rmashm-top");
        let zsh = file(&files, "zsh/site-functions/_rmashm-top");
        let fish = file(&files, "fish/vendor_completions.d/rmashm-top.fish");
        assert!(
            bash.contains("-W '-once -json -delay -core -h -V' "),
            "{bash}"
        );
        for (name, value, offered) in [
            ("once", "", ""),
            ("json", "", ""),
            ("delay", ":SECONDS: ", " -x"),
            ("core", ":FILE:_files", " -r -F"),
            ("h", "", ""),
            ("V", "", ""),
        ] {
            for dashes in ["-", "--"] {
                let line = |line: &str| {
                    line.starts_with(&format!("    '{dashes}{name}["))
                        && line.ends_with(&format!("]{value}' \\"))
                };
                assert!(zsh.lines().any(line), "{name}: {zsh}");
            }
            for form in ["-o", "-l"] {
                let line = |line: &str| {
                    line.starts_with(&format!("complete -c rmashm-top {form} {name} -d '"))
                        && line.ends_with(&format!("'{offered}"))
                };
                assert!(fish.lines().any(line), "{name}: {fish}");
            }
        }
        assert!(fish.contains(" -o V -d 'the version'\n") && zsh.contains("'-V[the version]'"));
    }

    #[test]
    fn every_tool_has_a_page_under_each_of_its_names() {
        let names: Vec<String> = files(".rmashm").into_iter().map(|file| file.0).collect();
        for name in [
            "mpiexec.rmashm.1",
            "mpirun.rmashm.1",
            "mpif90.rmashm.1",
            "rmashm-abi.1",
        ] {
            assert!(names.contains(&format!("man/man1/{name}")), "{name}");
        }
        assert!(names.contains(&"man/man7/rmashm.7".to_owned()));
        let names: Vec<String> = files("").into_iter().map(|file| file.0).collect();
        assert!(names.contains(&"man/man1/mpicxx_abi.1".to_owned()));
    }
}
