"""What the judges make people's labels worth, in sentences that follow from the numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.stored_words import say
from audit.words.numbers import join_names
from audit.words.report import title
from jurybox_stats import enough

# Below this gain in labels nobody would speak of help.
HELP = 1.1
NOT_TO_AUDIT = gettext_noop(
    "A score that a judge has helped to make must not be used to audit that judge. It stands on this page "
    "alone, and every other page compares judges with people’s own answers."
)


def told_of(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """generator -> its assisted score, where there is one from enough labels."""
    found = {row["name"]: row.get("human_score_assisted", {}) for row in body["generators"]}
    return {
        name: score
        for name, score in found.items()
        if "value" in score and score["n"] >= enough.IMAGES
    }


def sentences(body: dict[str, Any]) -> list[str]:
    scores = told_of(body)
    if not scores:
        no_score = gettext("No score yet: %(reason)s.") % {"reason": say(_why_not(body))}
        return [no_score, gettext(NOT_TO_AUDIT)]
    worth = {name: score["effective_labels"] for name, score in scores.items()}
    complete = [name for name, score in scores.items() if score["n"] == score["images"]]
    rest = [name for name in scores if name not in complete and worth[name] is not None]
    lines = []
    if rest:
        labels = sum(scores[name]["n"] for name in rest)
        counted = sum(worth[name] for name in rest)
        of_all = len(rest) == len(body["generators"])
        told = {"labels": f"{labels:,}", "generators": len(rest), "worth": f"{counted:,.0f}"}
        if counted >= HELP * labels:
            words = gettext("Judge-assisted, your %(labels)s labels are worth %(worth)s.")
            if not of_all:
                words = gettext(
                    "Judge-assisted, your %(labels)s labels of %(generators)s generators are worth "
                    "%(worth)s."
                )
            lines.append(words % told)
            lines += _most_and_least(scores, rest)
        else:
            words = gettext(
                "The judges are no help here: your %(labels)s labels are worth %(worth)s with them. "
                "Finding that out costs hardly any width."
            )
            if not of_all:
                words = gettext(
                    "The judges are no help here: your %(labels)s labels of %(generators)s generators "
                    "are worth %(worth)s with them. Finding that out costs hardly any width."
                )
            lines.append(words % told)
    if complete:
        lines.append(
            gettext(
                "%(names)s: all images have labels, so there is nothing left for judges to add."
            )
            % {"names": join_names(complete)}
        )
    return [*lines, gettext(NOT_TO_AUDIT)]


def carried_by(score: dict[str, Any]) -> str:
    """The judges that carried it, the heaviest first."""
    weights = score.get("weights", {})
    known = sorted(weights.items(), key=lambda one: (-abs(one[1]), one[0]))
    total = sum(abs(weight) for _, weight in known)
    if not total:
        return ""
    shown = [
        f"{title(name)} {100 * abs(weight) / total:.0f} %"
        for name, weight in known
        if abs(weight) >= total / 20
    ]
    return gettext("carried by %(judges)s") % {"judges": ", ".join(shown[:3])}


def _most_and_least(scores: dict[str, dict[str, Any]], names: list[str]) -> list[str]:
    times = {name: scores[name]["effective_labels"] / scores[name]["n"] for name in names}
    best, worst = max(times, key=times.__getitem__), min(times, key=times.__getitem__)
    if len(names) < 2 or times[best] < HELP * times[worst]:
        return []
    return [
        gettext(
            "Most for %(best)s, %(most)s times as many, and least for %(worst)s, %(least)s times."
        )
        % {
            "best": best,
            "most": f"{times[best]:.1f}",
            "worst": worst,
            "least": f"{times[worst]:.1f}",
        }
    ]


def _why_not(body: dict[str, Any]) -> str:
    reasons = [row.get("human_score_assisted", {}) for row in body["generators"]]
    known = [score["undefined"] for score in reasons if "undefined" in score]
    if any("value" in score for score in reasons):
        return gettext("no generator has %(number)s labels") % {"number": enough.IMAGES}
    return known[0] if known else gettext("this report is older than these scores")
