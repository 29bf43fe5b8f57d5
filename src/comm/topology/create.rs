//! Making communicators that have a topology. Collective over the communicator they are made of.
//!
//! Its processes first exchange whether their arguments are good, and where these must be the same, whether they are.
//!
//! What must be the same is exchanged as a hash. Then the communicator is made as any other.

use super::graph::{Side, check_ranks};
use super::{Cart, DistGraph, Graph, Topology};
use crate::comm::create::{self, Choice};
use crate::comm::hints::Hints;
use crate::comm::making::agree;
use crate::comm::{self, Comm, letter};
use crate::error::{Error, Result};
use crate::mpi::types::MPI_Comm;
use crate::shm::heap::{self, Owned};
use crate::shm::segment::segment;
use crate::{bail, err, neutral};
use macro_rules_attribute::apply;
use std::hash::Hash;
use std::sync::Arc;

/// All processes come with the same arguments. Error: `MPI_ERR_NOT_SAME`, and that of any process.
fn check_same<T: Hash>(parent: &Comm, arguments: &Result<T>, call: &str) -> Result<()> {
    let print = arguments
        .as_ref()
        .map(letter::fingerprint)
        .map_err(Error::clone);
    let prints = agree(&parent.meeting, &print, call)?;
    match prints.iter().position(|print| *print != prints[0]) {
        None => Ok(()),
        Some(rank) => bail!(
            NotSame,
            "rank {rank} of the communicator{} asks for another topology than rank 0{}",
            parent.meeting.in_job(rank),
            parent.meeting.in_job(0)
        ),
    }
}

/// Gives a new communicator its topology and hints, before anybody knows it.
fn arrange(made: Option<MPI_Comm>, topology: Topology, hints: Hints) -> Result<Option<MPI_Comm>> {
    if let Some(handle) = made {
        let comm = comm::get(handle)?;
        comm.topology.get_or_init(|| Arc::new(topology));
        *comm.hints.lock() = hints;
    }
    Ok(made)
}

/// Makes a communicator of the first processes.
fn of_first(
    parent: &Comm,
    processes: usize,
    topology: Topology,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let ranks: Vec<i32> = (0..processes as i32).collect();
    let group = parent.group.include(&ranks).map(Arc::new);
    let made = create::from_groups(parent, group, call)?;
    arrange(made, topology, Hints::default())
}

/// Makes a communicator of a grid; `None` for who is not in it.
pub fn cart(parent: &Comm, cart: Result<Cart>, call: &str) -> Result<Option<MPI_Comm>> {
    check_same(parent, &cart, call)?;
    let cart = cart?;
    of_first(parent, cart.size(), Topology::Cart(cart), call)
}

/// Makes a communicator of a graph; `None` for who is not in it.
pub fn graph(parent: &Comm, graph: Result<Graph>, call: &str) -> Result<Option<MPI_Comm>> {
    check_same(parent, &graph, call)?;
    let graph = graph?;
    of_first(parent, graph.index.len(), Topology::Graph(graph), call)
}

/// Parts the grid of `parent`: the processes of each part differ in the coordinates of the dimensions that remain only.
pub fn sub(
    parent: &Comm,
    cart: &Cart,
    remain: Result<Vec<bool>>,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    check_same(parent, &remain, call)?;
    let remain = remain?;
    let coords = cart.coords(parent.rank);
    let (part, inside) = cart.part(|i| remain[i], &coords);
    let (others, which) = cart.part(|i| !remain[i], &coords);
    let choice = Choice {
        color: Some(others.rank(&which)? as u32),
        key: part.rank(&inside)? as i64,
    };
    let made = create::split(parent, Ok(choice), Hints::default(), call)?;
    arrange(made, Topology::Cart(part), Hints::default())
}

/// Whether the graph has weights, which all processes must say alike. Error: `MPI_ERR_NOT_SAME`.
fn same_weighted(weighted: impl IntoIterator<Item = bool>) -> Result<bool> {
    let mut weighted = weighted.into_iter().enumerate();
    let first = weighted.next().is_some_and(|(_, first)| first);
    match weighted.find(|&(_, other)| other != first) {
        None => Ok(first),
        Some((rank, _)) => bail!(
            NotSame,
            "weights are MPI_UNWEIGHTED either at ranks 0 or {rank} of the communicator, not at both"
        ),
    }
}

/// Makes a communicator of a graph of which each process gives its own edges.
pub fn adjacent(
    parent: &Comm,
    asked: Result<(DistGraph, Hints)>,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let mine = asked.as_ref().map(|(graph, _)| graph.weighted);
    same_weighted(agree(&parent.meeting, &mine.map_err(Error::clone), call)?)?;
    let made = create::from_groups(parent, Ok(parent.group.clone()), call)?;
    let (graph, hints) = asked?;
    arrange(made, Topology::DistGraph(graph), hints)
}

/// Edges (source, destination, weight) that a process gives, anybody's.
pub struct Edges {
    weighted: bool,
    edges: Vec<[i32; 3]>,
}

impl Edges {
    /// The edges of `sources`: as many of the destinations as `degrees` says belong to each. Errors: `MPI_ERR_RANK`,
    /// `MPI_ERR_ARG` (a negative weight).
    pub fn new(
        sources: &[i32],
        degrees: &[i32],
        destinations: &[i32],
        weights: Option<&[i32]>,
        processes: usize,
    ) -> Result<Edges> {
        check_ranks(sources, processes, "sources")?;
        let side = Side::new(destinations, weights, processes, "destinations")?;
        let each = sources.iter().zip(degrees);
        let sources =
            each.flat_map(|(&source, &degree)| std::iter::repeat_n(source, degree as usize));
        let weight = |i| side.weights.get(i).copied().unwrap_or(0);
        let edges = sources.zip(&side.ranks).enumerate();
        Ok(Edges {
            weighted: weights.is_some(),
            edges: edges
                .map(|(i, (source, &destination))| [source, destination, weight(i)])
                .collect(),
        })
    }
}

/// Where a process has put its edges for all to see.
#[apply(neutral)]
#[derive(Clone, Copy, Default)]
struct Shown {
    offset: usize,
    count: usize,
    weighted: bool,
}

/// Puts edges into the segment; they are there as long as what is given.
fn show(edges: &Edges) -> Result<(Shown, Option<Owned>)> {
    let count = edges.edges.len();
    let mut shown = Shown {
        offset: 0,
        count,
        weighted: edges.weighted,
    };
    if count == 0 {
        return Ok((shown, None));
    }
    let bytes = count
        .checked_mul(size_of::<[i32; 3]>())
        .ok_or_else(|| err!(NoMem, "{count} edges do not fit in memory"))?;
    let owned = Owned::new(heap::alloc(bytes, align_of::<[i32; 3]>())?);
    shown.offset = owned.offset();
    let place = segment().at::<[i32; 3]>(shown.offset);
    // SAFETY: the block was just allocated for so many edges, and nobody else knows it yet.
    unsafe { place.copy_from_nonoverlapping(edges.edges.as_ptr(), count) };
    Ok((shown, Some(owned)))
}

/// Makes a communicator of a graph to which each process gives any edges.
pub fn dist_graph(
    parent: &Comm,
    asked: Result<(Edges, Hints)>,
    call: &str,
) -> Result<Option<MPI_Comm>> {
    let shown = asked.and_then(|(edges, hints)| Ok((show(&edges)?, hints)));
    let mine = shown.as_ref().map(|((shown, _), _)| *shown);
    let all = agree(&parent.meeting, &mine.map_err(Error::clone), call)?;
    let weighted = same_weighted(all.iter().map(|shown| shown.weighted))?;
    let reached = all
        .iter()
        .try_for_each(|shown| segment().reach(shown.offset, shown.count * size_of::<[i32; 3]>()));
    if let Err(error) = reached {
        // The others have come further.
        return create::from_groups(parent, Err(error.into()), call);
    }
    let edges = all.iter().filter(|shown| shown.count > 0).map(|shown| {
        let edges = segment().at::<[i32; 3]>(shown.offset);
        // SAFETY: that process wrote so many edges there before it came to the exchange, and leaves them until all have
        // come to the next one, in `from_groups`, or somebody has died.
        unsafe { std::slice::from_raw_parts(edges, shown.count) }
    });
    let graph = DistGraph::pick(weighted, edges.flatten().copied(), parent.rank);
    let made = create::from_groups(parent, Ok(parent.group.clone()), call)?;
    let (_, hints) = shown?;
    arrange(made, Topology::DistGraph(graph), hints)
}
