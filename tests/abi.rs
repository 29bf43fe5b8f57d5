//! `mpi.h` against MPICH's own header (Debian's libmpich-dev): every macro, enumerator, type, layout and prototype.
//!
//! What differs on purpose is listed below with its reason. A listed difference that is none any more fails too.

mod compare;
mod compiler;

use compare::{Header, absent, different, judge};
use compiler::{have, have_program, our_include};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
    ("MPIU_DLL_SPEC", LANGUAGE),
    ("MPI_FILE_DEFINED", LANGUAGE),
    ("MPI_PROTO_H_INCLUDED", LANGUAGE),
    ("MPIX_ERR_EAGAIN", EXTENSION),
    ("MPIX_ERR_NOREQ", EXTENSION),
    ("QMPI_*", EXTENSION),
];

const NEWER: &str = "newer than MPI 4.0, which Debian's MPICH has";

/// Macros of our header that MPICH's lacks.
const ADDED: &[(&str, &str)] = &[
    ("MPI_BUFFER_AUTOMATIC", NEWER),
    ("MPI_COMBINER_VALUE_INDEX", NEWER),
    ("MPI_COMM_TYPE_RESOURCE_GUIDED", NEWER),
    ("MPI_COMPLEX4", NEWER),
    ("MPI_ERR_ABI", NEWER),
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
    ("MPI_VERSION", "MPI 5.0, where Debian's MPICH is MPI 4.0"),
];

/// Types of MPICH's header that ours lacks.
const MISSING_TYPES: &[(&str, &str)] = &[("MPIX_Grequest_*", EXTENSION)];

/// Functions with another prototype than MPICH's.
const OTHER_PROTOTYPES: &[(&str, &str)] = &[
    ("MPIX_Iov", "a type that exists since MPICH 4.1"),
    ("MPI_Pready_list", CONST_LIST),
    ("PMPI_Pready_list", CONST_LIST),
];
const CONST_LIST: &str = "the list is const since MPI 4.0 errata; MPICH before 4.1 lacks that";

/// Both headers, ours first; `None` where the test must be skipped.
fn headers(test: &str) -> Option<[Header; 2]> {
    let header = Path::new(MPICH).join("mpi.h");
    let there = have_program("gcc", test) && have(header.exists(), "libmpich-dev", test);
    let folders = || [our_include(), MPICH.into()];
    there.then(|| folders().map(|folder| Header { folder, flags: &[] }))
}

#[test]
fn every_macro_and_enumerator_agrees() {
    let Some([ours, mpich]) = headers("the comparison of macros") else {
        return;
    };
    let (our_names, mpich_names) = (ours.names(), mpich.names());
    assert!(
        mpich_names.len() > 350,
        "only {} names found in MPICH's header",
        mpich_names.len()
    );
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
    let our_values = ours.values(&both, "our_values");
    let mpich_values = mpich.values(&both, "mpich_values");
    assert_eq!(our_values.len(), both.len());
    judge(
        "macros with another value than MPICH's",
        &different(&our_values, &mpich_values),
        DIFFERENT,
    );
}

#[test]
fn every_type_has_mpichs_size_and_layout() {
    let Some([ours, mpich]) = headers("the comparison of types") else {
        return;
    };
    let (our_types, mpich_types) = (ours.types(), mpich.types());
    assert!(
        mpich_types.len() > 45,
        "only {} types found in MPICH's header",
        mpich_types.len()
    );
    let names = |types: &BTreeMap<String, bool>| types.keys().cloned().collect();
    let missing = absent(&names(&mpich_types), &names(&our_types), "missing");
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
    let our_values = ours.layouts(&both, "our_layouts");
    let mpich_values = mpich.layouts(&both, "mpich_layouts");
    assert_eq!(our_values.len(), both.len());
    judge(
        "types with another layout than MPICH's",
        &different(&our_values, &mpich_values),
        &[],
    );
}

/// MPICH's header, and after it our declarations again: the compiler says which do not agree.
#[test]
fn every_prototype_agrees() {
    let Some([ours, mpich]) = headers("the comparison of prototypes") else {
        return;
    };
    judge(
        "functions with another prototype than MPICH's",
        &mpich.disagreements(&ours, "prototypes"),
        OTHER_PROTOTYPES,
    );
}
