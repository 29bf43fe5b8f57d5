//! Where the processes of a hanging job are.

use crate::leftovers;
use std::fmt::Write;
use std::process::Command;

/// For each process of the job: its state, what it waits for in the kernel, and its stack if gdb is installed.
pub fn of(marker: &str) -> String {
    let mut text = String::new();
    // The ranks come after their launcher, and are what matters: they are looked at first.
    for pid in leftovers::processes(marker).into_iter().rev() {
        let read =
            |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let command = read("cmdline").replace('\0', " ");
        let status = read("status");
        let line = |key: &str| {
            status
                .lines()
                .find(|line| line.starts_with(key))
                .unwrap_or("")
                .replace('\t', " ")
        };
        let _ = writeln!(text, "== {pid} {command}");
        let _ = writeln!(
            text,
            "{}, {}, waits in kernel at {}",
            line("State:"),
            line("Threads:"),
            read("wchan").trim()
        );
        let environment = read("environ");
        let rank = environment
            .split('\0')
            .find(|variable| variable.starts_with("PMI_RANK="));
        if let Some(rank) = rank {
            let _ = writeln!(text, "{rank}");
        }
        text += &read("stack");
        text += &backtrace(pid);
    }
    text
}

fn backtrace(pid: i32) -> String {
    let gdb = Command::new("gdb")
        .args([
            "-p",
            &pid.to_string(),
            "-batch",
            "-nx",
            "-ex",
            "thread apply all backtrace 12",
        ])
        .output();
    let Ok(output) = gdb else {
        return String::new();
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let mut stack: String = text
        .lines()
        .filter(|line| line.starts_with('#') || line.starts_with("Thread"))
        .collect::<Vec<_>>()
        .join("\n");
    stack.push('\n');
    stack
}
