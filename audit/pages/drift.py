"""Where, and since when, a judge has drifted away from people; why, in a half that is loaded when it is seen."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from annotations.language.counts import count_things
from annotations.language.stored_words import say
from audit.charts import drift as drift_chart
from audit.charts.faces import face_of
from audit.exhibits import Row, Table, row, statistics_table
from audit.pages.filters import judge_boxes
from audit.pages.frame import ReportPage, report_view
from audit.statistic_names import headings, stored_statistic
from audit.view import MANY, View, foremost
from audit.words import drift_state
from audit.words import report as report_words
from jurybox_stats import enough
from jurybox_stats.over_time.drift import SATURATED

AGREEMENT = ("auroc", "cohen_kappa", "kendall_tau_b", "pairwise_accuracy")
OVERALL = headings("net_deviation", "slope_points_per_year", *AGREEMENT)
BY_GENERATOR = headings("human_score", "judge_score", "net_deviation", "off", "offset", *AGREEMENT)
MARKS = "A dotted line marks the release of each judge, which was tuned on older generators."
SINCE = {
    "before": gettext_noop("AUROC on older generators"),
    "since": gettext_noop("AUROC on those released since"),
    "auroc": gettext_noop("change"),
}


@report_view("audit/drift.html")
def drift(page: ReportPage) -> dict[str, Any]:
    body = page.body
    # The second half follows the address, too.
    why = reverse("why", args=[page.study.slug])
    context: dict[str, Any] = {
        "tables": [],
        "why_url": f"{why}?{page.request.GET.urlencode()}",
    }
    if not page.compares:
        return context
    judges, loud = page.view.judges_of(body), page.view.judges_drawn(body)[1]
    many = len(body["judges"]) > MANY
    asked = {"judge": list(page.view.judges)}
    few = report_words.not_drawn(body, judges)
    undated = [g["name"] for g in body["generators"] if not g["release_date"]]
    return {
        **context,
        "tally": report_words.tally(body["judges"]) if many else "",
        "tiles": tiles(body) if many else [],
        "rest": [*sentences(body, judges)] if many else [],
        "sentences": [] if many else [*sentences(body, judges)],
        "plot": page.plot(
            "drift", gettext("People and judges, by release date of the generator"), **asked
        ),
        "csv": page.table_file("drift", **asked),
        "agreement": page.plot(
            "agreement", gettext("Agreement with people, by release date of the generator"), **asked
        ),
        "overall": overall(body, judges),
        "each": page.plot("each", gettext("Every judge by itself"), **asked) if many else None,
        "tables": tables(page, body, loud),
        "folded": len(judges) - len(loud),
        "undated": " ".join(
            say(part) for part in (_undated(undated), few, _other_scales(body, judges)) if part
        ),
        "released": f"{say(MARKS)} {say(few)}".strip(),
        "filters": [judge_boxes(body, loud)] if len(body["judges"]) > 1 else [],
        "filter_url": page.request.path,
    }


def tiles(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The judges to hear of first."""
    return [
        {
            "title": called,
            "face": face_of(body, name),
            "state": drift_state.state_of(judge),
            "words": say(drift_state.sentence(called, judge)).removeprefix(called),
        }
        for name in foremost(body)
        for judge, called in [(body["judges"][name], report_words.title(name))]
    ]


def sentences(body: dict[str, Any], judges: list[str]) -> list[str]:
    """One for each judge, the drifted ones first; then saturated generators."""
    shown = {**body, "judges": {name: body["judges"][name] for name in judges}}
    lines = report_words.sentences(shown)
    done = [g["name"] for g in body["generators"] if g.get("saturated") == "yes"]
    if done:
        least, names = f"{SATURATED:g}", ", ".join(done)
        lines.append(f"Saturated: people say yes to {least} % or more of {names}.")
    dated = [g for g in body["generators"] if g["release_date"]]
    if len(dated) == 1 == len(body["generators"]):
        lines.append(
            "There is one generator only; drift is measured between generators. Import another."
        )
    return lines


def _undated(names: list[str]) -> str:
    if not names:
        return ""
    listed = ", ".join(names)
    return (
        f"Not on the timeline, because no release date is known: {listed}. Their numbers "
        "are in the tables; import the generators with a date to draw them."
    )


def _other_scales(body: dict[str, Any], judges: list[str]) -> str:
    """Names the judges that are not drawn because their scores are on another scale."""
    drawn = drift_chart.on_peoples_scale(body, judges)
    apart = [report_words.title(name) for name in judges if name not in drawn]
    if not apart:
        return ""
    names = ", ".join(apart)
    return (
        f"Scores not drawn: {names}, because they are not points of people’s scale. "
        "AUROC, τ and pairwise accuracy need no common scale; they are shown below."
    )


def overall(body: dict[str, Any], judges: list[str]) -> Table:
    rows = []
    for name in judges:
        judge = body["judges"][name]
        stats = {**judge["overall"], **judge["drift"]}
        rows.append(
            row(
                report_words.title(name),
                stats,
                OVERALL,
                at_least=enough.IMAGES,
                judge=name,
                face=face_of(body, name),
                note=judge["drift"]["reason"],
                state="against"
                if drift_state.stands_against(judge)
                else drift_state.state_of(judge),
            )
        )
    return statistics_table(
        "overall", gettext_noop("Judges compared with people, all images"), "judge", OVERALL, rows
    )


def _why_not_off(judge: dict[str, Any], generator: dict[str, Any]) -> str:
    if not generator["release_date"]:
        return gettext_noop("no release date")
    gap = judge["drift"].get("gap") or {}
    return str(gap.get("undefined", gettext_noop("not known in this report")))


def tables(page: ReportPage, body: dict[str, Any], judges: list[str]) -> list[Table]:
    listed = []
    for number, name in enumerate(judges, start=1):
        judge = body["judges"][name]
        offsets, off = drift_state.offsets(judge), drift_state.off_by_generator(judge)
        rows: list[Row] = []
        for code, generator in enumerate(body["generators"]):
            images = count_things(generator["images"], "images")
            stats = {
                **judge["by_generator"][generator["name"]],
                "human_score": generator["human_score"],
                "off": off.get(
                    generator["name"],
                    {"undefined": _why_not_off(judge, generator), "n": generator["images"]},
                ),
                "offset": offsets.get(
                    generator["name"],
                    {"undefined": _why_no_offset(judge), "n": generator["images"]},
                ),
            }
            when = generator["release_date"] or gettext("no release date")
            rows.append(
                row(
                    generator["name"],
                    stats,
                    BY_GENERATOR,
                    at_least=enough.IMAGES,
                    judge=name,
                    note=f"{when} · {images}",
                    # A row opens its disagreements.
                    link=page.address("gallery", judge=name, generator=code),
                )
            )
        called = report_words.title(name)
        heading = gettext_noop(f"{called}, generator by generator")
        listed.append(statistics_table(f"judge-{number}", heading, "generator", BY_GENERATOR, rows))
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
    listed.append(
        statistics_table(
            "since",
            gettext_noop("Generators released after the judge, compared with older ones"),
            "judge",
            SINCE,
            since,
        )
    )
    return listed


def _why_no_offset(judge: dict[str, Any]) -> str:
    if "follows" not in judge:
        return stored_statistic({}, "offset")["undefined"]
    return judge["drift"].get("untold") or gettext_noop("too few images, or no release date")


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    judges = view.judges_of(body)
    return [overall(body, judges), *tables(page, body, judges)]
