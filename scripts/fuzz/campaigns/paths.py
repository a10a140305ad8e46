"""Hostile paths, and pairs of paths to the same file, for the outputs, report and events of a take."""

import contextlib
import os
import stat
import subprocess

from fuzz.checks import Fault, run

TITLE = "hostile paths lose no take and no file"

PLACES = [
    "t.wav", "./t.wav", "d/../t.wav", "d/t.wav", "link.wav", "d/./t.wav", "dl/t.wav", "hard.wav", "old.wav", "t-002.wav", "t.labels.txt",
    "fifo.wav", "fifo", "loop.wav", "dangling.wav", "d", "d/", ".", "..", "/", "", " ", "\n.wav", "\x1b[2J.wav", "-.wav", "é.wav",
    "e\u0301.wav", "a" * 251 + ".wav", "é" * 125 + ".wav", "a" * 252 + ".wav", "x/" * 3000 + ".wav", "/dev/null", "/dev/full",
    "/dev/zero", "/proc/self/mem", "/dev/stdout", "/dev/fd/0", "/nonexistent/t.wav", "n/n/t.wav", "{n}.wav", "%S.wav", "{device}.wav",
    "t.wav/t.wav", "t.flac", "t.caf", "t.raw", "x.json", "%", "{", b"\xff.wav", b"\xc3.wav", "config.toml", "readonly/t.wav",
]


@contextlib.contextmanager
def setting():
    """A private server with a microphone that receives a tone."""
    script = [os.path.join(os.path.dirname(__file__), "../../private-server"), "pulseaudio", "--tone"]
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        environment = {"PATH": "/usr/bin:/bin", "TZ": "UTC"}
        for line in server.stdout:
            if line.strip() == "ready":
                break
            name, _, value = line.strip().partition("=")
            environment[name] = value
        yield environment
        server.stdin.close()


def trial(binary, random, directory, environment):
    prepare(directory)
    old = (directory / "old.wav").read_bytes()
    words = ["record", "--no-config", "--quiet", "--max", random.choice(["0.1", "0.3", "1.3"])]
    outputs = random.sample(PLACES, random.choice([1, 1, 2, 3]))
    for place in outputs:
        words += ["-o", place]
    others = {}
    for option in ["--report", "--events"]:
        if random.random() < 0.6:
            others[option] = random.choice(outputs + PLACES)
            words += [option, others[option]]
    for flag in ["--force", "--mkdir", "--format=wav", "--format=raw", "--split-every=1"]:
        if random.random() < (0.5 if flag == "--force" else 0.2):
            words.append(flag)
    before = special_files(directory)
    result = run([binary, *map(os.fsencode, words)], cwd=directory, env=environment | {"HOME": str(directory)})
    what = f"{words}, status {result.returncode}: {result.stderr[-300:]!r}"
    if result.returncode != 0 and not result.stderr:
        raise Fault(f"ended without a word: {what}")
    if special_files(directory) != before:
        raise Fault(f"replaced a link, a pipe, a directory, or a file's mode: {what}")
    if "--force" not in words and (directory / "old.wav").read_bytes() != old:
        raise Fault(f"changed an existing file: {what}")
    if not stat.S_ISCHR(os.stat("/dev/null").st_mode):
        raise Fault(f"replaced a device: {what}")
    if leftovers := [name for name in os.listdir(directory) if name.endswith(".part")]:
        raise Fault(f"left {leftovers}: {what}")
    if result.returncode == 0:
        check(directory, words, others, what)


def check(directory, words, others, what):
    """Checks that a successful take produced a WAV file if one was requested, and that its report is JSON."""
    for option, place in others.items():
        path = directory / os.fsdecode(place)
        if path.resolve().is_relative_to(directory.resolve()) and path.is_file() and not path.read_bytes().startswith((b"{", b"old")) and path.stat().st_size > 0:
            raise Fault(f"{option} is no JSON: {what}")
    taken = {os.path.realpath(directory / os.fsdecode(place)) for place in others.values()}
    for path in directory.rglob("*.wav"):
        if path.is_file() and os.path.realpath(path) not in taken and "--format=raw" not in words:
            if not path.read_bytes().startswith((b"RIFF", b"old")):
                raise Fault(f"{path.name} is no WAV file: {what}")


def prepare(directory):
    (directory / "d").mkdir()
    (directory / "dl").symlink_to("d")
    (directory / "readonly").mkdir(mode=0o500)
    (directory / "old.wav").write_bytes(b"old")
    (directory / "old.wav").chmod(0o640)
    os.link(directory / "old.wav", directory / "hard.wav")
    (directory / "link.wav").symlink_to("d/target.wav")
    (directory / "d/target.wav").write_bytes(b"old target")
    (directory / "dangling.wav").symlink_to("d/nothing.wav")
    (directory / "loop.wav").symlink_to("loop.wav")
    for name in ["fifo", "fifo.wav"]:
        os.mkfifo(directory / name)
    (directory / "config.toml").write_text("old = true\n")


def special_files(directory):
    """The modes of files that must not change, by name."""
    names = ["d", "dl", "readonly", "link.wav", "dangling.wav", "loop.wav", "fifo", "fifo.wav", "old.wav"]
    return {name: (directory / name).lstat().st_mode for name in names}
