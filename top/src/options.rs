//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub const HELP: &str = include_str!("rmashm-top.txt");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Live,
    Once,
    Json,
    Version,
    Help,
}

#[derive(Debug, PartialEq)]
pub struct Options {
    pub mode: Mode,
    pub delay: Duration,
    pub pid: Option<u32>,
    /// A core dump, in place of the jobs that run.
    pub core: Option<PathBuf>,
}

impl Options {
    /// Options may have one dash or two. Errors: in words.
    pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Options, String> {
        let mut options = Options {
            mode: Mode::Live,
            delay: Duration::from_secs(1),
            pid: None,
            core: None,
        };
        let mut words = words.map(|word| word.to_string_lossy().into_owned());
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--").or(word.strip_prefix('-'));
            let (name, value) = match name.and_then(|name| name.split_once('=')) {
                Some((name, value)) => (Some(name), Some(value.to_string())),
                None => (name, None),
            };
            match name {
                // What is written once may be JSON, whichever is said first.
                Some("once") if options.mode == Mode::Json => {}
                Some("once") => options.mode = Mode::Once,
                Some("json") => options.mode = Mode::Json,
                Some("version" | "V") => options.mode = Mode::Version,
                Some("help" | "h") => options.mode = Mode::Help,
                Some("delay" | "d") => {
                    let value = value.or_else(|| words.next());
                    let value = value.ok_or("-delay wants a number of seconds")?;
                    options.delay = delay(&value)?;
                }
                Some("core") => {
                    let value = value.or_else(|| words.next());
                    options.core = Some(value.ok_or("-core wants a file")?.into());
                }
                Some(_) => return Err(format!("there is no option {word}")),
                None if options.pid.is_none() => {
                    let pid = word.parse().ok().filter(|&pid| pid > 0);
                    let pid = pid.ok_or_else(|| format!("{word} is no process's number"))?;
                    options.pid = Some(pid);
                }
                None => return Err(format!("{word}: one job is enough")),
            }
        }
        if options.core.is_some() {
            if options.pid.is_some() {
                return Err("a core dump is of one job: -core goes without a process".into());
            }
            // There is nothing to watch.
            if options.mode == Mode::Live {
                options.mode = Mode::Once;
            }
            options.delay = Duration::ZERO;
        }
        Ok(options)
    }
}

fn delay(text: &str) -> Result<Duration, String> {
    let seconds = text
        .parse::<f64>()
        .ok()
        .filter(|s| (0.0..=3600.0).contains(s));
    let seconds =
        seconds.ok_or_else(|| format!("-delay is {text}, and has to be from 0 to 3600 seconds"))?;
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, String> {
        Options::parse(words.iter().map(OsString::from))
    }

    #[test]
    fn words_become_options() {
        let options = parse(&["--json", "-delay", "0.5", "42"]).unwrap();
        assert_eq!((options.mode, options.pid), (Mode::Json, Some(42)));
        assert_eq!(options.delay, Duration::from_millis(500));
        assert_eq!(parse(&["--json", "--once"]).unwrap().mode, Mode::Json);
        assert_eq!(parse(&["--once", "--json"]).unwrap().mode, Mode::Json);
        assert_eq!(parse(&["-delay=2"]).unwrap().delay, Duration::from_secs(2));
        let options = parse(&["-core", "file"]).unwrap();
        assert_eq!(
            (options.mode, options.core),
            (Mode::Once, Some("file".into()))
        );
        assert_eq!(parse(&["-json", "-core=file"]).unwrap().mode, Mode::Json);
        for wrong in [
            &["-delay"][..],
            &["-delay", "-1"],
            &["-delay", "x"],
            &["-what"],
            &["0"],
            &["1", "2"],
            &["-core"],
            &["-core", "file", "1"],
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn every_option_is_in_the_help() {
        for option in ["-once ", "-json ", "-delay ", "-core ", "-h, -V"] {
            assert!(HELP.contains(&format!("\n  {option}")), "{option}");
        }
    }
}
