//! Running one job under a watchdog.

use crate::leftovers::{MARKER, marker};
use crate::{diagnosis, leftovers};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How many seconds after our watchdog the launcher's own time limit is reached.
pub const LAUNCHER_LATER: u64 = 30;

/// What a job left to be judged.
pub struct Ended {
    pub marker: String,
    /// The exit status as a shell would give it.
    pub status: i32,
    pub hung: bool,
    pub stdout: String,
    pub stderr: String,
    command: String,
    diagnosis: String,
}

impl Ended {
    pub fn report(&self) -> String {
        let mut report = format!("command: {}\n", self.command);
        for (title, text) in [
            ("stdout", &self.stdout),
            ("stderr", &self.stderr),
            ("where", &self.diagnosis),
        ] {
            if !text.is_empty() {
                report += &format!("---- {title} ----\n{}\n", shortened(text.trim_end()));
            }
        }
        report
    }
}

/// What our launcher has said of a job that it has ended, or would have, because it did not go on.
pub fn standstill(stderr: &str) -> Option<&str> {
    let said = [", its time limit: ending it", "deadlock: ", "wait for ever"];
    let mut lines = stderr.lines();
    lines.find(|line| line.starts_with("mpiexec: ") && said.iter().any(|said| line.contains(said)))
}

/// A job that runs.
pub struct Running {
    child: Child,
    marker: String,
    /// Its output is in this file, with another ending for each stream.
    files: PathBuf,
    command: String,
}

/// Runs `command` to its end, or until it has taken `seconds` and is taken for hung.
pub fn run(
    command: Command,
    output: &Path,
    test_name: &str,
    seconds: u64,
) -> Result<Ended, String> {
    Running::start(command, output, test_name)?.finish(seconds)
}

impl Running {
    pub fn start(mut command: Command, output: &Path, test_name: &str) -> Result<Running, String> {
        let marker = marker();
        // Another run of the tests may be at work in this checkout.
        let files = output.join(format!("{}.{marker}", test_name.replace("::", "-")));
        // Files, not pipes: a process that outlives its job cannot keep us reading.
        let create = |kind: &str| {
            let file = file(&files, kind);
            File::create(&file).map_err(|error| format!("{}: {error}", file.display()))
        };
        command
            .env(MARKER, &marker)
            .stdin(Stdio::null())
            .stdout(create("out")?)
            .stderr(create("err")?);
        let child = command
            .spawn()
            .map_err(|error| format!("{command:?}: {error}"))?;
        Ok(Running {
            child,
            marker,
            files,
            command: format!("{command:?}"),
        })
    }

    /// The number of the process that was started: the launcher.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// By which its [processes](leftovers::processes) are found.
    pub fn marker(&self) -> &str {
        &self.marker
    }

    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Waits for its end, or until `seconds` have passed and it is taken for hung.
    pub fn finish(mut self, seconds: u64) -> Result<Ended, String> {
        let mut ended = wait(&mut self.child, Duration::from_secs(seconds));
        let hung = ended.is_none();
        let mut diagnosis = String::new();
        if hung {
            diagnosis = diagnosis::of(&self.marker);
            // Our launcher has a time limit a little longer than ours, and says what the ranks wait for when it is reached.
            ended = wait(&mut self.child, Duration::from_secs(LAUNCHER_LATER + 10));
            leftovers::kill(&self.marker);
        }
        let status = match ended {
            Some(status) => status,
            None => {
                let _ = self.child.kill();
                self.child.wait().map_err(|error| error.to_string())?
            }
        };
        let text = |kind: &str| {
            let file = file(&self.files, kind);
            let bytes = std::fs::read(&file).unwrap_or_default();
            // What failed is printed; else the files are of no use any more.
            let _ = std::fs::remove_file(&file);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (stdout, stderr) = (text("out"), text("err"));
        Ok(Ended {
            marker: self.marker,
            status: status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
            hung,
            stdout,
            stderr,
            command: self.command,
            diagnosis,
        })
    }
}

fn file(files: &Path, kind: &str) -> PathBuf {
    let mut name = files.as_os_str().to_owned();
    name.push(format!(".{kind}"));
    PathBuf::from(name)
}

fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        // Short jobs are not waited for longer than they take, and long ones are not disturbed.
        let pause = start.elapsed() / 16;
        std::thread::sleep(pause.clamp(Duration::from_millis(1), Duration::from_millis(20)));
    }
    None
}

/// The first and the last lines of a long text.
fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= 200 {
        return text.to_owned();
    }
    let (head, tail) = (&lines[..150], &lines[lines.len() - 40..]);
    format!(
        "{}\n… {} lines …\n{}",
        head.join("\n"),
        lines.len() - 190,
        tail.join("\n")
    )
}
