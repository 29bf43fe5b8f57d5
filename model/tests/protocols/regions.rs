//! The list of attached regions: a reader finds what was attached at one time, never a mixture.

use rmashm_model::actor::{act, explore};
use rmashm_model::win::regions::{Entry, Region, Regions};

/// Where two lists lie, and what was published in them, in that order.
const SHORT: usize = 64;
const LONG: usize = 128;

fn region(address: usize) -> Region {
    Region {
        address,
        len: address + 1,
        offset: address + 2,
    }
}

#[derive(Default)]
struct Window {
    regions: Regions,
    short: [Entry; 1],
    long: [Entry; 2],
}

impl Window {
    fn publish(&self, place: usize, addresses: &[usize]) {
        let regions: Vec<_> = addresses.iter().map(|&a| region(a)).collect();
        let list: &[Entry] = match place {
            SHORT => &self.short,
            _ => &self.long,
        };
        self.regions.publish(place, list, &regions);
    }

    /// Looks 250 up, which every region from 125 on contains.
    fn look_up(&self) -> Option<usize> {
        let list = |place: usize, count: usize| -> &[Entry] {
            // Fails where place and length do not belong together.
            match place {
                SHORT => &self.short[..count],
                LONG => &self.long[..count],
                _ => panic!("no list was ever at {place}"),
            }
        };
        let found = self.regions.look_up(250, list)?;
        assert_eq!(found, region(found.address), "torn");
        Some(found.address)
    }
}

#[test]
fn a_list_that_changes() {
    explore("regions, 1 reader, a list that changes", 3, || {
        let window = Window::default();
        window.publish(SHORT, &[200]);
        act(window, 2, |window, me| {
            if me == 0 {
                window.publish(SHORT, &[]);
                window.publish(SHORT, &[220]);
            } else {
                assert!(matches!(window.look_up(), None | Some(200 | 220)));
            }
        });
    });
}

#[test]
fn a_list_that_moves() {
    explore(
        "regions, 1 reader, a list that moves and shrinks",
        2,
        || {
            let window = Window::default();
            window.publish(SHORT, &[200]);
            act(window, 2, |window, me| {
                if me == 0 {
                    window.publish(LONG, &[200, 240]);
                    window.publish(LONG, &[240]);
                } else {
                    assert!(matches!(window.look_up(), Some(200 | 240)));
                }
            });
        },
    );
}

#[test]
fn two_readers() {
    explore("regions, 2 readers", 2, || {
        let window = Window::default();
        window.publish(SHORT, &[200]);
        act(window, 3, |window, me| {
            if me == 0 {
                window.publish(LONG, &[200, 240]);
            } else {
                assert!(matches!(window.look_up(), Some(200 | 240)));
            }
        });
    });
}
