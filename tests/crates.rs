//! The crates that are compiled here, for this and for every tool beside it: under which licences they are, from where they
//! come, and that there is one version of each. A crate that is excepted has to leave the list when it is no exception any more.

use cargo_metadata::{CargoOpt, Metadata, MetadataCommand, Package};
use spdx::{Expression, ParseMode};
use std::collections::BTreeMap;

/// A crate may be under any of these, or of several that are all here.
const LICENCES: &[&str] = &["MIT", "Apache-2.0", "Unicode-3.0", "Zlib"];

/// Crates of which there are several versions, as others that are used have not agreed on one.
const SEVERAL_VERSIONS: &[&str] = &["syn", "winnow"];

/// All packages of the workspace and those that they are made of, on this platform.
fn crates() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .features(CargoOpt::AllFeatures)
        .other_options([
            "--locked".to_string(),
            "--filter-platform=x86_64-unknown-linux-gnu".to_string(),
        ])
        .exec()
        .expect("cargo tells what the workspace is made of")
}

fn is_foreign(package: &&Package) -> bool {
    package.source.is_some()
}

fn is_permitted(licence: &str) -> bool {
    let expression = Expression::parse_mode(licence, ParseMode::LAX)
        .unwrap_or_else(|error| panic!("licence '{licence}': {error}"));
    expression.evaluate(|wanted| {
        let id = wanted.license.id();
        wanted.addition.is_none() && id.is_some_and(|id| LICENCES.contains(&id.name))
    })
}

#[test]
fn licences_let_all_of_it_be_given_on() {
    let metadata = crates();
    let mut others = Vec::new();
    for package in metadata.packages.iter().filter(is_foreign) {
        let licence = package.license.as_deref().unwrap_or("LicenseRef-none");
        if !is_permitted(licence) {
            others.push(format!("{}: {licence}", package.name));
        }
    }
    assert_eq!(others, [""; 0]);
}

#[test]
fn crates_come_from_the_registry() {
    let metadata = crates();
    let foreign = metadata.packages.iter().filter(is_foreign);
    let from_elsewhere = foreign.filter(|p| !p.source.as_ref().is_some_and(|s| s.is_crates_io()));
    let names: Vec<_> = from_elsewhere.map(|p| p.name.as_str()).collect();
    assert_eq!(names, [""; 0]);
}

#[test]
fn there_is_one_version_of_each_crate() {
    let metadata = crates();
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for package in &metadata.packages {
        *versions.entry(package.name.as_str()).or_default() += 1;
    }
    versions.retain(|_, versions| *versions > 1);
    let several: Vec<_> = versions.into_keys().collect();
    assert_eq!(several, SEVERAL_VERSIONS);
}

#[test]
fn expressions_of_licences_are_understood() {
    assert!(is_permitted("MIT OR GPL-3.0-only"));
    assert!(is_permitted("MIT/Apache-2.0"));
    assert!(is_permitted("(MIT OR Zlib) AND Unicode-3.0"));
    assert!(!is_permitted("MIT AND GPL-3.0-only"));
    assert!(!is_permitted("MPL-2.0"));
}
