"""Have labels or scores changed since the newest report? One small row for each study tells.

Counting a million answers on every visit would be slow, and increasing a counter with every answer
would cost one more write each. So the version is increased only if a report has read it since:
between two reports the first change writes, all further ones only read.
"""

from __future__ import annotations

import hashlib
import json

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F

from annotations.database.prepared import Prepared
from annotations.models import Study
from audit import VERSION
from audit.models import Pulse, Report

PULSE = Prepared(lambda mark: Pulse.objects.order_by().filter(study=mark("study")))


def stamp(study_id: int) -> str:
    """A short text that differs as soon as labels or scores have changed since the last report."""
    version = Pulse.objects.filter(study_id=study_id).values_list("version", flat=True).first()
    return f"v{version or 0}"


def changed(study_id: int) -> None:
    """To be called when labels or scores were written, after the transaction."""
    pulse = PULSE.first(study=study_id)
    if pulse is None:
        Pulse.objects.get_or_create(study_id=study_id, defaults={"version": 1})
    elif pulse.version in (pulse.seen, pulse.met, pulse.tallied, pulse.counted):
        Pulse.objects.filter(pk=pulse.pk, version=pulse.version).update(version=F("version") + 1)


def report_begins(study_id: int) -> str:
    """To be called before a report reads the data: what changes while it reads counts as newer."""
    return _begins(study_id, "seen")


def rows(study: Study, schema: int) -> str:
    """Which version of the statistics a report was made by, and what it rests on beside answers and
    scores."""
    return f"{schema} {VERSION} {rows_now(study)}"


def rows_of(report: Report) -> str:
    """The latter, of a report that was stored."""
    return report.rows.rpartition(" ")[2]


def rows_now(study: Study) -> str:
    """A hash of a few rows for each generator, run and person; and of what tells of an import that was
    killed before it told: the newest of its rows, and how many scores each run has."""
    grown = (study.prompts, study.images, study.annotations)
    facts = [
        [study.slug, study.simulated, study.form_id],
        [rows.order_by("-pk").values_list("pk", flat=True).first() for rows in grown],
        *(
            list(found)
            for found in (
                study.generators.order_by("pk").values_list("pk", "name", "release_date"),
                study.memberships.order_by("pk").values_list("pk", "name", "simulated"),
                study.runs.order_by("pk").values_list(
                    "pk",
                    "judge__fingerprint",
                    "judge__name",
                    "judge__recipe__title",
                    "state",
                    "reason",
                    "judge_released",
                    "scored",
                    "failed",
                    "assumed",
                ),
            )
        ),
    ]
    return hashlib.sha256(json.dumps(facts, cls=DjangoJSONEncoder).encode()).hexdigest()[:40]


def people_page_begins(study_id: int) -> str:
    """The same for the agreement of people, which is computed at other times."""
    return _begins(study_id, "met")


def tally_begins(study_id: int) -> str:
    """The same for what people say about each image, which the data browser filters by."""
    return _begins(study_id, "tallied")


def counting_begins(study_id: int) -> str:
    """The same for figures that pages keep: `annotations.kept.figures`."""
    return _begins(study_id, "counted")


def votes_stamp(study_id: int) -> str:
    """Differs as soon as somebody has voted on a pair, or taken a vote back, since they were counted."""
    votes = Pulse.objects.filter(study_id=study_id).values_list("votes", flat=True).first()
    return f"w{votes or 0}"


def stamp_with_votes(study_id: int) -> str:
    """Of labels, scores and votes on pairs, in one question."""
    rows = Pulse.objects.filter(study_id=study_id).values_list("version", "votes")
    version, votes = rows.first() or (0, 0)
    return f"v{version} w{votes}"


def votes_changed(study_id: int) -> None:
    """To be called when votes on pairs were written, after the transaction."""
    pulse = PULSE.first(study=study_id)
    if pulse is None:
        pulse, _ = Pulse.objects.get_or_create(study_id=study_id, defaults={"version": 1})
    if pulse.votes == pulse.voted:
        Pulse.objects.filter(pk=pulse.pk, votes=pulse.votes).update(votes=F("votes") + 1)


def votes_counting_begins(study_id: int) -> str:
    """To be called before votes are counted."""
    pulse, _ = Pulse.objects.get_or_create(study_id=study_id, defaults={"version": 1})
    Pulse.objects.filter(pk=pulse.pk).update(voted=F("votes"))
    return votes_stamp(study_id)


def _begins(study_id: int, field: str) -> str:
    pulse, _ = Pulse.objects.get_or_create(study_id=study_id, defaults={"version": 1})
    Pulse.objects.filter(pk=pulse.pk).update(**{field: F("version")})
    return stamp(study_id)
