//! What the program does wrong, as its ranks find it under `-check` (`src/check/`): told with lines of the program, while the job runs. It
//! ends with a status of its own, at once unless it is to go on.

use std::ffi::OsStr;
use std::fmt::Write;
use std::time::Instant;

use rmashm::launching::{
    Area, CHECK_FAILED, CallPlace, MOST_CHECKED, OBSERVING, PLACE_BEGINS, PLACE_ENDS, State,
};

use crate::alike::{Alike, Finding};
use crate::places::{Modules, with_readable_names};
use crate::report::{Fate, ranks_text};
use crate::request::Request;
use crate::supervise::{SHORT_GRACE, Supervisor};

const CHECK: &str = OBSERVING[2];

/// What happens where something is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    End,
    Report,
    Off,
}

impl Check {
    pub fn named(name: &str, value: Option<&OsStr>) -> Result<Check, String> {
        match value.map(OsStr::to_str) {
            None | Some(Some("end")) => Ok(Check::End),
            Some(Some("report")) => Ok(Check::Report),
            Some(Some("off")) => Ok(Check::Off),
            _ => Err(format!(
                "{name} is {}, and must be end, report or off",
                value.unwrap_or_default().display()
            )),
        }
    }
}

/// What has been told of a rank, and how much of the job.
#[derive(Default)]
pub struct Told {
    /// Of each rank, how many of its findings, and of its notes.
    kept: Vec<[usize; 2]>,
    alike: Alike,
    /// What stood there: other ranks often find the same.
    modules: Modules,
}

/// What the variable `RMASHM_CHECK` asks for. The command line's option goes before.
pub fn ask_environment(request: &mut Request) -> Result<(), String> {
    if request.check.is_none()
        && let Some(value) = std::env::var_os(CHECK).filter(|value| !value.is_empty())
    {
        request.check = Some(Check::named(CHECK, Some(&value))?);
    }
    Ok(())
}

/// Whether ranks are checked, and if so whether what is found ends the job.
pub fn prepare(request: &Request) -> Result<Option<bool>, String> {
    let ends = match request.check {
        None | Some(Check::Off) => return Ok(None),
        Some(check) => check == Check::End,
    };
    match request.ranks() {
        ranks if ranks > MOST_CHECKED => Err(format!(
            "-check is for at most {MOST_CHECKED} ranks, not for {ranks}"
        )),
        _ => Ok(Some(ends)),
    }
}

impl Supervisor<'_> {
    /// Has a rank found something?
    pub fn look_for_findings(&mut self) {
        let Some(area) = self.job.segment.checked() else {
            return;
        };
        let ranks = area.ranks();
        self.checked.kept.resize(ranks, [0; 2]);
        let mut new = Vec::new();
        for rank in 0..ranks as u32 {
            let findings = area.block(rank).findings;
            // Notes are told to those that have asked on the command line.
            let lists = [
                (&findings.wrong, true),
                (&findings.notes, self.request.check_says_so),
            ];
            for (which, (list, is_told)) in lists.into_iter().enumerate() {
                if !is_told {
                    continue;
                }
                for found in list.from(self.checked.kept[rank as usize][which]).1 {
                    self.checked.kept[rank as usize][which] += 1;
                    new.push(Finding {
                        rank,
                        name: self.name(rank),
                        program: self.program(rank),
                        text: with_lines(&found.text, &area, &mut self.checked.modules),
                        is_note: which == 1,
                    });
                }
            }
        }
        let now = Instant::now();
        let lines = self.checked.alike.tell(new, now);
        self.say_findings(lines);
        let lines = self.checked.alike.tell_later(Some(now));
        self.say_findings(lines);
    }

    fn say_findings(&mut self, lines: Vec<String>) {
        for line in lines {
            self.job.output.say(&format!("check: {line}"));
        }
    }

    /// The job is over: what was found more than once, or found no room, is told, and the status tells that there was something.
    pub fn sum_up_findings(&mut self) {
        let Some(area) = self.job.segment.checked() else {
            return;
        };
        self.look_for_findings();
        let lines = self.checked.alike.tell_later(None);
        self.say_findings(lines);
        let (mut all, mut notes, mut again, mut untold) = (0, 0, 0, 0);
        let mut told = 0;
        for rank in 0..area.ranks() as u32 {
            let findings = area.block(rank).findings;
            let (count, kept) = findings.wrong.from(0);
            let (noted, kept_notes) = findings.notes.from(0);
            all += count;
            notes += noted;
            told += kept.len();
            untold += count - kept.len();
            if self.request.check_says_so {
                untold += noted - kept_notes.len();
            }
            again += kept.iter().map(|kept| kept.times - 1).sum::<u64>();
        }
        let of = |count: usize, one: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {one}s"),
        };
        let notes = match notes {
            0 => String::new(),
            _ => format!(" ({})", of(notes, "note")),
        };
        let cut = self.cut_short();
        if all == 0 {
            if self.request.check_says_so {
                let text = format!("check: nothing was found{notes}{cut}");
                self.job.output.say(&text);
            }
            return;
        }
        let unlike = match self.checked.alike.wrong() {
            unlike if unlike < told => format!(", {unlike} but for ranks and addresses"),
            _ => String::new(),
        };
        let mut text = format!("check: {}{unlike}{notes}", of(all, "finding"));
        if again > 0 {
            let _ = write!(text, "; the same at the same places {again} more times");
        }
        if untold > 0 {
            let _ = write!(text, "; {untold} found no room, and are not told");
        }
        if !area.ends() {
            text += &cut;
        }
        self.job.output.say(&text);
        let status = self.status.filter(|status| *status != 0);
        self.status = Some(status.unwrap_or(CHECK_FAILED as u8));
    }

    /// In words, if there are such: the ranks that were killed or left without MPI_Finalize. What comes later was not looked at.
    fn cut_short(&self) -> String {
        let is_cut = |rank: &u32| {
            let rank = *rank as usize;
            use State::{Dead, Joining, Quit, Running};
            let was_in_mpi = matches!(
                self.job.segment.state(rank),
                Joining | Running | Quit | Dead
            );
            was_in_mpi || matches!(self.fates[rank], Some(Fate::Killed { .. }))
        };
        let cut: Vec<u32> = (0..self.fates.len() as u32).filter(is_cut).collect();
        let what = match cut.len() {
            0 => return String::new(),
            1 => "did not come to its end, and was looked at until then",
            _ => "did not come to their end, and were looked at until then",
        };
        format!("; {} {what}", ranks_text(&cut))
    }

    /// A rank has ended the job since it found something: whether that is so.
    pub fn ends_by_finding(&mut self, status: i32) -> bool {
        let found = status == CHECK_FAILED
            && self.job.segment.checked().is_some_and(|area| area.ends())
            && self.checked.kept.iter().any(|[wrong, _]| *wrong > 0);
        if found {
            self.end(CHECK_FAILED as u8, SHORT_GRACE);
        }
        found
    }
}

/// A finding's text, its places in words.
fn with_lines(text: &str, area: &Area, modules: &mut Modules) -> String {
    let mut parts = text.split(PLACE_BEGINS);
    // The library has the names of variables as they are in the program.
    let mut told = with_readable_names(parts.next().unwrap_or_default());
    for part in parts {
        let (place, rest) = part.split_once(PLACE_ENDS).unwrap_or((part, ""));
        let line = CallPlace::parse(place).and_then(|(rank, place)| {
            let rank = Some(rank).filter(|rank| (*rank as usize) < area.ranks())?;
            let (file, offset) = area.block(rank).modules.resolve(place)?;
            Some(modules.line(file.as_ref(), offset))
        });
        told += line.as_deref().unwrap_or("an unknown place");
        told += &with_readable_names(rest);
    }
    told
}
