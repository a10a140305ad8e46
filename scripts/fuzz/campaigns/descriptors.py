"""Standard descriptors that are closed, full or without a reader, and limits on open files."""

import contextlib
import os
import resource
import select
import signal
import subprocess
import time

from fuzz.checks import Fault, check, check_wav
from measuring.servers import private_server, run as ask

TITLE = "closed and full descriptors and small limits end in a truthful status"

TAKE = ["record", "-o", "take.wav", "-d", "room.monitor", "--max", "0.2"]
COMMANDS = [
    TAKE, TAKE + ["--progress", "--inhibit-sleep"], TAKE + ["-o", "-"], TAKE + ["--events", "fd:1"],
    ["record", "-o", "-", "-d", "room.monitor", "--max", "0.2"], ["meter", "-d", "room.monitor", "--max", "0.2"],
    ["devices"], ["devices", "--json"], ["formats"], ["config"], ["--help"], ["record", "--help"], ["--version"], [],
    ["batch", "takes.toml"], ["batch", "takes.toml", "--dry-run"], ["repair", "nosuch.wav"], ["nosuch"],
]
STATES = ["null", "null", "closed", "full device", "full pipe", "no reader"]


@contextlib.contextmanager
def setting():
    with private_server("pulseaudio") as server:
        ask(["pactl", "load-module", "module-null-sink", "sink_name=room"], server)
        yield dict(server)


def trial(binary, random, directory, server):
    words = random.choice(COMMANDS)
    (directory / "takes.toml").write_text('[[take]]\noutput = "take.wav"\ndevice = "room.monitor"\nduration = 0.2\n')
    states = [random.choice(["null", "closed"])] + [random.choice(STATES) for _ in range(2)]
    limit = random.choice([None, None, *range(3, 25), 32, 40, 64])
    process, others = begin([binary, *words], directory, server, states, limit)
    # Optionally lower the limit during the take.
    later = random.choice([None, 3, 10, 18]) if limit is None else None
    what = f"{words}, {states}, ulimit -n {limit}, later {later}"
    try:
        if later is not None:
            time.sleep(random.random() * 0.3)
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (later, later))
        status = process.wait(4 if states[1] == "full pipe" else 30)
        if status is None:
            # A program that prints into a pipe that nobody reads blocks, so end it with a signal.
            os.kill(process.pid, signal.SIGTERM)
            status = process.wait(20)
        if status is None:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(None)
            raise Fault(f"still running: {what}")
    finally:
        for descriptor in others:
            os.close(descriptor)
    check(subprocess.CompletedProcess(words, status, b"", what.encode()))
    if limit is None and later is None or status == 0:
        judge(words, status, states, directory, what)


def begin(command, directory, server, states, limit):
    """Starts the program with these descriptors; also returns the pipe ends that have to stay open."""
    given, others = {}, []
    for number, state in enumerate(states):
        if state == "null":
            given[number] = os.open("/dev/null", os.O_RDWR)
        elif state == "full device":
            given[number] = os.open("/dev/full", os.O_WRONLY)
        elif state in ("full pipe", "no reader"):
            reading, given[number] = os.pipe()
            if state == "no reader":
                os.close(reading)
            else:
                others.append(reading)
                fill(given[number])

    def prepare():
        # Move them above all open descriptors first, so that none replaces another.
        moved = {number: os.dup2(descriptor, 200 + number) for number, descriptor in given.items()}
        for number in range(3):
            if number in moved:
                os.dup2(moved[number], number)
            else:
                os.close(number)
        os.closerange(3, 1_024)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    environment = server | {"HOME": str(directory), "PATH": os.environ["PATH"]}
    # Not `subprocess`, which keeps a descriptor of its own open until the program has started.
    pid = os.fork()
    if pid == 0:
        try:
            os.chdir(directory)
            prepare()
            os.execve(command[0], list(map(str, command)), environment)
        finally:
            os._exit(127)
    for descriptor in given.values():
        os.close(descriptor)
    return Child(pid), others


class Child:
    """A forked process."""

    def __init__(self, pid):
        self.pid = pid
        self.descriptor = os.pidfd_open(pid)

    def wait(self, timeout):
        """Its exit status, or None if it is still running after `timeout` seconds."""
        if not select.select([self.descriptor], [], [], timeout)[0]:
            return None
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def fill(descriptor):
    os.set_blocking(descriptor, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(descriptor, bytes(4_096))
    os.set_blocking(descriptor, True)


def judge(words, status, states, directory, what):
    """Checks that the requested result exists if the status is 0."""
    take = directory / "take.wav"
    output = states[1]
    if status == 0 and "take.wav" in words or status == 0 and words == ["batch", "takes.toml"]:
        check_wav(take, frames=8_820)
    prints = words and words[0] in ("devices", "formats", "config") or "--help" in words or "--version" in words
    prints = prints or not words or "--dry-run" in words
    if prints and status == 0 and output in ("closed", "full device"):
        raise Fault(f"nothing could be printed, and status 0: {what}")
    if "-" in words and status == 0 and output in ("closed", "full device"):
        raise Fault(f"no samples could be written, and status 0: {what}")
    if words in (["repair", "nosuch.wav"], ["nosuch"]) and status == 0:
        raise Fault(f"a mistake, and status 0: {what}")
    fine = output == "null" and words not in (["repair", "nosuch.wav"], ["nosuch"])
    if fine and status != 0:
        raise Fault(f"nothing was wrong, and status {status}: {what}")
