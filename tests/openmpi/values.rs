//! Every macro, enumerator, type and layout of Open MPI's headers against the rows of the sources that the library is made of.

use crate::compiler::{run, write};
use crate::exports::covers;
use crate::{headers, support};
use generator::model::{Face, Interface, Shape, Type, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const BUILD: &str = "says how Open MPI was built";
const LANGUAGE: &str = "internal to how Open MPI's header is put together";
const VERSION: &str = "the version of Open MPI";
const FUNCTION: &str = "a function, which the library exports";
const PLACE: &str = "an address that the library knows by itself; the programs use it";
const OLD_NAME: &str = "an old name of something that the sources have";
const AFFINITY: &str = "formats of one function, which knows them";

/// Macros and enumerators of Open MPI's headers for which the sources have no row.
const WITHOUT_ROW: &[(&str, &str)] = &[
    ("MPIO_*", OLD_NAME),
    ("MPIX_CUDA_AWARE_SUPPORT", BUILD),
    ("MPIX_ROCM_AWARE_SUPPORT", BUILD),
    ("MPIX_FT", OLD_NAME),
    ("MPIX_SHORT_FLOAT", OLD_NAME),
    ("MPIX_C_SHORT_FLOAT_COMPLEX", "another name of MPI_COMPLEX4"),
    (
        "MPIX_CXX_SHORT_FLOAT_COMPLEX",
        "another name of MPI_COMPLEX4",
    ),
    ("MPI_*_FN", FUNCTION),
    ("MPI_CXX_COMPLEX", OLD_NAME),
    ("IMPI_CLIENT_SIZE", "the number of MPI_FT, which is newer"),
    ("MPI_ATTR_PREDEFINED_KEY_MAX", BUILD),
    ("MPI_INFO_KEY_SESSION_PSET_SIZE", "a string"),
    ("MPI_T_PVAR_ALL_HANDLES", PLACE),
    ("MPI_UNWEIGHTED", PLACE),
    ("MPI_WEIGHTS_EMPTY", PLACE),
    ("OMPI_AFFINITY_*", AFFINITY),
    ("OMPI_BUILD*", BUILD),
    ("OMPI_CLEANUP_SIZEOF_VOID_P", LANGUAGE),
    ("OMPI_COMM_TYPE_NODE", OLD_NAME),
    ("OMPI_CXX_SUPPORTS_2D_CONST_CAST", BUILD),
    ("OMPI_ENABLE_MPI1_COMPAT", BUILD),
    ("OMPI_FORTRAN_STATUS_SIZE", OLD_NAME),
    ("OMPI_HAVE_*", BUILD),
    ("OMPI_MPI_EXT_H", LANGUAGE),
    ("OMPI_MAJOR_VERSION", VERSION),
    ("OMPI_MINOR_VERSION", VERSION),
    ("OMPI_RELEASE_VERSION", VERSION),
    ("OMPI_MPI_OFFSET_SIZE", BUILD),
    ("OMPI_OFFSET_DATATYPE", BUILD),
    ("OMPI_OMIT_MPI1_COMPAT_DECLS", LANGUAGE),
    ("OMPI_PARAM_CHECK", BUILD),
    ("OMPI_REMOVED_USE_STATIC_ASSERT", LANGUAGE),
    ("OMPI_WANT_*", LANGUAGE),
    ("OMPI_WAS_*", OLD_NAME),
    ("OPEN_MPI", VERSION),
];

const REMOVED: &str = "in headers of libraries that have what MPI-3 removed";
const NOT_HERE: &str = "in headers of libraries for machines whose Fortran has it";

/// Rows for which the headers have no name.
const ROWS_ALONE: &[(&str, &str)] = &[
    ("MPI_LB", REMOVED),
    ("MPI_UB", REMOVED),
    ("MPI_COMBINER_*_INTEGER", REMOVED),
    ("MPI_INTEGER16", NOT_HERE),
    ("MPI_REAL2", NOT_HERE),
    ("MPI_COMPLEX4", NOT_HERE),
    ("MPI_CONVERSION_FN_NULL_C", "newer than Open MPI's MPI"),
    ("MPIR_ERRORS_THROW_EXCEPTIONS", "of the classes of C++"),
];

/// What the sources say of Open MPI's interface.
fn interface() -> Interface {
    let folder = |name: &str| support::repository().join(name);
    generator::read::interface(&folder("src/mpi"), &folder("src/abi"), Face::Openmpi)
        .expect("the sources are understood")
}

/// The value of every row, as [`theirs`] says it.
fn ours(interface: &Interface) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for constant in &interface.constants {
        let value = match &constant.value {
            Value::Decimal(number) | Value::Hexadecimal(number) => number.to_string(),
            Value::Address(variable) => format!("&{variable}"),
            Value::Same(name) => String::clone(&values[name]),
        };
        values.insert(constant.name.clone(), value);
    }
    values
}

/// What the preprocessor makes of the headers in `include`, given further `flags`. In C99, the header of Open MPI 4 says what MPI-3
/// removed by attributes, and not by assertions.
fn preprocess(include: &Path, flags: &[&str]) -> String {
    let source = write("include.c", HEADERS);
    let mut arguments = vec!["-std=gnu99".to_string(), "-E".into(), "-P".into()];
    arguments.push(format!("-I{}", include.display()));
    arguments.extend(flags.iter().map(|flag| flag.to_string()));
    arguments.push(source.display().to_string());
    let output = run("gcc", &arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).expect("headers are ASCII")
}

const HEADERS: &str = "#include <mpi.h>\n#include <mpi-ext.h>\n";

/// What is no value: types, guards, attributes.
const NO_VALUES: [&str; 8] = [
    "MPI_Fint",
    "MPIO_Request",
    "OMPI_DECLSPEC",
    "OMPI_MPI_AINT_TYPE",
    "OMPI_MPI_COUNT_TYPE",
    "OMPI_MPI_OFFSET_TYPE",
    "OMPI_MPI_H",
    "OMPI_PORTABLE_PLATFORM_H",
];

/// The value of every macro and enumerator of the headers in `include`: a number, or `&variable`.
fn theirs(include: &Path) -> BTreeMap<String, String> {
    let is_ours = |name: &str| {
        let prefixes = ["MPI", "OMPI_", "IMPI_", "OPEN_MPI"];
        prefixes.iter().any(|prefix| name.starts_with(prefix))
            && !name.contains('(')
            && !NO_VALUES.contains(&name)
    };
    let (mut values, mut numbers) = (BTreeMap::new(), BTreeSet::new());
    for define in preprocess(include, &["-dM"]).lines() {
        let define = define
            .strip_prefix("#define ")
            .expect("gcc -dM prints definitions");
        let (name, text) = define.split_once(' ').unwrap_or((define, ""));
        if !is_ours(name) || text.is_empty() {
            continue;
        }
        match text.strip_prefix("OMPI_PREDEFINED_GLOBAL(") {
            Some(arguments) => {
                let (_, variable) = arguments.split_once(',').expect("a type and a variable");
                let variable = variable.trim().trim_end_matches(')');
                values.insert(name.to_string(), format!("&{variable}"));
            }
            None => {
                numbers.insert(name.to_string());
            }
        }
    }
    for enumeration in preprocess(include, &[]).split("enum").skip(1) {
        let Some((_, members)) = enumeration.split_once('{') else {
            continue;
        };
        let members = members.split('}').next().unwrap_or_default();
        let names = members
            .split(',')
            .filter_map(|member| member.split('=').next());
        numbers.extend(
            names
                .map(str::trim)
                .filter(|name| is_ours(name))
                .map(str::to_string),
        );
    }
    let mut source = format!("#include <stdio.h>\n{HEADERS}int main(void)\n{{\n");
    for name in &numbers {
        let _ = writeln!(source, "printf(\"{name} %ld\\n\", (long)({name}));");
    }
    source += "return 0;\n}\n";
    for line in output_of(include, &source, "values").lines() {
        let (name, value) = line.split_once(' ').expect("a name and a value");
        values.insert(name.to_string(), value.to_string());
    }
    assert!(
        values.len() > 350,
        "only {} names in {}",
        values.len(),
        include.display()
    );
    values
}

/// What the program prints that is compiled of `source` with the headers in `include`. Its functions and variables of MPI are
/// nowhere: it takes addresses, and calls none.
fn output_of(include: &Path, source: &str, program: &str) -> String {
    let source = write(&format!("{program}.c"), source);
    let binary = source.with_extension("").display().to_string();
    let output = run(
        "gcc",
        &[
            "-std=gnu99",
            "-w",
            "-no-pie",
            "-Wl,--unresolved-symbols=ignore-all",
            &format!("-I{}", include.display()),
            &source.display().to_string(),
            "-o",
            &binary,
        ],
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let output = run::<&str>(&binary, &[]);
    assert!(output.status.success(), "{program} fails");
    String::from_utf8(output.stdout).expect("names and values are ASCII")
}

#[test]
fn every_value_is_openmpis() {
    let headers = headers("the comparison with Open MPI's values");
    let ours = ours(&interface());
    assert!(
        ours.len() > 350,
        "only {} rows are for Open MPI",
        ours.len()
    );
    let theirs: Vec<(PathBuf, _)> = headers
        .into_iter()
        .map(|h| (h.clone(), theirs(&h)))
        .collect();
    let mut report = String::new();
    let is_listed =
        |name: &str, list: &[(&str, &str)]| list.iter().any(|(entry, _)| covers(entry, name));
    for (header, theirs) in &theirs {
        for (name, value) in theirs {
            let _ = match ours.get(name) {
                Some(ours) if ours == value => Ok(()),
                Some(ours) => writeln!(report, "{name} is {ours}, in {} {value}", header.display()),
                None if is_listed(name, WITHOUT_ROW) => Ok(()),
                None => writeln!(
                    report,
                    "{name} has no row, in {} it is {value}",
                    header.display()
                ),
            };
        }
    }
    // One header alone is no reason to call a list stale.
    if theirs.len() > 1 {
        let all: BTreeSet<&String> = theirs
            .iter()
            .flat_map(|(_, theirs)| theirs.keys())
            .collect();
        let is_there = |entry: &str| {
            all.iter()
                .any(|name| !ours.contains_key(*name) && covers(entry, name))
        };
        for (entry, reason) in WITHOUT_ROW.iter().filter(|(entry, _)| !is_there(entry)) {
            let _ = writeln!(
                report,
                "{entry} is listed ({reason}), but in no header without a row"
            );
        }
        for name in ours
            .keys()
            .filter(|name| !all.contains(name) && !is_listed(name, ROWS_ALONE))
        {
            let _ = writeln!(report, "{name} has a row, but is in no header");
        }
    }
    assert!(report.is_empty(), "{report}");
}

/// Size and alignment in C.
fn layout(interface: &Interface, kind: &Type) -> (usize, usize) {
    match kind {
        Type::Char => (1, 1),
        Type::Int => (4, 4),
        Type::Void => panic!("nothing has no layout"),
        Type::Double
        | Type::AddressSized
        | Type::Wide
        | Type::Callback(_)
        | Type::Pointer { .. } => (8, 8),
        Type::Array { of, length } => {
            let (size, align) = layout(interface, of);
            (size * *length as usize, align)
        }
        Type::Named(name) => {
            let known = interface
                .definitions
                .iter()
                .find(|known| known.name == *name);
            match &known.expect("it is defined").shape {
                Shape::Handle => (8, 8),
                Shape::Alias(kind) => layout(interface, kind),
                Shape::Struct(members) => {
                    let aligns = members
                        .iter()
                        .map(|member| layout(interface, &member.kind).1);
                    let align = aligns.max().expect("a struct has fields");
                    let ends = fields(interface, name)
                        .into_iter()
                        .map(|(_, at, size)| at + size);
                    let end = ends.max().expect("a struct has fields");
                    (end.next_multiple_of(align), align)
                }
                shape => panic!("{name} has no layout: {shape:?}"),
            }
        }
    }
}

/// The fields of a struct: name, offset, size.
fn fields(interface: &Interface, name: &str) -> Vec<(String, usize, usize)> {
    let known = interface
        .definitions
        .iter()
        .find(|known| known.name == *name);
    let Shape::Struct(fields) = &known.expect("it is defined").shape else {
        panic!("{name} is no struct");
    };
    let mut end = 0;
    let place = |field: &generator::model::Variable| {
        let (size, align) = layout(interface, &field.kind);
        let offset = usize::next_multiple_of(end, align);
        end = offset + size;
        (field.name.clone(), offset, size)
    };
    fields.iter().map(place).collect()
}

#[test]
fn every_layout_is_openmpis() {
    let interface = interface();
    for include in headers("the comparison with Open MPI's layouts") {
        let text = preprocess(&include, &[]);
        let mut wanted = String::new();
        let mut source =
            format!("#include <stdio.h>\n#include <stddef.h>\n{HEADERS}int main(void)\n{{\n");
        let mut compare = |what: String, size: usize| {
            let _ = writeln!(wanted, "{what} {size}");
            let _ = writeln!(source, "printf(\"{what} %zu\\n\", (size_t)({what}));");
        };
        let mut types = 0;
        for definition in &interface.definitions {
            let name = &definition.name;
            // Open MPI 4 has fewer types than 5.
            let is_theirs =
                text.contains(&format!(" {name};")) || text.contains(&format!("*{name};"));
            if matches!(definition.shape, Shape::Opaque | Shape::Function(_)) || !is_theirs {
                continue;
            }
            types += 1;
            let (size, align) = layout(&interface, &Type::named(name));
            compare(format!("sizeof({name})"), size);
            compare(format!("__alignof__({name})"), align);
            if matches!(definition.shape, Shape::Struct(_)) {
                for (field, offset, size) in fields(&interface, name) {
                    // What is behind the standard's fields has no name of the standard's.
                    if name == "MPI_F08_status" && field == "MPI_internal" {
                        continue;
                    }
                    compare(format!("offsetof({name}, {field})"), offset);
                    compare(format!("sizeof((({name} *)0)->{field})"), size);
                }
            }
        }
        assert!(types > 15, "only {types} types in {}", include.display());
        source += "return 0;\n}\n";
        assert_eq!(output_of(&include, &source, "layouts"), wanted);
    }
}
