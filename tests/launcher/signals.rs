//! Signals to the launcher, and its own death.

use crate::run::{Run, mpiexec, script};
use harness::scratch::Scratch;
use nix::sys::signal::Signal;

/// A job whose ranks say in a folder that they are there; waits until all are.
fn job(folder: &Scratch, options: &[&str], ranks: u32, text: &str) -> Run {
    let mut command = script(options, ranks, text);
    command.current_dir(&**folder);
    let run = Run::start(command);
    run.wait_until("the ranks to be there", || {
        (0..ranks).all(|rank| folder.has(&format!("there.{rank}")))
    });
    run
}

#[test]
fn signals_are_passed_on_to_all_ranks() {
    for signal in [
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
        Signal::SIGUSR1,
        Signal::SIGUSR2,
    ] {
        let name = &signal.as_str()["SIG".len()..];
        let folder = Scratch::new("launcher");
        let text = format!(
            "trap 'echo got {name} $PMI_RANK; exit 0' {name}; touch there.$PMI_RANK; while :; do sleep 0.02; done"
        );
        let run = job(&folder, &[], 3, &text);
        run.signal(signal);
        let outcome = run.finish().ended(0);
        assert_eq!(
            outcome.lines(),
            [0, 1, 2].map(|rank| format!("got {name} {rank}")),
            "{name}"
        );
    }
}

#[test]
fn an_interrupted_job_has_the_signals_status() {
    for (signal, status) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let folder = Scratch::new("launcher");
        let run = job(&folder, &[], 3, "touch there.$PMI_RANK; exec sleep 1000");
        run.signal(signal);
        run.finish()
            .ended(status)
            .says(&format!("signal {} (", signal as i32));
    }
}

#[test]
fn ranks_under_wrappers_are_reached() {
    let folder = Scratch::new("launcher");
    let run = job(
        &folder,
        &[],
        2,
        "sh -c 'touch there.$PMI_RANK; sleep 1000; true'; true",
    );
    run.signal(Signal::SIGTERM);
    run.finish().ended(143);
}

#[test]
fn what_ignores_the_signal_is_killed_after_a_grace() {
    let folder = Scratch::new("launcher");
    let run = job(
        &folder,
        &[],
        2,
        "trap '' INT TERM; touch there.$PMI_RANK; while :; do sleep 0.1; done",
    );
    run.signal(Signal::SIGTERM);
    run.finish().ended(143);
}

#[test]
fn a_second_interrupt_kills() {
    let folder = Scratch::new("launcher");
    let text =
        "trap 'touch got.$PMI_RANK' INT; touch there.$PMI_RANK; while :; do sleep 0.02; done";
    let run = job(&folder, &[], 2, text);
    run.signal(Signal::SIGINT);
    run.wait_until("both ranks to have the first", || {
        folder.has("got.0") && folder.has("got.1")
    });
    run.signal(Signal::SIGINT);
    run.finish().ended(130);
}

#[test]
fn stopped_ranks_end_too() {
    let folder = Scratch::new("launcher");
    let run = job(
        &folder,
        &[],
        2,
        "touch there.$PMI_RANK; kill -STOP $$; sleep 1000",
    );
    let stopped = |pid: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains(") T ")
    };
    let ranks = run.ranks();
    run.wait_until("the ranks to stop", || {
        ranks.iter().filter(|(pid, _)| stopped(*pid)).count() == 2
    });
    run.signal(Signal::SIGTERM);
    run.finish().ended(143);
}

#[test]
fn killing_the_launcher_leaves_no_rank() {
    for text in [
        "exec sleep 1000",
        "sleep 1000; true",
        "setsid sleep 1000 & sleep 1000; true",
        "trap '' INT TERM HUP; sleep 1000; true",
    ] {
        let folder = Scratch::new("launcher");
        let mut run = job(&folder, &[], 4, &format!("touch there.$PMI_RANK; {text}"));
        // A process that becomes another program has no environment for a moment.
        run.wait_until("four ranks", || run.ranks().len() >= 4);
        run.signal(Signal::SIGKILL);
        run.child.wait().unwrap();
        let watcher = Run::start(mpiexec(&["true"]));
        watcher.wait_until("all processes of the job to be gone", || {
            run.left().is_empty()
        });
        watcher.finish().ended(0);
        run.finish().ended(137);
    }
}

#[test]
fn the_keeper_is_not_taken_for_the_launcher() {
    let folder = Scratch::new("launcher");
    let run = job(&folder, &[], 2, "touch there.$PMI_RANK; exec sleep 1000");
    let launcher = run.child.id().to_string();
    let is_keeper = |pid: &str| {
        let read =
            |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let parent = read("stat")
            .rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.split(' ').nth(1) == Some(&launcher));
        parent && read("cmdline").trim_end_matches('\0') == "rmashm-keeper"
    };
    let pids = || {
        std::fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
    };
    run.wait_until("a keeper with a command line of its own", || {
        pids().any(|pid| is_keeper(&pid.to_string_lossy()))
    });
    run.signal(Signal::SIGTERM);
    run.finish().ended(143);
}

#[test]
fn killing_the_launcher_while_it_starts_ranks_leaves_none() {
    for round in 0..20 {
        let mut run = Run::start(script(&[], 64, "sleep 1000; true"));
        std::thread::sleep(std::time::Duration::from_millis(round));
        run.signal(Signal::SIGKILL);
        run.child.wait().unwrap();
        let watcher = Run::start(mpiexec(&["true"]));
        watcher.wait_until("all processes of the job to be gone", || {
            run.left().is_empty()
        });
        watcher.finish().ended(0);
        run.finish().ended(137);
    }
}

#[test]
fn a_hangup_under_nohup_is_nobodys_business() {
    let folder = Scratch::new("launcher");
    let inner = format!(
        "trap '' HUP; exec {} -n 2 sh -c 'touch there.$PMI_RANK; until test -e go; do sleep 0.02; done; echo fine'",
        env!("CARGO_BIN_EXE_mpiexec")
    );
    let mut command = std::process::Command::new("sh");
    let template = mpiexec(&["true"]);
    command
        .args(["-c", &inner])
        .current_dir(&*folder)
        .stdout(std::process::Stdio::piped());
    command.envs(
        template
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let run = Run::start(command);
    run.wait_until("the ranks to be there", || {
        folder.has("there.0") && folder.has("there.1")
    });
    run.signal(Signal::SIGHUP);
    folder.write("go", "");
    let outcome = run.finish().ended(0);
    assert_eq!(outcome.stdout, "fine\nfine\n");
}
