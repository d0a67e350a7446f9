"""Weights are checked by a worker before a judge is started; the page shows what it found."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.jobs import run as run_job
from annotations.jobs import waiting
from judges.models import Run, WeightCheck
from judges.runs import check_weights
from jurybox_judging.errors import JudgeMissing
from tests.judging.engines import tiny_clip
from tests.judging.engines.published_layouts import rewrite

pytestmark = pytest.mark.django_db
JUDGE = "clip-score-transformers"
OPTION = "similarity.checkpoint"


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return tiny_clip.save_transformers_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(autouse=True)
def _allowed(settings, clip, tmp_path):
    settings.JUDGE_WEIGHTS = (str(clip.parent), str(tmp_path))


def ask(client, study, folder, **more):
    sent = {"judge": JUDGE, f"option:{OPTION}": str(folder), **more}
    answer = client.post(reverse("weight-check-ask", args=[study.slug]), sent)
    assert answer.status_code == 302, answer.content.decode()
    check = WeightCheck.objects.latest("pk")
    assert answer.headers["Location"] == reverse("weight-check", args=[study.slug, check.pk])
    return check


def shown(client, check, **extra):
    return client.get(reverse("weight-check", args=[check.study.slug, check.pk]), **extra)


def test_the_page_of_options_offers_a_check_for_judges_with_weights_alone(as_alice, study):
    for judge, offered in ((JUDGE, True), ("geneval-builtin", False), ("dsg-server", False)):
        page = as_alice.get(reverse("run-options", args=[study.slug, judge])).content.decode()
        assert ("Check weights" in page) == offered, judge


def test_a_worker_looks_and_the_page_shows_what_it_found(as_alice, study, clip):
    check = ask(as_alice, study, clip)
    waiting = shown(as_alice, check).content.decode()
    assert "Waiting for a worker" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    run_job(check.pk)
    page = shown(as_alice, check).content.decode()
    assert "hx-trigger" not in page
    for words in ("model.safetensors", "in float32 (as chosen)", " fit</td>", "not done"):
        assert words in page
    assert str(clip.parent) not in page.replace(f"{OPTION} = {clip}", "").replace(
        f'value="{clip}"', ""
    ).replace(f">{clip}</td>", "")


def test_it_is_data_too(as_alice, study, clip):
    check = ask(as_alice, study, clip)
    run_job(check.pk)
    told = as_alice.get(reverse("weight-check-file", args=[study.slug, check.pk])).json()
    assert (told["judge"], told["state"], told["reason"]) == (JUDGE, "done", "")
    (part,) = told["parts"]
    assert part["files"] == {"model.safetensors": (clip / "model.safetensors").stat().st_size}
    assert part["memory"]["float32"] == 2 * part["memory"]["bfloat16"]
    assert (part["missing"], part["unexpected"], part["self_test"]) == ([], [], "not done")


def test_missing_and_unexpected_keys_are_named_one_by_one(as_alice, study, clip, tmp_path):
    def changed(state):
        state = {**state, "of_another_model.weight": state["text_projection.weight"]}
        del state["text_projection.weight"]
        return state

    check = ask(as_alice, study, rewrite(clip, tmp_path / "broken", changed))
    run_job(check.pk)
    check.refresh_from_db()
    (part,) = check.parts
    assert part["missing"] == ["text_projection.weight"]
    assert part["unexpected"] == ["of_another_model.weight"]
    page = shown(as_alice, check).content.decode()
    assert '<li class="breaks">text_projection.weight</li>' in page
    assert "1 missing, 1 unexpected, 0 of another shape" in page


def test_a_failed_self_test_is_told(as_alice, study, clip, monkeypatch):
    monkeypatch.setattr(check_weights.self_test, "_CHECKS", {"similarity": lambda engine: "no."})
    check = ask(as_alice, study, clip, measure="1")
    run_job(check.pk)
    check.refresh_from_db()
    assert check.parts[0]["self_test"] == "failed"
    assert "failed its self-test: no." in shown(as_alice, check).content.decode()


def test_the_judge_is_started_from_there_with_the_same_options(as_alice, study, clip):
    check = ask(as_alice, study, clip)
    run_job(check.pk)
    page = shown(as_alice, check).content.decode()
    assert f'<input type="hidden" name="option:{OPTION}" value="{clip}">' in page
    as_alice.post(
        reverse("run-start", args=[study.slug]), {"judge": JUDGE, f"option:{OPTION}": str(clip)}
    )
    assert Run.objects.get().judge.options[OPTION] == str(clip)


def test_the_same_check_asked_twice_is_one(as_alice, study, clip):
    assert ask(as_alice, study, clip).pk == ask(as_alice, study, clip).pk
    assert WeightCheck.objects.count() == 1


def test_what_may_not_be_named_is_refused_at_once(as_alice, study, settings):
    settings.JUDGE_WEIGHTS = ()
    sent = {"judge": JUDGE, f"option:{OPTION}": "/etc"}
    answer = as_alice.post(reverse("weight-check-ask", args=[study.slug]), sent)
    assert answer.status_code == 422
    assert not WeightCheck.objects.exists()


def test_a_worker_without_the_engines_leaves_it_to_others(as_alice, study, clip, monkeypatch):
    check = ask(as_alice, study, clip)

    def missing(*args, **more):
        raise JudgeMissing("This machine cannot look: Needs torch.")

    monkeypatch.setattr(check_weights, "check", missing)
    for _ in range(7):
        run_job(check.pk)
    check.refresh_from_db()
    assert (check.state, check.tries) == ("waiting", 0)
    page = shown(as_alice, check).content.decode()
    assert "The last worker that was asked: This machine cannot look: Needs torch." in page
    assert [job.pk for job in waiting()] == [check.pk]


def test_a_check_that_breaks_is_tried_again_and_then_given_up(as_alice, study, clip, monkeypatch):
    check = ask(as_alice, study, clip)

    def breaks(*args, **more):
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(check_weights, "check", breaks)
    for _ in range(5):
        run_job(check.pk)
    check.refresh_from_db()
    assert check.state == "given up"
    assert "the disk is gone" in check.reason
    assert [job.pk for job in waiting()] == []


def test_the_page_is_a_fragment_for_htmx_and_asks_the_same_whatever_was_found(as_alice, study):
    part = {"part": "similarity", "engine": "X", "files": {"a": 1}, "missing": ["b"]}
    check = WeightCheck.objects.create(study=study, judge=JUDGE, state="done", parts=[part])
    fragment = shown(as_alice, check, HTTP_HX_REQUEST="true").content.decode()
    assert "<html" not in fragment
    assert 'id="check"' in fragment
    once = queries(as_alice, check)
    WeightCheck.objects.filter(pk=check.pk).update(outcome={"parts": [part] * 10})
    assert queries(as_alice, check) == once


def queries(client, check):
    with CaptureQueriesContext(connection) as asked:
        shown(client, check)
    return len(asked)
