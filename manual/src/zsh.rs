//! The completion for zsh.

use crate::options::{self, Spec};
use crate::values::{self, Value, escaped_for_zsh as escaped};
use std::fmt::Write;

/// What follows the options: the program and its own words, and behind a colon another part of the job.
const PROGRAM: &str = "\
_rmashm_program() {
    local part=${words[(I):]}
    if ((part && part < CURRENT)); then
        words=(mpiexec \"${(@)words[part+1,-1]}\")
        ((CURRENT -= part - 1))
        _mpiexec
    elif ((CURRENT == 1)); then
        _alternative 'commands:command:_command_names -e' 'files:program:_files'
    else
        _normal
    fi
}
";

/// For the launcher under all these names.
pub fn completion(tools: &[String]) -> String {
    let mut text = format!(
        "#compdef {}\n# Made by rmashm-manual.\n\n{PROGRAM}\n_arguments -A '-*' \\\n",
        tools.join(" ")
    );
    for spec in options::ours() {
        for name in spec.names {
            for dashes in ["-", "--"] {
                let _ = writeln!(
                    text,
                    "    '*{dashes}{name}{}[{}]{}' \\",
                    if spec.words() < spec.values.len() {
                        "=-"
                    } else {
                        ""
                    },
                    escaped(spec.help),
                    values(&spec)
                );
            }
        }
    }
    text + "    '*:: :_rmashm_program'\n"
}

fn values(spec: &Spec) -> String {
    let values = spec.values.iter().map(|value| {
        let offered = match values::of(value) {
            Value::Words(words) => format!("({})", words.join(" ")),
            Value::Folder => "_directories".to_owned(),
            Value::File => "_files".to_owned(),
            Value::Other => " ".to_owned(),
        };
        match value.trim_matches(['[', ']']) {
            left_out if left_out.len() < value.len() => format!("::{left_out}:{offered}"),
            value => format!(":{}:{offered}", escaped(value)),
        }
    });
    values.collect()
}
