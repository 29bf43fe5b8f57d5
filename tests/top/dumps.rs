//! The job from the core dump that the kernel makes when a rank crashes.

use super::run::{Run, marked};
use super::{
    Job, RECEIVE, all_but_the_first_wait, pid, prefix, program, support, timeless, top, waits,
};
use harness::needs::skipped;
use harness::scratch::Scratch;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use support::run_to_fail;

/// A job of three of which all but rank 0 wait, as it was; and the dump that the kernel made of rank 1, which ended it.
fn crash(folder: &Path, filter: Option<&str>) -> Option<(Value, PathBuf)> {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    if pattern.starts_with(['|', '/']) {
        skipped(
            "the kernel's dumps go elsewhere (kernel.core_pattern): those of crashes are not tested",
        );
        return None;
    }
    let (_, most) = getrlimit(Resource::RLIMIT_CORE).expect("there is a limit");
    if most == 0 {
        skipped("dumps are forbidden (ulimit -Hc): those of crashes are not tested");
        return None;
    }
    let mpiexec = prefix().join("bin/mpiexec");
    let file = folder.join("go").display().to_string();
    let words = ["-n", "3", &program().to_string_lossy(), "receive", &file];
    let mut launcher = marked(&mpiexec.to_string_lossy(), &words);
    launcher.current_dir(folder);
    let dumps = move || Ok(setrlimit(Resource::RLIMIT_CORE, most, most)?);
    // SAFETY: between fork and exec this only makes system calls.
    unsafe { launcher.pre_exec(dumps) };
    let mut job = Job {
        run: Run::start(launcher),
        folder: Scratch::new("top-crash"),
    };
    let live = job.seen("all to wait", all_but_the_first_wait(RECEIVE));
    let process = pid(&live, 1);
    if let Some(filter) = filter {
        fs::write(format!("/proc/{process}/coredump_filter"), filter).expect("it is ours");
    }
    let process = Pid::from_raw(process.parse().expect("a number"));
    kill(process, Signal::SIGSEGV).expect("it is there");
    let ended = job.run.finish();
    assert_ne!(ended.status, 0, "{ended:?}");
    let is_dump = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("core"))
    };
    let files = fs::read_dir(folder).expect("it is there").flatten();
    let dump = files.map(|file| file.path()).find(is_dump);
    Some((
        live,
        dump.unwrap_or_else(|| panic!("there is no dump: {ended:?}")),
    ))
}

#[test]
fn the_dump_of_a_crash_shows_what_all_ranks_waited_for() {
    let folder = Scratch::new("top-crashed");
    let Some((live, dump)) = crash(&folder, None) else {
        return;
    };
    let said = support::run(top().arg("-json").arg("-core").arg(&dump));
    let dumped: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(
        (&dumped["dumped_rank"], &dumped["program"]),
        (&1.into(), &"watched".into())
    );
    assert_eq!(timeless(&dumped), timeless(&live));
    assert!(
        waits(&dumped)[2].starts_with("receiving from rank 0, tag 7 ("),
        "{said}"
    );

    // One that was cut at any place is told or refused.
    let whole = fs::read(&dump).expect("it is ours");
    let mut outcomes = [0, 0];
    for part in 0..40 {
        let cut = folder.file("cut");
        fs::write(&cut, &whole[..whole.len() * part / 40]).expect("there is room");
        let status = top()
            .args(["-core", &cut])
            .output()
            .expect("it runs")
            .status;
        outcomes[usize::try_from(status.code().expect("no signal")).expect("0 or 1")] += 1;
    }
    assert!(outcomes[0] > 0 && outcomes[1] > 0, "{outcomes:?}");
}

#[test]
fn dumps_without_the_table_and_other_files_are_told() {
    let folder = Scratch::new("top-filtered");
    for file in [
        "/proc/self/exe",
        "/dev/null",
        &folder.write("text", "no dump"),
    ] {
        let said = run_to_fail(top().args(["-core", file]), 1);
        assert!(said.contains("is no core dump of a rank"), "{said}");
    }
    let said = run_to_fail(top().args(["-core", &folder.file("nowhere")]), 1);
    assert!(said.contains("cannot be read: No such file"), "{said}");
    let Some((_, dump)) = crash(&folder, Some("0x1")) else {
        return;
    };
    let said = run_to_fail(top().arg("-core").arg(&dump), 1);
    assert!(said.contains("coredump_filter"), "{said}");
}
