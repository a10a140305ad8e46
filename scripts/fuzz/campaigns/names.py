"""Device descriptions, file names, tags and profiles that contain terminal escape sequences."""

import contextlib
import json
import os

from fuzz.checks import Fault, check_text, run
from measuring.servers import private_server, run as ask

TITLE = "names and descriptions arrive nowhere raw"

PIECES = [
    "\x1b[2J", "\x1b]0;title\x07", "\x1b[31m", "\x9b31m", "\x85", "\u202e", "\u2066", "\u200f", "\u061c", "\x08", "\r", "\n",
    "\nlost      0 frames\n", "\u2028", "\x7f", "$(touch x)", "`touch x`", "${IFS}", "'", '\\', "a:b", "microphone", "é", "录音",
    "e\u0301", "👩‍🎤", "%s%n", "\t",
]


@contextlib.contextmanager
def setting():
    with private_server("pulseaudio") as server:
        yield dict(server)


def trial(binary, random, directory, server):
    def text():
        return "".join(random.choice(PIECES) for _ in range(random.randrange(1, 5)))

    description, tag = text(), text()
    file = text().replace("/", "").replace("\0", "")[:60]
    environment = server | {"HOME": str(directory), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "SAP_SHELL": "bash"}
    # In hexadecimal and with a terminating zero, because the server cannot quote every text.
    properties = f"device.description=hex:{description.encode().hex()}00"
    module = ask(["pactl", "load-module", "module-null-sink", "sink_name=room", f"sink_properties={properties}"], server)
    (directory / "config.toml").write_text(f"[profile.{json.dumps(text())}]\n")
    try:
        take = ["record", "-o", f"{file}.wav", "-d", "room.monitor", f"--title={tag}", "--max", "0.1", "--force"]
        profiles = ["---completion", "record", "--", "--profile", "4", "0", "accrec", "record", "--config", "config.toml"]
        commands = [
            ["devices"], ["devices", "--json"], take + ["--report", "report.json", "--events", "events.jsonl"], take[:4],
            ["meter", "-d", "room.monitor", "--max", "0.2"], ["record", "-d", text(), "-o", "x.wav", "--max", "0.1"], ["config", f"--title={tag}"],
            ["config", f"--title={tag}", "--json"], ["repair", file], ["batch", file], [text()], ["record", f"--{text()}"],
            ["record", "-o", file, "--max", "0.1"], ["help", text()], ["record", "-m", text(), "-o", "x.wav", "--max", "0.1"], profiles + ["--profile", ""],
            ["---completion", "record", "--", "--device", "3", "0", "accrec", "record", "-d", ""],
            ["record", "--server", text(), "-o", "x.wav"], ["config", "--profile", text(), "--config", "config.toml"],
        ]
        for words in random.sample(commands, 8):
            result = run([binary, *words], cwd=directory, env=environment)
            check_text(result.stdout)
            if b"\nlost      0 frames\n" in result.stdout:
                raise Fault(f"a forged line: {words}")
        for name in ["report.json", "events.jsonl"]:
            if (directory / name).exists():
                check_text((directory / name).read_bytes())
        if (directory / "x").exists():
            raise Fault("a name was run")
    finally:
        ask(["pactl", "unload-module", module.strip()], server)
