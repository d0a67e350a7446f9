"""Whether a report is still the newest there can be: what it rests on beside labels and scores, whose versions
`annotations.versions` knows. Workers look often, so nothing here loads a statistic."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from annotations.models import Annotation, Study
from annotations.versions import labels_version
from audit import VERSION
from audit.models import Report, Webhook
from judges.models import Upload

# While a run is going or labels keep coming, making reports may take at most this share of time.
SHARE_OF_TIME = 0.1
# So many new answers are worth a report although nobody looks.
MANY = 500


def rows(study: Study, schema: int) -> str:
    """Which version of the statistics a report was made by, and what it rests on beside answers and
    scores."""
    return f"{schema} {VERSION} {rows_now(study)}"


def rows_of(report: Report) -> str:
    """The latter, of a report that was stored."""
    return report.rows.rpartition(" ")[2]


def rows_now(study: Study) -> str:
    """A hash of a few rows for each generator, run and person; and of what shows an import that was
    killed before it raised the version: the newest of its rows, and how many scores each run has."""
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
                    "in_peoples_unit",
                    "scored",
                    "failed",
                    "assumed",
                ),
            )
        ),
    ]
    return hashlib.sha256(json.dumps(facts, cls=DjangoJSONEncoder).encode()).hexdigest()[:40]


def is_due(*, study: Study, patient: bool = False, options: dict[str, Any] | None = None) -> bool:
    """Whether the study's data changed since its report, but not too often while they keep changing.

    `patient` is for calls that nobody waits for: labels that arrive one by one must not keep a
    worker busy.
    """
    if not study.runs.exists():
        return False
    newest = Report.objects.filter(study=study, options=options or {}).defer("body").first()
    if newest is None:
        return not is_importing(study)
    if newest.stamp == labels_version(study.pk) and rows_of(newest) == rows_now(study):
        return False
    rest = timedelta(seconds=newest.seconds / SHARE_OF_TIME)
    going = patient or study.runs.filter(state="running").exists()
    rests = going and timezone.now() - newest.created_at < rest
    return not rests and not is_importing(study)


def is_wanted(study: Study) -> bool:
    """Whether a due report is to be made although nobody looks: a webhook waits for it, it is the first one, many
    answers came, or something else changed than answers. Whoever looks asks for it anyway."""
    newest = Report.objects.filter(study=study).with_usual_options().defer("body").first()
    if newest is None or Webhook.objects.filter(study=study).exists():
        return True
    counted = study.annotations.filter(state=Annotation.State.COUNTED).order_by("-pk")
    came = counted.values_list("created_at", flat=True)
    last, many = came.first(), came[MANY - 1 : MANY].first()
    return last is None or last <= newest.created_at or bool(many and many > newest.created_at)


def is_importing(study: Study) -> bool:
    """A report of half the rows would be old a moment later; the end of an import asks for one."""
    imports = Upload.objects.filter(study=study, state=Upload.State.WORKING)
    return any(not upload.dry_run for upload in imports)


def scores_began(study: Study) -> datetime | None:
    """When the scores that came last began to come; None while some still come."""
    if study.runs.filter(state="running").exists() or is_importing(study):
        return None
    uploads = Upload.objects.filter(study=study, state=Upload.State.DONE).order_by("-created_at")
    begun = [
        study.runs.order_by("-started_at").values_list("started_at", flat=True).first(),
        uploads.values_list("created_at", flat=True).first(),
    ]
    return max((moment for moment in begun if moment is not None), default=None)
