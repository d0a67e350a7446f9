"""`python -m tests.released.look`: what is in the study of a released database, and what its pages answer."""

from __future__ import annotations

import json

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402

from annotations.models import Annotation, Answer, Event, PairVote, Study  # noqa: E402
from audit.models import Report  # noqa: E402
from audit.navigation import SECTIONS  # noqa: E402
from judges.models import Score  # noqa: E402
from tests.released.make import SLUG  # noqa: E402


def look() -> dict:
    study = Study.objects.get(slug=SLUG)
    client = Client(headers={"host": "localhost"}, raise_request_exception=False)
    client.force_login(get_user_model().objects.get(username="alice"))
    pages = {page.name: reverse(page.name, args=[SLUG]) for part in SECTIONS for page in part.pages}
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
        "reports": Report.objects.filter(study=study).count(),
        "events": Event.objects.filter(study=study).count(),
        "pages": {name: client.get(address).status_code for name, address in pages.items()},
    }


if __name__ == "__main__":
    print(json.dumps(look()))
