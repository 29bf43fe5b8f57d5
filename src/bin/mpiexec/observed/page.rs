//! A report as a page (HTML) that needs nothing else.

use std::fmt::Write;

use super::figures::{Figures, Rank};
use super::heat;
use super::text::{bytes, seconds};

const HEAD: &str = r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>What the ranks did in MPI</title>
<style>
body { font: 14px/1.45 sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0 } th, td { padding: .15em .8em; text-align: right }
th { border-bottom: 1px solid #999 } td:first-child, th:first-child { text-align: left }
.bar { display: flex; width: 24em; height: .9em; background: #eee } .bar span { height: 100% }
.outside { background: #9ecae1 } .working { background: #fdae6b } .waiting { background: #de2d26 }
.key span { display: inline-block; width: .9em; height: .9em; margin: 0 .3em 0 1em }
.pictures { display: flex; flex-wrap: wrap; gap: 1em }
</style></head><body>
"#;

pub fn write(figures: &Figures) -> String {
    let mut page = String::from(HEAD);
    let _ = writeln!(
        page,
        "<h1>What the ranks did in MPI</h1>\n<p>{} of {} ranks, {} s from MPI_Init on.</p>",
        figures.here().count(),
        figures.ranks.len(),
        seconds(figures.total())
    );
    ranks(&mut page, figures);
    calls(&mut page, figures);
    page += "<h2>Between the ranks</h2>\n<div class=\"pictures\">\n";
    page += &heat::traffic(figures);
    page += &heat::waits(figures);
    page + "</div>\n</body></html>\n"
}

fn ranks(page: &mut String, figures: &Figures) {
    page.push_str(
        "<h2>Ranks</h2>\n<p class=\"key\"><span class=\"outside\"></span>outside MPI\
         <span class=\"working\"></span>in MPI<span class=\"waiting\"></span>waiting in MPI</p>\n\
         <table><tr><th>rank</th><th></th><th>total s</th><th>in MPI s</th><th>waiting s</th><th>ended in</th></tr>\n",
    );
    let longest = figures.total();
    for (number, rank) in figures.here() {
        let call = rank.unfinished.as_ref();
        let _ = writeln!(
            page,
            "<tr><td>{number}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            bar(rank, longest),
            seconds(rank.total),
            seconds(rank.inside),
            seconds(rank.waited),
            call.map_or("", |call| &call.name)
        );
    }
    page.push_str("</table>\n");
}

fn bar(rank: &Rank, longest: f64) -> String {
    let parts = [
        ("outside", rank.outside()),
        ("working", rank.working()),
        ("waiting", rank.waited),
    ];
    let span = |(class, time): (&str, f64)| {
        let width = 100.0 * time / longest.max(f64::MIN_POSITIVE);
        format!("<span class=\"{class}\" style=\"width:{width:.2}%\"></span>")
    };
    format!("<div class=\"bar\">{}</div>", parts.map(span).concat())
}

fn calls(page: &mut String, figures: &Figures) {
    page.push_str(
        "<h2>Calls</h2>\n<table><tr><th>function</th><th>calls</th><th>time s</th><th>waiting s</th>\
         <th>longest s</th><th>moved</th></tr>\n",
    );
    for (name, of) in figures.calls() {
        let _ = writeln!(
            page,
            "<tr><td>{name}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            of.count,
            seconds(of.seconds),
            seconds(of.waited),
            seconds(of.longest),
            bytes(of.bytes)
        );
    }
    page.push_str("</table>\n");
}
