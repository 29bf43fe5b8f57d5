//! Processes killed at random moments: the job ends, the survivors are told, and nothing is left behind.
//!
//! The programs are those of `c_tests/`; here their processes are killed from outside. A failure names the seed of its random
//! numbers. No test asserts how long something takes; a watchdog ends what hangs.

mod support;

#[path = "launcher/run.rs"]
#[allow(dead_code)]
mod run;

use harness::needs::need;
use harness::scratch::Scratch;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use run::{Outcome, Run, marked, mpiexec};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Far more rounds than fit before the kill.
const ROUNDS: &str = "1000000";

/// A program of `c_tests/jobs/`, compiled by the prefix's mpicc.
fn compile(folder: &Path, name: &str) -> PathBuf {
    let program = folder.join(name);
    let source = support::repository().join(format!("c_tests/jobs/{name}.c"));
    support::run(
        support::command(support::prefix().join("bin/mpicc"))
            .args(["-std=gnu11", "-O1", "-Wall", "-Werror", "-DRMASHM", "-I"])
            .arg(support::repository().join("c_tests"))
            .arg("-o")
            .args([&program, &source]),
    );
    program
}

/// Random numbers (xorshift) from a seed that a failure shows.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let time = SystemTime::UNIX_EPOCH.elapsed().expect("after 1970");
        let random = Random(time.as_nanos() as u64 | 1);
        println!("seed {}", random.0);
        random
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound
    }
}

/// Kills the process of a rank that runs `program`, its MPI program or what has started that, once there is one, unless the
/// job ends before.
#[track_caller]
fn kill_rank(run: &mut Run, program: &Path, rank: u64) {
    let mark = format!("PMI_RANK={rank}");
    let mut victim = None;
    let is_it = |pid: i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| variable == mark.as_bytes())
            && std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program)
    };
    let pids = |run: &Run| {
        run.left()
            .into_iter()
            .map(|(pid, _)| pid)
            .find(|pid| is_it(*pid))
    };
    loop {
        let found = pids(run);
        victim = found.or(victim);
        if let Some(pid) = victim {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            return;
        }
        let ended = run.child.try_wait().expect("a child of ours").is_some();
        if ended {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until no process of the run is left, then for the end of what was started.
#[track_caller]
fn finish(mut run: Run) -> Outcome {
    let watched = Run::start(mpiexec(&["true"]));
    watched.wait_until("the end of all processes", || {
        let _ = run.child.try_wait();
        run.left().is_empty()
    });
    watched.finish().ended(0);
    by_itself(run.finish())
}

/// What became of a job whose processes die: it ended by itself. One that hangs then and is ended has the same status.
#[track_caller]
fn by_itself(outcome: Outcome) -> Outcome {
    let standstill = harness::job::standstill(&outcome.stderr);
    assert!(standstill.is_none(), "{outcome:#?}");
    outcome
}

/// Files in /dev/shm that did not exist before and that no process uses.
fn new_files(before: &[PathBuf]) -> Vec<PathBuf> {
    let is_left = |file: &PathBuf| {
        let name = file.to_string_lossy().into_owned();
        let processes = std::fs::read_dir("/proc")
            .expect("/proc is there")
            .flatten();
        let mut maps =
            processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("maps")).ok());
        !before.contains(file) && !maps.any(|maps| maps.contains(&name)) && file.exists()
    };
    files().into_iter().filter(is_left).collect()
}

/// Files in /dev/shm with names that an MPI library would give them: other programs may be at work.
fn files() -> Vec<PathBuf> {
    let is_ours = |file: &PathBuf| {
        let name = file.to_string_lossy();
        name.contains("rmashm") || name.contains("mpi")
    };
    let folder = std::fs::read_dir("/dev/shm").into_iter().flatten();
    let files = folder.flatten().map(|entry| entry.path());
    files.filter(is_ours).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a name in UTF-8")
}

#[test]
fn a_random_rank_at_a_random_time() {
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let before = files();
    let mut random = Random::new();
    for round in 0..60 {
        let ranks = [2, 3, 4, 6][random.below(4) as usize];
        // Every third job has the error handlers that objects begin with.
        let handler = if round % 3 == 0 { "fatal" } else { "return" };
        let number = ranks.to_string();
        let words = ["-n", &number, text(&program), ROUNDS, handler];
        let mut run = Run::start(mpiexec(&words));
        std::thread::sleep(Duration::from_millis(random.below(120)));
        kill_rank(&mut run, &program, random.below(ranks));
        let outcome = by_itself(run.finish())
            .ended(137)
            .says("was killed by signal 9");
        assert!(
            !outcome.stderr.contains("death_everything.c"),
            "{outcome:#?}"
        );
        let told = outcome.stderr.contains("the job ends");
        assert!(
            handler == "fatal" || !told || outcome.stderr.contains("MPI_Init"),
            "{outcome:#?}"
        );
    }
    assert_eq!(new_files(&before), Vec::<PathBuf>::new());
}

#[test]
fn the_launcher_at_a_random_time() {
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let before = files();
    let mut random = Random::new();
    for _ in 0..30 {
        let run = Run::start(mpiexec(&["-n", "4", text(&program), ROUNDS]));
        std::thread::sleep(Duration::from_millis(random.below(120)));
        run.signal(Signal::SIGKILL);
        finish(run).ended(137);
    }
    assert_eq!(new_files(&before), Vec::<PathBuf>::new());
}

/// A shell that has the program in its `$0`, and stays until it ends.
fn wrapped<'a>(ranks: &'a str, program: &'a Path) -> [&'a str; 7] {
    let shell = "$0 $1; true";
    ["-n", ranks, "sh", "-c", shell, text(program), ROUNDS]
}

#[test]
fn the_launcher_of_wrappers() {
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let mut random = Random::new();
    for _ in 0..10 {
        let run = Run::start(mpiexec(&wrapped("4", &program)));
        std::thread::sleep(Duration::from_millis(random.below(120)));
        run.signal(Signal::SIGKILL);
        finish(run).ended(137);
    }
}

/// What a killed wrapper had started goes with it.
#[test]
fn a_wrapper_at_a_random_time() {
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let shell = Path::new("/bin/sh").canonicalize().expect("a shell");
    let mut random = Random::new();
    for _ in 0..10 {
        let mut run = Run::start(mpiexec(&wrapped("4", &program)));
        std::thread::sleep(Duration::from_millis(random.below(120)));
        kill_rank(&mut run, &shell, random.below(4));
        by_itself(run.finish())
            .ended(137)
            .says("was killed by signal 9");
    }
}

#[test]
fn several_at_once() {
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let mut random = Random::new();
    for _ in 0..10 {
        let mut run = Run::start(mpiexec(&["-n", "5", text(&program), ROUNDS]));
        std::thread::sleep(Duration::from_millis(100 + random.below(60)));
        for victim in [0, 2, 3] {
            kill_rank(&mut run, &program, victim);
        }
        let outcome = by_itself(run.finish()).ended(137);
        assert!(
            !outcome.stderr.contains("death_everything.c"),
            "{outcome:#?}"
        );
    }
}

#[test]
fn inside_the_accumulate_lock() {
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_accumulate");
    let mut held = 0;
    for ms in 1..=40 {
        let words = ["-n", "3", text(&program), &ms.to_string(), "tell"];
        let outcome = by_itself(Run::start(mpiexec(&words)).finish()).ended(137);
        held += outcome.stdout.lines().count();
    }
    // The victim is inside nearly always.
    assert!(held > 0, "no process was ever killed inside the lock");
}

/// The others are told, and no lock on the file is left.
#[test]
fn inside_collective_accesses() {
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_files");
    let file = folder.join("file");
    let before = files();
    let mut random = Random::new();
    for _ in 0..10 {
        let words = ["-n", "4", text(&program), ROUNDS, text(&file)];
        let mut run = Run::start(mpiexec(&words));
        std::thread::sleep(Duration::from_millis(random.below(300)));
        kill_rank(&mut run, &program, random.below(4));
        let outcome = by_itself(run.finish())
            .ended(137)
            .says("was killed by signal 9");
        assert!(!outcome.stderr.contains("death_files.c"), "{outcome:#?}");
    }
    assert_eq!(new_files(&before), Vec::<PathBuf>::new());
}

#[test]
fn one_alone() {
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let mut random = Random::new();
    for _ in 0..10 {
        let run = Run::start(marked(text(&program), &[ROUNDS]));
        std::thread::sleep(Duration::from_millis(random.below(100)));
        run.signal(Signal::SIGKILL);
        by_itself(run.finish()).ended(137).quietly();
    }
}

fn hydra(words: &[&str]) -> Command {
    marked("mpiexec.hydra", words)
}

/// Hydra ends the job itself.
#[test]
fn under_hydra() {
    if !need("mpiexec.hydra", "mpich") {
        return;
    }
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let before = files();
    let mut random = Random::new();
    for _ in 0..10 {
        let mut run = Run::start(hydra(&["-n", "4", text(&program), ROUNDS]));
        std::thread::sleep(Duration::from_millis(random.below(150)));
        kill_rank(&mut run, &program, random.below(4));
        let outcome = finish(run);
        assert_ne!(outcome.status, 0, "{outcome:#?}");
        assert!(
            !outcome.stderr.contains("death_everything.c"),
            "{outcome:#?}"
        );
    }
    assert_eq!(new_files(&before), Vec::<PathBuf>::new());
}

/// Hydra leaves the end to the survivors, who find out by themselves.
#[test]
fn under_hydra_without_its_cleanup() {
    if !need("mpiexec.hydra", "mpich") {
        return;
    }
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let mut random = Random::new();
    for handler in ["return", "return", "return", "return", "fatal", "fatal"] {
        let words = [
            "-disable-auto-cleanup",
            "-n",
            "4",
            text(&program),
            ROUNDS,
            handler,
        ];
        let mut run = Run::start(hydra(&words));
        // Late enough for all to be in MPI: before, rank 0 or Hydra's PMI is what the others wait for.
        std::thread::sleep(Duration::from_millis(400 + random.below(100)));
        kill_rank(&mut run, &program, random.below(4));
        let outcome = finish(run);
        assert_ne!(outcome.status, 0, "{outcome:#?}");
        assert!(
            !outcome.stderr.contains("death_everything.c"),
            "{outcome:#?}"
        );
    }
}

/// Its notice of a death, SIGUSR1, ends no survivor, and reaches the handlers of programs.
#[test]
fn under_hydra_with_its_notice() {
    if !need("mpiexec.hydra", "mpich") {
        return;
    }
    let folder = Scratch::new("dying");
    let program = compile(&folder, "sigusr1");
    let words = ["-disable-auto-cleanup", "-n", "4", text(&program), "death"];
    let outcome = finish(Run::start(hydra(&words)));
    for rank in [0, 2, 3] {
        let line = format!("rank {rank} lives");
        assert!(outcome.stdout.contains(&line), "{outcome:#?}");
    }
}

/// Its proxy is killed, on which nobody but the ranks themselves can act: they go with it, also where a shell stands between.
#[test]
fn hydras_proxy() {
    if !need("mpiexec.hydra", "mpich") {
        return;
    }
    let folder = Scratch::new("dying");
    let program = compile(&folder, "death_everything");
    let mut random = Random::new();
    for _ in 0..4 {
        let direct = ["-n", "4", text(&program), ROUNDS];
        for words in [&direct[..], &wrapped("4", &program)] {
            let run = Run::start(hydra(words));
            // Late enough for all to be in MPI, or nearly so.
            std::thread::sleep(Duration::from_millis(200 + random.below(200)));
            let left = run.left();
            let proxy = left.iter().find(|(_, name)| name == "hydra_pmi_proxy");
            let (pid, _) = proxy.expect("Hydra has a proxy");
            let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
            finish(run);
        }
    }
}
