//! Graph topologies (MPI 4.1 §8.5.3-§8.5.5, §8.5.8). Making a communicator is collective and blocks until all processes
//! of the old one have called; the rest is local. Ranks are never reordered, whatever `reorder` says.

use crate::abi::bindings::data::{are_no_weights, is_unweighted};
use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::communicators::cart::{give, member, put};
use crate::abi::communicators::comm::hints;
use crate::comm::topology::create::{self, Edges};
use crate::comm::topology::{DistGraph, Graph, Side};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, comm, err, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::c_int;

fn graph(nnodes: c_int, index: In<c_int>, edges: In<c_int>, processes: usize) -> Result<Graph> {
    let nnodes = number(nnodes, "nnodes")?;
    if nnodes > processes {
        bail!(
            Arg,
            "nnodes is {nnodes}, but the communicator has {processes} processes"
        );
    }
    let index = index.slice(nnodes, "index")?;
    let count = number(index.last().copied().unwrap_or(0), "the last of index")?;
    Graph::new(index, edges.slice(count, "edges")?, processes)
}

/// Makes a communicator of the first `nnodes` processes of `comm_old`, arranged in a graph; the others get
/// `MPI_COMM_NULL`. The neighbours of node i are in `edges`, up to place `index[i]`.
///
/// MPI 4.1 §8.5.3. Errors: `MPI_ERR_COMM` (none, intercommunicator), `MPI_ERR_ARG` (negative `nnodes` or more than there
/// are processes, `index` decreases, an edge to no node, null pointer), `MPI_ERR_NOT_SAME` (processes ask for different
/// graphs), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Graph_create(
    comm_old: MPI_Comm,
    nnodes: c_int,
    index: In<c_int>,
    edges: In<c_int>,
    reorder: c_int,
    comm_graph: Mut<MPI_Comm>,
) -> c_int {
    let _ = reorder;
    let parent = comm::get_intra(comm_old)?;
    parent.called_together();
    give(comm_graph, |told| {
        let graph = told.and_then(|()| graph(nnodes, index, edges, parent.size()));
        create::graph(parent, graph, FUNCTION)
    })
}

/// Gives the rank that the caller would have in a graph, `MPI_UNDEFINED` if it would not be in it.
///
/// MPI 4.1 §8.5.8. Errors: as `MPI_Graph_create`, but for those of other processes.
#[apply(mpi_api)]
pub extern "C" fn MPI_Graph_map(
    comm: MPI_Comm,
    nnodes: c_int,
    index: In<c_int>,
    edges: In<c_int>,
    newrank: Mut<c_int>,
) -> c_int {
    let comm = comm::get_intra(comm)?;
    let nodes = graph(nnodes, index, edges, comm.size())?.index.len();
    newrank.out("newrank")?.set(match comm.rank < nodes {
        true => comm.rank as c_int,
        false => MPI_UNDEFINED,
    });
    Ok(())
}

/// Gives the numbers of nodes and of edges of a graph.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no graph), `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Graphdims_get(
    comm: MPI_Comm,
    nnodes: Mut<c_int>,
    nedges: Mut<c_int>,
) -> c_int {
    let graph = comm::get(comm)?.graph()?;
    nnodes.out("nnodes")?.set(graph.index.len() as c_int);
    nedges.out("nedges")?.set(graph.edges.len() as c_int);
    Ok(())
}

/// Gives a graph as it was given to `MPI_Graph_create`, into arrays of `maxindex` and `maxedges` elements.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no graph), `MPI_ERR_ARG` (an array is too small, null
/// pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Graph_get(
    comm: MPI_Comm,
    maxindex: c_int,
    maxedges: c_int,
    index: Mut<c_int>,
    edges: Mut<c_int>,
) -> c_int {
    let graph = comm::get(comm)?.graph()?;
    put(index, maxindex, &graph.index, "index")?;
    put(edges, maxedges, &graph.edges, "edges")
}

/// Gives the number of neighbours of a process in a graph.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no graph), `MPI_ERR_RANK`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Graph_neighbors_count(
    comm: MPI_Comm,
    rank: c_int,
    nneighbors: Mut<c_int>,
) -> c_int {
    let graph = comm::get(comm)?.graph()?;
    let neighbors = graph.of(member(rank, graph.index.len())?);
    nneighbors.out("nneighbors")?.set(neighbors.len() as c_int);
    Ok(())
}

/// Gives the neighbours of a process in a graph, into an array of `maxneighbors` elements.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no graph), `MPI_ERR_RANK`, `MPI_ERR_ARG` (the array is
/// too small, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Graph_neighbors(
    comm: MPI_Comm,
    rank: c_int,
    maxneighbors: c_int,
    neighbors: Mut<c_int>,
) -> c_int {
    let graph = comm::get(comm)?.graph()?;
    let of = graph.of(member(rank, graph.index.len())?);
    put(neighbors, maxneighbors, of, "neighbors")
}

/// `count` weights, `None` if they are `MPI_UNWEIGHTED`. Of no weights any array will do. Error: `MPI_ERR_ARG`, if there are to be
/// some in `MPI_WEIGHTS_EMPTY`.
fn weights<'a>(array: In<'a, c_int>, count: usize, name: &str) -> Result<Option<&'a [c_int]>> {
    if count > 0 && are_no_weights(array.pointer()) {
        bail!(
            Arg,
            "{name} is MPI_WEIGHTS_EMPTY, but {count} weights are to be in it"
        );
    }
    match is_unweighted(array.pointer()) {
        true => Ok(None),
        false => array.slice(count, name).map(Some),
    }
}

fn side(
    degree: c_int,
    ranks: In<c_int>,
    weights_of: In<c_int>,
    processes: usize,
    [degree_name, name, weights_name]: [&str; 3],
) -> Result<(Side, bool)> {
    let degree = number(degree, degree_name)?;
    let (ranks, weights) = (
        ranks.slice(degree, name)?,
        weights(weights_of, degree, weights_name)?,
    );
    let side = Side::new(ranks, weights, processes, name)?;
    Ok((side, weights.is_some()))
}

/// Makes a communicator of all processes of `comm_old`, arranged in a graph of which each gives the edges to and from
/// itself. Weights are `MPI_UNWEIGHTED` at all processes or at none; they change nothing. Info keys: as of
/// `MPI_Comm_set_info`.
///
/// MPI 4.1 §8.5.4. Errors: `MPI_ERR_COMM` (none, intercommunicator), `MPI_ERR_RANK`, `MPI_ERR_ARG` (negative degree or
/// weight, null pointer, only one of the arrays is `MPI_UNWEIGHTED`), `MPI_ERR_INFO`, `MPI_ERR_NOT_SAME` (weighted at some
/// processes), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Dist_graph_create_adjacent(
    comm_old: MPI_Comm,
    indegree: c_int,
    sources: In<c_int>,
    sourceweights: In<c_int>,
    outdegree: c_int,
    destinations: In<c_int>,
    destweights: In<c_int>,
    info: MPI_Info,
    reorder: c_int,
    comm_dist_graph: Mut<MPI_Comm>,
) -> c_int {
    let _ = reorder;
    let parent = comm::get_intra(comm_old)?;
    parent.called_together();
    let graph = || {
        let hints = hints(info)?;
        let names = [
            ["indegree", "sources", "sourceweights"],
            ["outdegree", "destinations", "destweights"],
        ];
        let ((sources, weighted), (destinations, also)) = (
            side(indegree, sources, sourceweights, parent.size(), names[0])?,
            side(
                outdegree,
                destinations,
                destweights,
                parent.size(),
                names[1],
            )?,
        );
        if weighted != also {
            bail!(
                Arg,
                "one of sourceweights and destweights is MPI_UNWEIGHTED, the other is not"
            );
        }
        let graph = DistGraph {
            weighted,
            sources,
            destinations,
        };
        Ok((graph, hints))
    };
    give(comm_dist_graph, |told| {
        let graph = told.and_then(|()| graph());
        create::adjacent(parent, graph, FUNCTION)
    })
}

/// Makes a communicator of all processes of `comm_old`, arranged in a graph of which each gives any edges: `degrees[i]` of
/// the `destinations` belong to `sources[i]`. Weights are `MPI_UNWEIGHTED` at all processes or at none; they change
/// nothing. Info keys: as of `MPI_Comm_set_info`.
///
/// MPI 4.1 §8.5.4. Errors: `MPI_ERR_COMM` (none, intercommunicator), `MPI_ERR_RANK`, `MPI_ERR_ARG` (negative `n`, degree
/// or weight, null pointer), `MPI_ERR_INFO`, `MPI_ERR_NOT_SAME` (weighted at some processes), `MPI_ERR_NO_MEM`,
/// `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Dist_graph_create(
    comm_old: MPI_Comm,
    n: c_int,
    sources: In<c_int>,
    degrees: In<c_int>,
    destinations: In<c_int>,
    weights: In<c_int>,
    info: MPI_Info,
    reorder: c_int,
    comm_dist_graph: Mut<MPI_Comm>,
) -> c_int {
    let _ = reorder;
    let parent = comm::get_intra(comm_old)?;
    parent.called_together();
    let edges = || {
        let hints = hints(info)?;
        let n = number(n, "n")?;
        let (sources, degrees) = (sources.slice(n, "sources")?, degrees.slice(n, "degrees")?);
        let total = degrees.iter().try_fold(0_usize, |all, &degree| {
            let degree = number(degree, "degrees[i]")?;
            all.checked_add(degree)
                .ok_or_else(|| err!(Arg, "the degrees add up to more than fits in memory"))
        })?;
        let (destinations, weights) = (
            destinations.slice(total, "destinations")?,
            self::weights(weights, total, "weights")?,
        );
        let edges = Edges::new(sources, degrees, destinations, weights, parent.size())?;
        Ok((edges, hints))
    };
    give(comm_dist_graph, |told| {
        let edges = told.and_then(|()| edges());
        create::dist_graph(parent, edges, FUNCTION)
    })
}

/// Gives the numbers of the caller's edges in and out of a distributed graph, and whether it has weights.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no distributed graph), `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Dist_graph_neighbors_count(
    comm: MPI_Comm,
    indegree: Mut<c_int>,
    outdegree: Mut<c_int>,
    weighted: Mut<c_int>,
) -> c_int {
    let graph = comm::get(comm)?.dist_graph()?;
    indegree
        .out("indegree")?
        .set(graph.sources.ranks.len() as c_int);
    outdegree
        .out("outdegree")?
        .set(graph.destinations.ranks.len() as c_int);
    weighted.out("weighted")?.set(graph.weighted.into());
    Ok(())
}

/// Writes the first of a process's edges, as many as there is room for.
fn put_side(
    side: &Side,
    room: c_int,
    ranks: Mut<c_int>,
    weights: Mut<c_int>,
    [room_name, name, weights_name]: [&str; 3],
) -> Result<()> {
    let first = number(room, room_name)?.min(side.ranks.len());
    put(ranks, room, &side.ranks[..first], name)?;
    if !side.weights.is_empty() && !is_unweighted(weights.pointer()) {
        put(weights, room, &side.weights[..first], weights_name)?;
    }
    Ok(())
}

/// Gives the caller's edges in a distributed graph, the first `maxindegree` and `maxoutdegree` of them, and their weights
/// if it has any and they are not `MPI_UNWEIGHTED` here. Edges given to `MPI_Dist_graph_create_adjacent` keep their order.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no distributed graph), `MPI_ERR_ARG` (a negative length,
/// null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Dist_graph_neighbors(
    comm: MPI_Comm,
    maxindegree: c_int,
    sources: Mut<c_int>,
    sourceweights: Mut<c_int>,
    maxoutdegree: c_int,
    destinations: Mut<c_int>,
    destweights: Mut<c_int>,
) -> c_int {
    let graph = comm::get(comm)?.dist_graph()?;
    put_side(
        &graph.sources,
        maxindegree,
        sources,
        sourceweights,
        ["maxindegree", "sources", "sourceweights"],
    )?;
    put_side(
        &graph.destinations,
        maxoutdegree,
        destinations,
        destweights,
        ["maxoutdegree", "destinations", "destweights"],
    )
}
