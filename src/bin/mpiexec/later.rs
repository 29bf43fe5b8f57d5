//! Ranks that are started later, because a rank asks for them.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use programs::finding::Refusal;
use programs::leading::Choice;
use rmashm::launching::{Asked, Class, Error, HERE, Order, Started, State, initial};

use crate::arguments;
use crate::hosts;
use crate::launch::{self, Rank, World};
use crate::report::Fate;
use crate::request::Part;
use crate::spawn::{self, Complaint};
use crate::supervise::{Phase, Supervisor};

/// So long an order waits for places.
const PATIENCE: Duration = Duration::from_secs(3);
/// Two pipes for each.
const FILES: u64 = 2;

impl Supervisor<'_> {
    /// Does what ranks ask for.
    pub fn look_for_orders(&mut self) {
        if self.phase != Phase::Running || self.ending.is_some() {
            return;
        }
        for order in self.job.segment.orders() {
            if self.is_ending(order.rank) {
                continue;
            }
            let had_room = self.has_room(&order);
            let filled = parts_of(&order).and_then(|parts| {
                let filled = self.fill(&order, parts);
                filled.map_err(|refusal| Error::new(Class::Spawn, refusal.text))
            });
            // Those that are about to end will leave their places, or have done so in this moment.
            let since = *self.unfilled.entry(order.rank).or_insert_with(Instant::now);
            // (In this order: what is not to be over any more is there.)
            let may_have_room = || self.lacks_room(&order) || self.has_room(&order);
            if filled.is_err() && !had_room && since.elapsed() < PATIENCE && may_have_room() {
                continue;
            }
            self.unfilled.remove(&order.rank);
            self.job.segment.settle(&order, &filled);
        }
    }

    /// The first of `size` places for new processes, if there are so many side by side.
    fn place_for(&self, size: u32) -> Option<u32> {
        // The ranks that the job began with keep theirs.
        let lives = |rank| self.lives(rank);
        self.job.segment.place_for(size, self.job.kept, lives)
    }

    /// The largest number of processes for which there are places.
    fn room(&self) -> u32 {
        let most = self.job.segment.room() - self.job.kept;
        let fits = |size: &u32| self.place_for(*size).is_some();
        (1..=most).rev().find(fits).unwrap_or(0)
    }

    /// Whether there are places for what an order has.
    fn has_room(&self, order: &Order) -> bool {
        choose(&order.programs, self.room()).is_ok()
    }

    /// Whether an order cannot be filled now, but could be if some had ended that were started later, or those had heard of it that have
    /// asked for them.
    fn lacks_room(&self, order: &Order) -> bool {
        let most = self.job.segment.room() - self.job.kept;
        let mut later = self.job.kept as usize..self.fates.len();
        let is_to_be_over = |rank: usize| {
            let has_ended = self.job.segment.state(rank) == State::Exited;
            self.fates[rank].is_none() || has_ended && !self.job.segment.is_over(rank)
        };
        !self.has_room(order) && choose(&order.programs, most).is_ok() && later.any(is_to_be_over)
    }

    /// Starts all that an order has, of which these are the parts, or nothing.
    fn fill(&mut self, order: &Order, mut parts: Vec<Part>) -> Result<Started, Refusal> {
        let refusal = |error: Error| Refusal::from(error.into_text().into_string());
        let turn = self.job.segment.take_turn().map_err(refusal)?;
        let segment = &self.job.segment;
        segment.settle_forgotten(&turn, self.job.kept, |rank| self.lives(rank));
        let sizes = choose(&order.programs, self.room()).map_err(|mut refusal| {
            if !segment.reuses_places() {
                refusal.text += NOT_REUSED;
            }
            refusal
        })?;
        let taken = self.fates.len() as u32;
        // Those whom a rank starts get the interface that it has, if the user named one.
        let interface = self.job.ranks[order.rank as usize].interface;
        for (part, &size) in parts.iter_mut().zip(&sizes) {
            part.ranks = size;
            if part.interface == Choice::default() {
                part.interface = interface;
            }
        }
        let size = sizes.iter().sum();
        let first = self
            .place_for(size)
            .ok_or_else(|| "there is no room".to_string())?;
        let described = parts.iter().enumerate().map(|(number, part)| {
            let file = launch::locate(self.request, part)?;
            let program = launch::describe(self.request, &self.job, part, file, number, size)?;
            Ok((part, program))
        });
        let described: Vec<_> = described.collect::<Result<_, Refusal>>()?;
        spawn::raise_open_files(taken.max(first + size), FILES)?;
        let (reader, complain) = nix::unistd::pipe2(OFlag::O_CLOEXEC)
            .map_err(|error| format!("cannot make a pipe: {}", error.desc()))?;
        let spawner = Some(order.rank);
        self.job.segment.enroll_for(&turn, first, size, spawner);
        drop(turn);
        let world = World {
            first,
            is_own: false,
            parts: &described,
            cores: Vec::new(),
        };
        let started = launch::start(self.request, &world, &mut self.job, complain);
        // All have become their programs, or said why they cannot, when the pipe is closed.
        let started = started.and_then(|()| complaint(File::from(reader), &self.job.ranks));
        let nobody = Some(Fate::Exited(0));
        self.fates.resize(self.job.ranks.len(), nobody);
        for number in first..first + size {
            let rank = &self.job.ranks[number as usize];
            self.early.retain(|&early| early != number);
            match started {
                Ok(()) => {
                    self.by_pid.insert(rank.pid, number);
                    self.fates[number as usize] = None;
                    self.alive += 1;
                }
                Err(_) => {
                    // Where a start failed, the others were never tried.
                    launch::end(std::slice::from_ref(rank));
                    self.job.roster.leave(number);
                    self.fates[number as usize] = Some(Fate::Exited(0));
                    self.job.segment.set_exited(number as usize);
                }
            }
        }
        started.map(|()| Started { first, sizes })
    }
}

/// Why there may be no room where many have ended.
const NOT_REUSED: &str = ": what those that have ended did is told at the end (-trace, -report, -check), so nobody gets their places";

/// How many processes run each program: so many as are wanted, or where there is no room for all, fewer where that will do.
fn choose(programs: &[Asked], room: u32) -> Result<Vec<u32>, Refusal> {
    let wanted = |asked: &Asked| asked.numbers.first().copied().unwrap_or(0);
    let mut sizes: Vec<u32> = programs.iter().map(wanted).collect();
    let sum = |sizes: &[u32]| sizes.iter().map(|&size| u64::from(size)).sum::<u64>();
    for (number, asked) in programs.iter().enumerate().rev() {
        let others = sum(&sizes) - u64::from(sizes[number]);
        let left = u64::from(room).saturating_sub(others);
        let fits = asked.numbers.iter().find(|&&size| u64::from(size) <= left);
        sizes[number] = *fits.or(asked.numbers.last()).unwrap_or(&0);
    }
    match sum(&sizes) {
        0 => Err("there is room for no process of those asked for"
            .to_string()
            .into()),
        all if all > u64::from(room) => Err(format!(
            "{all} processes are asked for, and the job has room for {room} more"
        )
        .into()),
        _ => Ok(sizes),
    }
}

/// The parts that an order has, without their numbers. Errors: `MPI_ERR_SPAWN`, `MPI_ERR_INFO_VALUE`.
fn parts_of(order: &Order) -> Result<Vec<Part>, Error> {
    order.programs.iter().map(part).collect()
}

/// A part as a program's hints describe it, and the file that they name: what they say themselves goes before that.
fn part(asked: &Asked) -> Result<Part, Error> {
    let hint = |key: &str| {
        let mut hints = asked.hints.iter();
        let found = hints.find(|(known, _)| known == key.as_bytes());
        found.map(|(_, value)| OsString::from_vec(value.clone()))
    };
    let refused = |text: String| Error::new(Class::Spawn, text);
    for key in ["host", "hosts", "hostlist", "add-host"] {
        if let Some(hosts) = hint(key) {
            hosts::check_list(&hosts.to_string_lossy()).map_err(refused)?;
        }
    }
    let mut part = Part::default();
    // Where the process is that asks.
    let here = PathBuf::from(hint(HERE).unwrap_or_default());
    if let Some(file) = hint("file") {
        let read = arguments::read_options(here.join(file).as_os_str(), &mut part);
        let wrong = |text| Error::new(Class::InfoValue, format!("the info key file: {text}"));
        read.map_err(wrong)?;
    }
    if let Some(name) = hint(initial::KEY) {
        part.initial_errhandler = Some(initial::check(&name.to_string_lossy())?);
    }
    let folder = hint("wdir").map(PathBuf::from).or(part.directory.take());
    let folder = folder.map_or(here.clone(), |folder| here.join(folder));
    let word = |word: &Vec<u8>| OsString::from_vec(word.clone());
    Ok(Part {
        program: word(&asked.command),
        arguments: asked.arguments.iter().map(word).collect(),
        directory: Some(folder).filter(|folder| !folder.as_os_str().is_empty()),
        search_path: hint("path").or(part.search_path.take()),
        memory_alloc_kinds: hint("mpi_memory_alloc_kinds").or(part.memory_alloc_kinds.take()),
        ..part
    })
}

/// What a child has said of why it cannot become its program. Waits until all have become theirs.
fn complaint(mut reader: File, ranks: &[Rank]) -> Result<(), Refusal> {
    let mut bytes = [0; size_of::<Complaint>()];
    match reader.read_exact(&mut bytes) {
        Err(_) => Ok(()),
        Ok(()) => {
            let word =
                |at: usize| i32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
            let program = ranks.get(word(0) as usize).map_or("", |rank| &rank.program);
            let why = spawn::why(word(4), Errno::from_raw(word(8)));
            Err(format!("program '{program}': {why}").into())
        }
    }
}
