"""Damaged configuration files."""

from fuzz.checks import run
from fuzz.manifests import SECONDS, check
from fuzz.mutations import mutated

TITLE = "mutated configuration files end with a message that has a line"

DOCUMENTS = [
    """# Mine.
rate = 48000
encoding = "s24"
fill-gaps = true
device = 'lark'
select = [
  3, # of the mixer
  4,
]

[profile.podcast]
mode = "spoken-audio"
rate = 32000
[profile."field \\u0031"]
split-every = "10m"
comment = '''
two lines'''
""",
    'profile.field.rate = 96000\nprofile.field.max = "1:30"\n[profile.inline]\nsync = 0.5\n',
]


def trial(binary, random, directory):
    (directory / "c.toml").write_bytes(mutated(random.choice(DOCUMENTS), random))
    environment = {"HOME": str(directory)}
    for command in [["config"], ["config", "--profile", "podcast"]]:
        result = run([binary, *command, "--config", "c.toml"], timeout=SECONDS, cwd=directory, env=environment)
        # The message about an unknown profile has no line.
        if b"no profile" not in result.stderr:
            check(result, "c.toml")
