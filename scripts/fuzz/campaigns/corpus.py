"""The files of the corpus, one by one, in random order."""

import contextlib
import pathlib
import tempfile

from fuzz import corpus, repairs

TITLE = "repair makes no file worse for ffmpeg, SoX and libsndfile, and leaves complete ones alone"


@contextlib.contextmanager
def setting():
    with tempfile.TemporaryDirectory(prefix="accrec-fuzz-corpus.") as directory:
        directory = pathlib.Path(directory)
        corpus.write(directory)
        yield sorted(directory.iterdir())


def trial(binary, random, directory, files):
    original = random.choice(files)
    repairs.kind(binary, original, directory)
