"""The formats that takes are recorded in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    """The format of a take with 16-bit samples."""

    key: str  # as it is chosen on the command line
    name: str
    container: str
    rate: int
    channels: int
    # The length of a fragment in milliseconds, for recorders that can be told one.
    latency: int = 40


WAV = Scenario("wav", "WAV, 48 kHz stereo", "wav", 48_000, 2)
SPEECH = Scenario("speech", "WAV, 16 kHz mono", "wav", 16_000, 1)
FLAC = Scenario("flac", "FLAC, 48 kHz stereo", "flac", 48_000, 2)
PIPE = Scenario("pipe", "raw to a pipe, 48 kHz stereo", "raw", 48_000, 2)
PROMPT_PIPE = Scenario("prompt-pipe", "raw to a pipe every 20 ms, 48 kHz stereo", "raw", 48_000, 2, latency=20)
ALL = [WAV, SPEECH, FLAC, PIPE, PROMPT_PIPE]
# Those that are measured on each server.
OF_SERVER = {"pulseaudio": ALL, "pipewire": [WAV, PROMPT_PIPE]}
