"""The numbers of judges as tables: over all images, generator by generator, and since each judge's own release."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.counts import count_things
from annotations.language.stored_words import say
from audit.charts import drift as drift_chart
from audit.charts.faces import face_of
from audit.exhibits import Row, Table, row, statistics_table
from audit.pages.frame import ReportPage
from audit.statistic_names import headings
from audit.view import View
from audit.words import drift_state
from audit.words import report as report_words
from jurybox_stats import enough
from jurybox_stats.over_time.drift import SATURATED

AGREEMENT = ("auroc", "cohen_kappa", "kendall_tau_b", "pairwise_accuracy")
OFF_NOW = {"off": gettext_noop("off by now")}
OVERALL = headings("slope_points_per_year", *AGREEMENT)
SINCE = {
    "before": gettext_noop("AUROC on older generators"),
    "since": gettext_noop("AUROC on those released since"),
    "auroc": gettext_noop("change"),
}


def below_the_chart(body: dict[str, Any], name: str) -> str:
    """What a chart over release dates does not show, and why."""
    lines = (
        _saturated(body),
        _undated(body),
        report_words.not_drawn(body, [name]),
        _other_scale(body, name),
    )
    return " ".join(say(line) for line in lines if line)


def _saturated(body: dict[str, Any]) -> str:
    done = [g["name"] for g in body["generators"] if g.get("saturated") == "yes"]
    least, names = f"{SATURATED:g}", ", ".join(done)
    return f"Saturated: people say yes to {least} % or more of {names}." if done else ""


def _undated(body: dict[str, Any]) -> str:
    if len(body["generators"]) == 1 and body["generators"][0]["release_date"]:
        return "There is one generator only; drift is measured between generators. Import another."
    listed = ", ".join(g["name"] for g in body["generators"] if not g["release_date"])
    if not listed:
        return ""
    return (
        f"Not on the timeline, because no release date is known: {listed}. Their numbers "
        "are in the tables; import the generators with a date to draw them."
    )


def _other_scale(body: dict[str, Any], name: str) -> str:
    if drift_chart.on_peoples_scale(body, [name]):
        return ""
    names = report_words.title(name)
    return (
        f"Scores not drawn: {names}, because they are not points of people’s scale. "
        "AUROC, τ and pairwise accuracy need no common scale; they are shown below."
    )


def gap_columns(body: dict[str, Any], off: dict[str, str] = OFF_NOW) -> dict[str, str]:
    """Where labels were drawn with unequal chances only means are weighted, and nothing is known of drift."""
    return headings("net_deviation") if body.get("drawn") else off


def judge_row(
    body: dict[str, Any], name: str, stats: dict[str, Any], columns: dict[str, str], **more: Any
) -> Row:
    """A row about this judge, with its title and how charts draw it."""
    face = face_of(body, name)
    return row(report_words.title(name), stats, columns, judge=name, face=face, **more)


def overall(body: dict[str, Any], judges: list[str]) -> Table:
    columns = {**gap_columns(body), **OVERALL}
    rows = [
        judge_row(
            body,
            name,
            {**judge["overall"], **judge["drift"], "off": drift_state.off_now(judge)},
            columns,
            at_least=enough.IMAGES,
        )
        for name in judges
        for judge in [body["judges"][name]]
    ]
    return statistics_table(
        "overall", gettext_noop("Compared with people, all images"), "judge", columns, rows
    )


def tables(page: ReportPage, body: dict[str, Any], judges: list[str]) -> list[Table]:
    """A table for each judge; then, for all of them, how they follow people since their own release."""
    since = [
        row(
            report_words.title(name),
            body["judges"][name]["drift"].get("since_own_release", {}),
            SINCE,
            judge=name,
            note=body["signature"]["judge_facts"][name]["release_date"]
            or gettext("no release date"),
        )
        for name in judges
    ]
    title = gettext_noop("Generators released after the judge, compared with older ones")
    return [
        *(_by_generator(page, body, name, number) for number, name in enumerate(judges, start=1)),
        statistics_table("since", title, "judge", SINCE, since),
    ]


def _by_generator(page: ReportPage, body: dict[str, Any], name: str, number: int) -> Table:
    judge = body["judges"][name]
    off = drift_state.off_by_generator(judge)
    columns = {
        **headings("human_score", "judge_score"),
        **gap_columns(body, headings("off")),
        **headings(*AGREEMENT),
    }
    rows: list[Row] = []
    for code, generator in enumerate(body["generators"]):
        when, images = generator["release_date"], count_things(generator["images"], "images")
        why = drift_state.why_not_off(judge) if when else gettext_noop("no release date")
        stats = {
            **judge["by_generator"][generator["name"]],
            "human_score": generator["human_score"],
            "off": off.get(generator["name"], {"undefined": why, "n": generator["images"]}),
        }
        rows.append(
            row(
                generator["name"],
                stats,
                columns,
                at_least=enough.IMAGES,
                judge=name,
                note=f"{when or gettext('no release date')} · {images}",
                # A row opens its disagreements.
                link=page.address("gallery", judge=name, generator=code),
            )
        )
    called = report_words.title(name)
    heading = gettext_noop(f"{called}, generator by generator")
    return statistics_table(f"judge-{number}", heading, "generator", columns, rows)


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    judges = view.judges_of(body)
    return [overall(body, judges), *tables(page, body, judges)]
