"""Commands that run while they are measured."""

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
    """What a command took, from its start to its end; times of CLOCK_MONOTONIC in seconds."""

    started: float
    ended: float
    cpu: float  # seconds, of all threads
    peak: int  # of memory, in bytes
    switches: int  # from one thread to another
    status: int


def build(directory):
    """Compiles the programs in C that measuring takes; returns the bare loop and the one that measures."""
    programs = {"floor": ["-lpulse-simple", "-lpulse", "-lsndfile"], "measure": []}
    for name, libraries in programs.items():
        command = ["cc", "-O2", "-Wall", "-Werror", "-o", directory / name, HERE / f"{name}.c", *libraries]
        subprocess.run(command, check=True)
    return directory / "floor", directory / "measure"


class Running:
    """A command that runs; its standard output is kept where it is one of samples."""

    def __init__(self, measure, command, environment, keeps_output=False, has_terminal=False):
        """Starts it. `has_terminal`: its standard error is a terminal of 80 by 24."""
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
            # A terminal whose other end is closed gives an error.
            with contextlib.suppress(OSError):
                while data := os.read(descriptor, 1 << 16):
                    into.extend(data)
            os.close(descriptor)

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def stop(self):
        """Asks it to end, as Ctrl-C does; returns when that was."""
        now = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGINT)
        return now

    def cpu(self):
        """Seconds of CPU time that it has taken until now, together with the children that it has."""
        # Of a process, the clock that counts the time of all its threads.
        return sum(time.clock_gettime(~process << 3 | 2) for process in self._processes(self.process))

    def _processes(self, first):
        children = [path.read_text().split() for path in pathlib.Path(f"/proc/{first}/task").glob("*/children")]
        return [first] + [process for child in sum(children, []) for process in self._processes(int(child))]

    def memory(self):
        """Bytes of memory that it has by itself: its pages, and its part of those that it shares with others."""
        try:
            rollup = pathlib.Path(f"/proc/{self.process}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            raise RuntimeError(f"{self._process.args[2:]} ended too early: {self.messages}") from None
        return next(int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Pss:"))

    def wait(self):
        """What it took, when it has ended."""
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
        """What it has written to standard error."""
        return self._messages.decode(errors="replace")
