//! PMI-2: packets of `key=value;` fields, with their length before them in six characters. A semicolon in a value is doubled.

use super::super::launcher::variable;
use super::connection::{Connection, nonsense};
use crate::error::Result;

/// A manager that speaks PMI-2.
pub(super) struct Packets {
    pub connection: Connection,
    job: String,
    pub appnum: Option<i32>,
}

impl Packets {
    /// Begins, after the greeting: with the rank and the number of ranks, which the manager tells.
    pub fn begin(connection: Connection) -> Result<(Packets, u32, u32)> {
        let mut packets = Packets {
            connection,
            job: String::new(),
            appnum: None,
        };
        let told = |name| variable(name).unwrap_or_default();
        let (job, rank) = (told("PMI_JOBID"), told("PMI_RANK"));
        let me = [
            ("pmijobid", job.as_str()),
            ("pmirank", &rank),
            ("threaded", "FALSE"),
        ];
        // Hydra gives no name of a job, and understands no field without a value.
        let me = &me[usize::from(job.is_empty())..];
        let answer = packets.ask("fullinit", me)?;
        let number =
            |key| -> Result<u32> { answer.get(key)?.parse().map_err(|_| answer.nonsense()) };
        let (rank, ranks) = (number("rank")?, number("size")?);
        packets.appnum = answer.get("appnum").ok().and_then(|n| n.parse().ok());
        packets.job = packets.ask("job-getid", &[])?.get("jobid")?.to_string();
        Ok((packets, rank, ranks))
    }

    fn ask(&mut self, command: &str, fields: &[(&str, &str)]) -> Result<Answer> {
        let words = words(command, fields);
        let packet = packet(&words);
        self.connection.ask(&packet, |connection| {
            let heard = connection.packet()?;
            let answer = Answer {
                fields: fields_of(&heard),
                words,
                heard,
            };
            let is_to_it = answer.get("cmd")? == format!("{command}-response");
            match is_to_it && answer.get("rc")? == "0" {
                true => Ok(answer),
                false => Err(answer.nonsense()),
            }
        })
    }

    pub fn put(&mut self, key: &str, value: &str) -> Result<()> {
        let fields = [("key", key), ("value", value)];
        self.ask("kvs-put", &fields).map(drop)
    }

    pub fn get(&mut self, key: &str) -> Result<String> {
        let job = self.job.clone();
        // Whose key it is need not be said.
        let fields = [("jobid", job.as_str()), ("srcid", "-1"), ("key", key)];
        let answer = self.ask("kvs-get", &fields)?;
        match answer.get("found")? {
            "TRUE" => answer.get("value").map(str::to_string),
            _ => Err(answer.nonsense()),
        }
    }

    pub fn fence(&mut self) -> Result<()> {
        self.ask("kvs-fence", &[]).map(drop)
    }

    pub fn finalize(&mut self) {
        self.connection.loosen();
        let told = self.connection.tell(&packet(&words("finalize", &[])));
        let _ = told.and_then(|()| self.connection.packet());
    }

    /// The status is not a thing of this protocol: it is that of the process.
    pub fn abort(&mut self, status: i32) {
        // The process ends with its own status, not by the manager's end.
        self.connection.loosen();
        let message = format!("MPI_Abort with status {status}");
        let fields = [("isworld", "TRUE"), ("msg", message.as_str())];
        let _ = self.connection.tell(&packet(&words("abort", &fields)));
    }
}

/// What the manager has answered, and to what.
#[derive(Debug)]
struct Answer {
    fields: Vec<(String, String)>,
    words: String,
    heard: String,
}

impl Answer {
    fn get(&self, key: &str) -> Result<&str> {
        let mut fields = self.fields.iter();
        let found = fields.find_map(|(name, value)| (name == key).then_some(value.as_str()));
        found.ok_or_else(|| self.nonsense())
    }

    fn nonsense(&self) -> crate::error::Error {
        nonsense(&self.words, &self.heard)
    }
}

fn words(command: &str, fields: &[(&str, &str)]) -> String {
    let field = |&(key, value): &(&str, &str)| format!("{key}={};", value.replace(';', ";;"));
    format!("cmd={command};") + &fields.iter().map(field).collect::<String>()
}

fn packet(words: &str) -> String {
    format!("{:6}{words}", words.len())
}

/// The fields of a packet's words. What is not one has no value.
fn fields_of(words: &str) -> Vec<(String, String)> {
    let mut fields = vec![];
    let mut field = String::new();
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        let doubled = letter == ';' && letters.next_if_eq(&';').is_some();
        if letter != ';' || doubled {
            field.push(letter);
        }
        if (letter == ';' && !doubled) || letters.peek().is_none() {
            let whole = std::mem::take(&mut field);
            let (key, value) = whole.split_once('=').unwrap_or((&whole, ""));
            fields.push((key.to_string(), value.to_string()));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(words: &str) -> Vec<(String, String)> {
        fields_of(words)
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn what_is_said_is_understood() {
        for value in ["", "a=b", ";", ";;", "a;b", "end;", "=;="] {
            let said = words("kvs-put", &[("key", "k"), ("value", value)]);
            let heard = pairs(&[("cmd", "kvs-put"), ("key", "k"), ("value", value)]);
            assert_eq!(fields(&said), heard, "{said}");
        }
    }

    #[test]
    fn a_field_without_an_end_or_a_value_is_one() {
        assert_eq!(fields("cmd=a;rc=0"), pairs(&[("cmd", "a"), ("rc", "0")]));
        assert_eq!(fields("cmd;rc=0;"), pairs(&[("cmd", ""), ("rc", "0")]));
        assert_eq!(fields(""), []);
    }

    /// Packets are heard whole, or there is an error, whatever comes; what is in them are fields.
    #[test]
    fn whatever_a_manager_says() {
        arbtest::arbtest(|drawn| {
            let mut said = Vec::new();
            while !drawn.is_empty() {
                let words: Vec<u8> = drawn.arbitrary()?;
                if drawn.ratio(2, 3)? {
                    said.extend_from_slice(format!("{:6}", words.len()).as_bytes());
                }
                said.extend(words);
            }
            let mut connection = Connection::with(&said);
            while let Ok(words) = connection.packet() {
                let bytes: usize = fields_of(&words)
                    .iter()
                    .map(|(key, value)| key.len() + value.len())
                    .sum();
                assert!(bytes <= words.len());
            }
            Ok(())
        })
        .budget_ms(500);
    }

    /// Any value is heard as it was said.
    #[test]
    fn any_value_is_understood() {
        arbtest::arbtest(|drawn| {
            let value: String = drawn.arbitrary()?;
            let said = words("kvs-put", &[("key", "k"), ("value", &value)]);
            let heard = pairs(&[("cmd", "kvs-put"), ("key", "k"), ("value", &value)]);
            assert_eq!(fields(&said), heard, "{said}");
            Ok(())
        })
        .budget_ms(300);
    }

    #[test]
    fn a_packet_begins_with_its_length() {
        assert_eq!(packet("cmd=finalize;"), "    13cmd=finalize;");
    }
}
