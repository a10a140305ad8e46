"""Random channel positions, in any order, in every container."""

import array
import json
import subprocess

from fuzz.checks import Fault, run
from fuzz.private_server import played, private_server

TITLE = "random channel maps reach their loudspeakers in every container, or a warning says that they do not"

# ffmpeg's names, in the order of the bits of a channel mask.
POSITIONS = {
    "front-left": "FL", "front-right": "FR", "front-center": "FC", "lfe": "LFE", "rear-left": "BL", "rear-right": "BR",
    "front-left-of-center": "FLC", "front-right-of-center": "FRC", "rear-center": "BC", "side-left": "SL",
    "side-right": "SR", "top-center": "TC", "top-front-left": "TFL", "top-front-center": "TFC", "top-front-right": "TFR",
    "top-rear-left": "TBL", "top-rear-center": "TBC", "top-rear-right": "TBR",
}
USUAL = ["surround-21", "surround-40", "surround-41", "surround-50", "surround-51", "surround-71"]
LOSSLESS = ["wav", "rf64", "w64", "aiff", "caf", "flac"]


def setting():
    return private_server()


def trial(binary, random, directory, environment):
    names = random_map(random)
    container = random.choice(LOSSLESS)
    path, raw, report = directory / f"take.{container}", directory / "take.raw", directory / "report.json"
    # A different value for each channel. The beginning, and gaps when the player is late, are silent.
    frame = array.array("h", (1000 * (index + 1) for index in range(len(names)))).tobytes()
    encoding = random.choice(["s16", "s24"] if container == "flac" else ["u8", "s16", "s24", "s32", "f32"])
    command = [binary, "record", "-o", f"{path},encoding={encoding}", "-o", f"{raw},encoding=s16", "-d", "surround.monitor"]
    command += ["-c", "native", "-r", "48000", "--max", "0.2", "--report", report]
    with played(environment, "surround", frame * 4096, "s16le", ",".join(names)):
        result = run(command, env=environment, cwd=directory)
    if result.returncode != 0:
        raise Fault(f"{names} as {container}: status {result.returncode}: {result.stderr[-400:]!r}")
    values = array.array("h", raw.read_bytes())
    start = next((index for index, value in enumerate(values) if value), None)
    if start is None:
        return
    if values[start - start % len(names)] != 1000:
        raise Fault(f"{names}: raw samples have another order: {values[start:start + len(names)]}")
    warned = b"cannot describe" in result.stderr
    found, speakers = decode(path, len(names))
    order = [output["channel_map"] for output in json.loads(report.read_text())["outputs"]][0]
    if len(set(found)) == len(names) and [names[value - 1] for value in found] != order:
        raise Fault(f"{names} as {container}: {found} in the file, and the report says {order}")
    if speakers and not warned and len(set(names)) == len(names):
        wanted = [POSITIONS.get(names[value - 1]) for value in found]
        # FLAC labels a single surround pair as side channels.
        alike = str.maketrans("B", "S") if container == "flac" and len(names) < 7 else {}
        if [str(name).translate(alike) for name in wanted] != [name.translate(alike) for name in speakers]:
            raise Fault(f"{names} as {container} {encoding}: {wanted} are played by {speakers}")


def random_map(random):
    """Position names, in a usual or random combination."""
    if random.random() < 0.3:
        return expand(random.choice(USUAL))
    names = random.sample(list(POSITIONS), random.randrange(3, 9))
    if random.random() < 0.3:
        names[random.randrange(len(names))] = f"aux{random.randrange(8)}"
    return names


def expand(name):
    pairs = {"4": ["rear-left", "rear-right"], "5": ["rear-left", "rear-right", "front-center"]}
    names = ["front-left", "front-right"] + pairs.get(name[-2], [])
    if name[-2] == "7":
        names += pairs["5"]
    names += ["lfe"] if name[-1] == "1" else []
    return names + (["side-left", "side-right"] if name[-2] == "7" else [])


def decode(path, channels):
    """The source channel in each channel of a file, and the speakers that ffmpeg assigns to them, if it knows."""
    command = ["ffprobe", "-v", "error", "-show_entries", "stream=channel_layout", "-of", "csv=p=0", path]
    layout = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().strip('"')
    result = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-c:a", "pcm_s16le", "-"], capture_output=True)
    if result.returncode != 0 or result.stderr:
        raise Fault(f"ffmpeg: {result.stderr[-400:]!r}")
    values = array.array("h", result.stdout)
    frame = values[-channels:]
    # Round generously, because 8-bit samples are coarse.
    return [min(max((value + 500) // 1000, 1), channels) for value in frame], speakers(layout)


def speakers(layout):
    """The speakers of one of ffmpeg's layouts."""
    if "(" in layout and "+" in layout:
        return layout.split("(")[-1].rstrip(")").split("+")
    output = subprocess.run(["ffmpeg", "-hide_banner", "-layouts"], capture_output=True, text=True).stdout
    rows = (line.split() for line in output.partition("Standard channel layouts")[2].splitlines())
    return next((row[1].split("+") for row in rows if len(row) == 2 and row[0] == layout), None)
