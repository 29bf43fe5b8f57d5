use super::sender::{BEYOND_CACHE, LONG, MUCH, WORTH_PAGES, WORTH_TRAY};
use super::*;

const LEN: usize = 4096;
const SMALL: usize = 256;

const SHELF: usize = 512;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Memory([u8; LEN + SHELF]);

fn slots(len: usize) -> Slots {
    let memory = Box::leak(Box::new(Memory([0; LEN + SHELF])));
    let shelf = if len == LEN { SHELF } else { 0 };
    // SAFETY: leaked, zero, aligned.
    unsafe { Slots::new(memory.0.as_mut_ptr(), len, shelf) }
}

fn ends(slots: Slots, larger: Larger) -> (Sender, Receiver) {
    ends_with(slots, larger, None)
}

fn ends_with(slots: Slots, larger: Larger, tray: Option<Tray>) -> (Sender, Receiver) {
    let control: &'static Control = Box::leak(Box::default());
    // SAFETY: one end each.
    unsafe {
        (
            Sender::new(control, slots, larger, tray),
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
        exchanged: false,
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
    let room = cell.room();
    receiver.release(room);
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
        let room = cell.room();
        receiver.release(room);
    }
}

/// A small ring grows when a cell finds no room, and when many have gone through it, and not before.
#[test]
fn a_small_ring_grows_once() {
    let short = |sender: &mut Sender, id| sender.push(&header(id, 0), false, |_| ());
    let next = |receiver: &mut Receiver| {
        let cell = receiver.peek()?;
        let (id, room) = (cell.header.id, cell.room());
        receiver.release(room);
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
            let room = cell.room();
            receiver.release(room);
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
            let (cells, len) = (1 + round % 4, 1 + round * 37 % Sender::longest(LEN));
            if sender.has_room(cells * len, len) {
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
                let room = cell.room();
                receiver.release(room);
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
            let room = cell.room();
            size = room.size() as usize;
            receiver.release(room);
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
        let room = receiver.peek().unwrap().room();
        receiver.release(room);
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
        let (room, size) = (cell.room(), cell.room().size());
        // What the receiver has not released yet is in use, whatever was said.
        for said in [before, receiver.released()] {
            sender.learn(said);
            assert_ne!(sender.head, sender.tail, "{id}");
        }
        receiver.release(room);
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

const PLACES: usize = 3;

/// The memory of a pair: two rings, and a tray.
#[repr(C, align(64))]
struct Pair {
    rings: [[Memory; 2]; 2],
    tray: [u8; PLACES * PLACE],
}

/// Two ends of a pair: each sends through the ring of the other one's receiver. The second one has the first turn.
fn pair() -> [(Sender, Receiver); 2] {
    let zero = Memory([0; LEN + SHELF]);
    let pair = Pair {
        rings: [[zero, zero]; 2],
        tray: [0; PLACES * PLACE],
    };
    let pair = &raw mut *Box::leak(Box::new(pair));
    let ring = |number: usize| {
        // SAFETY: leaked, zero, aligned; one of the two has the first turn.
        unsafe {
            let tray = Tray::new((&raw mut (*pair).tray).cast(), PLACES * PLACE, number == 1);
            let slots = |which: usize, len, shelf| {
                Slots::new((&raw mut (*pair).rings[number][which]).cast(), len, shelf)
            };
            let larger = [Some(slots(1, LEN, SHELF)), None];
            ends_with(slots(0, SMALL, 0), larger, Some(tray))
        }
    };
    let [(to_second, at_second), (to_first, at_first)] = [ring(0), ring(1)];
    [(to_second, at_first), (to_first, at_second)]
}

fn part_len(id: u64) -> usize {
    PLACE - (id % 7) as usize * 100
}

/// Puts parts up to the `last` one of a message there, as many as there are places for: the next one. Their first byte is their number.
fn push_parts(sender: &mut Sender, from: u64, last: u64) -> u64 {
    let mut next = from;
    // SAFETY: the tray gives room for the payload.
    let write = |id: u64| move |to: *mut u8| unsafe { to.write_bytes(id as u8, part_len(id)) };
    while next <= last
        && sender.push_on_tray(&header(next, part_len(next)), next == last, write(next))
    {
        next += 1;
    }
    next
}

/// Takes the next cell: its number, and whether the turn came with it.
fn take_part(receiver: &mut Receiver) -> Option<(u64, bool)> {
    let cell = receiver.peek()?;
    let (id, room) = (cell.header.id, cell.room());
    assert!(!cell.payload.is_empty() && cell.payload.iter().all(|&byte| byte == id as u8));
    receiver.release(room);
    Some((id, room.hands_over()))
}

/// Messages of 1 to 9 parts go to and fro by three places, between others that go through the rings and let them grow.
#[test]
fn a_tray_goes_to_and_fro() {
    let [mut first, mut second] = pair();
    let (mut from, mut to) = (&mut second, &mut first);
    let mut rings = 0;
    for round in 1..1000 {
        assert!(from.0.is_turn() && !to.0.is_turn());
        let parts = round % 9 + 1;
        let mut next = 1;
        let mut took = 0;
        while took < parts {
            let before = next;
            next = push_parts(&mut from.0, next, parts);
            // As many as there were places free, which is each that was taken.
            assert_eq!(next - 1, parts.min(took + PLACES as u64), "{before}");
            assert_eq!(from.0.is_turn(), next <= parts);
            for _ in 0..=round % 2 {
                let Some((id, turn)) = take_part(&mut to.1) else {
                    continue;
                };
                took += 1;
                assert_eq!((id, turn), (took, took == parts));
                if turn {
                    to.0.take_turn();
                }
            }
        }
        if round % 5 == 0 && push(&mut from.0, round) {
            rings += 1;
            assert!(check(&mut to.1, round));
        }
        (from, to) = (to, from);
    }
    assert!(rings > 150 && first.0.larger[0].is_none() && second.0.larger[0].is_none());
}

/// Who waits for a place is rung for each that becomes free.
#[test]
fn a_place_that_is_wanted_is_told_of() {
    let [mut first, mut second] = pair();
    assert_eq!(push_parts(&mut second.0, 1, 9), PLACES as u64 + 1);
    for taken in 1..=3 {
        assert_eq!(take_part(&mut first.1), Some((taken, false)));
        assert!(first.1.is_wanted(), "{taken}");
        assert_eq!(push_parts(&mut second.0, 3 + taken, 9), 4 + taken);
    }
    // What is to go there has room for as much as is free there.
    assert!(!second.0.has_room(1024, 1024) && !second.0.has_places(1));
    for taken in 1..=PLACES {
        assert_eq!(take_part(&mut first.1), Some((3 + taken as u64, false)));
        assert!(second.0.has_places(taken) && !second.0.has_places(taken + 1));
    }
    assert!(second.0.has_room(1024, 1024));
    assert_eq!(push_parts(&mut second.0, 7, 9), 10);
    assert_eq!(take_part(&mut first.1), Some((7, false)));
    assert!(first.1.is_wanted());
    // Nobody waits any more.
    assert_eq!(take_part(&mut first.1), Some((8, false)));
    assert!(!first.1.is_wanted());
}

/// Its pages are made when so much went there that they are worth it, and by the end that has the turn. One place alone always is; and what is longer
/// than all of them never goes there.
#[test]
fn a_tray_is_for_those_that_say_much() {
    let [mut first, mut second] = pair();
    let (two, all, more) = (2 * PLACE, PLACES * PLACE, PLACES * PLACE + 1);
    let len = 900;
    let mut sent = 0;
    let push = |sender: &mut Sender, receiver: &mut Receiver, sent: &mut u64| {
        // SAFETY: the ring gives room for the payload.
        assert!(sender.push(&header(*sent, len), false, |to| unsafe {
            to.write_bytes(1, len)
        }));
        let room = receiver.peek().unwrap().room();
        receiver.release(room);
        *sent += 1;
    };
    // Payloads that are not long count for nothing.
    while sent < 2 * u64::from(WORTH_TRAY) / len as u64 {
        push(&mut second.0, &mut first.1, &mut sent);
    }
    assert!(second.0.is_turn() && !second.0.is_for_tray(two) && !first.0.is_for_tray(two));
    assert!(second.0.is_for_tray(PLACE) && !first.0.is_for_tray(PLACE));
    assert!(!second.0.is_for_tray(len));
    let mut next = 1;
    let mut bytes = 0;
    while !second.0.is_for_tray(two) {
        assert!(bytes < WORTH_TRAY);
        next = push_parts(&mut second.0, next, u64::MAX);
        while let Some((id, _)) = take_part(&mut first.1) {
            bytes += part_len(id) as u32;
        }
    }
    assert!(bytes >= WORTH_TRAY && !first.0.is_for_tray(two));
    assert!(second.0.is_for_tray(all) && !second.0.is_for_tray(more));
}
