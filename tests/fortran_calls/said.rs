//! What a program has written: of each call what C said, and what Fortran said.

use std::collections::BTreeSet;

/// What a program has written.
pub struct Said {
    lines: Vec<[String; 4]>,
}

impl Said {
    pub fn read(text: &str) -> Said {
        let lines = text.lines().map(|line| {
            let fields: Vec<String> = line.split('\t').map(str::to_string).collect();
            fields
                .try_into()
                .unwrap_or_else(|_| panic!("no line of four: {line}"))
        });
        Said {
            lines: lines.collect(),
        }
    }

    /// The names that were called.
    pub fn called(&self) -> BTreeSet<&str> {
        self.lines.iter().map(|[name, ..]| &**name).collect()
    }

    /// Fails where Fortran says something else than C in Fortran's words.
    pub fn must_be_alike(&self) {
        let differ = |[name, arguments, c, fortran]: &[String; 4]| {
            let expected = in_fortran(c);
            (expected != *fortran)
                .then(|| format!("{name}, {arguments}: {fortran}\n  instead of: {expected}"))
        };
        let differences: Vec<String> = self.lines.iter().filter_map(differ).collect();
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }

    /// How many of the calls have succeeded, and how many there are.
    pub fn successes(&self) -> (usize, usize) {
        let succeeded = |[_, _, c, _]: &&[String; 4]| c.starts_with("No MPI error");
        let succeeded = self.lines.iter().filter(succeeded).count();
        (succeeded, self.lines.len())
    }
}

/// A sentence of C's in the words of Fortran: names of MPI in capitals, elements of arrays in parentheses and counted from 1.
fn in_fortran(sentence: &str) -> String {
    let mut words = Vec::new();
    for word in sentence.split(' ') {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut told = String::new();
        for (at, part) in word.split("MPI_").enumerate() {
            let end = part.find(|c| !is_of_name(c)).unwrap_or(part.len());
            told += &match at {
                0 => part.to_string(),
                _ => format!("MPI_{}{}", part[..end].to_uppercase(), &part[end..]),
            };
        }
        let index = told.split_once('[').and_then(|(array, rest)| {
            let (index, rest) = rest.split_once(']')?;
            let index = index.parse::<u32>().ok()? + 1;
            let rows = if array == "ranges" { ":, " } else { "" };
            Some(format!("{array}({rows}{index}){rest}"))
        });
        words.push(index.unwrap_or(told));
    }
    words.join(" ")
}

#[test]
fn sentences_of_c_are_told_in_fortran() {
    for (c, fortran) in [
        (
            "error in MPI_Send: dims[0] is 3",
            "error in MPI_SEND: dims(1) is 3",
        ),
        ("(dims of MPI_x, [y])", "(dims of MPI_X, [y])"),
        ("ranges[2], a", "ranges(:, 3), a"),
    ] {
        assert_eq!(in_fortran(c), fortran);
    }
}
