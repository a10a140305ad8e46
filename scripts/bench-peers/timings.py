"""How long recorders take to start and to end, and what is missing then."""

import time
from dataclasses import asdict, dataclass

import noise
import rooms
import scenarios
from running import Running

SECONDS = 2


@dataclass(frozen=True)
class Timing:
    """One start and one end, in seconds."""

    recorder: str
    first_frame: float  # from the start to when the first frame came that is in the file
    exit: float  # from the signal to the end of the process
    missing: float  # of what came before the signal; less than 0 where the file has more
    breaks: int  # places where frames are missing
    status: int

    def dictionary(self):
        return asdict(self)


def timing(room, measure, contestant, directory):
    """Starts a take of the timed source, and ends it as Ctrl-C does."""
    path = directory / "timed.wav"
    command = contestant.command(rooms.TIMED_SOURCE, scenarios.WAV, str(path), None)
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
