//! What conflicts with what.

use super::*;

fn what(kind: Kind, op: u8, basic: u8) -> What {
    What::new(kind, op, basic, false)
}

#[test]
fn accesses_conflict_as_the_table_says() {
    const READ: u8 = 13;
    let (put, get) = (what(Kind::Put, NONE, NONE), what(Kind::Get, NONE, NONE));
    let (sum, max) = (what(Kind::Accumulate, 2, 3), what(Kind::FetchAndOp, 0, 3));
    let (short, read) = (
        what(Kind::Accumulate, 2, 2),
        what(Kind::FetchAndOp, READ, 3),
    );
    let swap = what(Kind::CompareAndSwap, NONE, 3);
    let conflict = |a: What, b: What, same: bool| {
        let both = [(a, b), (b, a)].map(|(a, b)| a.conflicts(b, same, READ));
        assert_eq!(both[0], both[1]);
        both[0]
    };
    for same in [false, true] {
        for (a, b) in [
            (put, put),
            (put, get),
            (put, sum),
            (get, sum),
            (put, read),
            (get, swap),
        ] {
            assert!(conflict(a, b, same), "{a:?} {b:?}");
        }
        for (a, b) in [
            (get, get),
            (get, read),
            (read, read),
            (sum, sum),
            (sum, read),
            (sum, swap),
        ] {
            assert!(!conflict(a, b, same), "{a:?} {b:?}");
        }
        assert_eq!(conflict(sum, max, same), !same);
        assert_eq!(conflict(sum, short, same), !same);
    }
    let at = |what: What, far: u64| what.with_elements_at(far, 16);
    assert!(!conflict(at(sum, 8), at(sum, 40), false));
    assert!(conflict(at(sum, 8), at(sum, 48), false));
    assert!(conflict(at(sum, 8), at(read, 0), false));
    assert!(!conflict(at(sum, 8), at(sum, 0), true));
    assert!(!conflict(at(read, 8), at(read, 0), false));
    assert!(!conflict(at(sum, 8), sum, false));
    assert_eq!(at(sum, 8).name(), sum.name());
    assert_eq!((at(sum, 31).op(), at(sum, 31).basic()), (2, 3));
    assert_eq!(What::new(Kind::Get, NONE, NONE, true).name(), "MPI_Rget");
}
