//! What the shells must know of options and their values.

use crate::options::{self, Spec};

/// The options that take values, of other launchers, too: what stands behind one is not the program.
pub fn takers() -> impl Iterator<Item = Spec> {
    let all = options::ours().chain(options::of_others());
    all.filter(|spec| spec.words() > 0)
}

/// An option's names as they are written.
pub fn with_dash(spec: &Spec) -> Vec<String> {
    spec.names.iter().map(|name| format!("-{name}")).collect()
}

/// What can be offered as a value.
pub enum Value {
    /// One of these.
    Words(Vec<&'static str>),
    Folder,
    File,
    /// Nothing that a shell knows.
    Other,
}

/// By the name that a value has in the table: words in small letters stand for themselves.
pub fn of(value: &'static str) -> Value {
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let words: Vec<&str> = value.split('|').filter(is_word).collect();
    match value {
        "DIR" | "DIRS" => Value::Folder,
        "FILE" | "[FILE]" => Value::File,
        _ if words.is_empty() => Value::Other,
        _ => Value::Words(words),
    }
}

/// Within quotes and a specification of zsh's `_arguments`.
pub fn escaped_for_zsh(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\'' => escaped.push_str("'\\''"),
            '[' | ']' | ':' | '\\' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Within fish's quotes.
pub fn escaped_for_fish(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}
