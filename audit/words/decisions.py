"""What a judge may be used for: a question and one sentence that answers it, from fixed rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

from annotations.language.stored_words import say
from audit.statistic_names import BAND, stored_statistic
from audit.words.drift_state import off_by_generator
from audit.words.numbers import per_hundred, side, with_interval
from audit.words.report import title
from jurybox_stats.instrument.verdict import NOT_YET, TRUST, TRUST_UNTIL, verdict_of

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
        Answer(
            gettext("May a judge stand in for a person?"),
            _stand_in(body["judges"]),
        ),
        Answer(gettext("Which of its verdicts may stand?"), _trusted(judges)),
        Answer(gettext("Would it rank the generators as people do?"), _ranking(body)),
        Answer(gettext("Is it as sure of that ranking as people?"), _soft(judges)),
        Answer(gettext("Do people gain when it picks the best image?"), _best_of_n(judges)),
        Answer(gettext("Is its score a probability?"), _probability(judges)),
        Answer(gettext("Is it in line with people?"), _equivalent(body["judges"])),
        Answer(gettext("Which of two images is better?"), _pairs(judges)),
    ]


def beside_people(overall: dict[str, Any]) -> str:
    """For the row of a judge."""
    found = stored_statistic(overall, "alt_test")
    if "undefined" in found:
        return ""
    return gettext("stands in for %(beaten)s of %(raters)s people") % {
        "beaten": found["beaten"],
        "raters": found["raters"],
    }


def _stand_in(listed: Judges) -> str:
    """Yes only of a judge whose verdict is trust: nothing else may be read off the test alone."""
    judges = {name: judge["overall"] for name, judge in listed.items()}
    known = {n: row["alt_test"] for n, row in judges.items() if _has(row, "alt_test", "passes")}
    if not known:
        return _nobody(judges, "alt_test")
    verdicts = {name: verdict_of(listed[name])["kind"] for name in known}
    behind = 100 * next(iter(known.values()))["epsilon"]
    drifted = [n for n, found in known.items() if "since" in found or verdicts[n] == TRUST_UNTIL]
    yes = [n for n, found in known.items() if found["passes"] and verdicts[n] == TRUST]
    unknown = [n for n in judges if n not in drifted and verdicts.get(n, NOT_YET) == NOT_YET]
    return _joined(
        (
            yes,
            gettext(
                "Yes, for half of the people or more: %(judges)s. This counts a judge as good enough if it "
                "errs on at most %(behind)s more images of 100 than a person."
            ),
        ),
        (
            [name for name in known if name not in (*drifted, *yes, *unknown)],
            gettext("Not shown, so let people decide: %(judges)s."),
        ),
        (unknown, gettext("Not enough data yet: %(judges)s.")),
        (drifted, gettext("Not on today’s generators, since it drifted: %(judges)s.")),
        behind=f"{behind:g}",
    )


def _trusted(judges: Judges) -> str:
    known = _known_judges(judges, "trusted_share")
    if not known:
        return gettext("Nothing to rely on: %(reason)s.") % {
            "reason": say(_reason_of_most(judges, "trusted_share"))
        }
    best = _best(known)
    found = known[best]
    line = ngettext(
        "%(share)s of 100 verdicts of %(judge)s stand at %(risk)s %% disagreement or less; %(images)s "
        "image goes to people.",
        "%(share)s of 100 verdicts of %(judge)s stand at %(risk)s %% disagreement or less; %(images)s "
        "images go to people.",
        found["to_people"],
    ) % {
        "share": say(per_hundred(found)),
        "judge": title(best),
        "risk": f"{100 * found['risk']:g}",
        "images": found["to_people"],
    }
    return _joined(
        (_other_judges(judges, known), gettext("Nothing to rely on so far: %(judges)s.")),
        first=line,
    )


def _ranking(body: dict[str, Any]) -> str:
    found = body.get("ranking", {}).get("judges", {})
    # A judge that gives all generators one score ranks none.
    known = {
        name: row
        for name, row in found.items()
        if "undefined" not in row and "undefined" not in row.get("kendall_tau_b", {})
    }
    if not known:
        older = stored_statistic({}, "ranking")["undefined"]
        reasons = ({**row.get("kendall_tau_b", {}), **row} for row in found.values())
        return _not_enough(next((row["undefined"] for row in reasons), older))
    same = [name for name, row in known.items() if not row["swaps"]]
    first = [
        name
        for name, row in known.items()
        if row["swaps"] and row["by_people"][0] == row["by_judge"][0]
    ]
    other = [name for name in known if name not in same and name not in first]
    return _joined(
        (same, gettext("No two generators change places: %(judges)s.")),
        (first, gettext("Some change places, the first stays: %(judges)s.")),
        (
            other,
            gettext(
                "Its top generator differs from people’s: do not rank generators with it (%(judges)s)."
            ),
        ),
        (_other_judges(found, known), gettext("Not enough data yet: %(judges)s.")),
    )


def _soft(judges: Judges) -> str:
    known = _known_judges(judges, "soft_pairwise_accuracy")
    if not known:
        return _nobody(judges, "soft_pairwise_accuracy")
    best = _best(known)
    return gettext("%(judge)s comes nearest, %(number)s; 1 = as confident as people.") % {
        "judge": title(best),
        "number": say(with_interval("soft_pairwise_accuracy", known[best])),
    }


def _best_of_n(judges: Judges) -> str:
    rows = {name: stored_statistic(row, "best_of_n") for name, row in judges.items()}
    gains = {name: row.get("people_gain", row) for name, row in rows.items()}
    known = {name: gain for name, gain in gains.items() if "value" in gain}
    if not known:
        return _not_enough(_most_often(gain["undefined"] for gain in gains.values()))
    best = _best(known)
    line = gettext("Most by %(judge)s: %(gain)s over a random choice.")
    told = {"judge": title(best), "gain": say(with_interval("people_gain", known[best]))}
    ratio, judged = rows[best]["ratio"], rows[best]["judge_gain"]
    if "value" in ratio and "value" in judged:
        line = gettext(
            "Most by %(judge)s: %(gain)s over a random choice; the judge sees %(judged)s, so "
            "count %(ratio)s of what a generator tuned on it seems to gain."
        )
        told |= {
            "judged": say(with_interval("judge_gain", judged)),
            "ratio": say(with_interval("ratio", ratio)),
        }
    lost = [name for name, gain in known.items() if side(gain) <= 0]
    return _joined(
        (lost, gettext("No gain shown, so tune no generator on: %(judges)s.")), first=line % told
    )


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
        (
            lines_towards(1),
            gettext("Better than always guessing the average: %(judges)s."),
        ),
        (
            lines_towards(-1),
            gettext("Worse than always giving the average, so calibrate first: %(judges)s."),
        ),
        (lines_towards(0), gettext("Neither is shown: %(judges)s.")),
        (_other_judges(judges, known), gettext("No Brier score: %(judges)s.")),
    )


def gives_means(judge: dict[str, Any]) -> bool:
    """Whether its mean score may be used: over all images, and of each generator by itself."""
    equivalent = stored_statistic(judge["overall"], "equivalence").get("equivalent")
    return bool(equivalent) and not _is_off_somewhere(judge)


def _is_off_somewhere(judge: dict[str, Any]) -> bool:
    """What is too strict on older generators and too mild on newer ones is in line on average."""
    off = off_by_generator(judge).values()
    return any(abs_low(found) > BAND for found in off if "low" in found)


def _equivalent(listed: Judges) -> str:
    judges = {name: judge["overall"] for name, judge in listed.items()}
    known = _known_judges(judges, "equivalence")
    if not known:
        return _nobody(judges, "equivalence")
    balanced = [name for name, found in known.items() if found.get("equivalent")]
    inside = [name for name in balanced if gives_means(listed[name])]
    balanced = [name for name in balanced if name not in inside]
    outside = [name for name, found in known.items() if abs_low(found) > BAND]
    open_yet = [name for name in known if name not in (*inside, *balanced, *outside)]
    return _joined(
        (inside, gettext("Within ±%(band)s points, so the mean score may be used: %(judges)s.")),
        (
            balanced,
            gettext(
                "Within ±%(band)s points over all images, but not on each generator: %(judges)s."
            ),
        ),
        (outside, gettext("Off by more than %(band)s points: %(judges)s.")),
        (open_yet, gettext("Not shown, more labels would tell: %(judges)s.")),
        (_other_judges(judges, known), gettext("Not enough data yet: %(judges)s.")),
        band=f"{BAND:g}",
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
    return gettext(
        "%(judge)s says what people say on %(share)s of 100 pairs of one prompt, with ties calibrated on "
        "other prompts: expect that on new ones."
    ) % {"judge": title(best), "share": say(per_hundred(known[best]))}


def _has(overall: dict[str, Any], key: str, part: str) -> bool:
    return part in overall.get(key, {})


def _known_judges(judges: Judges, key: str) -> Judges:
    return {name: row[key] for name, row in judges.items() if _has(row, key, "value")}


def _other_judges(judges: Judges, known: Judges) -> list[str]:
    return [name for name in judges if name not in known]


def _best(known: Judges) -> str:
    return max(known, key=lambda name: (known[name]["value"], name))


def _nobody(judges: Judges, key: str) -> str:
    return _not_enough(_reason_of_most(judges, key))


def _not_enough(reason: str) -> str:
    return gettext("Not enough data yet: %(judges)s.") % {"judges": say(reason)}


def _reason_of_most(judges: Judges, key: str) -> str:
    return _most_often(stored_statistic(row, key).get("undefined", "") for row in judges.values())


def _most_often(reasons: Iterable[str]) -> str:
    listed = list(reasons)
    return max(listed, key=listed.count)


def _joined(*parts: tuple[list[str], str], first: str = "", **told: str) -> str:
    """A sentence for each group of judges that is not empty."""
    lines = [line % {"judges": _names(names), **told} for names, line in parts if names]
    return " ".join([first, *lines] if first else lines)


def _names(names: Iterable[str]) -> str:
    titles = [title(name) for name in names]
    if len(titles) <= NAMED:
        return ", ".join(titles)
    return gettext("%(names)s and %(number)s more") % {
        "names": ", ".join(titles[: NAMED - 1]),
        "number": len(titles) - NAMED + 1,
    }
