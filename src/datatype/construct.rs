//! The constructors of derived datatypes (MPI 4.1 §5.1.2), but for arrays (see `arrays`) and Fortran kinds (`f90`).
//!
//! Counts and displacements come as `i64`; all arithmetic is done in `i128` and checked against the address range
//! before a layout is made, so the layout's own arithmetic cannot overflow. `large` says that the `_c` form of the
//! constructor was called, which `MPI_Type_get_envelope` must know.

use super::layout::Layout;
use super::object::{Datatype, Envelope, Parts};
use super::signature::Signature;
use crate::error::Result;
use crate::mpi::constants::*;
use crate::mpi::types::MPI_Datatype;
use crate::{bail, err};
use std::ffi::c_int;
use std::sync::Arc;

/// A number of bytes or an address difference, if it fits.
pub(super) fn fits(value: i128, what: &str) -> Result<isize> {
    isize::try_from(value).map_err(|_| {
        err!(
            Arg,
            "the {what} of the new datatype is {value} bytes, which does not fit in an address"
        )
    })
}

/// A count argument that must not be negative.
pub(super) fn count(value: i64, name: &str) -> Result<usize> {
    match usize::try_from(value) {
        Ok(n) => Ok(n),
        Err(_) => bail!(Count, "{name} is {value}, which is negative"),
    }
}

fn length(value: i64, name: &str) -> Result<usize> {
    match usize::try_from(value) {
        Ok(n) => Ok(n),
        Err(_) => bail!(Arg, "{name} is {value}, which is negative"),
    }
}

/// Spans of addresses, joined.
#[derive(Clone, Copy, Default)]
struct Hull(Option<(i128, i128)>);

impl Hull {
    fn add(&mut self, low: i128, high: i128) {
        self.0 = Some(match self.0 {
            None => (low, high),
            Some((l, h)) => (l.min(low), h.max(high)),
        });
    }

    fn or_zero(self) -> (i128, i128) {
        self.0.unwrap_or((0, 0))
    }
}

/// The bounds of the blocks of a new datatype: those that `MPI_Type_get_extent` tells, and the true ones. They are those of its
/// type map (MPI 4.1 §5.1): a component without data, whose bounds nobody set, adds nothing.
#[derive(Default)]
struct Bounds {
    lb: Option<i128>,
    ub: Option<i128>,
    /// Of components whose bounds were set by the user, which take precedence (MPI 4.1 §5.1.6).
    marked_lb: Option<i128>,
    marked_ub: Option<i128>,
    data: Hull,
    size: i128,
    align: usize,
}

impl Bounds {
    /// `n` elements of `old`, `spacing` bytes from start to start, the first at `disp`.
    fn add(&mut self, disp: i128, n: usize, spacing: i128, old: &Datatype) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let last = (n as i128 - 1).checked_mul(spacing).ok_or_else(|| {
            err!(
                Arg,
                "{n} blocks of {spacing} bytes do not fit in an address"
            )
        })?;
        let low = |at: isize| disp + at as i128 + last.min(0);
        let high = |at: isize| disp + at as i128 + last.max(0);
        let (marked_lb, marked_ub) = old.marked();
        let has_data = old.size() > 0;
        let lower = |bound: &mut Option<i128>| {
            *bound = bound.iter().copied().chain([low(old.lb())]).min();
        };
        let raise = |bound: &mut Option<i128>| {
            *bound = bound.iter().copied().chain([high(old.ub())]).max();
        };
        match marked_lb {
            true => lower(&mut self.marked_lb),
            false if has_data => lower(&mut self.lb),
            false => {}
        }
        match marked_ub {
            true => raise(&mut self.marked_ub),
            false if has_data => raise(&mut self.ub),
            false => {}
        }
        if has_data {
            self.data.add(low(old.true_lb()), high(old.true_ub()));
        }
        self.size += n as i128 * old.size() as i128;
        self.align = self.align.max(old.align());
        Ok(())
    }

    /// Checks that everything fits; pads the extent to the alignment if `pad`. Gives (lb, ub, marked).
    fn close(&self, pad: bool) -> Result<(isize, isize, (bool, bool))> {
        let lb = self.marked_lb.or(self.lb).unwrap_or(0);
        let mut ub = self.marked_ub.or(self.ub).unwrap_or(0);
        if pad && self.marked_ub.is_none() && self.align > 1 {
            let align = self.align as i128;
            ub = lb + (ub - lb + align - 1).div_euclid(align) * align;
        }
        let (true_lb, true_ub) = self.data.or_zero();
        fits(self.size, "size")?;
        fits(true_lb, "true lower bound")?;
        fits(true_ub, "true upper bound")?;
        fits(true_ub - true_lb, "true extent")?;
        fits(ub - lb, "extent")?;
        Ok((
            fits(lb, "lower bound")?,
            fits(ub, "upper bound")?,
            (self.marked_lb.is_some(), self.marked_ub.is_some()),
        ))
    }
}

/// `count` blocks of `n` elements of `old`, `stride` bytes from block to block.
fn regular(
    count: usize,
    n: usize,
    stride: i128,
    old: &Arc<Datatype>,
    envelope: Envelope,
) -> Result<Datatype> {
    let mut bounds = Bounds::default();
    let extent = old.extent() as i128;
    let blocks = if n == 0 { 0 } else { count };
    if blocks > 0 {
        let last = (blocks as i128 - 1).checked_mul(stride).ok_or_else(|| {
            err!(
                Arg,
                "{count} blocks, {stride} bytes apart, do not fit in an address"
            )
        })?;
        bounds.add(0, n, extent, old)?;
        bounds.add(last, n, extent, old)?;
        bounds.size = (blocks as i128 * n as i128)
            .checked_mul(old.size() as i128)
            .ok_or_else(|| err!(Arg, "{count} blocks of {n} elements do not fit in memory"))?;
    }
    let (lb, ub, marked) = bounds.close(false)?;
    let (layout, signature) = if old.size() == 0 {
        (Layout::EMPTY, Signature::empty())
    } else {
        (
            old.layout()
                .repeat(n, old.extent())
                .repeat(blocks, stride as isize),
            old.signature().repeat(n * blocks),
        )
    };
    Ok(Datatype::new(Parts {
        lb,
        ub,
        marked,
        align: old.align(),
        layout,
        signature,
        envelope: envelope.types([old.clone()]),
    }))
}

/// `MPI_Type_contiguous`.
pub fn contiguous(n: i64, old: &Arc<Datatype>, large: bool) -> Result<Datatype> {
    let elements = count(n, "count")?;
    let envelope = Envelope::new(MPI_COMBINER_CONTIGUOUS, large).counts([n]);
    regular(1, elements, 0, old, envelope)
}

/// `MPI_Type_vector`: `stride` in elements.
pub fn vector(
    blocks: i64,
    blocklength: i64,
    stride: i64,
    old: &Arc<Datatype>,
    large: bool,
) -> Result<Datatype> {
    let envelope = Envelope::new(MPI_COMBINER_VECTOR, large).counts([blocks, blocklength, stride]);
    regular(
        count(blocks, "count")?,
        length(blocklength, "blocklength")?,
        stride as i128 * old.extent() as i128,
        old,
        envelope,
    )
}

/// `MPI_Type_create_hvector`: `stride` in bytes.
pub fn hvector(
    blocks: i64,
    blocklength: i64,
    stride: i64,
    old: &Arc<Datatype>,
    large: bool,
) -> Result<Datatype> {
    let envelope = Envelope::new(MPI_COMBINER_HVECTOR, large)
        .counts([blocks, blocklength])
        .addresses([stride]);
    regular(
        count(blocks, "count")?,
        length(blocklength, "blocklength")?,
        stride as i128,
        old,
        envelope,
    )
}

/// A block of a datatype: `n` elements of `old` at `disp` bytes.
struct Block<'a> {
    n: usize,
    disp: i128,
    old: &'a Arc<Datatype>,
}

/// Blocks in any order; `pad` for the extent of a struct.
fn irregular<'a>(
    blocks: impl Iterator<Item = Block<'a>> + Clone,
    pad: bool,
    envelope: Envelope,
) -> Result<Datatype> {
    let mut bounds = Bounds::default();
    for b in blocks.clone() {
        bounds.add(b.disp, b.n, b.old.extent() as i128, b.old)?;
    }
    let (lb, ub, marked) = bounds.close(pad)?;
    // Neighbouring blocks are often equal: they share one layout.
    let mut same: Option<(&Arc<Datatype>, usize, Layout)> = None;
    let filled = blocks.filter(|b| b.n > 0 && b.old.size() > 0);
    let layout = Layout::sequence(filled.clone().map(|b| {
        let layout = match &same {
            Some((old, n, layout)) if Arc::ptr_eq(old, b.old) && *n == b.n => layout,
            _ => {
                let layout = b.old.layout().repeat(b.n, b.old.extent());
                &same.insert((b.old, b.n, layout)).2
            }
        };
        layout.shifted(b.disp as isize)
    }));
    let signature = Signature::sequence(runs_of_one_type(filled));
    Ok(Datatype::new(Parts {
        lb,
        ub,
        marked,
        align: bounds.align,
        layout,
        signature,
        envelope,
    }))
}

/// The signatures of the blocks, one for neighbouring blocks of the same datatype.
fn runs_of_one_type<'a>(
    blocks: impl Iterator<Item = Block<'a>>,
) -> impl Iterator<Item = Signature> {
    let mut blocks = blocks.peekable();
    std::iter::from_fn(move || {
        let Block { mut n, old, .. } = blocks.next()?;
        while let Some(next) = blocks.next_if(|next| Arc::ptr_eq(next.old, old)) {
            n += next.n;
        }
        Some(old.signature().repeat(n))
    })
}

fn lengths_checked(blocklengths: &[i64]) -> Result<()> {
    for (i, &n) in blocklengths.iter().enumerate() {
        length(n, &format_args!("array_of_blocklengths[{i}]").to_string())?;
    }
    Ok(())
}

/// `MPI_Type_indexed`: displacements in elements.
pub fn indexed(
    blocklengths: &[i64],
    displacements: &[i64],
    old: &Arc<Datatype>,
    large: bool,
) -> Result<Datatype> {
    lengths_checked(blocklengths)?;
    let envelope = Envelope::new(MPI_COMBINER_INDEXED, large)
        .counts([blocklengths.len() as i64])
        .counts(blocklengths.iter().copied())
        .counts(displacements.iter().copied())
        .types([old.clone()]);
    let blocks = blocklengths
        .iter()
        .zip(displacements)
        .map(|(&n, &d)| Block {
            n: n as usize,
            disp: d as i128 * old.extent() as i128,
            old,
        });
    irregular(blocks, false, envelope)
}

/// `MPI_Type_create_hindexed`: displacements in bytes.
pub fn hindexed(
    blocklengths: &[i64],
    displacements: &[i64],
    old: &Arc<Datatype>,
    large: bool,
) -> Result<Datatype> {
    lengths_checked(blocklengths)?;
    let envelope = Envelope::new(MPI_COMBINER_HINDEXED, large)
        .counts([blocklengths.len() as i64])
        .counts(blocklengths.iter().copied())
        .addresses(displacements.iter().copied())
        .types([old.clone()]);
    let blocks = blocklengths
        .iter()
        .zip(displacements)
        .map(|(&n, &d)| Block {
            n: n as usize,
            disp: d as i128,
            old,
        });
    irregular(blocks, false, envelope)
}

/// `MPI_Type_create_indexed_block`: displacements in elements.
pub fn indexed_block(
    blocklength: i64,
    displacements: &[i64],
    old: &Arc<Datatype>,
    large: bool,
) -> Result<Datatype> {
    let n = length(blocklength, "blocklength")?;
    let envelope = Envelope::new(MPI_COMBINER_INDEXED_BLOCK, large)
        .counts([displacements.len() as i64, blocklength])
        .counts(displacements.iter().copied())
        .types([old.clone()]);
    let blocks = displacements.iter().map(|&d| Block {
        n,
        disp: d as i128 * old.extent() as i128,
        old,
    });
    irregular(blocks, false, envelope)
}

/// `MPI_Type_create_hindexed_block`: displacements in bytes.
pub fn hindexed_block(
    blocklength: i64,
    displacements: &[i64],
    old: &Arc<Datatype>,
    large: bool,
) -> Result<Datatype> {
    let n = length(blocklength, "blocklength")?;
    let envelope = Envelope::new(MPI_COMBINER_HINDEXED_BLOCK, large)
        .counts([displacements.len() as i64, blocklength])
        .addresses(displacements.iter().copied())
        .types([old.clone()]);
    let blocks = displacements.iter().map(|&d| Block {
        n,
        disp: d as i128,
        old,
    });
    irregular(blocks, false, envelope)
}

/// `MPI_Type_create_struct`: displacements in bytes. The extent is padded to the strictest alignment of the members.
pub fn structure(
    blocklengths: &[i64],
    displacements: &[i64],
    types: &[Arc<Datatype>],
    large: bool,
) -> Result<Datatype> {
    lengths_checked(blocklengths)?;
    let envelope = Envelope::new(MPI_COMBINER_STRUCT, large)
        .counts([blocklengths.len() as i64])
        .counts(blocklengths.iter().copied())
        .addresses(displacements.iter().copied())
        .types(types.iter().cloned());
    let blocks = blocklengths
        .iter()
        .zip(displacements)
        .zip(types)
        .map(|((&n, &d), old)| Block {
            n: n as usize,
            disp: d as i128,
            old,
        });
    irregular(blocks, true, envelope)
}

/// `MPI_Type_create_resized`.
pub fn resized(old: &Arc<Datatype>, lb: i64, extent: i64, large: bool) -> Result<Datatype> {
    let envelope = Envelope::new(MPI_COMBINER_RESIZED, large)
        .addresses([lb, extent])
        .types([old.clone()]);
    let ub = fits(lb as i128 + extent as i128, "upper bound")?;
    Ok(Datatype::new(Parts {
        lb: lb as isize,
        ub,
        marked: (true, true),
        ..parts_of(old, envelope)
    }))
}

/// `MPI_Type_dup`: the new datatype is committed if the old one is, and has what the copy callbacks make of the
/// attributes of the old one, whose handle is `handle`. Error: what a callback returns.
pub fn dup(old: &Arc<Datatype>, handle: MPI_Datatype) -> Result<Datatype> {
    let envelope = Envelope::new(MPI_COMBINER_DUP, false).types([old.clone()]);
    let new = Datatype::new(parts_of(old, envelope));
    if old.is_committed() {
        new.commit();
    }
    Ok(new.with_attributes(old.attributes.copies(handle.0)?))
}

/// A datatype of the same memory and bounds with another description.
pub(super) fn parts_of(old: &Datatype, envelope: Envelope) -> Parts {
    Parts {
        lb: old.lb(),
        ub: old.ub(),
        marked: old.marked(),
        align: old.align(),
        layout: old.layout().clone(),
        signature: old.signature().clone(),
        envelope,
    }
}

/// Whether `order` is one of the two array orders; true for Fortran's.
pub(super) fn is_fortran(order: c_int) -> Result<bool> {
    match order {
        MPI_ORDER_FORTRAN => Ok(true),
        MPI_ORDER_C => Ok(false),
        _ => bail!(
            Arg,
            "order is {order}, but must be MPI_ORDER_C or MPI_ORDER_FORTRAN"
        ),
    }
}
