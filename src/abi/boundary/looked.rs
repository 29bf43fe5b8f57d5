//! Calls that are looked at: by [`observe`], or by [`check`].
//!
//! Every exported function has a way out of line for that, in which its body is a call. What a fast path does has short ways here, too:
//! [`mpi_again`](crate::mpi_again) where calls are checked, [`mpi_briefly`](crate::mpi_briefly) where they are counted.

use crate::check;
use crate::observe::{self, Since};
use std::ffi::c_int;

/// Does `work`, a call of the function `name`, where calls are looked at. It began `since`, if that is known.
// Out of line, and the same for all functions, each of which has a call of it.
#[inline(never)]
pub fn looked(
    name: &'static str,
    call: &'static observe::Call,
    since: Option<Since>,
    work: &dyn Fn() -> c_int,
) -> c_int {
    observe::call(call, since, || check::call(name, work))
}

/// The quick way of a call in a job that is checked: where it [repeats](crate::check::race::again) the last operation (`@again`),
/// or only [notes](crate::check::race::series) it (`@series`), or is short all the same (`@looked`). `again` says whether it was done,
/// `called` what became of a call else. `@again_unobserved` and `@looked_unobserved` are that and ask first whether calls are observed; so do
/// `@again_request` and `@looked_request`, of what has a request: a new operation is given that of [an earlier one](crate::check::race::requests).
/// `@waits` ends it.
#[macro_export]
macro_rules! mpi_again {
    ([series] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn again($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            repeats($($arg),*) || in_series($($arg),*)
        }

        $crate::mpi_again!(@checked in_series ($($arg: $type),*) { $quick });
        $crate::mpi_again!(@repeats repeats ($($arg: $type),*) { $quick });
    };
    ([again_unobserved] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        $crate::mpi_again!([again] ($($arg: $type),*) { $quick });
    };
    ([again] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn again($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            repeats($($arg),*) || {
                let is_done = at_once($($arg),*);
                if is_done {
                    called(0, $($arg),*);
                }
                is_done
            }
        }

        $crate::mpi_again!(@checked at_once ($($arg: $type),*) { $quick });
        $crate::mpi_again!(@repeats repeats ($($arg: $type),*) { $quick });
    };
    ([again_request] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn again($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            repeats($($arg),*) || next($($arg),*)
        }

        $crate::mpi_again!(@next ($($arg: $type),*) { $quick });
        $crate::mpi_again!(@repeats repeats ($($arg: $type),*) { {
            // In the fast path's words: with the request that there is.
            use $crate::abi::windows::requests::again_at_once as at_once;
            $quick
        } });
    };
    ([looked_request] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn again($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            next($($arg),*)
        }

        #[inline(always)]
        #[allow(unused_variables)]
        fn called(code: ::std::ffi::c_int, $($arg: $crate::mpi::types::C<$type>),*) {}

        $crate::mpi_again!(@next ($($arg: $type),*) { $quick });
    };
    (@next ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(never)]
        fn next($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            // In the fast path's words: with the request of an earlier one.
            fn at_once(request: $crate::abi::boundary::pointers::Mut<$crate::mpi::types::MPI_Request>, quickly: impl FnOnce() -> bool) -> bool {
                $crate::abi::windows::requests::next_at_once(FUNCTION, request, quickly)
            }
            fn find(win: $crate::mpi::types::MPI_Win) -> Option<$crate::win::looked::CheckedWindow> {
                $crate::win::looked::CheckedWindow::find(win, FUNCTION)
            }
            $(let $arg = <$type as $crate::mpi::types::Foreign>::of($arg);)*
            $quick
        }
    };
    ([looked_unobserved] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        $crate::mpi_again!([looked] ($($arg: $type),*) { $quick });
    };
    ([looked] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn again($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            looked_quickly($($arg),*)
        }

        #[inline(always)]
        #[allow(unused_variables)]
        fn called(code: ::std::ffi::c_int, $($arg: $crate::mpi::types::C<$type>),*) {}

        $crate::mpi_again!(@checked looked_quickly ($($arg: $type),*) { $quick });
    };
    ([waits] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn again($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            // In the fast path's words: of requests of what is repeated.
            use $crate::abi::boundary::pointers::Mut;
            use $crate::abi::messages::request::{end_again, is_again};
            #[inline(always)]
            fn end_at_once(
                request: Mut<$crate::mpi::types::MPI_Request>,
                status: Mut<$crate::mpi::types::MPI_Status>,
            ) -> bool {
                end_again(FUNCTION, request, status)
            }
            #[allow(dead_code)]
            fn is_at_once(request: Mut<$crate::mpi::types::MPI_Request>) -> bool {
                is_again(request)
            }
            $(let $arg = <$type as $crate::mpi::types::Foreign>::of($arg);)*
            let are_over = $quick;
            if are_over {
                $crate::check::race::series::waited();
            }
            are_over
        }

        #[inline(always)]
        #[allow(unused_variables)]
        fn called(code: ::std::ffi::c_int, $($arg: $crate::mpi::types::C<$type>),*) {}
    };
    (@checked $checked:ident ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn $checked($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            // In the fast path's words: of a window whose operations are looked at.
            fn find(win: $crate::mpi::types::MPI_Win) -> Option<$crate::win::looked::CheckedWindow> {
                $crate::win::looked::CheckedWindow::find(win, FUNCTION)
            }
            $(let $arg = <$type as $crate::mpi::types::Foreign>::of($arg);)*
            $quick
        }
    };
    (@repeats $repeats:ident ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn $repeats($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            // In the fast path's words: of windows that are looked at.
            use $crate::win::find_observed as find;
            use $crate::check::race::again;
            if !again::repeats(FUNCTION, &[$(again::word($arg)),*]) {
                return false;
            }
            $(let $arg = <$type as $crate::mpi::types::Foreign>::of($arg);)*
            let is_done = $quick;
            is_done && again::repeated()
        }

        #[inline(always)]
        fn called(code: ::std::ffi::c_int, $($arg: $crate::mpi::types::C<$type>),*) {
            use $crate::check::race::again;
            if code == 0 {
                again::keep(FUNCTION, &[$(again::word($arg)),*]);
            }
        }
    };
    ([$($other:ident)?] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        #[allow(unused_variables)]
        fn again($($arg: $crate::mpi::types::C<$type>),*) -> bool {
            false
        }

        #[inline(always)]
        #[allow(unused_variables)]
        fn called(code: ::std::ffi::c_int, $($arg: $crate::mpi::types::C<$type>),*) {}
    };
}

/// The quick way of a call in a job that counts calls: the fast path itself, with windows that [count](crate::win::looked) what they move.
/// Where that was not all, `since` is when it began. A fast path that is closed by being asked first has none.
#[macro_export]
macro_rules! mpi_briefly {
    ([] $arguments:tt $quick:tt) => {
        $crate::mpi_briefly!(@not $arguments);
    };
    ([unobserved] $arguments:tt $quick:tt) => {
        $crate::mpi_briefly!(@not $arguments);
    };
    ([waits] $arguments:tt $quick:tt) => {
        $crate::mpi_briefly!(@not $arguments);
    };
    (@not ($($arg:ident : $type:ty),*)) => {
        #[inline(always)]
        #[allow(unused_variables)]
        fn briefly(since: &mut Option<$crate::observe::Since>, $($arg: $crate::mpi::types::C<$type>),*) -> bool {
            false
        }
    };
    ([$asks:ident] ($($arg:ident : $type:ty),*) { $quick:expr }) => {
        #[inline(always)]
        fn briefly(since: &mut Option<$crate::observe::Since>, $($arg: $crate::mpi::types::C<$type>),*) -> bool {
            #[inline(always)]
            fn find(win: $crate::mpi::types::MPI_Win) -> Option<$crate::win::looked::CountedWindow> {
                $crate::win::looked::CountedWindow::find(win, &CALL)
            }
            $(let $arg = <$type as $crate::mpi::types::Foreign>::of($arg);)*
            $crate::observe::briefly(&CALL, since, || $quick)
        }
    };
}
