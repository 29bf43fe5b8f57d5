//! Collective calls on a communicator, as checks compare them across its processes, and on [what was made](Together) by such a call.

use super::Comm;

use crate::check::collectives::{Call, Compared, SECTION, compare, made_by, says};
use crate::check::{self, Place, messages};
use crate::runtime::Ranks;
use crate::runtime::deaths::dead;
use crate::runtime::meeting::Meeting;
use crate::shm::atomic::{AtomicU32, Ordering};

/// Calls are not counted any more.
const LOST: u32 = u32::MAX;

/// The number of the next call after `count`, if calls are still compared.
fn next(count: &AtomicU32, meeting: &Meeting, name: &str) -> Option<u32> {
    let number = count.load(Ordering::Relaxed);
    if number == LOST || meeting.members.len() < 2 || name.is_empty() {
        return None;
    }
    // After a death processes learn of it in different calls.
    if dead(Ranks::All).is_some() {
        count.store(LOST, Ordering::Relaxed);
        return None;
    }
    count.store(number + 1, Ordering::Relaxed);
    Some(number + 1)
}

/// The collective calls on something that a collective call on a communicator has made: a window, a file.
pub struct Together {
    /// [`made_by`] which call; 0: its calls are not compared.
    on: u64,
    count: AtomicU32,
}

impl Together {
    /// Of what the present call on `comm` makes.
    pub fn made_on(comm: &Comm) -> Together {
        let number = match check::is_on() {
            true => comm.compared.load(Ordering::Relaxed),
            false => LOST,
        };
        Together {
            on: if number == LOST {
                0
            } else {
                made_by(comm.context, number)
            },
            count: AtomicU32::new(0),
        }
    }

    /// In a job that is checked: this process makes the present call, a collective one, on what the processes of `meeting` have: `of` says what
    /// that is ("the window"), `title` which. All have to do so by `section`. Gives its number, if it is compared.
    #[cold]
    pub fn compare(
        &self,
        meeting: &Meeting,
        of: &'static str,
        title: &dyn Fn() -> String,
        section: &'static str,
        compared: Compared<'_>,
    ) -> Option<u32> {
        if self.on == 0 {
            return None;
        }
        let name = check::called();
        let number = next(&self.count, meeting, name)?;
        let call = Call {
            on: self.on,
            number,
            members: &meeting.members,
            me: meeting.rank,
            first_group: None,
            of,
            title,
            section,
            name,
            what: compared,
        };
        if !compare(&call) {
            self.count.store(LOST, Ordering::Relaxed);
        }
        Some(number)
    }

    /// What `rank` of the job has said with its call of this number, and where that stands.
    pub fn says(&self, rank: u32, number: u32) -> Option<(u64, Place)> {
        says(rank, self.on, number)
    }
}

impl Comm {
    /// In a job that is checked: whether the program hears of errors.
    pub(super) fn check_handler(&self) {
        if check::is_on() {
            messages::set_forgiving(self.context, self.handler.lets_go_on());
        }
    }

    /// In a job that is checked: this process makes the present call, a collective one, on this communicator.
    #[inline]
    pub fn called_together(&self) {
        if check::is_on() {
            self.compare_calls(check::called(), Compared::ORDER);
        }
    }

    /// The same with what has to fit, of the function `name`.
    #[cold]
    pub fn compare_calls(&self, name: &str, compared: Compared<'_>) {
        let Some(number) = next(&self.compared, &self.meeting, name) else {
            return;
        };
        let title = || match self.title() {
            title if title.starts_with("0x") => format!("a communicator of {}", self.size()),
            title => title,
        };
        let seats = self.local_seats();
        let call = Call {
            on: self.context.into(),
            number,
            members: &self.meeting.members,
            me: self.meeting.rank,
            first_group: self.remote.as_ref().map(|remote| match seats.start {
                0 => seats.end,
                _ => remote.size(),
            }),
            of: "the communicator",
            title: &title,
            section: SECTION,
            name,
            what: compared,
        };
        if !compare(&call) {
            self.compared.store(LOST, Ordering::Relaxed);
        }
    }
}
