"""A private server with a counter to record, and takes of it."""

import array
import contextlib
import itertools
import json
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import wave

import score
from leaving_out import leaving_out
from measuring import servers

SINK = "room"
SOURCE = f"{SINK}.monitor"
# The sizes of a frame of the source in bytes. PipeWire keeps floats, in which the counter is exact.
FRAME_SIZES = {"pulseaudio": 4, "pipewire": 8}
# For how many seconds the counter lasts that is played without the pulse server.
LONGEST = 120
# How long a take goes on after the last stretch that it lacks, in seconds.
AFTER = 6
DEADLINE = 60


class Room:
    """A server with a sink into which a counter is played: each frame carries its number."""

    def __init__(self, kind, binary, environment, directory):
        self.environment = environment
        self._frame_size, self._binary, self._directory = FRAME_SIZES[kind], binary, directory
        self._names = itertools.count(1)

    @contextlib.contextmanager
    def take(self, stretches=()):
        """Records the source, without these stretches, as pairs of frame numbers, and until all of them are over."""
        path = self._directory / f"{next(self._names)}"
        with contextlib.ExitStack() as stack:
            environment = self.environment
            if stretches:
                environment = stack.enter_context(leaving_out(stretches, self._frame_size, environment, path))
            take = Take(self._binary, environment, path)
            try:
                yield take
                take.wait_for(stretches[-1][1] / score.RATE + AFTER if stretches else 0)
            finally:
                take.end()


@contextlib.contextmanager
def room(kind, binary, is_native=False):
    """Starts a server and plays the counter; `is_native` without the pulse server, which may then be stopped."""
    with tempfile.TemporaryDirectory(prefix="accrec-account.") as directory, servers.private_server(kind) as environment:
        directory = pathlib.Path(directory)
        form = [f"rate={score.RATE}", "channels=2", "format=s16le"]
        # Without this, it renders two seconds at a time until a client asks for a lower latency.
        prompt = ["norewinds=1"] if kind == "pulseaudio" else []
        servers.run(["pactl", "load-module", "module-null-sink", f"sink_name={SINK}", *form, *prompt], environment)
        with _native_player(environment, directory) if is_native else _player(environment):
            # What is played arrives at the source.
            time.sleep(2)
            yield Room(kind, binary, environment, directory)


@contextlib.contextmanager
def _player(environment):
    command = ["pacat", "--playback", "--raw", f"--device={SINK}", "--volume=65536", "--latency-msec=1000"]
    command += [f"--rate={score.RATE}", "--channels=2", "--format=s16le"]
    player = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE)

    def feed():
        with contextlib.suppress(BrokenPipeError):
            for first in itertools.count(1, 4_800):
                player.stdin.write(_numbers(first, 4_800))

    threading.Thread(target=feed, daemon=True).start()
    with _killed(player):
        yield


@contextlib.contextmanager
def _native_player(environment, directory):
    path = directory / "counter.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((2, 2, score.RATE, 0, "NONE", None))
        file.writeframes(_numbers(1, LONGEST * score.RATE))
    with _killed(subprocess.Popen(["pw-cat", "--playback", f"--target={SINK}", path], env=environment)):
        yield


@contextlib.contextmanager
def _killed(process):
    """Kills the process at the end."""
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _numbers(first, count):
    """Frames of the counter, with the lower half of a number in the first of two channels."""
    return array.array("I", range(first, first + count)).tobytes()


class Take:
    """A recording of the source."""

    def __init__(self, binary, environment, path):
        self._raw, self._report = path.with_suffix(".raw"), path.with_suffix(".json")
        command = [binary, "record", "--device", SOURCE, "--output", self._raw, "--report", self._report]
        command += ["--rate", str(score.RATE), "--channels", "2", "--encoding", "s16", "--quiet"]
        self._begin = time.monotonic()
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)

    def wait_for(self, seconds):
        """Waits until the take is this old."""
        time.sleep(max(0, self._begin + seconds - time.monotonic()))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        message = self.process.communicate(timeout=DEADLINE)[1]
        if self.process.returncode != 0:
            raise RuntimeError(f"accrec: {message}")

    def score(self, kind):
        """Compares the finished take with its report."""
        gaps = json.loads(self._report.read_text())["gaps"]
        found = score.Score(kind)
        found.add(
            score.losses(array.array("I", self._raw.read_bytes())),
            [(gap["frame"], gap["frames_lost"]) for gap in gaps if "span" not in gap],
            [gap["frames_lost"] for gap in gaps if "span" in gap],
        )
        return found
