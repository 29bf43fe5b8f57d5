//! What a [checked](crate::check) job asks of windows: each [operation](operations) is told to the check of [races](crate::check::race), with the
//! bytes that it touches on both sides, and so is each [synchronisation](epochs).

mod epochs;
pub(super) mod operations;

use super::{Flavor, Target, Window};
use crate::block::Control;
use crate::check::clock::{self, Keys};
use crate::check::race::{self, Words};
use crate::check::{self, local};
use crate::datatype::Named;
use crate::naming;
use crate::op::Predefined;

impl Words for Window {
    fn checked(&self) -> race::Window<'_> {
        race::Window {
            id: self.names.id,
            members: &self.meeting.members,
        }
    }

    fn window(&self) -> String {
        let name = self.name.lock();
        match name.is_empty() {
            true => format!("a window of {} ranks", self.size()),
            false => format!("window \"{}\"", naming::printable(&name)),
        }
    }

    fn operation(&self, op: u8) -> &'static str {
        Predefined::ALL.get(op as usize).map_or("?", |op| op.name())
    }

    fn basic(&self, basic: u8) -> String {
        let is_it = |named: &Named| named.basic().is_some_and(|b| b as u8 == basic);
        let found = Named::all().find(is_it);
        found.map_or("several basic types".into(), |named| {
            named.name().to_string()
        })
    }

    fn reading(&self) -> u8 {
        Predefined::NoOp as u8
    }
}

/// What a window is called in checks.
pub(super) struct Names {
    id: u64,
    /// What keys of its locks begin with.
    locks: Keys,
}

impl Names {
    pub fn of(control: &Control) -> Names {
        let id = Control::key(control.record);
        let locks = Keys::new(clock::LOCK, id, 0);
        Names { id, locks }
    }
}

impl Window {
    /// Its number in checks.
    pub(super) fn checked_id(&self) -> u64 {
        self.names.id
    }

    /// This process has a part of it, where loads and stores meet the operations of others.
    pub(super) fn has_part(&self) {
        let by_operations = matches!(self.flavor, Flavor::Allocate | Flavor::Create);
        if check::is_on() && by_operations && self.own.size > 0 {
            let base = self.own.base.addr();
            local::has_part(self.checked_id(), self.rank, base, &self.meeting.members);
        }
    }

    /// All its processes have given it up.
    pub(super) fn gives_up_part(&self) {
        if check::is_on() {
            local::gives_up(self.checked_id());
        }
    }

    /// This process gets the address of memory that it shares with another.
    pub(super) fn shares(&self, target: &Target) {
        if target.process() != self.meeting.members[self.rank] {
            clock::loads_unseen(target.process());
        }
    }
}
