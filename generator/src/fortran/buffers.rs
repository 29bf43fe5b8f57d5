//! Which count and which datatype say how much of a choice buffer is meant.

use super::kinds::is_lasting;
use super::{Intent, Kind, Parameter, Procedure};

/// What a call does with a buffer.
pub enum Part {
    /// `count` elements of `datatype` are in it, and both belong to no other buffer: a section of an array becomes a datatype.
    Typed { count: String, datatype: String },
    /// How much of it is meant is said in a way that only fits contiguous memory: a section is copied. Count and datatype are
    /// there, perhaps, and belong to another buffer, too.
    Copied(Option<(String, String)>),
    /// It is memory that MPI is given in one piece: no section goes.
    Memory,
    /// Only its address counts.
    Addressed,
}

/// Functions that give memory to MPI.
const MEMORY: [&str; 5] = [
    "MPI_Buffer_attach",
    "MPI_Comm_attach_buffer",
    "MPI_Session_attach_buffer",
    "MPI_Win_attach",
    "MPI_Win_create",
];
/// Functions that take an address for what it is, and those that finish what others have begun with the buffer.
const ADDRESSED: [&str; 6] = [
    "MPI_Free_mem",
    "MPI_Get_address",
    "MPI_Win_detach",
    "MPI_F_sync_reg",
    "MPI_Compare_and_swap",
    "MPI_Fetch_and_op",
];

/// What `procedure` does with its buffer `parameter`: the count and the datatype come right after it, or after the number of
/// partitions.
pub fn part_of(procedure: &Procedure, parameter: &Parameter) -> Part {
    if ADDRESSED.contains(&procedure.name.as_str()) || procedure.name.ends_with("_end") {
        return Part::Addressed;
    }
    if MEMORY.contains(&procedure.name.as_str()) {
        return Part::Memory;
    }
    let all = &procedure.parameters;
    let at = all
        .iter()
        .position(|p| p.name == parameter.name)
        .expect("a parameter of it");
    let is_count = |p: &&Parameter| p.name.ends_with("count") && p.shape.is_empty();
    let is_datatype =
        |p: &&Parameter| p.kind == Kind::Handle("MPI_Datatype".into()) && p.shape.is_empty();
    let is_choice = |p: &&Parameter| p.kind == Kind::Choice;
    let mut following = all[at + 1..].iter().peekable();
    following.next_if(|p| p.name == "partitions");
    let shared =
        all[..at].last().is_some_and(|p| is_choice(&p)) || following.next_if(is_choice).is_some();
    let counted = following.next().filter(is_count);
    let counted = counted.zip(following.next().filter(is_datatype));
    let names = counted.map(|(count, datatype)| (count.name.clone(), datatype.name.clone()));
    match names {
        Some((count, datatype)) if !shared => Part::Typed { count, datatype },
        names => Part::Copied(names),
    }
}

/// Whether a message is made in parts, when the program says that they are ready.
fn is_partitioned(procedure: &Procedure) -> bool {
    procedure.parameters.iter().any(|p| p.name == "partitions")
}

/// Buffers of several blocks, one for each process or partition: the count is that of one block, and the datatype's extent says
/// where the next one lies.
fn has_blocks(procedure: &Procedure, parameter: &Parameter) -> bool {
    if is_partitioned(procedure) {
        return true;
    }
    let name = procedure.name.to_lowercase();
    match parameter.name.as_str() {
        "sendbuf" => name.contains("alltoall") || name.contains("scatter"),
        "recvbuf" => name.contains("alltoall") || name.contains("gather"),
        _ => false,
    }
}

/// Whether the library is not done with its buffers when a function returns, but when a request is complete. With one-sided
/// operations and files it is, also where there is a request, or a second part.
pub fn goes_on(function: &str) -> bool {
    let is_one_sided = function.starts_with("MPI_R") && !function.ends_with("_init");
    is_lasting(function) && !is_one_sided && !function.starts_with("MPI_File_")
}

impl Part {
    /// What the library is told to do with a section: a `How` of `fortran/src/section.rs`.
    pub fn how(&self, procedure: &Procedure, parameter: &Parameter) -> String {
        let typed = match self {
            Part::Addressed => return "How::ADDRESSED".into(),
            Part::Copied(_) | Part::Memory => "No",
            Part::Typed { .. } if has_blocks(procedure, parameter) => "Blocks",
            Part::Typed { .. } => "Whole",
        };
        // A copy is filled and given back as a whole.
        let in_place = is_partitioned(procedure) || matches!(self, Part::Memory);
        let copied = match (in_place, parameter.intent) {
            (true, _) => "No",
            (false, Intent::In) => "Read",
            (false, _) => "Written",
        };
        let everywhere = procedure.parameters.iter().all(|p| p.name != "root");
        format!(
            "How {{ typed: Typed::{typed}, copied: Copied::{copied}, everywhere: {everywhere} }}"
        )
    }
}
