//! A picture per case that goes over sizes or over ranks: latency against size, throughput against ranks.

use crate::libraries::LIMIT;
use crate::results::Results;
use plotters::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

const COLOURS: [RGBColor; 5] = [
    RGBColor(200, 30, 30),
    RGBColor(30, 100, 200),
    RGBColor(40, 150, 60),
    RGBColor(150, 80, 170),
    RGBColor(110, 110, 110),
];

/// A line of the picture.
type Line = Vec<(f64, f64)>;

/// Writes all pictures into `place`.
pub fn all(results: &Results, programs: &[&str], place: &Path) -> Result<(), String> {
    let mut cases: BTreeMap<(&str, &str), ()> = BTreeMap::new();
    for key in results.rows.keys() {
        cases.insert((key.family, &key.case), ());
    }
    for &(family, case) in cases.keys() {
        // Against what the case goes over; the names of the axes follow.
        for (axis, by_ranks) in [("size", false), ("ranks", true)] {
            let mut unit = "";
            let mut lines: Vec<(&str, Line)> = programs.iter().map(|p| (*p, Line::new())).collect();
            for (key, row) in &results.rows {
                if key.family != family || key.case != case {
                    continue;
                }
                unit = &row.unit;
                let x = if by_ranks {
                    key.ranks as f64
                } else {
                    key.x as f64
                };
                for (name, line) in &mut lines {
                    let value = match *name {
                        LIMIT => results.limit(key),
                        name => row.median(name),
                    };
                    if let Some(value) = value.filter(|v| *v > 0.0) {
                        line.push((x, value));
                    }
                }
            }
            let points = lines.iter().map(|(_, line)| line.len()).max().unwrap_or(0);
            let mut xs: Vec<f64> = lines.iter().flat_map(|(_, l)| l).map(|p| p.0).collect();
            xs.dedup();
            // Two points make a line only if they differ.
            if points < 2 || xs.iter().all(|x| *x == xs[0]) || xs.contains(&0.0) {
                continue;
            }
            let path = place.join(format!("{family}-{case}-{axis}.svg"));
            draw(&path, &format!("{family}: {case}"), axis, unit, &lines)
                .map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(())
}

fn draw(
    path: &Path,
    title: &str,
    axis: &str,
    unit: &str,
    lines: &[(&str, Line)],
) -> Result<(), Box<dyn std::error::Error>> {
    let points = || lines.iter().flat_map(|(_, line)| line.iter().copied());
    let range = |pick: fn((f64, f64)) -> f64| {
        let least = points().map(pick).fold(f64::MAX, f64::min);
        let most = points().map(pick).fold(0.0, f64::max);
        least * 0.8..most * 1.25
    };
    let root = SVGBackend::new(path, (720, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(range(|p| p.0).log_scale(), range(|p| p.1).log_scale())?;
    chart.configure_mesh().x_desc(axis).y_desc(unit).draw()?;
    for ((name, line), colour) in lines.iter().zip(COLOURS) {
        if line.is_empty() {
            continue;
        }
        chart
            .draw_series(
                LineSeries::new(line.iter().copied(), colour.stroke_width(2)).point_size(3),
            )?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .position(SeriesLabelPosition::UpperLeft)
        .draw()?;
    root.present()?;
    Ok(())
}
