//! Message rings and the pending bits of an inbox: every message arrives whole and in order, and nobody sleeps for ever.

use loom::cell::UnsafeCell;
use rmashm_model::actor::{Actors, act, explore};
use rmashm_model::transport::pending::Pending;
use rmashm_model::transport::ring::{Control, Header, Kind, Receiver, Room, Sender, Tray};
use rmashm_model::transport::slots::{Memory, Places, Slots};

const LEN: usize = 1024;
const SHELF: usize = 128;
/// Of a ring that grows.
const SMALL: usize = 256;
/// Of one that grows where its sender is far ahead.
const MIDDLE: usize = 512;

/// The rings that one goes through, one after another.
type Rings = &'static [usize];
const ONE: Rings = &[LEN];
const GROWS: Rings = &[SMALL, LEN];
const FAR: Rings = &[MIDDLE, LEN];

/// A ring and its two ends, of which each actor uses one.
struct Ring {
    sender: UnsafeCell<Sender>,
    receiver: UnsafeCell<Receiver>,
    /// Whether payloads go on the shelf, if it is free.
    shelf: bool,
    _memory: Box<(Control, Vec<Memory>)>,
}

// SAFETY: the ends point to memory that lives as long as they do.
unsafe impl Send for Ring {}
// SAFETY: one actor uses the sender, another one the receiver; loom watches that.
unsafe impl Sync for Ring {}

impl Ring {
    fn new(rings: Rings) -> Ring {
        Ring::with_tray(rings, None)
    }

    /// Of a pair with a tray, at which this ring's sender has the first turn or not.
    fn with_tray(rings: Rings, tray: Option<(&Places, bool)>) -> Ring {
        let places = tray.map_or(std::ptr::null(), |(places, _)| places);
        let memory = |&len: &usize| Memory::with_tray(len, places);
        let memories = rings.iter().map(memory).collect();
        let memory: Box<(Control, Vec<Memory>)> = Box::new((Control::default(), memories));
        let control = &raw const memory.0;
        // SAFETY: the ring keeps the box, and drops it last.
        unsafe {
            let slots = |ring: usize| {
                let len = *rings.get(ring)?;
                let shelf = if len == SMALL { 0 } else { SHELF };
                Some(Slots::new(memory.1[ring].base(), len, shelf))
            };
            let larger = [slots(1), None];
            let slots = slots(0).expect("there is a ring");
            let control = &*control;
            let tray = tray.map(|(places, is_first)| {
                let (base, len) = places.base();
                Tray::new(base, len, is_first)
            });
            Ring {
                sender: UnsafeCell::new(Sender::new(control, slots, larger, tray)),
                receiver: UnsafeCell::new(Receiver::new(control, slots, larger)),
                shelf: false,
                _memory: memory,
            }
        }
    }

    fn push(&self, id: u64, payload: usize) -> bool {
        self.push_and_tell(id, payload, 0)
    }

    /// The same, and says how far the sender has got with what comes the other way.
    fn push_and_tell(&self, id: u64, payload: usize, released: u32) -> bool {
        let header = header(id, payload, released);
        // SAFETY: one actor sends; the ring gives room for the payload.
        self.sender.with_mut(|sender| unsafe {
            (*sender).push(&header, self.shelf, |to| to.write_bytes(id as u8, payload))
        })
    }

    /// Puts a part of a message on the tray, the `last` one or not.
    fn push_on_tray(&self, id: u64, payload: usize, last: bool) -> bool {
        let header = header(id, payload, 0);
        // SAFETY: one actor sends; the tray gives room for the payload.
        self.sender.with_mut(|sender| unsafe {
            (*sender).push_on_tray(&header, last, |to| to.write_bytes(id as u8, payload))
        })
    }

    /// Whether the turn at the tray is this ring's sender's.
    fn is_turn(&self) -> bool {
        // SAFETY: one actor sends.
        self.sender.with(|sender| unsafe { (*sender).is_turn() })
    }

    /// The turn has come.
    fn take_turn(&self) {
        self.sender
            // SAFETY: one actor sends.
            .with_mut(|sender| unsafe { (*sender).take_turn() })
    }

    /// Takes a message: its number, if there is one.
    fn take(&self) -> Option<u64> {
        self.take_and_hear().map(|(id, _)| id)
    }

    /// The same, and how far its sender has got.
    fn take_and_hear(&self) -> Option<(u64, u32)> {
        self.take_all().map(|(id, released, _)| (id, released))
    }

    /// The same, and what it took.
    fn take_all(&self) -> Option<(u64, u32, Room)> {
        self.receiver.with_mut(|receiver| {
            // SAFETY: one actor receives.
            let receiver = unsafe { &mut *receiver };
            let cell = receiver.peek()?;
            let (id, released) = (cell.header.id, cell.header.released);
            assert!(cell.payload.iter().all(|&byte| byte == id as u8));
            let room = cell.room();
            receiver.release(room);
            Some((id, released, room))
        })
    }

    /// How far the receiver has got.
    fn released(&self) -> u32 {
        self.receiver
            // SAFETY: one actor receives.
            .with(|receiver| unsafe { (*receiver).released() })
    }

    /// The sender hears that.
    fn learn(&self, released: u32) {
        self.sender
            // SAFETY: one actor sends.
            .with_mut(|sender| unsafe { (*sender).learn(released) })
    }

    /// As `Inbox::offer_room`.
    fn is_wanted(&self) -> bool {
        self.receiver
            // SAFETY: one actor receives.
            .with_mut(|receiver| unsafe { (*receiver).is_wanted() })
    }
}

fn header(id: u64, payload: usize, released: u32) -> Header {
    Header {
        kind: Kind::Eager,
        exchanged: false,
        context: 0,
        source: 0,
        tag: 0,
        payload: payload as u16,
        released,
        bytes: payload as u64,
        id,
    }
}

/// An inbox with rings from some senders; the receiver is the last actor.
struct Inbox {
    actors: Actors,
    pending: Pending,
    rings: Vec<Ring>,
    /// So many messages are taken from one ring before the next has its turn.
    turn: usize,
}

impl Inbox {
    fn new(senders: usize, turn: usize, rings: Rings) -> Inbox {
        Inbox {
            actors: Actors::new(senders + 1),
            pending: Pending::default(),
            rings: (0..senders).map(|_| Ring::new(rings)).collect(),
            turn,
        }
    }

    /// As `Outbox::push` and `Outbox::notify`; what finds no room waits for it.
    fn send(&self, me: usize, payloads: &[usize]) {
        for (id, &payload) in payloads.iter().enumerate() {
            let ring = &self.rings[me];
            self.actors.wait(me, || ring.push(id as u64 + 1, payload));
            self.pending.set(1 << me);
            self.actors.ring_unfenced(self.rings.len());
        }
    }

    /// As `Link::push_data`: the receiver is told of the first piece, and again when no more are to come for now.
    fn send_in_pieces(&self, me: usize, payloads: &[usize]) {
        let tell = || {
            self.pending.set(1 << me);
            self.actors.ring_unfenced(self.rings.len());
        };
        let mut sent = 0;
        self.actors.wait(me, || {
            let before = sent;
            while sent < payloads.len() && self.rings[me].push(sent as u64 + 1, payloads[sent]) {
                if sent == before {
                    tell();
                }
                sent += 1;
            }
            if sent > before + 1 {
                tell();
            }
            sent == payloads.len()
        });
    }

    /// As `Engine::poll` and `drain`; a bit is cleared at the first look in vain.
    fn poll(&self, took: &mut impl FnMut(usize, u64)) -> bool {
        let pending = self.pending.get();
        let mut moved = false;
        for (sender, ring) in self.rings.iter().enumerate() {
            let mut drain = || {
                let mut taken = 0;
                while taken < self.turn
                    && let Some(id) = ring.take()
                {
                    took(sender, id);
                    taken += 1;
                }
                if taken > 0 && ring.is_wanted() {
                    self.actors.ring(sender);
                }
                taken > 0
            };
            let bit = 1 << sender;
            if pending & bit == 0 {
                continue;
            }
            if drain() {
                moved = true;
                continue;
            }
            self.pending.clear(bit);
            if drain() {
                self.pending.keep(bit);
                moved = true;
            }
        }
        moved
    }

    fn receive(&self, messages: u64) {
        let mut next = vec![1; self.rings.len()];
        let me = self.rings.len();
        let done = |next: &[u64]| next.iter().all(|&n| n == messages + 1);
        while !done(&next) {
            // Asleep until something has moved.
            self.actors.wait(me, || {
                self.poll(&mut |sender, id| {
                    assert_eq!(id, next[sender]);
                    next[sender] += 1;
                })
            });
        }
        // Behind the last one is nothing.
        assert!(self.rings.iter().all(|ring| ring.take().is_none()));
    }
}

/// The same with payloads on the shelf.
fn messages_on_shelf(name: &str, preemptions: usize, payloads: &'static [usize]) {
    explore(name, preemptions, move || {
        let mut inbox = Inbox::new(1, 1, ONE);
        inbox.rings[0].shelf = true;
        act(inbox, 2, move |inbox, me| match me {
            0 => inbox.send(me, payloads),
            _ => inbox.receive(payloads.len() as u64),
        });
    });
}

fn messages(
    name: &str,
    preemptions: usize,
    senders: usize,
    turn: usize,
    payloads: &'static [usize],
) {
    messages_in(ONE, name, preemptions, senders, turn, payloads);
}

fn messages_in(
    rings: Rings,
    name: &str,
    preemptions: usize,
    senders: usize,
    turn: usize,
    payloads: &'static [usize],
) {
    explore(name, preemptions, move || {
        let inbox = Inbox::new(senders, turn, rings);
        act(inbox, senders + 1, move |inbox, me| {
            if me == senders {
                inbox.receive(payloads.len() as u64);
            } else {
                inbox.send(me, payloads);
            }
        });
    });
}

#[test]
fn short_messages() {
    messages("ring, 3 short messages", 3, 1, 1, &[0, 8, 24]);
}

/// Cells of four slots but one in a ring of sixteen: the last has to skip the ring's end, and finds it full.
#[test]
fn full_ring() {
    let payloads = &[192, 180, 150, 120, 130];
    messages("ring, 5 long messages, full", 2, 1, 1, payloads);
    messages("ring, 5 long messages, full, 2 a turn", 2, 1, 2, payloads);
}

/// The last one, in the second lap, is shorter than what was there in the first: behind it lies what looks like a cell.
#[test]
fn shorter_than_before() {
    let payloads = &[192, 180, 150, 192, 8];
    messages("ring, 4 long messages and a short one", 2, 1, 1, payloads);
}

/// The small ring has room for three short cells beside the word that says where it goes on: the fourth grows it, or not, and
/// then the large one is filled too.
#[test]
fn growing_ring() {
    messages_in(
        GROWS,
        "ring, grows by 5 short messages",
        2,
        1,
        1,
        &[8, 0, 24, 8, 8],
    );
    messages_in(
        GROWS,
        "ring, grows by a long message",
        2,
        1,
        1,
        &[8, 120, 8],
    );
    messages_in(
        GROWS,
        "ring, grows and is full",
        2,
        1,
        1,
        &[192, 180, 150, 192, 192],
    );
    // What was released of the small one is no room in the large one, which is full but for one slot.
    messages_in(
        GROWS,
        "ring, grows after 3 short messages and is full",
        2,
        1,
        1,
        &[8, 8, 8, 192, 180, 150, 120, 120],
    );
}

/// All finds room in the first ring. When half of it is behind, by the second message or the third, the sender is far ahead or not; when
/// all of it is, once more. What was on the shelf, or released, of the first ring means nothing in the second.
#[test]
fn far_ahead() {
    let payloads: &[usize] = &[64, 64, 64, 8, 64, 64];
    messages_in(FAR, "ring, 6 messages, far ahead", 2, 1, 1, payloads);
    explore("ring, 5 messages on the shelf, far ahead", 2, || {
        let mut inbox = Inbox::new(1, 1, FAR);
        inbox.rings[0].shelf = true;
        act(inbox, 2, |inbox, me| match me {
            0 => inbox.send(me, &[64, 64, 24, 64, 64]),
            _ => inbox.receive(5),
        });
    });
}

/// The second message finds the shelf free or not, the third also for another reason: the first look was not long ago.
#[test]
fn the_shelf() {
    messages_on_shelf("ring, 4 messages on the shelf", 3, &[120, 100, 8, 128]);
    messages_on_shelf(
        "ring, 6 messages, some on the shelf, full",
        2,
        &[128, 192, 120, 192, 192, 150],
    );
}

/// Two that tell each other something, with all payloads on the shelf: what each says in its cells is all that the other one asks. The
/// second one answers, or has something to say before it has heard anything.
#[test]
fn told_on_the_way() {
    for (rings, answers) in [(ONE, true), (GROWS, true), (ONE, false), (GROWS, false)] {
        explore(
            "ring, 3 messages there and back, what is released is told",
            3,
            move || {
                let mut inbox = Inbox::new(2, 1, rings);
                inbox.rings.iter_mut().for_each(|ring| ring.shelf = true);
                act(inbox, 2, move |inbox, me| {
                    let other = 1 - me;
                    let (out, back) = (&inbox.rings[me], &inbox.rings[other]);
                    let is_late = answers && me == 1;
                    for id in 1..=3 {
                        let send = || {
                            assert!(out.push_and_tell(id, 120, back.released()));
                            inbox.actors.ring(other);
                        };
                        if !is_late {
                            send();
                        }
                        inbox.actors.wait(me, || {
                            let heard = back.take_and_hear();
                            heard.is_some_and(|(came, released)| {
                                assert_eq!(came, id);
                                out.learn(released);
                                true
                            })
                        });
                        if is_late {
                            send();
                        }
                    }
                });
            },
        );
    }
}

#[test]
fn two_senders() {
    messages("ring, 2 senders", 2, 2, 1, &[8]);
}

/// A message in pieces, of which some find no room at first.
#[test]
fn pieces() {
    let payloads: &[usize] = &[192, 180, 150, 120, 192];
    explore("ring, a message in 5 pieces", 2, move || {
        act(Inbox::new(1, 1, ONE), 2, move |inbox, me| match me {
            0 => inbox.send_in_pieces(me, payloads),
            _ => inbox.receive(payloads.len() as u64),
        });
    });
}

/// Two that answer each other, each with a message of `parts` parts, of which the tray has place for two. The last one of a message hands the turn over; the
/// one who has it next writes into what it has just read. Between them goes what is not for the tray, or grows the ring.
fn answers(name: &str, preemptions: usize, rings: Rings, parts: u64, between: &'static [usize]) {
    explore(name, preemptions, move || {
        let tray = Box::new(Places::new(2));
        let ring = |is_first| Ring::with_tray(rings, Some((&tray, is_first)));
        let both = [ring(true), ring(false)];
        act(
            (Actors::new(2), both, tray),
            2,
            move |(actors, both, _), me| {
                let (out, back) = (&both[me], &both[1 - me]);
                let send = || {
                    let mut id = 0;
                    for &payload in between {
                        id += 1;
                        actors.wait(me, || out.push(id, payload));
                        actors.ring(1 - me);
                    }
                    assert!(out.is_turn());
                    for part in 1..=parts {
                        let last = part == parts;
                        actors.wait(me, || out.push_on_tray(id + part, 70, last));
                        actors.ring(1 - me);
                    }
                    assert!(!out.is_turn());
                };
                let receive = || {
                    let mut next = 1;
                    while next <= between.len() as u64 + parts {
                        actors.wait(me, || {
                            let Some((id, _, room)) = back.take_all() else {
                                return false;
                            };
                            assert_eq!(id, next);
                            next += 1;
                            if room.hands_over() {
                                out.take_turn();
                            }
                            if back.is_wanted() {
                                actors.ring(1 - me);
                            }
                            true
                        });
                    }
                };
                if me == 0 {
                    send();
                    receive();
                    assert!(out.is_turn());
                } else {
                    receive();
                    send();
                }
            },
        );
    });
}

#[test]
fn the_tray() {
    answers("tray, 3 parts there and back", 2, ONE, 3, &[]);
    answers("tray, a message and 3 parts", 2, ONE, 3, &[8]);
    answers(
        "tray, 3 parts behind what grows the ring",
        2,
        GROWS,
        3,
        &[8, 120],
    );
    // The fourth part finds no room in the small ring.
    answers(
        "tray, 4 parts, of which one grows the ring",
        2,
        GROWS,
        4,
        &[],
    );
}
