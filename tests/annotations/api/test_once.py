"""A request with an Idempotency-Key is carried out once."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotations.api import once
from annotations.errors import Refused
from annotations.models import KeptAnswer
from audit import tasks
from judges.models import Run, Upload
from tests import making
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.django_db
STUDY = "/api/v1/studies/shapes/"
RUN = {"judge": "geneval-builtin", "options": {}}


@pytest.fixture
def api(client, study, alice):
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(alice.user)}"
    return client


def start(api, key, body=RUN):
    return api.post(
        f"{STUDY}runs/",
        json.dumps(body),
        content_type="application/json",
        headers={"Idempotency-Key": key},
    )


def send(api, key, content):
    file = SimpleUploadedFile("labels.csv", content)
    headers = {"Idempotency-Key": key}
    return api.post(f"{STUDY}imports/", {"file": file, "kind": "labels"}, headers=headers)


def test_the_same_request_again_is_answered_as_the_first_one_and_creates_nothing(api):
    first, second = send(api, "one", b"image_id"), send(api, "one", b"image_id")
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert Upload.objects.count() == 1


def test_the_order_of_fields_and_quotes_of_the_key_do_not_count(api):
    first = start(api, '"one"')
    second = start(api, "one", {"options": {}, "judge": "geneval-builtin"})
    assert first.json() == second.json()
    assert (Run.objects.count(), second.headers["Idempotent-Replayed"]) == (1, "true")


def test_the_same_key_with_another_file_is_refused(api):
    send(api, "one", b"image_id")
    answer = send(api, "one", b"rater")
    assert (answer.status_code, answer.json()["code"]) == (422, "key-used")
    assert Upload.objects.count() == 1


def test_the_same_key_at_another_address_is_refused(api):
    send(api, "one", b"image_id")
    assert start(api, "one").json()["code"] == "key-used"
    assert not Run.objects.exists()


def test_a_refusal_is_not_kept(api):
    assert start(api, "one", {"judge": "no-such-judge"}).status_code == 422
    assert not KeptAnswer.objects.exists()
    assert start(api, "one").status_code == 202


def test_another_person_may_have_the_same_key(api, study, client):
    send(api, "one", b"image_id")
    other = making.person(study, "carol", role="owner")
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(other.user)}"
    assert send(client, "one", b"rater").status_code == 202
    assert Upload.objects.count() == 2


def test_who_has_left_the_study_reads_no_earlier_answer(api, study, alice):
    making.person(study, "carol", role="owner")
    send(api, "one", b"image_id")
    alice.delete()
    assert send(api, "one", b"image_id").status_code == 404


def test_after_a_day_the_key_is_new_again_and_the_answer_is_deleted(api):
    send(api, "one", b"image_id")
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert "Idempotent-Replayed" not in send(api, "one", b"image_id").headers
    assert tasks.delete_expired()["answers by key"] == 0
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert tasks.delete_expired()["answers by key"] == 1


@pytest.mark.parametrize("key", ["", " ", "x" * 201, '""'])
def test_a_key_that_is_none_is_refused(api, key):
    assert start(api, key).status_code == 400
    assert not Run.objects.exists()


def test_a_row_that_another_request_has_left_is_found_instead_of_a_new_one(api, alice):
    kept = KeptAnswer.objects.create(
        user=alice.user, key="k", request="r", status=202, body="{}", created_at=timezone.now()
    )
    assert once._row_of(alice.user, "k", "other").pk == kept.pk


# ---- Two at once ---------------------------------------------------------------------------------

SOMEBODY_WAITS = """
    SELECT COUNT(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'"""


def wait_for_the_other():
    """Until the other request stands at the row of the key. SQLite lets it begin no transaction."""

    def waits():
        with connection.cursor() as cursor:
            cursor.execute(SOMEBODY_WAITS)
            return cursor.fetchone()[0]

    if connection.vendor == "postgresql":
        wait_until(waits, "a second request")


def send_two(alice, monkeypatch, *, first_fails=False):
    """Both are on their way before either has its key's row; the answers, and how many did the work."""
    both, rows = threading.Barrier(2), []
    digest, row_of = once._digest, once._row_of

    def digest_together(request):
        both.wait(PATIENCE)
        return digest(request)

    def row_with_the_other_behind(*given):
        kept = row_of(*given)
        if not kept.status:
            rows.append(kept)
            if len(rows) == 1:
                wait_for_the_other()
                if first_fails:
                    raise Refused("The first one falls over.")
        return kept

    monkeypatch.setattr(once, "_digest", digest_together)
    monkeypatch.setattr(once, "_row_of", row_with_the_other_behind)
    token = f"Token {making.token(alice.user)}"

    def send_one(_):
        try:
            return start(Client(HTTP_AUTHORIZATION=token), "one")
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(send_one, range(2))), len(rows)


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_does_the_work_and_both_hear_the_same(alice, monkeypatch):
    answers, worked = send_two(alice, monkeypatch)
    assert [one.status_code for one in answers] == [202, 202]
    assert answers[0].json() == answers[1].json()
    assert sorted("Idempotent-Replayed" in one.headers for one in answers) == [False, True]
    assert (worked, Run.objects.count(), KeptAnswer.objects.count()) == (1, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_where_the_first_of_two_fails_the_second_does_the_work(alice, monkeypatch):
    answers, worked = send_two(alice, monkeypatch, first_fails=True)
    assert sorted(one.status_code for one in answers) == [202, 400]
    assert not any("Idempotent-Replayed" in one.headers for one in answers)
    assert (worked, Run.objects.count(), KeptAnswer.objects.count()) == (2, 1, 1)
