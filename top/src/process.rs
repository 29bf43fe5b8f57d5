//! What the kernel tells of a process.

use rmashm::seeing::read_proc;

/// One look at a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// The kernel's letter: R runs, S sleeps, T is stopped, Z has ended...
    pub state: char,
    /// Nanoseconds of a core's time that it has had.
    pub time: u64,
    /// Where it ran last.
    pub core: u32,
    /// Bytes of memory that it has, the shared ones that it has touched included.
    pub memory: u64,
    pub program: String,
}

impl Usage {
    /// Of a process, if it is there.
    pub fn of(pid: u32) -> Option<Usage> {
        parse(&read_proc(&format!("/proc/{pid}/stat"))?, page(), tick())
    }
}

/// What stands in /proc/PID/stat. The name of the program may have spaces and parentheses in it.
fn parse(stat: &str, page: u64, tick: u64) -> Option<Usage> {
    let (before, behind) = stat.rsplit_once(')')?;
    // One that ends a line would end one of a table.
    let program = before.split_once('(')?.1.replace(char::is_control, "?");
    let fields: Vec<&str> = behind.split_whitespace().collect();
    // The first of these is the third of proc(5).
    let number = |at: usize| fields.get(at - 3)?.parse::<u64>().ok();
    Some(Usage {
        state: fields.first()?.chars().next()?,
        time: (number(14)? + number(15)?) * tick,
        memory: number(24)? * page,
        core: number(39)? as u32,
        program,
    })
}

fn page() -> u64 {
    nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE)
        .ok()
        .flatten()
        .unwrap_or(4096) as u64
}

/// Nanoseconds of the kernel's ticks.
fn tick() -> u64 {
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK)
        .ok()
        .flatten();
    1_000_000_000 / ticks.unwrap_or(100).max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_may_be_anything() {
        let rest = "R 1 2 3 4 5 6 7 8 9 10 70 30 15 16 17 18 19 20 21 22 1000 24 25 26 27 28 29 30 31 32 33 34 35 36 37 5";
        let usage = parse(&format!("42 (a) (b c) {rest}"), 4096, 10).unwrap();
        assert_eq!(usage.program, "a) (b c");
        let usage = parse(&format!("42 (a\nb) {rest}"), 4096, 10).unwrap();
        assert_eq!(usage.program, "a?b");
        assert_eq!((usage.state, usage.time, usage.core), ('R', 1000, 5));
        assert_eq!(usage.memory, 1000 * 4096);
        assert_eq!(parse("42 (cut", 4096, 10), None);
        assert_eq!(parse("42 (cut) R 1", 4096, 10), None);
    }

    #[test]
    fn this_process_is_there() {
        let usage = Usage::of(std::process::id()).unwrap();
        assert!(usage.memory > 0 && usage.state != 'Z');
    }
}
