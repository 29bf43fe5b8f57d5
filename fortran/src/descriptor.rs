//! Descriptors of arrays, as compilers hand them over for `TYPE(*), DIMENSION(..)`.

use std::ffi::{c_int, c_void};

/// A dimension: how many elements, and how many bytes from one to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimension {
    /// Negative in the last dimension of an array of which nobody knows how large it is.
    pub extent: isize,
    pub stride: isize,
}

/// A part of an array whose elements lie in several places.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub start: *mut u8,
    /// The size of an element.
    pub size: usize,
    /// The innermost first.
    pub dimensions: Vec<Dimension>,
}

impl Section {
    /// How many elements it has.
    fn elements(&self) -> usize {
        self.dimensions
            .iter()
            .map(|dimension| dimension.extent.max(0) as usize)
            .product()
    }

    pub fn is_empty(&self) -> bool {
        self.elements() == 0 || self.size == 0
    }

    pub fn bytes(&self) -> usize {
        self.elements() * self.size
    }

    /// Calls `visit` with each run of elements: where it is in a contiguous copy, where it is, and how many bytes it has.
    #[inline]
    pub fn each(&self, mut visit: impl FnMut(usize, *mut u8, usize)) {
        let mut run = self.size;
        let mut dimensions = &self.dimensions[..];
        while let [inner, outer @ ..] = dimensions
            && inner.stride == run as isize
        {
            run *= inner.extent as usize;
            dimensions = outer;
        }
        let one = Dimension {
            extent: 1,
            stride: 0,
        };
        let (line, outer) = dimensions.split_first().unwrap_or((&one, &[]));
        let mut index = vec![0_isize; outer.len()];
        let mut at = 0;
        while at < self.bytes() {
            let offsets = index.iter().zip(outer);
            let offset: isize = offsets
                .map(|(index, dimension)| index * dimension.stride)
                .sum();
            let mut element = self.start.wrapping_offset(offset);
            for _ in 0..line.extent {
                visit(at, element, run);
                at += run;
                element = element.wrapping_offset(line.stride);
            }
            for (index, dimension) in index.iter_mut().zip(outer) {
                *index += 1;
                if *index < dimension.extent {
                    break;
                }
                *index = 0;
            }
        }
    }
}

pub trait Descriptor {
    fn start(&self) -> *mut c_void;
    fn size(&self) -> usize;
    fn rank(&self) -> usize;
    fn dimension(&self, at: usize) -> Dimension;

    /// Whether the elements lie one after the other.
    #[inline(always)]
    fn is_contiguous(&self) -> bool {
        let mut expected = self.size() as isize;
        for at in 0..self.rank() {
            let Dimension { extent, stride } = self.dimension(at);
            if stride != expected && extent > 1 {
                return false;
            }
            expected = expected.wrapping_mul(extent);
        }
        true
    }

    fn section(&self) -> Section {
        Section {
            start: self.start().cast(),
            size: self.size(),
            dimensions: (0..self.rank()).map(|at| self.dimension(at)).collect(),
        }
    }
}

/// gfortran's own, from version 8 on.
#[repr(C)]
pub struct Gfortran {
    base_addr: *mut c_void,
    offset: usize,
    elem_len: usize,
    version: c_int,
    rank: i8,
    kind: i8,
    attribute: i16,
    span: isize,
    dims: [GfortranDimension; 0],
}

#[repr(C)]
struct GfortranDimension {
    stride: isize,
    lower_bound: isize,
    upper_bound: isize,
}

impl Descriptor for Gfortran {
    #[inline(always)]
    fn start(&self) -> *mut c_void {
        self.base_addr
    }

    #[inline(always)]
    fn size(&self) -> usize {
        self.elem_len
    }

    #[inline(always)]
    fn rank(&self) -> usize {
        self.rank as usize
    }

    #[inline(always)]
    fn dimension(&self, at: usize) -> Dimension {
        // SAFETY: as many are there as the rank says.
        let dimension = unsafe { &*(&raw const self.dims).cast::<GfortranDimension>().add(at) };
        // Strides are counted in the elements of what the section is of: in structures, where one of their members is meant.
        let unit = match self.span {
            0 => self.elem_len as isize,
            span => span,
        };
        Dimension {
            extent: dimension.upper_bound - dimension.lower_bound + 1,
            stride: dimension.stride.wrapping_mul(unit),
        }
    }
}

/// The standard's, of `ISO_Fortran_binding.h`: what is read of it is at the same places with all compilers.
#[repr(C)]
pub struct Cfi {
    base_addr: *mut c_void,
    elem_len: usize,
    version: c_int,
    rank: u8,
    rest: [u8; 3],
    dims: [CfiDimension; 0],
}

#[repr(C)]
struct CfiDimension {
    lower_bound: isize,
    extent: isize,
    sm: isize,
}

impl Descriptor for Cfi {
    #[inline(always)]
    fn start(&self) -> *mut c_void {
        self.base_addr
    }

    #[inline(always)]
    fn size(&self) -> usize {
        self.elem_len
    }

    #[inline(always)]
    fn rank(&self) -> usize {
        self.rank.into()
    }

    #[inline(always)]
    fn dimension(&self, at: usize) -> Dimension {
        // SAFETY: as many are there as the rank says.
        let dimension = unsafe { &*(&raw const self.dims).cast::<CfiDimension>().add(at) };
        Dimension {
            extent: dimension.extent,
            stride: dimension.sm,
        }
    }
}
