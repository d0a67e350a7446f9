"""Pictures made for a judge's card: made once, scored once, and no image of the study."""

import pytest
from PIL import Image as Picture

from annotations.models import Image
from judges.cards import changes, jobs
from judges.cards.changes import CHANGES
from judges.cards.jobs import measure
from judges.cards.pictures import DrawnImages, Maker, digest_of, images_by_pk
from judges.cards.plan import plan, plan_words
from judges.models import Look, MadeLook, MadePicture, MadeScore, Measurement
from judges.runs import lifecycle, score_chunk
from jurybox_judging.engines.builtin import BuiltinEngine
from jurybox_judging.errors import JudgeRefused
from tests import making
from tests.judges.self_checks.bench import bench

pytestmark = pytest.mark.django_db


def scored_run(prompts=6, name="geneval-builtin", study=None):
    run = lifecycle.start_run(study=study or bench(prompts), name=name)
    score_chunk.work_off(run=run)
    return run


def test_each_picture_is_made_and_scored_once_and_none_is_an_image_of_the_study():
    run = scored_run()
    images, looks = Image.objects.count(), Look.objects.count()
    job = jobs.measure_here(run, count=6)
    assert job.outcome == {"pictures": 6 * len(CHANGES), "asked": 6 * len(CHANGES)}
    assert MadePicture.objects.count() == MadeScore.objects.count() == 6 * len(CHANGES)
    assert MadeLook.objects.count() >= 6 * len(CHANGES)
    assert (Image.objects.count(), Look.objects.count()) == (images, looks)
    assert jobs.measure_here(run, count=6).outcome["asked"] == 0


def test_a_second_card_asks_no_engine(monkeypatch):
    run = scored_run(3)
    jobs.measure_here(run, count=3)
    monkeypatch.setattr(BuiltinEngine, "_detect", lambda engine, image: pytest.fail("asked"))
    assert jobs.measure_here(run, count=3).outcome["asked"] == 0


def test_another_judge_over_the_same_engine_finds_the_looks(monkeypatch):
    run = scored_run(3)
    other = lifecycle.start_run(study=run.study, name="geneval-builtin", options={"threshold": 0.9})
    score_chunk.work_off(run=other)
    jobs.measure_here(run, count=3)
    looks = MadeLook.objects.count()
    jobs.measure_here(other, count=3)
    assert MadeLook.objects.count() == looks
    assert MadeScore.objects.filter(judge=other.judge).count() == 3 * len(CHANGES)


def test_what_was_stopped_goes_on_where_it_stopped():
    run = scored_run(6)
    drawn = DrawnImages(run, 6)

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(drawn, stop)
    kept = MadeScore.objects.count()
    assert 0 < kept < 6 * len(CHANGES)
    assert plan(DrawnImages(run, 6))["known"] == kept
    assert measure(DrawnImages(run, 6))["asked"] == 6 * len(CHANGES) - kept


def test_a_plan_says_pictures_time_and_price_before_anything_is_made():
    run = scored_run(3)
    run.scores.update(seconds=2.0)
    planned = plan(DrawnImages(run, 3))
    # 3 images, each with every change; 2 s an image.
    assert planned == {
        "images": 3,
        "pictures": 3 * len(CHANGES),
        "known": 0,
        "asked": 3 * len(CHANGES),
        "seconds": 6.0 * len(CHANGES),
        "cost": 0.0,
    }
    assert not MadePicture.objects.exists()
    assert plan_words(planned) == (
        "72 pictures made from 3 images; 0 are scored, 72 to ask. Time: about 2 min. Price: none, it "
        "asks no server."
    )


def test_the_same_change_makes_the_same_pixels_and_every_change_but_one_other_pixels():
    run = scored_run(3)
    drawn = DrawnImages(run, 1)
    (image,) = images_by_pk([drawn.rows[0][0]]).values()
    first, second = (dict(Maker(run).make(image, list(CHANGES))) for _ in range(2))
    digests = {name: digest_of(picture) for name, picture in first.items()}
    assert digests == {name: digest_of(picture) for name, picture in second.items()}
    # The last step of the ladder of contrast is grey throughout.
    assert digests["fade-5"] == digests["grey"]
    assert len(set(digests.values())) == len(CHANGES) - 1
    assert first["cropped"].size == tuple(side - 1 for side in first["again"].size)


def test_the_prompt_is_written_into_the_picture_and_fits_it():
    words = " ".join(["photograph"] * 30)
    original = changes.Original("a", words, Picture.new("RGB", (200, 300)), lambda: None)
    made = changes.write_prompt(original)
    assert made.size == (200, 300)
    white = [made.getpixel((199, row)) == (255, 255, 255) for row in range(300)]
    assert white[0] and not white[299]


def test_a_picture_of_another_prompt_is_never_one_of_its_own():
    study = making.study(prompts=2)
    run = making.scores(study, {image.key: 1.0 for image in study.images.all()})
    maker = Maker(run)
    for image in images_by_pk(list(study.images.values_list("pk", flat=True))).values():
        ((_, picture),) = maker.make(image, ["swapped"])
        # The colour of a picture tells its prompt.
        assert picture.getpixel((0, 0))[0] != int(image.prompt.key[1:])


def test_scores_from_a_file_cannot_be_measured():
    study = making.study()
    run = making.scores(study, {image.key: 1.0 for image in study.images.all()})
    run.judge.engine = "imported"
    assert plan(DrawnImages(run))["why_not"] == "its scores came from a file"
    with pytest.raises(JudgeRefused, match="scores came from a file"):
        jobs.check_can_measure(run)


def test_a_judge_that_is_still_scoring_is_measured_later():
    run = lifecycle.start_run(study=bench(3), name="geneval-builtin")
    with pytest.raises(JudgeRefused, match="still scoring the study"):
        jobs.request(run, count=3)
    assert not Measurement.objects.exists()


def test_a_worker_measures_what_was_requested_and_says_how_far_it_is():
    from annotations import jobs as all_jobs

    run = scored_run(3)
    job = jobs.request(run, count=3)
    assert jobs.request(run, count=3).pk == job.pk
    all_jobs.run(job.pk)
    done = Measurement.objects.get(pk=job.pk)
    assert (done.state, done.asked, done.done) == ("done", 3 * len(CHANGES), 3 * len(CHANGES))
