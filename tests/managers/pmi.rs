//! PMI-1 and PMI-2.

use crate::run::Run;
use crate::server::{Manner, Twist, field, start, start_only};
use crate::{compile, rank, refused};
use harness::scratch::Scratch;
use std::path::Path;

/// The versions that a manager may speak, and the one that is spoken then.
const SPOKEN: [(&[u32], u32); 3] = [(ONE, 1), (TWO, 2), (&[1, 2], 1)];
const ONE: &[u32] = &[1];
const TWO: &[u32] = &[2];

fn machine() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    id.expect("the machine has a name").trim().to_string()
}

#[test]
fn ranks_find_each_other() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    for (versions, spoken) in SPOKEN {
        for ranks in [1, 2, 4] {
            let job = start(ranks, &Manner::honest(versions), || rank(&program, &[]));
            for (number, served) in job.into_iter().enumerate() {
                let (outcome, heard) = served.finish();
                let outcome = outcome.ended(0).quietly();
                assert_eq!(outcome.stdout, format!("rank {number} of {ranks}\n"));
                assert_eq!(field(heard.last().unwrap(), "cmd"), Some("finalize"));
                let is_second = heard.iter().any(|words| words.starts_with("cmd=fullinit;"));
                assert_eq!(is_second, spoken == 2, "{heard:?}");
            }
        }
    }
}

#[test]
fn the_second_is_spoken_first_if_asked_for() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    let asked = || {
        let mut command = rank(&program, &[]);
        command.env("RMASHM_PMI", "2");
        command
    };
    for (versions, _) in SPOKEN {
        for served in start(2, &Manner::honest(versions), asked) {
            let (outcome, heard) = served.finish();
            outcome.ended(0).quietly();
            assert_eq!(heard[0], "cmd=init pmi_version=2 pmi_subversion=0");
        }
    }
}

#[test]
fn a_manager_that_speaks_neither() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    let (outcome, heard) = start_only(0, 1, &Manner::honest(&[3]), rank(&program, &[])).finish();
    refused(outcome, "refuses both PMI-1 and PMI-2");
    assert_eq!(heard.len(), 2, "{heard:?}");
}

#[test]
fn an_abort_is_told() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    for (versions, told) in [
        (ONE, "cmd=abort exitcode=7"),
        (TWO, "cmd=abort;isworld=TRUE;msg=MPI_Abort with status 7;"),
    ] {
        let program = rank(&program, &["abort", "7"]);
        let (outcome, heard) = start_only(0, 1, &Manner::honest(versions), program).finish();
        outcome.ended(7).says("called MPI_Abort");
        assert_eq!(heard.last().unwrap(), told);
    }
}

/// What exits with status 0 says its word; what fails does not.
#[test]
fn an_exit_without_finalize() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    for versions in [ONE, TWO] {
        for status in [0, 3] {
            let program = rank(&program, &["exit", &status.to_string()]);
            let (outcome, heard) = start_only(0, 1, &Manner::honest(versions), program).finish();
            outcome.ended(status).quietly();
            let told = field(heard.last().unwrap(), "cmd") == Some("finalize");
            assert_eq!(told, status == 0, "{heard:?}");
        }
    }
}

#[test]
fn a_rank_ends_with_its_manager() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    for versions in [ONE, TWO] {
        let there = folder.file(&format!("there{}", versions[0]));
        let program = rank(&program, &["wait", &there]);
        let mut served = start_only(0, 1, &Manner::honest(versions), program);
        let there = format!("{there}.0");
        let is_there = || Path::new(&there).exists();
        served.run.wait_until("the rank is in MPI", is_there);
        assert!(served.run.child.try_wait().unwrap().is_none());
        served.hang_up();
        served.finish().0.ended(137).quietly();
    }
}

/// What rank 1 is told of rank 0, and what it says to it.
#[test]
fn a_rank_0_that_cannot_be_reached() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    for versions in [ONE, TWO] {
        for (machine, segment, words) in [
            (
                "elsewhere".into(),
                "",
                "runs on another machine than rank 0",
            ),
            (machine(), "", "cannot fetch the job segment from rank 0"),
            (
                machine(),
                "rmashm-nowhere:0",
                "cannot fetch the job segment from rank 0",
            ),
        ] {
            let is_here = machine != "elsewhere";
            let mut manner = Manner::honest(versions);
            // An empty value is one, too, but none that is told without a letter.
            let segment = if segment.is_empty() { ":" } else { segment };
            manner.known = vec![
                ("rmashm-machine", machine),
                ("rmashm-segment", segment.into()),
            ];
            let (outcome, heard) = start_only(1, 2, &manner, rank(&program, &[])).finish();
            refused(outcome, words);
            let aborted = field(heard.last().unwrap(), "cmd") == Some("abort");
            assert_eq!(aborted, !is_here, "{heard:?}");
        }
    }
}

#[test]
fn a_rank_that_is_none_of_the_job() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    let sentence = "says that this is rank 7, but also that there are 2 ranks";
    let (outcome, _) = start_only(7, 2, &Manner::honest(ONE), rank(&program, &[])).finish();
    refused(outcome, sentence);
    let mut manner = Manner::honest(TWO);
    manner.twist = Some(("fullinit", Twist::Replace("rank=0", "rank=7")));
    let (outcome, _) = start_only(0, 2, &manner, rank(&program, &[])).finish();
    refused(outcome, sentence);
}

/// Every answer that a rank waits for, by version.
const ANSWERS: [(&[u32], &[&str]); 2] = [
    (ONE, &["init", "get_my_kvsname", "put", "barrier_in", "get"]),
    (
        TWO,
        &["fullinit", "job-getid", "kvs-put", "kvs-fence", "kvs-get"],
    ),
];

fn twists(version: u32) -> Vec<Twist> {
    let long = "x".repeat(100_000);
    let mut all: Vec<Vec<u8>> = vec![
        b"\n".into(),
        b"nonsense\n".into(),
        b"cmd=something_else rc=0\n".into(),
        b"cmd=\n".into(),
        vec![0xff, 0xfe, b'\n', b'\n', b'\n', b'\n', b'\n'],
        vec![0; 1000],
        long.clone().into_bytes(),
        (long + "\n").into_bytes(),
    ];
    if version == 2 {
        let packets = [
            "    -1cmd=;",
            "     0",
            "999999cmd=finalize-response;rc=0;",
            "    10;;;;;;;;;;",
            "    10==========",
            "    18cmd=nothing;rc=0;;",
            "     3\u{e9}\u{e9}",
        ];
        all.extend(packets.map(|packet| packet.as_bytes().to_vec()));
    }
    let bytes = all.into_iter().map(Twist::Bytes);
    [Twist::Close, Twist::Half]
        .into_iter()
        .chain(bytes)
        .collect()
}

/// Whatever comes in place of whichever answer, there is an error with a sentence.
#[test]
fn answers_that_make_no_sense() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    for (versions, commands) in ANSWERS {
        for &command in commands {
            for twist in twists(versions[0]) {
                println!("{versions:?} {command} {twist:?}");
                let mut manner = Manner::honest(versions);
                manner.twist = Some((command, twist));
                // Rank 0 gets nothing, and another one puts nothing.
                let number = u32::from(command.ends_with("get"));
                let (outcome, _) = start_only(number, 2, &manner, rank(&program, &[])).finish();
                refused(outcome, "the process manager");
            }
        }
    }
}

/// What a rank is not told is no reason to fail.
#[test]
fn no_number_of_the_program() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    let mut manner = Manner::honest(ONE);
    manner.twist = Some(("get_appnum", Twist::Replace("rc=0", "rc=-1")));
    let (outcome, _) = start_only(0, 1, &manner, rank(&program, &[])).finish();
    outcome.ended(0).quietly();
}

#[test]
fn no_connection() {
    let folder = Scratch::new("managers");
    let program = compile(&folder);
    for (fd, words) in [
        ("x", "not a descriptor"),
        ("", "not a descriptor"),
        ("-1", "was not inherited"),
        ("99", "was not inherited"),
        ("1", "was not inherited"),
    ] {
        let mut command = rank(&program, &[]);
        command.envs([("PMI_FD", fd), ("PMI_RANK", "0"), ("PMI_SIZE", "1")]);
        refused(Run::start(command).finish(), words);
    }
}
