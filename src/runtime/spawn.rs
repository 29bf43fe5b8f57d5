//! Processes that are started later: what a rank asks its launcher for, and the launcher's answer, in the segment.
//!
//! The rank writes what it wants into a block of its own, puts the block's place into its entry of the process table, and sends
//! the launcher a signal that nobody else sends it. The launcher looks at all entries then, and now and then besides, as it may
//! have another number where the rank is.
//!
//! | state    | set by   | when                                                           |
//! |----------|----------|----------------------------------------------------------------|
//! | 0        | rank     | it writes what it wants                                        |
//! | Asked    | rank     | before its entry names the block                               |
//! | Answered | launcher | the processes are there, or are not to be; the rank is rung    |
//!
//! The block is freed after the answer, and may be something else when the launcher comes to look at it, or the next request, half
//! written. So the launcher asks the entry once more when it has seen that something is asked for: if that still names the block, all
//! of the request is there, and stays until it is answered.
//!
//! The launcher alone gives out places in the table, so two that ask at the same time get different ones. It gives those of a world that
//! has ended again, when no other place is left. A place has a **generation**, by which the others see that another process has come
//! to it. Which worlds are over:
//!
//! | its processes                 | their places are given again                                                          |
//! |-------------------------------|---------------------------------------------------------------------------------------|
//! | all have ended in order, and had met those that have asked for them | at once: nobody waits for them, and what they have sent is taken out of their rings    |
//! | some have died, or had not met those | when no process in MPI has a communicator, window, file or group with one of them ([ties](super::ties)): until then it may wait for the dead, or ask for them, and has to hear of their end |
//! | one has died at a port        | the same, when it was taken away from [there](super::port) |
//! | one has quit                  | never: nobody has decided yet whether that was a death                                 |

use super::table::Table;
use super::ties::Why;
use super::{Waiting, cores, job, me, starter, wait};
use crate::error::{Class, Error, Result};
use crate::shm::atomic::{AtomicU32, AtomicU64, Ordering, full_fence};
use crate::shm::heap::{self, Owned};
use crate::shm::segment::{Segment, segment};
use crate::shm::{LINE, Offset};
use crate::{bail, err};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// The signal that tells the launcher to look. What gets it by mistake ignores it.
pub const ORDER: Signal = Signal::SIGURG;

/// The hint that tells the folder in which the rank is that asks.
pub const HERE: &str = "rmashm_here";

const ASKED: u32 = 1;
const ANSWERED: u32 = 2;
/// Words of the sentence in an answer.
const SAID_WORDS: usize = 64;
/// More bytes than this are no request.
const MOST: usize = 64 << 20;

/// A program, and how many processes are to run it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub command: Vec<u8>,
    pub arguments: Vec<Vec<u8>>,
    /// How many processes are asked for: so many have an error code.
    pub most: u32,
    /// How many processes: the numbers that will do, the one wanted first.
    pub numbers: Vec<u32>,
    /// The program's hints for its start.
    pub hints: Vec<(Vec<u8>, Vec<u8>)>,
}

/// What was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Started {
    /// The rank in the job of the first.
    pub first: u32,
    /// How many processes run each of the programs.
    pub sizes: Vec<u32>,
}

/// What lies in the segment: behind it a number for each program, then the words of the request.
#[repr(C, align(128))]
struct Block {
    state: AtomicU32,
    programs: AtomicU32,
    /// Bytes of the request.
    len: AtomicU32,
    /// The number of an error's class; 0: what is asked for is there.
    class: AtomicU32,
    /// Bytes of the error's sentence.
    said: AtomicU32,
    first: AtomicU32,
    sentence: [AtomicU64; SAID_WORDS],
}

/// The request as strings, as C has them: a zero byte ends each.
fn write(programs: &[Program]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut put = |word: &[u8]| {
        text.extend(word.iter().take_while(|&&byte| byte != 0));
        text.push(0);
    };
    let put_number = |number: usize, put: &mut dyn FnMut(&[u8])| put(number.to_string().as_bytes());
    for program in programs {
        put(&program.command);
        put_number(program.arguments.len(), &mut put);
        program.arguments.iter().for_each(|word| put(word));
        put_number(program.most as usize, &mut put);
        put_number(program.numbers.len(), &mut put);
        for &number in &program.numbers {
            put_number(number as usize, &mut put);
        }
        put_number(program.hints.len(), &mut put);
        for (key, value) in &program.hints {
            put(key);
            put(value);
        }
    }
    text
}

/// Reads `count` programs. `None` for what is no request: any process that maps the segment can write there, by mistake.
fn read(text: &[u8], count: usize) -> Option<Vec<Program>> {
    let mut words: VecDeque<&[u8]> = text.split(|&byte| byte == 0).collect();
    fn number(words: &mut VecDeque<&[u8]>) -> Option<usize> {
        let number = std::str::from_utf8(words.pop_front()?).ok()?.parse().ok()?;
        // There are as many words at least.
        (number <= words.len()).then_some(number)
    }
    fn take(words: &mut VecDeque<&[u8]>) -> Option<Vec<u8>> {
        words.pop_front().map(<[u8]>::to_vec)
    }
    let mut programs = Vec::new();
    for _ in 0..count {
        let command = take(&mut words)?;
        let arguments = (0..number(&mut words)?).map(|_| take(&mut words));
        let arguments = arguments.collect::<Option<_>>()?;
        let one = |word: &[u8]| std::str::from_utf8(word).ok()?.parse().ok();
        let most = one(words.pop_front()?)?;
        let count = number(&mut words)?;
        let numbers = (0..count).map(|_| one(words.pop_front()?));
        let numbers = numbers.collect::<Option<_>>()?;
        let count = number(&mut words)?;
        let hints = (0..count).map(|_| Some((take(&mut words)?, take(&mut words)?)));
        let hints = hints.collect::<Option<_>>()?;
        programs.push(Program {
            command,
            arguments,
            most,
            numbers,
            hints,
        });
    }
    Some(programs)
}

/// Starts processes of `programs`. Blocks until they exist, or it is certain that they will not.
///
/// Their world is noted as named, for the caller to keep by [`Ties`](super::ties::Ties) of its own.
///
/// Errors: `MPI_ERR_SPAWN` (what the launcher says), `MPI_ERR_NO_MEM`, `MPI_ERR_INFO_VALUE`.
pub fn start(programs: &[Program], call: &str) -> Result<Started> {
    // An entry has room for one request.
    static ASKING: Mutex<()> = Mutex::new(());
    let _one = ASKING.lock();
    let starter = starter::find(call)?;
    let text = write(programs);
    if text.len() > MOST || programs.len() > MOST {
        bail!(
            Spawn,
            "{call} is given {} bytes of commands, arguments and hints, and can take {MOST}",
            text.len()
        );
    }
    let len = size_of::<Block>() + programs.len() * 4 + text.len();
    let owned = Owned::new(heap::alloc_zeroed(len, LINE)?);
    let request = Request::at(segment(), owned.offset());
    request
        .block
        .programs
        .store(programs.len() as u32, Ordering::Relaxed);
    request
        .block
        .len
        .store(text.len() as u32, Ordering::Relaxed);
    // SAFETY: the block was just allocated with room for it, and nobody else knows of it.
    unsafe {
        request
            .text()
            .copy_from_nonoverlapping(text.as_ptr(), text.len())
    };
    request.block.state.store(ASKED, Ordering::Release);
    me().asked_to_start
        .store(owned.offset() as u64, Ordering::Release);
    full_fence();
    if starter::is_known_here(&job().table) {
        // Where it cannot be reached so, it looks by itself.
        let _ = kill(Pid::from_raw(starter.process as i32), ORDER);
    }
    let what = || format!("{call}: waiting for the launcher to start the processes");
    let waited = wait(&Waiting::alone(&what), || {
        request.is_answered() || starter::is_lost(starter)
    });
    me().asked_to_start.store(0, Ordering::Release);
    if !request.is_answered() {
        // Where it lives it may still write its answer there.
        std::mem::forget(owned);
        waited?;
        bail!(
            Spawn,
            "{call}: the launcher's helper (pid {}) was killed before it had started the processes",
            starter.process
        );
    }
    request.answer()
}

/// A request in the segment.
#[derive(Clone, Copy)]
pub(super) struct Request {
    segment: &'static Segment,
    offset: Offset,
    block: &'static Block,
}

impl Request {
    fn at(segment: &'static Segment, offset: Offset) -> Request {
        // SAFETY: the offset was told for a block of atomics, which is mapped here.
        let block = unsafe { &*segment.at::<Block>(offset) };
        Request {
            segment,
            offset,
            block,
        }
    }

    /// The one that the rank has made, if it has made one that has no answer yet; and what it asks for.
    pub(super) fn of(
        table: &Table,
        segment: &'static Segment,
        rank: usize,
    ) -> Option<(Request, Vec<Program>)> {
        let asked = || table.processes[rank].asked_to_start.load(Ordering::Acquire) as Offset;
        let offset = asked();
        if offset == 0 || !offset.is_multiple_of(LINE) {
            return None;
        }
        segment.reach(offset, size_of::<Block>()).ok()?;
        let request = Request::at(segment, offset);
        if request.block.state.load(Ordering::Acquire) != ASKED || asked() != offset {
            return None;
        }
        let count = request.block.programs.load(Ordering::Relaxed) as usize;
        let len = request.block.len.load(Ordering::Relaxed) as usize;
        if len > MOST || count > MOST {
            return None;
        }
        segment
            .reach(offset, size_of::<Block>() + count * 4 + len)
            .ok()?;
        let mut text = vec![0; len];
        // SAFETY: so much is mapped behind the block; its rank does not write there until there is an answer.
        unsafe {
            request
                .text()
                .copy_to_nonoverlapping(text.as_mut_ptr(), len)
        };
        Some((request, read(&text, count)?))
    }

    fn is_answered(&self) -> bool {
        self.block.state.load(Ordering::Acquire) == ANSWERED
    }

    fn sizes(&self) -> &[AtomicU32] {
        let first = self
            .segment
            .at::<AtomicU32>(self.offset + size_of::<Block>());
        let count = self.block.programs.load(Ordering::Relaxed) as usize;
        // SAFETY: the block has so many numbers behind it.
        unsafe { std::slice::from_raw_parts(first, count) }
    }

    fn text(&self) -> *mut u8 {
        let sizes = self.block.programs.load(Ordering::Relaxed) as usize * 4;
        self.segment.at(self.offset + size_of::<Block>() + sizes)
    }

    /// The launcher's part: says what became of it, and rings the rank.
    pub(super) fn settle(&self, table: &Table, rank: usize, outcome: &Result<Started>) {
        let block = self.block;
        match outcome {
            Ok(started) => {
                block.first.store(started.first, Ordering::Relaxed);
                // In its name, as it may be late: if they have ended by then, it has to hear of that.
                table.note(rank as u32, Why::Named, started.first);
                for (to, &size) in self.sizes().iter().zip(&started.sizes) {
                    to.store(size, Ordering::Relaxed);
                }
            }
            Err(error) => {
                block.class.store(error.class as u32, Ordering::Relaxed);
                let bytes = &error.text.as_bytes()[..error.text.len().min(SAID_WORDS * 8)];
                for (word, chunk) in block.sentence.iter().zip(bytes.chunks(8)) {
                    let mut padded = [0; 8];
                    padded[..chunk.len()].copy_from_slice(chunk);
                    word.store(u64::from_ne_bytes(padded), Ordering::Relaxed);
                }
                block.said.store(bytes.len() as u32, Ordering::Relaxed);
            }
        }
        block.state.store(ANSWERED, Ordering::Release);
        full_fence();
        table.processes[rank].ring_sleepers();
    }

    fn answer(&self) -> Result<Started> {
        let block = self.block;
        let class = block.class.load(Ordering::Relaxed);
        if class == 0 {
            let sizes = self.sizes().iter();
            return Ok(Started {
                first: block.first.load(Ordering::Relaxed),
                sizes: sizes.map(|size| size.load(Ordering::Relaxed)).collect(),
            });
        }
        let words = block.sentence.iter();
        let bytes: Vec<u8> = words
            .flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes())
            .collect();
        let said = block.said.load(Ordering::Relaxed) as usize;
        let sentence = String::from_utf8_lossy(&bytes[..said.min(bytes.len())]);
        let class = Class::of(class as i32).unwrap_or(Class::Spawn);
        Err(Error::new(class, sentence.into_owned()))
    }
}

/// How many processes can usefully run at a time: what the launcher's user says; else one for each core, and one more than were started together at least, where others
/// can be started: a program takes what is no more for none.
pub fn universe() -> u32 {
    match job().table.job.universe.load(Ordering::Relaxed) {
        0 => {}
        said => return said,
    }
    match starter::can_be_found() {
        true => cores::usable().max(job().ranks + 1),
        false => job().ranks,
    }
}

/// The process that has asked for this one's world, by its rank in the job; `None`: a user has.
pub fn spawner() -> Option<u32> {
    let job = job();
    let spawner = job.table.world(job.rank).spawner.load(Ordering::Relaxed);
    spawner.checked_sub(1)
}

/// No job has more processes.
const LARGEST: u32 = 1 << 16;

/// The numbers that `soft` names, of at most `most`, the largest first: a list of `a`, `a:b` and `a:b:c` (MPI 4.1 §11.8.4). `most`
/// itself is one only if it is named.
///
/// Error: `MPI_ERR_INFO_VALUE`.
pub fn soft(text: &str, most: u32) -> Result<Vec<u32>> {
    let wrong = |part: &str| {
        err!(
            InfoValue,
            "the info key soft is \"{text}\", in which \"{part}\" is no number and no range first:last:step"
        )
    };
    let mut numbers = Vec::new();
    for part in text.split(',').map(str::trim) {
        let number = |text: &str| text.trim().parse::<i64>().map(i128::from);
        // Differences of two fit.
        let parts: Vec<i128> = part
            .split(':')
            .map(|text| number(text).map_err(|_| wrong(part)))
            .collect::<Result<_>>()?;
        let (first, last, step) = match *parts {
            [one] => (one, one, 1),
            [first, last] => (first, last, 1),
            [first, last, step] if step != 0 => (first, last, step),
            _ => return Err(wrong(part)),
        };
        let all = 0..=i128::from(most.min(LARGEST));
        numbers.extend(all.filter(|&number| {
            let between = match step > 0 {
                true => first <= number && number <= last,
                false => last <= number && number <= first,
            };
            between && (number - first) % step == 0
        }));
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers
        .into_iter()
        .rev()
        .map(|number| number as u32)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(command: &str, arguments: &[&str], numbers: &[u32]) -> Program {
        Program {
            command: command.into(),
            arguments: arguments.iter().map(|&word| word.into()).collect(),
            most: 7,
            numbers: numbers.into(),
            hints: vec![(b"wdir".into(), b"/a b".into()), (b"x".into(), b"".into())],
        }
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let programs = [
            program("./a", &[], &[3]),
            program("b", &["", "c d", "\u{e9}"], &[4, 2, 0]),
            Program::default(),
        ];
        let text = write(&programs);
        assert_eq!(read(&text, 3).as_deref(), Some(&programs[..]));
        assert_eq!(read(&text, 0), Some(Vec::new()));
        // What is cut anywhere, or is something else, is no request or another one.
        for len in 0..text.len() {
            let _ = read(&text[..len], 3);
        }
        assert_eq!(read(&text[..20], 3), None);
        assert_eq!(read(&[7; 100], 1), None);
    }

    #[test]
    fn soft_names_numbers() {
        let some = |text| soft(text, 10).unwrap();
        assert_eq!(some("3"), [3]);
        assert_eq!(some("1,5, 2"), [5, 2, 1]);
        assert_eq!(some("2:4"), [4, 3, 2]);
        assert_eq!(some("0:10:4"), [8, 4, 0]);
        assert_eq!(some("9:3:-3,20"), [9, 6, 3]);
        assert_eq!(some("11:99"), [0; 0]);
        assert_eq!(some("-9223372036854775808:2:9223372036854775807"), [0; 0]);
        assert_eq!(some("9223372036854775807:0:-1"), some("0:10"));
        assert_eq!(soft("0:2147483647", u32::MAX).unwrap().len(), 65537);
        for wrong in ["", "a", "1:2:0", "1:2:3:4", "1,,2", "1:"] {
            assert_eq!(
                soft(wrong, 10).unwrap_err().class,
                Class::InfoValue,
                "{wrong}"
            );
        }
    }

    /// Whatever it says, it names numbers up to the most, each once, or it is wrong.
    #[test]
    fn any_soft_is_read() {
        arbtest::arbtest(|drawn| {
            let most = drawn.int_in_range(0..=1000)?;
            let mut text = String::new();
            for _ in 0..drawn.int_in_range(0..=8)? {
                let number = drawn.arbitrary::<i64>()?;
                match drawn.int_in_range(0..=3)? {
                    0 => text.push_str(&number.to_string()),
                    1 => text.push_str(&(number % 1000).to_string()),
                    2 => text.push(','),
                    _ => text.push(':'),
                }
            }
            match soft(&text, most) {
                Ok(numbers) => {
                    assert!(numbers.iter().all(|&number| number <= most), "{text}");
                    assert!(numbers.is_sorted_by(|a, b| a > b), "{text}");
                }
                Err(error) => assert_eq!(error.class, Class::InfoValue, "{text}"),
            }
            Ok(())
        })
        .budget_ms(300);
    }
}
