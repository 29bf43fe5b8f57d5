//! Running `mpiexec` under a watchdog, and looking for what it left behind.

use harness::leftovers::{MARKER, marker};
use harness::{diagnosis, leftovers};
use nix::sys::signal::{SigHandler, Signal, kill, signal};
use nix::unistd::Pid;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far longer than anything here takes: only a hang gets that far.
const WATCHDOG: Duration = Duration::from_secs(120);

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// As a shell would show it.
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// The lines of stdout, sorted: the order between ranks is anybody's.
    pub fn lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.stdout.lines().collect();
        lines.sort();
        lines
    }

    /// Checks the status, showing everything if it is another.
    #[track_caller]
    pub fn ended(self, status: i32) -> Outcome {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    /// Checks that stderr has `text`.
    #[track_caller]
    pub fn says(self, text: &str) -> Outcome {
        assert!(self.stderr.contains(text), "{text:?} is not in {self:#?}");
        self
    }

    /// Checks that stderr is empty.
    #[track_caller]
    pub fn quietly(self) -> Outcome {
        assert_eq!(self.stderr, "", "{self:#?}");
        self
    }
}

/// A run of `mpiexec` that is going on.
pub struct Run {
    pub child: Child,
    marker: String,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    started: Instant,
}

/// `mpiexec` with these arguments, ready to be changed and started.
pub fn mpiexec<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Command {
    marked(env!("CARGO_BIN_EXE_mpiexec"), arguments)
}

/// A program whose processes, and theirs, can be found.
pub fn marked<S: AsRef<std::ffi::OsStr>>(program: &str, arguments: &[S]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env(MARKER, marker())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A shell lets what it runs in the background ignore the first two, and nohup the third: these tests too if they are among it.
    let heed = || {
        for which in [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGHUP] {
            // SAFETY: the default action is no handler that could be wrong.
            unsafe { signal(which, SigHandler::SigDfl)? };
        }
        Ok(())
    };
    // SAFETY: between fork and exec this only makes system calls.
    unsafe { command.pre_exec(heed) };
    command
}

/// Runs a shell script on `ranks` ranks, after more options.
pub fn script(options: &[&str], ranks: u32, script: &str) -> Command {
    let ranks = ranks.to_string();
    mpiexec(&[options, &["-n", &ranks, "sh", "-c", script]].concat())
}

/// Runs to the end.
#[track_caller]
pub fn run<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Outcome {
    Run::start(mpiexec(arguments)).finish()
}

/// Runs a shell script to the end.
#[track_caller]
pub fn run_script(options: &[&str], ranks: u32, text: &str) -> Outcome {
    Run::start(script(options, ranks, text)).finish()
}

impl Run {
    #[track_caller]
    pub fn start(mut command: Command) -> Run {
        let value = command
            .get_envs()
            .find(|(name, _)| *name == MARKER)
            .and_then(|(_, value)| value);
        let marker = value
            .expect("the command has a marker")
            .display()
            .to_string();
        let mut child = command.spawn().expect("mpiexec starts");
        let (stdout, stderr) = (
            child.stdout.take().map(collect),
            child.stderr.take().map(collect),
        );
        Run {
            child,
            marker,
            stdout,
            stderr,
            started: Instant::now(),
        }
    }

    /// Starts with something to read.
    #[track_caller]
    pub fn start_with_input(mut command: Command, input: Vec<u8>) -> Run {
        command.stdin(Stdio::piped());
        let mut run = Run::start(command);
        let mut stdin = run.child.stdin.take().expect("stdin is a pipe");
        // A reader that goes early is for the test to judge.
        std::thread::spawn(move || stdin.write_all(&input));
        run
    }

    pub fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.child.id() as i32), signal);
    }

    /// Waits until something is the case.
    #[track_caller]
    pub fn wait_until(&self, what: &str, mut is: impl FnMut() -> bool) {
        while !is() {
            self.bark(what);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the launcher's end; nothing may be left then.
    #[track_caller]
    pub fn finish(mut self) -> Outcome {
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("mpiexec is our child") {
                break status;
            }
            self.bark("the end");
            std::thread::sleep(Duration::from_millis(1));
        };
        let left = self.left();
        assert!(left.is_empty(), "processes were left behind: {left:?}");
        let text = |thread: Option<JoinHandle<Vec<u8>>>| {
            let bytes = thread.map(|thread| thread.join().expect("the reader does not panic"));
            String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
        };
        Outcome {
            status: status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
            stdout: text(self.stdout.take()),
            stderr: text(self.stderr.take()),
        }
    }

    /// Processes of this run that are alive, but for the launcher and its keeper: pid and name.
    pub fn ranks(&self) -> Vec<(i32, String)> {
        let own = |name: &str| name == "mpiexec" || name == "rmashm-keeper";
        self.left()
            .into_iter()
            .filter(|(_, name)| !own(name))
            .collect()
    }

    /// Processes of this run that are alive.
    pub fn left(&self) -> Vec<(i32, String)> {
        let name = |pid: i32| std::fs::read_to_string(format!("/proc/{pid}/comm"));
        leftovers::processes(&self.marker)
            .into_iter()
            .map(|pid| (pid, name(pid).unwrap_or_default().trim().to_string()))
            .collect()
    }

    #[track_caller]
    fn bark(&self, what: &str) {
        if self.started.elapsed() > WATCHDOG {
            let alive = diagnosis::of(&self.marker);
            panic!("watchdog: waited for {what}; alive were\n{alive}");
        }
    }
}

impl Drop for Run {
    /// A test that fails leaves nothing behind: not even what it has stopped.
    fn drop(&mut self) {
        if std::thread::panicking() {
            leftovers::kill(&self.marker);
            let _ = self.child.wait();
        }
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}
