"""Mutates text documents, so that they are nearly valid or not even text."""

PIECES = [
    "[", "]", "[[", "]]", "{", "}", "(", "=", ".", ",", ":", ";", '"', "'", '"""', "'''", "\\", "\\u", "\\ud800", "\\u0000", "#", "\n",
    "\r", "\r\n", "\t", " ", "-", "+", "_", "0", "-1", "1e309", "9" * 400, "0x", "inf", "nan", "null", "true", "T", "Z", "2026-02-30",
    "2026-11-21T", "25:61", "é", "e\u0301", "٢", "\u202e", "\ufeff", "😀", "\x00", "\x1b[2J", "\x7f", "{n}", "%9999Y", "[[take]]\n",
]
BYTES = [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\x00", b"\xff\xfe"]


def mutated(text, random):
    """The bytes of a document after a few random edits."""
    for _ in range(random.randint(1, 6)):
        start = random.randint(0, len(text))
        end = min(start + random.randint(0, 8), len(text))
        piece = random.choice(PIECES) * random.choice([1, 1, 1, 2, 100, 20_000])
        text = random.choice([
            text[:start] + piece + text[start:], text[:start] + piece + text[end:], text[:start] + text[end:],
            text[:end] + text[start:],
        ])
    document = text.encode()
    if random.random() < 0.1:
        start = random.randint(0, len(document))
        document = document[:start] + random.choice(BYTES) + document[start:]
    return document
