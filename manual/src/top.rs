//! The completions of `rmashm-top`, whose options are those of its help text.

use crate::pages;
use crate::values::{self, Value};
use std::fmt::Write;

/// An option: its name without dashes, the name of its value, what it does.
struct Described {
    name: &'static str,
    value: Option<&'static str>,
    help: &'static str,
}

/// All files below `share`, and what is in them.
pub fn completions() -> Vec<(String, String)> {
    let options = described(pages::TOP);
    vec![
        (
            "bash-completion/completions/rmashm-top".to_owned(),
            bash(&options),
        ),
        ("zsh/site-functions/_rmashm-top".to_owned(), zsh(&options)),
        (
            "fish/vendor_completions.d/rmashm-top.fish".to_owned(),
            fish(&options),
        ),
    ]
}

/// The lines of a help text that begin with an option. Several stand with a comma between them, and so does what they do.
fn described(help: &'static str) -> Vec<Described> {
    let lines = help.lines().filter_map(|line| {
        let line = line.strip_prefix("  ")?;
        line.starts_with('-').then(|| line.split_once("  "))?
    });
    let options = lines.flat_map(|(tags, said)| {
        let tags = tags.split(", ");
        let mut said = said.trim().splitn(tags.clone().count(), ", ");
        tags.map(move |tag| {
            let (name, value) = match tag.split_once(' ') {
                Some((name, value)) => (name, Some(value)),
                None => (tag, None),
            };
            Described {
                name: &name[1..],
                value,
                help: said.next().unwrap_or_default(),
            }
        })
    });
    options.collect()
}

fn bash(options: &[Described]) -> String {
    let mut offered = String::new();
    for option in options {
        let made = match option.value.map(values::of) {
            None => continue,
            Some(Value::File) => "COMPREPLY=($(compgen -f -- \"$current\")); return",
            Some(_) => "return",
        };
        let _ = writeln!(offered, "        -{}) {made} ;;", option.name);
    }
    let all: Vec<String> = options.iter().map(|o| format!("-{}", o.name)).collect();
    BASH.replace("@OFFERED@", offered.trim_end())
        .replace("@OPTIONS@", &all.join(" "))
}

fn zsh(options: &[Described]) -> String {
    let mut text = ZSH.to_owned();
    for option in options {
        let value = match option.value {
            None => String::new(),
            Some(name) => match values::of(name) {
                Value::File => format!(":{name}:_files"),
                _ => format!(":{name}: "),
            },
        };
        for dashes in ["-", "--"] {
            let help = values::escaped_for_zsh(option.help);
            let _ = writeln!(text, "    '{dashes}{}[{help}]{value}' \\", option.name);
        }
    }
    text + "    '1:PID:_rmashm_jobs'\n"
}

fn fish(options: &[Described]) -> String {
    let mut text = FISH.to_owned();
    for option in options {
        let offered = match option.value.map(values::of) {
            None => "",
            Some(Value::File) => " -r -F",
            Some(_) => " -x",
        };
        let help = values::escaped_for_fish(option.help);
        let name = option.name;
        for form in ["-o", "-l"] {
            let _ = writeln!(
                text,
                "complete -c rmashm-top {form} {name} -d '{help}'{offered}"
            );
        }
    }
    text
}

// A job is offered by the process of its launcher.

const BASH: &str = r#"# Completion of rmashm-top for bash. Made by rmashm-manual.

_rmashm_top() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    # A value behind = is two words.
    if [[ $current == = ]]; then
        current=''
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case ${before/#--/-} in
@OFFERED@
    esac
    if [[ $current == --* ]]; then
        COMPREPLY=($(compgen -P - -W '@OPTIONS@' -- "${current#-}"))
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W '@OPTIONS@' -- "$current"))
    else
        COMPREPLY=($(compgen -W "$(pgrep -u "$EUID" '^mpi(exec|run)' 2>/dev/null)" -- "$current"))
    fi
}

complete -o filenames -F _rmashm_top rmashm-top
"#;

const ZSH: &str = r#"#compdef rmashm-top
# Made by rmashm-manual.

_rmashm_jobs() {
    local -a jobs
    jobs=(${(f)"$(pgrep -l -u $EUID '^mpi(exec|run)' 2>/dev/null)"})
    jobs=(${jobs/ /:})
    _describe job jobs
}

_arguments \
"#;

const FISH: &str = r#"# Completion of rmashm-top for fish. Made by rmashm-manual.

complete -c rmashm-top -f -a '(pgrep -l -u (id -u) "^mpi(exec|run)" 2>/dev/null | string replace " " \t)'
"#;
