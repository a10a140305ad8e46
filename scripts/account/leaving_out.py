"""Leaves out stretches of what a client records."""

import contextlib
import pathlib
import socket
import threading

import pulse_proxy


@contextlib.contextmanager
def leaving_out(stretches, frame_size, environment, path):
    """Yields the environment for clients that lack these stretches of their recording, as pairs of frame numbers."""
    configuration = pathlib.Path(f"{path}.conf")
    # Shared memory would bypass the socket.
    configuration.write_text("autospawn = no\nenable-shm = no\n")
    with pulse_proxy.listen(path) as listener:
        target = environment["PULSE_SERVER"].removeprefix("unix:")
        change = lambda: _Change(stretches, frame_size)
        threading.Thread(target=pulse_proxy.serve, args=(listener, target, change), daemon=True).start()
        try:
            yield environment | {"PULSE_SERVER": f"unix:{path}", "PULSE_CLIENTCONFIG": str(configuration)}
        finally:
            listener.shutdown(socket.SHUT_RDWR)


class _Change:
    """Leaves out the stretches of one recording."""

    def __init__(self, stretches, frame_size):
        self._stretches, self._frame_size, self._frame = stretches, frame_size, 0

    def __call__(self, block):
        frames = len(block.data) // self._frame_size
        block.data = b"".join(self._kept(block.data, frames))
        self._frame += frames

    def _kept(self, data, frames):
        """The parts of a block that are in none of the stretches."""
        size, first = self._frame_size, 0
        for begin, end in self._stretches:
            begin, end = (min(max(place - self._frame, first), frames) for place in (begin, end))
            if end > begin:
                yield data[first * size : begin * size]
                first = end
        yield data[first * size :]
