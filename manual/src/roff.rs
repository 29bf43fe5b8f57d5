//! The language of man pages, as much as is needed of it.

/// A page that is being written.
pub struct Page(String);

impl Page {
    /// There is no date: what is made of the same sources is the same at any time.
    pub fn new(name: &str, section: u32) -> Page {
        let (title, version) = (name.to_uppercase(), env!("CARGO_PKG_VERSION"));
        let title = plain(&title);
        Page(format!(
            ".\\\" Made by rmashm-manual.\n.TH \"{title}\" {section} \"\" \"rmashm {version}\" \"rmashm\"\n"
        ))
    }

    pub fn text(self) -> String {
        self.0
    }

    /// A section's title.
    pub fn section(&mut self, title: &str) {
        self.line(&format!(".SH {}", plain(&title.to_uppercase())));
    }

    pub fn subsection(&mut self, title: &str) {
        self.line(&format!(".SS {}", plain(title)));
    }

    /// A title begins one by itself.
    pub fn paragraph(&mut self) {
        let last = self.0.lines().last().unwrap_or_default();
        if !last.starts_with(".S") {
            self.line(".PP");
        }
    }

    /// A tag, which is formatted already, and what is said of it.
    pub fn item(&mut self, tag: &str, text: &str) {
        self.line(".TP");
        self.line(tag);
        self.line(text);
    }

    pub fn bullet(&mut self, text: &str) {
        self.line(".IP \\(bu 2");
        self.line(text);
    }

    /// Lines that stay as they are, set apart from the text.
    pub fn example(&mut self, lines: &[&str]) {
        self.paragraph();
        self.line(".RS 4\n.nf");
        for line in lines {
            self.line(&plain(line));
        }
        self.line(".fi\n.RE");
    }

    /// One or more lines of text that is formatted already.
    pub fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }
}

/// Text that has no meaning to the formatter.
pub fn plain(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\e"),
            '-' => escaped.push_str("\\-"),
            '\'' => escaped.push_str("\\(aq"),
            '^' => escaped.push_str("\\(ha"),
            '~' => escaped.push_str("\\(ti"),
            '`' => escaped.push_str("\\(ga"),
            '"' => escaped.push_str("\\(dq"),
            '…' => escaped.push_str("..."),
            '§' => escaped.push_str("\\(sc"),
            'µ' => escaped.push_str("\\(mc"),
            _ => escaped.push(c),
        }
    }
    match escaped.strip_prefix('.') {
        Some(_) => format!("\\&{escaped}"),
        None => escaped,
    }
}

pub fn bold(text: &str) -> String {
    format!("\\fB{}\\fP", plain(text))
}

pub fn italic(text: &str) -> String {
    format!("\\fI{}\\fP", plain(text))
}
