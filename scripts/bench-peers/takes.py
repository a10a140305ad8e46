"""What a take costs: CPU time, context switches and memory, of one take and of many at once."""

import time
from dataclasses import asdict, dataclass

import noise
from rooms import SOURCE
from running import Running


# When a take goes on as it will, in seconds from its start and before its end.
BEGUN, ENDING = 1, 0.5


@dataclass(frozen=True)
class Take:
    """One take, and what it cost."""

    server: str
    scenario: str
    recorder: str
    at_once: int  # how many takes there were
    seconds: float  # that were asked for
    cpu: float  # seconds, from its start to its end
    cpu_rate: float  # seconds for each second, while it goes on
    server_cpu: float  # seconds of the server, of all takes and of what plays
    peak: int  # bytes
    memory: int  # bytes of its own in the midst of it
    switches: int
    frames: int
    excess: int | None  # frames more than were asked for; None where the recorder cannot be asked
    breaks: int | None  # places where frames are missing; None where samples were converted
    # Of each the place in the noise: what takes that are made at once all have at the same place, the server has left out.
    break_places: list[int]
    status: int

    def dictionary(self):
        return asdict(self)


def take(room, measure, contestant, scenario, seconds, directory, at_once=1):
    """Lets a recorder make so many takes at once; None where it cannot make such a take."""
    paths = [None if scenario.container == "raw" else directory / f"{n}.{scenario.container}" for n in range(at_once)]
    # Of many, which begin one after the other, none is to end before the others are measured.
    limit = seconds if contestant.is_exact and at_once == 1 else None
    commands = [contestant.command(SOURCE, scenario, path and str(path), limit) for path in paths]
    if commands[0] is None:
        return None
    server_cpu = room.cpu()
    running = []
    for command, path in zip(commands, paths):
        running.append(Running(measure, command, room.environment, path is None, contestant.has_terminal))
        # A server that is busy refuses who comes while a few others wait at its door.
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
    # What was converted has frames of its own.
    is_exact = scenario.rate == noise.RATE and scenario.channels == noise.CHANNELS
    runs = noise.runs(noise.frames(samples)) if is_exact else []
    break_places = [run.end for run in runs[:-1]]
    breaks = len(break_places) if is_exact else None
    excess = frame_count - limit * scenario.rate if limit else None
    return Take(
        server, scenario.name, contestant.name, at_once, seconds, usage.cpu, cpu_rate, server_cpu, usage.peak, memory,
        usage.switches, frame_count, excess, breaks, break_places, usage.status,
    )
