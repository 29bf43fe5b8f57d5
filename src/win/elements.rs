//! Arrays of elements of one kind, an extent apart, as kernels take them: what the origin's side of an accumulate becomes,
//! whatever its datatype, and what the result's side is made of.

use crate::datatype::{self, Basic, Message};
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

/// The array of an operation's operands.
pub enum Operands {
    /// None: the operation needs none.
    None,
    /// Where the program has them.
    There(*const u8),
    Made(Vec<u8>),
}

impl Operands {
    /// # Safety
    /// The message, of `elements` elements of kind `basic`, is readable.
    pub unsafe fn of(message: &Message<'_>, basic: Basic, elements: usize) -> Operands {
        if let Some(address) = in_place(message, basic) {
            return Operands::There(with_exposed_provenance(address));
        }
        let mut packed = vec![0_u8; message.size()];
        // SAFETY: the message is readable, and the vector is as long.
        unsafe { datatype::pack(*message, 0..packed.len(), packed.as_mut_ptr()) };
        Operands::Made(expand(basic, elements, packed))
    }

    pub fn address(&self) -> *const u8 {
        match self {
            Operands::None => std::ptr::null(),
            Operands::There(address) => *address,
            Operands::Made(bytes) => bytes.as_ptr(),
        }
    }
}

/// The array that takes the elements of the target as they were.
pub enum Before<'a> {
    /// Where the program wants them.
    There(*mut u8),
    /// To be brought there.
    Made(Vec<u8>, Message<'a>),
}

impl<'a> Before<'a> {
    /// For the result buffer `message`, of `elements` elements of kind `basic`.
    pub fn of(message: Message<'a>, basic: Basic, elements: usize) -> Before<'a> {
        match in_place(&message, basic) {
            Some(address) => Before::There(with_exposed_provenance_mut(address)),
            None => Before::Made(vec![0; elements * basic.extent()], message),
        }
    }

    pub fn address(&mut self) -> *mut u8 {
        match self {
            Before::There(address) => *address,
            Before::Made(bytes, _) => bytes.as_mut_ptr(),
        }
    }

    /// Puts the elements into the result buffer, if they are not there.
    ///
    /// # Safety
    /// The buffer is writable.
    pub unsafe fn deliver(self, basic: Basic) {
        if let Before::Made(array, message) = self {
            let packed = compress(basic, array);
            // SAFETY: the caller's promise; the packed elements are as long as the message.
            unsafe { datatype::unpack(message, 0..packed.len(), packed.as_ptr()) };
        }
    }
}

/// The address of a message that is such an array as it is.
fn in_place(message: &Message<'_>, basic: Basic) -> Option<usize> {
    basic.is_dense().then(|| message.as_run())?
}

/// Packed elements become an array of them: pairs may have gaps there.
pub fn expand(basic: Basic, elements: usize, packed: Vec<u8>) -> Vec<u8> {
    if basic.is_dense() {
        return packed;
    }
    let (size, extent) = (basic.size(), basic.extent());
    let mut array = vec![0_u8; elements * extent];
    for (element, bytes) in array
        .chunks_exact_mut(extent)
        .zip(packed.chunks_exact(size))
    {
        let mut from = 0;
        for &(at, len) in basic.parts() {
            element[at..at + len].copy_from_slice(&bytes[from..from + len]);
            from += len;
        }
    }
    array
}

/// The opposite of [`expand`].
pub fn compress(basic: Basic, array: Vec<u8>) -> Vec<u8> {
    if basic.is_dense() {
        return array;
    }
    let mut packed = Vec::with_capacity(array.len() / basic.extent() * basic.size());
    for element in array.chunks_exact(basic.extent()) {
        for &(at, len) in basic.parts() {
            packed.extend_from_slice(&element[at..at + len]);
        }
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_come_and_go() {
        let packed: Vec<u8> = (0..24).collect();
        let array = expand(Basic::DoubleInt, 2, packed.clone());
        assert_eq!(array.len(), 32);
        assert_eq!(array[..12], packed[..12]);
        assert_eq!(array[12..16], [0; 4]);
        assert_eq!(array[16..28], packed[12..]);
        assert_eq!(compress(Basic::DoubleInt, array), packed);
        assert_eq!(expand(Basic::I64, 3, packed.clone()), packed);
    }
}
