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
    options.add_argument("--parts", nargs="+", choices=parts, help="what is measured (default: everything)")
    keys = [scenario.key for scenario in scenarios.ALL]
    options.add_argument("--scenarios", nargs="+", choices=keys, default=keys, help="of takes, these (implies --parts takes)")
    options.add_argument("--servers", nargs="+", choices=list(CROWDS), default=list(CROWDS), help="on these servers")
    options = options.parse_args()
    binary = options.accrec.resolve()
    options.parts = options.parts or (parts if options.scenarios == keys else ["takes"])

    results = earlier({
        "date": datetime.date.today().isoformat(), "machine": machine.description(),
        "versions": versions.versions(binary),
    })
    with tempfile.TemporaryDirectory(prefix="accrec-bench.") as directory:
        directory = pathlib.Path(directory)
        bench = Bench(*running.build(directory), binary, directory, options)
        for part in options.parts:
            measure(part, bench, results, options)
            if not options.only_print:
                keep(results)
    text = table.markdown(results)
    print(text)
    if not options.only_print:
        document.publish("Speed.md", "bench-peers", text)


def earlier(run):
    """Adds the results of the latest run on this machine. What is measured now replaces them, so that a run may be of single
    tables; each result has its date."""
    kept = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("peers-*.json"))]
    kept = kept[-1] if kept and kept[-1]["machine"] == run["machine"] else {}
    return run | {
        part: [{"date": kept["date"]} | one for one in kept.get(part, [])] for part in ["takes", "timings", "crowd"]
    }


def measure(part, bench, results, options):
    """Measures one part, and replaces earlier results of the same."""

    def replace(part, new, is_same):
        results[part] = [one for one in results[part] if not is_same(one)]
        results[part] += [one | {"date": results["date"]} for one in new]

    match part:
        case "takes":
            for kind in options.servers:
                with rooms.room(kind) as room:
                    for scenario in scenarios.OF_SERVER[kind]:
                        if scenario.key in options.scenarios:
                            replace(
                                "takes", bench.takes(room, scenario),
                                lambda one: (one["server"], one["scenario"]) == (kind, scenario.name),
                            )
        case "timings":
            if "pulseaudio" in options.servers:
                with rooms.timed_room() as room:
                    replace("timings", bench.timings(room), lambda one: True)
        case "crowds":
            for kind in options.servers:
                with rooms.room(kind) as room:
                    replace("crowd", bench.crowds(room), lambda one: one["server"] == kind)


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

    def takes(self, room, scenario):
        """Measures single takes."""
        tell(f"{room.kind}: {scenario.name}")
        return self._in_turns(
            self._contestants(room), self._turns, lambda contestant: self._take(room, contestant, scenario)
        )

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
