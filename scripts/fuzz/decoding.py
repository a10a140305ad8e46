"""What other programs read of an audio file."""

import subprocess

# Float takes the samples of every encoding without loss of what is compared, and ffmpeg goes on behind damage.
DECODERS = {
    "ffmpeg": ["ffmpeg", "-v", "quiet", "-i", "FILE", "-map", "0:a:0", "-f", "f32le", "-"],
    "sox": ["sox", "-V0", "-D", "FILE", "-t", "raw", "-e", "signed", "-b", "32", "-"],
}


def decoded(path):
    """The samples that each decoder reads; none where it fails."""
    result = {}
    for name, command in DECODERS.items():
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
