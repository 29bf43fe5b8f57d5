//! Calls between the rooms of the library go inwards only: every `use crate::…` and path in `src` is read, and an arrow from a
//! lower layer to a higher one fails. The rooms and their layers are in ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The layers, the lowest first. Rooms of one layer may call each other, if it is no circle that `CIRCLES` does not name.
const LAYERS: &[&[&str]] = &[
    &["mpi"],
    &["error", "handle"],
    &["shm"],
    &["runtime"],
    &["attribute", "info"],
    &["datatype", "op"],
    &["transport"],
    &["comm"],
    &["p2p", "coll"],
    &["win", "file"],
    &["session", "startup", "tools"],
    &["abi"],
];

/// Arrows that go up as yet. One that is gone is taken off this list, or the test fails.
const UPWARD: &[(&str, &str)] = &[];

/// Rooms of one layer that call each other both ways as yet; the same holds.
const CIRCLES: &[(&str, &str)] = &[("error", "handle")];

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

fn listed(list: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    let own = |&(from, to): &(&str, &str)| (from.to_string(), to.to_string());
    list.iter().map(own).collect()
}

#[test]
fn no_arrow_goes_up() {
    let mut found = arrows();
    found.retain(|(from, to)| layer(from) < layer(to));
    assert_eq!(found, listed(UPWARD));
}

#[test]
fn no_rooms_of_a_layer_go_in_a_circle() {
    let all = arrows();
    let mut found = all.clone();
    found.retain(|(from, to)| {
        from < to && layer(from) == layer(to) && all.contains(&(to.clone(), from.clone()))
    });
    assert_eq!(found, listed(CIRCLES));
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
