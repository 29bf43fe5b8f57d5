//! Windows that end though one of their processes has died (MPIX_ERR_PROC_FAILED of MPI_Win_free).
//!
//! Not all come to the barrier of such an end, so nobody knows whether the others still use what it has there. A process's handle ends, and
//! all that it names of the others; what they may reach of it stays until each of them has given the window up, too, or is gone. Each
//! says so in the window's block ([`PerRank::left`](crate::block::PerRank)), and looks whenever it makes or ends a window.
//!
//! The block is the first process's. Where that is of another world its memory goes when it is gone and nobody names it any more: as
//! long as it lives it is named here. If it is gone, the block cannot be looked at, and what this process has in the window stays
//! until it ends.

use super::memory::Given;
use super::moving::Part;
use super::{WINDOWS, Window, dynamic};
use crate::block::Control;
use crate::mpi::types::MPI_Win;
use crate::observe::events::{self, Kind as Happening};
use crate::runtime::failures::has_failed;
use crate::runtime::job;
use crate::runtime::meeting::Meeting;
use crate::runtime::ties::{Ties, Why};
use crate::shm::atomic::Ordering;
use parking_lot::Mutex;
use std::sync::Arc;

/// What a process has in a window that it has given up.
struct Lost {
    /// The others' ranks in the window, and their names in the job.
    others: Vec<(usize, u64)>,
    control: Control,
    _part: Part,
    _attached: Option<Box<dynamic::Attached>>,
    _memory: Option<Given>,
    /// Left after the memory was given back, and before nobody is named.
    meeting: Meeting,
    ties: Ties,
}

static LOST: Mutex<Vec<Lost>> = Mutex::new(Vec::new());

/// What is known of the others.
enum Users {
    None,
    Some,
    /// Nothing, and nothing ever will be.
    Unknown,
}

/// Ends the window, if it is still there.
pub fn lose(handle: MPI_Win) {
    let Some(window) = WINDOWS.remove(handle.0) else {
        return;
    };
    window.tell_of_end(handle);
    let lost = Lost::of(alone(window));
    let mut list = LOST.lock();
    list.push(lost);
    settle(&mut list);
}

/// Gives back what nobody else uses any more.
pub fn look() {
    let mut list = LOST.lock();
    if !list.is_empty() {
        settle(&mut list);
    }
}

fn settle(list: &mut Vec<Lost>) {
    let mut at = 0;
    while at < list.len() {
        match list[at].users() {
            Users::Some => {
                list[at].meeting.let_go();
                at += 1;
            }
            Users::None => drop(list.swap_remove(at)),
            Users::Unknown => list.swap_remove(at).keep(),
        }
    }
}

/// The window itself, when other threads have done with it what is asked of this process in any wait.
fn alone(mut window: Arc<Window>) -> Window {
    loop {
        match Arc::try_unwrap(window) {
            Ok(window) => return window,
            Err(shared) => {
                window = shared;
                std::thread::yield_now();
            }
        }
    }
}

impl Lost {
    fn of(window: Window) -> Lost {
        let (table, me) = (&job().table, window.rank);
        let members = (0..).zip(&*window.meeting.members);
        let others = members.filter(|&(rank, _)| rank != me);
        let others = others.map(|(rank, &member)| (rank, table.named(member)));
        window.mine.left.store(1, Ordering::Release);
        Lost {
            others: others.collect(),
            control: window.control,
            _part: window.part.into_inner(),
            _attached: window.attached.into_inner(),
            _memory: window.own._memory,
            ties: Ties::to(Why::Named, &window.meeting.members[..1]),
            meeting: window.meeting,
        }
    }

    fn users(&self) -> Users {
        let table = &job().table;
        let is_over = |name: u64| table.named(name as u32) != name || has_failed(name as u32);
        let mut others = self.others.iter().filter(|&&(_, name)| !is_over(name));
        let is_known = self.ties.are_none() || !has_failed(self.meeting.members[0]);
        match others.next() {
            None => Users::None,
            Some(_) if !is_known => Users::Unknown,
            Some(first) => {
                let mut living = std::iter::once(first).chain(others);
                let has_left =
                    |rank: usize| self.control.ranks[rank].left.load(Ordering::Acquire) != 0;
                match living.all(|&(rank, _)| has_left(rank)) {
                    true => Users::None,
                    false => Users::Some,
                }
            }
        }
    }

    /// Keeps what others may use, and nothing else.
    fn keep(mut self) {
        self.meeting.let_go();
        self.ties = Ties::default();
        std::mem::forget(self);
    }
}

impl Window {
    /// Its handle is gone.
    pub(super) fn tell_of_end(&self, handle: MPI_Win) {
        self.unlist_part();
        self.gives_up_part();
        if events::are_wanted(Happening::WindowFreed) {
            events::raise(Happening::WindowFreed, self.number, [handle.0.into(), 0, 0]);
        }
    }
}
