//! Numbers that are no handles, given to every function of `mpi.h` that takes handles: each call is an error, and none crashes. The
//! program that makes the calls is written from the prototypes.

mod support;

use harness::scratch::Scratch;
use support::{command, prefix, repository, run};

/// The types of handles.
const HANDLES: [&str; 11] = [
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Errhandler",
    "MPI_File",
    "MPI_Group",
    "MPI_Info",
    "MPI_Message",
    "MPI_Op",
    "MPI_Request",
    "MPI_Session",
    "MPI_Win",
];

/// Functions that are no calls with an error: they end the job, or give numbers.
const NO_ERRORS: [&str; 4] = ["MPI_Abort", "_c2f", "_f2c", "_toint"];

/// What takes a handle where a pointer to one is asked for: elsewhere that is for a result.
const TAKES_POINTED: [&str; 7] = [
    "_free",
    "MPI_Wait",
    "MPI_Test",
    "MPI_Start",
    "MPI_Cancel",
    "_disconnect",
    "_close",
];

/// A call of a prototype with drawn handles; `None` if it takes none.
fn call(prototype: &str) -> Option<String> {
    let (name, parameters) = prototype.strip_prefix("int ")?.split_once('(')?;
    let parameters = parameters.strip_suffix(')')?;
    if !name.starts_with("MPI_") || NO_ERRORS.iter().any(|part| name.ends_with(part)) {
        return None;
    }
    let takes_pointed = TAKES_POINTED.iter().any(|part| name.contains(part));
    let mut takes = false;
    let argument = |parameter: &str| {
        let parameter = parameter.trim();
        let (of, _) = parameter.rsplit_once([' ', '*'])?;
        let is_pointer = parameter.contains('*') || parameter.contains('[');
        let of = of.trim_start_matches("const ").trim_matches([' ', '*']);
        let handle = HANDLES.iter().find(|handle| **handle == of);
        takes |= handle.is_some() && (!is_pointer || takes_pointed);
        Some(match (handle, is_pointer) {
            (Some(handle), false) => format!("({handle})drawn()"),
            (Some(handle), true) => format!("({handle} *)several()"),
            _ if of.ends_with("_function") || of.ends_with("_function_c") => "NULL".to_string(),
            _ if of == "char" && parameter.matches('*').count() == 1 => "text".to_string(),
            (None, true) => "(void *)memory".to_string(),
            _ => "1".to_string(),
        })
    };
    let arguments: Option<Vec<String>> = parameters.split(',').map(argument).collect();
    let arguments = arguments?.join(", ");
    takes.then(|| format!("    CALL({name}({arguments}));\n"))
}

#[test]
fn no_handles() {
    let header = std::fs::read_to_string(repository().join("include/mpi.h")).unwrap();
    let statements = header.split(';');
    let prototypes = statements.filter_map(|text| {
        let begin = text.rfind("\nint MPI_")? + 1;
        Some(
            text[begin..]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        )
    });
    let calls: Vec<String> = prototypes.filter_map(|text| call(&text)).collect();
    assert!(
        calls.len() > 300,
        "only {} functions take handles",
        calls.len()
    );
    let folder = Scratch::new("handles");
    let program = folder.join("program");
    let source = PROGRAM.replace("@CALLS@", &calls.concat());
    let source = folder.write("program.c", &source);
    let mut mpicc = command(prefix().join("bin/mpicc"));
    mpicc.args(["-w", &source, "-o"]).arg(&program);
    run(&mut mpicc);
    let mut job = command(prefix().join("bin/mpiexec"));
    assert_eq!(
        run(job.args(["-timeout", "100", "-n", "2"]).arg(program)),
        ""
    );
}

const PROGRAM: &str = r#"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static long memory[8192];
static char text[4096];
static intptr_t handles[64];
static uint64_t state = 88172645463325252;
static int failures;

/* No handle of a program that has made nothing: 64 random bits, or 32. */
static intptr_t drawn(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % 3 ? (intptr_t)(int)(state >> 32) : (intptr_t)state;
}

static void *several(void)
{
    for (int i = 0; i < 64; i++)
        handles[i] = drawn();
    return handles;
}

static void judge(const char *call, int code)
{
    int class = -1, length;
    if (code != MPI_SUCCESS && MPI_Error_class(code, &class) == MPI_SUCCESS && class != MPI_SUCCESS && class != MPI_ERR_INTERN)
        return;
    printf("class %d of %s\n", class, call);
    failures++;
}

#define CALL(call)                      \
    do {                                \
        memset(memory, 0, sizeof memory); \
        strcpy(text, "text");           \
        judge(#call, call);             \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    for (int round = 0; round < 20 && failures == 0; round++) {
@CALLS@
    }
    MPI_Finalize();
    return failures != 0;
}
"#;
