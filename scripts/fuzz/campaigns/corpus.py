"""The files of the corpus, one by one, in random order."""

from fuzz import corpus, repairs

TITLE = "repair makes no file worse for ffmpeg, SoX and libsndfile, and leaves complete ones alone"


def setting():
    return corpus.files(corpus.write)


def trial(binary, random, directory, files):
    original = random.choice(files)
    repairs.kind(binary, original, directory)
