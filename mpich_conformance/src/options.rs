//! The command line.

use crate::testlist::Lists;
use lexopt::prelude::*;
use programs::Interface;
use std::path::PathBuf;

pub const USAGE: &str = "\
Usage: mpich-conformance [options] [directory...]
Builds MPICH's test suite with an MPI's mpicc, runs its test lists with its mpiexec, and prints a table.
The directories (rma, errors/rma, info, ...) are those of the suite's test/mpi; none: all that concern us.

  --mpi PREFIX          another MPI to test, to compare with
  --prefix PREFIX       where this project is staged (default: build/); downloads and builds go into its folder mpich
  --abi NAME            the C interface that programs are compiled for: mpich (default), openmpi (by mpicc.openmpi on PATH),
                        standard
  --fortran NAME        the directories of Fortran, compiled by mpich (mpif77.mpich and mpif90.mpich on PATH), openmpi (the
                        same of Open MPI, for its interface) or rmashm (the mpifort of the prefix)
  --dir DIRECTORY       the same as DIRECTORY alone
  --check               under mpiexec -check
  --filter TEXT         only entries whose line in the report has TEXT in it; several: any of them
  --rerun-failed        only entries that did not pass when they last ran
  --datatypes           also the lists of programs that draw datatypes at random (they take hours)
  --kinds               of entries that differ in numbers alone (bytes, rounds, ranks from 2 on) only the first, and
                        none that cannot pass for a number
  --np-max N            leave out entries that want more than N ranks
  --launcher NAME       mpiexec (the one of the prefix, default) or hydra (mpiexec.hydra on PATH)
  --jobs N              entries that run at the same time (default: half of the cores, at least 2); those with more ranks
                        than cores, and those that measure, run by themselves
  --build-jobs N        compilers that run at the same time (default: the cores)
  --time-scale X        multiplies the time limits of the lists (default: 1)
  --junit FILE          where results go as JUnit XML (default: junit.xml in the folder of the build)
  --tap FILE            where results go as TAP (default: nowhere)
  --list                print the entries and stop
  --prepare             configure and compile what these options would run, and stop
  --verbose             print each entry as it ends
  --help                this text

MPICH_SRC names a folder or tarball of MPICH's source to be used instead of Debian's source package.
The exit status is 0 only if nothing failed beyond mpich_conformance/exceptions.toml.
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    Mpiexec,
    Hydra,
}

/// Whose compiler for Fortran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fortran {
    Mpich,
    Openmpi,
    Rmashm,
}

impl Fortran {
    pub fn name(self) -> &'static str {
        match self {
            Fortran::Mpich => "mpich",
            Fortran::Openmpi => "openmpi",
            Fortran::Rmashm => "rmashm",
        }
    }

    /// The C interface that what it compiles is for.
    pub fn interface(self) -> Interface {
        match self {
            Fortran::Mpich | Fortran::Rmashm => Interface::Mpich,
            Fortran::Openmpi => Interface::Openmpi,
        }
    }
}

#[derive(Debug)]
pub struct Options {
    pub directories: Vec<String>,
    /// Where the project is staged.
    pub prefix: PathBuf,
    /// The MPI to test, if it is not the project's own.
    pub mpi: Option<PathBuf>,
    pub interface: Interface,
    pub fortran: Option<Fortran>,
    pub filters: Vec<String>,
    pub rerun_failed: bool,
    pub lists: Lists,
    pub kinds: bool,
    pub check: bool,
    pub ranks_max: Option<u32>,
    pub launcher: Launcher,
    pub jobs: usize,
    pub build_jobs: usize,
    pub time_scale: f64,
    pub junit: Option<PathBuf>,
    pub tap: Option<PathBuf>,
    pub list: bool,
    pub prepare: bool,
    pub verbose: bool,
}

impl Options {
    /// `None` if only the usage is asked for.
    pub fn parse(parser: lexopt::Parser) -> Result<Option<Options>, String> {
        Self::read(parser).map_err(|error| error.to_string())
    }

    fn read(mut parser: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut options = Options {
            directories: Vec::new(),
            prefix: PathBuf::from("build"),
            mpi: None,
            interface: Interface::Mpich,
            fortran: None,
            filters: Vec::new(),
            rerun_failed: false,
            lists: Lists::Usual,
            kinds: false,
            check: false,
            ranks_max: None,
            launcher: Launcher::Mpiexec,
            jobs: (cores / 2).max(2).min(cores),
            build_jobs: cores,
            time_scale: 1.0,
            junit: None,
            tap: None,
            list: false,
            prepare: false,
            verbose: false,
        };
        let mut interface = None;
        while let Some(argument) = parser.next()? {
            match argument {
                Long("mpi") => options.mpi = Some(parser.value()?.into()),
                Long("prefix") => options.prefix = parser.value()?.into(),
                Long("abi") => {
                    interface = Some(parser.value()?.parse_with(|name| {
                        Interface::of_name(name).ok_or("it is mpich, openmpi or standard")
                    })?);
                }
                Long("fortran") => {
                    options.fortran = Some(parser.value()?.parse_with(|name| match name {
                        "mpich" => Ok(Fortran::Mpich),
                        "openmpi" => Ok(Fortran::Openmpi),
                        "rmashm" => Ok(Fortran::Rmashm),
                        _ => Err("it is mpich, openmpi or rmashm"),
                    })?);
                }
                Long("dir") => options.add_directory(&parser.value()?.string()?),
                Long("filter") => options.filters.push(parser.value()?.string()?),
                Long("rerun-failed") => options.rerun_failed = true,
                Long("datatypes") => options.lists = Lists::WithDatatypes,
                Long("check") => options.check = true,
                Long("kinds") => options.kinds = true,
                Long("np-max") => options.ranks_max = Some(parser.value()?.parse()?),
                Long("launcher") => {
                    options.launcher = parser.value()?.parse_with(|name| match name {
                        "mpiexec" => Ok(Launcher::Mpiexec),
                        "hydra" => Ok(Launcher::Hydra),
                        _ => Err("it is mpiexec or hydra"),
                    })?;
                }
                Long("jobs") | Short('j') => options.jobs = positive(&mut parser)?,
                Long("build-jobs") => options.build_jobs = positive(&mut parser)?,
                Long("time-scale") => options.time_scale = parser.value()?.parse()?,
                Long("junit") => options.junit = Some(parser.value()?.into()),
                Long("tap") => options.tap = Some(parser.value()?.into()),
                Long("list") => options.list = true,
                Long("prepare") => options.prepare = true,
                Long("verbose") | Short('v') => options.verbose = true,
                Long("help") | Short('h') => return Ok(None),
                Value(directory) => options.add_directory(&directory.string()?),
                _ => return Err(argument.unexpected()),
            }
        }
        if let (Some(whose), Some(wanted)) = (options.fortran, interface)
            && wanted != whose.interface()
        {
            let [whose, own, wanted] = [whose.name(), whose.interface().name(), wanted.name()];
            return Err(format!(
                "--fortran {whose} compiles for --abi {own}, not for --abi {wanted}"
            )
            .into());
        }
        let of_fortran = options.fortran.map(Fortran::interface);
        options.interface = of_fortran.or(interface).unwrap_or(Interface::Mpich);
        Ok(Some(options))
    }

    fn add_directory(&mut self, directory: &str) {
        self.directories
            .push(directory.trim_matches('/').to_owned());
    }
}

fn positive(parser: &mut lexopt::Parser) -> Result<usize, lexopt::Error> {
    parser.value()?.parse_with(|text| match text.parse() {
        Ok(0) | Err(_) => Err("it is a number from 1 on"),
        Ok(number) => Ok(number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Option<Options>, String> {
        Options::parse(lexopt::Parser::from_args(words))
    }

    #[test]
    fn directories_by_both_ways() {
        let options = parse(&["rma", "--dir", "errors/rma/"]).unwrap().unwrap();
        assert_eq!(options.directories, ["rma", "errors/rma"]);
        assert_eq!(options.launcher, Launcher::Mpiexec);
        assert!(options.jobs >= 1);
    }

    #[test]
    fn values() {
        let words = ["--np-max=4", "--launcher", "hydra", "-j3", "--filter=fence"];
        let options = parse(&words).unwrap().unwrap();
        assert_eq!(options.ranks_max, Some(4));
        assert_eq!(options.launcher, Launcher::Hydra);
        assert_eq!(options.jobs, 3);
        assert_eq!(options.filters, ["fence"]);
    }

    #[test]
    fn a_compiler_for_fortran_has_its_interface() {
        let interface = |words: &[&str]| parse(words).map(|options| options.unwrap().interface);
        assert_eq!(interface(&[]), Ok(Interface::Mpich));
        assert_eq!(interface(&["--fortran", "rmashm"]), Ok(Interface::Mpich));
        assert_eq!(interface(&["--fortran=openmpi"]), Ok(Interface::Openmpi));
        let twice = ["--abi=openmpi", "--fortran=openmpi"];
        assert_eq!(interface(&twice), Ok(Interface::Openmpi));
        for [one, other] in [
            ["--abi=mpich", "--fortran=openmpi"],
            ["--abi=openmpi", "--fortran=mpich"],
        ] {
            for words in [[one, other], [other, one]] {
                let refused = interface(&words).unwrap_err();
                assert!(refused.contains("compiles for --abi"), "{refused}");
            }
        }
    }

    #[test]
    fn mistakes_are_refused() {
        assert!(parse(&["--launcher", "srun"]).is_err());
        assert!(parse(&["--abi", "lam"]).is_err());
        assert!(parse(&["--fortran", "f2c"]).is_err());
        assert!(parse(&["--jobs", "0"]).is_err());
        assert!(parse(&["--np-maximum", "3"]).is_err());
        assert!(parse(&["--help"]).unwrap().is_none());
    }
}
