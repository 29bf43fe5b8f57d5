//! How entries ended, and what is remembered of it from run to run.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    Failed,
    TimedOut,
    NotApplicable,
}

/// The outcome of each entry when it last ran, by its line in the report.
#[derive(Default)]
pub struct Memory {
    file: PathBuf,
    outcomes: BTreeMap<String, Outcome>,
    /// Of this run.
    fresh: BTreeMap<String, Outcome>,
}

const NAME: &str = "outcomes.toml";

impl Memory {
    /// That of the MPI whose suite is built in `folder`.
    pub fn read(folder: &Path) -> Self {
        let file = folder.join(NAME);
        Self {
            outcomes: outcomes_in(&file),
            file,
            fresh: BTreeMap::new(),
        }
    }

    /// Those of the other MPIs that the suite was run on, by the names of their folders.
    pub fn of_others(folder: &Path) -> Vec<(String, Self)> {
        let siblings = folder.parent().and_then(|parent| fs::read_dir(parent).ok());
        siblings
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path != folder && path.join(NAME).is_file())
            .map(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                (name.into_owned(), Self::read(&path))
            })
            .collect()
    }

    pub fn of(&self, line: &str) -> Option<Outcome> {
        self.outcomes.get(line).copied()
    }

    pub fn remember(&mut self, line: String, outcome: Outcome) {
        self.fresh.insert(line, outcome);
    }

    /// Adds the outcomes of this run to the file, in which another run may have put its own meanwhile.
    pub fn write(&self) -> Result<(), String> {
        let mut outcomes = outcomes_in(&self.file);
        outcomes.extend(
            self.fresh
                .iter()
                .map(|(line, outcome)| (line.clone(), *outcome)),
        );
        let text = toml::to_string(&outcomes).map_err(|error| error.to_string())?;
        fs::write(&self.file, text).map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

/// A file that cannot be read is as good as none: it is written anew.
fn outcomes_in(file: &Path) -> BTreeMap<String, Outcome> {
    let text = fs::read_to_string(file).unwrap_or_default();
    toml::from_str(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_remembered_for_each_mpi() {
        let root = std::env::temp_dir().join(format!("conformance-memory-{}", std::process::id()));
        let (ours, theirs) = (root.join("ours"), root.join("theirs"));
        fs::create_dir_all(&ours).unwrap();
        fs::create_dir_all(&theirs).unwrap();
        let mut memory = Memory::read(&ours);
        let mut other_run = Memory::read(&ours);
        assert_eq!(memory.of("rma/a 2 -x=1"), None);
        memory.remember("rma/a 2 -x=1".into(), Outcome::TimedOut);
        other_run.remember("rma/b 2".into(), Outcome::Passed);
        memory.write().unwrap();
        other_run.write().unwrap();
        let again = Memory::read(&ours);
        let others = Memory::of_others(&theirs);
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(again.of("rma/a 2 -x=1"), Some(Outcome::TimedOut));
        assert_eq!(again.of("rma/b 2"), Some(Outcome::Passed));
        assert_eq!(others.len(), 1);
        assert_eq!(others[0].0, "ours");
    }
}
