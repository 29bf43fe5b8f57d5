//! The list of attached regions: a reader finds what was attached at one time, never a mixture.

use rmashm_model::actor::{act, explore};
use rmashm_model::win::regions::{Entry, Region, Regions};

/// Where the lists lie: each slot has a short one, and one of them a long one later.
const SHORT: [usize; 2] = [64, 128];
const LONG: usize = 192;

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
    short: [[Entry; 1]; 2],
    long: [Entry; 2],
}

impl Window {
    fn write(&self, addresses: &[usize]) {
        let regions: Vec<_> = addresses.iter().map(|&a| region(a)).collect();
        let slot = self.regions.next();
        if addresses.len() > 1 {
            self.regions.write(LONG, &self.long, &regions);
        } else {
            self.regions.write(SHORT[slot], &self.short[slot], &regions);
        }
    }

    fn publish(&self, addresses: &[usize]) {
        self.write(addresses);
        self.regions.publish();
    }

    /// Looks 250 up, which every region from 125 on contains.
    fn look_up(&self) -> Option<usize> {
        let list = |place: usize, count: usize| -> &[Entry] {
            // Fails where place and length do not belong together.
            match SHORT.iter().position(|&short| short == place) {
                Some(slot) => &self.short[slot][..count],
                None if place == LONG => &self.long[..count],
                None => panic!("no list was ever at {place}"),
            }
        };
        let found = self.regions.look_up(250, list)?;
        assert_eq!(found, region(found.address), "torn");
        Some(found.address)
    }
}

/// The reader's slot is written to again while it reads.
#[test]
fn a_list_that_changes() {
    explore("regions, 1 reader, a list that changes", 3, || {
        let window = Window::default();
        window.publish(&[200]);
        act(window, 2, |window, me| {
            if me == 0 {
                window.publish(&[]);
                window.publish(&[220]);
            } else {
                assert!(matches!(window.look_up(), None | Some(200 | 220)));
            }
        });
    });
}

#[test]
fn a_list_that_moves() {
    explore("regions, 1 reader, a list that moves", 2, || {
        let window = Window::default();
        window.publish(&[200]);
        act(window, 2, |window, me| {
            if me == 0 {
                window.publish(&[230]);
                window.publish(&[200, 240]);
            } else {
                assert!(matches!(window.look_up(), Some(200 | 230 | 240)));
            }
        });
    });
}

/// The owner is killed before it publishes: readers find what was published last, and end.
#[test]
fn an_owner_that_dies() {
    explore("regions, 1 reader, an owner that dies", 3, || {
        let window = Window::default();
        window.publish(&[200]);
        act(window, 2, |window, me| {
            if me == 0 {
                window.publish(&[220]);
                window.write(&[240]);
            } else {
                assert!(matches!(window.look_up(), Some(200 | 220)));
                assert!(matches!(window.look_up(), Some(200 | 220)));
            }
        });
    });
}

#[test]
fn two_readers() {
    explore("regions, 2 readers", 2, || {
        let window = Window::default();
        window.publish(&[200]);
        act(window, 3, |window, me| {
            if me == 0 {
                window.publish(&[200, 240]);
            } else {
                assert!(matches!(window.look_up(), Some(200 | 240)));
            }
        });
    });
}
