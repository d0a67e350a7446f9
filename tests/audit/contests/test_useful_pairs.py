from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Generator, Image, Pair, PairDraw, PairVote
from audit.contests.parameters import Parameters
from audit.contests.standings import leaderboard
from audit.words import contests as words
from tests import making

pytestmark = pytest.mark.django_db
PROMPTS = 40


@pytest.fixture
def arena():
    """Early against late is decided by far, 38 of 40; late against third is open, 5 of 10 prompts."""
    study = making.study("arena", prompts=PROMPTS, files=False)
    third = Generator.objects.create(study=study, name="third")
    for prompt in study.prompts.all():
        Image.objects.create(
            study=study, prompt=prompt, generator=third, key=f"third-{prompt.key[1:]}"
        )
    Image.objects.filter(study=study).update(file="a.png", sha256="a", width=1, height=1)
    return study


def vote(study, tmp_path):
    rows = [
        f"a{n},p{n},early-{n},late-{n},ann,match,{'first' if n < 2 else 'second'},"
        for n in range(40)
    ]
    rows += [
        f"b{n},p{n},late-{n},third-{n},ann,match,{'first' if n < 5 else 'second'},"
        for n in range(10)
    ]
    file = tmp_path / "votes.csv"
    head = "pair_id,prompt_id,first,second,rater,question,value,left"
    file.write_text("\n".join([head, *rows]) + "\n")
    call_command("import_pairs", study.slug, str(file))


def drawn(study):
    rows = Pair.objects.filter(study=study, draw__by=PairDraw.DrawRule.ADAPTIVE)
    return [
        (frozenset((one, other)), chance)
        for one, other, chance in rows.values_list(
            "first__generator__name", "second__generator__name", "chance"
        )
    ]


def test_open_pairs_are_drawn_more_often_and_every_pair_keeps_its_chance(arena, tmp_path, capsys):
    vote(arena, tmp_path)
    call_command(
        "pairs", "arena", "draw", "--by", "information", "--per-prompt", "1", "--seed", "3"
    )
    assert "more often where the outcome is open" in capsys.readouterr().out
    pairs = drawn(arena)
    # One of each of the 40 prompts that have a pair left: 30 late–third and 40 early–third.
    assert len(pairs) == PROMPTS
    chance = dict(pairs)
    assert set(chance) == {frozenset(("late", "third")), frozenset(("early", "third"))}
    assert len({(ends, round(c, 12)) for ends, c in pairs}) == 2
    expected = (
        30 * chance[frozenset(("late", "third"))] + 40 * chance[frozenset(("early", "third"))]
    )
    assert expected == pytest.approx(PROMPTS)
    # Half of the chances are the same for all, so that none is below half of 40 / 70.
    assert min(chance.values()) >= 0.5 * 40 / 70 - 1e-9
    found = Counter(ends for ends, _ in pairs)
    assert abs(found[frozenset(("late", "third"))] - 30 * chance[frozenset(("late", "third"))]) <= 4


def test_without_votes_it_says_to_draw_at_random_first(arena):
    with pytest.raises(CommandError, match="Draw pairs at random first"):
        call_command("pairs", "arena", "draw", "--by", "information")
    assert not Pair.objects.exists()
    with pytest.raises(CommandError, match="leave out --by"):
        call_command("pairs", "arena", "draw", "--by", "information", "--duel", "early", "late")


def test_the_leaderboard_says_how_many_votes_are_on_such_pairs(arena, tmp_path):
    vote(arena, tmp_path)
    assert leaderboard(arena, Parameters(), resamples=100)["drawn_useful"] == 0
    call_command("pairs", "arena", "draw", "--by", "information", "--per-prompt", "1")
    person = arena.memberships.get(name="ann")
    for pair in Pair.objects.filter(draw__by=PairDraw.DrawRule.ADAPTIVE)[:7]:
        PairVote.objects.create(
            study=arena, pair=pair, annotator=person, question="match", value="first",
            submitted_at=pair.draw.made_at,
        )  # fmt: skip
    body = leaderboard(arena, Parameters(), resamples=100)
    assert body["drawn_useful"] == 7
    assert "7 of them are on pairs that were drawn because they tell much" in " ".join(
        words.sentences(body)
    )
