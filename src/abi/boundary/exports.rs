//! The attributes that make exported MPI functions of Rust bodies: [`mpi_api`](crate::mpi_api), and what is built on it. They
//! give the body's `Result` to [`raise`](super::errors::raise), with the objects that are among the arguments.

use super::pointers::{In, Mut};
use crate::check::{self, buffers};
use crate::coll::Call;
use crate::error::{Object, Result};
use crate::mpi::types::*;
use crate::p2p::request;
use std::ffi::c_int;

/// An argument, which may say which error handler is meant. Most say nothing.
pub trait Argument: Foreign {
    fn object(&self) -> Option<Object> {
        None
    }
}

impl Argument for MPI_Comm {
    fn object(&self) -> Option<Object> {
        Some(Object::Comm(*self))
    }
}
impl Argument for MPI_Win {
    fn object(&self) -> Option<Object> {
        Some(Object::Win(*self))
    }
}
impl Argument for MPI_Session {
    fn object(&self) -> Option<Object> {
        Some(Object::Session(*self))
    }
}
impl Argument for MPI_Request {
    fn object(&self) -> Option<Object> {
        Some(Object::Request(*self))
    }
}
impl Argument for MPI_Datatype {}
impl Argument for MPI_Op {}
impl Argument for MPI_Group {}
impl Argument for MPI_Info {}
impl Argument for MPI_Errhandler {}
impl Argument for MPI_Message {}
impl Argument for MPI_File {
    fn object(&self) -> Option<Object> {
        Some(Object::File(*self))
    }
}
impl Argument for MPI_T_cb_safety {}
impl Argument for MPI_T_source_order {}
impl Argument for c_int {}
impl Argument for i64 {}
impl Argument for isize {}
impl Argument for usize {}
impl<T> Argument for In<'_, T> {}
impl<T> Argument for Mut<'_, T> {}
/// Handles of the tool information interface.
impl<T> Argument for *mut T {}
impl<F: Copy> Argument for Option<F> {}

/// What a fast path says: whether the work is done; or what came of it, if it was.
pub trait Tried {
    fn result(self) -> Option<Result<()>>;
}

impl Tried for bool {
    #[inline(always)]
    fn result(self) -> Option<Result<()>> {
        self.then_some(Ok(()))
    }
}

impl Tried for Option<Result<()>> {
    #[inline(always)]
    fn result(self) -> Option<Result<()>> {
        self
    }
}

/// Exports one function under two names, the standard's and the profiling interface's (MPI 4.1 §15.2).
///
/// The work is done once: both names go to the function that does it. Neither is `unsafe`: pointers come as
/// [`In`] and [`Mut`], which only C makes without a promise of ours.
///
/// A function with `#[quick(…)]` has a fast path, which says [whether the work is done](Tried). Both names have it to themselves, since
/// a jump from one to the other is as long. The body is a function of its own then, out of the way, and called with the same
/// arguments in the same places; it does the whole work, and never knows that the fast path was tried.
///
/// Where calls are [observed](crate::observe), the body is made a call, out of the way too. A fast path does not ask for that: it is
/// closed then by what it asks anyway (windows are [hidden](crate::handle) from it). `#[quick(@unobserved …)]` asks first: where nothing
/// closes it, and where it has things on the stack. From behind those no jump leads on, and the place of the call would have to be
/// found by unwinding. What is to be told of a call is told in the body's path, or in
/// a [short way](super::looked) of the fast path that is made for it. There, too, calls are [checked](crate::check).
#[macro_export]
macro_rules! mpi_exported {
    (
        $(#[$meta:meta])*
        [$name:expr] [$profiled:expr] $rust:ident($($arg:ident : $type:ty),*) quick { $(@$asks:ident)? $quick:expr } $body:block
    ) => {
        $crate::mpi_exported! {
            @all [cold] [inline(never)] [$name] [$profiled] $rust [$(#[$meta])*] [$($arg: $type),*] { $(@$asks)? $quick } $body
        }
    };
    ($(#[$meta:meta])* [$name:expr] [$profiled:expr] $rust:ident($($arg:ident : $type:ty),*) $body:block) => {
        $crate::mpi_exported! {
            @all [] [inline(always)] [$name] [$profiled] $rust [$(#[$meta])*] [$($arg: $type),*] { false } $body
        }
    };
    (
        @all [$($cold:ident)?] [$inline:meta] [$name:expr] [$profiled:expr] $rust:ident [$(#[$meta:meta])*]
        [$($arg:ident : $type:ty),*] { $(@$asks:ident)? $quick:expr } $body:block
    ) => {
        $(#[$meta])*
        #[unsafe(export_name = $name)]
        pub extern "C" fn $rust($($arg: $crate::mpi::types::C<$type>),*) -> ::std::ffi::c_int {
            /// The function's name, for messages.
            #[allow(dead_code)]
            const FUNCTION: &str = $name;

            static CALL: $crate::observe::Call = $crate::observe::Call::new(FUNCTION);

            #[inline(always)]
            fn body($($arg: $type),*) -> $crate::error::Result<()> $body

            $(#[$cold])?
            #[inline(never)]
            extern "C" fn whole($($arg: $crate::mpi::types::C<$type>),*) -> ::std::ffi::c_int {
                $(let $arg = <$type as $crate::mpi::types::Foreign>::of($arg);)*
                match body($($arg),*) {
                    Ok(()) => 0,
                    Err(error) => failed(error, $($arg),*),
                }
            }

            $(#[$cold])?
            #[$inline]
            fn failed(error: $crate::error::Error, $($arg: $type),*) -> ::std::ffi::c_int {
                $crate::abi::boundary::errors::raise(
                    FUNCTION,
                    error,
                    &[$($crate::abi::boundary::exports::Argument::object(&$arg)),*],
                )
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn quick($($arg: $crate::mpi::types::C<$type>),*) -> impl $crate::abi::boundary::exports::Tried {
                $(let $arg = <$type as $crate::mpi::types::Foreign>::of($arg);)*
                $quick
            }

            #[cold]
            #[inline(never)]
            extern "C" fn looked_at($($arg: $crate::mpi::types::C<$type>),*) -> ::std::ffi::c_int {
                let mut since = None;
                let is_done = match $crate::observe::is_passed() {
                    true => again($($arg),*),
                    false => briefly(&mut since, $($arg),*),
                };
                if is_done {
                    return 0;
                }
                if $crate::observe::events::is_barred(FUNCTION) {
                    return $crate::abi::boundary::errors::barred();
                }
                let code = $crate::abi::boundary::looked::looked(FUNCTION, &CALL, since, &|| whole($($arg),*));
                called(code, $($arg),*);
                // Who looks at the stack finds the function by this frame, which a jump out of it would leave.
                ::std::hint::black_box(code)
            }

            $crate::mpi_again!([$($asks)?] ($($arg: $type),*) { $quick });
            $crate::mpi_briefly!([$($asks)?] ($($arg: $type),*) { $quick });

            #[cold]
            #[unsafe(naked)]
            extern "C" fn observed($($arg: $crate::mpi::types::C<$type>),*) -> ::std::ffi::c_int {
                $crate::called_through!(looked_at)
            }

            $(#[$cold])?
            #[$inline]
            extern "C" fn otherwise($($arg: $crate::mpi::types::C<$type>),*) -> ::std::ffi::c_int {
                match $crate::observe::is_on() {
                    true => observed($($arg),*),
                    false => whole($($arg),*),
                }
            }

            const ASKS: bool = {
                let asks = stringify!($($asks)?).as_bytes();
                matches!(
                    asks,
                    b"unobserved" | b"again_unobserved" | b"again_request" | b"looked_unobserved" | b"looked_request" | b"waits"
                )
            };

            #[inline(always)]
            fn shared($($arg: $crate::mpi::types::C<$type>),*) -> ::std::ffi::c_int {
                if ASKS && $crate::observe::is_on() {
                    return observed($($arg),*);
                }
                match $crate::abi::boundary::exports::Tried::result(quick($($arg),*)) {
                    None => otherwise($($arg),*),
                    Some(Ok(())) => 0,
                    Some(Err(error)) => {
                        failed(error, $(<$type as $crate::mpi::types::Foreign>::of($arg)),*)
                    }
                }
            }

            #[unsafe(export_name = $profiled)]
            extern "C" fn profiled($($arg: $crate::mpi::types::C<$type>),*) -> ::std::ffi::c_int {
                shared($($arg),*)
            }
            shared($($arg),*)
        }
    };
}

/// Makes the exported `MPI_X` and `PMPI_X` of a function whose body gives a `Result<()>`. In the body, `FUNCTION` is the
/// name that the program called.
#[macro_export]
macro_rules! mpi_api {
    (
        $(#[doc = $doc:expr])*
        #[quick($(@$asks:ident)? $quick:expr)]
        pub extern "C" fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> c_int $body:block
    ) => {
        $crate::mpi_exported! {
            $(#[doc = $doc])*
            [stringify!($name)] [concat!("P", stringify!($name))] $name($($arg: $type),*)
            quick { $(@$asks)? $quick } $body
        }
    };
    (
        $(#[$meta:meta])*
        pub extern "C" fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> c_int $body:tt
    ) => {
        $crate::mpi_exported! {
            $(#[$meta])*
            [stringify!($name)] [concat!("P", stringify!($name))] $name($($arg: $type),*) $body
        }
    };
}

/// Makes `MPI_X` and `MPI_X_c` of one function: its parameters of the types of [`counts`](crate::abi::boundary::counts) are small in
/// the one and large in the other.
///
/// Both do the same work, with large numbers. Where that cannot be, as arrays have them or the work asks which of both was called, or where
/// the call that it costs were too much, `#[twice]` compiles it for each.
#[macro_export]
macro_rules! mpi_counts {
    (
        $(#[doc = $doc:expr])*
        #[twice]
        $(#[quick($(@$asks:ident)? $quick:expr)])?
        pub extern "C" fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> c_int $body:block
    ) => {
        $crate::mpi_counts! {
            @both $(#[doc = $doc])*
            $name($($arg: $type),*) [$(quick { $(@$asks)? $quick })?] $body
        }
    };
    (
        $(#[doc = $doc:expr])*
        $(#[quick($(@$asks:ident)? $quick:expr)])?
        pub extern "C" fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> c_int $body:block
    ) => {
        const _: () = {
            #[allow(unused_imports)]
            use $crate::abi::boundary::counts::wide::*;
            #[inline(never)]
            fn work($($arg: $type),*) -> $crate::error::Result<()> $body
            $crate::mpi_counts! {
                @both $(#[doc = $doc])*
                $name($($arg: $type),*) [$(quick { $(@$asks)? $quick })?] {
                    work($($crate::abi::boundary::counts::Widen::widen($arg)),*)
                }
            }
        };
    };
    (@both $(#[$meta:meta])* $name:ident $arguments:tt [$($quick:tt)*] $body:block) => {
        const _: () = {
            #[allow(unused_imports)]
            use $crate::abi::boundary::counts::small::*;
            $crate::mpi_exported! {
                $(#[$meta])*
                [stringify!($name)] [concat!("P", stringify!($name))] $name $arguments $($quick)* $body
            }
        };
        const _: () = {
            #[allow(unused_imports)]
            use $crate::abi::boundary::counts::large::*;
            $crate::mpi_exported! {
                $(#[$meta])*
                [concat!(stringify!($name), "_c")] [concat!("P", stringify!($name), "_c")] $name $arguments $($quick)* $body
            }
        };
    };
}

/// An operation that the arguments of a function describe, and what its three forms do with it.
pub trait Forms {
    /// Blocks until this process's part is done.
    fn run(self) -> Result<()>;
    /// Begins it; does not block.
    fn start(self) -> Result<MPI_Request>;
    /// Makes a request that begins it whenever it is started.
    fn repeatedly(self) -> Result<MPI_Request>;
}

/// Where this job is checked, what is wrong with the buffers of a call whose arguments are in order is told.
#[inline]
fn begins() {
    if check::is_on() {
        buffers::begins();
    }
}

impl Forms for Call {
    #[inline]
    fn run(self) -> Result<()> {
        begins();
        Call::run(self)
    }

    fn start(self) -> Result<MPI_Request> {
        begins();
        request::collective_handle(Call::start(self)?)
    }

    fn repeatedly(self) -> Result<MPI_Request> {
        begins();
        let (comm, start) = Call::repeatedly(self)?;
        request::persistent_collective(comm, start)
    }
}

/// Makes the forms of an operation, small and large, of one function, whose result says which forms there are:
///
/// | result                                            | blocking   | nonblocking | persistent           |
/// |---------------------------------------------------|------------|-------------|----------------------|
/// | [`Call`], a collective operation                  | as written | `request`   | `info` and `request` |
/// | [`SendCall`](crate::abi::messages::p2p::SendCall) | as written | `request`   | `request`            |
/// | [`FileCall`](crate::abi::files::access::FileCall) | `status`   | `request`   |                      |
///
/// An access to a file has two names of each form where processes may access it together. The blocking form of a collective operation may
/// have a fast path, `#[quick(…)]`, for where there is nothing to do, or [little](crate::coll::short); a send has one to which its arguments
/// are given in that way, for short messages (`messages/short.rs`), and so has its nonblocking form. What a collective operation is
/// asked for is described once, to all forms; `#[twice]` is as in [`mpi_counts`].
///
/// ```text
/// #[apply(mpi_forms)]
/// #[names(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init)]
/// fn bcast(buffer: Mut<c_void>, count: Count, datatype: MPI_Datatype, root: c_int, comm: MPI_Comm) -> Call {
///     Ok((comm, Collective::Broadcast { … }))
/// }
/// ```
#[macro_export]
macro_rules! mpi_forms {
    (
        $(#[doc = $doc:expr])*
        #[names($blocking:ident, $nonblocking:ident, $init:ident)]
        #[twice]
        $(#[quick($quick:expr)])?
        fn $rust:ident($($arg:ident : $type:ty),* $(,)?) -> Call $body:block
    ) => {
        const _: () = {
            use $crate::abi::boundary::counts::small::*;
            $crate::mpi_forms! { @described fn $rust($($arg: $type),*) $body }
            $crate::mpi_forms! {
                @collective [$blocking, $nonblocking, $init] [""] [$($quick)?] $(#[doc = $doc])* fn $rust($($arg: $type),*)
            }
        };
        const _: () = {
            use $crate::abi::boundary::counts::large::*;
            $crate::mpi_forms! { @described fn $rust($($arg: $type),*) $body }
            $crate::mpi_forms! {
                @collective [$blocking, $nonblocking, $init] ["_c"] [$($quick)?] $(#[doc = $doc])* fn $rust($($arg: $type),*)
            }
        };
    };
    (
        $(#[doc = $doc:expr])*
        #[names($blocking:ident, $nonblocking:ident, $init:ident)]
        $(#[quick($quick:expr)])?
        fn $rust:ident($($arg:ident : $type:ty),* $(,)?) -> Call $body:block
    ) => {
        const _: () = {
            use $crate::abi::boundary::counts::wide::*;
            $crate::mpi_forms! { @described fn $rust($($arg: $type),*) $body }
            const _: () = {
                use $crate::abi::boundary::counts::small::*;
                $crate::mpi_forms! {
                    @collective [$blocking, $nonblocking, $init] [""] [$($quick)?] $(#[doc = $doc])* fn $rust($($arg: $type),*)
                }
            };
            const _: () = {
                use $crate::abi::boundary::counts::large::*;
                $crate::mpi_forms! {
                    @collective [$blocking, $nonblocking, $init] ["_c"] [$($quick)?] $(#[doc = $doc])* fn $rust($($arg: $type),*)
                }
            };
        };
    };
    // What is described is told by one function to all forms.
    (@described fn $rust:ident($($arg:ident : $type:ty),*) $body:block) => {
        #[inline(never)]
        fn $rust($($arg: $type),*) -> $crate::error::Result<(&'static $crate::comm::Comm, $crate::coll::Collective)> $body
    };
    (
        @collective [$blocking:ident, $nonblocking:ident, $init:ident] [$suffix:expr] [$($quick:expr)?]
        $(#[doc = $doc:expr])*
        fn $rust:ident($($arg:ident : $type:ty),*)
    ) => {
        $crate::mpi_exported! {
            $(#[doc = $doc])*
            [concat!(stringify!($blocking), $suffix)] [concat!("P", stringify!($blocking), $suffix)]
            $blocking($($arg: $type),*) $(quick { @unobserved $quick })? {
                let (comm, what) = $rust($($crate::abi::boundary::counts::Widen::widen($arg)),*)?;
                $crate::abi::boundary::exports::Forms::run($crate::coll::Call { comm, name: FUNCTION, what })
            }
        }
        $crate::mpi_exported! {
            $(#[doc = $doc])*
            [concat!(stringify!($nonblocking), $suffix)] [concat!("P", stringify!($nonblocking), $suffix)]
            $nonblocking(
                $($arg: $type,)*
                request: $crate::abi::boundary::pointers::Mut<$crate::mpi::types::MPI_Request>
            ) {
                let request = request.out("request")?;
                let (comm, what) = $rust($($crate::abi::boundary::counts::Widen::widen($arg)),*)?;
                let call = $crate::coll::Call { comm, name: FUNCTION, what };
                request.set($crate::abi::boundary::exports::Forms::start(call)?);
                Ok(())
            }
        }
        $crate::mpi_exported! {
            $(#[doc = $doc])*
            [concat!(stringify!($init), $suffix)] [concat!("P", stringify!($init), $suffix)]
            $init(
                $($arg: $type,)*
                info: $crate::mpi::types::MPI_Info,
                request: $crate::abi::boundary::pointers::Mut<$crate::mpi::types::MPI_Request>
            ) {
                let request = request.out("request")?;
                $crate::info::hints(info)?;
                let (comm, what) = $rust($($crate::abi::boundary::counts::Widen::widen($arg)),*)?;
                let call = $crate::coll::Call { comm, name: FUNCTION, what };
                request.set($crate::abi::boundary::exports::Forms::repeatedly(call)?);
                Ok(())
            }
        }
    };
    (
        $(#[doc = $doc:expr])*
        #[names($($name:ident),*)]
        #[quick($($quick:expr),*)]
        fn $rust:ident($($arg:ident : $type:ty),* $(,)?) -> SendCall $body:block
    ) => {
        $crate::mpi_forms! {
            @message [$($name),*]
            [#[quick(@unobserved $crate::abi::messages::short::send($($quick),*))]]
            [request #[quick(@unobserved $crate::abi::messages::short::start($($quick),*, request))]]
            $(#[doc = $doc])* fn $rust($($arg: $type),*) $body
        }
    };
    (
        $(#[doc = $doc:expr])*
        #[names($($name:ident),*)]
        fn $rust:ident($($arg:ident : $type:ty),* $(,)?) -> SendCall $body:block
    ) => {
        $crate::mpi_forms! {
            @message [$($name),*] [] [request] $(#[doc = $doc])* fn $rust($($arg: $type),*) $body
        }
    };
    (
        @message [$blocking:ident, $nonblocking:ident, $init:ident] [$($quick:tt)*] [$request:ident $($quickly:tt)*]
        $(#[doc = $doc:expr])*
        fn $rust:ident($($arg:ident : $type:ty),*) $body:block
    ) => {
        $crate::mpi_counts! {
            $(#[doc = $doc])*
            $($quick)*
            pub extern "C" fn $blocking($($arg: $type),*) -> c_int {
                let call: $crate::error::Result<SendCall> = $body;
                $crate::abi::boundary::exports::Forms::run(call?)
            }
        }
        $crate::mpi_counts! {
            $(#[doc = $doc])*
            $($quickly)*
            pub extern "C" fn $nonblocking(
                $($arg: $type,)*
                $request: $crate::abi::boundary::pointers::Mut<$crate::mpi::types::MPI_Request>
            ) -> c_int {
                let request = $request.out("request")?;
                let call: $crate::error::Result<SendCall> = $body;
                request.set($crate::abi::boundary::exports::Forms::start(call?)?);
                Ok(())
            }
        }
        $crate::mpi_counts! {
            $(#[doc = $doc])*
            pub extern "C" fn $init(
                $($arg: $type,)*
                request: $crate::abi::boundary::pointers::Mut<$crate::mpi::types::MPI_Request>
            ) -> c_int {
                let request = request.out("request")?;
                let call: $crate::error::Result<SendCall> = $body;
                request.set($crate::abi::boundary::exports::Forms::repeatedly(call?)?);
                Ok(())
            }
        }
    };
    (
        $(#[doc = $doc:expr])*
        #[names($alone:ident, $together:ident, $ialone:ident, $itogether:ident)]
        fn $name:ident $arguments:tt -> FileCall $body:block
    ) => {
        $crate::mpi_forms! {
            $(#[doc = $doc])*
            #[names($alone, $ialone)]
            fn $name $arguments -> FileCall $body
        }
        $crate::mpi_forms! {
            $(#[doc = $doc])*
            @file run_together [$together]
            fn $name $arguments -> FileCall $body
        }
        $crate::mpi_forms! {
            $(#[doc = $doc])*
            @file [$itogether]
            fn $name $arguments -> FileCall $body
        }
    };
    (
        $(#[doc = $doc:expr])*
        #[names($blocking:ident, $nonblocking:ident)]
        fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> FileCall $body:block
    ) => {
        $crate::mpi_forms! {
            $(#[doc = $doc])*
            @file run [$blocking]
            fn $name($($arg: $type),*) -> FileCall $body
        }
        $crate::mpi_forms! {
            $(#[doc = $doc])*
            @file [$nonblocking]
            fn $name($($arg: $type),*) -> FileCall $body
        }
    };
    (
        $(#[doc = $doc:expr])*
        @file [$nonblocking:ident]
        fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> FileCall $body:block
    ) => {
        $crate::mpi_counts! {
            $(#[doc = $doc])*
            pub extern "C" fn $nonblocking(
                $($arg: $type,)*
                request: $crate::abi::boundary::pointers::Mut<$crate::mpi::types::MPI_Request>
            ) -> c_int {
                let request = request.out("request")?;
                let access: $crate::error::Result<FileCall> = $body;
                request.set(access?.start()?);
                Ok(())
            }
        }
    };
    (
        $(#[doc = $doc:expr])*
        #[names($blocking:ident)]
        fn $name:ident $arguments:tt -> FileCall $body:block
    ) => {
        $crate::mpi_forms! {
            $(#[doc = $doc])*
            @file run_together [$blocking]
            fn $name $arguments -> FileCall $body
        }
    };
    (
        $(#[doc = $doc:expr])*
        @file $run:ident [$blocking:ident]
        fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> FileCall $body:block
    ) => {
        $crate::mpi_counts! {
            $(#[doc = $doc])*
            pub extern "C" fn $blocking(
                $($arg: $type,)*
                status: $crate::abi::boundary::pointers::Mut<$crate::mpi::types::MPI_Status>
            ) -> c_int {
                let access: $crate::error::Result<FileCall> = $body;
                let (access, status) = (access?, status.single()?);
                status.set(&access.$run()?);
                Ok(())
            }
        }
    };
}

/// Makes the exported `MPI_X` and `PMPI_X` of a function that returns a value of its own instead of an error code.
#[macro_export]
macro_rules! mpi_plain {
    (
        $(#[$meta:meta])*
        pub extern "C" fn $name:ident($($arg:ident : $type:ty),* $(,)?) -> $result:ty $body:block
    ) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            $($arg: $crate::mpi::types::C<$type>),*
        ) -> $crate::mpi::types::C<$result> {
            #[inline(always)]
            fn body($($arg: $type),*) -> $result $body

            #[unsafe(export_name = concat!("P", stringify!($name)))]
            extern "C" fn shared(
                $($arg: $crate::mpi::types::C<$type>),*
            ) -> $crate::mpi::types::C<$result> {
                $(let $arg = <$type as $crate::mpi::types::Foreign>::of($arg);)*
                $crate::mpi::types::Foreign::foreign(body($($arg),*))
            }
            shared($($arg),*)
        }
    };
}
