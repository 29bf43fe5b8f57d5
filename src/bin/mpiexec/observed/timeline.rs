//! A time line in the trace event format, which Perfetto and Chromium's `chrome://tracing` open: a process for each rank, a track for
//! each of its threads, calls and the waits in them as slices, messages and locks as arrows (flows).
//!
//! All numbers are whole nanoseconds until they are written, so that what lies within something stays there. Events are in the order
//! of their times. An arrow is written if both of its ends are known.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::atomic::Ordering::Relaxed;

use rmashm::launching::{Happening, Kind, Tables};

use super::figures::{Figures, Rank, Scale};

/// The most bytes of text that an event of a rank comes to.
pub const LONGEST: u64 = 160;

/// One end of an arrow.
#[derive(Clone, Copy)]
struct End {
    rank: usize,
    thread: u32,
    time: u64,
}

/// Something that is written.
struct Line {
    time: u64,
    /// Of those of one time the longest slice comes first, and arrows last.
    order: u64,
    rank: usize,
    thread: u32,
    what: What,
}

enum What {
    Call {
        name: String,
        end: u64,
        bytes: u64,
        unfinished: bool,
    },
    Wait {
        whom: Option<u32>,
        end: u64,
    },
    Arrow {
        name: &'static str,
        number: u64,
        begins: bool,
    },
}

/// Writes it; gives how many events found no room.
pub fn write(figures: &Figures, tables: &Tables, out: &mut impl Write) -> io::Result<u64> {
    let (mut lines, mut lost) = (Vec::new(), 0);
    let mut arrows = Arrows::default();
    writeln!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut separator = "";
    for (number, rank) in figures.here() {
        let block = tables.block(number as u32);
        let written = block.about.events.load(Relaxed);
        lost += written.saturating_sub(block.events.len() as u64);
        names(out, &mut separator, number, rank)?;
        let known = block.events.iter().take(written as usize);
        for event in known.filter_map(|event| event.read()) {
            take(
                &mut lines,
                &mut arrows,
                number,
                rank,
                &event,
                &figures.scale,
            );
        }
        lines.extend(unfinished(number, rank, &figures.scale));
    }
    arrows.draw(&mut lines);
    lines.sort_by_key(|line| (line.time, line.order));
    for line in &lines {
        out.write_all(separator.as_bytes())?;
        separator = ",\n";
        line.write(out)?;
    }
    writeln!(out, "\n],\"otherData\":{{\"lost_events\":{lost}}}}}")?;
    Ok(lost)
}

/// The names of a rank and of its threads. Numbers of processes begin with 1: viewers take 0 for the kernel's.
fn names(out: &mut impl Write, separator: &mut &str, number: usize, rank: &Rank) -> io::Result<()> {
    let process = number + 1;
    write!(
        out,
        "{separator}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{process},\"tid\":0,\
         \"args\":{{\"name\":\"rank {number}\"}}}},\n\
         {{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{process},\"tid\":0,\
         \"args\":{{\"sort_index\":{number}}}}}"
    )?;
    *separator = ",\n";
    for thread in 0..rank.threads {
        write!(
            out,
            ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{process},\"tid\":{},\
             \"args\":{{\"name\":\"thread {thread}\"}}}}",
            track(number, thread)
        )?;
    }
    Ok(())
}

/// The number of a thread's track. Those of different ranks differ, too, as those of the kernel's threads do.
fn track(rank: usize, thread: u32) -> u64 {
    (rank as u64 + 1) * 100_000 + u64::from(thread)
}

fn take(
    lines: &mut Vec<Line>,
    arrows: &mut Arrows,
    number: usize,
    rank: &Rank,
    event: &Happening,
    scale: &Scale,
) {
    let (time, thread) = (scale.nanoseconds(event.time), event.thread);
    let here = End {
        rank: number,
        thread,
        time,
    };
    match event.kind {
        Kind::Call => {
            let name = rank.names.get(event.whom as usize);
            let end = scale.nanoseconds(event.also).max(time);
            let what = What::Call {
                name: name.cloned().unwrap_or_default(),
                end,
                bytes: event.bytes,
                unfinished: false,
            };
            lines.push(Line::slice(here, end, what));
        }
        Kind::Wait => {
            let end = scale.nanoseconds(event.also).max(time);
            let whom = event.whom.checked_sub(1);
            lines.push(Line::slice(here, end, What::Wait { whom, end }));
        }
        Kind::Sent => arrows.sent(number, event.whom as usize, event.also, here),
        Kind::Received => arrows.received(event.whom as usize, number, event.also, here),
        Kind::Freed => arrows.freed.entry(event.also).or_default().push(here),
        Kind::Locked => arrows.locked.push((event.also, here)),
    }
}

/// The call in which a rank ended.
fn unfinished(number: usize, rank: &Rank, scale: &Scale) -> Option<Line> {
    let call = rank.unfinished.as_ref()?;
    let here = End {
        rank: number,
        thread: 0,
        time: scale.nanoseconds(call.since),
    };
    let end = scale.nanoseconds(scale.end);
    let what = What::Call {
        name: call.name.clone(),
        end,
        bytes: 0,
        unfinished: true,
    };
    Some(Line::slice(here, end, what))
}

/// Sender, receiver, context and tag.
type Stream = (usize, usize, u64);

/// The ends of arrows that are known so far.
#[derive(Default)]
struct Arrows {
    messages: HashMap<Stream, (Vec<End>, Vec<End>)>,
    freed: HashMap<u64, Vec<End>>,
    locked: Vec<(u64, End)>,
}

impl Arrows {
    fn sent(&mut self, from: usize, to: usize, about: u64, end: End) {
        self.messages
            .entry((from, to, about))
            .or_default()
            .0
            .push(end);
    }

    fn received(&mut self, from: usize, to: usize, about: u64, end: End) {
        self.messages
            .entry((from, to, about))
            .or_default()
            .1
            .push(end);
    }

    /// All of which both ends are known. A message's arrow leads from the call that sent it to the one in which it met its receive.
    ///
    /// A call is known when it is over: at the end of what found room, or of a rank's life, there are ends of messages whose calls
    /// are not there.
    fn draw(self, lines: &mut Vec<Line>) {
        let mut number = 0;
        let mut last: HashMap<(usize, u32), u64> = HashMap::new();
        for line in lines.iter() {
            if let What::Call { end, .. } = line.what {
                let last = last.entry((line.rank, line.thread)).or_default();
                *last = end.max(*last);
            }
        }
        let is_in_call = |end: &End| last.get(&(end.rank, end.thread)) >= Some(&end.time);
        let mut streams: Vec<_> = self.messages.into_iter().collect();
        streams.sort_by_key(|(stream, _)| *stream);
        for (_, (sent, received)) in streams {
            let both = sent.into_iter().zip(received);
            for (from, to) in both.filter(|(from, to)| is_in_call(from) && is_in_call(to)) {
                number += 1;
                lines.extend(arrow("message", number, from, to));
            }
        }
        for (lock, end) in self.locked.into_iter().filter(|(_, end)| is_in_call(end)) {
            let others = self.freed.get(&lock).into_iter().flatten();
            let before = others
                .filter(|free| free.rank != end.rank && free.time <= end.time && is_in_call(free));
            if let Some(free) = before.max_by_key(|free| free.time) {
                number += 1;
                lines.extend(arrow("lock", number, *free, end));
            }
        }
    }
}

fn arrow(name: &'static str, number: u64, from: End, to: End) -> [Line; 2] {
    let line = |end: End, begins| Line {
        time: end.time,
        order: u64::MAX,
        rank: end.rank,
        thread: end.thread,
        what: What::Arrow {
            name,
            number,
            begins,
        },
    };
    // The clocks of two cores may be some nanoseconds apart.
    let to = End {
        time: to.time.max(from.time),
        ..to
    };
    [line(from, true), line(to, false)]
}

impl Line {
    fn slice(begin: End, end: u64, what: What) -> Line {
        let is_wait = matches!(what, What::Wait { .. });
        Line {
            time: begin.time,
            // A wait as long as its call comes after it.
            order: (u64::MAX / 2 - (end - begin.time)) * 2 + u64::from(is_wait),
            rank: begin.rank,
            thread: begin.thread,
            what,
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (process, track) = (self.rank + 1, track(self.rank, self.thread));
        let time = Microseconds(self.time);
        let place = format_args!("\"pid\":{process},\"tid\":{track},\"ts\":{time}");
        match &self.what {
            What::Call {
                name,
                end,
                bytes,
                unfinished,
            } => {
                let lasts = Microseconds(end - self.time);
                write!(
                    out,
                    "{{\"ph\":\"X\",\"name\":\"{name}\",\"cat\":\"call\",{place},\"dur\":{lasts}"
                )?;
                match (bytes, unfinished) {
                    (_, true) => write!(out, ",\"args\":{{\"unfinished\":true}}}}"),
                    (0, _) => write!(out, "}}"),
                    (bytes, _) => write!(out, ",\"args\":{{\"bytes\":{bytes}}}}}"),
                }
            }
            What::Wait { whom, end } => {
                let lasts = Microseconds(end - self.time);
                write!(
                    out,
                    "{{\"ph\":\"X\",\"name\":\"wait\",\"cat\":\"wait\",{place},\"dur\":{lasts}"
                )?;
                match whom {
                    Some(rank) => write!(out, ",\"args\":{{\"for\":{rank}}}}}"),
                    None => write!(out, "}}"),
                }
            }
            What::Arrow {
                name,
                number,
                begins: true,
            } => write!(
                out,
                "{{\"ph\":\"s\",\"name\":\"{name}\",\"cat\":\"{name}\",\"id\":{number},{place}}}"
            ),
            What::Arrow { name, number, .. } => {
                write!(
                    out,
                    "{{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"{name}\",\"cat\":\"{name}\",\"id\":{number},{place}}}"
                )
            }
        }
    }
}

/// Nanoseconds, written as microseconds.
struct Microseconds(u64);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}
