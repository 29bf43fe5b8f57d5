//! What is on the screen, and what keys make of it.

use crate::find::Job;
use crate::look::{Look, Rates};
use crate::tables::{self, Table};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Jobs,
    Ranks,
    Windows,
    Matrix,
    Rank(usize),
    Window(usize),
}

/// What a key asks for that is done outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    Quit,
    /// To look at another job: its place in the list.
    Open(usize),
    /// To leave the job.
    Leave,
    Dump,
}

pub struct State {
    pub view: View,
    /// By the name of a column, and whether from its largest on.
    pub sorted: Option<(String, bool)>,
    pub filter: String,
    pub is_filtering: bool,
    pub is_frozen: bool,
    pub in_all: bool,
    pub is_helping: bool,
    /// What the chosen row is about.
    pub chosen: usize,
    /// The first column of the matrix.
    pub first: usize,
    /// A sentence for the last line.
    pub said: String,
    /// Rows that the screen has.
    pub page: usize,
}

impl State {
    pub fn new(view: View) -> State {
        State {
            view,
            sorted: None,
            filter: String::new(),
            is_filtering: false,
            is_frozen: false,
            in_all: false,
            is_helping: false,
            chosen: 0,
            first: 0,
            said: String::new(),
            page: 10,
        }
    }

    /// The table of the view, sorted and filtered, for a screen of so many letters.
    pub fn table(&self, jobs: &[Job], look: Option<(&Look, &[Rates])>, width: usize) -> Table {
        let mut table = match (self.view, look) {
            (View::Jobs, _) => tables::jobs(jobs),
            (_, None) => Table::default(),
            (View::Ranks, Some((look, rates))) => tables::ranks(look, rates),
            (View::Windows, Some((look, _))) => tables::windows(look),
            (View::Rank(rank), Some((look, rates))) => tables::rank(look, rates, rank),
            (View::Window(window), Some((look, _))) => tables::parts(look, window),
            (View::Matrix, Some((look, rates))) => {
                let most = width.saturating_sub(13) / 5;
                tables::matrix(look, rates, self.in_all, self.first, most.max(1))
            }
        };
        let wanted = self.filter.to_lowercase();
        let has = |cells: &[String]| {
            cells
                .iter()
                .any(|cell| cell.to_lowercase().contains(&wanted))
        };
        table
            .rows
            .retain(|row| wanted.is_empty() || has(&row.cells));
        if let Some((name, down)) = &self.sorted
            && let Some(at) = table.columns.iter().position(|column| column.name == *name)
        {
            match table.columns[at].is_number {
                true => table
                    .rows
                    .sort_by(|a, b| a.order[at].total_cmp(&b.order[at])),
                false => table.rows.sort_by(|a, b| a.cells[at].cmp(&b.cells[at])),
            }
            if *down {
                table.rows.reverse();
            }
        }
        table.fit(width);
        table
    }

    /// Takes a key, with the table that is shown.
    pub fn key(&mut self, key: KeyEvent, table: &Table) -> Wish {
        self.said.clear();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('c') {
            return Wish::Quit;
        }
        if self.is_filtering {
            self.filter_key(key.code);
            return Wish::Nothing;
        }
        if self.is_helping {
            self.is_helping = false;
            return Wish::Nothing;
        }
        let in_job = self.view != View::Jobs;
        match key.code {
            KeyCode::Char('q') => return Wish::Quit,
            KeyCode::Char('?' | 'h') => self.is_helping = true,
            KeyCode::Char('1') if in_job => self.show(View::Ranks),
            KeyCode::Char('2') if in_job => self.show(View::Windows),
            KeyCode::Char('3') if in_job => self.show(View::Matrix),
            KeyCode::Tab if in_job => self.show(match self.view {
                View::Ranks => View::Windows,
                View::Windows => View::Matrix,
                _ => View::Ranks,
            }),
            KeyCode::Char('d') if in_job => return Wish::Dump,
            KeyCode::Char('f' | ' ') => self.is_frozen = !self.is_frozen,
            KeyCode::Char('t') => self.in_all = !self.in_all,
            KeyCode::Char('/') => self.is_filtering = true,
            KeyCode::Char('s') => self.sort(table),
            KeyCode::Char('r') => {
                let by = self.sorted.take();
                let first = table
                    .columns
                    .first()
                    .map(|column| (column.name.clone(), false));
                self.sorted = by.or(first).map(|(name, down)| (name, !down));
            }
            KeyCode::Left | KeyCode::Char('<') => self.first = self.first.saturating_sub(1),
            KeyCode::Right | KeyCode::Char('>') => {
                self.first += usize::from(table.columns.len() > 3)
            }
            KeyCode::Up | KeyCode::Char('k') => self.go(table, -1),
            KeyCode::Down | KeyCode::Char('j') => self.go(table, 1),
            KeyCode::PageUp => self.go(table, -(self.page as isize)),
            KeyCode::PageDown => self.go(table, self.page as isize),
            KeyCode::Home => self.go(table, isize::MIN / 2),
            KeyCode::End => self.go(table, isize::MAX / 2),
            KeyCode::Enter => return self.open(table),
            KeyCode::Esc | KeyCode::Backspace => return self.back(),
            _ => {}
        }
        Wish::Nothing
    }

    fn filter_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Enter => self.is_filtering = false,
            KeyCode::Esc => {
                self.is_filtering = false;
                self.filter.clear();
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Char(letter) => self.filter.push(letter),
            _ => {}
        }
    }

    fn show(&mut self, view: View) {
        if self.view != view {
            (self.view, self.chosen, self.first) = (view, 0, 0);
            self.sorted = None;
            self.filter.clear();
        }
    }

    /// By the column behind that of now, numbers from the largest on.
    fn sort(&mut self, table: &Table) {
        let now = self.sorted.as_ref().map(|sorted| &sorted.0);
        let at = table
            .columns
            .iter()
            .position(|column| Some(&column.name) == now);
        let next = at.map_or(0, |at| at + 1);
        self.sorted = table
            .columns
            .get(next)
            .map(|column| (column.name.clone(), column.is_number));
    }

    /// Chooses a row further on.
    fn go(&mut self, table: &Table, rows: isize) {
        let Some(last) = table.rows.len().checked_sub(1) else {
            return;
        };
        let next = self.place(table).saturating_add_signed(rows).min(last);
        self.chosen = table.rows[next].about;
    }

    /// Where the chosen row is in the table.
    pub fn place(&self, table: &Table) -> usize {
        let is_it = |row: &tables::Row| row.about == self.chosen;
        table.rows.iter().position(is_it).unwrap_or(0)
    }

    fn open(&mut self, table: &Table) -> Wish {
        let Some(row) = table.rows.get(self.place(table)) else {
            return Wish::Nothing;
        };
        match self.view {
            View::Jobs => return Wish::Open(row.about),
            View::Ranks | View::Matrix => self.show(View::Rank(row.about)),
            View::Windows => self.show(View::Window(row.about)),
            View::Rank(_) | View::Window(_) => {}
        }
        Wish::Nothing
    }

    fn back(&mut self) -> Wish {
        let (rank, window) = match self.view {
            _ if !self.filter.is_empty() => {
                self.filter.clear();
                return Wish::Nothing;
            }
            View::Rank(rank) => (Some(rank), None),
            View::Window(window) => (None, Some(window)),
            View::Jobs => return Wish::Nothing,
            _ => return Wish::Leave,
        };
        self.show(if rank.is_some() {
            View::Ranks
        } else {
            View::Windows
        });
        self.chosen = rank.or(window).unwrap_or(0);
        Wish::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{Column, Row};

    fn table() -> Table {
        let column = |name: &str, is_number| Column {
            name: name.into(),
            is_number,
            spare: 0,
        };
        let row = |about: usize| Row {
            about,
            cells: vec![about.to_string(), format!("row {about}")],
            order: vec![about as f64, 0.0],
        };
        Table {
            columns: vec![column("RANK", true), column("WAITS FOR", false)],
            rows: (0..20).map(row).collect(),
        }
    }

    fn press(state: &mut State, keys: &[KeyCode]) -> Wish {
        let press = |key: &KeyCode| state.key(KeyEvent::from(*key), &table());
        keys.iter().map(press).last().unwrap_or(Wish::Nothing)
    }

    #[test]
    fn keys_lead_through_a_job_and_back() {
        let mut state = State::new(View::Jobs);
        assert_eq!(
            press(
                &mut state,
                &[KeyCode::Char('2'), KeyCode::Down, KeyCode::Enter]
            ),
            Wish::Open(1)
        );
        assert_eq!(state.view, View::Jobs);
        state = State::new(View::Ranks);
        press(&mut state, &[KeyCode::Down, KeyCode::Down, KeyCode::Enter]);
        assert_eq!(state.view, View::Rank(2));
        press(&mut state, &[KeyCode::Enter, KeyCode::Esc]);
        assert_eq!((state.view, state.chosen), (View::Ranks, 2));
        press(
            &mut state,
            &[KeyCode::Char('2'), KeyCode::End, KeyCode::Enter],
        );
        assert_eq!(state.view, View::Window(19));
        press(&mut state, &[KeyCode::Esc, KeyCode::Tab]);
        assert_eq!(state.view, View::Matrix);
        assert_eq!(press(&mut state, &[KeyCode::Esc]), Wish::Leave);
        assert_eq!(press(&mut state, &[KeyCode::Char('d')]), Wish::Dump);
        assert_eq!(press(&mut state, &[KeyCode::Char('q')]), Wish::Quit);
    }

    #[test]
    fn the_chosen_row_stays_in_the_table() {
        let mut state = State::new(View::Ranks);
        for (keys, chosen) in [
            (&[KeyCode::Up][..], 0),
            (&[KeyCode::PageDown], 10),
            (&[KeyCode::PageDown, KeyCode::PageDown], 19),
            (&[KeyCode::PageUp], 9),
            (&[KeyCode::Home], 0),
        ] {
            press(&mut state, keys);
            assert_eq!(state.chosen, chosen, "{keys:?}");
        }
        state.key(KeyEvent::from(KeyCode::Down), &Table::default());
        assert_eq!(state.open(&Table::default()), Wish::Nothing);
    }

    #[test]
    fn a_filter_takes_all_letters() {
        let mut state = State::new(View::Ranks);
        press(
            &mut state,
            &[
                KeyCode::Char('/'),
                KeyCode::Char('q'),
                KeyCode::Char('2'),
                KeyCode::Backspace,
            ],
        );
        assert_eq!((state.filter.as_str(), state.is_filtering), ("q", true));
        press(&mut state, &[KeyCode::Enter]);
        assert!(!state.is_filtering);
        press(&mut state, &[KeyCode::Esc]);
        assert_eq!((state.filter.as_str(), state.view), ("", View::Ranks));
    }

    #[test]
    fn sorting_goes_through_the_columns() {
        let mut state = State::new(View::Ranks);
        let mut seen = Vec::new();
        for _ in 0..3 {
            press(&mut state, &[KeyCode::Char('s')]);
            seen.push(state.sorted.clone());
        }
        let by = |name: &str, down| Some((name.to_string(), down));
        assert_eq!(seen, [by("RANK", true), by("WAITS FOR", false), None]);
        press(&mut state, &[KeyCode::Char('r')]);
        assert_eq!(state.sorted, by("RANK", true));
    }
}
