//! Where the bytes of one element of a datatype lie in memory, in the order of the type map.
//!
//! A [`Layout`] is a tree that is kept in its simplest form while it is built: neighbouring runs melt together, a contiguous of
//! contiguous is one run, a vector of a million blocks is one [`Form::Strided`]. It shares what it can with the layouts it is
//! made of: a constructor's call adds no more records than it had arguments, and a logarithm of those there were. Displacements
//! are relative to the buffer's address.
//!
//! A *position* is the place of a byte in the packed message: 0 for the first byte of the type map. `walk` visits the memory of
//! a range of positions.

use super::rope::{self, Piece};
use std::sync::Arc;

/// The memory of a datatype: `size` bytes of data, in the order of the type map.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Displacement of the first byte (for all forms but `Parts` and lists, where it shifts the whole).
    pub(super) disp: isize,
    /// Bytes of data.
    pub(super) size: usize,
    /// The lowest byte with data and the one behind the highest, from `disp` on.
    span: (isize, isize),
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
    /// Different layouts, one after the other: a tree of that height.
    Parts { height: u32, parts: Arc<[Part]> },
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
            span: (0, size as isize),
            form: Form::Run,
        }
    }

    fn new(disp: isize, size: usize, form: Form) -> Layout {
        Layout {
            disp,
            size,
            span: form.span(size),
            form,
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
        Layout::new(self.disp, self.size * count, form)
    }

    /// Layouts one after the other.
    pub fn sequence(layouts: impl Iterator<Item = Layout>) -> Layout {
        let mut parts = rope::melted(layouts.filter(|l| l.size > 0));
        match parts.len() {
            0 => Layout::EMPTY,
            1 => parts.remove(0),
            _ if parts.iter().all(|l| matches!(l.form, Form::Run)) => Layout::runs(&parts),
            _ => rope::sequence(parts),
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
            return Layout::new(0, size, Form::Runs(records.into()));
        }
        let stride = runs[1].disp - runs[0].disp;
        if runs.windows(2).all(|w| w[1].disp - w[0].disp == stride) {
            let count = runs.len();
            let form = Form::Strided {
                count,
                stride,
                block,
            };
            return Layout::new(runs[0].disp, size, form);
        }
        let disps = runs.iter().map(|r| r.disp).collect();
        Layout::new(0, size, Form::Blocks { block, disps })
    }

    /// The lowest displacement with data and the one behind the highest; (0, 0) without data.
    pub fn bounds(&self) -> (isize, isize) {
        match self.size {
            0 => (0, 0),
            _ => (self.disp + self.span.0, self.disp + self.span.1),
        }
    }
}

impl Form {
    /// The lowest byte with data and the one behind the highest.
    fn span(&self, size: usize) -> (isize, isize) {
        match self {
            Form::Run => (0, size as isize),
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
            Form::Parts { parts, .. } => hull(parts.iter().map(|p| p.layout.bounds())),
        }
    }
}

impl Piece for Layout {
    fn height(&self) -> u32 {
        match self.form {
            Form::Parts { height, .. } => height,
            _ => 0,
        }
    }

    fn count(&self) -> usize {
        match &self.form {
            Form::Parts { parts, .. } => parts.len(),
            _ => 0,
        }
    }

    fn pieces(&self) -> Vec<Layout> {
        match &self.form {
            Form::Parts { parts, .. } => {
                let shifted = |part: &Part| part.layout.shifted(self.disp);
                parts.iter().map(shifted).collect()
            }
            _ => Vec::new(),
        }
    }

    fn node(pieces: Vec<Layout>) -> Layout {
        let height = pieces.first().map_or(0, Layout::height) + 1;
        let mut size = 0;
        let parts = pieces
            .into_iter()
            .map(|layout| {
                let position = size;
                size += layout.size;
                Part { position, layout }
            })
            .collect();
        Layout::new(0, size, Form::Parts { height, parts })
    }

    fn melt(&self, next: &Layout) -> Option<Layout> {
        match (&self.form, &next.form) {
            (Form::Run, Form::Run) if self.disp + self.size as isize == next.disp => {
                Some(Layout::run(self.disp, self.size + next.size))
            }
            _ => None,
        }
    }
}

/// Whether copies at `outer` stride go on where `count` copies at `stride` end.
fn follows(count: usize, stride: isize, outer: isize) -> bool {
    isize::try_from(count)
        .ok()
        .and_then(|c| c.checked_mul(stride))
        == Some(outer)
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
