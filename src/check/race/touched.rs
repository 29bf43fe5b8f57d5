//! Which bytes of windows some accesses may touch: a few bits that say of most others at once that they touch none of these.

use super::What;
use super::log::On;
use super::span::Span;
use std::hint::select_unpredictable;

/// Bytes that share a bit: as many as an element of a common type has, since programs access those side by side.
const LINE: u64 = 8;
/// So many lines a small access may have, if it begins with one.
const LINES: u64 = 8;
/// So many words of bits.
const WORDS: usize = 512;
/// So many set bits are taken back one by one.
const FEW: usize = 32;

/// Whether a line's bit is set.
#[inline(always)]
fn has<const WORDS: usize>(bits: &[u64; WORDS], line: usize) -> bool {
    let bit = line % (64 * WORDS);
    bits[bit / 64] >> (bit % 64) & 1 != 0
}

/// Sets a line's bit: whether it was not set.
#[inline(always)]
fn set<const WORDS: usize>(bits: &mut [u64; WORDS], line: usize) -> bool {
    let bit = line % (64 * WORDS);
    let word = &mut bits[bit / 64];
    let is_new = *word >> (bit % 64) & 1 == 0;
    *word |= 1 << (bit % 64);
    is_new
}

/// A set of accesses. It may have more, but not fewer.
pub struct Touched {
    /// A bit for each line of those that are small; several lines have the same one.
    bits: [u64; WORDS],
    /// Which were set, as far as these are few.
    set: [u16; FEW],
    count: usize,
    /// Between which bytes, of whatever window, are small ones and large ones.
    small: (u64, u64),
    large: (u64, u64),
}

const NOTHING: (u64, u64) = (u64::MAX, 0);

fn join(hull: &mut (u64, u64), span: &Span) {
    *hull = (hull.0.min(span.low), hull.1.max(span.high));
}

#[inline]
fn meets(hull: (u64, u64), span: &Span) -> bool {
    span.low < hull.1 && hull.0 < span.high
}

/// A number for a line, of which others may have the same.
#[inline(always)]
fn line(on: On, line: u64) -> usize {
    let mixed_on = on.bits().rotate_left(32);
    // Added, so that lines at a step lie apart, whatever they are on.
    let mixed = mixed_on
        .wrapping_add(line)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize
}

/// That of each line of a small one.
#[inline]
fn lines(on: On, span: &Span) -> Option<impl Iterator<Item = usize> + use<>> {
    let number = move |number: u64| line(on, number);
    let is_small = span.low < span.high && span.high - span.low <= LINE * LINES;
    let lines = || span.low / LINE..=(span.high - 1) / LINE;
    is_small.then(|| lines().map(number))
}

/// Where the accesses of a list are, and of each line the last one that is not atomic. Its place may be too late, if some have been taken from the
/// list or moved to its front: no access with that line is there then, as what comes behind one has said so itself.
pub struct Places {
    all: Touched,
    newest: [u16; NEWEST],
    /// Whether some are atomic: then nothing is known of the last one.
    have_atomic: bool,
}

/// A power of two.
const NEWEST: usize = 2048;

impl Places {
    pub const fn new() -> Places {
        Places {
            all: Touched::new(),
            newest: [0; NEWEST],
            have_atomic: false,
        }
    }

    /// The access at this place of the list is the last one there.
    #[inline(always)]
    pub fn add(&mut self, on: On, what: What, span: &Span, place: usize) {
        if what.is_atomic() {
            self.have_atomic = true;
            return self.all.add(on, span);
        }
        let Places { all, newest, .. } = self;
        all.add_with(on, span, |line| newest[line % NEWEST] = place as u16);
    }

    /// Whether an access may have bytes of those.
    #[inline]
    pub fn may_meet(&self, on: On, span: &Span) -> bool {
        self.all.may_meet(on, span)
    }

    /// Where the last access is that has bytes of the line of `span`, if it has one line and that one is there.
    #[inline]
    pub fn newest(&self, on: On, span: &Span) -> Option<usize> {
        if self.have_atomic || meets(self.all.large, span) {
            return None;
        }
        let mut lines = lines(on, span)?;
        let line = lines.next()?;
        let is_one = lines.next().is_none();
        is_one.then(|| self.newest[line % NEWEST].into())
    }

    /// Whether those that are not there any more should be taken away.
    #[inline]
    pub fn are_crowded(&self) -> bool {
        self.all.is_crowded()
    }

    /// There are none any more.
    #[inline]
    pub fn clear(&mut self) {
        self.all.clear();
        self.have_atomic = false;
    }
}

/// Where small accesses are that are not atomic, of which the older half is forgotten as a whole, over and over.
pub struct Halves {
    /// As in [`Touched`].
    young: [u64; HALF],
    old: [u64; HALF],
    /// As in [`Places`], by numbers that go on and begin again behind the largest one.
    newest: [u16; NEWEST],
}

const HALF: usize = WORDS / 2;

impl Halves {
    pub const fn new() -> Halves {
        Halves {
            young: [0; HALF],
            old: [0; HALF],
            newest: [0; NEWEST],
        }
    }

    /// The access of this number is the last one there.
    pub fn add(&mut self, on: On, span: &Span, number: u16) {
        for line in lines(on, span).into_iter().flatten() {
            set(&mut self.young, line);
            self.newest[line % NEWEST] = number;
        }
    }

    /// The same, if it has no bytes of those before, as far as that is seen at once: whether that is so; and else which is the last access of its line,
    /// if that one is there.
    ///
    /// Which of these holds cannot be foreseen where programs go anywhere: nothing but values comes of it here.
    #[inline(always)]
    pub fn add_apart(&mut self, on: On, span: &Span, number: u16) -> (bool, u16) {
        let first = span.low / LINE;
        let line = line(on, first);
        let newest = &mut self.newest[line % NEWEST];
        let last = *newest;
        if (span.high - 1) / LINE != first {
            return (false, last);
        }
        let is_apart = !has(&self.old, line) & set(&mut self.young, line);
        *newest = select_unpredictable(is_apart, number, last);
        (is_apart, last)
    }

    /// Whether an access may have bytes of those.
    pub fn may_meet(&self, on: On, span: &Span) -> bool {
        let has = |line| has(&self.old, line) || has(&self.young, line);
        lines(on, span).is_none_or(|mut lines| lines.any(has))
    }

    /// Which is the last access that has bytes of the line of `span`, if it has one line and that one is there.
    pub fn newest(&self, on: On, span: &Span) -> Option<u16> {
        let mut lines = lines(on, span)?;
        let line = lines.next()?;
        let is_one = lines.next().is_none();
        is_one.then(|| self.newest[line % NEWEST])
    }

    /// The old ones are there no more, and all are old.
    pub fn turn(&mut self) {
        self.old = self.young;
        self.young = [0; HALF];
    }

    /// One of those that were added is there no more, nor any that shares a bit with it.
    pub fn take_away(&mut self, on: On, span: &Span) {
        for line in lines(on, span).into_iter().flatten() {
            self.young[line % (64 * HALF) / 64] = 0;
        }
    }

    /// There are none any more.
    pub fn clear(&mut self) {
        (self.young, self.old) = ([0; HALF], [0; HALF]);
    }
}

impl Touched {
    pub const fn new() -> Touched {
        Touched {
            bits: [0; WORDS],
            set: [0; FEW],
            count: 0,
            small: NOTHING,
            large: NOTHING,
        }
    }

    #[inline(always)]
    pub fn add(&mut self, on: On, span: &Span) {
        self.add_with(on, span, |_| ());
    }

    /// The same, and has `with` each of the lines' numbers.
    #[inline(always)]
    fn add_with(&mut self, on: On, span: &Span, mut with: impl FnMut(usize)) {
        let Some(lines) = lines(on, span) else {
            return join(&mut self.large, span);
        };
        join(&mut self.small, span);
        for line in lines {
            with(line);
            if set(&mut self.bits, line) {
                if let Some(place) = self.set.get_mut(self.count) {
                    *place = (line % (64 * WORDS)) as u16;
                }
                self.count += 1;
            }
        }
    }

    /// Whether an access may have bytes of those.
    #[inline]
    pub fn may_meet(&self, on: On, span: &Span) -> bool {
        if meets(self.large, span) {
            return true;
        }
        meets(self.small, span)
            && lines(on, span).is_none_or(|mut lines| lines.any(|line| has(&self.bits, line)))
    }

    /// Whether there are so many bits that some that are not there any more should be taken away.
    #[inline]
    pub fn is_crowded(&self) -> bool {
        self.count > WORDS * 64 / 4
    }

    /// There are none any more.
    #[inline]
    pub fn clear(&mut self) {
        match self.set.get(..self.count) {
            Some(set) => set.iter().for_each(|bit| self.bits[*bit as usize / 64] = 0),
            None => self.bits = [0; WORDS],
        }
        self.count = 0;
        (self.small, self.large) = (NOTHING, NOTHING);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    #[test]
    fn what_meets_is_never_denied() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut touched = Touched::new();
        let (mut denied, mut asked) = (0, 0);
        for round in 0..200 {
            let mut all = Vec::new();
            for _ in 0..1 + random(if round % 2 == 0 { 8 } else { 400 }) {
                let len = if random(50) == 0 { 100 } else { 1 + random(16) };
                let access = (On::new(1 + random(2), 3), Span::run(random(1 << 20), len));
                touched.add(access.0, &access.1);
                all.push(access);
            }
            for _ in 0..200 {
                let (on, span) = (
                    On::new(1 + random(2), 3),
                    Span::run(random(1 << 20), 1 + random(70)),
                );
                let meets = all
                    .iter()
                    .any(|(other, it)| *other == on && it.common(&span).is_some());
                let may = touched.may_meet(on, &span);
                assert!(may || !meets);
                asked += 1;
                denied += u32::from(!may);
            }
            for (on, span) in &all {
                assert!(touched.may_meet(*on, span));
            }
            touched.clear();
            assert!(touched.bits.iter().all(|word| *word == 0));
            assert!(!touched.may_meet(On::new(1, 3), &Span::run(0, 1 << 20)));
        }
        assert!(denied * 3 > asked, "{denied} of {asked}");
    }

    #[test]
    fn the_last_access_of_a_line_is_that_or_unknown() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let (put, add) = (What(Kind::Put as u32), What(Kind::Accumulate as u32));
        let mut places = Places::new();
        let mut all: Vec<(On, Span)> = Vec::new();
        let (mut known, mut right) = (0, 0);
        for round in 0..20_000 {
            let len = if random(500) == 0 {
                100
            } else {
                1 + random(16)
            };
            let (on, span) = (On::new(1 + random(2), 3), Span::run(random(1 << 9), len));
            if let Some(&(other, it)) = places.newest(on, &span).and_then(|at| all.get(at))
                && other == on
                && it.common(&span).is_some()
            {
                let mut others = all.iter().rev();
                let last = others.find(|(other, it)| *other == on && it.common(&span).is_some());
                assert_eq!(last.map(|(_, it)| *it), Some(it), "round {round}");
                known += 1;
            }
            match random(400) {
                // Some are taken away, and the places of the others are not said anew.
                0..10 => drop(all.drain(..all.len() / 2)),
                10..20 => all.retain(|(on, _)| *on == On::new(1, 3)),
                20..25 => {
                    places.clear();
                    all.clear();
                }
                _ => {}
            }
            let what = if round % 5000 > 4900 { add } else { put };
            places.add(on, what, &span, all.len());
            all.push((on, span));
            right += u32::from(places.may_meet(on, &span));
        }
        assert!(known > 500 && right == 20_000, "{known} {right}");
    }

    #[test]
    fn what_is_apart_of_the_young_and_the_old_is_so() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let on = On::new(1, 3);
        let mut halves = Halves::new();
        // The last ones, by their numbers; of these so many are old.
        let mut all: Vec<(u16, Span)> = Vec::new();
        let (mut number, mut fresh, mut apart, mut last) = (0_u16, 0, 0, 0);
        for round in 0..200_000 {
            let span = Span::run(random(1 << 12) * 4, 4 + 4 * random(2));
            let met = all.iter().rfind(|(_, it)| it.common(&span).is_some());
            let met = met.map(|(number, _)| *number);
            assert!(met.is_none() || halves.may_meet(on, &span), "round {round}");
            let (is_apart, newest) = halves.add_apart(on, &span, number);
            assert!(!is_apart || met.is_none(), "round {round}");
            apart += u32::from(is_apart);
            last += u32::from(!is_apart && met == Some(newest));
            if !is_apart && met.is_none() {
                halves.add(on, &span, number);
            }
            if met.is_none() {
                all.push((number, span));
                number = number.wrapping_add(1);
                fresh += 1;
            }
            match random(2000) {
                0 => {
                    halves.clear();
                    all.clear();
                    fresh = 0;
                }
                1..8 => {
                    halves.turn();
                    all.drain(..all.len() - fresh);
                    fresh = 0;
                }
                8 if fresh == all.len() => {
                    all.drain(..).for_each(|(_, it)| halves.take_away(on, &it));
                    assert_eq!((halves.young, halves.old), ([0; HALF], [0; HALF]));
                    fresh = 0;
                }
                _ => {}
            }
        }
        assert!(apart > 100_000 && last > 5_000, "{apart} {last}");
    }
}
