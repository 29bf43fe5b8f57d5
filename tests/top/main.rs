//! `rmashm-top` on real jobs: what it says is compared with what the program (`watched.c`) does; its screen is that of a terminal that
//! tmux keeps, with keys that are sent and lines that are captured.

mod dumps;
mod gdb;
#[path = "../launcher/run.rs"]
#[allow(dead_code)]
mod run;
mod screen;
#[path = "../support/mod.rs"]
mod support;

use harness::needs::skipped;
use harness::scratch::Scratch;
use nix::sys::signal::Signal;
use run::{Run, marked};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use support::{command, prefix, run_to_fail};

/// The program, compiled once.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        // What is static is not dropped: it stays where cargo keeps such files.
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watched");
        let source = support::repository().join("tests/top/watched.c");
        let mut mpicc = command(prefix().join("bin/mpicc"));
        support::run(
            mpicc
                .args(["-O1", "-Wall", "-Werror", "-o"])
                .args([&program, &source]),
        );
        program
    })
}

fn top() -> Command {
    command(prefix().join("bin/rmashm-top"))
}

/// A job that stays as it is until it is let go.
struct Job {
    run: Run,
    folder: Scratch,
}

impl Job {
    fn start(what: &str, ranks: usize) -> Job {
        let folder = Scratch::new(&format!("top-{what}-{ranks}"));
        let mpiexec = prefix().join("bin/mpiexec");
        let (ranks, file) = (ranks.to_string(), folder.file("go"));
        let program = program().to_string_lossy();
        let words = ["-n", &ranks, &program, what, &file];
        let run = Run::start(marked(&mpiexec.to_string_lossy(), &words));
        Job { run, folder }
    }

    fn pid(&self) -> String {
        self.run.child.id().to_string()
    }

    /// What --json says, when it is so; no rates.
    #[track_caller]
    fn seen(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let (pid, mut seen) = (self.pid(), Value::Null);
        self.run.wait_until(what, || {
            let output = top()
                .args(["-json", "-delay", "0", &pid])
                .output()
                .expect("it runs");
            // Before the ranks have come there is nothing to see.
            seen = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
            is(&seen)
        });
        seen
    }

    #[track_caller]
    fn let_go(self) {
        self.folder.write("go", "");
        self.run.finish().ended(0).quietly();
    }
}

/// The first wait of each rank.
fn waits(seen: &Value) -> Vec<String> {
    let ranks = seen["ranks"].as_array().cloned().unwrap_or_default();
    let wait = |rank: &Value| rank["waits"][0].as_str().unwrap_or_default().to_string();
    ranks.iter().map(wait).collect()
}

fn pid(seen: &Value, rank: usize) -> String {
    seen["ranks"][rank]["pid"].to_string()
}

/// The first wait of each rank but 0, without the time. (Rank 0 may not have left the call yet by which the others have got there.)
fn timeless(seen: &Value) -> Vec<String> {
    let waits = waits(seen).into_iter().skip(1);
    let cut = |wait: String| {
        wait.rsplit_once(" (")
            .map_or(String::new(), |cut| cut.0.into())
    };
    waits.map(cut).collect()
}

/// What the ranks of the watched program wait for in its states.
const LOCK: &str = "lock of rank 1 in";
const RECEIVE: &str = "receiving from rank 0, tag 7";
const BARRIER: &str = "MPI_Barrier";

/// Whether all ranks but 0 wait for this: a wait that comes before it, as that of MPI_Init, does not count.
fn all_but_the_first_wait(what: &'static str) -> impl Fn(&Value) -> bool {
    move |seen| {
        let waits = waits(seen);
        waits.len() > 1 && waits[1..].iter().all(|wait| wait.contains(what))
    }
}

#[test]
fn a_lock_is_told_with_its_holder_and_those_that_want_it() {
    let mut job = Job::start("lock", 4);
    let seen = job.seen("all to want the lock", all_but_the_first_wait(LOCK));
    for (rank, kind) in [(1, "shared"), (2, "exclusive"), (3, "shared")] {
        let wait = &waits(&seen)[rank];
        let words = format!("{kind} lock of rank 1 in \"grid\", held by rank 0 exclusively");
        assert!(wait.starts_with(&words), "{wait}");
        assert_eq!(seen["ranks"][rank]["state"], "waits");
    }
    let window = &seen["windows"][0];
    assert_eq!(window["name"], "grid");
    assert_eq!(
        (&window["flavor"], &window["hints"]),
        (&"allocate".into(), &"same_size=true".into())
    );
    for rank in 0..4 {
        let part = &window["parts"][rank];
        assert_eq!(
            (&part["size"], &part["disp_unit"]),
            (&4096.into(), &8.into())
        );
        let holder = if rank == 1 { 0.into() } else { Value::Null };
        assert_eq!(part["exclusive"], holder);
        assert_eq!(part["rank_of_job"], rank);
    }
    let once = support::run(top().args(["-once", "-delay", "0", &job.pid()]));
    assert!(once.contains("held by rank 0 exclusively"), "{once}");
    job.let_go();
}

/// Of what numbers its processes otherwise, ranks are told as the job has them, or both ways.
#[test]
fn ranks_are_those_of_the_job_or_told_twice() {
    let mut job = Job::start("turned", 4);
    let lock = "shared lock of rank 3 in \"turned\", held by rank 0 exclusively";
    let receive = "receiving from rank 3 of its communicator (rank 0 of the job), tag 7 (";
    let seen = job.seen("the lock and the receives", |seen| {
        let waits = waits(seen);
        let receives = |wait: &String| wait.starts_with("receiving from ");
        waits.len() == 4 && waits[1].contains("lock of ") && waits[2..].iter().all(receives)
    });
    let waits = waits(&seen);
    assert!(waits[1].starts_with(lock), "{waits:?}");
    assert!(
        waits[2].starts_with(receive) && waits[3].starts_with(receive),
        "{waits:?}"
    );
    job.let_go();
}

#[test]
fn epochs_are_told() {
    let mut job = Job::start("epochs", 4);
    fn window<'a>(seen: &'a Value, name: &str) -> Option<&'a Value> {
        let windows = seen["windows"].as_array()?;
        windows.iter().find(|window| window["name"] == name)
    }
    // The others can be there before rank 0 has come out of the fence.
    let all_are_there = |seen: &Value| {
        let fenced = window(seen, "fenced");
        all_but_the_first_wait(BARRIER)(seen)
            && fenced.is_some_and(|fenced| fenced["parts"][0]["access_epoch"] == "fenced")
    };
    let seen = job.seen("all to wait in the barrier", all_are_there);
    let epochs = |name: &str| -> Vec<Value> {
        let window = window(&seen, name).expect("it is there");
        let parts = window["parts"].as_array().cloned().unwrap_or_default();
        let parts = parts.into_iter();
        parts.map(|part| part["access_epoch"].clone()).collect()
    };
    let [fenced, put, started] = ["fenced", "in a fence epoch", "started"].map(Value::from);
    assert_eq!(
        epochs("fenced"),
        [fenced.clone(), put, fenced.clone(), fenced]
    );
    assert_eq!(
        epochs("posted"),
        [Value::Null, Value::Null, started, Value::Null]
    );
    let posted = window(&seen, "posted").expect("it is there");
    assert_eq!(posted["parts"][3]["exposed"], true);
    job.let_go();
}

#[test]
fn receives_and_barriers_are_told() {
    let mut job = Job::start("receive", 2);
    let seen = job.seen("the receive", all_but_the_first_wait(RECEIVE));
    assert!(
        waits(&seen)[1].starts_with("receiving from rank 0, tag 7 ("),
        "{seen}"
    );
    assert_eq!(seen["windows"], serde_json::json!([]));
    job.let_go();

    let mut job = Job::start("barrier", 8);
    // Seven may wait in MPI_Init, too, and not all know at once who has come.
    let is_told = |wait: &String| wait.starts_with("MPI_Barrier, 7 of 8 there (");
    let seen = job.seen("the barrier", |seen| {
        waits(seen).iter().filter(|wait| is_told(wait)).count() == 7
    });
    assert_eq!(waits(&seen)[0], "");
    job.let_go();
}

#[test]
fn what_is_moved_is_counted() {
    let mut job = Job::start("move", 3);
    let seen = job.seen("the barrier at the end", all_but_the_first_wait(BARRIER));
    for rank in 0..3 {
        let traffic = &seen["ranks"][rank]["traffic"];
        for (kind, operations, bytes) in
            [("put", 10, 10_000), ("got", 1, 500), ("accumulated", 1, 64)]
        {
            assert_eq!(traffic[kind]["operations"], operations, "{kind}");
            assert_eq!(traffic[kind]["bytes"], bytes, "{kind}");
        }
        assert!(traffic["sent"]["bytes"].as_u64() >= Some(2000), "{traffic}");
        let row = &seen["matrix_bytes"][rank];
        assert!(row[(rank + 1) % 3].as_u64() >= Some(12_564), "{row}");
    }
    let names: Vec<_> = seen["windows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w["name"].clone())
        .collect();
    assert!(names.contains(&"of its own".into()), "{names:?}");
    job.let_go();
}

/// And the list of jobs goes on being told while others come and go.
#[test]
fn a_job_of_256_ranks_is_seen_whole() {
    let mut job = Job::start("barrier", 256);
    let seen = job.seen("all in the barrier", all_but_the_first_wait(BARRIER));
    assert_eq!(seen["ranks"].as_array().map(Vec::len), Some(256));
    assert!(
        waits(&seen)[255].starts_with("MPI_Barrier, "),
        "{}",
        waits(&seen)[255]
    );
    job.let_go();
}

#[test]
fn a_job_that_is_killed_is_over() {
    let mut job = Job::start("barrier", 4);
    job.seen("the barrier", all_but_the_first_wait(BARRIER));
    let pid = job.pid();
    job.run.signal(Signal::SIGKILL);
    job.run.wait_until("its end", || {
        let output = top()
            .args(["-json", "-delay", "0", &pid])
            .output()
            .expect("it runs");
        output.status.code() == Some(1)
    });
    let said = run_to_fail(top().args(["-once", &pid]), 1);
    assert!(said.contains("is of no job"), "{said}");
    // The keeper goes behind the launcher.
    job.run
        .wait_until("the keeper's end", || job.run.left().is_empty());
    job.run.finish();
}

#[test]
fn other_users_see_nothing() {
    if !nix::unistd::geteuid().is_root() {
        return skipped("only root can become another user: what others see is not tested");
    }
    let mut job = Job::start("barrier", 2);
    job.seen("the barrier", all_but_the_first_wait(BARRIER));
    // Where others cannot read, the program is run from a place where they can.
    let folder = Scratch::new("top-others");
    let copy = std::env::temp_dir().join(format!("rmashm-top-{}", std::process::id()));
    std::fs::copy(prefix().join("bin/rmashm-top"), &copy).expect("there is room");
    let nobody = |words: &[&str]| {
        let mut command = command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command
            .arg(&copy)
            .args(words)
            .output()
            .expect("setpriv runs")
    };
    let pid = job.pid();
    let (list, one) = (nobody(&["-json"]), nobody(&["-json", &pid]));
    std::fs::remove_file(&copy).expect("it is there");
    drop(folder);
    let list: Value = serde_json::from_slice(&list.stdout).expect("a list");
    assert_eq!(list["jobs"], serde_json::json!([]));
    assert_eq!(one.status.code(), Some(1));
    job.let_go();
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let said = run_to_fail(&mut top(), 1);
    assert!(
        said.contains("no terminal") && said.contains("-once"),
        "{said}"
    );
    let said = run_to_fail(top().args(["-delay", "never"]), 2);
    assert!(said.contains("-delay is never"), "{said}");
    let said = run_to_fail(top().args(["-once", "1"]), 1);
    assert!(said.contains("process 1 is of no job"), "{said}");
}
