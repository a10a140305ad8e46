"""The signal that is recorded: noise in which every frame is unique, so that each frame of a take has a known
position."""

import subprocess
from dataclasses import dataclass

import numpy as np

RATE, CHANNELS = 48_000, 2
# The noise repeats after this many frames (5.46 seconds), and its level is -20 dBFS.
PERIOD = 1 << 18
LEVEL = 0.1
# The number of consecutive frames to search for, which occur at one position only.
WINDOW = 8


def made():
    """One period of noise as 16-bit frames; always the same."""
    samples = np.random.default_rng(1).normal(0, LEVEL, (PERIOD, CHANNELS))
    return np.round(samples.clip(-0.999, 0.999) * 32767).astype("<i2")


PERIOD_OF_NOISE = made()
_WORDS = PERIOD_OF_NOISE.view("<u4").ravel()
_ORDER = np.argsort(_WORDS, kind="stable")
_SORTED = _WORDS[_ORDER]


@dataclass(frozen=True)
class Run:
    """Consecutive frames of a take that were also consecutive when played."""

    first: int  # frame number in the take
    place: int  # position of that frame in the noise
    count: int

    @property
    def end(self):
        """The position in the noise of the frame after the run."""
        return (self.place + self.count) % PERIOD


def samples_of(path):
    """The samples of a file as 16-bit PCM bytes."""
    decode = ["sox", "-D", path, "-t", "raw", "-e", "signed", "-b", "16", "-"]
    return subprocess.run(decode, check=True, capture_output=True).stdout


def frames(samples):
    """The frames of 16-bit stereo samples, as 32-bit words."""
    return np.frombuffer(samples, "<u4", count=len(samples) // 4)


def runs(frames):
    """The runs of noise in a take; just one if no frame is missing."""
    found, first = [], 0
    while first + WINDOW <= len(frames):
        place = _find(frames[first : first + WINDOW])
        if place is None:
            # Skip over silence at once, since it tends to be long.
            sounds = np.flatnonzero(frames[first + 1 :])
            first += 1 + int(sounds[0]) if len(sounds) else len(frames)
            continue
        expected = _WORDS[(place + np.arange(len(frames) - first)) % PERIOD]
        wrong = np.flatnonzero(frames[first:] != expected)
        count = int(wrong[0]) if len(wrong) else len(expected)
        found.append(Run(first, place, count))
        first += count
    return found


def _find(frames):
    """The position of the frames in the noise, or None if they are not part of it."""
    start, end = (np.searchsorted(_SORTED, frames[0], side) for side in ("left", "right"))
    for place in _ORDER[start:end]:
        if np.array_equal(_WORDS[(place + np.arange(len(frames))) % PERIOD], frames):
            return int(place)
    return None
