"""A Slurm cluster of several nodes on this machine, for tests: up in a few seconds, as root
or as a plain user, in a folder of its own, and gone without a trace.

By hand: python3 tests/slurm/cluster.py [NODES] prints what to export and waits for Ctrl-C.
"""

import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"

CONFIGURATION = """\
ClusterName=duettest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdTimeout=6
SlurmctldTimeout=10
KillWait=2
ReturnToService=2
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
MailProg=/bin/true
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first_port}-{last_port}] CPUs=1 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs():
    """What of Slurm and MUNGE is not installed."""
    return [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]


def free_ports(count):
    """The first of so many consecutive ports that nobody listens at now."""
    # Clusters that start at the same time begin far from each other.
    for first in range(20000 + os.getpid() % 2500 * 8, 60000, count):
        with contextlib.ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise RuntimeError("no free ports")


class Cluster:
    """What runs. Every process is a child of this one, and started in the foreground."""

    def __init__(self, nodes=4):
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="duet-slurm-"))
        self.folder.chmod(0o755)
        self.environment = {**os.environ, "PATH": PATH,
                            "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.processes = {}

    def __enter__(self):
        try:
            self.configure()
            self.start_munge()
            self.start_controller()
            for node in self.nodes:
                self.start_node(node)
            self.wait(lambda: self.idle() == set(self.nodes), 30, "nodes are not idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        """Jobs before nodes, nodes before the controller, MUNGE last."""
        with contextlib.suppress(Exception):
            self.call("scancel", "--user", getpass.getuser())
            self.wait(lambda: not self.steps(), 8, "")
        for pid in self.steps():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for name in [*self.nodes, "slurmctld", "munged"]:
            self.stop(name, signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- Processes ----

    def start(self, name, *words):
        log = open(self.folder / f"{name}.out", "ab")
        with log:
            self.processes[name] = subprocess.Popen(
                words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def stop(self, name, number=signal.SIGKILL):
        process = self.processes.pop(name, None)
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def configure(self):
        ports = free_ports(len(self.nodes) + 1)
        (self.folder / "state").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0], user=getpass.getuser(),
            folder=self.folder, nodes=len(self.nodes), control_port=ports,
            first_port=ports + 1, last_port=ports + len(self.nodes)))

    def start_munge(self):
        self.start("munged", "munged", "--foreground", "--force",
                   f"--socket={self.folder}/munge.socket",
                   f"--key-file={self.folder}/munge.key",
                   f"--pid-file={self.folder}/munged.pid",
                   f"--seed-file={self.folder}/munged.seed")
        self.wait(lambda: (self.folder / "munge.socket").exists(), 10, "munged does not start")

    def start_controller(self):
        self.start("slurmctld", "slurmctld", "-D")

    def start_node(self, node):
        self.start(node, "slurmd", "-D", "-N", node)

    def steps(self, node=None):
        """Processes of jobs, of one node or of all. Those that Slurm starts know their node,
        the one that starts them is their parent."""
        found = set()
        parents = set()
        ours = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
                words = (entry / "cmdline").read_bytes()
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except (OSError, ValueError):
                continue
            if ours not in environment:
                continue
            there = [word.partition(b"=")[2].decode() for word in environment
                     if word.startswith(b"SLURMD_NODENAME=")]
            if there and node in (None, there[0]):
                found.add(int(entry.name))
                parents.add(int(parent))
            elif words.startswith(b"slurmstepd") and node is None:
                found.add(int(entry.name))
        daemons = {process.pid for process in self.processes.values()} | {os.getpid(), 1}
        return sorted((found | {pid for pid in parents if self.is_step(pid)}) - daemons)

    @staticmethod
    def is_step(pid):
        try:
            return b"slurmstepd" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    def kill_node(self, node):
        """As a power cut: its daemon and all that it has started are gone at once."""
        pids = self.steps(node)
        for number in (signal.SIGSTOP, signal.SIGKILL):  # none tells of another's end
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            self.stop(node)

    def kill_daemon(self, node):
        """Only its daemon: what it has started goes on, and is started elsewhere again."""
        self.stop(node)

    def stop_controller(self):
        """As an administrator does: it writes down first what it knows of the jobs. One that is
        killed may forget the last seconds, and then gives the number of a job that runs to
        another one, whose node Slurm shuts."""
        self.stop("slurmctld", signal.SIGTERM)

    def restart_controller(self):
        self.stop_controller()
        self.start_controller()
        self.wait(self.answers, 20, "the controller does not come back")

    # ---- Questions ----

    def call(self, *words, timeout=20):
        return subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, check=False, timeout=timeout)

    def answers(self):
        return self.call("squeue", "-h").returncode == 0

    def idle(self):
        listed = self.call("sinfo", "-h", "-N", "-o", "%N %T")
        return {line.split()[0] for line in listed.stdout.splitlines()
                if line.split()[1:] == ["idle"]}

    def jobs(self):
        """{(array, index): (state, node)} of all jobs that Slurm remembers."""
        listed = self.call("squeue", "-h", "-r", "-t", "all", "-o", "%F %K %T %N")
        rows = [line.split(" ") for line in listed.stdout.splitlines()]
        return {(row[0], row[1]): (row[2], row[3]) for row in rows}

    def active(self):
        return self.call("squeue", "-h", "-r", "-o", "%i").stdout.split()

    def wait(self, done, seconds, what):
        deadline = time.monotonic() + seconds
        while not done():
            for name, process in self.processes.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} has ended: {self.tail(name)}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{what}: {self.call('sinfo', '-N', '-o', '%N %T %E').stdout}"
                                   f"{self.call('squeue', '-r', '-o', '%F_%K %T %r %N').stdout}"
                                   f"{self.tail('slurmctld')}")
            time.sleep(0.1)

    def wait_for_jobs(self, seconds=120):
        self.wait(lambda: not self.active(), seconds, "jobs do not end")

    def tail(self, name):
        return (self.folder / f"{name}.out").read_text(errors="replace")[-2000:]


def main():
    missing = missing_programs()
    if missing:
        sys.exit(f"not installed: {' '.join(missing)} (Debian: slurm-wlm munge)")
    with Cluster(int(sys.argv[1]) if len(sys.argv) > 1 else 4) as cluster:
        print(f"export SLURM_CONF={cluster.folder}/slurm.conf", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
