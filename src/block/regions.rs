//! The attached regions of a process in shared memory: a tree, sorted by address, for others to look addresses up in.
//!
//! A tree that was published never changes (it is *persistent*). The owner attaches and detaches by writing anew the nodes on
//! the way from the root to one leaf, a few times [`FANOUT`] entries, whatever the number of regions; the new root shares all
//! other nodes with the last tree, and one store of the version makes it the current one. So a reader never waits, also not for
//! an owner that was killed while it wrote.
//!
//! Nodes that a tree leaves behind are written to again, and so are the places of roots, but not before [`GRACE`] more trees
//! were published. A reader follows and returns only what it read while its tree was younger than that, and looks again with
//! the current one where it was slower.
//!
//! | version  | `roots[version % ROOTS]` | other places of roots            | nodes                                     |
//! |----------|--------------------------|----------------------------------|-------------------------------------------|
//! | 0        | 0: nothing is attached   | 0                                | none                                      |
//! | v        | the current tree's       | the last `GRACE` trees', the next | those trees' stay; all others are spare   |
//! | v to v+1 | the current tree's       | the next one's is written         | spare ones are written for the next tree  |
//!
//! **Orderings.** The owner, which alone writes: release fence, nodes and the root's place (relaxed), version + 1 (release). A
//! reader: version (acquire), root, then node by node; after each step an acquire fence, and the version once more. Only if
//! that has grown by [`GRACE`] at most is what was read followed or returned. A reader that has read a word written for a later
//! use sees, fence to fence, the version that this use comes after, which is larger by more than that. All words are atomics,
//! so a torn read is a wrong number, and is thrown away before it is followed. (Attach and detach take a microsecond with
//! 60,000 regions; a sorted list, copied whole, took 250.)

use super::{FANOUT, ROOTS};
use crate::shm::Offset;
use crate::shm::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::shm::atomic::{AtomicU64, fence};
use std::collections::VecDeque;

/// So many trees may be published while a reader is in one.
const GRACE: u64 = ROOTS as u64 - 2;
/// Where an entry that is not used begins: behind all others.
const NOWHERE: u64 = u64::MAX;

/// A region; in a node that is no leaf a child, with a length of 0, its place as the offset, and the first address below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub address: usize,
    /// Bytes.
    pub len: usize,
    /// Its offset in the job segment, or 0 if it is private memory.
    pub offset: Offset,
}

impl Region {
    fn child(place: Offset, address: usize) -> Region {
        Region {
            address,
            len: 0,
            offset: place,
        }
    }

    fn is_child(&self) -> bool {
        self.len == 0
    }
}

/// A node, in shared memory: the members of its entries side by side, as the addresses alone are searched. Any bytes make
/// one, and nobody looks at it before it was written.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Node {
    addresses: [AtomicU64; FANOUT],
    lens: [AtomicU64; FANOUT],
    offsets: [AtomicU64; FANOUT],
}

impl Node {
    /// The last entry that begins at `address` or before it.
    fn find(&self, address: usize) -> Option<Region> {
        let behind = self
            .addresses
            .partition_point(|a| a.load(Relaxed) <= address as u64);
        Some(self.entry(behind.checked_sub(1)?))
    }

    fn entry(&self, at: usize) -> Region {
        Region {
            address: self.addresses[at].load(Relaxed) as usize,
            len: self.lens[at].load(Relaxed) as usize,
            offset: self.offsets[at].load(Relaxed) as usize,
        }
    }

    /// All entries. For the owner.
    fn entries(&self) -> Vec<Region> {
        let used = self
            .addresses
            .partition_point(|a| a.load(Relaxed) != NOWHERE);
        (0..used).map(|at| self.entry(at)).collect()
    }

    fn write(&self, entries: &[Region]) {
        for (at, entry) in entries.iter().enumerate() {
            self.addresses[at].store(entry.address as u64, Relaxed);
            self.lens[at].store(entry.len as u64, Relaxed);
            self.offsets[at].store(entry.offset as u64, Relaxed);
        }
        for unused in &self.addresses[entries.len()..] {
            unused.store(NOWHERE, Relaxed);
        }
    }
}

/// Where the trees are. Zero is an empty one.
#[repr(C)]
#[derive(Default)]
pub struct Regions {
    version: AtomicU64,
    roots: [AtomicU64; ROOTS],
}

impl Regions {
    /// What changes with the tree. What was looked up between two equal versions belongs to them.
    #[inline(always)]
    pub fn version(&self) -> u64 {
        self.version.load(Acquire)
    }

    /// The region that contains `address`. `node` finds the node at a place.
    pub fn look_up<'a>(&self, address: usize, node: impl Fn(Offset) -> &'a Node) -> Option<Region> {
        // No region has that byte, and nodes have entries there that are none.
        if address == usize::MAX {
            return None;
        }
        'again: loop {
            let version = self.version();
            let mut place = self.root(version).load(Relaxed) as Offset;
            // What was read is followed only when it is known to be of that tree.
            if !self.is_kept(version) {
                continue;
            }
            while place != 0 {
                let found = node(place).find(address);
                if !self.is_kept(version) {
                    continue 'again;
                }
                match found {
                    Some(entry) if entry.is_child() => place = entry.offset,
                    found => return found.filter(|region| address - region.address < region.len),
                }
            }
            return None;
        }
    }

    /// Whether all that was read since `version` was seen belongs to its tree.
    fn is_kept(&self, version: u64) -> bool {
        // With the fence of `prepare`: a reader that has read a word of a later tree sees its predecessor's version at least.
        fence(Acquire);
        self.version.load(Relaxed).wrapping_sub(version) <= GRACE
    }

    fn root(&self, version: u64) -> &AtomicU64 {
        &self.roots[(version % ROOTS as u64) as usize]
    }

    /// Writes the next tree: with `region` in addition, which overlaps none, or takes the place of one or of its end, or without the one at `address`, which is
    /// there. Nobody finds it before [`Regions::publish`]. For the owner, one thread at a time, which has at least
    /// [`Books::wanted`] nodes to spare for an addition, and had them at the last one for the other.
    pub fn prepare<'a>(
        &self,
        books: &mut Books,
        change: Change,
        node: impl Fn(Offset) -> &'a Node,
    ) {
        books.reclaim();
        // A reader that sees what is written from here on, in nodes and places of trees long gone, sees this version too.
        fence(Release);
        let mut writer = Writer { books, node };
        writer.rebuild(change);
        self.root(books.next()).store(books.root as u64, Relaxed);
    }

    /// Makes what was prepared the current tree.
    pub fn publish(&self, books: &mut Books) {
        books.version = books.next();
        self.version.store(books.version, Release);
    }
}

/// What the next tree has that the last one had not, or has not that it had.
#[derive(Clone, Copy)]
pub enum Change {
    /// In the place of the one that begins there, if there is one.
    Add(Region),
    Remove {
        address: usize,
    },
}

impl Change {
    fn address(&self) -> usize {
        match self {
            Change::Add(region) => region.address,
            Change::Remove { address } => *address,
        }
    }
}

/// What the owner knows, privately.
#[derive(Default)]
pub struct Books {
    /// The current tree's version, and the root that was written last.
    version: u64,
    root: Offset,
    /// The places of nodes that no reader is in.
    free: Vec<Offset>,
    /// Those that a tree left behind, and the first tree without them.
    left: VecDeque<(u64, Offset)>,
}

impl Books {
    /// Adds a node that no tree ever had.
    pub fn add(&mut self, place: Offset) {
        self.free.push(place);
    }

    /// How many nodes the current tree does not have.
    pub fn spare(&self) -> usize {
        self.free.len() + self.left.len()
    }

    /// How many those must be before an addition, so that no later removal lacks one. A change writes and leaves behind
    /// three nodes a level at most, and a removal leaves behind at least as many as it writes.
    pub fn wanted<'a>(&self, node: impl Fn(Offset) -> &'a Node) -> usize {
        let mut levels = 1;
        let mut place = self.root;
        while place != 0 {
            let first = node(place).entry(0);
            place = if first.is_child() { first.offset } else { 0 };
            levels += 1;
        }
        // One level more, and one for the root.
        3 * (levels + 1) * (GRACE as usize + 2)
    }

    fn next(&self) -> u64 {
        self.version.wrapping_add(1)
    }

    /// Takes back what no reader may be in any more when the next tree is written.
    fn reclaim(&mut self) {
        let next = self.next();
        while let Some(&(without, place)) = self.left.front()
            && next.wrapping_sub(without) > GRACE
        {
            self.left.pop_front();
            self.free.push(place);
        }
    }
}

/// Writes the nodes of a tree.
struct Writer<'b, F> {
    books: &'b mut Books,
    node: F,
}

impl<'a, F: Fn(Offset) -> &'a Node> Writer<'_, F> {
    /// Makes the root that of the same tree with a change.
    fn rebuild(&mut self, change: Change) {
        let mut tops = match change {
            Change::Add(region) if self.books.root == 0 => self.write(&[region]),
            _ => self.change(self.books.root, change),
        };
        if tops.len() > 1 {
            tops = self.write(&tops);
        }
        let mut root = tops.first().map_or(0, |top| top.offset);
        // A root with one child is none.
        while root != 0
            && let [only] = (self.node)(root).entries()[..]
            && only.is_child()
        {
            self.leave(root);
            root = only.offset;
        }
        self.books.root = root;
    }

    /// What takes the place of the subtree at `place`: none, one or two.
    fn change(&mut self, place: Offset, change: Change) -> Vec<Region> {
        let mut entries = self.take(place);
        let behind = entries.partition_point(|entry| entry.address <= change.address());
        if entries.first().is_some_and(Region::is_child) {
            let at = behind.saturating_sub(1);
            let children = self.change(entries[at].offset, change);
            entries.splice(at..=at, children);
            if matches!(change, Change::Remove { .. }) {
                self.join(&mut entries, at);
            }
        } else {
            match change {
                Change::Add(region) => match entries.get_mut(behind.wrapping_sub(1)) {
                    Some(same) if same.address == region.address => *same = region,
                    _ => entries.insert(behind, region),
                },
                Change::Remove { .. } => drop(entries.remove(behind - 1)),
            }
        }
        self.write(&entries)
    }

    /// Makes one child of the one at `at` and a neighbour, if there is room.
    fn join(&mut self, children: &mut Vec<Region>, at: usize) {
        let Some(first) = children.len().checked_sub(2).map(|last| last.min(at)) else {
            return;
        };
        let entries: Vec<Region> = children[first..first + 2]
            .iter()
            .flat_map(|child| (self.node)(child.offset).entries())
            .collect();
        if entries.len() <= FANOUT {
            for child in children.splice(first..first + 2, self.write(&entries)) {
                self.leave(child.offset);
            }
        }
    }

    /// The entries of a node, which the tree leaves behind.
    fn take(&mut self, place: Offset) -> Vec<Region> {
        self.leave(place);
        (self.node)(place).entries()
    }

    fn leave(&mut self, place: Offset) {
        self.books.left.push_back((self.books.next(), place));
    }

    /// Writes entries to as many nodes as they need, and gives these as entries.
    fn write(&mut self, entries: &[Region]) -> Vec<Region> {
        let nodes = entries.len().div_ceil(FANOUT).max(1);
        let each = entries.len().div_ceil(nodes).max(1);
        let write = |part: &[Region]| {
            let place = self.books.free.pop().expect("nodes were put by");
            (self.node)(place).write(part);
            Region::child(place, part[0].address)
        };
        entries.chunks(each).map(write).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A process's tree in memory of its own; the place of a node is its number, from 1.
    struct Tree {
        regions: Regions,
        books: Books,
        nodes: Vec<Node>,
    }

    impl Tree {
        fn new() -> Tree {
            Tree {
                regions: Regions::default(),
                books: Books::default(),
                nodes: Vec::new(),
            }
        }

        fn prepare(&mut self, change: Change) {
            let node = |place: Offset| &self.nodes[place - 1];
            if let Change::Add(_) = change {
                let missing = self.books.wanted(node).saturating_sub(self.books.spare());
                for _ in 0..missing {
                    self.nodes.push(Node::default());
                    self.books.add(self.nodes.len());
                }
            }
            let node = |place: Offset| &self.nodes[place - 1];
            self.regions.prepare(&mut self.books, change, node);
        }

        fn change(&mut self, change: Change) {
            self.prepare(change);
            self.regions.publish(&mut self.books);
        }

        fn look_up(&self, address: usize) -> Option<Region> {
            self.regions
                .look_up(address, |place| &self.nodes[place - 1])
        }
    }

    fn region(address: usize) -> Region {
        Region {
            address,
            len: 10,
            offset: address % 3,
        }
    }

    /// An owner that is killed while it writes a tree leaves the last one it published.
    #[test]
    fn a_tree_half_written_keeps_nobody_waiting() {
        let mut tree = Tree::new();
        for last in (100..100_000).step_by(100) {
            tree.prepare(Change::Add(region(last)));
            assert_eq!(tree.look_up(last), None, "not published yet");
            tree.regions.publish(&mut tree.books);
            assert_eq!(tree.look_up(last + 9), Some(region(last)));
            assert_eq!(tree.look_up(last + 10), None);
            assert_eq!(tree.look_up(100), Some(region(100)));
        }
        tree.prepare(Change::Remove { address: 100 });
        assert_eq!(tree.look_up(100), Some(region(100)));
        tree.regions.publish(&mut tree.books);
        assert_eq!(tree.look_up(100), None);
        assert_eq!(tree.look_up(usize::MAX), None);
    }

    /// Many changes in no order, against a map; and what they cost.
    #[test]
    fn what_is_there_is_found_and_nothing_else() {
        let mut tree = Tree::new();
        let mut map = BTreeMap::new();
        let mut x = 88_172_645_463_325_252_u64;
        // Grows to some thousands, shrinks to none, and so once more.
        for step in 0..40_000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let address = (x % 10_000) as usize * 16;
            let growing = step % 20_000 < 8000;
            if !growing || map.contains_key(&address) {
                let Some((&address, _)) = map.range(address..).next().or(map.iter().next()) else {
                    continue;
                };
                map.remove(&address);
                tree.change(Change::Remove { address });
            } else {
                map.insert(address, region(address));
                tree.change(Change::Add(region(address)));
            }
            let at = (x >> 20) as usize % 160_000;
            let wanted = map.range(..=at).next_back().map(|(_, &region)| region);
            let wanted = wanted.filter(|region| at - region.address < region.len);
            assert_eq!(tree.look_up(at), wanted);
        }
        assert!(map.is_empty());
        let all = tree.nodes.len();
        assert!(all < 6000, "{all} nodes for 5000 regions at most");
        assert_eq!(tree.books.spare(), all, "none is lost");
        assert_eq!(tree.books.root, 0);
    }
}
