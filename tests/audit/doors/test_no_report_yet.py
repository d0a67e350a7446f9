"""Before a first report: every address of a study that rests on one says “not yet”, and never “not found”."""

from __future__ import annotations

import pytest

from annotations.models import AnswerJob
from audit.api import urlpatterns
from audit.doors.newest_report import NoReportYet
from audit.questions.report.question import awaited_report, request_report
from audit.reports import make as reports
from jurybox import Client
from jurybox.agents.server import Tools
from jurybox.connection import JuryboxError
from tests import making

OF_A_STUDY = sorted(
    str(pattern.pattern).replace("<slug:slug>", "shapes")
    for pattern in urlpatterns
    if str(pattern.pattern).startswith("studies/<slug:slug>/")
    and "<" not in str(pattern.pattern).removeprefix("studies/<slug:slug>/")
)


@pytest.mark.django_db
def test_nothing_of_a_study_is_called_not_found_because_there_is_no_report_yet(client, alice):
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(alice.user)}"
    answers = {path: client.get(f"/api/v1/{path}") for path in OF_A_STUDY}
    codes = {
        path: answer.json()["code"] for path, answer in answers.items() if answer.status_code == 404
    }
    assert codes == dict.fromkeys(
        (f"studies/shapes/{name}/" for name in ("disagreements", "records", "report")),
        "no-report-yet",
    )


@pytest.mark.django_db
def test_a_refusal_says_whether_a_worker_makes_the_report_and_else_why_not(client, alice, study):
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(alice.user)}"
    told = client.get("/api/v1/studies/shapes/report/").json()
    assert (told["making"], "none is being made" in told["detail"]) == (False, True)
    AnswerJob.objects.all().delete()
    request_report(study, {})
    told = client.get("/api/v1/studies/shapes/report/").json()
    assert (told["making"], "ask again soon" in told["detail"]) == (True, True)
    AnswerJob.objects.update(state=AnswerJob.State.GIVEN_UP, reason="The workers died.")
    refusal = NoReportYet(awaited_report(study, {}))
    assert (refusal.members, refusal.message) == (
        {"making": False},
        "There is no report yet. The workers died.",
    )


@pytest.mark.django_db
def test_of_a_report_without_judges_it_is_not_said_that_there_is_none(client, alice, study):
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(alice.user)}"
    making.labels(study, {"early-0": {"ann": 1}})
    reports.make_report(study=study)
    told = client.get("/api/v1/studies/shapes/disagreements/").json()
    assert (told["code"], told["making"]) == ("no-report-yet", False)
    assert told["detail"] == "The newest report has no judge. Score images first."


@pytest.mark.django_db(transaction=True)
def test_client_and_agents_read_the_sentence_and_whether_to_wait(live_server, alice, monkeypatch):
    client = Client(address=live_server.url, token=making.token(alice.user))
    with pytest.raises(JuryboxError, match="no report yet") as refused:
        client.get_newest_report("shapes")
    assert (refused.value.status, refused.value.code, refused.value.making) == (
        404,
        "no-report-yet",
        False,
    )
    with pytest.raises(Exception, match="There is no report yet"):
        Tools(client, None).three_facts("shapes")
