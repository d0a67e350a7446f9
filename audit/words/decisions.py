"""What a judge may be used for: a question and one sentence that answers it, from fixed rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from audit.statistic_names import BAND, stored_statistic
from audit.stats.instrument.following import CANNOT_BE_TOLD
from audit.words.drift_state import following_of
from audit.words.numbers import per_hundred, side, with_interval
from audit.words.report import title

# A longer list of names is not read; the table has them all.
NAMED = 3
Judges = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Answer:
    question: str
    sentence: str


def answers(body: dict[str, Any]) -> list[Answer]:
    judges = {name: judge["overall"] for name, judge in body["judges"].items()}
    return [
        Answer("May a judge stand in for a person?", _stand_in(judges, _unknown_to_follow(body))),
        Answer("Which of its verdicts may stand?", _trusted(judges)),
        Answer("Would it rank the generators as people do?", _ranking(body)),
        Answer("Is it as sure of that ranking as people?", _soft(judges)),
        Answer("Do people gain when it picks the best image?", _best_of_n(judges)),
        Answer("Is its score a probability?", _probability(judges)),
        Answer("Is it in line with people?", _equivalent(judges)),
        Answer("Which of two images is better?", _pairs(judges)),
    ]


def beside_people(overall: dict[str, Any]) -> str:
    """For the row of a judge."""
    found = stored_statistic(overall, "alt_test")
    if "undefined" in found:
        return ""
    return f"stands in for {found['beaten']} of {found['raters']} people"


def _unknown_to_follow(body: dict[str, Any]) -> set[str]:
    """Judges of which it is not known whether they follow people may stand in for nobody yet."""
    return {name for name, judge in body["judges"].items() if following_of(judge) == CANNOT_BE_TOLD}


def _stand_in(judges: Judges, unknown: set[str]) -> str:
    tested = {n: row["alt_test"] for n, row in judges.items() if _has(row, "alt_test", "passes")}
    known = {name: found for name, found in tested.items() if name not in unknown}
    if tested and not known:
        return f"Not enough data yet: {_names(judges)}."
    if not known:
        return _nobody(judges, "alt_test")
    behind = 100 * next(iter(known.values()))["epsilon"]
    drifted = [name for name, found in known.items() if "since" in found]
    return _joined(
        (
            [name for name, found in known.items() if found["passes"]],
            "Yes, for half of the people or more: {}. That is, if being behind a person on up to "
            f"{behind:g} of 100 images is worth the work it saves.",
        ),
        (
            [name for name, found in known.items() if not found["passes"]],
            "Not shown, so let people decide: {}.",
        ),
        (_other_judges(judges, known), "Not enough data yet: {}."),
        (drifted, "Asked of the generators since it drifted: {}."),
    )


def _trusted(judges: Judges) -> str:
    known = _known_judges(judges, "trusted_share")
    if not known:
        return _nobody(judges, "trusted_share", start="Nothing to rely on: ")
    best = _best(known)
    found = known[best]
    images = "image goes" if found["to_people"] == 1 else "images go"
    line = (
        f"{per_hundred(found)} of 100 verdicts of {title(best)} stand at {100 * found['risk']:g} % "
        f"disagreement or less; {found['to_people']} {images} to people."
    )
    return _joined((_other_judges(judges, known), "Nothing to rely on so far: {}."), first=line)


def _ranking(body: dict[str, Any]) -> str:
    found = body.get("ranking", {}).get("judges", {})
    known = {name: row for name, row in found.items() if "undefined" not in row}
    if not known:
        older = stored_statistic({}, "ranking")["undefined"]
        return f"Not enough data yet: {next((row['undefined'] for row in found.values()), older)}."
    same = [name for name, row in known.items() if not row["swaps"]]
    first = [
        name
        for name, row in known.items()
        if row["swaps"] and row["by_people"][0] == row["by_judge"][0]
    ]
    other = [name for name in known if name not in same and name not in first]
    return _joined(
        (same, "No two generators change places: {}."),
        (first, "Some change places, the first stays: {}."),
        (other, "Another one comes first, so publish no leaderboard by it: {}."),
        (_other_judges(found, known), "Not enough data yet: {}."),
    )


def _soft(judges: Judges) -> str:
    known = _known_judges(judges, "soft_pairwise_accuracy")
    if not known:
        return _nobody(judges, "soft_pairwise_accuracy")
    best = _best(known)
    return (
        f"{title(best)} comes nearest, {with_interval('soft_pairwise_accuracy', known[best])} of 1; "
        "the lower, the more it is sure where people are not, or the contrary."
    )


def _best_of_n(judges: Judges) -> str:
    rows = {name: stored_statistic(row, "best_of_n") for name, row in judges.items()}
    gains = {name: row.get("people_gain", row) for name, row in rows.items()}
    known = {name: gain for name, gain in gains.items() if "value" in gain}
    if not known:
        return f"Not enough data yet: {_most_often(gain['undefined'] for gain in gains.values())}."
    best = _best(known)
    line = (
        f"Most by {title(best)}: {with_interval('people_gain', known[best])} over a random choice"
    )
    ratio, judged = rows[best]["ratio"], rows[best]["judge_gain"]
    if "value" in ratio and "value" in judged:
        line += (
            f"; the judge itself sees {with_interval('judge_gain', judged)}, so count "
            f"{with_interval('ratio', ratio)} of what a generator tuned on it seems to gain"
        )
    lost = [name for name, gain in known.items() if side(gain) <= 0]
    return _joined((lost, "No gain shown, so tune no generator on: {}."), first=f"{line}.")


def _probability(judges: Judges) -> str:
    known = {
        name: found["over_the_average"]
        for name, found in _known_judges(judges, "brier").items()
        if "value" in found["over_the_average"]
    }
    if not known:
        return _nobody(judges, "brier")
    sides = {name: side(over) for name, over in known.items()}

    def lines_towards(way: int) -> list[str]:
        return [name for name in known if sides[name] == way]

    return _joined(
        (lines_towards(1), "Nearer to the share of people who say yes than their average is: {}."),
        (lines_towards(-1), "Worse than always giving the average, so calibrate first: {}."),
        (lines_towards(0), "Neither is shown: {}."),
        (_other_judges(judges, known), "No Brier score: {}."),
    )


def _equivalent(judges: Judges) -> str:
    known = _known_judges(judges, "equivalence")
    if not known:
        return _nobody(judges, "equivalence")
    inside = [name for name, found in known.items() if found.get("equivalent")]
    outside = [name for name, found in known.items() if abs_low(found) > BAND]
    open_yet = [name for name in known if name not in inside and name not in outside]
    return _joined(
        (inside, f"Within ±{BAND:g} points, so the mean score may be used: {{}}."),
        (outside, f"Off by more than {BAND:g} points: {{}}."),
        (open_yet, "Not shown, more labels would tell: {}."),
        (_other_judges(judges, known), "Not enough data yet: {}."),
    )


def abs_low(estimate: dict[str, Any]) -> float:
    """How far off it is at least."""
    if estimate["low"] is None or estimate["low"] <= 0 <= estimate["high"]:
        return 0.0
    return min(abs(estimate["low"]), abs(estimate["high"]))


def _pairs(judges: Judges) -> str:
    known = _known_judges(judges, "pairwise_accuracy_by_prompt_cross_validated")
    if not known:
        return _nobody(judges, "pairwise_accuracy_by_prompt_cross_validated")
    best = _best(known)
    return (
        f"{title(best)} says what people say on {per_hundred(known[best])} of 100 pairs of one prompt, "
        "with ties calibrated on other prompts: expect that on new ones."
    )


def _has(overall: dict[str, Any], key: str, part: str) -> bool:
    return part in overall.get(key, {})


def _known_judges(judges: Judges, key: str) -> Judges:
    return {name: row[key] for name, row in judges.items() if _has(row, key, "value")}


def _other_judges(judges: Judges, known: Judges) -> list[str]:
    return [name for name in judges if name not in known]


def _best(known: Judges) -> str:
    return max(known, key=lambda name: (known[name]["value"], name))


def _nobody(judges: Judges, key: str, start: str = "Not enough data yet: ") -> str:
    return f"{start}{_most_often(stored_statistic(row, key).get('undefined', '') for row in judges.values())}."


def _most_often(reasons: Iterable[str]) -> str:
    listed = list(reasons)
    return max(listed, key=listed.count)


def _joined(*parts: tuple[list[str], str], first: str = "") -> str:
    """A sentence for each group of judges that is not empty."""
    lines = [line.format(_names(names)) for names, line in parts if names]
    return " ".join([first, *lines] if first else lines)


def _names(names: Iterable[str]) -> str:
    titles = [title(name) for name in names]
    if len(titles) <= NAMED:
        return ", ".join(titles)
    return f"{', '.join(titles[: NAMED - 1])} and {len(titles) - NAMED + 1} more"
