//! What the launcher uses of the library: it makes the job's segment, and keeps the books of its ranks' lives.

use super::deadlock::Node;
use super::errands::{Errand, ask_process};
pub use super::launcher::{APPSIZE, foreign_ranks};
use super::neighbours::{self, News, Turn};
use super::rest::Reading;
use super::spawn::{Program, Request, Started};
pub use super::table::room_for;
use super::table::{CAME, Death, LEAVING, MISSED, SURVIVES, State, Table};
use super::traffic::Count;
use super::{access, lookout, spaces, starter};
use crate::check::area::Area;
use crate::error::Result;
use crate::observe::tables::Tables;
use crate::shm::atomic::{Ordering, full_fence};
use crate::shm::holders::title;
use crate::shm::office::Holder;
pub use crate::shm::replaceable::Refusal;
use crate::shm::segment::Segment;
use crate::shm::{PAGE, memory};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

/// Bytes that one rank has moved to or from another.
pub struct Moved {
    pub put: u64,
    pub got: u64,
    pub accumulated: u64,
    pub sent: u64,
}

/// What a rank asks to be started.
pub struct Order {
    pub rank: u32,
    pub programs: Vec<Program>,
    request: Request,
}

/// The segment of a job that is about to be launched.
pub struct JobSegment {
    segment: &'static Segment,
    table: Table,
    /// This process.
    own: Holder,
    observed: Option<Tables>,
    checked: Option<Area>,
}

impl JobSegment {
    /// Makes the segment of a job of `ranks` processes, with room for `room`, and an empty process table in it. Once in a process. By its
    /// name, if it has one, which has no zero byte, it is found among what is [held](crate::shm::holders::held). If
    /// the ranks are to be observed, each gets room for so many events, those too that are started later. If they are checked,
    /// `check` says whether what is found ends the job.
    pub fn create(
        ranks: u32,
        room: u32,
        name: Option<&str>,
        events: Option<usize>,
        check: Option<bool>,
    ) -> Result<JobSegment> {
        let count = room as usize;
        let front = Table::bytes(room as usize).next_multiple_of(PAGE);
        let behind = events.map_or(0, |events| Tables::bytes(count, events));
        let last = check.map_or(0, |_| Area::bytes(count));
        let segment = Segment::create_as(&title(name), front + behind + last)?.install();
        segment.keep_from_children();
        let table = Table::create(segment, ranks, room, true);
        let me = std::process::id();
        table.job.ancestor.store(me, Ordering::Relaxed);
        starter::hold_office(&table);
        let own = neighbours::own();
        table.world(0).launcher.give(own);
        let observed = events.map(|events| {
            let at = PAGE + front;
            let tables = Tables::create(segment, at, count, events);
            table.job.observed.store(at as u64, Ordering::Relaxed);
            tables
        });
        let checked = check.map(|ends| {
            let at = PAGE + front + behind;
            let area = Area::create(segment, at, ranks as usize, ends);
            table.job.checked.store(at as u64, Ordering::Relaxed);
            area
        });
        Ok(JobSegment {
            segment,
            table,
            own,
            observed,
            checked,
        })
    }

    /// How many processes the job is told to be useful, at a time; 0: the ranks find that out.
    pub fn set_universe(&self, size: u32) {
        self.table.job.universe.store(size, Ordering::Relaxed);
    }

    /// Maps the segment of a job that has asked for a helper, which this process is to be. Once in a process.
    pub fn of(descriptor: BorrowedFd<'_>) -> Result<JobSegment> {
        let segment = Segment::attach(descriptor)?.install();
        segment.keep_from_children();
        Ok(JobSegment {
            segment,
            table: Table::open(segment),
            own: neighbours::own(),
            observed: None,
            checked: None,
        })
    }

    /// Maps the segment of a job that another launcher watches over, for this one to [start](JobSegment::admit) processes of its own
    /// there. Once in a process. Error: `MPI_ERR_OTHER`, which says why that cannot be; `MPI_ERR_NO_MEM`.
    pub fn join(descriptor: BorrowedFd<'_>) -> Result<JobSegment> {
        let joined = JobSegment::of(descriptor)?;
        neighbours::check(&joined.table)?;
        Ok(joined)
    }

    /// Gives places to a world of `size` processes, which nobody in the job has asked for: the first of them. `None`: there are not so
    /// many. Error: `MPI_ERR_OTHER` (another launcher is at it).
    pub fn admit(&self, size: u32) -> Result<Option<u32>> {
        let turn = self.take_turn()?;
        let Some(first) = self.place_for(size, self.begun_with(), |_| false) else {
            return Ok(None);
        };
        access::descend(&self.table.job.ancestor, std::process::id());
        self.enroll_for(&turn, first, size, None);
        Ok(Some(first))
    }

    /// Only one launcher of the job gives places to processes at a time. Error: `MPI_ERR_OTHER` (another does so for long).
    pub fn take_turn(&self) -> Result<Turn> {
        Turn::take(self.segment)
    }

    /// With how many processes the job has begun.
    pub fn begun_with(&self) -> u32 {
        self.table.world(0).size.load(Ordering::Relaxed)
    }

    /// The first of `size` places for new processes, if there are so many: those before `kept` are not given again. `lives`: a process
    /// of this launcher's.
    pub fn place_for(&self, size: u32, kept: u32, lives: impl Fn(u32) -> bool) -> Option<u32> {
        let reuses = self.reuses_places();
        let found = self.table.place_for(self.own, size, kept, lives);
        found.filter(|&first| reuses || first >= self.present())
    }

    /// Whether this launcher watches over `rank`.
    pub fn is_mine(&self, rank: u32) -> bool {
        (rank as usize) < self.table.present().len() && self.table.launcher(rank) == Some(self.own)
    }

    /// Whether the process of `rank` has ended, whoever has started it.
    pub fn has_ended(&self, rank: usize) -> bool {
        self.table.processes[rank].has_ended()
    }

    /// Tells the other launchers that `rank` is to be dead, and with which status what is connected with it ends. They are waited for, a
    /// moment at most; where it ends for another's sake (`follows`), not those that end theirs, too. False where that was told before.
    pub fn tell(&self, rank: u32, status: u8, follows: bool) -> bool {
        self.table.tell(self.own, rank, status, follows)
    }

    /// How often anything was told so.
    pub fn tidings(&self) -> u32 {
        self.table.tidings()
    }

    /// What has become of processes of other launchers; also what was news before.
    pub fn news(&self) -> Vec<News> {
        self.table.news(self.own)
    }

    /// What that means for the processes of this launcher, it has seen to.
    pub fn hear(&self, tidings: u32) {
        self.table.hear(self.own, tidings);
    }

    /// Marks one that was lost with its launcher: dead, if it was in MPI.
    pub fn settle_lost(&self, rank: u32) {
        self.table.settle_lost(rank);
    }

    /// From here on this process starts what the job asks for, as `rank` has started it to do. False if the rank is gone, and another
    /// process does it.
    pub fn take_office(&self, rank: u32) -> bool {
        if access::knows_ancestor(self.table.job) {
            access::descend(&self.table.job.ancestor, std::process::id());
        }
        starter::take_office(&self.table, rank)
    }

    /// How many places were given to processes.
    pub fn present(&self) -> u32 {
        self.table.present().len() as u32
    }

    /// Whether `rank` was started because another asked for it.
    pub fn was_started_later(&self, rank: u32) -> bool {
        self.table.world(rank).spawner.load(Ordering::Relaxed) != 0
    }

    /// Whether the process of `rank` is gone, which this one has not started. `None` if that cannot be seen from here: it has not told
    /// yet who it is, or is in name spaces of its own.
    pub fn is_gone(&self, rank: usize) -> Option<bool> {
        let process = &self.table.processes[rank];
        spaces::are_shared_with(process).then(|| lookout::is_gone(process))
    }

    /// Bytes that `rank` has moved, to and from each.
    pub fn traffic(&self, rank: usize) -> Vec<Moved> {
        let bytes = |count: &Count| count.bytes.load(Ordering::Relaxed);
        let cells = self.table.rows.row(rank).cells.iter();
        let moved = cells.map(|cell| Moved {
            put: bytes(&cell.put),
            got: bytes(&cell.got),
            accumulated: bytes(&cell.accumulated),
            sent: bytes(&cell.sent),
        });
        moved.collect()
    }

    /// Whether a place that its process has left is given to another: not where what the first has done is told at the end.
    pub fn reuses_places(&self) -> bool {
        self.observed.is_none() && self.checked.is_none()
    }

    /// What was seen of the ranks, if they are observed.
    pub fn observed(&self) -> Option<Tables> {
        self.observed
    }

    /// What was found of the ranks, if they are checked.
    pub fn checked(&self) -> Option<Area> {
        self.checked
    }

    /// The descriptor that the ranks inherit; close-on-exec until the child clears it.
    pub fn fd(&self) -> RawFd {
        let fd = self.segment.fd();
        fd.expect("the launcher closes no descriptors of others")
            .as_raw_fd()
    }

    /// The process that is `rank` in MPI: the one that was started, or one that it has started. `None` if it has not come, or
    /// is in a PID namespace of its own, whose numbers say nothing here.
    pub fn pid(&self, rank: usize) -> Option<i32> {
        let process = &self.table.processes[rank];
        spaces::are_shared_with(process).then(|| process.pid.load(Ordering::Relaxed) as i32)
    }

    /// The command line of the process that is `rank` in MPI, its words ended by zeros. Empty if it has not come, or is not known; what
    /// is long is cut.
    pub fn command(&self, rank: usize) -> String {
        self.table.processes[rank].command.get()
    }

    /// How many bytes of its own memory `rank` had in the segment at most, and why some last stayed private, if any did.
    pub fn adopted(&self, rank: usize) -> (u64, Option<Refusal>) {
        let process = &self.table.processes[rank];
        let refused = process.refused.load(Ordering::Relaxed).checked_sub(1);
        let bytes = process.adopted.load(Ordering::Relaxed);
        (bytes, refused.and_then(Refusal::of))
    }

    pub fn state(&self, rank: usize) -> State {
        self.table.processes[rank].state()
    }

    /// The process of `rank` exists. It may be further already, and an MPI program that it has started have come.
    pub fn set_started(&self, rank: usize, pid: u32) {
        self.table.processes[rank].start(pid);
    }

    /// The process of `rank` ended itself, and MPI had nothing against it.
    pub fn set_exited(&self, rank: usize) {
        self.table.retire(rank);
    }

    /// The process of `rank` ended itself with status 0, without MPI_Finalize: whether that is so.
    pub fn set_quit(&self, rank: usize) -> bool {
        self.table.quit(rank)
    }

    /// Whether another rank waits for `rank`, which has quit.
    pub fn is_missed(&self, rank: usize) -> bool {
        self.table.processes[rank].says(MISSED)
    }

    /// The process of `rank` is gone and others miss it.
    pub fn set_dead(&self, rank: usize, death: Death) {
        self.table.bury(rank, death);
    }

    /// Whether `rank` is in MPI and has an error handler by which it goes on when another rank dies.
    pub fn survives(&self, rank: usize) -> bool {
        let process = &self.table.processes[rank];
        process.state() == State::Running && process.says(SURVIVES)
    }

    /// Whether `rank` has come to MPI_Init.
    pub fn came(&self, rank: usize) -> bool {
        self.table.processes[rank].says(CAME)
    }

    /// Whether what `rank` has open, if it is in MPI, are sessions alone.
    pub fn has_sessions_alone(&self, rank: usize) -> bool {
        let process = &self.table.processes[rank];
        !process.says(CAME) || process.says(LEAVING)
    }

    /// What `rank` waits for, in words, a line for each of its sleeping threads.
    pub fn waiting_for(&self, rank: usize) -> Vec<String> {
        self.table.processes[rank].waiting_for()
    }

    /// Whether `rank` is in MPI: it has begun to initialize it, and not come to its end.
    pub fn is_in_mpi(&self, rank: usize) -> bool {
        matches!(self.state(rank), State::Joining | State::Running)
    }

    /// For how long `rank` has waited in vain.
    pub fn rest(&self, rank: usize) -> Reading {
        self.table.processes[rank].rest.read()
    }

    /// What `rank` rests for, if it rests in this reading still.
    pub fn node(&self, rank: usize, reading: Reading) -> Node {
        let need = self.table.posted(rank);
        match self.rest(rank).number == reading.number {
            true => Node::Rests(need),
            false => Node::Acts,
        }
    }

    /// Asks `rank` to look whether its wait is over, and to count that.
    pub fn ask_to_look(&self, rank: usize) {
        let process = &self.table.processes[rank];
        process.looks_asked.fetch_add(1, Ordering::AcqRel);
        full_fence();
        process.ring_sleepers();
    }

    /// Asks `rank` where in the program it waits. Who waits tells soon.
    pub fn ask_for_place(&self, rank: usize) {
        let process = &self.table.processes[rank];
        process.place.clear();
        ask_process(process, Errand::Tell);
    }

    /// What `rank` has told since: return addresses, see [`super::place::Place::frames`].
    pub fn place(&self, rank: usize) -> Vec<u64> {
        self.table.processes[rank].place.frames()
    }

    /// How many processes there is room for, those included that were there before.
    pub fn room(&self) -> u32 {
        self.table.processes.len() as u32
    }

    /// The first of those that were started together with `rank`.
    pub fn first_of(&self, rank: u32) -> u32 {
        self.table.first_of(rank)
    }

    /// Whether all that were started together with `rank` have ended, and their places can be given to others.
    pub fn is_over(&self, rank: usize) -> bool {
        self.table.is_over(rank as u32)
    }

    /// What ranks ask to be started.
    pub fn orders(&self) -> Vec<Order> {
        let ranks = 0..self.table.present().len();
        let order = |rank| {
            if self.table.gone(rank as u32).is_some() || !self.is_mine(rank as u32) {
                // Nobody would be the parent.
                return None;
            }
            let (request, programs) = Request::of(&self.table, self.segment, rank)?;
            Some(Order {
                rank: rank as u32,
                programs,
                request,
            })
        };
        ranks.filter_map(order).collect()
    }

    /// Gives the memory of all worlds back that are over, and of which nobody names one, but of those before `kept`: also where their places
    /// wait to be given. `lives`: a process that this launcher has started.
    pub fn settle_forgotten(&self, _turn: &Turn, kept: u32, lives: impl Fn(u32) -> bool) {
        let has_memory = |rank: &u32| self.table.processes[*rank as usize].heap.has_any();
        for rank in (kept..self.present()).filter(has_memory) {
            let forgotten =
                || self.table.is_over(rank) && self.table.is_forgotten(self.first_of(rank));
            if !lives(rank) && !self.table.is_anothers(self.own, rank) && forgotten() {
                self.table.processes[rank as usize]
                    .heap
                    .settle(self.segment);
            }
        }
    }

    /// Gives the places from `first` on to `size` processes, which `rank` has asked for, if one has. They can be started then.
    pub fn enroll_for(&self, _turn: &Turn, first: u32, size: u32, rank: Option<u32>) {
        // Those that were there before need theirs no more. Where somebody names one still, it is only certain of some of it, and who
        // sends something now writes where nobody reads.
        for (rank, process) in (first..first + size).zip(&self.table.processes[first as usize..]) {
            let is_forgotten = || self.table.is_forgotten(self.table.first_of(rank));
            if !process.heap.has_any() || is_forgotten() && process.heap.settle(self.segment) {
                continue;
            }
            for (offset, len) in process.kept() {
                if self.segment.reach(offset, len).is_ok() {
                    self.segment.punch(offset, len);
                    memory::release(self.segment, len);
                }
            }
        }
        self.table.enroll(first, size, rank, Some(self.own));
        if let Some(area) = self.checked {
            area.grow(first + size);
        }
    }

    /// Tells the rank what became of what it asked for.
    pub fn settle(&self, order: &Order, outcome: &Result<Started>) {
        order
            .request
            .settle(&self.table, order.rank as usize, outcome);
    }

    /// The exit status with which `rank` has called MPI_Abort, if it has: once.
    pub fn take_abort_request(&self, rank: u32) -> Option<i32> {
        super::abort::take_request(&self.table, rank)
    }

    /// The ranks, in parts of which none waits for what another does.
    pub fn parts(&self) -> Vec<Vec<u32>> {
        self.table.parts()
    }

    /// Whether `rank` is about to be connected with another part by way of a port or a socket.
    pub fn is_at_port(&self, rank: usize) -> bool {
        self.table.processes[rank].at_ports.load(Ordering::Acquire) != 0
    }

    /// Those that are connected with `rank`, itself among them.
    pub fn connected(&self, rank: u32) -> Vec<u32> {
        self.table.connected(rank)
    }
}
