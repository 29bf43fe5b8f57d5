//! What the library of the C++ classes exports, beside Open MPI's own.

use crate::compiler::{have, have_program, run};
use crate::exports::covers;
use crate::{have_library, library_folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const BETWEEN: &str = "between its own parts; no inline function of the header refers to it";
const IN_PROGRAMS: &str = "the class is inline as a whole, and each program has what it uses of it";

/// Names of Open MPI's library that no program asks for.
const NOT_ASKED_FOR: [(&str, &str); 7] = [
    ("ompi_cxx_*", BETWEEN),
    ("ompi_mpi_cxx_*_attr_intercept", BETWEEN),
    ("ompi_mpi_cxx_*_errhandler_invoke", BETWEEN),
    ("ompi_mpi_cxx_*_throw_excptn_fctn", BETWEEN),
    ("ompi_mpi_cxx_throw_exception", BETWEEN),
    ("_ZN3MPI8Grequest*", IN_PROGRAMS),
    ("_ZT?N3MPI8GrequestE", IN_PROGRAMS),
];

fn is_asked_for(name: &str) -> bool {
    let name = if name.starts_with("_ZT") && name.ends_with("N3MPI8GrequestE") {
        "_ZT?N3MPI8GrequestE"
    } else {
        name
    };
    !NOT_ASKED_FOR.iter().any(|(entry, _)| covers(entry, name))
}

/// Open MPI's library and this one, where both and the tools are there.
fn libraries(test: &str) -> Option<(PathBuf, PathBuf)> {
    let theirs = PathBuf::from("/usr/lib/x86_64-linux-gnu/libmpi_cxx.so.40");
    let there = have_library(test)
        && have_program("nm", test)
        && have_program("readelf", test)
        && have_program("g++", test)
        && have(theirs.exists(), "Debian's libopenmpi3", test);
    there.then(|| (theirs, library_folder().join("libmpi_cxx.so.40")))
}

fn said(program: &str, arguments: &[&str], library: &Path) -> String {
    let library = library.to_string_lossy();
    let output = run(program, &[arguments, &[&*library]].concat());
    assert!(output.status.success(), "{program} {library}");
    String::from_utf8(output.stdout).expect("symbols are ASCII")
}

/// A symbol's kind, place and size.
struct Symbol {
    is_data: bool,
    place: u64,
    size: u64,
}

fn symbols(library: &Path) -> BTreeMap<String, Symbol> {
    let hexadecimal = |word: &str| u64::from_str_radix(word, 16).expect("a number");
    let symbol = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [place, size, kind, name] = words[..] else {
            return None;
        };
        let symbol = Symbol {
            is_data: "BDRV".contains(kind),
            place: hexadecimal(place),
            size: hexadecimal(size),
        };
        Some((name.to_string(), symbol))
    };
    let lines = said("nm", &["-D", "-S", "--defined-only"], library);
    lines.lines().filter_map(symbol).collect()
}

#[test]
fn every_name_of_the_classes_is_exported_with_its_size() {
    let Some((theirs, ours)) = libraries("the comparison with Open MPI's library for C++") else {
        return;
    };
    let (theirs, ours) = (symbols(&theirs), symbols(&ours));
    assert!(theirs.len() > 350, "it has only {} names", theirs.len());
    let mut complaints = Vec::new();
    for (name, their) in theirs.iter().filter(|(name, _)| is_asked_for(name)) {
        match ours.get(name) {
            None => complaints.push(format!("{name} is not exported")),
            // A text that tells the version.
            Some(_) if name.ends_with("ompi_libcxx_version_stringE") => {}
            Some(our) if their.is_data && our.size != their.size => {
                complaints.push(format!("{name} has {} bytes, not {}", our.size, their.size));
            }
            Some(_) => {}
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// For each class, the functions of its table, by their places in it.
fn tables(library: &Path) -> BTreeMap<String, Vec<(u64, String)>> {
    let symbols = symbols(library);
    let mut tables: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for line in said("readelf", &["-rW"], library).lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(Ok(place)), Some(&"R_X86_64_64"), Some(target)) = (
            words.first().map(|word| u64::from_str_radix(word, 16)),
            words.get(2),
            words.get(4),
        ) else {
            continue;
        };
        let holds = |symbol: &Symbol| (symbol.place..symbol.place + symbol.size).contains(&place);
        let table = symbols
            .iter()
            .find(|(name, symbol)| name.starts_with("_ZTVN3MPI") && holds(symbol));
        if let Some((name, symbol)) = table {
            let functions = tables.entry(name.clone()).or_default();
            functions.push((place - symbol.place, (*target).to_string()));
        }
    }
    for functions in tables.values_mut() {
        functions.sort();
    }
    tables
}

/// The order of the virtual functions is part of the interface: a program calls them by their places.
#[test]
fn virtual_functions_have_their_places() {
    let Some((theirs, ours)) = libraries("the comparison with Open MPI's virtual functions") else {
        return;
    };
    let (mut theirs, mut ours) = (tables(&theirs), tables(&ours));
    theirs.retain(|name, _| is_asked_for(name));
    ours.retain(|name, _| is_asked_for(name));
    let functions: usize = theirs.values().map(Vec::len).sum();
    assert!(theirs.len() >= 15 && functions > 300, "{theirs:?}");
    for (name, table) in &theirs {
        assert_eq!(ours.get(name), Some(table), "{name}");
    }
}

/// All that the header's inline functions refer to, and no class defines in the program, is in a library of the prefix.
#[test]
fn what_inline_functions_refer_to_is_there() {
    let test = "what Open MPI's header for C++ refers to";
    let Some((_, ours)) = libraries(test) else {
        return;
    };
    if !have_program("mpicxx.openmpi", test) {
        return;
    }
    let source = crate::compiler::write("inline.cc", "#include <mpi.h>\n");
    let object = source.with_extension("o");
    let (from, to) = (source.to_string_lossy(), object.to_string_lossy());
    let output = run(
        "mpicxx.openmpi",
        &["-w", "-fkeep-inline-functions", "-c", &from, "-o", &to],
    );
    assert!(output.status.success(), "{output:?}");
    let asked = said("nm", &["-u"], &object);
    let asked: Vec<&str> = asked
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .filter(|name| ["MPI", "ompi", "OMPI"].iter().any(|of| name.contains(of)))
        .collect();
    assert!(asked.len() > 250, "{asked:?}");
    let (classes, c) = (
        symbols(&ours),
        symbols(&library_folder().join("libmpi.so.40")),
    );
    let is_there = |name: &&&str| classes.contains_key(**name) || c.contains_key(**name);
    let missing: Vec<_> = asked.iter().filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
