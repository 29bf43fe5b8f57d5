//! Which of two ways is sooner, by trying.
//!
//! The time of the better one is kept as a mean; now and then some messages in a row go the other way, and that is the better one from then on if it
//! takes less than nine tenths of that. So what makes them differ may change: who wrote the memory last, which caches the cores share.

/// So many messages in a row try the other way, as a rule. All but a quarter count, the last ones, by their mean without the longest.
const TRIAL: u32 = 6;
/// Behind the first trial there are so many messages until the next one, then twice as many each time: at first neither way has met the pages, or
/// the lines, that it will have later. At last there are so many, and more where the other way was far behind.
const SOON: u32 = 8;
const AGAIN: u32 = 128;
const LATER: u32 = 1024;
/// The two ways: by what goes through shared memory, and by the kernel's copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    InParts,
    Fetched,
}

use Way::{Fetched, InParts};

/// What is known of messages of one sort.
#[derive(Clone, Copy)]
pub struct Trials {
    /// What a KiB takes by the way that was the better one, in ns; 0: nothing is known.
    cost: f32,
    better: Way,
    /// So many messages are a trial.
    trial: u32,
    /// Whether the other one is tried.
    is_trial: bool,
    /// Messages until that changes.
    rest: u32,
    /// How many follow the next trial, at most.
    pause: u32,
    /// Of the messages of this trial.
    sum: f32,
    longest: f32,
}

impl Trials {
    pub const NONE: Trials = Trials::of(TRIAL);

    /// Nothing is known, and trials have so many messages.
    pub const fn of(trial: u32) -> Trials {
        Trials {
            cost: 0.0,
            better: InParts,
            trial,
            is_trial: false,
            rest: trial,
            pause: SOON,
            sum: 0.0,
            longest: 0.0,
        }
    }

    /// Those that do not count: they find what the other way has left.
    fn first(&self) -> u32 {
        self.trial / 4
    }

    /// The way that the next message is to come.
    pub fn next(&self) -> Way {
        match (self.better, self.is_trial) {
            (InParts, false) | (Fetched, true) => InParts,
            _ => Fetched,
        }
    }

    /// A message has come so, and took so long for each KiB.
    pub fn came(&mut self, way: Way, cost: f32) {
        if way != self.next() {
            return;
        }
        self.rest = self.rest.saturating_sub(1);
        if self.is_trial || self.cost == 0.0 {
            if self.rest < self.trial - self.first() {
                self.sum += cost;
                self.longest = self.longest.max(cost);
            }
        } else {
            // What the system does between has no weight.
            self.cost += (cost.min(2.0 * self.cost) - self.cost) / 16.0;
        }
        if self.rest == 0 {
            self.change();
        }
    }

    /// How many messages are to come by the present way behind the next one.
    pub fn more(&self) -> u32 {
        self.rest.saturating_sub(1)
    }

    /// Ends a trial, or begins one.
    fn change(&mut self) {
        let mean = (self.sum - self.longest) / (self.trial - self.first() - 1) as f32;
        if !self.is_trial {
            if self.cost == 0.0 {
                self.cost = mean;
            }
            (self.is_trial, self.rest) = (true, self.trial);
            (self.sum, self.longest) = (0.0, 0.0);
            return;
        }
        let most = if mean > 1.4 * self.cost { LATER } else { AGAIN };
        if mean < 0.9 * self.cost {
            (self.better, self.cost) = (self.next(), mean);
        }
        (self.is_trial, self.rest) = (false, self.pause.min(most));
        self.pause = (2 * self.pause).min(LATER);
    }
}
