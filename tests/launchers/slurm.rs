//! A cluster of this machine alone, for one test: munge, Slurm's controller, Slurm's daemon, with all their files in one folder.

use crate::{end, text};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Cluster {
    folder: PathBuf,
    configuration: PathBuf,
    /// The number of an allocation: what runs in it waits for no other job to be cleared away.
    allocation: String,
}

impl Cluster {
    /// Starts the daemons, and waits until the machine is there for jobs.
    pub fn start(folder: &Path) -> Cluster {
        let mut cluster = Cluster {
            folder: folder.to_path_buf(),
            configuration: folder.join("slurm.conf"),
            allocation: String::new(),
        };
        cluster.configure();
        let file = |name: &str| text(&folder.join(name)).to_string();
        let option = |name: &str, value: &str| format!("--{name}={}", file(value));
        // It is careful about the folders of its files, of which /tmp is one that anybody may write to.
        daemon(Command::new("munged").arg("--force").args([
            option("key-file", "munge.key"),
            option("socket", "munge.socket"),
            option("pid-file", "munged.pid"),
            option("log-file", "munged.log"),
            option("seed-file", "munged.seed"),
        ]));
        let configuration = text(&cluster.configuration);
        daemon(Command::new("slurmctld").args(["-c", "-f", configuration]));
        daemon(Command::new("slurmd").args(["-c", "-f", configuration, "-N", &host()]));
        cluster.await_idle();
        cluster.allocate();
        cluster
    }

    /// The variables by which srun finds the cluster, and the allocation there.
    pub fn settings(&self) -> [(&'static str, String); 2] {
        let configuration = text(&self.configuration).to_string();
        [
            ("SLURM_CONF", configuration),
            ("SLURM_JOB_ID", self.allocation.clone()),
        ]
    }

    fn allocate(&mut self) {
        let mut command = Command::new("salloc");
        command.env("SLURM_CONF", &self.configuration);
        let output = command.args(["--no-shell", "-n", "1"]).output();
        let said = output.expect("salloc runs").stderr;
        let said = String::from_utf8_lossy(&said).into_owned();
        let number = said.split("Granted job allocation ").nth(1);
        let number = number.and_then(|rest| rest.split_whitespace().next());
        self.allocation = number.unwrap_or_else(|| panic!("{said}")).to_string();
    }

    /// Ends the allocation, which has all of the machine's memory: others can have one then.
    pub fn give_back(&self) {
        let mut command = Command::new("scancel");
        command.env("SLURM_CONF", &self.configuration);
        let status = command.arg(&self.allocation).status();
        assert!(status.expect("scancel runs").success());
    }

    fn configure(&self) {
        let folder = text(&self.folder);
        let key: Vec<u8> = (0..8).flat_map(|_| random().to_ne_bytes()).collect();
        let file = self.folder.join("munge.key");
        fs::write(&file, key).expect("the key is written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a file of ours");
        fs::create_dir_all(self.folder.join("state")).expect("a folder");
        fs::create_dir_all(self.folder.join("spool")).expect("a folder");
        // Both at once, so that they are two.
        let free = || TcpListener::bind("127.0.0.1:0").expect("a free port");
        let (one, other) = (free(), free());
        let port = |socket: &TcpListener| socket.local_addr().expect("a port").port();
        let (controller, daemon, host) = (port(&one), port(&other), host());
        let words = format!(
            "ClusterName=rmashm
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SwitchType=switch/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={controller}
SlurmdPort={daemon}
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
",
            cores = std::thread::available_parallelism().map_or(1, usize::from),
        );
        fs::write(&self.configuration, words).expect("the configuration is written");
    }

    fn await_idle(&self) {
        for _ in 0..1000 {
            let mut command = Command::new("sinfo");
            command.env("SLURM_CONF", &self.configuration);
            let output = command.args(["-h", "-o", "%T"]).output();
            let said = output.expect("sinfo runs").stdout;
            if String::from_utf8_lossy(&said).trim() == "idle" {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let log = |name| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        panic!(
            "Slurm does not come up:\n{}\n{}",
            log("slurmctld.log"),
            log("slurmd.log")
        );
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in ["slurmd", "slurmctld", "munged"] {
            let pid = fs::read_to_string(self.folder.join(format!("{daemon}.pid")));
            if let Some(pid) = pid.ok().and_then(|pid| pid.trim().parse().ok()) {
                end(pid);
            }
        }
    }
}

/// Runs what leaves a daemon behind.
fn daemon(command: &mut Command) {
    let output = command.output().expect("a daemon of Slurm's starts");
    assert!(output.status.success(), "{command:?}: {output:?}");
}

fn host() -> String {
    let name = nix::unistd::gethostname().expect("the machine has a name");
    let name = name.to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_string()
}

fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
