"""Damaged manifests in TOML."""

from fuzz import manifests

TITLE = "mutated manifests in TOML end with a message that has a line"

DOCUMENTS = [
    """[defaults]
rate = 48_000
title = "A [[take]] of ours"

[[take]]
output = "a-{n}.wav"
duration = 2.5
count = 2
pause = "1m"
tags = { mood = "calm", room.name = "hall" }
comment = \"\"\"
[[take]]
is no take.\"\"\"
""",
    """# Two takes.
[[take]]
output = ["b.flac", 'c.opus,bitrate=24']
max = "1:30"
select = [1, 2]
start = 18:30:00
prompt = "Say, \\"no\\"."
[take.tags]
genre = 'Interview'
[[take]]
output = "d.wav"
duration = 1e1
start = 2036-11-21 18:00:00+01:00
dither = false
""",
]


def trial(binary, random, directory):
    manifests.trial(binary, random, directory, "m.toml", DOCUMENTS)
