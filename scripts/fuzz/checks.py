"""Checks that apply to every campaign."""

import os
import signal
import subprocess

# The signals of a trap, and of an abort in a C library.
TRAPS = {signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE}


class Fault(Exception):
    """The program misbehaved."""


def run(command, timeout=30, **options):
    """Runs the program to its end; raises `Fault` for a trap or a hang."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    process = subprocess.Popen(list(map(os.fspath, command)), **options)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Fault(f"still running after {timeout} s: {command[1:]}") from None
    result = subprocess.CompletedProcess(command, process.returncode, output or b"", errors or b"")
    check(result)
    return result


def check(result):
    """Raises `Fault` for a trap, or for control characters in the program's output."""
    if -result.returncode in TRAPS:
        raise Fault(f"ended with signal {-result.returncode}: {result.stderr[-400:]!r}")
    check_text(result.stderr)


def check_text(text):
    """Raises `Fault` for control characters other than line feed and tab, and for characters that change text
    direction."""
    for character in text.decode(errors="replace"):
        code = ord(character)
        if code < 0x20 and character not in "\n\t" or 0x7F <= code < 0xA0 or character in BIDI_CONTROLS:
            raise Fault(f"printed the control character U+{code:04X}: {text[-400:]!r}")


def check_wav(path, frames=None, exact=True):
    """Raises `Fault` for a WAV file without frames, or whose header states a different length than the file has.

    exact: whether the take was ended properly; if the program was killed, the file may have more than its header
    states.
    """
    data = path.read_bytes()
    place, block = 12, 0
    if data[:4] not in (b"RIFF", b"RF64") or data[8:12] != b"WAVE":
        raise Fault(f"{path.name} is no WAV file: {data[:16]!r}")
    while place + 8 <= len(data):
        name, size = data[place : place + 4], int.from_bytes(data[place + 4 : place + 8], "little")
        if name == b"fmt ":
            block = int.from_bytes(data[place + 20 : place + 22], "little")
        if name == b"data":
            end = place + 8 + size
            if end > len(data) or (exact and end + size % 2 < len(data) and data[end : end + 4] not in AFTER_DATA):
                raise Fault(f"{path.name} has {len(data)} bytes, and its samples end at {end}")
            if not size or not block or frames is not None and size != frames * block:
                raise Fault(f"{path.name} has {size} bytes of samples, frames of {block}")
            return
        place += 8 + size + size % 2
    raise Fault(f"{path.name} has no samples")


# Chunks that may follow the samples.
AFTER_DATA = (b"LIST", b"cue ", b"bext", b"id3 ")
BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
