//! What a process sees of a file (MPI 4.1 §14.3): from a displacement on, copies of a filetype, whose data is the view's
//! stream; its gaps are not seen. Positions in the stream are in bytes here, and in etypes in MPI.

use super::access::Direction;
use super::representation::Representation;
use crate::bail;
use crate::datatype::{Datatype, Message, Named};
use crate::error::Result;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

#[derive(Clone)]
pub struct View {
    /// Where it begins in the file, in bytes.
    pub disp: i64,
    pub etype: Arc<Datatype>,
    pub filetype: Arc<Datatype>,
    pub datarep: Representation,
    for_writing: bool,
    /// Bytes of a run, on average; [`u64::MAX`] if there are no gaps.
    run: u64,
    /// Of accesses that do not convert.
    native: Stream,
    /// Of those that do, once it was needed: the program's functions may be asked by accesses alone.
    converted: Arc<OnceLock<Stream>>,
}

/// The stream of a view: what its two datatypes are in the file.
#[derive(Clone)]
pub struct Stream {
    disp: i64,
    /// Bytes of an etype.
    unit: usize,
    tile: Arc<Datatype>,
}

impl View {
    /// The view that a file is opened with: all its bytes.
    pub fn bytes() -> View {
        let byte = Named::of(crate::mpi::constants::MPI_BYTE).expect("bytes are a named type");
        let byte = byte.object();
        View {
            disp: 0,
            etype: byte.clone(),
            filetype: byte.clone(),
            datarep: Representation::Native,
            for_writing: true,
            run: u64::MAX,
            native: Stream {
                disp: 0,
                unit: 1,
                tile: byte.clone(),
            },
            converted: Arc::default(),
        }
    }

    /// A view for reading only, or also `for_writing`. Errors: `MPI_ERR_ARG` if `disp` is negative, or `filetype` is not made
    /// of whole etypes; `MPI_ERR_IO` if one of the two is not for files (see [`check_displacements`]).
    pub fn new(
        disp: i64,
        etype: Arc<Datatype>,
        filetype: Arc<Datatype>,
        datarep: Representation,
        for_writing: bool,
    ) -> Result<View> {
        if disp < 0 {
            bail!(Arg, "disp is {disp}, and must not be negative");
        }
        // In one that always converts, displacements are the file's, and may be none of memory.
        let is_native = !datarep.converts(Direction::Read) || !datarep.converts(Direction::Write);
        let native = Stream::new(disp, &etype, &filetype)?;
        let mut run = u64::MAX;
        if is_native {
            check_displacements(&etype, "etype", for_writing)?;
            let runs = check_displacements(&filetype, "filetype", for_writing)?;
            if filetype.message_at(0, 2).as_run().is_none() && runs > 0 {
                run = filetype.size() as u64 / runs;
            }
        }
        let view = View {
            disp,
            native,
            etype,
            filetype,
            datarep,
            for_writing,
            run,
            converted: Arc::default(),
        };
        if let Representation::External32 = view.datarep {
            view.converted()?;
        }
        Ok(view)
    }

    /// Bytes of a run, on average, where nothing is converted; [`u64::MAX`] if there are no gaps.
    pub fn run(&self) -> u64 {
        self.run
    }

    /// The stream of an access. Errors: `MPI_ERR_CONVERSION`, and as [`View::new`].
    pub fn stream(&self, direction: Direction) -> Result<&Stream> {
        match self.datarep.converts(direction) {
            true => self.converted(),
            false => Ok(&self.native),
        }
    }

    /// That of places in the file that are asked for. Errors: as [`View::stream`].
    pub fn places(&self) -> Result<&Stream> {
        match self.datarep.converts(Direction::Read) {
            true => self.converted(),
            false => self.stream(Direction::Write),
        }
    }

    fn converted(&self) -> Result<&Stream> {
        if let Some(stream) = self.converted.get() {
            return Ok(stream);
        }
        let (etype, filetype) = (
            self.datarep.in_file(&self.etype)?,
            self.datarep.in_file(&self.filetype)?,
        );
        let stream = Stream::new(self.disp, &etype, &filetype)?;
        check_displacements(&etype, "etype", self.for_writing)?;
        check_displacements(&filetype, "filetype", self.for_writing)?;
        Ok(self.converted.get_or_init(|| stream))
    }
}

impl Stream {
    fn new(disp: i64, etype: &Datatype, filetype: &Arc<Datatype>) -> Result<Stream> {
        let (unit, size) = (etype.size(), filetype.size());
        if unit == 0 || !size.is_multiple_of(unit) {
            bail!(
                Arg,
                "filetype has {size} bytes of data, which are not made of etypes of {unit} bytes"
            );
        }
        Ok(Stream {
            disp,
            unit,
            tile: filetype.clone(),
        })
    }

    /// Bytes of an etype.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// The stream up to the position `end` as a message whose addresses are places in the file. Error: `MPI_ERR_ARG` if
    /// files do not go so far, `MPI_ERR_IO` if the filetype has no data.
    fn message(&self, end: u64) -> Result<Message<'_>> {
        let size = self.tile.size() as u64;
        if end == 0 {
            return Ok(self.tile.message_at(0, 0));
        }
        if size == 0 {
            bail!(Io, "the filetype of the view has no data");
        }
        let count = end.div_ceil(size);
        let span = self.tile.true_ub().max(self.tile.extent());
        let last = i128::from(self.disp) + i128::from(count) * span as i128;
        if last > i128::from(i64::MAX) {
            bail!(
                Arg,
                "byte {end} of the view is behind what a file can have: {} bytes",
                i64::MAX
            );
        }
        Ok(self.tile.message_at(self.disp as usize, count as usize))
    }

    /// Calls `each(place in the file, length)` for the bytes of the stream at `range`, in order. Errors: `MPI_ERR_ARG`,
    /// `MPI_ERR_IO`.
    pub fn walk(&self, range: Range<u64>, mut each: impl FnMut(u64, usize)) -> Result<()> {
        let message = self.message(range.end)?;
        if !range.is_empty() {
            let mut visit = |at: usize, len: usize| each(at as u64, len);
            message.walk_range(range.start as usize..range.end as usize, &mut visit);
        }
        Ok(())
    }

    /// Whether places in the file grow with positions in the stream: copies of the filetype do not reach into each other.
    pub fn is_in_order(&self) -> bool {
        self.tile.extent() >= self.tile.true_ub() - self.tile.true_lb()
    }

    /// The first position in `within` whose place in the file is `place` or behind it; the end of `within` if there is none. The
    /// stream has to be in order, and to have places for all of `within`.
    pub fn before(&self, place: u64, within: Range<u64>) -> u64 {
        let (mut low, mut high) = (within.start, within.end);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.place(middle) {
                Ok(at) if (at as u64) < place => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// The stream up to the position `end`, of which a part lies in memory: from byte `begin` of the file on, at `at`.
    pub fn in_memory(&self, at: *mut u8, begin: u64, end: u64) -> Message<'_> {
        let base = at.expose_provenance().wrapping_sub(begin as usize);
        let count = end.div_ceil(self.tile.size().max(1) as u64);
        let base = base.wrapping_add(self.disp as usize);
        self.tile.message_at(base, count as usize)
    }

    /// Where the byte at `position` of the stream is in the file. Errors: `MPI_ERR_ARG`, `MPI_ERR_IO`.
    pub fn place(&self, position: u64) -> Result<i64> {
        let mut place = 0;
        self.walk(position..position + 1, |at, _| place = at as i64)?;
        Ok(place)
    }

    /// The etypes of the stream that begin before the end of a file of `size` bytes.
    pub fn etypes_in(&self, size: i64) -> i64 {
        let (per_tile, unit) = (self.tile.size() as i64, self.unit as i64);
        let seen = size - self.disp;
        if seen <= 0 || per_tile == 0 {
            return 0;
        }
        let (extent, low, high) = (
            self.tile.extent() as i64,
            self.tile.true_lb() as i64,
            self.tile.true_ub() as i64,
        );
        let whole = match extent {
            _ if seen < high => 0,
            0 => 1,
            _ => (seen - high) / extent + 1,
        };
        let mut bytes = whole * per_tile;
        let mut tile = whole;
        while extent > 0 && tile * extent + low < seen {
            let left = (seen - tile * extent) as usize;
            self.tile.for_each_run(0, 1, |at, len| {
                bytes += left.saturating_sub(at).min(len) as i64;
            });
            tile += 1;
        }
        (bytes + unit - 1) / unit
    }
}

/// Checks that a datatype's displacements are not negative and do not go back, and that nothing in it overlaps if it is
/// for writing (MPI 4.1 §14.1.1). Gives the number of its runs. Error: `MPI_ERR_IO`.
fn check_displacements(datatype: &Datatype, name: &str, for_writing: bool) -> Result<u64> {
    let (mut last, mut end, mut runs) = (0, 0, 0);
    let mut goes_back = datatype.true_lb() < 0 || datatype.extent() < 0;
    let mut overlaps = false;
    datatype.for_each_run(0, 1, |at, len| {
        goes_back |= (at as isize) < last;
        overlaps |= at < end;
        runs += 1;
        (last, end) = (at as isize, at + len);
    });
    if goes_back {
        bail!(Io, "{name} has displacements that are negative or go back");
    }
    if overlaps && for_writing {
        bail!(
            Io,
            "{name} overlaps itself, and the file is open for writing"
        );
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{get_arc, indexed, resized, vector};
    use crate::mpi::constants::{MPI_BYTE, MPI_INT};

    fn view(
        disp: i64,
        etype: Arc<Datatype>,
        filetype: Arc<Datatype>,
        for_writing: bool,
    ) -> Result<View> {
        View::new(disp, etype, filetype, Representation::Native, for_writing)
    }

    fn strided() -> Stream {
        // Two ints of every four.
        let int = get_arc(MPI_INT).unwrap();
        let two = vector(1, 2, 2, &int, false).unwrap();
        let tile = resized(&Arc::new(two), 0, 16, false).unwrap();
        view(100, int, Arc::new(tile), true).unwrap().native
    }

    #[test]
    fn the_stream_skips_the_gaps() {
        let view = strided();
        let mut runs = Vec::new();
        view.walk(4..20, |at, len| runs.push((at, len))).unwrap();
        assert_eq!(runs, [(104, 4), (116, 8), (132, 4)]);
        assert_eq!(view.place(8).unwrap(), 116);
    }

    #[test]
    fn what_has_no_gaps_is_one_run() {
        let int = get_arc(MPI_INT).unwrap();
        let ints = view(100, int.clone(), int, true).unwrap();
        for (view, disp) in [(View::bytes().native, 0), (ints.native, 100)] {
            for range in [0..1000, 1..1000, 17..20, 40..44] {
                let mut runs = Vec::new();
                let all = (disp + range.start, (range.end - range.start) as usize);
                view.walk(range, |at, len| runs.push((at, len))).unwrap();
                assert_eq!(runs, [all]);
            }
        }
    }

    #[test]
    fn positions_before_a_place() {
        let view = strided();
        assert!(view.is_in_order());
        // Positions 4 to 20 lie at 104 to 108, 116 to 124, 132 to 136.
        for (place, position) in [
            (0, 4),
            (105, 5),
            (108, 8),
            (116, 8),
            (124, 16),
            (135, 19),
            (200, 20),
        ] {
            assert_eq!(view.before(place, 4..20), position, "{place}");
        }
        assert_eq!(View::bytes().native.before(7, 2..5), 5);
        assert_eq!(View::bytes().native.before(3, 2..5), 3);
    }

    #[test]
    fn a_part_of_the_stream_in_memory() {
        let view = strided();
        let mut memory: Vec<u8> = (0..32).collect();
        // The memory is bytes 110 to 142 of the file.
        let message = view.in_memory(memory.as_mut_ptr(), 110, 20);
        let mut out = [0; 12];
        // SAFETY: these positions lie within the memory, and there is room for them.
        unsafe { crate::datatype::pack(message, 8..20, out.as_mut_ptr()) };
        assert_eq!(out, [6, 7, 8, 9, 10, 11, 12, 13, 22, 23, 24, 25]);
    }

    #[test]
    fn etypes_before_the_end() {
        let view = strided();
        for (size, etypes) in [
            (0, 0),
            (100, 0),
            (101, 1),
            (104, 1),
            (108, 2),
            (116, 2),
            (121, 4),
            (124, 4),
        ] {
            assert_eq!(view.etypes_in(size), etypes, "{size}");
        }
        assert_eq!(View::bytes().native.etypes_in(7), 7);
    }

    #[test]
    fn filetypes_are_made_of_etypes() {
        let (int, byte) = (get_arc(MPI_INT).unwrap(), get_arc(MPI_BYTE).unwrap());
        assert!(view(0, int.clone(), byte.clone(), false).is_err());
        assert!(view(-1, byte.clone(), int.clone(), false).is_err());
        assert!(view(0, byte, int, true).is_ok());
    }

    #[test]
    fn displacements_of_views() {
        let int = get_arc(MPI_INT).unwrap();
        let fits = |lengths: &[i64], displacements: &[i64], for_writing| {
            let filetype = indexed(lengths, displacements, &int, false).unwrap();
            view(0, int.clone(), Arc::new(filetype), for_writing).is_ok()
        };
        assert!(fits(&[1, 1], &[0, 2], true));
        assert!(!fits(&[1, 1], &[-2, 2], false));
        assert!(!fits(&[1, 1], &[3, 0], false));
        // Overlaps may be read, not written.
        assert!(fits(&[3, 1], &[0, 1], false));
        assert!(!fits(&[3, 1], &[0, 1], true));
    }
}
