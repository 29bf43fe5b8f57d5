//! What is shown, as tables of words: on the screen, by --once and in a dump.

use crate::find::{Job, Segment};
use crate::look::{Look, Rate, Rates, bytes, holders, kinds, name};
use crate::words;
use rmashm::seeing::{Counted, Place, Window};

/// A text at the end of a row may be cut to so many letters.
const MOST_CUT: usize = 52;

/// A table. Numbers stand at the right of their columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub is_number: bool,
    /// Left out first where there is no room: 0 never.
    pub spare: u8,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is about: a rank, a place in the list of windows or of jobs.
    pub about: usize,
    pub cells: Vec<String>,
    /// What it is sorted by, for each column that is a number.
    pub order: Vec<f64>,
}

fn number(name: &str, spare: u8) -> Column {
    Column {
        name: name.into(),
        is_number: true,
        spare,
    }
}

fn text(name: &str, spare: u8) -> Column {
    Column {
        is_number: false,
        ..number(name, spare)
    }
}

impl Table {
    /// Takes out the columns that are least missed until the rest fits into so many letters, and cuts the last one.
    pub fn fit(&mut self, width: usize) {
        while self.width() > width.max(1) {
            let spare = self.columns.iter().map(|column| column.spare).max();
            let Some(spare) = spare.filter(|&spare| spare > 0) else {
                break;
            };
            self.columns_out(|column| column.spare == spare);
        }
    }

    fn columns_out(&mut self, out: impl Fn(&Column) -> bool) {
        let stay: Vec<bool> = self.columns.iter().map(|column| !out(column)).collect();
        let mut stays = stay.iter();
        self.columns.retain(|_| stays.next() == Some(&true));
        for row in &mut self.rows {
            let (mut cells, mut order) = (stay.iter(), stay.iter());
            row.cells.retain(|_| cells.next() == Some(&true));
            row.order.retain(|_| order.next() == Some(&true));
        }
    }

    /// Letters of each column.
    pub fn widths(&self) -> Vec<usize> {
        let widest = |at: usize| {
            let cells = self.rows.iter().map(|row| row.cells[at].chars().count());
            cells
                .max()
                .unwrap_or(0)
                .max(self.columns[at].name.chars().count())
        };
        (0..self.columns.len()).map(widest).collect()
    }

    /// Letters of a row. A text at the end may be cut to some.
    fn width(&self) -> usize {
        let mut widths = self.widths();
        if let (Some(last), Some(column)) = (widths.last_mut(), self.columns.last())
            && !column.is_number
        {
            *last = (*last).min(MOST_CUT);
        }
        widths.iter().sum::<usize>() + widths.len().saturating_sub(1)
    }

    /// As lines.
    pub fn text(&self) -> String {
        let widths = self.widths();
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect();
        let lines = [&names]
            .into_iter()
            .chain(self.rows.iter().map(|row| &row.cells));
        let line = |cells: &Vec<String>| {
            let cells = cells.iter().zip(&self.columns).zip(&widths);
            let cells = cells.map(|((cell, column), &width)| match column.is_number {
                true => format!("{cell:>width$}"),
                false => format!("{cell:<width$}"),
            });
            let line: Vec<String> = cells.collect();
            line.join(" ").trim_end().to_string() + "\n"
        };
        lines.map(line).collect()
    }
}

/// The jobs.
pub fn jobs(jobs: &[Job]) -> Table {
    let columns = vec![
        number("PID", 0),
        number("RANKS", 0),
        number("WINDOWS", 2),
        number("SHARED", 1),
        text("PROGRAM", 0),
        text("STATE", 0),
    ];
    let row = |(about, job): (usize, &Job)| {
        let (numbers, program, state) = match (&job.segment, Look::at(job)) {
            (Segment::Other(maker), _) => {
                ([0.0; 3], "-".into(), format!("of another build: {maker}"))
            }
            (_, Ok(look)) => {
                let numbers = [
                    look.seen.ranks.len() as f64,
                    look.windows.len() as f64,
                    look.shared.unwrap_or(0) as f64,
                ];
                (numbers, look.program().to_string(), summary(&look))
            }
            (_, Err(error)) => ([0.0; 3], "-".into(), format!("cannot be read: {error}")),
        };
        let [ranks, windows, shared] = numbers;
        Row {
            about,
            cells: vec![
                job.pid.to_string(),
                words::count(ranks),
                words::count(windows),
                words::bytes(shared),
                program,
                state,
            ],
            order: vec![f64::from(job.pid), ranks, windows, shared, 0.0, 0.0],
        }
    };
    Table {
        columns,
        rows: jobs.iter().enumerate().map(row).collect(),
    }
}

/// How many ranks do what: "6 wait, 2 run".
pub fn summary(look: &Look) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for rank in 0..look.seen.ranks.len() {
        let doing = look.doing(rank);
        match counts.iter_mut().find(|count| count.0 == doing) {
            Some(count) => count.1 += 1,
            None => counts.push((doing, 1)),
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(doing, many)| format!("{many} {doing}"))
        .collect();
    counts.join(", ")
}

/// The ranks of a job.
pub fn ranks(look: &Look, rates: &[Rates]) -> Table {
    let columns = vec![
        number("RANK", 0),
        number("PID", 3),
        text("STATE", 0),
        number("CORE", 2),
        number("CPU%", 0),
        number("MEM", 1),
        number("B/S", 0),
        number("PUT/S", 5),
        number("GET/S", 5),
        number("ACC/S", 5),
        number("SENT/S", 5),
        number("COLL/S", 4),
        number("FILE B/S", 6),
        number("ADOPTED", 6),
        text("WAITS FOR", 0),
    ];
    let row = |(about, rates): (usize, &Rates)| {
        let usage = look.usage[about].as_ref();
        let pid = look.seen.ranks[about].pid;
        let known = |number: Option<f64>, word: fn(f64) -> String| number.map_or("-".into(), word);
        let core = look.core(about).map(f64::from);
        let adopted = look.seen.ranks[about].adopted as f64;
        let memory = usage.map(|usage| usage.memory as f64);
        let file = rates.read.bytes + rates.written.bytes;
        let times = [
            rates.put,
            rates.got,
            rates.accumulated,
            rates.sent,
            rates.collective,
        ];
        let times = times.map(|rate| rate.operations);
        let mut cells = vec![
            about.to_string(),
            known(pid.map(f64::from), |pid| pid.to_string()),
            look.doing(about).to_string(),
            known(core, |core| core.to_string()),
            format!("{:.0}", rates.cpu * 100.0),
            known(memory, words::bytes),
            words::bytes(rates.bytes()),
        ];
        cells.extend(times.map(words::count));
        cells.extend([words::bytes(file), words::bytes(adopted)]);
        cells.push(look.waits(about).join("; "));
        let mut order = vec![
            about as f64,
            pid.map_or(0.0, f64::from),
            0.0,
            core.unwrap_or(-1.0),
            rates.cpu,
            memory.unwrap_or(0.0),
            rates.bytes(),
        ];
        order.extend(times);
        order.extend([file, adopted, 0.0]);
        Row {
            about,
            cells,
            order,
        }
    };
    let mut table = Table {
        columns,
        rows: rates.iter().enumerate().map(row).collect(),
    };
    if look.dumped.is_some() {
        // It is one moment, of which the kernel tells nothing.
        table.columns_out(|column| {
            ["CPU%", "MEM"].contains(&column.name.as_str()) || column.name.ends_with("/S")
        });
    }
    table
}

/// The windows of a job.
pub fn windows(look: &Look) -> Table {
    let columns = vec![
        number("NO", 0),
        text("NAME", 0),
        text("FLAVOUR", 0),
        number("RANKS", 0),
        number("SIZE", 0),
        number("ADOPTED", 3),
        number("EXCL", 1),
        number("SHARED", 1),
        number("WANTED", 0),
        number("LOCK_ALL", 2),
        number("POSTED", 2),
        number("COMM", 4),
        text("HINTS", 1),
    ];
    let row = |(about, window): (usize, &Window)| {
        let parts = &window.parts;
        let sum = |of: &dyn Fn(&rmashm::seeing::Part) -> u64| {
            parts.iter().map(of).fold(0, u64::saturating_add)
        };
        let wanted = wanting(look, about).count();
        let numbers = [
            parts.len() as u64,
            sum(&|part| part.size),
            sum(&|part| {
                if part.place == Place::Adopted {
                    part.size
                } else {
                    0
                }
            }),
            sum(&|part| part.exclusive.is_some().into()),
            sum(&|part| part.shared.into()),
            wanted as u64,
            sum(&|part| part.in_lock_all.into()),
            sum(&|part| part.exposed.into()),
        ];
        let numbers = numbers.map(|number| number as f64);
        let mut cells = vec![about.to_string(), name(window), window.flavor.to_string()];
        cells.push(words::count(numbers[0]));
        cells.extend(numbers[1..3].iter().map(|&size| words::bytes(size)));
        cells.extend(numbers[3..].iter().map(|&many| words::count(many)));
        cells.extend([window.communicator.to_string(), window.hints.clone()]);
        let mut order = vec![about as f64, 0.0, 0.0];
        order.extend(numbers);
        order.extend([f64::from(window.communicator), 0.0]);
        Row {
            about,
            cells,
            order,
        }
    };
    Table {
        columns,
        rows: look.windows.iter().enumerate().map(row).collect(),
    }
}

/// The ranks that wait for something of a window.
fn wanting(look: &Look, window: usize) -> impl Iterator<Item = usize> + '_ {
    use rmashm::seeing::{Wanted, wanted};
    let is_it = move |wanted: Wanted| match wanted {
        Wanted::Lock { window: at, .. }
        | Wanted::Elements { window: at, .. }
        | Wanted::Gate { window: at } => at == window,
    };
    let ranks = look.seen.ranks.iter().enumerate();
    let waits = move |rank: &rmashm::seeing::Rank| {
        rank.waits
            .iter()
            .any(|wait| wanted(&look.windows, wait).is_some_and(is_it))
    };
    ranks
        .filter(move |(_, rank)| waits(rank))
        .map(|(rank, _)| rank)
}

/// The parts of one window.
pub fn parts(look: &Look, window: usize) -> Table {
    let columns = vec![
        number("RANK", 0),
        number("OF JOB", 0),
        number("SIZE", 0),
        number("UNIT", 2),
        text("MEMORY", 0),
        text("LOCK", 0),
        text("EPOCHS", 0),
        text("WANTED BY", 0),
    ];
    let Some(seen) = look.windows.get(window) else {
        return Table {
            columns,
            rows: Vec::new(),
        };
    };
    let row = |(about, part): (usize, &rmashm::seeing::Part)| {
        use rmashm::seeing::{Wanted, wanted};
        let memory = match part.place {
            Place::Segment => "segment",
            Place::Own => "own",
            Place::Adopted => "own, adopted",
            Place::Attached => "attached",
        };
        let mut epochs = Vec::new();
        if part.exposed {
            epochs.push("posted".to_string());
        }
        epochs.extend(words::epoch(part).map(str::to_string));
        if let Some(rank) = part.updating {
            epochs.push(format!("updated by {rank}"));
        }
        let lock = Wanted::Lock {
            window,
            rank: about,
        };
        let waits = |rank: &usize| {
            let waits = &look.seen.ranks[*rank].waits;
            waits
                .iter()
                .any(|wait| wanted(&look.windows, wait) == Some(lock))
        };
        let wanting: Vec<String> = wanting(look, window)
            .filter(waits)
            .map(|rank| rank.to_string())
            .collect();
        let numbers = [
            about as f64,
            f64::from(part.process),
            part.size as f64,
            part.disp_unit as f64,
        ];
        let mut order = numbers.to_vec();
        order.resize(8, 0.0);
        Row {
            about,
            cells: vec![
                about.to_string(),
                part.process.to_string(),
                words::bytes(numbers[2]),
                part.disp_unit.to_string(),
                memory.into(),
                holders(part),
                epochs.join(", "),
                wanting.join(" "),
            ],
            order,
        }
    };
    Table {
        columns,
        rows: seen.parts.iter().enumerate().map(row).collect(),
    }
}

/// What one rank does, by kind.
pub fn rank(look: &Look, rates: &[Rates], rank: usize) -> Table {
    let columns = vec![
        text("KIND", 0),
        number("IN ALL", 0),
        number("BYTES", 0),
        number("A SECOND", 0),
        number("BYTES A SECOND", 0),
    ];
    let (Some(seen), Some(rates)) = (look.seen.ranks.get(rank), rates.get(rank)) else {
        return Table {
            columns,
            rows: Vec::new(),
        };
    };
    let names = [
        "put",
        "got",
        "accumulated",
        "messages sent",
        "collective",
        "read of files",
        "written to files",
    ];
    let row = |(about, (kind, (all, rate))): (usize, (&str, (Counted, Rate)))| {
        let numbers = [
            all.operations as f64,
            all.bytes as f64,
            rate.operations,
            rate.bytes,
        ];
        Row {
            about,
            cells: vec![
                kind.into(),
                words::count(numbers[0]),
                words::bytes(numbers[1]),
                words::count(numbers[2]),
                words::bytes(numbers[3]),
            ],
            order: [&[about as f64], &numbers[..]].concat(),
        }
    };
    Table {
        columns,
        rows: names
            .into_iter()
            .zip(kinds(seen, rates))
            .enumerate()
            .map(row)
            .collect(),
    }
}

/// Who moves how much to or from whom: a row of each rank, a column of each from `first` on; bytes a second, or in all.
pub fn matrix(look: &Look, rates: &[Rates], in_all: bool, first: usize, most: usize) -> Table {
    let ranks = look.seen.ranks.len();
    let shown = first.min(ranks)..first.saturating_add(most).min(ranks);
    let mut columns = vec![
        number("RANK", 0),
        number(if in_all { "ALL B" } else { "ALL B/S" }, 0),
    ];
    columns.extend(shown.clone().map(|to| number(&to.to_string(), 0)));
    let row = |(about, rates): (usize, &Rates)| {
        let cell = |to: usize| match in_all {
            true => bytes(&look.seen.ranks[about].moved[to]) as f64,
            false => rates.moved.get(to).copied().unwrap_or(0.0),
        };
        let all: f64 = (0..ranks).map(cell).sum();
        let numbers: Vec<f64> = [about as f64, all]
            .into_iter()
            .chain(shown.clone().map(cell))
            .collect();
        let small = |&number: &f64| {
            if number == 0.0 {
                ".".into()
            } else {
                words::bytes(number)
            }
        };
        let mut cells: Vec<String> = numbers.iter().map(small).collect();
        cells[0] = about.to_string();
        Row {
            about,
            cells,
            order: numbers,
        }
    };
    Table {
        columns,
        rows: rates.iter().enumerate().map(row).collect(),
    }
}

/// The pairs of ranks of which one has moved something to or from the other.
pub fn pairs(look: &Look) -> Table {
    let columns = vec![number("RANK", 0), number("OTHER", 0), number("BYTES", 0)];
    let ranks = look.seen.ranks.iter().enumerate();
    let of = |(rank, seen): (usize, &rmashm::seeing::Rank)| {
        let moved = seen
            .moved
            .iter()
            .map(bytes)
            .enumerate()
            .filter(|moved| moved.1 > 0);
        let row = |(other, bytes): (usize, u64)| Row {
            about: rank,
            cells: vec![
                rank.to_string(),
                other.to_string(),
                words::bytes(bytes as f64),
            ],
            order: vec![rank as f64, other as f64, bytes as f64],
        };
        moved.map(row).collect::<Vec<_>>()
    };
    Table {
        columns,
        rows: ranks.flat_map(of).collect(),
    }
}
