//! The completion for bash.

use crate::options;
use crate::values::{self, Value};
use std::fmt::Write;

/// For the launcher under all these names.
pub fn completion(tools: &[String]) -> String {
    let mut taking = String::new();
    for spec in options::ours().chain(options::of_others()) {
        if !spec.values.is_empty() {
            let names: Vec<String> = spec.names.iter().map(|name| format!("-{name}")).collect();
            let _ = writeln!(
                taking,
                "        {}) echo {} ;;",
                names.join(" | "),
                spec.values.len()
            );
        }
    }
    let mut offered = String::new();
    for spec in options::ours() {
        let names: Vec<String> = spec.names.iter().map(|name| format!("-{name}")).collect();
        let made = match spec.values.first().map(|value| values::of(value)) {
            Some(Value::Words(words)) => format!("-W '{}'", words.join(" ")),
            Some(Value::Folder) => "-d".to_owned(),
            Some(Value::File) => "-f".to_owned(),
            Some(Value::Other) | None => continue,
        };
        let _ = writeln!(
            offered,
            "            {}) COMPREPLY=($(compgen {made} -- \"$current\")) ;;",
            names.join(" | ")
        );
    }
    let all: Vec<String> = options::ours()
        .flat_map(|spec| spec.names.iter().map(|name| format!("-{name}")))
        .collect();
    FRAME
        .replace("@TAKING@", taking.trim_end())
        .replace("@OFFERED@", offered.trim_end())
        .replace("@OPTIONS@", &all.join(" "))
        .replace("@TOOLS@", &tools.join(" "))
}

const FRAME: &str = r#"# Completion of rmashm's mpiexec for bash. Made by rmashm-manual.

# How many values an option takes.
_rmashm_mpiexec_values() {
    case ${1/#--/-} in
@TAKING@
        *) echo 0 ;;
    esac
}

_rmashm_mpiexec() {
    local current=${COMP_WORDS[COMP_CWORD]} option='' program='' left=0 at word
    COMPREPLY=()
    # What stands before the word: an option that wants a value, a program, or options. A value behind = is two words.
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if [[ $word == : ]]; then
            program='' left=0
        elif [[ -n $program || $word == = ]]; then
            continue
        elif ((left > 0)); then
            ((left -= 1))
        elif [[ $word == -* ]]; then
            option=${word/#--/-}
            left=$(_rmashm_mpiexec_values "$word")
        else
            program=$word
        fi
    done
    [[ $current != = ]] || current=''
    if [[ -n $program ]]; then
        COMPREPLY=($(compgen -f -- "$current"))
    elif ((left > 0)); then
        case $option in
@OFFERED@
        esac
    elif [[ $current == --* ]]; then
        COMPREPLY=($(compgen -P - -W '@OPTIONS@' -- "${current#-}"))
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W '@OPTIONS@' -- "$current"))
    else
        COMPREPLY=($(compgen -c -- "$current") $(compgen -f -- "$current"))
    fi
}

complete -o filenames -o bashdefault -F _rmashm_mpiexec @TOOLS@
"#;
