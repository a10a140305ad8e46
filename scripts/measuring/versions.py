"""The versions of the measured programs."""

import re

from measuring.servers import run


def versions(binary):
    """The programs that are always present, for the caption of a table."""

    def version(command, pattern):
        return re.search(pattern, run(command))[1]

    return [
        run([binary, "--version"]).strip(),
        "SoX " + version(["sox", "--version"], r"v([\d.]+)"),
        "ffmpeg " + version(["ffmpeg", "-version"], r"version ([\w.]+)"),
        "PulseAudio " + version(["pulseaudio", "--version"], r"pulseaudio ([\d.]+)"),
        "PipeWire " + version(["pw-record", "--version"], r"Linked with libpipewire ([\d.]+)"),
    ]
