//! What collective operations work on: elements in memory.

use crate::datatype::{self, Datatype};
use crate::error::Result;
use crate::mpi::types::MPI_Datatype;
use crate::transport::Buffer;
use std::ptr::with_exposed_provenance;
use std::sync::Arc;

/// The datatype of elements that take part in a collective operation, kept until it is complete.
#[derive(Clone)]
pub struct Element {
    pub datatype: Arc<Datatype>,
    /// For users' reduction functions.
    pub handle: MPI_Datatype,
}

impl Element {
    /// Errors: `MPI_ERR_TYPE` (no datatype, not committed).
    pub fn new(handle: MPI_Datatype) -> Result<Element> {
        datatype::get_committed(handle)?;
        Ok(Element {
            datatype: datatype::get_arc(handle)?,
            handle,
        })
    }
}

/// `count` elements in memory that an operation reads or writes until it is complete.
#[derive(Clone)]
pub struct Vector {
    pub(super) address: usize,
    pub(super) count: usize,
    pub(super) element: Element,
}

impl Vector {
    /// # Safety
    /// At `address` there are `count` elements, which are the operation's until it is complete.
    pub unsafe fn new(address: usize, count: usize, element: Element) -> Vector {
        Vector {
            address,
            count,
            element,
        }
    }

    /// For messages.
    pub fn address(&self) -> usize {
        self.address
    }

    /// `count` of the elements from number `first` on.
    pub fn part(&self, first: usize, count: usize) -> Vector {
        let skip = (first as isize).wrapping_mul(self.element.datatype.extent());
        Vector {
            address: self.address.wrapping_add_signed(skip),
            count,
            element: self.element.clone(),
        }
    }

    /// Whether the data of both begins at one place. (The addresses alone do not tell: with absolute displacements both are
    /// `MPI_BOTTOM`.)
    pub fn is_at(&self, other: &Vector) -> bool {
        let begin = |v: &Vector| {
            let low = v
                .element
                .datatype
                .span(v.count.min(1))
                .map_or(0, |(low, _)| low);
            v.address.wrapping_add_signed(low)
        };
        begin(self) == begin(other)
    }

    /// Bytes of data.
    pub fn bytes(&self) -> usize {
        self.element.datatype.size().saturating_mul(self.count)
    }

    pub fn buffer(&self) -> Result<Buffer> {
        let address = with_exposed_provenance(self.address);
        // SAFETY: what `new` was promised.
        unsafe { Buffer::typed(address, self.count, &self.element.datatype) }
    }

    /// The vector, if it can be memory of a program. Errors: `MPI_ERR_BUFFER`, `MPI_ERR_COUNT`.
    pub fn checked(self, name: &str) -> Result<Vector> {
        self.buffer()?.checked(name)?;
        Ok(self)
    }
}
