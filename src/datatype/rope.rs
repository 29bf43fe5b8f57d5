//! Sequences of pieces as trees, which share what does not change: a datatype made of another one and a little more costs a
//! little, not a copy of the other, and a nest of any number of datatypes is a tree whose depth is a logarithm.
//!
//! All leaves of a tree are equally deep. Two trees are joined at the border between them: the lower one goes down the edge of
//! the higher one, to the nodes of its own height. A node that has [`FULL`] pieces or more stays as it is, so that one with a
//! million is not copied to get one more. The nodes that are made new are those of one edge.

use std::cmp::Ordering;

/// Pieces to which a node grows by joining. More come from one constructor's call.
const FULL: usize = 8;

/// A piece of a sequence: a leaf, or a node of other pieces.
pub(super) trait Piece: Clone {
    /// 0 for a leaf, else one more than that of the node's pieces.
    fn height(&self) -> u32;

    /// How many pieces the node has.
    fn count(&self) -> usize;

    /// The pieces of the node, in order.
    fn pieces(&self) -> Vec<Self>;

    /// The node of pieces of the same height.
    fn node(pieces: Vec<Self>) -> Self;

    /// Two leaves as one, if they are no more than that.
    fn melt(&self, next: &Self) -> Option<Self>;
}

/// Pieces one after the other, with neighbouring leaves melted together where that can be.
pub(super) fn melted<P: Piece>(pieces: impl Iterator<Item = P>) -> Vec<P> {
    let mut list: Vec<P> = Vec::new();
    for next in pieces {
        let one = list.last().and_then(|last| last.melt(&next));
        match (one, list.last_mut()) {
            (Some(one), Some(last)) => *last = one,
            _ => list.push(next),
        }
    }
    list
}

/// The tree of one or more pieces.
pub(super) fn sequence<P: Piece>(pieces: Vec<P>) -> P {
    let mut groups: Vec<P> = pieces
        .chunk_by(|a, b| a.height() == b.height())
        .map(|group| match group {
            [alone] => alone.clone(),
            _ => P::node(group.to_vec()),
        })
        .collect();
    // Neighbours first: the trees that are joined are then of about the same height.
    while groups.len() > 1 {
        groups = groups
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => join(a, b),
                _ => pair[0].clone(),
            })
            .collect();
    }
    groups.remove(0)
}

fn join<P: Piece>(a: &P, b: &P) -> P {
    let mut joined = side_by_side(a, b);
    match joined.len() {
        1 => joined.remove(0),
        _ => P::node(joined),
    }
}

/// `a` and then `b` as one or two pieces of the height of the higher one.
fn side_by_side<P: Piece>(a: &P, b: &P) -> Vec<P> {
    match a.height().cmp(&b.height()) {
        Ordering::Equal if a.height() == 0 => match a.melt(b) {
            Some(one) => vec![one],
            None => vec![a.clone(), b.clone()],
        },
        Ordering::Equal if a.count() + b.count() <= FULL => {
            vec![P::node([a.pieces(), b.pieces()].concat())]
        }
        Ordering::Equal => vec![a.clone(), b.clone()],
        Ordering::Greater if a.count() >= FULL => vec![a.clone(), lifted(b, a.height())],
        Ordering::Greater => {
            let mut pieces = a.pieces();
            let last = pieces.pop().expect("a node has pieces");
            pieces.extend(side_by_side(&last, b));
            vec![P::node(pieces)]
        }
        Ordering::Less if b.count() >= FULL => vec![lifted(a, b.height()), b.clone()],
        Ordering::Less => {
            let pieces = b.pieces();
            let mut joined = side_by_side(a, &pieces[0]);
            joined.extend_from_slice(&pieces[1..]);
            vec![P::node(joined)]
        }
    }
}

/// Nodes of one piece around it, up to a height.
fn lifted<P: Piece>(piece: &P, height: u32) -> P {
    let mut piece = piece.clone();
    while piece.height() < height {
        piece = P::node(vec![piece]);
    }
    piece
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Numbers; two equal ones that are odd melt.
    #[derive(Clone, Debug)]
    enum Tree {
        Leaf(u32),
        Node(u32, Arc<[Tree]>),
    }

    impl Piece for Tree {
        fn height(&self) -> u32 {
            match self {
                Tree::Leaf(_) => 0,
                Tree::Node(height, _) => *height,
            }
        }

        fn count(&self) -> usize {
            self.pieces().len()
        }

        fn pieces(&self) -> Vec<Tree> {
            match self {
                Tree::Leaf(_) => Vec::new(),
                Tree::Node(_, pieces) => pieces.to_vec(),
            }
        }

        fn node(pieces: Vec<Tree>) -> Tree {
            let height = pieces[0].height();
            assert!(pieces.iter().all(|piece| piece.height() == height));
            Tree::Node(height + 1, pieces.into())
        }

        fn melt(&self, next: &Tree) -> Option<Tree> {
            match (self, next) {
                (Tree::Leaf(a), Tree::Leaf(b)) if a == b && a % 2 == 1 => Some(self.clone()),
                _ => None,
            }
        }
    }

    fn leaves(tree: &Tree) -> Vec<u32> {
        match tree {
            Tree::Leaf(number) => vec![*number],
            Tree::Node(_, pieces) => pieces.iter().flat_map(leaves).collect(),
        }
    }

    #[test]
    fn the_order_stays_and_the_depth_is_a_logarithm() {
        let mut state = 7u64;
        for grow in 0..4 {
            let (mut tree, mut wanted) = (Tree::Leaf(0), vec![0]);
            for i in 0..4000 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                let many = (state >> 60) as u32;
                let other: Vec<u32> = match grow {
                    0 | 1 => vec![2 * i],
                    2 if many > 0 => vec![2 * i; many as usize],
                    _ => vec![2 * i, 2],
                };
                let next = sequence(other.iter().map(|&n| Tree::Leaf(n)).collect());
                if grow == 1 || (grow == 3 && many.is_multiple_of(2)) {
                    tree = sequence(vec![next, tree]);
                    wanted.splice(0..0, other);
                } else {
                    tree = sequence(vec![tree, next]);
                    wanted.extend(other);
                }
            }
            assert_eq!(leaves(&tree), wanted);
            assert!(tree.height() <= 12, "{grow}: {}", tree.height());
        }
    }

    #[test]
    fn neighbours_melt_also_at_borders() {
        let leaf = |n: &u32| Tree::Leaf(*n);
        let list = melted([2, 3, 3, 3, 4, 4].iter().map(leaf));
        assert_eq!(list.len(), 4);
        let tree = sequence(vec![sequence(list), leaf(&6), leaf(&5)]);
        let tree = sequence(vec![tree, leaf(&5)]);
        assert_eq!(leaves(&tree), [2, 3, 4, 4, 6, 5]);
    }

    #[test]
    fn a_wide_node_is_not_copied() {
        let wide = sequence((0..100_000).map(|n| Tree::Leaf(2 * n)).collect());
        let more = sequence(vec![wide.clone(), Tree::Leaf(2)]);
        let (Tree::Node(_, wide), Tree::Node(_, pieces)) = (&wide, &more) else {
            panic!("both are nodes");
        };
        assert!(matches!(&pieces[0], Tree::Node(_, same) if Arc::ptr_eq(same, wide)));
    }
}
