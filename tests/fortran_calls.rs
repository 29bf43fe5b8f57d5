//! Every procedure of Fortran is called, under each of its names, with the arguments of a call of C's function; and says the same.
//!
//! The program is printed here, in C: Fortran's arguments are addresses, and descriptors are made by hand. Handles are those of no
//! object, so that most calls are errors: it is the sentence of the error, which names argument and value, that must be the same.

mod support;

use generator::fortran::names::Names;
use generator::fortran::{Kind, Outcome, Parameter, Procedure, procedures};
use generator::model::{Face, Function, Interface, Type, Variable};
use harness::needs::need;
use harness::scratch::Scratch;
use std::fmt::Write;
use support::{command, prefix, repository, run};

/// Functions that cannot be called twice, or after which nothing else can be.
const NOT_HERE: [(&str, &str); 8] = [
    ("MPI_Abort", "ends the program"),
    ("MPI_Buffer_attach", "a second buffer is an error"),
    ("MPI_Buffer_detach", "there is no buffer the second time"),
    ("MPI_Finalize", "called once, at the end"),
    ("MPI_Init", "called once, at the beginning"),
    ("MPI_Init_thread", "called by the programs of MPICH's suite"),
    ("MPI_Register_datarep", "a second one of a name is an error"),
    ("MPI_Type_match_size", "gives a datatype, and says nothing"),
];

const FRAME: &str = r#"
#include <ctype.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* gfortran's descriptor of a scalar. */
struct gfortran { void *base; size_t offset, elem_len; int version; signed char rank, type; short attribute; ptrdiff_t span; };
/* The standard's. */
struct cfi { void *base; size_t elem_len; int version; unsigned char rank, rest[3]; };

static char buffer[1 << 16], text[] = "text", words[1 << 12] = "text";
static struct gfortran gfortran = { buffer, 0, 4, 0, 0, 1, 0, 4 };
static struct cfi cfi = { buffer, 4, 1, 0, { 0 } }, cfi_words = { words, 4, 1, 0, { 0 } };
static int ints[64][64];
static long longs[64][64];
static void *handles[64][64];
static int wrong, calls;

static int nothing(void) { return MPI_SUCCESS; }

static const char *sentence(int code)
{
    static char said[2][MPI_MAX_ERROR_STRING];
    static int turn;
    int length;
    turn = !turn;
    if (code < 0 || MPI_Error_string(code, said[turn], &length) != MPI_SUCCESS)
        snprintf(said[turn], sizeof said[turn], "%d, which is no code", code);
    return said[turn];
}

/* Names of MPI are in capitals in what Fortran programs are told. */
static void capitals(char *text)
{
    for (char *name = text; (name = strstr(name, "MPI_")) != NULL;)
        for (; isalnum(*name) || *name == '_'; name++)
            *name = toupper(*name);
}

static void compare(const char *name, int in_c, int in_fortran)
{
    char expected[MPI_MAX_ERROR_STRING];
    strcpy(expected, sentence(in_c));
    capitals(expected);
    calls++;
    if (strcmp(expected, sentence(in_fortran)) == 0)
        return;
    printf("%s: %s\n  instead of: %s\n", name, sentence(in_fortran), expected);
    wrong++;
}
"#;

fn interface() -> Interface {
    let (values, functions) = (repository().join("src/mpi"), repository().join("src/abi"));
    generator::read::interface(&values, &functions, Face::Mpich).expect("the sources can be read")
}

/// What is at the end of pointers.
fn value(kind: &Type) -> &Type {
    match kind {
        Type::Pointer { to, .. } => value(to),
        kind => kind,
    }
}

/// The handle of no object of a kind.
fn null(handle: &str) -> String {
    let kind = handle.strip_prefix("MPI_").expect("a handle");
    format!("MPI_{}_NULL", kind.to_uppercase())
}

/// The argument of C for parameter `at`, and what prepares it.
fn in_c(at: usize, variable: &Variable, prepared: &mut String) -> String {
    match &variable.kind {
        Type::Callback(name) => format!("({name} *)nothing"),
        Type::Pointer { to, .. } => match (&**to, value(to)) {
            (Type::Char, _) if is_text_in(variable) => "text".into(),
            (Type::Char | Type::Void, _) => "(void *)buffer".into(),
            (Type::Pointer { .. }, _) => "(void *)handles[63]".into(),
            (_, Type::Named(named)) if is_handle(named) => {
                let _ = writeln!(
                    prepared,
                    "    for (int i = 0; i < 64; i++) (({named} *)handles[{at}])[i] = {};",
                    null(named)
                );
                format!("({named} *)handles[{at}]")
            }
            (_, Type::Int) => format!("(void *)ints[{at}]"),
            (Type::Named(named), _) if named.ends_with("tatus") => "(void *)buffer".into(),
            _ => format!("(void *)longs[{at}]"),
        },
        Type::Named(named) if is_handle(named) => null(named),
        _ => number(at).to_string(),
    }
}

fn is_text_in(variable: &Variable) -> bool {
    matches!(variable.kind, Type::Pointer { constant: true, .. })
}

fn is_handle(named: &str) -> bool {
    !matches!(
        named,
        "MPI_Aint" | "MPI_Count" | "MPI_Offset" | "MPI_Status" | "MPI_F08_status" | "MPI_Fint"
    )
}

/// What an integer argument has.
fn number(at: usize) -> usize {
    11 + at
}

/// The argument of Fortran.
fn in_fortran(
    at: usize,
    parameter: &Parameter,
    variable: &Variable,
    descriptor: &str,
    prepared: &mut String,
) -> String {
    let by_value = !matches!(variable.kind, Type::Pointer { .. } | Type::Callback(_));
    match &parameter.kind {
        Kind::Choice => descriptor.into(),
        Kind::Callback(_) => "(void *)nothing".into(),
        // Where buffers have descriptors of the standard, strings have, too.
        Kind::Text(_) if descriptor == "&cfi" => "&cfi_words".into(),
        Kind::Text(_) => match is_text_in(variable)
            || matches!(&variable.kind, Type::Pointer { to, .. } if matches!(**to, Type::Pointer { .. }))
        {
            true => "words".into(),
            false => "buffer".into(),
        },
        Kind::Handle(named) if by_value || named == "MPI_File" => {
            let _ = writeln!(
                prepared,
                "    ints[{at}][0] = {};",
                match named.as_str() {
                    "MPI_File" => "0".into(),
                    named => null(named),
                }
            );
            format!("ints[{at}]")
        }
        Kind::Handle(named) => {
            let _ = writeln!(
                prepared,
                "    for (int i = 0; i < 64; i++) ints[{at}][i] = {};",
                null(named)
            );
            format!("ints[{at}]")
        }
        Kind::Address | Kind::Count | Kind::Offset | Kind::Attribute | Kind::ExtraState => {
            let value = if by_value { number(at) } else { 0 };
            let _ = writeln!(prepared, "    longs[{at}][0] = {value};");
            format!("longs[{at}]")
        }
        Kind::Integer | Kind::Index | Kind::Logical | Kind::OldAttribute | Kind::OldExtraState => {
            let value = if by_value { number(at) } else { 0 };
            let _ = writeln!(prepared, "    ints[{at}][0] = {value};");
            format!("ints[{at}]")
        }
        _ => "buffer".into(),
    }
}

fn has(procedure: &Procedure, variable: &Variable) -> bool {
    let mut parameters = procedure.parameters.iter();
    parameters.any(|parameter| parameter.name == variable.name)
}

/// The calls of one procedure: C's, and all of Fortran's.
fn calls(out: &mut String, procedure: &Procedure, function: &Function) {
    let clean = "    memset(ints, 0, sizeof ints); memset(longs, 0, sizeof longs); memset(handles, 0, sizeof handles);\n";
    let variables = &function.signature.parameters;
    let mut prepared = String::from(clean);
    let arguments: Vec<String> = variables
        .iter()
        .enumerate()
        .map(|(at, variable)| match has(procedure, variable) {
            true => in_c(at, variable, &mut prepared),
            // The command line.
            false => "0".into(),
        })
        .collect();
    let _ = writeln!(
        out,
        "static void call_{}(void)\n{{\n    int code, ierror;\n{prepared}    code = {}({});",
        function.name,
        function.name,
        arguments.join(", ")
    );
    let names = Names::of(procedure, Face::Mpich);
    let has_buffer = procedure.parameters.iter().any(|p| p.kind == Kind::Choice);
    let mut forms: Vec<(String, &str)> = Vec::new();
    if let Some(header) = &names.header {
        let stem = header.trim_end_matches('_');
        for name in [
            header.clone(),
            stem.into(),
            format!("{stem}__"),
            stem.to_uppercase(),
        ] {
            let profiling = if name.starts_with('M') {
                format!("P{name}")
            } else {
                format!("p{name}")
            };
            forms.extend([(name, "buffer"), (profiling, "buffer")]);
        }
    }
    if let Some(f08) = &names.f08 {
        forms.extend([
            (f08.name.clone(), "&gfortran"),
            (f08.profiling.clone(), "&gfortran"),
        ]);
        if has_buffer {
            forms.extend([
                (f08.cfi.clone(), "&cfi"),
                (f08.cfi_profiling.clone(), "&cfi"),
            ]);
        }
    }
    for (name, descriptor) in forms {
        let mut prepared = String::from(clean);
        let arguments = procedure.parameters.iter().map(|parameter| {
            let at = variables
                .iter()
                .position(|variable| variable.name == parameter.name)
                .expect("a parameter of C's");
            in_fortran(at, parameter, &variables[at], descriptor, &mut prepared)
        });
        let mut arguments: Vec<String> = arguments.collect();
        arguments.push("&ierror".into());
        let texts = procedure
            .parameters
            .iter()
            .filter(|p| matches!(p.kind, Kind::Text(_)) && descriptor != "&cfi");
        arguments.extend(texts.map(|_| "(size_t)4".into()));
        let _ = writeln!(
            out,
            "{prepared}    ierror = -1;\n    {{ extern void {name}(); {name}({}); }}",
            arguments.join(", ")
        );
        let _ = writeln!(out, "    compare(\"{name}\", code, ierror);");
    }
    *out += "}\n";
}

#[test]
fn every_procedure_says_what_the_function_of_c_says() {
    if !need("gcc", "gcc") {
        return;
    }
    let interface = interface();
    let (mut program, mut main) = (String::from(FRAME), String::new());
    let mut called = 0;
    for procedure in procedures(&interface) {
        let function = interface
            .functions
            .iter()
            .find(|f| Some(&f.name) == procedure.function.as_ref());
        let Some(function) = function.filter(|_| procedure.outcome == Outcome::Code) else {
            continue;
        };
        if NOT_HERE.iter().any(|(name, _)| *name == procedure.name) {
            continue;
        }
        calls(&mut program, &procedure, function);
        let _ = writeln!(main, "    call_{}();", function.name);
        called += 1;
    }
    let _ = write!(program, "
int main(void)
{{
    int ierror = -1;
    extern void mpi_init_(int *), mpi_finalize_f08_(int *);
    extern double mpi_wtime_(void), mpi_wtick_f08_(void);
    extern MPI_Aint mpi_aint_add_(MPI_Aint *, MPI_Aint *), mpi_aint_diff_f08_(MPI_Aint *, MPI_Aint *);
    MPI_Aint one = 1, five = 5;
    memset(words + 4, ' ', sizeof words - 4);
    mpi_init_(&ierror);
    compare(\"mpi_init_\", MPI_SUCCESS, ierror);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (mpi_wtime_() > MPI_Wtime() || mpi_wtick_f08_() != MPI_Wtick())
        wrong += printf(\"the clock is another\\n\");
    if (mpi_aint_add_(&one, &five) != 6 || mpi_aint_diff_f08_(&one, &five) != -4)
        wrong += printf(\"addresses are wrong\\n\");
{main}    if (calls < {called})
        wrong += printf(\"only %d calls\\n\", calls);
    mpi_finalize_f08_(NULL);
    return wrong != 0;
}}
");
    assert!(called > 550, "only {called} procedures are called");
    let folder = Scratch::new("fortran-calls");
    let (source, executable) = (folder.join("calls.c"), folder.join("calls"));
    std::fs::write(&source, program).expect("a scratch folder can be written");
    let library = prefix().join("lib");
    run(command(prefix().join("bin/mpicc"))
        .args(["-w", "-std=gnu11", "-O0", "-o"])
        .arg(&executable)
        .arg(&source)
        .arg("-L")
        .arg(&library)
        .arg("-lmpifort"));
    let said = run(command(prefix().join("bin/mpiexec"))
        .args(["-n", "1"])
        .arg(&executable));
    assert_eq!(said, "");
}
