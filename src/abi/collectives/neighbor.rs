//! Neighbourhood collectives (MPI 4.1 §8.6-§8.8), blocking, nonblocking and persistent.
//!
//! The blocks of a Cartesian communicator are for the neighbours with the lower and the higher coordinate in the first
//! dimension, in the second, and so on. Those of a neighbour that is `MPI_PROC_NULL` are not looked at.

use crate::abi::boundary::arguments::count;
use crate::abi::boundary::counts::Number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::abi::collectives::arguments::{memory, not_aliased, not_in_place};
use crate::coll::{Collective, Element, Vector};
use crate::comm::Comm;
use crate::comm::topology::{Edge, Neighbors};
use crate::error::Result;
use crate::mpi::types::*;
use crate::{comm, mpi_forms};
use macro_rules_attribute::apply;
use std::ffi::c_void;

/// A communicator and the neighbours of this process in it. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY`.
fn neighbors(handle: MPI_Comm) -> Result<(&'static Comm, Neighbors)> {
    let comm = comm::get(handle)?;
    Ok((comm, comm.topology()?.neighbors(comm.rank)))
}

fn exchanged(send: Vec<(usize, Vector)>, receive: Vec<(usize, Vector)>) -> Result<Collective> {
    fn vectors(blocks: &[(usize, Vector)]) -> impl Iterator<Item = &Vector> {
        blocks.iter().map(|(_, block)| block)
    }
    not_aliased(vectors(&send), vectors(&receive))?;
    Ok(Collective::Neighbors { send, receive })
}

/// A buffer of blocks, and the edges that lead to and from them.
struct Blocks<'a> {
    edges: &'a [Edge],
    degree: usize,
    address: In<'a, c_void>,
    name: &'static str,
}

impl<'a> Blocks<'a> {
    fn outgoing(neighbors: &'a Neighbors, address: In<'a, c_void>) -> Result<Blocks<'a>> {
        not_in_place(address, "sendbuf")?;
        Ok(Blocks {
            edges: &neighbors.destinations,
            degree: neighbors.outdegree,
            address,
            name: "sendbuf",
        })
    }

    fn incoming(neighbors: &'a Neighbors, address: In<'a, c_void>) -> Result<Blocks<'a>> {
        not_in_place(address, "recvbuf")?;
        Ok(Blocks {
            edges: &neighbors.sources,
            degree: neighbors.indegree,
            address,
            name: "recvbuf",
        })
    }

    /// The block of each edge, which `what` gives as distance in bytes, count and element.
    fn each(
        &self,
        what: impl Fn(usize) -> Result<(isize, usize, Element)>,
    ) -> Result<Vec<(usize, Vector)>> {
        let block = |edge: &Edge| {
            let (distance, count, element) = what(edge.block)?;
            let begin = self
                .address
                .pointer()
                .expose_provenance()
                .wrapping_add_signed(distance);
            Ok((edge.rank, memory(begin, count, element, self.name)?))
        };
        self.edges.iter().map(block).collect()
    }

    /// The same `n` elements for all.
    fn same(&self, n: impl Number, datatype: MPI_Datatype) -> Result<Vec<(usize, Vector)>> {
        let (n, element) = (count(n.wide(), "count")?, Element::new(datatype)?);
        self.each(|_| Ok((0, n, element.clone())))
    }

    /// `n` elements each, one block behind the other.
    fn even(&self, n: impl Number, datatype: MPI_Datatype) -> Result<Vec<(usize, Vector)>> {
        let (n, element) = (count(n.wide(), "count")?, Element::new(datatype)?);
        let step = (n as isize).wrapping_mul(element.datatype.extent());
        self.each(|block| Ok((step.wrapping_mul(block as isize), n, element.clone())))
    }

    /// Blocks with a count and a displacement (in elements) each.
    fn varying<N: Number, D: Number>(
        &self,
        counts: In<N>,
        displs: In<D>,
        datatype: MPI_Datatype,
    ) -> Result<Vec<(usize, Vector)>> {
        let element = Element::new(datatype)?;
        let extent = element.datatype.extent();
        let (counts, displs) = (
            counts.slice(self.degree, "counts")?,
            displs.slice(self.degree, "displs")?,
        );
        self.each(|block| {
            let distance = (displs[block].wide() as isize).wrapping_mul(extent);
            let n = count(counts[block].wide(), "counts[i]")?;
            Ok((distance, n, element.clone()))
        })
    }

    /// Blocks with a count, a displacement (in bytes) and a datatype each.
    fn typed<N: Number>(
        &self,
        counts: In<N>,
        displs: In<MPI_Aint>,
        types: In<MPI_Datatype>,
    ) -> Result<Vec<(usize, Vector)>> {
        let (counts, displs, types) = (
            counts.slice(self.degree, "counts")?,
            displs.slice(self.degree, "displs")?,
            types.handles(self.degree, "types")?,
        );
        self.each(|block| {
            let n = count(counts[block].wide(), "counts[i]")?;
            Ok((displs[block], n, Element::new(types[block])?))
        })
    }
}

/// Gives the same elements to each neighbour, and gathers those of each. The blocking form blocks until this process's
/// part is done.
///
/// MPI 4.1 §8.6.1. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (none), `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`
/// (`MPI_IN_PLACE` too), `MPI_ERR_TRUNCATE`, `MPI_ERR_PROC_FAILED`.
#[apply(mpi_forms)]
#[names(
    MPI_Neighbor_allgather,
    MPI_Ineighbor_allgather,
    MPI_Neighbor_allgather_init
)]
fn neighbor_allgather(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?.same(sendcount, sendtype)?;
    let receive = Blocks::incoming(&neighbors, recvbuf.into())?.even(recvcount, recvtype)?;
    let what = exchanged(send, receive)?;
    Ok((comm, what))
}

/// Gives the same elements to each neighbour, and gathers those of each, of different lengths; displacements in elements.
/// The blocking form blocks until this process's part is done.
///
/// MPI 4.1 §8.6.1. Errors: as `MPI_Neighbor_allgather`, and `MPI_ERR_ARG` (null pointer).
#[apply(mpi_forms)]
#[names(
    MPI_Neighbor_allgatherv,
    MPI_Ineighbor_allgatherv,
    MPI_Neighbor_allgatherv_init
)]
#[twice]
fn neighbor_allgatherv(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcounts: In<Count>,
    displs: In<Displ>,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?.same(sendcount, sendtype)?;
    let receive = Blocks::incoming(&neighbors, recvbuf.into())?;
    let receive = receive.varying(recvcounts, displs, recvtype)?;
    let what = exchanged(send, receive)?;
    Ok((comm, what))
}

/// Sends a block to each neighbour, and receives one from each. The blocking form blocks until this process's part is
/// done.
///
/// MPI 4.1 §8.6.2. Errors: as `MPI_Neighbor_allgather`.
#[apply(mpi_forms)]
#[names(
    MPI_Neighbor_alltoall,
    MPI_Ineighbor_alltoall,
    MPI_Neighbor_alltoall_init
)]
fn neighbor_alltoall(
    sendbuf: In<c_void>,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?.even(sendcount, sendtype)?;
    let receive = Blocks::incoming(&neighbors, recvbuf.into())?.even(recvcount, recvtype)?;
    let what = exchanged(send, receive)?;
    Ok((comm, what))
}

/// Sends a block of its own length to each neighbour, and receives one from each; displacements in elements. The blocking
/// form blocks until this process's part is done.
///
/// MPI 4.1 §8.6.2. Errors: as `MPI_Neighbor_allgatherv`.
#[apply(mpi_forms)]
#[names(
    MPI_Neighbor_alltoallv,
    MPI_Ineighbor_alltoallv,
    MPI_Neighbor_alltoallv_init
)]
#[twice]
fn neighbor_alltoallv(
    sendbuf: In<c_void>,
    sendcounts: In<Count>,
    sdispls: In<Displ>,
    sendtype: MPI_Datatype,
    recvbuf: Mut<c_void>,
    recvcounts: In<Count>,
    rdispls: In<Displ>,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?;
    let receive = Blocks::incoming(&neighbors, recvbuf.into())?;
    let (send, receive) = (
        send.varying(sendcounts, sdispls, sendtype)?,
        receive.varying(recvcounts, rdispls, recvtype)?,
    );
    let what = exchanged(send, receive)?;
    Ok((comm, what))
}

/// Sends a block of its own length and datatype to each neighbour, and receives one from each; displacements in bytes. The
/// blocking form blocks until this process's part is done.
///
/// MPI 4.1 §8.6.2. Errors: as `MPI_Neighbor_allgatherv`.
#[apply(mpi_forms)]
#[names(
    MPI_Neighbor_alltoallw,
    MPI_Ineighbor_alltoallw,
    MPI_Neighbor_alltoallw_init
)]
#[twice]
fn neighbor_alltoallw(
    sendbuf: In<c_void>,
    sendcounts: In<Count>,
    sdispls: In<MPI_Aint>,
    sendtypes: In<MPI_Datatype>,
    recvbuf: Mut<c_void>,
    recvcounts: In<Count>,
    rdispls: In<MPI_Aint>,
    recvtypes: In<MPI_Datatype>,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?;
    let receive = Blocks::incoming(&neighbors, recvbuf.into())?;
    let (send, receive) = (
        send.typed(sendcounts, sdispls, sendtypes)?,
        receive.typed(recvcounts, rdispls, recvtypes)?,
    );
    let what = exchanged(send, receive)?;
    Ok((comm, what))
}
