"""What a report, its charts, Why, Decide and Slices say of twelve judges whose doings are planted, side by side, and
how many of these sentences are false: `python -m tests.bench.planted_study`."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.bench.planted_judges import (
    GENERATORS,
    JUDGES,
    LATE,
    Images,
    Planted,
    draw_images,
    plant,
    true_off,
    true_slice,
)
from tests.bench.sizes import reached, sized
from tests.bench.whole_report import database_of_its_own

LITTLE = 3.0  # points that nobody would miss
SINCE = [
    f"{2018 + n}-03" for n in (LATE - 1, LATE, LATE + 1)
]  # one date beside the right one may be named


def main(show: Callable[[str], None] = print) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--prompts", type=int, default=sized(300, 60))
    arguments.add_argument("--worlds", type=int, default=1)
    arguments.add_argument("--seed", type=int, default=0)
    chosen = arguments.parse_args()
    false: Counter[str] = Counter()
    sentences = 0
    with database_of_its_own():
        for seed in range(chosen.seed, chosen.seed + chosen.worlds):
            study = plant(f"planted-{seed}", chosen.prompts, seed)
            images = draw_images(chosen.prompts, np.random.default_rng(seed))
            for place, line, wrong in told_of(study, images):
                sentences += 1
                false[place] += bool(wrong)
                mark = f"FALSE ({wrong}) " if wrong else ""
                if chosen.worlds == 1 or wrong:
                    show(f"{place:<22}{mark}{line}")
    listed = ", ".join(f"{place} {count}" for place, count in false.items() if count) or "none"
    total = sum(false.values())
    show(f"{sentences} sentences, {total} false: {listed}")
    return 0 if reached(not total) else 1


Told = Iterator[tuple[str, str, str]]


def told_of(study: Any, images: Images) -> Told:
    """Where a sentence stands, the sentence, and what is false about it."""
    from audit.reports.make import make_report
    from audit.words import report as report_words
    from audit.words import titles

    body = make_report(study=study).body
    titles.remember(body)
    yield "headline", report_words.headline(body), _wrong_tally(report_words.tally(body["judges"]))
    for judge in JUDGES:
        yield f"{judge.name}: planted", judge.fact, ""
        yield from _of_row(body, judge)
        yield from _of_chart(body, judge)
        yield from _of_why(study, body, judge)
        yield from _of_slices(body, judge, images)
    yield from _of_decide(body)


def _wrong_tally(line: str) -> str:
    """At most as many drift as do, and so many do not follow."""
    found = {word: int(n) for n, word in re.findall(r"(\d+) (drifts?|do(?:es)? not follow)", line)}
    drift = next((n for word, n in found.items() if word.startswith("drift")), 0)
    against = next((n for word, n in found.items() if "not follow" in word), 0)
    moved = sum(bool(judge.moved) for judge in JUDGES)
    not_following = sum(judge.follows != "yes" for judge in JUDGES)
    if drift > moved:
        return f"{moved} drift"
    return f"{not_following} do not follow people" if against != not_following else ""


def _of_row(body: dict[str, Any], judge: Planted) -> Told:
    from audit.words import drift_state
    from audit.words.verdicts import read_verdict
    from jurybox_stats.instrument.verdict import verdict_of

    found = body["judges"][judge.name]
    kind = verdict_of(found)["kind"]
    yield f"{judge.name}: verdict", read_verdict(judge.name, found), _wrong_verdict(judge, kind)
    sentence = drift_state.sentence(judge.name, found)
    yield f"{judge.name}: sentence", sentence, _wrong_sentence(judge, sentence)
    reason = drift_state.reason(found["drift"])
    apart = re.match(r".*?(generator \d) alone is read", reason)
    wrong = f"{judge.apart or 'no generator'} is apart" if apart and apart[1] != judge.apart else ""
    yield f"{judge.name}: reason", reason, wrong


def _wrong_verdict(judge: Planted, kind: str) -> str:
    if kind == "trust" and (judge.follows != "yes" or judge.moved):
        return "it has drifted" if judge.moved else f"it follows: {judge.follows}"
    if kind == "trust until" and not judge.moved:
        return "it has not drifted"
    return ""


def _wrong_sentence(judge: Planted, said: str) -> str:
    if "has drifted" in said:
        wanted = {
            "stricter": "stricter",
            "milder": "more lenient",
            "gain": "tells good from bad",
        }.get(judge.moved)
        if wanted is None:
            return "it has not drifted"
        return "" if wanted in said else f"it is {wanted}"
    if "and holds" in said and (judge.moved or judge.follows != "yes"):
        return "it does not hold"
    return ""


def _of_chart(body: dict[str, Any], judge: Planted) -> Told:
    """Where the chart draws it: what its intervals claim of how far off it is, and who is drawn as drifted."""
    from audit.charts.drift import drifting_judges
    from audit.words import drift_state

    drawn = judge.name in drifting_judges(body)
    yield (
        f"{judge.name}: chart",
        "drawn among those that drift" if drawn else "not among those that drift",
        "it has not drifted" if drawn and not judge.moved else "",
    )
    if drift_state.shows_offsets(body["judges"][judge.name]) or judge.name == "unbounded":
        return
    truth = true_off(judge, prompts=20_000)
    told = drift_state.deviations(body["judges"][judge.name])
    rows = [told[f"generator {n}"] for n in range(GENERATORS)]
    missed = [
        n
        for n, row in enumerate(rows)
        if row.get("low") is not None and not row["low"] - 0.4 <= truth[n] <= row["high"] + 0.4
    ]
    shown = "  ".join(f"{row['value']:+.1f}" if "value" in row else "–" for row in rows)
    # One of eight intervals may miss by chance.
    yield f"{judge.name}: off by", shown, f"generators {missed}" if len(missed) > 1 else ""


def _of_why(study: Any, body: dict[str, Any], judge: Planted) -> Told:
    from annotations.errors import Refused
    from audit.questions.why.question import explain
    from audit.why.parameters import Parameters
    from audit.words import why

    drift = body["judges"][judge.name]["drift"]
    since = int((drift.get("since") or f"{2018 + LATE}")[:4]) - 2018
    sides = (range(since), range(since, GENERATORS))
    before, after = (", ".join(f"generator {n}" for n in side) for side in sides)
    asked = Parameters(judge=judge.name, before=before, after=after)
    try:
        found = explain(study, asked, find=lambda name: study, resamples=200)
    except Refused as refusal:
        yield f"{judge.name}: why", refusal.message, ""
        return
    for line in why.sentences(found):
        yield f"{judge.name}: why", line, _wrong_why(judge, line)


def _wrong_why(judge: Planted, line: str) -> str:
    if line.startswith("It is ") and judge.moved not in ("stricter", "milder", "gain"):
        return "" if judge.follows != "yes" or judge.apart else "its offset has not moved"
    if line.startswith("It is ") and judge.moved in ("stricter", "milder"):
        wanted = "stricter" if judge.moved == "stricter" else "more lenient"
        return "" if wanted in line else f"it is {wanted}"
    if line.startswith("It tells good from bad") and judge.moved != "gain":
        return "" if judge.follows != "yes" else "its gain has not fallen"
    if line.startswith("Its offset is no other") and judge.moved in ("stricter", "milder"):
        return "its offset has moved"
    return ""


def _of_slices(body: dict[str, Any], judge: Planted, images: Images) -> Told:
    from audit.view import View
    from audit.words.page_sentences import of_slices

    (line,) = of_slices(body, View(), [judge.name])
    clear = re.search(r"is clearly (lower|higher) on (skill \d\d)", line)
    wrong = ""
    if clear:
        truth = true_slice(judge, images, int(clear[2][-2:]))
        way = 1 if clear[1] == "lower" else -1
        wrong = "" if way * truth >= LITTLE else f"on these images by {truth:+.1f} points"
    yield f"{judge.name}: slices", line, wrong


def _of_decide(body: dict[str, Any]) -> Told:
    from audit.words.decisions import answers

    for answer in answers(body):
        yield f"decide: {answer.question[:34]}", answer.sentence, _wrong_answer(answer)


def _wrong_answer(answer: Any) -> str:
    """A judge that does not follow people has no good word."""
    good = {
        "May a judge stand in for a person?": r"Yes, for half.*?: (.*?)\.",
        "Do people gain when it picks the best image?": r"Most by (\S+):",
        "Which of its verdicts may stand?": r"verdicts of (\S+) stand",
        "Is its score a probability?": r"Nearer to.*?: (.*?)\.",
        "Which of two images is better?": r"^(\S+) says",
        "Is it as sure of that ranking as people?": r"^(\S+) comes nearest",
    }.get(answer.question)
    found = re.search(good, answer.sentence) if good else None
    praised = found[1] if found else ""
    bad = [judge.name for judge in JUDGES if judge.follows != "yes" and judge.name in praised]
    return f"{', '.join(bad)} does not follow people" if bad else ""


if __name__ == "__main__":
    sys.exit(main())
