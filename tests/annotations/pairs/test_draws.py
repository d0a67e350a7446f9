from itertools import combinations

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import StudyRefused
from annotations.models import Generator, Image, Pair, PairDraw, Prompt
from annotations.pairs import draws
from tests import making

pytestmark = pytest.mark.django_db


def with_generators(study, names):
    """Every prompt has a picture by each of these besides the two that are there."""
    for name in names:
        generator = Generator.objects.create(study=study, name=name)
        for prompt in study.prompts.all():
            Image.objects.create(
                study=study,
                prompt=prompt,
                generator=generator,
                key=f"{name}-{prompt.key}",
                file="a.png",
                sha256="a",
                width=1,
                height=1,
            )
    return study


def met(pairs):
    return {
        frozenset(row)
        for row in pairs.values_list("first__generator__name", "second__generator__name")
    }


def test_each_prompt_brings_so_many_pairs_with_their_chance(study):
    with_generators(study, ["third", "fourth"])
    made = draws.draw(study=study, per_prompt=3, seed=1)
    drawn = Pair.objects.filter(chance__isnull=False)
    assert [drawn.filter(prompt=prompt).count() for prompt in study.prompts.all()] == [3] * 4
    # 3 of the 6 pairs that four generators make
    assert set(drawn.values_list("chance", flat=True)) == {0.5}
    assert made.count == Pair.objects.count() >= 12
    assert sorted(Pair.objects.values_list("place", flat=True)) == list(range(made.count))
    for pair in Pair.objects.select_related("first", "second"):
        assert pair.first.prompt_id == pair.second.prompt_id == pair.prompt_id
        assert pair.first.generator_id != pair.second.generator_id


def test_the_same_seed_draws_the_same_pairs(study):
    with_generators(study, ["third", "fourth"])
    found = []
    for seed in (1, 1, 2):
        draws.draw(study=study, per_prompt=1, seed=seed)
        found.append(set(Pair.objects.values_list("first", "second")))
        Pair.objects.all().delete()
    assert found[0] == found[1] != found[2]


def test_people_meet_the_prompts_in_no_order(db):
    study = making.study("many", prompts=30, files=False)
    Image.objects.update(file="a.png", sha256="a", width=1, height=1)
    draws.draw(study=study, per_prompt=1, seed=1)
    met = list(Pair.objects.order_by("place").values_list("prompt__key", flat=True))
    assert len(met) == 30
    # They are drawn in the order of their keys.
    assert met != sorted(met)


def test_the_generators_of_each_slice_are_connected(study):
    with_generators(study, [f"g{n}" for n in range(6)])
    for number, prompt in enumerate(study.prompts.all()):
        Prompt.objects.filter(pk=prompt.pk).update(tags=[f"slice-{number}"])
    made = draws.draw(study=study, per_prompt=1)
    assert made.note == ""
    everybody = set(Generator.objects.values_list("name", flat=True))
    for prompt in study.prompts.all():
        edges = met(Pair.objects.filter(prompt=prompt))
        reached = {"early"}
        for _ in everybody:
            reached |= {name for edge in edges if edge & reached for name in edge}
        assert reached == everybody
        assert len(edges) >= len(everybody) - 1


def test_generators_that_share_no_prompt_are_named(study):
    lonely = Generator.objects.create(study=study, name="lonely")
    other = Generator.objects.create(study=study, name="other")
    prompt = Prompt.objects.create(study=study, key="alone", text="alone", tags=["far"])
    for generator in (lonely, other):
        Image.objects.create(
            study=study,
            prompt=prompt,
            generator=generator,
            key=generator.name,
            file="a.png",
            sha256="a",
            width=1,
            height=1,
        )
    made = draws.draw(study=study, per_prompt=3)
    assert (
        made.note
        == "In the study no prompt connects these generators: early, late | lonely, other."
    )


def test_a_duel_is_between_the_two_alone(study):
    with_generators(study, ["third"])
    made = draws.duel(study=study, one="early", other="third")
    assert met(Pair.objects.all()) == {frozenset({"early", "third"})}
    assert (made.count, made.by) == (4, PairDraw.DrawRule.DUEL)
    assert set(Pair.objects.values_list("chance", flat=True)) == {1.0}


def test_a_later_draw_repeats_no_pair_and_ends_with_words(study):
    with_generators(study, ["third"])
    draws.draw(study=study, per_prompt=1)
    draws.draw(study=study, per_prompt=5)
    # 4 prompts × the 3 pairs of three generators
    assert Pair.objects.count() == 12
    assert len(set(Pair.objects.values_list("first", "second"))) == 12
    with pytest.raises(StudyRefused, match="nothing to draw"):
        draws.draw(study=study, per_prompt=1)


def test_the_command_draws_and_says_how_far_it_is(study, capsys):
    call_command("pairs", study.slug, "draw", "--per-prompt", "1", "--overlap", "2")
    out = capsys.readouterr().out
    assert "Drew 4 pairs, at random" in out
    assert "4 pairs, 2 people each: 0 votes by 0 people" in out
    with pytest.raises(CommandError, match="no generator “nobody”"):
        call_command("pairs", study.slug, "draw", "--duel", "early", "nobody")


def test_every_two_generators_are_as_likely(study):
    with_generators(study, ["third", "fourth"])
    names = list(Generator.objects.values_list("name", flat=True))
    counts = dict.fromkeys(map(frozenset, combinations(names, 2)), 0)
    for seed in range(75):
        draws.draw(study=study, per_prompt=1, seed=seed)
        for edge in Pair.objects.filter(chance__isnull=False).values_list(
            "first__generator__name", "second__generator__name"
        ):
            counts[frozenset(edge)] += 1
        Pair.objects.all().delete()
    # 300 draws among 6: 50 each, σ = √(300·1/6·5/6) = 6.5
    assert all(abs(n - 50) <= 3.5 * 6.5 for n in counts.values())
