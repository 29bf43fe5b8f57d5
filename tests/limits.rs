//! Jobs where there is little address space, few descriptors or short files: under limits that a shell sets, compiled with
//! sanitizers, of which one takes most addresses for itself, and watched by valgrind.

mod support;

use harness::needs::{missing, need};
use harness::scratch::Scratch;
use std::path::{Path, PathBuf};
use support::{command, prefix, repository, run, run_to_fail};

/// The program, compiled by our mpicc with these flags.
fn build(folder: &Path, flags: &[&str]) -> PathBuf {
    let program = folder.join("program");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc.args(flags);
    mpicc.arg(repository().join("tests/limits/program.c"));
    run(mpicc.arg("-o").arg(&program));
    program
}

/// The limit holds for the launcher and for all ranks.
#[track_caller]
fn under(limit: &str, ranks: u32) {
    let folder = Scratch::new("limits");
    let program = build(&folder, &[]);
    let mut shell = command("bash");
    let (option, value) = limit.split_once(' ').unwrap();
    let script = r#"ulimit "$0" "$1" && shift && exec "$@""#;
    shell.args(["-c", script, option, value]);
    shell.arg(prefix().join("bin/mpiexec"));
    shell.args(["-n", &ranks.to_string()]).arg(program);
    assert_eq!(run(&mut shell), "");
}

#[test]
fn address_space() {
    under("-v 1000000", 8);
    under("-v 1000000", 16);
    under("-v 4000000", 32);
}

#[test]
fn lengths_of_files() {
    under("-f 2000000", 16);
}

/// What comes for no receive, in one piece and in parts, until there is no memory for more: the job ends with a sentence.
#[test]
fn memory_for_messages() {
    let folder = Scratch::new("limits");
    let program = folder.join("unexpected");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc.arg(repository().join("tests/limits/unexpected.c"));
    run(mpicc.arg("-o").arg(&program));
    for bytes in ["600", "30000"] {
        let mut job = command(prefix().join("bin/mpiexec"));
        job.args(["-n", "2"]).arg(&program).arg(bytes);
        let said = run_to_fail(&mut job, 34);
        assert!(
            said.contains("rank 1 of the job cannot go on: no memory for"),
            "{bytes} bytes: {said}"
        );
    }
}

/// Of the ranks alone: the launcher needs some for each of them.
#[test]
fn descriptors() {
    let folder = Scratch::new("limits");
    let program = build(&folder, &[]);
    let mut job = command(prefix().join("bin/mpiexec"));
    job.args(["-n", "4", "bash", "-c", r#"ulimit -n 5 && exec "$0""#]);
    assert_eq!(run(job.arg(program)), "");
}

/// Runs the program compiled with a sanitizer, alone and as a job, where that makes programs that run.
#[track_caller]
fn sanitized(flag: &str, package: &str) {
    let folder = Scratch::new("limits");
    let source = folder.join("nothing.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let nothing = folder.join("nothing");
    let mut compiler = command("cc");
    compiler.args([flag, "-o"]).arg(&nothing);
    let compiled = compiler.arg(&source).output().unwrap().status.success();
    if !compiled || !command(&nothing).output().unwrap().status.success() {
        let sentence = format!("cc {flag} makes no program that runs (Debian: {package})");
        return missing(&sentence);
    }
    let program = build(&folder, &[flag, "-g"]);
    run(&mut command(&program));
    let mut job = command(prefix().join("bin/mpiexec"));
    run(job.args(["-n", "4"]).arg(program));
}

/// There are kernels that place programs where older ones want no program.
#[test]
fn the_thread_sanitizer() {
    sanitized("-fsanitize=thread", "libtsan2");
}

/// At the end it looks for memory that nothing points to, and finds none of ours.
#[test]
fn the_address_sanitizer() {
    sanitized("-fsanitize=address", "libasan8");
}

/// It lets no mapping grow where it is. What it finds wrong ends a rank with status 9.
#[test]
fn valgrind() {
    if !need("valgrind", "valgrind") {
        return;
    }
    let folder = Scratch::new("limits");
    let program = build(&folder, &["-g"]);
    for tool in ["memcheck", "none"] {
        let watched = |mut command: std::process::Command| {
            command.args(["valgrind", "-q", "--error-exitcode=9"]);
            command.arg(format!("--tool={tool}")).arg(&program);
            run(&mut command);
        };
        watched(command("env"));
        for ranks in ["2", "3"] {
            let mut job = command(prefix().join("bin/mpiexec"));
            job.args(["-n", ranks]);
            watched(job);
        }
    }
}

/// A control group of this test's own, whose processes together have the time of one core. It ends with this.
struct OneCore {
    folder: PathBuf,
}

impl OneCore {
    /// `None` where this user may not make one.
    fn new() -> Option<OneCore> {
        let name = format!("rmashm-test-{}", std::process::id());
        let (mounts, unified) = match Path::new("/sys/fs/cgroup/cpu").exists() {
            true => ("/sys/fs/cgroup/cpu", false),
            false => ("/sys/fs/cgroup", true),
        };
        let group = OneCore {
            folder: Path::new(mounts).join(name),
        };
        std::fs::create_dir(&group.folder).ok()?;
        let (file, quota) = match unified {
            true => ("cpu.max", "100000 100000"),
            false => ("cpu.cfs_quota_us", "100000"),
        };
        std::fs::write(group.folder.join(file), quota).ok()?;
        Some(group)
    }
}

impl Drop for OneCore {
    fn drop(&mut self) {
        // The kernel may take a moment to see that the last process has ended.
        for _ in 0..100 {
            if std::fs::remove_dir(&self.folder).is_ok() || !self.folder.exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

/// Two ranks see as many cores as ever, but have the time of one: none of them may spin.
#[test]
fn the_time_of_one_core() {
    let Some(group) = OneCore::new() else {
        eprintln!("skipped: this user may make no control group that limits the time of cores");
        return;
    };
    let folder = Scratch::new("quota");
    let source = folder.join("spin.c");
    let text = r#"
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int level, variable, count, rank;
    unsigned long long spin;
    MPI_T_cvar_handle handle;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_T_cvar_get_index("rmashm_spin_ns", &variable);
    MPI_T_cvar_handle_alloc(variable, NULL, &handle, &count);
    MPI_T_cvar_read(handle, &spin);
    if (rank == 1)
        printf("%llu\n", spin);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
"#;
    std::fs::write(&source, text).unwrap();
    let program = folder.join("spin");
    let mut mpicc = command(prefix().join("bin/mpicc"));
    run(mpicc.arg(&source).arg("-o").arg(&program));
    let mut shell = command("bash");
    shell.args(["-c", r#"echo $$ >"$0/cgroup.procs" && exec "$@""#]);
    shell
        .arg(&group.folder)
        .arg(prefix().join("bin/mpiexec"))
        .args(["-n", "2"])
        .arg(&program);
    assert_eq!(run(&mut shell), "0\n");
}
