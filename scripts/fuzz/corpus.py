"""Small audio files of every container that `accrec repair` examines, as recorders leave them: complete, with what readers
allow, and incomplete."""

import contextlib
import pathlib
import random
import struct
import subprocess
import tempfile

# As ffmpeg arguments, in several encodings.
FFMPEG = {
    "s16.wav": ["-c:a", "pcm_s16le"], "s24.wav": ["-c:a", "pcm_s24le"], "f32.wav": ["-c:a", "pcm_f32le"],
    "u8.wav": ["-c:a", "pcm_u8", "-ac", "1"], "alaw.wav": ["-c:a", "pcm_alaw"], "adpcm.wav": ["-c:a", "adpcm_ms"],
    "mp3.wav": ["-c:a", "libmp3lame", "-f", "wav"], "ac3.wav": ["-c:a", "ac3", "-f", "wav"],
    "s16.rf64": ["-c:a", "pcm_s16le", "-f", "wav", "-rf64", "always"],
    "f32.rf64": ["-c:a", "pcm_f32le", "-f", "wav", "-rf64", "always"], "s16.w64": ["-c:a", "pcm_s16le"],
    "s16.aiff": ["-c:a", "pcm_s16be"], "u8.aiff": ["-c:a", "pcm_s8", "-ac", "1"], "f32.aiff": ["-c:a", "pcm_f32be"],
    "s16.caf": ["-c:a", "pcm_s16be"], "s24.caf": ["-c:a", "pcm_s24le"], "alac.caf": ["-c:a", "alac"],
    "s16.flac": [], "s24.flac": ["-sample_fmt", "s32"], "vorbis.ogg": ["-c:a", "libvorbis", "-page_duration", "40000"],
    "opus.ogg": ["-c:a", "libopus", "-page_duration", "40000"], "flac.ogg": ["-c:a", "flac"], "lame.mp3": [],
    "s16.raw": ["-f", "s16le"],
}
# The formats of these say nothing of what they hold.
PACKED = {"adpcm.wav", "mp3.wav", "ac3.wav", "alac.caf", "flac.ogg", "lame.mp3", "s16.raw"}


def write_encoded(directory):
    """Writes a file of each of ffmpeg's formats."""
    source = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=sin(880*t)|0.3*random(0):d=0.4:s=48000"]
    for name, options in FFMPEG.items():
        subprocess.run(source + options + ["-y", directory / name], stdin=subprocess.DEVNULL, check=True)


def write(directory):
    """Writes all files. The names of those that repair must call complete begin with `whole-`."""
    write_encoded(directory)
    for name in FFMPEG:
        if name not in PACKED:
            (directory / name).rename(directory / f"whole-{name}")
    for name, content in [*chunked(), *streams(directory)]:
        (directory / name).write_bytes(content)
    cuts = random.Random(1)
    for path in sorted(directory.glob("whole-*")):
        content = path.read_bytes()
        for _ in range(2):
            # Every other cut is in the last bytes, where the ends of frames, pages and chunks lie.
            most = len(content) if cuts.random() < 0.5 else min(len(content), 80)
            length = len(content) - cuts.randrange(1, most + 1)
            (directory / f"cut-{length}-{path.name.removeprefix('whole-')}").write_bytes(content[:length])


@contextlib.contextmanager
def files(write):
    """The files that a function writes to a directory, as long as they are needed."""
    with tempfile.TemporaryDirectory(prefix="accrec-fuzz-files.") as directory:
        directory = pathlib.Path(directory)
        write(directory)
        yield sorted(directory.iterdir())


def chunk(name, content, order="<", stated=None, pad=True):
    """A chunk of RIFF or AIFF."""
    size = len(content) if stated is None else stated
    return name + struct.pack(order + "I", size) + content + (b"\0" if pad and len(content) % 2 else b"")


LIST = chunk(b"LIST", b"INFO" + chunk(b"INAM", b"a name"))
TRACKS = chunk(
    b"iXML", b"<BWFXML><TRACK_LIST><TRACK><INTERLEAVE_INDEX>1</INTERLEAVE_INDEX><NAME>R&amp;B</NAME></TRACK></TRACK_LIST></BWFXML>")
TAG = b"TAG" + b"Song".ljust(125, b"\0")
ID3 = b"ID3\4\0\0\0\0\0\x0a" + bytes(10)
SIZES = {"0": 0, "max": 0xFFFFFFFF, "signed": 0x7FFFFFFF, "stale": 200}


def chunked():
    """Files made of chunks, with 8 bits in one channel (an odd number of bytes), 24 bits in one, or 16 bits in two."""
    noise = random.Random(2)
    for bits, channels, frames in [(8, 1, 999), (24, 1, 333), (16, 2, 500)]:
        samples = bytes(noise.randrange(1, 256) for _ in range(frames * channels * bits // 8))
        for container in (wav, rf64, w64, aiff, caf):
            for name, content in container(bits, channels, frames, samples):
                prefix, _, rest = name.partition("-")
                whole = "whole-" if prefix == "whole" else ""
                yield f"{whole}{container.__name__}-{bits}-{rest}", content


def wav_form(bits, channels):
    block = channels * bits // 8
    return struct.pack("<HHIIHH", 1, channels, 8_000, 8_000 * block, block, bits)


def wav(bits, channels, frames, samples):
    form = wav_form(bits, channels)
    head, data = chunk(b"fmt ", form), chunk(b"data", samples)
    bare = chunk(b"data", samples, pad=False)

    def riff(*parts, missing=0):
        content = b"WAVE" + b"".join(parts)
        return chunk(b"RIFF", content, stated=len(content) + missing, pad=False)

    yield "whole-plain.wav", riff(head, data)
    yield "whole-list.wav", riff(head, data, LIST)
    yield "whole-tracks.wav", riff(head, data, TRACKS)
    yield "whole-list-without-padding.wav", riff(head, bare, LIST)
    yield "whole-tag.wav", riff(head, data) + TAG
    yield "whole-text.wav", riff(head, data, LIST) + b"<html>"
    yield "whole-junk.wav", riff(chunk(b"JUNK", b"\1" * 28), head, chunk(b"odd ", b"a"), data)
    yield "whole-long-format.wav", riff(chunk(b"fmt ", form + bytes(2)), data)
    for name in (b"FLLR", b"LIST", b"regn"):
        yield f"part-{name.decode()}-cut.wav", riff(head, data, chunk(name, b"\1" * 300, stated=600), missing=300)
    yield "part-format-without-padding.wav", riff(chunk(b"fmt ", form + b"\0", pad=False), data)
    yield "part-list-without-padding.wav", riff(head, chunk(b"LIST", b"INFOabc", pad=False), data)
    yield "part-list-too-long.wav", riff(head, chunk(b"LIST", b"INFOab", stated=600), data)
    yield "part-samples-first.wav", riff(data, head)
    for name, size in SIZES.items():
        yield f"part-size-{name}.wav", riff(head, chunk(b"data", samples, stated=size))
        file = chunk(b"RIFF", b"WAVE" + head + chunk(b"data", samples, stated=size), stated=size, pad=False)
        yield f"part-sizes-{name}.wav", file


def rf64(bits, channels, frames, samples):
    head, data = chunk(b"fmt ", wav_form(bits, channels)), chunk(b"data", samples, stated=0xFFFFFFFF)

    def file(sizes, *parts):
        large = chunk(b"ds64", struct.pack("<QQQI", *sizes, 0))
        return chunk(b"RF64", b"WAVE" + b"".join(large if part is None else part for part in parts), stated=0xFFFFFFFF, pad=False)

    length = len(file((0, 0, 0), None, head, data)) - 8
    right = (length, len(samples), frames)
    fact = chunk(b"fact", b"\xff" * 4)
    yield "whole-plain.rf64", file(right, None, head, data)
    yield "whole-fact.rf64", file((length + 12, *right[1:]), None, head, fact, data)
    yield "whole-late-sizes.rf64", file(right, head, None, data)
    yield "whole-list.rf64", file((length + len(LIST), *right[1:]), None, head, data, LIST)
    yield "part-sizes-0.rf64", file((0, 0, 0), None, head, data)
    yield "part-sizes-stale.rf64", file((200, 150, 9), None, head, data)


def w64(bits, channels, frames, samples):
    rest = bytes.fromhex("f3acd3118cd100c04f8edb8a")

    def part(name, content, stated=None):
        size = (len(content) if stated is None else stated) + 24
        return name + rest + struct.pack("<Q", size) + content

    form = wav_form(bits, channels)

    def file(total, size):
        riff = b"riff" + bytes.fromhex("2e91cf11a5d628db04c10000")
        content = b"wave" + rest + part(b"fmt ", form) + part(b"data", samples, stated=size)
        return riff + struct.pack("<Q", 24 + len(content) if total is None else total) + content

    yield "whole-plain.w64", file(None, len(samples))
    yield "part-sizes-0.w64", file(0, 0)
    yield "part-sizes-stale.w64", file(200, 100)


def aiff(bits, channels, frames, samples):
    rate = bytes.fromhex("400bfa00000000000000")
    if bits == 8:
        samples = bytes(sample ^ 0x80 for sample in samples)

    def common(count=frames):
        return chunk(b"COMM", struct.pack(">HIH", channels, count, bits) + rate, ">")

    def sound(samples=samples, offset=0, pad=True, stated=None):
        content = struct.pack(">II", offset, 0) + bytes(offset) + samples
        return chunk(b"SSND", content, ">", stated=stated, pad=pad)

    def form(*parts, missing=0, stated=None):
        content = b"AIFF" + b"".join(parts)
        return chunk(b"FORM", content, ">", stated=len(content) + missing if stated is None else stated, pad=False)

    name = chunk(b"NAME", b"a name", ">")
    yield "whole-plain.aiff", form(common(), sound())
    yield "whole-name.aiff", form(common(), sound(), name)
    yield "whole-name-without-padding.aiff", form(common(), sound(pad=False), name)
    yield "whole-offset.aiff", form(common(), sound(offset=8))
    yield "whole-format-last.aiff", form(sound(), common())
    yield "whole-tag.aiff", form(common(), sound()) + TAG
    # As libsndfile counts padding.
    yield "whole-counted-padding.aiff", form(common(), sound(samples + bytes(len(samples) % 2)))
    yield "part-appl-cut.aiff", form(common(), sound(), chunk(b"APPL", b"\1" * 300, ">", stated=600), missing=300)
    yield "part-name-without-padding.aiff", form(chunk(b"NAME", b"odd", ">", pad=False), common(), sound())
    for size in (0, 200, 0xFFFFFFFF):
        yield f"part-sizes-{size:x}.aiff", form(common(0), sound(stated=size), stated=size)


def caf(bits, channels, frames, samples):
    block = channels * bits // 8

    def part(name, content, stated=None):
        return name + struct.pack(">q", len(content) if stated is None else stated) + content

    # Little-endian integers.
    form = struct.pack(">d4sIIIII", 8_000, b"lpcm", 2, block, 1, channels, bits)
    head, data = b"caff\0\1\0\0" + part(b"desc", form), bytes(4) + samples
    yield "whole-plain.caf", head + part(b"data", data)
    yield "whole-free.caf", head + part(b"free", bytes(99)) + part(b"data", data)
    yield "whole-info.caf", head + part(b"data", data) + part(b"info", struct.pack(">I", 1) + b"title\0a name\0")
    yield "part-free-cut.caf", head + part(b"data", data) + part(b"free", b"\1" * 200, stated=400)
    for size in (-1, 0, 200):
        yield f"part-size-{size}.caf", head + part(b"data", data, stated=size)


def streams(directory):
    """FLAC and Ogg, from what ffmpeg has encoded."""
    flac = (directory / "whole-s16.flac").read_bytes()
    total = bytearray(flac)
    total[8 + 13] &= 0xF0
    total[8 + 14 : 8 + 34] = bytes(20)
    yield "no-total.flac", bytes(total)
    for name, trailer in {"tag": TAG, "line": b"\n", "zeros": bytes(300)}.items():
        yield f"whole-{name}.flac", flac + trailer
    yield "whole-id3.flac", ID3 + flac
    yield "whole-information-second.flac", flac[:4] + b"\1\0\0\4" + bytes(4) + flac[4:]
    yield "twice.flac", flac + flac
    yield "two-formats.flac", flac + (directory / "whole-s24.flac").read_bytes()
    for codec in ("vorbis", "opus"):
        ogg = (directory / f"whole-{codec}.ogg").read_bytes()
        yield f"whole-{codec}-tag.ogg", ogg + TAG
        yield f"whole-{codec}-chain.ogg", ogg + other_stream(ogg)
        yield f"{codec}-twice.ogg", ogg + ogg


def other_stream(ogg):
    """The same Ogg file with another number of its stream."""
    pages, place = bytearray(), 0
    while place < len(ogg):
        count = ogg[place + 26]
        length = 27 + count + sum(ogg[place + 27 : place + 27 + count])
        page = bytearray(ogg[place : place + length])
        page[14] ^= 1
        page[22:26] = bytes(4)
        page[22:26] = struct.pack("<I", checksum(page))
        pages += page
        place += length
    return bytes(pages)


def checksum(page):
    value = 0
    for byte in page:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ 0x04C11DB7 if value & 0x80000000 else value << 1) & 0xFFFFFFFF
    return value
