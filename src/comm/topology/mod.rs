//! Virtual topologies (MPI 4.1 chapter 8): which process is which one's neighbour in a communicator.
//!
//! A communicator gets its topology when it is made, by [`create`] or as a duplicate, and keeps it. Ranks are never reordered:
//! on one machine no order is better than another. What is not collective is local.

mod cart;
pub mod create;
pub mod dims;
mod graph;

use super::Comm;
use crate::bail;
use crate::error::Result;

pub use cart::Cart;
pub use graph::{DistGraph, Graph, Side};

/// What the processes of a communicator are arranged in.
#[derive(Debug)]
pub enum Topology {
    Cart(Cart),
    Graph(Graph),
    DistGraph(DistGraph),
}

/// An edge to or from a neighbour that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its block in the buffer of a neighbourhood collective.
    pub block: usize,
    pub rank: usize,
}

/// A process's neighbours, as neighbourhood collectives see them.
///
/// Several edges may lead to the same process. The first of its messages belongs to the first edge from it in `sources`,
/// and so on.
#[derive(Debug)]
pub struct Neighbors {
    /// Blocks to receive, those of missing neighbours included.
    pub indegree: usize,
    /// Blocks to send, those of missing neighbours included.
    pub outdegree: usize,
    pub sources: Vec<Edge>,
    pub destinations: Vec<Edge>,
}

impl Topology {
    fn title(&self) -> &'static str {
        match self {
            Topology::Cart(_) => "a Cartesian",
            Topology::Graph(_) => "a graph",
            Topology::DistGraph(_) => "a distributed graph",
        }
    }

    /// The neighbours of the process with this rank, which is the caller's.
    pub fn neighbors(&self, rank: usize) -> Neighbors {
        match self {
            Topology::Cart(cart) => cart.neighbors(rank),
            Topology::Graph(graph) => graph::neighbors(graph.of(rank), graph.of(rank)),
            Topology::DistGraph(graph) => {
                graph::neighbors(&graph.sources.ranks, &graph.destinations.ranks)
            }
        }
    }
}

impl Comm {
    /// The topology. Error: `MPI_ERR_TOPOLOGY` if there is none.
    pub fn topology(&self) -> Result<&Topology> {
        match self.topology.get() {
            Some(topology) => Ok(topology),
            None => bail!(Topology, "comm is {}, which has no topology", self.title()),
        }
    }

    /// The Cartesian topology. Error: `MPI_ERR_TOPOLOGY` if there is none.
    pub fn cart(&self) -> Result<&Cart> {
        match self.topology()? {
            Topology::Cart(cart) => Ok(cart),
            other => self.wrong(other, "a Cartesian"),
        }
    }

    /// The graph topology. Error: `MPI_ERR_TOPOLOGY` if there is none.
    pub fn graph(&self) -> Result<&Graph> {
        match self.topology()? {
            Topology::Graph(graph) => Ok(graph),
            other => self.wrong(other, "a graph"),
        }
    }

    /// The distributed graph topology. Error: `MPI_ERR_TOPOLOGY` if there is none.
    pub fn dist_graph(&self) -> Result<&DistGraph> {
        match self.topology()? {
            Topology::DistGraph(graph) => Ok(graph),
            other => self.wrong(other, "a distributed graph"),
        }
    }

    #[cold]
    fn wrong<T>(&self, there: &Topology, wanted: &str) -> Result<T> {
        bail!(
            Topology,
            "comm is {}, which has {} topology, not {wanted} one",
            self.title(),
            there.title()
        )
    }
}
