//! The papers in `docs`, as parts of man pages: the Markdown that they are written in, and no more of it.

use crate::roff::{Page, bold, italic, plain};

/// A block of a paper.
enum Block<'a> {
    Heading(&'a str),
    Paragraph(String),
    Bullet(String),
    Example(Vec<&'a str>),
    /// Rows of cells; the first is the head.
    Table(Vec<Vec<&'a str>>),
}

/// The part of a paper under one of its headings, without the heading. Stops the build of the pages where there is none.
pub fn part<'a>(paper: &'a str, heading: &str) -> &'a str {
    let start = format!("\n## {heading}\n");
    let (_, part) = paper
        .split_once(&start)
        .unwrap_or_else(|| panic!("the paper has no part \"{heading}\""));
    part.split("\n## ").next().unwrap_or(part)
}

/// What comes before a paper's first part, without its title.
pub fn head(paper: &str) -> &str {
    let head = paper.split("\n## ").next().unwrap_or(paper);
    head.split_once('\n').map_or("", |(_, rest)| rest)
}

/// The paragraphs that begin with a word in bold type, as sections of their own: the word, and the text.
pub fn titled(text: &str) -> Vec<(String, String)> {
    let paragraphs = blocks(text).into_iter().filter_map(|block| match block {
        Block::Paragraph(text) => {
            let (title, rest) = text.strip_prefix("**")?.split_once(".**")?;
            Some((title.to_owned(), rest.trim().to_owned()))
        }
        _ => None,
    });
    paragraphs.collect()
}

/// Writes a paper or a part of one into a page.
pub fn write(page: &mut Page, text: &str) {
    for block in blocks(text) {
        match block {
            Block::Heading(title) => page.subsection(title),
            Block::Paragraph(text) => {
                page.paragraph();
                page.line(&inline(&text));
            }
            Block::Bullet(text) => page.bullet(&inline(&text)),
            Block::Example(lines) => page.example(&lines),
            Block::Table(rows) => table(page, &rows),
        }
    }
}

/// A table as a list: the first column is the tag, the others are said of it, with the name of a column between.
fn table(page: &mut Page, rows: &[Vec<&str>]) {
    let Some((head, rows)) = rows.split_first() else {
        return;
    };
    for row in rows {
        let last = row.len().saturating_sub(1);
        let between = row.iter().zip(head).enumerate().skip(1);
        let between = between.filter(|(column, (cell, _))| *column < last && !cell.is_empty());
        let said: Vec<String> = between
            .map(|(_, (cell, name))| format!(" ({}: {})", plain(name), inline(cell)))
            .collect();
        let text = row.last().map_or(String::new(), |text| inline(text));
        page.item(
            &inline(row[0]),
            format!("{text}{}", said.concat()).trim_start(),
        );
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with('#') {
            blocks.push(Block::Heading(line.trim_start_matches('#').trim()));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(line) = lines.next_if(|line| line.starts_with('|')) {
                if !line.starts_with("|-") {
                    rows.push(cells(line));
                }
            }
            blocks.push(Block::Table(rows));
        } else if let Some(first) = line.strip_prefix("    ") {
            let mut example = vec![first];
            while let Some(line) = lines.next_if(|line| line.starts_with("    ")) {
                example.push(&line[4..]);
            }
            blocks.push(Block::Example(example));
        } else {
            let bullet = line.strip_prefix("- ");
            let mut text = bullet.unwrap_or(line).to_owned();
            let goes_on = |line: &&str| {
                let begins = ["|", "#", "- "].iter().any(|start| line.starts_with(start));
                !line.trim().is_empty() && !begins
            };
            while let Some(line) = lines.next_if(goes_on) {
                text += " ";
                text += line.trim();
            }
            blocks.push(match bullet {
                Some(_) => Block::Bullet(text),
                None => Block::Paragraph(text),
            });
        }
    }
    blocks
}

fn cells(row: &str) -> Vec<&str> {
    row.trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .collect()
}

/// Text with `code`, **bold** and [links](…), of which the words stay. Sentences begin new lines, as formatters want.
pub fn inline(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    // Brackets with nothing but a link in them point to another paper, which is not at hand.
    if let Some((before, link)) = text.split_once(" ([")
        && let Some((_, after)) = link.split_once("))")
    {
        return inline(before) + &inline(after);
    }
    while let Some(at) = rest.find(['`', '*', '[']) {
        made += &plain(&rest[..at]);
        let marked = &rest[at..];
        let found = [("**", "**"), ("*", "*"), ("`", "`"), ("[", "](")]
            .iter()
            .find_map(|(start, end)| {
                let inner = marked.strip_prefix(start)?;
                let (inner, after) = inner.split_once(end)?;
                Some((*start, inner, after))
            });
        rest = match found {
            Some(("[", inner, after)) => {
                made += &inline(inner);
                after.split_once(')').map_or("", |(_, after)| after)
            }
            Some(("*", inner, after)) => {
                made += &italic(inner);
                after
            }
            Some((_, inner, after)) => {
                made += &bold(inner);
                after
            }
            None => {
                made += &plain(&marked[..1]);
                &marked[1..]
            }
        };
    }
    made += &plain(rest);
    made.replace(". ", ".\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_type() {
        assert_eq!(inline("a `-n N` b"), "a \\fB\\-n N\\fP b");
        assert_eq!(
            inline("**so** [it `is`](there.md#x)."),
            "\\fBso\\fP it \\fBis\\fP\\&."
        );
        assert_eq!(inline("2 * 3"), "2 * 3");
        assert_eq!(inline("so ([how](there.md)), and"), "so, and");
    }

    #[test]
    fn tables_become_lists() {
        let mut page = Page::new("x", 1);
        write(
            &mut page,
            "| a | of | b |\n|---|---|---|\n| `k` | 1 | says |\n",
        );
        assert!(page.text().ends_with(".TP\n\\fBk\\fP\nsays (of: 1)\n"));
    }
}
