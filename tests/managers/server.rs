//! A process manager that speaks PMI-1, PMI-2 or both, and does as it is told at one of its answers.

use crate::run::{Outcome, Run};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::{Arc, Barrier, Mutex};
use std::thread::JoinHandle;

/// What comes in place of one answer.
#[derive(Clone, Debug)]
pub enum Twist {
    /// The connection is closed.
    Close,
    /// These bytes as they are, then the connection is closed.
    Bytes(Vec<u8>),
    /// The answer, but for a word of it.
    Replace(&'static str, &'static str),
    /// Half of it, then the connection is closed.
    Half,
}

/// How a manager behaves.
#[derive(Clone)]
pub struct Manner {
    /// The versions it speaks.
    pub versions: &'static [u32],
    /// The command at whose answer it does something else.
    pub twist: Option<(&'static str, Twist)>,
    /// What stands in its key-value space from the beginning, so that there need not be a rank 0.
    pub known: Vec<(&'static str, String)>,
}

impl Manner {
    pub fn honest(versions: &'static [u32]) -> Manner {
        Manner {
            versions,
            twist: None,
            known: vec![],
        }
    }
}

/// A rank under a manager.
pub struct Served {
    pub run: Run,
    connection: UnixStream,
    heard: JoinHandle<Vec<String>>,
}

impl Served {
    /// The manager goes away.
    pub fn hang_up(&self) {
        let _ = self.connection.shutdown(Shutdown::Both);
    }

    /// Runs to the end: what came of it, and what the rank has said.
    #[track_caller]
    pub fn finish(self) -> (Outcome, Vec<String>) {
        let outcome = self.run.finish();
        (
            outcome,
            self.heard.join().expect("the manager understands all"),
        )
    }
}

/// What the ranks of a job share.
struct Job {
    space: Mutex<BTreeMap<String, String>>,
    fence: Barrier,
    ranks: u32,
}

/// Starts `ranks` processes under a manager.
pub fn start(ranks: u32, manner: &Manner, mut program: impl FnMut() -> Command) -> Vec<Served> {
    let job = Job::of(ranks, ranks as usize, manner);
    let start = |rank| start_one(rank, &job, manner, program());
    (0..ranks).map(start).collect()
}

/// Starts rank `rank` alone, under a manager that says that there are `ranks`, and that all others are where this one is.
pub fn start_only(rank: u32, ranks: u32, manner: &Manner, program: Command) -> Served {
    start_one(rank, &Job::of(ranks, 1, manner), manner, program)
}

impl Job {
    /// Of so many ranks, of which so many come to a fence.
    fn of(ranks: u32, coming: usize, manner: &Manner) -> Arc<Job> {
        let known = manner.known.iter();
        let known = known.map(|(key, value)| (key.to_string(), value.clone()));
        Arc::new(Job {
            space: Mutex::new(known.collect()),
            fence: Barrier::new(coming),
            ranks,
        })
    }
}

fn start_one(rank: u32, job: &Arc<Job>, manner: &Manner, mut program: Command) -> Served {
    let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    let fd = theirs.as_raw_fd();
    program
        .env("PMI_FD", fd.to_string())
        .env("PMI_RANK", rank.to_string())
        .env("PMI_SIZE", job.ranks.to_string());
    let inherit = move || {
        // SAFETY: a flag of a descriptor of ours.
        unsafe { libc::fcntl(fd, libc::F_SETFD, 0) };
        Ok(())
    };
    // SAFETY: between fork and exec this makes one system call.
    unsafe { program.pre_exec(inherit) };
    let run = Run::start(program);
    drop(theirs);
    let connection = ours.try_clone().expect("another descriptor");
    let server = Server {
        stream: BufReader::new(ours),
        rank,
        job: job.clone(),
        manner: manner.clone(),
        version: 0,
        heard: vec![],
    };
    Served {
        run,
        connection,
        heard: std::thread::spawn(|| server.serve()),
    }
}

struct Server {
    stream: BufReader<UnixStream>,
    rank: u32,
    job: Arc<Job>,
    manner: Manner,
    /// That was agreed on; 0 at first.
    version: u32,
    heard: Vec<String>,
}

impl Server {
    fn serve(mut self) -> Vec<String> {
        while let Some(words) = self.hear() {
            self.heard.push(words.clone());
            let Some(answer) = self.answer(&words) else {
                break;
            };
            let command = field(&words, "cmd").expect("a command");
            let packet = match self.version == 2 && command != "init" {
                true => format!("{:<6}{answer}", answer.len()),
                false => answer + "\n",
            };
            let twist = self.manner.twist.clone();
            let twist = twist
                .filter(|(at, _)| *at == command)
                .map(|(_, twist)| twist);
            let (bytes, goes_on) = match twist {
                None => (packet.into_bytes(), true),
                Some(Twist::Bytes(bytes)) => (bytes, false),
                Some(Twist::Replace(one, other)) => {
                    let words = packet.replace(one, other);
                    assert_ne!(words, packet, "{one} is in the answer");
                    (words.into_bytes(), true)
                }
                Some(Twist::Half) => (packet.as_bytes()[..packet.len() / 2].to_vec(), false),
                Some(Twist::Close) => (vec![], false),
            };
            if self.stream.get_mut().write_all(&bytes).is_err() || !goes_on {
                break;
            }
        }
        let _ = self.stream.get_ref().shutdown(Shutdown::Both);
        self.heard
    }

    fn hear(&mut self) -> Option<String> {
        if self.version != 2 {
            let mut line = String::new();
            self.stream.read_line(&mut line).ok().filter(|n| *n > 0)?;
            return Some(line.trim_end().to_string());
        }
        let mut length = [0; 6];
        self.stream.read_exact(&mut length).ok()?;
        let length = std::str::from_utf8(&length).expect("digits").trim();
        let mut words = vec![0; length.parse().expect("a length")];
        self.stream.read_exact(&mut words).ok()?;
        Some(String::from_utf8(words).expect("words"))
    }

    /// The honest answer; none to an abort.
    fn answer(&mut self, words: &str) -> Option<String> {
        let of = |key| field(words, key).unwrap_or_default();
        let (rank, ranks) = (self.rank, self.job.ranks);
        let command = of("cmd");
        let found = || self.job.space.lock().unwrap().get(of("key")).cloned();
        let put = || {
            let mut space = self.job.space.lock().unwrap();
            space.insert(of("key").to_string(), of("value").to_string());
        };
        Some(match command {
            "init" => {
                let asked: u32 = of("pmi_version").parse().expect("a version");
                let speaks = self.manner.versions.contains(&asked);
                if speaks {
                    self.version = asked;
                }
                let status = if speaks { 0 } else { -1 };
                let version = if speaks {
                    asked
                } else {
                    self.manner.versions[0]
                };
                format!("cmd=response_to_init rc={status} pmi_version={version} pmi_subversion=1")
            }
            "get_my_kvsname" => "cmd=my_kvsname kvsname=space".into(),
            "put" => {
                put();
                "cmd=put_result rc=0".into()
            }
            "get" => match found() {
                Some(value) => format!("cmd=get_result rc=0 value={value}"),
                None => "cmd=get_result rc=-1 msg=nothing".into(),
            },
            "barrier_in" => {
                self.job.fence.wait();
                "cmd=barrier_out rc=0".into()
            }
            "get_appnum" => "cmd=appnum rc=0 appnum=0".into(),
            "finalize" if self.version == 1 => "cmd=finalize_ack rc=0".into(),
            "abort" => return None,
            "fullinit" => format!("cmd=fullinit-response;rc=0;rank={rank};size={ranks};appnum=-1;"),
            "job-getid" => "cmd=job-getid-response;rc=0;jobid=a;;b;".into(),
            "kvs-put" => {
                put();
                "cmd=kvs-put-response;rc=0;".into()
            }
            "kvs-fence" => {
                self.job.fence.wait();
                "cmd=kvs-fence-response;rc=0;".into()
            }
            "kvs-get" => {
                assert_eq!(of("jobid"), "a", "{words}");
                match found() {
                    Some(value) => format!("cmd=kvs-get-response;rc=0;found=TRUE;value={value};"),
                    None => "cmd=kvs-get-response;rc=0;found=FALSE;".into(),
                }
            }
            "finalize" => "cmd=finalize-response;rc=0;".into(),
            other => panic!("a rank says {other}: {words}"),
        })
    }
}

/// The value of a key, in either way of writing; up to the first semicolon.
pub fn field<'a>(words: &'a str, key: &str) -> Option<&'a str> {
    words
        .split([' ', ';'])
        .find_map(|field| field.strip_prefix(key)?.strip_prefix('='))
}
