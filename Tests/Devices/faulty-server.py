"""Passes everything on between a client and a sound server, but states another offset for one block that it records.

Arguments: the path of the socket to listen at, that of the server's socket, and the offset in bytes, relative to where the
stream is. Prints a line when it has stated it.
"""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import pulse_proxy

RELATIVE = 0
# The stream is running by then.
FAULTY_BLOCK = 20


def new_change(offset):
    numbers = itertools.count(1)

    def change(block):
        if next(numbers) == FAULTY_BLOCK:
            block.offset_high, block.offset_low = offset >> 32, offset & 0xFFFFFFFF
            block.flags = block.flags & ~0xFF | RELATIVE
            print("stated", flush=True)

    return change


path, target, offset = sys.argv[1], sys.argv[2], int(sys.argv[3])
listener = pulse_proxy.listen(path)
print("listening", flush=True)
pulse_proxy.serve(listener, target, lambda: new_change(offset))
