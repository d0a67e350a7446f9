"""The first sentences of each page, made from a report by fixed rules."""

from __future__ import annotations

from typing import Any

from audit.statistic_names import STATISTICS
from audit.stats import enough
from audit.view import SLICES, View
from audit.words.numbers import number, p_words, with_interval
from audit.words.report import title, what_is_lacking


def of_judges(body: dict[str, Any]) -> list[str]:
    if lacking := what_is_lacking(body):
        return [lacking]
    compared = body["comparison"]
    best = compared["best"]
    if best is None:
        return [_no_best(body)]
    auroc = body["judges"][best]["overall"]["auroc"]
    lines = [f"{title(best)} is closest to people: AUROC {with_interval('auroc', auroc)}."]
    for name, differences in compared["judges"].items():
        lines.append(_behind(name, differences["auroc"]))
    lines.append(_ceiling(body))
    return [line for line in lines if line]


def _no_best(body: dict[str, Any]) -> str:
    most = max(body["judges"].values(), key=lambda judge: judge["overall"]["n"])["overall"]
    if most["n"] < enough.IMAGES or "undefined" not in most["auroc"]:
        return f"Too few to judge: no judge has {enough.IMAGES} images with labels of both kinds."
    said = f"No judge has an AUROC: {most['auroc']['undefined']}."
    if body.get("positive_at") is None:
        return said
    return f"{said} Here an image counts as right from a mean of {body['positive_at']:.4g} on."


def _behind(name: str, difference: dict[str, Any]) -> str:
    if "undefined" in difference:
        return f"{title(name)} cannot be compared with it: {difference['undefined']}."
    p = difference.get("p_holm")
    if p is None:
        return f"{title(name)} differs, but no test could be made: {difference['no_p']}."
    size = with_interval("auroc", {**difference, "value": difference["value"]})
    if p <= 0.05:
        return f"{title(name)} is behind it by more than chance: {size}, {p_words(p)}."
    if difference["low"] <= 0 <= difference["high"]:
        return f"{title(name)} cannot be told apart from it: {size}, {p_words(p)}."
    return (
        f"{title(name)} cannot be told apart from it where so many judges are compared: {size}, "
        f"{p_words(p)}."
    )


def _ceiling(body: dict[str, Any]) -> str:
    ceiling = body["people"]["ceiling"]["percent_agreement"]
    if "undefined" in ceiling:
        return f"How far people agree among themselves is not known: {ceiling['undefined']}."
    above = [
        title(name)
        for name, judge in body["judges"].items()
        if judge["overall"]["percent_agreement"].get("value", 0) >= ceiling["value"]
    ]
    share = f"One person agrees with the others on {100 * ceiling['value']:.1f} % of images"
    if not above:
        return f"{share}; no judge reaches that."
    return f"{share}; {', '.join(above)} {'reaches' if len(above) == 1 else 'reach'} that."


def of_slices(body: dict[str, Any], view: View) -> list[str]:
    if lacking := what_is_lacking(body):
        return [lacking]
    by, statistic = view.by or "tag", view.slice_statistic(body)
    lines = []
    for name in view.judges_of(body):
        slices = body["judges"][name].get(f"by_{by}", {})
        known = {
            key: stats[statistic]
            for key, stats in slices.items()
            if "value" in stats.get(statistic, {}) and stats[statistic]["n"] >= enough.IMAGES
        }
        if not known:
            lines.append(f"{title(name)}: {_why_no_slice(slices, by, statistic)}.")
            continue
        if STATISTICS[statistic].band:
            worst = max(known, key=lambda key: abs(known[key]["value"]))
            manner = "strict" if known[worst]["value"] > 0 else "lenient"
            shown = with_interval(statistic, known[worst])
            lines.append(
                f"{title(name)} is furthest from people on {worst}: {shown}, too {manner}."
            )
        else:
            worst = min(known, key=lambda key: known[key]["value"])
            shown = with_interval(statistic, known[worst])
            lines.append(
                f"{title(name)} is weakest on {worst}: {STATISTICS[statistic].name} {shown}."
            )
    return lines


def _why_no_slice(slices: dict[str, dict[str, Any]], by: str, statistic: str) -> str:
    """The reason of the largest slice, if that has enough images."""
    largest = max(slices.values(), key=lambda stats: stats["n"], default=None)
    if largest is None or largest["n"] < enough.IMAGES:
        return f"no {SLICES[by]} has enough images for a number"
    return largest.get(statistic, {}).get("undefined", f"no {SLICES[by]} has a number")


def of_calibration(body: dict[str, Any], name: str) -> list[str]:
    if lacking := what_is_lacking(body):
        return [lacking]
    judge = body["judges"][name]
    auroc = judge["overall"]["auroc"]
    if "undefined" in auroc:
        return [f"{title(name)}: {auroc['undefined']}."]
    lines = [
        f"{title(name)} ranks an image that people call correct above one that they call wrong in "
        f"{100 * auroc['value']:.1f} of 100 cases."
    ]
    bins = judge["curves"]["reliability"]
    if isinstance(bins, dict):
        return [*lines, f"Its scores cannot be read as probabilities: {bins['undefined']}."]
    known = [score_bin for score_bin in bins if "value" in score_bin["people"]]
    if known:
        worst = max(known, key=lambda row: abs(row["people"]["value"] - row["score"]))
        people, score = worst["people"]["value"], worst["score"]
        lines.append(
            f"Where its score is {score:.0f} of 100, people say yes to {people:.0f} of 100 images: "
            "its widest gap."
        )
    return lines


def of_gallery(name: str, total: int, *, stored: bool, ranks: bool) -> list[str]:
    if not stored:
        return ["The gallery of this report is no longer stored. Open the newest report instead."]
    if not total:
        return [f"No image with labels and a score of {title(name)} passes these filters."]
    by = (
        "the difference of their ranks"
        if ranks
        else "the difference of its score and people’s mean"
    )
    images = "image" if total == 1 else "images"
    return [
        f"{total} {images}. Those where {title(name)} and people differ most come first (by {by})."
    ]


def of_people(question: dict[str, Any]) -> list[str]:
    """How well people agree on a question, what a judge can reach, and whether agreement changed."""
    share, ceiling, change = (question[part] for part in ("percent", "ceiling", "change"))
    if "undefined" in share:
        return [f"How well people agree is not known: {share['undefined']}."]
    lines = [f"Two people give the same answer in {_percent(share)} of cases{_alpha(question)}."]
    if "value" in ceiling:
        lines.append(
            f"One person gives the majority answer of the others in {_percent(ceiling)} of cases: "
            "no judge can be expected to do better than this."
        )
    if "undefined" in change:
        lines.append(f"Whether agreement has changed is not known: {change['undefined']}.")
    elif change["low"] <= 0 <= change["high"]:
        lines.append(
            "Agreement is the same in the earlier and the later half of the answers, within the "
            "interval."
        )
    else:
        way = "more" if change["value"] > 0 else "less"
        size = sorted(100 * abs(change[part]) for part in ("low", "high"))
        lines.append(
            f"People agree {way} in the later half of the answers: by "
            f"{100 * abs(change['value']):.1f} points ({size[0]:.1f} to {size[1]:.1f})."
        )
    return lines


def _percent(share: dict[str, Any]) -> str:
    value, low, high = (share[part] for part in ("value", "low", "high"))
    between = "" if low is None else f" ({100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * value:.1f} %{between}"


def _alpha(question: dict[str, Any]) -> str:
    alpha = question["alpha"]["nominal"]
    if "undefined" in alpha:
        return ""
    shown = (
        with_interval("alpha", alpha)
        if alpha["low"] is not None
        else number("alpha", alpha["value"])
    )
    return f"; Krippendorff’s α {shown}"
