"""The tables of a report to hand in: generators, judges over everything, and each statistic by
generator, with the judges as rows so that twelve of them still fit a page."""

from __future__ import annotations

from typing import Any

from audit.exhibits import Column, Number, Row, Table, statistic_column
from audit.handed_in.cells import NONE, printed_number
from audit.statistic_names import STATISTICS, stored_statistic
from audit.words import drift_state
from audit.words.report import title
from jurybox_stats.instrument.verdict import name_verdict, verdict_of
from jurybox_stats.multiplicity import LEVEL

OVERALL = (
    "off",
    "auroc",
    "cohen_kappa",
    "percent_agreement",
    "kendall_tau_b",
    "pairwise_accuracy_calibrated",
)
BY_GENERATOR = ("net_deviation", "auroc", "cohen_kappa", "kendall_tau_b")
# More columns than this do not fit the width of a page.
ACROSS = 8
INTERVALS = "Below each value its 95 % interval."


def generators(body: dict[str, Any]) -> Table:
    rows = tuple(
        Row(
            generator["name"],
            (
                {"text": generator["release_date"] or NONE},
                {"text": str(generator["images"])},
                printed_number(generator["human_score"]),
            ),
        )
        for generator in body["generators"]
    )
    what = "share of images right, in points" if body["in_points"] else "mean rating"
    return Table(
        "generators",
        f"The generators, and what people say of their images ({what}). {INTERVALS}",
        "generator",
        (
            Column("released", "released"),
            Column("images", "images"),
            statistic_column("human_score", "people"),
        ),
        rows,
    )


def overall(body: dict[str, Any]) -> Table:
    notes = []
    bold = {statistic: separated(body, statistic) for statistic in OVERALL}
    rows = []
    for name, judge in body["judges"].items():
        known = {**judge["overall"], "off": drift_state.off_now(judge)}
        numbers = [
            printed_number({**stored_statistic(known, key), "bold": bold[key] == name})
            for key in OVERALL
        ]
        rows.append(Row(title(name), ({"text": name_verdict(verdict_of(judge))}, *numbers)))
    ceiling = {
        key: body["people"]["ceiling"].get(
            key, {"undefined": "not part of the comparison of one person with the others", "n": 0}
        )
        for key in OVERALL
    }
    one = map(printed_number, ceiling.values())
    rows.append(Row("one person with the others", ({"text": NONE}, *one), apart=True))
    if any(bold.values()):
        notes.append(f"Bold: better than every other judge (p ≤ {LEVEL:g}, Holm’s correction).")
    elif len(body["judges"]) > 1:
        notes.append("Nothing is bold: no judge is better than every other beyond chance.")
    if len(body["judges"]) > 1:
        notes.append("Tested are AUROC and agreement alone.")
    return Table(
        "judges",
        f"Judges compared with people, all images. {INTERVALS}",
        "judge",
        (Column("verdict", "verdict"), *map(statistic_column, OVERALL)),
        tuple(rows),
        notes=tuple(notes),
    )


def separated(body: dict[str, Any], statistic: str) -> str:
    """The judge whose number may stand in bold: the corrected test separates it from every other.

    Judges are tested against the one that is best by AUROC. Where another is better by this
    statistic, or one could not be tested, no judge is set apart.
    """
    compared = body.get("comparison", {})
    best = compared.get("best")
    if best is None or not compared["judges"]:
        return ""
    for differences in compared["judges"].values():
        difference = differences.get(statistic, {})
        p = difference.get("p_holm")
        if p is None or p > LEVEL or difference["value"] >= 0:
            return ""
    return best


def by_generator(body: dict[str, Any], statistic: str) -> list[Table]:
    """One table, or several of equal width where the generators do not fit the page."""
    numbers = {name: _numbers(judge, statistic) for name, judge in body["judges"].items()}
    if not any("value" in row for judge in numbers.values() for row in judge.values()):
        return []
    listed = body["generators"]
    parts = -(-len(listed) // ACROSS)
    size = -(-len(listed) // parts)
    chunks = [listed[start : start + size] for start in range(0, len(listed), size)]
    return [
        _part(body, statistic, numbers, chunk, f", part {place} of {parts}" if parts > 1 else "")
        for place, chunk in enumerate(chunks, start=1)
    ]


def why_not(body: dict[str, Any], statistic: str) -> str:
    """Why there is no such table at all."""
    reasons = dict.fromkeys(
        row["undefined"]
        for judge in body["judges"].values()
        for row in _numbers(judge, statistic).values()
    )
    said = "; ".join(reasons) or "no generator has images"
    return f"There is no table of {STATISTICS[statistic].name} by generator: {said}."


def _part(
    body: dict[str, Any],
    statistic: str,
    numbers: dict[str, dict[str, dict[str, Any]]],
    chunk: list[dict[str, Any]],
    which: str,
) -> Table:
    notes = []
    offsets = [
        title(name)
        for name, judge in body["judges"].items()
        if statistic == "net_deviation" and drift_state.shows_offsets(judge)
    ]
    nothing = {"undefined": "too few to judge: no number here", "n": 0}
    rows = tuple(
        Row(
            title(name),
            tuple(printed_number(judge.get(one["name"], nothing)) for one in chunk),
        )
        for name, judge in numbers.items()
    )
    if offsets:
        notes.append(
            f"These scores have no unit: compared with the oldest generators: {', '.join(offsets)}."
        )
    return Table(
        statistic,
        f"{_statistic_title(statistic)} by generator{which}. {INTERVALS}",
        "judge",
        tuple(
            statistic_column(statistic, one["name"], (one["release_date"] or "no date")[:7])
            for one in chunk
        ),
        rows,
        notes=tuple(notes),
    )


def _statistic_title(statistic: str) -> str:
    if statistic == "net_deviation":
        return "Off by (people’s mean answers − judge, points)"
    return STATISTICS[statistic].name


def _numbers(judge: dict[str, Any], statistic: str) -> dict[str, dict[str, Any]]:
    if statistic == "net_deviation":
        return drift_state.deviations(judge) or _judge_values(judge, statistic)
    return _judge_values(judge, statistic)


def _judge_values(judge: dict[str, Any], statistic: str) -> dict[str, dict[str, Any]]:
    return {
        name: stored_statistic(stats, statistic) for name, stats in judge["by_generator"].items()
    }


def differences(body: dict[str, Any]) -> Table | None:
    """Each judge less the one that is best by AUROC, with the corrected p-values."""
    compared = body.get("comparison", {})
    if not compared.get("judges"):
        return None
    keys: tuple[str, ...] = ("auroc", "percent_agreement", "kendall_tau_b", "pairwise_accuracy")
    rows = []
    for name, known in compared["judges"].items():
        numbers: list[Number] = []
        for key in keys:
            numbers.append(printed_number(known[key]))
            if key in compared.get("tests", {}):
                numbers.append({"text": _p(known[key])})
        rows.append(Row(title(name), tuple(numbers)))
    columns: list[Column] = []
    for key in keys:
        columns.append(statistic_column(key))
        if key in compared.get("tests", {}):
            columns.append(Column("p", "p", under="Holm"))
    return Table(
        "differences",
        f"Each judge less {title(compared['best'])}, the best by AUROC, on the images that both "
        f"scored. {INTERVALS}",
        "judge",
        tuple(columns),
        tuple(rows),
    )


def _p(difference: dict[str, Any]) -> str:
    p = difference.get("p_holm")
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
