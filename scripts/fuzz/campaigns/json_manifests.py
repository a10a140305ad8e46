"""Damaged manifests in JSON Lines."""

from fuzz import manifests

TITLE = "mutated manifests in JSON Lines end with a message that has a line"

DOCUMENTS = [
    """{"output":"a-{n}.wav","duration":2.5,"count":2,"pause":"1m","tags":{"mood":"calm"},"comment":"\\u00e9\\n","device":null}

{"output":["b.flac"],"max":"1:30","rate":"16000","select":[1,2],"start":"18:30","prompt":"Say, \\"no\\"."}
""",
    '{"output":"a.wav","duration":1e1,"dither":false}\r\n{"output":"b.wav","duration":1}',
]


def trial(binary, random, directory):
    manifests.trial(binary, random, directory, "m.jsonl", DOCUMENTS)
