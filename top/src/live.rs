//! The live view: looks and keys in turn.

use crate::find::{self, Job};
use crate::look::{Look, Rates};
use crate::screen;
use crate::state::{State, View, Wish};
use crate::terminal::{self, Screen};
use crate::text;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use std::io;
use std::time::{Duration, Instant};

/// After a signal it looks this soon.
const SOON: Duration = Duration::from_millis(200);
/// The first look has none before it: the second follows so soon.
const FIRST: Duration = Duration::from_millis(300);
/// The list of jobs asks for every descriptor of every process.
const LIST: Duration = Duration::from_secs(2);

struct Live {
    jobs: Vec<Job>,
    job: Option<Job>,
    look: Option<Look>,
    rates: Vec<Rates>,
    ended: bool,
    state: State,
    delay: Duration,
    next: Instant,
}

/// Shows `job`, or the list, until a key or a signal ends it. Gives the signal.
pub fn run(job: Option<Job>, delay: Duration) -> io::Result<Option<i32>> {
    let mut live = Live {
        jobs: Vec::new(),
        state: State::new(View::Jobs),
        job: None,
        look: None,
        rates: Vec::new(),
        ended: false,
        delay: delay.max(Duration::from_millis(50)),
        next: Instant::now(),
    };
    if let Some(job) = job {
        live.open(job);
    }
    let mut screen = Screen::take()?;
    loop {
        if let Some(signal) = terminal::ending() {
            return Ok(Some(signal));
        }
        if Instant::now() >= live.next {
            live.look();
        }
        let width = screen.terminal.size()?.width as usize;
        let seen = live.look.as_ref().map(|look| (look, &live.rates[..]));
        let table = live.state.table(&live.jobs, seen, width);
        screen
            .terminal
            .draw(|frame| screen::draw(frame, &mut live.state, &table, seen, live.ended))?;
        if terminal::is_gone() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let wait = live.next.saturating_duration_since(Instant::now());
        let is_there = match event::poll(wait.min(SOON)) {
            Ok(is_there) => is_there,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => false,
            Err(error) => return Err(error),
        };
        let Event::Key(key) = (match is_there {
            true => event::read()?,
            false => continue,
        }) else {
            continue;
        };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        if key.code == KeyCode::Char('z') && key.modifiers.contains(KeyModifiers::CONTROL) {
            screen.stop()?;
            continue;
        }
        match live.state.key(key, &table) {
            Wish::Nothing => {}
            Wish::Quit => return Ok(None),
            Wish::Leave => live.leave(),
            Wish::Dump => live.dump(),
            Wish::Open(at) if at < live.jobs.len() => {
                let job = live.jobs.swap_remove(at);
                live.open(job);
            }
            Wish::Open(_) => {}
        }
    }
}

impl Live {
    fn open(&mut self, job: Job) {
        match Look::at(&job) {
            Ok(look) => {
                self.rates = look.since(&look);
                self.look = Some(look);
                self.job = Some(job);
                self.ended = false;
                self.state = State::new(View::Ranks);
                self.next = Instant::now() + FIRST.min(self.delay);
            }
            Err(error) => {
                self.state.said = format!("job {} cannot be looked at: {error}", job.pid);
                self.next = Instant::now();
            }
        }
    }

    fn leave(&mut self) {
        (self.job, self.look, self.ended) = (None, None, false);
        self.state = State::new(View::Jobs);
        self.next = Instant::now();
    }

    fn look(&mut self) {
        self.next = Instant::now() + self.delay;
        if self.state.is_frozen {
            return;
        }
        if self.state.view == View::Jobs {
            self.jobs = find::jobs();
            self.next = Instant::now() + self.delay.max(LIST);
            return;
        }
        let Some(job) = &mut self.job else {
            return;
        };
        if !job.is_alive() {
            // Those that had it may be gone, and others there.
            let pid = job.pid;
            match find::jobs().into_iter().find(|other| other.is(job)) {
                Some(again) => *job = again,
                None => {
                    // What is open would keep the job's memory.
                    (self.job, self.ended) = (None, true);
                    self.state.said =
                        format!("job {pid} has ended: this is the last that was seen of it");
                    return;
                }
            }
        }
        match Look::at(job) {
            Ok(look) => {
                if let Some(before) = &self.look {
                    self.rates = look.since(before);
                }
                self.look = Some(look);
            }
            Err(error) => self.state.said = format!("cannot look: {error}"),
        }
    }

    fn dump(&mut self) {
        let Some(look) = &self.look else {
            return;
        };
        let name = format!("rmashm-top.{}.txt", look.pid);
        self.state.said = match std::fs::write(&name, text::job(look, &self.rates)) {
            Ok(()) => format!("written to {name}"),
            Err(error) => format!("cannot write {name}: {error}"),
        };
    }
}
