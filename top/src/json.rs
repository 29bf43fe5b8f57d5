//! The same for programs. Names and units stay what they are; more may come.

use crate::find::{Job, Segment};
use crate::look::{Look, Rate, Rates, bytes, kinds};
use crate::words;
use rmashm::seeing::{Counted, Part, Place, Rank, Window};
use serde_json::{Value, json};

/// The list of jobs.
pub fn jobs(jobs: &[Job]) -> Value {
    let job = |job: &Job| match (&job.segment, Look::at(job)) {
        (Segment::Other(maker), _) => json!({"pid": job.pid, "other_build": maker}),
        (_, Err(error)) => json!({"pid": job.pid, "error": error.to_string()}),
        (_, Ok(look)) => json!({
            "pid": job.pid,
            "ranks": look.seen.ranks.len(),
            "windows": look.windows.len(),
            "shared_bytes": look.shared,
            "program": look.program(),
        }),
    };
    json!({"jobs": jobs.iter().map(job).collect::<Vec<_>>()})
}

/// One job.
pub fn job(look: &Look, rates: &[Rates]) -> Value {
    let ranks = look.seen.ranks.iter().zip(rates).enumerate();
    let ranks: Vec<Value> = ranks
        .map(|(at, (seen, rates))| rank(look, at, seen, rates))
        .collect();
    let windows: Vec<Value> = look.windows.iter().map(window).collect();
    json!({
        "pid": look.pid,
        "program": look.program(),
        "watched": look.seen.watched,
        "shared_bytes": look.shared,
        "dumped_rank": look.dumped_rank(),
        "ranks": ranks,
        "windows": (!look.lacks_windows()).then_some(windows),
        "matrix_bytes": matrix(look),
    })
}

fn rank(look: &Look, at: usize, seen: &Rank, rates: &Rates) -> Value {
    let usage = look.usage[at].as_ref();
    let names = [
        "put",
        "got",
        "accumulated",
        "sent",
        "collective",
        "file_read",
        "file_written",
    ];
    let traffic = names.into_iter().zip(kinds(seen, rates));
    let traffic = traffic.map(|(kind, (all, rate))| (kind.to_string(), counted(all, rate)));
    json!({
        "rank": at,
        "pid": seen.pid,
        "state": look.doing(at),
        "core": look.core(at),
        "cpu": rates.cpu,
        "memory_bytes": usage.map(|usage| usage.memory),
        "adopted_bytes": seen.adopted,
        "adoption_refused": seen.refused,
        "finalizing": seen.leaving,
        "death": seen.death.map(|death| death.to_string()),
        "waits": look.waits(at),
        "traffic": traffic.collect::<serde_json::Map<_, _>>(),
    })
}

fn counted(all: Counted, rate: Rate) -> Value {
    json!({
        "operations": all.operations,
        "bytes": all.bytes,
        "operations_per_second": rate.operations,
        "bytes_per_second": rate.bytes,
    })
}

fn window(window: &Window) -> Value {
    json!({
        "name": window.name,
        "flavor": window.flavor,
        "communicator": window.communicator,
        "hints": window.hints,
        "parts": window.parts.iter().map(part).collect::<Vec<_>>(),
    })
}

fn part(part: &Part) -> Value {
    json!({
        "rank_of_job": part.process,
        "size": part.size,
        "disp_unit": part.disp_unit,
        "memory": match part.place {
            Place::Segment => "segment",
            Place::Own => "own",
            Place::Adopted => "adopted",
            Place::Attached => "attached",
        },
        "exclusive": part.exclusive,
        "shared": part.shared,
        "next": part.next,
        "exposed": part.exposed,
        "in_lock_all": part.in_lock_all,
        "access_epoch": words::epoch(part),
    })
}

/// Rows of ranks, columns of those that they have moved to or from.
fn matrix(look: &Look) -> Vec<Vec<u64>> {
    let ranks = look.seen.ranks.iter();
    ranks
        .map(|rank| rank.moved.iter().map(bytes).collect())
        .collect()
}
