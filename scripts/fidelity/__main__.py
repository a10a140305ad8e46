"""Measures the quality of sample rate conversion in whole recorders, on private servers.

A signal is played into a null sink at the source's rate. accrec, parecord and pw-record record it simultaneously at
another rate. SoX and ffmpeg convert a recording made at the source's own rate. Prints a table in Markdown, and puts it
into the documentation.
"""

import argparse
import pathlib
import sys
import tempfile
import warnings

import numpy as np
from scipy.io import wavfile

import analysis
import contestants
import playing
import signals
import table
from measuring import document, servers, versions

PAIRINGS = [(48_000, 44_100), (44_100, 48_000), (96_000, 48_000), (48_000, 16_000)]
SOURCE = "the source at its own rate"
ATTEMPTS = 5


def main():
    options = argparse.ArgumentParser(prog="fidelity", description=__doc__.splitlines()[0])
    options.add_argument("accrec", type=pathlib.Path, help="the binary to measure")
    options.add_argument("--only-print", action="store_true", help="leave the documentation as it is")
    options = options.parse_args()

    binary = options.accrec.resolve()
    results = {}
    for pairing in PAIRINGS:
        print(f"{pairing[0]} Hz to {pairing[1]} Hz", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="accrec-fidelity.") as directory:
            results[pairing] = compare(signals.TestSignal(*pairing), binary, pathlib.Path(directory))
    text = table.markdown(results, versions.versions(binary))
    print(text)
    if not options.only_print:
        document.publish("Fidelity.md", "fidelity", text)


def compare(signal, binary, directory):
    """The figures of each contestant for a pair of rates, or the reason why there are none, by name."""
    found = {}
    for kind, recorders in contestants.recorders(binary).items():
        able = {name: recorder for name, recorder in recorders.items() if callable(recorder)}
        taken = record(kind, able, signal, directory)
        found |= {name: taken.get(name, recorder) for name, recorder in recorders.items()}
    for name, convert in contestants.converters().items():
        if callable(convert):
            convert(directory / f"{SOURCE}.wav", directory / f"{name}.wav", signal.target_rate)
            converted = samples(directory / f"{name}.wav", signal.target_rate)
            found[name] = analysis.measure(signal, converted, signal.target_rate)
        else:
            found[name] = convert
    return found


def record(kind, recorders, signal, directory):
    """Plays the signal to all recorders of a server simultaneously; returns the figures of each by name.

    Another recorder records the signal at its own rate. Unless that recording is bit-exact and the others have every
    frame, the machine was too busy and the attempt is repeated, since only the conversion is to be measured.
    """
    native = contestants.parecord if kind == "pulseaudio" else contestants.pw_record()
    for _ in range(ATTEMPTS):
        running = {SOURCE: native(directory / f"{SOURCE}.wav", signal.source_rate)}
        running |= {name: make(directory / f"{name}.wav", signal.target_rate) for name, make in recorders.items()}
        for recorder in running.values():
            recorder.path.unlink(missing_ok=True)
        with servers.private_server(kind) as environment:
            playing.make_sink(environment, kind, signal.source_rate)
            playing.play_and_record(environment, signal.padded, signal.source_rate, running)
        taken = {name: samples(running[name].path, signal.target_rate) for name in recorders}
        broken = [name for name in recorders if not signal.is_whole(taken[name], signal.target_rate)]
        if not signal.is_in(samples(running[SOURCE].path, signal.source_rate)):
            broken.append(SOURCE)
        if not broken:
            return {name: analysis.measure(signal, taken[name], signal.target_rate) for name in recorders}
        print(f"{kind}: a hole in what was recorded by {', '.join(broken)}; once more", file=sys.stderr)
    raise RuntimeError(f"{kind}: no take without a hole in {ATTEMPTS} attempts")


def samples(path, rate):
    """The samples of a mono WAV file of 32-bit floats."""
    with warnings.catch_warnings():
        # Ignore warnings about chunks other than the samples.
        warnings.simplefilter("ignore", wavfile.WavFileWarning)
        found, samples = wavfile.read(path)
    if found != rate or samples.dtype != np.float32 or samples.ndim != 1:
        raise RuntimeError(f"{path.name}: {found} Hz, {samples.dtype}, {samples.shape}")
    return samples


if __name__ == "__main__":
    main()
