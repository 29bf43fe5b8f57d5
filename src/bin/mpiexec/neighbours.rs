//! Processes of the job that other launchers have started. They are theirs: here it is only seen to what the death of one means for those
//! of ours that are connected with it.

use crate::supervise::{Phase, SHORT_GRACE, Supervisor};

impl Supervisor<'_> {
    /// Has a process of another launcher died, or is one about to? Then ours that are connected with it are ended as if it were ours.
    pub fn look_for_news(&mut self) {
        let tidings = self.job.segment.tidings();
        for news in self.job.segment.news() {
            let rank = news.rank;
            let is_new = self.heard.insert((rank, news.generation));
            let connected = match is_new && self.phase == Phase::Running {
                true => self.job.segment.connected(rank),
                false => Vec::new(),
            };
            let is_ours = |&rank: &u32| self.lives(rank) && !self.is_ending(rank);
            let ours: Vec<u32> = connected.iter().copied().filter(is_ours).collect();
            if !ours.is_empty() && !self.request.no_cleanup && !self.one_survives(&connected) {
                let how = match news.is_lost {
                    true => "is gone with it",
                    false => "has died or was ended",
                };
                let text = format!(
                    "rank {rank} of the job, which another mpiexec (pid {}) has started, {how}: ending those that are connected \
                     with it",
                    news.launcher
                );
                self.job.output.say(&text);
                self.say_waiting(&ours);
                self.end_part(&ours, news.status.max(1), SHORT_GRACE);
            }
            // Those whom another tells of it hear that first.
            let status = news.status.max(1);
            if news.is_lost && (self.job.segment.tell(rank, status, true) || !is_new) {
                self.job.segment.settle_lost(rank);
            }
        }
        self.job.segment.hear(tidings);
    }
}
