"""The demo has a small study of pairs: simulated people vote, and better generators win."""

import pytest

from annotations.models import Pair, PairVote
from annotations.pairs import simulated
from audit import demo
from audit.contests.parameters import Parameters
from audit.contests.standings import leaderboard
from jurybox_formats.sets.builtin import study as builtin
from tests import making

pytestmark = pytest.mark.django_db


def test_the_demos_leaderboard_follows_from_votes_on_pairs():
    study = demo.build_demo(prompts=24, generators=6, size=128, seed=7)
    assert study.pairs.count() >= 24 * demo.PAIRS_OF_A_PROMPT
    votes = PairVote.objects.filter(study=study)
    assert votes.count() == demo.RATERS * study.pairs.count()
    assert set(votes.values_list("annotator__simulated", flat=True)) == {True}
    assert set(study.pairs.values_list("taken", flat=True)) == {demo.RATERS}
    left = votes.filter(left="first").count() / votes.count()
    assert left == pytest.approx(0.5, abs=3 * 0.5 / votes.count() ** 0.5)
    body = leaderboard(study, Parameters(), resamples=200)
    assert (body["made_from"], body["simulated"]) == ("pairs", True)
    order = [place["generator"] for place in body["people"]["places"]]
    # Most of what is asked is right in Lanternfish's images of these prompts, least in Marzipan's.
    assert (order[0], order[-1]) == ("Lanternfish", "Marzipan")
    demo.build_demo(prompts=24, generators=6, size=128, seed=7)
    assert PairVote.objects.filter(study=study).count() == votes.count()


def test_what_is_true_is_known_without_painting():
    prompt, maker = builtin.make_prompts(4, 7)[3], builtin.GENERATORS[0]
    drawing = builtin.draw(prompt, maker, size=128, seed=7)
    assert builtin.truths(4, 6, 7)[drawing.key] == drawing.truth


def test_people_who_are_not_simulated_have_no_simulated_votes(study):
    person = making.person(study, "kim")
    with pytest.raises(ValueError, match="only simulated people"):
        simulated.vote(study=study, people=[person], seen=lambda key, name: 1.0, seed=0)
    assert not Pair.objects.exists()
