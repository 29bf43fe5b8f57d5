//! What of a collective operation is [compared](crate::check::collectives) across its processes, in a job that is checked.

use super::decide::{Call, Collective};
use super::elements::Vector;
use super::planner;
use crate::check::clock::Source;
use crate::check::collectives::{Compared, Root, Rule, Words};
use crate::check::room::Room;
use crate::check::signature::Signature;
use crate::op::Op;

impl Vector {
    fn words(&self) -> Words {
        self.element.datatype.number(self.count).words()
    }

    fn described(&self) -> String {
        self.element.datatype.described(self.count)
    }
}

/// Of all blocks; of none where there is no memory for that.
fn words(blocks: &[Vector]) -> Vec<Words> {
    let mut words = Vec::new();
    if words.has_room(blocks.len()) {
        words.extend(blocks.iter().map(Vector::words));
    }
    words
}

/// Whether a process that has elements gave MPI_IN_PLACE: no two buffers are the same otherwise.
fn is_in_place(mine: &Vector, out: &Vector) -> Option<bool> {
    (mine.bytes() > 0 && out.bytes() > 0).then_some(mine.address == out.address)
}

fn name_of(op: &Op) -> &'static str {
    match op.predefined() {
        Some(op) => op.name(),
        None => "a function of the program's",
    }
}

impl Call {
    fn root(&self) -> Root {
        use Collective::*;
        let root = match &self.what {
            // Only this has nothing to do.
            Nothing => return Root::Elsewhere,
            Broadcast { root, .. }
            | Gather { root, .. }
            | Scatter { root, .. }
            | Reduce { root, .. } => *root,
            _ => return Root::None,
        };
        match root {
            planner::Root::Here if self.comm.remote.is_none() => Root::Rank(self.comm.rank),
            planner::Root::Here => Root::Here,
            planner::Root::There(rank) => Root::Rank(rank),
            planner::Root::Elsewhere => Root::Elsewhere,
        }
    }

    /// Whose data this process gets by it, who thereby orders what it has done before: of all, unless one has it all.
    #[cold]
    pub(super) fn source(&self) -> Source {
        use Collective::*;
        let (None, Root::Rank(root)) = (&self.comm.remote, self.root()) else {
            return Source::All;
        };
        let is_root = root == self.comm.rank;
        match &self.what {
            Broadcast { .. } | Scatter { .. } if is_root => Source::Nobody,
            Broadcast { .. } | Scatter { .. } => Source::Rank(self.comm.peer(root)),
            Gather { .. } | Reduce { .. } if !is_root => Source::Nobody,
            _ => Source::All,
        }
    }

    /// Compares it with what other processes have called.
    #[cold]
    pub(super) fn compare(&self) {
        use Collective::*;
        let root = self.root();
        let mut compared = Compared {
            root,
            ..Compared::ORDER
        };
        let is_inter = self.comm.remote.is_some();
        // Its own elements, and the blocks of which one is its own if that lies there.
        let mut own: Option<&Vector> = None;
        match &self.what {
            Nothing | Barrier | Neighbors { .. } => {}
            Broadcast { what, .. } => {
                compared.rule = Rule::Alike;
                own = Some(what);
            }
            Gather { mine, blocks, .. } | Scatter { blocks, mine, .. } => {
                compared.rule = Rule::AtRoot;
                compared.blocks[0] = words(blocks);
                own = mine.as_ref().or(blocks.get(self.comm.rank));
            }
            Allgather { mine, blocks, .. } => {
                compared.rule = Rule::AtAll;
                compared.in_place = Some(mine.is_none());
                compared.blocks[0] = words(blocks);
                own = mine.as_ref().or(blocks.get(self.comm.rank));
            }
            Alltoall { send, receive, .. } => {
                compared.rule = Rule::Pairs;
                compared.in_place = Some(send.is_none());
                let send = send.as_deref().unwrap_or(receive);
                compared.blocks = [words(send), words(receive)];
            }
            Reduce { op, mine, out, .. } => {
                compared.rule = Rule::Alike;
                compared.op = name_of(op);
                own = mine.as_ref().or(out.as_ref());
            }
            Allreduce { op, mine, out } => {
                compared.rule = Rule::Alike;
                compared.op = name_of(op);
                compared.in_place = is_in_place(mine, out);
                own = Some(mine);
            }
            // Who wants that in place says so alone (MPI 4.1 §6.11).
            Scan { op, mine, .. } | Exscan { op, mine, .. } => {
                compared.rule = Rule::Alike;
                compared.op = name_of(op);
                own = Some(mine);
            }
            ReduceScatter { op, mine, out, .. } => {
                compared.rule = Rule::Alike;
                compared.op = name_of(op);
                // With blocks of any length also (§6.10.2): who gets none may have no buffer.
                if self.name.contains("_block") {
                    compared.in_place = is_in_place(mine, out);
                }
                own = Some(mine);
            }
        }
        let elements = || match (&self.what, own) {
            (ReduceScatter { counts, mine, .. }, _) if mine.count > 0 => {
                format!("{} in blocks of {}", mine.described(), list(counts))
            }
            (_, Some(own)) => own.described(),
            (_, None) => String::new(),
        };
        compared.own = match &self.what {
            ReduceScatter { mine, counts, .. } => of_blocks(mine, counts),
            _ => own.map_or(Signature::EMPTY.words(), Vector::words),
        };
        compared.elements = &elements;
        if is_inter {
            self.between_groups(&mut compared);
        }
        self.comm.compare_calls(self.name, compared);
    }

    /// Blocks are for the other group: their messages are compared instead. What both groups have alike is here.
    fn between_groups(&self, compared: &mut Compared<'_>) {
        use Collective::*;
        let is_alike = matches!(&self.what, Barrier | Allreduce { .. });
        if !is_alike {
            compared.rule = Rule::Order;
            compared.blocks = [Vec::new(), Vec::new()];
            compared.in_place = None;
        }
        // One that has no part says no operation.
        if matches!(&self.what, Nothing | Reduce { .. }) {
            compared.op = "";
        }
    }
}

/// All the elements, and how they are shared out.
fn of_blocks(all: &Vector, counts: &[usize]) -> Words {
    let [elements, hash] = all.words();
    if hash >> 63 == 1 {
        return [elements, hash];
    }
    let mix = |sum: u64, &count: &usize| {
        (sum ^ count as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    [elements, counts.iter().fold(hash, mix) >> 1]
}

/// Some numbers in words.
fn list(counts: &[usize]) -> String {
    let some: Vec<String> = counts.iter().take(8).map(usize::to_string).collect();
    let more = if counts.len() > 8 { ", …" } else { "" };
    some.join(", ") + more
}
