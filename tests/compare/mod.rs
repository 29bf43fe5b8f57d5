//! Comparing headers: what the preprocessor and the compiler make of them.

use crate::compiler::{run, write};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// An `mpi.h`, as programs include it.
pub struct Header {
    pub folder: PathBuf,
    /// What the compiler is told beside.
    pub flags: &'static [&'static str],
}

impl Header {
    /// What the preprocessor makes of it, given further `flags`.
    fn preprocess(&self, flags: &[&str]) -> String {
        let source = write("include.c", "#include <mpi.h>\n");
        let include = format!("-I{}", self.folder.display());
        let path = source.display().to_string();
        let mut arguments = vec!["-std=c11", "-E", "-P", &include];
        arguments.extend(self.flags);
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

    /// The object-like macros that belong to MPI, and the enumerators.
    pub fn names(&self) -> BTreeSet<String> {
        let ours = |name: &str| {
            ["MPI", "PMPI", "QMPI", "ROMIO"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
                && !name.contains('(')
        };
        let mut found = BTreeSet::new();
        for define in self.preprocess(&["-dM"]).lines() {
            let define = define
                .strip_prefix("#define ")
                .expect("gcc -dM prints definitions");
            let name = define.split(' ').next().unwrap_or_default();
            if ours(name) {
                found.insert(name.to_string());
            }
        }
        for declaration in declarations(&self.preprocess(&[])) {
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
                    .filter(|m| m.starts_with("MPI_") || m.starts_with("MPIX_")),
            );
        }
        found
    }

    /// The value of every name, with the size of its type, as a C program prints them.
    pub fn values(&self, names: &BTreeSet<String>, program: &str) -> BTreeMap<String, String> {
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
        self.output_of(&source, program)
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    }

    /// What the program prints that is compiled of `source`.
    fn output_of(&self, source: &str, program: &str) -> String {
        let source = write(&format!("{program}.c"), source);
        let binary = source.with_extension("");
        let include = format!("-I{}", self.folder.display());
        let paths = [&source, &binary].map(|path| path.display().to_string());
        let mut arguments = vec!["-std=gnu11", "-w", &include, &paths[0], "-o", &paths[1]];
        arguments.extend(self.flags);
        let output = run("gcc", &arguments);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let output = run::<&str>(&paths[1], &[]);
        assert!(output.status.success(), "{program} fails");
        String::from_utf8(output.stdout).expect("names and values are ASCII")
    }

    /// The declarations, one each.
    pub fn declarations(&self) -> Vec<String> {
        declarations(&self.preprocess(&[]))
    }

    /// The names of the types of MPI that it defines; `true` for those of functions.
    pub fn types(&self) -> BTreeMap<String, bool> {
        self.declarations()
            .iter()
            .filter_map(|declaration| {
                let name = type_name(declaration)?;
                // Older names for types of functions are no more than that.
                let function = declaration.contains('(') || name.ends_with("_fn");
                Some((name.to_string(), function))
            })
            .collect()
    }

    /// The values of the expressions.
    pub fn layouts(
        &self,
        expressions: &BTreeSet<String>,
        program: &str,
    ) -> BTreeMap<String, String> {
        let mut source = String::from(
            "#include <stdio.h>\n#include <stddef.h>\n#include <mpi.h>\nint main(void)\n{\n",
        );
        for expression in expressions {
            let _ = writeln!(source, "printf(\"%ld\\n\", (long)({expression}));");
        }
        source += "return 0;\n}\n";
        let printed = self.output_of(&source, program);
        let values = printed.lines().map(str::to_string);
        expressions.iter().cloned().zip(values).collect()
    }

    /// The names of the macros that take arguments and belong to MPI.
    fn function_macros(&self) -> BTreeSet<String> {
        self.preprocess(&["-dM"])
            .lines()
            .filter_map(|line| line.strip_prefix("#define ")?.split_once('('))
            .filter(|(name, _)| name.starts_with("MPI_") || name.starts_with("PMPI_"))
            .filter(|(name, _)| !name.contains(' '))
            .map(|(name, _)| name.to_string())
            .collect()
    }

    /// The names of the functions that it declares.
    #[allow(
        dead_code,
        reason = "one of the programs that this is part of does not compare them"
    )]
    pub fn functions(&self) -> BTreeSet<String> {
        let declarations = self.declarations().into_iter();
        let functions = declarations.filter(|d| !d.starts_with("typedef") && d.ends_with(')'));
        let names = functions.filter_map(|d| {
            let name = d.split_once('(')?.0.rsplit([' ', '*']).next()?;
            Some(name.to_string())
        });
        names
            .filter(|name| name.starts_with("MPI") || name.starts_with("PMPI"))
            .collect()
    }

    /// Our declarations after those of this header: the compiler says which do not agree.
    pub fn disagreements(&self, ours: &Header, program: &str) -> BTreeMap<String, String> {
        let declarations = ours.declarations().into_iter();
        // C has no second definition of a struct or an enumeration; their layouts are compared elsewhere.
        let ours: Vec<String> = declarations.filter(|d| !d.contains('{')).collect();
        let prototypes = ours
            .iter()
            .filter(|d| d.contains("MPI_") && d.ends_with(')'))
            .count();
        assert!(
            prototypes > 100,
            "only {prototypes} prototypes found in our header"
        );

        let mut source = String::from("#include <mpi.h>\n");
        for macro_name in self.function_macros() {
            let _ = writeln!(source, "#undef {macro_name}");
        }
        for declaration in &ours {
            let _ = writeln!(source, "{declaration};");
        }
        let path = write(&format!("{program}.c"), &source)
            .display()
            .to_string();
        let include = format!("-I{}", self.folder.display());
        let mut arguments = vec!["-std=c11", "-fsyntax-only", "-fmax-errors=0"];
        arguments.extend([include.as_str(), &path]);
        arguments.extend(self.flags);
        let output = run("gcc", &arguments);
        let messages = String::from_utf8_lossy(&output.stderr);
        let mut different = BTreeMap::new();
        for message in messages.lines().filter(|line| line.contains(" error: ")) {
            let name = message.split('\'').nth(1).unwrap_or(message);
            let declaration = ours.iter().find(|d| d.contains(name)).map_or("", |d| d);
            different.insert(name.to_string(), format!("{message}\n    {declaration}"));
        }
        assert_eq!(output.status.success(), different.is_empty(), "{messages}");
        different
    }
}

/// The names in `of` that are not in `from`.
pub fn absent(
    of: &BTreeSet<String>,
    from: &BTreeSet<String>,
    why: &str,
) -> BTreeMap<String, String> {
    of.difference(from)
        .map(|name| (name.clone(), why.to_string()))
        .collect()
}

/// What has another value there than here.
pub fn different(
    ours: &BTreeMap<String, String>,
    theirs: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    ours.iter()
        .filter(|(name, value)| theirs[*name] != **value)
        .map(|(name, value)| {
            let difference = format!("is {value}, in MPICH {}", theirs[name]);
            (name.clone(), difference)
        })
        .collect()
}

/// Holds differences against the list of deliberate ones: prints those that are not listed, and the listed ones that are
/// none. `what` names the list.
pub fn judge(what: &str, found: &BTreeMap<String, String>, listed: &[(&str, &str)]) {
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
