//! What the injector is told, and what it has done: a file that the ranks map, laid out as `struct table` in `injector.c`.

use crate::plan::Injection;
use std::collections::BTreeMap;
use std::path::Path;

const NAME: usize = 24;
const CALLS: usize = 40;
const HEAD: usize = 4 * 8;

/// Lays the file out.
pub fn write(path: &Path, seed: u64, injection: Injection) -> Result<(), String> {
    let Injection {
        kinds,
        per_million,
        least,
    } = injection;
    let head = [seed, kinds, per_million, least];
    let mut bytes: Vec<u8> = head.into_iter().flat_map(u64::to_ne_bytes).collect();
    bytes.resize(HEAD + CALLS * (NAME + 8), 0);
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// How often each call was made to fail.
pub fn read(path: &Path) -> BTreeMap<String, u64> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let entries = bytes.get(HEAD..).unwrap_or_default();
    let entry = |entry: &[u8]| {
        let (name, count) = entry.split_at(NAME);
        let count = u64::from_ne_bytes(count.try_into().ok()?);
        let name = name.split(|byte| *byte == 0).next()?;
        (count > 0).then(|| (String::from_utf8_lossy(name).into_owned(), count))
    };
    entries.chunks_exact(NAME + 8).filter_map(entry).collect()
}
