//! The compilers, the launchers, and the commands made of them.

use crate::spec::{Launcher, Spec};
use harness::job::LAUNCHER_LATER;
use harness::needs::{find_program, undeclared};
use programs::Interface;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// The MPI library under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Rmashm,
    /// A real MPICH: keeps the tests honest.
    Mpich,
}

/// Why there is no program.
#[derive(Clone, Debug)]
pub enum Refused {
    /// It uses a name that the header of the interface does not have.
    Lacking(String),
    Wrong(String),
}

/// Compiled programs by path: each is compiled once in a run, however many tests use it at once.
type Programs = HashMap<PathBuf, Arc<OnceLock<Result<(), Refused>>>>;

pub struct Toolbox {
    pub library: Library,
    /// The C interface that programs are compiled for.
    pub interface: Interface,
    prefix: PathBuf,
    sources: PathBuf,
    work: PathBuf,
    mpich_compiler: Option<PathBuf>,
    mpich_launcher: Option<PathBuf>,
    programs: Mutex<Programs>,
}

impl Toolbox {
    /// For the interface that `RMASHM_ABI` names.
    pub fn find() -> Toolbox {
        Toolbox::of(match std::env::var("RMASHM_ABI") {
            Ok(name) => Interface::of_name(&name)
                .unwrap_or_else(|| panic!("RMASHM_ABI is '{name}', which is no interface")),
            Err(_) => Interface::Mpich,
        })
    }

    pub fn of(interface: Interface) -> Toolbox {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = |variable: &str, default: &str| {
            std::env::var_os(variable)
                .map_or_else(|| project.join(default), |given| project.join(given))
        };
        let library = match std::env::var("RMASHM_MPI").as_deref() {
            Ok("mpich") => Library::Mpich,
            Ok(other) if other != "rmashm" => {
                panic!("RMASHM_MPI is '{other}', but must be 'rmashm' or 'mpich'")
            }
            _ => Library::Rmashm,
        };
        let reference = |name: &str| {
            let prefix =
                std::env::var_os("RMASHM_MPICH_PREFIX").filter(|_| library == Library::Mpich)?;
            Some(project.join(prefix).join("bin").join(name))
        };
        let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_tests");
        let toolbox = Toolbox {
            library,
            interface,
            prefix: folder("RMASHM_PREFIX", "build"),
            sources: folder("RMASHM_C_TESTS", "c_tests"),
            work: work.join(match (library, interface) {
                (Library::Mpich, _) => "mpich",
                (Library::Rmashm, Interface::Mpich) => "rmashm",
                (Library::Rmashm, interface) => interface.name(),
            }),
            mpich_compiler: reference("mpicc").or_else(|| find_program("mpicc.mpich")),
            mpich_launcher: reference("mpiexec").or_else(|| find_program("mpiexec.hydra")),
            programs: Mutex::default(),
        };
        std::fs::create_dir_all(&toolbox.work).expect("the test folder in target can be made");
        std::fs::create_dir_all(toolbox.output_folder())
            .expect("the test folder in target can be made");
        toolbox
    }

    /// The sources of all C tests, in the folder of each chapter.
    pub fn programs(&self) -> Vec<PathBuf> {
        let chapters = files(&self.sources)
            .into_iter()
            // Those for Open MPI's header are for `tests/openmpi`.
            .filter(|path| path.is_dir() && !path.ends_with("openmpi"));
        let mut sources: Vec<PathBuf> = chapters.flat_map(|chapter| files(&chapter)).collect();
        sources.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp"));
        sources.sort();
        sources
    }

    pub fn has_mpich(&self) -> bool {
        self.mpich_compiler.is_some() && self.mpich_launcher.is_some()
    }

    pub fn output_folder(&self) -> PathBuf {
        self.work.join("output")
    }

    /// The program made of `source` for `launcher`; compiled if it is not there or older than what it is made of.
    pub fn compile(&self, source: &Path, launcher: Launcher) -> Result<PathBuf, Refused> {
        let by_mpich = self.library == Library::Mpich
            || matches!(launcher, Launcher::Preload | Launcher::Path);
        let compiler = match by_mpich {
            true => "mpicc.mpich",
            false => "mpicc",
        };
        let place = source.strip_prefix(&self.sources).expect("it is there");
        let program = self.work.join(compiler).join(place).with_extension("");
        let folder = program.parent().expect("it has a chapter");
        std::fs::create_dir_all(folder)
            .map_err(|error| Refused::Wrong(format!("{}: {error}", folder.display())))?;
        let compiled = self
            .programs
            .lock()
            .expect("no test panics here")
            .entry(program.clone())
            .or_default()
            .clone();
        compiled
            .get_or_init(|| self.compile_now(source, &program, by_mpich))
            .clone()?;
        Ok(program)
    }

    fn compile_now(&self, source: &Path, program: &Path, by_mpich: bool) -> Result<(), Refused> {
        let is_cpp = source
            .extension()
            .is_some_and(|extension| extension == "cpp");
        let wrong = |text: &str| Refused::Wrong(text.to_string());
        let compiler = match (by_mpich, self.interface) {
            (true, _) => self.mpich_compiler.clone().ok_or(wrong(
                "Debian's mpich is not installed: there is no mpicc.mpich",
            ))?,
            (_, Interface::Openmpi) => find_program("mpicc.openmpi").ok_or(wrong(
                "Debian's libopenmpi-dev is not installed: there is no mpicc.openmpi",
            ))?,
            (_, Interface::Mpich) => self.prefix.join("bin/mpicc"),
            (_, Interface::Standard) => self.prefix.join("bin/mpicc_abi"),
        };
        if !compiler.exists() {
            let text = format!("{} does not exist: `make` builds it", compiler.display());
            return Err(Refused::Wrong(text));
        }
        let mut parts = vec![source.to_owned(), compiler.clone()];
        if !by_mpich && self.interface != Interface::Openmpi {
            parts.push(self.prefix.join("include/mpi.h"));
            parts.push(self.prefix.join("include/mpi_abi.h"));
        }
        let chapter = source.parent().expect("a program has a chapter");
        for folder in [self.sources.as_path(), chapter] {
            let is_header = |path: &PathBuf| path.extension().is_some_and(|e| e == "h");
            parts.extend(files(folder).into_iter().filter(is_header));
        }
        if is_newer(program, &parts) {
            return Ok(());
        }
        let mut command = Command::new(compiler);
        command.env("LC_ALL", "C");
        match (is_cpp, self.interface) {
            (true, Interface::Openmpi) => command.env("OMPI_CC", "g++").arg("-std=c++17"),
            (true, _) => command.args(["-cc=g++", "-std=c++17"]),
            (false, _) => command.arg("-std=gnu11"),
        };
        command.args(["-g", "-Wall", "-Wextra", "-Werror", "-pthread"]);
        // What gcc warns of where it optimises it says of the first interface: for the others it compiles in two thirds of the time, and
        // would warn of variables without having looked.
        match self.interface {
            Interface::Mpich => command.arg("-O1"),
            _ => command.args(["-O0", "-Wno-maybe-uninitialized"]),
        };
        if self.library == Library::Rmashm {
            command.arg("-DRMASHM");
        }
        if self.interface == Interface::Openmpi {
            // Its header marks what later versions of the standard deprecate.
            command.arg("-Wno-deprecated-declarations");
            // It says that weights are arrays, and gcc that MPI_UNWEIGHTED is none.
            command.args(["-Wno-stringop-overflow", "-Wno-stringop-overread"]);
            // Its C++ classes are a library of their own.
            command.arg("-DOMPI_SKIP_MPICXX");
        }
        command.arg("-I").arg(&self.sources);
        command.arg("-o").arg(program).arg(source).arg("-lm");
        let output = command
            .output()
            .map_err(|error| Refused::Wrong(format!("{command:?}: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(match undeclared(&said) {
            Some(name) if self.interface == Interface::Openmpi => Refused::Lacking(name),
            _ => Refused::Wrong(format!("{command:?}\n{said}")),
        })
    }

    /// Our launcher, with what it needs for any job.
    pub fn mpiexec(&self, spec: &Spec) -> Command {
        let mut command = Command::new(self.prefix.join("bin/mpiexec"));
        // Later than our own watchdog has looked: then the launcher says what each rank waits for.
        command.args(["-timeout", &(spec.seconds + LAUNCHER_LATER).to_string()]);
        command
    }

    /// The command that runs `program` as a job of `ranks`.
    pub fn command(&self, spec: &Spec, program: &Path, ranks: u32, launcher: Launcher) -> Command {
        let library = self.prefix.join("lib");
        let hydra = || {
            Command::new(
                self.mpich_launcher
                    .as_ref()
                    .map_or(Path::new("mpiexec.hydra"), PathBuf::as_path),
            )
        };
        let mut command = match launcher {
            Launcher::Alone => Command::new(program),
            _ if self.library == Library::Mpich => hydra(),
            Launcher::Hydra | Launcher::Preload => hydra(),
            Launcher::Mpiexec | Launcher::Path => self.mpiexec(spec),
        };
        if launcher != Launcher::Alone {
            command.args(["-n", &ranks.to_string()]);
            if launcher == Launcher::Preload {
                command
                    .arg("-genv")
                    .arg("LD_PRELOAD")
                    .arg(library.join("librmashm.so"));
            }
            command.arg(program);
        }
        if launcher == Launcher::Path {
            command.env("LD_LIBRARY_PATH", &library);
        }
        if launcher == Launcher::Alone && self.interface == Interface::Openmpi {
            // The compiler of another library leaves no path to this one.
            command.env("LD_LIBRARY_PATH", library.join("openmpi"));
        }
        if spec.is_told() {
            command.env("RMASHM_CHECK", "report");
        }

        command
            .args(&spec.arguments)
            .envs(spec.variables.iter().cloned());
        command
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    paths.collect()
}

/// `program` is there and newer than all of `parts`.
fn is_newer(program: &Path, parts: &[PathBuf]) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let Some(made) = changed(program) else {
        return false;
    };
    parts
        .iter()
        .all(|part| changed(part).unwrap_or(SystemTime::now()) < made)
}
