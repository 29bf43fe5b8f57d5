//! What the command line asks for: a job to run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use programs::leading::Choice;
use rmashm::launching::Level;

use crate::checked::Check;
use crate::environment::Rules;
use crate::join::Join;
use crate::observed::Report;
use crate::values::Deadlock;

/// A job to run.
#[derive(Debug, Default)]
pub struct Request {
    pub parts: Vec<Part>,
    pub environment: Rules,
    /// What each line of output begins with: a pattern.
    pub prefix: Option<OsString>,
    pub out_pattern: Option<OsString>,
    pub err_pattern: Option<OsString>,
    pub merge_output: bool,
    /// Makes the folders of the output's files.
    pub makes_folders: bool,
    pub reader: Reader,
    pub bind_to_core: bool,
    pub no_oversubscribe: bool,
    pub timeout: Option<Duration>,
    /// MPI_UNIVERSE_SIZE, where the command line says it.
    pub universe: Option<u32>,
    /// The job that the ranks are started in, if it is another's.
    pub join: Option<Join>,
    /// What happens in a deadlock, where the command line says it.
    pub deadlock: Option<Deadlock>,
    /// What happens where the program does something wrong, where the command line says that this is to be looked for.
    pub check: Option<Check>,
    /// Whether it is told that nothing was found: where somebody asked on the command line.
    pub check_says_so: bool,
    /// What is told at the end of what the ranks did in MPI.
    pub reports: Vec<Report>,
    /// The file of the time line, and the most bytes that it takes.
    pub trace: Option<PathBuf>,
    pub trace_size: Option<u64>,
    pub print_exit_codes: bool,
    pub no_cleanup: bool,
    pub memory_alloc_kinds: Option<OsString>,
    pub initial_errhandler: Option<&'static str>,
    pub thread_level: Option<Level>,
    pub verbose: bool,
}

/// One program and how many ranks run it.
#[derive(Debug, Default)]
pub struct Part {
    pub ranks: u32,
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: Option<PathBuf>,
    /// Folders to look for the program in before PATH.
    pub search_path: Option<OsString>,
    pub environment: Rules,
    /// The C interface whose library these ranks get.
    pub interface: Choice,
    /// What is the part's own of what a request says for all.
    pub initial_errhandler: Option<&'static str>,
    pub memory_alloc_kinds: Option<OsString>,
}

/// Which rank reads the launcher's stdin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Rank(u32),
    None,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader::Rank(0)
    }
}

impl Request {
    /// Ranks of all parts together.
    pub fn ranks(&self) -> u32 {
        self.parts.iter().map(|part| part.ranks).sum()
    }
}

/// More ranks than this are taken for a mistake; Linux cannot run as many processes as that.
pub const MOST_RANKS: u32 = 1 << 20;
