"""The signal that is recorded: noise of which every frame can be told from every other, so that each frame of a take has
a known place."""

import subprocess
from dataclasses import dataclass

import numpy as np

RATE, CHANNELS = 48_000, 2
# The noise repeats itself after this many frames, 5.46 seconds, and is of -20 dBFS.
PERIOD = 1 << 18
LEVEL = 0.1
# So many frames in a row are looked for at once: no other place has the same.
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
    """Frames of a take that follow each other as they were played."""

    first: int  # number of the first in the take
    place: int  # of that frame in the noise
    count: int

    @property
    def end(self):
        """The place in the noise of the frame that would come next."""
        return (self.place + self.count) % PERIOD


def samples_of(path):
    """The 16-bit samples of a file, as bytes."""
    decode = ["sox", "-D", path, "-t", "raw", "-e", "signed", "-b", "16", "-"]
    return subprocess.run(decode, check=True, capture_output=True).stdout


def frames(samples):
    """The frames of samples of two channels, as words of both."""
    return np.frombuffer(samples, "<u4", count=len(samples) // 4)


def runs(frames):
    """The runs of noise in a take. A take from which nothing is missing is one of them."""
    found, first = [], 0
    while first + WINDOW <= len(frames):
        place = _find(frames[first : first + WINDOW])
        if place is None:
            # Silence comes in long stretches.
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
    """The place of frames in the noise; None where they are not of it."""
    start, end = (np.searchsorted(_SORTED, frames[0], side) for side in ("left", "right"))
    for place in _ORDER[start:end]:
        if np.array_equal(_WORDS[(place + np.arange(len(frames))) % PERIOD], frames):
            return int(place)
    return None
