//! stdin, stdout and stderr of the ranks.

use std::io::Read;
use std::process::Stdio;

use crate::run::{Run, mpiexec, run, run_script, script};
use harness::needs::need;
use harness::scratch::Scratch;

#[test]
fn lines_of_ranks_are_never_mixed() {
    if !need("python3", "python3") {
        return;
    }
    // Each rank writes its lines in pieces, so that the pieces of eight ranks do arrive mixed.
    let text = "import os, sys\nr = os.environ['PMI_RANK']\nfor i in range(300):\n line = (r * (1 + i % 7 * 977) + '.' + str(i) + '\\n').encode()\n for at in range(0, len(line), 700): os.write(1, line[at:at + 700])\n";
    let folder = Scratch::new("launcher");
    let program = folder.write("writer.py", text);
    let outcome = run(&["-n", "8", "python3", &program]).ended(0).quietly();
    let mut next = [0; 8];
    for line in outcome.stdout.lines() {
        let (digits, number) = line
            .split_once('.')
            .unwrap_or_else(|| panic!("not a line of one rank: {line}"));
        let rank = digits[..1].parse::<usize>().unwrap();
        let i = number.parse::<usize>().unwrap();
        assert_eq!(i, next[rank], "lines of rank {rank} come in order");
        assert!(
            digits.len() == 1 + i % 7 * 977
                && digits.bytes().all(|byte| byte == digits.as_bytes()[0]),
            "{line}"
        );
        next[rank] += 1;
    }
    assert_eq!(next, [300; 8]);
}

#[test]
fn lines_of_stdout_and_stderr_in_one_pipe_are_not_mixed() {
    let inner = format!(
        "exec {} -n 4 sh -c \"$S\" 2>&1",
        env!("CARGO_BIN_EXE_mpiexec")
    );
    let mut command = mpiexec(&["-n", "2", "sh", "-c", &inner]);
    let writer = "i=0; while [ $i -lt 200 ]; do printf aaaa; printf bbbb >&2; echo aaaa; echo bbbb >&2; i=$((i+1)); done";
    command.env("S", writer);
    let outcome = Run::start(command).finish().ended(0).quietly();
    assert_eq!(outcome.stdout.lines().count(), 2 * 4 * 400);
    assert!(
        outcome
            .stdout
            .lines()
            .all(|line| line == "aaaaaaaa" || line == "bbbbbbbb"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn ranks_in_front_of_lines() {
    for option in ["-l", "-prepend-rank", "--tag-output"] {
        let outcome = run_script(&[option], 2, "echo a; echo; printf b; echo e >&2").ended(0);
        assert_eq!(
            outcome.lines(),
            ["[0] ", "[0] a", "[0] b", "[1] ", "[1] a", "[1] b"]
        );
        assert!(
            outcome.stderr == "[0] e\n[1] e\n" || outcome.stderr == "[1] e\n[0] e\n",
            "{outcome:?}"
        );
    }
}

#[test]
fn stdout_and_stderr_stay_apart() {
    let outcome = run_script(&[], 3, "echo out; echo err >&2").ended(0);
    assert_eq!(
        (outcome.stdout.as_str(), outcome.stderr.as_str()),
        ("out\nout\nout\n", "err\nerr\nerr\n")
    );
}

#[test]
fn an_incomplete_last_line_comes_out() {
    let outcome = run_script(&[], 3, "printf x").ended(0).quietly();
    assert_eq!(outcome.stdout, "x\nx\nx");
    let outcome = run_script(&[], 1, "printf x").ended(0).quietly();
    assert_eq!(outcome.stdout, "x");
}

#[test]
fn a_line_without_end_needs_no_memory_without_end() {
    // 64 MB without a newline, in a launcher that may have 32 MB of data.
    let text = "if [ $PMI_RANK = 1 ]; then head -c 64000000 /dev/zero | tr '\\0' x; fi";
    let inner = format!(
        "ulimit -d 32000; exec {} -n 2 sh -c \"$S\"",
        env!("CARGO_BIN_EXE_mpiexec")
    );
    let mut command = mpiexec(&["sh", "-c", &inner]);
    command.env("S", text);
    let outcome = Run::start(command).finish().ended(0).quietly();
    assert_eq!(outcome.stdout.len(), 64_000_000);
    assert!(outcome.stdout.bytes().all(|byte| byte == b'x'));
}

#[test]
fn every_byte_arrives() {
    let outcome = run_script(&[], 3, "seq 1 200000").ended(0).quietly();
    let mut count = vec![0; 200_001];
    outcome
        .stdout
        .lines()
        .for_each(|line| count[line.parse::<usize>().unwrap()] += 1);
    assert!(count[1..].iter().all(|count| *count == 3));
}

#[test]
fn a_slow_reader_loses_nothing() {
    let mut command = script(&[], 3, "seq 1 100000");
    let (mut reader, writer) = std::io::pipe().unwrap();
    command.stdout(writer);
    let run = Run::start(command);
    // `command` is gone, and with it the last writing end but the launcher's.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 300_000);
    run.finish().ended(0).quietly();
}

#[test]
fn a_closed_stdout_ends_the_job_quietly() {
    for ranks in [1, 3] {
        let mut command = script(&[], ranks, "exec yes");
        let (reader, writer) = std::io::pipe().unwrap();
        command.stdout(writer);
        let run = Run::start(command);
        drop(reader);
        run.finish().ended(141).quietly();
    }
}

#[test]
fn a_full_disk_is_said() {
    let mut command = script(&[], 2, "echo x; exec sleep 1000");
    command.stdout(
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap(),
    );
    Run::start(command)
        .finish()
        .ended(1)
        .says("No space left on device");
}

#[test]
fn a_closed_stderr_does_no_harm() {
    let mut command = script(&[], 2, "echo e >&2; echo o; echo e >&2; exit 3");
    command.stderr(Stdio::null());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stderr(writer);
    let outcome = Run::start(command).finish().ended(3);
    assert_eq!(outcome.stdout, "o\no\n");
}

#[test]
fn stdin_goes_to_rank_0() {
    let input: Vec<u8> = (0..1_000_000_u32).flat_map(|n| n.to_le_bytes()).collect();
    for ranks in [1, 4] {
        let command = script(
            &[],
            ranks,
            "if [ $PMI_RANK = 0 ]; then exec cat; else wc -c >&2; fi",
        );
        let mut command = command;
        let folder = Scratch::new("launcher");
        command.stdout(std::fs::File::create(folder.file("out")).unwrap());
        let outcome = Run::start_with_input(command, input.clone())
            .finish()
            .ended(0);
        assert_eq!(outcome.stderr, "0\n".repeat(ranks as usize - 1));
        let copy = std::fs::read(folder.file("out")).unwrap();
        assert!(
            copy == input,
            "{ranks} ranks: {} of {} bytes",
            copy.len(),
            input.len()
        );
    }
}

#[test]
fn rank_0_need_not_read_its_input() {
    let command = script(&[], 2, "echo done");
    let outcome = Run::start_with_input(command, vec![b'x'; 10_000_000])
        .finish()
        .ended(0)
        .quietly();
    assert_eq!(outcome.stdout, "done\ndone\n");
}

#[test]
fn input_that_rank_0_does_not_read_stays_for_others() {
    // The loop's own input must not be swallowed by the jobs in it.
    let folder = Scratch::new("launcher");
    let list = folder.write("list", "one\ntwo\nthree\n");
    let mpiexec_path = env!("CARGO_BIN_EXE_mpiexec");
    let text = format!("while read word; do {mpiexec_path} -n 2 echo $word; done < {list}");
    let outcome = run(&["sh", "-c", &text]).ended(0).quietly();
    assert_eq!(outcome.stdout, "one\none\ntwo\ntwo\nthree\nthree\n");
}

#[test]
fn output_to_files() {
    let folder = Scratch::new("launcher");
    let (out, err) = (folder.file("out.%r"), folder.file("all-%g%p.%%"));
    let outcome = run_script(
        &["-outfile-pattern", &out, "-errfile-pattern", &err],
        3,
        "echo o$PMI_RANK; echo e$PMI_RANK >&2",
    );
    let outcome = outcome.ended(0).quietly();
    assert_eq!(outcome.stdout, "");
    for rank in 0..3 {
        assert_eq!(folder.read(&format!("out.{rank}")), format!("o{rank}\n"));
    }
    let all = folder.read("all-00.%");
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort();
    assert_eq!(lines, ["e0", "e1", "e2"]);
    let gone = folder.file("gone/out");
    run_script(&["-outfile-pattern", &gone], 2, "true")
        .ended(1)
        .says("cannot write to");
}

#[test]
fn what_ranks_leave_running_may_finish_its_output() {
    let outcome = run_script(&[], 2, "(sleep 0.1; echo late) & echo early")
        .ended(0)
        .quietly();
    assert_eq!(outcome.lines(), ["early", "early", "late", "late"]);
}

#[test]
fn what_ranks_leave_running_does_not_hold_the_launcher() {
    // Each holds the rank's pipes; `finish` checks that none is left.
    run_script(&[], 2, "sleep 1000 & (setsid sleep 1000 &) ; echo x")
        .ended(0)
        .quietly();
    run_script(&[], 1, "sleep 1000 & (setsid sleep 1000 &) ; echo x")
        .ended(0)
        .quietly();
}
