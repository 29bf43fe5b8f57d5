//! The process table: what every rank of the job can see of every other, in the segment behind its header. Behind it lies what they
//! have [moved](traffic).
//!
//! It has room for more processes than the job begins with: those that are [started later](super::spawn). A rank in the job is a
//! place in the table. Processes that were started together are a [`World`], whose places lie side by side; what they have in
//! common stands in the entry of the first.
//!
//! Written by the ranks themselves and by the launcher, which marks starts, exits and deaths. All of it is atomics;
//! every word has one writer at a time, as its table of states says.
//!
//! A death is published in this order: fate (relaxed), state (an acquire-release swap: only the first that brings the news goes
//! on), the count of incidents; then everybody is rung. Waiters look at the count alone, one load, until it is not zero. A process
//! that ends outside MPI, before its first session or after its last one, is counted too: it ends the waits in which it has
//! something to do yet, and is no death to the others.

use super::cores;
use super::handover::random;
use super::needs::Posted;
use super::place::Place;
use super::rest::Rest;
use super::spaces;
use super::traffic::{self, Rows};
use crate::shm::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, full_fence};
use crate::shm::doorbell::Doorbell;
use crate::shm::late::Late;
use crate::shm::lock::MAX_RANKS;
use crate::shm::office::Office;
use crate::shm::parcel::Desk;
use crate::shm::segment::Segment;
use crate::shm::visitors::{Door, Whereabouts};
use crate::shm::{LINE, Offset, PAGE, VISITS, clock};

/// How many threads of one rank can say what they wait for at the same time. More can wait, unseen.
pub const WAITS: usize = 8;
/// Room for the core masks of the kernel's default size.
pub const CORE_WORDS: usize = 16;
/// Up to so many ranks a wait says who has to end it.
const ROWS: usize = 1 << 12;
/// A job has room for at least so many more processes than it begins with.
const SPARE: u32 = 128;
/// Words of text that say what a thread waits for.
const TEXT_WORDS: usize = 13;

/// In [`Process::flags`]: some communicator or window of the rank has an error handler that lets it go on when another
/// rank dies. Once set it stays.
pub const SURVIVES: u32 = 1;
/// In [`Process::flags`]: the rank has come to MPI_Finalize.
pub const LEAVING: u32 = 2;
/// In [`Process::flags`]: the rank has come to MPI_Init.
pub const CAME: u32 = 4;
/// In [`Process::flags`], said by another rank: it waits for this one, which has quit.
pub const MISSED: u32 = 8;
/// In [`Process::flags`]: a look at the rank's process found it gone. What it means is decided at the next look.
pub const UNFOUND: u32 = 16;

/// The job as a whole.
#[repr(C, align(128))]
pub struct Job {
    /// Places in the table.
    room: AtomicU32,
    /// Places that were ever given to processes: the first ones. Only grows.
    present: AtomicU32,
    /// Ranks that are dead, or whose processes have ended, and communicators that were revoked. Only grows: a change means "look at
    /// the states, and at the list".
    pub incidents: AtomicU32,
    /// 0, or 1 + rank of who called MPI_Abort in the upper half and the exit status in the lower.
    pub abort: AtomicU64,
    /// 1 if the launcher watches the ranks and marks their deaths; 0 if the ranks have to look themselves.
    pub watched: AtomicU32,
    /// Of how many cores rank 0 may use the time, by its cgroup; 0 if there is no such limit, or rank 0 has not come yet.
    pub quota: AtomicU32,
    /// A process of which all ranks are descendants: the launcher, or what its ranks find out; 0 if that is not known.
    pub ancestor: AtomicU32,
    /// The name spaces in which the ancestor's number is said: the creator's, see [`spaces`].
    pub spaces: AtomicU64,
    /// Where what is [observed](crate::observe) is kept (an offset); 0: nowhere.
    pub observed: AtomicU64,
    /// The same of what is [checked](crate::check).
    pub checked: AtomicU64,
    /// A number that no other job has.
    pub id: AtomicU64,
    /// The newest piece of the list of [communicators that were revoked](super::revoked) (an offset), or 0.
    pub revoked: AtomicU64,
    /// How many processes the launcher's user says to be useful; 0: none has said it.
    pub universe: AtomicU32,
    /// Who starts processes for the job, see [`super::starter`], and the name spaces in which that is said; 0: not told yet.
    pub starter: Office,
    pub starter_spaces: AtomicU64,
}

impl Job {
    /// Places in the table.
    pub fn room(&self) -> usize {
        self.room.load(Ordering::Acquire) as usize
    }

    /// Those that were ever given to processes.
    pub fn present(&self) -> usize {
        self.present.load(Ordering::Acquire) as usize
    }
}

/// Processes that were started together: those of an MPI_COMM_WORLD.
#[repr(C)]
pub struct World {
    /// How many there are.
    pub size: AtomicU32,
    /// Those that have come to MPI_Init.
    pub joined: AtomicU32,
    /// Those that have come to MPI_Finalize.
    pub left: AtomicU32,
    /// 1 + the rank in the job of the process that asked for them; 0: a launcher's user did.
    pub spawner: AtomicU32,
    /// Where they meet (an offset), written by the first before it joins.
    pub meeting: AtomicU64,
}

/// What a rank is doing.
///
/// | state     | set by         | when                                                             |
/// |-----------|----------------|------------------------------------------------------------------|
/// | Unborn    | creator        | the segment is made                                              |
/// | Started   | launcher       | the process exists                                               |
/// | Joining   | rank           | in MPI_Init, waiting for the others                              |
/// | Running   | rank           | MPI is initialized, or a session open                            |
/// | Finalized | rank           | MPI_Finalize is complete, and no session open                    |
/// | Exited    | launcher       | the process ended itself                                         |
/// | Quit      | launcher       | the process left without Finalize, with status 0: nobody has missed it yet |
/// | Dead      | launcher, peer | the process was killed, or left without Finalize       |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum State {
    Unborn = 0,
    Started = 1,
    Joining = 2,
    Running = 3,
    Finalized = 4,
    Exited = 5,
    Quit = 6,
    Dead = 7,
}

impl State {
    fn from(n: u32) -> State {
        match n {
            0 => State::Unborn,
            1 => State::Started,
            2 => State::Joining,
            3 => State::Running,
            4 => State::Finalized,
            5 => State::Exited,
            6 => State::Quit,
            _ => State::Dead,
        }
    }
}

/// What one sleeping thread waits for.
#[repr(C)]
pub struct Wait {
    /// 0: free; 1: taken, no key; else what [`Process::waits_for`] is asked for, for instance a lock word's offset.
    pub key: AtomicU64,
    /// Length of the text in bytes.
    len: AtomicU32,
    /// When it began, in milliseconds of the clock that all processes share; wraps.
    since: AtomicU32,
    text: [AtomicU64; TEXT_WORDS],
}

/// One rank.
#[repr(C, align(128))]
pub struct Process {
    pub doorbell: Doorbell,
    /// When the sleepers were last woken, in nanoseconds of a clock that all processes share.
    pub woken: AtomicU64,
    /// Who did that last: its rank, counted from 1; 0: no rank.
    pub woken_by: AtomicU32,
    _line: [u8; LINE - 24],
    state: AtomicU32,
    pub pid: AtomicU32,
    /// When dead: the signal, 256 + the exit status, or -1 where nobody could know.
    fate: AtomicI32,
    /// What the rank says about itself: [`SURVIVES`], [`LEAVING`], [`CAME`]; and others about it: [`MISSED`], [`UNFOUND`].
    flags: AtomicU32,
    /// The rank's inbox for messages (an offset), made known before it joins.
    pub inbox: Late,
    /// The core that the rank was on when it last told, counted from 1; 0 if it never did.
    pub core: AtomicU32,
    /// When its process was started, in the kernel's ticks: with the number it is the process's name. 0: not known.
    pub born: AtomicU64,
    /// The name spaces in which the number and the birth are said, see [`super::spaces`]. 0: not told yet.
    pub spaces: AtomicU64,
    /// When the ranks in the same name spaces, of which this is the first, look next whether they live: milliseconds of the
    /// clock that they share.
    pub next_look: AtomicU64,
    _line2: [u8; LINE - 64],
    /// Whether others may come into the rank's private memory.
    pub door: Door,
    /// What others ask the rank for, see [`super::errands`].
    pub asked: AtomicU32,
    /// The most bytes of its own memory that the rank had in the segment; 1 + the number of the [refusal](crate::shm::replaceable::Refusal) by which some last stayed
    /// private, or 0.
    pub adopted: AtomicU64,
    pub refused: AtomicU32,
    /// How many of its threads wait in MPI, and so look at once what it is asked for.
    pub attentive: AtomicU32,
    /// What others leave for the rank to store.
    pub desk: Desk,
    /// The first of the windows that the rank has listed (an offset), or 0.
    pub windows: AtomicU64,
    /// The first of the processes that were started together with this one.
    first: AtomicU32,
    _line3: [u8; LINE - 48],
    /// Whose private memory the rank's threads are in.
    pub whereabouts: Whereabouts,
    _line4: [u8; LINE - 4 * VISITS],
    /// The cores the rank may run on, a bit each.
    pub cores: [AtomicU64; CORE_WORDS],
    pub waits: [Wait; WAITS],
    /// For how long its waits have been in vain.
    pub rest: Rest,
    /// How often the rank was asked to look, and to count that.
    pub looks_asked: AtomicU32,
    _pad: u32,
    /// Who has to act so that its wait ends.
    pub posted: Posted,
    /// Where in the program it waits, once it was asked.
    pub place: Place,
    /// If it is the first of its world, what the world has in common.
    world: World,
    /// What it asks the launcher to start (an offset), see [`super::spawn`]; 0: nothing.
    pub asked_to_start: AtomicU64,
    /// Its inbox for processes of other worlds (an offset), from when it first has to do with any.
    pub annex: Late,
    /// The first of the names that it has published (an offset), or 0.
    pub names: AtomicU64,
    /// How many processes had the place before.
    pub generation: AtomicU32,
    _pad2: u32,
    /// The memory of the segment that the process has for as long as it lives.
    kept: [Kept; 2],
    _line5: [u8; LINE - 96],
}

/// A part of the segment.
#[repr(C)]
struct Kept {
    offset: AtomicU64,
    /// 0: none.
    len: AtomicU64,
}

const _: () = assert!(size_of::<Wait>() == 120);
const _: () = assert!(size_of::<Process>().is_multiple_of(LINE));
const _: () = assert!(align_of::<Process>() == LINE && size_of::<Job>() == LINE);

/// How a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    Signal(i32),
    Status(i32),
    /// The process is gone, and nobody was there to see how.
    Unseen,
    /// It ended when it was not in MPI, which had nothing against it.
    Ended,
    /// It lives, but has come to MPI_Finalize since another died: it does nothing for others any more.
    Left,
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Death::Signal(n) => match nix::sys::signal::Signal::try_from(*n) {
                Ok(s) => write!(f, "was killed by signal {n} ({s})"),
                Err(_) => write!(f, "was killed by signal {n}"),
            },
            Death::Ended => write!(f, "has ended"),
            Death::Unseen => write!(f, "is gone without having called MPI_Finalize"),
            Death::Left => write!(f, "has called MPI_Finalize since another rank died"),
            Death::Status(n) => write!(f, "exited with status {n} without calling MPI_Finalize"),
        }
    }
}

/// How many processes a table has room for, of a job that begins with so many: some may be started later.
pub fn room_for(ranks: u32) -> u32 {
    ranks
        .saturating_add(SPARE.max(cores::usable()))
        .min(MAX_RANKS as u32)
        .max(ranks)
}

/// The table in a mapped segment.
#[derive(Clone, Copy)]
pub struct Table {
    pub job: &'static Job,
    pub processes: &'static [Process],
    /// What they have moved.
    pub rows: Rows,
    /// A set of ranks for each rank, see [`Table::needs`].
    needs: &'static [AtomicU64],
}

impl Table {
    /// Bytes that a table with this much room takes behind the segment's header.
    pub const fn bytes(room: usize) -> usize {
        let each = size_of::<Process>() + traffic::row_bytes(room) + Table::need_words(room) * 8;
        size_of::<Job>() + room * each
    }

    /// Where the first rank's entry is in the segment.
    pub(super) const fn first() -> Offset {
        PAGE + size_of::<Job>()
    }

    /// How many words a set of ranks has. None where there are so many ranks that the sets would be most of the table.
    const fn need_words(ranks: usize) -> usize {
        if ranks <= ROWS { ranks.div_ceil(64) } else { 0 }
    }

    /// The set of those that the wait of `rank` needs, a bit each.
    pub fn needs(&self, rank: usize) -> &'static [AtomicU64] {
        let words = Table::need_words(self.processes.len());
        &self.needs[rank * words..][..words]
    }

    /// Lays a table out in a fresh segment, with `room` places, the first of which are for a world of `ranks` processes.
    pub fn create(segment: &'static Segment, ranks: u32, room: u32, watched: bool) -> Table {
        // SAFETY: the creator made room for the table (`bytes`) behind the header page; a fresh segment is zero, which is
        // a valid value of all of it, and `Job` is atomics only.
        let job = unsafe { &*segment.at::<Job>(PAGE) };
        job.watched.store(watched.into(), Ordering::Relaxed);
        job.spaces.store(spaces::own(), Ordering::Relaxed);
        job.id.store(random(), Ordering::Relaxed);
        job.room.store(room, Ordering::Release);
        let table = Table::open(segment);
        table.enroll(0, ranks, None);
        table
    }

    /// Gives the places from `first` on to the processes of a new world, `size` of them, which `spawner` has asked for. Only the
    /// maker of the table does so.
    pub fn enroll(&self, first: u32, size: u32, spawner: Option<u32>) {
        for process in &self.processes[first as usize..][..size as usize] {
            if process.state() != State::Unborn {
                process.renew();
            }
            process.first.store(first, Ordering::Relaxed);
        }
        if size > 0 {
            let world = self.world(first);
            world.size.store(size, Ordering::Relaxed);
            let spawner = spawner.map_or(0, |rank| rank + 1);
            world.spawner.store(spawner, Ordering::Relaxed);
        }
        self.job.present.fetch_max(first + size, Ordering::AcqRel);
    }

    /// Whether all of the world of `rank` have ended in order, so that their places can be given to others.
    pub fn is_over(&self, rank: u32) -> bool {
        let first = self.first_of(rank) as usize;
        let size = self.world(rank).size.load(Ordering::Relaxed) as usize;
        let mut members = self.processes[first..][..size].iter();
        members.all(|process| process.state() == State::Exited)
    }

    /// The first of the world of `rank`.
    pub fn first_of(&self, rank: u32) -> u32 {
        self.processes[rank as usize].first.load(Ordering::Relaxed)
    }

    /// The world of `rank`.
    pub fn world(&self, rank: u32) -> &'static World {
        &self.processes[self.first_of(rank) as usize].world
    }

    /// The places that were ever given to processes.
    pub fn present(&self) -> &'static [Process] {
        &self.processes[..self.job.present()]
    }

    /// The table that is in the segment.
    pub fn open(segment: &'static Segment) -> Table {
        // SAFETY: every segment has a table behind its header page, laid out by `create` before others get the descriptor;
        // it is made of atomics and lives as long as the mapping.
        unsafe {
            let job = &*segment.at::<Job>(PAGE);
            let ranks = job.room();
            let first = segment.at::<Process>(Table::first());
            let rows = Table::first() + ranks * size_of::<Process>();
            let needs = segment.at::<AtomicU64>(rows + ranks * traffic::row_bytes(ranks));
            Table {
                job,
                processes: std::slice::from_raw_parts(first, ranks),
                rows: Rows::open(segment, rows, ranks),
                needs: std::slice::from_raw_parts(needs, ranks * Table::need_words(ranks)),
            }
        }
    }

    /// Rings everybody: something that any of them may wait for has happened.
    pub fn ring_all(&self) {
        full_fence();
        self.present().iter().for_each(Process::ring_sleepers);
    }

    /// Marks a rank dead, once, and rings everybody.
    pub fn bury(&self, rank: usize, death: Death) {
        let process = &self.processes[rank];
        let fate = match death {
            Death::Signal(n) => n,
            Death::Status(n) => 256 + n,
            Death::Unseen | Death::Ended | Death::Left => -1,
        };
        process.fate.store(fate, Ordering::Relaxed);
        if process.state.swap(State::Dead as u32, Ordering::AcqRel) != State::Dead as u32 {
            self.job.incidents.fetch_add(1, Ordering::AcqRel);
            self.ring_all();
        }
    }

    /// Marks a rank whose process ended when it was not in MPI, and rings everybody.
    pub fn retire(&self, rank: usize) {
        let outside = [State::Unborn, State::Started, State::Finalized];
        if self.processes[rank].change_state(&outside, State::Exited) {
            self.job.incidents.fetch_add(1, Ordering::AcqRel);
            self.ring_all();
        }
    }

    /// Marks a rank whose process ended with status 0 while MPI was initialized, and rings everybody: they may miss it. False
    /// if MPI was not initialized.
    pub fn quit(&self, rank: usize) -> bool {
        let quit = self.processes[rank].change_state(&[State::Running], State::Quit);
        if quit {
            self.job.incidents.fetch_add(1, Ordering::AcqRel);
            self.ring_all();
        }
        quit
    }

    /// How a rank ended, if it does nothing for others any more: its process is gone, or left when another had died.
    pub fn end(&self, rank: u32) -> Option<Death> {
        let died = |p: &Process| p.state() == State::Dead;
        self.gone(rank).or_else(|| {
            let left = self.processes[rank as usize].is_leaving();
            (left && self.present().iter().any(died)).then_some(Death::Left)
        })
    }

    /// How a rank's process ended, if it did.
    pub fn gone(&self, rank: u32) -> Option<Death> {
        let process = &self.processes[rank as usize];
        match process.state() {
            State::Exited => Some(Death::Ended),
            State::Quit => Some(Death::Status(0)),
            _ => process.death(),
        }
    }

    /// The first of `ranks` that is dead, and how it died.
    pub fn first_dead(&self, mut ranks: impl Iterator<Item = u32>) -> Option<(u32, Death)> {
        if self.job.incidents.load(Ordering::Acquire) == 0 {
            return None;
        }
        ranks.find_map(|r| Some((r, self.processes[r as usize].death()?)))
    }
}

impl Process {
    pub fn state(&self) -> State {
        State::from(self.state.load(Ordering::Acquire))
    }

    pub fn set_state(&self, state: State) {
        self.state.store(state as u32, Ordering::Release);
    }

    /// Goes from one state to another; false if it was in none of `from`.
    pub fn change_state(&self, from: &[State], to: State) -> bool {
        let change = |now| from.contains(&State::from(now)).then_some(to as u32);
        self.state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, change)
            .is_ok()
    }

    /// The process never gives back so much memory of the segment, which it just got.
    pub fn keep(&self, offset: Offset, len: usize) {
        let free = |kept: &&Kept| kept.len.load(Ordering::Relaxed) == 0;
        if let Some(kept) = self.kept.iter().find(free) {
            kept.offset.store(offset as u64, Ordering::Relaxed);
            kept.len.store(len as u64, Ordering::Release);
        }
    }

    /// What the process, which has ended, has not given back: its place in the segment, and bytes.
    pub fn kept(&self) -> impl Iterator<Item = (Offset, usize)> {
        let part = |kept: &Kept| {
            let len = kept.len.load(Ordering::Acquire) as usize;
            (kept.offset.load(Ordering::Relaxed) as Offset, len)
        };
        self.kept.iter().map(part).filter(|&(_, len)| len > 0)
    }

    /// The place is for another process. Nobody uses it: the one before has ended, and others take it for ended.
    fn renew(&self) {
        let generation = self.generation.load(Ordering::Relaxed) + 1;
        let words = (&raw const *self).cast::<AtomicU64>();
        for at in 0..size_of::<Process>() / size_of::<AtomicU64>() {
            // SAFETY: an entry is made of atomics, and zero is valid for all of them.
            unsafe { (*words.add(at)).store(0, Ordering::Relaxed) };
        }
        self.generation.store(generation, Ordering::Release);
    }

    /// The rank's first process exists. Its number stands until the MPI program tells its own, which may be another and may
    /// have come sooner.
    pub fn start(&self, pid: u32) {
        let relaxed = Ordering::Relaxed;
        let _ = self.pid.compare_exchange(0, pid, relaxed, relaxed);
        self.change_state(&[State::Unborn], State::Started);
    }

    /// The rank says something about itself.
    pub fn say(&self, flag: u32) {
        self.flags.fetch_or(flag, Ordering::AcqRel);
    }

    /// What was said about the rank is so no more.
    pub fn take_back(&self, flag: u32) {
        if self.says(flag) {
            self.flags.fetch_and(!flag, Ordering::AcqRel);
        }
    }

    /// Whether the rank has said so.
    pub fn says(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Acquire) & flag != 0
    }

    /// Whether MPI_Finalize need not wait for this rank: it has come there, or will never come.
    pub fn is_leaving(&self) -> bool {
        let gone = [State::Finalized, State::Exited, State::Quit, State::Dead];
        self.says(LEAVING) || gone.contains(&self.state())
    }

    /// Whether its process has ended with status 0 without MPI_Finalize, and nobody has said yet that this is a death.
    pub fn has_quit(&self) -> bool {
        self.state() == State::Quit && !self.says(MISSED)
    }

    /// How it died, if it did.
    pub fn death(&self) -> Option<Death> {
        (self.state() == State::Dead).then(|| match self.fate.load(Ordering::Relaxed) {
            -1 => Death::Unseen,
            n if n >= 256 => Death::Status(n - 256),
            n => Death::Signal(n),
        })
    }

    /// Wakes the rank's sleeping threads, if there are any. What they wait for must be visible: the caller has issued a
    /// full fence, or a locked instruction, since it made it true.
    #[inline(always)]
    pub fn ring_sleepers(&self) {
        if self.doorbell.sleepers() != 0 {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        let now = clock::now().as_nanos() as u64;
        self.woken.store(now, Ordering::Relaxed);
        let waker = super::try_job().map_or(0, |job| job.rank + 1);
        self.woken_by.store(waker, Ordering::Relaxed);
        self.doorbell.ring();
    }

    /// Whether a thread of this rank sleeps for what has this key, or may do so unseen.
    pub fn waits_for(&self, key: u64) -> bool {
        self.doorbell.sleepers() as usize > WAITS || self.is_seen_to_wait_for(key)
    }

    /// Whether a thread of this rank has said that it sleeps for what has this key.
    pub fn is_seen_to_wait_for(&self, key: u64) -> bool {
        let waits_for = |wait: &Wait| wait.key.load(Ordering::Acquire) == key;
        self.doorbell.sleepers() != 0 && self.waits.iter().any(waits_for)
    }

    /// Times at which the rank is known to have done something, in milliseconds of the clock that all processes share; they wrap.
    pub(super) fn times(&self) -> impl Iterator<Item = u32> {
        let woken = self.woken.load(Ordering::Relaxed) / 1_000_000;
        let slept = self.waits.iter().map(|w| w.since.load(Ordering::Relaxed));
        slept.chain([woken as u32]).filter(|&time| time != 0)
    }

    /// What the rank's sleeping threads wait for, in words.
    pub fn waiting_for(&self) -> Vec<String> {
        self.waits
            .iter()
            .filter(|w| w.key.load(Ordering::Acquire) != 0)
            .map(Wait::text)
            .collect()
    }
}

impl Wait {
    /// Takes the slot if it is free.
    pub fn take(&self, key: u64, text: &str) -> bool {
        if self
            .key
            .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            return false;
        }
        self.say(text);
        self.key.store(key.max(1), Ordering::Release);
        true
    }

    /// Says something else in a slot that is taken. Who reads it meanwhile may read some of both.
    pub fn say(&self, text: &str) {
        let bytes = text.as_bytes();
        for (word, chunk) in self.text.iter().zip(bytes.chunks(8)) {
            let mut padded = [b' '; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            word.store(u64::from_ne_bytes(padded), Ordering::Relaxed);
        }
        self.len
            .store(bytes.len().min(TEXT_WORDS * 8) as u32, Ordering::Relaxed);
        let now = clock::now().as_millis() as u32;
        self.since.store(now, Ordering::Relaxed);
    }

    pub fn leave(&self) {
        self.key.store(0, Ordering::Release);
    }

    /// Its key, for how many milliseconds it has lasted at a time of the clock that all share, and its words, if there is a wait.
    pub(super) fn seen(&self, now: u32) -> Option<(u64, u32, String)> {
        let key = self.key.load(Ordering::Acquire);
        let since = now.wrapping_sub(self.since.load(Ordering::Relaxed));
        (key > 1 || key == 1 && self.len.load(Ordering::Relaxed) != 0)
            .then(|| (key, since, self.text()))
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self
            .text
            .iter()
            .flat_map(|w| w.load(Ordering::Relaxed).to_ne_bytes())
            .collect();
        let len = self.len.load(Ordering::Relaxed) as usize;
        String::from_utf8_lossy(&bytes[..len.min(bytes.len())]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_wrapper_gives_way_to_its_programs() {
        let segment = Box::leak(Box::new(Segment::create(Table::bytes(2)).unwrap()));
        let table = Table::create(segment, 2, 2, true);
        let (wrapper, program) = (5, 7);
        let [late, early] = table.processes else {
            panic!("two ranks")
        };
        late.start(wrapper);
        assert_eq!(late.pid.load(Ordering::Relaxed), wrapper);
        late.pid.store(program, Ordering::Relaxed);
        early.pid.store(program, Ordering::Relaxed);
        early.set_state(State::Joining);
        early.start(wrapper);
        for process in [late, early] {
            assert_eq!(process.pid.load(Ordering::Relaxed), program);
        }
        assert_eq!(late.state(), State::Started);
        assert_eq!(early.state(), State::Joining);
    }
}
