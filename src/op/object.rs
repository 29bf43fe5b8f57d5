//! The operation object: predefined or a user's function, and its application to buffers of any datatype.

use super::kernels::{Kernel, kernel_of};
use super::predefined::Predefined;
use crate::check::threads;
use crate::datatype::{Basic, Datatype, Named, can_be_memory, find_committed};
use crate::error::Result;
use crate::handle::{Kind, Table};
use crate::mpi::constants::MPI_OP_NULL;
use crate::mpi::types::{C, Foreign, MPI_Datatype, MPI_Op, MPI_User_function, MPI_User_function_c};
use crate::{bail, err};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

static TABLE: Table<Op> = Table::new(Kind::Op);

/// A reduction operation.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Predefined(Predefined),
    User {
        function: Function,
        commutative: bool,
    },
}

/// A user's function, with the count as an `int` or as an `MPI_Count`.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    Small(MPI_User_function),
    Large(MPI_User_function_c),
    /// The function of another language's library, which is given the program's own behind the other arguments.
    #[cfg(feature = "openmpi")]
    Around(Around, MPI_User_function),
    By(Proxy, MPI_User_function),
}

/// The function of another language's library that is called in place of the program's own, which it is given last: MPICH's form.
pub type Proxy = unsafe extern "C" fn(
    invec: *mut c_void,
    inoutvec: *mut c_void,
    len: c_int,
    datatype: C<MPI_Datatype>,
    function: MPI_User_function,
);

/// A function around another.
#[cfg(feature = "openmpi")]
pub type Around = unsafe extern "C" fn(
    invec: *mut c_void,
    inoutvec: *mut c_void,
    len: *mut c_int,
    datatype: *mut C<MPI_Datatype>,
    function: MPI_User_function,
);

impl Op {
    /// Whether `a op b` is `b op a`.
    pub fn is_commutative(&self) -> bool {
        match self {
            Op::Predefined(op) => !op.is_for_accumulate_only(),
            Op::User { commutative, .. } => *commutative,
        }
    }

    pub fn predefined(&self) -> Option<Predefined> {
        match self {
            Op::Predefined(op) => Some(*op),
            Op::User { .. } => None,
        }
    }

    /// Whether applying it may write to its input: a user's function must not, but some do, and the data it gets may be the
    /// caller's or be needed again.
    pub fn may_change_input(&self) -> bool {
        matches!(self, Op::User { .. })
    }

    /// Whether the operation is defined for elements of `datatype` in a reduction.
    /// Errors: `MPI_ERR_OP`, also for REPLACE and NO_OP.
    pub fn check_reduction(&self, datatype: &Datatype) -> Result<()> {
        match self {
            Op::Predefined(op) if op.is_for_accumulate_only() => bail!(
                Op,
                "op is {}, which is for the accumulate functions only",
                op.name()
            ),
            Op::Predefined(op) if datatype.size() > 0 => check(*op, datatype).map(drop),
            _ => Ok(()),
        }
    }

    /// `inout[i] = input[i] op inout[i]` for `count` elements of `datatype`, whose handle is `handle`. Both buffers
    /// have the layout of the datatype.
    ///
    /// Errors: `MPI_ERR_OP` if a predefined operation is not defined for the elements.
    ///
    /// # Safety
    /// The elements at `input` must be readable, those at `inout` writable; the buffers may be the same, but not overlap
    /// otherwise. A user's function must do what MPI asks of it.
    pub unsafe fn apply(
        &self,
        input: *const u8,
        inout: *mut u8,
        count: usize,
        datatype: &Datatype,
        handle: MPI_Datatype,
    ) -> Result<()> {
        match *self {
            Op::Predefined(op) => {
                if count == 0 || datatype.size() == 0 {
                    return Ok(());
                }
                let basic = check(op, datatype)?;
                // SAFETY: the caller's contract; `basic` is the kind of all elements of the datatype.
                unsafe { apply_elements(op, basic, input, inout, count, datatype) }
            }
            Op::User { function, .. } => {
                // SAFETY: the caller's contract.
                unsafe { function.call(input, inout, count, datatype.extent(), handle) }
            }
        }
        Ok(())
    }
}

/// The kind of the elements of `datatype`, if `op` is defined for it. Errors: `MPI_ERR_OP`.
pub fn check(op: Predefined, datatype: &Datatype) -> Result<Basic> {
    let Some(basic) = datatype.basic() else {
        bail!(
            Op,
            "op is {}, but the datatype has elements of different types",
            op.name()
        );
    };
    if kernel_of(op, basic).is_none() {
        let name = datatype.permanent_handle().and_then(Named::of);
        bail!(
            Op,
            "op is {}, which is not defined for {}",
            op.name(),
            match name {
                Some(named) => named.name().to_string(),
                None => format!("elements of the kind {basic:?}"),
            }
        );
    }
    Ok(basic)
}

/// The loop of a predefined operation on elements of a datatype that lie one after the other, if there is one; and their kind.
#[inline(always)]
fn plain(
    op: MPI_Op,
    datatype: MPI_Datatype,
) -> Option<(&'static Kernel, Basic, &'static Datatype)> {
    let datatype = find_committed(datatype).filter(|datatype| datatype.is_dense())?;
    let op = Predefined::of(op).filter(|op| !op.is_for_accumulate_only())?;
    let basic = datatype.basic().filter(|basic| basic.is_dense())?;
    Some((kernel_of(op, basic)?, basic, datatype))
}

/// Whether a reduction by `op` is known at once to be in order.
#[inline]
pub fn is_plain(op: MPI_Op, datatype: MPI_Datatype) -> bool {
    plain(op, datatype).is_some()
}

/// The operation, its loop, and how long the loop's elements are, if the same is known.
#[inline]
pub fn quick_kernel(op: MPI_Op, datatype: MPI_Datatype) -> Option<(Op, &'static Kernel, usize)> {
    let (kernel, basic, _) = plain(op, datatype)?;
    Some((Op::Predefined(Predefined::of(op)?), kernel, basic.size()))
}

/// Reduces `count` elements that lie one after the other by a predefined operation, if all arguments are in order. False if it is
/// not that; then nothing was done.
///
/// # Safety
/// As [`Op::apply`], if the buffers can be memory.
#[inline(always)]
pub unsafe fn reduce_quickly(
    op: MPI_Op,
    input: *const u8,
    inout: *mut u8,
    count: usize,
    datatype: MPI_Datatype,
) -> bool {
    let Some((kernel, basic, datatype)) = plain(op, datatype) else {
        return false;
    };
    let Some(bytes) = datatype.size().checked_mul(count) else {
        return false;
    };
    let memory = |begin: usize| can_be_memory(begin, begin.saturating_add(bytes));
    let good = memory(input.addr()) && memory(inout.addr()) && input != inout.cast_const();
    if good {
        // SAFETY: the caller's promise.
        unsafe { (kernel.apply)(input, inout, bytes / basic.size()) };
    }
    good || count == 0
}

/// Applies a predefined operation to all elements of `count` elements of `datatype`.
///
/// # Safety
/// As [`Op::apply`]; all elements are of kind `basic`, for which `op` is defined.
unsafe fn apply_elements(
    op: Predefined,
    basic: Basic,
    input: *const u8,
    inout: *mut u8,
    count: usize,
    datatype: &Datatype,
) {
    let Some(kernel) = kernel_of(op, basic) else {
        return;
    };
    let base = inout.expose_provenance();
    input.expose_provenance();
    datatype.for_each_element(base, count, basic, |address, n| {
        let from = input.wrapping_add(address.wrapping_sub(base));
        // SAFETY: the caller's contract: the elements lie at the same displacements in both buffers.
        unsafe { (kernel.apply)(from, std::ptr::with_exposed_provenance_mut(address), n) }
    });
}

impl Function {
    /// Calls the user's function on `count` elements, in several calls if the count does not fit in its argument.
    ///
    /// # Safety
    /// As [`Op::apply`].
    unsafe fn call(
        self,
        input: *const u8,
        inout: *mut u8,
        count: usize,
        extent: isize,
        handle: MPI_Datatype,
    ) {
        let mut datatype = handle.foreign();
        threads::calling("the function of an operation", || match self {
            Function::Large(function) => {
                let mut len = count as i64;
                // SAFETY: the user's function, with the arguments that MPI 4.1 §6.9.5 gives it.
                unsafe {
                    function(
                        input.cast_mut().cast(),
                        inout.cast(),
                        &mut len,
                        &mut datatype,
                    )
                }
            }
            Function::Small(function) => in_parts(input, inout, count, extent, |a, b, len| {
                // SAFETY: as above, for some of the elements.
                unsafe { function(a, b, len, &mut datatype) }
            }),
            #[cfg(feature = "openmpi")]
            Function::Around(function, inner) => {
                in_parts(input, inout, count, extent, |a, b, len| {
                    // SAFETY: as above, for a function that takes the program's too.
                    unsafe { function(a, b, len, &mut datatype, inner) }
                })
            }
            Function::By(proxy, function) => in_parts(input, inout, count, extent, |a, b, len| {
                // SAFETY: as above, for a function that takes the program's too.
                unsafe { proxy(a, b, *len, datatype, function) }
            }),
        })
    }
}

/// Calls `call` on as many elements at a time as an `int` can count.
fn in_parts(
    input: *const u8,
    inout: *mut u8,
    count: usize,
    extent: isize,
    mut call: impl FnMut(*mut c_void, *mut c_void, *mut c_int),
) {
    let mut done = 0;
    while done < count {
        let mut len = c_int::try_from(count - done).unwrap_or(c_int::MAX);
        let at = (done as isize).wrapping_mul(extent);
        done += len as usize;
        let (a, b) = (input.wrapping_offset(at), inout.wrapping_offset(at));
        call(a.cast_mut().cast(), b.cast(), &mut len);
    }
}

/// The operation of a handle. The reference is good until the handle is freed, which a correct program does not do
/// during a call that uses it.
#[inline]
pub fn get(handle: MPI_Op) -> Result<&'static Op> {
    static PREDEFINED: [Op; Predefined::ALL.len()] = {
        let mut ops = [Op::Predefined(Predefined::Max); Predefined::ALL.len()];
        let mut i = 0;
        while i < ops.len() {
            ops[i] = Op::Predefined(Predefined::ALL[i]);
            i += 1;
        }
        ops
    };
    if let Some(op) = Predefined::of(handle) {
        return Ok(&PREDEFINED[op as usize]);
    }
    TABLE.get(handle.0).ok_or_else(|| {
        if handle == MPI_OP_NULL {
            err!(Op, "op is MPI_OP_NULL")
        } else {
            err!(
                Op,
                "op is {:#x}, which is no operation (it may have been freed)",
                handle.0
            )
        }
    })
}

/// Makes an operation of a user's function.
pub fn create(function: Function, commutative: bool) -> Result<MPI_Op> {
    let op = Op::User {
        function,
        commutative,
    };
    TABLE.insert(Arc::new(op)).map(MPI_Op)
}

/// Puts the function of a user's operation, which is another language's library's, around the program's own.
#[cfg(feature = "openmpi")]
pub fn put_around(handle: MPI_Op, inner: MPI_User_function) -> Result<()> {
    let Op::User {
        function: Function::Small(function),
        commutative,
    } = *get(handle)?
    else {
        bail!(Op, "op {:#x} has no function that takes another", handle.0);
    };
    // SAFETY: the library made the operation of a function that takes one argument more, and says so by this call.
    let function = unsafe { std::mem::transmute::<MPI_User_function, Around>(function) };
    let op = Op::User {
        function: Function::Around(function, inner),
        commutative,
    };
    TABLE.replace(handle.0, Arc::new(op));
    Ok(())
}

/// Has the function of a user's operation called by `proxy`, which is another language's library's.
pub fn set_proxy(handle: MPI_Op, proxy: Proxy) {
    if let Ok(&Op::User {
        function: Function::Small(function),
        commutative,
    }) = get(handle)
    {
        let function = Function::By(proxy, function);
        let op = Op::User {
            function,
            commutative,
        };
        TABLE.replace(handle.0, Arc::new(op));
    }
}

/// Ends the life of a user's operation.
pub fn free(handle: MPI_Op) -> Result<()> {
    if let Op::Predefined(op) = get(handle)? {
        bail!(
            Op,
            "op is {}, which is predefined and cannot be freed",
            op.name()
        );
    }
    match TABLE.remove(handle.0) {
        Some(_) => Ok(()),
        None => bail!(Op, "op {:#x} was freed meanwhile", handle.0),
    }
}
