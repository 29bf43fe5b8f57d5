//! Groups: ordered sets of the job's processes.

use std::sync::Arc;

/// An ordered set of processes, each named by its rank in the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Ranks in the job, in the order of ranks in the group.
    pub members: Arc<[u32]>,
    /// The caller's rank in the group.
    pub rank: Option<usize>,
}

impl Group {
    /// The group of these processes, seen from the process with rank `me` in the job.
    pub fn new(members: impl Into<Arc<[u32]>>, me: u32) -> Group {
        let members = members.into();
        let rank = members.iter().position(|&m| m == me);
        Group { members, rank }
    }

    pub fn size(&self) -> usize {
        self.members.len()
    }
}
