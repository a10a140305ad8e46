"""Damaged audio files, and damaged lists of markers beside them, read by `accrec info`, `accrec check`
and `accrec play`."""

import contextlib
import signal
import subprocess

from fuzz.campaigns import repair
from fuzz.checks import Fault, check, run
from measuring.servers import private_server, run as ask

TITLE = "damaged audio files are shown, checked and played as far as they go, or refused"

PLACES = ["0.05", "1e300", "-1e300", "inf", "nan", "-0", "1e-300", "0x10", "", "9" * 400, "1.5"]
LABELS = ["here", "gap ", "gap 1.0 s: x", "\x1b[31m", "\u202ereversed", "", "\udcff"]


@contextlib.contextmanager
def setting():
    with repair.setting() as files, private_server("pulseaudio") as server:
        ask(["pactl", "load-module", "module-null-sink", "sink_name=room", "norewinds=1"], server)
        yield files, dict(server)


def trial(binary, random, directory, surroundings):
    files, server = surroundings
    original = random.choice(files)
    content = bytearray(original.read_bytes())
    for _ in range(random.choice([0, 1, 1, 2])):
        content = random.choice(repair.DAMAGES)(random, content, files)
    damaged = directory / f"take{original.suffix}"
    damaged.write_bytes(content)
    lines = "".join(
        "\t".join([random.choice(PLACES), random.choice(PLACES), random.choice(LABELS)][: random.choice([3, 3, 3, 1, 2])]) + "\n"
        for _ in range(random.choice([0, 1, 5])))
    lines = f"0\t0\tmarkers of {damaged.name}\n{lines}"
    (directory / f"{damaged.name}.labels.txt").write_bytes(lines.encode(errors="surrogateescape"))
    result = run([binary, "info", damaged])
    # libsndfile's MP3 decoder may print warnings of its own.
    if result.returncode not in (0, 1) or result.returncode == 1 and not result.stderr:
        raise Fault(f"{original.name}: status {result.returncode}, {result.stderr!r}, {lines!r}")
    result = run([binary, "check", "--json", damaged])
    if result.returncode not in (0, 1, 13) or result.returncode == 1 and not result.stderr:
        raise Fault(f"{original.name}: status {result.returncode} of a check, {result.stderr!r}, {lines!r}")
    if random.random() < 0.2:
        play(binary, random, damaged, server)


def play(binary, random, path, server):
    """Plays the file to its end, or for some time if it states to be long."""
    start = random.choice([[], ["--start", "0.2"], ["--start", "1000:00:00"]])
    process = subprocess.Popen(
        [binary, "play", path, "-d", "room", *start], env=server, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(4)
    process.send_signal(signal.SIGTERM)
    try:
        errors = process.communicate(timeout=20)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Fault(f"still playing 20 s after a signal that ends it: {start}") from None
    check(subprocess.CompletedProcess(process.args, process.returncode, b"", errors))
    if process.returncode not in (0, 1, 64):
        raise Fault(f"status {process.returncode} of a playback: {errors[-300:]!r}")
