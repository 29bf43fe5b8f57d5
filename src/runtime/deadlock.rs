//! Which ranks can never go on though others do: the knots among the waits.
//!
//! **Who is dead.** A rank *rests* if it waits, has looked in vain, and nothing in its process but the thread that waits could
//! do anything ([`rest`](mod@super::rest)). Let D be a set of ranks that rest, and let each wait of them need ([`super::needs`]) somebody
//! who is of no help: each of those of whom *any* could act is in D or has ended, or one of those of whom *each* has to act
//! is (and has not come to the place where it is waited for). The greatest such set is found by taking those away that have
//! no such wait, until there are none.
//!
//! **Why none of D goes on.** Read twice, with a whole look in vain of each of D between under the same number of the rest.
//! Take the first of D that would do anything but look, after the first reading. It would have to find something that it did not
//! find in its look. What was done before the first reading it would have found. What its wait needs is still to be done, by
//! ranks of which one that is necessary is in D, and so has done nothing, or has ended. What comes from outside D may arrive
//! (messages that others of its receives take), but that ends no wait, and makes it do nothing for others: a rank that might
//! says that it needs something unknown. So there is no first one.
//!
//! Where all ranks that live rest, no wait has to say what it needs: nobody is left who could do it.

use super::needs::{How, Need};

/// What is known of a rank.
#[derive(Clone, Debug)]
pub enum Node {
    /// It may do anything.
    Acts,
    /// Its process is gone.
    Ended,
    /// It rests, and its wait needs this.
    Rests(Need),
}

impl Node {
    fn need(&self) -> Option<&Need> {
        match self {
            Node::Rests(need) => Some(need),
            _ => None,
        }
    }
}

/// The ranks that can never go on whatever the others do.
pub fn dead(nodes: &[Node]) -> Vec<u32> {
    let mut dead: Vec<bool> = nodes.iter().map(|node| node.need().is_some()).collect();
    loop {
        let lives = |&rank: &usize| dead[rank] && !is_stuck(nodes, &dead, rank);
        let living: Vec<usize> = (0..nodes.len()).filter(lives).collect();
        if living.is_empty() {
            return (0..nodes.len() as u32)
                .filter(|&rank| dead[rank as usize])
                .collect();
        }
        living.into_iter().for_each(|rank| dead[rank] = false);
    }
}

/// Whether nothing that the wait of a rank needs is done if these do nothing.
fn is_stuck(nodes: &[Node], dead: &[bool], rank: usize) -> bool {
    let Some(need) = nodes[rank].need() else {
        return false;
    };
    let no_help = |rank: u32| is_no_help(nodes, dead, rank);
    match need.how {
        How::Unknown => false,
        How::Any => need.ranks.iter().all(no_help),
        How::Each => missing(nodes, need).any(no_help),
    }
}

fn is_no_help(nodes: &[Node], dead: &[bool], rank: u32) -> bool {
    let ended = matches!(nodes.get(rank as usize), Some(Node::Ended));
    ended || dead.get(rank as usize).is_some_and(|&dead| dead)
}

/// Those of whom each has something to do yet.
fn missing<'a>(nodes: &'a [Node], need: &'a Need) -> impl Iterator<Item = u32> + 'a {
    need.ranks.iter().filter(|&rank| {
        let other = nodes.get(rank as usize).and_then(Node::need);
        need.place == 0 || other.is_none_or(|other| other.place != need.place)
    })
}

/// Whom a rank waits for in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    Unknown,
    /// Each of these.
    All(Vec<u32>),
    Any(Vec<u32>),
}

/// Whom of the `dead`, or of those that have ended, a rank of the `dead` waits for.
pub fn awaited(nodes: &[Node], dead: &[u32], rank: u32) -> Awaited {
    let is_dead: Vec<bool> = (0..nodes.len() as u32)
        .map(|rank| dead.contains(&rank))
        .collect();
    let Some(need) = nodes[rank as usize].need() else {
        return Awaited::Unknown;
    };
    let no_help = |rank: &u32| is_no_help(nodes, &is_dead, *rank);
    match need.how {
        How::Unknown => Awaited::Unknown,
        How::Any => Awaited::Any(need.ranks.iter().collect()),
        How::Each => match missing(nodes, need).filter(no_help).collect::<Vec<_>>() {
            ranks if ranks.is_empty() => Awaited::Unknown,
            ranks => Awaited::All(ranks),
        },
    }
}

/// A way from wait to wait among the `dead`: each rank waits for the next, and the last for the one at that place in the way,
/// or for nobody of them.
pub fn way(nodes: &[Node], dead: &[u32]) -> (Vec<u32>, Option<usize>) {
    let mut way: Vec<u32> = dead.iter().copied().take(1).collect();
    while let Some(&last) = way.last() {
        let mut ranks = match awaited(nodes, dead, last) {
            Awaited::Unknown => return (way, None),
            Awaited::All(ranks) | Awaited::Any(ranks) => ranks,
        };
        // Of one who could help itself another says more.
        if ranks.len() > 1 {
            ranks.retain(|&rank| rank != last);
        }
        ranks.retain(|rank| dead.contains(rank));
        let Some(&next) = ranks.first() else {
            return (way, None);
        };
        if let Some(at) = way.iter().position(|&rank| rank == next) {
            return (way, Some(at));
        }
        way.push(next);
    }
    (way, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each<const N: usize>(ranks: [u32; N]) -> Node {
        Node::Rests(Need::each(ranks))
    }

    fn any<const N: usize>(ranks: [u32; N]) -> Node {
        Node::Rests(Need::any(ranks))
    }

    /// At a place where it waits for all ranks below `size` that have not come.
    fn at(place: u64, size: u32) -> Node {
        let mut need = Need::each(0..size);
        need.place = place;
        Node::Rests(need)
    }

    fn unknown() -> Node {
        Node::Rests(Need::default())
    }

    #[test]
    fn graphs() {
        use Node::{Acts, Ended};
        let table: &[(&str, &[Node], &[u32])] = &[
            ("nobody", &[], &[]),
            ("one acts", &[Acts], &[]),
            ("two wait for each other", &[each([1]), each([0])], &[0, 1]),
            ("for oneself", &[each([0]), Acts], &[0]),
            ("for one that acts", &[each([1]), Acts], &[]),
            (
                "a chain to one that acts",
                &[each([1]), each([2]), Acts],
                &[],
            ),
            (
                "a chain to a cycle",
                &[each([1]), each([2]), each([1]), Acts],
                &[0, 1, 2],
            ),
            ("for one that has ended", &[each([1]), Ended, Acts], &[0]),
            (
                "any, of whom one acts",
                &[any([0, 1, 2]), each([0]), Acts],
                &[],
            ),
            (
                "any, and none acts",
                &[any([0, 1, 2]), each([0]), each([1]), Acts],
                &[0, 1, 2],
            ),
            (
                "any, and the others have ended",
                &[any([0, 1]), Ended, Acts],
                &[0],
            ),
            (
                "each, of whom one is dead",
                &[each([1, 2]), each([0]), Acts],
                &[0, 1],
            ),
            (
                "a chain frees a chain",
                &[each([1]), any([0, 2]), each([3]), Acts],
                &[],
            ),
            (
                "what is not known frees",
                &[each([1]), any([0, 2]), unknown()],
                &[],
            ),
            (
                "what is not known is in no cycle",
                &[unknown(), each([0])],
                &[],
            ),
            (
                "a barrier that one has not come to, who acts",
                &[at(9, 3), at(9, 3), Acts],
                &[],
            ),
            (
                "who waits for one that is there",
                &[at(9, 3), at(9, 3), each([0])],
                &[0, 1, 2],
            ),
            ("all have come", &[at(9, 2), at(9, 2), Acts], &[]),
            ("two barriers crossed", &[at(9, 2), at(8, 2), Acts], &[0, 1]),
            (
                "a barrier, and a chain to one outside",
                &[at(9, 3), each([3]), each([1]), Acts],
                &[],
            ),
            (
                "a barrier, and one that waits for who is there",
                &[at(9, 3), each([3]), each([0]), Acts],
                &[0, 2],
            ),
            (
                "two cycles",
                &[each([1]), each([0]), Acts, each([4]), each([3])],
                &[0, 1, 3, 4],
            ),
        ];
        for (name, nodes, expected) in table {
            assert_eq!(dead(nodes), *expected, "{name}");
        }
    }

    /// Against the definition: a set is dead if no rank of it is helped from outside; the union of all such is the greatest.
    #[test]
    fn all_graphs_of_three() {
        let needs: Vec<Node> = (1..8_u32)
            .flat_map(|bits| {
                let ranks = move || (0..3).filter(move |rank| bits >> rank & 1 == 1);
                [
                    Node::Rests(Need::any(ranks())),
                    Node::Rests(Need::each(ranks())),
                ]
            })
            .chain([Node::Acts, Node::Ended, unknown()])
            .collect();
        let kinds = needs.len();
        for number in 0..kinds.pow(3) {
            let nodes: Vec<Node> = (0..3)
                .map(|i| needs[number / kinds.pow(i) % kinds].clone())
                .collect();
            let mut greatest = 0_u32;
            for set in 0..8_u32 {
                let ended = |rank: u32| matches!(nodes[rank as usize], Node::Ended);
                let inside = |rank: u32| set >> rank & 1 == 1;
                let stays = |rank: u32| match &nodes[rank as usize] {
                    Node::Rests(need) => {
                        let mut ranks = need.ranks.iter();
                        let no_help = |rank: u32| inside(rank) || ended(rank);
                        match need.how {
                            How::Unknown => false,
                            How::Any => ranks.all(no_help),
                            How::Each => ranks.any(no_help),
                        }
                    }
                    _ => false,
                };
                if (0..3).filter(|&rank| inside(rank)).all(stays) {
                    greatest |= set;
                }
            }
            let found = dead(&nodes).iter().fold(0, |set, rank| set | 1 << rank);
            assert_eq!(found, greatest, "{nodes:?}");
        }
    }

    #[test]
    fn ways() {
        let of = |nodes: &[Node]| way(nodes, &dead(nodes));
        assert_eq!(of(&[each([1]), each([0])]), (vec![0, 1], Some(0)));
        assert_eq!(
            of(&[each([1]), each([2]), each([1])]),
            (vec![0, 1, 2], Some(1))
        );
        assert_eq!(of(&[any([0, 1]), each([0])]), (vec![0, 1], Some(0)));
        assert_eq!(of(&[each([1]), Node::Ended]), (vec![0], None));
        assert_eq!(of(&[Node::Acts]), (vec![], None));
        let nodes = [at(9, 3), at(9, 3), each([0])];
        assert_eq!(awaited(&nodes, &[0, 1, 2], 0), Awaited::All(vec![2]));
    }
}
