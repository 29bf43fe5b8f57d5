//! What is wanted of a collective operation, and the way to it: a blocking call is offered to notes and to the board first, which
//! refuse what goes better by messages ([`little`](super::little), [`shared`]); anything else is planned, within one group or between
//! two. Where all know that there is no data, nothing is done.

use super::elements::Vector;
use super::little::Little;
use super::plan::{self, Plan};
use super::planner::{Planner, Root, next_tag};
use super::shared;
use crate::check::{self, clock::Only};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::types::MPI_Comm;
use crate::op::Op;
use crate::runtime::traffic;
use crate::transport::Operation;
use crate::transport::counted::Counted;
use crate::transport::trials::Way;
use std::sync::Arc;

/// What a process brings to a collective operation, checked. Lists of blocks have one for each peer.
pub enum Collective {
    /// The process has no part in it: it is in the group of the root, and not the root.
    Nothing,
    Barrier,
    Broadcast {
        what: Vector,
        root: Root,
    },
    /// `mine` is `None` if it is in its block already, and of a root in another group; `blocks` are the root's. `alike`: all
    /// processes know that all blocks are as long.
    Gather {
        mine: Option<Vector>,
        blocks: Vec<Vector>,
        root: Root,
        alike: bool,
    },
    /// As for `Gather`.
    Scatter {
        blocks: Vec<Vector>,
        mine: Option<Vector>,
        root: Root,
        alike: bool,
    },
    /// `mine` is `None` if it is in its block already. `alike` as for `Gather`.
    Allgather {
        mine: Option<Vector>,
        blocks: Vec<Vector>,
        alike: bool,
    },
    /// `send` is `None` if the blocks to be sent are where the others shall come. `alike` as for `Gather`.
    Alltoall {
        send: Option<Vec<Vector>>,
        receive: Vec<Vector>,
        alike: bool,
    },
    /// `mine` is `None` of a root in another group; `out` is the root's.
    Reduce {
        op: Op,
        mine: Option<Vector>,
        out: Option<Vector>,
        root: Root,
    },
    Allreduce {
        op: Op,
        mine: Vector,
        out: Vector,
    },
    /// Within one group.
    Scan {
        op: Op,
        mine: Vector,
        out: Vector,
    },
    /// Within one group.
    Exscan {
        op: Op,
        mine: Vector,
        out: Vector,
    },
    /// `counts[i]` elements of the result are for process i.
    ReduceScatter {
        op: Op,
        mine: Vector,
        counts: Vec<usize>,
        out: Vector,
    },
    /// Blocks with the ranks of the neighbours that get or give them.
    Neighbors {
        send: Vec<(usize, Vector)>,
        receive: Vec<(usize, Vector)>,
    },
}

/// A collective operation on a communicator, called by the MPI function `name`.
pub struct Call {
    pub comm: &'static Comm,
    pub name: &'static str,
    pub what: Collective,
}

/// Blocks until all processes have come.
///
/// Error: `MPI_ERR_PROC_FAILED`.
pub fn barrier(comm: &Comm) -> Result<()> {
    traffic::own().collective.add(0);
    comm.called_together();
    comm.meeting.barrier(&|| comm.calls("MPI_Barrier"))
}

/// Takes part in an operation `name` where this process gives nothing and takes nothing, and others may. False if nothing was done.
#[inline]
pub fn pass(comm: &Comm, name: &str) -> bool {
    let passed = Little::pass(comm, name);
    if passed {
        traffic::own().collective.add(0);
    }
    passed
}

impl Call {
    /// Blocks until this process's part is done.
    ///
    /// Errors: those of messages and reductions, `MPI_ERR_PROC_FAILED`.
    pub fn run(self) -> Result<()> {
        self.count();
        if self.is_empty() {
            return Ok(());
        }
        let _only = check::is_on().then(|| Only::from(self.source()));
        let tag = next_tag(self.comm);
        match self.by_notes(tag)? {
            true => Ok(()),
            false => self.without_notes(tag),
        }
    }

    /// What notes have left to others.
    pub(super) fn without_notes(self, tag: i32) -> Result<()> {
        let comm = self.comm;
        let of_two = comm.meeting.size() == 2;
        let whole = of_two && comm.exchanges.lock().take_whole();
        if whole || !self.meet()? {
            plan::run(self.plan(tag, whole)?)?;
        }
        if of_two {
            comm.exchanges.lock().end(Way::InParts);
        }
        Ok(())
    }

    /// Begins; does not block. `None`: it is done already.
    pub fn start(self) -> Result<Option<Counted<Operation>>> {
        self.count();
        plan::start(self.plan(next_tag(self.comm), false)?)
    }

    /// The communicator, and what begins the operation each time it is called.
    #[allow(clippy::type_complexity)]
    pub fn repeatedly(
        self,
    ) -> Result<(
        MPI_Comm,
        impl Fn() -> Result<Option<Counted<Operation>>> + Send,
    )> {
        if check::is_on() {
            self.compare();
        }
        let (plan, given) = (self.plan(next_tag(self.comm), false)?, self.given());
        let begin = move || {
            traffic::own().collective.add(given);
            plan::start(plan.clone())
        };
        Ok((self.comm.handle, begin))
    }

    fn count(&self) {
        if check::is_on() {
            self.compare();
        }
        traffic::own().collective.add(self.given());
    }

    /// Bytes that this process gives.
    fn given(&self) -> usize {
        use Collective::*;
        let all = |blocks: &[Vector]| blocks.iter().map(Vector::bytes).sum();
        let one = |mine: &Option<Vector>| mine.as_ref().map_or(0, Vector::bytes);
        let rank = self.comm.rank;
        // What is in its block already lies there.
        let block = |blocks: &[Vector]| blocks.get(rank).map_or(0, Vector::bytes);
        match &self.what {
            Nothing | Barrier => 0,
            Broadcast {
                what,
                root: Root::Here,
            } => what.bytes(),
            Broadcast { .. } => 0,
            Gather {
                mine: None, blocks, ..
            }
            | Allgather {
                mine: None, blocks, ..
            } => block(blocks),
            Gather { mine, .. } | Allgather { mine, .. } | Reduce { mine, .. } => one(mine),
            Scatter { blocks, .. } => all(blocks),
            Alltoall { send, receive, .. } => all(send.as_deref().unwrap_or(receive)),
            Allreduce { mine, .. } | Scan { mine, .. } | Exscan { mine, .. } => mine.bytes(),
            ReduceScatter { mine, .. } => mine.bytes(),
            Neighbors { send, .. } => send.iter().map(|(_, block)| block.bytes()).sum(),
        }
    }

    /// Whether all processes know that nobody gives anything: then nobody waits for the others.
    fn is_empty(&self) -> bool {
        use Collective::*;
        let first = |blocks: &[Vector]| blocks.first().is_none_or(|block| block.bytes() == 0);
        self.comm.remote.is_none()
            && match &self.what {
                Broadcast { what, .. } => what.bytes() == 0,
                Gather {
                    mine,
                    blocks,
                    alike: true,
                    ..
                }
                | Scatter {
                    mine,
                    blocks,
                    alike: true,
                    ..
                } => first(blocks) && mine.as_ref().is_none_or(|mine| mine.bytes() == 0),
                Allgather { blocks, .. } => blocks.iter().all(|block| block.bytes() == 0),
                Alltoall {
                    receive,
                    alike: true,
                    ..
                } => first(receive),
                Reduce { mine, .. } => mine.as_ref().is_some_and(|mine| mine.bytes() == 0),
                Allreduce { mine, .. } | ReduceScatter { mine, .. } => mine.bytes() == 0,
                _ => false,
            }
    }

    /// Does the operation by notes, if that is the better way; else false, and nothing was done. All processes decide alike.
    fn by_notes(&self, tag: i32) -> Result<bool> {
        use Collective::*;
        let what = || self.comm.calls(self.name);
        let Some(little) = Little::new(self.comm, self.name, &what, tag) else {
            return Ok(false);
        };
        match &self.what {
            Broadcast { what, root } => little.broadcast(what, *root),
            Gather {
                mine, blocks, root, ..
            } => little.gather(mine.as_ref(), blocks, *root),
            Scatter {
                blocks, mine, root, ..
            } => little.scatter(blocks, mine.as_ref(), *root),
            Allgather {
                mine,
                blocks,
                alike,
            } => little.allgather(mine.as_ref(), blocks, *alike),
            Alltoall {
                send,
                receive,
                alike,
            } => little.alltoall(send.as_deref(), receive, *alike),
            Reduce {
                op,
                mine: Some(mine),
                out,
                ..
            } => little.reduce(*op, mine, out.as_ref()),
            ReduceScatter {
                op,
                mine,
                counts,
                out,
            } => little.reduce_scatter(*op, mine, counts, out),
            Allreduce { op, mine, out } => little.allreduce_of_two(*op, mine, out),
            _ => Ok(false),
        }
    }

    /// The same on the board.
    fn meet(&self) -> Result<bool> {
        use Collective::*;
        let (comm, what) = (self.comm, &|| self.comm.calls(self.name));
        match &self.what {
            Allgather {
                mine,
                blocks,
                alike: true,
            } => shared::allgather(comm, what, mine.as_ref(), blocks),
            Alltoall {
                send,
                receive,
                alike: true,
            } => shared::alltoall(comm, what, send.as_deref(), receive),
            Reduce {
                op,
                mine: Some(mine),
                out,
                ..
            } => shared::reduce(comm, what, *op, mine, out.as_ref()),
            Allreduce { op, mine, out } => shared::allreduce(comm, what, *op, mine, out),
            ReduceScatter {
                op,
                mine,
                counts,
                out,
            } => shared::reduce_scatter(comm, what, *op, (mine, counts), out),
            _ => Ok(false),
        }
    }

    /// The messages of the operation; of a reduction by two, whether each is to fold the `whole`.
    fn plan(&self, tag: i32, whole: bool) -> Result<Arc<Plan>> {
        use Collective::*;
        let mut plan = Planner::new(self.comm, self.name, tag);
        let inter = plan.is_inter();
        match &self.what {
            Nothing => {}
            Barrier => {
                plan.among_all();
                plan.barrier();
            }
            Broadcast { what, root } => {
                if let Some(root) = plan.around(*root) {
                    plan.broadcast(what, root)?;
                }
            }
            Gather {
                mine, blocks, root, ..
            } => {
                if let Some(root) = plan.around(*root) {
                    plan.gather(mine.as_ref(), blocks, root)?;
                }
            }
            Scatter {
                blocks, mine, root, ..
            } => {
                if let Some(root) = plan.around(*root) {
                    plan.scatter(blocks, mine.as_ref(), root)?;
                }
            }
            Allgather { mine, blocks, .. } => match mine {
                Some(mine) if inter => plan.allgather_across(mine, blocks)?,
                mine => plan.allgather(mine.as_ref(), blocks)?,
            },
            Alltoall {
                send,
                receive,
                alike,
            } => match send {
                Some(send) if inter => plan.alltoall_across(send, receive)?,
                send if *alike => plan.alltoall_alike(send.as_deref(), receive)?,
                send => plan.alltoall(send.as_deref(), receive)?,
            },
            Reduce {
                op,
                mine,
                out,
                root,
            } => {
                if inter {
                    plan.reduce_across(*op, mine.as_ref(), out.as_ref(), *root)?;
                } else if let (Some(mine), Some(root)) = (mine, plan.around(*root)) {
                    plan.reduce_to(*op, mine, out.as_ref(), root)?;
                }
            }
            Allreduce { op, mine, out } => match inter {
                true => plan.allreduce_across(*op, mine, out)?,
                false if whole => plan.allreduce_by_each(*op, mine, out)?,
                false => plan.allreduce(*op, mine, out)?,
            },
            Scan { op, mine, out } => plan.scan(*op, mine, out)?,
            Exscan { op, mine, out } => plan.exscan(*op, mine, out)?,
            ReduceScatter {
                op,
                mine,
                counts,
                out,
            } => match inter {
                true => plan.reduce_scatter_across(*op, mine, counts, out)?,
                false => plan.reduce_scatter(*op, mine, counts, out)?,
            },
            Neighbors { send, receive } => plan.neighbors(send, receive)?,
        }
        Ok(plan.finish())
    }
}
