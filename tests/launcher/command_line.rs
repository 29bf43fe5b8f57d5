//! Options, parts, configuration files, hosts; and what is refused.

use std::process::Command;

use crate::run::{Run, mpiexec, run, run_script, script};
use harness::scratch::Scratch;

const WHO: &str = "echo $RMASHM_APPNUM.$RMASHM_RANK/$RMASHM_SIZE $PMI_RANK/$PMI_SIZE $MPI_LOCALRANKID/$MPI_LOCALNRANKS";

#[test]
fn one_rank_is_the_default() {
    let outcome = run(&["sh", "-c", WHO]).ended(0).quietly();
    assert_eq!(outcome.stdout, "0.0/1 0/1 0/1\n");
}

#[test]
fn every_form_of_n() {
    for form in [
        &["-n", "3"][..],
        &["-np", "3"],
        &["--np", "3"],
        &["--n=3"],
        &["-np=3"],
        &["-c", "3"],
    ] {
        let outcome = run(&[form, &["sh", "-c", WHO]].concat()).ended(0).quietly();
        assert_eq!(
            outcome.lines(),
            ["0.0/3 0/3 0/3", "0.1/3 1/3 1/3", "0.2/3 2/3 2/3"],
            "{form:?}"
        );
    }
}

#[test]
fn a_thousand_ranks() {
    let outcome = run(&["-n", "1024", "sh", "-c", "echo $RMASHM_RANK"])
        .ended(0)
        .quietly();
    let mut ranks: Vec<u32> = outcome
        .stdout
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    ranks.sort();
    assert_eq!(ranks, (0..1024).collect::<Vec<_>>());
}

#[test]
fn parts_are_numbered_and_have_their_own_options() {
    let arguments = [
        "-genv",
        "G",
        "g",
        "-n",
        "1",
        "-env",
        "L",
        "a",
        "sh",
        "-c",
        "echo $RMASHM_APPNUM $PMI_RANK/$PMI_SIZE $G$L",
        ":",
        "-n",
        "2",
        "-env",
        "G=x",
        "sh",
        "-c",
        "echo $RMASHM_APPNUM $PMI_RANK/$PMI_SIZE $G$L",
    ];
    let outcome = run(&arguments).ended(0).quietly();
    assert_eq!(outcome.lines(), ["0 0/3 ga", "1 1/3 x", "1 2/3 x"]);
}

#[test]
fn environment_options() {
    let show = "echo \"${A-none} ${B-none} ${C-none}\"";
    for (options, expected) in [
        (&[][..], "a b none"),
        (&["-genvall"], "a b none"),
        (&["-genvnone"], "none none none"),
        (&["-genvlist", "A"], "a none none"),
        (&["-genvlist", "A,B"], "a b none"),
        (&["-envlist", "B"], "none b none"),
        (&["-envnone", "-env", "C", "c"], "none none c"),
        (&["-genvnone", "-envall"], "a b none"),
        (&["-genv", "C", "c d", "-env", "A", ""], " b c d"),
        (&["-genv", "C=1", "-env", "C=2"], "a b 2"),
        (&["-genvnone", "-x", "A", "-x", "C=3"], "a none 3"),
    ] {
        let mut command = mpiexec(&[options, &["/bin/sh", "-c", show]].concat());
        command.env("A", "a").env("B", "b").env_remove("C");
        let outcome = Run::start(command).finish().ended(0).quietly();
        assert_eq!(outcome.stdout, format!("{expected}\n"), "{options:?}");
    }
}

#[test]
fn other_launchers_variables_do_not_reach_the_ranks() {
    let mut command = mpiexec(&["-n", "2", "env"]);
    let foreign = [
        "PMI_FD",
        "PMI_PORT",
        "PMI_ID",
        "HYDI_CONTROL_FD",
        "PMIX_RANK",
        "OMPI_COMM_WORLD_RANK",
        "SLURM_PROCID",
    ];
    command.envs(foreign.map(|name| (name, "7")));
    let outcome = Run::start(command).finish().ended(0).quietly();
    for name in foreign {
        assert!(!outcome.stdout.contains(&format!("{name}=")), "{name}");
    }
    assert!(outcome.stdout.contains("PMI_SIZE=2\n"));
}

#[test]
fn the_working_directory() {
    let folder = Scratch::new("launcher");
    let place = folder.canonicalize().unwrap().display().to_string();
    for option in ["-wdir", "--wdir", "-wd"] {
        let outcome = run(&[option, &place, "-n", "2", "pwd", ":", "pwd"])
            .ended(0)
            .quietly();
        let here = std::env::current_dir().unwrap().display().to_string();
        let mut expected = [place.as_str(), &place, &here];
        expected.sort();
        assert_eq!(outcome.lines(), expected);
    }
    run(&["-wdir", &folder.file("gone"), "pwd"])
        .ended(1)
        .says("gone is not there");
    // A relative program is one of that folder.
    folder.write("tool", "echo found it\n");
    let tool = folder.file("tool");
    std::process::Command::new("chmod")
        .args(["+x", &tool])
        .status()
        .unwrap();
    // It has no #! line: such a file is a shell script.
    let outcome = run(&["-wdir", &place, "./tool"]).ended(0).quietly();
    assert_eq!(outcome.stdout, "found it\n");
    run(&["-wdir", &place, "tool"]).ended(127).says("./tool");
}

#[test]
fn a_configuration_file() {
    let folder = Scratch::new("launcher");
    let text = "# two parts\n-n 2 sh -c 'echo \"a  $1\" $RMASHM_APPNUM' sh 'x y' # the first\n\n-n 1 -env V \"1 2\" \\\n  sh -c 'echo $V $RMASHM_APPNUM'\n";
    let file = folder.write("job", text);
    let outcome = run(&["-l", "-configfile", &file]).ended(0).quietly();
    assert_eq!(
        outcome.lines(),
        ["[0] a  x y 0", "[1] a  x y 0", "[2] 1 2 1"]
    );
    let file = folder.write("windows", &text.replace('\n', "\r\n"));
    let outcome = run(&["-l", "-configfile", &file]).ended(0).quietly();
    assert_eq!(
        outcome.lines(),
        ["[0] a  x y 0", "[1] a  x y 0", "[2] 1 2 1"]
    );
    let bad = folder.write("bad", "-n 1 true\n-n none true\n");
    run(&["-configfile", &bad])
        .ended(2)
        .says("bad, line 2: -n is none");
    run(&["-configfile", &folder.file("gone")])
        .ended(2)
        .says("cannot read the configuration file");
    let nested = folder.write("nested", &format!("-configfile {file}\n"));
    run(&["-configfile", &nested])
        .ended(2)
        .says("cannot be nested");
}

#[test]
fn this_machine_by_any_name() {
    let own = nix::unistd::gethostname().unwrap().into_string().unwrap();
    let folder = Scratch::new("launcher");
    let file = folder.write(
        "hosts",
        &format!("# all of them here\nlocalhost:2\n{own} slots=3\n127.0.0.1\n"),
    );
    for options in [
        ["-host", "localhost"],
        ["-hosts", "localhost:4,127.0.0.1"],
        ["--host", &own],
        ["-f", &file],
        ["--hostfile", &file],
        ["-H", "localhost"],
    ] {
        let outcome = run(&[&options[..], &["-n", "2", "echo", "x"]].concat())
            .ended(0)
            .quietly();
        assert_eq!(outcome.stdout, "x\nx\n", "{options:?}");
    }
}

#[test]
fn other_machines_are_refused_with_the_way_out() {
    let folder = Scratch::new("launcher");
    let file = folder.write("hosts", "localhost\nnode17:2\n");
    for options in [
        ["-host", "node17"],
        ["-hosts", "localhost,node17"],
        ["-f", &file],
    ] {
        run(&[&options[..], &["-n", "2", "true"]].concat())
            .ended(2)
            .says("'node17")
            .says("run the same binary on MPICH");
    }
}

#[test]
fn options_that_mean_nothing_here() {
    let options = [
        "--oversubscribe",
        "--allow-run-as-root",
        "-launcher",
        "fork",
        "-iface",
        "lo",
        "-ppn",
        "4",
        "--map-by",
        "core",
        "--mca",
        "btl",
        "self",
        "-usize",
        "8",
        "--rank-by",
        "slot",
        "--bind-to",
        "none:overload-allowed",
        "--gmca",
        "a",
        "b",
        "--forward-signals",
        "SIGUSR1,int",
        "--report-child-jobs-separately",
    ];
    run(&[&options[..], &["-n", "2", "true"]].concat())
        .ended(0)
        .quietly();
}

#[test]
fn every_option_of_hydra_is_known() {
    let Ok(hydra) = Command::new("mpiexec.hydra").arg("-help").output() else {
        eprintln!("skipped: there is no mpiexec.hydra (apt-get install mpich)");
        return;
    };
    let text = String::from_utf8_lossy(&hydra.stdout).into_owned();
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("    -")?.split_whitespace().next())
        .flat_map(|names| names.split('/'))
        .map(|name| name.trim_start_matches('-'))
        .collect();
    assert!(names.len() > 30, "{text}");
    let folder = Scratch::new("launcher");
    for name in names {
        // Whatever it means: it is not the option that is unknown.
        // Some take their value for the name of a file.
        let mut command = mpiexec(&[&format!("-{name}")[..], "1", "true"]);
        command.current_dir(&*folder);
        let outcome = Run::start(command).finish();
        assert!(!outcome.stderr.contains("unknown option"), "{outcome:?}");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    for (arguments, words) in [
        (&["--xml", "true"][..], "--xml cannot be had: "),
        (&["-gdb", "true"], "start the debugger as the program"),
        (&["--cpu-list", "0,1", "true"], "-bind-to core"),
        (&["-nolocal", "true"], "all ranks run on this machine"),
        (&["--forward-signals", "USR1,SIGWINCH", "true"], "SIGWINCH"),
        (&["--output", "tag,xml", "true"], "--output has xml"),
        (&["--stdin", "all", "true"], "one rank can read"),
        (
            &["-initial-errhandler", "return", "true"],
            "mpi_errors_return",
        ),
    ] {
        run(arguments).ended(2).says(words);
    }
    run(&["-s", "3", "-n", "3", "true"]).ended(1).says("rank 3");
    run(&["--nooversubscribe", "-n", "100000", "true"])
        .ended(1)
        .says("cores that may be used");
}

#[test]
fn where_output_goes() {
    let text = "echo out; echo err >&2";
    let merged = run_script(&["--merge-stderr-to-stdout"], 2, text);
    let merged = merged.ended(0).quietly();
    assert_eq!(merged.lines(), ["err", "err", "out", "out"]);
    let tagged = run_script(&["--output", "tag,merge"], 1, text)
        .ended(0)
        .quietly();
    assert_eq!(tagged.lines(), ["[0] err", "[0] out"]);
    let marked = run_script(&["-prepend-pattern", "<%r|%%> "], 2, "echo x");
    assert_eq!(marked.ended(0).quietly().lines(), ["<0|%> x", "<1|%> x"]);

    let folder = Scratch::new("launcher");
    let files = folder.file("50% of it");
    let outcome = run_script(
        &["--output-filename", &files],
        2,
        "echo $PMI_RANK; echo e >&2",
    );
    assert_eq!(outcome.ended(0).quietly().stdout, "");
    for rank in ["0", "1"] {
        let read = |stream: &str| folder.read(&format!("50% of it/1/rank.{rank}/{stream}"));
        assert_eq!(
            (read("stdout"), read("stderr")),
            (format!("{rank}\n"), "e\n".into())
        );
    }
    let each = format!("file={}", folder.file("each"));
    run_script(&["--output", &each], 2, text).ended(0).quietly();
    assert_eq!(folder.read("each.1").lines().count(), 2);
}

#[test]
fn the_rank_that_reads() {
    for (option, expected) in [
        (&["-stdin", "1"][..], ["0:", "1:in"]),
        (&["-s", "0"], ["0:in", "1:"]),
        (&["--stdin", "none"], ["0:", "1:"]),
    ] {
        let command = script(option, 2, "echo $PMI_RANK:$(cat)");
        let outcome = Run::start_with_input(command, b"in\n".to_vec()).finish();
        assert_eq!(outcome.ended(0).quietly().lines(), expected, "{option:?}");
    }
}

#[test]
fn the_same_by_other_names() {
    let per_node = run(&["-N", "3", "echo", "x"]).ended(0).quietly();
    assert_eq!(per_node.stdout, "x\nx\nx\n");
    let both = run(&["-N", "3", "-n", "2", "echo", "x"]).ended(0).quietly();
    assert_eq!(both.stdout, "x\nx\n");

    let folder = Scratch::new("launcher");
    let tool = folder.write("a-tool-of-mine", "echo found it\n");
    Command::new("chmod").args(["+x", &tool]).status().unwrap();
    let place = folder.display().to_string();
    let found = run(&["-path", &place, "a-tool-of-mine"]).ended(0).quietly();
    assert_eq!(found.stdout, "found it\n");
    let parts = folder.write("parts", "-n 1 echo a\n-n 1 echo b\n");
    let found = run(&["--app", &parts]).ended(0).quietly();
    assert_eq!(found.lines(), ["a", "b"]);

    let show = "echo \"${AB1-none} ${AB2-none} ${AC-none}\"";
    for (options, expected) in [
        (&["--unset-env", "AB1"][..], "none 2 3"),
        (&["--unset-env", "AB*"], "none none 3"),
        (&["-envnone", "-x", "AB*"], "1 2 none"),
        (&["-envnone", "--set-env", "AC=4"], "none none 4"),
    ] {
        let mut command = mpiexec(&[options, &["/bin/sh", "-c", show]].concat());
        command.env("AB1", "1").env("AB2", "2").env("AC", "3");
        let outcome = Run::start(command).finish().ended(0).quietly();
        assert_eq!(outcome.stdout, format!("{expected}\n"), "{options:?}");
    }
}

#[test]
fn the_initial_errhandler_is_handed_on() {
    let options = ["--initial-errhandler", "MPI_ERRORS_RETURN"];
    let outcome = run_script(&options, 1, "echo $RMASHM_INITIAL_ERRHANDLER");
    assert_eq!(outcome.ended(0).quietly().stdout, "mpi_errors_return\n");
}

#[test]
fn the_thread_level_is_handed_on() {
    for name in ["multiple", "MPI_THREAD_MULTIPLE"] {
        let outcome = run_script(&["-thread-level", name], 1, "echo $RMASHM_THREAD_LEVEL");
        assert_eq!(outcome.ended(0).quietly().stdout, "MPI_THREAD_MULTIPLE\n");
    }
    let outcome = run(&["-thread-level", "many", "true"]).ended(2);
    assert!(
        outcome.stderr.contains("must be single, funneled"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn mistakes_are_refused_with_a_hint() {
    for (arguments, words) in [
        (
            &["-nq", "4", "true"][..],
            &["unknown option -nq", "did you mean -n"][..],
        ),
        (
            &["--tiemout", "4", "true"],
            &["unknown option --tiemout", "did you mean -timeout?"],
        ),
        (
            &["-prepend-ranks", "true"],
            &["did you mean -prepend-rank?"],
        ),
        (
            &["-frobnicate-everything", "true"],
            &["unknown option -frobnicate-everything", "--help"],
        ),
        (&["-n", "0", "true"], &["-n is 0", "at least 1 rank"]),
        (&["--np=-2", "true"], &["--np is -2", "at least 1 rank"]),
        (&["-n", "two", "true"], &["-n is two", "not a number"]),
        (&["-n", "4x", "true"], &["-n is 4x", "not a number"]),
        (&["-n", "9999999999999999999999", "true"], &["more than"]),
        (&["-n", "1048577", "true"], &["more than"]),
        (&["-n"], &["-n wants N"]),
        (&["-n", "2"], &["no program"]),
        (&[], &["no program"]),
        (&["-n", "2", "true", ":"], &["no program"]),
        (
            &["-bind-to", "socket", "true"],
            &["-bind-to is socket", "core or none"],
        ),
        (&["-timeout", "soon", "true"], &["-timeout is soon"]),
        (
            &["-env", "=x", "y", "true"],
            &["cannot be the name of a variable"],
        ),
        (&["-l=1", "true"], &["-l takes no value"]),
    ] {
        let mut outcome = run(arguments).ended(2);
        for word in words {
            outcome = outcome.says(word);
        }
        assert_eq!(
            (outcome.stdout.as_str(), outcome.stderr.lines().count()),
            ("", 1),
            "{arguments:?}"
        );
    }
}

#[test]
fn help_and_version() {
    for option in ["-h", "--help", "-help"] {
        let outcome = run(&[option]).ended(0).quietly();
        for name in [
            "-np",
            "-genvlist",
            "-outfile-pattern",
            "-disable-auto-cleanup",
            "-oversubscribe",
        ] {
            assert!(outcome.stdout.contains(name), "{name}");
        }
    }
    let outcome = run(&["--version"]).ended(0).quietly();
    assert_eq!(
        outcome.stdout,
        format!("mpiexec (rmashm) {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn verbose_says_what_runs_where() {
    run(&["-v", "-n", "2", "true"])
        .ended(0)
        .says("rank 0: pid ")
        .says("rank 1: pid ")
        .says(", true");
}

#[test]
fn ranks_are_bound_only_where_each_has_a_core() {
    let list = "grep Cpus_allowed_list /proc/self/status";
    let free = run_script(&["-bind-to", "none"], 1, list)
        .ended(0)
        .quietly()
        .stdout;
    let many = run_script(&["-bind-to", "core", "-v"], 300, list)
        .ended(0)
        .says("300 ranks are not bound");
    assert!(
        many.stdout.lines().all(|line| line == free.trim_end()),
        "{} {}",
        free,
        many.stdout
    );
    let usable = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)).unwrap();
    let usable = (0..nix::sched::CpuSet::count())
        .filter(|cpu| usable.is_set(*cpu).unwrap())
        .count();
    let threads =
        std::fs::read_to_string("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list");
    if usable >= 2 && threads.is_ok_and(|threads| threads.trim() == "0") {
        let bound = run_script(&["--bind-to", "core"], 2, list)
            .ended(0)
            .quietly();
        let lines = bound.lines();
        assert!(
            lines[0] != lines[1] && lines.iter().all(|line| !line.contains(['-', ','])),
            "{lines:?}"
        );
    }
}

#[test]
fn memory_kinds_are_handed_on() {
    let outcome = run(&[
        "-memory-alloc-kinds",
        "system,mpi:alloc_mem",
        "sh",
        "-c",
        "echo $RMASHM_MEMORY_ALLOC_KINDS",
    ]);
    assert_eq!(outcome.ended(0).quietly().stdout, "system,mpi:alloc_mem\n");
}
