"""Creates the tables of results."""

import statistics

import contestants
import scenarios
from measuring import machine

SERVERS = [("pulseaudio", "PulseAudio"), ("pipewire", "PipeWire")]


def markdown(results):
    """All tables for dated results, in Markdown."""
    parts = [
        f"Measured on {machine.place(results)}. {', '.join(results['versions'])}. Each table says when it was measured, and how often each "
        "recorder had its turn; figures are medians, in parentheses the lowest and the highest.\n"
    ]
    for server, name in SERVERS:
        for scenario in scenarios.ALL:
            takes = [
                take for take in results["takes"]
                if take["server"] == server and take["scenario"] == scenario.name and take["at_once"] == 1
            ]
            if takes:
                parts.append(f"{_title(f'{scenario.name}, from {name}', takes)}\n\n{_takes(takes)}\n")
    if results["timings"]:
        title = _title("Start and end of a WAV recording, from PulseAudio", results["timings"])
        parts.append(f"{title}\n\n{_timings(results['timings'])}\n")
    for server, name in SERVERS:
        takes = [take for take in results["crowd"] if take["server"] == server]
        if takes:
            parts.append(f"{_title(f'WAV recordings at once, from {name}', takes)}\n\n{_crowd(takes)}\n")
    return "\n".join(parts).strip()


def _title(text, ours):
    """The title of a table, with its date, and the number and length of turns."""
    turns = [one for one in ours if one["recorder"] == ours[0]["recorder"] and one.get("at_once", 1) == 1]
    length = f" of {turns[0]['seconds']:.0f} s" if "seconds" in turns[0] else ""
    return f"**{text}** ({turns[0]['date']}, {len(turns)} turns{length})"


def _takes(takes):
    rows = [["recorder", "CPU, ms per s", "beside the C recorder", "start and end, ms", "server, ms per s", "switches per s",
             "peak, MiB", "length", "breaks"]]
    floors = [take["cpu_rate"] for take in takes if take["recorder"] == contestants.FLOOR]
    for name, ours in _by_recorder(takes):
        per_second = lambda key, scale: [scale * take[key] / take["seconds"] for take in ours]
        ratio = statistics.median(take["cpu_rate"] for take in ours) / statistics.median(floors)
        ends = [1e3 * (take["cpu"] - take["cpu_rate"] * take["seconds"]) for take in ours]
        rows.append([
            name, _spread([1e3 * take["cpu_rate"] for take in ours], 2), f"{ratio:.2f}", _spread(ends, 0),
            _spread(per_second("server_cpu", 1e3), 1),
            _spread(per_second("switches", 1), 0), _spread([take["peak"] / 2**20 for take in ours], 1),
            _excess(ours), _breaks(ours),
        ])
    return _table(rows)


def _timings(timings):
    rows = [["recorder", "to the first frame, ms", "from Ctrl-C to the exit, ms", "missing at the end, ms", "breaks"]]
    for name, ours in _by_recorder(timings):
        cells = [_spread([1e3 * timing[key] for timing in ours], 0) for key in ("first_frame", "exit", "missing")]
        rows.append([name, *cells, _breaks(ours)])
    return _table(rows)


def _crowd(takes):
    rows = [["recorder", "recordings", "CPU of each, ms per s", "own memory of each, MiB", "server, ms per s", "breaks"]]
    for name, ours in _by_recorder(takes):
        for count in sorted({take["at_once"] for take in ours}):
            some = [take for take in ours if take["at_once"] == count]
            rows.append([
                name, str(count), _spread([1e3 * take["cpu_rate"] for take in some], 2),
                _spread([take["memory"] / 2**20 for take in some], 1),
                _spread([1e3 * take["server_cpu"] / take["seconds"] for take in some], 0), _breaks(some),
            ])
    return _table(rows)


def _by_recorder(results):
    names = list(dict.fromkeys(result["recorder"] for result in results))
    return [(name, [result for result in results if result["recorder"] == name]) for name in names]


def _excess(takes):
    """By how many frames takes exceeded the requested length."""
    excess = [take["excess"] for take in takes if take["excess"] is not None]
    if not excess:
        return "until a signal"
    return "exact" if not any(excess) else f"{min(excess):+d} … {max(excess):+d}"


def _breaks(results):
    counts = [result["breaks"] for result in results if result["breaks"] is not None]
    return str(sum(counts)) if counts else "–"


def _spread(values, decimals):
    low, middle, high = (f"{value:.{decimals}f}" for value in (min(values), statistics.median(values), max(values)))
    return middle if low == high else f"{middle} ({low}–{high})"


def _table(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
