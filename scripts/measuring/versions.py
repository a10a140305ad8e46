"""The versions of the measured programs."""

import re

from measuring.servers import run


def versions(binary):
    """The programs that are always present, for the caption of a table."""
    own, *servers = recorder_and_servers(binary)
    return [own, "SoX " + _version(["sox", "--version"], r"v([\d.]+)"),
            "ffmpeg " + _version(["ffmpeg", "-version"], r"version ([\w.]+)"), *servers]


def recorder_and_servers(binary):
    """accrec and the sound servers."""
    return [
        run([binary, "--version"]).splitlines()[0],
        "PulseAudio " + _version(["pulseaudio", "--version"], r"pulseaudio ([\d.]+)"),
        "PipeWire " + _version(["pw-record", "--version"], r"Linked with libpipewire ([\d.]+)"),
    ]


def _version(command, pattern):
    return re.search(pattern, run(command))[1]
