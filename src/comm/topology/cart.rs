//! Cartesian grids (MPI 4.1 §8.5.1, §8.5.5-§8.5.8). Ranks are in row-major order: the last coordinate changes fastest.
//!
//! What goes down arrives from above: with a periodic dimension of 1 or 2 processes both neighbours are the same process, and
//! the receives are in the order in which the other one's sends come.

use super::{Edge, Neighbors};
use crate::error::Result;
use crate::{bail, err};

/// A grid. One without dimensions has one process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cart {
    pub dims: Vec<i32>,
    /// Whether the ends of each dimension meet.
    pub periods: Vec<bool>,
}

impl Cart {
    /// A grid for at most so many processes; `periods` has as many elements as `dims`. Error: `MPI_ERR_DIMS` (a dimension
    /// of less than 1, or too many places).
    pub fn new(dims: &[i32], periods: &[i32], processes: usize) -> Result<Cart> {
        if let Some((i, dim)) = dims.iter().enumerate().find(|&(_, &dim)| dim < 1) {
            bail!(
                Dims,
                "dims[{i}] is {dim}, but a dimension has at least 1 process"
            );
        }
        let places = dims
            .iter()
            .try_fold(1_usize, |all, &dim| all.checked_mul(dim as usize));
        if places.is_none_or(|places| places > processes) {
            bail!(
                Dims,
                "dims is {dims:?}, a grid of more than the communicator's {processes} processes"
            );
        }
        Ok(Cart {
            dims: dims.to_vec(),
            periods: periods.iter().map(|&period| period != 0).collect(),
        })
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.dims.iter().map(|&dim| dim as usize).product()
    }

    /// The coordinates of a process.
    pub fn coords(&self, rank: usize) -> Vec<i32> {
        let mut rest = rank;
        let mut coords = vec![0; self.dims.len()];
        for (coord, &dim) in coords.iter_mut().zip(&self.dims).rev() {
            *coord = (rest % dim as usize) as i32;
            rest /= dim as usize;
        }
        coords
    }

    /// The coordinate that is meant by `coord` in a dimension, if it is in the grid.
    fn place(&self, dimension: usize, coord: i64) -> Option<i64> {
        let dim = i64::from(self.dims[dimension]);
        if self.periods[dimension] {
            return Some(coord.rem_euclid(dim));
        }
        (0..dim).contains(&coord).then_some(coord)
    }

    /// The rank of the process with these coordinates, of which there is one for each dimension. Error: `MPI_ERR_ARG` (not
    /// in the grid).
    pub fn rank(&self, coords: &[i32]) -> Result<usize> {
        let mut rank = 0;
        for (i, (&coord, &dim)) in coords.iter().zip(&self.dims).enumerate() {
            let place = self.place(i, coord.into()).ok_or_else(|| {
                err!(
                    Arg,
                    "coords[{i}] is {coord}, but that dimension has {dim} processes and is not periodic"
                )
            })?;
            rank = rank * dim as usize + place as usize;
        }
        Ok(rank)
    }

    /// The process `distance` away from `rank` in a dimension, if there is one.
    fn away(&self, rank: usize, dimension: usize, distance: i64) -> Option<usize> {
        let stride: usize = self.dims[dimension + 1..]
            .iter()
            .map(|&dim| dim as usize)
            .product();
        let coord = rank / stride % self.dims[dimension] as usize;
        let place = self.place(dimension, coord as i64 + distance)?;
        Some(rank - coord * stride + place as usize * stride)
    }

    /// The processes from and to which `rank` shifts data in a dimension. Error: `MPI_ERR_DIMS` (no dimension).
    pub fn shift(
        &self,
        rank: usize,
        direction: i32,
        distance: i32,
    ) -> Result<(Option<usize>, Option<usize>)> {
        let dimension = usize::try_from(direction)
            .ok()
            .filter(|&d| d < self.dims.len());
        let Some(dimension) = dimension else {
            bail!(
                Dims,
                "direction is {direction}, but the grid has {} dimensions",
                self.dims.len()
            );
        };
        let distance = i64::from(distance);
        let from = self.away(rank, dimension, -distance);
        Ok((from, self.away(rank, dimension, distance)))
    }

    /// The grid of the dimensions that `keep` says, and the coordinates there of the process with these coordinates here.
    pub fn part(&self, keep: impl Fn(usize) -> bool, coords: &[i32]) -> (Cart, Vec<i32>) {
        let kept = || (0..self.dims.len()).filter(|&i| keep(i));
        let cart = Cart {
            dims: kept().map(|i| self.dims[i]).collect(),
            periods: kept().map(|i| self.periods[i]).collect(),
        };
        (cart, kept().map(|i| coords[i]).collect())
    }

    /// Two neighbours in each dimension, the one with the lower coordinate first. What a process sends down comes from
    /// above for its receiver, and both may be the same process: so the edges from above come first in `sources`.
    pub fn neighbors(&self, rank: usize) -> Neighbors {
        let degree = 2 * self.dims.len();
        let edge = |block: usize| {
            let distance = if block.is_multiple_of(2) { -1 } else { 1 };
            let rank = self.away(rank, block / 2, distance)?;
            Some(Edge { block, rank })
        };
        Neighbors {
            indegree: degree,
            outdegree: degree,
            sources: (0..degree).filter_map(|block| edge(block ^ 1)).collect(),
            destinations: (0..degree).filter_map(edge).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;

    fn cart(dims: &[i32], periods: &[i32]) -> Cart {
        Cart::new(dims, periods, usize::MAX).unwrap()
    }

    #[test]
    fn ranks_and_coordinates_are_inverse() {
        let cart = cart(&[3, 1, 4], &[0, 0, 1]);
        for rank in 0..12 {
            assert_eq!(cart.rank(&cart.coords(rank)).unwrap(), rank);
        }
        assert_eq!(cart.coords(6), [1, 0, 2]);
        assert_eq!(cart.rank(&[1, 0, -2]).unwrap(), 6);
        assert_eq!(cart.rank(&[3, 0, 0]).unwrap_err().class, Class::Arg);
    }

    #[test]
    fn shifts_end_at_borders_and_go_round() {
        let cart = cart(&[3, 4], &[0, 1]);
        assert_eq!(cart.shift(4, 0, 1).unwrap(), (Some(0), Some(8)));
        assert_eq!(cart.shift(4, 0, 2).unwrap(), (None, None));
        assert_eq!(cart.shift(4, 1, 1).unwrap(), (Some(7), Some(5)));
        assert_eq!(cart.shift(4, 1, i32::MIN).unwrap(), (Some(4), Some(4)));
        assert_eq!(cart.shift(4, 2, 1).unwrap_err().class, Class::Dims);
    }

    #[test]
    fn a_grid_must_fit() {
        let error = |dims: &[i32]| Cart::new(dims, &[0, 0, 0], 8).unwrap_err().class;
        assert_eq!(error(&[3, 3]), Class::Dims);
        assert_eq!(error(&[0]), Class::Dims);
        assert_eq!(error(&[i32::MAX, i32::MAX, i32::MAX]), Class::Dims);
        assert_eq!(Cart::new(&[], &[], 1).unwrap().size(), 1);
    }
}
