//! How jobs of MPI programs end.
//!
//! The MPI program is this test program itself: the ignored test [`rank`], told by a variable what to do at each rank.

use crate::run::{Outcome, Run, mpiexec};
use nix::sys::signal::Signal;
use rmashm::launching;

const ROLES: &str = "LAUNCHER_TEST_ROLES";

/// A rank of the jobs below. Its steps are words: what it does one after the other.
#[test]
#[ignore = "run by the other tests, under mpiexec"]
fn rank() {
    let roles = std::env::var(ROLES).expect("run by the other tests only");
    let number: usize = std::env::var("RMASHM_RANK").unwrap().parse().unwrap();
    let roles: Vec<&str> = roles.split(';').collect();
    for step in roles
        .get(number)
        .unwrap_or(&roles[roles.len() - 1])
        .split_whitespace()
    {
        match step {
            "init" => launching::start(launching::Level::Multiple).unwrap(),
            "finalize" => launching::end().unwrap(),
            "sleep" => std::thread::sleep(std::time::Duration::from_millis(300)),
            "kill" => drop(nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL)),
            "abort" => launching::abort(7),
            word if word.starts_with("abort=") => {
                let request: u64 = word["abort=".len()..].parse().unwrap();
                let word = &launching::job().table.processes[0].aborted;
                word.store(request, std::sync::atomic::Ordering::Release);
            }
            "try-init" => match launching::start(launching::Level::Multiple) {
                Ok(()) => eprintln!("rank {number} came through"),
                Err(error) => eprintln!("rank {number}: {}", error.text),
            },
            "try-finalize" => match launching::end() {
                Ok(()) => eprintln!("rank {number} came through"),
                Err(error) => eprintln!("rank {number}: {}", error.text),
            },
            status => std::process::exit(status.parse().unwrap()),
        }
    }
    std::process::exit(0);
}

#[track_caller]
fn job(options: &[&str], ranks: u32, roles: &str) -> Outcome {
    let program = std::env::current_exe().unwrap().display().to_string();
    let ranks = ranks.to_string();
    let words = [
        "-n",
        &ranks,
        &program,
        "mpi::rank",
        "--exact",
        "--ignored",
        "--nocapture",
        "--quiet",
    ];
    let mut command = mpiexec(&[options, &words].concat());
    command.env(ROLES, roles);
    Run::start(command).finish()
}

#[test]
fn a_job_that_is_right() {
    for ranks in [1, 2, 4, 8] {
        job(&[], ranks, "init sleep finalize").ended(0).quietly();
    }
}

#[test]
fn a_status_after_finalize_is_the_jobs() {
    let outcome = job(&[], 3, "init finalize;init finalize 6;init finalize").ended(6);
    outcome.says("rank 1 (pid ").says(" exited with status 6\n");
}

#[test]
fn leaving_without_finalize_ends_the_job() {
    let outcome = job(&[], 3, "init finalize;init sleep 0;init finalize").ended(1);
    let outcome = outcome
        .says("rank 1 (pid ")
        .says("exited with status 0 without calling MPI_Finalize");
    outcome.says("ranks 0, 2 were in MPI_Finalize");
    job(&[], 2, "init finalize;init 5")
        .ended(5)
        .says("exited with status 5 without calling MPI_Finalize");
}

#[test]
fn a_job_that_all_leave_without_finalize_is_warned() {
    for roles in ["init 0", "init 0;init sleep 0;init sleep sleep 0"] {
        job(&[], 3, roles)
            .ended(0)
            .says("mpiexec: ranks 0-2 exited with status 0 without calling MPI_Finalize\n");
    }
    // The others do not need it, for so long that it is told before the end.
    let late = format!("init {}0", "sleep ".repeat(18));
    let outcome = job(&[], 2, &format!("init 0;{late}")).ended(0);
    outcome.says("rank 0 exited with status 0 without calling MPI_Finalize; the others go on\n");
}

#[test]
fn leaving_before_init_ends_the_job_of_those_who_wait() {
    let text = "before MPI_Init, in which ranks 0, 2 wait for it";
    // The others wait already, or come to.
    job(&[], 3, "init finalize;sleep 0;init finalize")
        .ended(1)
        .says("rank 1 (pid ")
        .says(text);
    job(&[], 3, "sleep init finalize;4;sleep init finalize")
        .ended(4)
        .says("exited with status 4");
}

#[test]
fn a_killed_rank_ends_the_job_and_says_what_the_others_did() {
    let outcome = job(
        &[],
        4,
        "init finalize;init finalize;init sleep kill;init finalize",
    )
    .ended(137);
    let outcome = outcome
        .says("rank 2 (pid ")
        .says("was killed by signal 9 (Killed)\n");
    outcome.says("ranks 0-1, 3 were in MPI_Finalize");
}

#[test]
fn a_rank_killed_before_init_ends_the_job() {
    job(&[], 3, "init finalize;sleep kill;init finalize")
        .ended(137)
        .says("ranks 0, 2 were in MPI_Init");
}

#[test]
fn an_abort_ends_the_job() {
    let outcome = job(&[], 3, "init finalize;init abort;init finalize").ended(7);
    outcome
        .says("rank 1 (pid ")
        .says("ended the job with status 7");
}

#[test]
fn a_check_says_which_ranks_it_has_looked_at_until_they_died() {
    let nothing = "mpiexec: check: nothing was found";
    for (ranks, roles, status) in [(2, "init finalize", 0), (1, "init finalize 6", 6)] {
        let outcome = job(&["-check"], ranks, roles).ended(status);
        outcome.says(&format!("{nothing}\n"));
    }
    let both = "ranks 0-1 did not come to their end, and were looked at until then";
    let first = "rank 0 did not come to its end, and was looked at until then";
    for (ranks, roles, status, words) in [
        (2, "init sleep kill;init sleep sleep", 137, both),
        (2, "init abort;init sleep sleep", 7, both),
        (1, "init abort", 7, first),
        (1, "init 3", 3, first),
        (1, "init", 0, first),
    ] {
        let outcome = job(&["-check"], ranks, roles).ended(status);
        outcome.says(&format!("{nothing}; {words}\n"));
    }
}

#[test]
fn what_is_written_there_by_mistake_is_no_abort() {
    // A status that nobody has asked for.
    job(&[], 2, "init abort=7 finalize;init sleep finalize")
        .ended(0)
        .quietly();
    // As if rank 0 had asked.
    let request = (1_u64 << 32 | 7).to_string();
    job(
        &[],
        2,
        &format!("init abort={request} sleep sleep finalize"),
    )
    .ended(7)
    .says("rank 0 (pid ");
}

#[test]
fn without_cleanup_survivors_get_an_error() {
    let options = &["-disable-auto-cleanup"];
    let outcome = job(
        options,
        3,
        "init try-finalize;init sleep kill;init try-finalize",
    )
    .ended(137);
    let outcome = outcome
        .says("rank 1 (pid ")
        .says("\nrank 0: ")
        .says("\nrank 2: ");
    assert!(!outcome.stderr.contains("came through"), "{outcome:?}");
    let outcome = job(options, 2, "try-init;3").ended(3).says("\nrank 0: ");
    assert!(!outcome.stderr.contains("came through"), "{outcome:?}");
}

#[test]
fn a_rank_under_a_wrapper_is_called_by_its_program() {
    let program = std::env::current_exe().unwrap().display().to_string();
    let words = "mpi::rank --exact --ignored --nocapture --quiet";
    // The shell waits for its child, which is dead when its end is told.
    let script = format!("{program} {words}; exit $?");
    let mut command = mpiexec(&["-n", "2", "sh", "-c", &script]);
    command.env(ROLES, "init finalize;init 3");
    let said = format!(", {program}, started by sh) exited with status 3 without");
    Run::start(command).finish().ended(3).says(&said);
    // Becomes the program.
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = mpiexec(&[&["-n", "2", "env", &program], &words[..]].concat());
    command.env(ROLES, "init finalize;init kill");
    let said = format!(", {program}) was killed by signal 9");
    let outcome = Run::start(command).finish();
    outcome.ended(137).says("rank 1 (pid ").says(&said);
    // It has not come to MPI_Init: nothing is known but the wrapper.
    let mut command = mpiexec(&["-n", "1", "sh", "-c", &script]);
    command.env(ROLES, "3");
    let outcome = Run::start(command).finish();
    outcome.ended(3).says(", sh) exited with status 3\n");
}

#[test]
fn the_launchers_death_ends_a_wrapped_mpi_job() {
    let program = std::env::current_exe().unwrap().display().to_string();
    let text = format!("{program} mpi::rank --exact --ignored --nocapture --quiet; true");
    let mut command = mpiexec(&["-n", "2", "sh", "-c", &text]);
    command.env(ROLES, "init sleep sleep sleep sleep sleep sleep sleep sleep sleep sleep sleep sleep sleep sleep finalize");
    let mut run = Run::start(command);
    std::thread::sleep(std::time::Duration::from_millis(200));
    run.signal(Signal::SIGKILL);
    run.child.wait().unwrap();
    let watcher = Run::start(mpiexec(&["true"]));
    watcher.wait_until("all processes of the job to be gone", || {
        run.left().is_empty()
    });
    watcher.finish().ended(0);
    run.finish().ended(137);
}
