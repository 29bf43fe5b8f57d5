//! Which cores this process is bound to, and which there are, in words (Open MPI's `OMPI_Affinity_str`).

#![cfg(feature = "openmpi")]

use super::hardware::{Level, part_of};
use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;
use std::collections::BTreeMap;

/// How it is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// `socket 0[core 0[hwt 0-1]], socket 0[core 1[hwt 0-1]]`.
    List,
    /// A picture: `[BB/../..][../../..]`.
    Layout,
}

/// The hardware threads of each core of each package.
type Machine = BTreeMap<i64, BTreeMap<i64, Vec<usize>>>;

fn machine() -> Machine {
    let mut machine = Machine::new();
    for thread in 0..CpuSet::count() {
        let part = |level| part_of(thread, level);
        if let (Some(package), Some(core)) = (part(Level::Package), part(Level::Core)) {
            let cores = machine.entry(package).or_default();
            cores.entry(core).or_default().push(thread);
        }
    }
    machine
}

/// What this process is bound to.
pub fn bound(style: Style) -> String {
    let mine = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
    say_bound(&machine(), style, |thread| mine.is_set(thread) == Ok(true))
}

fn say_bound(machine: &Machine, style: Style, is_mine: impl Fn(usize) -> bool) -> String {
    let mut threads = machine.values().flat_map(BTreeMap::values).flatten();
    if threads.all(|&thread| is_mine(thread)) {
        return "not bound (or bound to all available processors)".into();
    }
    if style == Style::Layout {
        return picture(machine, |thread| if is_mine(thread) { 'B' } else { '.' });
    }
    let mut said = Vec::new();
    for (package, cores) in machine.values().enumerate() {
        for (core, threads) in cores.values().enumerate() {
            let numbers = threads.iter().enumerate();
            let mine = numbers.filter(|&(_, &thread)| is_mine(thread));
            let mine: Vec<usize> = mine.map(|(number, _)| number).collect();
            let hwt = match mine[..] {
                [] => continue,
                [only] => only.to_string(),
                [first, .., last] => format!("{first}-{last}"),
            };
            said.push(format!("socket {package}[core {core}[hwt {hwt}]]"));
        }
    }
    said.join(", ")
}

/// What there is.
pub fn all(style: Style) -> String {
    say_all(&machine(), style)
}

fn say_all(machine: &Machine, style: Style) -> String {
    if style == Style::Layout {
        return picture(machine, |_| '.');
    }
    let packages = machine.values().enumerate();
    let said = packages.map(|(package, cores)| {
        let threads = cores.values().map(Vec::len).max().unwrap_or(0);
        format!(
            "socket {package} has {} cores, {threads} hwt each",
            cores.len()
        )
    });
    said.collect::<Vec<_>>().join("; ")
}

fn picture(machine: &Machine, mark: impl Fn(usize) -> char) -> String {
    let core = |threads: &Vec<usize>| threads.iter().map(|&t| mark(t)).collect::<String>();
    let packages = machine.values().map(|cores| {
        let cores: Vec<String> = cores.values().map(core).collect();
        format!("[{}]", cores.join("/"))
    });
    packages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binding_is_said_in_words_and_drawn() {
        let cores = |from: usize| {
            BTreeMap::from([0, 1].map(|c| (c, vec![from + c as usize, from + c as usize + 4])))
        };
        let machine = Machine::from([(0, cores(0)), (1, cores(2))]);
        let mine = |thread| [1, 2, 6].contains(&thread);
        let list = "socket 0[core 1[hwt 0]], socket 1[core 0[hwt 0-1]]";
        assert_eq!(say_bound(&machine, Style::List, mine), list);
        assert_eq!(say_bound(&machine, Style::Layout, mine), "[../B.][BB/..]");
        assert!(say_bound(&machine, Style::List, |_| true).starts_with("not bound"));
        assert_eq!(say_all(&machine, Style::Layout), "[../..][../..]");
        let all = "socket 0 has 2 cores, 2 hwt each; socket 1 has 2 cores, 2 hwt each";
        assert_eq!(say_all(&machine, Style::List), all);
    }
}
