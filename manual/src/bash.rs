//! The completion for bash.

use crate::options;
use crate::values::{self, Value};
use std::fmt::Write;

/// For the launcher under all these names.
pub fn completion(tools: &[String]) -> String {
    let mut taking = String::new();
    for spec in values::takers() {
        let (names, count) = (values::with_dash(&spec).join(" | "), spec.words());
        let _ = writeln!(taking, "        {names}) echo {count} ;;");
    }
    let mut offered = String::new();
    for spec in options::ours() {
        let names = values::with_dash(&spec).join(" | ");
        let made = match spec.values.first().map(|value| values::of(value)) {
            Some(Value::Words(words)) => format!("-W '{}'", words.join(" ")),
            Some(Value::Folder) => "-d".to_owned(),
            Some(Value::File) => "-f".to_owned(),
            Some(Value::Other) | None => continue,
        };
        let _ = writeln!(
            offered,
            "            {names}) COMPREPLY=($(compgen {made} -- \"$current\")) ;;"
        );
    }
    let all: Vec<String> = options::ours()
        .flat_map(|spec| values::with_dash(&spec))
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
