//! A picture per family: a panel for each case that goes over sizes or over ranks, and one for those that do not.

use crate::libraries::{LIMIT, OURS};
use crate::results::{Key, Results, Row};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::slice;

const COLOURS: [RGBColor; 5] = [
    RGBColor(200, 30, 30),
    RGBColor(30, 100, 200),
    RGBColor(40, 150, 60),
    RGBColor(150, 80, 170),
    RGBColor(110, 110, 110),
];

/// Pixels of a panel, of a case in one that has cases, and of the title with the legend.
const PANEL: (u32, u32) = (560, 300);
const CASE: u32 = 16;
const HEAD: u32 = 56;
const COLUMNS: usize = 2;

/// Families that do the same on several kinds of windows: how many, by which a row of the picture is one operation.
const KINDS: [(&str, usize); 1] = [("own_memory", 4)];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A line of a panel: a program and its points.
type Line<'a> = (&'a str, Vec<(f64, f64)>);

/// What a panel's horizontal axis is.
enum Axis {
    /// Numbers, and what they are.
    Over(&'static str),
    /// Cases, by their names.
    Cases(Vec<String>),
}

struct Panel<'a> {
    title: String,
    axis: Axis,
    unit: String,
    lines: Vec<Line<'a>>,
}

/// Writes all pictures into `place`.
pub fn all(results: &Results, programs: &[&str], place: &Path) -> Result<(), String> {
    let families: BTreeSet<&str> = results.rows.keys().map(|key| key.family).collect();
    for family in families {
        let path = place.join(format!("{family}.svg"));
        picture(&path, family, &panels(results, programs, family))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The panels of a family. A case that goes over sizes has one for each number of ranks; one that does not may go over ranks.
fn panels<'a>(results: &Results, programs: &[&'a str], family: &str) -> Vec<Panel<'a>> {
    let rows: Vec<(&Key, &Row)> = results
        .rows
        .iter()
        .filter(|(key, row)| key.family == family && row.median(OURS).is_some())
        .collect();
    // What is measured by ranks alone has them for its size.
    let sized: BTreeSet<&str> = rows
        .iter()
        .filter(|(key, _)| key.x != key.ranks as i64)
        .map(|(key, _)| key.case.as_str())
        .collect();
    let mut panels = Vec::new();
    let mut shown: BTreeSet<&Key> = BTreeSet::new();
    for (what, over_ranks) in [("size", false), ("ranks", true)] {
        let mut groups: BTreeMap<(&str, i64), Vec<(&Key, &Row)>> = BTreeMap::new();
        for &(key, row) in rows.iter().filter(|(key, _)| !shown.contains(key)) {
            let by_ranks_alone = !sized.contains(key.case.as_str());
            let fixed = match over_ranks {
                true if by_ranks_alone => 0,
                true => key.x,
                // A logarithmic axis has no place for 0.
                false if by_ranks_alone || key.x == 0 => continue,
                false => key.ranks as i64,
            };
            groups
                .entry((&key.case, fixed))
                .or_default()
                .push((key, row));
        }
        for ((case, fixed), group) in groups {
            let position = |key: &Key| match over_ranks {
                true => key.ranks as f64,
                false => key.x as f64,
            };
            let lines = lines(results, programs, &group, position);
            if lines.iter().all(|(_, points)| points.len() < 2) {
                continue;
            }
            shown.extend(group.iter().map(|(key, _)| *key));
            let fixed = match (over_ranks, fixed) {
                (true, 0) => String::new(),
                (true, x) => format!(", size {x}"),
                (false, ranks) => format!(", {ranks} ranks"),
            };
            panels.push(Panel {
                title: format!("{case}{fixed}"),
                axis: Axis::Over(what),
                unit: group[0].1.unit.clone(),
                lines,
            });
        }
    }
    let mut units: BTreeMap<&str, Vec<(&Key, &Row)>> = BTreeMap::new();
    for &(key, row) in rows.iter().filter(|(key, _)| !shown.contains(key)) {
        units.entry(&row.unit).or_default().push((key, row));
    }
    panels.extend(units.into_iter().map(|(unit, group)| {
        let keys: Vec<&Key> = group.iter().map(|(key, _)| *key).collect();
        let position = |key: &Key| keys.iter().position(|k| *k == key).unwrap_or(0) as f64;
        Panel {
            title: family.to_string(),
            axis: Axis::Cases(keys.iter().map(|key| label(key, &shown)).collect()),
            unit: unit.to_string(),
            lines: lines(results, programs, &group, position),
        }
    }));
    panels
}

/// A case's name among others; of one that is shown elsewhere, with what it is here.
fn label(key: &Key, shown: &BTreeSet<&Key>) -> String {
    match shown.iter().any(|other| other.case == key.case) {
        true => format!("{}, size {}, {} ranks", key.case, key.x, key.ranks),
        false => key.case.clone(),
    }
}

/// The medians of each program.
fn lines<'a>(
    results: &Results,
    programs: &[&'a str],
    group: &[(&Key, &Row)],
    position: impl Fn(&Key) -> f64,
) -> Vec<Line<'a>> {
    let points = |name: &str| {
        let value = |key: &Key, row: &Row| match name {
            LIMIT => results.limit(key),
            name => row.median(name),
        };
        // Axes are logarithmic.
        let values = group
            .iter()
            .filter_map(|(key, row)| Some((position(key), value(key, row).filter(|v| *v > 0.0)?)));
        values.collect()
    };
    programs.iter().map(|name| (*name, points(name))).collect()
}

fn picture(path: &Path, family: &str, panels: &[Panel<'_>]) -> Outcome {
    let Some(first) = panels.first() else {
        return Ok(());
    };
    let kinds = KINDS.iter().find(|(name, _)| *name == family);
    let columns = kinds.map_or(COLUMNS, |(_, kinds)| *kinds).min(panels.len());
    let rows = || panels.chunks(columns);
    let tallest = |row: &[Panel<'_>]| row.iter().map(Panel::height).max().unwrap_or(0);
    let height: u32 = rows().map(tallest).sum();
    let size = (PANEL.0 * columns as u32, height + HEAD);
    let root = SVGBackend::new(path, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, mut body) = root.split_vertically(HEAD);
    head.draw(&Text::new(family, (12, 8), ("sans-serif", 20)))?;
    let drawn = |line: usize| panels.iter().any(|panel| !panel.lines[line].1.is_empty());
    for (i, ((name, _), colour)) in first.lines.iter().zip(COLOURS).enumerate() {
        if !drawn(i) {
            continue;
        }
        let x = 16 + 100 * i as i32;
        head.draw(&Circle::new((x, 42), 4, colour.filled()))?;
        head.draw(&Text::new(*name, (x + 10, 36), ("sans-serif", 13)))?;
    }
    for row in rows() {
        let (areas, below) = body.split_vertically(tallest(row));
        body = below;
        for (panel, area) in row.iter().zip(areas.split_evenly((1, columns))) {
            // What stands side by side to be compared has one scale.
            let alike = if kinds.is_some() {
                row
            } else {
                slice::from_ref(panel)
            };
            match &panel.axis {
                Axis::Over(what) => over(&area, panel, what, range(alike, |p| p.1))?,
                Axis::Cases(cases) => side_by_side(&area, panel, cases)?,
            }
        }
    }
    root.present()?;
    Ok(())
}

impl Panel<'_> {
    fn height(&self) -> u32 {
        match &self.axis {
            Axis::Over(_) => PANEL.1,
            Axis::Cases(cases) => (80 + CASE * cases.len() as u32).max(PANEL.1 / 2),
        }
    }
}

/// The least and the most of what `pick` gives, with room around.
fn range(panels: &[Panel<'_>], pick: fn(&(f64, f64)) -> f64) -> Range<f64> {
    let lines = || panels.iter().flat_map(|panel| &panel.lines);
    let all = || lines().flat_map(|(_, points)| points).map(pick);
    let least = all().fold(f64::MAX, f64::min).min(1e300);
    let most = all().fold(f64::MIN_POSITIVE, f64::max);
    least * 0.8..most * 1.25
}

/// A number on an axis.
fn number(value: &f64) -> String {
    match *value {
        value if value >= 1048576.0 => format!("{:.0}M", value / 1048576.0),
        value if value >= 10.0 => format!("{value:.0}"),
        value => format!("{value}"),
    }
}

/// A value on an axis.
fn decimal(value: &f64) -> String {
    match *value {
        value if value >= 1e6 => format!("{value:e}"),
        value => format!("{value}"),
    }
}

fn over(area: &Area<'_>, panel: &Panel<'_>, what: &str, values: Range<f64>) -> Outcome {
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(64)
        .build_cartesian_2d(
            range(slice::from_ref(panel), |p| p.0).log_scale().base(2.0),
            values.log_scale(),
        )?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .x_labels(8)
        .x_label_formatter(&number)
        .y_label_formatter(&decimal)
        .x_desc(what)
        .y_desc(&panel.unit)
        .draw()?;
    for ((_, points), colour) in panel.lines.iter().zip(COLOURS) {
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
        chart.draw_series(line.point_size(3))?;
    }
    Ok(())
}

fn side_by_side(area: &Area<'_>, panel: &Panel<'_>, cases: &[String]) -> Outcome {
    // The first case is the uppermost.
    let last = cases.len() as f64 - 1.0;
    let values = range(slice::from_ref(panel), |p| p.1);
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(210)
        .build_cartesian_2d(values.clone().log_scale(), -0.6..last + 0.6)?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .disable_y_mesh()
        .y_labels(0)
        .x_label_formatter(&decimal)
        .x_desc(&panel.unit)
        .draw()?;
    for (i, case) in cases.iter().enumerate() {
        let (_, y) = chart.backend_coord(&(values.start, last - i as f64));
        let (_, top) = area.get_base_pixel();
        area.draw(&Text::new(
            case.as_str(),
            (12, y - top - 6),
            ("sans-serif", 12),
        ))?;
    }
    for ((_, points), colour) in panel.lines.iter().zip(COLOURS) {
        let dots = points
            .iter()
            .map(|&(i, value)| Circle::new((value, last - i), 4, colour.filled()));
        chart.draw_series(dots)?;
    }
    Ok(())
}
