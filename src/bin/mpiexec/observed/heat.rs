//! Pictures (SVG) of what is between each two ranks: a field for each pair, the darker the more. Of many ranks several share a
//! field.

use std::fmt::Write;

use super::figures::Figures;
use super::text::{bytes, seconds};

/// Fields on a side, at most.
const FIELDS: usize = 64;
/// The length of a side, and the room beside it.
const SIDE: usize = 512;
const MARGIN: usize = 56;

/// What went from whom to whom.
pub fn traffic(figures: &Figures) -> String {
    let moved = figures.traffic.iter();
    let values: Vec<Vec<f64>> = moved
        .map(|row| row.iter().map(|bytes| *bytes as f64).collect())
        .collect();
    picture("Bytes moved", "from rank", "to rank", &values, |value| {
        bytes(value as u64)
    })
}

/// Who waited for whom.
pub fn waits(figures: &Figures) -> String {
    let ranks = figures.ranks.iter();
    let values: Vec<Vec<f64>> = ranks
        .map(|rank| match rank.came {
            true => rank.waited_for.clone(),
            false => vec![0.0; figures.ranks.len()],
        })
        .collect();
    picture("Time waited", "rank", "for rank", &values, |value| {
        format!("{} s", seconds(value))
    })
}

/// `values` by row and column.
fn picture(
    title: &str,
    row: &str,
    column: &str,
    values: &[Vec<f64>],
    say: impl Fn(f64) -> String,
) -> String {
    let ranks = values.len();
    let share = ranks.div_ceil(FIELDS);
    let fields = ranks.div_ceil(share);
    let mut sums = vec![vec![0.0; fields]; fields];
    for (from, values) in values.iter().enumerate() {
        for (to, value) in values.iter().enumerate() {
            sums[from / share][to / share] += value;
        }
    }
    let all = || sums.iter().flatten().copied();
    let most = all().fold(0.0, f64::max);
    let least = all().filter(|value| *value > 0.0).fold(most, f64::min);
    let (field, edge) = (SIDE as f64 / fields as f64, SIDE + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {edge} {edge}\" width=\"{edge}\" \
         height=\"{edge}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{edge}\" height=\"{edge}\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN}\" y=\"20\" font-size=\"14\">{title}: {row} (down) {column} (across), at most {}</text>\n\
         <rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"#f6f6f6\" stroke=\"#999\"/>\n",
        say(most)
    );
    let place = |n: usize| MARGIN as f64 + n as f64 * field;
    for (from, sums) in sums.iter().enumerate() {
        for (to, value) in sums.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            let _ = writeln!(
                svg,
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{field:.2}\" height=\"{field:.2}\" fill=\"{}\">\
                 <title>{row} {} {column} {}: {}</title></rect>",
                place(to),
                place(from),
                colour(*value, least, most),
                names(from, share, ranks),
                names(to, share, ranks),
                say(*value)
            );
        }
    }
    for n in (0..fields).step_by(fields.div_ceil(16)) {
        let (name, middle) = (n * share, place(n) + field / 2.0);
        let _ = writeln!(
            svg,
            "<text x=\"{middle:.1}\" y=\"{}\" text-anchor=\"middle\">{name}</text>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            MARGIN - 6,
            MARGIN - 6,
            middle + 4.0
        );
    }
    svg + "</svg>\n"
}

/// The ranks that share a field.
fn names(field: usize, share: usize, ranks: usize) -> String {
    let (first, last) = (field * share, ((field + 1) * share).min(ranks) - 1);
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}

/// From light to dark by the logarithm: what is a hundredth of the most is to be seen, too.
fn colour(value: f64, least: f64, most: f64) -> String {
    let range = (most / least).ln();
    let part = match range > 0.0 {
        true => (value / least).ln() / range,
        false => 1.0,
    };
    let between = |light: f64, dark: f64| (light + (dark - light) * part) as u8;
    format!(
        "#{:02x}{:02x}{:02x}",
        between(222.0, 8.0),
        between(235.0, 48.0),
        between(247.0, 107.0)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ranks_share_fields() {
        for (ranks, fields) in [(1, 1), (64, 64), (65, 33), (256, 64)] {
            let values = vec![vec![1.0; ranks]; ranks];
            let svg = picture("", "", "", &values, |value| value.to_string());
            assert_eq!(svg.matches("<title>").count(), fields * fields);
        }
        assert_eq!(names(32, 2, 65), "64");
        assert_eq!(names(0, 4, 256), "0-3");
    }

    #[test]
    fn the_most_is_the_darkest() {
        assert_eq!(colour(1.0, 1.0, 100.0), "#deebf7");
        assert_eq!(colour(100.0, 1.0, 100.0), "#08306b");
        assert_eq!(colour(5.0, 5.0, 5.0), "#08306b");
    }
}
