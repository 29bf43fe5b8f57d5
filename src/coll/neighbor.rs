//! Neighbourhood collectives (MPI 4.1 §8.6-§8.8): every process exchanges blocks with its neighbours in a topology.

use super::elements::Vector;
use super::planner::Planner;
use crate::error::Result;

impl Planner {
    /// Receives a block from each neighbour and sends one to each. Of several to the same process the first sent is the
    /// first received.
    pub fn neighbors(
        &mut self,
        send: &[(usize, Vector)],
        receive: &[(usize, Vector)],
    ) -> Result<()> {
        for (from, block) in receive {
            self.receive(*from, block)?;
        }
        for (to, block) in send {
            self.send(*to, block)?;
        }
        Ok(())
    }
}
