"""The test signal: a tone, a multitone, a sweep and the tone again, separated by silence."""

from dataclasses import dataclass

import numpy as np

LEAD, GAP, TAIL = 1.0, 0.5, 0.5
TONE_SECONDS, MULTITONE_SECONDS, SWEEP_SECONDS, AGAIN_SECONDS = 3, 3, 8, 0.5
TONE_FREQUENCY = 997
TONE_LEVEL = 10 ** (-1 / 20)
# The sweep fades in and out over this time; only what lies between is measured.
FADE_SECONDS = 0.02
SWEEP_LEVEL = 10 ** (-6 / 20)


@dataclass(frozen=True)
class Section:
    """A section of the signal, in seconds from the first sample of the tone."""

    start: float
    seconds: float

    def of(self, samples, rate, skip=0.0, seconds=None):
        """The section's samples in a recording that begins with the tone, without its first `skip` seconds."""
        first = round((self.start + skip) * rate)
        count = round((self.seconds - skip if seconds is None else seconds) * rate)
        part = samples[first : first + count]
        if len(part) < count:
            raise ValueError(f"the recording ends {count - len(part)} frames too early")
        return part


TONE = Section(0, TONE_SECONDS)
MULTITONE = Section(TONE_SECONDS + GAP, MULTITONE_SECONDS)
SWEEP = Section(MULTITONE.start + MULTITONE_SECONDS + GAP, SWEEP_SECONDS)
# At a whole second, so that the tone has the same phase as at the beginning.
AGAIN = Section(SWEEP.start + SWEEP_SECONDS + 2 * GAP, AGAIN_SECONDS)


class TestSignal:
    """The signal for one pair of rates."""

    def __init__(self, source_rate, target_rate):
        self.source_rate = source_rate
        self.target_rate = target_rate
        self.lower_nyquist = min(source_rate, target_rate) / 2
        # Whole hertz, so that a second contains whole periods of each tone at either rate.
        self.frequencies = np.unique(np.round(self.lower_nyquist * np.arange(1, 200) / 200)).astype(int)
        gap, lead, tail = (np.zeros(round(seconds * source_rate)) for seconds in (GAP, LEAD, TAIL))
        tone = self._tone()
        again = tone[: round(AGAIN_SECONDS * source_rate)]
        parts = [tone, gap, self._multitone(), gap, self._sweep(), gap, gap, again]
        self.samples = np.concatenate(parts).astype("<f4")
        self.padded = np.concatenate([lead, self.samples, tail]).astype("<f4")

    def _tone(self):
        frames = np.arange(round(TONE_SECONDS * self.source_rate))
        return TONE_LEVEL * np.sin(2 * np.pi * TONE_FREQUENCY * frames / self.source_rate)

    def _multitone(self):
        """Equal tones with Schroeder's phases ("Synthesis of low-peak-factor signals", 1970)."""
        spectrum = np.zeros(self.source_rate // 2 + 1, complex)
        order = np.arange(len(self.frequencies))
        spectrum[self.frequencies] = np.exp(-1j * np.pi * order**2 / len(order))
        second = np.fft.irfft(spectrum, self.source_rate)
        return np.tile(second / np.abs(second).max() * SWEEP_LEVEL, MULTITONE_SECONDS)

    def _sweep(self):
        """A linear sweep from 0 to the source's Nyquist frequency."""
        time = np.arange(round(SWEEP_SECONDS * self.source_rate)) / self.source_rate
        fade = np.minimum(1, np.minimum(time, SWEEP_SECONDS - time) / FADE_SECONDS)
        return SWEEP_LEVEL * np.sin(fade * np.pi / 2) ** 2 * np.sin(np.pi * self.sweep_rate * time**2)

    @property
    def sweep_rate(self):
        """The slope of the sweep, in Hz per second."""
        return self.source_rate / 2 / SWEEP_SECONDS

    def begin(self, samples):
        """The recording from the first sample of the tone on, without the silence before."""
        loud = np.flatnonzero(np.abs(samples) > 0.01)
        if not len(loud):
            raise ValueError("the recording is silent")
        return samples[loud[0] :]

    def is_whole(self, samples, rate):
        """Whether a recording, at any rate, has neither lost nor duplicated a frame.

        The tone and the multitone repeat every second, and the tone returns at the end after a whole number of seconds.
        If a repetition differs, frames have shifted.
        """
        take = self.begin(samples)
        lags = [(TONE, 1, TONE_SECONDS - 1), (MULTITONE, 1, MULTITONE_SECONDS - 1), (TONE, AGAIN.start, AGAIN_SECONDS)]
        for section, lag, seconds in lags:
            first = section.of(take, rate, skip=0.1, seconds=seconds - 0.2)
            second = Section(section.start + lag, seconds).of(take, rate, skip=0.1, seconds=seconds - 0.2)
            if np.abs(first - second).max() > 0.01:
                return False
        return True

    def is_in(self, samples):
        """Whether a recording at the source's rate contains the signal bit for bit."""
        # The tone's first sample is 0, so `begin` starts at the second.
        part = self.begin(samples)[: len(self.samples) - 1]
        return np.array_equal(part, self.samples[1:])
