import pytest

from annotations.models import Annotation
from audit.reports import make as reports
from tests import making

pytestmark = pytest.mark.django_db


def with_token(client, person):
    token = making.token(person.user)
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {token}"
    return client


def post(client, path, **data):
    return client.post(f"/api/v1/studies/shapes/{path}/", data, content_type="application/json")


def test_an_annotator_labels_through_the_api_as_on_the_page(client, bob):
    client = with_token(client, bob)
    given = post(client, "next").json()
    assert given["prompt"].startswith("a red circle")
    assert [q["name"] for q in given["questions"]] == ["aligned", "quality"]
    sent = {"image": given["image"], "form": given["form"]}
    response = post(client, "labels", **sent, answers={"aligned": 1, "quality": 0})
    assert response.status_code == 201
    assert Annotation.objects.get().annotator == bob
    assert post(client, "next").json()["image"] != given["image"]


def test_a_refused_answer_is_a_sentence(client, bob):
    client = with_token(client, bob)
    given = post(client, "next").json()
    response = post(client, "labels", image=given["image"], form=given["form"], answers={})
    assert response.status_code == 409
    assert "has no answer yet" in response.json()["message"]


def test_when_nothing_is_left_the_answer_is_empty(client, bob):
    for _ in range(8):
        making.label(bob)
    assert post(with_token(client, bob), "next").status_code == 204


def test_what_an_annotator_gets_names_no_generator(client, bob):
    text = post(with_token(client, bob), "next").content.decode()
    assert "early" not in text
    assert "late" not in text


@pytest.mark.parametrize("path", ["runs", "report"])
def test_annotators_reach_no_run_and_no_report(client, bob, path):
    response = with_token(client, bob).get(f"/api/v1/studies/shapes/{path}/")
    assert response.status_code == 403


def test_people_of_another_study_find_nothing(client, study):
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    response = with_token(client, stranger).get("/api/v1/studies/shapes/runs/")
    assert response.status_code == 404


def test_without_a_log_in_nothing_is_answered(client, study):
    answer = client.get("/api/v1/studies/")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Token")


def test_a_researcher_starts_a_run_and_reads_the_report(client, alice, study):
    client = with_token(client, alice)
    response = post(client, "runs", judge="geneval-builtin")
    assert response.status_code == 202
    assert response.json()["state"] == "running"
    assert client.get("/api/v1/studies/shapes/runs/").json()[0]["expected"] == 8
    assert client.get("/api/v1/studies/shapes/report/").status_code == 404
    report = reports.make_report(study=study)
    assert client.get("/api/v1/studies/shapes/report/").json() == report.body
    reports.make_report(study=study, options=reports.Options(seed=3))
    assert client.get("/api/v1/studies/shapes/report/").json() == report.body


def test_the_schema_names_every_address(client, alice):
    text = with_token(client, alice).get("/api/v1/schema/").content.decode()
    for path in ("/studies/{slug}/next/", "/studies/{slug}/labels/", "/studies/{slug}/runs/"):
        assert path in text
