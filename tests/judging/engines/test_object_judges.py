"""Judges by name from the first row to the score, over small checkpoints of the true shapes."""

from __future__ import annotations

import io

import numpy as np
import pytest

from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Prompt, Study
from judges.looks.gather import subject_of
from judges.models import Look, Run, Score
from judges.runs import lifecycle, score_chunk
from jurybox_formats.sources.records import ImageRecord
from jurybox_judging import registry
from jurybox_judging.engines import mmdetection
from tests import making
from tests.judging.asking import judged
from tests.judging.engines import tiny_clip, tiny_detectors, tiny_itm, tiny_reward
from tests.judging.engines.tiny_detectors import SIDES, picture

pytestmark = pytest.mark.django_db
PICTURES = {f"early-{seed}": picture(seed) for seed in range(1, 4)}


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    """What a person types for each judge: where the weights lie."""
    folder = tmp_path_factory.mktemp
    clip = {"colors.checkpoint": f"local-dir:{tiny_clip.save_open_clip(folder('clip'))}"}
    sides = {f"objects.{side}": length for side, length in SIDES.items()}
    config = tiny_detectors.mmdetection_config(folder("mmdetection"))
    weights = tiny_detectors.save_mmdetection(config.parent, config)
    itm, reward = folder("itm"), tiny_reward.save(folder("reward"))
    tiny_itm.save_blip2(itm)
    plain = tiny_clip.save_transformers_clip(folder("plain"))
    monkeypatched = pytest.MonkeyPatch()
    monkeypatched.setattr(mmdetection, "config_file", lambda name: config)
    yield {
        "geneval": {
            **clip,
            **sides,
            "objects.checkpoint": str(weights),
        },
        "geneval-transformers": {
            **clip,
            **sides,
            "objects.checkpoint": str(tiny_detectors.save_mask2former(folder("mask2former"))),
        },
        "clip-score-transformers": {"similarity.checkpoint": str(plain)},
        "blip2-itm": {"similarity.checkpoint": str(itm)},
        "image-reward": {
            "similarity.checkpoint": str(reward.file),
            "similarity.tokenizer": str(reward.words),
        },
    }
    monkeypatched.undo()


@pytest.fixture(autouse=True)
def allowed(settings, tmp_path_factory):
    settings.JUDGE_WEIGHTS = [str(tmp_path_factory.getbasetemp())]


@pytest.fixture
def study(db):
    study = making.study(prompts=1)
    study.images.all().delete()
    outcome = Outcome()
    records = (
        ImageRecord(key=key, prompt="p0", generator="early", content=_png(image))
        for key, image in PICTURES.items()
    )
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert outcome.rejected == []
    return study


def _png(image):
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _scores(study: Study, name: str, options: dict) -> dict[str, Score]:
    run = lifecycle.start_run(study=study, name=name, options={"self_test": False, **options})
    for chunk in lifecycle.chunks_to_wake(run=run):
        score_chunk.score_chunk(chunk_id=chunk)
    run.refresh_from_db()
    assert (run.state, run.reason) == (Run.State.FINISHED, "")
    return {score.image.key: score for score in Score.objects.filter(run=run)}


@pytest.mark.parametrize("name", ["geneval", "geneval-transformers"])
def test_geneval_scores_as_its_parts_by_hand_and_looks_once(study, options, name, monkeypatch):
    built = registry.build(name, {"self_test": False, **options[name]})
    detector = built.parts["objects"]
    (found,) = detector.detect([PICTURES["early-1"]])
    sure = max(found, key=lambda one: one["score"])
    asked = {"tag": "colors", "include": [{"class": sure["class"], "count": 1, "color": "red"}]}
    Prompt.objects.filter(study=study).update(metadata=asked)
    threshold = {"threshold": round(sure["score"] - 0.01, 3)}

    made = _scores(study, name, {**options[name], **threshold})
    method = registry.build(name, {"self_test": False, **options[name], **threshold}).method
    for image in study.images.all():
        expected = judged(method, subject_of(image), PICTURES[image.key], **built.parts)
        assert (made[image.key].error, made[image.key].value) == ("", expected.score)
        assert made[image.key].reason == expected.reason
    # In the first picture the thing is there, so that its color was asked for.
    assert "expected red" in made["early-1"].reason or made["early-1"].correct
    assert Look.objects.filter(image__key="early-1").count() == 2

    monkeypatch.setattr(type(detector), "detect", None)
    again = _scores(study, name, {**options[name], "threshold": 0.99})
    assert [score.value for score in again.values()] == [0.0] * 3


@pytest.mark.parametrize("name", ["clip-score-transformers", "blip2-itm", "image-reward"])
def test_matchers_score_every_picture_with_their_own_number(study, options, name):
    made = _scores(study, name, options[name])
    (engine,) = registry.build(name, options[name]).parts.values()
    prompt = Prompt.objects.get(study=study).text
    expected = engine.similarities([(image, prompt) for image in PICTURES.values()])
    assert [made[key].value for key in PICTURES] == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected) > 0


def test_weights_that_see_nothing_right_stop_the_run_with_a_sentence(study, options):
    study.prompts.update(metadata={"include": [{"class": "stop sign", "count": 1}]})
    run = lifecycle.start_run(
        study=study, name="geneval-transformers", options=options["geneval-transformers"]
    )
    for chunk in lifecycle.chunks_to_wake(run=run):
        score_chunk.score_chunk(chunk_id=chunk)
    run.refresh_from_db()
    assert run.state == Run.State.STOPPED
    assert "failed its self-test: on the drawing of a stop sign" in run.reason
    assert not Score.objects.filter(run=run).exists()
