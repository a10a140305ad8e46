"""Playing a signal on a private sound server while recorders take it down."""

import contextlib
import os
import pathlib
import signal as signals
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SINK = "room"
DEADLINE = 60
# What would take a client away from the private server; scripts/private-server leaves out the same.
USERS = {"DISPLAY", "PULSE_SINK", "PULSE_SOURCE", "PULSE_DLPATH", "PIPEWIRE_REMOTE", "PIPEWIRE_NODE"}


@contextlib.contextmanager
def private_server(kind):
    """A server of our own; yields the environment of its clients and takes it down at the end."""
    script = subprocess.Popen(
        [ROOT / "scripts/private-server", kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        environment = {name: value for name, value in os.environ.items() if name not in USERS}
        for line in iter(script.stdout.readline, "ready\n"):
            if not line:
                raise RuntimeError(f"no {kind}: scripts/private-server ended")
            name, _, value = line.rstrip("\n").partition("=")
            environment[name] = value
        yield environment
    finally:
        script.stdin.close()
        script.wait()


def make_sink(environment, kind, rate):
    """Makes a null sink of one channel of floats that runs at the rate."""
    if kind == "pipewire":
        # The graph is to run at the source's rate: what converts is then the recorder, as with a sound card.
        # In long periods, so that a busy machine plays without a hole.
        for setting, value in ("clock.force-rate", rate), ("clock.force-quantum", 4096):
            run(["pw-metadata", "-n", "settings", "0", setting, str(value)], environment)
    module = ["pactl", "load-module", "module-null-sink", f"sink_name={SINK}"]
    run(module + [f"rate={rate}", "channels=1", "format=float32le"], environment)


def play_and_record(environment, samples, rate, recorders):
    """Starts the recorders, plays the samples, and stops the recorders when each has all of it.

    `recorders` has, by name, a command and the file and the rate that it writes, four bytes a frame.
    """
    running = {}
    try:
        for name, recorder in recorders.items():
            running[name] = subprocess.Popen(
                recorder.command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
        for name, recorder in recorders.items():
            wait_for_size(running[name], recorder, 0)
        before = {name: size(recorder.path) for name, recorder in recorders.items()}
        play(environment, samples, rate)
        # A second more than was played, for what recorders and servers hold back.
        for name, recorder in recorders.items():
            frames = (len(samples) / rate + 1) * recorder.rate
            wait_for_size(running[name], recorder, before[name] + 4 * frames)
    finally:
        for process in running.values():
            process.send_signal(signals.SIGINT)
        for process in running.values():
            process.communicate(timeout=DEADLINE)


def play(environment, samples, rate):
    """Plays the samples to their end, at full volume."""
    command = ["pacat", "--playback", "--raw", f"--device={SINK}", "--volume=65536", "--no-remap"]
    options = [f"--rate={rate}", "--channels=1", "--format=float32le", "--latency-msec=500"]
    result = subprocess.run(command + options, env=environment, input=samples.tobytes(), capture_output=True)
    if result.returncode != 0:
        raise RuntimeError(f"pacat: {result.stderr.decode()}")


def wait_for_size(process, recorder, wanted):
    """Waits until a recorder's file has more than so many bytes and the header of a WAV file."""
    deadline = time.monotonic() + DEADLINE
    while size(recorder.path) <= wanted + 1024:
        if process.poll() is not None:
            raise RuntimeError(f"{recorder.command[0]} ended: {process.stderr.read()}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"{recorder.command[0]} wrote {size(recorder.path)} bytes only")
        time.sleep(0.02)


def size(path):
    return path.stat().st_size if path.exists() else 0


def run(command, environment=None):
    """Runs a command to its end and returns what it printed; raises with its message where it fails."""
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    return result.stdout
