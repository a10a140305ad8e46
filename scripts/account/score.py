"""Compares what a take lacks with what its report says."""

import collections
import dataclasses

# The rate of all takes, and how far a gap may be from its loss in frames: two fragments.
RATE = 48_000
INEXACTNESS = 2 * RATE * 40 // 1_000
# The lengths in milliseconds from which on losses of takes on servers are counted together.
CLASSES = (0, 30, 60, 100, 500)


@dataclasses.dataclass
class Score:
    """What was found of losses of one kind."""

    kind: str
    takes: int = 0
    # The number of takes whose sum is right to 1 % and 30 ms.
    right: int = 0
    lost: float = 0
    reported: float = 0
    # The largest error of the sum of a take, in seconds.
    worst: float = 0
    # By length in milliseconds: how many losses there are, how many gaps were reported, and how many losses have a gap.
    losses: dict = dataclasses.field(default_factory=collections.Counter)
    gaps: dict = dataclasses.field(default_factory=collections.Counter)
    found: dict = dataclasses.field(default_factory=collections.Counter)

    def add(self, losses, gaps, sums):
        """Adds a take: losses and gaps as pairs of the frames before and the frames missing, and sums in frames."""
        free = list(gaps)
        for place, frames in losses:
            self.losses[length_class(frames)] += 1
            nearest = min(free, key=lambda gap: abs(gap[0] - place), default=None)
            if nearest and abs(nearest[0] - place) <= INEXACTNESS:
                free.remove(nearest)
                self.found[length_class(frames)] += 1
                self.gaps[length_class(frames)] += 1
        for _, frames in free:
            self.gaps[length_class(frames)] += 1
        lost = sum(frames for _, frames in losses) / RATE
        reported = (sum(frames for _, frames in gaps) + sum(sums)) / RATE
        self.takes += 1
        self.right += abs(reported - lost) <= lost / 100 + 0.03
        self.lost += lost
        self.reported += reported
        self.worst = max(self.worst, reported - lost, key=abs)


def of_rows(rows):
    """The scores of recordings of a synthetic source, by kind."""
    scores = {}
    for row in rows:
        score = scores.setdefault(row["kind"], Score(row["kind"]))
        length = row["milliseconds"]
        score.losses[length], score.gaps[length], score.found[length] = row["losses"], row["gaps"], row["found"]
        score.takes += row["recordings"]
        score.right += row["rightRecordings"]
        score.lost += row["lost"]
        score.reported += row["reported"]
        score.worst = max(score.worst, row["worstError"], key=abs)
    return list(scores.values())


def length_class(frames):
    return max(length for length in CLASSES if length <= frames * 1_000 / RATE)


def losses(words):
    """What a recorded counter lacks, one number a frame: pairs of the frames before and the frames missing. Zeros are silence."""
    found, last = [], 0
    for frame, number in enumerate(words):
        if number > last + 1 and last:
            found.append((frame, number - last - 1))
        if number:
            last = number
    return found
