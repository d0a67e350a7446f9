"""What a person sees of their own work: counts and times, and nothing that others said."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.labelling.own_work import own_work
from annotations.models import Annotation
from tests import making

pytestmark = pytest.mark.django_db


def test_answers_are_counted_by_study_with_the_week_and_the_median_time(bob, charlie):
    for _ in range(3):
        making.label(bob)
    making.label(charlie)
    first, second, third = Annotation.objects.filter(annotator=bob).order_by("pk")
    for row, seconds, days in ((first, 2.0, 8), (second, 10.0, 6), (third, 4.0, 0)):
        at = timezone.now() - timedelta(days=days)
        Annotation.objects.filter(pk=row.pk).update(seconds=seconds, submitted_at=at)
    (row,) = own_work(bob.user)
    # Three answers, two of them within 7 days; the median of 2, 10 and 4 seconds is 4.
    assert (row.slug, row.answered, row.this_week, row.seconds) == ("shapes", 3, 2, 4.0)
    # What was taken back is no answer; what was set aside still is their own, and nobody is told.
    Annotation.objects.filter(pk=third.pk).update(state="withdrawn")
    Annotation.objects.filter(pk=second.pk).update(state="set aside")
    (row,) = own_work(bob.user)
    assert (row.answered, row.this_week, row.seconds) == (2, 1, 6.0)


def test_answers_without_a_time_have_no_median(bob):
    making.label(bob)
    Annotation.objects.update(seconds=None)
    (row,) = own_work(bob.user)
    assert row.seconds is None


def test_more_studies_take_no_more_queries(client, bob):
    making.label(bob)
    client.force_login(bob.user)

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            text = client.get("/account/").content.decode()
        assert "Your answers" in text
        return len(seen)

    queries()
    few = queries()
    for number in range(3):
        member = making.person(making.study(f"more-{number}", prompts=1), "bob")
        making.label(member)
    assert queries() == few
    assert len(own_work(bob.user)) == 4


def test_the_account_page_tells_an_annotator_nothing_but_their_own(client, study, bob):
    making.labels(study, {image.key: {"ann": 1} for image in study.images.all()})
    client.force_login(bob.user)
    text = client.get("/account/").content.decode()
    assert "Your answers" not in text
    for secret in ("early", "late", ">ann<"):
        assert secret not in text
