"""Takes on private servers that lose audio."""

import os
import random
import signal
import subprocess
import time

import score
from room import AFTER, SOURCE, room

# How long a take runs before it loses anything, in seconds.
BEFORE = 5
# How long the recorder is stopped, in seconds.
STOPS = (0.2, 1, 3, 10, 30)
# What clients ask the server to collect before it delivers, in milliseconds.
LATENCIES = (5, 20, 50, 200, 2_000)


def scores(kind, binary):
    """The scores of takes on a server."""
    with room(kind, binary) as here:
        found = undisturbed(here)
    with room(kind, binary) as here:
        found += with_clients(here)
    if kind == "pipewire":
        with room(kind, binary, is_native=True) as here:
            found += stopped_server(here)
    return found


def undisturbed(room):
    """Takes beside which no client comes or goes."""
    singles = series(random.Random(1), 10, (0.02, 0.6), (4.5, 6))
    close = series(random.Random(2), 24, (0.03, 0.3), (0.1, 1))
    with room.take(singles) as single, room.take(close) as closely, room.take() as stopped:
        time.sleep(BEFORE)
        for length in STOPS:
            stop(stopped.process.pid, length)
            time.sleep(AFTER)
    return [
        single.score("left out 10 times, 5 s apart"),
        closely.score("left out 24 times, 0.1 to 1 s apart"),
        stopped.score("recorder stopped for 0.2 to 30 s"),
    ]


def with_clients(room):
    """Takes beside which other recorders of the source come and go."""
    numbers = random.Random(3)
    end = time.monotonic() + 60
    with room.take(series(numbers, 10, (0.02, 0.6), (4.5, 5))) as lacking, room.take() as whole:
        while time.monotonic() < end:
            client = ["parec", "--raw", f"--device={SOURCE}", f"--latency-msec={numbers.choice(LATENCIES)}"]
            with subprocess.Popen(client, env=room.environment, stdout=subprocess.DEVNULL) as process:
                time.sleep(numbers.uniform(0.5, 3))
                process.terminate()
            time.sleep(numbers.uniform(0, 2))
    return [
        lacking.score("left out 10 times, 5 s apart, while clients come and go"),
        whole.score("dropped by the server while clients come and go"),
    ]


def stopped_server(room):
    """Takes in which the pulse server is stopped for moments, so that it lacks audio."""
    numbers = random.Random(4)
    found = []
    for kind, count, lengths, distances in (
        ("pulse server stopped 30 times, 0.4 s apart", 30, (0.1, 0.2), (0.2, 0.4)),
        ("pulse server stopped 8 times, 1 to 5 s apart", 8, (0.1, 0.6), (1, 5)),
    ):
        with room.take() as take:
            time.sleep(BEFORE)
            for _ in range(count):
                stop(int(room.environment["SERVER_PID"]), numbers.uniform(*lengths))
                time.sleep(numbers.uniform(*distances))
            time.sleep(AFTER)
        found.append(take.score(kind))
    return found


def stop(process, seconds):
    """Stops a process for so many seconds."""
    os.kill(process, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(process, signal.SIGCONT)


def series(numbers, count, lengths, distances):
    """Stretches as pairs of frame numbers, with lengths and distances in seconds."""
    stretches, frame = [], BEFORE * score.RATE
    for _ in range(count):
        begin, frame = frame, frame + int(numbers.uniform(*lengths) * score.RATE)
        stretches.append((begin, frame))
        frame += int(numbers.uniform(*distances) * score.RATE)
    return stretches
