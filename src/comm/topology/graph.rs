//! Graphs that every process knows whole (MPI 4.1 §8.5.3), and graphs of which it knows its own edges (§8.5.4).
//!
//! A process of `MPI_Dist_graph_create` puts its edges into the segment and exchanges where they are. Every process picks its
//! own out of all in the order of ranks, so both ends of several edges between the same processes have them in the same order.
//! The exchange that makes the communicator tells that all have read.

use super::{Edge, Neighbors};
use crate::bail;
use crate::error::Result;

/// A graph, the same at all processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Graph {
    /// Where the edges of each node end.
    pub index: Vec<i32>,
    /// The neighbours of all nodes.
    pub edges: Vec<i32>,
}

impl Graph {
    /// A graph for at most so many processes; `edges` has as many elements as the last of `index` says. Error:
    /// `MPI_ERR_ARG` (too many nodes, `index` decreases, an edge to no node).
    pub fn new(index: &[i32], edges: &[i32], processes: usize) -> Result<Graph> {
        let nodes = index.len();
        if nodes > processes {
            bail!(
                Arg,
                "nnodes is {nodes}, but the communicator has {processes} processes"
            );
        }
        let mut before = 0;
        for (i, &end) in index.iter().enumerate() {
            if end < before {
                bail!(
                    Arg,
                    "index[{i}] is {end}, but node {i} cannot have fewer than 0 edges"
                );
            }
            before = end;
        }
        for (i, &edge) in edges.iter().enumerate() {
            if usize::try_from(edge).is_err() || edge as usize >= nodes {
                bail!(Arg, "edges[{i}] is {edge}, but the graph has {nodes} nodes");
            }
        }
        Ok(Graph {
            index: index.to_vec(),
            edges: edges.to_vec(),
        })
    }

    /// The neighbours of the node of a rank.
    pub fn of(&self, rank: usize) -> &[i32] {
        let begin = rank.checked_sub(1).map_or(0, |before| self.index[before]);
        &self.edges[begin as usize..self.index[rank] as usize]
    }
}

/// The edges of one process in one direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    pub ranks: Vec<i32>,
    /// Empty if there are none.
    pub weights: Vec<i32>,
}

impl Side {
    /// The edges to or from `ranks`, weighted or not. Errors: `MPI_ERR_RANK`, `MPI_ERR_ARG` (a negative weight).
    pub fn new(
        ranks: &[i32],
        weights: Option<&[i32]>,
        processes: usize,
        name: &str,
    ) -> Result<Side> {
        check_ranks(ranks, processes, name)?;
        let weights = weights.unwrap_or_default();
        check_weights(weights, name)?;
        Ok(Side {
            ranks: ranks.to_vec(),
            weights: weights.to_vec(),
        })
    }

    fn add(&mut self, rank: i32, weight: Option<i32>) {
        self.ranks.push(rank);
        self.weights.extend(weight);
    }
}

/// Error: `MPI_ERR_RANK`.
pub fn check_ranks(ranks: &[i32], processes: usize, name: &str) -> Result<()> {
    for (i, &rank) in ranks.iter().enumerate() {
        if usize::try_from(rank).is_err() || rank as usize >= processes {
            bail!(
                Rank,
                "{name}[{i}] is {rank}, but the communicator has {processes} processes"
            );
        }
    }
    Ok(())
}

/// Error: `MPI_ERR_ARG`.
pub fn check_weights(weights: &[i32], name: &str) -> Result<()> {
    match weights.iter().enumerate().find(|&(_, &weight)| weight < 0) {
        None => Ok(()),
        Some((i, weight)) => bail!(
            Arg,
            "weight number {i} of {name} is {weight}, and must not be negative"
        ),
    }
}

/// What one process knows of a graph: its own edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistGraph {
    pub weighted: bool,
    pub sources: Side,
    pub destinations: Side,
}

impl DistGraph {
    /// The edges of the process with rank `me` among all (source, destination, weight).
    pub fn pick(weighted: bool, edges: impl IntoIterator<Item = [i32; 3]>, me: usize) -> DistGraph {
        let (mut sources, mut destinations) = (Side::default(), Side::default());
        for [source, destination, weight] in edges {
            let weight = weighted.then_some(weight);
            if destination as usize == me {
                sources.add(source, weight);
            }
            if source as usize == me {
                destinations.add(destination, weight);
            }
        }
        DistGraph {
            weighted,
            sources,
            destinations,
        }
    }
}

/// All these are there, each with its block.
pub fn neighbors(sources: &[i32], destinations: &[i32]) -> Neighbors {
    let edges = |ranks: &[i32]| {
        let ranks = ranks.iter().map(|&rank| rank as usize);
        ranks
            .enumerate()
            .map(|(block, rank)| Edge { block, rank })
            .collect()
    };
    Neighbors {
        indegree: sources.len(),
        outdegree: destinations.len(),
        sources: edges(sources),
        destinations: edges(destinations),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;

    #[test]
    fn a_graph_knows_its_nodes() {
        let graph = Graph::new(&[2, 3, 3, 4], &[1, 3, 0, 3], 5).unwrap();
        assert_eq!(graph.of(0), [1, 3]);
        assert_eq!(graph.of(1), [0]);
        assert_eq!(graph.of(2), []);
        assert_eq!(graph.of(3), [3]);
        for (index, edges) in [
            (&[1, 0][..], &[][..]),
            (&[-1], &[]),
            (&[1], &[1]),
            (&[1], &[-1]),
            (&[0; 6], &[]),
        ] {
            let error = Graph::new(index, edges, 5).unwrap_err();
            assert_eq!(error.class, Class::Arg);
        }
    }

    #[test]
    fn everybody_picks_its_own_edges() {
        let edges = [[0, 1, 5], [1, 1, 6], [1, 0, 7], [0, 1, 8]];
        let graph = DistGraph::pick(true, edges, 1);
        assert_eq!(graph.sources.ranks, [0, 1, 0]);
        assert_eq!(graph.sources.weights, [5, 6, 8]);
        assert_eq!(graph.destinations.ranks, [1, 0]);
        let unweighted = DistGraph::pick(false, edges, 0);
        assert_eq!(unweighted.destinations.ranks, [1, 1]);
        assert!(unweighted.destinations.weights.is_empty());
    }
}
