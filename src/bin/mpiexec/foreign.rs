//! Ranks that have loaded another MPI library, by a path that no variable of theirs leads away from: each is alone in a job of one, and
//! nothing says so. Here it is said.
//!
//! A rank that has not come to MPI_Init is looked at, and what it has started, ever more seldom. Where one of rmashm's libraries is
//! among what is mapped, too, that may be the one that is called.
//!
//! What is found once may be a library in the middle of its loading: a file of another's name that asks for rmashm's, as the one that
//! PyPI's package puts in mpi4py's way does. So it is said at the second look that finds it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use libc::pid_t;
use programs::leading::Choice;
use programs::{Library, Program};
use rmashm::launching::read_proc;

use crate::supervise::Supervisor;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(30);
/// At most so many ranks are looked at, and so many processes of each.
const RANKS: usize = 16;
const PROCESSES: usize = 32;

/// When to look again, and what was found at the last look.
pub struct Looks {
    next: Option<Instant>,
    pause: Duration,
    last: Option<(u32, PathBuf)>,
}

impl Looks {
    pub fn begin() -> Looks {
        Looks {
            next: Some(Instant::now() + FIRST),
            pause: FIRST,
            last: None,
        }
    }

    /// None after the last look.
    pub fn next(&self) -> Option<Instant> {
        self.next
    }

    fn is_due(&mut self, now: Instant) -> bool {
        if self.next.is_none_or(|next| now < next) {
            return false;
        }
        self.pause = (self.pause * 2).min(LONGEST);
        self.next = Some(now + self.pause);
        true
    }

    /// Whether the last look had found the same. If not, this is remembered, and looked at again soon.
    fn is_confirmed(&mut self, now: Instant, found: Option<(u32, &Path)>) -> bool {
        let found = found.map(|(rank, library)| (rank, library.to_owned()));
        let is_same = found.is_some() && found == self.last;
        if found.is_some() && !is_same {
            self.next = Some(now + FIRST);
        }
        self.last = found;
        is_same
    }
}

impl Supervisor<'_> {
    /// Has a rank loaded another MPI library? Then says which, and what to do.
    pub fn look_for_foreign(&mut self, now: Instant) {
        if !self.foreign.is_due(now) {
            return;
        }
        let interface = |rank: u32| self.job.ranks[rank as usize].interface;
        let untouched = |rank| interface(rank) == Choice::Untouched;
        let ranks = (0..self.fates.len() as u32).filter(|rank| {
            let place = *rank as usize;
            self.fates[place].is_none() && !self.job.segment.came(place) && !untouched(*rank)
        });
        let ranks: Vec<u32> = ranks.take(RANKS).collect();
        if ranks.is_empty() {
            self.foreign.next = None;
            return;
        }
        let found = ranks.into_iter().find_map(|rank| {
            let library = of_another(self.job.ranks[rank as usize].pid)?;
            // It may have come since.
            (!self.job.segment.came(rank as usize)).then_some((rank, library))
        });
        let what = found
            .as_ref()
            .map(|(rank, (library, _))| (*rank, library.as_path()));
        let is_confirmed = self.foreign.is_confirmed(now, what);
        let Some((rank, (library, kind))) = found.filter(|_| is_confirmed) else {
            return;
        };
        self.foreign.next = None;
        let name = self.name(rank);
        let folder = programs::folder_of_names().unwrap_or_default();
        self.job.output.say(&format!(
            "{name} has loaded an MPI library that is not rmashm's, {}: it does not see this job, and such a rank is alone in a job \
             of one",
            library.display()
        ));
        let abi = match kind {
            Library::Of(interface) => interface.name(),
            _ => "NAME",
        };
        self.job.output.say(&format!(
            "where one of its own libraries asks for that one, -abi {abi} loads rmashm's before it; a program that chooses its MPI \
             itself (as MPI.jl does) is to be given one of those in {}",
            folder.display()
        ));
    }
}

/// The other MPI library that a process, or one that it has started, has mapped, and what that is.
fn of_another(pid: pid_t) -> Option<(PathBuf, Library)> {
    // What is mapped has its file's own name, whatever links led there.
    let names = std::fs::read_dir(programs::folder_of_names()?).ok()?;
    let files = names.flatten().map(|entry| entry.path().canonicalize());
    let ours: Vec<PathBuf> = files.flatten().collect();
    let mut processes = vec![pid];
    let mut next = 0;
    while next < processes.len() && next < PROCESSES {
        if let Some(found) = mapped(processes[next], &ours) {
            return Some(found);
        }
        processes.extend(children(processes[next]));
        next += 1;
    }
    None
}

fn mapped(pid: pid_t, ours: &[PathBuf]) -> Option<(PathBuf, Library)> {
    among(&read_proc(&format!("/proc/{pid}/maps"))?, ours)
}

/// The other MPI library among what `maps` (proc(5)) says; none, if one of `ours` is there as well.
fn among(maps: &str, ours: &[PathBuf]) -> Option<(PathBuf, Library)> {
    let mut other = None;
    for line in maps.lines() {
        let Some(path) = line.find('/').map(|at| Path::new(&line[at..])) else {
            continue;
        };
        if ours.iter().any(|own| own == path) {
            return None;
        }
        if other.is_none() {
            other = library_in(path).map(|library| (path.to_owned(), library));
        }
    }
    other
}

/// The MPI library that a file is: by its name, or, where that has no version, by the one that it has recorded (PyPI's have no links).
fn library_in(path: &Path) -> Option<Library> {
    let name = path.file_name()?.to_str()?;
    let is_bare = name.starts_with("libmpi") && name.ends_with(".so");
    let recorded = is_bare.then(|| Program::soname(path)).flatten();
    Library::of_file(recorded.as_deref().unwrap_or(name))
}

fn children(pid: pid_t) -> Vec<pid_t> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let all: Vec<String> = lists.collect();
    all.iter()
        .flat_map(|list| list.split_whitespace())
        .filter_map(|word| word.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use programs::Interface;

    #[test]
    fn libraries_by_their_files() {
        let line = |path: &str| format!("7f00-7f01 r-xp 00000000 fe:00 123    {path}\n");
        let ours = &["/opt/rmashm/lib/librmashm.so".into()];
        let other = line("/usr/lib/my mpi/libmpi.so.12.4.0");
        let found = among(&(line("/usr/lib/libc.so.6") + &other), ours);
        let mpich = Library::Of(Interface::Mpich);
        assert_eq!(
            found,
            Some(("/usr/lib/my mpi/libmpi.so.12.4.0".into(), mpich))
        );
        let both = other + &line("/opt/rmashm/lib/librmashm.so");
        assert_eq!(among(&both, ours), None);
        assert_eq!(among("7f00-7f01 rw-p 00000000 00:00 0\n", ours), None);
        assert_eq!(among(&line("/usr/lib/libmpi_cxx.so.40.30.1"), ours), None);
    }

    #[test]
    fn what_is_found_once_is_not_said() {
        let (mut looks, now) = (Looks::begin(), Instant::now() + LONGEST);
        let (one, other) = (Path::new("/a/libmpi.so.12"), Path::new("/b/libmpi.so.12"));
        assert!(!looks.is_confirmed(now, Some((1, one))));
        assert!(!looks.is_confirmed(now, None) && !looks.is_confirmed(now, None));
        assert!(!looks.is_confirmed(now, Some((1, one))));
        assert!(
            !looks.is_confirmed(now, Some((2, one))) && !looks.is_confirmed(now, Some((2, other)))
        );
        assert_eq!(looks.next(), Some(now + FIRST));
        assert!(looks.is_confirmed(now, Some((2, other))));
    }

    #[test]
    fn looks_become_seldom() {
        let mut looks = Looks::begin();
        let mut now = Instant::now();
        assert!(!looks.is_due(now));
        for _ in 0..20 {
            now += LONGEST;
            assert!(looks.is_due(now) && !looks.is_due(now));
        }
        assert_eq!(looks.next(), Some(now + LONGEST));
    }
}
