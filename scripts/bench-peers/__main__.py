"""Compares the cost of recording with accrec, with other recorders and with a minimal recorder, on private servers.

The recorders run in turns, so that other load on the machine affects all of them alike. Writes dated results, and puts
tables of them into the documentation.
"""

import argparse
import datetime
import json
import pathlib
import random
import sys
import tempfile

import contestants
import rooms
import running
import scenarios
import table
import takes
import timings
from measuring import document, machine, servers, versions

RESULTS = servers.ROOT / "Benchmarks/results"
# A PulseAudio server accepts at most 64 connections. Each take needs one, and so does the player.
CROWDS = {"pulseaudio": [1, 4, 16, 60], "pipewire": [1, 4, 16, 64]}
# The recorders that are measured with many takes at once.
CROWDED = [contestants.ACCREC, contestants.FLOOR, "parecord", "ffmpeg"]


def main():
    options = argparse.ArgumentParser(prog="bench-peers", description=__doc__.splitlines()[0])
    options.add_argument("accrec", type=pathlib.Path, help="the binary to measure")
    options.add_argument("--seconds", type=int, default=20, help="how long takes are")
    options.add_argument("--turns", type=int, default=5, help="how often each recorder has its turn")
    options.add_argument("--only-print", action="store_true", help="keep no results, and leave the documentation as it is")
    parts = ["takes", "timings", "crowds"]
    options.add_argument("--parts", nargs="*", choices=parts, default=parts, help="what is measured")
    options = options.parse_args()
    binary = options.accrec.resolve()

    results = earlier({
        "date": datetime.date.today().isoformat(), "machine": machine.description(),
        "versions": versions.versions(binary), "seconds": options.seconds, "turns": options.turns,
    })
    with tempfile.TemporaryDirectory(prefix="accrec-bench.") as directory:
        directory = pathlib.Path(directory)
        bench = Bench(*running.build(directory), binary, directory, options)
        for part in options.parts:
            measure(part, bench, results)
            if not options.only_print:
                keep(results)
    text = table.markdown(results)
    print(text)
    if not options.only_print:
        document.publish("Speed.md", "bench-peers", text)


def earlier(run):
    """Adds the parts that an earlier run measured on the same day under the same conditions."""
    path = results_of(run)
    kept = json.loads(path.read_text()) if path.exists() else {}
    is_same = all(kept.get(key) == value for key, value in run.items())
    return run | {part: kept[part] if is_same else [] for part in ["takes", "timings", "crowd"]}


def measure(part, bench, results):
    """Measures one part and stores it in the results."""
    match part:
        case "takes":
            results["takes"] = []
            for kind in "pulseaudio", "pipewire":
                with rooms.room(kind) as room:
                    results["takes"] += bench.takes(room)
        case "timings":
            with rooms.timed_room() as room:
                results["timings"] = bench.timings(room)
        case "crowds":
            results["crowd"] = []
            for kind in CROWDS:
                with rooms.room(kind) as room:
                    results["crowd"] += bench.crowds(room)


def keep(results):
    """Saves the results so far, because measuring all parts takes long."""
    RESULTS.mkdir(exist_ok=True)
    results_of(results).write_text(json.dumps(results, indent=1) + "\n")


def results_of(run):
    """The path of that day's results."""
    return RESULTS / f"peers-{run['date']}.json"


class Bench:
    """The parameters of the measurements: recorders, length and number of turns."""

    def __init__(self, floor, measure, binary, directory, options):
        self._floor, self._measure, self._binary, self._directory = floor, measure, binary, directory
        self._seconds, self._turns = options.seconds, options.turns

    def takes(self, room):
        """Measures single takes, in all formats on PulseAudio and in two on PipeWire."""
        found = []
        for scenario in scenarios.ALL if room.kind == "pulseaudio" else scenarios.PIPEWIRE:
            tell(f"{room.kind}: {scenario.name}")
            found += self._in_turns(
                self._contestants(room), self._turns, lambda contestant: self._take(room, contestant, scenario)
            )
        return found

    def timings(self, room):
        """Measures starts and ends, in more turns than takes because they are short and vary more."""
        tell("start and end")

        def measure(contestant):
            timing = timings.timing(room, self._measure, contestant, self._directory)
            return [timing.dictionary()] if timing else []

        return self._in_turns(self._contestants(room), 6 * self._turns, measure)

    def crowds(self, room):
        """Measures many takes at once. A recorder that ends before it is told to has no results for that many."""
        crowded = [contestant for contestant in self._contestants(room) if contestant.name in CROWDED]
        found, failed = [], set()
        for count in CROWDS[room.kind]:

            def measure(contestant):
                if (contestant.name, count) in failed:
                    return []
                try:
                    return self._take(room, contestant, scenarios.WAV, at_once=count)
                except running.EndedEarly as end:
                    tell(end)
                    failed.add((contestant.name, count))
                    return []

            tell(f"{room.kind}: {count} takes at once")
            found += self._in_turns(crowded, self._turns, measure)
        return [one for one in found if (one["recorder"], one["at_once"]) not in failed]

    def _in_turns(self, recorders, turns, measure):
        """Measures each recorder in turns. The order varies, because the time of a start depends on what ran before."""
        found = {recorder.name: [] for recorder in recorders}
        for turn in range(turns):
            for recorder in random.Random(turn).sample(recorders, len(recorders)):
                found[recorder.name] += measure(recorder)
        return [one for some in found.values() for one in some]

    def _contestants(self, room):
        return contestants.contestants(room.kind, self._binary, self._floor)

    def _take(self, room, contestant, scenario, at_once=1):
        taken = takes.take(room, self._measure, contestant, scenario, self._seconds, self._directory, at_once=at_once)
        return [one.dictionary() for one in taken or []]


def tell(what):
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
