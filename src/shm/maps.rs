//! What the kernel tells of this process's mappings.

use std::io::Read;
use std::ops::Range;

/// What this process has mapped at some moment.
pub struct Maps(String);

/// A mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping<'a> {
    pub range: Range<usize>,
    pub readable: bool,
    pub writable: bool,
    pub executable: bool,
    /// Whether others see what is written.
    pub shared: bool,
    /// Where in its file it begins.
    pub offset: usize,
    /// 0 if it has no file.
    pub inode: u64,
    /// A path, or what the kernel calls it: `[heap]`.
    pub name: &'a str,
}

impl Mapping<'_> {
    /// Whether it is of io_uring, by which the kernel reads, writes and wakes in this process's name.
    pub fn is_ring(&self) -> bool {
        self.name.starts_with("anon_inode:[io_uring]")
    }
}

impl Maps {
    /// Asks. `None` where the system does not tell.
    pub fn read() -> Option<Maps> {
        // Of the process it says nothing any more where the first thread has left.
        let own = read("/proc/thread-self/maps").or_else(|| read("/proc/self/maps"));
        own.map(Maps)
    }

    #[cfg(test)]
    pub fn of(text: &str) -> Maps {
        Maps(text.into())
    }

    /// All of them, by address.
    pub fn iter(&self) -> impl Iterator<Item = Mapping<'_>> {
        self.0.lines().filter_map(parse)
    }

    /// Those in which bytes of `range` lie.
    pub fn around(&self, range: &Range<usize>) -> impl Iterator<Item = Mapping<'_>> {
        let range = range.clone();
        self.iter()
            .skip_while(move |m| m.range.end <= range.start)
            .take_while(move |m| m.range.start < range.end)
    }
}

/// A file of `/proc`. Its length is not known before: into a buffer without room it would come in many small parts.
///
/// Names of files may be any bytes, and those of programs end after the 15th, be it within a letter: what is no text stands for itself
/// as such, and the rest is told.
pub fn read(path: &str) -> Option<String> {
    let mut text = Vec::new();
    text.try_reserve(16 << 10).ok()?;
    let mut file = std::fs::File::open(path).ok()?;
    file.read_to_end(&mut text).ok()?;
    let text = String::from_utf8(text);
    Some(text.unwrap_or_else(|bytes| String::from_utf8_lossy(bytes.as_bytes()).into_owned()))
}

/// The mapping of a line, in `smaps` also: there others follow, which are none.
pub(super) fn parse(line: &str) -> Option<Mapping<'_>> {
    let mut words = line.splitn(6, ' ');
    let hexadecimal = |text| usize::from_str_radix(text, 16).ok();
    let (begin, end) = words.next()?.split_once('-')?;
    let access = words.next()?.as_bytes();
    let offset = hexadecimal(words.next()?)?;
    let inode = words.nth(1)?.trim().parse().ok()?;
    Some(Mapping {
        range: hexadecimal(begin)?..hexadecimal(end)?,
        readable: access.first() == Some(&b'r'),
        writable: access.get(1) == Some(&b'w'),
        executable: access.get(2) == Some(&b'x'),
        shared: access.get(3) == Some(&b's'),
        offset,
        inode,
        name: words.next().unwrap_or("").trim(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_no_text() {
        // SAFETY: the name of this thread, which ends with a zero byte.
        let set = unsafe { libc::prctl(libc::PR_SET_NAME, c"aaaaaaaaaaaaaa\xc3".as_ptr()) };
        assert_eq!(set, 0);
        let stat = read("/proc/thread-self/stat").expect("it is told");
        let (name, numbers) = stat.rsplit_once(')').expect("a name");
        assert!(name.ends_with("(aaaaaaaaaaaaaa\u{fffd}"), "{name}");
        assert!(numbers.split_whitespace().count() > 40);
    }

    #[test]
    fn lines_are_understood() {
        let maps = Maps::of(
            "1000-3000 r-xp 00002000 fe:01 77    /a b (deleted)\n\
             3000-5000 rw-p 00000000 00:00 0 \n\
             7000-8000 rw-s 00000000 00:01 9                          /dev/shm/x\n\
             9000-a000 rw-p 00000000 00:00 0                          [heap]\n",
        );
        let all: Vec<_> = maps.iter().collect();
        let names: Vec<_> = all.iter().map(|m| m.name).collect();
        assert_eq!(names, ["/a b (deleted)", "", "/dev/shm/x", "[heap]"]);
        assert_eq!((all[0].offset, all[0].inode), (0x2000, 77));
        let writable: Vec<_> = all.iter().map(|m| (m.writable, m.shared)).collect();
        let wanted = [(false, false), (true, false), (true, true), (true, false)];
        assert_eq!(writable, wanted);
        let starts = |range: Range<usize>| -> Vec<usize> {
            maps.around(&range).map(|m| m.range.start).collect()
        };
        assert_eq!(starts(0x2fff..0x7001), [0x1000, 0x3000, 0x7000]);
        assert_eq!(starts(0x3000..0x5000), [0x3000]);
        assert_eq!(starts(0x5000..0x7000), []);
        assert_eq!(starts(0xa000..0xb000), []);
    }

    #[test]
    fn the_kernel_is_understood() {
        let here = 0_u8;
        let maps = Maps::read().unwrap();
        let at = (&raw const here) as usize;
        let found: Vec<_> = maps.around(&(at..at + 1)).collect();
        assert!(
            found.len() == 1 && found[0].writable && !found[0].shared,
            "{found:?}"
        );
    }
}
