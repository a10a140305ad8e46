"""Signals at random moments of a take, alone and in the pairs that shells, timeout(1) and systemd send."""

import contextlib
import os
import pathlib
import pty
import select
import signal
import subprocess
import time

from fuzz.checks import TRAPS, Fault, check_wav
from measuring.servers import private_server, run as ask

TITLE = "signals at any moment leave a whole take and the right status"

PAIRS = [
    [signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP], [signal.SIGHUP, signal.SIGHUP], [signal.SIGTERM, signal.SIGTERM],
    [signal.SIGTERM, signal.SIGCONT], [signal.SIGTERM, signal.SIGTERM, signal.SIGCONT], [signal.SIGTERM, signal.SIGHUP],
    [signal.SIGINT, signal.SIGINT], [signal.SIGUSR1, signal.SIGTERM], [signal.SIGUSR2, signal.SIGUSR2, signal.SIGINT],
    [signal.SIGHUP, signal.SIGCONT, signal.SIGHUP],
]
ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


@contextlib.contextmanager
def setting():
    with private_server("pulseaudio") as server:
        ask(["pactl", "load-module", "module-null-sink", "sink_name=room"], server)
        # The program leaves SIGHUP ignored, as under nohup(1), and cannot hear a SIGINT before it has begun that a shell
        # lets a job in the background ignore.
        inherited = signal.signal(signal.SIGHUP, signal.SIG_DFL), signal.signal(signal.SIGINT, signal.default_int_handler)
        yield dict(server)
        signal.signal(signal.SIGHUP, inherited[0])
        signal.signal(signal.SIGINT, inherited[1])


def trial(binary, random, directory, server):
    command = [str(binary), "record", "-o", "take.wav", "-d", "room.monitor"] + random.choice([[], ["--force"], ["--quiet"]])
    signals = random.choice(PAIRS)
    pauses = [random.choice([0, 0, 0.001, 0.01, 0.05]) for _ in signals]
    moment = random.choice([0.1, 0.4, 1.2]) * random.random() + random.choice([0, 0.6])
    is_front = random.random() < 0.6
    process = (Terminal if is_front else begin)(command, directory, server)
    try:
        time.sleep(moment)
        how = random.choice(["process", "group", "hang up"]) if is_front else "process"
        if how == "hang up":
            process.hang_up()
            signals = [signal.SIGHUP] + signals
        what = f"{how}, {[int(number) for number in signals]} after {moment:.3f} s"
        interrupts = []
        for number, pause in zip(signals, pauses + [0]):
            if number == signal.SIGINT:
                interrupts.append(time.monotonic())
            with contextlib.suppress(ProcessLookupError):
                (os.killpg if how == "group" else os.kill)(process.pid, number)
            time.sleep(pause)
        status = wait(process, what)
        wait_for_others(directory, what)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if is_front and process.master is not None:
            process.hang_up()
    # On a busy machine two may be so far apart that the second one means to end at once, whatever is left.
    if not interrupts or interrupts[-1] - interrupts[0] < 0.09:
        judge(status, signals, directory, what)


def judge(status, signals, directory, what):
    """Checks that a file, if there is one, is complete; without one, the take must have ended before its first
    frame."""
    if -status in TRAPS:
        raise Fault(f"ended with signal {-status}: {what}")
    files = sorted(directory.glob("take*.wav"))
    for path in files:
        check_wav(path)
    if left := list(directory.glob(".take*")):
        raise Fault(f"left {left[0].name}: {what}")
    if files and status != 0:
        raise Fault(f"a whole take, and status {status}: {what}")
    before = {1} | {128 + number for number in ENDING} | {-number for number in ENDING | {signal.SIGUSR1, signal.SIGUSR2}}
    if not files and status not in before:
        raise Fault(f"no take, and status {status}: {what}")


class Terminal:
    """A process that leads a session on its own terminal."""

    def __init__(self, command, directory, server):
        # Closed when the program is executed. An earlier signal would reach this script's copy, which may not have a
        # process group of its own yet, and be lost.
        executed, closed = os.pipe()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execve(command[0], command, server | {"TERM": "xterm", "HOME": str(directory), "PATH": os.environ["PATH"]})
        os.close(closed)
        os.read(executed, 1)
        os.close(executed)

    def hang_up(self):
        os.close(self.master)
        self.master = None

    def poll(self):
        if self.master is not None and select.select([self.master], [], [], 0)[0]:
            with contextlib.suppress(OSError):
                os.read(self.master, 65_536)
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None


def begin(command, directory, server):
    environment = server | {"HOME": str(directory), "PATH": os.environ["PATH"]}
    null = subprocess.DEVNULL
    return subprocess.Popen(
        command, cwd=directory, env=environment, stdin=null, stdout=null, stderr=null, start_new_session=True)


def wait(process, what):
    deadline = time.monotonic() + 15
    while (status := process.poll()) is None:
        if time.monotonic() > deadline:
            raise Fault(f"still running 15 s after a signal that ends it: {what}")
        time.sleep(0.01)
    return status


def wait_for_others(directory, what):
    """Waits for the recording process, which may outlive its supervisor briefly."""
    deadline = time.monotonic() + 10
    while works_in(directory):
        if time.monotonic() > deadline:
            raise Fault(f"the process that records is still running after 10 s: {what}")
        time.sleep(0.02)


def works_in(directory):
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.path.realpath(process / "cwd") == str(directory) and (process / "cmdline").read_bytes():
                return True
    return False
