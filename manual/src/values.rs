//! What the shells can offer as the value of an option, which its name in the table tells.

pub enum Value {
    /// One of these.
    Words(Vec<&'static str>),
    Folder,
    File,
    /// Nothing that a shell knows.
    Other,
}

/// By the name of a value in the table: words in small letters stand for themselves.
pub fn of(value: &'static str) -> Value {
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let words: Vec<&str> = value.split('|').filter(is_word).collect();
    match value {
        "DIR" | "DIRS" => Value::Folder,
        "FILE" => Value::File,
        _ if words.is_empty() => Value::Other,
        _ => Value::Words(words),
    }
}
