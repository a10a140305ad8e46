"""Passes everything on between clients and a sound server, except for what is changed of the audio that they record."""

import contextlib
import dataclasses
import socket
import struct
import threading

# length, channel, the two halves of the offset, flags
DESCRIPTOR = struct.Struct(">5I")
CONTROL_CHANNEL = 0xFFFFFFFF


@dataclasses.dataclass
class Block:
    """Recorded audio as the server sends it. The lowest byte of the flags says what the offset is relative to."""

    channel: int
    offset_high: int
    offset_low: int
    flags: int
    data: bytes


def listen(path):
    """A socket at which clients can connect from now on."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    return listener


def serve(listener, target, new_change):
    """Connects each client to the server whose socket is `target`, until the listener is shut down.

    `new_change` makes a function for each connection, which changes a block in place. A block without data is left out.
    """
    with contextlib.suppress(OSError):
        while True:
            client, server = listener.accept()[0], socket.socket(socket.AF_UNIX)
            server.connect(target)
            threading.Thread(target=_pass, args=(_requests, client, server), daemon=True).start()
            threading.Thread(target=_pass, args=(_answers, server, client, new_change()), daemon=True).start()


def _pass(function, source, sink, *arguments):
    with contextlib.suppress(EOFError, OSError):
        function(source, sink, *arguments)
    for connection in (source, sink):
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _requests(client, server):
    while data := client.recv(65536):
        server.sendall(data)


def _answers(server, client, change):
    while True:
        length, *head = DESCRIPTOR.unpack(_received(server, DESCRIPTOR.size))
        block = Block(*head, _received(server, length))
        if block.channel != CONTROL_CHANNEL and length > 0:
            change(block)
            if not block.data:
                continue
        head = (block.channel, block.offset_high, block.offset_low, block.flags)
        client.sendall(DESCRIPTOR.pack(len(block.data), *head) + block.data)


def _received(connection, length):
    data = b""
    while len(data) < length:
        part = connection.recv(length - len(data))
        if not part:
            raise EOFError
        data += part
    return data
