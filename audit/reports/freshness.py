"""What a report rests on beside labels and scores, whose versions `annotations.versions` knows."""

from __future__ import annotations

import hashlib
import json

from django.core.serializers.json import DjangoJSONEncoder

from annotations.models import Study
from audit import VERSION
from audit.models import Report


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
                    "scored",
                    "failed",
                    "assumed",
                ),
            )
        ),
    ]
    return hashlib.sha256(json.dumps(facts, cls=DjangoJSONEncoder).encode()).hexdigest()[:40]
