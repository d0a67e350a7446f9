"""The page people come for: where, and since when, a judge has left people behind."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from audit.charts import drift as charts
from audit.charts import style as chart_style
from audit.pages.filters import judge_boxes
from audit.pages.frame import Frame, answer, frame_of
from audit.pages.tables import Row, Table, row
from audit.view import View
from audit.words import report as narrative

COLUMNS = {
    "net_deviation": "human − judge",
    "auroc": "AUROC",
    "cohen_kappa": "κ",
    "kendall_tau_b": "τ-b",
    "pairwise_accuracy": "pairwise",
}
OVERALL = {
    "net_deviation": "human − judge",
    "slope_points_per_year": "per year",
    **{name: heading for name, heading in COLUMNS.items() if name != "net_deviation"},
}
BY_GENERATOR = {"human_score": "human", "judge_score": "judge", **COLUMNS}
SINCE = {"auroc": "AUROC since its own release, less before"}


@require_GET
@login_required
def drift(request: HttpRequest, slug: str) -> HttpResponse:
    frame = frame_of(request, slug)
    return answer(frame, "audit/drift.html", lambda: _context(frame))


def _context(frame: Frame) -> dict[str, Any]:
    body = frame.body
    context: dict[str, Any] = {"page_title": "Drift", "tables": []}
    if not body or not body["judges"] or not body["people"]["annotations"]:
        return context
    judges = frame.view.judges_of(body)
    asked = {"judge": list(frame.view.judges)}
    undated = [g["name"] for g in body["generators"] if not g["release_date"]]
    return {
        **context,
        "sentences": [*sentences(body, judges)],
        "plot": frame.plot("drift", "People and judges, by the release of the generator", **asked),
        "csv": frame.table_file("drift", **asked),
        "agreement": frame.plot(
            "agreement", "Agreement with people, by the release of the generator", **asked
        ),
        "overall": overall(body, judges),
        "tables": tables(frame, body, judges),
        "undated": _undated(undated) + _apart(body, judges),
        "filters": [judge_boxes(body, judges)] if len(body["judges"]) > 1 else [],
        "filter_url": frame.request.path,
    }


def sentences(body: dict[str, Any], judges: list[str]) -> list[str]:
    """The judges' own, the worst first; then what is used up."""
    shown = {**body, "judges": {name: body["judges"][name] for name in judges}}
    lines = narrative.sentences(shown)
    done = [g["name"] for g in body["generators"] if g.get("saturated") == "yes"]
    if done:
        lines.append(f"Saturated: people say yes to 95 % or more of {', '.join(done)}.")
    dated = [g for g in body["generators"] if g["release_date"]]
    if len(dated) == 1 == len(body["generators"]):
        lines.append("There is one generator only: drift shows between generators. Import another.")
    return lines


def _undated(names: list[str]) -> str:
    if not names:
        return ""
    return (
        f"Not on the time line, because no release date is known: {', '.join(names)}. Their numbers "
        "stand in the tables; import the generators with a date to draw them."
    )


def _apart(body: dict[str, Any], judges: list[str]) -> str:
    """Judges on another scale have no line among points, and that is said."""
    drawn = charts.on_peoples_scale(body, judges)
    apart = [narrative.title(name) for name in judges if name not in drawn]
    if not apart:
        return ""
    return (
        f" Not drawn among points: {', '.join(apart)}, whose scores do not lie between 0 and 1. "
        "AUROC, τ and pairwise accuracy need no common scale and stand below."
    )


def overall(body: dict[str, Any], judges: list[str]) -> Table:
    rows = []
    for name in judges:
        judge = body["judges"][name]
        stats = {**judge["overall"], **judge["drift"]}
        rows.append(
            row(
                narrative.title(name),
                stats,
                OVERALL,
                judge=name,
                colour=chart_style.colour_of(body, name),
                note=judge["drift"]["reason"],
                # Shown as the flag of an alarm.
                images=int(judge["drift"]["alarm"]),
            )
        )
    return Table("overall", "Judges against people, all images", "judge", OVERALL, rows)


def tables(frame: Frame, body: dict[str, Any], judges: list[str]) -> list[Table]:
    found = []
    for number, name in enumerate(judges, start=1):
        judge = body["judges"][name]
        rows: list[Row] = []
        for code, generator in enumerate(body["generators"]):
            images = generator["images"]
            stats = {
                **judge["by_generator"][generator["name"]],
                "human_score": generator["human_score"],
            }
            when = generator["release_date"] or "no release date"
            rows.append(
                row(
                    generator["name"],
                    stats,
                    BY_GENERATOR,
                    judge=name,
                    note=f"{when} · {images} image{'' if images == 1 else 's'}",
                    # A row opens its disagreements.
                    link=frame.address("gallery", judge=name, generator=code),
                )
            )
        heading = f"{narrative.title(name)}, generator by generator"
        found.append(Table(f"judge-{number}", heading, "generator", BY_GENERATOR, rows))
    since = [
        row(
            narrative.title(name),
            body["judges"][name]["drift"].get("since_own_release", {}),
            SINCE,
            judge=name,
            note=body["signature"]["judge_facts"][name]["release_date"] or "no release date",
        )
        for name in judges
    ]
    found.append(
        Table(
            "since",
            "Generators newer than the judge itself, against older ones",
            "judge",
            SINCE,
            since,
        )
    )
    return found


def table_file(frame: Frame, body: dict[str, Any], view: View) -> list[Table]:
    judges = view.judges_of(body)
    return [overall(body, judges), *tables(frame, body, judges)]
