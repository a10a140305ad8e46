"""Private sound servers for measurements."""

import contextlib
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Variables that would direct a client away from the private server; scripts/private-server removes the same ones.
USERS = {"DISPLAY", "PULSE_SINK", "PULSE_SOURCE", "PULSE_DLPATH", "PIPEWIRE_REMOTE", "PIPEWIRE_NODE"}


@contextlib.contextmanager
def private_server(kind):
    """Starts a private server, yields the environment for its clients, and stops it at the end."""
    script = subprocess.Popen(
        [ROOT / "scripts/private-server", kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        environment = {name: value for name, value in os.environ.items() if name not in USERS}
        for line in iter(script.stdout.readline, "ready\n"):
            if not line:
                raise RuntimeError(f"no {kind}: scripts/private-server ended")
            name, _, value = line.rstrip("\n").partition("=")
            environment[name] = value
        yield environment
    finally:
        script.stdin.close()
        script.wait()


def run(command, environment=None):
    """Runs a command and returns its output; raises an error with its message if it fails."""
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    return result.stdout
