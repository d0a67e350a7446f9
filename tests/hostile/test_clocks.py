"""Clocks that jump, by an hour and by a day, both ways: nobody is kept out, nothing acknowledged is lost, and
no work waits for a time that does not come."""

from __future__ import annotations

import hmac
import time
import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations import jobs
from annotations.errors import LabelRefused
from annotations.jobs import JobKind, TryLater
from annotations.labelling import assign, record
from annotations.models import Annotation, Job, StoredAnswer
from annotations.stored_answers.store import has_rested
from audit.accounts import lockout, one_time_codes, second_factor, tokens
from audit.models import SecondFactor, Webhook
from audit.webhooks import messages
from audit.webhooks import send as webhook_send
from judges.models import WeightCheck
from tests import making

pytestmark = pytest.mark.django_db
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
JUMPS = pytest.mark.parametrize("jump", [HOUR, -HOUR, DAY, -DAY], ids=["+1h", "-1h", "+1d", "-1d"])
PASSWORD = "a-long-and-quiet-river"


class Clock:
    def __init__(self) -> None:
        self.off = timedelta()

    def jump(self, by: timedelta) -> None:
        self.off += by


@pytest.fixture
def clock(monkeypatch):
    clock, now, seconds = Clock(), timezone.now, time.time
    monkeypatch.setattr(timezone, "now", lambda: now() + clock.off)
    monkeypatch.setattr(time, "time", lambda: seconds() + clock.off.total_seconds())
    return clock


def answer(assignment, person):
    return record.record_label(
        image=assignment.image,
        annotator=person,
        form=person.study.form,
        answers={"aligned": 1, "quality": 1},
        submission=uuid.uuid4(),
    )


@JUMPS
def test_images_that_were_given_before_are_answered_and_those_of_the_dead_go_on(clock, jump):
    study = making.study(overlap=1)
    people = [making.person(study, f"p{n}") for n in range(3)]
    held = {person.pk: assign.next_image(annotator=person) for person in people}
    clock.jump(jump)
    # Two answer what they had in hand; the third is gone.
    for person in people[:2]:
        answer(held[person.pk], person)
    late = making.person(study, "late")
    seen = 2
    while (given := assign.next_image(annotator=late)) is not None:
        answer(given, late)
        seen += 1
    clock.jump(timedelta(minutes=11))
    while (given := assign.next_image(annotator=late)) is not None:
        answer(given, late)
        seen += 1
    # Each image once: none is lost with the third person, none is asked for twice.
    assert seen == Annotation.objects.count() == study.images.count() == 8
    # And the third one's answer, late as it is, is refused with a sentence or taken, never half.
    try:
        answer(held[people[2].pk], people[2])
    except LabelRefused as refusal:
        assert refusal.message


@JUMPS
def test_jobs_of_dead_workers_and_those_that_rest_are_taken_up(clock, jump, study, monkeypatch):
    tried = []

    def do(job, progress):
        tried.append(job.judge)
        if job.judge == "rests" and tried.count("rests") == 1:
            raise TryLater("not yet")

    monkeypatch.setitem(jobs.KINDS, WeightCheck.KIND, None)
    kind = JobKind(WeightCheck, do, "they were at work", rests=(60, 7200))
    dead = WeightCheck.objects.create(study=study, judge="dead")
    rests = WeightCheck.objects.create(study=study, judge="rests")
    assert kind.lease.claim(dead.pk)
    jobs.run(rests.pk)
    clock.jump(jump)
    # As far as a lease and a rest go, and what an hour back costs.
    for _ in range(8):
        for job in jobs.waiting():
            jobs.run(job.pk)
        clock.jump(timedelta(minutes=10))
    assert set(Job.objects.values_list("payload__judge", "state")) == {
        ("dead", "done"),
        ("rests", "done"),
    }
    assert sorted(tried) == ["dead", "rests", "rests"]


@JUMPS
def test_people_stay_logged_in_and_programs_keep_their_tokens(clock, jump, study, alice):
    browser = Client()
    browser.force_login(alice.user)
    token = tokens.make(user=alice.user, name="a", scope="read", days=30)[1]
    program = {"Authorization": f"Token {token}"}
    for by in (jump, -jump):
        clock.jump(by)
        assert browser.get(reverse("study", args=[study.slug])).status_code == 200
        assert Client().get("/api/v1/studies/", headers=program).status_code == 200
    made_then = tokens.make(user=alice.user, name="b", scope="read", days=30)[1]
    clock.jump(timedelta(days=31))
    for ended in (token, made_then):
        asked = Client().get("/api/v1/studies/", headers={"Authorization": f"Token {ended}"})
        assert asked.status_code in (401, 403)


@JUMPS
def test_a_second_factor_that_was_used_before_the_jump_is_good_for_the_next_code(
    clock, jump, alice
):
    user = alice.user
    secret = second_factor.begin(user)

    def code() -> str:
        return one_time_codes.code_at(secret, int(time.time()) // one_time_codes.SECONDS)

    second_factor.confirm(user, code())
    used = code()
    assert not second_factor.check(user, used)
    clock.jump(jump)
    assert second_factor.check(user, code())
    # Once, also then.
    assert not second_factor.check(user, code())
    clock.jump(timedelta(minutes=2))
    assert second_factor.check(user, code())
    assert SecondFactor.objects.get().last_step == int(time.time()) // one_time_codes.SECONDS


@JUMPS
def test_whoever_was_locked_out_waits_no_longer_than_ever(clock, jump, client, alice):
    alice.user.set_password(PASSWORD)
    alice.user.save()

    def log_in(password):
        return client.post(reverse("login"), {"username": "alice", "password": password})

    for _ in range(lockout.FREE + 1):
        log_in("wrong")
    assert log_in(PASSWORD).status_code != 302
    clock.jump(jump)
    clock.jump(lockout.LONGEST)
    assert log_in(PASSWORD).status_code == 302


@JUMPS
def test_half_a_log_in_does_not_wait_for_its_code_for_a_day(clock, jump, client, alice):
    alice.user.set_password(PASSWORD)
    alice.user.save()
    secret = second_factor.begin(alice.user)
    second_factor.confirm(alice.user, one_time_codes.code_at(secret, int(time.time()) // 30))
    client.post(reverse("login"), {"username": "alice", "password": PASSWORD})
    assert client.get(reverse("login-code")).status_code == 200
    clock.jump(jump)
    assert client.get(reverse("login-code")).status_code == 302


@JUMPS
def test_a_webhook_is_signed_with_the_time_of_each_try(clock, jump, study, monkeypatch):
    hook = Webhook.objects.create(
        study=study, address="https://hook.example/x", since=timezone.now()
    )
    message = messages.test(hook)
    sent = []

    def post(hook, target, message):
        body, at = b"{}", int(time.time())
        sent.append((at, webhook_send.signature(webhook_send.secret_of(hook), body, at)))
        if len(sent) == 1:
            raise OSError("no route")
        return 200

    monkeypatch.setattr(webhook_send, "_post", post)
    monkeypatch.setattr(webhook_send.address, "resolved", lambda url: type("T", (), {"name": "h"}))
    jobs.run(message.pk)
    clock.jump(jump)
    for _ in range(8):
        for job in jobs.waiting():
            jobs.run(job.pk)
        clock.jump(timedelta(minutes=10))
    message.refresh_from_db()
    assert (message.state, len(sent)) == ("done", 2)
    for at, signed in sent:
        secret = webhook_send.secret_of(hook).encode()
        assert hmac.new(secret, f"{at}.{{}}".encode(), "sha256").hexdigest() in signed
    # The second one is of after the jump.
    assert abs(sent[1][0] - sent[0][0] - jump.total_seconds()) < 5000


@JUMPS
def test_an_answer_computed_under_a_wrong_clock_is_computed_again(clock, jump, study):
    row = StoredAnswer(
        study=study,
        question="agreement",
        computed_at=timezone.now(),
        seconds=30,
        requested_at=timezone.now(),
    )
    assert not has_rested(row)
    clock.jump(jump)
    assert has_rested(row)
