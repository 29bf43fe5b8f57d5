//! The tree of attached regions: a reader finds what was attached at one time, never a mixture.
//!
//! Nodes have two entries here, and are used again when one more tree was published (see the model's `lib.rs`). The owner is
//! the last actor, and runs first: loom remembers one access to each word, and the owner, which reads its own nodes before it
//! leaves them, would make it forget a reader's that came before.

use rmashm_model::actor::{act, explore};
use rmashm_model::block::regions::{Books, Change, Node, Region, Regions};
use std::sync::Mutex;

fn region(address: usize) -> Region {
    Region {
        address,
        len: address + 1,
        offset: address + 2,
    }
}

struct Window {
    regions: Regions,
    /// The place of a node is its number, from 1.
    nodes: Vec<Node>,
    /// The owner's own.
    books: Mutex<Books>,
}

impl Window {
    /// With so few nodes that they are used again as soon as they may be.
    fn new(nodes: usize) -> Window {
        let mut books = Books::default();
        (1..=nodes).rev().for_each(|place| books.add(place));
        Window {
            regions: Regions::default(),
            nodes: (0..nodes).map(|_| Node::default()).collect(),
            books: Mutex::new(books),
        }
    }

    fn node(&self, place: usize) -> &Node {
        self.nodes
            .get(place.wrapping_sub(1))
            .unwrap_or_else(|| panic!("no node is at {place}"))
    }

    fn prepare(&self, change: Change) {
        let mut books = self.books.lock().unwrap();
        self.regions
            .prepare(&mut books, change, |place| self.node(place));
    }

    fn add(&self, address: usize) {
        self.prepare(Change::Add(region(address)));
        self.publish();
    }

    fn remove(&self, address: usize) {
        self.prepare(Change::Remove { address });
        self.publish();
    }

    fn publish(&self) {
        self.regions.publish(&mut self.books.lock().unwrap());
    }

    /// Looks 250 up, which every region from 125 on contains: the one that begins last, up to there, is found.
    fn look_up(&self) -> Option<usize> {
        let found = self.regions.look_up(250, |place| self.node(place))?;
        assert_eq!(found, region(found.address), "torn");
        Some(found.address)
    }
}

/// The reader's leaf is written to again while it reads, and so is the place of its root.
#[test]
fn a_leaf_that_is_used_again() {
    explore("regions, 1 reader, a leaf that is used again", 3, || {
        let window = Window::new(3);
        window.add(200);
        act(window, 2, |window, me| {
            if me == 1 {
                window.add(240);
                window.remove(200);
                window.add(220);
            } else {
                assert!(matches!(window.look_up(), Some(200 | 240)));
            }
        });
    });
}

/// What was a leaf becomes the root of two, and the other way round.
#[test]
fn a_tree_that_grows_and_shrinks() {
    explore(
        "regions, 1 reader, a tree that grows and shrinks",
        2,
        || {
            let window = Window::new(7);
            window.add(200);
            window.add(300);
            act(window, 2, |window, me| {
                if me == 1 {
                    window.add(240);
                    window.remove(300);
                    window.remove(200);
                } else {
                    assert!(matches!(window.look_up(), Some(200 | 240)));
                }
            });
        },
    );
}

/// The owner is killed before it publishes: readers find what was published last, and end.
#[test]
fn an_owner_that_dies() {
    explore("regions, 1 reader, an owner that dies", 3, || {
        let window = Window::new(6);
        window.add(200);
        act(window, 2, |window, me| {
            if me == 1 {
                window.add(220);
                window.prepare(Change::Add(region(240)));
            } else {
                assert!(matches!(window.look_up(), Some(200 | 220)));
                assert!(matches!(window.look_up(), Some(200 | 220)));
            }
        });
    });
}

/// The same, where the next tree is empty: its root, which is none, is not believed in the place of the reader's.
#[test]
fn an_owner_that_dies_at_the_last() {
    explore("regions, an owner that dies at the last", 3, || {
        let window = Window::new(3);
        window.add(200);
        act(window, 2, |window, me| {
            if me == 1 {
                window.add(240);
                window.remove(200);
                window.prepare(Change::Remove { address: 240 });
            } else {
                assert!(matches!(window.look_up(), Some(200 | 240)));
            }
        });
    });
}

/// All of it goes away.
#[test]
fn two_readers() {
    explore("regions, 2 readers", 2, || {
        let window = Window::new(4);
        window.add(200);
        act(window, 3, |window, me| {
            if me == 2 {
                window.remove(200);
                window.add(240);
            } else {
                assert!(matches!(window.look_up(), None | Some(200 | 240)));
            }
        });
    });
}
