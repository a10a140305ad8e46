"""Damaged audio files of every container: `accrec repair` does not touch what it says it left alone, and other
programs can read what it repairs: of a file that was cut or continued, at least what they read before."""

import struct
import subprocess

from fuzz import corpus
from fuzz.checks import Fault, run
from fuzz.decoding import decoded, lost

TITLE = "damaged audio files are repaired, refused or left unchanged"

SIZES = [0, 1, 7, 8, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
NAMES = [b"data", b"LIST", b"fmt ", b"fact", b"ds64", b"JUNK", b"SSND", b"COMM", b"desc", b"OggS", b"fLaC", b"RIFF", b"RF64"]


def setting():
    """Intact files of every container."""
    return corpus.files(corpus.write_encoded)


def trial(binary, random, directory, files):
    original = random.choice(files)
    content = bytearray(original.read_bytes())
    damages = [random.choice(DAMAGES) for _ in range(random.choice([1, 1, 1, 2, 4]))]
    for damage in damages:
        content = damage(random, content, files)
    damaged = directory / f"take{original.suffix}"
    damaged.write_bytes(content)
    before = bytes(content)
    way = random.choice(["new", "output", "in-place", "force"])
    repaired = directory / (("take-repaired" if way == "new" else "other") + original.suffix)
    options = {"new": [], "output": ["-o", repaired], "in-place": ["--in-place"], "force": ["-o", repaired, "--force"]}[way]
    if way == "force":
        repaired.write_bytes(b"old")
    result = run([binary, "repair", damaged, *options])
    if way == "in-place":
        repaired = damaged
    what = f"{original.name}, {way}, status {result.returncode}: {result.stderr[-300:]!r}"
    if way != "in-place" and damaged.read_bytes() != before:
        raise Fault(f"changed the file itself: {what}")
    if result.returncode not in (0, 1, 7, 11):
        raise Fault(f"another status: {what}")
    # Formats that pack frames into blocks are only reported as intact, without a frame count.
    is_counted = b" frames, " in result.stderr
    if result.returncode == 0 and b"needs no repair" in result.stderr and is_counted and not is_read(damaged):
        raise Fault(f"nobody reads what it says is whole: {what}")
    if result.returncode != 0 or b"needs no repair" in result.stderr:
        if damaged.read_bytes() != before:
            raise Fault(f"changed a file that it left alone: {what}")
        if way != "in-place" and repaired.exists() and repaired.read_bytes() != b"old":
            raise Fault(f"left a file behind: {what}")
        return
    if not result.stderr:
        raise Fault(f"said nothing: {what}")
    if run([binary, "repair", repaired]).stderr.count(b"needs no repair") != 1:
        raise Fault(f"is not complete after the repair: {what}")
    if is_counted and not is_read(repaired):
        raise Fault(f"no program reads the repaired file: {what}")
    if set(damages) <= {truncated, trailed}:
        damaged = directory / f"before{original.suffix}"
        damaged.write_bytes(before)
        if text := lost(decoded(damaged), decoded(repaired)):
            raise Fault(f"{text}: {what}")


def is_read(path):
    """Whether ffmpeg or SoX can decode the file."""
    for command in [["ffmpeg", "-v", "quiet", "-i", path, "-f", "null", "-"], ["sox", "-V0", path, "-n"]]:
        try:
            if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=20).returncode == 0:
                return True
        except subprocess.TimeoutExpired:
            pass
    return False


def truncated(random, content, files):
    return content[: random.randrange(len(content) + 1)]


def cut_in_header(random, content, files):
    return content[: random.randrange(min(len(content), 200) + 1)]


def flipped(random, content, files):
    for _ in range(random.choice([1, 3, 30])):
        if content:
            content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    return content


def flipped_in_header(random, content, files):
    for _ in range(random.choice([1, 3])):
        if content:
            content[random.randrange(min(len(content), 120))] = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
    return content


def lying(random, content, files):
    """Changes an arbitrary 32 or 64-bit number in the header."""
    if len(content) < 16:
        return content
    place = random.randrange(min(len(content) - 8, 120)) & ~1
    size = random.choice(SIZES + [len(content), len(content) - 8, len(content) + 1])
    form = random.choice(["<I", ">I", "<Q", ">Q"])
    number = struct.pack(form, size | (0xFFFFFFFF << 32 if form[1] == "Q" and size == 0xFFFFFFFF else 0))
    content[place : place + len(number)] = number
    return content


def renamed(random, content, files):
    if len(content) > 48:
        place = random.choice([0, 12, 36, 40, random.randrange(len(content) - 4)])
        content[place : place + 4] = random.choice(NAMES)
    return content


def spliced(random, content, files):
    other = random.choice(files).read_bytes()
    return content[: random.randrange(len(content) + 1)] + other[random.randrange(len(other)) :]


def trailed(random, content, files):
    return content + random.choice([
        b"TAG" + bytes(125), bytes(random.randrange(1, 5000)), b"APETAGEX" + bytes(60), random.randbytes(random.randrange(1, 300)),
        b"LIST" + struct.pack("<I", 4) + b"INFO", b"\xff" * random.randrange(1, 200_000), b"OggS\0" * random.randrange(1, 30_000),
    ])


def garbage(random, content, files):
    return bytearray(content[: random.choice([0, 4, 12, 64])] + random.randbytes(random.randrange(2000)))


def zeroed(random, content, files):
    """Zeroes a block, as if it had never reached the disk."""
    if content:
        first = random.randrange(len(content)) & ~511
        last = min(first + random.choice([512, 4096]), len(content))
        content[first:last] = bytes(last - first)
    return content


DAMAGES = [
    truncated, truncated, cut_in_header, flipped, flipped_in_header, flipped_in_header, lying, lying, lying, renamed, spliced,
    trailed, garbage, zeroed,
]
