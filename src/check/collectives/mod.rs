//! Collective calls, compared across the processes of a communicator, a window or a file (MPI 4.1 §6.1, §6.12, §12.2, §14).
//!
//! Each process counts its collective calls on each of these, and writes what each is into a ring in its block, before anything of it is
//! done. Then it looks whether others have written theirs of the same number: so whoever of two comes later finds where they differ, also
//! where the calls would wait for each other for ever. Nobody waits for that. What all must have alike is compared with the two neighbours
//! in the order of ranks, which is enough for all; blocks with those that they go to and come from.

mod ring;

use super::signature::Signature;
use super::{Finding, Place, checker, signature, tell};
use crate::naming::{self, in_job, routine};
use crate::shm::atomic::full_fence;
use parking_lot::Mutex;
pub use ring::Collectives;
use ring::{Other, in_place_bits};

/// Where MPI says so of communicators.
pub const SECTION: &str = "MPI 4.1 §6.1";

/// Words of a signature.
pub type Words = [u64; 2];

/// What a process's own elements have to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Nothing is compared but the order of calls, their roots and operations.
    Order,
    /// As everybody's.
    Alike,
    /// As its block at the root, who has one for each process.
    AtRoot,
    /// As its block at everybody, who has one for each process.
    AtAll,
    /// Everybody has two lists, blocks to send and to receive: each as the other's.
    Pairs,
}

/// Whose root it is. (Of an intercommunicator, as its arguments say it.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    None,
    Rank(usize),
    /// Of an intercommunicator.
    Here,
    Elsewhere,
}

impl Root {
    fn bits(self) -> u64 {
        match self {
            Root::None => 0,
            Root::Here => 1,
            Root::Elsewhere => 2,
            Root::Rank(rank) => 3 + rank as u64,
        }
    }
}

/// A call, as it is compared.
pub struct Call<'a> {
    /// The number of what it is made on, and the call's there, from 1 on. Of a communicator that is its context; of what was made by a
    /// collective call on one, [`made_by`] that.
    pub on: u64,
    pub number: u32,
    /// Its processes by their ranks in the job, and where this one is among them.
    pub members: &'a [u32],
    pub me: usize,
    /// How many of them are the first group, of an intercommunicator.
    pub first_group: Option<usize>,
    /// What that is ("the window"), and which one in words.
    pub of: &'static str,
    pub title: &'a dyn Fn() -> String,
    /// Where MPI says that all have to make the same calls there, and with the same arguments.
    pub section: &'static str,
    pub name: &'a str,
    pub what: Compared<'a>,
}

/// What of a collective call is compared beside its place among the calls.
pub struct Compared<'a> {
    pub root: Root,
    /// The operation's name; empty if there is none.
    pub op: &'a str,
    /// Where everybody may be or nobody.
    pub in_place: Option<bool>,
    pub rule: Rule,
    /// Its own elements, and in words.
    pub own: Words,
    pub elements: &'a dyn Fn() -> String,
    /// Blocks for each member: of [`Rule::Pairs`] what is sent and what is received, else the first list.
    pub blocks: [Vec<Words>; 2],
    /// What is not compared, and that others may [ask](says) for.
    pub says: u64,
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
        says: 0,
    };
}

/// The number of what call `number` on the communicator `context` makes.
pub fn made_by(context: u32, number: u32) -> u64 {
    // Contexts are below 2^31.
    1 << 63 | u64::from(context) << 32 | u64::from(number)
}

/// What `rank` of the job has said with a call, and where it stands, if it is still there.
pub fn says(rank: u32, on: u64, number: u32) -> Option<(u64, Place)> {
    let checker = checker()?;
    checker.area.block(rank).collectives.says(on, number)
}

/// Notes a call, and compares it with those of others that have come. False if the processes do not make the same calls on this
/// communicator: there is nothing to compare from then on.
#[cold]
pub fn compare(call: &Call<'_>) -> bool {
    let Some(checker) = checker() else {
        return true;
    };
    checker.own.collectives.write(call, &(call.what.elements)());
    // Of two that come at one time, one at least sees the other.
    full_fence();
    let n = call.members.len();
    let (next, last) = ((call.me + 1) % n, (call.me + n - 1) % n);
    let is_root = call.what.root == Root::Rank(call.me);
    let root = match (call.what.rule, call.what.root) {
        (Rule::AtRoot, Root::Rank(rank)) if rank < n => Some(rank),
        _ => None,
    };
    let with_all = matches!(call.what.rule, Rule::Pairs | Rule::AtAll) || is_root && root.is_some();
    if let Some(what) = difference_alone(call) {
        tell_difference(call, what);
        return true;
    }
    for at in (0..n).filter(|&at| at != call.me) {
        if !with_all && at != next && at != last && Some(at) != root {
            continue;
        }
        let theirs = checker.area.block(call.members[at]).collectives;
        let Some(other) = theirs.read(call, at) else {
            continue;
        };
        let both = Both {
            call,
            other,
            theirs,
        };
        if !both.other.name.is(routine(call.name)) {
            both.tell_order();
            return false;
        }
        if let Some(what) = both.difference() {
            tell_difference(call, what);
            return true;
        }
    }
    true
}

struct Both<'a> {
    call: &'a Call<'a>,
    other: Other,
    theirs: &'a Collectives,
}

impl Both<'_> {
    /// A member, by the rank that it has in its group.
    fn rank(&self, at: usize) -> String {
        let process = self.call.members[at];
        match self.call.first_group {
            Some(first) if at >= first => {
                format!(
                    "rank {} of the second group{}",
                    at - first,
                    in_job(at - first, process)
                )
            }
            Some(_) => format!("rank {at} of the first group{}", in_job(at, process)),
            None => naming::rank(at, process, self.call.of),
        }
    }

    /// A root, as arguments name it; with its rank in the job where that is another.
    fn root(&self, bits: u64) -> String {
        let rank = bits.checked_sub(3).map(|rank| rank as usize);
        let told = root_text(bits);
        match (rank, self.call.first_group) {
            (Some(rank), None) => match self.call.members.get(rank) {
                Some(&process) => told + &in_job(rank, process),
                None => told,
            },
            _ => told,
        }
    }

    fn there(&self) -> String {
        match self.other.place {
            Place::UNKNOWN => String::new(),
            place => format!(" at {}", place.of(self.other.rank)),
        }
    }

    fn tell_order(&self) {
        note(self.call.on);
        let Call { number, title, .. } = self.call;
        let other = &self.other;
        let is_same = |name: &str| {
            let blocking = routine(name).replacen("MPI_I", "MPI_", 1);
            blocking
                .replacen("MPI_File_i", "MPI_File_", 1)
                .to_lowercase()
        };
        let rule = match is_same(&other.name.to_string()) == is_same(self.call.name) {
            true => "a call that blocks does not match one that does not",
            false => "all its processes must make the same calls in the same order",
        };
        tell(Finding {
            kind: "collective mismatch",
            section: match rule.starts_with("all") {
                true => self.call.section,
                false => "MPI 4.1 §6.12",
            },
            text: format!(
                "the collective call number {number} on {} is {} here, but {} at {}{}: {rule}",
                title(),
                routine(self.call.name),
                other.name,
                self.rank(other.at),
                self.there(),
            ),
        });
    }

    /// What is not as it must be.
    fn difference(&self) -> Option<String> {
        let (call, other) = (self.call, &self.other);
        let they = || format!("{}{}", self.rank(other.at), self.there());
        if self.roots_differ() {
            return Some(format!(
                "the root is {} here, but {} at {}",
                self.root(call.what.root.bits()),
                self.root(other.root),
                they()
            ));
        }
        if !other.op.is(call.what.op) {
            return Some(format!(
                "the operation is {} here, but {} at {}",
                call.what.op,
                other.op,
                they()
            ));
        }
        let mine = in_place_bits(call.what.in_place);
        if mine != 0 && other.in_place != 0 && mine != other.in_place {
            let (yes, no) = match mine == 2 {
                true => ("this process".to_string(), they()),
                false => (they(), "this process".to_string()),
            };
            return Some(format!(
                "MPI_IN_PLACE is given by {yes}, but not by {no}: all processes give it, or none"
            ));
        }
        match call.what.rule {
            Rule::Order => None,
            Rule::Alike => (!signature::fit(call.what.own, other.own)).then(|| {
                format!(
                    "this process has {}, but {} has {}",
                    (call.what.elements)(),
                    they(),
                    other.elements
                )
            }),
            Rule::AtRoot if call.what.root == Root::Rank(call.me) => self.my_block(),
            Rule::AtRoot if call.what.root == Root::Rank(other.at) => self.their_block(),
            Rule::AtRoot => None,
            Rule::AtAll => self.my_block().or_else(|| self.their_block()),
            Rule::Pairs => self.pair(),
        }
    }

    fn roots_differ(&self) -> bool {
        let (mine, theirs) = (self.call.what.root.bits(), self.other.root);
        let Some(first) = self.call.first_group else {
            return mine != theirs;
        };
        // Between groups: one of the root's group is it, all of the other name it.
        let is_same = (self.call.me < first) == (self.other.at < first);
        let is_named = |root: u64| root > 2;
        match is_same {
            true => is_named(mine) != is_named(theirs) || is_named(mine) && mine != theirs,
            false => mine != 0 && is_named(mine) == is_named(theirs),
        }
    }

    /// The other's own elements and the block that this process has for them.
    fn my_block(&self) -> Option<String> {
        let block = *self.call.what.blocks[0].get(self.other.at)?;
        (!signature::fit(block, self.other.own)).then(|| {
            format!(
                "{}{} has {}, but its block here is of {}",
                self.rank(self.other.at),
                self.there(),
                self.other.elements,
                size(block, self.other.own)
            )
        })
    }

    /// The other way round.
    fn their_block(&self) -> Option<String> {
        let block = self.theirs.block(&self.other, 0, self.call.me)?;
        (!signature::fit(block, self.call.what.own)).then(|| {
            format!(
                "this process has {}, but its block at {}{} is of {}",
                (self.call.what.elements)(),
                self.rank(self.other.at),
                self.there(),
                size(block, self.call.what.own)
            )
        })
    }

    fn pair(&self) -> Option<String> {
        let (me, at) = (self.call.me, self.other.at);
        let (they, there) = (self.rank(at), self.there());
        for (list, verb, theirs) in [(0, "sends", "receives"), (1, "receives", "sends")] {
            let mine = self.call.what.blocks[list].get(at).copied();
            let (Some(mine), Some(other)) = (mine, self.theirs.block(&self.other, 1 - list, me))
            else {
                continue;
            };
            if !signature::fit(mine, other) {
                let preposition = if list == 0 { "to" } else { "from" };
                let what = plural(mine[0]);
                let size = size(other, mine);
                return Some(format!(
                    "this process {verb} {what} {preposition} {they}{there}, which {theirs} {size}"
                ));
            }
        }
        None
    }
}

/// On what something was told here.
static TOLD: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Whether this process has told of calls on a communicator: what follows from that is not told again.
pub fn was_told(context: u32) -> bool {
    TOLD.lock().contains(&context.into())
}

/// Now it has.
fn note(on: u64) {
    let mut told = TOLD.lock();
    if !told.contains(&on) {
        told.push(on);
    }
}

fn tell_difference(call: &Call<'_>, what: String) {
    note(call.on);
    tell(Finding {
        kind: "collective mismatch",
        section: call.section,
        text: format!(
            "{} on {} (call number {} there): {what}",
            routine(call.name),
            (call.title)(),
            call.number
        ),
    });
}

/// What a process gives itself is not what it takes.
fn difference_alone(call: &Call<'_>) -> Option<String> {
    let block = |list: usize| call.what.blocks[list].get(call.me).copied();
    let (gives, takes) = match call.what.rule {
        Rule::Pairs => (block(0)?, block(1)?),
        Rule::AtRoot | Rule::AtAll => (call.what.own, block(0)?),
        Rule::Order | Rule::Alike => return None,
    };
    (!signature::fit(gives, takes)).then(|| {
        format!(
            "this process's own block is {} in one buffer, but {} in the other",
            plural(gives[0]),
            size(takes, gives)
        )
    })
}

fn plural(elements: u64) -> String {
    match elements {
        1 => "1 element".to_string(),
        n => format!("{n} elements"),
    }
}

/// A block, of which only words are known, beside another.
fn size(block: Words, beside: Words) -> String {
    match block[0] == beside[0] {
        true => format!("{} of other types", plural(block[0])),
        false => plural(block[0]),
    }
}

fn root_text(bits: u64) -> String {
    match bits {
        0 => "none".to_string(),
        1 => "MPI_ROOT".to_string(),
        2 => "MPI_PROC_NULL".to_string(),
        rank => (rank - 3).to_string(),
    }
}
