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

    def work_off(self) -> None:
        """As far as a lease and a rest go, and what an hour back costs."""
        for _ in range(8):
            for job in jobs.waiting():
                jobs.run(job.pk)
            self.jump(timedelta(minutes=10))


@pytest.fixture
def clock(monkeypatch):
    clock, now, seconds = Clock(), timezone.now, time.time
    monkeypatch.setattr(timezone, "now", lambda: now() + clock.off)
    monkeypatch.setattr(time, "time", lambda: seconds() + clock.off.total_seconds())
    return clock


@pytest.fixture
def user(alice):
    alice.user.set_password(PASSWORD)
    alice.user.save()
    return alice.user


@pytest.fixture
def secret(user):
    """Of a second factor that was set up with the code of this moment."""
    secret = second_factor.begin(user)
    second_factor.confirm(user, code(secret))
    return secret


def code(secret: str) -> str:
    return one_time_codes.code_at(secret, int(time.time()) // one_time_codes.SECONDS)


def log_in(client, password=PASSWORD) -> int:
    given = {"username": "alice", "password": password}
    return client.post(reverse("login"), given).status_code


@JUMPS
def test_images_that_were_given_before_are_answered_and_those_of_the_dead_go_on(clock, jump):
    study = making.study(overlap=1)
    people = [making.person(study, f"p{n}") for n in range(3)]
    held = [assign.next_image(annotator=person) for person in people]
    clock.jump(jump)
    # Two answer what they had in hand; the third is gone.
    making.label(people[0])
    making.label(people[1])
    late, seen = making.person(study, "late"), 2
    for wait in (timedelta(), timedelta(minutes=11)):
        clock.jump(wait)
        while assign.next_image(annotator=late) is not None:
            making.label(late)
            seen += 1
    # Each image once: none is lost with the third person, none is asked for twice.
    assert seen == Annotation.objects.count() == study.images.count() == 8
    # And the third one's answer, late as it is, is refused with a sentence or taken, never half.
    try:
        record.record_label(
            image=held[2].image,
            annotator=people[2],
            form=study.form,
            answers={"aligned": 1, "quality": 1},
            submission=uuid.uuid4(),
        )
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
    clock.work_off()
    states = {("dead", "done"), ("rests", "done")}
    assert set(Job.objects.values_list("payload__judge", "state")) == states
    assert sorted(tried) == ["dead", "rests", "rests"]


@JUMPS
def test_people_stay_logged_in_and_programs_keep_their_tokens(clock, jump, client, study, user):
    def status_of(token: str) -> int:
        return Client().get("/api/v1/studies/", headers={"Authorization": token}).status_code

    def token() -> str:
        return f"Token {tokens.make(user=user, name='a', scope='read', days=30)[1]}"

    client.force_login(user)
    first = token()
    for by in (jump, -jump):
        clock.jump(by)
        assert client.get(reverse("study", args=[study.slug])).status_code == 200
        assert status_of(first) == 200
    made_then = token()
    clock.jump(timedelta(days=31))
    assert {status_of(first), status_of(made_then)} <= {401, 403}


@JUMPS
def test_a_second_factor_that_was_used_before_the_jump_is_good_for_the_next_code(
    clock, jump, user, secret
):
    assert not second_factor.check(user, code(secret))
    for by in (jump, timedelta(minutes=2)):
        clock.jump(by)
        assert second_factor.check(user, code(secret))
        # Once, also then.
        assert not second_factor.check(user, code(secret))
    assert SecondFactor.objects.get().last_step == int(time.time()) // one_time_codes.SECONDS


@JUMPS
def test_whoever_was_locked_out_waits_no_longer_than_ever(clock, jump, client, user):
    for _ in range(lockout.FREE + 1):
        log_in(client, "wrong")
    assert log_in(client) != 302
    clock.jump(jump)
    clock.jump(lockout.LONGEST)
    assert log_in(client) == 302


@JUMPS
def test_half_a_log_in_does_not_wait_for_its_code_for_a_day(clock, jump, client, secret):
    log_in(client)
    assert client.get(reverse("login-code")).status_code == 200
    clock.jump(jump)
    assert client.get(reverse("login-code")).status_code == 302


@JUMPS
def test_a_webhook_is_signed_with_the_time_of_each_try(clock, jump, study, monkeypatch):
    hook = Webhook.objects.create(study=study, address="https://h.example/", since=timezone.now())
    message, sent = messages.test(hook), []

    def post(hook, target, message):
        at = int(time.time())
        sent.append((at, webhook_send.signature(webhook_send.secret_of(hook), b"{}", at)))
        if len(sent) == 1:
            raise OSError("no route")
        return 200

    monkeypatch.setattr(webhook_send, "_post", post)
    monkeypatch.setattr(webhook_send.address, "resolved", lambda url: type("T", (), {"name": "h"}))
    jobs.run(message.pk)
    clock.jump(jump)
    clock.work_off()
    message.refresh_from_db()
    assert (message.state, len(sent)) == ("done", 2)
    key = webhook_send.secret_of(hook).encode()
    for at, signed in sent:
        assert hmac.new(key, f"{at}.{{}}".encode(), "sha256").hexdigest() in signed
    # The second one is of after the jump.
    assert abs(sent[1][0] - sent[0][0] - jump.total_seconds()) < 5000


@JUMPS
def test_an_answer_computed_under_a_wrong_clock_is_computed_again(clock, jump, study):
    now = timezone.now()
    row = StoredAnswer(study=study, question="agreement", seconds=30, computed_at=now)
    assert not has_rested(row)
    clock.jump(jump)
    assert has_rested(row)
