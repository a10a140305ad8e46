"""The command lines of accrec and of other recorders and converters."""

import pathlib
from dataclasses import dataclass

from measuring import servers
from playing import SINK


@dataclass(frozen=True)
class Recorder:
    """A command that records mono floats until it is interrupted, and the WAV file that it writes."""

    command: list
    path: pathlib.Path
    rate: int


def recorders(binary):
    """The recorders by server: a function of the file and the rate, or the reason why one is not available."""
    qualities = ["best", "medium", "fastest"]
    has_quality = "--quality" in servers.run(["pw-record", "--help"])
    return {
        "pulseaudio": {f"accrec {quality}": accrec(binary, quality) for quality in qualities} | {"parecord": parecord},
        "pipewire": {
            "pw-record": pw_record(),
            "pw-record -q 15": pw_record("--quality=15") if has_quality else "has no such option",
        },
    }


def converters():
    """The converters: a function of the source file, the new file and its rate, or the reason why one is not
    available."""
    has_soxr = "--enable-libsoxr" in servers.run(["ffmpeg", "-hide_banner", "-buildconf"])
    return {"SoX rate -v": sox, "ffmpeg soxr 28": ffmpeg if has_soxr else "was built without soxr"}


def accrec(binary, quality):
    def recorder(path, rate):
        what = ["-r", str(rate), "-c", "1", "--encoding", "f32", "--quality", quality]
        return Recorder([binary, "record", "--no-config", "-d", f"{SINK}.monitor", "-o", path] + what, path, rate)

    return recorder


def parecord(path, rate):
    """Conversion by the server, with its default method."""
    what = [f"--rate={rate}", "--channels=1", "--format=float32le", "--file-format=wav"]
    return Recorder(["parecord", f"--device={SINK}.monitor"] + what + [path], path, rate)


def pw_record(*options):
    """Conversion by the stream's adapter, by default with its default quality."""

    def recorder(path, rate):
        where = [f"--target={SINK}", "-P", "{stream.capture.sink=true}"]
        what = [f"--rate={rate}", "--channels=1", "--format=f32"]
        return Recorder(["pw-record", *where, *what, *options, path], path, rate)

    return recorder


def sox(source, path, rate):
    servers.run(["sox", source, "-e", "floating-point", "-b", "32", path, "rate", "-v", str(rate)])


def ffmpeg(source, path, rate):
    convert = f"aresample={rate}:resampler=soxr:precision=28"
    quiet = ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error"]
    servers.run(quiet + ["-i", source, "-af", convert, "-c:a", "pcm_f32le", path])
