"""The formats that takes are recorded in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    """The format of a take with 16-bit samples."""

    name: str
    container: str
    rate: int
    channels: int
    # The length of a fragment in milliseconds, for recorders that can be told one.
    latency: int = 40


WAV = Scenario("WAV, 48 kHz stereo", "wav", 48_000, 2)
SPEECH = Scenario("WAV, 16 kHz mono", "wav", 16_000, 1)
FLAC = Scenario("FLAC, 48 kHz stereo", "flac", 48_000, 2)
PIPE = Scenario("raw to a pipe, 48 kHz stereo", "raw", 48_000, 2)
PROMPT_PIPE = Scenario("raw to a pipe every 20 ms, 48 kHz stereo", "raw", 48_000, 2, latency=20)
ALL = [WAV, SPEECH, FLAC, PIPE, PROMPT_PIPE]
# Those that are measured on PipeWire.
PIPEWIRE = [WAV, PROMPT_PIPE]
