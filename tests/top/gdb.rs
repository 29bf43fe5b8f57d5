//! The job from one rank of it in gdb: from the process that gdb has stopped, and from the dump that gdb makes of it.

use super::run::{Outcome, Run, marked};
use super::{Job, LOCK, all_but_the_first_wait, pid, prefix, program, timeless, waits};
use harness::needs::{need, skipped};
use harness::scratch::Scratch;
use serde_json::Value;

/// gdb, which runs these commands with ours among them.
#[track_caller]
fn gdb(words: &[&str], commands: &[&str]) -> Outcome {
    let script = prefix().join("share/rmashm/rmashm-gdb.py");
    let mut gdb = marked("gdb", &["-nx", "-batch", "-x", &script.to_string_lossy()]);
    gdb.args(words).env_remove("DEBUGINFOD_URLS");
    for command in commands {
        gdb.args(["-ex", command]);
    }
    Run::start(gdb).finish()
}

/// The JSON among what gdb prints.
#[track_caller]
fn json(said: &str) -> Value {
    let lines: Vec<&str> = said.lines().collect();
    let begin = lines.iter().position(|line| *line == "{");
    let end = lines.iter().position(|line| *line == "}");
    let (Some(begin), Some(end)) = (begin, end) else {
        panic!("there is no JSON in {said}");
    };
    serde_json::from_str(&lines[begin..=end].join("\n")).expect("it is JSON")
}

/// The job as a rank's process stopped by gdb shows it; then as gdb's dump of that shows it, with the windows and without.
#[test]
fn gdb_shows_the_job_of_a_process_and_of_its_dump() {
    if !need("gdb", "gdb") {
        return;
    }
    let mut job = Job::start("lock", 4);
    let live = job.seen("all to want the lock", all_but_the_first_wait(LOCK));
    let folder = Scratch::new("top-gdb");
    let (small, large) = (folder.file("small"), folder.file("large"));
    let ended = gdb(
        &["-p", &pid(&live, 2)],
        &[
            "rmashm",
            "rmashm json",
            &format!("generate-core-file {small}"),
            "set dump-excluded-mappings on",
            &format!("generate-core-file {large}"),
        ],
    );
    if ended.stderr.contains("ptrace: Operation not permitted") {
        skipped("gdb may not attach to a process (kernel.yama.ptrace_scope)");
        return job.let_go();
    }
    let said = ended.ended(0).stdout;
    assert!(
        said.contains("shared lock of rank 1 in \"grid\", held by rank 0 exclusively"),
        "{said}"
    );
    let stopped = json(&said);
    assert_eq!(stopped["ranks"][2]["state"], "stopped");
    assert_eq!(timeless(&stopped), timeless(&live));
    assert_eq!(stopped["windows"], live["windows"]);

    let program = program().to_string_lossy();
    for (file, has_windows) in [(&small, false), (&large, true)] {
        let said = gdb(&[&program, file], &["rmashm", "rmashm json"])
            .ended(0)
            .stdout;
        let heading = format!(
            "core dump of rank 2, process {} watched: 4 ranks",
            pid(&live, 2)
        );
        assert!(said.contains(&heading), "{said}");
        let dumped = json(&said);
        assert_eq!(dumped["dumped_rank"], 2);
        for rank in 0..4 {
            assert_eq!(pid(&dumped, rank), pid(&live, rank));
            let state = if rank == 0 { "runs" } else { "waits" };
            assert_eq!(dumped["ranks"][rank]["state"], state);
            assert!(dumped["ranks"][rank]["core"].is_u64(), "{said}");
        }
        assert_eq!(dumped["matrix_bytes"], live["matrix_bytes"]);
        match has_windows {
            true => {
                assert_eq!(timeless(&dumped), timeless(&live));
                assert_eq!(dumped["windows"], live["windows"]);
            }
            false => {
                let wait = &waits(&dumped)[3];
                assert!(wait.contains("shared lock of rank 1"), "{wait}");
                assert_eq!(dumped["windows"], Value::Null);
                assert!(
                    said.contains("The dump does not have the windows."),
                    "{said}"
                );
            }
        }
    }
    job.let_go();
}

#[test]
fn gdb_says_what_it_cannot_show() {
    if !need("gdb", "gdb") {
        return;
    }
    let ours = program().to_string_lossy().into_owned();
    for (words, commands, sentence) in [
        (
            &[][..],
            &["rmashm"][..],
            "there is no process and no core dump",
        ),
        (&[], &["rmashm now"], "now is unknown"),
        (
            &[ours.as_str()],
            &["break main", "run", "rmashm"],
            "is of no job",
        ),
    ] {
        gdb(words, commands).says(sentence);
    }
}
