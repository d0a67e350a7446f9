"""What the judges make people's labels worth, in sentences that follow from the numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from audit.stats import enough
from audit.words.numbers import join_names
from audit.words.report import title

# Below this gain in labels nobody would speak of help.
HELP = 1.1
NOT_TO_AUDIT = (
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
        return [f"No score yet: {_why_not(body)}.", NOT_TO_AUDIT]
    worth = {name: score["effective_labels"] for name, score in scores.items()}
    complete = [name for name, score in scores.items() if score["n"] == score["images"]]
    rest = [name for name in scores if name not in complete and worth[name] is not None]
    lines = []
    if rest:
        labels = sum(scores[name]["n"] for name in rest)
        counted = sum(worth[name] for name in rest)
        of = "" if len(rest) == len(body["generators"]) else f" of {len(rest)} generators"
        if counted >= HELP * labels:
            lines.append(f"Judge-assisted, your {labels:,} labels{of} are worth {counted:,.0f}.")
            lines += _most_and_least(scores, rest)
        else:
            lines.append(
                f"The judges are no help here: your {labels:,} labels{of} are worth {counted:,.0f} with "
                "them. Finding that out costs hardly any width."
            )
    if complete:
        lines.append(
            f"{join_names(complete)}: all images have labels, so there is nothing left for judges to add."
        )
    return [*lines, NOT_TO_AUDIT]


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
    return f"carried by {', '.join(shown[:3])}"


def _most_and_least(scores: dict[str, dict[str, Any]], names: list[str]) -> list[str]:
    times = {name: scores[name]["effective_labels"] / scores[name]["n"] for name in names}
    best, worst = max(times, key=times.__getitem__), min(times, key=times.__getitem__)
    if len(names) < 2 or times[best] < HELP * times[worst]:
        return []
    return [
        f"Most for {best}, {times[best]:.1f} times as many, and least for {worst}, {times[worst]:.1f} times."
    ]


def _why_not(body: dict[str, Any]) -> str:
    reasons = [row.get("human_score_assisted", {}) for row in body["generators"]]
    known = [score["undefined"] for score in reasons if "undefined" in score]
    if any("value" in score for score in reasons):
        return f"no generator has {enough.IMAGES} labels"
    return known[0] if known else "this report is older than these scores"
