//! Building the suite with the compiler of the MPI under test. The suite's own `configure` finds out what the compiler
//! has, and its own makefiles know which program comes of which source with which flags; nothing of either is repeated
//! here.

use crate::options::Fortran;
use crate::testlist::Entry;
use harness::needs::find_program;
use programs::Interface;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What compiles the suite's programs.
pub struct Compiler {
    interface: Interface,
    mpicc: PathBuf,
    /// The compiler for C++, if there is one with the classes.
    mpicxx: Option<PathBuf>,
    /// The header that it finds.
    header: PathBuf,
    /// The compilers for Fortran, by the names that the suite gives them.
    fortran: Vec<(&'static str, PathBuf)>,
}

impl Compiler {
    /// The compiler for programs of `interface` that the MPI at `prefix` runs.
    pub fn of(
        prefix: &Path,
        interface: Interface,
        fortran: Option<Fortran>,
    ) -> Result<Compiler, String> {
        let (bin, include) = (prefix.join("bin"), prefix.join("include"));
        let (mpicc, mpicxx, header) = match interface {
            Interface::Mpich => {
                let classes = include.join("mpicxx.h").is_file();
                let mpicxx = classes.then(|| bin.join("mpicxx"));
                (bin.join("mpicc"), mpicxx, include.join("mpi.h"))
            }
            Interface::Standard => (bin.join("mpicc_abi"), None, include.join("mpi_abi.h")),
            Interface::Openmpi => {
                let mpicc = find_program("mpicc.openmpi").ok_or(
                    "there is no mpicc.openmpi (Debian: apt-get install libopenmpi-dev openmpi-bin)",
                )?;
                let mpicxx = find_program("mpicxx.openmpi").filter(|mpicxx| links_classes(mpicxx));
                (mpicc.clone(), mpicxx, mpicc)
            }
        };
        if !mpicc.is_file() {
            return Err(format!("{} is missing", mpicc.display()));
        }
        Ok(Compiler {
            interface,
            mpicc,
            // What is in Fortran needs none.
            mpicxx: mpicxx.filter(|_| fortran.is_none()),
            header,
            fortran: match fortran {
                None => Vec::new(),
                Some(whose) => fortran_compilers(prefix, whose)?,
            },
        })
    }

    /// A folder with the compilers as `bin/mpicc` and, if there is one with the classes, `bin/mpicxx`, which is where the suite
    /// looks for them.
    fn prefix(&self, folder: &Path) -> Result<PathBuf, String> {
        let prefix = folder.with_extension("compiler");
        let fortran = self.fortran.iter();
        let fortran = fortran.map(|(name, compiler)| (*name, compiler.clone()));
        let mut compilers: Vec<_> = fortran.collect();
        compilers.push(("mpicc", self.mpicc.clone()));
        if let Some(mpicxx) = &self.mpicxx {
            compilers.push(("mpicxx", mpicxx.clone()));
        }
        for (name, compiler) in compilers {
            let wrapper = prefix.join("bin").join(name);
            let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", compiler.display());
            let failed = |error| format!("{}: {error}", wrapper.display());
            fs::create_dir_all(prefix.join("bin")).map_err(failed)?;
            fs::write(&wrapper, script).map_err(failed)?;
            fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).map_err(failed)?;
        }
        Ok(prefix)
    }
}

/// Whether Open MPI's compiler links the library of the classes, which its version 5 has no more.
fn links_classes(mpicxx: &Path) -> bool {
    let answer = Command::new(mpicxx).arg("--showme:libs").output();
    answer.is_ok_and(|answer| {
        let libraries = String::from_utf8_lossy(&answer.stdout);
        libraries.split_whitespace().any(|name| name == "mpi_cxx")
    })
}

/// What compiles the suite's programs of Fortran.
fn fortran_compilers(
    prefix: &Path,
    whose: Fortran,
) -> Result<Vec<(&'static str, PathBuf)>, String> {
    let mut compilers = Vec::new();
    for name in ["mpif77", "mpif90", "mpifort"] {
        let compiler = match whose {
            Fortran::Rmashm => {
                Some(prefix.join("bin").join(name)).filter(|compiler| compiler.is_file())
            }
            Fortran::Mpich | Fortran::Openmpi => find_program(&format!("{name}.{}", whose.name())),
        };
        compilers.push((
            name,
            compiler.ok_or(format!(
                "there is no {name} of {} (Debian: apt-get install libmpich-dev libopenmpi-dev gfortran)",
                whose.name()
            ))?,
        ));
    }
    Ok(compilers)
}

/// The suite as configured for one MPI.
pub struct Build {
    /// The suite's sources.
    pub source: PathBuf,
    /// Where it is built.
    pub folder: PathBuf,
    compiler: Compiler,
    jobs: usize,
    /// Held while this is at work in the folder.
    _turn: File,
}

/// What another MPI's variables, or cargo's and make's, would do to the compiler.
const MEDDLERS: &[&str] = &[
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MPICH_CC",
    "MPICH_CXX",
    "MPICH_FC",
    "MPICH_F77",
    "MPICH_F90",
    "OMPI_CC",
    "OMPI_CXX",
    "OMPI_FC",
    "OMPI_F77",
    "CC",
    "CXX",
    "FC",
    "F77",
    "CFLAGS",
    "FFLAGS",
    "FCFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "LIBS",
    "DESTDIR",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
];

/// The programs run for a moment each: what the compiler does for their speed takes longer than it saves.
const UNOPTIMIZED: &str = "-g -O0";

/// What a program has not set, and no call sets for it, is no value by luck: it fails each time, or never.
const FILLED: &str = "-ftrivial-auto-var-init=pattern";

/// What `configure` would take for itself.
const OPTIMIZED: &str = "-g -O2";

/// The lock that this file is, once no other process has it.
pub fn turn(path: &Path) -> Result<File, String> {
    let failed = |error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let file = File::create(path).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

impl Build {
    /// Configures the suite for `compiler` in `folder`, unless that is done already. Waits until no other is at work there.
    pub fn configure(
        source: PathBuf,
        folder: PathBuf,
        compiler: Compiler,
        jobs: usize,
    ) -> Result<Self, String> {
        let build = Self {
            _turn: turn(&folder.with_extension("lock"))?,
            source,
            folder,
            compiler,
            jobs,
        };
        let prefix = build.compiler.prefix(&build.folder)?;
        let mut options = vec![
            format!("--with-mpi={}", prefix.display()),
            "--enable-threads=multiple".to_owned(),
            match build.compiler.fortran.as_slice() {
                [] => "--disable-fortran".to_owned(),
                _ => "--enable-fortran=all".to_owned(),
            },
            match build.has_classes() {
                true => "--enable-cxx".to_owned(),
                false => "--disable-cxx".to_owned(),
            },
            "--disable-collalgo-tests".to_owned(),
            // The sources are as released: nothing generated from them is out of date.
            "--disable-maintainer-mode".to_owned(),
            "--disable-dependency-tracking".to_owned(),
        ];
        if build.compiler.interface != Interface::Mpich {
            // Without what only MPICH has.
            options.push("--enable-strictmpi".to_owned());
        }
        // Threads of the suite's programs meet at the system's barrier, for which its `configure` has no look: else they spin, with more of
        // them than cores most of the time.
        let mut preprocessor = "CPPFLAGS=-DHAVE_PTHREAD_BARRIER_INIT=1".to_owned();
        let mut fortran = UNOPTIMIZED.to_owned();
        if build.compiler.interface == Interface::Openmpi {
            // The names that MPI 3 removed are declared too: the suite's own library calls some.
            preprocessor += " -DOMPI_OMIT_MPI1_COMPAT_DECLS=0";
            // The suite wants it, and MPICH's compilers have it from themselves.
            fortran += " -fallow-argument-mismatch";
        }
        options.push(preprocessor);
        for flags in ["CFLAGS", "CXXFLAGS"] {
            options.push(format!("{flags}={UNOPTIMIZED} {FILLED}"));
        }
        if !build.compiler.fortran.is_empty() {
            for flags in ["FFLAGS", "FCFLAGS"] {
                options.push(format!("{flags}={fortran}"));
            }
        }
        let stamp = build.folder.join("configured-for");
        let wanted = build.identity(&options);
        if fs::read_to_string(&stamp).is_ok_and(|text| text == wanted) {
            return Ok(build);
        }
        // Results of earlier runs stay.
        for entry in fs::read_dir(&build.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let _ = if path.is_dir() {
                fs::remove_dir_all(&path)
            } else if path.extension().is_none_or(|extension| extension != "toml") {
                fs::remove_file(&path)
            } else {
                Ok(())
            };
        }
        fs::create_dir_all(&build.folder)
            .map_err(|error| format!("{}: {error}", build.folder.display()))?;
        println!("configuring the suite in {}", build.folder.display());
        let mut command = build.command(&build.configure_script()?);
        // Else it looks for bash, with which the suite's libtool takes twice as long for each program.
        command.env("CONFIG_SHELL", "/bin/sh");
        command.arg(format!("--srcdir={}", build.source.display()));
        build.run(command.args(&options), "configure")?;
        if build.compiler.interface == Interface::Openmpi && build.has_classes() {
            // Open MPI's class of windows has no such functions, and takes those of C.
            build.change("util/mtest_cxx.cxx", "MPI::Win::NULL_", "MPI_WIN_NULL_")?;
        }
        // Entries that name no program of their own folder need nothing but these two, which are loops over data.
        for library in ["util", "dtpools"] {
            let mut make = build.make(library);
            for flags in ["CFLAGS", "CXXFLAGS"] {
                make.arg(format!("{flags}={OPTIMIZED}"));
            }
            build.run(make.arg(format!("-j{}", build.jobs)), library)?;
        }
        fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
        Ok(build)
    }

    /// Whether the suite's programs in C++ are part of the build.
    pub fn has_classes(&self) -> bool {
        self.compiler.mpicxx.is_some()
    }

    /// The suite's `configure`. It builds the programs of `mpi_f08` only as a part of MPICH: for them it is one without that
    /// condition.
    fn configure_script(&self) -> Result<PathBuf, String> {
        if self.compiler.fortran.is_empty() {
            return Ok(self.source.join("configure"));
        }
        let condition = "if test \"$enable_f08\" = \"yes\" -a \"$FROM_MPICH\" = \"yes\" ; then";
        let without = "if test \"$enable_f08\" = \"yes\" ; then";
        let changed = self.change("configure", condition, without)?;
        fs::set_permissions(&changed, fs::Permissions::from_mode(0o755))
            .map_err(|error| format!("{}: {error}", changed.display()))?;
        Ok(changed)
    }

    /// Makes a file of the suite another one for this build. The suite's makefiles look into the build's folder first.
    fn change(&self, file: &str, from: &str, to: &str) -> Result<PathBuf, String> {
        let changed = self.folder.join(file);
        let failed = |error| format!("{}: {error}", changed.display());
        let text = fs::read_to_string(self.source.join(file)).map_err(failed)?;
        fs::write(&changed, text.replace(from, to)).map_err(failed)?;
        Ok(changed)
    }

    /// What decides what `configure` finds: compiler, header, source, options.
    fn identity(&self, options: &[String]) -> String {
        let header = fs::read(&self.compiler.header).unwrap_or_default();
        let digest = Sha256::digest(&header);
        let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}\n{}\n{sum}\n", self.source.display(), options.join("\n"))
    }

    /// The name that a program uses and its header does not have, nor is to have, by what make said about it: that is of the Open MPI that
    /// compiles it, or the standard's, which has no extensions.
    pub fn lacking(&self, said: &str) -> Option<String> {
        let name = harness::needs::undeclared(said)?;
        let may_lack = match self.compiler.interface {
            Interface::Mpich => false,
            Interface::Openmpi => true,
            Interface::Standard => name.starts_with("MPIX_"),
        };
        may_lack.then_some(name)
    }

    /// Compiles the programs of these entries, as far as make finds them out of date. What does not compile is found missing
    /// when it is to run.
    pub fn compile(&self, entries: &[&Entry], mut told: impl FnMut(&str)) -> Result<(), String> {
        let mut programs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for entry in entries {
            let folder = programs.entry(&entry.folder).or_default();
            folder.insert(&entry.program);
        }
        for (folder, programs) in programs {
            let quiet = |make: &mut Command| {
                make.stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status()
                    .map_err(|error| format!("make: {error}"))
            };
            if quiet(self.make(folder).arg("-q").args(&programs))?.success() {
                continue;
            }
            told(&format!(
                "compiling {} programs of {folder}",
                programs.len()
            ));
            let mut make = self.make(folder);
            make.arg("-k")
                .arg(format!("-j{}", self.jobs))
                .args(programs);
            // Its status says nothing: some programs may not compile.
            quiet(&mut make)?;
        }
        Ok(())
    }

    /// What make says about a program that could not be made.
    pub fn explain(&self, entry: &Entry) -> String {
        let output = self.make(&entry.folder).arg(&entry.program).output();
        match output {
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(error) => format!("make: {error}"),
        }
    }

    pub fn program(&self, entry: &Entry) -> PathBuf {
        self.folder.join(&entry.folder).join(&entry.program)
    }

    fn make(&self, folder: &str) -> Command {
        let mut command = self.command(Path::new("make"));
        command.arg("-s").arg("-C").arg(folder);
        command
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).stdin(Stdio::null());
        command.env("LC_ALL", "C");
        for variable in MEDDLERS {
            command.env_remove(variable);
        }
        command
    }

    /// Runs a step of the build, its output in a file.
    fn run(&self, command: &mut Command, step: &str) -> Result<(), String> {
        let log = self.folder.join(format!("{step}.log"));
        let file = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let copy = file.try_clone().map_err(|error| error.to_string())?;
        let status = command
            .stdout(file)
            .stderr(copy)
            .status()
            .map_err(|error| format!("{step}: {error}"))?;
        if status.success() {
            return Ok(());
        }
        let text = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let end = lines[lines.len().saturating_sub(10)..].join("\n");
        Err(format!(
            "{step} failed ({status}); the end of {}:\n{end}",
            log.display()
        ))
    }
}
