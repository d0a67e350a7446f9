"""The generators by people and by each judge, as one body that commands print and pages show."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Study
from annotations.pairs.votes import MATCH
from annotations.pairs.votes import questions_of as pair_questions
from audit import VERSION
from audit.contests.parameters import Parameters
from audit.contests.read import Comparisons, from_answers, from_pairs, has_pairs
from audit.contests.told_by import Verdicts, by_preference, by_scores
from audit.reports.make import question_of
from audit.reports.options import RESAMPLES, SEED, Options
from audit.reports.pairing import Paired, pair
from jurybox_stats import enough
from jurybox_stats.contests import judged
from jurybox_stats.contests.board import PROMPTS, Board, board, soft_pairwise, swaps, told_without
from jurybox_stats.contests.fit import Contest, fit
from jurybox_stats.contests.models import Ties
from jurybox_stats.contests.votes import LEFT, RIGHT, TIE, Votes
from jurybox_stats.estimate import Result, Undefined

RULE = (
    "Bradley and Terry’s strengths, {ties}. A win share is the chance to win against another generator "
    "drawn at random, a tie counting half; groups by Holm over all pairs"
)
# Tags beyond these are left out of the table by slice, the most frequent first.
SLICES = 12


def leaderboard(
    study: Study, asked: Parameters, *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, Any]:
    made_from = asked.made_from or ("pairs" if has_pairs(study) else "answers")
    paired, every = _read(study, asked.question, made_from)
    tags = paired.people.by_tag
    if asked.slice and asked.slice not in tags:
        known = ", ".join(list(tags)[:20]) or "none"
        raise Refused(
            f"No prompt of study {study.slug} has the tag “{asked.slice}”. Tags: {known}."
        )
    chosen = tags[asked.slice][every.first] if asked.slice else np.ones(every.n, dtype=bool)
    votes = every.votes(inside=chosen)
    people = _fitted(votes, asked.ties, side=every.sided)
    judges = [by_scores(judge, every, chosen, seed) for judge in paired.judges]
    if made_from == "pairs":
        judges += by_preference(study, every, chosen, paired.judges)
    body = {
        "study": study.slug,
        "simulated": study.simulated,
        "question": paired.people.question,
        "made_from": made_from,
        "cannot_tell": every.cannot_tell,
        "same_generator": int((chosen & ~every.are_apart).sum()),
        "drawn_useful": 0 if every.useful is None else int(every.useful[chosen].sum()),
        "ties": asked.ties,
        "slice": asked.slice,
        "tags": sorted(tags),
        "votes": votes.n,
        "tied": int((votes.said == TIE).sum()),
        "prompts": every.count_prompts(chosen),
        "raters": int(np.unique(every.raters[chosen]).size),
        "generators": _generators(paired, votes),
        "people": _contest_body(people, every),
        "tie": people.tie.as_dict() if isinstance(people, Contest) and people.tie else None,
        "left": _left_wins(people),
        "ceiling": _ceiling(every, chosen, resamples, seed).as_dict(),
        "always_tie": _always_tie(every, chosen, resamples, seed).as_dict(),
        "judges": {
            judge.name: _of_judge(judge, every, chosen, asked, resamples, seed) for judge in judges
        },
        "slices": _slices(every, tags, asked, judges, resamples, seed) if not asked.slice else [],
        "signature": {
            "version": VERSION,
            "seed": seed,
            "resamples": resamples,
            "interval": "95 %, with prompts as clusters",
            **({"clusters": paired.people.clusters} if paired.people.clusters else {}),
            "rule": RULE.format(ties=_ties_words(asked.ties)),
            "judges": {judge.name: judge.fingerprint for judge in judges},
            "judge_facts": {judge.name: judge.facts for judge in judges},
            "data": hashlib.sha256(
                (paired.digest + every.digest + _digest(judges)).encode()
            ).hexdigest(),
        },
    }
    return json.loads(json.dumps(body, allow_nan=False))


def _read(study: Study, question: str, made_from: str) -> tuple[Paired, Comparisons]:
    if made_from == "answers":
        paired = pair(study=study, question=question_of(study, Options(question=question or None)))
        return paired, from_answers(paired.people)
    known = pair_questions(study)
    if not known:
        raise Refused(f"Nobody has voted on a pair of study {study.slug}.")
    if question and question not in known:
        raise Refused(f"Nobody voted on a question “{question}”. Voted on: {', '.join(known)}.")
    paired = pair(study=study, question=question_of(study, Options()))
    chosen = question or (MATCH if MATCH in known else known[0])
    paired = replace(paired, people=replace(paired.people, question=chosen))
    return paired, from_pairs(study, paired.people, chosen)


def _digest(judges: Sequence[Verdicts]) -> str:
    """Of preferences, which no hash of scores covers."""
    sha = hashlib.sha256()
    for judge in judges:
        if judge.consistent is not None:
            sha.update(judge.fingerprint.encode() + judge.said.tobytes())
            sha.update(judge.consistent.tobytes())
    return sha.hexdigest()


def _ties_words(ties: str) -> str:
    names = {"davidson": "with Davidson’s ties", "rao_kupper": "with Rao and Kupper’s ties"}
    return names.get(ties, "a tie as half a win for both")


def _generators(paired: Paired, votes: Votes) -> list[dict[str, Any]]:
    people = paired.people
    days = dict(zip(people.generator_names, people.release_dates, strict=True))
    return [
        {"name": name, "release_date": day.isoformat() if (day := days[name]) else None}
        for name in votes.systems
    ]


def _left_wins(found: Contest | Undefined) -> dict[str, Any] | None:
    """By how many of 100 votes without a tie the left of two equal images wins more than the right."""
    if isinstance(found, Undefined) or found.left is None:
        return None
    value, low, high = (
        None if end is None else 100 * math.tanh(end / 2)
        for end in (found.left.value, found.left.low, found.left.high)
    )
    return {"value": value, "low": low, "high": high, "n": found.n}


def _fitted(votes: Votes, ties: str, *, side: bool = False) -> Contest | Undefined:
    """Without a vote that two are alike there is no tie to model."""
    asked: dict[str, Ties] = {"arena": "half", "rao_kupper": "rao_kupper"}
    model: Ties = asked.get(ties, "davidson") if (votes.said == TIE).any() else "none"
    return fit(votes, ties=model, side=side)


def _contest_body(found: Contest | Undefined, every: Comparisons) -> dict[str, Any]:
    shown = board(found, what=every.clusters)
    if isinstance(shown, Undefined):
        return shown.as_dict()
    return {"places": _places(shown), "groups": [list(group) for group in shown.groups]}


def _places(shown: Board) -> list[dict[str, Any]]:
    return [
        {
            "generator": place.system,
            "win_share": place.win_share.as_dict(),
            "elo": place.elo.as_dict(),
            "first": place.first,
            "last": place.last,
        }
        for place in shown.places
    ]


def _of_judge(
    judge: Verdicts,
    every: Comparisons,
    chosen: np.ndarray,
    asked: Parameters,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    here = chosen & judge.has
    told: dict[str, Any] = {
        "votes": int(here.sum()),
        "without_score": int((chosen & ~here).sum()),
        "stopped": judge.stopped,
    }
    swap = judge.consistency(every, chosen, resamples=resamples, seed=seed)
    if swap is not None:
        told["swap_consistency"] = swap.as_dict()
    if judge.lacking is not None:
        nothing = judge.lacking.as_dict()
        lacking = dict.fromkeys(
            ("people", "board", "accuracy", "group_accuracy", "soft_pairwise"), nothing
        )
        left = {"votes": 0, "without_score": int(chosen.sum())}
        left = left if judge.consistent is not None else {}
        return told | left | lacking | {"swaps": [], "epsilon_by_fold": []}
    right = _right(judge, every, here, resamples, seed)
    by_people, by_judge = every.votes(inside=here), every.votes(judge.said, here)
    ours = _fitted(by_people, asked.ties, side=every.sided)
    theirs = _fitted(by_judge, asked.ties)
    few = by_people.of_prompts < PROMPTS
    turned = () if few else swaps(ours, theirs)
    return told | {
        "people": _contest_body(ours, every) if told["without_score"] else None,
        "board": _contest_body(theirs, every),
        "accuracy": right.as_dict(),
        "group_accuracy": _all_right(judge, every, here, resamples, seed).as_dict(),
        "soft_pairwise": _soft(by_people, by_judge, (ours, theirs), asked, every).as_dict(),
        "swaps": [] if isinstance(turned, Undefined) else [asdict(swap) for swap in turned],
        "epsilon_by_fold": list(judge.epsilon_by_fold),
    }


def _right(
    judge: Verdicts, every: Comparisons, here: np.ndarray, resamples: int, seed: int
) -> Result:
    return judged.accuracy(
        judge.said[here],
        every.said[here],
        prompts=every.prompts[here],
        resamples=resamples,
        seed=seed,
    )


def _all_right(
    judge: Verdicts, every: Comparisons, here: np.ndarray, resamples: int, seed: int
) -> Result:
    """By prompt."""
    pairs, people = _in_one_order(every, here, every.said)
    _, ours = _in_one_order(every, here, judge.said)
    return judged.group_accuracy(
        ours,
        people,
        pairs=pairs,
        groups=every.each_prompt[here],
        clusters=every.prompts[here],
        resamples=resamples,
        seed=seed,
    )


def _always_tie(every: Comparisons, chosen: np.ndarray, resamples: int, seed: int) -> Result:
    """How often it would be right to say “tie” each time: a judge worth its cost does better."""
    said = every.said[chosen]
    return judged.accuracy(
        np.full_like(said, TIE), said, prompts=every.prompts[chosen], resamples=resamples, seed=seed
    )


def _soft(
    by_people: Votes,
    by_judge: Votes,
    whole: tuple[Contest | Undefined, Contest | Undefined],
    asked: Parameters,
    every: Comparisons,
) -> Result:
    """With an interval that leaves out a group of prompts in turn."""
    found = soft_pairwise(*whole)
    if isinstance(found, Undefined):
        return found
    if by_people.of_prompts < PROMPTS:
        few = by_people.of_prompts
        return enough.too_few(few, at_least=PROMPTS, what=every.clusters)
    return told_without(
        found,
        by_people.prompts,
        lambda kept: soft_pairwise(
            _fitted(by_people.part(kept), asked.ties, side=every.sided),
            _fitted(by_judge.part(kept), asked.ties),
        ),
    )


def _ceiling(every: Comparisons, chosen: np.ndarray, resamples: int, seed: int) -> Result:
    pairs, said = _in_one_order(every, chosen, every.said)
    return judged.ceiling(
        pairs, said, prompts=every.prompts[chosen], resamples=resamples, seed=seed
    )


def _in_one_order(
    every: Comparisons, chosen: np.ndarray, said: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs, and the votes in one order of the two images, however they stood."""
    first, second, said = (column[chosen] for column in (every.first, every.second, said))
    turned = first > second
    low, high = np.minimum(first, second), np.maximum(first, second)
    said = np.where(turned & (said != TIE), LEFT + RIGHT - said, said)
    return low * np.int64(every.people.images.size) + high, said


def _slices(
    every: Comparisons,
    tags: dict[str, np.ndarray],
    asked: Parameters,
    judges: Sequence[Verdicts],
    resamples: int,
    seed: int,
) -> Sequence[dict[str, Any]]:
    inside = {tag: holds[every.first] for tag, holds in tags.items()}
    largest = sorted(inside, key=lambda tag: (-int(inside[tag].sum()), tag))[:SLICES]
    told = []
    for tag in sorted(largest):
        votes = every.votes(inside=inside[tag])
        fitted = _fitted(votes, asked.ties, side=every.sided)
        told.append(
            {
                "tag": tag,
                "votes": votes.n,
                "prompts": every.count_prompts(inside[tag]),
                "people": _contest_body(fitted, every),
                "ceiling": _ceiling(every, inside[tag], resamples, seed).as_dict(),
                "judges": {
                    judge.name: (
                        judge.lacking
                        or _right(judge, every, inside[tag] & judge.has, resamples, seed)
                    ).as_dict()
                    for judge in judges
                },
            }
        )
    return told
