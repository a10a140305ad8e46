"""Measures the quality of a converted recording, in double precision."""

from dataclasses import dataclass

import numpy as np
from scipy.signal import get_window

import signals

# The window for analysing the sweep: 4096 frames at 96 kHz, in seconds, and Kaiser's beta for side lobes below -190 dB.
# The last value is the distance from the sweep, in Hz, that is ignored because it contains the window's main lobe.
WINDOW_SECONDS, WINDOW_BETA, SWEEP_WIDTH = 4096 / 96_000, 20, 400


@dataclass(frozen=True)
class Figures:
    """The figures of one recorder for one pair of rates."""

    sinad: float  # signal to noise and distortion, in dB
    pass_band: float  # largest deviation from 0 dB up to 90 % of the lower Nyquist frequency, in dB
    half_power: float  # the -3 dB frequency, relative to the lower Nyquist frequency
    unwanted: float  # strongest image or alias at any moment of the sweep, in dB relative to the sweep
    unwanted_in_band: float  # the same below 90 % of the lower Nyquist frequency


def measure(signal, samples, rate):
    """Measures a mono recording of the signal."""
    take = signal.begin(np.asarray(samples, float))
    pass_band, half_power = response(signal, take, rate)
    unwanted, in_band = unwanted_in_sweep(signal, take, rate)
    tone = signals.TONE.of(take, rate, skip=0.5, seconds=2)
    return Figures(sinad(tone, rate), pass_band, half_power, unwanted, in_band)


def sinad(samples, rate):
    """The signal to noise and distortion ratio (SINAD) of the tone, over the whole band.

    Uses the four-parameter least-squares fit of a sine (IEEE Std 1241-2010, 4.1.5): amplitude, phase, offset and
    frequency, the latter by Gauss-Newton steps from the nominal one. The residual is noise and distortion.
    """
    time = np.arange(len(samples)) / rate
    frequency = signals.TONE_FREQUENCY
    for _ in range(6):
        angle = 2 * np.pi * frequency * time
        columns = [np.cos(angle), np.sin(angle), np.ones_like(time)]
        a, b, _ = np.linalg.lstsq(np.stack(columns, 1), samples, rcond=None)[0]
        slope = 2 * np.pi * (time - time.mean()) * (b * columns[0] - a * columns[1])
        solution = np.linalg.lstsq(np.stack(columns + [slope], 1), samples, rcond=None)[0]
        frequency += solution[3]
    rest = samples - np.stack(columns + [slope], 1) @ solution
    return 10 * np.log10((solution[0] ** 2 + solution[1] ** 2) / 2 / np.mean(rest**2))


def response(signal, take, rate):
    """The largest deviation in the pass band, in dB, and the -3 dB point relative to the lower Nyquist frequency.

    One second of the steady multitone contains whole periods of all its tones, so a DFT without a window gives the
    level of each. The reference is the source, transformed in the same way.
    """
    level = np.abs(np.fft.rfft(signals.MULTITONE.of(take, rate, skip=1, seconds=1))) / rate
    second = signals.MULTITONE.of(signal.samples, signal.source_rate, skip=1, seconds=1).astype(float)
    reference = np.abs(np.fft.rfft(second)) / signal.source_rate
    gain = 20 * np.log10(level[signal.frequencies] / reference[signal.frequencies])
    part = signal.frequencies / signal.lower_nyquist
    below = np.flatnonzero(gain < -10 * np.log10(2))
    half_power = part[below[0]] if len(below) else 1.0
    return np.abs(gain[part <= 0.9]).max(), half_power


def unwanted_in_sweep(signal, take, rate):
    """The strongest energy besides the sweep at any moment, in dB relative to the sweep: in the whole band, and in the
    pass band.

    In short windowed spectra, energy further than `SWEEP_WIDTH` from the sweep's current frequency is an image, an
    alias, distortion or noise, and is summed. When the sweep is above the output's Nyquist frequency, all energy
    counts.
    """
    sweep = signals.SWEEP.of(take, rate)
    length = round(WINDOW_SECONDS * rate)
    window = get_window(("kaiser", WINDOW_BETA), length, fftbins=False)
    frequency = np.fft.rfftfreq(length, 1 / rate)
    # By Parseval's theorem, the power of a sine at the sweep's level in such a spectrum.
    full = signals.SWEEP_LEVEL**2 / 2 * np.sum(window**2) * length / 2
    band = frequency <= 0.9 * signal.lower_nyquist
    anywhere, in_band = 0.0, 0.0
    # Skip the fades, and the same time again for the converter's impulse response.
    edge = round(2 * signals.FADE_SECONDS * rate)
    for start in range(edge, len(sweep) - length - edge, length // 8):
        power = np.abs(np.fft.rfft(window * sweep[start : start + length])) ** 2
        begin, end = (signal.sweep_rate * at / rate for at in (start, start + length))
        if begin < rate / 2:
            power[np.abs(frequency - (begin + end) / 2) < SWEEP_WIDTH] = 0
        anywhere = max(anywhere, power.sum())
        in_band = max(in_band, power[band].sum())
    return 10 * np.log10(anywhere / full), 10 * np.log10(in_band / full)
