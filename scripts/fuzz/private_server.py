"""A private sound server, and sinks that play generated samples."""

import contextlib
import pathlib
import subprocess
import threading

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "private-server"


@contextlib.contextmanager
def private_server(kind="pulseaudio", *options):
    """Starts a server and yields the environment for its clients."""
    process = subprocess.Popen([SCRIPT, kind, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        environment = {"PATH": "/usr/bin:/bin", "TZ": "UTC"}
        for line in process.stdout:
            if line == "ready\n":
                break
            name, _, value = line.rstrip("\n").partition("=")
            environment[name] = value
        else:
            raise RuntimeError(f"{kind} did not start")
        # libpulse creates directories in the home directory.
        environment["HOME"] = environment["XDG_RUNTIME_DIR"]
        yield environment
    finally:
        process.stdin.close()
        process.wait()


@contextlib.contextmanager
def played(environment, name, samples, encoding, channel_map, rate=48000):
    """Plays these bytes in a loop into a sink of the same format, so that `NAME.monitor` delivers them unchanged."""
    form = [f"format={encoding}", f"rate={rate}", f"channels={channel_map.count(',') + 1}", f"channel_map={channel_map}"]
    module = subprocess.run(
        ["pactl", "load-module", "module-null-sink", f"sink_name={name}", "norewinds=1", *form],
        env=environment, check=True, capture_output=True, text=True).stdout.strip()
    command = ["pacat", "--playback", "--raw", "--verbose", "--no-remap", "--volume=65536", "--latency-msec=100"]
    options = [f"--{option.replace('_', '-')}" for option in form]
    player = subprocess.Popen(
        [*command, f"--device={name}", *options], env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE)

    def feed():
        # Ends when the player is killed.
        with contextlib.suppress(BrokenPipeError):
            while True:
                player.stdin.write(samples)

    threading.Thread(target=feed).start()
    try:
        while b"Stream started" not in player.stderr.readline():
            if player.poll() is not None:
                raise RuntimeError(f"nothing can be played into {name}")
        yield
    finally:
        player.kill()
        player.wait()
        subprocess.run(["pactl", "unload-module", module], env=environment, check=True)
