//! Accesses whose elements are others in the file than in memory: they are converted in pieces, by way of a buffer that has them as
//! they are in the file.

use super::access::Direction;
use super::representation::Representation;
use crate::datatype::{self, Datatype, Named, external};
use crate::error::{Error, Result};
use crate::mpi::types::MPI_Datatype;
use crate::transport::Buffer;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of the file in a piece, unless one element has more. So many elements at most are converted by one call.
const PIECE: usize = 1 << 20;

/// Runs of equal elements in a piece at most.
const RUNS: usize = 16 << 10;

/// The program's memory of an access.
pub struct Memory {
    pub buffer: Buffer,
    /// What the elements are, of which there are some.
    pub elements: Option<Elements>,
}

/// So many elements of a datatype at an address.
pub struct Elements {
    pub address: usize,
    pub count: usize,
    pub datatype: Arc<Datatype>,
    pub handle: MPI_Datatype,
}

/// Bytes that were moved.
#[derive(Clone, Copy, Default)]
pub struct Moved {
    pub in_memory: usize,
    pub in_file: usize,
}

/// Moves bytes between a range of the view's stream and memory at an address. Gives how many, and what ended it early.
pub type Move<'a> = dyn FnMut(Range<u64>, usize) -> Result<(usize, io::Result<()>)> + 'a;

/// An access that converts.
struct Converter<'a> {
    direction: Direction,
    representation: &'a Representation,
    buffer: &'a Buffer,
    elements: &'a Elements,
    /// A handle for the program's functions.
    handle: MPI_Datatype,
    /// Where it begins in the stream.
    start: u64,
    piece: Vec<Run>,
    /// Of the piece.
    bytes: usize,
    /// Elements of the pieces before.
    position: usize,
    moved: Moved,
    in_file: Vec<u8>,
    native: Vec<u8>,
}

/// Equal elements one after the other.
#[derive(Clone, Copy)]
struct Run {
    named: Named,
    count: usize,
    /// Bytes of one in the file.
    size: usize,
}

impl Run {
    fn native(&self) -> usize {
        self.count * external::native_size(self.named)
    }
}

/// Moves all elements from the byte `start` of the view's stream on; `moved` tells how far it came, also if it fails. `failed`
/// makes an error of the system's. Errors: `MPI_ERR_CONVERSION`, `MPI_ERR_NO_MEM`, and the system's.
pub fn transfer(
    direction: Direction,
    representation: &Representation,
    memory: &Memory,
    start: u64,
    moved: &mut Moved,
    mover: &mut Move,
    failed: &dyn Fn(&io::Error) -> Error,
) -> Result<()> {
    let Some(elements) = &memory.elements else {
        return Ok(());
    };
    let lent = datatype::lend(&elements.datatype, elements.handle)?;
    let mut converter = Converter {
        direction,
        representation,
        buffer: &memory.buffer,
        elements,
        handle: lent.handle,
        start,
        piece: Vec::new(),
        bytes: 0,
        position: 0,
        moved: Moved::default(),
        in_file: Vec::new(),
        native: Vec::new(),
    };
    let mut outcome = Ok(true);
    let signature = elements.datatype.signature().repeat(elements.count);
    signature.for_each_while(&mut |named, count| {
        outcome = converter.take(named, count, mover, failed);
        matches!(outcome, Ok(true))
    });
    if let Ok(true) = outcome {
        outcome = converter.flush(mover, failed);
    }
    *moved = converter.moved;
    outcome.map(drop)
}

impl Converter<'_> {
    /// Takes the next elements. Whether it goes on.
    fn take(
        &mut self,
        named: Named,
        count: usize,
        mover: &mut Move,
        failed: &dyn Fn(&io::Error) -> Error,
    ) -> Result<bool> {
        let size = self.representation.size_of(named)?;
        let mut left = count;
        while left > 0 {
            let room = PIECE.saturating_sub(self.bytes) / size;
            if self.piece.len() == RUNS || (room == 0 && self.bytes > 0) {
                if !self.flush(mover, failed)? {
                    return Ok(false);
                }
                continue;
            }
            let count = left.min(room.max(1));
            self.piece.push(Run { named, count, size });
            self.bytes += count * size;
            left -= count;
        }
        Ok(true)
    }

    /// Moves the piece. Whether all of it was moved.
    fn flush(&mut self, mover: &mut Move, failed: &dyn Fn(&io::Error) -> Error) -> Result<bool> {
        let wanted = self.bytes;
        if wanted == 0 {
            return Ok(true);
        }
        super::access::grow(&mut self.in_file, wanted)?;
        if self.direction == Direction::Write {
            let all: usize = self.piece.iter().map(Run::native).sum();
            self.convert(all)?;
        }
        let at = self.start + self.moved.in_file as u64;
        let address = self.in_file.as_mut_ptr().expose_provenance();
        let (got, outcome) = mover(at..at + wanted as u64, address)?;
        let elements = self.cut(got);
        let native = self.piece.iter().map(Run::native).sum();
        if self.direction == Direction::Read {
            self.convert(native)?;
        }
        self.position += elements;
        self.moved.in_file += self.bytes;
        self.moved.in_memory += native;
        self.piece.clear();
        self.bytes = 0;
        outcome.map_err(|error| failed(&error))?;
        Ok(got == wanted)
    }

    /// Leaves the whole elements of the first `bytes` bytes in the piece. Gives their number.
    fn cut(&mut self, bytes: usize) -> usize {
        let (mut left, mut elements) = (bytes, 0);
        for run in &mut self.piece {
            run.count = run.count.min(left / run.size);
            left -= run.count * run.size;
            elements += run.count;
            if run.count == 0 {
                left = 0;
            }
        }
        self.bytes = self.piece.iter().map(|run| run.count * run.size).sum();
        elements
    }

    /// Converts the piece, `native` bytes of memory.
    fn convert(&mut self, native: usize) -> Result<()> {
        let reading = self.direction == Direction::Read;
        if let Representation::Own(own) = self.representation {
            let elements = self.piece.iter().map(|run| run.count).sum();
            if elements == 0 {
                return Ok(());
            }
            let buffer = (self.elements.address, self.handle, self.position);
            let file = self.in_file.as_mut_ptr();
            // SAFETY: the memory is the program's, and the buffer has room for the piece.
            return unsafe { own.convert(self.direction, buffer, elements, file) };
        }
        super::access::grow(&mut self.native, native)?;
        let range = self.moved.in_memory..self.moved.in_memory + native;
        if !reading {
            // SAFETY: the caller of the MPI function gave the memory, and the buffer has the room.
            unsafe { self.buffer.read(range.clone(), self.native.as_mut_ptr()) };
        }
        let (mut memory, mut file) = (&mut self.native[..], &mut self.in_file[..]);
        for run in &self.piece {
            let (here, more) = memory.split_at_mut(run.native());
            let (there, rest) = file.split_at_mut(run.count * run.size);
            match reading {
                true => external::decode(run.named, there, here),
                false => external::encode(run.named, here, there),
            }
            (memory, file) = (more, rest);
        }
        if reading {
            // SAFETY: as above.
            unsafe { self.buffer.write(range, self.native.as_ptr()) };
        }
        Ok(())
    }
}
