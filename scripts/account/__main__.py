"""Scores how completely the library reports lost audio: in takes of a synthetic source, and on both servers.

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
    options.add_argument("account", type=pathlib.Path, help="the program that records losses of a synthetic source")
    options.add_argument("accrec", type=pathlib.Path, help="the binary that records on the servers")
    options.add_argument("--only-synthetic", action="store_true", help="leave out the takes on servers")
    options.add_argument("--only-print", action="store_true", help="keep no results, and leave the documentation as it is")
    options = options.parse_args()

    synthetic = json.loads(servers.run([options.account.resolve()]))
    results = {
        "date": datetime.date.today().isoformat(),
        "machine": machine.description(),
        "synthetic": [vars(found) for found in score.of_rows(synthetic["losses"])],
        "hours": synthetic["hours"],
    }
    tables = {"account synthetic": table.synthetic(results)}
    if not options.only_synthetic:
        binary = options.accrec.resolve()
        results |= {"versions": versions.recorder_and_servers(binary), "servers": {}}
        for kind in ("pulseaudio", "pipewire"):
            results["servers"][kind] = [vars(found) for found in takes.scores(kind, binary)]
        tables["account on servers"] = table.on_servers(results)
    print(*tables.values(), sep="\n\n")
    if not options.only_print:
        (RESULTS / f"account-{results['date']}.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        for target, text in tables.items():
            document.publish("Losses.md", target, text)


if __name__ == "__main__":
    main()
