//! The documents: every relative link in them leads to a file, and to a heading of it; the book lists all of them; what they quote is
//! what is tested; the reference of hints has all that there are. `make check-book` makes the book, too, and follows its links.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::scratch::Scratch;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder, with those of the folders in it, that have this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let all = paths.flat_map(|path| match path.is_dir() {
        true => files(&path, ending),
        false => vec![path],
    });
    all.filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect()
}

/// All documents of the repository.
fn documents() -> Vec<PathBuf> {
    let entries = fs::read_dir(root()).expect("the repository can be read");
    let paths = entries.map(|entry| entry.expect("the repository can be read").path());
    let mut all: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    for folder in ["bench", "docs"] {
        all.extend(files(&root().join(folder), "md"));
    }
    assert!(all.len() > 15, "only {all:?}");
    all
}

/// The lines outside blocks of code, without code in them.
fn prose(text: &str) -> Vec<String> {
    let mut in_fence = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        in_fence ^= is_fence;
        if !in_fence && !is_fence && !line.starts_with("    ") {
            lines.push(line.split('`').step_by(2).collect());
        }
    }
    lines
}

/// The targets of links in Markdown.
fn links(text: &str) -> Vec<String> {
    // A link may go on in the next line.
    let prose = prose(text).join("\n");
    let targets = prose.split("](").skip(1);
    let whole = targets.filter_map(|rest| Some(rest.split_once(')')?.0.to_string()));
    whole.collect()
}

/// The anchors of a document's headings, as repository browsers and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut in_fence = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        in_fence ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if in_fence || title == line || !title.starts_with(' ') {
            continue;
        }
        let letters = title.trim().chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            other => other.is_alphanumeric().then_some(other),
        });
        anchors.insert(letters.collect::<String>().to_lowercase());
    }
    anchors
}

fn is_elsewhere(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

#[test]
fn links_lead_somewhere() {
    let mut count = 0;
    let mut broken = Vec::new();
    for document in documents() {
        let text = read(&document);
        for link in links(&text).into_iter().filter(|link| !is_elsewhere(link)) {
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => document.clone(),
                path => document.parent().expect("it has a folder").join(path),
            };
            let is_right = match anchor {
                "" => target.exists(),
                anchor => target.is_file() && anchors(&read(&target)).contains(anchor),
            };
            if !is_right {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(count > 50, "only {count} links are seen");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn what_links_and_anchors_are() {
    let text = "# A `b_c`: d, e-f\n[one](a.md#b) `[no](c)` [two\nlines](d.md)\n```\n# no\n[no](e)\n```\n    [no](f)\n";
    assert_eq!(links(text), ["a.md#b", "d.md"]);
    assert_eq!(anchors(text), BTreeSet::from(["a-b_c-d-e-f".to_string()]));
}

#[test]
fn the_book_has_every_document_once() {
    let docs = root().join("docs");
    let summary = docs.join("SUMMARY.md");
    let chapters = links(&read(&summary));
    let mut listed: Vec<PathBuf> = chapters
        .iter()
        .map(|link| docs.join(link).canonicalize().expect(link))
        .collect();
    listed.sort();
    let mut all = documents();
    all.retain(|document| *document != summary);
    all.sort();
    assert_eq!(listed, all);
}

/// Without the white space that all lines begin with.
fn dedented(lines: &[&str]) -> Vec<String> {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let full = lines.iter().filter(|line| !line.trim().is_empty());
    let common = full.map(indent).min().unwrap_or(0);
    let shorter = lines.iter().map(|line| line.get(common..).unwrap_or(""));
    shorter.map(str::to_string).collect()
}

/// Whether these lines stand in a text one after the other, however deep they are.
fn stands_in(text: &str, quoted: &[&str]) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let wanted = dedented(quoted);
    let mut places = lines.windows(quoted.len());
    places.any(|place| dedented(place) == wanted)
}

#[test]
fn quotations_stand_in_the_examples() {
    const MARK: &str = "\n<!-- of ";
    let mut quoted = BTreeSet::new();
    for document in documents() {
        let text = read(&document);
        for part in text.split(MARK).skip(1) {
            let (file, rest) = part
                .split_once(" -->\n```")
                .expect("a block of code follows");
            let block = rest.split_once("\n```").expect("it has an end").0;
            let lines: Vec<&str> = block.lines().skip(1).collect();
            let source = root().join(file);
            assert!(
                !lines.is_empty() && stands_in(&read(&source), &lines),
                "{}: this does not stand in {file}:\n{}",
                document.display(),
                lines.join("\n")
            );
            quoted.insert(source);
        }
    }
    for ending in ["c", "py"] {
        for example in files(&root().join("examples"), ending) {
            let name = example.display();
            assert!(quoted.contains(&example), "{name} is quoted nowhere");
        }
    }
}

#[test]
fn a_quotation_may_be_less_deep_but_not_different() {
    let text = "a\n    if (b) {\n        c;\n    }\nd\n";
    assert!(stands_in(text, &["if (b) {", "    c;"]));
    assert!(!stands_in(text, &["if (b) {", "c;"]));
    assert!(!stands_in(text, &["a", "d"]));
}

#[test]
fn the_reference_has_all_hints_and_variables() {
    let reference = read(&root().join("docs/hints.md"));
    let mut names = BTreeSet::new();
    for (file, marks) in [
        ("src/win/hints.rs", &["key: \""][..]),
        ("src/comm/hints.rs", &["    \"mpi_"][..]),
        ("src/tools/control.rs", &["name: \""][..]),
        ("src/tools/performance.rs", &["        \"rmashm_"][..]),
    ] {
        let text = read(&root().join(file));
        let text = text.split("mod tests").next().unwrap_or_default();
        let before = names.len();
        for mark in marks {
            for rest in text.split(mark).skip(1) {
                let begun = mark.rsplit_once('"').map_or("", |(_, begun)| begun);
                let rest = rest.split('"').next().unwrap_or_default();
                names.insert(format!("{begun}{rest}"));
            }
        }
        assert!(names.len() > before + 2, "no names are found in {file}");
    }
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !reference.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The values of an attribute in HTML.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let mark = format!(" {attribute}=\"");
    let starts: Vec<usize> = html
        .match_indices(&mark)
        .map(|(at, _)| at + mark.len())
        .collect();
    let value = |start: usize| html[start..].split('"').next().unwrap_or_default();
    starts.into_iter().map(value).collect()
}

#[test]
#[ignore = "needs mdBook: make check-book"]
fn links_of_the_book_lead_somewhere() {
    let scratch = Scratch::new("book");
    let made = Command::new(root().join("tools/book"))
        .arg(&*scratch)
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let book = scratch.join("book");
    let pages = files(&book, "html");
    let chapters = links(&read(&root().join("docs/SUMMARY.md")));
    assert!(pages.len() > chapters.len(), "{pages:?}");
    let mut broken = Vec::new();
    for page in pages {
        // The one says where it shall be by an address of the whole site, the other is all chapters in one.
        if page.ends_with("404.html") || page.ends_with("print.html") {
            continue;
        }
        let html = read(&page);
        let mut targets = values(&html, "href");
        targets.extend(values(&html, "src"));
        for link in targets.into_iter().filter(|link| !is_elsewhere(link)) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => page.clone(),
                path => page.parent().expect("it has a folder").join(path),
            };
            let is_right = match anchor {
                "" => target.is_file(),
                anchor => target.is_file() && values(&read(&target), "id").contains(&anchor),
            };
            if !is_right {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
