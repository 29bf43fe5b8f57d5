//! The crates that are compiled here, for this and for every tool beside it: under which licences they are, from where they
//! come, and that there is one version of each. A crate that is excepted has to leave the list when it is no exception any more.

use serde_json::Value;
use spdx::{Expression, ParseMode};
use std::collections::BTreeMap;
use std::process::Command;

/// A crate may be under any of these, or of several that are all here.
const LICENCES: &[&str] = &["MIT", "Apache-2.0", "Unicode-3.0", "Zlib"];

/// Crates of which there are several versions, as others that are used have not agreed on one.
const SEVERAL_VERSIONS: &[&str] = &["syn", "winnow"];

/// As cargo tells of it.
struct Package {
    name: String,
    licence: Option<String>,
    /// None where it is of this workspace.
    source: Option<String>,
}

/// All packages of the workspace and those that they are made of, on this platform.
fn crates() -> Vec<Package> {
    let told = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--all-features"])
        .args(["--locked", "--filter-platform=x86_64-unknown-linux-gnu"])
        .arg(concat!(
            "--manifest-path=",
            env!("CARGO_MANIFEST_DIR"),
            "/Cargo.toml"
        ))
        .output()
        .expect("there is cargo");
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{said}");
    let metadata: Value = serde_json::from_slice(&told.stdout).expect("cargo tells it in JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    // Only of its own would there be nothing to look at.
    assert!(packages.iter().any(|package| package["name"] == "libc"));
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let package = |package: &Value| Package {
        name: text(&package["name"]).expect("it has a name"),
        licence: text(&package["license"]),
        source: text(&package["source"]),
    };
    packages.iter().map(package).collect()
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
    let packages = crates();
    let mut others = Vec::new();
    for package in packages.iter().filter(is_foreign) {
        let licence = package.licence.as_deref().unwrap_or("LicenseRef-none");
        if !is_permitted(licence) {
            others.push(format!("{}: {licence}", package.name));
        }
    }
    assert_eq!(others, [""; 0]);
}

#[test]
fn crates_come_from_the_registry() {
    let packages = crates();
    let foreign = packages.iter().filter(is_foreign);
    // As cargo names its own registry, wherever that is.
    let is_such =
        |source: &str| source.starts_with("registry+") && source.ends_with("/crates.io-index");
    let from_elsewhere = foreign.filter(|p| !p.source.as_deref().is_some_and(is_such));
    let names: Vec<_> = from_elsewhere.map(|p| p.name.as_str()).collect();
    assert_eq!(names, [""; 0]);
}

#[test]
fn there_is_one_version_of_each_crate() {
    let packages = crates();
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for package in &packages {
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
