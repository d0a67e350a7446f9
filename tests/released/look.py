"""`python -m tests.released.look`: what is in the study of a released database, and what its pages answer."""

from __future__ import annotations

import json

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402

from annotations.models import Annotation, Answer, Event, Job, PairVote, Study  # noqa: E402
from audit.models import Report  # noqa: E402
from audit.navigation import PAGES  # noqa: E402
from judges.models import Delivery, Score  # noqa: E402
from tests.released.make import SLUG  # noqa: E402

COLUMNS = ("pk", "kind", "key", "state", "holder", "tries", "reason")
COLUMNS += ("payload", "outcome", "done", "total")
TIMES = ("leased_until", "due_at", "began_at", "finished_at")


def look() -> dict:
    study = Study.objects.get(slug=SLUG)
    client = Client(headers={"host": "localhost"}, raise_request_exception=False)
    client.force_login(get_user_model().objects.get(username="alice"))
    pages = {page.name: reverse(page.name, args=[SLUG]) for page in PAGES.values()}
    pages |= {"home": reverse("home"), "account": reverse("account")}
    return {
        "labels": list(
            Answer.objects.filter(annotation__study=study, question="aligned")
            .order_by("pk")
            .values_list("annotation__annotator__name", "value")
        ),
        "annotations": Annotation.objects.count(),
        "scores": list(Score.objects.order_by("image__key").values_list("image__key", "value")),
        "votes": list(PairVote.objects.values_list("annotator__name", "value")),
        "jobs": [_told(job) for job in Job.objects.select_related("study", "by").order_by("pk")],
        "deliveries": list(
            Delivery.objects.order_by("pk").values_list("key", "state", "typed", "found")
        ),
        "reports": Report.objects.filter(study=study).count(),
        "events": Event.objects.filter(study=study).count(),
        "pages": {name: client.get(address).status_code for name, address in pages.items()},
    }


def _told(job: Job) -> dict:
    """What is not empty."""
    assert job.study is None or job.study.slug == SLUG
    told = {name: getattr(job, name) for name in COLUMNS}
    told |= {name: at.isoformat() for name in TIMES if (at := getattr(job, name)) is not None}
    told["by"] = job.by.username if job.by else ""
    return {name: value for name, value in told.items() if value not in ("", None, 0, {})}


if __name__ == "__main__":
    print(json.dumps(look()))
