//! Running one job under a watchdog.

use crate::leftovers::{MARKER, marker};
use crate::{diagnosis, leftovers};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
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

/// Runs `command` to its end, or until it has taken `seconds` and is taken for hung.
pub fn run(
    mut command: Command,
    output: &Path,
    test_name: &str,
    seconds: u64,
) -> Result<Ended, String> {
    let marker = marker();
    // Another run of the tests may be at work in this checkout.
    let name = format!("{}.{marker}", test_name.replace("::", "-"));
    let file = |kind: &str| output.join(format!("{name}.{kind}"));
    // Files, not pipes: a process that outlives its job cannot keep us reading.
    let create = |kind: &str| {
        File::create(file(kind)).map_err(|error| format!("{}: {error}", file(kind).display()))
    };
    command
        .env(MARKER, &marker)
        .stdin(Stdio::null())
        .stdout(create("out")?)
        .stderr(create("err")?);
    let mut child = command
        .spawn()
        .map_err(|error| format!("{command:?}: {error}"))?;

    let mut ended = wait(&mut child, Duration::from_secs(seconds));
    let hung = ended.is_none();
    let mut diagnosis = String::new();
    if hung {
        diagnosis = diagnosis::of(&marker);
        // Our launcher has a time limit a little longer than ours, and says what the ranks wait for when it is reached.
        ended = wait(&mut child, Duration::from_secs(LAUNCHER_LATER + 10));
        leftovers::kill(&marker);
    }
    let status = match ended {
        Some(status) => status,
        None => {
            let _ = child.kill();
            child.wait().map_err(|error| error.to_string())?
        }
    };
    let text = |kind: &str| {
        let bytes = std::fs::read(file(kind)).unwrap_or_default();
        // What failed is printed; else the files are of no use any more.
        let _ = std::fs::remove_file(file(kind));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Ended {
        marker,
        status: status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        hung,
        stdout: text("out"),
        stderr: text("err"),
        command: format!("{command:?}"),
        diagnosis,
    })
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
