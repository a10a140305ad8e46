"""Float samples that are not sound: NaN, infinities, denormals, and values far above full scale."""

import array
import json
import math
import struct
import subprocess

from fuzz.checks import Fault, run
from fuzz.private_server import played, private_server

TITLE = "non-finite and huge floats into every container end as finite samples and levels"

FORMATS = [
    *(("wav", encoding) for encoding in ("u8", "s16", "s24", "s32", "f32", "f64")),
    *((container, encoding) for container in ("rf64", "w64", "aiff", "caf", "raw") for encoding in ("s16", "f32", "f64")),
    ("flac", "s16"), ("flac", "s24"), ("vorbis", None), ("opus", None), ("mp3", None),
]
SPECIAL = [
    math.nan, -math.nan, struct.unpack("<f", b"\x01\x00\xa0\x7f")[0], math.inf, -math.inf, 1e-40, -1e-45, 3.4e38, -3.4e38,
    1e10, -1e6, 100.0, 2.0, 1.0, -1.0, 0.0, -0.0,
]


def setting():
    return private_server()


def trial(binary, random, directory, environment):
    container, encoding = random.choice(FORMATS)
    channels = random.choice(["mono", "front-left,front-right"])
    path, report = directory / f"take.{container}", directory / "report.json"
    command = [binary, "record", "-o", path, "--format", container, "-d", "hostile.monitor", "--max", "0.5", "--report", report]
    command += ["--rate", random.choice(["48000", "16000"])] + (["--encoding", encoding] if encoding else [])
    command += random.choice([[], ["-c", "1"], ["-c", "2"], ["--no-dither"], ["--quality", "best"]])
    with played(environment, "hostile", samples(random), "float32le", channels):
        result = run(command, env=environment, cwd=directory)
    if result.returncode != 0:
        raise Fault(f"{container} {encoding}: status {result.returncode}: {result.stderr[-400:]!r}")
    check_levels(json.loads(report.read_text()), f"{container} {encoding}")
    check_samples(path, container, encoding)


def samples(random):
    """A quarter of a second of a quiet tone, with special values scattered or in a row."""
    values = array.array("f", (0.1 * math.sin(index / 20) for index in range(24000)))
    chosen = random.sample(SPECIAL, random.randrange(1, 4))
    if random.random() < 0.5:
        for index in random.sample(range(len(values)), random.randrange(1, 200)):
            values[index] = random.choice(chosen)
    else:
        start, length = random.randrange(len(values)), random.randrange(1, 24000)
        for index in range(start, min(start + length, len(values))):
            values[index] = random.choice(chosen)
    return values.tobytes()


def check_levels(value, name):
    """Checks that each number of a report is finite."""
    if isinstance(value, dict):
        for key, entry in value.items():
            check_levels(entry, f"{name} {key}")
    elif isinstance(value, list):
        for entry in value:
            check_levels(entry, name)
    elif isinstance(value, float) and not math.isfinite(value):
        raise Fault(f"{name} is {value} in the report")


def check_samples(path, container, encoding):
    """Checks that ffmpeg decodes the file, and that each sample is finite."""
    if container == "raw":
        kind = {"f32": "f", "f64": "d"}.get(encoding)
        decoded = array.array(kind, path.read_bytes()) if kind else [0.0]
    else:
        command = ["ffmpeg", "-v", "error", "-i", path, "-f", "f64le", "-c:a", "pcm_f64le", "-"]
        result = subprocess.run(command, capture_output=True)
        if result.returncode != 0 or result.stderr:
            raise Fault(f"{container} {encoding}: ffmpeg: {result.stderr[-400:]!r}")
        decoded = array.array("d", result.stdout)
    if not decoded:
        raise Fault(f"{container} {encoding}: no samples")
    if wrong := [value for value in decoded if not math.isfinite(value)]:
        raise Fault(f"{container} {encoding}: {len(wrong)} samples are not finite, such as {wrong[0]}")
