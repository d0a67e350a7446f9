"""Measuring a judge from a page and over the API: the plan first, then a worker."""

import pytest
from django.urls import reverse

from annotations.jobs import Progress
from annotations.jobs import run as run_job
from judges.cards.changes import CHANGES
from judges.models import MadeScore, Measurement
from tests import making
from tests.judges.cards.test_measure import scored_run

pytestmark = pytest.mark.django_db


def signed_in(client, study, role="researcher"):
    person = making.person(study, "rita", role=role)
    client.force_login(person.user)
    return client


def test_the_page_says_the_plan_then_how_far_a_worker_is(
    client, django_capture_on_commit_callbacks
):
    run = scored_run(3)
    client = signed_in(client, run.study)
    address = reverse("run-card", args=[run.study.slug, run.pk])
    before = client.get(address).content.decode()
    assert f"{3 * len(CHANGES)} pictures made from 3 images" in before
    assert "Measure</button>" in before
    with django_capture_on_commit_callbacks(execute=False):
        sent = client.post(reverse("run-card-measure", args=[run.study.slug, run.pk]))
    assert sent.status_code == 302
    assert Measurement.objects.get().state == "waiting"
    after = client.get(address).content.decode()
    assert "<progress" in after and "Measure</button>" not in after


def test_a_measurement_can_be_stopped_and_goes_on_where_it_stopped(
    client, django_capture_on_commit_callbacks
):
    run = scored_run(5)  # four at a time
    client = signed_in(client, run.study)
    with django_capture_on_commit_callbacks(execute=False):
        client.post(reverse("run-card-measure", args=[run.study.slug, run.pk]))
    job = Measurement.objects.get()
    assert "Stop</button>" in client.get(reverse("run-card", args=job_args(run))).content.decode()
    # Stopped by a person while a worker has asked about the first pictures.
    before, written = Progress.__call__, []

    def stopped(progress, done, **more):
        written.append(done)
        assert client.post(reverse("run-card-stop", args=job_args(run))).status_code == 302
        return before(progress, done, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Progress, "__call__", stopped)
        assert not run_job(job.pk)
    assert len(written) == 1 and not Measurement.objects.exists()
    assert MadeScore.objects.count() == written[0] > 0
    page = client.get(reverse("run-card", args=job_args(run))).content.decode()
    assert "Measure</button>" in page and "Stop</button>" not in page
    assert f"{written[0]} are scored" in page


def job_args(run):
    return [run.study.slug, run.pk]


def test_scores_from_a_file_have_no_button(client):
    study = making.study()
    run = making.scores(study, {image.key: 1.0 for image in study.images.all()})
    run.judge.engine = "imported"
    run.judge.save()
    page = signed_in(client, study).get(reverse("run-card", args=[study.slug, run.pk]))
    assert "its scores came from a file" in page.content.decode()
    assert "Measure</button>" not in page.content.decode()


def test_the_api_tells_the_plan_and_asks_a_worker(client, django_capture_on_commit_callbacks):
    run = scored_run(3)
    client = signed_in(client, run.study)
    address = reverse("api-run-card", args=[run.study.slug, run.pk])
    assert client.get(address).json()["asked"] == 3 * len(CHANGES)
    with django_capture_on_commit_callbacks(execute=False):
        sent = client.post(address, {"count": 2}, content_type="application/json")
    assert (sent.status_code, sent.json()["state"]) == (202, "waiting")
    assert Measurement.objects.get().count == 2
    assert client.post(address, {"count": 0}, content_type="application/json").status_code == 400


def test_the_card_stands_on_a_page_with_its_parts(client):
    study = making.study(prompts=12)
    making.scores(study, {image.key: 0.5 for image in study.images.all()}, name="rule")
    page = signed_in(client, study).get(reverse("question", args=[study.slug, "card"]))
    text = page.content.decode()
    assert "Dark current: not measured, no picture was made for it yet" in text
    making.scores(study, {"early-0": 0.5}, name="second")
    page = client.get(reverse("question", args=[study.slug, "card"]))
    text = page.content.decode()
    assert "Say which judge. Judges of this study: rule, second." in text
    assert '<option value="rule">' in text
    text = client.get(page.request["PATH_INFO"] + "?judge=second&count=60").content.decode()
    assert '<option value="second" selected>' in text
    assert '<input type="hidden" name="count" value="60">' in text
