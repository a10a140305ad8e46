"""Measures the CPU time, context switches and memory of takes, one at a time or many at once."""

import time
from dataclasses import asdict, dataclass

import noise
from rooms import SOURCE
from running import Running


# The steady part of a take, in seconds after its start and before its end.
BEGUN, ENDING = 1, 0.5


@dataclass(frozen=True)
class Take:
    """A take and its resource usage."""

    server: str
    scenario: str
    recorder: str
    at_once: int  # number of simultaneous takes
    seconds: float  # requested length
    cpu: float  # seconds of CPU time, from start to end
    cpu_rate: float  # CPU time per second in the steady part
    server_cpu: float  # seconds of CPU time of the server, for all takes and the player
    peak: int  # bytes
    memory: int  # proportional set size halfway through, in bytes
    switches: int
    frames: int
    excess: int | None  # frames beyond the requested length; None if the recorder cannot be given one
    breaks: int | None  # places where frames are missing; None where samples were converted
    # Their positions in the noise. If simultaneous takes all break at the same one, the server dropped the frames.
    break_places: list[int]
    status: int

    def dictionary(self):
        return asdict(self)


def take(room, measure, contestant, scenario, seconds, directory, at_once=1):
    """Records so many takes at once; None if the recorder does not support the scenario."""
    paths = [None if scenario.container == "raw" else directory / f"{n}.{scenario.container}" for n in range(at_once)]
    # Simultaneous takes start one after the other, and none may end before all are measured.
    limit = seconds if contestant.is_exact and at_once == 1 else None
    commands = [contestant.command(SOURCE, scenario, path and str(path), limit) for path in paths]
    if commands[0] is None:
        return None
    server_cpu = room.cpu()
    running = []
    try:
        for command, path in zip(commands, paths):
            running.append(Running(measure, command, room.environment, path is None, contestant.has_terminal))
            # A busy server refuses connections when a few are already waiting.
            time.sleep(0.05 if at_once > 1 else 0)
        start = time.monotonic()
        time.sleep(BEGUN)
        before = [(time.monotonic(), one.cpu()) for one in running]
        time.sleep(start + seconds / 2 - time.monotonic())
        memory = [one.memory() for one in running]
        time.sleep(max(start + seconds - ENDING - time.monotonic(), 0))
        after = [(time.monotonic(), one.cpu()) for one in running]
        rates = [(last[1] - first[1]) / (last[0] - first[0]) for first, last in zip(before, after)]
        time.sleep(max(start + seconds - time.monotonic(), 0))
    finally:
        if limit is None:
            for one in running:
                one.stop()
        usages = [one.wait() for one in running]
    server_cpu = room.cpu() - server_cpu
    return [
        _take(room.kind, scenario, contestant, at_once, limit, seconds, server_cpu, *one)
        for one in zip(running, usages, rates, memory, paths)
    ]


def _take(server, scenario, contestant, at_once, limit, seconds, server_cpu, running, usage, cpu_rate, memory, path):
    samples = bytes(running.output) if path is None else noise.samples_of(path)
    if path is not None:
        path.unlink()
    frame_count = len(samples) // (2 * scenario.channels)
    if frame_count == 0:
        raise RuntimeError(f"{contestant.name}: nothing was recorded: {running.messages}")
    # Converted frames cannot be compared with the noise.
    is_exact = scenario.rate == noise.RATE and scenario.channels == noise.CHANNELS
    runs = noise.runs(noise.frames(samples)) if is_exact else []
    break_places = [run.end for run in runs[:-1]]
    breaks = len(break_places) if is_exact else None
    excess = frame_count - limit * scenario.rate if limit else None
    return Take(
        server, scenario.name, contestant.name, at_once, seconds, usage.cpu, cpu_rate, server_cpu, usage.peak, memory,
        usage.switches, frame_count, excess, breaks, break_places, usage.status,
    )
