"""Data from a hostile or broken server: impossible formats and positions, and random bytes."""

import contextlib

from fuzz.checks import Fault, run
from fuzz.lying_server import lying_server
from measuring.servers import private_server
from measuring.servers import run as call

TITLE = "a lying server is an error, or does no harm"

SPEC = b"a\x03\x02\x00\x00\xbb\x80"  # s16le, 2 channels, 48 kHz
MAP = b"m\x02\x01\x02"  # front-left, front-right
LIES = [
    (SPEC, b"a\x03\x00\x00\x00\xbb\x80"),
    (SPEC, b"a\x03\xff\x00\x00\xbb\x80"),
    (SPEC, b"a\x03\x02\x00\x00\x00\x00"),
    (SPEC, b"a\x03\x02\xff\xff\xff\xff"),
    (SPEC, b"a\xff\x02\x00\x00\xbb\x80"),
    (SPEC, b"a\x03\x20\x00\x00\xbb\x80"),
    (MAP, b"m\x02\xc8\xfe"),
    (MAP, b"m\x02\x00\x80"),
    (b"v\x02", b"v\x00"),
    (b"v\x02", b"v\xff"),
    (b"hall.monitor\x00", b"\x1b[2Jl.monito\x00"),
    (b"\x00\x01\x00\x00", b"\xff\xff\xff\xff"),
]


@contextlib.contextmanager
def setting():
    with private_server("pulseaudio") as environment:
        call(["pactl", "load-module", "module-null-sink", "sink_name=hall", "rate=48000", "channels=2"], environment)
        yield environment


def trial(binary, random, directory, real):
    lies = random.sample(LIES, random.randrange(3))
    rate = random.choice([0, 0, 1e-4, 1e-2])

    def lie(data):
        for truth, untruth in lies:
            data = data.replace(truth, untruth)
        if rate:
            data = bytes(random.randrange(256) if random.random() < rate else byte for byte in data)
        return data

    command = random.choice([["devices", "--json"], ["devices"], RECORD, RECORD])
    with lying_server(real, directory, lie) as environment:
        environment |= {"HOME": str(directory)}
        result = run([binary, *command], cwd=directory, env=environment, timeout=40)
    if result.returncode != 0 and not result.stderr:
        raise Fault(f"status {result.returncode} without a word")


RECORD = ["record", "-o", "take.wav", "-d", "hall.monitor", "--max", "0.3", "--quiet", "--interruption-timeout", "1"]
