//! Statements of free form.

/// Longest line.
const WIDTH: usize = 110;

/// Adds a statement, broken after commas.
pub fn statement(out: &mut String, indent: usize, statement: &str) {
    let mut line = " ".repeat(indent);
    for part in statement.split_inclusive(", ") {
        if line.len() + part.len() > WIDTH {
            *out += line.trim_end();
            *out += " &\n";
            line = " ".repeat(indent + 4);
        }
        line += part;
    }
    *out += line.trim_end();
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_statements_go_on() {
        let names = vec!["a_name"; 20].join(", ");
        let mut out = String::new();
        statement(&mut out, 2, &format!("subroutine s({names})"));
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.len() <= WIDTH + 2));
        assert!(lines[0].starts_with("  subroutine s(a_name, ") && lines[0].ends_with(", &"));
        assert!(lines[1].starts_with("      a_name") && lines[1].ends_with("a_name)"));
    }
}
