//! Compiling and running the programs.

use crate::compiler::scratch;
use crate::support;
use harness::needs::find_program;
use harness::{job, leftovers, needs};
use libtest_mimic::{Failed, Trial};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian keeps MPICH's libraries.
const MPICH: &str = "/usr/lib/x86_64-linux-gnu";

/// The MPI whose compiler, or whose launcher and libraries, are used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mpi {
    Ours,
    Mpich,
    /// Its compiler; all else is ours.
    Openmpi,
}

/// One program, compiled in one way and run in one.
struct Way {
    source: PathBuf,
    by: Mpi,
    on: Mpi,
    compiler: &'static str,
    standard: &'static str,
    ranks: &'static [u32],
}

/// The compilers and the standards. Each is a run of its own where the headers have something for it.
const STANDARDS: [(&str, &str); 6] = [
    ("g++", "11"),
    ("g++", "17"),
    ("g++", "20"),
    ("g++", "2b"),
    ("clang++", "11"),
    ("clang++", "20"),
];

pub fn trials() -> Vec<Trial> {
    let mut ways = Vec::new();
    for source in sources() {
        let text = fs::read_to_string(&source).expect("a program can be read");
        let since = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// since: "));
        for (compiler, standard) in STANDARDS {
            if since.is_none_or(|since| standard >= since) {
                ways.push(Way {
                    source: source.clone(),
                    by: Mpi::Ours,
                    on: Mpi::Ours,
                    compiler,
                    standard,
                    ranks: match (compiler, standard) {
                        ("g++", "17") => &[1, 2, 4],
                        _ => &[2],
                    },
                });
            }
        }
        if since.is_some() {
            continue;
        }
        let others: [(Mpi, Mpi, &[u32]); 4] = [
            (Mpi::Openmpi, Mpi::Ours, &[1, 2, 4]),
            (Mpi::Mpich, Mpi::Ours, &[1, 2, 4]),
            // MPICH's ranks spin while they wait.
            (Mpi::Ours, Mpi::Mpich, &[2]),
            (Mpi::Mpich, Mpi::Mpich, &[2]),
        ];
        for (by, on, ranks) in others {
            ways.push(Way {
                source: source.clone(),
                by,
                on,
                compiler: "g++",
                standard: "17",
                ranks,
            });
        }
    }
    ways.into_iter().map(trial).collect()
}

/// The sources: those of the folder, and the guide's.
fn sources() -> Vec<PathBuf> {
    let folder = support::repository().join("cxx_tests");
    let entries = fs::read_dir(folder).expect("the folder of programs can be read");
    let mut sources: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    sources.sort();
    assert!(!sources.is_empty(), "there are no programs");
    sources.push(guide());
    sources
}

/// The program of `docs/cxx.md`, as a file.
fn guide() -> PathBuf {
    let text = fs::read_to_string(support::repository().join("docs/cxx.md"))
        .expect("the guide can be read");
    let blocks = text
        .split("```cpp\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let program = blocks
        .into_iter()
        .find(|block| block.contains("int main"))
        .expect("the guide has a program");
    crate::compiler::write("guide.cpp", &format!("// since: 17\n{program}"))
}

fn trial(way: Way) -> Trial {
    let program = way
        .source
        .file_stem()
        .expect("a program has a name")
        .to_string_lossy()
        .into_owned();
    let how = match (way.by, way.on) {
        (Mpi::Ours, Mpi::Ours) => {
            format!("{}::cxx{}", way.compiler.replace('+', "x"), way.standard)
        }
        (Mpi::Mpich, Mpi::Ours) => "compiled_by_mpich".to_owned(),
        (Mpi::Openmpi, _) => "compiled_by_openmpi".to_owned(),
        (Mpi::Ours, _) => "run_on_mpich".to_owned(),
        (Mpi::Mpich, _) => "mpich_itself".to_owned(),
    };
    let name = format!("{program}::{how}");
    let missing = way.missing().filter(|_| !needs::in_ci());
    if let Some(program) = missing {
        println!("{name} is skipped: there is no {program}");
    }
    let test_name = name.clone();
    Trial::test(name, move || way.run(&test_name).map_err(Failed::from))
        .with_ignored_flag(missing.is_some())
}

impl Way {
    /// What it needs and the machine has not.
    fn missing(&self) -> Option<&'static str> {
        let mpich = [self.by, self.on].contains(&Mpi::Mpich);
        let needed = [
            Some(self.compiler),
            mpich.then_some("mpicxx.mpich"),
            mpich.then_some("mpiexec.mpich"),
            (self.by == Mpi::Openmpi).then_some("mpicxx.openmpi"),
        ];
        needed
            .into_iter()
            .flatten()
            .find(|name| find_program(name).is_none())
    }

    fn run(&self, name: &str) -> Result<(), String> {
        let program = self.compile(name)?;
        for ranks in self.ranks {
            let mut command = self.launcher()?;
            command.args(["-n", &ranks.to_string()]).arg(&program);
            let before = leftovers::shared_memory_files();
            let ended = job::run(command, &scratch(), &format!("{name}::n{ranks}"), 120)?;
            let mut complaints = Vec::new();
            if ended.hung || ended.status != 0 {
                complaints.push(format!("{ranks} ranks: exit status {}", ended.status));
            }
            // What MPICH's own library for datatypes says at its end.
            let mut said = ended.stdout.lines().chain(ended.stderr.lines());
            if said.any(|line| !line.starts_with("[WARNING] yaksa: ")) {
                complaints.push(format!("{ranks} ranks: it is not silent"));
            }
            if self.on == Mpi::Ours {
                complaints.extend(leftovers::complaints(&ended.marker, &before));
            }
            if !complaints.is_empty() {
                return Err(format!("{}\n{}", complaints.join("\n"), ended.report()));
            }
        }
        Ok(())
    }

    fn compile(&self, name: &str) -> Result<PathBuf, String> {
        let program = scratch().join(name.replace("::", "-"));
        let mut command = match self.by {
            Mpi::Ours => support::command(support::prefix().join("bin/mpicxx")),
            Mpi::Mpich => support::command("mpicxx.mpich"),
            Mpi::Openmpi => support::command("mpicxx.openmpi"),
        };
        if self.by != Mpi::Openmpi {
            command.arg(format!("-cxx={}", self.compiler));
        }
        command
            .arg(format!("-std=c++{}", self.standard))
            .arg("-I")
            .arg(support::repository().join("cxx_tests"));
        match self.by {
            Mpi::Ours => command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"]),
            Mpi::Mpich => command.arg("-DREAL_MPICH_HEADER"),
            Mpi::Openmpi => command.args(["-w", "-DOPEN_MPI_HEADER"]),
        };
        if self.on == Mpi::Mpich {
            command.arg("-DREAL_MPICH_LIBRARY");
        }
        command.arg(&self.source).arg("-o").arg(&program);
        let output = command
            .output()
            .map_err(|error| format!("{command:?}: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{command:?}\n{said}"));
        }
        Ok(program)
    }

    fn launcher(&self) -> Result<Command, String> {
        if self.on == Mpi::Ours {
            return Ok(support::command(support::prefix().join("bin/mpiexec")));
        }
        let mut command = support::command("mpiexec.mpich");
        if self.by == Mpi::Ours {
            command.env("LD_LIBRARY_PATH", mpich_libraries()?);
        }
        Ok(command)
    }
}

/// A folder with Debian's MPICH under the names that our programs record.
fn mpich_libraries() -> Result<PathBuf, String> {
    let folder = scratch().join("mpich");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (recorded, debian) in [
        ("libmpi.so.12", "libmpich.so.12"),
        ("libmpicxx.so.12", "libmpichcxx.so.12"),
    ] {
        // Another test may have made it.
        let _ = symlink(Path::new(MPICH).join(debian), folder.join(recorded));
    }
    Ok(folder)
}
