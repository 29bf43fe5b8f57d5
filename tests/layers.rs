//! Calls between the rooms of the library go inwards only: every `use crate::…` and path in `src` is read, and an arrow from a
//! lower layer to a higher one fails. The rooms and their layers are in ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The layers, the lowest first. Rooms of one layer may call each other, but not in a circle.
const LAYERS: &[&[&str]] = &[
    &["naming", "reserve", "version"],
    &["shm"],
    &["check", "observe"],
    &["mpi"],
    &["error"],
    &["handle"],
    &["errhandler"],
    &["runtime"],
    &["attribute", "block", "info"],
    &["datatype", "op"],
    &["transport"],
    &["comm"],
    &["p2p", "coll"],
    &["win", "file"],
    &["session", "startup", "tools"],
    &["abi"],
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the sources can be read");
    let paths = entries.map(|entry| entry.expect("the sources can be read").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .collect()
}

/// The first names of all paths that begin with `crate::`, those in braces included. Comments do not count.
fn named(text: &str) -> BTreeSet<String> {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let code: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
    let code = code.join("\n");
    let mut names = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            None => names.extend(first_name(after)),
            Some(list) => names.extend(members(list).iter().filter_map(|path| first_name(path))),
        }
    }
    names
}

fn first_name(path: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let path = path.trim_start();
    let end = path.find(|c| !is_part(c)).unwrap_or(path.len());
    (end > 0).then(|| path[..end].to_string())
}

/// The paths of a list in braces, of which the opening one is gone.
fn members(list: &str) -> Vec<&str> {
    let (mut found, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(&list[begin..at]);
                begin = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

fn layer(room: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&room))
}

/// All arrows between different rooms.
fn arrows() -> BTreeSet<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut arrows = BTreeSet::new();
    for path in sources(&source) {
        let place = path.strip_prefix(&source).expect("it lies there");
        let first = place.components().next().expect("it has a name");
        let room = first.as_os_str().to_string_lossy().replace(".rs", "");
        if room == "bin" || room == "lib" {
            continue;
        }
        assert!(layer(&room).is_some(), "room {room} has no layer");
        let text = std::fs::read_to_string(&path).expect("the sources can be read");
        let others = named(&text).into_iter().filter(|name| *name != room);
        // What has no layer is a macro.
        let others = others.filter(|name| layer(name).is_some());
        arrows.extend(others.map(|other| (room.clone(), other)));
    }
    arrows
}

#[test]
fn no_arrow_goes_up() {
    let mut found = arrows();
    found.retain(|(from, to)| layer(from) < layer(to));
    assert_eq!(found, BTreeSet::new());
}

#[test]
fn no_two_rooms_call_each_other() {
    let all = arrows();
    let mut found = all.clone();
    found.retain(|(from, to)| all.contains(&(to.clone(), from.clone())));
    assert_eq!(found, BTreeSet::new());
}

/// The files of `src` but those of unit tests, and what the rows of the map name; a folder stands for its `mod.rs`.
#[test]
fn every_file_has_a_row_in_the_map() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = project.join("src");
    let all = sources(&source).into_iter();
    let names = all.map(|path| {
        let place = path.strip_prefix(&source).expect("it lies there");
        place.to_string_lossy().replace("/mod.rs", "/")
    });
    let files: BTreeSet<String> = names.filter(|name| !name.contains("tests")).collect();
    let map = std::fs::read_to_string(project.join("ARCHITECTURE.md")).expect("it is there");
    let map = map
        .split("\n## ")
        .find(|section| section.starts_with("1. "));
    let rows = map.expect("there is a map").lines();
    let name = |row: &str| Some(row.strip_prefix("| `")?.split_once('`')?.0.to_string());
    let is_file = |name: &String| name.contains(['.', '/']);
    let rows: BTreeSet<String> = rows.filter_map(name).filter(is_file).collect();
    assert_eq!(files.difference(&rows).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(rows.difference(&files).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn paths_are_found() {
    let names = |text| named(text).into_iter().collect::<Vec<_>>();
    assert_eq!(names("use crate::shm::heap;"), ["shm"]);
    assert_eq!(
        names("use crate::{bail, shm::{a, b}, win};"),
        ["bail", "shm", "win"]
    );
    assert_eq!(names("// crate::win\nlet x = crate::op::f();"), ["op"]);
    assert_eq!(names("use super::x;"), [""; 0]);
}
