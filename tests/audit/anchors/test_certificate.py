"""The certificate: what it compares, what it leaves out, and a server that changes behind its name."""

import json

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from annotations.anchors import keep
from audit.anchors.certificate import certificate, newest, of_sides
from audit.questions.why.question import explain, study_called
from audit.why.parameters import Parameters
from audit.words import anchors as words
from audit.words import why as why_words
from judges.anchors import jobs
from judges.models import AnchorScoring, Score
from tests import making
from tests.judges.anchors.test_score import as_model, frozen, judged
from tests.judges.runs.test_server_runs import options as server_options
from tests.judges.self_checks.bench import bench
from tests.judging.engines.openai_stand_in import standing_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_engines")]
JUDGE = "soft-tifa-gm-server"


def test_a_judge_that_is_the_same_has_a_certificate_with_what_cannot_be_excluded():
    study = bench(40)
    run = judged(study)
    body = certificate(jobs.score_here(run=run, anchors=frozen(study)))
    assert (body["compared"], body["same"], body["left_out"]) == (40, 40, {})
    assert body["changed"]["value"] == body["changed"]["low"] == 0
    # 40 prompts without a change: 1 - .05^(1/40) = 7.2 %, by the mid-p rule of shares.
    assert 0.05 < body["changed"]["high"] < 0.09
    assert body["server"] is None
    day = body["date"]
    assert words.sentences(body) == [
        f"{words.title('geneval-builtin')}: 40 of 40 anchors gave the same score on {day} as on {day}; at "
        f"most {100 * body['changed']['high']:.1f} % of the study’s images score otherwise (95 % interval "
        "by prompts)."
    ]
    json.dumps(body, allow_nan=False)


def server_study(state, prompts=40):
    study = making.study("served", prompts=prompts)
    run = judged(study, JUDGE, server_options(state))
    values = {image.key: {"bob": number % 2} for number, image in enumerate(study.images.all())}
    making.labels(study, values)
    return study, run


def why(study):
    asked = Parameters(judge=JUDGE, before="early", after="late")
    body = explain(study, asked, find=study_called, resamples=100)
    held = of_sides(body)
    certified = [line for one in held for line in words.sentences(one)]
    return [*why_words.sentences(body, anchored=bool(held)), *certified]


@pytest.mark.nightly("one that changes its scores is caught beside it")
def test_a_server_whose_model_changes_behind_the_same_name_is_caught_by_the_anchors():
    model = ["judge-2026-01", 0.6, "fp_a"]
    with standing_in(lambda asked, before: as_model(*model)) as state:
        study, run = server_study(state)
        anchors = frozen(study)
        # Without anchors scored again, nobody could have seen it.
        assert any(
            "could not be seen, since no anchors were scored again" in one for one in why(study)
        )
        first = certificate(jobs.score_here(run=run, anchors=anchors))
        assert (first["compared"], first["same"]) == (80, 80)
        assert first["server"]["model_changed"] is None
        told = why(study)
        assert not any("could not be seen" in one for one in told)
        assert any("80 of 80 anchors gave the same score" in one for one in told)
        model[:] = "judge-2026-02", 0.45, "fp_b"
        second = certificate(jobs.score_here(run=run, anchors=anchors))
    assert (second["compared"], second["same"]) == (80, 0)
    assert second["changed"]["value"] == 1
    assert second["largest"] == pytest.approx(-0.15)
    assert (second["server"]["model_changed"], second["server"]["system_changed"]) == (True, True)
    assert second["server"]["now"] == [
        {"model": "judge-2026-02", "system_fingerprint": "fp_b", "replies": 160}
    ]
    told = why(study)
    assert any("0 of 80 anchors gave the same score" in one for one in told)
    assert (
        f"The server’s name for its model has changed since {second['server']['since']}: it was "
        "“judge-2026-01” and is “judge-2026-02”. Its fingerprint of the system was “fp_a” and is “fp_b”."
    ) in told


def test_a_server_that_keeps_its_name_and_changes_its_scores_is_caught_too():
    """Some pictures only: how many changed, and by how much."""
    yes = {"early": 0.6, "now": 0.6}
    with standing_in(
        lambda asked, before: as_model(
            "judge", yes["now"] if sum(asked.picture.encode()) % 2 else yes["early"]
        )
    ) as state:
        study, run = server_study(state)
        anchors = frozen(study)
        jobs.score_here(run=run, anchors=anchors)
        yes["now"] = 0.3
        body = certificate(jobs.score_here(run=run, anchors=anchors))
    assert 0 < body["same"] < body["compared"] == 80
    assert body["server"]["model_changed"] is False
    low, value, high = (body["moved"][part] for part in ("low", "value", "high"))
    assert low < value < high < 0
    assert body["changed"]["low"] < 1 - body["same"] / 80 < body["changed"]["high"]
    told = words.sentences(body)
    assert f"{body['same']} of 80 anchors gave the same score" in told[0]
    assert "Over all anchors, the score moved by −" in told[1]
    assert "as on" in told[2]


def test_without_the_runs_score_the_first_time_is_what_is_compared_with():
    study = bench(3)
    run, anchors = judged(study), frozen(study)
    Score.objects.filter(run=run).delete()
    first = jobs.score_here(run=run, anchors=anchors)
    body = certificate(first)
    assert (body["compared"], body["left_out"]) == (0, {"it had no score before": 3})
    assert "say nothing of" in words.sentences(body)[0]
    body = certificate(jobs.score_here(run=run, anchors=anchors))
    assert (body["compared"], body["same"]) == (3, 3)
    assert body["changed"]["undefined"].startswith("too few to judge")


def test_changed_pictures_failures_and_images_that_are_gone_are_left_out_and_named():
    study = bench(6)
    run, anchors = judged(study), frozen(study)
    keys = list(study.images.order_by("key").values_list("key", flat=True))
    image = study.images.get(key=keys[0])
    default_storage.delete(image.file)
    default_storage.save(image.file, ContentFile(making.png()))
    study.images.get(key=keys[1]).delete()
    scoring = jobs.score_here(run=run, anchors=anchors)
    scoring.scores[0] |= {"score": None, "reason": "the lamp was out"}
    body = certificate(scoring)
    assert (body["compared"], body["same"]) == (3, 3)
    assert body["left_out"] == {
        "its picture is not the one of the set": 1,
        "the image is gone from the study": 1,
        "the judge gave no score: the lamp was out": 1,
    }
    told = words.sentences(body)
    assert any(one.endswith(f"are left out: {keys[0]}.") for one in told)
    assert told[-1] == (
        "Not compared: 1, the image is gone from the study; 1, the judge gave no score: the lamp was out."
    )


def test_the_last_digit_is_no_change_and_more_is(study):
    run = making.scores(study, {f"early-{number}": number / 4 for number in range(4)})
    anchors = frozen(study)
    # The range of these scores is 3/4; a thousandth of it may differ.
    moves = (0.0, 0.0007, -0.0008, 0.1)
    rows = [
        {"image": f"early-{n}", "prompt": f"p{n}", "score": n / 4 + move, "replies": []}
        for n, move in enumerate(moves)
    ]
    scoring = AnchorScoring.objects.create(
        study=study, run=run, anchors=anchors, judge="some-judge", state="done", scores=rows
    )
    body = certificate(newest(run))
    assert body["same"] == 2
    assert body["examples"] == ["early-2", "early-3"]
    assert body["largest"] == pytest.approx(0.1)
    assert scoring.study == study


def test_the_command_makes_scores_and_tells(capsys):
    study = bench(5)
    judged(study)

    def said(*args, **more):
        call_command("anchors", "bench", *args, **more)
        return capsys.readouterr().out

    with pytest.raises(CommandError, match="There are no anchors yet"):
        said("score", judge="geneval-builtin")
    assert said("make", count=4) == "Froze 4 of 5 images as anchors (seed 0).\n"
    with pytest.raises(CommandError, match="has not scored anchors yet"):
        said("certificate", judge="geneval-builtin")
    with pytest.raises(CommandError, match="Judges of this study: “geneval-builtin”"):
        said("certificate")
    assert "4 of 4 anchors gave the same score" in said("score", judge="geneval-builtin")
    body = json.loads(said("certificate", "--json", judge="geneval-builtin"))
    assert (body["same"], body["anchors"]["count"]) == (4, 4)
    assert AnchorScoring.objects.get().anchors == keep.newest(study)
