//! Which part of the machine a process may run on, and which directories it sees, for splitting communicators by it (MPI 4.1
//! §7.4.2).
//!
//! A process belongs to a part when all cores that it is bound to do. One that may run everywhere belongs to none smaller than
//! the machine.
//!
//! All processes exchange a fingerprint of each hint's value, and where each is in the machine. A hint counts if its
//! fingerprints are the same at all; then every process computes every color.

use crate::neutral;
use macro_rules_attribute::apply;
use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Parts of a machine, from large to small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Level {
    Package = 0,
    Numa = 1,
    Core = 2,
}

impl Level {
    pub const ALL: [Level; 3] = [Level::Package, Level::Numa, Level::Core];

    /// Its name in the info key `mpi_hw_resource_type`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Package => "Package",
            Level::Numa => "NUMANode",
            Level::Core => "Core",
        }
    }
}

/// What a split is to go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// Something that nobody here knows: no communicator.
    #[default]
    Nothing,
    /// Shared memory: all together.
    Together,
    /// Everybody alone.
    Alone,
    /// Processes that belong to the same part of this level.
    Part(Level),
    /// The same, on the highest level that parts the processes at all.
    AnyPart,
    /// Processes that see the same directory under the name that they were given.
    Directory,
}

impl Wish {
    /// The wish that the value of `mpi_hw_resource_type` or `mpi_pset_name` tells, upper or lower case alike.
    pub fn named(name: &str) -> Wish {
        let name = name.to_ascii_lowercase();
        match name.strip_prefix("hwloc://").unwrap_or(&name) {
            "mpi_shared_memory" | "machine" | "node" | "mpi://world" => Wish::Together,
            "mpi://self" => Wish::Alone,
            "package" | "socket" => Wish::Part(Level::Package),
            "numanode" | "numa" => Wish::Part(Level::Numa),
            "core" => Wish::Part(Level::Core),
            _ => Wish::Nothing,
        }
    }
}

/// Where a process is.
#[apply(neutral)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The number of the part that it belongs to, by level; negative: none.
    parts: [i64; 3],
    /// Device and number of the directory that it was asked about; zeros: it sees none.
    directory: [u64; 2],
}

impl Places {
    /// Whether the process belongs to one part of `level`.
    pub fn belongs(self, level: Level) -> bool {
        self.parts[level as usize] >= 0
    }
}

/// The places of this process, and whether it sees `directory`.
pub fn places(directory: Option<&str>) -> Places {
    let about = directory.and_then(|name| std::fs::metadata(name).ok());
    let seen = about.filter(Metadata::is_dir);
    Places {
        parts: parts().unwrap_or([-1; 3]),
        directory: seen.map_or([0; 2], |about| [about.dev(), about.ino()]),
    }
}

fn parts() -> Option<[i64; 3]> {
    let set = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)).ok()?;
    let cores: Vec<usize> = (0..nix::sched::CpuSet::count())
        .filter(|&core| set.is_set(core).unwrap_or(false))
        .collect();
    Some(Level::ALL.map(|level| {
        let mut parts = cores.iter().map(|&core| part_of(core, level));
        match parts.next().flatten() {
            Some(first) if parts.all(|part| part == Some(first)) => first,
            _ => -1,
        }
    }))
}

/// The part of `level` that a core belongs to, as the system tells it.
pub(super) fn part_of(core: usize, level: Level) -> Option<i64> {
    let folder = format!("/sys/devices/system/cpu/cpu{core}");
    let number = |file: &str| -> Option<i64> {
        let text = std::fs::read_to_string(format!("{folder}/topology/{file}")).ok()?;
        let number: i32 = text.trim().parse().ok().filter(|&n| n >= 0)?;
        Some(number.into())
    };
    match level {
        Level::Package => number("physical_package_id"),
        // The numbers of cores begin anew in every package.
        Level::Core => Some(number("physical_package_id")? << 16 | number("core_id")?),
        Level::Numa => Path::new(&folder).read_dir().ok()?.find_map(|entry| {
            let name = entry.ok()?.file_name();
            name.to_str()?.strip_prefix("node")?.parse().ok()
        }),
    }
}

/// The color of each process (`None` for who gets no communicator), given the places of those that take part, and the
/// level that [`Wish::AnyPart`] found.
pub fn colors(wish: Wish, places: &[Option<Places>]) -> (Vec<Option<u32>>, Option<Level>) {
    let by = |color: &dyn Fn(usize, Places) -> Option<u32>| -> Vec<Option<u32>> {
        let each = places.iter().enumerate();
        each.map(|(rank, place)| color(rank, (*place)?)).collect()
    };
    let part = |level: Level| {
        by(&move |_, place| {
            let part = place.parts[level as usize];
            (part >= 0).then_some(part as u32)
        })
    };
    match wish {
        Wish::Nothing => (by(&|_, _| None), None),
        Wish::Together => (by(&|_, _| Some(0)), None),
        Wish::Alone => (by(&|rank, _| Some(rank as u32)), None),
        Wish::Part(level) => (part(level), None),
        Wish::Directory => {
            let first = |directory: [u64; 2]| {
                let same = |place: &Option<Places>| place.is_some_and(|p| p.directory == directory);
                places.iter().position(same).map(|rank| rank as u32)
            };
            let color = |_, place: Places| {
                let seen = place.directory != [0; 2];
                first(place.directory).filter(|_| seen)
            };
            (by(&color), None)
        }
        Wish::AnyPart => {
            let parts_them = |level: &Level| {
                let different: HashSet<Option<u32>> = part(*level).into_iter().collect();
                different.len() > 1 && different != HashSet::from([None])
            };
            match Level::ALL.into_iter().find(parts_them) {
                Some(level) => (part(level), Some(level)),
                None => (by(&|_, _| None), None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_follow_the_wish() {
        let place = |package, core| {
            Some(Places {
                parts: [package, 0, core],
                directory: [1, 1 + package as u64],
            })
        };
        let places = [place(0, 1), place(0, 2), None, place(1, -1)];
        let colored = |wish| colors(wish, &places).0;
        assert_eq!(colored(Wish::Nothing), [None; 4]);
        assert_eq!(colored(Wish::Together), [Some(0), Some(0), None, Some(0)]);
        assert_eq!(colored(Wish::Alone), [Some(0), Some(1), None, Some(3)]);
        let cores = [Some(1), Some(2), None, None];
        assert_eq!(colored(Wish::Part(Level::Core)), cores);
        let (parts, level) = colors(Wish::AnyPart, &places);
        assert_eq!(parts, [Some(0), Some(0), None, Some(1)]);
        assert_eq!(level, Some(Level::Package));
        let seen = [Some(0), Some(0), None, Some(3)];
        assert_eq!(colored(Wish::Directory), seen);
        let blind = [Some(super::places(Some("/no/such/directory"))); 2];
        assert_eq!(colors(Wish::Directory, &blind).0, [None; 2]);
        let directory = |name| super::places(Some(name)).directory;
        assert_ne!(directory("/"), directory("/proc"));
    }

    #[test]
    fn what_parts_nobody_gives_nothing() {
        let nowhere = Places {
            parts: [0, 0, -1],
            ..Places::default()
        };
        let places = [Some(nowhere); 3];
        assert_eq!(colors(Wish::AnyPart, &places), (vec![None; 3], None));
    }

    #[test]
    fn names_are_known_in_any_case() {
        assert_eq!(Wish::named("hwloc://NUMANode"), Wish::Part(Level::Numa));
        assert_eq!(Wish::named("mpi_shared_memory"), Wish::Together);
        assert_eq!(Wish::named("mpi://SELF"), Wish::Alone);
        assert_eq!(Wish::named("Turnip"), Wish::Nothing);
    }
}
