//! Visiting the memory of a message: `count` elements of a layout, whole or a range of packed positions.

use super::layout::{Form, Layout};
use std::ops::Range;

/// What happens to the runs of a message, which come in the order of the type map. Addresses are numbers, because a
/// message may lie in another process, or be given by absolute displacements from `MPI_BOTTOM`.
pub trait Visit {
    /// `len` bytes at `address`.
    fn run(&mut self, address: usize, len: usize);

    /// `count` runs of `block` bytes, `stride` bytes from start to start.
    fn strided(&mut self, address: usize, count: usize, stride: isize, block: usize) {
        let mut at = address;
        for _ in 0..count {
            self.run(at, block);
            at = at.wrapping_add_signed(stride);
        }
    }

    /// Runs of `block` bytes, each as far from `address` as `disps` says.
    fn blocks(&mut self, address: usize, disps: &[isize], block: usize) {
        for &disp in disps {
            self.run(address.wrapping_add_signed(disp), block);
        }
    }
}

impl<F: FnMut(usize, usize)> Visit for F {
    #[inline(always)]
    fn run(&mut self, address: usize, len: usize) {
        self(address, len)
    }
}

/// The message of `count` elements of `layout`, `extent` bytes from start to start, at address `base`.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub layout: &'a Layout,
    pub extent: isize,
    pub base: usize,
    pub count: usize,
}

impl Message<'_> {
    /// Bytes of data. Does not fit in memory if it saturates.
    #[inline]
    pub fn size(&self) -> usize {
        self.layout.size.saturating_mul(self.count)
    }

    /// The message's address, if it is one run.
    #[inline]
    pub fn as_run(&self) -> Option<usize> {
        let disp = self.layout.as_run()?;
        (self.count <= 1 || self.extent == self.layout.size as isize)
            .then(|| self.base.wrapping_add_signed(disp))
    }

    /// Visits the whole message.
    #[inline]
    pub fn walk(&self, visit: &mut impl Visit) {
        let at = self.base.wrapping_add_signed(self.layout.disp);
        match &self.layout.form {
            _ if self.count == 0 || self.layout.size == 0 => {}
            Form::Run if self.count == 1 || self.extent == self.layout.size as isize => {
                visit.run(at, self.layout.size * self.count)
            }
            Form::Run => visit.strided(at, self.count, self.extent, self.layout.size),
            Form::Strided {
                count,
                stride,
                block,
            } if self.count == 1 || (*count as isize).wrapping_mul(*stride) == self.extent => {
                visit.strided(at, count * self.count, *stride, *block)
            }
            _ => copies(self.layout, self.base, self.count, self.extent, visit),
        }
    }

    /// Visits the bytes whose packed positions are in `range`, which must lie within the message: in one run, if the message is
    /// one.
    pub fn walk_range(&self, range: Range<usize>, visit: &mut impl Visit) {
        if range.start == 0 && range.end == self.size() {
            return self.walk(visit);
        }
        if let Some(at) = self.as_run()
            && !range.is_empty()
        {
            return visit.run(at.wrapping_add(range.start), range.len());
        }
        copies_range(self.layout, self.base, self.extent, range, visit)
    }
}

fn copies(layout: &Layout, base: usize, count: usize, stride: isize, visit: &mut impl Visit) {
    let mut at = base;
    for _ in 0..count {
        whole(layout, at, visit);
        at = at.wrapping_add_signed(stride);
    }
}

/// Visits one element at `base`.
fn whole(layout: &Layout, base: usize, visit: &mut impl Visit) {
    let at = base.wrapping_add_signed(layout.disp);
    match &layout.form {
        Form::Run => visit.run(at, layout.size),
        Form::Strided {
            count,
            stride,
            block,
        } => visit.strided(at, *count, *stride, *block),
        Form::Repeat {
            count,
            stride,
            inner,
        } => copies(inner, at, *count, *stride, visit),
        Form::Blocks { block, disps } => visit.blocks(at, disps, *block),
        Form::Runs(runs) => {
            for w in runs.windows(2) {
                visit.run(
                    at.wrapping_add_signed(w[0].disp),
                    w[1].position - w[0].position,
                );
            }
        }
        Form::Parts { parts, .. } => {
            for p in parts.iter() {
                whole(&p.layout, at, visit);
            }
        }
    }
}

/// Visits the positions `range` of copies of `layout`.
fn copies_range(
    layout: &Layout,
    base: usize,
    stride: isize,
    range: Range<usize>,
    visit: &mut impl Visit,
) {
    units(layout.size, range, |first, count, within| {
        let at = base.wrapping_add_signed((first as isize).wrapping_mul(stride));
        if within.len() == layout.size {
            copies(layout, at, count, stride, visit);
        } else {
            part(layout, at, within, visit);
        }
    })
}

/// Visits the positions `range` of one element at `base`.
fn part(layout: &Layout, base: usize, range: Range<usize>, visit: &mut impl Visit) {
    if range.start == 0 && range.end == layout.size {
        return whole(layout, base, visit);
    }
    let at = base.wrapping_add_signed(layout.disp);
    match &layout.form {
        Form::Run => visit.run(at.wrapping_add(range.start), range.len()),
        Form::Strided { stride, block, .. } => units(*block, range, |first, count, within| {
            let at = at.wrapping_add_signed(first as isize * stride);
            if count == 1 {
                visit.run(at.wrapping_add(within.start), within.len());
            } else {
                visit.strided(at, count, *stride, *block);
            }
        }),
        Form::Repeat { stride, inner, .. } => copies_range(inner, at, *stride, range, visit),
        Form::Blocks { block, disps } => units(*block, range, |first, count, within| {
            visit.blocks(
                at.wrapping_add(within.start),
                &disps[first..first + count],
                within.len(),
            )
        }),
        Form::Runs(runs) => {
            let first = runs.partition_point(|r| r.position <= range.start) - 1;
            for w in runs[first..].windows(2) {
                if w[0].position >= range.end {
                    break;
                }
                let from = range.start.max(w[0].position);
                let to = range.end.min(w[1].position);
                visit.run(
                    at.wrapping_add_signed(w[0].disp)
                        .wrapping_add(from - w[0].position),
                    to - from,
                );
            }
        }
        Form::Parts { parts, .. } => {
            let first = parts.partition_point(|p| p.position <= range.start) - 1;
            for p in &parts[first..] {
                if p.position >= range.end {
                    break;
                }
                let from = range.start.max(p.position) - p.position;
                let to = (range.end - p.position).min(p.layout.size);
                part(&p.layout, at, from..to, visit);
            }
        }
    }
}

/// Cuts `range` of positions at multiples of `unit`: calls `each(first unit, number of units, positions in a unit)` for
/// the part of a unit at the beginning, the whole units between, and the part of a unit at the end.
fn units(unit: usize, range: Range<usize>, mut each: impl FnMut(usize, usize, Range<usize>)) {
    if range.is_empty() {
        return;
    }
    let mut first = range.start / unit;
    let offset = range.start % unit;
    let last = range.end / unit;
    if first == last {
        return each(first, 1, offset..range.end % unit);
    }
    if offset > 0 {
        each(first, 1, offset..unit);
        first += 1;
    }
    if first < last {
        each(first, last - first, 0..unit);
    }
    if !range.end.is_multiple_of(unit) {
        each(last, 1, 0..range.end % unit);
    }
}
