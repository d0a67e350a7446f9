"""The page that says what a judge may be used for."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.models import Report
from audit.reports import make as reports
from tests import making
from tests.audit.pages.test_dashboards import judge_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db):
    made = making.study("large", prompts=40, files=False)
    judge_all(made)
    judge_all(made, name="other-judge", verdicts=False)
    return made


@pytest.fixture
def report(study):
    return reports.make_report(study=study)


def page_of(client, **query) -> str:
    return client.get(reverse("side-by-side", args=["large"]), query).content.decode()


def test_it_answers_and_shows_every_judge(as_alice, report):
    page = page_of(as_alice)
    assert "May a judge stand in for a person?" in page
    assert "stands in for" in page
    # Two judges in each of three tables; the last columns of the wide one are folded, with their rows.
    assert page.partition('id="uses"')[2].count('<th scope="row">') == 8


def test_a_judges_page_answers_for_it_alone(as_alice, report):
    page = as_alice.get(reverse("judge", args=["large"]), {"judge": "some-judge"}).content.decode()
    answers = page.partition('<dl class="answers">')[2].partition("</dl>")[0]
    assert answers.count("<dt>") == 8
    assert "some-judge" in answers and "other-judge" not in answers


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("drift/?judge=a", "audit/judge/?judge=a"),
        ("drift/why/?judge=a", "audit/judge/why/?judge=a"),
        ("why/", "audit/judge/#why"),
        ("audit/uses/", "audit/judges/#uses"),
        ("decide/", "audit/judges/#uses"),
    ],
)
def test_old_addresses_lead_on(as_alice, study, old, new):
    answer = as_alice.get(f"/studies/large/{old}")
    assert (answer.status_code, answer["Location"]) == (301, f"/studies/large/{new}")


def test_images_without_labels_that_it_is_unsure_of_are_listed_and_in_the_file(as_alice, study):
    keys = [image.key for image in study.images.order_by("key")]
    study.annotations.filter(image__key__in=keys[:3]).delete()
    reports.make_report(study=study)
    page = as_alice.get(reverse("judge", args=["large"]), {"judge": "other-judge"}).content.decode()
    where = reverse("decide-images", args=["large"])
    rows = list(
        csv.DictReader(io.StringIO(as_alice.get(where, {"judge": "other-judge"}).content.decode()))
    )
    assert rows and {row["image_id"] for row in rows} <= set(keys[:3])
    for row in rows:
        assert row["judge"] == "other-judge" and row["image_id"] in page
    assert f"<strong>{len(rows)}</strong> of them" in page


def test_a_report_from_before_these_numbers_says_so(as_alice, report):
    body = report.body
    del body["ranking"]
    for judge in body["judges"].values():
        for key in ("alt_test", "trusted_share", "best_of_n", "brier", "equivalence"):
            del judge["overall"][key]
    Report.objects.filter(pk=report.pk).update(body=body)
    assert "this report is older than this statistic" in page_of(as_alice)
    where = reverse("decide-images", args=["large"])
    assert as_alice.get(where).status_code == 200


def test_there_is_no_file_without_a_report(as_alice, study):
    assert as_alice.get(reverse("decide-images", args=["large"])).status_code == 404


def test_more_judges_ask_the_database_no_more(as_alice, study, report):
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            page_of(as_alice)
        return len(asked)

    before = queries()
    judge_all(study, name="third-judge")
    reports.make_report(study=study)
    assert queries() == before
