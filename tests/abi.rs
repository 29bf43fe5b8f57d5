//! `mpi.h` against MPICH's own header (Debian's libmpich-dev): every macro, enumerator, type, layout and prototype.
//!
//! What differs on purpose is listed below with its reason. A listed difference that is none any more fails too.

mod compiler;

use compiler::{have, have_program, our_include, run, write};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Where Debian keeps MPICH's header.
const MPICH: &str = "/usr/include/x86_64-linux-gnu/mpich";

const EXTENSION: &str = "an extension of MPICH's that this library does not have";
const IDENTITY: &str = "says that the library is MPICH; programs would rely on what only MPICH has";
const ROMIO: &str = "internal to ROMIO, MPICH's file library";
const LANGUAGE: &str = "internal to how MPICH's header is put together";

/// Macros and enumerators of MPICH's header that ours lacks. A name that ends in `*` stands for all that begin so.
const MISSING: &[(&str, &str)] = &[
    ("MPICH", IDENTITY),
    ("MPICH_HAS_C2F", IDENTITY),
    ("MPICH_NAME", IDENTITY),
    ("MPICH_NUMVERSION", IDENTITY),
    ("MPICH_RELEASE_TYPE_*", IDENTITY),
    ("MPICH_VERSION", IDENTITY),
    ("MPICH_API_PUBLIC", LANGUAGE),
    ("MPICH_ERR_*", "the numbers of MPICH's extensions"),
    ("MPIIMPL_*", IDENTITY),
    ("MPIO_*", ROMIO),
    ("PMPIO_*", ROMIO),
    ("ROMIO_*", ROMIO),
    (
        "MPIR_ERRORS_THROW_EXCEPTIONS",
        "for the C++ classes that MPI-3 removed",
    ),
    ("MPIU_DLL_SPEC", LANGUAGE),
    ("MPI_FILE_DEFINED", LANGUAGE),
    ("MPI_PROTO_H_INCLUDED", LANGUAGE),
    ("MPIX_ERR_EAGAIN", EXTENSION),
    ("MPIX_ERR_NOREQ", EXTENSION),
    ("MPIX_GPU_SUPPORT_*", EXTENSION),
    ("QMPI_*", EXTENSION),
];

const NEWER: &str = "newer than MPI 4.0, which Debian's MPICH has";

/// Macros of our header that MPICH's lacks.
const ADDED: &[(&str, &str)] = &[
    ("MPI_BUFFER_AUTOMATIC", NEWER),
    ("MPI_COMBINER_VALUE_INDEX", NEWER),
    ("MPI_COMM_TYPE_RESOURCE_GUIDED", NEWER),
    ("MPI_COMPLEX4", NEWER),
    ("MPI_ERR_ERRHANDLER", NEWER),
    (
        "MPI_ERR_PROC_FAILED",
        "another name of MPIX_ERR_PROC_FAILED",
    ),
    ("MPI_LOGICAL*", NEWER),
    ("MPI_REAL2", NEWER),
    ("MPI_T_BIND_MPI_SESSION", NEWER),
    ("MPI_T_ERR_NOT_ACCESSIBLE", NEWER),
];

/// Macros that both headers have, with other values.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "MPIX_COMM_TYPE_NEIGHBORHOOD",
        "MPI 4.1 gives the number it had to MPI_COMM_TYPE_RESOURCE_GUIDED",
    ),
    (
        "MPI_DISPLACEMENT_CURRENT",
        "an MPI_Offset, as the standard asks; MPICH has an int there before 4.1",
    ),
    (
        "MPI_INTEGER16",
        "a type that exists since MPICH 4.1, with that handle",
    ),
    ("MPI_SUBVERSION", "MPI 4.1, where Debian's MPICH is MPI 4.0"),
];

/// Types of MPICH's header that ours lacks.
const MISSING_TYPES: &[(&str, &str)] = &[("MPIX_Grequest_*", EXTENSION)];

/// Functions with another prototype than MPICH's.
const OTHER_PROTOTYPES: &[(&str, &str)] = &[
    ("MPI_Pready_list", CONST_LIST),
    ("PMPI_Pready_list", CONST_LIST),
];
const CONST_LIST: &str = "the list is const since MPI 4.0 errata; MPICH before 4.1 lacks that";

/// The include folders of both headers, ours first; `None` where the test must be skipped.
fn headers(test: &str) -> Option<[PathBuf; 2]> {
    let header = Path::new(MPICH).join("mpi.h");
    let there = have_program("gcc", test) && have(header.exists(), "libmpich-dev", test);
    there.then(|| [our_include(), PathBuf::from(MPICH)])
}

/// What the preprocessor makes of the header in `include`, given further `flags`.
fn preprocess(include: &Path, flags: &[&str]) -> String {
    let source = write("include.c", "#include <mpi.h>\n");
    let include = format!("-I{}", include.display());
    let path = source.display().to_string();
    let mut arguments = vec!["-std=c11", "-E", "-P", &include];
    arguments.extend(flags);
    arguments.push(&path);
    let output = run("gcc", &arguments);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("headers are ASCII")
}

/// The object-like macros of a header that belong to MPI, and its enumerators.
fn names(include: &Path) -> BTreeSet<String> {
    let ours = |name: &str| {
        ["MPI", "PMPI", "QMPI", "ROMIO"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
            && !name.contains('(')
    };
    let mut found = BTreeSet::new();
    for define in preprocess(include, &["-dM"]).lines() {
        let define = define
            .strip_prefix("#define ")
            .expect("gcc -dM prints definitions");
        let name = define.split(' ').next().unwrap_or_default();
        if ours(name) {
            found.insert(name.to_string());
        }
    }
    for declaration in declarations(&preprocess(include, &[])) {
        let Some((head, rest)) = declaration.split_once('{') else {
            continue;
        };
        // MPICH numbers its functions for its own tool interface: that is no part of MPI.
        if !head.contains("enum ") || head.contains("QMPI_Functions_enum") {
            continue;
        }
        let members = rest.split_once('}').expect("an enum ends").0;
        let members = members
            .split(',')
            .filter_map(|member| member.split('=').next());
        found.extend(
            members
                .map(|m| m.trim().to_string())
                .filter(|m| m.starts_with("MPI_")),
        );
    }
    found
}

/// The value of every name, with the size of its type, as a C program prints them.
fn values(include: &Path, names: &BTreeSet<String>, program: &str) -> BTreeMap<String, String> {
    // A function has no value that could be compared, only its name.
    let mut source = String::from(
        "#include <stdio.h>\n#include <stddef.h>\n\
         int MPIR_Dup_fn(int o, int k, void *e, void *i, void *a, int *f)\n\
         { (void)o; (void)k; (void)e; (void)i; (void)a; (void)f; return 0; }\n\
         #include <mpi.h>\n\
         static void show(const char *name, size_t size, int string, long value)\n{\n\
         if (string) printf(\"%s \\\"%s\\\"\\n\", name, (const char *)value);\n\
         else if (value == (long)MPIR_Dup_fn) printf(\"%s MPIR_Dup_fn\\n\", name);\n\
         else printf(\"%s %ld (%zu bytes)\\n\", name, value, size);\n}\n\
         int main(void)\n{\n",
    );
    for name in names {
        let _ = writeln!(
            source,
            "show(\"{name}\", sizeof(({name})), _Generic(({name}), char *: 1, default: 0), (long)({name}));"
        );
    }
    source += "return 0;\n}\n";
    output_of(include, &source, program)
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
}

/// What the program prints that is compiled of `source` with the header in `include`.
fn output_of(include: &Path, source: &str, program: &str) -> String {
    let source = write(&format!("{program}.c"), source);
    let binary = source.with_extension("");
    let include = format!("-I{}", include.display());
    let paths = [&source, &binary].map(|path| path.display().to_string());
    let output = run(
        "gcc",
        &["-std=gnu11", "-w", &include, &paths[0], "-o", &paths[1]],
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = run::<&str>(&paths[1], &[]);
    assert!(output.status.success(), "{program} fails");
    String::from_utf8(output.stdout).expect("names and values are ASCII")
}

/// Holds differences against the list of deliberate ones: prints those that are not listed, and the listed ones that are
/// none. `what` names the list.
fn judge(what: &str, found: &BTreeMap<String, String>, listed: &[(&str, &str)]) {
    let covers = |listed: &str, name: &str| match listed.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == listed,
    };
    let mut report = String::new();
    for (name, difference) in found {
        if !listed.iter().any(|(entry, _)| covers(entry, name)) {
            let _ = writeln!(report, "{name}: {difference}");
        }
    }
    for (entry, reason) in listed {
        if !found.keys().any(|name| covers(entry, name)) {
            let _ = writeln!(
                report,
                "{entry} is listed ({reason}), but is no difference any more"
            );
        }
    }
    assert!(report.is_empty(), "{what}:\n{report}");
}

#[test]
fn every_macro_and_enumerator_agrees() {
    let Some([ours, mpich]) = headers("the comparison of macros") else {
        return;
    };
    let (our_names, mpich_names) = (names(&ours), names(&mpich));
    assert!(
        mpich_names.len() > 350,
        "only {} names found in MPICH's header",
        mpich_names.len()
    );
    let absent = |of: &BTreeSet<String>, from: &BTreeSet<String>, why: &str| {
        of.difference(from)
            .map(|name| (name.clone(), why.to_string()))
            .collect()
    };
    judge(
        "macros that our header lacks",
        &absent(&mpich_names, &our_names, "missing"),
        MISSING,
    );
    judge(
        "macros that only our header has",
        &absent(&our_names, &mpich_names, "added"),
        ADDED,
    );

    // The guard of the header has no value.
    let mut both: BTreeSet<String> = our_names.intersection(&mpich_names).cloned().collect();
    both.remove("MPI_INCLUDED");
    let our_values = values(&ours, &both, "our_values");
    let mpich_values = values(&mpich, &both, "mpich_values");
    assert_eq!(our_values.len(), both.len());
    let different = our_values
        .iter()
        .filter(|(name, value)| mpich_values[*name] != **value)
        .map(|(name, value)| {
            (
                name.clone(),
                format!("is {value}, in MPICH {}", mpich_values[name]),
            )
        })
        .collect();
    judge(
        "macros with another value than MPICH's",
        &different,
        DIFFERENT,
    );
}

/// The declarations of a preprocessed header, one each: what stands between semicolons outside of braces.
fn declarations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                found.push(
                    text[start..at]
                        .split_whitespace()
                        .collect::<Vec<_>>()
                        .join(" "),
                );
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The name that a declaration of a type makes, if it is one of MPI's: `typedef … NAME` or `typedef … (NAME)(…)`.
fn type_name(declaration: &str) -> Option<&str> {
    let rest = declaration.strip_prefix("typedef ")?;
    let name = match rest.split_once('{') {
        None => match rest.split_once('(') {
            Some((_, function)) => function.split(')').next()?.trim_start_matches('*').trim(),
            None => rest.rsplit([' ', '*']).next()?,
        },
        Some(_) => rest.rsplit([' ', '}']).next()?,
    };
    ["MPI_", "MPIX_"]
        .iter()
        .any(|p| name.starts_with(p))
        .then_some(name)
}

/// The names of the types of MPI that a header defines; `true` for those of functions.
fn types(include: &Path) -> BTreeMap<String, bool> {
    declarations(&preprocess(include, &[]))
        .iter()
        .filter_map(|declaration| {
            let name = type_name(declaration)?;
            // Older names for types of functions are no more than that.
            let function = declaration.contains('(') || name.ends_with("_fn");
            Some((name.to_string(), function))
        })
        .collect()
}

#[test]
fn every_type_has_mpichs_size_and_layout() {
    let Some([ours, mpich]) = headers("the comparison of types") else {
        return;
    };
    let (our_types, mpich_types) = (types(&ours), types(&mpich));
    assert!(
        mpich_types.len() > 45,
        "only {} types found in MPICH's header",
        mpich_types.len()
    );
    let missing = mpich_types
        .keys()
        .filter(|name| !our_types.contains_key(*name))
        .map(|name| (name.clone(), "missing".to_string()))
        .collect();
    judge("types that our header lacks", &missing, MISSING_TYPES);

    let mut both: BTreeSet<String> = our_types
        .iter()
        .filter(|(name, function)| !**function && mpich_types.contains_key(*name))
        .flat_map(|(name, _)| [format!("sizeof({name})"), format!("_Alignof({name})")])
        .collect();
    assert!(both.len() > 40);
    for status in ["MPI_Status", "MPI_F08_status"] {
        for field in [
            "count_lo",
            "count_hi_and_cancelled",
            "MPI_SOURCE",
            "MPI_TAG",
            "MPI_ERROR",
        ] {
            both.insert(format!("offsetof({status}, {field})"));
            both.insert(format!("sizeof((({status} *)0)->{field})"));
        }
    }
    for integer in ["MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint"] {
        both.insert(format!("(({integer})-1 < 0)"));
    }
    let our_values = layouts(&ours, &both, "our_layouts");
    let mpich_values = layouts(&mpich, &both, "mpich_layouts");
    assert_eq!(our_values.len(), both.len());
    let different = both
        .iter()
        .zip(our_values.iter().zip(&mpich_values))
        .filter(|(_, (our, mpich))| our != mpich)
        .map(|(what, (our, mpich))| (what.clone(), format!("is {our}, in MPICH {mpich}")))
        .collect();
    judge("types with another layout than MPICH's", &different, &[]);
}

/// The values of the expressions, in their order.
fn layouts(include: &Path, expressions: &BTreeSet<String>, program: &str) -> Vec<String> {
    let mut source = String::from(
        "#include <stdio.h>\n#include <stddef.h>\n#include <mpi.h>\nint main(void)\n{\n",
    );
    for expression in expressions {
        let _ = writeln!(source, "printf(\"%ld\\n\", (long)({expression}));");
    }
    source += "return 0;\n}\n";
    output_of(include, &source, program)
        .lines()
        .map(str::to_string)
        .collect()
}

/// MPICH's header, and after it our declarations again: the compiler says which do not agree.
#[test]
fn every_prototype_agrees() {
    let Some([ours, mpich]) = headers("the comparison of prototypes") else {
        return;
    };
    let ours: Vec<String> = declarations(&preprocess(&ours, &[]))
        .into_iter()
        // C has no second definition of a struct or an enumeration; their layouts are compared above.
        .filter(|declaration| !declaration.contains('{'))
        .collect();
    let prototypes = ours
        .iter()
        .filter(|d| d.contains("MPI_") && d.ends_with(')'))
        .count();
    assert!(
        prototypes > 100,
        "only {prototypes} prototypes found in our header"
    );

    let mut source = String::from("#include <mpi.h>\n");
    for macro_name in function_macros(&mpich) {
        let _ = writeln!(source, "#undef {macro_name}");
    }
    for declaration in &ours {
        let _ = writeln!(source, "{declaration};");
    }
    let path = write("prototypes.c", &source).display().to_string();
    let include = format!("-I{}", mpich.display());
    let output = run(
        "gcc",
        &[
            "-std=c11",
            "-fsyntax-only",
            "-fmax-errors=0",
            &include,
            &path,
        ],
    );
    let messages = String::from_utf8_lossy(&output.stderr);
    let mut different = BTreeMap::new();
    for message in messages.lines().filter(|line| line.contains(" error: ")) {
        let name = message.split('\'').nth(1).unwrap_or(message);
        let declaration = ours.iter().find(|d| d.contains(name)).map_or("", |d| d);
        different.insert(name.to_string(), format!("{message}\n    {declaration}"));
    }
    assert_eq!(output.status.success(), different.is_empty(), "{messages}");
    judge(
        "functions with another prototype than MPICH's",
        &different,
        OTHER_PROTOTYPES,
    );
}

/// The names of a header's macros that take arguments and belong to MPI.
fn function_macros(include: &Path) -> BTreeSet<String> {
    preprocess(include, &["-dM"])
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.split_once('('))
        .filter(|(name, _)| name.starts_with("MPI_") || name.starts_with("PMPI_"))
        .filter(|(name, _)| !name.contains(' '))
        .map(|(name, _)| name.to_string())
        .collect()
}
