"""Runs the built program with hostile input, and fails if it traps, hangs, leaks or gives wrong results.

usage: fuzz BINARY [--only NAME[,NAME]] [--seed N] [--seconds N] [--trials N]

A campaign is a module of `campaigns`. Its TITLE describes the expected behaviour. Its `trial(binary, random,
directory)` makes one attempt in an empty directory and raises `Fault` if the program misbehaves. It may have
`setting()`, a context manager around all its trials whose value is passed as a fourth argument.

Each trial has a seed of its own, which a fault prints: `--only NAME --seed N --trials 1` repeats it.
"""

import argparse
import contextlib
import importlib
import pathlib
import pkgutil
import random
import sys
import tempfile
import time

from fuzz import campaigns
from fuzz.checks import Fault


def main():
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--only", default="", help="the campaigns to run, by name, joined by commas")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first trial of each campaign")
    parser.add_argument("--seconds", type=float, default=20, help="how long each campaign goes on")
    parser.add_argument("--trials", type=int, default=sys.maxsize, help="the most trials of each campaign")
    arguments = parser.parse_args()

    names = sorted(module.name for module in pkgutil.iter_modules(campaigns.__path__))
    wanted = arguments.only.split(",") if arguments.only else names
    if unknown := set(wanted) - set(names):
        parser.error(f"no campaign {', '.join(sorted(unknown))}: there are {', '.join(names)}")
    faults = sum(run(name, arguments) for name in wanted)
    sys.exit(1 if faults else 0)


def run(name, arguments):
    """Runs a campaign; returns the number of faults."""
    campaign = importlib.import_module(f"fuzz.campaigns.{name}")
    setting = getattr(campaign, "setting", contextlib.nullcontext)
    binary = arguments.binary.resolve()
    deadline = time.monotonic() + arguments.seconds
    trials = faults = 0
    with setting() as surroundings:
        extra = () if surroundings is None else (surroundings,)
        while trials < arguments.trials and time.monotonic() < deadline:
            seed = arguments.seed + trials
            trials += 1
            with tempfile.TemporaryDirectory(prefix="accrec-fuzz.") as directory:
                try:
                    campaign.trial(binary, random.Random(f"{name} {seed}"), pathlib.Path(directory), *extra)
                except Fault as fault:
                    faults += 1
                    print(f"{name}, seed {seed}: {fault}", file=sys.stderr)
    print(f"{name}: {campaign.TITLE}: {trials} trials, {faults} faults", flush=True)
    return faults


main()
