"""Measures how long recorders take to start and end, and how much audio is missing."""

import time
from dataclasses import asdict, dataclass

import noise
import rooms
import scenarios
from running import Running

SECONDS = 2


@dataclass(frozen=True)
class Timing:
    """The start and end of a take, in seconds."""

    recorder: str
    first_frame: float  # from the start of the process to the arrival of the first recorded frame
    exit: float  # from the signal to the end of the process
    missing: float  # audio that arrived before the signal but is not in the file; negative if the file has more
    breaks: int  # places where frames are missing
    status: int

    def dictionary(self):
        return asdict(self)


def timing(room, measure, contestant, directory):
    """Records from the timed source, and ends the take as Ctrl-C does; None if the recorder does not support the scenario."""
    path = directory / "timed.wav"
    command = contestant.command(rooms.TIMED_SOURCE, scenarios.WAV, str(path), None)
    if command is None:
        return None
    running = Running(measure, command, room.environment, has_terminal=contestant.has_terminal)
    time.sleep(SECONDS)
    stopped = running.stop()
    usage = running.wait()
    runs = noise.runs(noise.frames(noise.samples_of(path)))
    path.unlink()
    if not runs:
        raise RuntimeError(f"{contestant.name}: nothing of the source was recorded: {running.messages}")
    last = runs[-1]
    first_frame = room.arrival(runs[0].place, usage.started)
    end = room.arrival(last.end, stopped)
    return Timing(
        contestant.name, first_frame - usage.started, usage.ended - stopped, stopped - end, len(runs) - 1, usage.status
    )
