//! Numbers and states in few letters.

use rmashm::seeing::{Access, Part};

/// Bytes, in four or five letters.
pub fn bytes(bytes: f64) -> String {
    scaled(bytes, 1024.0)
}

/// The same, where they may not be known.
pub fn known_bytes(known: Option<u64>) -> String {
    known.map_or("-".into(), |known| bytes(known as f64))
}

/// A count.
pub fn count(count: f64) -> String {
    scaled(count, 1000.0)
}

fn scaled(mut number: f64, step: f64) -> String {
    if number < 0.5 {
        return "0".into();
    }
    let mut units = ["", "K", "M", "G", "T", "P"].iter();
    let mut unit = units.next().unwrap_or(&"");
    while number >= 999.5
        && let Some(next) = units.next()
    {
        (number, unit) = (number / step, next);
    }
    match unit.is_empty() || number >= 9.95 {
        true => format!("{number:.0}{unit}"),
        false => format!("{number:.1}{unit}"),
    }
}

/// Milliseconds.
pub fn duration(milliseconds: u32) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..10 => format!("{:.1} s", f64::from(milliseconds) / 1000.0),
        10..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

/// The access epoch that a process is in, if it is in one of the whole window.
pub fn epoch(part: &Part) -> Option<&'static str> {
    match part.access {
        Access::FenceIdle => Some("fenced"),
        Access::Fence => Some("in a fence epoch"),
        Access::LockAll => Some("in lock_all"),
        Access::Start => Some("started"),
        Access::None | Access::Locks => part.in_lock_all.then_some("in lock_all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_five_letters() {
        for (number, text) in [
            (0.0, "0"),
            (7.0, "7"),
            (999.0, "999"),
            (1000.0, "1.0K"),
            (1536.0, "1.5K"),
            (10.2 * 1024.0, "10K"),
            (1023.0 * 1024.0, "1.0M"),
            (3.0e9, "2.8G"),
        ] {
            assert_eq!(bytes(number), text);
        }
        assert_eq!(count(1.23e6), "1.2M");
        assert_eq!(duration(2100), "2.1 s");
        assert_eq!(duration(61_000), "61 s");
        assert_eq!(duration(u32::MAX), "1193 h");
    }
}
