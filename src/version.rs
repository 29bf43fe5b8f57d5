//! What a build says of itself: its version, and the commit that it was made of.

/// Where `tools/stage` writes the commit into the files that it lays out, behind the mark; blanks where it is not known. A build does
/// not depend on the commit so, and what is built already is not built anew for it.
#[used]
static STAMP: [u8; 32] = *b"rmashm:commit=                  ";
const MARK: usize = "rmashm:commit=".len();

/// The version, and the commit in brackets if it is known: `0.2.0 (0123456789ab)`. A `+` behind the commit says that the files
/// were not all as committed.
pub fn text() -> String {
    let version = env!("CARGO_PKG_VERSION");
    // SAFETY: a static of plain bytes, which nobody writes. The compiler must not take them for those of above.
    let stamp = unsafe { std::ptr::read_volatile(&raw const STAMP) };
    match String::from_utf8_lossy(&stamp[MARK..]).trim() {
        "" => version.to_owned(),
        commit => format!("{version} ({commit})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_of_a_commit_that_is_not_stamped() {
        assert_eq!(text(), env!("CARGO_PKG_VERSION"));
    }
}
