import json

import pytest
from django.core.management import call_command

from annotations.models import Study
from audit.contests.parameters import Parameters
from audit.contests.read import from_pairs
from audit.contests.standings import leaderboard
from audit.reports.make import question_of
from audit.reports.options import Options
from audit.reports.pairing import pair
from jurybox_stats.contests.fit import fit
from tests import making

pytestmark = pytest.mark.django_db


def test_pairs_of_one_ranking_are_one_cluster_not_so_many_wins(tmp_path):
    """22 rankings of three are 66 votes, but errors are those of 22 prompts: wider than those of 66."""
    orders = [(1, 2, 3)] * 13 + [(2, 1, 3)] * 5 + [(3, 2, 1)] * 4
    rows = [
        {
            "prompt": f"a bird {number}",
            "image_path": [f"{name}{number}.jpg" for name in "wxy"],
            "raw_annotations": [{"rank": list(order), "user_hash": f"{number}"}],
            "models": ["W", "X", "Y"],
        }
        for number, order in enumerate(orders)
    ]
    file = tmp_path / "test.json"
    file.write_text(json.dumps(rows))
    call_command("import_pairs", "birds", str(file))
    study = Study.objects.get(slug="birds")
    body = leaderboard(study, Parameters(), resamples=100)
    assert (body["votes"], body["prompts"]) == (66, 22)
    first = body["people"]["places"][0]
    assert first["generator"] == "W"
    people = pair(study=study, question=question_of(study, Options())).people
    alone = fit(from_pairs(study, people, "match").votes(), ties="none", clusters="votes")
    one = alone.win_shares[0]
    assert first["win_share"]["value"] == pytest.approx(one.value, abs=1e-12)
    assert first["win_share"]["high"] - first["win_share"]["low"] > 1.2 * (one.high - one.low)


def test_votes_between_images_of_one_generator_compare_judges_and_no_generators(tmp_path):
    study = making.study("seeds", prompts=20, files=False)
    late = study.generators.get(name="late")
    study.images.filter(generator__name="early").update(generator=late)
    rows = [
        f"a{n},p{n},early-{n},late-{n},{who},match,{'first' if n < 5 else 'second'},"
        for n in range(20)
        for who in ("ann", "ben")
    ]
    head = "pair_id,prompt_id,first,second,rater,question,value,left"
    file = tmp_path / "votes.csv"
    file.write_text("\n".join([head, *rows]) + "\n")
    call_command("import_pairs", study.slug, str(file))
    keys = [(f"{kind}-{n}", kind == "late") for kind in ("early", "late") for n in range(20)]
    making.scores(study, {key: float(is_late) for key, is_late in keys})
    body = leaderboard(study, Parameters(), resamples=100)
    assert (body["votes"], body["same_generator"]) == (0, 40)
    assert "undefined" in body["people"]
    judge = body["judges"]["some-judge"]
    # Late is above early on all 20, people say so on 15.
    assert judge["accuracy"]["value"] == pytest.approx(30 / 40)
    assert body["ceiling"]["value"] == 1.0


def test_judges_stand_beside_two_people_by_slice(tmp_path):
    study = making.study("slices", prompts=40, files=False)
    for prompt in study.prompts.all():
        prompt.tags = ["even" if int(prompt.key[1:]) % 2 == 0 else "odd"]
        prompt.save()
    rows = [
        f"a{n},p{n},early-{n},late-{n},{who},match,{'first' if who == 'cid' and n % 2 else 'second'},"
        for n in range(40)
        for who in ("ann", "ben", "cid")
    ]
    head = "pair_id,prompt_id,first,second,rater,question,value,left"
    file = tmp_path / "votes.csv"
    file.write_text("\n".join([head, *rows]) + "\n")
    call_command("import_pairs", study.slug, str(file))
    keys = [(f"{kind}-{n}", kind, n) for kind in ("early", "late") for n in range(40)]
    making.scores(study, {key: float(kind == "late") for key, kind, _ in keys})
    by_tag = {one["tag"]: one for one in leaderboard(study, Parameters(), resamples=100)["slices"]}
    # Of even prompts all say late; of odd ones Cid does not: two of three pairs of people differ.
    assert by_tag["even"]["ceiling"]["value"] == 1.0
    assert by_tag["odd"]["ceiling"]["value"] == pytest.approx(1 / 3)
    assert by_tag["even"]["judges"]["some-judge"]["value"] == 1.0
    assert by_tag["odd"]["judges"]["some-judge"]["value"] == pytest.approx(2 / 3)
