"""What `accrec repair` must not do to a file."""

import os
import pathlib
import shutil

from fuzz.checks import Fault, run
from fuzz.decoding import decoded, lost


def kind(binary, original, directory):
    """Repairs a copy of a file in both ways; raises `Fault` for a repair that makes it worse.

    Each decoder that reads the file must read at least the same samples after the repair, and a repaired file needs no
    further one. A file that is refused or left alone stays as it is, to its time; one named `whole-…` is left alone.

    Returns what repair did: `whole`, `refused` or `repaired`.
    """
    copy, new = directory / ("copy" + original.suffix), directory / ("new" + original.suffix)
    shutil.copyfile(original, copy)
    os.utime(copy, (1_000_000_000, 1_000_000_000))
    state = copy.read_bytes(), copy.stat().st_mtime_ns
    result = run([binary, "repair", "--force", "-o", new, copy])
    message = result.stderr.decode(errors="replace").strip()
    if result.returncode not in (0, 7):
        raise Fault(f"status {result.returncode}: {message}")
    if (copy.read_bytes(), copy.stat().st_mtime_ns) != state:
        raise Fault(f"was changed although a new file was asked for: {message}")
    is_whole = "needs no repair" in message
    if original.name.startswith("whole-") and not is_whole:
        raise Fault(f"is complete: {message}")
    if result.returncode == 7 or is_whole:
        run([binary, "repair", "--in-place", copy])
        if (copy.read_bytes(), copy.stat().st_mtime_ns) != state or new.exists():
            raise Fault(f"was changed all the same: {message}")
        return "whole" if is_whole else "refused"
    check(original, new, binary, message)
    # What has to be inserted needs a new file.
    if run([binary, "repair", "--in-place", copy]).returncode == 0 and copy.read_bytes() != new.read_bytes():
        raise Fault(f"is repaired in another way in place: {message}")
    return "repaired"


def check(original, repaired, binary, message):
    again = run([binary, "repair", "--force", "-o", pathlib.Path(os.devnull), repaired]).stderr.decode(errors="replace")
    if "needs no repair" not in again:
        raise Fault(f"needs another repair: {again.strip()}")
    if text := lost(decoded(original), decoded(repaired)):
        raise Fault(f"{text}: {message}")
