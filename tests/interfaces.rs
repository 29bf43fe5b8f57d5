//! Programs that were linked with other MPI libraries, as their users start them: by `mpiexec` alone, or by `rmashm-run`.

#[path = "interfaces/by_rmashm_run.rs"]
mod by_rmashm_run;
mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use harness::scratch::Scratch;
use support::{command, prefix, run, run_to_fail};

/// The interfaces: what the tools call one, what its library says of itself, the library's name, and its file in the prefix.
const INTERFACES: [[&str; 4]; 3] = [
    [
        "the MPICH ABI",
        "interface of MPICH",
        "libmpi.so.12",
        "lib/librmashm.so",
    ],
    [
        "the Open MPI ABI",
        "interface of Open MPI",
        "libmpi.so.40",
        "lib/openmpi/libmpi.so.40",
    ],
    [
        "the standard ABI of MPI 5",
        "the standard application binary interface",
        "libmpi_abi.so.1",
        "lib/libmpi_abi.so.1",
    ],
];

/// These calls are the same in all interfaces, and need no header.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <string.h>
int MPI_Init(int *, char ***);
int MPI_Finalize(void);
int MPI_Get_library_version(char *, int *);
int main(void)
{
    static char text[8192];
    int length;
    MPI_Init(NULL, NULL);
    MPI_Get_library_version(text, &length);
    if ((int)strlen(text) != length) return 1;
    puts(text);
    MPI_Finalize();
    return 0;
}
"#;

/// Another MPI library, on which nothing works.
const OTHER: &str = r#"
#include <string.h>
int MPI_Init(int *argc, char ***argv) { (void)argc; (void)argv; return 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Get_library_version(char *text, int *length)
{
    strcpy(text, "another library");
    *length = (int)strlen(text);
    return 0;
}
"#;

/// Compiles a C text to `name` in the scratch folder.
fn compile(scratch: &Scratch, text: &str, name: &str, options: &[&str]) -> PathBuf {
    let (source, made) = (scratch.join(format!("{name}.c")), scratch.join(name));
    std::fs::write(&source, text).expect("the scratch folder can be written");
    let mut gcc = command("gcc");
    gcc.arg("-o").arg(&made).arg(&source).args(options);
    run(&mut gcc);
    made
}

/// A library with that soname on which nothing works, in a folder of its own.
fn other_library(scratch: &Scratch, soname: &str) -> PathBuf {
    let folder = scratch.join("other");
    std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
    let soname_option = format!("-Wl,-soname,{soname}");
    let name = format!("other/{soname}");
    compile(scratch, OTHER, &name, &["-shared", "-fPIC", &soname_option])
}

fn text(path: &Path) -> &str {
    path.to_str().expect("test folders have plain names")
}

fn mpiexec() -> Command {
    command(prefix().join("bin/mpiexec"))
}

fn rmashm_abi(program: &Path) -> Command {
    let mut command = command(prefix().join("bin/rmashm-abi"));
    command.arg(program);
    command
}

#[test]
fn each_program_finds_the_library_of_its_interface() {
    let scratch = Scratch::new("interfaces-each");
    for [title, own, soname, file] in INTERFACES {
        let library = prefix().join(file);
        let program = compile(&scratch, PROGRAM, soname, &[text(&library)]);
        let said = run(mpiexec().args(["-n", "2"]).arg(&program));
        assert_eq!(said.matches("rmashm ").count(), 2, "{soname}: {said}");
        assert_eq!(said.matches(own).count(), 2, "{soname}: {said}");
        let told = run(&mut rmashm_abi(&program));
        assert!(
            told.contains(&format!("{title} ({soname}): served")),
            "{told}"
        );
    }
}

#[test]
fn a_library_of_the_program_may_ask_for_it() {
    let scratch = Scratch::new("interfaces-library");
    let library = prefix().join("lib/openmpi/libmpi.so.40");
    let between = PROGRAM.replace("int main(void)", "int work(void)");
    let between = compile(
        &scratch,
        &between,
        "libbetween.so",
        &[
            "-shared",
            "-fPIC",
            "-Wl,-soname,libbetween.so",
            text(&library),
        ],
    );
    let folder = format!("-Wl,-rpath,{}", text(&scratch));
    let options = [text(&between), &folder, "-Wl,--allow-shlib-undefined"];
    let program = compile(
        &scratch,
        "int work(void);\nint main(void) { return work(); }\n",
        "outer",
        &options,
    );
    let said = run(mpiexec().arg(&program));
    assert!(said.contains("interface of Open MPI"), "{said}");
    let told = run(&mut rmashm_abi(&program));
    assert!(
        told.contains("asked for by libbetween.so): served"),
        "{told}"
    );
}

#[test]
fn a_program_may_load_it_when_it_runs() {
    let scratch = Scratch::new("interfaces-dlopen");
    let loads = r#"
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    puts(library ? "loaded" : dlerror());
    return 0;
}
"#;
    let program = compile(&scratch, loads, "loads", &["-ldl"]);
    for [_, _, soname, _] in INTERFACES {
        let said = run(mpiexec().arg(&program).arg(soname));
        assert_eq!(said, "loaded\n", "{soname}");
    }
}

#[test]
fn a_path_in_the_program_leads_nowhere_else() {
    let scratch = Scratch::new("interfaces-rpath");
    let other = other_library(&scratch, "libmpi.so.40");
    let folder = format!(
        "-Wl,-rpath,{}",
        text(other.parent().expect("it is in a folder"))
    );
    for kind in ["-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"] {
        let program = compile(&scratch, PROGRAM, "program", &[text(&other), &folder, kind]);
        let alone = run(&mut command(&program));
        assert_eq!(alone, "another library\n", "{kind}");
        let said = run(mpiexec().arg(&program));
        assert!(said.contains("interface of Open MPI"), "{kind}: {said}");
        let said = run(mpiexec().args(["-abi", "none"]).arg(&program));
        assert_eq!(said, "another library\n", "{kind}");
    }
}

#[test]
fn what_cannot_be_served_is_named() {
    let scratch = Scratch::new("interfaces-strangers");
    let old = other_library(&scratch, "libmpi.so.20");
    let program = compile(&scratch, PROGRAM, "program", &[text(&old)]);
    let refused = run_to_fail(mpiexec().arg(&program), 1);
    assert!(
        refused.contains("Open MPI 2 or 3 (libmpi.so.20)"),
        "{refused}"
    );
    assert!(refused.contains("build it again"), "{refused}");
    let output = rmashm_abi(&program).output().expect("it is there");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("libmpi.so.20 is of Open MPI 2 or 3: not served"),
        "{told}"
    );

    let library = prefix().join("lib/openmpi/libmpi.so.40");
    let program = compile(&scratch, PROGRAM, "program", &[text(&library)]);
    let refused = run_to_fail(mpiexec().args(["-abi", "standard"]).arg(&program), 1);
    assert!(
        refused.contains("was linked with the Open MPI ABI"),
        "{refused}"
    );
    let refused = run_to_fail(mpiexec().args(["-abi", "lam"]).arg(&program), 2);
    assert!(refused.contains("mpich, openmpi, standard"), "{refused}");
}

#[test]
fn a_library_that_the_program_loads_by_its_path_is_named() {
    let scratch = Scratch::new("interfaces-foreign");
    let versioned = other_library(&scratch, "libmpi.so.40.30.4");
    let soname = "-Wl,-soname,libmpi.so.12";
    let bare = compile(&scratch, OTHER, "libmpi.so", &["-shared", "-fPIC", soname]);
    let loads = r#"
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    if (!dlopen(argv[argc - 1], RTLD_NOW)) return 1;
    getchar();
    return 0;
}
"#;
    let program = compile(&scratch, loads, "loads", &["-ldl"]);
    let alone: &[&str] = &["-n", "1"];
    let wrapped = &["sh", "-c", "\"$@\"; exit 0", "sh"];
    for (words, other, abi) in [
        (alone, &versioned, "openmpi"),
        (wrapped, &versioned, "openmpi"),
        (alone, &bare, "mpich"),
    ] {
        let mut launcher = mpiexec();
        launcher.args(["-timeout", "60"]).args(words);
        let mut launcher = launcher
            .arg(&program)
            .arg(other)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it is there");
        // The program ends when its line comes: after what is wanted was said, or when the test has failed.
        let stdin = launcher.stdin.take();
        let said = BufReader::new(launcher.stderr.take().expect("it was asked for"));
        let mut lines = said.lines().map(|line| line.expect("it is text"));
        let first = lines.next().unwrap_or_default();
        assert!(first.contains(text(other)), "{first}");
        assert!(first.contains("is alone in a job of one"), "{first}");
        let second = lines.next().unwrap_or_default();
        assert!(second.contains(&format!("-abi {abi}")), "{second}");
        drop(stdin);
        assert!(launcher.wait().is_ok_and(|status| status.success()));
    }
}

/// What Open MPI's mpirun sets is there for programs that are linked with Open MPI, and for no others.
#[test]
fn ranks_are_told_before_mpi_init_as_by_the_other_launcher() {
    let scratch = Scratch::new("interfaces-places");
    let tells = PROGRAM.replace(
        "static char text[8192];",
        r#"static char text[8192];
    char *getenv(const char *);
    const char *names[] = {"RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE", "NODE_RANK"};
    for (int i = 0; i < 5; i++) {
        sprintf(text, "OMPI_COMM_WORLD_%s", names[i]);
        printf("%s ", getenv(text) ? getenv(text) : "-");
    }
    puts(".");
    memset(text, 0, sizeof text);"#,
    );
    for [_, _, soname, file] in INTERFACES {
        let program = compile(&scratch, &tells, soname, &[text(&prefix().join(file))]);
        let said = run(mpiexec().args(["-n", "2"]).arg(&program));
        let mut told: Vec<&str> = said.lines().filter(|line| line.ends_with(" .")).collect();
        told.sort_unstable();
        let expected = match soname {
            "libmpi.so.40" => ["0 2 0 2 0 .", "1 2 1 2 1 ."],
            _ => ["- - - - - ."; 2],
        };
        assert_eq!(told, expected, "{said}");
    }
}

#[test]
fn names_that_are_not_there_are_told() {
    let scratch = Scratch::new("interfaces-names");
    let other = OTHER.replace("MPI_Finalize", "MPI_Finish");
    let soname = "-Wl,-soname,libmpi.so.40";
    let library = compile(&scratch, &other, "other.so", &["-shared", "-fPIC", soname]);
    let wants = PROGRAM.replace("MPI_Finalize", "MPI_Finish");
    let program = compile(&scratch, &wants, "program", &[text(&library)]);
    let said = run_to_fail(mpiexec().arg(&program).env("LD_BIND_NOW", "1"), 127);
    assert!(said.contains("rmashm-abi FILE tells"), "{said}");
    let output = rmashm_abi(&program).output().expect("it is there");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("of 3 names 1 are not there: MPI_Finish"),
        "{told}"
    );
}

#[test]
fn the_launcher_lists_the_interfaces() {
    let said = run(mpiexec().arg("-V"));
    for [title, _, soname, _] in INTERFACES {
        let line = said.lines().find(|line| line.contains(title));
        assert!(line.is_some_and(|line| line.contains(soname)), "{said}");
    }
}
