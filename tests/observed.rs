//! `mpiexec -report` and `-trace`: what they say of programs that move known bytes and wait for known ranks.
//!
//! Times are compared with what must have passed at least, never with how long something may take.

mod support;

use std::collections::HashMap;
use std::process::Command;
use std::sync::OnceLock;

use harness::scratch::Scratch;
use serde_json::Value;
use support::{command, prefix, repository, run};

/// What `known.c` sleeps, less than it: sleeps begin before others wait.
const NAP: f64 = 0.25;

/// A program of `tests/observed`, compiled.
fn compile(scratch: &Scratch, name: &str) -> String {
    compile_of("tests/observed", scratch, name)
}

/// The same of another folder.
fn compile_of(folder: &str, scratch: &Scratch, name: &str) -> String {
    let program = scratch.file(name);
    let source = repository().join(folder).join(format!("{name}.c"));
    run(command(prefix().join("bin/mpicc"))
        .args(["-O1", "-o", &program])
        .arg(source));
    program
}

fn mpiexec(options: &[String], program: &[&str]) -> Command {
    let mut command = command(prefix().join("bin/mpiexec"));
    command
        .args(["-timeout", "100"])
        .args(options)
        .args(program);
    command
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// What one job of four ranks left: the report as JSON, and the trace.
fn known() -> &'static (Value, Value) {
    static KNOWN: OnceLock<(Value, Value)> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let scratch = Scratch::new("observed");
        let program = compile(&scratch, "known");
        let (report, trace) = (scratch.file("r.json"), scratch.file("t.json"));
        let report_option = format!("-report={report}");
        run(&mut mpiexec(
            &strings(&[&report_option, "-trace", &trace, "-n", "4"]),
            &[&program],
        ));
        (json(&scratch.read("r.json")), json(&scratch.read("t.json")))
    })
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("it is a number")
}

/// What a rank's calls took is what it was in MPI.
fn calls_add_up(rank: &Value) {
    let calls = rank["calls"].as_object().expect("calls").values();
    let sum: f64 = calls.map(|of| number(&of["time"])).sum();
    let inside = number(&rank["in_mpi"]);
    assert!((sum - inside).abs() < 1e-3 * inside, "{sum} of {inside}");
}

#[test]
fn calls_are_counted_with_their_bytes() {
    let (report, _) = known();
    let of = |rank: usize, call: &str| &report["ranks"][rank]["calls"][call];
    assert_eq!(of(0, "MPI_Send")["calls"], 11);
    assert_eq!(of(0, "MPI_Send")["bytes"], (1 << 20) + 10_000);
    assert_eq!(of(1, "MPI_Recv")["calls"], 1);
    assert_eq!(of(1, "MPI_Recv")["bytes"], 1 << 20);
    assert_eq!(of(1, "MPI_Irecv")["calls"], 10);
    let late = number(&of(1, "MPI_Irecv")["bytes"]) + number(&of(1, "MPI_Waitall")["bytes"]);
    assert_eq!(late, 10_000.0);
    assert_eq!(of(2, "MPI_Put")["calls"], 3);
    assert_eq!(of(2, "MPI_Put")["bytes"], 3 * 4096);
    assert_eq!(of(2, "MPI_Get")["bytes"], 8);
    for rank in 0..4 {
        assert_eq!(of(rank, "MPI_Init")["calls"], 1);
        assert_eq!(of(rank, "MPI_Finalize")["calls"], 1);
        assert_eq!(of(rank, "MPI_Allreduce")["calls"], 1);
        assert_eq!(of(rank, "MPI_Allreduce")["bytes"], 4);
    }
    assert_eq!(report["calls"]["MPI_Barrier"]["calls"], 4);
    assert!(of(3, "MPI_Put").is_null());
}

/// Calls that are brief are not all timed, but all are counted, with their bytes.
#[test]
fn brief_calls_are_counted_each() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "brief");
    for (rounds, threads) in [(20_u64, 1), (5000, 1), (2000, 4)] {
        let report = scratch.file("r.json");
        let options = strings(&[&format!("-report={report}"), "-n", "2"]);
        let numbers = [rounds.to_string(), threads.to_string()];
        run(&mut mpiexec(
            &options,
            &[&program, &numbers[0], &numbers[1]],
        ));
        let report = json(&scratch.read("r.json"));
        let calls = &report["ranks"][0]["calls"];
        let all = rounds * threads;
        let large = rounds.div_ceil(100) * threads;
        let bytes = |call: &str| calls[call]["bytes"].as_u64().expect("a number");
        for (call, times, moved) in [
            ("MPI_Put", all + large, 24 * all + 4096 * large),
            ("MPI_Get", all, 16 * all),
            ("MPI_Accumulate", all, 8 * all),
            ("MPI_Get_accumulate", all, 8 * all),
            ("MPI_Fetch_and_op", all, 8 * all),
            ("MPI_Compare_and_swap", all, 8 * all),
            ("MPI_Rput", all, 8 * all),
            ("MPI_Wait", all, 0),
            ("MPI_Win_flush", all, 0),
        ] {
            assert_eq!(calls[call]["calls"], times, "{call}: {report:#}");
            assert_eq!(bytes(call), moved, "{call}: {report:#}");
            let (time, longest) = (&calls[call]["time"], &calls[call]["longest"]);
            assert!(
                number(time) > 0.0 && number(longest) <= number(time),
                "{call}: {report:#}"
            );
        }
        calls_add_up(&report["ranks"][0]);
    }
}

/// What a partitioned message is made of moves when it is ready, and nothing when the request is made; nothing moves to MPI_PROC_NULL; a message
/// to oneself counts at both its ends.
#[test]
fn only_what_moves_is_counted() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "moves");
    let report = scratch.file("r.json");
    let options = strings(&[&format!("-report={report}"), "-n", "2"]);
    run(&mut mpiexec(&options, &[&program]));
    let report = json(&scratch.read("r.json"));
    let bytes = |rank: usize| -> HashMap<String, u64> {
        let calls = report["ranks"][rank]["calls"].as_object().expect("calls");
        let bytes = calls
            .iter()
            .map(|(call, of)| (call.clone(), of["bytes"].as_u64().expect("a number")));
        bytes.filter(|(_, bytes)| *bytes != 0).collect()
    };
    let wanted = |calls: &[(&str, u64)]| -> HashMap<String, u64> {
        let calls = calls.iter();
        calls
            .map(|(call, bytes)| (call.to_string(), *bytes))
            .collect()
    };
    assert_eq!(
        bytes(0),
        wanted(&[("MPI_Pready", 4 * 5 * 4), ("MPI_Send", 2 * 64)]),
        "{report:#}"
    );
    let received: u64 = bytes(1).values().sum();
    assert_eq!(received, 4 * 5 * 4, "{report:#}");
}

/// Where most calls of a function are brief, those that are not are timed all the same.
#[test]
fn calls_that_wait_among_brief_ones_are_timed() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "mixed");
    let report = scratch.file("r.json");
    let options = strings(&[&format!("-report={report}"), "-n", "2"]);
    run(&mut mpiexec(&options, &[&program]));
    let report = json(&scratch.read("r.json"));
    let calls = &report["ranks"][1]["calls"];
    for (call, times, moved) in [
        ("MPI_Recv", 1000, 8000),
        ("MPI_Comm_size", 3000, 0),
        ("MPI_Iprobe", 3000, 0),
        ("MPI_Sendrecv", 100, 200 << 16),
    ] {
        assert_eq!(calls[call]["calls"], times, "{call}: {report:#}");
        assert_eq!(calls[call]["bytes"], moved, "{call}: {report:#}");
    }
    // Ten naps of 20 ms, each of which begins when rank 1 has little else to do than to wait.
    let (waiting, time) = (&calls["MPI_Recv"]["waiting"], &calls["MPI_Recv"]["time"]);
    assert!(number(waiting) >= 0.1, "{report:#}");
    assert!(number(time) >= number(waiting), "{report:#}");
    calls_add_up(&report["ranks"][1]);
}

/// Where calls are checked, too, none is brief.
#[test]
fn what_is_checked_is_checked_in_a_report() {
    let scratch = Scratch::new("observed");
    let program = compile_of("tests/checked/programs", &scratch, "races");
    let report = format!("-report={}", scratch.file("r.json"));
    for (variant, status) in [("put_put", Some(56)), ("put_barrier_put", Some(0))] {
        let options = strings(&["-check", &report, "-n", "3"]);
        let ended = mpiexec(&options, &[&program, variant]).output().unwrap();
        assert_eq!(ended.status.code(), status, "{variant}: {ended:?}");
    }
}

/// Of a rank that dies in one, the call is known.
#[test]
fn who_dies_in_a_brief_call_was_in_it() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "brief");
    // After different numbers, some of which are timed and some are not.
    for rounds in ["1", "90", "91", "92", "93", "94", "95", "96"] {
        let report = scratch.file("r.json");
        let options = strings(&[&format!("-report={report}"), "-n", "2"]);
        let ended = mpiexec(&options, &[&program, rounds, "1", "end"])
            .output()
            .unwrap();
        assert!(!ended.status.success(), "{ended:?}");
        let report = json(&scratch.read("r.json"));
        let rank = &report["ranks"][0];
        assert_eq!(rank["ended_in"]["call"], "MPI_Put", "{report:#}");
        assert!(
            number(&rank["ended_in"]["for"]) <= number(&rank["total"]),
            "{report:#}"
        );
    }
}

#[test]
fn waits_are_told_with_whom_they_were_for() {
    let (report, _) = known();
    let waited = |rank: usize, whom: usize| number(&report["ranks"][rank]["waiting_for"][whom]);
    // A message of rank 0; a lock that rank 3 held.
    assert!(waited(1, 0) >= NAP, "{report:#}");
    assert!(waited(2, 3) >= NAP, "{report:#}");
    // All wait for rank 3 in the reduction: in which step, and so for whom, is the algorithm's business.
    for rank in 0..3 {
        let call = &report["ranks"][rank]["calls"]["MPI_Allreduce"];
        assert!(number(&call["waiting"]) >= NAP, "{report:#}");
        assert!(number(&call["time"]) >= number(&call["waiting"]));
    }
    for rank in report["ranks"].as_array().expect("ranks") {
        let (total, inside) = (number(&rank["total"]), number(&rank["in_mpi"]));
        let waiting = number(&rank["waiting"]);
        assert!(total >= inside && inside >= waiting, "{rank:#}");
        let whom = rank["waiting_for"].as_array().expect("ranks").iter();
        let sum = whom.map(number).sum::<f64>() + number(&rank["waiting_for_several"]);
        assert!((sum - waiting).abs() < 1e-6, "{rank:#}");
        let calls = rank["calls"].as_object().expect("calls").values();
        let sum = calls.map(|call| number(&call["time"])).sum::<f64>();
        assert!((sum - inside).abs() < 1e-6, "{rank:#}");
    }
    // Rank 3 sleeps twice outside MPI.
    let rank = &report["ranks"][3];
    assert!(number(&rank["total"]) - number(&rank["in_mpi"]) >= 2.0 * NAP);
}

#[test]
fn the_matrix_has_the_bytes() {
    let (report, _) = known();
    let moved = |from: usize, to: usize| report["moved"][from][to].as_u64().expect("bytes");
    assert!(moved(0, 1) >= (1 << 20) + 10_000);
    assert_eq!(moved(2, 3), 3 * 4096);
    // What rank 2 has got.
    assert!(moved(1, 2) >= 8);
}

/// The events of each flow.
type Flows<'a> = HashMap<(String, u64), Vec<&'a Value>>;

/// The slices of each track, and the ends of flows by their numbers.
fn check_rules(trace: &Value) -> (Vec<&Value>, Flows<'_>) {
    let events = trace["traceEvents"].as_array().expect("events");
    let (mut last, mut slices, mut flows) = (0.0, Vec::new(), HashMap::new());
    let mut open: HashMap<(u64, u64), Vec<f64>> = HashMap::new();
    let mut named = Vec::new();
    for event in events {
        let place = (
            event["pid"].as_u64().unwrap(),
            event["tid"].as_u64().unwrap(),
        );
        if event["ph"] == "M" {
            named.push(place.0);
            continue;
        }
        assert!(named.contains(&place.0), "{event}");
        let time = number(&event["ts"]);
        assert!(time >= last, "events are sorted: {event}");
        last = time;
        let open = open.entry(place).or_default();
        // Nanoseconds are exact in decimals, not in binary fractions.
        open.retain(|end| *end > time - 1e-4);
        match event["ph"].as_str().expect("a kind") {
            "X" => {
                let end = time + number(&event["dur"]);
                if let Some(around) = open.iter().rfind(|around| **around > time + 1e-4) {
                    assert!(end <= around + 1e-4, "slices are nested: {event}");
                }
                open.push(end);
                slices.push(event);
            }
            "s" | "f" => {
                assert!(
                    !open.is_empty(),
                    "a flow begins and ends in a slice: {event}"
                );
                let name = event["name"].as_str().unwrap().to_string();
                let key = (name, event["id"].as_u64().unwrap());
                flows.entry(key).or_insert_with(Vec::new).push(event);
            }
            other => panic!("an event of kind {other}"),
        }
    }
    for (key, ends) in &flows {
        let kinds: Vec<&str> = ends.iter().map(|end| end["ph"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["s", "f"], "{key:?}");
    }
    (slices, flows)
}

#[test]
fn a_trace_keeps_the_rules_of_the_format() {
    let (_, trace) = known();
    let (slices, flows) = check_rules(trace);
    let of = |rank: u64, name: &str| {
        let found = slices
            .iter()
            .filter(|s| s["pid"] == rank + 1 && s["name"] == name);
        found.count()
    };
    assert_eq!(of(0, "MPI_Send"), 11);
    assert_eq!(of(1, "MPI_Recv"), 1);
    assert_eq!(of(2, "MPI_Put"), 3);
    for rank in 0..4 {
        assert_eq!((of(rank, "MPI_Init"), of(rank, "MPI_Finalize")), (1, 1));
    }
    let between = |name: &str, from: u64, to: u64| {
        let ends = flows.iter().filter(|((flow, _), _)| flow == name);
        let found = ends.filter(|(_, e)| e[0]["pid"] == from + 1 && e[1]["pid"] == to + 1);
        found.count()
    };
    assert!(between("message", 0, 1) >= 11);
    assert!(between("lock", 3, 2) >= 1, "{flows:#?}");
    assert_eq!(trace["otherData"]["lost_events"], 0);
    // Rank 1 may have waited for it a moment before, too.
    let mut waits = slices
        .iter()
        .filter(|slice| slice["name"] == "wait" && slice["pid"] == 2 && slice["args"]["for"] == 0);
    assert!(waits.any(|wait| number(&wait["dur"]) >= NAP * 1e6));
}

#[test]
fn what_a_killed_rank_did_is_there() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "known");
    let (report, trace) = (scratch.file("r.json"), scratch.file("t.json"));
    let report_option = format!("-report={report}");
    let options = strings(&[&report_option, "-trace", &trace, "-n", "4"]);
    let ended = mpiexec(&options, &[&program, "9"]).output().unwrap();
    assert_eq!(ended.status.code(), Some(137), "{ended:?}");
    let (report, trace) = (json(&scratch.read("r.json")), json(&scratch.read("t.json")));
    assert_eq!(report["ranks"][2]["calls"]["MPI_Put"]["calls"], 3);
    let ended = &report["ranks"][0]["ended_in"];
    assert_eq!(ended["call"], "MPI_Recv", "{report:#}");
    assert!(number(&ended["for"]) >= NAP, "{report:#}");
    assert!(number(&ended["waiting"]) >= NAP, "{report:#}");
    assert_eq!(ended["waiting_for"], 2, "{report:#}");
    check_rules(&trace);
}

#[test]
fn a_trace_keeps_to_its_size() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "many");
    let trace = scratch.file("t.json");
    let options = strings(&["-trace", &trace, "-trace-size", "1", "-n", "2"]);
    let ended = mpiexec(&options, &[&program, "20000"]).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("events found no room in the trace"), "{said}");
    let text = scratch.read("t.json");
    assert!(text.len() <= 1 << 20, "{} bytes", text.len());
    let trace = json(&text);
    let (slices, flows) = check_rules(&trace);
    assert!(slices.len() > 1000 && flows.len() > 1000);
    let lost = trace["otherData"]["lost_events"]
        .as_u64()
        .expect("a number");
    assert!(lost > 0, "{lost}");
}

/// The wait ends before the copy begins, and another one follows it.
#[test]
fn who_copies_does_not_wait() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "large");
    let trace = scratch.file("t.json");
    run(&mut mpiexec(
        &strings(&["-trace", &trace, "-n", "2"]),
        &[&program],
    ));
    let trace = json(&scratch.read("t.json"));
    let (slices, _) = check_rules(&trace);
    let of_receiver = |name: &str| {
        let slices = slices.iter();
        slices
            .filter(|slice| slice["pid"] == 2 && slice["name"] == name)
            .map(|slice| (number(&slice["ts"]), number(&slice["dur"])))
            .collect::<Vec<_>>()
    };
    let receive = of_receiver("MPI_Recv")[0];
    let waits = of_receiver("wait").into_iter();
    let waits: Vec<_> = waits
        .filter(|wait| wait.0 >= receive.0 && wait.0 <= receive.0 + receive.1)
        .collect();
    assert!(waits.len() >= 2, "{waits:?} in {receive:?}");
    assert!(waits[0].1 >= NAP * 1e6, "{waits:?}");
}

#[test]
fn threads_have_tracks_of_their_own() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "many");
    let (report, trace) = (scratch.file("r.json"), scratch.file("t.json.gz"));
    let report_option = format!("-report={report}");
    let options = strings(&[&report_option, "-trace", &trace, "-n", "2"]);
    run(&mut mpiexec(&options, &[&program, "500", "4"]));
    let report = json(&scratch.read("r.json"));
    for rank in 0..2 {
        let calls = &report["ranks"][rank]["calls"]["MPI_Sendrecv"];
        assert_eq!(calls["calls"], 4 * 500);
        // Both ways, 8 bytes.
        assert_eq!(calls["bytes"], 4 * 500 * 16);
    }
    let text = run(command("gzip").args(["-dc", &trace]));
    let trace = json(&text);
    let (slices, _) = check_rules(&trace);
    let exchanges = slices
        .iter()
        .filter(|slice| slice["name"] == "MPI_Sendrecv");
    let mut tracks: Vec<_> = exchanges.map(|slice| slice["tid"].as_u64()).collect();
    tracks.sort();
    tracks.dedup();
    assert_eq!(tracks.len(), 8);
}

#[test]
fn all_forms_are_written() {
    let scratch = Scratch::new("observed");
    let program = compile(&scratch, "many");
    let (page, picture) = (scratch.file("r.html"), scratch.file("r.svg"));
    let mut options = strings(&["-report", "-n", "20"]);
    options.extend([format!("-report={page}"), format!("-report={picture}")]);
    let ended = mpiexec(&options, &[&program, "3"]).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(text.contains("what 20 of 20 ranks did in MPI"), "{text}");
    assert!(text.contains("MPI_Sendrecv"), "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let (page, picture) = (scratch.read("r.html"), scratch.read("r.svg"));
    assert!(page.contains("<svg") && page.contains("MPI_Sendrecv") && page.ends_with("</html>\n"));
    assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
    // Each rank has moved to itself and its neighbours: to 20 ranks at least.
    assert!(picture.matches("<title>").count() >= 20);
}

#[test]
fn one_file_is_not_for_two_things() {
    let scratch = Scratch::new("observed-twice");
    let file = scratch.file("one.json");
    let options = [format!("-report={file}"), "-trace".into(), file];
    let ended = mpiexec(&options, &["echo", "started"]).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("wants a file of its own"), "{said}");
    assert!(!ended.status.success() && ended.stdout.is_empty());
}

#[test]
fn what_cannot_be_written_is_said_before_the_job() {
    for (options, sentence) in [
        (vec!["-report=report.pdf"], ".txt, .json, .html or .svg"),
        (
            vec!["-report=/nowhere/r.json"],
            "cannot write to /nowhere/r.json",
        ),
        (
            vec!["-trace", "/nowhere/t.json"],
            "cannot write to /nowhere/t.json",
        ),
        (vec!["-trace-size", "0"], "not a number of MiB"),
        (vec!["-report", "report.json"], "-report=report.json"),
    ] {
        let ended = mpiexec(&strings(&options), &["echo", "started"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && said.contains(sentence), "{said}");
        assert!(ended.stdout.is_empty());
    }
}

#[test]
fn what_was_not_written_fails_the_launcher() {
    let scratch = Scratch::new("observed-full");
    let program = compile(&scratch, "known");
    let file = scratch.file("full.json");
    std::os::unix::fs::symlink("/dev/full", &file).unwrap();
    for option in [
        vec![format!("-report={file}")],
        vec!["-trace".into(), file.clone()],
    ] {
        let options = [option, strings(&["-n", "4"])].concat();
        let ended = mpiexec(&options, &[&program]).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(
            said.contains("cannot write to") && said.contains("full.json"),
            "{said}"
        );
        assert_eq!(ended.status.code(), Some(1), "{said}");
    }
}
