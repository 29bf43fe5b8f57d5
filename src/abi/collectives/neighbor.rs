//! Neighbourhood collectives (MPI 4.1 §8.6-§8.8), blocking, nonblocking and persistent.
//!
//! The blocks of a Cartesian communicator are for the neighbours with the lower and the higher coordinate in the first
//! dimension, in the second, and so on. Those of a neighbour that is `MPI_PROC_NULL` are not looked at.

use crate::abi::boundary::arguments::{count, slice};
use crate::abi::boundary::counts::Number;
use crate::abi::collectives::arguments::{memory, not_aliased, not_in_place};
use crate::coll::{Call, Collective, Element, Vector};
use crate::comm::Comm;
use crate::comm::topology::{Edge, Neighbors};
use crate::error::Result;
use crate::mpi::types::*;
use crate::{comm, mpi_collective};
use macro_rules_attribute::apply;
use std::ffi::c_void;

/// A communicator and the neighbours of this process in it. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY`.
fn neighbors(handle: MPI_Comm) -> Result<(&'static Comm, Neighbors)> {
    let comm = comm::get(handle)?;
    Ok((comm, comm.topology(handle)?.neighbors(comm.rank)))
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
    address: *const c_void,
    name: &'static str,
}

impl<'a> Blocks<'a> {
    fn outgoing(neighbors: &'a Neighbors, address: *const c_void) -> Result<Blocks<'a>> {
        not_in_place(address, "sendbuf")?;
        Ok(Blocks {
            edges: &neighbors.destinations,
            degree: neighbors.outdegree,
            address,
            name: "sendbuf",
        })
    }

    fn incoming(neighbors: &'a Neighbors, address: *const c_void) -> Result<Blocks<'a>> {
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
    ///
    /// # Safety
    /// As `slice`: what is not null are arrays with an element for each neighbour.
    unsafe fn varying<N: Number, D: Number>(
        &self,
        counts: *const N,
        displs: *const D,
        datatype: MPI_Datatype,
    ) -> Result<Vec<(usize, Vector)>> {
        let element = Element::new(datatype)?;
        let extent = element.datatype.extent();
        // SAFETY: the same contract.
        let (counts, displs) = unsafe {
            (
                slice(counts, self.degree, "counts")?,
                slice(displs, self.degree, "displs")?,
            )
        };
        self.each(|block| {
            let distance = (displs[block].wide() as isize).wrapping_mul(extent);
            let n = count(counts[block].wide(), "counts[i]")?;
            Ok((distance, n, element.clone()))
        })
    }

    /// Blocks with a count, a displacement (in bytes) and a datatype each.
    ///
    /// # Safety
    /// As `slice`: what is not null are arrays with an element for each neighbour.
    unsafe fn typed<N: Number>(
        &self,
        counts: *const N,
        displs: *const MPI_Aint,
        types: *const MPI_Datatype,
    ) -> Result<Vec<(usize, Vector)>> {
        // SAFETY: the same contract.
        let (counts, displs, types) = unsafe {
            (
                slice(counts, self.degree, "counts")?,
                slice(displs, self.degree, "displs")?,
                slice(types, self.degree, "types")?,
            )
        };
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
#[apply(mpi_collective)]
#[names(
    MPI_Neighbor_allgather,
    MPI_Ineighbor_allgather,
    MPI_Neighbor_allgather_init
)]
unsafe fn neighbor_allgather(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?.same(sendcount, sendtype)?;
    let receive = Blocks::incoming(&neighbors, recvbuf)?.even(recvcount, recvtype)?;
    let what = exchanged(send, receive)?;
    Ok(Call {
        comm,
        name: FUNCTION,
        what,
    })
}

/// Gives the same elements to each neighbour, and gathers those of each, of different lengths; displacements in elements.
/// The blocking form blocks until this process's part is done.
///
/// MPI 4.1 §8.6.1. Errors: as `MPI_Neighbor_allgather`, and `MPI_ERR_ARG` (null pointer).
#[apply(mpi_collective)]
#[names(
    MPI_Neighbor_allgatherv,
    MPI_Ineighbor_allgatherv,
    MPI_Neighbor_allgatherv_init
)]
unsafe fn neighbor_allgatherv(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Displ,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?.same(sendcount, sendtype)?;
    let receive = Blocks::incoming(&neighbors, recvbuf)?;
    // SAFETY: the arrays have an element for each source.
    let receive = unsafe { receive.varying(recvcounts, displs, recvtype)? };
    let what = exchanged(send, receive)?;
    Ok(Call {
        comm,
        name: FUNCTION,
        what,
    })
}

/// Sends a block to each neighbour, and receives one from each. The blocking form blocks until this process's part is
/// done.
///
/// MPI 4.1 §8.6.2. Errors: as `MPI_Neighbor_allgather`.
#[apply(mpi_collective)]
#[names(
    MPI_Neighbor_alltoall,
    MPI_Ineighbor_alltoall,
    MPI_Neighbor_alltoall_init
)]
unsafe fn neighbor_alltoall(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?.even(sendcount, sendtype)?;
    let receive = Blocks::incoming(&neighbors, recvbuf)?.even(recvcount, recvtype)?;
    let what = exchanged(send, receive)?;
    Ok(Call {
        comm,
        name: FUNCTION,
        what,
    })
}

/// Sends a block of its own length to each neighbour, and receives one from each; displacements in elements. The blocking
/// form blocks until this process's part is done.
///
/// MPI 4.1 §8.6.2. Errors: as `MPI_Neighbor_allgatherv`.
#[apply(mpi_collective)]
#[names(
    MPI_Neighbor_alltoallv,
    MPI_Ineighbor_alltoallv,
    MPI_Neighbor_alltoallv_init
)]
unsafe fn neighbor_alltoallv(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Displ,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Displ,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?;
    let receive = Blocks::incoming(&neighbors, recvbuf)?;
    // SAFETY: the arrays have an element for each destination, and for each source.
    let (send, receive) = unsafe {
        (
            send.varying(sendcounts, sdispls, sendtype)?,
            receive.varying(recvcounts, rdispls, recvtype)?,
        )
    };
    let what = exchanged(send, receive)?;
    Ok(Call {
        comm,
        name: FUNCTION,
        what,
    })
}

/// Sends a block of its own length and datatype to each neighbour, and receives one from each; displacements in bytes. The
/// blocking form blocks until this process's part is done.
///
/// MPI 4.1 §8.6.2. Errors: as `MPI_Neighbor_allgatherv`.
#[apply(mpi_collective)]
#[names(
    MPI_Neighbor_alltoallw,
    MPI_Ineighbor_alltoallw,
    MPI_Neighbor_alltoallw_init
)]
unsafe fn neighbor_alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> Call {
    let (comm, neighbors) = neighbors(comm)?;
    let send = Blocks::outgoing(&neighbors, sendbuf)?;
    let receive = Blocks::incoming(&neighbors, recvbuf)?;
    // SAFETY: the arrays have an element for each destination, and for each source.
    let (send, receive) = unsafe {
        (
            send.typed(sendcounts, sdispls, sendtypes)?,
            receive.typed(recvcounts, rdispls, recvtypes)?,
        )
    };
    let what = exchanged(send, receive)?;
    Ok(Call {
        comm,
        name: FUNCTION,
        what,
    })
}
