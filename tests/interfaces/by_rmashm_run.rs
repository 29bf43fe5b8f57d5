//! `rmashm-run`: programs that another launcher starts, or none.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use harness::needs::need;
use harness::scratch::Scratch;

use super::support::{command, prefix, run, run_to_fail};
use super::{INTERFACES, PROGRAM, compile, other_library, text};

fn rmashm_run() -> Command {
    command(prefix().join("bin/rmashm-run"))
}

/// What a command that ends well writes to stderr.
fn said(command: &mut Command) -> String {
    let output = command.output().expect("it is there");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

fn script(scratch: &Scratch, name: &str, lines: &str) -> String {
    let path = scratch.write(name, lines);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    path
}

#[test]
fn each_program_finds_the_library_of_its_interface() {
    let scratch = Scratch::new("rmashm-run-each");
    for [title, own, soname, file] in INTERFACES {
        let program = compile(&scratch, PROGRAM, soname, &[text(&prefix().join(file))]);
        let alone = command(&program).output().expect("it is there");
        assert!(!alone.status.success(), "{soname} is found without help");
        let printed = run(rmashm_run().arg(&program));
        assert!(printed.contains(own), "{soname}: {printed}");
        let said = said(rmashm_run().arg("-v").arg(&program));
        assert!(
            said.contains(&format!("asks for {title} ({soname})")),
            "{said}"
        );
        assert!(said.contains("LD_LIBRARY_PATH begins with"), "{said}");
        assert!(!said.contains("LD_PRELOAD"), "{said}");
    }
}

#[test]
fn it_runs_under_hydra() {
    if !need("mpiexec.hydra", "mpich") || !need("mpicc.openmpi", "libopenmpi-dev") {
        return;
    }
    let scratch = Scratch::new("rmashm-run-hydra");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/counter.c");
    for compiler in ["mpicc.openmpi", "mpicc.mpich"] {
        let program = scratch.join(compiler);
        let mut compile = command(compiler);
        run(compile
            .arg("-O2")
            .arg("-o")
            .arg(&program)
            .arg(&source)
            .arg("-lm"));
        let mut job = command("mpiexec.hydra");
        job.args(["-n", "3"]).arg(prefix().join("bin/rmashm-run"));
        let printed = run(job.arg("-v").arg(&program).env("MPIEXEC_TIMEOUT", "60"));
        // One job of three ranks, and not three of one: rank 0 alone says something.
        assert_eq!(
            printed.matches("0 wrong").count(),
            1,
            "{compiler}: {printed}"
        );
    }
}

#[test]
fn a_path_in_the_program_leads_nowhere_else() {
    let scratch = Scratch::new("rmashm-run-rpath");
    let other = other_library(&scratch, "libmpi.so.40");
    let folder = other.parent().expect("it is in a folder");
    let folder = format!("-Wl,-rpath,{}", text(folder));
    for (kind, preloads) in [("--enable-new-dtags", false), ("--disable-new-dtags", true)] {
        let kind = format!("-Wl,{kind}");
        let program = compile(
            &scratch,
            PROGRAM,
            "program",
            &[text(&other), &folder, &kind],
        );
        assert_eq!(run(&mut command(&program)), "another library\n");
        let printed = run(rmashm_run().arg(&program));
        assert!(
            printed.contains("interface of Open MPI"),
            "{kind}: {printed}"
        );
        let said = said(rmashm_run().arg("-v").arg(&program));
        assert_eq!(said.contains("LD_PRELOAD begins with"), preloads, "{said}");
        let untouched = rmashm_run().args(["-abi", "none"]).arg(&program).output();
        let printed = untouched.expect("it is there").stdout;
        assert_eq!(String::from_utf8_lossy(&printed), "another library\n");
    }
}

#[test]
fn scripts_start_what_they_start() {
    let scratch = Scratch::new("rmashm-run-script");
    let library = prefix().join("lib/openmpi/libmpi.so.40");
    let program = compile(&scratch, PROGRAM, "program", &[text(&library)]);
    let lines = format!("#!/bin/sh\nexec \"{}\" \"$@\"\n", program.display());
    let script_of_shell = script(&scratch, "script", &lines);
    let printed = run(rmashm_run().arg(&script_of_shell));
    assert!(printed.contains("interface of Open MPI"), "{printed}");
    let said = said(rmashm_run().arg("-v").arg(&script_of_shell));
    assert!(said.contains("a script?"), "{said}");

    if !need("python3", "python3") {
        return;
    }
    let lines = "#!/usr/bin/env python3\nimport ctypes, sys\n\
                 library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else None)\n\
                 text, length = ctypes.create_string_buffer(8192), ctypes.c_int()\n\
                 library.MPI_Get_library_version(text, ctypes.byref(length))\nprint(text.value.decode())\n";
    let python = script(&scratch, "script.py", lines);
    for [_, own, soname, _] in INTERFACES {
        let printed = run(rmashm_run().arg(&python).arg(soname));
        assert!(printed.contains(own), "{soname}: {printed}");
    }
    // With the library loaded first the script need not name any.
    for (name, own) in [("mpich", "of MPICH"), ("openmpi", "of Open MPI")] {
        let printed = run(rmashm_run().args(["-abi", name]).arg(&python));
        assert!(printed.contains(own), "{name}: {printed}");
    }
}

#[test]
fn programs_without_mpi_run_as_ever() {
    assert_eq!(
        run(rmashm_run().args(["printf", "%s,", "a b", ""])),
        "a b,,"
    );
    run_to_fail(rmashm_run().args(["sh", "-c", "exit 7"]), 7);
    let environment = |command: &mut Command| {
        let printed = run(command.env("PMI_RANK", "3").env("LD_LIBRARY_PATH", "/a"));
        let lines = printed.lines().map(str::to_string);
        // The shell's own.
        lines
            .filter(|line| !line.starts_with("_="))
            .collect::<BTreeSet<_>>()
    };
    let without = environment(&mut command("env"));
    let with = environment(rmashm_run().arg("env"));
    let changed: Vec<&String> = with.symmetric_difference(&without).collect();
    let folder = prefix()
        .join("lib/rmashm")
        .canonicalize()
        .expect("it is staged");
    let begins = format!("LD_LIBRARY_PATH={}:", folder.display());
    let is_led = |line: &&String| line.starts_with(&begins) && line.ends_with(":/a");
    assert!(changed.len() == 2 && changed.into_iter().any(|line| is_led(&line)));
    // To be led twice is to be led once.
    assert_eq!(
        environment(rmashm_run().arg(prefix().join("bin/rmashm-run")).arg("env")),
        with
    );
    assert_eq!(
        environment(rmashm_run().args(["-abi", "none", "env"])),
        without
    );
}

#[test]
fn what_cannot_be_run_is_named() {
    let scratch = Scratch::new("rmashm-run-refused");
    let refused = run_to_fail(rmashm_run().arg("no-such-program"), 127);
    assert!(
        refused.contains("'no-such-program' was not found in PATH"),
        "{refused}"
    );
    run_to_fail(rmashm_run().arg("./no/such/program"), 127);
    let refused = run_to_fail(rmashm_run().arg(scratch.write("text", "a text\n")), 126);
    assert!(refused.contains("is not executable"), "{refused}");
    let refused = run_to_fail(
        rmashm_run().arg(script(&scratch, "of-nobody", "#!/no/such\n")),
        126,
    );
    assert!(refused.contains("cannot be run"), "{refused}");
    for wrong in [
        &[][..],
        &["-abi"],
        &["-abi", "lam", "true"],
        &["-n", "4", "true"],
    ] {
        run_to_fail(rmashm_run().args(wrong), 2);
    }
    let old = other_library(&scratch, "libmpi.so.20");
    let program = compile(&scratch, PROGRAM, "program", &[text(&old)]);
    let refused = run_to_fail(rmashm_run().arg(&program), 1);
    assert!(
        refused.contains("Open MPI 2 or 3 (libmpi.so.20)"),
        "{refused}"
    );
    assert!(run(rmashm_run().arg("--help")).contains("-abi NAME"));
    let version = run(rmashm_run().arg("-V"));
    assert_eq!(
        version,
        concat!("rmashm-run (rmashm) ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
