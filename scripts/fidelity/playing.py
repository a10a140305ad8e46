"""Plays a signal on a private sound server while recorders record it."""

import signal as signals
import subprocess
import time

from measuring.servers import run

SINK = "room"
DEADLINE = 60


def make_sink(environment, kind, rate):
    """Creates a null sink for mono floats that runs at the given rate."""
    if kind == "pipewire":
        # Run the graph at the source's rate, so that the recorder converts, as with a sound card. Long periods avoid
        # underruns on a busy machine.
        for setting, value in ("clock.force-rate", rate), ("clock.force-quantum", 4096):
            run(["pw-metadata", "-n", "settings", "0", setting, str(value)], environment)
    module = ["pactl", "load-module", "module-null-sink", f"sink_name={SINK}"]
    run(module + [f"rate={rate}", "channels=1", "format=float32le"], environment)


def play_and_record(environment, samples, rate, recorders):
    """Starts the recorders, plays the samples, and stops each recorder once it has all of them.

    `recorders` has, by name, a command with the file and rate that it writes, four bytes per frame.
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
        # Wait for another second, because recorders and servers buffer.
        for name, recorder in recorders.items():
            frames = (len(samples) / rate + 1) * recorder.rate
            wait_for_size(running[name], recorder, before[name] + 4 * frames)
    finally:
        for process in running.values():
            process.send_signal(signals.SIGINT)
        for process in running.values():
            process.communicate(timeout=DEADLINE)


def play(environment, samples, rate):
    """Plays all samples, at full volume."""
    command = ["pacat", "--playback", "--raw", f"--device={SINK}", "--volume=65536", "--no-remap"]
    options = [f"--rate={rate}", "--channels=1", "--format=float32le", "--latency-msec=500"]
    result = subprocess.run(command + options, env=environment, input=samples.tobytes(), capture_output=True)
    if result.returncode != 0:
        raise RuntimeError(f"pacat: {result.stderr.decode()}")


def wait_for_size(process, recorder, wanted):
    """Waits until a recorder's file has more than `wanted` bytes plus a WAV header."""
    deadline = time.monotonic() + DEADLINE
    while size(recorder.path) <= wanted + 1024:
        if process.poll() is not None:
            raise RuntimeError(f"{recorder.command[0]} ended: {process.stderr.read()}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"{recorder.command[0]} wrote {size(recorder.path)} bytes only")
        time.sleep(0.02)


def size(path):
    return path.stat().st_size if path.exists() else 0
