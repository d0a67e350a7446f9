"""The button, the worker and the page: whole, as a fragment, for whom, and its queries."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.jobs import run as run_job
from annotations.jobs import waiting
from judges import tasks
from judges.looks.gather import ImageScorer
from judges.models import SelfCheck
from judges.self_checks import jobs
from jurybox_judging.errors import JudgeMissing, JudgeRefused, Passing
from tests import making
from tests.judges.self_checks.bench import bench

pytestmark = pytest.mark.django_db
JUDGE = "geneval-builtin"
PAIR = {"check": "mirror", "image": "img-1", "prompt": "p", "before": 1.0, "after": 0.0}


@pytest.fixture
def tasks_wait(monkeypatch):
    monkeypatch.setattr("judges.tasks.send", lambda *given: True)


@pytest.fixture
def bench_of_alice(alice, tasks_wait):
    made = bench(12)
    making.person(made, "alice", role="owner")
    making.person(made, "rita", role="researcher")
    return made


def ask(client, study, **more):
    answer = client.post(reverse("self-check-ask", args=[study.slug]), {"judge": JUDGE, **more})
    assert answer.status_code == 302, answer.content.decode()
    check = SelfCheck.objects.latest("pk")
    assert answer.headers["Location"] == at(check)
    return check


def at(check, name="self-check"):
    return reverse(name, args=[check.study.slug, check.pk])


def test_the_button_stands_on_the_judges_page_for_owners_alone(client, bench_of_alice):
    for name, offered in (("alice", True), ("rita", False)):
        client.force_login(User.objects.get(username=name))
        page = making.html_of(client.get(reverse("run-options", args=["bench", JUDGE])))
        assert ("Check itself" in page) == offered
    answer = client.post(reverse("self-check-ask", args=["bench"]), {"judge": JUDGE})
    assert answer.status_code == 403
    assert not SelfCheck.objects.exists()


def test_a_worker_asks_the_judge_and_the_page_tells_what_it_found(as_alice, bench_of_alice):
    check = ask(as_alice, bench_of_alice)
    waiting = making.html_of(as_alice.get(at(check)))
    assert "Waiting for a worker" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    run_job(check.pk)
    page = making.html_of(as_alice.get(at(check)))
    assert "hx-trigger" not in page
    for words in (
        "The judge contradicts itself on none of",
        "Mirrored, left for right",
        "0 of 12 (too few to judge: 12 images, at least 30 needed)",
        "its prompt does not name two things with a color each",
        "Check again",
    ):
        assert words in page
    check.refresh_from_db()
    assert check.fingerprint in page
    # Asked again, both stand side by side.
    again = ask(as_alice, bench_of_alice)
    run_job(again.pk)
    page = making.html_of(as_alice.get(at(again)))
    assert "Over time" in page
    assert at(check) in page
    assert "All 12 images have the score of" in page


def test_the_page_tells_how_far_the_worker_is(as_alice, bench_of_alice, monkeypatch):
    check = ask(as_alice, bench_of_alice)
    pages = []

    def peek(scorer, *given):
        pages.append(making.html_of(as_alice.get(at(check))))
        return finish(scorer, *given)

    finish = ImageScorer.finish
    monkeypatch.setattr(ImageScorer, "finish", peek)
    run_job(check.pk)
    for step, words in (
        (1, "the images as they are"),
        (3, "mirrored, left for right"),
        (7, "drawings, left for right"),
    ):
        told = f"The worker asks the judge: step {step} of 7, {words}."
        assert any(told in page and f'value="{step}"' in page for page in pages)
    assert "The worker asks" not in making.html_of(as_alice.get(at(check)))


def test_a_contradiction_leads_to_what_the_engines_said_of_the_image(as_alice, bench_of_alice):
    image = bench_of_alice.images.first()
    rows = [{**PAIR, "image": image.key}, {**PAIR, "check": "again", "before": 0.5}]
    check = SelfCheck.objects.create(
        study=bench_of_alice, judge=JUDGE, count=60, state="done", pairs=rows
    )
    page = making.html_of(as_alice.get(at(check)))
    assert f'<a href="{reverse("look", args=["bench", image.public_id])}">{image.key}</a>' in page


def test_it_is_data_too(as_alice, bench_of_alice):
    check = SelfCheck.objects.create(
        study=bench_of_alice, judge=JUDGE, count=60, state="done", pairs=[PAIR]
    )
    told = as_alice.get(at(check, "self-check-file")).json()
    assert told["pairs"] == [PAIR]
    assert told["checks"]["mirror"]["violations"] == 1
    assert (told["state"], told["reason"]) == ("done", "")


def test_the_same_check_asked_twice_is_one(as_alice, bench_of_alice):
    assert ask(as_alice, bench_of_alice).pk == ask(as_alice, bench_of_alice).pk


@pytest.mark.parametrize(
    ("error", "state", "words"),
    [
        (JudgeMissing("Needs torch."), "waiting", "The last worker that was asked: Needs torch."),
        (JudgeRefused("It failed its self-test."), "refused", "It failed its self-test."),
        (Passing("no route"), "refused", "could not be reached: no route. Ask again later."),
    ],
)
def test_what_hinders_a_worker_stands_on_the_page(
    as_alice, bench_of_alice, monkeypatch, error, state, words
):
    def hinder(**given):
        raise error

    monkeypatch.setattr(jobs, "check_judge", hinder)
    check = ask(as_alice, bench_of_alice)
    run_job(check.pk)
    check.refresh_from_db()
    assert check.state == state
    assert words in making.html_of(as_alice.get(at(check)))


def test_a_check_that_breaks_is_tried_again_and_then_given_up(
    as_alice, bench_of_alice, monkeypatch
):
    def breaks(**given):
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(jobs, "check_judge", breaks)
    check = ask(as_alice, bench_of_alice)
    for _ in range(5):
        assert [job.pk for job in waiting()] == [check.pk]
        run_job(check.pk)
    check.refresh_from_db()
    assert check.state == "given up"
    assert "the disk is gone" in making.html_of(as_alice.get(at(check)))
    assert [job.pk for job in waiting()] == []


def test_a_check_whose_message_was_lost_is_called_for_again(as_alice, bench_of_alice, monkeypatch):
    check = ask(as_alice, bench_of_alice)
    sent = []
    monkeypatch.setattr(tasks, "send", lambda task, pk: sent.append((task, pk)))
    tasks.wake_jobs()
    [(task, pk)] = sent
    assert (task.name, pk) == ("judges.tasks.run_job_task", check.pk)
    # Where the engines are, and for as long as a judge may take.
    assert task.options == {"queue": "judges", "soft_time_limit": 7200, "time_limit": 7260}


def test_what_may_not_be_named_is_refused_at_once(as_alice, bench_of_alice):
    answer = as_alice.post(
        reverse("self-check-ask", args=["bench"]), {"judge": JUDGE, "option:threshold": "often"}
    )
    assert answer.status_code == 422
    assert not SelfCheck.objects.exists()


def test_the_page_is_a_fragment_for_htmx_and_asks_the_same_whatever_was_found(
    as_alice, bench_of_alice
):
    def made(number):
        rows = [{**PAIR, "image": f"img-{n}"} for n in range(number)]
        return SelfCheck.objects.create(
            study=bench_of_alice, judge=JUDGE, count=60, state="done", pairs=rows
        )

    made(1)
    once = queries(as_alice, made(1))
    for _ in range(10):
        many = made(30)
    assert queries(as_alice, many) == once
    fragment = making.html_of(as_alice.get(at(many), HTTP_HX_REQUEST="true"))
    assert "<html" not in fragment
    assert 'id="check"' in fragment


def queries(client, check):
    with CaptureQueriesContext(connection) as asked:
        making.html_of(client.get(at(check)))
    return len(asked)
