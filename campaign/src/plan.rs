//! What happens in a round, told by the seed and the round's number alone.

use programs::Interface;
use std::time::Duration;

/// What a program is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// Random steps.
    Steps,
    /// The same, with processes that are started and end meanwhile.
    Spawns,
    /// Two threads of each rank, with such a program each.
    Threads,
    /// Those that live go on after deaths.
    Recovery,
}

impl Work {
    pub const ALL: [Work; 4] = [Work::Steps, Work::Spawns, Work::Threads, Work::Recovery];

    /// As the worker wants it.
    pub fn name(self) -> &'static str {
        match self {
            Work::Steps => "steps",
            Work::Spawns => "spawns",
            Work::Threads => "threads",
            Work::Recovery => "recovery",
        }
    }
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Nothing goes wrong.
    None,
    /// A rank is killed.
    Kill,
    /// The launcher is killed.
    Launcher,
    /// The launcher is asked to end.
    Terminate,
    /// Ranks are stopped for a while.
    Stop,
    /// Signals with handlers, from outside and from a timer.
    Signals,
    /// The ranks may have few descriptors.
    Descriptors,
    /// The ranks have little address space.
    Memory,
    /// A rank leaves early.
    Leave,
    /// System calls are interrupted, or do a part of what was asked.
    Interrupted,
    /// System calls find no memory, no descriptor, no space.
    Scarce,
    /// The kernel is without what not every kernel offers.
    Forbidden,
}

impl Kind {
    /// All, and how often each comes up.
    pub const ALL: [(Kind, u64); 12] = [
        (Kind::None, 3),
        (Kind::Kill, 6),
        (Kind::Launcher, 2),
        (Kind::Terminate, 1),
        (Kind::Stop, 2),
        (Kind::Signals, 2),
        (Kind::Descriptors, 1),
        (Kind::Memory, 2),
        (Kind::Leave, 2),
        (Kind::Interrupted, 3),
        (Kind::Scarce, 5),
        (Kind::Forbidden, 2),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::None => "none",
            Kind::Kill => "kill",
            Kind::Launcher => "launcher",
            Kind::Terminate => "terminate",
            Kind::Stop => "stop",
            Kind::Signals => "signals",
            Kind::Descriptors => "descriptors",
            Kind::Memory => "memory",
            Kind::Leave => "leave",
            Kind::Interrupted => "interrupted",
            Kind::Scarce => "scarce",
            Kind::Forbidden => "forbidden",
        }
    }
}

/// How a rank leaves early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    Exit,
    Abort,
    Raise,
}

impl Leave {
    /// As the worker wants it.
    pub fn name(self) -> &'static str {
        match self {
            Leave::Exit => "exit",
            Leave::Abort => "abort",
            Leave::Raise => "raise",
        }
    }

    pub fn status(self) -> i32 {
        match self {
            Leave::Exit => 5,
            Leave::Abort => 6,
            Leave::Raise => 128 + 11,
        }
    }
}

/// What is injected: bits as in `injector.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    pub kinds: u64,
    pub per_million: u64,
    pub least: u64,
}

pub const INTERRUPTED: u64 = 1;
pub const SHORT: u64 = 2;
pub const MEMORY: u64 = 4;
pub const DESCRIPTORS: u64 = 8;
pub const SPACE: u64 = 16;
pub const FORBIDDEN: u64 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// So many processes, one after the other.
    Kill {
        seed: u64,
        victims: u64,
        after: Duration,
    },
    Launcher {
        after: Duration,
    },
    Terminate {
        after: Duration,
    },
    Stop {
        seed: u64,
        times: u64,
    },
    Signals {
        seed: u64,
        times: u64,
        timer: Duration,
    },
    Descriptors {
        most: u64,
    },
    Memory {
        kib: u64,
    },
    Leave {
        how: Leave,
        step: u64,
    },
    Injected(Injection),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub work: Work,
    pub interface: Interface,
    pub kind: Kind,
    pub fault: Fault,
    pub ranks: u64,
    pub steps: u64,
    /// The worker's.
    pub seed: u64,
    /// Errors end the job, else they are returned.
    pub fatal: bool,
    /// The launcher leaves the survivors of a death alone.
    pub recovers: bool,
}

/// Random numbers of a seed (splitmix).
pub struct Random(pub u64);

impl Random {
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }

    /// One of some things, of which each has a weight.
    fn weighed<T: Copy>(&mut self, all: &[(T, u64)]) -> T {
        let mut drawn = self.below(all.iter().map(|(_, weight)| weight).sum());
        let mut chosen = all[0].0;
        for &(it, weight) in all {
            chosen = it;
            match drawn.checked_sub(weight) {
                Some(left) => drawn = left,
                None => break,
            }
        }
        chosen
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    pub fn milliseconds(&mut self, bound: u64) -> Duration {
        Duration::from_micros(self.below(bound * 1000))
    }
}

impl Plan {
    pub fn new(seed: u64, round: u64) -> Plan {
        let mut random = Random(seed ^ round.wrapping_mul(0xd6e8_feb8_6659_fd93));
        let kind = random.weighed(&Kind::ALL);
        let work = draw_work(&mut random, kind);
        let interface = draw_interface(&mut random, work);
        let ranks = random.one_of(&[2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 11, 16]);
        // Many ranks take long where there are few cores.
        let most_steps = (300 / ranks).max(20);
        let mut steps = 5 + random.below(most_steps);
        let worker = random.draw() >> 1;
        let fatal = random.below(3) == 0 && work != Work::Recovery;
        let recovers = random.below(2) == 0 || work == Work::Recovery;
        let fault = draw_fault(&mut random, kind, work, ranks, steps);
        if matches!(kind, Kind::Kill | Kind::Launcher | Kind::Terminate) {
            // The fault comes before the end, mostly.
            steps += 300;
        }
        Plan {
            work,
            interface,
            kind,
            fault,
            ranks,
            steps,
            seed: worker,
            fatal,
            recovers,
        }
    }
}

fn draw_work(random: &mut Random, kind: Kind) -> Work {
    let recovery = match kind {
        Kind::Kill => 4,
        Kind::None | Kind::Leave => 2,
        _ => 0,
    };
    random.weighed(&[
        (Work::Steps, 4),
        (Work::Spawns, 2),
        (Work::Threads, 2),
        (Work::Recovery, recovery),
    ])
}

fn draw_interface(random: &mut Random, work: Work) -> Interface {
    // Without names for it nobody recovers.
    let standard = match work {
        Work::Recovery => 0,
        _ => 2,
    };
    random.weighed(&[
        (Interface::Mpich, 6),
        (Interface::Openmpi, 2),
        (Interface::Standard, standard),
    ])
}

fn draw_fault(random: &mut Random, kind: Kind, work: Work, ranks: u64, steps: u64) -> Fault {
    // More ranks take longer to start, and longer for everything.
    let time = 60 + 40 * ranks;
    match kind {
        Kind::None => Fault::None,
        Kind::Kill => Fault::Kill {
            seed: random.draw(),
            victims: match work {
                Work::Recovery => 1 + random.below(ranks - 1),
                _ => 1,
            },
            after: match work {
                // From where all are in MPI.
                Work::Recovery => random.milliseconds(20 + 10 * ranks),
                _ => random.milliseconds(time),
            },
        },
        Kind::Launcher => Fault::Launcher {
            after: random.milliseconds(time),
        },
        Kind::Terminate => Fault::Terminate {
            after: random.milliseconds(time),
        },
        Kind::Stop => Fault::Stop {
            seed: random.draw(),
            times: 1 + random.below(5),
        },
        Kind::Signals => Fault::Signals {
            seed: random.draw(),
            times: 1 + random.below(30),
            timer: Duration::from_micros(random.one_of(&[0, 100, 300, 1000, 5000])),
        },
        Kind::Descriptors => Fault::Descriptors {
            most: 4 + random.below(12),
        },
        Kind::Memory => Fault::Memory {
            kib: (20 << random.below(7)) * 1024 + random.below(1 << 14),
        },
        Kind::Leave => Fault::Leave {
            // There is nothing to go on with after an abort.
            how: match work {
                Work::Recovery => random.one_of(&[Leave::Exit, Leave::Raise]),
                _ => random.one_of(&[Leave::Exit, Leave::Abort, Leave::Raise]),
            },
            step: random.below(steps),
        },
        Kind::Interrupted => Fault::Injected(Injection {
            kinds: random.one_of(&[INTERRUPTED, SHORT, INTERRUPTED | SHORT]),
            per_million: random.one_of(&[1000, 30_000, 300_000]),
            least: 0,
        }),
        Kind::Scarce => Fault::Injected(Injection {
            kinds: random.one_of(&[
                MEMORY,
                MEMORY,
                DESCRIPTORS,
                SPACE,
                MEMORY | DESCRIPTORS | SPACE,
            ]),
            per_million: random.one_of(&[1000, 10_000, 100_000]),
            least: LEAST,
        }),
        Kind::Forbidden => Fault::Injected(Injection {
            kinds: FORBIDDEN,
            per_million: 0,
            least: 0,
        }),
    }
}

/// Memory of fewer bytes is always there: the library has a reserve for what takes no more (`src/reserve.rs`).
const LEAST: u64 = (16 << 10) + 1;

#[cfg(test)]
mod tests {
    use super::{Interface, Kind, Plan, Work};
    use std::collections::BTreeSet;

    #[test]
    fn a_round_is_told_by_its_number() {
        for round in 0..100 {
            assert_eq!(Plan::new(7, round), Plan::new(7, round));
        }
        assert_ne!(Plan::new(7, 0), Plan::new(7, 1));
        assert_ne!(Plan::new(7, 0), Plan::new(8, 0));
    }

    #[test]
    fn everything_comes_up() {
        let plans: Vec<Plan> = (0..1000).map(|round| Plan::new(1, round)).collect();
        let faults: BTreeSet<Kind> = plans.iter().map(|plan| plan.kind).collect();
        assert_eq!(faults.len(), Kind::ALL.len());
        let works: BTreeSet<Work> = plans.iter().map(|plan| plan.work).collect();
        assert_eq!(works.len(), Work::ALL.len());
        for interface in Interface::ALL {
            assert!(plans.iter().any(|plan| plan.interface == interface));
        }
    }

    #[test]
    fn those_that_recover_return_errors_and_somebody_is_left() {
        for plan in (0..1000).map(|round| Plan::new(3, round)) {
            if plan.work == Work::Recovery {
                assert!(!plan.fatal && plan.recovers);
                assert_ne!(plan.interface, Interface::Standard);
                assert!(
                    !matches!(plan.fault, super::Fault::Kill { victims, .. } if victims >= plan.ranks)
                );
            }
        }
    }
}
