"""The client of the REST API: written from its schema, and every kind of operation over a real server."""

from __future__ import annotations

import ast

import pytest

from annotations.models import Annotation
from audit.reference import client as reference
from audit.reports import make as reports
from judges.models import Upload
from jurybox import Client, JuryboxError, Problem
from jurybox.connection import NoAnswer, _form
from tests import making
from tests.jurybox.wheels import ROOT


def test_the_client_is_what_the_schema_says():
    written = (ROOT / "jurybox" / "client.py").read_text()
    assert ast.dump(ast.parse(reference.python())) == ast.dump(ast.parse(written)), "make client"


@pytest.fixture
def olga(live_server, study, alice):
    return Client(address=live_server.url, token=making.token(alice.user))


@pytest.mark.django_db(transaction=True)
def test_a_list_is_read_to_its_end_whatever_a_page_holds(olga, study):
    keys = [image["image_id"] for image in olga.list_images("shapes")]
    assert keys == [*study.images.order_by("pk").values_list("key", flat=True)]
    query = {"page_size": 3, "fields": "image_id"}
    assert [one["image_id"] for one in olga.pages("studies/shapes/images/", query)] == keys
    assert {one["name"] for one in olga.list_judge_offers("shapes")} >= {"geneval-builtin"}


@pytest.mark.django_db(transaction=True)
def test_one_thing_is_read_and_a_run_is_started_and_stopped(olga, study):
    assert olga.get_study("shapes")["counts"]["images"] == 8
    assert olga.get_image("shapes", "early-0", fields="generator") == {"generator": "early"}
    run = olga.start_run("shapes", {"judge": "geneval-builtin"})
    assert olga.cancel_run("shapes", run["id"])["state"] == "cancelled"
    making.labels(study, {"early-0": {"ann": 1}}, question="quality")
    report = reports.make_report(study=study, options=reports.Options(question="quality"))
    assert olga.get_newest_report("shapes", question="quality") == report.body


@pytest.mark.django_db(transaction=True)
def test_an_answer_is_saved_once_however_often_it_is_sent(live_server, study, bob):
    ben = Client(address=live_server.url, token=making.token(bob.user))
    given = ben.next_image("shapes")
    label = {
        "image": given["image"],
        "form": given["form"],
        "submission": "0b9d6c1e-6f0e-4d55-8f0a-0d7f6a1b2c3d",
        "answers": {"aligned": 1, "quality": 0},
    }
    for _ in range(2):
        ben.save_label("shapes", label)
    assert Annotation.objects.get().annotator == bob


@pytest.mark.django_db(transaction=True)
def test_a_file_is_sent_and_a_table_comes_back(olga, study):
    sent = olga.send_import("shapes", {"kind": "study"}, ("images.csv", b"image_id,prompt\n"))
    assert Upload.objects.get().pk == sent["id"]
    assert olga.get_import("shapes", sent["id"])["name"] == "images.csv"
    with olga.export_table("shapes", "images", format="csv") as table:
        assert table.read().count(b"\n") == 9


@pytest.mark.django_db(transaction=True)
def test_a_refusal_is_a_problem_with_its_code_and_its_words(olga):
    with pytest.raises(Problem, match="There is no field “x”") as refused:
        list(olga.list_images("shapes", fields="x"))
    assert (refused.value.status, refused.value.code) == (400, "invalid")
    assert list(refused.value.errors) == ["fields"]
    with pytest.raises(JuryboxError) as missing:
        olga.get_run("shapes", 12345)
    assert missing.value.code == "not-found"


def test_a_name_of_a_file_ends_no_part_of_a_form():
    body, kind = _form({"kind": "study"}, ('a"\r\n\r\nb.csv', b"x"))
    assert b'filename="a\'    b.csv"' in body
    assert kind.startswith("multipart/form-data; boundary=")


@pytest.mark.django_db(transaction=True)
def test_what_creates_is_sent_again_with_its_key_where_no_answer_came(
    live_server, study, alice, monkeypatch
):
    client = Client(address=live_server.url, token=making.token(alice.user), pause=0)
    send, sent = client._send, []

    def lose_the_first_answer(request):
        answer = send(request)
        sent.append(request.get_header("Idempotency-key"))
        if len(sent) == 1:
            answer.close()
            raise NoAnswer("The line broke.")
        return answer

    monkeypatch.setattr(client, "_send", lose_the_first_answer)
    run = client.start_run("shapes", {"judge": "geneval-builtin"})
    assert [run["id"]] == [*study.runs.values_list("pk", flat=True)]
    assert len(sent) == 2
    assert sent[0] == sent[1] != ""


def test_what_creates_is_sent_three_times_and_all_else_once(monkeypatch):
    client, sent = Client(token="jb_x", pause=0), []

    def answer_nothing(request):
        sent.append(request.get_method())
        raise NoAnswer("The line broke.")

    monkeypatch.setattr(client, "_send", answer_nothing)
    with pytest.raises(NoAnswer):
        client.start_run("shapes", {"judge": "geneval-builtin"})
    with pytest.raises(NoAnswer):
        client.get_study("shapes")
    assert sent == ["POST"] * 3 + ["GET"]
