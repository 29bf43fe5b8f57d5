//! The environment of the ranks: what is passed on, what is set, and what the launcher adds.

use rmashm::launching::{APPSIZE, foreign_ranks};
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Which of the launcher's own variables a rank gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    All,
    Only(Vec<OsString>),
}

/// What the options of a part, or of the whole job, say about the environment.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub base: Option<Base>,
    pub set: Vec<(OsString, OsString)>,
    /// Not passed on; a name that ends in `*` stands for all that begin so.
    pub unset: Vec<OsString>,
}

impl Rules {
    /// Passes only `names` on; lists given one after the other add up.
    pub fn only(&mut self, names: Vec<OsString>) {
        match &mut self.base {
            Some(Base::Only(list)) => list.extend(names),
            base => *base = Some(Base::Only(names)),
        }
    }
}

/// Variables of other launchers, besides [`foreign_ranks`], by which a process could take itself for one of theirs. Names
/// ending in `*` stand for all that begin so.
const OTHERS: &[&str] = &[
    "PMI_*",
    "PMI2_*",
    "PMIX_*",
    "HYDI_*",
    "HYDRA_*",
    "MPI_LOCALNRANKS",
    "OMPI_COMM_WORLD_*",
    "OMPI_UNIVERSE_SIZE",
    "MV2_COMM_WORLD_*",
    "PALS_LOCAL_RANKID",
    "ALPS_APP_PE",
    "JSM_NAMESPACE_*",
    "FLUX_TASK_RANK",
    "FLUX_TASK_LOCAL_ID",
    "SLURM_LOCALID",
    "RMASHM_FD",
    "RMASHM_RANK",
    "RMASHM_FIRST",
    "RMASHM_SIZE",
    "RMASHM_APPNUM",
    APPSIZE,
    "RMASHM_JOB",
];

fn is_foreign(name: &OsStr) -> bool {
    let name = name.as_bytes();
    // Hydra's way of handing over the kinds of memory is a wish of the user, not a place in a job.
    let matches = |pattern: &&str| matches(name, pattern.as_bytes());
    let told = foreign_ranks().any(|rank| name == rank.as_bytes()) || OTHERS.iter().any(matches);
    told && name != b"PMI_mpi_memory_alloc_kinds"
}

/// Whether a name is a pattern, or begins with it where it ends in `*`.
fn matches(name: &[u8], pattern: &[u8]) -> bool {
    match pattern.strip_suffix(b"*") {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// The variables of a part that are the same on all its ranks, ready for `execve`.
///
/// `own` are the launcher's variables. Where rules of the job and of the part meet, the part's win.
pub fn shared(
    own: impl Iterator<Item = (OsString, OsString)>,
    job: &Rules,
    part: &Rules,
    added: &[(&str, OsString)],
) -> BTreeMap<OsString, OsString> {
    let base = match (&job.base, &part.base) {
        (Some(Base::Only(a)), Some(Base::Only(b))) => Base::Only([a.as_slice(), b].concat()),
        (_, Some(base)) | (Some(base), None) => base.clone(),
        (None, None) => Base::All,
    };
    let is_unset = |name: &OsStr| {
        let mut unset = job.unset.iter().chain(&part.unset);
        unset.any(|pattern| matches(name.as_bytes(), pattern.as_bytes()))
    };
    let passed = own.filter(|(name, _)| match &base {
        Base::All => !is_foreign(name) && !is_unset(name),
        Base::Only(names) => names.contains(name) && !is_unset(name),
    });
    let mut variables: BTreeMap<OsString, OsString> = passed.collect();
    variables.extend(job.set.iter().chain(&part.set).cloned());
    variables.extend(
        added
            .iter()
            .map(|(name, value)| (OsString::from(name), value.clone())),
    );
    variables
}

/// `NAME=VALUE`, as a C string. A value with a zero byte inside cannot come from a command line or an environment.
pub fn entry(name: &OsStr, value: &OsStr) -> CString {
    let mut bytes = name.to_os_string().into_vec();
    bytes.push(b'=');
    bytes.extend_from_slice(value.as_bytes());
    bytes.retain(|byte| *byte != 0);
    CString::new(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> impl Iterator<Item = (OsString, OsString)> {
        [
            ("A", "1"),
            ("B", "2"),
            ("PMI_FD", "7"),
            ("OMPI_COMM_WORLD_RANK", "3"),
            ("PMI_mpi_memory_alloc_kinds", "mpi"),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
    }

    fn names(job: &Rules, part: &Rules) -> Vec<String> {
        let variables = shared(own(), job, part, &[]);
        variables
            .into_iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect()
    }

    fn only(names: &[&str]) -> Rules {
        let mut rules = Rules::default();
        rules.only(names.iter().map(OsString::from).collect());
        rules
    }

    #[test]
    fn other_launchers_variables_are_dropped() {
        assert_eq!(
            names(&Rules::default(), &Rules::default()),
            ["A=1", "B=2", "PMI_mpi_memory_alloc_kinds=mpi"]
        );
    }

    #[test]
    fn the_parts_rules_win() {
        let all = Rules {
            base: Some(Base::All),
            set: vec![("A".into(), "9".into())],
            ..Rules::default()
        };
        assert_eq!(
            names(&only(&[]), &all),
            ["A=9", "B=2", "PMI_mpi_memory_alloc_kinds=mpi"]
        );
        assert_eq!(names(&only(&["A"]), &only(&["B"])), ["A=1", "B=2"]);
        assert_eq!(names(&only(&["A"]), &Rules::default()), ["A=1"]);
    }
}
