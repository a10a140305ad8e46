"""Damaged manifests in CSV."""

from fuzz import manifests

TITLE = "mutated manifests in CSV end with a message that has a line"

DOCUMENTS = [
    """output,duration,count,pause,tags,comment,rate,select,start,prompt
a-{n}.wav,2.5,2,1m,mood=calm; room=hall,"two
lines",48000,,,
b.flac,1:30,,,,,16000,"1,2",18:30,"Say, ""no""."
""",
    "output,duration\r\na.wav,1\r\n\r\nb.wav,5m\r\n",
]


def trial(binary, random, directory):
    manifests.trial(binary, random, directory, "m.csv", DOCUMENTS)
