//! Calls that all processes of a file make, as [checks](crate::check) compare them (MPI 4.1 §14.6.4).

use super::File;
use crate::check;
use crate::check::collectives::{Compared, Rule};
use crate::check::signature::Signature;
use crate::naming;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// All make the same calls in the same order.
const ORDER: &str = "MPI 4.1 §14.6.4";
/// With the same extent of the etype and the same representation.
const VIEWS: &str = "MPI 4.1 §14.3";

impl File {
    /// In a job that is checked: this process makes the present call, a collective one, on this file.
    #[inline]
    pub fn called_together(&self) {
        if check::is_on() {
            self.compare(ORDER, Compared::ORDER);
        }
    }

    /// The same of an access, if its function is a collective one.
    #[inline]
    pub fn accessed(&self) {
        if check::is_on() {
            let name = naming::routine(check::called());
            if name.ends_with("_all") || name.ends_with("_ordered") {
                self.compare(ORDER, Compared::ORDER);
            }
        }
    }

    /// The same of a view: the bytes of its etype, and its representation, unless its arguments are wrong.
    #[cold]
    pub fn viewed(&self, view: Option<(i64, String)>) {
        let numbers = |(etype, representation): &(i64, String)| {
            let name = FxBuildHasher.hash_one(representation);
            [*etype as u64, name >> 1]
        };
        let compared = Compared {
            rule: Rule::Alike,
            own: view.as_ref().map_or(Signature::ANY.words(), numbers),
            elements: &|| match &view {
                Some((etype, as_what)) => {
                    format!("an etype of {etype} bytes, represented as {as_what:?}")
                }
                None => "a view that is none".to_string(),
            },
            ..Compared::ORDER
        };
        self.compare(VIEWS, compared);
    }

    #[cold]
    fn compare(&self, section: &'static str, compared: Compared<'_>) {
        let title = || format!("file {}", self.title());
        self.calls
            .compare(&self.meeting, "the file", &title, section, compared);
    }
}
