//! Collective calls on a communicator, as checks compare them across its processes.

use super::Comm;
use crate::check::collectives::{Call, Root, Rule, Words, compare};
use crate::check::{self, messages, signature::Signature};
use crate::runtime::Ranks;
use crate::runtime::deaths::dead;
use crate::shm::atomic::Ordering;

/// What of a collective call is compared beside its place among the calls.
pub struct Compared<'a> {
    pub root: Root,
    pub op: &'a str,
    pub in_place: Option<bool>,
    pub rule: Rule,
    pub own: Words,
    pub elements: &'a dyn Fn() -> String,
    pub blocks: [Vec<Words>; 2],
}

impl Compared<'_> {
    /// Nothing.
    pub const ORDER: Compared<'static> = Compared {
        root: Root::None,
        op: "",
        in_place: None,
        rule: Rule::Order,
        own: Signature::EMPTY.words(),
        elements: &String::new,
        blocks: [Vec::new(), Vec::new()],
    };
}

/// Calls are not counted any more.
const LOST: u32 = u32::MAX;

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
        let number = self.compared.load(Ordering::Relaxed);
        if number == LOST || self.meeting.members.len() < 2 || name.is_empty() {
            return;
        }
        // After a death processes learn of it in different calls.
        if dead(Ranks::All).is_some() {
            return self.compared.store(LOST, Ordering::Relaxed);
        }
        let number = number + 1;
        self.compared.store(number, Ordering::Relaxed);
        let Compared {
            root,
            op,
            in_place,
            rule,
            own,
            elements,
            blocks,
        } = compared;
        let title = || match self.title() {
            title if title.starts_with("0x") => format!("a communicator of {}", self.size()),
            title => title,
        };
        let seats = self.local_seats();
        let call = Call {
            context: self.context,
            number,
            members: &self.meeting.members,
            me: self.meeting.rank,
            first_group: self.remote.as_ref().map(|remote| match seats.start {
                0 => seats.end,
                _ => remote.size(),
            }),
            title: &title,
            name,
            root,
            op,
            in_place,
            rule,
            own,
            elements,
            blocks,
        };
        if !compare(&call) {
            self.compared.store(LOST, Ordering::Relaxed);
        }
    }
}
