use super::sender::{BEYOND_CACHE, LONG, MUCH, WORTH_PAGES};
use super::*;

const LEN: usize = 4096;
const SMALL: usize = 256;

const SHELF: usize = 512;

#[repr(C, align(64))]
struct Memory([u8; LEN + SHELF]);

fn slots(len: usize) -> Slots {
    let memory = Box::leak(Box::new(Memory([0; LEN + SHELF])));
    let shelf = if len == LEN { SHELF } else { 0 };
    // SAFETY: leaked, zero, aligned.
    unsafe { Slots::new(memory.0.as_mut_ptr(), len, shelf) }
}

fn ends(slots: Slots, larger: Larger) -> (Sender, Receiver) {
    let control: &'static Control = Box::leak(Box::default());
    // SAFETY: one end each.
    unsafe {
        (
            Sender::new(control, slots, larger),
            Receiver::new(control, slots, larger),
        )
    }
}

fn ring() -> (Sender, Receiver) {
    ends(slots(LEN), [None; 2])
}

fn header(id: u64, payload: usize) -> Header {
    Header {
        kind: Kind::Eager,
        context: 7,
        source: 1,
        tag: id as i32,
        payload: payload as u16,
        released: 0,
        bytes: payload as u64,
        id,
    }
}

/// Payloads that look like published words, of all lengths that matter.
fn payload(id: u64) -> Vec<u8> {
    vec![if id.is_multiple_of(3) { 0xff } else { id as u8 }; (id * 37 % 950) as usize]
}

fn push(sender: &mut Sender, id: u64) -> bool {
    let bytes = payload(id);
    sender.push(&header(id, bytes.len()), id.is_multiple_of(2), |to| {
        // SAFETY: `push` gives room for the payload.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    })
}

fn check(receiver: &mut Receiver, id: u64) -> bool {
    let Some(cell) = receiver.peek() else {
        return false;
    };
    let header = *cell.header;
    assert_eq!(({ header.id }, { header.tag }), (id, id as i32));
    assert_eq!(cell.payload, payload(id));
    let size = cell.size();
    receiver.release(size);
    true
}

#[test]
fn a_full_ring_refuses_and_goes_on() {
    let (mut sender, mut receiver) = ring();
    let (mut sent, mut got) = (0, 0);
    for round in 0..2000 {
        while push(&mut sender, sent) {
            sent += 1;
        }
        assert!(sent > got);
        for _ in 0..=round % 3 {
            got += u64::from(check(&mut receiver, got));
        }
    }
    while check(&mut receiver, got) {
        got += 1;
    }
    assert_eq!(sent, got);
    assert!(receiver.peek().is_none());
}

#[test]
fn the_longest_payload_always_fits_an_empty_ring() {
    let (mut sender, mut receiver) = ring();
    for id in 0..500 {
        assert!(push(&mut sender, id));
        assert!(check(&mut receiver, id));
        let longest = Sender::longest(LEN);
        // SAFETY: `push` gives room for the payload.
        assert!(sender.push(&header(id, longest), true, |to| unsafe {
            to.write_bytes(0xff, longest)
        }));
        let cell = receiver.peek().unwrap();
        assert!(cell.payload.len() == longest && cell.payload.iter().all(|&b| b == 0xff));
        let size = cell.size();
        receiver.release(size);
    }
}

/// A small ring grows when a cell finds no room, and when many have gone through it, and not before.
#[test]
fn a_small_ring_grows_once() {
    let short = |sender: &mut Sender, id| sender.push(&header(id, 0), false, |_| ());
    let next = |receiver: &mut Receiver| {
        let cell = receiver.peek()?;
        let (id, size) = (cell.header.id, cell.size());
        receiver.release(size);
        Some(id)
    };
    for ahead in 1..=5 {
        let (mut sender, mut receiver) = ends(slots(SMALL), [Some(slots(LEN)), None]);
        let (mut sent, mut got) = (0, 0);
        while sent < 3 * u64::from(MUCH) / SLOT as u64 {
            let is_small = sender.larger[0].is_some();
            while sent < got + ahead {
                assert!(short(&mut sender, sent));
                sent += 1;
            }
            let grown = is_small && sender.larger[0].is_none();
            let much = sent as usize * SLOT > MUCH as usize;
            assert!(!grown || ahead > 3 || much, "{ahead} {sent}");
            while let Some(id) = next(&mut receiver) {
                assert_eq!(id, got);
                got += 1;
            }
        }
        assert_eq!(sent, got);
        assert!(sender.larger[0].is_none() && receiver.larger[0].is_none());
    }
    // What is too long for it grows it at once.
    let (mut sender, mut receiver) = ends(slots(SMALL), [Some(slots(LEN)), None]);
    assert!(short(&mut sender, 0) && push(&mut sender, 3));
    assert!(sender.larger[0].is_none() && next(&mut receiver) == Some(0));
    assert!(check(&mut receiver, 3) && next(&mut receiver).is_none());
}

/// What is taken at once stays in the second ring, what finds no room there goes into the third, and nothing is lost, or said of the
/// wrong ring, on the way.
#[test]
fn a_ring_grows_again_where_there_is_no_room() {
    let larger = || [Some(slots(LEN)), Some(slots(LEN))];
    let (mut sender, mut receiver) = ends(slots(SMALL), larger());
    for id in 0..1000 {
        assert!(push(&mut sender, 3 * (id % 5)) && check(&mut receiver, 3 * (id % 5)));
        sender.learn(receiver.released());
    }
    assert_eq!((growth(&sender.larger), growth(&receiver.larger)), (1, 1));
    let of_second = receiver.released();
    let (mut sent, mut got) = (0, 0);
    while growth(&sender.larger) == 1 {
        assert!(push(&mut sender, sent));
        sent += 1;
    }
    sender.learn(of_second);
    assert_eq!(sender.head, 0);
    for round in 0..2000 {
        while push(&mut sender, sent) {
            sent += 1;
        }
        for _ in 0..=round % 3 {
            got += u64::from(check(&mut receiver, got));
            sender.learn(receiver.released());
        }
    }
    while check(&mut receiver, got) {
        got += 1;
    }
    assert_eq!((sent, growth(&receiver.larger)), (got, 2));
    two_threads_with(ends(slots(SMALL), larger()));
}

/// A sender that stays a third of the second ring ahead goes on in the third one when a half of the second is behind it, though all finds
/// room; one that is less ahead stays.
#[test]
fn a_ring_grows_again_where_the_sender_is_far_ahead() {
    for ahead in [LEN / 3 / SLOT, LEN / 3 / SLOT + 1] {
        let larger = [Some(slots(LEN)), Some(slots(LEN))];
        let (mut sender, mut receiver) = ends(slots(SMALL), larger);
        let (mut sent, mut got) = (0, 0);
        let mut send = |sender: &mut Sender| {
            sent += 1;
            assert!(sender.push(&header(3 * sent, 0), false, |_| ()));
        };
        let mut take = |receiver: &mut Receiver| {
            got += 1;
            let cell = receiver.peek().unwrap();
            assert_eq!({ cell.header.id }, 3 * got);
            let size = cell.size();
            receiver.release(size);
        };
        while growth(&sender.larger) == 0 {
            send(&mut sender);
            take(&mut receiver);
        }
        // The last one was the first in the second ring.
        for _ in 1..ahead {
            send(&mut sender);
        }
        assert_eq!(growth(&sender.larger), 1, "{ahead}");
        // A lap, with so many messages in the ring when one was sent.
        for _ in 0..LEN / SLOT {
            send(&mut sender);
            take(&mut receiver);
        }
        let is_far = ahead * SLOT > LEN / 3;
        assert_eq!(growth(&sender.larger), 1 + u32::from(is_far), "{ahead}");
        for _ in 1..ahead {
            take(&mut receiver);
        }
        assert!(receiver.peek().is_none());
        assert_eq!(growth(&receiver.larger), growth(&sender.larger));
    }
}

/// What a ring is said to have room for goes in at once, whatever is skipped and however often it grows; a full one has no room.
#[test]
fn there_is_the_room_that_was_told() {
    let large = || Some(slots(LEN));
    for larger in [[None; 2], [large(), None], [large(), large()]] {
        let first = if larger[0].is_some() { SMALL } else { LEN };
        let (mut sender, mut receiver) = ends(slots(first), larger);
        let (mut sent, mut got, mut refused) = (0, 0, 0);
        for round in 0..2000 {
            let (cells, len) = (1 + round % 4, round * 37 % Sender::longest(LEN));
            if sender.has_room(cells, len) {
                for _ in 0..cells {
                    // SAFETY: `push` gives room for the payload.
                    assert!(sender.push(&header(sent, len), false, |to| unsafe {
                        to.write_bytes(sent as u8, len)
                    }));
                    sent += 1;
                }
            } else {
                refused += 1;
            }
            while got + round as u64 % 5 < sent
                && let Some(cell) = receiver.peek()
            {
                assert!(cell.header.id == got && cell.payload.iter().all(|&b| b == got as u8));
                let size = cell.size();
                receiver.release(size);
                got += 1;
            }
        }
        assert!(refused > 100 && sent > 1000, "{sent} {refused}");
    }
}

/// Long payloads go on in the largest ring once it is worth its pages, though each is answered; and there the shelf is not for them.
#[test]
fn long_payloads_come_to_the_ring_beyond_the_cache() {
    let slots_of = |len: usize| {
        let memory = vec![0_u8; len + LONG + SLOT].leak().as_mut_ptr();
        let base = memory.wrapping_add(memory.align_offset(SLOT));
        // SAFETY: leaked, zero, aligned.
        unsafe { Slots::new(base, len, LONG) }
    };
    for (len, grown) in [(LONG, 2), (LONG - 1, 1)] {
        let larger = [8 * LONG, BEYOND_CACHE].map(|len| Some(slots_of(len)));
        let (mut sender, mut receiver) = ends(slots(SMALL), larger);
        let mut size = 0;
        for id in 0..2 * u64::from(WORTH_PAGES) / LONG as u64 {
            assert!(sender.push(&header(id, len), true, |_| ()));
            let cell = receiver.peek().unwrap();
            assert!(cell.header.id == id && cell.payload.len() == len);
            size = cell.size() as usize;
            receiver.release(size as u32);
            sender.learn(receiver.released());
        }
        assert_eq!(growth(&sender.larger), grown);
        assert_eq!(size > SLOT, grown == 2);
    }
}

/// Who hears how far the receiver is knows that the shelf is free without a look; what was said before is nothing new.
#[test]
fn what_the_receiver_says_is_known_without_a_look() {
    let (mut sender, mut receiver) = ends(slots(SMALL), [Some(slots(LEN)), None]);
    let take = |receiver: &mut Receiver| {
        let size = receiver.peek().unwrap().size();
        receiver.release(size);
    };
    for id in 0..2 {
        assert!(sender.push(&header(id, 0), false, |_| ()));
        take(&mut receiver);
    }
    // Of the small ring; as many bytes of the large one are in use.
    let mut before = receiver.released();
    assert!(sender.push(&header(2, SHELF), false, |_| ()));
    sender.learn(before);
    assert!(sender.larger[0].is_none() && sender.head == 0 && sender.tail > before);
    take(&mut receiver);
    sender.learn(receiver.released());
    for id in 0..500 {
        let len = SHELF - id as usize % 2;
        // SAFETY: `push` gives room for the payload.
        assert!(sender.push(&header(id, len), true, |to| unsafe {
            to.write_bytes(id as u8, len)
        }));
        let cell = receiver.peek().unwrap();
        assert_eq!(cell.payload, vec![id as u8; len]);
        let size = cell.size();
        // What the receiver has not released yet is in use, whatever was said.
        for said in [before, receiver.released()] {
            sender.learn(said);
            assert_ne!(sender.head, sender.tail, "{id}");
        }
        receiver.release(size);
        before = receiver.released();
        sender.learn(before);
        assert_eq!(sender.head, sender.tail, "{id}");
        assert!(sender.larger[0].is_some() || size as usize == SLOT, "{id}");
        if id == 250 {
            assert!(!sender.is_to_announce());
            receiver.control().set_announce(true);
        }
    }
    assert!(sender.larger[0].is_none() && sender.is_to_announce());
}

#[test]
fn two_threads() {
    two_threads_with(ring());
    for _ in 0..20 {
        two_threads_with(ends(slots(SMALL), [Some(slots(LEN)), None]));
    }
}

fn two_threads_with((mut sender, mut receiver): (Sender, Receiver)) {
    const N: u64 = 100_000;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for id in 0..N {
                while !push(&mut sender, id) {
                    std::thread::yield_now();
                }
            }
        });
        for id in 0..N {
            while !check(&mut receiver, id) {
                std::thread::yield_now();
            }
        }
    });
}
