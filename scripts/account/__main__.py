"""Scores how completely the library reports lost audio: in computed deliveries, and in takes on both servers.

Keeps dated results, and puts the tables into the documentation.
"""

import argparse
import datetime
import json
import pathlib

import score
import table
import takes
from measuring import document, machine, servers, versions

RESULTS = servers.ROOT / "Benchmarks/results"


def main():
    options = argparse.ArgumentParser(prog="account", description=__doc__.splitlines()[0])
    options.add_argument("account", type=pathlib.Path, help="the program that computes deliveries")
    options.add_argument("accrec", type=pathlib.Path, help="the binary that records on the servers")
    options.add_argument("--only-print", action="store_true", help="keep no results, and leave the documentation as it is")
    options = options.parse_args()

    computed = json.loads(servers.run([options.account.resolve()]))
    results = {
        "date": datetime.date.today().isoformat(),
        "machine": machine.description(),
        "computed": [vars(found) for found in score.of_rows(computed["losses"])],
        "hours": computed["hours"],
    }
    binary = options.accrec.resolve()
    results |= {"versions": versions.recorder_and_servers(binary), "servers": {}}
    for kind in ("pulseaudio", "pipewire"):
        results["servers"][kind] = [vars(found) for found in takes.scores(kind, binary)]
    tables = {"account computed": table.computed(results), "account on servers": table.on_servers(results)}
    print(*tables.values(), sep="\n\n")
    if not options.only_print:
        (RESULTS / f"account-{results['date']}.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        for target, text in tables.items():
            document.publish("Losses.md", target, text)


if __name__ == "__main__":
    main()
