"""Random command lines made of options, and of values that are nearly valid."""

from fuzz.checks import Fault, run

TITLE = "mutated command lines end with a message"

COMMANDS = ["record", "meter", "devices", "batch", "repair", "formats", "config", "help"]
OPTIONS = [
    "-o", "-r", "-c", "-b", "--max", "-m", "-d", "--encoding", "--format", "--compression", "--bitrate", "--select",
    "--channel-map", "--split-every", "--split-size", "--keep-last", "--start-at", "--start-in", "--every", "--for",
    "--tag", "--date", "--sync", "--stdout-buffer", "--interruption-timeout", "--level-interval", "--events", "--report",
]
VALUES = [
    "", "-", "--", "0", "-1", "1", "44100", "1e309", "nan", "inf", "-inf", "9" * 400, "1:2:3:4", "٢", "५", "\u202e", "\x1b[2J",
    "a,b=c", "=", ",", "-,format=wav", "take.wav", "take.flac,rate=", "{n}", "{", "%", "%9999Y", "%Q", "/", "//", "é", "1-",
    "4-1", "front-left", "aux99999999999", "0x10", "1_000", "1e-320", "😀", "fd:99", "fd:-1", "18:00", "25:61", "2026-13-45T99:99",
    "-,rate=16000", "-o", "-r", "--max", "%100d", "+1:30", "1:+2", "2036-11-21T18:00+99:99", "1,2", ".5", "x" * 60_000, "1," * 20_000,
]


def trial(binary, random, directory):
    words = [random.choice(COMMANDS)]
    for _ in range(random.randrange(6)):
        option, value = random.choice(OPTIONS), random.choice(VALUES)
        words += random.choice([[option, value], [f"{option}={value}"], [value], [option]])
    environment = {"HOME": str(directory), "PATH": "/usr/bin:/bin", "PULSE_SERVER": "unix:/nonexistent", "TZ": "UTC"}
    result = run([binary, *words, "--server", "unix:/nonexistent"], cwd=directory, env=environment)
    if result.returncode != 0 and not result.stderr:
        raise Fault(f"status {result.returncode} without a word: {words}")
