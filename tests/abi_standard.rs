//! `mpi_abi.h` against that of MPICH 5, whose values are those of MPI 5.0 §20: every macro, enumerator, type, layout and prototype.
//!
//! What differs on purpose is listed below with its reason. A listed difference that is none any more fails too.

mod compare;
mod compiler;

use compare::{Header, absent, different, judge};
use compiler::our_include;
use harness::needs::{need, need_mpich_abi};
use std::collections::{BTreeMap, BTreeSet};

const GUARD: &str = "keeps a header from being read twice";
const EXTENSION: &str = "an extension of MPICH's that is not in the standard";

/// Macros and enumerators of MPICH's header that ours lacks.
const MISSING: &[(&str, &str)] = &[("MPI_H_ABI", GUARD)];

/// Macros of our header that MPICH's lacks.
const ADDED: &[(&str, &str)] = &[("MPI_ABI_INCLUDED", GUARD)];

/// Types of MPICH's header that ours lacks. A name that ends in `*` stands for all that begin so.
const MISSING_TYPES: &[(&str, &str)] = &[("MPIX_*", EXTENSION)];

/// Functions of MPICH's header that ours lacks.
const MISSING_FUNCTIONS: &[(&str, &str)] = &[("MPIX_*", EXTENSION), ("PMPIX_*", EXTENSION)];

/// Both headers, ours first; `None` where the test must be skipped.
fn headers() -> Option<[Header; 2]> {
    if !need("gcc", "gcc") {
        return None;
    }
    let folders = [our_include(), need_mpich_abi()?.join("include")];
    let flags = &["-DMPI_ABI"];
    Some(folders.map(|folder| Header { folder, flags }))
}

#[test]
fn every_macro_and_enumerator_agrees() {
    let Some([ours, mpich]) = headers() else {
        return;
    };
    let (our_names, mpich_names) = (ours.names(), mpich.names());
    assert!(mpich_names.len() > 350, "only {}", mpich_names.len());
    let missing = absent(&mpich_names, &our_names, "missing");
    judge("macros that our header lacks", &missing, MISSING);
    let added = absent(&our_names, &mpich_names, "added");
    judge("macros that only our header has", &added, ADDED);

    let both: BTreeSet<String> = our_names.intersection(&mpich_names).cloned().collect();
    let our_values = ours.values(&both, "our_values");
    assert_eq!(our_values.len(), both.len());
    let different = different(&our_values, &mpich.values(&both, "mpich_values"));
    judge("macros with another value than MPICH's", &different, &[]);
}

#[test]
fn every_type_has_the_same_size_and_layout() {
    let Some([ours, mpich]) = headers() else {
        return;
    };
    let (our_types, mpich_types) = (ours.types(), mpich.types());
    assert!(mpich_types.len() > 45, "only {}", mpich_types.len());
    let names = |types: &BTreeMap<String, bool>| types.keys().cloned().collect();
    let missing = absent(&names(&mpich_types), &names(&our_types), "missing");
    judge("types that our header lacks", &missing, MISSING_TYPES);
    let added = absent(&names(&our_types), &names(&mpich_types), "added");
    judge("types that only our header has", &added, &[]);

    let data = our_types.iter().filter(|(_, function)| !**function);
    let mut both: BTreeSet<String> = data
        .flat_map(|(name, _)| [format!("sizeof({name})"), format!("_Alignof({name})")])
        .collect();
    assert!(both.len() > 40, "only {}", both.len());
    for field in ["MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal"] {
        both.insert(format!("offsetof(MPI_Status, {field})"));
        both.insert(format!("sizeof(((MPI_Status *)0)->{field})"));
    }
    for integer in ["MPI_Aint", "MPI_Count", "MPI_Offset"] {
        both.insert(format!("(({integer})-1 < 0)"));
    }
    let our_layouts = ours.layouts(&both, "our_layouts");
    assert_eq!(our_layouts.len(), both.len());
    let different = different(&our_layouts, &mpich.layouts(&both, "mpich_layouts"));
    judge("types with another layout than MPICH's", &different, &[]);
}

#[test]
fn every_function_has_the_same_prototype() {
    let Some([ours, mpich]) = headers() else {
        return;
    };
    let (our_functions, mpich_functions) = (ours.functions(), mpich.functions());
    assert!(
        mpich_functions.len() > 1200,
        "only {}",
        mpich_functions.len()
    );
    let missing = absent(&mpich_functions, &our_functions, "missing");
    judge(
        "functions that our header lacks",
        &missing,
        MISSING_FUNCTIONS,
    );
    let added = absent(&our_functions, &mpich_functions, "added");
    judge("functions that only our header has", &added, &[]);
    let different = mpich.disagreements(&ours, "prototypes");
    judge(
        "functions with another prototype than MPICH's",
        &different,
        &[],
    );
}
