import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotations.models import PairVote
from annotations.pairs import draws
from audit.contests.win_rate import win_rate
from audit.words import contests as words
from jurybox_stats import assisted
from tests import making

pytestmark = pytest.mark.django_db
PROMPTS = 200
VOTED = 60


@pytest.fixture
def duel():
    """Late truly wins on 140 of 200 prompts. The judge is right on all but every tenth prompt."""
    study = making.study("duel", prompts=PROMPTS)
    draws.duel(study=study, one="early", other="late", seed=4)
    scores = {}
    for n in range(PROMPTS):
        late = n % 10 < 7
        judge_late = late != (n % 10 == 9)
        scores[f"late-{n}"] = 0.5 + 0.3 * judge_late
        scores[f"early-{n}"] = 0.8 - 0.3 * judge_late
    making.scores(study, scores)
    person = making.person(study, "ann")
    for pair in study.pairs.order_by("place").select_related("first", "prompt")[:VOTED]:
        late = int(pair.prompt.key[1:]) % 10 < 7
        late_is_first = pair.first.key.startswith("late")
        PairVote.objects.create(
            study=study, pair=pair, annotator=person, question="match", left="first",
            value="first" if late == late_is_first else "second", submitted_at=pair.draw.made_at,
        )  # fmt: skip
    return study


def test_it_is_the_assisted_mean_of_votes_with_score_differences(duel):
    body = win_rate(duel, "late", "early")
    voted = set(PairVote.objects.values_list("pair__prompt__key", flat=True))
    said = np.array([float(n % 10 < 7) if f"p{n}" in voted else np.nan for n in range(PROMPTS)])
    ahead = np.array([0.3 * (2 * ((n % 10 < 7) != (n % 10 == 9)) - 1) for n in range(PROMPTS)])
    by_hand = assisted.mean(said, [ahead], np.arange(PROMPTS))
    assert (body["pairs"], body["voted"], body["votes"], body["undrawn"]) == (200, 60, 60, 0)
    assert body["win_rate"]["value"] == pytest.approx(by_hand.value)
    assert body["win_rate"]["low"] == pytest.approx(by_hand.low)
    assert body["alone"]["value"] == pytest.approx(np.nanmean(said))
    assert body["judges"] == {"some-judge": pytest.approx(by_hand.weights[0])}
    # The judge helps: surer than votes alone, and nearer to 140 of 200.
    width = body["win_rate"]["high"] - body["win_rate"]["low"]
    assert width < 0.8 * (body["alone"]["high"] - body["alone"]["low"])
    assert body["win_rate"]["low"] < 0.7 < body["win_rate"]["high"]
    assert body["worth"] > 1.5 * VOTED


def test_units_are_of_one_prompt_and_families_are_the_clusters(duel):
    before = win_rate(duel, "late", "early")
    for prompt in duel.prompts.all():
        prompt.family = f"template {int(prompt.key[1:]) % 10}"
        prompt.save(update_fields=["family"])
    body = win_rate(duel, "late", "early")
    assert (body["pairs"], body["prompts"]) == (before["pairs"], before["prompts"]) == (200, 200)
    assert body["signature"]["clusters"] == "10 families of 200 prompts"
    voted = set(PairVote.objects.values_list("pair__prompt__key", flat=True))
    said = np.array([float(n % 10 < 7) if f"p{n}" in voted else np.nan for n in range(PROMPTS)])
    ahead = np.array([0.3 * (2 * ((n % 10 < 7) != (n % 10 == 9)) - 1) for n in range(PROMPTS)])
    by_hand = assisted.mean(said, [ahead], np.arange(PROMPTS) % 10)
    assert body["win_rate"]["low"] == pytest.approx(by_hand.low)


def test_the_other_way_round_is_the_rest_of_a_hundred(duel):
    one, other = win_rate(duel, "late", "early"), win_rate(duel, "early", "late")
    assert one["win_rate"]["value"] + other["win_rate"]["value"] == pytest.approx(1)


def test_a_judge_without_all_scores_is_no_help_and_named(duel, capsys):
    making.scores(duel, {f"late-{n}": 0.5 for n in range(PROMPTS)}, name="half")
    body = win_rate(duel, "late", "early")
    assert body["left_out"] == ["half"]
    assert list(body["judges"]) == ["some-judge"]
    assert "Without a score of every image, and so no help: half." in words.of_rate(body)
    alone = win_rate(duel, "late", "early", judges=["half"])
    assert alone["win_rate"]["value"] == pytest.approx(alone["alone"]["value"])


def test_votes_on_pairs_that_nobody_drew_are_said(duel):
    duel.pairs.update(chance=None)
    body = win_rate(duel, "late", "early")
    assert body["undrawn"] == VOTED
    assert "60 of the voted pairs were not drawn by chance" in words.of_rate(body)[-1]


def test_what_cannot_be_told_is_said_by_the_command(duel, capsys):
    call_command("win_rate", "duel", "late", "early")
    assert "late wins" in capsys.readouterr().out
    call_command("win_rate", "duel", "late", "early", "--json")
    assert json.loads(capsys.readouterr().out)["first"] == "late"
    for args, why in (
        (("late", "late"), "one and itself"),
        (("late", "gone"), "no generator “gone”. Generators: early, late"),
        (("late", "early", "--judge", "gone"), "no judge of this study"),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("win_rate", "duel", *args)
    PairVote.objects.all().delete()
    body = win_rate(duel, "late", "early")
    assert "undefined" in body["win_rate"]
    assert "is not known" in words.of_rate(body)[0]
