//! Memory that another process writes to, and its owner takes back: they never touch it at the same time.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::claim::Claim;

struct Stage {
    actors: Actors,
    claim: Claim,
    memory: Watched,
}

const WRITER: usize = 0;
const OWNER: usize = 1;

fn stage() -> Stage {
    Stage {
        actors: Actors::new(2),
        claim: Claim::default(),
        memory: Watched::default(),
    }
}

impl Stage {
    /// Whether the writer has written.
    fn write(&self) -> bool {
        let begun = self.claim.begin();
        if begun {
            self.memory.write(1);
            self.claim.end();
            self.actors.ring(OWNER);
        }
        begun
    }

    /// Takes the memory back, and uses it: what was there.
    fn take_back(&self) -> u32 {
        self.actors.wait(OWNER, || self.claim.close());
        let found = self.memory.read();
        self.memory.write(2);
        found
    }
}

/// Whichever is first: what was written is whole, or is never written.
#[test]
fn written_or_taken_back() {
    explore("claim, written or taken back", 3, || {
        act(stage(), 2, |stage, me| match me {
            WRITER => {
                stage.write();
            }
            _ => assert!(stage.take_back() < 2),
        });
    });
}

/// Who takes it back before the writer comes keeps it; who does so when it has written finds what was written.
#[test]
fn before_and_after() {
    explore("claim, before and after", 3, || {
        let stage = stage();
        assert_eq!(stage.take_back(), 0);
        assert!(!stage.write());
        assert_eq!(stage.memory.read(), 2);
    });
    explore("claim, after", 3, || {
        let stage = stage();
        assert!(stage.write());
        assert_eq!(stage.take_back(), 1);
    });
}
