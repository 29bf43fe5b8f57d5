//! The screen and the keys, in a terminal.

use super::{BARRIER, Job, LOCK, all_but_the_first_wait, prefix};
use harness::needs::need;
use harness::scratch::Scratch;
use std::process::{Command, Output};

/// A terminal with `rmashm-top` in it.
struct Terminal {
    socket: String,
    _folder: Scratch,
}

impl Terminal {
    fn open(columns: usize, lines: usize, words: &str) -> Terminal {
        let folder = Scratch::new(&format!("top-screen-{columns}-{lines}"));
        let terminal = Terminal {
            socket: folder.file("tmux"),
            _folder: folder,
        };
        let top = prefix().join("bin/rmashm-top");
        let shell = format!("{} {words}; echo status $?; cat", top.display());
        let (columns, lines) = (columns.to_string(), lines.to_string());
        terminal.tmux(&[
            "new-session",
            "-d",
            "-x",
            &columns,
            "-y",
            &lines,
            "sh",
            "-c",
            &shell,
        ]);
        terminal
    }

    fn tmux(&self, words: &[&str]) -> Output {
        let mut tmux = Command::new("tmux");
        tmux.env_remove("TMUX")
            .args(["-f", "/dev/null", "-S", &self.socket])
            .args(words);
        tmux.output().expect("tmux runs")
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// The screen, when all of it is there.
    #[track_caller]
    fn shows(&self, job: &mut Job, texts: &[&str]) -> String {
        let mut screen = String::new();
        job.run.wait_until(&format!("{texts:?} on the screen"), || {
            screen = self.screen();
            texts.iter().all(|text| screen.contains(text))
        });
        screen
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn keys_lead_through_a_job() {
    if !need("tmux", "tmux") {
        return;
    }
    for (columns, lines) in [(80, 24), (200, 60)] {
        let mut job = Job::start("lock", 4);
        job.seen("the lock", all_but_the_first_wait(LOCK));
        let terminal = Terminal::open(columns, lines, &job.pid());
        let screen = terminal.shows(
            &mut job,
            &["4 ranks", "RANK", "WAITS FOR", "lock of rank 1 in"],
        );
        assert!(screen.lines().count() <= lines, "{screen}");
        assert_eq!(screen.contains("PUT/S"), columns == 200, "{screen}");
        terminal.press(&["2"]);
        terminal.shows(&mut job, &["\"grid\"", "allocate", "FLAVOUR"]);
        terminal.press(&["Enter"]);
        terminal.shows(
            &mut job,
            &[
                "hints: same_size=true",
                "held by rank 0 exclusively",
                "1 2 3",
            ],
        );
        terminal.press(&["Escape"]);
        terminal.shows(&mut job, &["FLAVOUR"]);
        terminal.press(&["3"]);
        terminal.shows(&mut job, &["ALL B/S"]);
        terminal.press(&["t"]);
        terminal.shows(&mut job, &["ALL B "]);
        terminal.press(&["1", "Down", "Enter"]);
        terminal.shows(
            &mut job,
            &[
                "rank 1: waits",
                "held by rank 0 exclusively",
                "messages sent",
            ],
        );
        terminal.press(&["Escape"]);
        terminal.shows(&mut job, &["WAITS FOR"]);
        terminal.press(&["/", "exclusive lock", "Enter"]);
        let screen = terminal.shows(&mut job, &["only \"exclusive lock\""]);
        assert!(!screen.contains("shared lock"), "{screen}");
        terminal.press(&["f"]);
        terminal.shows(&mut job, &["FROZEN"]);
        terminal.press(&["?"]);
        terminal.shows(&mut job, &["freeze, and go on"]);
        terminal.press(&["Escape"]);
        terminal.shows(&mut job, &["FROZEN", "WAITS FOR"]);
        terminal.press(&["q"]);
        terminal.shows(&mut job, &["status 0"]);
        drop(terminal);
        job.let_go();
    }
}

#[test]
fn the_end_of_a_job_is_shown_and_the_terminal_given_back() {
    if !need("tmux", "tmux") {
        return;
    }
    let mut job = Job::start("barrier", 2);
    job.seen("the barrier", all_but_the_first_wait(BARRIER));
    let terminal = Terminal::open(80, 24, &format!("-delay 0.1 {}", job.pid()));
    terminal.shows(&mut job, &["MPI_Barrier, 1 of 2 there"]);
    // Another size.
    terminal.tmux(&["resize-window", "-x", "120", "-y", "30"]);
    terminal.shows(&mut job, &["MPI_Barrier, 1 of 2 there", "PID"]);
    let mut watcher = Job::start("barrier", 2);
    job.let_go();
    terminal.shows(&mut watcher, &["ENDED", "has ended"]);
    // A signal ends it as a key does.
    let pane = terminal.tmux(&["list-panes", "-F", "#{pane_pid}"]);
    let shell = String::from_utf8_lossy(&pane.stdout).trim().to_string();
    let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children"))
        .expect("the shell is there");
    let top = children
        .split_whitespace()
        .next()
        .expect("it runs")
        .parse()
        .expect("a number");
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(top),
        nix::sys::signal::Signal::SIGTERM,
    )
    .expect("it is there");
    let screen = terminal.shows(&mut watcher, &["status 143"]);
    assert!(!screen.contains("RANK"), "{screen}");
    drop(terminal);
    watcher.let_go();
}
