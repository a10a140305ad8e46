"""Private servers with a source of noise for whole takes, or with one in which the arrival time of each frame is
known."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import threading
import time

import noise
from measuring import servers

SINK = "room"
SOURCE = f"{SINK}.monitor"
TIMED_SOURCE = "timed"
# The timed source is fed in pieces of this length, in seconds.
STEP = 0.002


class Room:
    """A server with a source."""

    def __init__(self, kind, environment, timed_start=None):
        self.kind = kind
        self.environment = environment | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self._timed_start = timed_start

    def cpu(self):
        """The CPU time that the threads of the server have used so far, in seconds. PipeWire has several processes, all started by
        one script."""
        status = pathlib.Path(f"/proc/{self.environment['SERVER_PID']}/status").read_text()
        script = next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:"))
        processes = pathlib.Path(f"/proc/{script}/task/{script}/children").read_text().split()
        tasks = [task for process in processes for task in pathlib.Path(f"/proc/{process}/task").iterdir()]
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) * 1e-9

    def arrival(self, place, near):
        """When the frame at this position in the noise arrived in the timed source, choosing the repetition closest
        to `near`; both in seconds of CLOCK_MONOTONIC."""
        period = noise.PERIOD / noise.RATE
        first = self._timed_start + place / noise.RATE
        return first + round((near - first) / period) * period


FORM = ["format=s16le", f"rate={noise.RATE}", f"channels={noise.CHANNELS}"]


@contextlib.contextmanager
def room(kind):
    """A server with a null sink on which the noise plays in a loop."""
    with servers.private_server(kind) as environment:
        # Without this, it renders two seconds at a time until a client asks for a lower latency.
        prompt = ["norewinds=1"] if kind == "pulseaudio" else []
        servers.run(["pactl", "load-module", "module-null-sink", f"sink_name={SINK}", *FORM, *prompt], environment)
        with _player(environment):
            yield Room(kind, environment)


@contextlib.contextmanager
def timed_room():
    """A PulseAudio server with the timed source."""
    with (
        servers.private_server("pulseaudio") as environment,
        tempfile.TemporaryDirectory(prefix="accrec-bench.") as directory,
    ):
        pipe = pathlib.Path(directory) / "pipe"
        module = ["module-pipe-source", f"source_name={TIMED_SOURCE}", f"file={pipe}", *FORM]
        servers.run(["pactl", "load-module", *module], environment)
        with _listener(environment), _feed(pipe) as start:
            yield Room("pulseaudio", environment, start)


@contextlib.contextmanager
def _player(environment):
    """Plays the noise until its scope ends."""
    command = ["pacat", "--playback", "--raw", f"--device={SINK}", "--volume=65536", "--no-remap", "--latency-msec=500"]
    command += [f"--rate={noise.RATE}", f"--channels={noise.CHANNELS}", "--format=s16le"]
    pacat = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, bufsize=0)
    samples = noise.PERIOD_OF_NOISE.tobytes()

    def play():
        with contextlib.suppress(BrokenPipeError):
            while True:
                pacat.stdin.write(samples)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        # Wait until it is audible.
        time.sleep(1)
        yield
    finally:
        pacat.kill()
        pacat.wait()
        thread.join()


@contextlib.contextmanager
def _listener(environment):
    """Keeps the timed source running until its scope ends, because otherwise data would queue up in its pipe."""
    command = ["parec", "--raw", f"--device={TIMED_SOURCE}", "--latency-msec=50"]
    parec = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        parec.kill()
        parec.wait()


@contextlib.contextmanager
def _feed(pipe):
    """Writes the noise to a pipe in real time until its scope ends; yields the time of the first frame."""
    samples = memoryview(noise.PERIOD_OF_NOISE.tobytes())
    target = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    ended = threading.Event()
    start = time.monotonic()

    def feed():
        fed = 0
        while not ended.wait(max(start + fed / noise.RATE + STEP - time.monotonic(), 0)):
            due = int((time.monotonic() - start) * noise.RATE)
            while fed < due:
                first = fed % noise.PERIOD
                count = min(due - fed, noise.PERIOD - first)
                try:
                    fed += os.write(target, samples[4 * first : 4 * (first + count)]) // 4
                except BlockingIOError:
                    # The server is busy; retry with the next step.
                    break

    thread = threading.Thread(target=feed)
    thread.start()
    try:
        yield start
    finally:
        ended.set()
        thread.join()
        os.close(target)
