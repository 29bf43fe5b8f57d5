//! The completion for fish.

use crate::options;
use crate::values::{self, Value, escaped_for_fish as escaped};
use std::fmt::Write;

pub fn completion(tool: &str) -> String {
    let mut taking = String::new();
    for spec in values::takers() {
        let (names, count) = (values::with_dash(&spec).join(" "), spec.words());
        let _ = writeln!(taking, "        case {names}\n            echo {count}");
    }
    let mut text = FRAME.replace("@TAKING@", taking.trim_end());
    for spec in options::ours() {
        let offered = match spec.values.first().map(|value| values::of(value)) {
            None => String::new(),
            _ if spec.words() == 0 => String::new(),
            Some(Value::Words(words)) => format!(" -x -a '{}'", words.join(" ")),
            Some(Value::Folder) => " -x -a '(__fish_complete_directories)'".to_owned(),
            Some(Value::File) => " -r".to_owned(),
            Some(Value::Other) => " -x".to_owned(),
        };
        for name in spec.names {
            let (help, before) = (
                escaped(spec.help),
                "not __rmashm_mpiexec_program >/dev/null",
            );
            for form in ["-o", "-l"] {
                let _ = writeln!(
                    text,
                    "complete -c {tool} -n '{before}' {form} {name} -d '{help}'{offered}"
                );
            }
        }
    }
    text + &format!("complete -c {tool} -x -a '(__rmashm_mpiexec_rest)'\n")
}

/// Another name of the tool.
pub fn as_well(name: &str, tool: &str) -> String {
    format!("# Made by rmashm-manual.\ncomplete -c {name} -w {tool}\n")
}

const FRAME: &str = r#"# Completion of rmashm's mpiexec for fish. Made by rmashm-manual.

# How many values an option takes.
function __rmashm_mpiexec_values
    switch (string replace -r '^--' - -- $argv[1])
@TAKING@
        case '*'
            echo 0
    end
end

# Prints how many words stand before the program of the part that is being written; fails where it is not there yet.
function __rmashm_mpiexec_program
    set -l words (commandline -opc)
    set -l left 0
    set -l program 0
    for at in (seq 2 (count $words))
        set -l word $words[$at]
        if test "$word" = :
            set program 0
            set left 0
        else if test $program -gt 0
            continue
        else if test $left -gt 0
            set left (math $left - 1)
        else if string match -q -- '--*=*' $word
            continue
        else if string match -q -- '-*' $word
            set left (__rmashm_mpiexec_values $word)
        else
            set program $at
        end
    end
    if test $program -gt 0
        math $program - 1
    else
        count $words
        return 1
    end
end

function __rmashm_mpiexec_rest
    set -l before (__rmashm_mpiexec_program)
    __fish_complete_subcommand --fcs-skip=$before
end

"#;
