//! The job's segment in a core dump of one of the ranks: where its bytes are in the file.
//!
//! A process maps the segment from its beginning on, and without gaps, so an address in the dump is where that mapping begins and an
//! offset. It begins where a header is, or the words of a maker. The kernel and gdb leave out what the library has told them to
//! ([`Segment::keep_in_dumps`](super::segment::Segment::keep_in_dumps)): then there is nothing behind the process table.

use object::Endianness;
use object::elf;
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// How the segment reads in a dump's list of mapped files.
const NAME: &[u8] = b"/memfd:rmashm";
/// Where `struct elf_prpsinfo` has the process's number and the name of its program, which ends with a zero.
const NUMBER: usize = 24;
const PROGRAM: std::ops::Range<usize> = 40..56;

/// A core dump.
pub struct Dump {
    /// The process that it is of; 0 if it does not say.
    pub pid: u32,
    /// The program that it ran, as far as the kernel keeps the name.
    pub program: String,
    /// Whether the process had mapped a segment.
    pub(super) had_segment: bool,
    /// By their addresses.
    pieces: Vec<Piece>,
    /// Where the segment was mapped.
    base: u64,
}

/// Memory that is in the file.
struct Piece {
    address: u64,
    len: u64,
    /// Where in the file.
    at: u64,
}

impl Dump {
    /// What a file says that is a core dump of a process of this kind of machine; `None` if it is something else. Error: the
    /// system's.
    pub(super) fn of(file: &File) -> io::Result<Option<Dump>> {
        // Read once, so that what is wrong after that is wrong in the file.
        file.read_at(&mut [0], 0)?;
        Ok(Dump::parse(file).ok().flatten())
    }

    fn parse(file: &File) -> object::Result<Option<Dump>> {
        let bytes = ReadCache::new(file);
        let header = elf::FileHeader64::<Endianness>::parse(&bytes)?;
        let endian = header.endian()?;
        if header.e_type(endian) != elf::ET_CORE || header.e_machine(endian) != elf::EM_X86_64 {
            return Ok(None);
        }
        let mut dump = Dump {
            pid: 0,
            program: String::new(),
            had_segment: false,
            pieces: Vec::new(),
            base: 0,
        };
        for part in header.program_headers(endian, &bytes)? {
            if part.p_type(endian) == elf::PT_LOAD {
                dump.pieces.push(Piece {
                    address: part.p_vaddr(endian),
                    len: part.p_filesz(endian),
                    at: part.p_offset(endian),
                });
            }
            let Some(mut notes) = part.notes(endian, &bytes)? else {
                continue;
            };
            while let Some(note) = notes.next()? {
                match note.n_type(endian) {
                    elf::NT_PRPSINFO => dump.introduce(note.desc()),
                    elf::NT_FILE => {
                        let mut names = note.desc().windows(NAME.len());
                        dump.had_segment |= names.any(|name| name == NAME);
                    }
                    _ => {}
                }
            }
        }
        dump.pieces.sort_by_key(|piece| piece.address);
        Ok(Some(dump))
    }

    fn introduce(&mut self, said: &[u8]) {
        let number = said.get(NUMBER..).and_then(|said| said.first_chunk());
        self.pid = number.map_or(0, |number| u32::from_le_bytes(*number));
        let name = said.get(PROGRAM).unwrap_or_default();
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        self.program = String::from_utf8_lossy(name).into_owned();
    }

    /// The addresses at which the segment may begin.
    pub(super) fn beginnings(&self) -> Vec<u64> {
        self.pieces.iter().map(|piece| piece.address).collect()
    }

    pub(super) fn begins_at(&mut self, base: u64) {
        self.base = base;
    }

    /// Copies what lay at an offset of the segment. Error: `UnexpectedEof` where the dump does not have it.
    pub(super) fn read(&self, file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let missing = io::ErrorKind::UnexpectedEof;
        let mut address = self.base.checked_add(offset).ok_or(missing)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            let behind = self
                .pieces
                .partition_point(|piece| piece.address <= address);
            let piece = &self.pieces[behind.checked_sub(1).ok_or(missing)?];
            let inside = address - piece.address;
            let left = piece.len.checked_sub(inside).filter(|&left| left > 0);
            let len = left.ok_or(missing)?.min(rest.len() as u64);
            let (now, later) = rest.split_at_mut(len as usize);
            let at = piece.at.checked_add(inside).ok_or(missing)?;
            file.read_exact_at(now, at)?;
            address = address.checked_add(len).ok_or(missing)?;
            rest = later;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File {
        let path =
            std::env::temp_dir().join(format!("rmashm-dump-{}-{}", std::process::id(), text.len()));
        std::fs::write(&path, text).expect("there is room");
        let file = File::open(&path).expect("it was just made");
        std::fs::remove_file(&path).expect("it was just made");
        file
    }

    #[test]
    fn what_lies_in_several_pieces_is_read_as_one() {
        let file = file("....ghijabcdefxyz");
        let piece = |address, len, at| Piece { address, len, at };
        let dump = Dump {
            pid: 0,
            program: String::new(),
            had_segment: true,
            // One that is left out, and one that the file is too short for.
            pieces: vec![
                piece(90, 0, 0),
                piece(100, 6, 8),
                piece(106, 4, 4),
                piece(110, 0, 14),
                piece(120, 9, 14),
            ],
            base: 100,
        };
        let read = |offset, len| {
            let mut bytes = vec![0; len];
            let read = dump.read(&file, &mut bytes, offset);
            read.ok()
                .map(|()| String::from_utf8(bytes).expect("it is text"))
        };
        assert_eq!(read(0, 10).as_deref(), Some("abcdefghij"));
        assert_eq!(read(5, 2).as_deref(), Some("fg"));
        assert_eq!(read(20, 3).as_deref(), Some("xyz"));
        for (offset, len) in [
            (0, 11),
            (10, 1),
            (15, 1),
            (20, 4),
            (29, 1),
            (u64::MAX, 1),
            (u64::MAX - 100, 1),
        ] {
            assert_eq!(read(offset, len), None, "{offset} {len}");
        }
    }

    #[test]
    fn what_is_no_dump_is_none() {
        assert!(Dump::of(&file("no dump at all")).unwrap().is_none());
        assert!(Dump::of(&file("")).unwrap().is_none());
        let own = File::open("/proc/self/exe").unwrap();
        assert!(Dump::of(&own).unwrap().is_none());
    }
}
