//! Where the bytes of one element of a datatype lie in memory, in the order of the type map.
//!
//! A [`Layout`] is a tree that is kept in its simplest form while it is built: neighbouring runs melt together, a
//! contiguous of contiguous is one run, a vector of a million blocks is one [`Form::Strided`]. It never holds more
//! records than the constructor of the datatype had arguments. Displacements are relative to the buffer's address.
//!
//! A *position* is the place of a byte in the packed message: 0 for the first byte of the type map. `walk` visits the
//! memory of a range of positions.

use std::sync::Arc;

/// The memory of a datatype: `size` bytes of data, in the order of the type map.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Displacement of the first byte (for all forms but `Parts` and lists, where it shifts the whole).
    pub(super) disp: isize,
    /// Bytes of data.
    pub(super) size: usize,
    pub(super) form: Form,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    /// One run of `size` bytes.
    Run,
    /// `count` runs of `block` bytes, `stride` bytes from start to start. The leaf that copy loops are made for.
    Strided {
        count: usize,
        stride: isize,
        block: usize,
    },
    /// `count` times `inner`, `stride` bytes from start to start.
    Repeat {
        count: usize,
        stride: isize,
        inner: Arc<Layout>,
    },
    /// Runs of `block` bytes at irregular displacements.
    Blocks { block: usize, disps: Arc<[isize]> },
    /// Runs of different lengths; the last record is a sentinel that ends the run before it.
    Runs(Arc<[Run]>),
    /// Different layouts, one after the other.
    Parts(Arc<[Part]>),
}

/// A run in [`Form::Runs`]: its length is the difference of its position to that of the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub position: usize,
    pub disp: isize,
}

/// A layout in [`Form::Parts`].
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub position: usize,
    pub layout: Layout,
}

impl Layout {
    pub const EMPTY: Layout = Layout::run(0, 0);

    /// `size` bytes at `disp`.
    pub const fn run(disp: isize, size: usize) -> Layout {
        Layout {
            disp,
            size,
            form: Form::Run,
        }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// The same layout `by` bytes further.
    pub fn shifted(&self, by: isize) -> Layout {
        Layout {
            disp: self.disp + by,
            ..self.clone()
        }
    }

    /// The displacement, if the layout is one run.
    #[inline]
    pub fn as_run(&self) -> Option<isize> {
        matches!(self.form, Form::Run).then_some(self.disp)
    }

    /// `count` copies, `stride` bytes from start to start. The caller has checked that sizes and displacements of
    /// the result fit.
    pub fn repeat(&self, count: usize, stride: isize) -> Layout {
        if count == 0 || self.size == 0 {
            return Layout::EMPTY;
        }
        if count == 1 {
            return self.clone();
        }
        let form = match &self.form {
            Form::Run if stride == self.size as isize => Form::Run,
            Form::Run => Form::Strided {
                count,
                stride,
                block: self.size,
            },
            Form::Strided {
                count: c,
                stride: s,
                block,
            } if follows(*c, *s, stride) => Form::Strided {
                count: c * count,
                stride: *s,
                block: *block,
            },
            Form::Repeat {
                count: c,
                stride: s,
                inner,
            } if follows(*c, *s, stride) => Form::Repeat {
                count: c * count,
                stride: *s,
                inner: inner.clone(),
            },
            _ => Form::Repeat {
                count,
                stride,
                inner: Arc::new(self.shifted(-self.disp)),
            },
        };
        Layout {
            disp: self.disp,
            size: self.size * count,
            form,
        }
    }

    /// Layouts one after the other.
    pub fn sequence(layouts: impl Iterator<Item = Layout>) -> Layout {
        let mut parts: Vec<Layout> = Vec::new();
        for next in layouts.filter(|l| l.size > 0) {
            match parts.last_mut() {
                Some(last) if adjoin(last, &next) => last.size += next.size,
                _ => parts.push(next),
            }
        }
        match parts.len() {
            0 => Layout::EMPTY,
            1 => parts.remove(0),
            _ if parts.iter().all(|l| matches!(l.form, Form::Run)) => Layout::runs(&parts),
            _ => {
                let mut position = 0;
                let parts: Arc<[Part]> = parts
                    .into_iter()
                    .map(|layout| {
                        let part = Part { position, layout };
                        position += part.layout.size;
                        part
                    })
                    .collect();
                Layout {
                    disp: 0,
                    size: position,
                    form: Form::Parts(parts),
                }
            }
        }
    }

    /// Two or more runs, none of which adjoins the next.
    fn runs(runs: &[Layout]) -> Layout {
        let block = runs[0].size;
        let size = runs.iter().map(|r| r.size).sum();
        if !runs.iter().all(|r| r.size == block) {
            let mut position = 0;
            let mut records: Vec<Run> = Vec::with_capacity(runs.len() + 1);
            for r in runs {
                records.push(Run {
                    position,
                    disp: r.disp,
                });
                position += r.size;
            }
            records.push(Run { position, disp: 0 });
            return Layout {
                disp: 0,
                size,
                form: Form::Runs(records.into()),
            };
        }
        let stride = runs[1].disp - runs[0].disp;
        if runs.windows(2).all(|w| w[1].disp - w[0].disp == stride) {
            return Layout {
                disp: runs[0].disp,
                size,
                form: Form::Strided {
                    count: runs.len(),
                    stride,
                    block,
                },
            };
        }
        Layout {
            disp: 0,
            size,
            form: Form::Blocks {
                block,
                disps: runs.iter().map(|r| r.disp).collect(),
            },
        }
    }

    /// The lowest displacement with data and the one behind the highest; (0, 0) without data.
    pub fn bounds(&self) -> (isize, isize) {
        if self.size == 0 {
            return (0, 0);
        }
        let (low, high) = match &self.form {
            Form::Run => (0, self.size as isize),
            Form::Strided {
                count,
                stride,
                block,
            } => spread(0, *block as isize, *count, *stride),
            Form::Repeat {
                count,
                stride,
                inner,
            } => {
                let (low, high) = inner.bounds();
                spread(low, high, *count, *stride)
            }
            Form::Blocks { block, disps } => hull(disps.iter().map(|&d| (d, d + *block as isize))),
            Form::Runs(runs) => hull(runs.windows(2).map(|w| {
                (
                    w[0].disp,
                    w[0].disp + (w[1].position - w[0].position) as isize,
                )
            })),
            Form::Parts(parts) => hull(parts.iter().map(|p| p.layout.bounds())),
        };
        (self.disp + low, self.disp + high)
    }
}

/// Whether copies at `outer` stride go on where `count` copies at `stride` end.
fn follows(count: usize, stride: isize, outer: isize) -> bool {
    isize::try_from(count)
        .ok()
        .and_then(|c| c.checked_mul(stride))
        == Some(outer)
}

/// Whether `b` is a run that begins where the run `a` ends.
fn adjoin(a: &Layout, b: &Layout) -> bool {
    matches!((&a.form, &b.form), (Form::Run, Form::Run)) && a.disp + a.size as isize == b.disp
}

fn spread(low: isize, high: isize, count: usize, stride: isize) -> (isize, isize) {
    let last = (count as isize - 1) * stride;
    (low + last.min(0), high + last.max(0))
}

fn hull(spans: impl Iterator<Item = (isize, isize)>) -> (isize, isize) {
    spans
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .unwrap_or((0, 0))
}
