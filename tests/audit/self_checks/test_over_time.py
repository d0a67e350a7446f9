"""A judge beside its earlier self: the alarm rings before anybody has labelled."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from audit.self_checks import over_time
from audit.self_checks.counting import count_contradictions
from audit.words import self_checks as words
from judges.models import SelfCheck
from jurybox_judging.engines import builtin
from tests import making
from tests.judges.self_checks.bench import bench

pytestmark = pytest.mark.django_db


def pairs(of, wrong_on=(), per_prompt=1, before=1.0):
    return [
        {
            "check": "colors",
            "image": f"i{n}",
            "prompt": f"p{n // per_prompt}",
            "before": before,
            "after": before if n in wrong_on else 0.0,
        }
        for n in range(of)
    ]


@pytest.fixture
def check(study):
    def check(held, **more):
        return SelfCheck.objects.create(
            study=study, judge="j", count=60, state="done", pairs=held, **more
        )

    return check


def test_seven_prompts_more_of_sixty_are_told_with_their_chance(check):
    found = over_time.compare_checks(check(pairs(60)), check(pairs(60, wrong_on=range(7))))
    row = found["checks"]["colors"]
    # All seven prompts that changed got worse: 2 / 2^7 = 0.015625. In no other check has one changed.
    assert row == {
        "both": 60,
        "then": 0,
        "now": 7,
        "more": 7,
        "less": 0,
        "p_holm": pytest.approx(2 / 2**7),
    }


def test_the_sentence_rings_for_seven_of_sixty_and_calls_three_chance(check):
    first = check(pairs(60))
    for wrong, words_of in (
        (7, "0 of 60 → 7 of 60 since {}: it contradicts itself more often"),
        (3, "0 of 60 → 3 of 60 since {}: that may be chance."),
    ):
        now = check(pairs(60, wrong_on=range(wrong)))
        found = over_time.compare_checks(first, now)
        told = " ".join(words.sentences(count_contradictions(now), found))
        assert words_of.format(found["since"]) in told


def test_two_checks_that_changed_share_the_chance_of_an_alarm(check):
    both = [*pairs(60), *({**one, "check": "sides"} for one in pairs(60))]
    worse = [*pairs(60, range(7)), *({**one, "check": "sides"} for one in pairs(60, range(9)))]
    found = over_time.compare_checks(check(both), check(worse))["checks"]
    # Holm: the smaller chance, 2 / 2^9, twice; the other, 2 / 2^7, once.
    assert found["sides"]["p_holm"] == pytest.approx(2 * 2 / 2**9)
    assert found["colors"]["p_holm"] == pytest.approx(2 / 2**7)


def test_images_of_one_prompt_count_as_one_for_the_alarm(check):
    then, now = check(pairs(60, per_prompt=20)), check(pairs(60, range(20), per_prompt=20))
    row = over_time.compare_checks(then, now)["checks"]["colors"]
    assert (row["then"], row["now"], row["more"], row["p_holm"]) == (0, 20, 1, 1.0)


def test_scores_that_stayed_are_counted_whatever_the_checks_say(check):
    then, now = check(pairs(60)), check([*pairs(50), *pairs(60, before=2.0)[50:]])
    assert over_time.compare_checks(then, now)["scores"] == {"of": 60, "same": 50}


def test_only_the_same_judge_with_the_same_draw_of_images_is_compared(check, study):
    first = check(pairs(3))
    for other in ({"seed": 1}, {"options": {"threshold": 0.5}}):
        check(pairs(3), **other)
    SelfCheck.objects.create(study=study, judge="j", count=60)
    SelfCheck.objects.create(study=study, judge="k", count=60, state="done")
    elsewhere = making.study("elsewhere")
    SelfCheck.objects.create(study=elsewhere, judge="j", count=60, state="done")
    second, third = check(pairs(3)), check(pairs(3))
    assert list(over_time.earlier(third)) == [second, first]
    assert over_time.first_before(third) == first
    assert over_time.first_before(first) is None


def told(*given):
    out = io.StringIO()
    call_command("self_check", *given, stdout=out)
    return out.getvalue()


def test_the_command_tells_counts_reasons_and_what_changed_since_the_first_time(monkeypatch):
    bench(40)
    text = told("soft-tifa-gm-builtin", "bench", "--count", "40")
    assert "since" not in text
    assert "  asked twice: 0 of 40, 0.0 (0.0 to " in text
    assert "left out: " in text
    right = builtin._stands
    monkeypatch.setattr(
        builtin, "_stands", lambda a, b, side: right(a, b, side.replace("right", "left"))
    )
    text = told("soft-tifa-gm-builtin", "bench", "--count", "40")
    assert "The judge contradicts itself." in text
    assert "Drawings, left for right: 0 of 30 → " in text
    assert "it contradicts itself more often than it did." in text
    # The engine said nothing of it: only its scores tell.
    assert "another score than on " in text
    assert "(the same version)" in text


@pytest.mark.nightly("the test before it reads the same body")
def test_the_command_gives_the_same_as_data():
    bench(10)
    told("geneval-builtin", "bench", "--count", "10")
    found = json.loads(told("geneval-builtin", "bench", "--count", "10", "--json"))
    checks = SelfCheck.objects.order_by("pk")
    assert [check.state for check in checks] == ["done", "done"]
    assert found["compared"] == over_time.compare_checks(*checks)
    assert found["compared"]["scores"] == {"of": 10, "same": 10}
    del found["compared"]
    assert found == json.loads(json.dumps(count_contradictions(checks[1])))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["no-judge", "shapes"], "no-judge"),
        (["geneval-builtin", "nowhere"], "nowhere"),
        (["geneval-builtin", "shapes", "--count", "0"], "--count is 1 to 1000"),
        (["geneval-builtin", "shapes", "--seed", "-1"], "--seed is 0 to"),
        (["geneval-builtin", "shapes", "--option", "thresh=1"], "thresh"),
    ],
)
def test_what_the_command_cannot_do_it_says(study, given, why):
    with pytest.raises(CommandError, match=why):
        told(*given)
    assert not SelfCheck.objects.exists()


def test_the_sentence_of_a_sound_judge_and_of_one_that_nothing_could_be_asked(check):
    sound = count_contradictions(check(pairs(40)))
    assert words.sentences(sound, None) == [
        "The judge contradicts itself on none of 40 pairs of scores."
    ]
    assert words.sentences(count_contradictions(check([])), None) == [
        "No check could be made of this judge."
    ]
