//! Calls of the program's, and what is known of operations by them.

use super::super::log::{Fence, Log, Logged, Of, On};
use super::super::report::From;
use super::super::span::Span;
use super::super::{Kind, What, element_of, elements};
use super::Operation;
use crate::check::area::Block;
use crate::check::buffers::{self, Access as Use};
use crate::check::{Checker, Place, clock};
use smallvec::SmallVec;

/// Where in this process an operation reads, `origin_addr` and `compare_addr`, and where it writes, as far as it does.
#[derive(Clone, Copy)]
pub struct Near {
    pub reads: [u64; 2],
    pub writes: u64,
}

/// No operation has that.
pub const NOWHERE: Near = Near {
    reads: [0; 2],
    writes: 0,
};

/// What operations of one call of the program's on one target have in common.
#[derive(Clone, Copy)]
pub struct Site {
    /// Where the call returns to.
    back: usize,
    pub on: On,
    pub what: What,
    pub place: Place,
    pub bytes: u64,
    pub process: u32,
    /// What that process has for the others.
    pub theirs: Block,
    /// Where it keeps what is left at its elements, and at all of them.
    elements: clock::Keys,
    pub whole: clock::Key,
    /// How often something had been left at all of them when this process last took that.
    pub wholes: u64,
    function: &'static str,
    /// It changes something at the target, by what it reads here.
    pub changes: bool,
    pub fetches: bool,
    pub has_request: bool,
    /// Buffers that were found to be within what they begin in: the last ones.
    pub fits: Near,
    /// Of which call the last one is in the log, and until when this process knew the target's then.
    of: (Of, u64),
}

impl Site {
    pub fn new(
        checker: &'static Checker,
        operation: &Operation,
        back: usize,
        place: Place,
    ) -> Site {
        let Operation {
            on, what, bytes, ..
        } = *operation;
        let window = operation.words.checked();
        let process = window.members[on.target()];
        let elements = elements(&window, on.target());
        Site {
            back,
            on,
            what,
            place,
            bytes,
            process,
            theirs: checker.area.block(process),
            elements,
            whole: element_of(elements, None),
            wholes: u64::MAX,
            function: operation.function,
            changes: what.changes(),
            fetches: what.fetches(),
            has_request: what.has_request(),
            fits: NOWHERE,
            of: (Of::NONE, 0),
        }
    }

    /// Whether this one is of such operations, called from there.
    #[inline(always)]
    pub fn is_of(&self, back: usize, on: On, what: What, bytes: u64) -> bool {
        self.back == back && (self.on, self.what, self.bytes) == (on, what, bytes)
    }

    /// Whether it is of operations called from there.
    pub fn is_at(&self, back: usize, on: On) -> bool {
        (self.back, self.on) == (back, on)
    }

    /// Where what is left at an element is.
    #[inline(always)]
    pub fn element(&self, far: u64) -> clock::Key {
        element_of(self.elements, Some(&Span::run(far, self.bytes)))
    }

    /// Whether what it fetches is complete when the call is.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.fetches && self.has_request
    }

    /// Logs an operation of its own.
    #[inline(always)]
    pub fn log(&mut self, log: &Log, far: u64, known: u64, issued: u64) -> u64 {
        let (of, known_then) = self.of;
        if known == known_then
            && let Some(number) = log.add_to(of, far, (issued, 0), Fence::Here)
        {
            return number;
        }
        self.log_anew(log, far, known, issued)
    }

    /// The same as one of a new call.
    #[cold]
    #[inline(never)]
    fn log_anew(&mut self, log: &Log, far: u64, known: u64, issued: u64) -> u64 {
        self.of = (log.next_call(), known);
        let logged = Logged {
            known,
            issued,
            ..self.logged(far)
        };
        log.add(&logged, Fence::Here)
    }

    /// An operation there, as others find it.
    pub fn logged(&self, far: u64) -> Logged {
        Logged {
            on: self.on,
            what: self.what,
            place: self.place,
            span: Span::run(far, self.bytes),
            known: 0,
            issued: 0,
            done: 0,
            by_wait: false,
        }
    }

    pub fn from(&self) -> From {
        From {
            function: self.function,
            place: self.place,
        }
    }

    /// Tells of what goes beyond the array that it begins in.
    #[inline(always)]
    pub fn fit(&mut self, near: Near) {
        if self.fits.differs(near) {
            self.fit_anew(near);
        }
    }

    #[cold]
    #[inline(never)]
    fn fit_anew(&mut self, near: Near) {
        self.fits = near;
        near.fit(self.from(), self.bytes, self.what);
    }
}

impl Near {
    // Word by word: what was written so, and is read two words at once, has to be waited for.
    #[inline(always)]
    pub fn differs(&self, other: Near) -> bool {
        let [first, second] = self.reads;
        let reads = first ^ other.reads[0] | second ^ other.reads[1];
        reads | self.writes ^ other.writes != 0
    }

    /// The addresses that are read.
    fn reads(&self, what: What) -> &[u64] {
        match () {
            () if !what.changes() => &[],
            () if what.is(Kind::CompareAndSwap) => &self.reads,
            () => &self.reads[..1],
        }
    }

    /// What is read, and written.
    pub fn spans(&self, bytes: u64, what: What) -> [SmallVec<[Span; 2]>; 2] {
        let span = |at: &u64| Span::run(*at, bytes);
        let writes = what.fetches().then_some(&self.writes);
        [
            self.reads(what).iter().map(span).collect(),
            writes.into_iter().map(span).collect(),
        ]
    }

    pub fn fit(&self, from: From, bytes: u64, what: What) {
        let fit = |access: Use, argument: &str, at: u64| {
            let range = (at as usize, (at + bytes) as usize);
            if let Some(finding) = buffers::beyond(access, argument, std::iter::once(range)) {
                from.tell(finding);
            }
        };
        for (at, argument) in self.reads(what).iter().zip(["origin_addr", "compare_addr"]) {
            fit(Use::Read, argument, *at);
        }
        if what.fetches() {
            fit(Use::Write, "result_addr", self.writes);
        }
    }
}
