//! What the first lines of a C test ask for.
//!
//! ```c
//! /* ranks: 1 2 4 8; launcher: mpiexec hydra; args: 100 */
//! ```
//! Each leading line that is a comment of such fields is one way to run the program; a program without one runs at 1, 2,
//! 4 and 8 ranks under our `mpiexec`. Fields, separated by `;`:
//!
//! - `ranks:` rank counts
//! - `launcher:` any of `mpiexec` `hydra` `preload` `path` `alone`, see [`Launcher`]
//! - `name:` added to the test's name, to tell several ways apart
//! - `args:`, `env:` arguments and `NAME=VALUE`s of the program, separated by blanks
//! - `expect-exit:` exit status (default 0; `nonzero` is any other); `expect-stderr:`, `expect-stdout:` text that must
//!   be found there (may be repeated; without one nothing may be written, with an empty one anything)
//! - `abi:` the interfaces whose programs it can be (default: all)
//! - `mpich:` `skip` and the reason why Debian's MPICH cannot run the program
//! - `wrong:` what the program does wrong, and why: where `RMASHM_CHECK` is set, findings are no failure
//! - `seconds:` when the watchdog takes it for a hang (default 120)

use harness::job::{self, Ended};
use programs::Interface;
use std::path::Path;

/// How a program is started, and what it was compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// Our mpicc, our mpiexec.
    Mpiexec,
    /// Our mpicc, `mpiexec.hydra` of Debian's MPICH.
    Hydra,
    /// mpicc of MPICH and `mpiexec.hydra`, with our library in LD_PRELOAD.
    Preload,
    /// mpicc of MPICH, our mpiexec, with our `lib` in LD_LIBRARY_PATH.
    Path,
    /// Our mpicc, no launcher.
    Alone,
}

impl Launcher {
    fn parse(word: &str) -> Result<Launcher, String> {
        Ok(match word {
            "mpiexec" => Launcher::Mpiexec,
            "hydra" => Launcher::Hydra,
            "preload" => Launcher::Preload,
            "path" => Launcher::Path,
            "alone" => Launcher::Alone,
            _ => return Err(format!("unknown launcher '{word}'")),
        })
    }

    /// Needs something of Debian's MPICH.
    pub fn is_foreign(self) -> bool {
        matches!(self, Launcher::Hydra | Launcher::Preload | Launcher::Path)
    }

    fn suffix(self) -> &'static str {
        match self {
            Launcher::Mpiexec => "",
            Launcher::Hydra => "::hydra",
            Launcher::Preload => "::preload",
            Launcher::Path => "::path",
            Launcher::Alone => "::alone",
        }
    }
}

/// The exit status of a job in which `-check` found something.
const FOUND: i32 = 56;

/// The exit status of a job that stands still.
const STANDSTILL: i32 = 55;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Status(i32),
    Nonzero,
}

/// What a line about running the program may begin with.
const FIELDS: [&str; 12] = [
    "abi",
    "ranks",
    "launcher",
    "name",
    "args",
    "env",
    "expect-exit",
    "expect-stderr",
    "expect-stdout",
    "mpich",
    "wrong",
    "seconds",
];

/// One way to run a program, and what must come of it.
#[derive(Clone, Debug)]
pub struct Spec {
    pub ranks: Vec<u32>,
    pub launchers: Vec<Launcher>,
    pub arguments: Vec<String>,
    pub variables: Vec<(String, String)>,
    pub interfaces: Vec<Interface>,
    pub mpich_skip: Option<String>,
    /// Whether `mpiexec -check` may find something.
    pub wrong: bool,
    pub seconds: u64,
    name: Option<String>,
    exit: Exit,
    stderr: Vec<String>,
    stdout: Vec<String>,
}

impl Spec {
    fn new() -> Spec {
        Spec {
            ranks: vec![1, 2, 4, 8],
            launchers: vec![Launcher::Mpiexec],
            arguments: Vec::new(),
            variables: Vec::new(),
            interfaces: Interface::ALL.to_vec(),
            mpich_skip: None,
            wrong: false,
            seconds: 120,
            name: None,
            exit: Exit::Status(0),
            stderr: Vec::new(),
            stdout: Vec::new(),
        }
    }

    /// All ways to run the program `source`.
    pub fn all_of(source: &Path) -> Result<Vec<Spec>, String> {
        let text = std::fs::read_to_string(source)
            .map_err(|error| format!("{}: {error}", source.display()))?;
        let mut specs = Vec::new();
        for line in text.lines() {
            let Some(fields) = line
                .strip_prefix("/* ")
                .and_then(|rest| rest.trim_end().strip_suffix("*/"))
            else {
                break;
            };
            let key = fields.split(':').next().unwrap_or_default();
            if !FIELDS.contains(&key) {
                break;
            }
            specs.push(
                Spec::parse(fields).map_err(|error| format!("{}: {error}", source.display()))?,
            );
        }
        if specs.is_empty() {
            specs.push(Spec::new());
        }
        Ok(specs)
    }

    fn parse(fields: &str) -> Result<Spec, String> {
        let mut spec = Spec::new();
        for field in fields.split(';') {
            let (key, value) = field
                .split_once(':')
                .ok_or_else(|| format!("'{field}' is not 'field: value'"))?;
            let value = value.trim();
            let words = || value.split_whitespace();
            match key.trim() {
                "ranks" => {
                    let ranks: Result<Vec<u32>, _> = words().map(str::parse).collect();
                    spec.ranks = ranks.map_err(|error| format!("ranks '{value}': {error}"))?;
                }
                "launcher" => {
                    spec.launchers = words().map(Launcher::parse).collect::<Result<_, _>>()?
                }
                "name" => spec.name = Some(value.to_owned()),
                "args" => spec.arguments = words().map(str::to_owned).collect(),
                "env" => {
                    for word in words() {
                        let (name, value) = word
                            .split_once('=')
                            .ok_or_else(|| format!("env '{word}' has no '='"))?;
                        spec.variables.push((name.to_owned(), value.to_owned()));
                    }
                }
                "expect-exit" if value == "nonzero" => spec.exit = Exit::Nonzero,
                "expect-exit" => {
                    spec.exit = Exit::Status(
                        value
                            .parse()
                            .map_err(|error| format!("expect-exit '{value}': {error}"))?,
                    );
                }
                "expect-stderr" => spec.stderr.push(value.to_owned()),
                "expect-stdout" => spec.stdout.push(value.to_owned()),
                "abi" => {
                    let known = |word| {
                        Interface::of_name(word)
                            .ok_or_else(|| format!("abi '{word}' is no interface"))
                    };
                    spec.interfaces = words().map(known).collect::<Result<_, _>>()?;
                }
                "mpich" => {
                    let reason = value
                        .strip_prefix("skip")
                        .ok_or_else(|| format!("mpich '{value}' is not 'skip …'"))?;
                    spec.mpich_skip = Some(reason.trim().to_owned());
                }
                "wrong" if value.is_empty() => return Err("wrong: without a reason".to_owned()),
                "wrong" => spec.wrong = true,
                "seconds" => {
                    spec.seconds = value
                        .parse()
                        .map_err(|error| format!("seconds '{value}': {error}"))?
                }
                other => return Err(format!("unknown field '{other}'")),
            }
        }
        Ok(spec)
    }

    /// The number of ranks where one is enough: the largest up to four.
    pub fn usual_ranks(&self) -> Option<u32> {
        let few = self.ranks.iter().filter(|ranks| **ranks <= 4).max();
        few.or(self.ranks.iter().min()).copied()
    }

    /// `put_get::n4`, `put_get::large::n4::hydra`.
    pub fn test_name(&self, program: &str, ranks: u32, launcher: Launcher) -> String {
        let name = self
            .name
            .iter()
            .map(|name| format!("::{name}"))
            .collect::<String>();
        format!("{program}{name}::n{ranks}{}", launcher.suffix())
    }

    /// Whether the program is one that does something wrong, and is looked at for that: what is found is told then, and the job goes on.
    pub fn is_told(&self) -> bool {
        self.wrong && std::env::var_os("RMASHM_CHECK").is_some()
    }

    /// In what the job that ended is not as it should be.
    pub fn complaints(&self, ended: &Ended) -> Vec<String> {
        let mut complaints = Vec::new();
        if ended.hung {
            complaints.push(format!("no end after {} s", self.seconds));
            return complaints;
        }
        let may_be_found = self.is_told() && ended.status == FOUND;
        match self.exit {
            Exit::Status(wanted) if ended.status != wanted && !may_be_found => {
                complaints.push(format!("exit status {}, not {wanted}", ended.status));
            }
            Exit::Nonzero if ended.status == 0 => {
                complaints.push("exit status 0, but an error was due".to_owned())
            }
            _ => {}
        }
        // Where a failure or a death is due, a failed check would pass for it.
        if ended.stderr.lines().any(is_failed_check) {
            complaints.push("a check failed".to_owned());
        }
        // A job that hangs after a death ends as one that does not, but for this.
        let is_due = |line: &str| {
            let mut wanted = self.stderr.iter().filter(|wanted| !wanted.is_empty());
            self.exit == Exit::Status(STANDSTILL) || wanted.any(|wanted| line.contains(wanted))
        };
        if let Some(line) = job::standstill(&ended.stderr).filter(|line| !is_due(line)) {
            complaints.push(format!("it did not go on: {line}"));
        }
        let stderr = match self.is_told() {
            true => without_findings(&ended.stderr),
            false => ended.stderr.clone(),
        };
        for (stream, text, wanted) in [
            ("stderr", &stderr, &self.stderr),
            ("stdout", &ended.stdout, &self.stdout),
        ] {
            if wanted.is_empty() && !text.is_empty() {
                complaints.push(format!("output on {stream}"));
            }
            for wanted in wanted
                .iter()
                .filter(|wanted| !text.contains(wanted.as_str()))
            {
                complaints.push(format!("'{wanted}' is not on {stream}"));
            }
        }
        complaints
    }
}

/// What the launcher says without what `-check` has found.
fn without_findings(text: &str) -> String {
    let rest = text.split_inclusive('\n');
    rest.filter(|line| !line.starts_with("mpiexec: check: "))
        .collect()
}

/// Whether this is what a failed check of `check.h` writes: "c_tests/put.c:12: rank 0 of 4: …".
fn is_failed_check(line: &str) -> bool {
    let Some((file, rest)) = line.split_once(": rank ") else {
        return false;
    };
    let place = file
        .rsplit_once(':')
        .map(|(path, line)| (path, line.parse::<u32>()));
    let in_source = |path: &str| [".c", ".h", ".cpp"].iter().any(|end| path.ends_with(end));
    matches!(place, Some((path, Ok(_))) if in_source(path)) && rest.contains(" of ")
}
