//! How jobs of ordinary programs end: statuses, deaths, time limits, programs that cannot run.

use crate::run::{Run, mpiexec, run, run_script};
use harness::scratch::Scratch;

#[test]
fn programs_that_are_not_mpi() {
    let outcome = run(&["-n", "4", "echo", "hello"]).ended(0).quietly();
    assert_eq!(outcome.stdout, "hello\n".repeat(4));
}

#[test]
fn the_status_is_the_first_failing_ranks() {
    // Rank 2 fails only when rank 1 has.
    let folder = Scratch::new("launcher");
    let first = folder.file("first");
    let text = format!(
        "case $PMI_RANK in 1) touch {first}; exit 5;; 2) until test -e {first}; do sleep 0.02; done; sleep 0.5; exit 9;; esac"
    );
    run_script(&[], 3, &text)
        .ended(5)
        .says("rank 1 (pid ")
        .says(", sh) exited with status 5");
}

#[test]
fn a_failing_ordinary_program_lets_the_others_finish() {
    let outcome = run_script(
        &[],
        3,
        "if [ $PMI_RANK = 1 ]; then exit 4; fi; sleep 0.5; echo finished",
    )
    .ended(4);
    assert_eq!(outcome.stdout, "finished\nfinished\n");
}

#[test]
fn a_killed_rank_ends_the_job_and_is_named() {
    for (signal, number, words) in [
        ("SEGV", 11, "Segmentation fault"),
        ("KILL", 9, "Killed"),
        ("ABRT", 6, "Aborted"),
    ] {
        let text = format!(
            "ulimit -c 0; if [ $PMI_RANK = 2 ]; then kill -{signal} $$; fi; exec sleep 1000"
        );
        let outcome = run_script(&[], 4, &text).ended(128 + number);
        let outcome = outcome
            .says("rank 2 (pid ")
            .says(&format!(", sh) was killed by signal {number} ({words})"));
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
    }
}

#[test]
fn without_cleanup_the_others_go_on() {
    let text = "if [ $PMI_RANK = 0 ]; then kill -9 $$; fi; sleep 0.5; echo went on";
    let outcome = run_script(&["-disable-auto-cleanup"], 3, text)
        .ended(137)
        .says("rank 0");
    assert_eq!(outcome.stdout, "went on\nwent on\n");
}

#[test]
fn what_ignores_term_is_killed() {
    let folder = Scratch::new("launcher");
    let text = "trap '' TERM; touch there.$PMI_RANK; if [ $PMI_RANK = 0 ]; then until test -e there.1; do sleep 0.02; done; kill -9 $$; fi; while :; do sleep 0.1; done";
    run_script(&["-wdir", &folder.display().to_string()], 2, text)
        .ended(137)
        .says("rank 0");
}

#[test]
fn all_exit_codes() {
    let outcome = run_script(
        &["-print-all-exitcodes"],
        3,
        "sleep 0.$PMI_RANK; exit $PMI_RANK",
    )
    .ended(1);
    let host = nix::unistd::gethostname().unwrap().into_string().unwrap();
    assert_eq!(outcome.stdout, format!("Exit codes: [{host}] 0,1,2\n"));
}

#[test]
fn a_time_limit() {
    for option in [["-timeout", "1"], ["--timeout", "0.3"]] {
        let outcome = run(&[&option[..], &["-n", "2", "sleep", "1000"]].concat()).ended(124);
        outcome.says(&format!("the job has run for {} s", option[1]));
    }
    let mut command = mpiexec(&["-n", "2", "sleep", "1000"]);
    command.env("MPIEXEC_TIMEOUT", "1");
    Run::start(command).finish().ended(124).says("time limit");
    let mut command = mpiexec(&["-timeout", "0", "-n", "2", "sleep", "0.2"]);
    command.env("MPIEXEC_TIMEOUT", "100");
    Run::start(command).finish().ended(0).quietly();
    let mut command = mpiexec(&["true"]);
    command.env("MPIEXEC_TIMEOUT", "");
    Run::start(command).finish().ended(0).quietly();
    let mut command = mpiexec(&["true"]);
    command.env("MPIEXEC_TIMEOUT", "never");
    Run::start(command)
        .finish()
        .ended(2)
        .says("MPIEXEC_TIMEOUT is never");
}

#[test]
fn programs_that_cannot_run() {
    let folder = Scratch::new("launcher");
    let text = folder.write("text", "no program\n");
    let broken = folder.write("broken", "#!/no/such/interpreter\n");
    std::process::Command::new("chmod")
        .args(["+x", &broken])
        .status()
        .unwrap();
    let folder_name = folder.display().to_string();
    for (program, status, words) in [
        ("no-such-program", 127, "was not found in PATH"),
        ("./no-such-program", 127, "was not found"),
        (text.as_str(), 126, "it is not executable"),
        (folder_name.as_str(), 126, "it is a directory"),
        (broken.as_str(), 127, "cannot be run"),
    ] {
        let outcome = run(&["-n", "4", program])
            .ended(status)
            .says(words)
            .says(program);
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
    }
}

#[test]
fn folders_that_were_searched_are_told() {
    let folder = Scratch::new("launcher");
    folder.write("here", "no program\n");
    let start = |program: &str| {
        let mut command = mpiexec(&["-path", "/proc:/sys", "-n", "2", program]);
        command.current_dir(&*folder);
        Run::start(command).finish().ended(127)
    };
    start("no-such-program").says("was found neither in /proc:/sys nor in PATH");
    start("here").says("is neither in /proc:/sys nor in PATH; the one in this folder is ./here");
}

#[test]
fn one_missing_program_starts_none() {
    let folder = Scratch::new("launcher");
    let started = folder.file("started");
    run(&[
        "-n",
        "2",
        "touch",
        &started,
        ":",
        "-n",
        "1",
        "no-such-program",
    ])
    .ended(127);
    assert!(!folder.has("started"));
}

#[test]
fn too_few_open_files() {
    let inner = format!(
        "ulimit -n 100; exec {} -n 200 true",
        env!("CARGO_BIN_EXE_mpiexec")
    );
    run(&["sh", "-c", &inner])
        .ended(1)
        .says("200 ranks need")
        .says("open files");
    // What it says it needs is enough, and not much.
    let few = |limit: &str| {
        let inner = format!(
            "ulimit -n {limit}; exec {} -n 2 true",
            env!("CARGO_BIN_EXE_mpiexec")
        );
        run(&["sh", "-c", &inner])
    };
    let refused = few("10").ended(1).says("2 ranks need").stderr;
    let needed = refused.split_whitespace().nth(4).unwrap();
    assert!(needed.parse::<u32>().unwrap() < 40, "{refused}");
    few(needed).ended(0).quietly();
    // A soft limit is raised, for the launcher alone.
    let inner = format!(
        "ulimit -S -n 100; exec {} -n 200 sh -c 'ulimit -n'",
        env!("CARGO_BIN_EXE_mpiexec")
    );
    let outcome = run(&["sh", "-c", &inner]).ended(0).quietly();
    assert_eq!(outcome.stdout, "100\n".repeat(200));
}
