//! Everything of a job as text: what --once prints, and a dump.

use crate::look::{Look, Rates};
use crate::screen::details;
use crate::state::{State, View};
use crate::tables;
use crate::words;

/// Of more ranks than this the matrix has a line for each pair that moved something.
const WIDE: usize = 32;

pub fn job(look: &Look, rates: &[Rates]) -> String {
    let (ranks, summary) = (look.seen.ranks.len(), tables::summary(look));
    let (pid, program) = (look.pid, look.program());
    let mut text = match (&look.dumped, look.dumped_rank()) {
        (None, _) => {
            let shared = words::known_bytes(look.shared);
            format!("job {pid} {program}: {ranks} ranks ({summary}), {shared} shared\n\n")
        }
        (Some(_), rank) => {
            let whose = rank.map_or("process".into(), |rank| format!("rank {rank}, process"));
            format!("core dump of {whose} {pid} {program}: {ranks} ranks ({summary})\n\n")
        }
    };
    text += &tables::ranks(look, rates).text();
    if !look.windows.is_empty() {
        text += "\nwindows\n";
        text += &tables::windows(look).text();
    }
    if look.lacks_windows() {
        text += "\nThe dump does not have the windows.\n";
    }
    for window in 0..look.windows.len() {
        let state = State::new(View::Window(window));
        text += &format!("\n{}\n", details(&state, Some((look, rates))).join("\n"));
        text += &tables::parts(look, window).text();
    }
    text += "\nbytes to and from each rank, by windows and messages\n";
    text += &match look.seen.ranks.len() {
        ranks if ranks <= WIDE => tables::matrix(look, rates, true, 0, ranks).text(),
        _ => tables::pairs(look).text(),
    };
    text
}
