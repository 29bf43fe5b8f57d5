//! A person at a terminal: prompts, ^C, ^Z and `fg`.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::run::{Run, mpiexec};

/// A run on a terminal of its own, and what has appeared there.
struct Session {
    run: Run,
    keyboard: File,
    screen: Arc<Mutex<String>>,
}

impl Session {
    fn start(mut command: Command) -> Session {
        let terminal = nix::pty::openpty(None, None).unwrap();
        let slave = File::from(terminal.slave);
        command
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave);
        // SAFETY: between fork and exec only two system calls are made.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            })
        };
        let run = Run::start(command);
        let keyboard = File::from(terminal.master);
        let mut display = keyboard.try_clone().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let shown = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(count @ 1..) = display.read(&mut bytes) {
                shown
                    .lock()
                    .unwrap()
                    .push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Session {
            run,
            keyboard,
            screen,
        }
    }

    /// Waits until `text` has appeared `times` times.
    #[track_caller]
    fn expect(&mut self, text: &str, times: usize) {
        let screen = self.screen.clone();
        self.run.wait_until(text, || {
            screen.lock().unwrap().matches(text).count() >= times
        });
    }

    fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }
}

#[test]
fn rank_0_asks_and_is_answered() {
    let text = "if [ $PMI_RANK = 0 ]; then printf 'name? '; read name; echo \"hello $name\"; fi";
    let mut session = Session::start(mpiexec(&["-n", "3", "sh", "-c", text]));
    session.expect("name? ", 1);
    session.type_in("Ada\n");
    session.expect("hello Ada", 1);
    session.run.finish().ended(0);
}

#[test]
fn control_c_reaches_each_rank_once() {
    // The signal may come at any moment after the word.
    let text = "trap 'echo got-it; came=1' INT; echo ready; while test -z \"$came\"; do sleep 0.02; done; sleep 0.3; exit 3";
    let mut session = Session::start(mpiexec(&["-n", "3", "sh", "-c", text]));
    session.expect("ready", 3);
    session.type_in("\x03");
    session.expect("got-it", 3);
    let screen = session.screen.clone();
    session.run.finish().ended(3);
    assert_eq!(screen.lock().unwrap().matches("got-it").count(), 3);
}

#[test]
fn control_z_stops_all_and_fg_continues_them() {
    let text =
        "echo begin; i=0; while [ $i -lt 20 ]; do sleep 0.05; i=$((i+1)); done; echo finished";
    // A shell with job control goes on when its foreground job is stopped.
    let shell = format!(
        "{} -n 3 sh -c '{text}'; echo stopped $?; read x; fg; echo over $?",
        env!("CARGO_BIN_EXE_mpiexec")
    );
    let template = mpiexec(&["true"]);
    let mut command = Command::new("bash");
    command.args(["--norc", "-m", "-c", &shell]);
    command.envs(
        template
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let mut session = Session::start(command);
    session.expect("begin", 3);
    session.type_in("\x1a");
    session.expect("stopped 148", 1);
    let state =
        |pid: &i32| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let ranks: Vec<i32> = session
        .run
        .ranks()
        .into_iter()
        .filter(|(_, name)| name == "sh")
        .map(|(pid, _)| pid)
        .collect();
    // What a shell has forked is a shell too, where it was stopped before it became `sleep`.
    assert!(ranks.len() >= 3, "{ranks:?}");
    session.run.wait_until("the ranks to stop", || {
        // One that a shell had forked may be over, and not looked after by a shell that has stopped. A shell whose child was stopped
        // before it became `sleep` waits for that in the kernel (vfork).
        let is_still = |state: String| {
            let states = [") T ", ") Z ", ") D "];
            state.is_empty() || states.iter().any(|still| state.contains(still))
        };
        ranks.iter().map(state).all(is_still)
    });
    session.type_in("\n");
    session.expect("finished", 3);
    session.expect("over 0", 1);
    session.run.finish().ended(0);
}
