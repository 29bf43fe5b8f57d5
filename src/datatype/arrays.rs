//! Datatypes for parts of arrays: `MPI_Type_create_subarray` (MPI 4.1 §5.1.3) and `MPI_Type_create_darray` (§5.1.4).

use super::construct::{fits, is_fortran};
use super::layout::Layout;
use super::object::{Datatype, Envelope, Parts};
use crate::error::Result;
use crate::mpi::constants::*;
use crate::{bail, err};
use std::ffi::c_int;
use std::sync::Arc;

/// What grows, dimension by dimension from the fastest one, into the part of the array.
struct Grown {
    layout: Layout,
    elements: usize,
    /// Bytes from one index of the next dimension to the next.
    spacing: isize,
}

impl Grown {
    fn new(old: &Datatype, sizes: &[i64]) -> Result<Grown> {
        let mut total = old.extent() as i128;
        let mut bytes = old.size() as i128;
        for &size in sizes {
            total = total.checked_mul(size as i128).unwrap_or(i128::MAX);
            bytes = bytes.checked_mul(size as i128).unwrap_or(i128::MAX);
        }
        fits(total, "extent")?;
        fits(bytes, "size")?;
        fits(
            total.saturating_add(old.true_lb().min(0) as i128),
            "true lower bound",
        )?;
        fits(
            total.saturating_add(old.true_ub().max(0) as i128),
            "true upper bound",
        )?;
        Ok(Grown {
            layout: old.layout().clone(),
            elements: 1,
            spacing: old.extent(),
        })
    }

    /// One more dimension of `size` indices, of which `chosen` (made of the layout so far) is the part.
    fn dimension(&mut self, size: i64, n: usize, chosen: impl FnOnce(&Layout, isize) -> Layout) {
        self.elements *= n;
        self.layout = if self.layout.size() == 0 || n == 0 {
            Layout::EMPTY
        } else {
            chosen(&self.layout, self.spacing)
        };
        self.spacing *= size as isize;
    }

    fn datatype(self, old: &Arc<Datatype>, envelope: Envelope) -> Datatype {
        Datatype::new(Parts {
            lb: 0,
            ub: self.spacing,
            marked: (true, true),
            align: old.align(),
            layout: self.layout,
            signature: old.signature().repeat(self.elements),
            envelope: envelope.types([old.clone()]),
        })
    }
}

/// The dimensions from the fastest to the slowest.
fn fastest_first(dimensions: usize, fortran: bool) -> Box<dyn Iterator<Item = usize>> {
    if fortran {
        Box::new(0..dimensions)
    } else {
        Box::new((0..dimensions).rev())
    }
}

/// `MPI_Type_create_subarray`.
pub fn subarray(
    sizes: &[i64],
    subsizes: &[i64],
    starts: &[i64],
    order: c_int,
    old: &Arc<Datatype>,
    large: bool,
) -> Result<Datatype> {
    let dimensions = sizes.len();
    let fortran = is_fortran(order)?;
    for (i, ((&size, &sub), &start)) in sizes.iter().zip(subsizes).zip(starts).enumerate() {
        if size < 1 {
            bail!(Arg, "array_of_sizes[{i}] is {size}, but must be positive");
        }
        if sub < 1 || sub > size {
            bail!(
                Arg,
                "array_of_subsizes[{i}] is {sub}, but must be from 1 to the size {size}"
            );
        }
        if start < 0 || start > size - sub {
            bail!(
                Arg,
                "array_of_starts[{i}] is {start}, but must be from 0 to {} for {sub} of {size} elements",
                size - sub
            );
        }
    }
    let mut grown = Grown::new(old, sizes)?;
    if dimensions == 0 {
        // Not one element, which an empty product would be.
        grown.dimension(0, 0, |_, _| Layout::EMPTY);
    }
    for i in fastest_first(dimensions, fortran) {
        grown.dimension(sizes[i], subsizes[i] as usize, |inner, spacing| {
            inner
                .repeat(subsizes[i] as usize, spacing)
                .shifted(starts[i] as isize * spacing)
        });
    }
    let envelope = Envelope::new(MPI_COMBINER_SUBARRAY, large)
        .integers([dimensions as c_int])
        .counts(sizes.iter().chain(subsizes).chain(starts).copied())
        .integers([order]);
    Ok(grown.datatype(old, envelope))
}

/// How one dimension is dealt out to the processes: blocks of `block` indices in turn.
struct Deal {
    size: i64,
    processes: i64,
    block: i64,
}

impl Deal {
    fn new(
        i: usize,
        size: i64,
        distribution: c_int,
        argument: c_int,
        processes: i64,
    ) -> Result<Deal> {
        if size < 1 {
            bail!(Arg, "array_of_gsizes[{i}] is {size}, but must be positive");
        }
        if processes < 1 {
            bail!(
                Arg,
                "array_of_psizes[{i}] is {processes}, but must be positive"
            );
        }
        let default = argument == MPI_DISTRIBUTE_DFLT_DARG;
        if !default && argument < 1 && distribution != MPI_DISTRIBUTE_NONE {
            bail!(
                Arg,
                "array_of_dargs[{i}] is {argument}, but must be positive or MPI_DISTRIBUTE_DFLT_DARG"
            );
        }
        let block = match distribution {
            MPI_DISTRIBUTE_NONE if processes != 1 => bail!(
                Arg,
                "array_of_psizes[{i}] is {processes}, but must be 1 for MPI_DISTRIBUTE_NONE"
            ),
            MPI_DISTRIBUTE_NONE => size,
            MPI_DISTRIBUTE_BLOCK if default => (size + processes - 1) / processes,
            MPI_DISTRIBUTE_BLOCK if (argument as i64).saturating_mul(processes) < size => bail!(
                Arg,
                "array_of_dargs[{i}] is {argument}: {processes} blocks of it do not cover {size} elements"
            ),
            MPI_DISTRIBUTE_BLOCK => argument as i64,
            MPI_DISTRIBUTE_CYCLIC if default => 1,
            MPI_DISTRIBUTE_CYCLIC => argument as i64,
            _ => bail!(
                Arg,
                "array_of_distribs[{i}] is {distribution}, which is no kind of distribution"
            ),
        };
        Ok(Deal {
            size,
            processes,
            block: block.min(size),
        })
    }

    /// (whole blocks, indices in a last shorter block) of process `coordinate`.
    fn share(&self, coordinate: i64) -> (i64, i64) {
        let blocks = self.size / self.block;
        let rest = self.size % self.block;
        let mine = (blocks - coordinate + self.processes - 1).max(0) / self.processes;
        let has_rest = rest > 0 && blocks % self.processes == coordinate;
        (mine, if has_rest { rest } else { 0 })
    }
}

/// `MPI_Type_create_darray`.
pub fn darray(
    size: c_int,
    rank: c_int,
    gsizes: &[i64],
    distributions: &[c_int],
    arguments: &[c_int],
    psizes: &[c_int],
    order: c_int,
    old: &Arc<Datatype>,
    large: bool,
) -> Result<Datatype> {
    let dimensions = gsizes.len();
    let fortran = is_fortran(order)?;
    if size < 1 {
        bail!(Arg, "size is {size}, but must be positive");
    }
    if rank < 0 || rank >= size {
        bail!(
            Arg,
            "rank is {rank}, but the process grid has {size} processes"
        );
    }
    let deals = (0..dimensions)
        .map(|i| {
            Deal::new(
                i,
                gsizes[i],
                distributions[i],
                arguments[i],
                psizes[i] as i64,
            )
        })
        .collect::<Result<Vec<Deal>>>()?;
    let grid = deals
        .iter()
        .try_fold(1i64, |n, d| n.checked_mul(d.processes))
        .filter(|&n| n == size as i64)
        .ok_or_else(|| {
            err!(
                Arg,
                "size is {size}, which is not the product of array_of_psizes {psizes:?}"
            )
        })?;
    // The process grid is numbered in C order whatever the order of the array.
    let mut left = rank as i64;
    let mut weight = grid;
    let coordinates: Vec<i64> = deals
        .iter()
        .map(|d| {
            weight /= d.processes;
            let coordinate = left / weight;
            left %= weight;
            coordinate
        })
        .collect();

    let mut grown = Grown::new(old, gsizes)?;
    for i in fastest_first(dimensions, fortran) {
        let deal = &deals[i];
        let (whole, rest) = deal.share(coordinates[i]);
        let n = whole * deal.block + rest;
        grown.dimension(deal.size, n as usize, |inner, spacing| {
            let first = coordinates[i] * deal.block;
            let round = deal.processes * deal.block;
            let blocks = inner
                .repeat(deal.block as usize, spacing)
                .repeat(whole as usize, (round as isize).wrapping_mul(spacing));
            let last = inner.repeat(rest as usize, spacing);
            Layout::sequence(
                [(blocks, first), (last, first + whole * round)]
                    .into_iter()
                    .filter(|(layout, _)| layout.size() > 0)
                    .map(|(layout, index)| layout.shifted(index as isize * spacing)),
            )
        });
    }
    let envelope = Envelope::new(MPI_COMBINER_DARRAY, large)
        .integers([size, rank, dimensions as c_int])
        .counts(gsizes.iter().copied())
        .integers(
            distributions
                .iter()
                .chain(arguments)
                .chain(psizes)
                .copied()
                .chain([order]),
        );
    Ok(grown.datatype(old, envelope))
}
