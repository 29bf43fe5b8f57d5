//! From a request to running ranks.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libc::pid_t;
use nix::fcntl::OFlag;
use nix::sched::CpuSet;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;
use programs::Interface;
use programs::finding::{self, Refusal};
use programs::leading::{self, Choice};
use rmashm::launching::{
    APPSIZE, JobSegment, MOST_CHECKED, MOST_OBSERVED, THREAD_LEVEL, initial, is_segment, room_for,
};

use crate::binding;
use crate::checked;
use crate::environment;
use crate::join::{self, Join, Where};
use crate::keeper::{JOB_VARIABLE, Keeper, Roster};
use crate::observed;
use crate::output::{self, Output, STDOUT};
use crate::request::{Part, Reader, Request};
use crate::signals::Signals;
use crate::spawn::{self, OpenFiles, Program, Setting};

/// Epoll's names for the launcher's own events.
pub const SIGNALS: u64 = 0;
pub const COMPLAINTS: u64 = 1;

/// So many ranks can be started later in a job that is traced.
const SPARE_TRACED: u32 = 16;

/// A rank that was started.
pub struct Rank {
    pub pid: pid_t,
    /// The program as the user wrote it.
    pub program: String,
    pub own_group: bool,
    /// Which C interface its program was to get.
    pub interface: Choice,
}

impl Rank {
    /// One that was not started.
    pub fn none() -> Rank {
        Rank {
            pid: 0,
            program: String::new(),
            own_group: false,
            interface: Choice::default(),
        }
    }

    /// What gets its signals: its process group, so that a program under a wrapper gets them too.
    pub fn target(&self) -> Pid {
        Pid::from_raw(if self.own_group { -self.pid } else { self.pid })
    }
}

/// A job whose ranks exist. Fields are dropped in order: the keeper goes when the rest is over.
pub struct Launched {
    pub epoll: Epoll,
    pub signals: Signals,
    pub output: Output,
    pub complaints: File,
    pub segment: JobSegment,
    pub roster: Roster,
    pub ranks: Vec<Rank>,
    /// How many of the ranks, the first ones, this process has not started: those whose [helper](crate::helper) it is.
    pub guests: u32,
    /// So many places, the first ones, are not given to others.
    pub kept: u32,
    /// The one rank writes to the launcher's own stdout and stderr, and all that a helper starts to its own.
    pub direct: bool,
    /// The limit on open files, which the ranks get back.
    pub open_files: OpenFiles,
    /// The job's name.
    pub name: String,
    pub keeper: Keeper,
}

/// Ranks that are started together, and so are an MPI_COMM_WORLD.
pub struct World<'a> {
    /// The first one's number in the job.
    pub first: u32,
    /// They are those of the command line, and called by their ranks among themselves.
    pub is_own: bool,
    /// What they run: each part so many ranks as it says.
    pub parts: &'a [(&'a Part, Program)],
    /// Cores, one for each rank, if they are to be bound.
    pub cores: Vec<CpuSet>,
}

impl World<'_> {
    fn size(&self) -> u32 {
        self.parts.iter().map(|(part, _)| part.ranks).sum()
    }
}

pub fn because(what: &str) -> impl Fn(io::Error) -> Refusal {
    move |error| Refusal::from(format!("{what}: {error}"))
}

/// Starts all ranks, or none: after an error nothing is left of them.
pub fn launch(request: &Request) -> Result<Launched, Refusal> {
    let ranks = request.ranks();
    forget_outer_segment();
    let files = request
        .parts
        .iter()
        .map(|part| locate(request, part))
        .collect::<Result<Vec<_>, _>>()?;
    if let Reader::Rank(rank) = request.reader
        && rank > 0
        && rank >= ranks
    {
        return Err(format!("rank {rank} is to read stdin, but there are {ranks} ranks").into());
    }
    if request.no_oversubscribe {
        let cores = binding::cores().len();
        if ranks as usize > cores {
            let text = format!("{ranks} ranks are more than the {cores} cores that may be used");
            return Err(text.into());
        }
    }
    // Two pipes, and perhaps files.
    let patterns = [&request.out_pattern, &request.err_pattern];
    let each = 2 + patterns.iter().filter(|pattern| pattern.is_some()).count() as u64;
    let open_files = spawn::raise_open_files(ranks, each)?;
    let signals = Signals::catch().map_err(because("cannot catch signals"))?;
    let observed = observed::prepare(request)?;
    let checked = checked::prepare(request)?;
    let (joined, turn) = match join::open(request)? {
        Where::Own(turn) => (None, turn),
        Where::Anothers(segment, pid) => (Some((segment, pid)), None),
    };
    let other = joined.as_ref().map(|(_, pid)| *pid);
    let mut room = joined
        .as_ref()
        .map_or(room_for(ranks), |(segment, _)| segment.room());
    if let Some(events) = observed {
        // A rank whose events are wanted has much room for them.
        let most = if events > 0 {
            ranks + SPARE_TRACED
        } else {
            room
        };
        room = room.min(most).min(MOST_OBSERVED.max(ranks));
    }
    if checked.is_some() {
        room = room.min(MOST_CHECKED.max(ranks));
    }
    let roster = Roster::new(room).map_err(because("no memory for the list of ranks"))?;
    let name = job_name();
    let keeper =
        Keeper::start(&roster, &name).map_err(because("cannot start the keeper process"))?;
    become_subreaper();
    let refusal = |error: rmashm::launching::Error| Refusal::from(error.into_text().into_string());
    let segment = match joined {
        Some((segment, _)) => segment,
        None => {
            let name = request.join.as_ref().and_then(Join::name);
            let segment =
                JobSegment::create(ranks, room, name, observed, checked).map_err(refusal)?;
            segment.set_universe(request.universe.unwrap_or(0));
            segment
        }
    };
    drop(turn);

    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)
        .map_err(io::Error::from)
        .map_err(because("epoll"))?;
    let (complaints, complain) = nix::unistd::pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK)
        .map_err(io::Error::from)
        .map_err(because("pipe"))?;
    let mut output = events(&epoll, &signals, &complaints, request)?;
    if let (true, Some(pid)) = (request.verbose, other) {
        output.say(&format!("the ranks are of the job of process {pid}"));
    }

    // A single rank may as well have our stdout and stderr themselves.
    let direct = ranks == 1
        && request.prefix.is_none()
        && !request.merge_output
        && request.out_pattern.is_none()
        && request.err_pattern.is_none();
    // As late as can be: what follows has to start ranks there, or give the places back.
    let first = match other.is_some() {
        true => segment.admit(ranks).map_err(refusal)?.ok_or_else(|| {
            format!("the job has no room for {ranks} more ranks: it has {room} places, and too few are free side by side")
        })?,
        false => 0,
    };
    let kept = segment.begun_with();
    let mut launched = Launched {
        epoll,
        signals,
        output,
        complaints: File::from(complaints),
        segment,
        roster,
        ranks: Vec::with_capacity(ranks as usize),
        guests: 0,
        kept,
        direct,
        open_files,
        name,
        keeper,
    };
    let parts = request.parts.iter().zip(files).enumerate();
    let parts = parts.map(|(number, (part, file))| {
        let program = describe(request, &launched, part, file, number, ranks)?;
        Ok((part, program))
    });
    let parts: Result<Vec<_>, Refusal> = parts.collect();
    let parts = match parts {
        Ok(parts) => parts,
        Err(refusal) => {
            give_back(&launched, first, ranks);
            return Err(refusal);
        }
    };
    let mut cores = match request.bind_to_core {
        true => binding::cores(),
        false => Vec::new(),
    };
    if request.bind_to_core && ranks as usize > cores.len() {
        if request.verbose {
            launched.output.say(&format!(
                "{ranks} ranks are not bound: there are only {} cores",
                cores.len()
            ));
        }
        cores.clear();
    }
    let world = World {
        first,
        is_own: true,
        parts: &parts,
        cores,
    };
    match start(request, &world, &mut launched, complain) {
        Ok(()) => Ok(launched),
        Err(refusal) => {
            end(&launched.ranks);
            give_back(&launched, first, ranks);
            Err(refusal)
        }
    }
}

/// The ranks from `first` on, which are not there, need their places no more.
fn give_back(launched: &Launched, first: u32, ranks: u32) {
    (first..first + ranks).for_each(|rank| launched.segment.settle_lost(rank));
}

/// Has `epoll` tell of signals and complaints, and of output, which is made.
pub fn events(
    epoll: &Epoll,
    signals: &Signals,
    complaints: &OwnedFd,
    request: &Request,
) -> Result<Output, Refusal> {
    let add = |fd: BorrowedFd<'_>, key| {
        epoll
            .add(fd, EpollEvent::new(EpollFlags::EPOLLIN, key))
            .map_err(io::Error::from)
            .map_err(because("epoll"))
    };
    add(signals.as_fd(), SIGNALS)?;
    add(complaints.as_fd(), COMPLAINTS)?;
    let output = epoll.0.try_clone().map(Epoll).map_err(because("epoll"))?;
    Output::new(output, request.prefix.clone()).map_err(because("stdout or stderr"))
}

/// Ends ranks that are not to be, and waits for them.
pub fn end(ranks: &[Rank]) {
    for rank in ranks.iter().filter(|rank| rank.pid != 0) {
        let _ = kill(rank.target(), Signal::SIGKILL);
        let _ = waitpid(Pid::from_raw(rank.pid), None);
    }
}

/// Starts the ranks of a world; those that were started before an error are among the launched.
pub fn start(
    request: &Request,
    world: &World<'_>,
    launched: &mut Launched,
    complain: OwnedFd,
) -> Result<(), Refusal> {
    let (first, ranks) = (world.first, world.size());
    let places = first as usize..(first + ranks) as usize;
    launched
        .ranks
        .resize_with(places.end.max(launched.ranks.len()), Rank::none);
    launched.ranks[places].fill_with(Rank::none);
    let null = output::null_input().map_err(because("/dev/null"))?;
    // A rank that reads from a terminal must be in the foreground process group, which is ours.
    let shares_terminal = io::stdin().is_terminal();
    let direct = launched.direct && (world.is_own || launched.guests > 0);
    let part_of = world.parts.iter();
    let part_of = part_of.flat_map(|pair| (0..pair.0.ranks).map(move |_| pair));
    for (place, (part, program)) in (0..ranks).zip(part_of) {
        let number = first + place;
        let called = if world.is_own { place } else { number };
        let is_reader = request.reader == Reader::Rank(called);
        let stderr = launched.output.stderr();
        let mut pipe = |pattern: &Option<OsString>, standard: usize| -> Result<OwnedFd, Refusal> {
            let sink = match pattern {
                Some(pattern) => {
                    let path = output::file_name(pattern, called);
                    let shown = path.display().to_string();
                    if let Some(folder) = path.parent().filter(|_| request.makes_folders) {
                        std::fs::create_dir_all(folder)
                            .map_err(because(&format!("cannot make {}", folder.display())))?;
                    }
                    launched
                        .output
                        .file(path)
                        .map_err(because(&format!("cannot write to {shown}")))?
                }
                None => standard,
            };
            launched
                .output
                .pipe(called, sink)
                .map_err(because("cannot make a pipe for the output of a rank"))
        };
        let pipes = match direct {
            true => None,
            false => Some((
                pipe(&request.out_pattern, STDOUT)?,
                match request.merge_output {
                    true => pipe(&request.out_pattern, STDOUT)?,
                    false => pipe(&request.err_pattern, stderr)?,
                },
            )),
        };
        let (stdout, stderr): (RawFd, RawFd) = pipes.as_ref().map_or((1, 2), |(stdout, stderr)| {
            (stdout.as_raw_fd(), stderr.as_raw_fd())
        });
        let first = (first > 0).then(|| first.to_string());
        let first = first.map(|first| environment::entry("RMASHM_FIRST".as_ref(), first.as_ref()));
        let rank = spawn::Rank {
            number,
            program,
            variables: program
                .places
                .iter()
                .map(|name| environment::entry(name.as_ref(), place.to_string().as_ref()))
                .chain(first)
                .collect(),
            stdin: if is_reader { 0 } else { null.as_raw_fd() },
            stdout,
            stderr,
            cpus: world.cores.get(place as usize).copied(),
            own_group: !is_reader || !shares_terminal,
        };
        let setting = Setting {
            roster: &launched.roster,
            segment: Some(launched.segment.fd()),
            complaints: complain.as_raw_fd(),
            signals: launched.signals.before,
            open_files: launched.open_files,
            launcher: std::process::id() as pid_t,
        };
        let pid = spawn::start(&rank, &setting).map_err(because(&format!(
            "cannot start rank {place} of {ranks} (see ulimit -u)"
        )))?;
        launched.segment.set_started(number as usize, pid as u32);
        let program = part.program.display().to_string();
        if request.verbose {
            let place = rank.cpus.map_or(String::new(), |cpus| {
                format!(", on cpu {}", cpus_text(&cpus))
            });
            launched
                .output
                .say(&format!("rank {number}: pid {pid}, {program}{place}"));
        }
        launched.ranks[number as usize] = Rank {
            pid,
            program,
            own_group: rank.own_group,
            interface: part.interface,
        };
    }
    Ok(())
}

/// The program's file, after a look at the folder its ranks are to run in.
pub fn locate(request: &Request, part: &Part) -> Result<std::path::PathBuf, Refusal> {
    let directory = part.directory.as_deref();
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        return Err(format!("the working directory {} is not there", directory.display()).into());
    }
    // The ranks' PATH counts, if the command line sets one.
    let set = part
        .environment
        .set
        .iter()
        .rev()
        .chain(request.environment.set.iter().rev());
    let path = set
        .filter(|(name, _)| name == "PATH")
        .map(|(_, value)| value.clone())
        .next();
    let path = path.or_else(|| std::env::var_os("PATH"));
    let first = part.search_path.as_deref();
    finding::find(&part.program, directory, first, path.as_deref())
}

/// Variables that say a rank's place: our own, and MPICH's; then those that Open MPI's mpirun sets, for programs that are linked with that and
/// read them before MPI_Init.
const PLACES: [&str; 6] = [
    "RMASHM_RANK",
    "PMI_RANK",
    "MPI_LOCALRANKID",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_NODE_RANK",
];
const OWN_PLACES: usize = 3;

/// What the ranks of a part get to run: of part number `number` of a world of `ranks` ranks.
pub fn describe(
    request: &Request,
    launched: &Launched,
    part: &Part,
    file: std::path::PathBuf,
    number: usize,
    ranks: u32,
) -> Result<Program, Refusal> {
    let added = [
        ("RMASHM_FD", launched.segment.fd().to_string()),
        ("RMASHM_SIZE", ranks.to_string()),
        ("PMI_SIZE", ranks.to_string()),
        ("MPI_LOCALNRANKS", ranks.to_string()),
        ("RMASHM_APPNUM", number.to_string()),
        (APPSIZE, part.ranks.to_string()),
        (JOB_VARIABLE, launched.name.clone()),
    ];
    let mut added: Vec<(&str, OsString)> = added
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    if let Some(name) = part.initial_errhandler.or(request.initial_errhandler) {
        added.push((initial::VARIABLE, name.into()));
    }
    if let Some(level) = request.thread_level {
        added.push((THREAD_LEVEL, level.name().into()));
    }
    let kinds = part.memory_alloc_kinds.as_ref();
    if let Some(kinds) = kinds.or(request.memory_alloc_kinds.as_ref()) {
        added.push(("RMASHM_MEMORY_ALLOC_KINDS", kinds.clone()));
    }
    let mut variables = environment::shared(
        std::env::vars_os(),
        &request.environment,
        &part.environment,
        &added,
    );
    let seen_from_here = part
        .directory
        .as_deref()
        .unwrap_or(Path::new(""))
        .join(&file);
    let lead = leading::lead(
        &mut variables,
        part.interface,
        &seen_from_here,
        &part.program,
    )?;
    let is_openmpi = lead.interface(part.interface) == Some(Interface::Openmpi);
    if is_openmpi {
        let sizes = ["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"];
        variables.extend(sizes.map(|name| (name.into(), ranks.to_string().into())));
    }
    Ok(Program {
        places: match is_openmpi {
            true => &PLACES,
            false => &PLACES[..OWN_PLACES],
        },
        file: c_string(file.as_os_str()),
        arguments: std::iter::once(&part.program)
            .chain(&part.arguments)
            .map(|word| c_string(word))
            .collect(),
        environment: variables
            .iter()
            .map(|(name, value)| environment::entry(name, value))
            .collect(),
        directory: part
            .directory
            .as_deref()
            .map(|directory: &Path| c_string(directory.as_os_str())),
    })
}

/// Words of a command line have no zero bytes; those of a file might, and end there as they would in C.
fn c_string(word: &OsStr) -> CString {
    let bytes: Vec<u8> = word
        .as_bytes()
        .iter()
        .copied()
        .take_while(|byte| *byte != 0)
        .collect();
    CString::new(bytes).unwrap_or_default()
}

fn cpus_text(cpus: &CpuSet) -> String {
    let set = (0..CpuSet::count()).filter(|cpu| cpus.is_set(*cpu).unwrap_or(false));
    set.map(|cpu| cpu.to_string()).collect::<Vec<_>>().join("+")
}

/// A name that no other job of this machine has: our process id, and when.
pub fn job_name() -> String {
    let time = std::time::UNIX_EPOCH
        .elapsed()
        .map_or(0, |time| time.as_nanos());
    format!("{}.{time}", std::process::id())
}

/// What the ranks started and left behind becomes our child, and can be found at the end.
pub fn become_subreaper() {
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Started by a rank of another job, we have that job's segment open; it is none of our business, nor of our ranks'. Who looks for jobs
/// would take us for a process of that one, too.
fn forget_outer_segment() {
    let outer = std::env::var("RMASHM_FD")
        .ok()
        .and_then(|text| text.parse::<RawFd>().ok());
    let Some(outer) = outer.filter(|fd| *fd > 2) else {
        return;
    };
    // The number may be another's by now: what that is we do not know, and only keep it from our ranks.
    if is_segment(Path::new(&format!("/proc/self/fd/{outer}"))) {
        // SAFETY: nothing of this process uses the segment of a job that is not its own.
        unsafe { libc::close(outer) };
    } else {
        // SAFETY: sets a flag of a descriptor by number, whatever it is; a closed one is an error without effect.
        unsafe { libc::fcntl(outer, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}
