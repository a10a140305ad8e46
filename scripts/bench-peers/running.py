"""Commands that run while their resource usage is measured."""

import contextlib
import fcntl
import os
import pathlib
import pty
import signal
import struct
import subprocess
import termios
import threading
import time
from dataclasses import dataclass

DEADLINE = 60
HERE = pathlib.Path(__file__).resolve().parent


@dataclass(frozen=True)
class Usage:
    """The resource usage of a command from start to end; times in seconds of CLOCK_MONOTONIC."""

    started: float
    ended: float
    cpu: float  # CPU time of all threads, in seconds
    peak: int  # memory, in bytes
    switches: int  # context switches
    status: int


def build(directory):
    """Compiles the C programs for measuring; returns the paths of the minimal recorder and of the measuring program."""
    programs = {"floor": ["-lpulse", "-lsndfile"], "measure": []}
    for name, libraries in programs.items():
        command = ["cc", "-O2", "-Wall", "-Werror", "-o", directory / name, HERE / f"{name}.c", *libraries]
        subprocess.run(command, check=True)
    return directory / "floor", directory / "measure"


class EndedEarly(Exception):
    """A command ended before it was to."""


class Running:
    """A running command. Keeps its standard output if requested."""

    def __init__(self, measure, command, environment, keeps_output=False, has_terminal=False):
        """Starts the command. `has_terminal`: its standard error is a terminal of 80 by 24."""
        reading, writing = os.pipe()
        self.output = bytearray()
        self._messages = bytearray()
        error, terminal = subprocess.PIPE, None
        if has_terminal:
            terminal, error = pty.openpty()
            fcntl.ioctl(error, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._process = subprocess.Popen(
            [measure, str(writing), *command], env=environment, pass_fds=[writing], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if keeps_output else subprocess.DEVNULL, stderr=error,
        )
        os.close(writing)
        if has_terminal:
            os.close(error)
        self._report = os.fdopen(reading)
        messages = terminal if has_terminal else os.dup(self._process.stderr.fileno())
        self._readers = [self._read(messages, self._messages)]
        if keeps_output:
            self._readers.append(self._read(os.dup(self._process.stdout.fileno()), self.output))
        process, started = self._report.readline().split()
        self.process, self.started = int(process), int(started) * 1e-9

    @staticmethod
    def _read(descriptor, into):
        def read():
            # Reading a terminal whose other end is closed raises an error.
            with contextlib.suppress(OSError):
                while data := os.read(descriptor, 1 << 16):
                    into.extend(data)
            os.close(descriptor)

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def stop(self):
        """Sends SIGINT, like Ctrl-C; returns the time."""
        now = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGINT)
        return now

    def cpu(self):
        """The CPU time used so far by the command and its running children, in seconds."""
        # The clock ID of a process's CPU time, as in clock_getcpuclockid(3).
        try:
            return sum(time.clock_gettime(~process << 3 | 2) for process in self._processes(self.process))
        except OSError:
            raise self._early() from None

    def _processes(self, first):
        children = [path.read_text().split() for path in pathlib.Path(f"/proc/{first}/task").glob("*/children")]
        return [first] + [process for child in sum(children, []) for process in self._processes(int(child))]

    def memory(self):
        """The proportional set size in bytes: private pages, and a share of the shared ones."""
        try:
            rollup = pathlib.Path(f"/proc/{self.process}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            raise self._early() from None
        return next(int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Pss:"))

    def _early(self):
        return EndedEarly(f"{self._process.args[2:]} ended too early: {self.messages}")

    def wait(self):
        """Waits for the end and returns the resource usage."""
        try:
            self._process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            os.kill(self.process, signal.SIGKILL)
            self._process.wait()
        for reader in self._readers:
            reader.join()
        ended, cpu, peak, switches, status = map(int, self._report.readline().split())
        self._report.close()
        for stream in self._process.stdout, self._process.stderr:
            if stream:
                stream.close()
        return Usage(self.started, ended * 1e-9, cpu * 1e-9, peak << 10, switches, status)

    @property
    def messages(self):
        """What the command has written to standard error."""
        return self._messages.decode(errors="replace")
