"""Passes everything on between a client and a sound server, but states another offset for one block that it records.

Arguments: the path of the socket to listen at, that of the server's socket, and the offset in bytes, relative to where the
stream is. Prints a line when it has stated it.
"""

import socket
import struct
import sys
import threading

# length, channel, the two halves of the offset, flags; the lowest byte of the flags says what the offset is relative to.
DESCRIPTOR = struct.Struct(">5I")
CONTROL_CHANNEL = 0xFFFFFFFF
RELATIVE = 0
# The stream is running by then.
FAULTY_BLOCK = 20


def received(connection, length):
    data = b""
    while len(data) < length:
        part = connection.recv(length - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def pass_requests(client, server):
    while data := client.recv(65536):
        server.sendall(data)


def pass_answers(server, client, offset):
    blocks = 0
    while True:
        length, channel, high, low, flags = DESCRIPTOR.unpack(received(server, DESCRIPTOR.size))
        data = received(server, length)
        if channel != CONTROL_CHANNEL and length > 0:
            blocks += 1
            if blocks == FAULTY_BLOCK:
                high, low, flags = offset >> 32, offset & 0xFFFFFFFF, flags & ~0xFF | RELATIVE
                print("stated", flush=True)
        client.sendall(DESCRIPTOR.pack(length, channel, high, low, flags) + data)


def until_closed(function, source, sink, *arguments):
    try:
        function(source, sink, *arguments)
    except (EOFError, OSError):
        pass
    for connection in (source, sink):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


path, target, offset = sys.argv[1], sys.argv[2], int(sys.argv[3])
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
print("listening", flush=True)
while True:
    client, server = listener.accept()[0], socket.socket(socket.AF_UNIX)
    server.connect(target)
    threading.Thread(target=until_closed, args=(pass_requests, client, server), daemon=True).start()
    threading.Thread(target=until_closed, args=(pass_answers, server, client, offset), daemon=True).start()
