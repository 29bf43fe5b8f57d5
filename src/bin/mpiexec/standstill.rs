//! A job in which ranks wait in MPI and can never go on, all of them or some for each other, as the
//! [`readings`](crate::readings) say: told with who waits for whom, for what, and where in the program.
//!
//! Where it is certain, the job is ended, unless `-deadlock report` was asked for. Where a thread or a signal's handler of some
//! rank might still do something, it is only told. Where all are in the same collective call (whose counts then differ so much
//! that some give their data to the board and others send it), that is asked about.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rmashm::launching::{Awaited, Node, deadlock};

use crate::places::Modules;
use crate::readings::{Readings, Seen, Verdict};
use crate::report::{Fate, ranks_text};
use crate::supervise::{SHORT_GRACE, Supervisor};
use crate::values::Deadlock;

/// The exit status after a deadlock.
const DEADLOCK: u8 = 55;
/// For how long ranks are waited for that were asked where they are, and how often to look.
const ANSWER: Duration = Duration::from_millis(250);
const SOON: Duration = Duration::from_millis(4);
/// At most so many ranks of a cycle are told, and so many places.
const MOST_STEPS: usize = 12;
const MOST_PLACES: usize = 16;

/// What is known of a standstill.
#[derive(Default)]
pub struct Standstill {
    /// Of each part of the job, by its first rank: parts that are not connected stand still, and go on, each for itself.
    readings: BTreeMap<u32, Readings>,
    /// What is to be told once the ranks have said where they are.
    found: Option<Found>,
    /// The ranks that were told to wait for ever.
    told: Vec<u32>,
    /// Parts of which a doubt was told.
    doubted: Vec<u32>,
}

struct Found {
    /// The dead, or in doubt all that live.
    ranks: Vec<u32>,
    /// The part that they are of.
    part: Vec<u32>,
    is_certain: bool,
    nodes: Vec<Node>,
    until: Instant,
}

impl Standstill {
    /// When to look again, if it is soon.
    pub fn next(&self, now: Instant) -> Option<Instant> {
        match &self.found {
            Some(_) => Some(now + SOON),
            None => {
                let all = self.readings.values();
                all.filter_map(|readings| readings.next(now)).min()
            }
        }
    }
}

impl Supervisor<'_> {
    /// Do ranks wait for each other? Then says what each waits for, and ends the job if that is certain.
    pub fn look_for_standstill(&mut self, now: Instant) {
        if self.ending.is_some() || self.request.deadlock == Some(Deadlock::Off) {
            return;
        }
        if let Some(found) = self.standstill.found.take() {
            let is_told = |rank: &u32| !self.job.segment.place(*rank as usize).is_empty();
            match now >= found.until || found.ranks.iter().all(is_told) {
                true => self.tell(found),
                false => self.standstill.found = Some(found),
            }
            return;
        }
        let ranks = 0..self.job.segment.present() as usize;
        let seen: Vec<Seen> = ranks.map(|rank| self.see(rank)).collect();
        let parts = self.job.segment.parts();
        let is_part = |first: &u32, _: &mut Readings| parts.iter().any(|part| part[0] == *first);
        self.standstill.readings.retain(is_part);
        // What other launchers have started alone is theirs to look at.
        let is_ours = |part: &&Vec<u32>| part.iter().any(|&rank| self.lives(rank));
        let ours: Vec<&Vec<u32>> = parts.iter().filter(is_ours).collect();
        for part in ours {
            if let Some(found) = self.read_part(part, &seen, parts.len() > 1, now) {
                for rank in &found.ranks {
                    self.job.segment.ask_for_place(*rank as usize);
                }
                self.standstill.found = Some(found);
                return;
            }
        }
    }

    /// Does this part of the job stand still?
    fn read_part(
        &mut self,
        part: &[u32],
        seen: &[Seen],
        has_others: bool,
        now: Instant,
    ) -> Option<Found> {
        let first = part[0];
        let mut own = vec![Seen::Elsewhere; seen.len()];
        for &rank in part {
            if let Some(seen) = seen.get(rank as usize) {
                own[rank as usize] = seen.clone();
            }
        }
        let segment = &self.job.segment;
        let is_open = has_others && part.iter().any(|&rank| segment.is_at_port(rank as usize));
        let readings = self.standstill.readings.entry(first).or_default();
        let (ranks, is_certain) = match readings.read(&own, is_open, now) {
            Verdict::Open => return None,
            Verdict::Ask(ranks) => {
                ranks
                    .iter()
                    .for_each(|rank| segment.ask_to_look(*rank as usize));
                return None;
            }
            Verdict::Doubtful if self.standstill.doubted.contains(&first) => return None,
            Verdict::Doubtful => {
                let lives = |rank: &&u32| !matches!(own[**rank as usize], Seen::Ended);
                (part.iter().filter(lives).copied().collect(), false)
            }
            Verdict::Certain(ranks) => (ranks, true),
        };
        let ranks: Vec<u32> = ranks;
        if is_certain && ranks.iter().all(|rank| self.standstill.told.contains(rank)) {
            return None;
        }
        Some(Found {
            ranks,
            part: part.to_vec(),
            is_certain,
            nodes: own.iter().map(Seen::node).collect(),
            until: now + ANSWER,
        })
    }

    fn see(&self, rank: usize) -> Seen {
        let segment = &self.job.segment;
        let is_ours = segment.is_mine(rank as u32);
        if is_ours && !self.lives(rank as u32) || !is_ours && segment.has_ended(rank) {
            return Seen::Ended;
        }
        let reading = segment.rest(rank);
        // Who waits for the launcher will hear from it.
        let waits_for_us = self.unfilled.contains_key(&(rank as u32));
        match segment.is_in_mpi(rank) && !waits_for_us {
            true => Seen::Waits(reading, segment.node(rank, reading)),
            false => Seen::Acts,
        }
    }

    fn tell(&mut self, found: Found) {
        let Found {
            ranks,
            part,
            is_certain,
            ..
        } = &found;
        // A rank may be killed from outside, by a timer of its own too; where others survive that, it is what they go on by.
        let survived = self.one_survives(part);
        let wants_end = self.request.deadlock != Some(Deadlock::Report) && !self.request.no_cleanup;
        let ends = *is_certain && wants_end && !survived;
        let connected = self.connected(ranks);
        let are_all = self.are_all(ranks);
        let text = match (ranks.len(), is_certain) {
            (_, false) => {
                self.standstill.doubted.push(part[0]);
                let who = match are_all {
                    true => "all ranks".to_string(),
                    false => ranks_text(ranks),
                };
                format!(
                    "{who} wait in MPI, and nothing has moved for a minute: unless another thread of theirs still works, or a \
                     signal comes, they wait for ever"
                )
            }
            (1, true) => {
                let who = ranks_text(ranks);
                format!("deadlock: {who} waits in MPI for what nobody will do: it can never go on")
            }
            (_, true) if are_all => {
                let how = if survived {
                    "can go on"
                } else {
                    "can ever go on"
                };
                format!(
                    "deadlock: all ranks wait in MPI, each for what only others could do: none {how}"
                )
            }
            (_, true) => {
                let who = ranks_text(ranks);
                format!(
                    "deadlock: {who} wait in MPI, each for what only another of them could do: none can ever go on"
                )
            }
        };
        let what_follows = match (is_certain, ends, survived) {
            (true, true, _) if self.are_all(&connected) => ", so the job is ended",
            (true, true, _) => ", so they are ended, and those that are connected with them",
            (true, false, true) => ", unless one of them dies",
            _ => "",
        };
        self.job.output.say(&format!("{text}{what_follows}"));
        if *is_certain {
            self.say_cycle(&found);
            self.standstill.told.extend(ranks);
        }
        self.say_waiting(part);
        self.say_places(ranks);
        if let Some(call) = self.one_call(part) {
            let text = format!(
                "do they call {call} on the same communicator, with counts, datatypes and a root that match?"
            );
            self.job.output.say(&text);
        }
        self.say_gone(part);
        if ends {
            self.end_part(&connected, DEADLOCK, SHORT_GRACE);
        }
    }

    /// Says who waits for whom: "rank 0 waits for rank 1, which waits for rank 0".
    fn say_cycle(&mut self, found: &Found) {
        let Found { ranks, nodes, .. } = found;
        // Where all rest, some may wait for what is not known.
        let known = deadlock::dead(nodes);
        let dead = if known.is_empty() { ranks } else { &known };
        if let Some(line) = cycle_line(nodes, dead) {
            self.job.output.say(&line);
        }
    }

    /// Says where in the program the ranks wait, those at the same place in one line.
    fn say_places(&mut self, ranks: &[u32]) {
        let mut modules = Modules::default();
        let mut places: Vec<(String, Vec<u32>)> = Vec::new();
        for &rank in ranks {
            let addresses = self.job.segment.place(rank as usize);
            let Some(process) = self
                .job
                .segment
                .pid(rank as usize)
                .filter(|_| !addresses.is_empty())
            else {
                continue;
            };
            let text = modules.place(process, &addresses).text();
            match places.iter_mut().find(|(known, _)| *known == text) {
                _ if text.is_empty() => {}
                Some((_, ranks)) => ranks.push(rank),
                None => places.push((text, vec![rank])),
            }
        }
        for (text, ranks) in places.iter().take(MOST_PLACES) {
            let line = format!("{} called {text}", ranks_text(ranks));
            self.job.output.say(&line);
        }
        if let Some(more) = places
            .len()
            .checked_sub(MOST_PLACES)
            .filter(|more| *more > 0)
        {
            self.job.output.say(&format!("and {more} more places"));
        }
    }

    /// Whether none is alive but these.
    fn are_all(&self, ranks: &[u32]) -> bool {
        let mut alive = (0..).zip(&self.fates).filter(|(_, fate)| fate.is_none());
        alive.all(|(rank, _)| ranks.contains(&rank))
    }

    /// The collective call that all ranks of the part wait in, if it is one.
    fn one_call(&self, part: &[u32]) -> Option<String> {
        let ranks = part.iter().map(|&rank| rank as usize);
        if ranks.clone().any(|rank| !self.lives(rank as u32)) {
            return None;
        }
        let mut waits = ranks.flat_map(|rank| self.job.segment.waiting_for(rank));
        let first = waits.next()?;
        // Other waits are told with what they wait for.
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let call = first.split(" on ").next().unwrap_or_default();
        let name = call.strip_suffix(" (persistent)").unwrap_or(call);
        let is_call = name.starts_with("MPI_") && name.chars().all(is_name);
        (is_call && waits.all(|other| other == first)).then(|| call.to_string())
    }

    /// Says which ranks the others wait for in vain, perhaps: those that have left.
    fn say_gone(&mut self, part: &[u32]) {
        // Of what others have started it is not known here how it has ended.
        let gone = part.iter().copied();
        let gone = gone.filter(|&rank| self.job.segment.is_mine(rank));
        let gone = gone.filter_map(|rank| Some((rank, (*self.fates.get(rank as usize)?)?)));
        let lines = crate::report::gone_lines(gone.map(|(rank, fate)| (rank, Fate::text(fate))));
        for line in lines {
            self.job.output.say(&line);
        }
    }
}

/// Who of the `dead` waits for whom, from one to the next until somebody comes again; nothing if that is not known.
fn cycle_line(nodes: &[Node], dead: &[u32]) -> Option<String> {
    let (way, again) = deadlock::way(nodes, dead);
    let whom = |rank: u32| match deadlock::awaited(nodes, dead, rank) {
        Awaited::Unknown => None,
        Awaited::All(ranks) => Some((ranks_text(&ranks), ranks.len())),
        Awaited::Any(ranks) if ranks.len() == 1 => Some((ranks_text(&ranks), 1)),
        Awaited::Any(ranks) => Some((format!("any of {}", ranks_text(&ranks)), ranks.len())),
    };
    let mut line = format!("rank {} waits for {}", way.first()?, whom(way[0])?.0);
    for (step, pair) in way.windows(2).enumerate() {
        let (whom_before, next) = (whom(pair[0])?, pair[1]);
        let Some((whom, _)) = whom(next) else {
            break;
        };
        if step + 2 > MOST_STEPS {
            let more = way.len() - step - 1;
            line += &format!(", and so on over {more} more ranks");
            return Some(line);
        }
        line += &match whom_before.1 {
            1 => format!(", which waits for {whom}"),
            _ => format!("; rank {next} waits for {whom}"),
        };
    }
    let ended = |rank: &u32| matches!(nodes[*rank as usize], Node::Ended);
    if again.is_none()
        && let Awaited::All(ranks) | Awaited::Any(ranks) =
            deadlock::awaited(nodes, dead, *way.last()?)
        && ranks.iter().any(ended)
    {
        line += ", which has ended";
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmashm::launching::Need;

    #[test]
    fn cycles_in_words() {
        let each = |ranks: &[u32]| Node::Rests(Need::each(ranks.iter().copied()));
        let any = |ranks: &[u32]| Node::Rests(Need::any(ranks.iter().copied()));
        let line = |nodes: &[Node]| cycle_line(nodes, &deadlock::dead(nodes));
        for (nodes, expected) in [
            (
                vec![each(&[1]), each(&[0])],
                "rank 0 waits for rank 1, which waits for rank 0",
            ),
            (vec![each(&[0]), Node::Acts], "rank 0 waits for rank 0"),
            (
                vec![any(&[0, 1, 2]), each(&[2]), each(&[0])],
                "rank 0 waits for any of ranks 0-2; rank 1 waits for rank 2, which waits for rank 0",
            ),
            (
                vec![each(&[1]), Node::Ended],
                "rank 0 waits for rank 1, which has ended",
            ),
        ] {
            assert_eq!(line(&nodes).as_deref(), Some(expected));
        }
        assert_eq!(line(&[Node::Acts]), None);
        assert_eq!(cycle_line(&[Node::Rests(Need::default())], &[0]), None);
        let ring: Vec<Node> = (0..64).map(|rank| each(&[(rank + 1) % 64])).collect();
        let text = line(&ring).unwrap();
        assert!(
            text.ends_with("rank 12, and so on over 52 more ranks"),
            "{text}"
        );
    }
}
