"""The first sentences of each page, made from a report by fixed rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_noop

from annotations.language.counts import count_things
from audit.statistic_names import STATISTICS, stored_statistic
from audit.view import MANY, SLICES, View
from audit.words.numbers import number, per_hundred, side, with_interval
from audit.words.report import title, what_is_lacking
from jurybox_formats.forms.translations import LANGUAGE_NAMES
from jurybox_stats import enough
from jurybox_stats.multiplicity import LEVEL


def of_judges(body: dict[str, Any]) -> list[str]:
    if lacking := what_is_lacking(body):
        return [lacking]
    compared = body["comparison"]
    best = compared["best"]
    if best is None:
        return [_no_best(body)]
    auroc = body["judges"][best]["overall"]["auroc"]
    lines = [f"{title(best)} is closest to people: AUROC {with_interval('auroc', auroc)}."]
    if len(compared["judges"]) < MANY:
        for name, differences in compared["judges"].items():
            lines.append(_behind_words(name, differences["auroc"]))
    else:
        lines += all_behind(compared["judges"])
    lines.append(_ceiling(body))
    return [line for line in lines if line]


def _no_best(body: dict[str, Any]) -> str:
    most = max(body["judges"].values(), key=lambda judge: judge["overall"]["n"])["overall"]
    if most["auroc"]["n"] < enough.IMAGES or "undefined" not in most["auroc"]:
        return f"Too few to judge: no judge has {enough.IMAGES} images with labels of both kinds."
    said = f"No judge has an AUROC: {most['auroc']['undefined']}."
    if body.get("positive_at") is None:
        return said
    cut = f"{body['positive_at']:.4g}"
    return f"{said} " + f"Here an image counts as right from a mean of {cut} on."


def all_behind(judges: dict[str, Any]) -> list[str]:
    """Many judges in two sentences; their numbers are in the table."""
    behind = [name for name, row in judges.items() if row["auroc"].get("p_holm", 1.0) <= LEVEL]
    level = [
        title(name)
        for name, row in judges.items()
        if "p_holm" in row["auroc"] and name not in behind
    ]
    untested = [title(name) for name, row in judges.items() if "p_holm" not in row["auroc"]]
    return [
        line
        for some, line in (
            (
                behind,
                "1 of the others is behind it by more than chance."
                if len(behind) == 1
                else f"{len(behind)} of the others are behind it by more than chance.",
            ),
            (level, f"Statistically tied with it: {', '.join(level)}."),
            (untested, f"Not tested: {', '.join(untested)}."),
        )
        if some
    ]


def _behind_words(name: str, difference: dict[str, Any]) -> str:
    if "undefined" in difference:
        return f"{title(name)} cannot be compared with it: {difference['undefined']}."
    p = difference.get("p_holm")
    if p is None:
        return f"{title(name)} differs, but no test could be made: {difference['no_p']}."
    size, way = with_interval("auroc", difference), side(difference)
    if not way:
        return f"{title(name)} is statistically tied with it: {size}."
    if p > LEVEL:
        return f"{title(name)} is statistically tied with it, as many judges are compared: {size}."
    if way > 0:
        return (
            f"On the images that both have scored, {title(name)} is ahead of it by more than chance: "
            f"{size}."
        )
    return f"{title(name)} is behind it by more than chance: {size}."


def _ceiling(body: dict[str, Any]) -> str:
    """The same question that judges get: yes or no, of a rating whether it reaches the cut."""
    ceiling = body["people"]["ceiling"]["percent_agreement"]
    if "undefined" in ceiling:
        return f"How far people agree among themselves is not known: {ceiling['undefined']}."
    cut = body.get("positive_at")
    times = per_hundred(ceiling)
    if cut is None:
        share = gettext_noop(
            f"One person says the same yes or no as most of the others on {times} of 100 images"
        )
    else:
        at = f"{cut:.4g}"
        share = gettext_noop(
            f"One person’s rating and the others’ mean lie on the same side of {at} on {times} of 100 images"
        )
    reach, near = _up_to(body, ceiling)
    if not reach and not near:
        return f"{share}; no judge agrees with people as often."
    judges, others = ", ".join(reach), ", ".join(near)
    if reach and near:
        told = (
            gettext_noop(f"{share}; {judges} agrees with people as often")
            if len(reach) == 1
            else gettext_noop(f"{share}; {judges} agree with people as often")
        )
        return f"{told}; whether these agree with people as often is not known yet: {others}."
    if near:
        return f"{share}; whether these agree with people as often is not known yet: {others}."
    if len(reach) == 1:
        return f"{share}; {judges} agrees with people as often."
    return f"{share}; {judges} agree with people as often."


def _up_to(body: dict[str, Any], ceiling: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The judges that agree with people as often as one person does, and those whose interval holds
    both."""
    reach, near = [], []
    for name, judge in body["judges"].items():
        found = stored_statistic(judge["overall"], "percent_agreement")
        if "undefined" in found or found["n"] < enough.IMAGES or found["low"] is None:
            continue
        if found["low"] >= ceiling["value"]:
            reach.append(title(name))
        elif found["high"] >= ceiling["value"]:
            near.append(title(name))
    return reach, near


def of_slices(body: dict[str, Any], view: View, judges: Sequence[str] | None = None) -> list[str]:
    """`judges`: the only ones to speak of."""
    if lacking := what_is_lacking(body):
        return [lacking]
    by, statistic = view.by or "tag", view.slice_statistic(body)
    lines = []
    for name in judges or view.judges_of(body):
        slices = body["judges"][name].get(f"by_{by}", {})
        known = {
            key: stats[statistic]
            for key, stats in slices.items()
            if "value" in stats.get(statistic, {}) and stats[statistic]["n"] >= enough.IMAGES
        }
        if not known:
            lines.append(f"{title(name)}: {_why_no_slice(slices, by, statistic)}.")
            continue
        lines.append(
            _furthest(title(name), known, by, statistic)
            if STATISTICS[statistic].band
            else _lowest(title(name), known, statistic)
        )
    return lines


def _furthest(judge: str, known: dict[str, dict[str, Any]], by: str, statistic: str) -> str:
    """The slice that lies furthest from the judge's own average, if it does so by more than chance. Not that
    it is stricter there: a judge of little gain is lower wherever people say yes more often."""
    tested = {key: estimate for key, estimate in known.items() if "p_bh" in estimate}
    if not tested:
        worst = max(known, key=lambda key: abs(known[key]["value"]))
        return (
            f"{judge} is furthest from people on {worst}: {with_interval(statistic, known[worst])}."
        )
    clear = {key: estimate for key, estimate in tested.items() if estimate["p_bh"] <= LEVEL}
    worst = max(clear or tested, key=lambda key: abs(tested[key]["from_average"]["value"]))
    apart = tested[worst]["from_average"]
    shown = with_interval(statistic, apart)
    if not clear:
        kind = SLICES[by]
        return f"{judge}: no {kind} stands out (largest {shown} on {worst}, may be chance)."
    if apart["value"] > 0:
        size = with_interval("points_off", apart)
        return f"Beside people, {judge} is clearly lower on {worst} than on average, by {size}."
    turned = {**apart, "value": -apart["value"], "low": -apart["high"], "high": -apart["low"]}
    size = with_interval("points_off", turned)
    return f"Beside people, {judge} is clearly higher on {worst} than on average, by {size}."


def _lowest(judge: str, known: dict[str, dict[str, Any]], statistic: str) -> str:
    worst = min(known, key=lambda key: known[key]["value"])
    shown = with_interval(statistic, known[worst])
    name = STATISTICS[statistic].name
    line = gettext_noop(f"{judge} has its lowest {name} on {worst}: {shown}")
    if "p_bh" not in known[worst]:
        return f"{line}."
    if known[worst]["p_bh"] <= LEVEL and known[worst]["from_average"]["value"] < 0:
        return f"{line}, clearly below its average."
    return f"{line}, not clearly below its average."


def _why_no_slice(slices: dict[str, dict[str, Any]], by: str, statistic: str) -> str:
    """The reason of the largest slice, if that has enough images."""
    kind = SLICES[by]
    largest = max(slices.values(), key=lambda stats: stats["n"], default=None)
    if largest is None or largest["n"] < enough.IMAGES:
        return gettext_noop(f"no {kind} has enough images for a number")
    none = gettext_noop(f"no {kind} has a number")
    return str(largest.get(statistic, {}).get("undefined", none))


def of_calibration(body: dict[str, Any], name: str) -> list[str]:
    if lacking := what_is_lacking(body):
        return [lacking]
    judge = body["judges"][name]
    auroc = judge["overall"]["auroc"]
    if "undefined" in auroc:
        return [f"{title(name)}: {auroc['undefined']}."]
    lines = [
        f"{title(name)} ranks an image that people call correct above one that they call wrong in "
        f"{per_hundred(auroc)} of 100 cases."
    ]
    bins = judge["curves"]["reliability"]
    if isinstance(bins, dict):
        return [*lines, f"Its scores cannot be read as probabilities: {bins['undefined']}."]
    known = [score_bin for score_bin in bins if "value" in score_bin["people"]]
    if known:
        worst = max(known, key=lambda row: abs(row["people"]["value"] - row["score"]))
        people, score = worst["people"], worst["score"]
        said, yes = f"{score:.0f}", _bounded(people)
        gap = gettext_noop(
            f"Where its score is {said} of 100, people say yes to {yes} of 100 images: its widest gap"
        )
        chance = people["low"] <= score <= people["high"]
        lines.append(f"{gap}, which may be chance." if chance else f"{gap}.")
    return lines


def _bounded(people: dict[str, Any]) -> str:
    return per_hundred({part: people[part] / 100 for part in ("value", "low", "high")})


def of_gallery(name: str, total: int, *, stored: bool, ranks: bool) -> list[str]:
    if not stored:
        return ["The gallery of this report is no longer stored. Open the newest report instead."]
    if not total:
        return [f"No image with labels and a score of {title(name)} passes these filters."]
    judge, images = title(name), count_things(total, "images")
    if ranks:
        return [
            f"{images}. Those where {judge} and people differ most come first (by the difference of their "
            "ranks)."
        ]
    return [
        f"{images}. Those where {judge} and people differ most come first (by the difference of its score and "
        "people’s mean)."
    ]


def of_people(question: dict[str, Any]) -> list[str]:
    """How well people agree on a question, what a judge can reach, and whether agreement changed."""
    share, ceiling, change = (question[part] for part in ("percent", "ceiling", "change"))
    if "undefined" in share:
        unknown = f"How well people agree is not known: {share['undefined']}."
        return [unknown, *languages_note(question)]
    lines = [f"Two people give the same answer in {_percent(share)} of cases{_alpha(question)}."]
    if "value" in ceiling:
        lines.append(
            f"One person gives exactly the answer that most of the others give in {_percent(ceiling)} "
            "of cases. No judge can be expected to hit people’s exact answer more often."
        )
    if "undefined" in change:
        lines.append(f"Whether agreement has changed is not known: {change['undefined']}.")
    elif change["low"] <= 0 <= change["high"]:
        lines.append(
            "Between the earlier and the later half of the answers no change of agreement can be told: "
            f"{with_interval('points', _in_points(change))}."
        )
    else:
        way = "more" if change["value"] > 0 else "less"
        by = with_interval("points", _in_points(change))
        lines.append(f"People agree {way} in the later half of the answers: {by}.")
    return lines + languages_note(question)


def languages_note(question: dict[str, Any]) -> list[str]:
    """Empty where everybody was asked in the same language."""
    counts = dict(question.get("languages", {}))
    if not counts:
        return []
    unknown = counts.pop(None, 0)
    asked = [f"in its own words {_times(counts.pop(''))}"] if "" in counts else []
    asked += [f"in {_language_name(code)} {_times(n)}" for code, n in sorted(counts.items())]
    asked += [f"in an unknown language {_times(unknown)}"] if unknown else []
    return [
        f"This question was asked {', '.join(asked)}. "
        "Other words can bring other answers; the export names the language of each."
    ]


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"


def _language_name(code: str) -> str:
    """An import may name one that no page speaks."""
    return LANGUAGE_NAMES.get(code, f"“{code}”")


def _in_points(share: dict[str, Any]) -> dict[str, Any]:
    return {part: 100 * share[part] for part in ("value", "low", "high")}


def _percent(share: dict[str, Any]) -> str:
    """ "55.1 % (50.2 to 60.0)"."""
    value, _, between = per_hundred(share).partition(" ")
    return f"{value} % {between}".rstrip()


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
