"""The command lines of accrec and of other recorders, with the options that their users would choose."""

import shutil
from dataclasses import dataclass

from measuring import servers


@dataclass(frozen=True)
class Contestant:
    """A recorder.

    `command` returns the command line for a source, a scenario, a path (None for standard output) and the length of the
    take in seconds (None for a take that SIGINT ends), or None if the recorder does not support the scenario.
    """

    name: str
    command: callable
    has_terminal: bool = False
    # Whether it stops by itself after the requested length.
    is_exact: bool = False


FLOOR = "minimal C recorder"
ACCREC = "accrec"
METER = "accrec with its meter"


def contestants(server, binary, floor):
    """The recorders for a server, accrec first."""
    ours = [
        Contestant(ACCREC, accrec(binary, "--quiet"), is_exact=True),
        Contestant(METER, accrec(binary), has_terminal=True, is_exact=True),
        Contestant("accrec --quality best", converting(accrec(binary, "--quiet", "--quality", "best")), is_exact=True),
        Contestant("accrec --quality fastest", converting(accrec(binary, "--quiet", "--quality", "fastest")), is_exact=True),
    ]
    if server == "pipewire":
        return ours + [Contestant(FLOOR, bare(floor)), Contestant("parecord", parecord), Contestant("pw-record", pw_record)]
    others = [
        Contestant(FLOOR, bare(floor)),
        Contestant("parecord", parecord),
        Contestant("ffmpeg", ffmpeg, is_exact=True),
    ]
    if "pulseaudio" in servers.run(["sox", "--help"]):
        others.append(Contestant("SoX", sox("-v"), is_exact=True))
        others.append(Contestant("SoX rate -h", converting(sox("-h")), is_exact=True))
    if shutil.which("arecord"):
        others.append(Contestant("arecord", arecord, is_exact=True))
    if shutil.which("gst-launch-1.0"):
        others.append(Contestant("GStreamer", gstreamer))
    return ours + others


def accrec(binary, *options):
    def command(source, scenario, path, seconds):
        what = ["-r", str(scenario.rate), "-c", str(scenario.channels), *options]
        what += ["-b", str(scenario.rate * scenario.latency // 1000)] if is_prompt(scenario) else []
        limit = ["--max", str(seconds)] if seconds else []
        return [binary, "record", "--no-config", "-d", source, "-o", path or "-", *what, *limit]

    return command


def is_prompt(scenario):
    """Whether fragments are to be shorter than usual."""
    return scenario.latency < 40


def converting(command):
    """The command, only where the rate is converted."""
    return lambda source, scenario, *rest: None if scenario.rate == 48_000 else command(source, scenario, *rest)


def bare(floor):
    def command(source, scenario, path, seconds):
        form = [str(scenario.rate), str(scenario.channels), str(scenario.latency), scenario.container]
        return [floor, source, *form, *([path] if path else [])]

    return command


def parecord(source, scenario, path, seconds):
    # Fragments of the length that accrec asks for, too.
    what = [f"--rate={scenario.rate}", f"--channels={scenario.channels}", "--format=s16le"]
    what += [f"--latency-msec={scenario.latency}"]
    if path is None:
        return ["parec", f"--device={source}", *what]
    return ["parecord", f"--device={source}", *what, f"--file-format={scenario.container}", path]


def pw_record(source, scenario, path, seconds):
    where = ["--target", source.removesuffix(".monitor"), "-P", "{stream.capture.sink=true}"]
    what = ["--rate", str(scenario.rate), "--channels", str(scenario.channels), "--format", "s16"]
    what += ["--latency", f"{scenario.latency}ms"] if is_prompt(scenario) else []
    return ["pw-record", *where, *what, path or "-"]


def sox(quality):
    def command(source, scenario, path, seconds):
        if is_prompt(scenario):
            return None
        if scenario.container == "raw":
            output = ["-t", "raw", "-e", "signed", "-b", "16", "-"]
        else:
            output = ["-b", "16", *(["-C", "5"] if scenario.container == "flac" else []), path]
        effects = [] if scenario.rate == 48_000 else ["rate", quality, str(scenario.rate)]
        effects += [] if scenario.channels == 2 else ["channels", str(scenario.channels)]
        effects += ["trim", "0", str(seconds)] if seconds else []
        return ["sox", "-q", "-r", "48000", "-c", "2", "-t", "pulseaudio", source, *output, *effects]

    return command


def ffmpeg(source, scenario, path, seconds):
    if is_prompt(scenario):
        return None
    # Without `-wallclock 0`, ffmpeg inserts and drops frames to match the time stamps.
    source = ["-f", "pulse", "-sample_rate", "48000", "-channels", "2", "-wallclock", "0", "-i", source]
    form = ["-ac", str(scenario.channels), "-ar", str(scenario.rate)]
    form += ["-af", "aresample=resampler=soxr"] if scenario.rate != 48_000 else []
    coder = {
        "wav": ["-c:a", "pcm_s16le"],
        "flac": ["-c:a", "flac", "-compression_level", "5"],
        "raw": ["-f", "s16le"],
    }[scenario.container]
    limit = ["-t", str(seconds)] if seconds else []
    quiet = ["ffmpeg", "-y", "-nostdin", "-hide_banner", "-loglevel", "error"]
    return quiet + [*source, *limit, *form, *coder, path or "pipe:1"]


def arecord(source, scenario, path, seconds):
    if scenario.container == "flac" or is_prompt(scenario):
        return None
    form = ["-f", "S16_LE", "-r", str(scenario.rate), "-c", str(scenario.channels), "-t", scenario.container]
    limit = ["-d", str(seconds)] if seconds else []
    return ["env", f"PULSE_SOURCE={source}", "arecord", "-q", "-D", "pulse", *form, *limit, *([path] if path else [])]


def gstreamer(source, scenario, path, seconds):
    if is_prompt(scenario):
        return None
    form = f"audio/x-raw,format=S16LE,rate={scenario.rate},channels={scenario.channels}"
    convert = "" if scenario.rate == 48_000 else "audioconvert ! audioresample quality=10 ! "
    end = {
        "wav": f"wavenc ! filesink location={path}",
        "flac": f"flacenc ! filesink location={path}",
        "raw": "fdsink fd=1",
    }[scenario.container]
    return ["gst-launch-1.0", "-q", "-e", *f"pulsesrc device={source} ! {convert}{form} ! {end}".split()]
