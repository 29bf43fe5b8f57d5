//! Where the suite's source comes from: Debian's source package of MPICH, or what `MPICH_SRC` names.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder `test/mpi` of MPICH's source, fetched and unpacked under `folder` if it has to be.
pub fn suite(folder: &Path) -> Result<PathBuf, String> {
    match std::env::var_os("MPICH_SRC").filter(|given| !given.is_empty()) {
        Some(given) => from_given(Path::new(&given), folder),
        None => from_debian(folder),
    }
}

fn from_given(given: &Path, folder: &Path) -> Result<PathBuf, String> {
    let given = given
        .canonicalize()
        .map_err(|error| format!("MPICH_SRC={}: {error}", given.display()))?;
    if given.is_dir() {
        return in_folder(&given);
    }
    let sum = sha256(&given)?;
    println!("{sum}  {}", given.display());
    unpack(&given, &sum, folder)
}

/// The suite in a folder, which may be MPICH's or the suite's own.
fn in_folder(given: &Path) -> Result<PathBuf, String> {
    let no = |text: &str| format!("MPICH_SRC={}: {text}", given.display());
    let candidates = [given.join("test/mpi"), given.to_owned()];
    let suite = candidates
        .into_iter()
        .find(|candidate| candidate.join("runtests.in").is_file())
        .ok_or_else(|| no("there is no test/mpi in it"))?;
    if !suite.join("configure").is_file() {
        return Err(no(
            "its test/mpi has no configure: run autogen.sh there, or take a release",
        ));
    }
    if suite.join("config.status").is_file() {
        return Err(no(
            "its test/mpi is configured, so it cannot be built elsewhere: run make distclean there",
        ));
    }
    Ok(suite)
}

/// The tarball of Debian's package. apt checks the archive's signature; the sums that it signs are held against what
/// lies on the disk also when nothing had to be downloaded.
fn from_debian(folder: &Path) -> Result<PathBuf, String> {
    let downloads = folder.join("download");
    if description(&downloads).is_none() {
        fetch(&downloads)?;
    }
    let description = description(&downloads)
        .ok_or_else(|| format!("apt left no .dsc in {}", downloads.display()))?;
    let text = fs::read_to_string(&description)
        .map_err(|error| format!("{}: {error}", description.display()))?;
    let (sum, name) = checksums(&text)
        .into_iter()
        .find(|(_, name)| name.contains(".orig.tar"))
        .ok_or_else(|| format!("{} names no .orig.tar", description.display()))?;
    let tarball = downloads.join(&name);
    let actual = sha256(&tarball)?;
    if actual != sum {
        return Err(format!(
            "{}: its SHA-256 is {actual}, but the package says {sum}; delete it",
            tarball.display()
        ));
    }
    unpack(&tarball, &sum, folder)
}

fn description(downloads: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(downloads).ok()?.flatten();
    entries
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "dsc"))
}

/// The files of a `.dsc` with their SHA-256 sums.
fn checksums(description: &str) -> Vec<(String, String)> {
    description
        .lines()
        .skip_while(|line| line.trim_end() != "Checksums-Sha256:")
        .skip(1)
        .take_while(|line| line.starts_with(' '))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let sum = words.next()?;
            Some((sum.to_owned(), words.nth(1)?.to_owned()))
        })
        .collect()
}

fn sha256(file: &Path) -> Result<String, String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let digest = Sha256::digest(&bytes);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Runs apt with lists, cache and sources of its own, so that the system's stay as they are.
fn fetch(downloads: &Path) -> Result<(), String> {
    let apt = downloads.join("apt");
    for folder in [
        "lists/partial",
        "cache/archives/partial",
        "state",
        "sources",
    ] {
        let folder = apt.join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let sources = source_entries(Path::new("/etc/apt"));
    if sources.is_empty() {
        return Err(
            "apt knows no Debian archive here: set MPICH_SRC to a tarball of MPICH".to_owned(),
        );
    }
    for (name, text) in &sources {
        let file = apt.join("sources").join(name);
        fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let apt_get = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        for (option, folder) in [
            ("Dir::State", "state"),
            ("Dir::State::lists", "lists"),
            ("Dir::Cache", "cache"),
            ("Dir::Etc::sourceparts", "sources"),
        ] {
            command
                .arg("-o")
                .arg(format!("{option}={}", apt.join(folder).display()));
        }
        command
            .args(["-q", "-o", "Dir::Etc::sourcelist=/dev/null"])
            .args(["-o", "Dir::State::status=/var/lib/dpkg/status"])
            // The folder may not be open to apt's own user.
            .args(["-o", "APT::Sandbox::User=root"])
            .args(words)
            .current_dir(downloads);
        run(&mut command)
    };
    apt_get(&["update"])?;
    apt_get(&["source", "--download-only", "mpich"])
}

/// The system's apt sources, for source packages instead of binary ones, as (name, contents) of files.
fn source_entries(etc: &Path) -> Vec<(String, String)> {
    let mut files = vec![etc.join("sources.list")];
    if let Ok(parts) = fs::read_dir(etc.join("sources.list.d")) {
        files.extend(parts.flatten().map(|part| part.path()));
    }
    let mut entries = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let Some(name) = file.file_name().map(|name| name.to_string_lossy()) else {
            continue;
        };
        let converted = if name.ends_with(".sources") {
            source_stanzas(&text)
        } else if name.ends_with(".list") {
            source_lines(&text)
        } else {
            continue;
        };
        if !converted.is_empty() {
            entries.push((name.into_owned(), converted));
        }
    }
    entries
}

/// Of a file in the new format: the stanzas of Debian's archives.
fn source_stanzas(text: &str) -> String {
    text.split("\n\n")
        .filter(|stanza| is_debian(stanza))
        .map(|stanza| {
            let lines = stanza.lines().map(|line| match line.split_once(':') {
                Some((key, _)) if key.eq_ignore_ascii_case("types") => "Types: deb-src",
                _ => line,
            });
            lines.collect::<Vec<_>>().join("\n") + "\n\n"
        })
        .collect()
}

/// Of a file in the one-line format: the lines of Debian's archives.
fn source_lines(text: &str) -> String {
    text.lines()
        .filter(|line| is_debian(line))
        .filter_map(|line| line.trim_start().strip_prefix("deb "))
        .map(|rest| format!("deb-src {rest}\n"))
        .collect()
}

/// Third parties' archives have no MPICH, and often no sources, which would be an error.
fn is_debian(entry: &str) -> bool {
    entry.contains("debian.org") || entry.contains("/debian")
}

/// Unpacks the suite alone: MPICH is ten times as much. Each tarball has a folder by its sum, so that nothing that was built
/// from one is taken for built from another.
fn unpack(tarball: &Path, sum: &str, folder: &Path) -> Result<PathBuf, String> {
    let target = folder.join("source").join(&sum[..16]);
    let complete = target.join("unpacked");
    if complete.is_file() {
        return in_source(&target);
    }
    let _ = fs::remove_dir_all(&target);
    fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    run(Command::new("tar")
        .arg("-xf")
        .arg(tarball)
        .arg("-C")
        .arg(&target)
        .args(["--wildcards", "*/test/mpi/*"]))?;
    let suite = in_source(&target)?;
    fs::write(&complete, tarball.as_os_str().as_encoded_bytes())
        .map_err(|error| format!("{}: {error}", complete.display()))?;
    Ok(suite)
}

fn in_source(target: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(target).map_err(|error| format!("{}: {error}", target.display()))?;
    entries
        .flatten()
        .map(|entry| entry.path().join("test/mpi"))
        .find(|suite| suite.join("configure").is_file())
        .ok_or_else(|| format!("{}: no test/mpi with a configure", target.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {status}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_a_description() {
        let text = "Format: 3.0\nFiles:\n 00 1 a.dsc\nChecksums-Sha256:\n aa 12 m.orig.tar.xz\n bb 3 m.debian.tar.xz\nHomepage: x\n";
        let expected = [("aa", "m.orig.tar.xz"), ("bb", "m.debian.tar.xz")]
            .map(|(sum, name)| (sum.to_owned(), name.to_owned()));
        assert_eq!(checksums(text), expected);
    }

    #[test]
    fn sources_of_both_formats() {
        let stanzas =
            "Types: deb\nURIs: mirror:/debian\nSuites: s\n\nTypes: deb\nURIs: elsewhere\n";
        assert_eq!(
            source_stanzas(stanzas),
            "Types: deb-src\nURIs: mirror:/debian\nSuites: s\n\n"
        );
        let lines = "# deb x/debian s main\ndeb x/debian s main\ndeb elsewhere s main\n";
        assert_eq!(source_lines(lines), "deb-src x/debian s main\n");
    }

    #[test]
    fn a_folder_has_to_be_one_of_a_release() {
        let root = std::env::temp_dir().join(format!("conformance-folder-{}", std::process::id()));
        let suite = root.join("test/mpi");
        fs::create_dir_all(&suite).unwrap();
        let mut said = vec![in_folder(&root)];
        for name in ["runtests.in", "configure"] {
            fs::write(suite.join(name), "").unwrap();
            said.push(in_folder(&root));
        }
        let itself = in_folder(&suite);
        fs::write(suite.join("config.status"), "").unwrap();
        let configured = in_folder(&root);
        fs::remove_dir_all(&root).unwrap();
        assert!(
            said[0]
                .as_ref()
                .is_err_and(|text| text.contains("no test/mpi"))
        );
        assert!(said[1].as_ref().is_err_and(|text| text.contains("autogen")));
        assert_eq!(said[2].as_ref(), Ok(&suite));
        assert_eq!(itself, Ok(suite));
        assert!(configured.is_err_and(|text| text.contains("distclean")));
    }

    #[test]
    fn sum_of_a_file() {
        let file = std::env::temp_dir().join(format!("conformance-{}", std::process::id()));
        fs::write(&file, "abc").unwrap();
        let sum = sha256(&file).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(
            sum,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
