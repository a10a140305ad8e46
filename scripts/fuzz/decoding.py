"""What other programs read of an audio file."""

import ctypes
import os
import subprocess

# Float takes the samples of every encoding without loss of what is compared, and ffmpeg goes on behind damage.
PROGRAMS = {
    "ffmpeg": ["ffmpeg", "-v", "quiet", "-i", "FILE", "-map", "0:a:0", "-f", "f32le", "-"],
    "SoX": ["sox", "-V0", "-D", "FILE", "-t", "raw", "-e", "signed", "-b", "32", "-"],
}


def decoded(path):
    """The samples that each decoder reads; none where it fails."""
    result = {"libsndfile": decoded_by_libsndfile(path)}
    for name, command in PROGRAMS.items():
        command = [path if word == "FILE" else word for word in command]
        try:
            result[name] = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=60).stdout
        except subprocess.TimeoutExpired:
            result[name] = b""
    return result


def lost(before, after):
    """Which decoder reads something else than before, as a message; None if each reads at least the same samples."""
    for name, samples in before.items():
        if not after[name].startswith(samples):
            return f"{name} read {len(samples)} bytes before, and {len(after[name])} others after"
    return None


class Info(ctypes.Structure):
    """libsndfile's SF_INFO."""

    _fields_ = [("frames", ctypes.c_int64)] + [
        (name, ctypes.c_int) for name in ("rate", "channels", "format", "sections", "seekable")
    ]


library = ctypes.CDLL("libsndfile.so.1")
library.sf_open.restype = ctypes.c_void_p
library.sf_close.argtypes = [ctypes.c_void_p]
library.sf_readf_double.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
library.sf_readf_double.restype = ctypes.c_int64
READ_MODE = 0x10
BLOCK = 65_536


def decoded_by_libsndfile(path):
    info = Info()
    handle = library.sf_open(os.fsencode(path), READ_MODE, ctypes.byref(info))
    if not handle:
        return b""
    # Doubles hold integers of 32 bits without loss.
    block = (ctypes.c_double * (BLOCK * max(info.channels, 1)))()
    samples = bytearray()
    while (count := library.sf_readf_double(handle, block, BLOCK)) > 0:
        samples += memoryview(block).cast("B")[: count * info.channels * 8]
    library.sf_close(handle)
    return bytes(samples)
