//! The worker, for each interface of the library, and the injector, compiled anew for each campaign.

use harness::needs::{find_program, in_ci};
use harness::scratch::Scratch;
use programs::Interface;
use std::path::{Path, PathBuf};
use std::process::Command;

const FLAGS: [&str; 6] = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"];

pub struct Programs {
    pub launcher: PathBuf,
    pub prefix: PathBuf,
    pub injector: PathBuf,
    pub folder: Scratch,
    workers: Vec<(Interface, PathBuf)>,
}

impl Programs {
    /// Of interfaces that are not staged there are no workers, nor of those whose compiler is not installed; but in CI that is an error.
    pub fn build(prefix: &Path) -> Result<Programs, String> {
        let prefix = prefix
            .canonicalize()
            .map_err(|error| format!("{}: {error}", prefix.display()))?;
        let folder = Scratch::new("campaign");
        let mut programs = Programs {
            launcher: prefix.join("bin/mpiexec"),
            injector: folder.join("injector.so"),
            workers: Vec::new(),
            prefix,
            folder,
        };
        for interface in Interface::ALL {
            match programs.compiler(interface) {
                Some(compiler) => programs.build_worker(interface, &compiler)?,
                None if in_ci() => return Err(format!("{} is not here", interface.title())),
                None => println!("without {}", interface.title()),
            }
        }
        let mut cc = Command::new("cc");
        cc.args(FLAGS)
            .args(["-shared", "-fPIC"])
            .arg(source("injector.c"));
        compile(cc.arg("-o").arg(&programs.injector))?;
        Ok(programs)
    }

    /// The worker of an interface, or else MPICH's.
    pub fn worker(&self, interface: Interface) -> &Path {
        let of_it = self.workers.iter().find(|(of, _)| *of == interface);
        &of_it.unwrap_or(&self.workers[0]).1
    }

    fn compiler(&self, interface: Interface) -> Option<PathBuf> {
        let staged = |library: &str| self.prefix.join("lib").join(library).exists();
        match interface {
            Interface::Mpich => Some(self.prefix.join("bin/mpicc")),
            Interface::Openmpi => {
                find_program("mpicc.openmpi").filter(|_| staged("openmpi/libmpi.so.40"))
            }
            Interface::Standard => {
                Some(self.prefix.join("bin/mpicc_abi")).filter(|_| staged("libmpi_abi.so.1"))
            }
        }
    }

    fn build_worker(&mut self, interface: Interface, compiler: &Path) -> Result<(), String> {
        let worker = self.folder.join(format!("worker-{}", interface.name()));
        let mut command = Command::new(compiler);
        command.args(FLAGS).args(["-pthread", "-DRMASHM", "-I"]);
        command
            .arg(source("../c_tests"))
            .arg(source("worker/worker.c"));
        compile(command.arg("-o").arg(&worker))?;
        self.workers.push((interface, worker));
        Ok(())
    }
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn compile(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}\n{said}"))
}
