//! The worker and the injector, compiled anew for each campaign.

use harness::scratch::Scratch;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Programs {
    pub launcher: PathBuf,
    pub worker: PathBuf,
    pub injector: PathBuf,
    pub folder: Scratch,
}

impl Programs {
    pub fn build(prefix: &Path) -> Result<Programs, String> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
        let prefix = prefix
            .canonicalize()
            .map_err(|error| format!("{}: {error}", prefix.display()))?;
        let folder = Scratch::new("campaign");
        let programs = Programs {
            launcher: prefix.join("bin/mpiexec"),
            worker: folder.join("worker"),
            injector: folder.join("injector.so"),
            folder,
        };
        let mut mpicc = Command::new(prefix.join("bin/mpicc"));
        mpicc.args([
            "-std=gnu11",
            "-O1",
            "-g",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-DRMASHM",
            "-I",
        ]);
        mpicc.arg(sources.join("../c_tests"));
        mpicc.arg(sources.join("worker/worker.c"));
        compile(mpicc.arg("-o").arg(&programs.worker))?;
        let mut cc = Command::new("cc");
        cc.args([
            "-std=gnu11",
            "-O1",
            "-g",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-shared",
            "-fPIC",
        ]);
        cc.arg(sources.join("injector.c"));
        compile(cc.arg("-o").arg(&programs.injector))?;
        Ok(programs)
    }
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
