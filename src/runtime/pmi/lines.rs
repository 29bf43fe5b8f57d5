//! PMI-1: lines of `key=value` fields with blanks between them.

use super::super::launcher::variable;
use super::Version;
use super::connection::{Connection, nonsense};
use crate::err;
use crate::error::Result;

/// A manager that speaks PMI-1.
pub(super) struct Lines {
    pub connection: Connection,
    space: String,
}

/// Says in which version this rank would speak, in the line that both begin with: whether the manager does.
pub(super) fn greet(connection: &mut Connection, version: Version) -> Result<bool> {
    let (number, line) = match version {
        Version::One => ("1", "cmd=init pmi_version=1 pmi_subversion=1\n"),
        Version::Two => ("2", "cmd=init pmi_version=2 pmi_subversion=0\n"),
    };
    let answer = connection.ask_loosely(line, Connection::line)?;
    if value(&answer, "cmd") != Some("response_to_init") {
        return Err(nonsense(line, &answer));
    }
    let same = value(&answer, "pmi_version").is_none_or(|told| told == number);
    Ok(same && is_success(&answer))
}

impl Lines {
    /// Begins, after the greeting: with the rank and the number of ranks, which the environment tells.
    pub fn begin(connection: Connection) -> Result<(Lines, u32, u32)> {
        let number = |name: &str| -> Result<u32> {
            let text =
                variable(name).ok_or_else(|| err!(Other, "PMI_FD is set but {name} is not"))?;
            text.parse()
                .map_err(|_| err!(Other, "{name} is \"{text}\", not a number"))
        };
        let (rank, ranks) = (number("PMI_RANK")?, number("PMI_SIZE")?);
        let mut lines = Lines {
            connection,
            space: String::new(),
        };
        lines.space = lines.ask_for("get_my_kvsname", "my_kvsname", "kvsname")?;
        Ok((lines, rank, ranks))
    }

    /// Says a line and reads the answer, which must begin with the command given.
    fn ask(&mut self, line: &str, expected: &str) -> Result<String> {
        let line = format!("{line}\n");
        self.connection.ask(&line, |connection| {
            let answer = connection.line()?;
            match value(&answer, "cmd") == Some(expected) && is_success(&answer) {
                true => Ok(answer),
                false => Err(nonsense(&line, &answer)),
            }
        })
    }

    /// The value of `key` in the answer to a command.
    fn ask_for(&mut self, words: &str, expected: &str, key: &str) -> Result<String> {
        let line = format!("cmd={words}");
        let answer = self.ask(&line, expected)?;
        let found = value(&answer, key).map(str::to_string);
        found.ok_or_else(|| nonsense(&line, &answer))
    }

    pub fn put(&mut self, key: &str, value: &str) -> Result<()> {
        let line = format!("cmd=put kvsname={} key={key} value={value}", self.space);
        self.ask(&line, "put_result").map(drop)
    }

    pub fn get(&mut self, key: &str) -> Result<String> {
        let words = format!("get kvsname={} key={key}", self.space);
        self.ask_for(&words, "get_result", "value")
    }

    pub fn fence(&mut self) -> Result<()> {
        self.ask("cmd=barrier_in", "barrier_out").map(drop)
    }

    pub fn appnum(&mut self) -> Option<i32> {
        let told = self.ask_for("get_appnum", "appnum", "appnum");
        told.ok()?.parse().ok()
    }

    pub fn finalize(&mut self) {
        self.connection.loosen();
        let told = self.connection.tell("cmd=finalize\n");
        let _ = told.and_then(|()| self.connection.line());
    }

    pub fn abort(&mut self, status: i32) {
        // The process ends with its own status, not by the manager's end.
        self.connection.loosen();
        let _ = self
            .connection
            .tell(&format!("cmd=abort exitcode={status}\n"));
    }
}

fn is_success(answer: &str) -> bool {
    value(answer, "rc").is_none_or(|status| status == "0")
}

/// The value of `key` in a line; it ends at the next blank.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ')
        .find_map(|field| field.strip_prefix(key)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_whole_key() {
        let line = "cmd=get_result rc=0 msg=success value=a=b";
        assert_eq!(value(line, "value"), Some("a=b"));
        assert_eq!(value(line, "rc"), Some("0"));
        assert_eq!(value(line, "c"), None);
    }

    /// Lines are heard whole, or there is an error, whatever comes.
    #[test]
    fn whatever_a_manager_says() {
        arbtest::arbtest(|drawn| {
            let words: Vec<&str> = vec!["cmd=", "rc=0", " ", "value=", "\n", "=", "\0"];
            let mut said = Vec::new();
            while !drawn.is_empty() {
                match drawn.ratio(1, 3)? {
                    true => said.push(drawn.arbitrary()?),
                    false => said.extend_from_slice(drawn.choose(&words)?.as_bytes()),
                }
            }
            let mut connection = Connection::with(&said);
            let mut heard = Vec::new();
            while let Ok(line) = connection.line() {
                assert!(value(&line, "cmd").is_none_or(|value| !value.contains(' ')));
                let _ = is_success(&line);
                heard.push(line);
            }
            assert!(heard.len() <= said.split(|byte| *byte == b'\n').count());
            Ok(())
        })
        .budget_ms(500);
    }
}
