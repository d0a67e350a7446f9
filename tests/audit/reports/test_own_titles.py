"""A judge of somebody's own recipe is called by its title in reports too."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.handed_in.compose import compose
from audit.models import Report
from audit.reports import make
from audit.words import report as words
from judges import names, own_recipes
from judges.runs import lifecycle, score_chunk
from tests import making

pytestmark = pytest.mark.django_db
RECIPE = """name = "strict-dsg"
title = "DSG, also the grandparents"
method = "dsg"
options.transitive = true
answers.engine = "builtin"
"""


@pytest.fixture
def report(study, monkeypatch):
    own_recipes.add(text=RECIPE)
    score_chunk.work_off(run=lifecycle.start_run(study=study, name="strict-dsg"))
    making.labels(study, {i.key: {"ann": 1, "ben": i.pk % 2} for i in study.images.order_by("pk")})
    made = make.make_report(study=study)
    # As in a process that knows nothing of it yet.
    monkeypatch.setattr(names, "_own_titles", {})
    return made


def test_the_title_comes_with_the_report(report):
    assert names.title("strict-dsg") == "strict-dsg"
    body = Report.objects.get(pk=report.pk).body
    assert body["signature"]["judge_facts"]["strict-dsg"]["title"] == "DSG, also the grandparents"
    assert "DSG, also the grandparents (strict-dsg)" in words.as_text(body)
    assert names.title(f"strict-dsg{names.APART}rule=2") == "DSG, also the grandparents · rule=2"


def test_the_page_shows_it_and_asks_no_more_for_it(as_alice, study, report):
    with CaptureQueriesContext(connection) as asked:
        page = as_alice.get(reverse("summary", args=[study.slug])).content.decode()
    assert "DSG, also the grandparents" in page
    assert not [one for one in asked if 'FROM "judges_recipe"' in one["sql"]]


def test_the_report_to_hand_in_shows_it(report):
    composed = compose(Report.objects.get(pk=report.pk).body, title="Shapes", made="2026-01-01")
    assert "DSG, also the grandparents" in repr(composed)
