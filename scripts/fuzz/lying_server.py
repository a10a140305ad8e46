"""A proxy for a sound server that modifies its replies."""

import contextlib
import os
import pathlib
import socket
import threading

# Without shared memory, all data goes through the socket.
CLIENT_CONFIGURATION = "enable-shm = no\nenable-memfd = no\nautospawn = no\n"


@contextlib.contextmanager
def lying_server(real, directory, lie):
    """Yields the environment for clients of the server in the environment `real`, with the server's data passed through
    `lie`.

    `lie` receives the bytes of one read and returns what the client gets. Several threads may call it simultaneously.
    """
    path = pathlib.Path(directory) / "liar"
    configuration = pathlib.Path(directory) / "client.conf"
    configuration.write_text(CLIENT_CONFIGURATION)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.fspath(path))
    listener.listen()
    target = real["PULSE_SERVER"].removeprefix("unix:")
    threading.Thread(target=accept, args=(listener, target, lie), daemon=True).start()
    try:
        yield real | {"PULSE_SERVER": f"unix:{path}", "PULSE_CLIENTCONFIG": os.fspath(configuration)}
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def accept(listener, target, lie):
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        server = socket.socket(socket.AF_UNIX)
        server.connect(target)
        for source, sink, change in ((client, server, bytes), (server, client, lie)):
            threading.Thread(target=pass_on, args=(source, sink, change), daemon=True).start()


def pass_on(source, sink, change):
    """Copies data until either end is closed, and then closes both."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(change(data))
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
