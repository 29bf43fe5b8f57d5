//! The ranks' output: pipes in, whole lines out.
//!
//! Each rank has a [`Source`] for stdout and one for stderr; what it wrote is handed on to a [`Sink`] in whole lines.
//! A line that is not complete waits in its source: until it is, until the rank closes the pipe, or until it has grown
//! to [`LONGEST_LINE`], when it is passed on in pieces. Should another rank's output follow an incomplete line, a newline
//! is put between. A sink whose reader is slow lets its sources wait, and so the ranks, instead of growing.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::epoll::{Epoll, EpollEvent, EpollFlags};
use nix::unistd::write;
use parking_lot::Mutex;

/// An incomplete line longer than this is not kept together.
const LONGEST_LINE: usize = 256 << 10;
/// A sink that holds more than this stops reading from its sources.
const FULL: usize = 1 << 20;
/// A pipe that can be written to takes this much without blocking, and takes it whole (`PIPE_BUF`).
const PIPE_PIECE: usize = 4096;
/// Where a pipe is read to: all that a pipe holds. Memory of the system from the first read on only, so that ranks are not
/// started with copies of it.
static SCRATCH: Mutex<[u8; 64 << 10]> = Mutex::new([0; 64 << 10]);
/// How long an incomplete line (a prompt) of rank 0 waits, if a person sits at the terminal.
const PROMPT_DELAY: Duration = Duration::from_millis(150);

/// Epoll's name for what has happened; sinks and sources share the number space with the caller's own events, which
/// begin at 0.
const SOURCE: u64 = 1 << 32;
const SINK: u64 = 2 << 32;

/// Where output goes.
struct Sink {
    file: File,
    device: (u64, u64),
    regular: bool,
    queue: Vec<u8>,
    written: usize,
    /// Who wrote the incomplete line at the queue's end.
    amid: Option<usize>,
    /// Epoll watches for room.
    waiting: bool,
    /// Its sources are not being read.
    full: bool,
    failed: Option<Errno>,
}

/// Where output comes from.
struct Source {
    pipe: Option<OwnedFd>,
    sink: usize,
    rank: u32,
    incomplete: Vec<u8>,
    since: Option<Instant>,
    watched: bool,
}

/// All output of the job, and the launcher's own messages.
pub struct Output {
    epoll: Epoll,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    files: HashMap<PathBuf, usize>,
    /// What each line begins with: a pattern.
    prefix: Option<OsString>,
    prompts: bool,
    open: usize,
}

/// The sinks that are the launcher's own stdout and stderr.
pub const STDOUT: usize = 0;

impl Output {
    pub fn new(epoll: Epoll, prefix: Option<OsString>) -> io::Result<Output> {
        let mut output = Output {
            epoll,
            sources: Vec::new(),
            sinks: Vec::new(),
            files: HashMap::new(),
            prefix,
            prompts: io::stdin().is_terminal() && io::stdout().is_terminal(),
            open: 0,
        };
        let stdout = io::stdout().as_fd().try_clone_to_owned()?;
        let stderr = io::stderr().as_fd().try_clone_to_owned()?;
        output.add_sink(stdout.into())?;
        output.add_sink(stderr.into())?;
        Ok(output)
    }

    fn add_sink(&mut self, file: File) -> io::Result<usize> {
        use std::os::unix::fs::MetadataExt;
        let meta = file.metadata()?;
        self.sinks.push(Sink {
            device: (meta.dev(), meta.ino()),
            regular: meta.is_file(),
            file,
            queue: Vec::new(),
            written: 0,
            amid: None,
            waiting: false,
            full: false,
            failed: None,
        });
        Ok(self.sinks.len() - 1)
    }

    /// The sink for stderr: stdout's if both are the same file, so that lines do not mix there either.
    pub fn stderr(&self) -> usize {
        if self.sinks[0].device == self.sinks[1].device {
            0
        } else {
            1
        }
    }

    /// The sink for a file of this name; made, and emptied, when first asked for.
    pub fn file(&mut self, path: PathBuf) -> io::Result<usize> {
        if let Some(sink) = self.files.get(&path) {
            return Ok(*sink);
        }
        let sink = self.add_sink(File::create(&path)?)?;
        self.files.insert(path, sink);
        Ok(sink)
    }

    /// Makes a pipe whose writing end is a rank's stdout or stderr; gives that end.
    pub fn pipe(&mut self, rank: u32, sink: usize) -> io::Result<OwnedFd> {
        let (reader, writer) = nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
        // Only the reading end must not block: the two ends are different open files.
        nix::fcntl::fcntl(
            &reader,
            nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK),
        )?;
        let key = SOURCE | self.sources.len() as u64;
        self.epoll
            .add(&reader, EpollEvent::new(EpollFlags::EPOLLIN, key))?;
        self.open += 1;
        self.sources.push(Source {
            pipe: Some(reader),
            sink,
            rank,
            incomplete: Vec::new(),
            since: None,
            watched: true,
        });
        Ok(writer)
    }

    /// Has every pipe been closed by all who could write to it?
    pub fn is_over(&self) -> bool {
        self.open == 0
    }

    /// Has everything been handed on that can be?
    pub fn is_flushed(&self) -> bool {
        self.sinks.iter().all(|sink| sink.queue.is_empty())
    }

    /// Does a slow reader hold output up?
    pub fn is_held_up(&self) -> bool {
        self.sinks.iter().any(|sink| sink.waiting)
    }

    /// Why stdout, or a file of `-outfile-pattern`/`-errfile-pattern`, can no longer be written to.
    pub fn failure(&self) -> Option<Errno> {
        let stderr = 1;
        let mut sinks = self
            .sinks
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != stderr);
        sinks.find_map(|(_, sink)| sink.failed)
    }

    /// Says something as the launcher, on stderr.
    pub fn say(&mut self, text: &str) {
        self.push(self.stderr(), None, format!("mpiexec: {text}\n").as_bytes());
    }

    /// Prints a line on stdout.
    pub fn print(&mut self, line: &str) {
        self.push(STDOUT, None, format!("{line}\n").as_bytes());
    }

    /// Handles an epoll event if it is one of the output's.
    pub fn handle(&mut self, event: EpollEvent) {
        let number = event.data() as u32 as usize;
        match event.data() & !0xffff_ffff {
            SOURCE => self.read(number),
            SINK => self.drain(number),
            _ => {}
        }
    }

    /// When [`Output::show_prompts`] has to be called, at the latest.
    pub fn next_prompt(&self) -> Option<Instant> {
        let waiting = self
            .sources
            .iter()
            .filter(|source| self.prompts && source.rank == 0);
        waiting
            .filter_map(|source| source.since)
            .min()
            .map(|since| since + PROMPT_DELAY)
    }

    /// Passes on incomplete lines of rank 0 that have waited, where a person is meant to answer them.
    pub fn show_prompts(&mut self, now: Instant) {
        for number in 0..self.sources.len() {
            let source = &mut self.sources[number];
            let due = source
                .since
                .is_some_and(|since| now >= since + PROMPT_DELAY);
            if self.prompts && source.rank == 0 && due {
                let bytes = std::mem::take(&mut source.incomplete);
                source.since = None;
                self.push_lines(number, &bytes);
            }
        }
    }

    fn read(&mut self, number: usize) {
        let source = &mut self.sources[number];
        let Some(pipe) = &source.pipe else { return };
        let mut scratch = SCRATCH.lock();
        match nix::unistd::read(pipe, &mut *scratch) {
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Ok(0) | Err(_) => self.close(number),
            Ok(count) => self.take(number, &scratch[..count]),
        }
    }

    /// Takes what a rank wrote: whole lines go on, the rest waits.
    fn take(&mut self, number: usize, bytes: &[u8]) {
        let source = &mut self.sources[number];
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let mut incomplete = std::mem::take(&mut source.incomplete);
        if whole > 0 {
            if incomplete.is_empty() {
                self.push_lines(number, &bytes[..whole]);
            } else {
                incomplete.extend_from_slice(&bytes[..whole]);
                self.push_lines(number, &incomplete);
                incomplete.clear();
            }
        }
        incomplete.extend_from_slice(&bytes[whole..]);
        if incomplete.len() >= LONGEST_LINE {
            self.push_lines(number, &incomplete);
            incomplete.clear();
        }
        let source = &mut self.sources[number];
        source.since = (!incomplete.is_empty()).then(Instant::now);
        source.incomplete = incomplete;
    }

    /// The rank, and whoever inherited its pipe, will write no more.
    fn close(&mut self, number: usize) {
        let source = &mut self.sources[number];
        if source.watched
            && let Some(pipe) = &source.pipe
        {
            let _ = self.epoll.delete(pipe);
        }
        source.pipe = None;
        source.watched = false;
        source.since = None;
        self.open -= 1;
        let rest = std::mem::take(&mut source.incomplete);
        if !rest.is_empty() {
            self.push_lines(number, &rest);
        }
    }

    /// Gives up on all pipes that are still open: takes what is in them now, and closes them.
    pub fn close_all(&mut self) {
        for number in 0..self.sources.len() {
            let Some(pipe) = self.sources[number].pipe.take() else {
                continue;
            };
            let _ = self.epoll.delete(&pipe);
            let mut rest = Vec::new();
            // A pipe holds at most a megabyte; a writer that never stops must not keep us here.
            let _ = File::from(pipe).take(1 << 20).read_to_end(&mut rest);
            self.take(number, &rest);
            self.close(number);
        }
    }

    fn push_lines(&mut self, number: usize, bytes: &[u8]) {
        let (sink, rank) = (self.sources[number].sink, self.sources[number].rank);
        let Some(pattern) = &self.prefix else {
            return self.push(sink, Some(number), bytes);
        };
        let prefix = expand(pattern, rank);
        let mut text = Vec::with_capacity(bytes.len() + bytes.len() / 4 + prefix.len());
        let mut inside = self.sinks[sink].amid == Some(number);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !inside {
                text.extend_from_slice(&prefix);
            }
            inside = false;
            text.extend_from_slice(line);
        }
        self.push(sink, Some(number), &text);
    }

    /// Appends to a sink and writes what it takes. `from` is the source, none for the launcher itself.
    fn push(&mut self, to: usize, from: Option<usize>, bytes: &[u8]) {
        let sink = &mut self.sinks[to];
        if sink.failed.is_some() || bytes.is_empty() {
            return;
        }
        if sink.amid.is_some() && sink.amid != from {
            sink.queue.push(b'\n');
        }
        sink.queue.extend_from_slice(bytes);
        sink.amid = if bytes.ends_with(b"\n") { None } else { from };
        match sink.waiting {
            true => self.regulate(to),
            false => self.drain(to),
        }
    }

    /// Writes as much of a sink's queue as goes without waiting.
    fn drain(&mut self, number: usize) {
        let sink = &mut self.sinks[number];
        let blocked = sink.write_out();
        if blocked != sink.waiting {
            let key = SINK | number as u64;
            let done = match blocked {
                true => self
                    .epoll
                    .add(&sink.file, EpollEvent::new(EpollFlags::EPOLLOUT, key)),
                false => self.epoll.delete(&sink.file),
            };
            sink.waiting = blocked && done.is_ok();
        }
        self.regulate(number);
    }

    /// Lets a sink's sources wait while it is full.
    fn regulate(&mut self, number: usize) {
        let sink = &mut self.sinks[number];
        let full = sink.queue.len() - sink.written > if sink.full { FULL / 2 } else { FULL };
        if full != sink.full {
            sink.full = full;
            self.watch_sources(number, !full);
        }
    }

    fn watch_sources(&mut self, sink: usize, watch: bool) {
        for (number, source) in self
            .sources
            .iter_mut()
            .enumerate()
            .filter(|(_, source)| source.sink == sink)
        {
            let Some(pipe) = &source.pipe else { continue };
            if watch != source.watched {
                let key = SOURCE | number as u64;
                let _ = match watch {
                    true => self
                        .epoll
                        .add(pipe, EpollEvent::new(EpollFlags::EPOLLIN, key)),
                    false => self.epoll.delete(pipe),
                };
                source.watched = watch;
            }
        }
    }
}

impl Sink {
    /// Writes until the queue is empty (false) or writing would block (true). A sink that fails is emptied and takes
    /// no more.
    fn write_out(&mut self) -> bool {
        while self.written < self.queue.len() {
            let rest = &self.queue[self.written..];
            let piece = if self.regular { rest } else { piece(rest) };
            if !self.regular && !has_room(self.file.as_fd()) {
                return self.wait();
            }
            match write(&self.file, piece) {
                Ok(count) => self.written += count,
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return self.wait(),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        self.queue.clear();
        self.queue.shrink_to(FULL);
        self.written = 0;
        false
    }

    fn wait(&mut self) -> bool {
        if self.written > self.queue.len() / 2 {
            self.queue.drain(..self.written);
            self.written = 0;
        }
        true
    }
}

/// The beginning of `rest` that a pipe takes at once, cut at the end of a line if there is one in reach.
fn piece(rest: &[u8]) -> &[u8] {
    let most = &rest[..rest.len().min(PIPE_PIECE)];
    let cut = most
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(most.len(), |at| at + 1);
    &most[..cut]
}

/// Can a piece be written without blocking? A closed reader counts as room: the write will say so.
fn has_room(file: BorrowedFd) -> bool {
    let mut asked = [PollFd::new(file, PollFlags::POLLOUT)];
    poll(&mut asked, PollTimeout::ZERO).is_ok_and(|count| count > 0)
}

/// The name of a rank's file after `-outfile-pattern` or `-errfile-pattern`.
pub fn file_name(pattern: &OsStr, rank: u32) -> PathBuf {
    OsString::from_vec(expand(pattern, rank)).into()
}

/// A pattern, with what stands behind its `%` for a rank.
fn expand(pattern: &OsStr, rank: u32) -> Vec<u8> {
    let mut name = Vec::new();
    let mut bytes = pattern.as_bytes().iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'%' {
            name.push(*byte);
            continue;
        }
        match bytes.next() {
            Some(b'r') => name.extend_from_slice(rank.to_string().as_bytes()),
            Some(b'h') => {
                name.extend_from_slice(nix::unistd::gethostname().unwrap_or_default().as_bytes())
            }
            Some(b't') => name.extend_from_slice(start_time().to_string().as_bytes()),
            Some(b'g' | b'p') => name.push(b'0'),
            Some(b'%') => name.push(b'%'),
            other => {
                name.push(b'%');
                name.extend(other);
            }
        }
    }
    name
}

/// When the launcher started, in seconds: the same for all ranks.
fn start_time() -> u64 {
    static START: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    let now = || {
        std::time::UNIX_EPOCH
            .elapsed()
            .map_or(0, |time| time.as_secs())
    };
    *START.get_or_init(now)
}

/// What a rank reads that gets no input.
pub fn null_input() -> io::Result<OwnedFd> {
    Ok(File::open("/dev/null")?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let name = |pattern: &str| file_name(pattern.as_ref(), 12).display().to_string();
        assert_eq!(name("out.%r"), "out.12");
        assert_eq!(name("a%%b%g%p%z%"), "a%b00%z%");
        assert!(!name("%h.%t").contains('%'));
    }

    #[test]
    fn pieces_end_with_lines() {
        assert_eq!(piece(b"ab\ncd\nef"), b"ab\ncd\n");
        assert_eq!(piece(b"abc"), b"abc");
        assert_eq!(piece(&[b'x'; 9000]).len(), PIPE_PIECE);
    }
}
