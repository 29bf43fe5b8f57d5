//! What the table has of each process: its state, what it says about itself, how it ended, and where the parts of other rooms lie.

use super::World;
use super::sleeper::{WAITS, Wait};
use crate::runtime::needs::Posted;
use crate::runtime::place::Place;
use crate::runtime::rest::Rest;
use crate::runtime::try_job;
use crate::shm::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use crate::shm::doorbell::Doorbell;
use crate::shm::heap::Ledger;
use crate::shm::late::Late;
use crate::shm::office;
use crate::shm::parcel::Desk;
use crate::shm::text::Text;
use crate::shm::visitors::{Door, Whereabouts};
use crate::shm::{LINE, Offset, VISITS, clock};

/// Room for the core masks of the kernel's default size.
pub const CORE_WORDS: usize = 16;

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
/// In [`Process::flags`]: the rank has met those that have asked for its world.
pub const MET: u32 = 32;

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

/// One rank.
#[repr(C, align(128))]
pub struct Process {
    pub doorbell: Doorbell,
    /// When the sleepers were last woken, in nanoseconds of a clock that all processes share.
    pub woken: AtomicU64,
    /// Who did that last: its rank, counted from 1; 0: no rank.
    pub woken_by: AtomicU32,
    _line: [u8; LINE - 24],
    pub(super) state: AtomicU32,
    pub pid: AtomicU32,
    /// When dead: the signal, 256 + the exit status, or -1 where nobody could know.
    pub(super) fate: AtomicI32,
    /// What the rank says about itself: [`SURVIVES`], [`LEAVING`], [`CAME`]; and others about it: [`MISSED`], [`UNFOUND`].
    flags: AtomicU32,
    /// The rank's inbox for messages (an offset), made known before it joins.
    pub inbox: Late,
    /// The core that the rank was on when it last told, counted from 1; 0 if it never did.
    pub core: AtomicU32,
    /// When its process was started, in the kernel's ticks: with the number it is the process's name. 0: not known.
    pub born: AtomicU64,
    /// The name spaces in which the number and the birth are said, see [`crate::runtime::spaces`]. 0: not told yet.
    pub spaces: AtomicU64,
    /// When the ranks in the same name spaces, of which this is the first, look next whether they live: milliseconds of the
    /// clock that they share.
    pub next_look: AtomicU64,
    _line2: [u8; LINE - 64],
    /// Whether others may come into the rank's private memory.
    pub door: Door,
    /// What others ask the rank for, see [`crate::runtime::errands`].
    pub asked: AtomicU32,
    /// The most bytes of its own memory that the rank had in the segment; 1 + the number of the [refusal](crate::shm::replaceable::Refusal) by
    /// which some last stayed private, or 0.
    pub adopted: AtomicU64,
    pub refused: AtomicU32,
    /// How many of its threads wait in MPI, and so look at once what it is asked for.
    pub attentive: AtomicU32,
    /// What others leave for the rank to store.
    pub desk: Desk,
    /// The first of the windows that the rank has listed (an offset), or 0.
    pub windows: AtomicU64,
    /// The first of the processes that were started together with this one.
    pub(super) first: AtomicU32,
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
    /// 1 + which of the programs of an MPMD start it is; 0: not told.
    appnum: AtomicU32,
    /// Who has to act so that its wait ends.
    pub posted: Posted,
    /// Where in the program it waits, once it was asked.
    pub place: Place,
    /// If it is the first of its world, what the world has in common.
    pub(super) world: World,
    /// What it asks the launcher to start (an offset), see [`crate::runtime::spawn`]; 0: nothing.
    pub asked_to_start: AtomicU64,
    /// Its inbox for processes of other worlds (an offset), from when it first has to do with any.
    pub annex: Late,
    /// The first of the names that it has published (an offset), or 0.
    pub names: AtomicU64,
    /// The first of the ports that it has made (an offset), or 0.
    pub ports: AtomicU64,
    /// How many processes had the place before.
    pub generation: AtomicU32,
    /// How many numbers of communicators those of this place have used: the next one goes on there, so that nothing of an old one is
    /// taken for its own.
    pub numbers: AtomicU32,
    /// What the process has of the segment.
    pub heap: Ledger,
    /// What of that no other process uses once this one has ended.
    kept: [Kept; 2],
    /// How many of its threads call at a port, accept there, or make what follows from that.
    pub at_ports: AtomicU32,
    /// What other launchers than its own are told, see [`crate::runtime::neighbours`]; 0: nothing.
    pub told: AtomicU32,
    /// What it has asked for by MPI_Abort, see [`crate::runtime::abort`]; 0: nothing.
    pub aborted: AtomicU64,
    /// Its command line, for messages that outlive it.
    pub command: Text<31>,
}

/// A part of the segment.
#[repr(C)]
struct Kept {
    offset: AtomicU64,
    /// 0: none.
    len: AtomicU64,
}

const _: () = assert!(size_of::<Process>().is_multiple_of(LINE));
const _: () = assert!(align_of::<Process>() == LINE);

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

impl Process {
    /// The process that has started its world, of which it is the first, if that is a launcher of ours.
    pub fn launcher(&self) -> Option<u32> {
        match self.world.launcher.state() {
            office::State::Held(launcher) => Some(launcher.process),
            _ => None,
        }
    }

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

    /// Which of the programs of an MPMD start the process is, if it has told.
    pub fn appnum(&self) -> Option<i32> {
        let told = self.appnum.load(Ordering::Relaxed);
        told.checked_sub(1).map(|number| number as i32)
    }

    pub fn tell_appnum(&self, number: i32) {
        self.appnum.store(number as u32 + 1, Ordering::Relaxed);
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
    pub(super) fn renew(&self) {
        let generation = self.generation.load(Ordering::Relaxed) + 1;
        let numbers = self.numbers.load(Ordering::Relaxed);
        let words = (&raw const *self).cast::<AtomicU64>();
        for at in 0..size_of::<Process>() / size_of::<AtomicU64>() {
            // SAFETY: an entry is made of atomics, and zero is valid for all of them.
            unsafe { (*words.add(at)).store(0, Ordering::Relaxed) };
        }
        self.numbers.store(numbers, Ordering::Relaxed);
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

    /// Whether its process has ended, however.
    pub fn has_ended(&self) -> bool {
        matches!(self.state(), State::Exited | State::Quit | State::Dead)
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
        let now = clock::nanoseconds();
        self.woken.store(now, Ordering::Relaxed);
        let waker = try_job().map_or(0, |job| job.rank + 1);
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
    pub(in crate::runtime) fn times(&self) -> impl Iterator<Item = u32> {
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
