"""Nearly valid times and durations, in manifests and on command lines."""

from fuzz.checks import Fault, run
from fuzz.manifests import SECONDS, check

TITLE = "mutated times and lengths are taken or refused"

TIMES = ["18:30", "18:30:15", "2036-11-21T18:30", "2036-11-21 18:30:15.000", "2036-11-21T18:30Z", "2036-11-21T18:30-05:30"]
LENGTHS = ["60", "2.5", "90s", "5m", "1.5h", "1:30", "01:02:03.5", "1000h", ".5"]
CHARACTERS = "0123456789:.-+TZsmh ٢५１eEx_/"
ZONES = ["UTC", "Europe/Berlin", "Pacific/Apia", "Antarctica/Troll", ":/nonexistent", "XXX99:99:99YYY,0/0,365/167"]


def trial(binary, random, directory):
    rows = [f"{number}.wav,{near(LENGTHS, random)},{near(TIMES, random)},{near(LENGTHS, random)}" for number in range(10)]
    (directory / "m.csv").write_text("\n".join(["output,duration,start,pause", *rows, ""]))
    environment = {"HOME": str(directory), "TZ": random.choice(ZONES)}
    check(run([binary, "batch", "--dry-run", "m.csv"], timeout=SECONDS, cwd=directory, env=environment), "m.csv")

    # No server answers, so a take that begins at once fails; the others wait until they are interrupted.
    options = [
        ["--start-at", near(TIMES, random)], ["--start-in", near(LENGTHS, random)], ["--every", near(LENGTHS, random)],
        ["--for", near(LENGTHS, random)], ["--split-every", near(LENGTHS, random)], ["--max", near(LENGTHS, random)],
    ]
    arguments = [word for option in random.sample(options, random.randint(1, 4)) for word in option]
    command = ["timeout", "-s", "INT", "0.5", binary, "record", "-o", "{n}.wav", "--server", "unix:/nonexistent", *arguments]
    result = run(command, timeout=SECONDS, cwd=directory, env=environment | {"PATH": "/usr/bin:/bin"})
    # 124 is the status of timeout(1) when the take was still waiting.
    if result.returncode not in {9, 64, 124} or not result.stderr:
        raise Fault(f"status {result.returncode} of {arguments}: {result.stderr[-400:]!r}")


def near(values, random):
    """One of the values, perhaps with some characters changed."""
    text = random.choice(values)
    for _ in range(random.choice([0, 0, 1, 2, 3])):
        start = random.randint(0, len(text))
        text = text[:start] + random.choice([random.choice(CHARACTERS), ""]) + text[start + random.randint(0, 2) :]
    return text
