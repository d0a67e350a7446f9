"""The judge is asked anew: neither stored looks nor replies that an engine remembers are believed."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from annotations.anchors import keep
from annotations.jobs import run as run_job
from annotations.jobs import waiting
from judges.anchors import jobs
from judges.anchors.jobs import score_anchors
from judges.models import AnchorScoring, Judge, Look
from judges.runs import lifecycle, score_chunk
from jurybox_judging import registry
from jurybox_judging.errors import JudgeRefused
from tests import making
from tests.judges.runs.test_server_runs import options as server_options
from tests.judges.self_checks.bench import bench
from tests.judging.engines.openai_stand_in import Reply, standing_in, told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_engines")]


def judged(study, name="geneval-builtin", options=None):
    run = lifecycle.start_run(study=study, name=name, options=options)
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    return run


def frozen(study):
    images = list(study.images.order_by("key").values_list("pk", flat=True))
    return keep.keep(study=study, images=images, of=len(images), seed=0)


def by_image(scores):
    return {row["image"]: row["score"] for row in scores}


def as_model(model, yes, system=""):
    reply = told(("Yes", yes), ("No", 0.9 - yes))
    more = {"model": model} | ({"system_fingerprint": system} if system else {})
    return Reply({**reply.body, **more})


def test_stored_looks_are_neither_believed_nor_written():
    study = bench(6)
    run, anchors = judged(study), frozen(study)
    then = dict(run.scores.values_list("image__key", "value"))
    Look.objects.update(told=[])
    looks = Look.objects.count()
    steps = []
    found = score_anchors(run=run, anchors=anchors, on_step=steps.append)
    assert by_image(found["scores"]) == then
    assert steps[-1] == len(then) == 6
    assert Look.objects.count() == looks
    assert all(row["replies"] == [] for row in found["scores"])


def test_each_reply_of_a_server_keeps_its_model_and_system():
    study = making.study(prompts=2)
    model = ["small-1", "fp_a"]
    with standing_in(lambda asked, before: as_model(model[0], 0.6, model[1])) as state:
        run = judged(study, "soft-tifa-gm-server", server_options(state))
        anchors, asked = frozen(study), len(state.asked)
        model[:] = "small-2", "fp_b"
        found = score_anchors(run=run, anchors=anchors)
        # Two pictures, two questions about each; both generators drew the same.
        assert len(state.asked) == 2 * asked == 8
    assert len(found["scores"]) == 4
    assert all(row["replies"] == [["small-2", "fp_b"]] * 2 for row in found["scores"])
    assert all(engine.on_reply is None for engine in _servers(run))


def _servers(run):
    judge = registry.build(run.judge.name, lifecycle.own_options(run.judge))
    return judge.parts.values()


def test_a_server_that_names_itself_by_no_text_is_kept_as_nothing():
    study = making.study(prompts=1)
    reply = Reply({**as_model("m", 0.5).body, "model": ["odd"], "system_fingerprint": 7})
    with standing_in(lambda asked, before: reply) as state:
        run = judged(study, "soft-tifa-gm-server", server_options(state))
        found = score_anchors(run=run, anchors=frozen(study))
    assert found["scores"][0]["replies"] == [["", ""]] * 2


def test_a_server_s_names_and_reasons_are_cut_to_200_characters():
    study = making.study(prompts=1)
    with standing_in(lambda asked, before: as_model("m" * 201, 0.6, "f" * 201)) as state:
        run = judged(study, "soft-tifa-gm-server", server_options(state))
        found = score_anchors(run=run, anchors=frozen(study))
    assert found["scores"][0]["replies"] == [["m" * 200, "f" * 200]] * 2


def test_a_picture_that_is_another_one_is_named_and_not_judged():
    study = bench(4)
    run, anchors = judged(study), frozen(study)
    image = study.images.order_by("key").first()
    default_storage.delete(image.file)
    default_storage.save(image.file, ContentFile(making.png()))
    found = score_anchors(run=run, anchors=anchors)
    assert found["changed_pictures"] == [image.key]
    assert len(found["scores"]) == 3


def test_another_version_of_the_judge_is_refused():
    study = bench(2)
    run, anchors = judged(study), frozen(study)
    Judge.objects.filter(pk=run.judge_id).update(method_version="0")
    run.refresh_from_db()
    with pytest.raises(JudgeRefused, match="not the one of the run: method version was “0”"):
        score_anchors(run=run, anchors=anchors)


def test_imported_scores_have_no_judge_to_ask(study):
    run = making.scores(study, {"early-0": 1.0})
    with pytest.raises(JudgeRefused, match="no judge named “some-judge”"):
        jobs.ask(run=run, anchors=frozen(study), by=None)


def test_a_worker_keeps_what_it_found_and_the_same_request_is_one_job():
    study = bench(3)
    run, anchors = judged(study), frozen(study)
    asked = jobs.ask(run=run, anchors=anchors, by=None)
    assert jobs.ask(run=run, anchors=anchors, by=None) == asked
    assert [job.pk for job in waiting()] == [asked.pk]
    run_job(asked.pk)
    asked.refresh_from_db()
    assert asked.state == AnchorScoring.State.DONE
    assert (len(asked.scores), asked.done) == (3, 3)
    # A message that comes twice does nothing.
    run_job(asked.pk)
    assert AnchorScoring.objects.count() == 1
