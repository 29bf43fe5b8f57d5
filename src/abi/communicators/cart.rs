//! Cartesian topologies (MPI 4.1 §8.5.1, §8.5.2, §8.5.5-§8.5.8). Making a communicator is collective and blocks until all
//! processes of the old one have called; the rest is local. Ranks are never reordered, whatever `reorder` says.

use crate::abi::boundary::arguments::number;
use crate::abi::boundary::pointers::{In, Mut};
use crate::comm::topology::{Cart, Topology, create, dims};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::*;
use crate::{bail, comm, mpi_api};
use macro_rules_attribute::apply;
use std::ffi::c_int;

/// Gives a new communicator a place, which has `MPI_COMM_NULL` if there is none.
pub fn give(
    newcomm: Mut<MPI_Comm>,
    make: impl FnOnce(Result<()>) -> Result<Option<MPI_Comm>>,
) -> Result<()> {
    if let Ok(place) = newcomm.out("newcomm") {
        place.set(MPI_COMM_NULL);
    }
    crate::abi::communicators::comm::give(newcomm, make)
}

/// The rank of a process of the communicator. Error: `MPI_ERR_RANK`.
pub fn member(rank: c_int, processes: usize) -> Result<usize> {
    match usize::try_from(rank) {
        Ok(member) if member < processes => Ok(member),
        _ => bail!(
            Rank,
            "rank is {rank}, but the communicator has {processes} processes"
        ),
    }
}

/// Writes values into an array that has room for `room`. Error: `MPI_ERR_ARG` (too little room, null pointer).
pub fn put(array: Mut<c_int>, room: c_int, values: &[c_int], name: &str) -> Result<()> {
    if number(room, "the length of an array")? < values.len() {
        bail!(
            Arg,
            "{name} has room for {room} elements, but there are {}",
            values.len()
        );
    }
    array.slice_mut(values.len(), name)?.copy_from_slice(values);
    Ok(())
}

fn cart(ndims: c_int, dims: In<c_int>, periods: In<c_int>, processes: usize) -> Result<Cart> {
    let ndims = number(ndims, "ndims")?;
    let (dims, periods) = (dims.slice(ndims, "dims")?, periods.slice(ndims, "periods")?);
    Cart::new(dims, periods, processes)
}

/// The rank that a process has in a topology of so many.
fn mapped(rank: usize, processes: usize) -> c_int {
    match rank < processes {
        true => rank as c_int,
        false => MPI_UNDEFINED,
    }
}

/// Sets the elements of `dims` that are 0 so that their product is `nnodes`: as close to each other as can be, and in
/// non-increasing order.
///
/// MPI 4.1 §8.5.2. Errors: `MPI_ERR_ARG` (`nnodes` less than 1, negative `ndims`, null pointer), `MPI_ERR_DIMS` (an
/// element is negative, or `nnodes` cannot be divided so).
#[apply(mpi_api)]
pub extern "C" fn MPI_Dims_create(nnodes: c_int, ndims: c_int, dims: Mut<c_int>) -> c_int {
    let array = dims.slice_mut(number(ndims, "ndims")?, "dims")?;
    dims::divide(nnodes, array)
}

/// Makes a communicator of the first processes of `comm_old`, in a grid of `ndims` dimensions; the others get
/// `MPI_COMM_NULL`. A grid without dimensions has one process.
///
/// MPI 4.1 §8.5.1. Errors: `MPI_ERR_COMM` (none, intercommunicator), `MPI_ERR_DIMS` (a dimension of less than 1, a grid
/// of more processes than there are), `MPI_ERR_ARG` (negative `ndims`, null pointer), `MPI_ERR_NOT_SAME` (processes ask
/// for different grids), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed), `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Cart_create(
    comm_old: MPI_Comm,
    ndims: c_int,
    dims: In<c_int>,
    periods: In<c_int>,
    reorder: c_int,
    comm_cart: Mut<MPI_Comm>,
) -> c_int {
    let _ = reorder;
    let parent = comm::get_intra(comm_old)?;
    parent.called_together();
    give(comm_cart, |told| {
        let cart = told.and_then(|()| cart(ndims, dims, periods, parent.size()));
        create::cart(parent, cart, FUNCTION)
    })
}

/// Gives the rank that the caller would have in a grid, `MPI_UNDEFINED` if it would not be in it.
///
/// MPI 4.1 §8.5.8. Errors: `MPI_ERR_COMM`, `MPI_ERR_DIMS` (a dimension of less than 1, a grid of more processes than
/// there are), `MPI_ERR_ARG` (negative `ndims`, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Cart_map(
    comm: MPI_Comm,
    ndims: c_int,
    dims: In<c_int>,
    periods: In<c_int>,
    newrank: Mut<c_int>,
) -> c_int {
    let comm = comm::get_intra(comm)?;
    let cart = cart(ndims, dims, periods, comm.size())?;
    newrank.out("newrank")?.set(mapped(comm.rank, cart.size()));
    Ok(())
}

/// Makes a communicator for each part of a grid: of the processes that differ only in the coordinates of the dimensions
/// for which `remain_dims` is true.
///
/// MPI 4.1 §8.5.7. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no grid), `MPI_ERR_ARG` (null pointer),
/// `MPI_ERR_NOT_SAME` (processes ask for different parts), `MPI_ERR_NO_MEM`, `MPI_ERR_OTHER` (another process failed),
/// `MPI_ERR_PROC_FAILED`.
#[apply(mpi_api)]
pub extern "C" fn MPI_Cart_sub(
    comm: MPI_Comm,
    remain_dims: In<c_int>,
    newcomm: Mut<MPI_Comm>,
) -> c_int {
    let parent = comm::get(comm)?;
    parent.called_together();
    let cart = parent.cart()?;
    let ndims = cart.dims.len();
    give(newcomm, |told| {
        let remain = told.and_then(|()| remain_dims.slice(ndims, "remain_dims"));
        let remain = remain.map(|remain| remain.iter().map(|&r| r != 0).collect());
        create::sub(parent, cart, remain, FUNCTION)
    })
}

/// Gives the number of dimensions of a grid.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no grid), `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Cartdim_get(comm: MPI_Comm, ndims: Mut<c_int>) -> c_int {
    let cart = comm::get(comm)?.cart()?;
    ndims.out("ndims")?.set(cart.dims.len() as c_int);
    Ok(())
}

/// Gives the dimensions of a grid, whether they are periodic, and the caller's coordinates, into arrays of `maxdims`
/// elements.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no grid), `MPI_ERR_ARG` (`maxdims` too small, null
/// pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Cart_get(
    comm: MPI_Comm,
    maxdims: c_int,
    dims: Mut<c_int>,
    periods: Mut<c_int>,
    coords: Mut<c_int>,
) -> c_int {
    let rank = comm::get(comm)?.rank;
    let cart = comm::get(comm)?.cart()?;
    let flags: Vec<c_int> = cart.periods.iter().map(|&period| period.into()).collect();
    put(dims, maxdims, &cart.dims, "dims")?;
    put(periods, maxdims, &flags, "periods")?;
    put(coords, maxdims, &cart.coords(rank), "coords")
}

/// Gives the rank of the process with the coordinates `coords`, one for each dimension; in a periodic one any.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no grid), `MPI_ERR_ARG` (not in the grid, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Cart_rank(comm: MPI_Comm, coords: In<c_int>, rank: Mut<c_int>) -> c_int {
    let cart = comm::get(comm)?.cart()?;
    let coords = coords.slice(cart.dims.len(), "coords")?;
    rank.out("rank")?.set(cart.rank(coords)? as c_int);
    Ok(())
}

/// Gives the coordinates of the process with rank `rank`, into an array of `maxdims` elements.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no grid), `MPI_ERR_RANK`, `MPI_ERR_ARG` (`maxdims` too
/// small, null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Cart_coords(
    comm: MPI_Comm,
    rank: c_int,
    maxdims: c_int,
    coords: Mut<c_int>,
) -> c_int {
    let cart = comm::get(comm)?.cart()?;
    let place = cart.coords(member(rank, cart.size())?);
    put(coords, maxdims, &place, "coords")
}

/// Gives the ranks from which the caller receives and to which it sends when data is shifted by `disp` places in the
/// dimension `direction`; `MPI_PROC_NULL` beyond the border.
///
/// MPI 4.1 §8.5.6. Errors: `MPI_ERR_COMM`, `MPI_ERR_TOPOLOGY` (no grid), `MPI_ERR_DIMS` (no such dimension),
/// `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Cart_shift(
    comm: MPI_Comm,
    direction: c_int,
    disp: c_int,
    rank_source: Mut<c_int>,
    rank_dest: Mut<c_int>,
) -> c_int {
    let group = comm::get(comm)?;
    let (source, dest) = group.cart()?.shift(group.rank, direction, disp)?;
    let rank = |process: Option<usize>| process.map_or(MPI_PROC_NULL, |rank| rank as c_int);
    rank_source.out("rank_source")?.set(rank(source));
    rank_dest.out("rank_dest")?.set(rank(dest));
    Ok(())
}

/// Tells what topology a communicator has: `MPI_CART`, `MPI_GRAPH`, `MPI_DIST_GRAPH`, or `MPI_UNDEFINED`.
///
/// MPI 4.1 §8.5.5. Errors: `MPI_ERR_COMM`, `MPI_ERR_ARG` (null pointer).
#[apply(mpi_api)]
pub extern "C" fn MPI_Topo_test(comm: MPI_Comm, status: Mut<c_int>) -> c_int {
    let topology = comm::get(comm)?.topology.get();
    let status = status.out("status")?;
    status.set(match topology.map(|topology| &**topology) {
        None => MPI_UNDEFINED,
        Some(Topology::Cart(_)) => MPI_CART,
        Some(Topology::Graph(_)) => MPI_GRAPH,
        Some(Topology::DistGraph(_)) => MPI_DIST_GRAPH,
    });
    Ok(())
}
