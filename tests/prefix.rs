//! The staged prefix as its users meet it: `mpicc` and `mpicxx`, the names programs record, `make install`. Build systems that
//! must find it are in `projects`.

#[path = "prefix/projects.rs"]
mod projects;
mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::needs::{need, need_file};
use harness::scratch::Scratch;
use support::{command, prefix, run, run_to_fail};

fn tool(prefix: &Path, name: &str) -> Command {
    command(prefix.join("bin").join(name))
}

/// A file of `tests/projects`.
fn project(file: &str) -> PathBuf {
    support::repository().join("tests/projects").join(file)
}

/// The words a shell makes of a line.
fn words(line: &str) -> Vec<String> {
    let printed = run(command("sh")
        .arg("-c")
        .arg(format!("printf '%s\\n' {line}")));
    printed.lines().map(str::to_string).collect()
}

/// What the dynamic loader would load for a program's `libmpi.so.12`.
fn loaded(program: &Path, library_path: Option<&Path>) -> PathBuf {
    let mut command = command(program);
    command.env("LD_TRACE_LOADED_OBJECTS", "1");
    command.envs(library_path.map(|folder| ("LD_LIBRARY_PATH", folder)));
    let trace = run(&mut command);
    let line = trace
        .lines()
        .find_map(|line| line.trim().strip_prefix("libmpi.so.12 => "));
    let line = line
        .unwrap_or_else(|| panic!("{} does not load libmpi.so.12:\n{trace}", program.display()));
    PathBuf::from(line.rsplit_once(" (0x").map_or(line, |(path, _)| path))
}

/// Runs a program of `tests/projects/sum.c` on two ranks, and holds that it is this prefix's library it runs on.
#[track_caller]
fn run_sum(prefix: &Path, program: &Path) {
    let (library, ours) = (loaded(program, None), prefix.join("lib/librmashm.so"));
    assert_eq!(
        library.canonicalize().ok(),
        ours.canonicalize().ok(),
        "{} is loaded",
        library.display()
    );
    assert_eq!(
        run(tool(prefix, "mpiexec").args(["-n", "2"]).arg(program)),
        "sum of 2 ranks\n"
    );
    assert_eq!(
        run(tool(prefix, "mpirun").args(["-n", "1"]).arg(program)),
        "sum of 1 ranks\n"
    );
}

/// The prefix in another place, with what is difficult about names: installed with DESTDIR, then moved.
fn moved_prefix(scratch: &Scratch) -> PathBuf {
    let (destdir, moved) = (scratch.join("dest dir"), scratch.join("a moved prefix"));
    // Without cargo, `make install` takes the staged prefix as it is.
    let mut make = command("make");
    make.current_dir(support::repository()).args([
        "--no-print-directory",
        "install",
        "CARGO=no-cargo-here",
    ]);
    make.arg(variable("BUILD", prefix()))
        .arg(variable("DESTDIR", &destdir))
        .arg("PREFIX=/opt/rma shm");
    run(&mut make);
    fs::rename(destdir.join("opt/rma shm"), &moved)
        .expect("the prefix is where DESTDIR and PREFIX said");
    moved
}

fn variable(name: &str, value: &Path) -> std::ffi::OsString {
    let mut assignment = std::ffi::OsString::from(format!("{name}="));
    assignment.push(value);
    assignment
}

#[test]
fn every_form_of_show() {
    if !need("g++", "g++") {
        return;
    }
    let prefix = prefix();
    let root = prefix.display();
    let compile = format!("-I{root}/include");
    let found = format!("-L{root}/lib -Wl,-rpath,{root}/lib -Wl,--enable-new-dtags");
    let classes = "-Wl,--push-state,--as-needed -lmpicxx -Wl,--pop-state ";
    for (name, compiler, classes, libraries) in [
        ("mpicc", "gcc", "", "rmashm"),
        ("mpicxx", "g++", classes, "mpicxx rmashm"),
        ("mpic++", "g++", classes, "mpicxx rmashm"),
    ] {
        let link = format!("{found} {classes}-lrmashm");
        let whole = format!("{compiler} {compile} {link}");
        let expected = [
            ("-show", whole.as_str()),
            ("--show", &whole),
            ("-showme", &whole),
            ("-compile_info", &format!("{compiler} {compile}")),
            ("-compile-info", &format!("{compiler} {compile}")),
            ("-link_info", &format!("{compiler} {link}")),
            ("-link-info", &format!("{compiler} {link}")),
            ("-showme:compile", &compile),
            ("--showme:compile", &compile),
            ("-showme:link", &link),
            ("-showme:incdirs", &format!("{root}/include")),
            ("-showme:libdirs", &format!("{root}/lib")),
            ("-showme:libs", libraries),
            ("-showme:command", compiler),
        ];
        for (option, answer) in expected {
            assert_eq!(
                run(tool(prefix, name).arg(option)).trim_end(),
                answer,
                "{name} {option}"
            );
        }
        let version = run(tool(prefix, name).arg("-showme:version"));
        assert!(
            version.contains(concat!("rmashm ", env!("CARGO_PKG_VERSION"), " (MPI 5.0, ")),
            "{version}"
        );
        assert!(run(tool(prefix, name).arg("-help")).contains("-showme:libdirs"));
        let refused = run_to_fail(tool(prefix, name).arg("-showme:nothing"), 1);
        assert!(
            refused.contains("-showme:nothing is not known"),
            "{refused}"
        );
    }
    let compiling = run(tool(prefix, "mpicc").args(["-show", "-c", "a.c"]));
    assert_eq!(
        compiling.trim_end(),
        format!("gcc -c a.c {compile}"),
        "-c links nothing"
    );
}

#[test]
fn fortran_answers_the_same_questions() {
    if !need("gfortran", "gfortran") {
        return;
    }
    let prefix = prefix();
    let root = prefix.display();
    for name in ["mpifort", "mpif77", "mpif90"] {
        let ask = |option: &str| {
            let answer = run(tool(prefix, name).arg(option));
            answer.trim_end().to_owned()
        };
        let (compile, link) = (ask("-showme:compile"), ask("-showme:link"));
        let folders = format!("-I{root}/include -I{root}/lib/fortran/gfortran-mod-");
        assert!(compile.starts_with(&folders), "{compile}");
        assert!(link.ends_with(" -lrmashmfort -lrmashm"), "{link}");
        for option in ["-show", "--show", "-showme"] {
            assert_eq!(ask(option), format!("gfortran {compile} {link}"));
        }
        assert_eq!(ask("-compile_info"), format!("gfortran {compile}"));
        assert_eq!(ask("-link-info"), format!("gfortran {link}"));
        assert_eq!(ask("-showme:libs"), "rmashmfort rmashm");
        assert_eq!(ask("-showme:incdirs").split(' ').count(), 2);
        assert!(ask("-showme:version").ends_with("language: Fortran)"));
        let refused = run_to_fail(tool(prefix, name).args(["-abi", "a.f90"]), 1);
        assert!(refused.contains("leave -abi out"), "{refused}");
    }
    // Each name asks its own variables first.
    let compiler = |name: &str, variables: &[(&str, &str)]| {
        let mut command = tool(prefix, name);
        let answer = run(command
            .arg("-showme:command")
            .envs(variables.iter().copied()));
        answer.trim_end().to_owned()
    };
    let variables = [
        ("MPICH_F77", "gfortran -O1"),
        ("MPICH_F90", "gfortran -O2"),
        ("MPICH_FC", "gfortran -O3"),
    ];
    assert_eq!(compiler("mpif77", &variables), "gfortran -O1");
    assert_eq!(compiler("mpif90", &variables), "gfortran -O2");
    assert_eq!(compiler("mpifort", &variables), "gfortran -O3");
    assert_eq!(compiler("mpif77", &variables[2..]), "gfortran -O3");
    assert_eq!(
        compiler("mpifort", &[("OMPI_FC", "gfortran -g")]),
        "gfortran -g"
    );
}

#[test]
fn arguments_reach_the_compiler_as_they_are() {
    let scratch = Scratch::new("arguments");
    let source = scratch.join("it's a \"source\".c");
    fs::write(&source, "#include <mpi.h>\n#include <stdio.h>\nint main(void) { puts(TEXT); return MPI_SUCCESS; }\n").unwrap();
    let define = r#"-DTEXT="two  words, $HOME \\ `and` 'more'""#;

    let shown = run(tool(prefix(), "mpicc")
        .arg("-show")
        .arg(define)
        .arg(&source));
    assert_eq!(
        words(&shown)[..3],
        ["gcc", define, source.to_str().unwrap()]
    );

    let program = scratch.join("a program");
    run(tool(prefix(), "mpicc")
        .arg(define)
        .arg(&source)
        .arg("-o")
        .arg(&program));
    assert_eq!(
        run(&mut command(&program)),
        "two  words, $HOME \\ `and` 'more'\n"
    );

    // The same from a response file, and a compile without a link.
    let (response, object) = (scratch.join("arguments.rsp"), scratch.join("object.o"));
    let quoted = |path: &Path| format!("\"{}\"", path.to_str().unwrap().replace('"', "\\\""));
    fs::write(
        &response,
        format!(
            "-DTEXT=\\\"x\\\"\n-c {}\n-o {}\n",
            quoted(&source),
            quoted(&object)
        ),
    )
    .unwrap();
    let mut at = std::ffi::OsString::from("@");
    at.push(&response);
    run(tool(prefix(), "mpicc").arg(&at));
    assert!(object.is_file());
}

#[test]
fn the_exit_status_is_the_compilers() {
    let scratch = Scratch::new("status");
    let wrong = scratch.join("wrong.c");
    fs::write(&wrong, "#error not today\n").unwrap();
    let message = run_to_fail(tool(prefix(), "mpicc").arg("-c").arg(&wrong), 1);
    assert!(message.contains("not today"), "{message}");
    // A compiler with a status of its own.
    let compiler = scratch.join("my compiler");
    fs::write(&compiler, "#!/bin/sh\nexit 42\n").unwrap();
    fs::set_permissions(
        &compiler,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    run_to_fail(
        tool(prefix(), "mpicc")
            .env("MPICH_CC", &compiler)
            .arg("a.c"),
        42,
    );
    run_to_fail(
        tool(prefix(), "mpicxx")
            .env("MPICH_CXX", &compiler)
            .arg("a.cxx"),
        42,
    );
    // Questions to the compiler itself are passed on alone: nothing is linked.
    assert!(run(tool(prefix(), "mpicc").arg("--version")).contains("Free Software Foundation"));
    run(tool(prefix(), "mpicc").arg("-v"));
}

#[test]
fn the_compiler_can_be_named() {
    if !need("g++", "g++") {
        return;
    }
    let show = |name: &str, option: &str, variables: &[(&str, &str)]| {
        let mut command = tool(prefix(), name);
        let line = run(command
            .args(["-showme:command", option])
            .envs(variables.iter().copied()));
        line.trim_end().to_string()
    };
    assert_eq!(
        show("mpicc", "-cc=cc -m64", &[("MPICH_CC", "gcc")]),
        "cc -m64"
    );
    assert_eq!(
        show(
            "mpicc",
            "-O",
            &[("MPICH_CC", "cc -m64"), ("OMPI_CC", "gcc")]
        ),
        "cc -m64"
    );
    assert_eq!(
        show("mpicc", "-O", &[("OMPI_CC", "cc"), ("MPICH_CXX", "g++")]),
        "cc"
    );
    assert_eq!(show("mpicxx", "-cxx=c++", &[]), "c++");
    assert_eq!(
        show("mpicxx", "-O", &[("MPICH_CXX", "c++"), ("MPICH_CC", "cc")]),
        "c++"
    );
}

#[test]
fn a_compiler_that_cannot_be_is_said() {
    let mut none = tool(prefix(), "mpicc");
    let message = run_to_fail(none.env("PATH", "/nonexistent").arg("a.c"), 127);
    assert!(
        message.starts_with("mpicc: ") && message.contains("apt-get install gcc"),
        "{message}"
    );
    let mut none = tool(prefix(), "mpicxx");
    let message = run_to_fail(none.env("PATH", "/nonexistent").arg("a.c"), 127);
    assert!(
        message.starts_with("mpicxx: ") && message.contains("apt-get install g++"),
        "{message}"
    );

    let message = run_to_fail(
        tool(prefix(), "mpicc").args(["-cc=no-such-compiler", "a.c"]),
        127,
    );
    assert!(message.contains("no-such-compiler"), "{message}");
    let ourselves = prefix().join("bin/mpicc");
    let message = run_to_fail(
        tool(prefix(), "mpicc")
            .env("MPICH_CC", &ourselves)
            .arg("a.c"),
        1,
    );
    assert!(message.contains("this tool itself"), "{message}");
    let message = run_to_fail(tool(prefix(), "mpicc").args(["-static", "a.o"]), 1);
    assert!(message.contains("shared library only"), "{message}");
}

#[test]
fn compiling_alone_makes_no_compiler_warn_of_linking() {
    let scratch = Scratch::new("warnings");
    let object = scratch.join("sum.o");
    let mut compilers = vec!["gcc"];
    if need("clang", "clang") {
        compilers.push("clang");
    }
    for compiler in compilers {
        let mut mpicc = tool(prefix(), "mpicc");
        mpicc
            .arg(format!("-cc={compiler}"))
            .args(["-Wall", "-Wextra", "-Werror", "-c"]);
        run(mpicc.arg(project("sum.c")).arg("-o").arg(&object));
    }
}

#[test]
fn c_and_cxx_programs_link_and_run() {
    if !need("g++", "g++") {
        return;
    }
    let scratch = Scratch::new("programs");
    for (name, source) in [
        ("mpicc", "sum.c"),
        ("mpicxx", "sum.cxx"),
        ("mpic++", "sum.cxx"),
        ("mpicxx", "sum_classes.cxx"),
    ] {
        let program = scratch.join(format!("{name}-program"));
        run(tool(prefix(), name)
            .arg(project(source))
            .arg("-o")
            .arg(&program));
        run_sum(prefix(), &program);
    }
}

#[test]
fn only_programs_with_classes_record_their_library() {
    if !need("g++", "g++") || !need("readelf", "binutils") {
        return;
    }
    let scratch = Scratch::new("classes");
    let program = scratch.join("program");
    for (source, records) in [("sum.cxx", false), ("sum_classes.cxx", true)] {
        run(tool(prefix(), "mpicxx")
            .arg(project(source))
            .arg("-o")
            .arg(&program));
        let dynamic = run(command("readelf").arg("-dW").arg(&program));
        assert_eq!(dynamic.contains("[libmpicxx.so.12]"), records, "{dynamic}");
    }
    // What uses no class needs no library for them, with the plain compiler, too.
    run(command("g++")
        .arg(project("sum.cxx"))
        .arg("-I")
        .arg(prefix().join("include"))
        .arg("-L")
        .arg(prefix().join("lib"))
        .args(["-lrmashm", "-o"])
        .arg(&program));
    for alias in ["libmpichcxx.so.12", "libmpicxx.so", "libmpichcxx.so"] {
        let place = prefix().join("lib").join(alias);
        assert_eq!(
            fs::read_link(place).unwrap(),
            Path::new("libmpicxx.so.12"),
            "{alias}"
        );
    }
}

#[test]
fn a_program_records_the_name_that_every_mpich_answers_to() {
    if !need("readelf", "binutils") {
        return;
    }
    let scratch = Scratch::new("names");
    let lib = prefix().join("lib");
    for library in ["rmashm", "mpi", "mpich"] {
        let program = scratch.join(library);
        let mut gcc = command("gcc");
        gcc.arg(project("sum.c"))
            .arg("-I")
            .arg(prefix().join("include"))
            .arg("-L")
            .arg(&lib);
        run(gcc.arg(format!("-l{library}")).arg("-o").arg(&program));
        let dynamic = run(command("readelf").arg("-dW").arg(&program));
        assert!(
            dynamic.contains("(NEEDED)             Shared library: [libmpi.so.12]"),
            "-l{library}:\n{dynamic}"
        );
        assert!(!dynamic.contains("rmashm"), "-l{library}:\n{dynamic}");
    }
    for alias in ["libmpi.so.12", "libmpich.so.12", "libmpi.so", "libmpich.so"] {
        assert_eq!(
            fs::read_link(lib.join(alias)).unwrap(),
            Path::new("librmashm.so"),
            "{alias}"
        );
    }

    let program = scratch.join("program");
    run(tool(prefix(), "mpicc")
        .arg(project("sum.c"))
        .arg("-o")
        .arg(&program));
    let dynamic = run(command("readelf").arg("-dW").arg(&program));
    assert!(
        dynamic.contains("(RUNPATH)") && !dynamic.contains("(RPATH)"),
        "{dynamic}"
    );
    // Another library in front of ours: the way the same executable gets to run on MPICH.
    let other = scratch.join("other");
    fs::create_dir(&other).unwrap();
    symlink(lib.join("librmashm.so"), other.join("libmpi.so.12")).unwrap();
    assert_eq!(loaded(&program, Some(&other)), other.join("libmpi.so.12"));
    assert_eq!(loaded(&program, None), lib.join("libmpi.so.12"));
}

/// The version, with the commit that `tools/stage` writes into what it lays out where that is known.
#[test]
fn launcher_and_library_say_which_build_they_are() {
    let prefix = prefix();
    let said = run(tool(prefix, "mpiexec").arg("-V"));
    let version = said
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("mpiexec (rmashm) "));
    let version = version.unwrap_or_else(|| panic!("no version: {said}"));
    let commit = version
        .strip_prefix(env!("CARGO_PKG_VERSION"))
        .expect("it begins so")
        .trim();
    let known = run(&mut command(support::repository().join("tools/commit")));
    assert_eq!(commit.is_empty(), known.is_empty(), "{commit:?}, {known:?}");
    if !commit.is_empty() {
        let commit = commit
            .strip_prefix('(')
            .and_then(|commit| commit.strip_suffix(')'));
        let digits = commit
            .map(|commit| commit.strip_suffix('+').unwrap_or(commit))
            .expect("it is in brackets");
        assert!(
            digits.len() == 12 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()),
            "{digits}"
        );
    }
    let scratch = Scratch::new("version");
    let source = scratch.write(
        "version.c",
        "#include <mpi.h>\n#include <stdio.h>\nint main(void)\n{\n    char text[MPI_MAX_LIBRARY_VERSION_STRING];\n    int length;\n\n    \
         return MPI_Get_library_version(text, &length) != MPI_SUCCESS || puts(text) < 0;\n}\n",
    );
    let program = scratch.file("version");
    for (option, interface) in [
        ("-DMPICH", "of MPICH"),
        ("-abi", "the standard application binary interface"),
    ] {
        run(tool(prefix, "mpicc").args([option, &source, "-o", &program]));
        let said = run(&mut command(&program));
        assert!(
            said.starts_with(&format!("rmashm {version}: ")) && said.contains(interface),
            "{said}"
        );
    }
}

#[test]
fn an_installed_prefix_may_be_moved_and_have_spaces() {
    if !need("g++", "g++") {
        return;
    }
    let scratch = Scratch::new("moved");
    let moved = moved_prefix(&scratch);
    assert!(moved.join("include/mpi.h").is_file());
    let shown = run(tool(&moved, "mpicc").arg("-show"));
    let root = moved.display();
    assert_eq!(
        words(&shown)[..3],
        [
            "gcc".to_string(),
            format!("-I{root}/include"),
            format!("-L{root}/lib")
        ]
    );
    let program = scratch.join("program");
    run(tool(&moved, "mpicc")
        .arg(project("sum.c"))
        .arg("-o")
        .arg(&program));
    run_sum(&moved, &program);
    // Called through a link from elsewhere, a tool still finds its own prefix, and by the link's name its language.
    let link = scratch.join("mpicxx.rmashm");
    symlink(moved.join("bin/mpicxx"), &link).unwrap();
    run(command(&link)
        .arg(project("sum.cxx"))
        .arg("-o")
        .arg(&program));
    run_sum(&moved, &program);
}

#[test]
fn the_same_executable_runs_on_mpich() {
    let mpich = Path::new("/usr/lib/x86_64-linux-gnu/libmpich.so.12");
    if !need_file(mpich, "libmpich12") || !need("mpiexec.mpich", "mpich") {
        return;
    }
    let scratch = Scratch::new("mpich");
    let (program, other) = (scratch.join("program"), scratch.join("other"));
    run(tool(prefix(), "mpicc")
        .arg(project("sum.c"))
        .arg("-o")
        .arg(&program));
    fs::create_dir(&other).unwrap();
    symlink(mpich, other.join("libmpi.so.12")).unwrap();
    assert_eq!(loaded(&program, Some(&other)), other.join("libmpi.so.12"));
    let mut mpiexec = command("mpiexec.mpich");
    mpiexec
        .env("LD_LIBRARY_PATH", &other)
        .args(["-n", "2"])
        .arg(&program);
    assert_eq!(run(&mut mpiexec), "sum of 2 ranks\n");
}
