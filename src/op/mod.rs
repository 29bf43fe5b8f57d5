//! Reduction operations (MPI 4.1 §6.9): the predefined ones as loops over elements, and users' functions.
//!
//! An operation is applied as `inout[i] = input[i] op inout[i]`, on any alignment. [`kernel_of`] gives the loop of a
//! predefined operation for a kind of element, the same loop that fetches what was there as it goes, and the same for one
//! element that is updated atomically, by compare-and-swap.

mod half;
mod kernels;
mod loops;
mod number;
mod object;
mod predefined;
#[cfg(test)]
mod tests;

pub use kernels::{Kernel, Update, kernel_of};
#[cfg(feature = "openmpi")]
pub use object::put_around;
pub use object::{
    Function, Op, Proxy, check, create, free, get, is_plain, quick_kernel, reduce_quickly,
    set_proxy,
};
pub use predefined::Predefined;
