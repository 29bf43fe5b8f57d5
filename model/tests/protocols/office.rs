//! An office that two fill has one holder, whoever dies on the way.

use rmashm_model::actor::{Actors, Watched, act, explore};
use rmashm_model::shm::office::{Holder, Office, State};

const KEY: u64 = 1;

fn holder(number: usize) -> Holder {
    Holder {
        process: 70 + number as u32,
        born: 9,
    }
}

/// Gets the holder, as the library does: fills the office, where it is nobody else's turn. What it starts writes before it takes it.
fn find((actors, office, written): &(Actors, Office, [Watched; 2]), me: usize) -> Holder {
    loop {
        match office.state() {
            State::Held(found) => return found,
            seen @ State::Filling(_) => {
                actors.wait(me, || office.state() != seen);
            }
            seen => {
                if office.fill(seen, me as u32) {
                    written[me].write(5);
                    assert!(office.take(me as u32, holder(me)), "nobody else's turn");
                    actors.ring_key(KEY);
                }
            }
        }
    }
}

/// Two need the holder: both find the same, and see what it has done before.
#[test]
fn two_who_need_it() {
    explore("office, 2 who need it", 3, || {
        let written = [(); 2].map(|()| Watched::default());
        let stage = (Actors::new(2), Office::default(), written);
        act(stage, 2, |stage, me| {
            let found = find(stage, me);
            assert_eq!(stage.1.state(), State::Held(found), "there is no other");
            assert_eq!(stage.2[(found.process - 70) as usize].read(), 5);
        });
    });
}

/// The first has died when its turn is taken by another: what it has started may come late, and does not get the office then; or else
/// the other finds it there.
#[test]
fn one_dies() {
    explore("office, one dies", 3, || {
        let stage = (Actors::new(2), Office::default(), Watched::default());
        assert!(stage.1.fill(State::Vacant, 0));
        act(stage, 2, |(_, office, taken), me| match me {
            0 => {
                if office.take(0, holder(0)) {
                    taken.write(1);
                }
            }
            _ => {
                if office.fill(State::Filling(0), 1) {
                    assert!(office.take(1, holder(1)));
                    taken.write(2);
                } else {
                    assert_eq!(office.state(), State::Held(holder(0)));
                }
            }
        });
    });
}

/// Two find the holder gone: one of them says it, and a new one is not taken for the old one.
#[test]
fn the_holder_is_lost() {
    explore("office, lost", 3, || {
        let stage = (Actors::new(2), Office::default(), Watched::default());
        assert!(stage.1.fill(State::Vacant, 0) && stage.1.take(0, holder(0)));
        act(stage, 2, |(_, office, said), me| {
            if office.lose(holder(0)) {
                said.write(me as u32);
                assert!(office.fill(State::Lost(holder(0)), me as u32));
                assert!(office.take(me as u32, holder(1)));
            }
        });
    });
}
