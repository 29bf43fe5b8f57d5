//! Drawing: a line of what is looked at, the table, a line of keys.

use crate::look::{Look, Rates, name};
use crate::options::HELP;
use crate::state::{State, View};
use crate::tables::{Table, summary};
use crate::words;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Cell, Paragraph, Row, Table as Drawn, TableState};

/// Draws the table of the state's view.
pub fn draw(
    frame: &mut Frame<'_>,
    state: &mut State,
    table: &Table,
    look: Option<(&Look, &[Rates])>,
    ended: bool,
) {
    let width = frame.area().width as usize;
    let lines: Vec<Line<'_>> = details(state, look)
        .iter()
        .flat_map(|line| wrapped(line, width))
        .collect();
    let [head, about, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(lines.len() as u16),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    frame.render_widget(
        Paragraph::new(headline(state, look, ended)).style(reversed),
        head,
    );
    frame.render_widget(Paragraph::new(lines), about);
    match state.is_helping {
        true => {
            let keys = HELP.lines().skip_while(|line| !line.starts_with("Keys"));
            let keys = keys.take_while(|line| !line.starts_with("The exit"));
            let keys: Vec<Line<'_>> = keys.map(Line::from).collect();
            frame.render_widget(Paragraph::new(keys), body);
        }
        false => draw_table(frame, state, table, body),
    }
    frame.render_widget(Paragraph::new(footline(state)).style(reversed), foot);
}

fn draw_table(frame: &mut Frame<'_>, state: &mut State, table: &Table, area: Rect) {
    state.page = area.height.saturating_sub(2).max(1) as usize;
    let widths = table.widths();
    let last = widths.len().saturating_sub(1);
    let constraints = widths
        .iter()
        .enumerate()
        .map(|(at, &width)| match at == last {
            true => Constraint::Fill(1),
            false => Constraint::Length(width as u16),
        });
    let cell = |(text, at): (&String, usize)| {
        let text = match table.columns[at].is_number && at != last {
            true => Line::from(text.clone()).right_aligned(),
            false if table.columns[at].is_number => Line::from(format!("{text:>0$}", widths[at])),
            false => Line::from(text.clone()),
        };
        Cell::from(text)
    };
    let row = |cells: &[String]| Row::new(cells.iter().zip(0..).map(cell).collect::<Vec<_>>());
    let by = state.sorted.as_ref();
    let mark = |column: &crate::tables::Column| match by {
        Some((name, _)) if *name == column.name => column.name.to_lowercase(),
        _ => column.name.clone(),
    };
    let names: Vec<String> = table.columns.iter().map(mark).collect();
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let drawn = Drawn::new(table.rows.iter().map(|line| row(&line.cells)), constraints)
        .header(row(&names).style(bold))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let chosen = (!table.rows.is_empty()).then(|| state.place(table));
    let mut place = TableState::new().with_selected(chosen);
    frame.render_stateful_widget(drawn, area, &mut place);
}

fn headline(state: &State, look: Option<(&Look, &[Rates])>, ended: bool) -> String {
    let frozen = if state.is_frozen { "  FROZEN" } else { "" };
    let Some((look, _)) = look.filter(|_| state.view != View::Jobs) else {
        return format!("rmashm-top: jobs of this user{frozen}");
    };
    let ended = if ended { "  ENDED" } else { "" };
    format!(
        "job {} {}: {} ranks ({}), {} windows, {} shared{ended}{frozen}",
        look.pid,
        look.program(),
        look.seen.ranks.len(),
        summary(look),
        look.windows.len(),
        words::known_bytes(look.shared)
    )
}

/// A line as several that are no longer than the screen is wide.
fn wrapped(line: &str, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().expect("there is one");
        match last.is_empty() || last.chars().count() + 1 + word.chars().count() <= width {
            true if last.is_empty() => last.push_str(word),
            true => *last += &format!(" {word}"),
            false => lines.push(word.to_string()),
        }
    }
    lines.into_iter().map(Line::from).collect()
}

/// The lines between, of one rank or window.
pub fn details(state: &State, look: Option<(&Look, &[Rates])>) -> Vec<String> {
    let Some((look, _)) = look else {
        return Vec::new();
    };
    match state.view {
        View::Rank(rank) if rank < look.seen.ranks.len() => {
            let seen = &look.seen.ranks[rank];
            let mut lines = vec![format!("rank {rank}: {}", look.doing(rank))];
            lines.extend(
                look.waits(rank)
                    .iter()
                    .map(|wait| format!("waits for: {wait}")),
            );
            if seen.adopted > 0 {
                let adopted = words::bytes(seen.adopted as f64);
                lines.push(format!(
                    "at most {adopted} of its own memory were in the segment"
                ));
            }
            if let Some(refused) = seen.refused {
                lines.push(format!("some of its own memory stayed private: {refused}"));
            }
            if let Some(death) = seen.death {
                lines.push(death.to_string());
            }
            lines
        }
        View::Window(window) if window < look.windows.len() => {
            let seen = &look.windows[window];
            let (held, wanted) = seen.exclusives;
            let mut line = format!("window {}: {}", name(seen), seen.flavor);
            if held + wanted + seen.lock_all_waiters > 0 {
                line += &format!(
                    ", {held} exclusive locks held and {wanted} wanted beside lock_all, {} wait for lock_all",
                    seen.lock_all_waiters
                );
            }
            let hints = (!seen.hints.is_empty()).then(|| format!("hints: {}", seen.hints));
            [Some(line), hints].into_iter().flatten().collect()
        }
        View::Rank(_) | View::Window(_) => vec!["it is not there any more".into()],
        _ => Vec::new(),
    }
}

fn footline(state: &State) -> String {
    if state.is_filtering {
        return format!("/{}", state.filter);
    }
    if !state.said.is_empty() {
        return state.said.clone();
    }
    let filter = match state.filter.as_str() {
        "" => String::new(),
        filter => format!("only \"{filter}\"  "),
    };
    let keys = match state.view {
        View::Jobs => "Enter open  / filter  s sort  ? help  q quit",
        View::Matrix => "1 ranks 2 windows 3 matrix  <> columns  t in all or a second  ? help",
        _ => "1 ranks 2 windows 3 matrix  Enter open  / s sort  f freeze  d dump  ? help",
    };
    format!("{filter}{keys}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{Column, Row as Line};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent};

    /// 256 ranks, with columns that can be spared.
    fn table(width: usize) -> Table {
        let column = |&(name, is_number, spare): &(&str, bool, u8)| Column {
            name: name.into(),
            is_number,
            spare,
        };
        let spare = [("PUT/S", true, 5); 20];
        let columns = [
            &[("RANK", true, 0), ("STATE", false, 0)],
            &spare[..],
            &[("WAITS FOR", false, 0)],
        ]
        .concat();
        let row = |rank: usize| {
            let mut cells = vec![rank.to_string(), "waits".into()];
            cells.extend((0..20).map(|_| "1.5M".to_string()));
            cells.push(format!(
                "MPI_Win_lock: exclusive lock of rank {rank} of window \"grid\""
            ));
            Line {
                about: rank,
                order: vec![rank as f64; cells.len()],
                cells,
            }
        };
        let mut table = Table {
            columns: columns.iter().map(column).collect(),
            rows: (0..256).map(row).collect(),
        };
        table.fit(width);
        table
    }

    fn drawn(state: &mut State, table: &Table, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| draw(frame, state, table, None, false))
            .unwrap();
        let buffer = terminal.backend().buffer().clone();
        let cells: Vec<&str> = buffer.content().iter().map(|cell| cell.symbol()).collect();
        cells
            .chunks(width as usize)
            .map(|line| line.concat().trim_end().to_string())
            .collect()
    }

    #[test]
    fn a_screen_has_what_fits() {
        for (width, height, spared) in [(80, 24, true), (200, 60, false)] {
            let table = table(width as usize);
            let mut state = State::new(View::Jobs);
            let lines = drawn(&mut state, &table, width, height);
            assert_eq!(lines.len(), height as usize);
            assert!(lines[0].starts_with("rmashm-top"), "{}", lines[0]);
            assert!(lines[1].starts_with("RANK STATE"), "{}", lines[1]);
            assert_eq!(lines[1].contains("PUT/S"), !spared, "{}", lines[1]);
            assert!(
                lines[2].starts_with("   0 waits") && lines[2].contains("exclusive lock of rank 0")
            );
            assert!(lines[height as usize - 1].contains("q quit"));
            assert_eq!(state.page, height as usize - 4);
            // The chosen one is always in sight.
            state.key(KeyEvent::from(KeyCode::End), &table);
            let lines = drawn(&mut state, &table, width, height);
            assert!(
                lines[height as usize - 2].starts_with(" 255 waits"),
                "{lines:#?}"
            );
        }
    }

    #[test]
    fn a_screen_may_be_tiny() {
        for (width, height) in [(1, 1), (10, 2), (20, 3)] {
            let mut state = State::new(View::Ranks);
            state.is_helping = width == 20;
            drawn(&mut state, &table(width as usize), width, height);
            drawn(&mut state, &Table::default(), width, height);
        }
    }

    #[test]
    fn help_and_filters_are_shown() {
        let mut state = State::new(View::Jobs);
        state.key(KeyEvent::from(KeyCode::Char('?')), &Table::default());
        let lines = drawn(&mut state, &Table::default(), 120, 30);
        assert!(
            lines.iter().any(|line| line.contains("freeze, and go on")),
            "{lines:#?}"
        );
        state.key(KeyEvent::from(KeyCode::Esc), &Table::default());
        for key in "/grid".chars() {
            state.key(KeyEvent::from(KeyCode::Char(key)), &Table::default());
        }
        assert_eq!(drawn(&mut state, &Table::default(), 80, 24)[23], "/grid");
    }
}
