//! Where the program's static data ends: arrays and variables by the symbol tables of the executable and its libraries, which the compiler has
//! given the size of each. What begins in one and goes on behind its end is no buffer, though there is memory.
//!
//! **No false alarm**: several members of one struct, or what Fortran has in one common block, are one symbol. Only symbols of sections
//! whose names begin with a dot count, as a linker puts together others from objects that are used as one array. Symbols that overlap count as one. Before
//! something is told, the tables are read anew if libraries have come or gone.

use super::ranges::Range;
use super::room::Room;
use object::Endianness;
use object::elf::{self, FileHeader64, SectionHeader64, Sym64};
use object::pod::{Pod, bytes_of_slice_mut, slice_from_all_bytes};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use parking_lot::RwLock;
use std::cell::Cell;
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;

/// Tables of more bytes are not read.
const MOST: u64 = 1 << 28;

/// What a symbol names: from where to where, and where its name is among all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Object {
    from: usize,
    to: usize,
    name: (usize, usize),
}

/// Of all that is loaded, in order and apart from each other.
struct Objects {
    all: Vec<Object>,
    names: Vec<u8>,
    /// How often something was loaded and unloaded until then.
    changes: (u64, u64),
}

static OBJECTS: RwLock<Option<Objects>> = RwLock::new(None);

/// Static data that a buffer goes beyond the end of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beyond {
    pub name: String,
    /// Bytes that it has.
    pub bytes: usize,
    /// What lies behind it.
    pub range: Range,
}

thread_local! {
    /// What lies between these addresses fits: one object, or none at all. The last two that buffers were in, as most operations have two.
    static CLEAR: Cell<[Range; 2]> = const { Cell::new([(0, 0); 2]) };
}

/// The first of these buffers that begins in static data, and goes on behind its end. They are in order.
pub fn beyond(buffers: impl Iterator<Item = Range> + Clone) -> Option<Beyond> {
    let clear = CLEAR.get();
    let is_clear = |buffer: Range| {
        let fits = |clear: &Range| clear.0 <= buffer.0 && buffer.1 <= clear.1;
        clear.iter().any(fits)
    };
    if buffers.clone().all(is_clear) {
        return None;
    }
    if let Some(objects) = &*OBJECTS.read() {
        objects.beyond(buffers.clone())?;
        if objects.changes == changes() {
            return objects.beyond(buffers);
        }
    }
    let now = Objects::read()?;
    let found = now.beyond(buffers);
    *OBJECTS.write() = Some(now);
    found
}

/// Memory was mapped that was not known: it may be a library's.
#[cold]
pub fn renew() {
    let mut objects = OBJECTS.write();
    if objects
        .as_ref()
        .is_some_and(|objects| objects.changes != changes())
    {
        *objects = None;
    }
}

impl Objects {
    fn beyond(&self, buffers: impl Iterator<Item = Range>) -> Option<Beyond> {
        let mut clear = (0, 0);
        for (from, to) in buffers {
            if clear.0 <= from && to <= clear.1 {
                continue;
            }
            let at = self.all.partition_point(|object| object.from <= from);
            let next = self.all.get(at).map_or(usize::MAX, |object| object.from);
            let before = at.checked_sub(1).map(|before| self.all[before]);
            clear = match before {
                Some(object) if from < object.to && object.to < to => {
                    return Some(self.found(object, to));
                }
                Some(object) if from < object.to => (object.from, object.to),
                Some(object) => (object.to, next),
                None => (0, next),
            };
        }
        CLEAR.set([clear, CLEAR.get()[0]]);
        None
    }

    fn found(&self, object: Object, to: usize) -> Beyond {
        let name = String::from_utf8_lossy(&self.names[object.name.0..object.name.1]);
        // A local variable has a number behind its name.
        let plain = name.split('.').next().filter(|plain| !plain.is_empty());
        Beyond {
            name: plain.unwrap_or(&name).to_string(),
            bytes: object.to - object.from,
            range: (object.to, to),
        }
    }

    fn read() -> Option<Objects> {
        let mut objects = Objects {
            all: Vec::new(),
            names: Vec::new(),
            changes: changes(),
        };
        each_module(&mut |base, path| _ = objects.add(base, path));
        objects.order();
        Some(objects)
    }

    /// Adds those of a file that is loaded at `base`. `None` where it is not read whole.
    fn add(&mut self, base: usize, path: &OsStr) -> Option<()> {
        let file = File::open(path).ok()?;
        let header: Vec<u64> = read(&file, 0, size_of::<FileHeader64<Endianness>>() as u64)?;
        let header = as_slice::<FileHeader64<Endianness>>(&header)?.first()?;
        let is_known = header.is_supported() && header.e_machine(ENDIAN) == elf::EM_X86_64;
        let entry = usize::from(header.e_shentsize(ENDIAN));
        if !is_known || entry != size_of::<SectionHeader64<Endianness>>() {
            return None;
        }
        let count = u64::from(header.e_shnum(ENDIAN));
        let sections = read(&file, header.e_shoff(ENDIAN), count * entry as u64)?;
        let sections = as_slice::<SectionHeader64<Endianness>>(&sections)?;
        let content = |section: &SectionHeader64<Endianness>| {
            read(&file, section.sh_offset(ENDIAN), section.sh_size(ENDIAN))
        };
        let of = |kind| {
            sections
                .iter()
                .find(|section| section.sh_type(ENDIAN) == kind)
        };
        let table = of(elf::SHT_SYMTAB).or_else(|| of(elf::SHT_DYNSYM))?;
        let names = content(sections.get(table.sh_link(ENDIAN) as usize)?)?;
        let names: &[u8] = object::pod::bytes_of_slice(&names);
        let labels = content(sections.get(usize::from(header.e_shstrndx(ENDIAN).0))?)?;
        let labels: &[u8] = object::pod::bytes_of_slice(&labels);
        let symbols = content(table)?;
        for symbol in as_slice::<Sym64<Endianness>>(&symbols)? {
            let size = symbol.st_size(ENDIAN) as usize;
            if symbol.st_type() != elf::STT_OBJECT || size == 0 {
                continue;
            }
            let section = sections.get(usize::from(symbol.st_shndx(ENDIAN).0));
            let is_plain = section.is_some_and(|section| {
                symbol.st_shndx(ENDIAN) != elf::SHN_UNDEF
                    && labels.get(section.sh_name(ENDIAN) as usize) == Some(&b'.')
            });
            let name = names.get(symbol.st_name(ENDIAN) as usize..)?;
            let name = CStr::from_bytes_until_nul(name).ok()?.to_bytes();
            if !is_plain || !self.all.has_room(1) || !self.names.has_room(name.len()) {
                continue;
            }
            let (from, first) = (
                base.wrapping_add(symbol.st_value(ENDIAN) as usize),
                self.names.len(),
            );
            self.names.extend_from_slice(name);
            self.all.push(Object {
                from,
                to: from.saturating_add(size),
                name: (first, self.names.len()),
            });
        }
        Some(())
    }

    /// Puts them in order; those that overlap are one.
    fn order(&mut self) {
        // In place, which takes no memory. Of those that begin alike the longest first: its name stays.
        self.all
            .sort_unstable_by_key(|object| (object.from, usize::MAX - object.to));
        self.all.dedup_by(|object, before| {
            let overlap = object.from < before.to;
            if overlap {
                before.to = before.to.max(object.to);
            }
            overlap
        });
    }
}

const ENDIAN: Endianness = Endianness::Little;

/// Bytes of a file, and zeros to a whole number of words.
fn read(file: &File, at: u64, len: u64) -> Option<Vec<u64>> {
    let words = usize::try_from(len.div_ceil(8)).ok()?;
    let mut all = Vec::new();
    if len > MOST || !all.has_room(words) {
        return None;
    }
    all.resize(words, 0_u64);
    let bytes = bytes_of_slice_mut(&mut all).get_mut(..len as usize)?;
    file.read_exact_at(bytes, at).ok()?;
    Some(all)
}

fn as_slice<T: Pod>(words: &[u64]) -> Option<&[T]> {
    slice_from_all_bytes(object::pod::bytes_of_slice(words)).ok()
}

/// How often the process has loaded and unloaded something.
fn changes() -> (u64, u64) {
    extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, out: *mut c_void) -> c_int {
        // SAFETY: the loader gives what it has, and what it was given.
        unsafe { *out.cast::<(u64, u64)>() = ((*info).dlpi_adds, (*info).dlpi_subs) };
        1
    }
    let mut changes = (0, 0);
    // SAFETY: `first` gets a place for two numbers.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut changes).cast()) };
    changes
}

/// All that is loaded: where, and of which file.
fn each_module(mut work: &mut dyn FnMut(usize, &OsStr)) {
    extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, work: *mut c_void) -> c_int {
        // SAFETY: the loader gives what it has, with a name that ends with a zero, and what it was given.
        let (info, work) = unsafe { (&*info, &mut *work.cast::<&mut dyn FnMut(usize, &OsStr)>()) };
        // SAFETY: the same.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        let path = match name {
            b"" => b"/proc/self/exe",
            name => name,
        };
        work(info.dlpi_addr as usize, OsStr::from_bytes(path));
        0
    }
    // SAFETY: `each` gets what it is made for.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut work).cast()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[unsafe(no_mangle)]
    static rmashm_test_static: [u64; 10] = [7; 10];

    #[test]
    fn static_data_ends_where_its_symbol_does() {
        let at = (&raw const rmashm_test_static).addr();
        let of = |from: usize, to: usize| beyond([(at + from, at + to)].into_iter());
        assert_eq!((of(0, 80), of(72, 80)), (None, None));
        let found = of(72, 81).unwrap();
        assert_eq!((&*found.name, found.bytes), ("rmashm_test_static", 80));
        assert_eq!(found.range, (at + 80, at + 81));
        let here = 0_u64;
        let stack = (&raw const here).addr();
        assert_eq!(beyond([(stack, stack + 4096)].into_iter()), None);
        // One of many.
        let blocks = |len| (0..10).map(move |n| (at + 8 * n, at + 8 * n + len));
        assert_eq!(beyond(blocks(8)), None);
        assert_eq!(beyond(blocks(9)).map(|found| found.range.1), Some(at + 81));
    }

    #[test]
    fn symbols_that_overlap_are_one() {
        let object = |from, to| Object {
            from,
            to,
            name: (0, 0),
        };
        let mut objects = Objects {
            all: [(50, 60), (10, 20), (10, 40), (30, 45), (45, 50)]
                .map(|(from, to)| object(from, to))
                .to_vec(),
            names: Vec::new(),
            changes: (0, 0),
        };
        objects.order();
        assert_eq!(
            objects.all,
            [object(10, 45), object(45, 50), object(50, 60)]
        );
        let behind = |buffers: &[Range]| objects.beyond(buffers.iter().copied()).map(|it| it.range);
        assert_eq!(behind(&[(0, 100), (10, 45), (45, 48), (60, 99)]), None);
        assert_eq!(behind(&[(0, 5), (12, 20), (40, 46)]), Some((45, 46)));
        assert_eq!(behind(&[(45, 50), (46, 51)]), Some((50, 51)));
    }
}
