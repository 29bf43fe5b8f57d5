//! A report as JSON, all numbers of it. Times are seconds.

use serde_json::{Map, Value, json};

use super::figures::{Calls, Figures, Rank};

pub fn write(figures: &Figures) -> String {
    let all = json!({
        "ranks": figures.ranks.iter().enumerate().map(rank).collect::<Vec<_>>(),
        "calls": figures.calls().iter().map(|(name, of)| (name.clone(), calls(of))).collect::<Map<_, _>>(),
        "moved": figures.traffic,
    });
    format!("{all:#}\n")
}

fn rank((number, rank): (usize, &Rank)) -> Value {
    let named = rank.calls.iter();
    json!({
        "rank": number,
        "initialized": rank.came,
        "total": rank.total,
        "in_mpi": rank.inside,
        "waiting": rank.waited,
        "waiting_for": rank.waited_for,
        "waiting_for_several": rank.waited_for_several,
        "calls": named.map(|(name, of)| (name.clone(), calls(of))).collect::<Map<_, _>>(),
        "ended_in": rank.unfinished.as_ref().map(|call| json!({
            "call": call.name,
            "for": call.seconds,
            "waiting": call.waiting.map(|(time, _)| time),
            "waiting_for": call.waiting.and_then(|(_, whom)| whom),
        })),
    })
}

fn calls(of: &Calls) -> Value {
    json!({
        "calls": of.count,
        "time": of.seconds,
        "waiting": of.waited,
        "longest": of.longest,
        "bytes": of.bytes,
    })
}
