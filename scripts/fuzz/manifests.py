"""Checks that apply to manifests in every format."""

import re

from fuzz.checks import Fault, run
from fuzz.mutations import mutated

SECONDS = 10


def trial(binary, random, directory, name, documents):
    """Runs a mutated manifest, which must result in takes or a message with a line, and must create no file."""
    path = directory / name
    path.write_bytes(mutated(random.choice(documents), random))
    result = run([binary, "batch", "--dry-run", "--no-config", name], timeout=SECONDS, cwd=directory)
    check(result, name)
    if list(directory.iterdir()) != [path]:
        raise Fault(f"left {sorted(entry.name for entry in directory.iterdir())}")


def check(result, name):
    """Accepts status 64 with a message that names the line or, for the whole, the file; also 9, where a correct manifest
    was to be held against the sources of a server, of which there is none."""
    if result.returncode == 9 and re.search(re.escape(name.encode()) + rb":\d+: cannot list the sources: ", result.stderr):
        return
    if result.returncode == 0 and not result.stderr:
        return
    if result.returncode != 64:
        raise Fault(f"status {result.returncode}: {result.stderr[-400:]!r}")
    if not re.match(rb"accrec: (cannot read ')?" + re.escape(name.encode()) + rb"(:\d+:|':|:) ", result.stderr):
        raise Fault(f"no line is told: {result.stderr[:400]!r}")
