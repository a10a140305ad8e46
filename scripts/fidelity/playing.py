"""Playing a signal on a private sound server while recorders take it down."""

import signal as signals
import subprocess
import time

from measuring.servers import run

SINK = "room"
DEADLINE = 60


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
