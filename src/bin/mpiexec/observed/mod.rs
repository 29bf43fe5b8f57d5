//! What the ranks did in MPI, told when the job is over: `-report`, by [`figures`], as [`text`], [`json`], a [`page`] or a picture of
//! the [`heat`]; and `-trace`, a [`timeline`]. The ranks have left it in the job's segment, whatever became of them.

mod figures;
mod heat;
mod json;
mod page;
mod text;
mod timeline;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use figures::Figures;
use rmashm::launching::{JobSegment, MOST_OBSERVED, OBSERVING};

use crate::request::Request;

const REPORT: &str = OBSERVING[0];
const TRACE: &str = OBSERVING[1];

/// How much text a trace may be, if the command line says nothing else.
pub const TRACE_SIZE: u64 = 64 << 20;

/// The forms that a report can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    Json,
    Page,
    Picture,
}

/// A report that is wanted: in which form, and where; on stderr if in no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    form: Form,
    file: Option<PathBuf>,
}

impl Report {
    /// By the name of its file, whose end says the form.
    pub fn named(option: &str, file: Option<&OsStr>) -> Result<Report, String> {
        let Some(file) = file else {
            return Ok(Report {
                form: Form::Text,
                file: None,
            });
        };
        let extension = Path::new(file).extension().unwrap_or_default();
        let form = match extension.as_bytes() {
            b"txt" => Form::Text,
            b"json" => Form::Json,
            b"html" => Form::Page,
            b"svg" => Form::Picture,
            _ => {
                return Err(format!(
                    "{option}={}: the file's name ends in .txt, .json, .html or .svg, which says what is written",
                    file.display()
                ));
            }
        };
        Ok(Report {
            form,
            file: Some(file.into()),
        })
    }
}

/// What the variables ask for: `RMASHM_REPORT`, empty or the name of a file, and `RMASHM_TRACE`. The command line's options go before. A
/// file that was meant for a report, and would be the program, is told.
pub fn ask_environment(request: &mut Request) -> Result<(), String> {
    if request.reports.is_empty()
        && let Some(file) = std::env::var_os(REPORT)
    {
        let file = Some(file.as_os_str()).filter(|file| !file.is_empty());
        request.reports.push(Report::named(REPORT, file)?);
    }
    let trace = std::env::var_os(TRACE).filter(|file| !file.is_empty());
    request.trace = request.trace.take().or(trace.map(PathBuf::from));
    if let Some(program) = named_as_report(request) {
        return Err(format!(
            "'{program}' would be the program; a report's file stands behind =: -report={program}"
        ));
    }
    Ok(())
}

/// How many events each rank gets room for; `None` if nobody wants to know anything. Files that cannot be written are refused, as is
/// one for two things.
pub fn prepare(request: &Request) -> Result<Option<usize>, String> {
    let reports = request.reports.iter().filter_map(|r| r.file.as_deref());
    let mut files: Vec<&Path> = Vec::new();
    for file in reports.chain(request.trace.as_deref()) {
        if files.contains(&file) {
            let file = file.display();
            return Err(format!(
                "{file} is to have two things: each wants a file of its own"
            ));
        }
        files.push(file);
        File::create(file)
            .map_err(|error| format!("cannot write to {}: {error}", file.display()))?;
    }
    if request.reports.is_empty() && request.trace.is_none() {
        return Ok(None);
    }
    let ranks = request.ranks();
    if ranks > MOST_OBSERVED {
        return Err(format!(
            "-report and -trace are for at most {MOST_OBSERVED} ranks, not for {ranks}"
        ));
    }
    let size = request.trace_size.unwrap_or(TRACE_SIZE);
    let events = size / timeline::LONGEST / u64::from(ranks);
    Ok(Some(request.trace.as_ref().map_or(0, |_| events as usize)))
}

/// The program, if it is not there and seems to be the file of a report without one.
fn named_as_report(request: &Request) -> Option<String> {
    let program = request.parts.first()?.program.as_os_str();
    let is_meant = request.reports.iter().any(|report| report.file.is_none())
        && Report::named("", Some(program)).is_ok()
        && !Path::new(program).exists();
    is_meant.then(|| program.display().to_string())
}

/// Writes all that is wanted, and calls `say` with a sentence for each thing that is to be said beside it. Whether it is all written.
pub fn tell(request: &Request, segment: &JobSegment, mut say: impl FnMut(String)) -> bool {
    let Some(tables) = segment.observed() else {
        return true;
    };
    let figures = Figures::read(segment, &tables);
    let mut whole = true;
    let mut fail = |file: &Path, error: io::Error, say: &mut dyn FnMut(String)| {
        say(format!("cannot write to {}: {error}", file.display()));
        whole = false;
    };
    for report in &request.reports {
        let text = match report.form {
            Form::Text => text::write(&figures),
            Form::Json => json::write(&figures),
            Form::Page => page::write(&figures),
            Form::Picture => heat::traffic(&figures),
        };
        let written = match &report.file {
            Some(file) => std::fs::write(file, text),
            None => io::stderr().write_all(text.as_bytes()),
        };
        if let (Err(error), Some(file)) = (written, &report.file) {
            fail(file, error, &mut say);
        }
    }
    if let Some(file) = &request.trace {
        match write_trace(file, &figures, &tables) {
            Err(error) => fail(file, error, &mut say),
            Ok(0) => {}
            Ok(lost) => say(format!(
                "{lost} events found no room in the trace: it ends before the job (see -trace-size)"
            )),
        }
    }
    whole
}

/// Writes the time line; gives how many events are missing.
fn write_trace(
    file: &Path,
    figures: &Figures,
    tables: &rmashm::launching::Tables,
) -> io::Result<u64> {
    let mut out = BufWriter::new(File::create(file)?);
    let is_packed = file.extension().is_some_and(|extension| extension == "gz");
    let lost = if is_packed {
        let mut packed = flate2::write::GzEncoder::new(&mut out, flate2::Compression::default());
        let lost = timeline::write(figures, tables, &mut packed)?;
        packed.finish()?;
        lost
    } else {
        timeline::write(figures, tables, &mut out)?
    };
    out.flush()?;
    Ok(lost)
}
