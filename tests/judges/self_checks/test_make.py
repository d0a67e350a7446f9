"""What is asked of a judge, and what of it is kept."""

import json
from collections import Counter
from statistics import median

import pytest

from judges.looks.gather import ImageScorer, subject_of
from judges.models import Look, Score
from judges.runs import lifecycle, score_chunk
from judges.self_checks import make
from judges.self_checks.make import check_judge
from jurybox_judging import registry
from jurybox_judging.engines.builtin import BuiltinEngine
from tests import making
from tests.judges.runs.test_server_runs import options as server_options
from tests.judges.self_checks.bench import bench
from tests.judging.engines import tiny_clip
from tests.judging.engines.openai_stand_in import standing_in, told

pytestmark = pytest.mark.django_db


def made(found):
    return Counter(pair["check"] for pair in found.pairs)


def test_every_pair_is_made_anew_and_nothing_but_the_pairs_is_kept():
    found = check_judge(study=bench(20), name="geneval-builtin", options={}, count=20)
    assert found.fingerprint == registry.fingerprint(registry.identity("geneval-builtin", {}))
    counts = made(found)
    assert [counts[name] for name in ("again", "mirror", "recompress", "resize")] == [20] * 4
    # 30 drawings of ten shapes; the engine knows a crescent that opens to the right, as it is drawn.
    assert counts["sides"] == 30
    assert 1 <= counts["colors"] <= 20
    assert not Look.objects.exists()
    assert not Score.objects.exists()


def test_stored_looks_are_not_believed_and_not_changed():
    study = bench(5)
    right = check_judge(study=study, name="geneval-builtin", options={}, count=5).pairs
    score_chunk.work_off(run=lifecycle.start_run(study=study, name="geneval-builtin"))
    assert Look.objects.update(told=[]) >= 5
    assert check_judge(study=study, name="geneval-builtin", options={}, count=5).pairs == right
    assert all(told == [] for told in Look.objects.values_list("told", flat=True))


def test_a_changed_picture_is_refused_by_a_scorer_that_stores_what_it_hears(study):
    image = study.images.first()
    scorer = ImageScorer(registry.build("geneval-builtin", {}))
    with pytest.raises(ValueError, match="must not be stored"):
        scorer.begin_pictures([(image, subject_of(image), None)])
    scorer.close()


def test_the_same_seed_draws_the_same_images_and_another_one_others():
    study = bench(30)

    def drawn(seed):
        found = check_judge(study=study, name="geneval-builtin", options={}, count=5, seed=seed)
        return [pair["image"] for pair in found.pairs if pair["check"] == "again"]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_images_that_no_check_can_use_are_counted_with_the_reason(study):
    """Prompts of one colour, and pictures in which the engine finds nothing."""
    found = check_judge(study=study, name="geneval-builtin", options={}, count=60)
    assert dict(found.left_out["colors"]) == {
        "its prompt does not name two things with a color each": 8
    }


def test_the_size_that_a_judge_hears_is_that_of_the_picture_it_sees(study):
    image = study.images.first()
    small = make.Change(picture=lambda picture: picture.resize((9, 5)))
    _, subject, picture = make._change_image(image, small)
    assert picture.size == subject.size == (9, 5)


def test_prompts_with_sides_are_mirrored_first():
    study = bench(30)
    found = check_judge(study=study, name="geneval-builtin", options={}, count=4)
    prompts = dict(study.prompts.values_list("key", "text"))
    mirrored = [prompts[pair["prompt"]] for pair in found.pairs if pair["check"] == "mirror"]
    assert len(mirrored) == 4
    assert all("left of" in text or "right of" in text for text in mirrored)


def test_drawings_of_which_a_judge_says_in_neither_order_that_they_fit_are_left_out(monkeypatch):
    monkeypatch.setattr(BuiltinEngine, "_detect", lambda engine, image: [])
    found = check_judge(
        study=bench(2), name="geneval-builtin", options={"self_test": False}, count=2
    )
    assert made(found)["sides"] == 0
    (reason,) = found.left_out["sides"]
    assert "says of neither order that it fits" in reason
    assert found.left_out["sides"][reason] == 30


def test_a_judge_that_cannot_be_built_is_refused(study):
    with pytest.raises(registry.JudgeRefused):
        check_judge(study=study, name="no-such-judge", options={})


def test_a_server_is_asked_again_though_the_engine_remembers_its_replies(settings):
    """The stand-in answers otherwise from its second answer to a question on."""
    settings.OPENAI_API_KEY = ""
    registry.forget_engines()
    study = making.study(prompts=2)
    seen = Counter()

    def answer(asked, before):
        seen[asked.text, str(asked.body)] += 1
        sure = 0.8 if seen[asked.text, str(asked.body)] == 1 else 0.3
        return told(("Yes", sure), ("No", 1 - sure))

    with standing_in(answer) as state:
        found = check_judge(
            study=study, name="vqa-score-server", options=server_options(state), count=4
        )
    registry.forget_engines()
    again = [pair for pair in found.pairs if pair["check"] == "again"]
    assert len(again) == 4
    assert [(pair["before"], pair["after"]) for pair in again] == [
        (pytest.approx(0.8), pytest.approx(0.3))
    ] * 4


def test_a_neural_judge_takes_every_check(tmp_path, settings):
    settings.JUDGE_WEIGHTS = (str(tmp_path),)
    folder = tiny_clip.save_transformers_clip(tmp_path / "clip")
    found = check_judge(
        study=bench(10),
        name="clip-score-transformers",
        options={"similarity.checkpoint": str(folder), "self_test": False},
        count=10,
    )
    counts = made(found)
    assert [counts[name] for name in ("again", "mirror", "recompress", "resize")] == [10] * 4
    assert counts["colors"] + sum(found.left_out["colors"].values()) == 10
    assert counts["sides"] == 30
    again = [pair for pair in found.pairs if pair["check"] == "again"]
    assert [pair["before"] for pair in again] == [pair["after"] for pair in again]
    # It has no verdicts: what it scores in its upper half, it says to fit.
    first = [pair["before"] for pair in again]
    colors = [pair["before"] for pair in found.pairs if pair["check"] == "colors"]
    assert all(score >= median(first) for score in colors)
    # Random weights, but not blind: something does change.
    changed = [pair for pair in found.pairs if pair["check"] == "recompress"]
    assert any(pair["before"] != pair["after"] for pair in changed)


def test_a_judge_that_reads_detections_from_a_file_is_told_why_pictures_cannot_be_changed(
    tmp_path, settings
):
    settings.JUDGE_WEIGHTS = (str(tmp_path),)
    study = bench(12)
    detections = tmp_path / "found.jsonl"
    rows = [
        {
            "image": image.key,
            "detections": [
                {"class": c["class"], "score": 0.95, "box": [9 * n, 9, 9 * n + 8, 17], **color}
                for n, c in enumerate(
                    clause
                    for clause in image.prompt.metadata["include"]
                    for _ in range(clause["count"])
                )
                for color in [{"color": c["color"]} if "color" in c else {}]
            ],
        }
        for image in study.images.select_related("prompt")
    ]
    detections.write_text("\n".join(json.dumps(row) for row in rows))
    found = check_judge(
        study=study,
        name="geneval-from-file",
        options={"objects.checkpoint": str(detections)},
        count=12,
    )
    for name in ("again", "mirror", "recompress", "resize"):
        assert dict(found.left_out[name]) == {make.NO_PICTURE: 12}
    assert dict(found.left_out["sides"]) == {make.NO_PICTURE: 30}
    assert set(made(found)) <= {"colors"}
