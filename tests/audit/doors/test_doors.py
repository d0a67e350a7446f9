"""Each door of a question: page, chart, table, document, address of the API, command."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import StoredAnswer, Study
from annotations.stored_answers import question as questions
from audit.doors.registry import all_exhibits, read_parameters
from audit.exhibits import Exhibits
from audit.questions.plan.question import PLAN
from audit.questions.plan.question import Parameters as PlanParameters
from audit.reports import make as reports
from tests import making
from tests.audit.questions.test_label_time import timed_study

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def timed(client):
    study = timed_study()
    client.force_login(making.person(study, "alice", role="owner").user)
    return study


def at(name, *args, **query):
    return reverse(name, args=["shapes", *args], query=query)


def run(*args):
    out = io.StringIO()
    call_command("answer", *args, stdout=out)
    return out.getvalue()


def test_every_question_with_exhibits_is_listed_by_its_name():
    assert "label-time" in all_exhibits()
    assert all(name == exhibits.question.name for name, exhibits in all_exhibits().items())


def test_the_page_is_whole_for_a_visit_and_a_part_for_htmx(client, timed):
    page = client.get(at("question", "label-time")).content.decode()
    assert page.count("<html") == 1
    assert "How long do people take by generator?</h1>" in page
    assert "Longest about images by late: 11.0 s" in page
    assert page.count("<tr>") == 4
    part = client.get(at("question", "label-time"), **HTMX)
    assert part.content.decode().lstrip().startswith('<div id="numbers"')
    seen = {**HTMX, "HTTP_X_SEEN": part.headers["ETag"].strip('"')}
    assert client.get(at("question", "label-time"), **seen).status_code == 204
    listing = client.get(at("questions")).content.decode()
    assert f'href="{at("question", "label-time")}"' in listing


def test_the_page_asks_the_database_as_often_for_ten_times_as_much(client, timed):
    def count():
        client.get(at("question", "label-time"))
        with CaptureQueriesContext(connection) as seen:
            client.get(at("question", "label-time"))
        return len(seen)

    few = count()
    timed_more = making.study("more", prompts=2)
    assert timed_more.images.count() == 4
    for number in range(10):
        timed.generators.create(name=f"new-{number}")
    assert count() == few


def test_a_question_without_an_answer_says_why_on_the_page_and_in_a_file(as_alice, study):
    page = as_alice.get(at("question", "label-time")).content.decode()
    assert "No answer has a time yet." in page
    for name, more in (("question-table", ()), ("question-document", ("pdf",))):
        answer = as_alice.get(at(name, "label-time", *more))
        assert answer.status_code == 400 and b"No answer has a time yet." in answer.content
    assert as_alice.get(at("question", "nobody-asked")).status_code == 404
    assert as_alice.get(at("api-question", "nobody-asked")).status_code == 404
    assert as_alice.get(at("api-question", "label-time")).status_code == 400


def test_of_a_large_study_a_worker_computes_and_every_door_waits(client, timed, monkeypatch):
    monkeypatch.setattr(questions, "AT_ONCE", 1)
    page = client.get(at("question", "label-time")).content.decode()
    assert "A worker will count them" in page and 'hx-trigger="every 3s"' in page
    assert client.get(at("api-question", "label-time")).status_code == 202
    assert b"open the page first" in client.get(at("question-table", "label-time")).content
    assert making.compute_waiting_answers() == 1
    assert "Longest about" in client.get(at("question", "label-time")).content.decode()


def test_the_api_and_the_command_give_the_body_that_is_stored(client, timed):
    told = client.get(at("api-question", "label-time")).json()
    assert told == StoredAnswer.objects.get().body
    assert json.loads(run("label-time", "--study=shapes", "--json")) == told


def test_the_csv_has_a_row_for_each_number_on_the_page_and_from_the_command(client, timed):
    content = client.get(at("question-table", "label-time")).content.decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(row["row"], row["value"], row["n"]) for row in rows] == [
        ("early", "7.0", "40"),
        ("late", "11.0", "40"),
        ("all", "9.0", "80"),
    ]
    assert run("label-time", "--study=shapes", "--csv").split() == content.split()
    assert client.get(at("question-table", "label-time", table="none")).status_code == 404


def test_the_chart_is_drawn_by_the_page_and_comes_as_a_file(client, timed):
    chart = client.get(at("question-chart", "label-time", "time", "json"), {"theme": "dark"}).json()
    assert [row["value"] for row in chart["data"]["values"]] == [7, 11]
    assert client.get(at("question-chart", "label-time", "time", "svg")).content.startswith(b"<svg")
    for chart, kind in (("none", "svg"), ("time", "exe")):
        assert client.get(at("question-chart", "label-time", chart, kind)).status_code == 404


def test_the_document_has_the_sentences_the_chart_and_the_table(client, timed):
    page = client.get(at("question-document", "label-time", "html")).content.decode()
    assert "Longest about images by late" in page
    assert "<b>Figure 1.</b> Time by generator." in page
    assert "<b>Table 1.</b> Time by generator." in page
    packed = client.get(at("question-document", "label-time", "latex")).content
    latex = zipfile.ZipFile(io.BytesIO(packed)).read("report.tex").decode()
    assert "\\caption{Time by generator." in latex and "11.0" in latex
    assert client.get(at("question-document", "label-time", "pdf")).content.startswith(b"%PDF-")
    assert client.get(at("question-document", "label-time", "exe")).status_code == 404


def test_a_report_takes_it_as_its_last_section_and_goes_on_counting(client, timed):
    report = reports.make_report(study=timed)
    alone = client.get(reverse("report-file", args=["shapes", report.pk, "html"])).content.decode()
    whole = client.get(at("question-document", "label-time", "html", report=report.pk))
    page = whole.content.decode()
    assert page.startswith(alone[: alone.index("<h2>1 ")])
    number = alone.count("<b>Table ") + 1
    assert f"<b>Table {number}.</b> Time by generator." in page
    for wrong in ("x", "0", str(2**64)):
        address = at("question-document", "label-time", "html", report=wrong)
        assert client.get(address).status_code == 404


def test_the_command_prints_text_and_writes_documents(timed, tmp_path: Path):
    text = run("label-time", "--study=shapes")
    assert "generator  seconds, median" in text
    assert "late       11.0 (10.0 to 11.0)" in text
    for name, begins in (("a.pdf", b"%PDF-"), ("a.html", b"<!doctype"), ("a.tex", b"\\document")):
        run("label-time", "--study=shapes", f"--out={tmp_path / name}")
        assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nobody-asked", "--study=shapes"], "There is no question “nobody-asked”. There are: "),
        (["label-time", "--study=none"], "There is no study “none”"),
        (["label-time", "--study=shapes", "--set=slice=x"], "has no choice “slice”"),
        (["label-time", "--study=shapes", "--out=a.doc"], "a document ends in .pdf, .html, .tex"),
    ],
)
def test_what_the_command_cannot_do_is_a_sentence(timed, args, words):
    with pytest.raises(CommandError, match=words):
        run(*args)


def test_parameters_are_those_of_the_question_and_no_others():
    plan = Exhibits(question=PLAN, title="", method="", sentences=list, tables=list)
    given = {"question": "aligned", "judge": "clip", "page": "2"}
    assert read_parameters(plan, Study(), given) == PlanParameters("aligned", "clip")


def test_annotators_are_refused_and_strangers_find_nothing(client, timed):
    client.force_login(making.person(timed, "bob").user)
    assert client.get(at("question", "label-time")).status_code == 403
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert client.get(at("question", "label-time")).status_code == 404
