//! In a job that is [checked](crate::check): whether both sides of an operation name the same types (those of an accumulate have to have as long
//! elements, or it is an error), and the target's names nothing twice that is written.

use super::Window;
use super::transfer::{Effect, Origin, Remote};
use crate::check::race::Words;
use crate::check::{self, Finding, signature};
use crate::datatype;
use crate::error::Result;
use crate::naming;

impl Window {
    /// Whether what is given has the elements that it is taken for; there may be room for more. And whether entries of what is written lie
    /// over each other.
    #[cold]
    pub(super) fn compare_types(
        &self,
        effect: Effect,
        origin: &Origin,
        remote: &Remote,
    ) -> Result<()> {
        let near = (datatype::get(origin.datatype)?, origin.count as usize);
        let far = (datatype::get(remote.datatype)?, remote.count as usize);
        let ((given, count), (room, most)) = match effect {
            Effect::Read => (far, near),
            _ => (near, far),
        };
        let process = self.targets[remote.rank as usize].process();
        let in_job = || naming::in_job(remote.rank as usize, process);
        if effect != Effect::Read && far.0.overlaps(far.1)? {
            check::tell(Finding {
                kind: "overlapping target type",
                section: "MPI 4.1 §12.3",
                text: format!(
                    "{} at target rank {} of {}{} have a byte in several entries: what is written there may not be named twice",
                    far.0.described(far.1),
                    remote.rank,
                    self.window(),
                    in_job(),
                ),
            });
        }
        if effect == Effect::Read && near.0.overlaps(near.1)? {
            check::tell(Finding {
                kind: "overlapping receive type",
                section: "MPI 4.1 §12.3.3",
                text: format!(
                    "{} at the origin have a byte in several entries; data cannot be received into such a one",
                    near.0.described(near.1),
                ),
            });
        }
        let given = given.number(count);
        let taken = room.number_of_first(most, given.elements);
        if signature::fit(given.words(), taken.words()) {
            return Ok(());
        }
        check::tell(Finding {
            kind: "type mismatch",
            section: "MPI 4.1 §12.3",
            text: format!(
                "the origin names {}, but {} at target rank {} of {}{}: both must name the same types",
                near.0.described(near.1),
                far.0.described(far.1),
                remote.rank,
                self.window(),
                in_job(),
            ),
        });
        Ok(())
    }
}
