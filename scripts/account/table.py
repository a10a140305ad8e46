"""The tables of the scores, in Markdown."""

import collections

from measuring import machine

NAMES = {"pulseaudio": "PulseAudio", "pipewire": "PipeWire"}


def synthetic(results):
    """What is found in takes of a synthetic source, and what is reported in hours in which nothing is lost."""
    lines = [*_scores(results["synthetic"], _exact_length), "", "| in hours in which nothing is lost, with | hours | false gaps an hour |", "|---|---|---|"]
    lines += [f"| {row['condition']} | {_number(row['hours'])} | {_number(row['falseGaps'] / row['hours'])} |" for row in results["hours"]]
    return "\n".join(lines)


def on_servers(results):
    """What is found in takes on both servers."""
    lines = [f"{machine.sentence(results)} {', '.join(results['versions'])}."]
    for kind, scores in results["servers"].items():
        lines += ["", f"**{NAMES[kind]}**", "", *_scores(scores, _length_class)]
    return "\n".join(lines)


def _scores(scores, name):
    """A row for each kind: recall by length, and what holds for all lengths; and a row of the precision by length."""
    lengths = sorted({length for score in scores for length in score["losses"]})
    head = [*(name(length, lengths) for length in lengths), "precision", "sums right", "largest error, ms"]
    lines = [f"| audio is lost | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
    for score in scores:
        cells = [_share(score["found"].get(length, 0), score["losses"].get(length, 0)) for length in lengths]
        cells += [_share(sum(score["found"].values()), sum(score["gaps"].values())), _share(score["right"], score["takes"])]
        lines.append(f"| {score['kind']} | {' | '.join(cells)} | {score['worst'] * 1_000:+.0f} |")
    found, gaps = (sum((collections.Counter(score[key]) for score in scores), collections.Counter()) for key in ("found", "gaps"))
    cells = [*(_share(found[length], gaps[length]) for length in lengths), _share(sum(found.values()), sum(gaps.values()))]
    return [*lines, f"| precision of all | {' | '.join(cells)} | | |"]


def _exact_length(length, lengths):
    return f"{length} ms" if length == lengths[0] else f"{length}"


def _length_class(length, lengths):
    later = [other for other in lengths if other > length]
    return f"{length}–{later[0]} ms" if later else f"from {length} ms"


def _share(part, whole):
    """A percentage, rounded down; a dash where there is nothing to count."""
    return f"{100 * part // whole}" if whole else "–"


def _number(value):
    return f"{value:.2g}"
