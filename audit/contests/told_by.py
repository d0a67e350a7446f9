"""What each judge says of the pairs that people voted on: by its scores of the two images, with ties calibrated on
other prompts, or by a preference of a model in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations.models import Study
from audit.contests.read import Comparisons
from audit.reports.pairing import JudgeScores, identity_facts
from judges.preferences.imported import imported_votes
from judges.preferences.stored import judges_that_compare, said_of
from jurybox_stats.contests import judged
from jurybox_stats.contests.votes import LEFT, RIGHT, TIE
from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.series import Codes

NOTHING = -1
VALUES = {"first": LEFT, "second": RIGHT, "tie": TIE}


@dataclass(frozen=True)
class Verdicts:
    """`said`: LEFT, RIGHT, TIE or NOTHING, one for each comparison. `lacking`: why there is none at all.
    `consistent`: 1 where both orders name the same, 0 where not, nan where only one was tried."""

    name: str
    fingerprint: str
    facts: dict[str, Any]
    said: Codes
    stopped: str = ""
    epsilon_by_fold: tuple[float, ...] = ()
    lacking: Undefined | None = None
    consistent: np.ndarray | None = None

    @property
    def has(self) -> np.ndarray:
        return np.asarray(self.said != NOTHING)

    def consistency(
        self, every: Comparisons, chosen: np.ndarray, *, resamples: int, seed: int
    ) -> Result | None:
        """Of pairs, each once, however many people voted on it."""
        if self.consistent is None:
            return None
        size = np.int64(every.people.images.size)
        low, high = (np.minimum, np.maximum)
        ends = low(every.first, every.second) * size + high(every.first, every.second)
        here = np.flatnonzero(chosen & ~np.isnan(self.consistent))
        if not here.size:
            return Undefined("no pair was asked about in both orders")
        once = here[np.unique(ends[here], return_index=True)[1]]
        both = self.consistent[once].astype(np.int64)
        # Two replies that agree, as often as 1 equals 1.
        return judged.accuracy(
            both, np.ones_like(both), prompts=every.prompts[once], resamples=resamples, seed=seed
        )


def by_scores(judge: JudgeScores, every: Comparisons, chosen: np.ndarray, seed: int) -> Verdicts:
    ahead = judge.scores[every.first] - judge.scores[every.second]
    here = chosen & ~np.isnan(ahead)
    said = np.full(every.n, NOTHING)
    found = judged.preferred(ahead[here], every.said[here], prompts=every.prompts[here], seed=seed)
    about = (judge.name, judge.fingerprint, judge.facts)
    if isinstance(found, Undefined):
        return Verdicts(*about, said, judge.stopped, lacking=found)
    said[here] = found.said
    return Verdicts(*about, said, judge.stopped, found.epsilon_by_fold)


def by_preference(
    study: Study, every: Comparisons, chosen: np.ndarray, others: Sequence[JudgeScores]
) -> list[Verdicts]:
    """Models that voted on pairs of this study, and judges whose votes came from a file."""
    found = []
    number = max((judge.facts.get("number", 0) for judge in others), default=0)
    taken = {judge.name for judge in others}
    asked = [(judge, said_of(study, judge)) for judge in judges_that_compare()]
    for judge, answers in [*asked, *imported_votes(study)]:
        if not answers:
            continue
        name = judge.name if judge.name not in taken else f"{judge.name} · {judge.fingerprint}"
        taken.add(name)
        number += 1
        said, consistent = np.full(every.n, NOTHING), np.full(every.n, np.nan)
        keys = every.people.images.tolist()
        for row in np.flatnonzero(chosen).tolist():
            ends = keys[every.first[row]], keys[every.second[row]]
            turned = ends not in answers
            one = answers.get(ends[::-1] if turned else ends)
            if one is None or one.value is None:
                continue
            value = VALUES[one.value]
            said[row] = LEFT + RIGHT - value if turned and value != TIE else value
            if one.consistent is not None:
                consistent[row] = float(one.consistent)
        facts = identity_facts(judge, number)
        nothing = None
        if not (said != NOTHING).any():
            nothing = Undefined("it has said nothing of the pairs that people voted on")
        found.append(
            Verdicts(name, judge.fingerprint, facts, said, lacking=nothing, consistent=consistent)
        )
    return found
