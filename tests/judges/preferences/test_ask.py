"""A model behind a stand-in server compares images; what it said is stored and read by the leaderboard."""

import base64
import io

import pytest
from django.core.management import CommandError, call_command
from PIL import Image as Picture

from annotations.models import Pair, Prompt, PromptPicture
from annotations.pictures.store import store_picture
from audit.contests.parameters import Parameters
from audit.contests.standings import leaderboard
from audit.words import contests as words
from judges.models import Judge, Look, Run
from judges.preferences.stored import Two, judges_that_compare, said_of
from jurybox_judging import catalogue
from jurybox_judging.engines.openai_server import OpenAIServer
from jurybox_judging.methods.which_of_two import APART, STRIP
from jurybox_judging.stored_form import key_of
from tests import editing, making
from tests.judging.engines.openai_stand_in import Reply, spoken, standing_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_engines")]
HEAD = "pair_id,prompt_id,first,second,rater,question,value,left"
PROMPTS = 24


@pytest.fixture
def voted(tmp_path):
    """Late is lighter than early. People prefer late on 20 of 24 prompts."""
    study = making.study("arena", prompts=PROMPTS, files=False)
    for image in study.images.select_related("generator"):
        n = int(image.key.rpartition("-")[2])
        light = 200 if image.generator.name == "late" else 60
        picture = store_picture(making.png((light, n, 0)), name=image.key, study=study.slug)
        image.file, image.sha256 = picture.file, picture.sha256
        image.width, image.height = picture.width, picture.height
        image.save()
    rows = [
        f"a{n},p{n},early-{n},late-{n},{who},match,{'first' if n < 4 else 'second'},"
        for n in range(PROMPTS)
        for who in ("ann", "ben")
    ]
    file = tmp_path / "votes.csv"
    file.write_text("\n".join([HEAD, *rows]) + "\n")
    call_command("import_pairs", study.slug, str(file))
    return study


def sides(asked):
    """Red of the left and of the right image, and the prompt's number (green)."""
    # A strip is both at once.
    pictures = [opened(url) for _, url in asked.shown[-2:]]
    left, right = pictures[0].getpixel((5, 5)), pictures[-1].getpixel((pictures[-1].width - 1, 5))
    return left[0], right[0], left[1]


def opened(url):
    content = base64.b64decode(url.partition(",")[2])
    return Picture.open(io.BytesIO(content)).convert("RGB")


def lighter(asked, before):
    """Names the lighter image; of prompts 0 to 5 always the left side."""
    left, right, number = sides(asked)
    side = "left" if number < 6 or left > right else "right"
    return spoken(f"Both are seen.\nVerdict: {side}")


def ask(study, state, *more):
    call_command(
        "judge_pairs",
        study.slug,
        "chain-of-thought-server",
        "--option",
        f"talk.base_url={state.url}",
        "--option",
        "talk.checkpoint=org/Some-Model",
        "--option",
        "talk.attempts=1",
        *more,
    )


def test_each_pair_is_asked_about_in_both_orders_once_and_for_all(voted, capsys):
    with standing_in(lighter) as state:
        ask(voted, state, "--limit", "3")
        assert len(state.asked) == 6
        ask(voted, state)
        assert len(state.asked) == 2 * PROMPTS
        assert "42 replies are new, 6 were there" in capsys.readouterr().out
        ask(voted, state)
        assert len(state.asked) == 2 * PROMPTS
        # Several requests are under way at once, so those of a pair need not follow each other.
        first, *others = state.asked[:6]
    assert "made for this description" in first.text
    titles = [title for title, _ in first.shown]
    assert titles == ["Picture 1 (left):", "Picture 2 (right):"]
    turned = [url for _, url in first.shown[::-1]]
    assert [[url for _, url in one.shown] for one in others].count(turned) == 1
    assert Look.objects.count() == 2 * PROMPTS
    (judge,) = judges_that_compare()
    assert judge.name == "which-of-two-some-model"
    # It has no run, so that it is no judge of single images anywhere.
    assert not Run.objects.exists()
    said = said_of(voted, judge)
    assert len(said) == PROMPTS
    assert sum(one.consistent for one in said.values()) == PROMPTS - 6
    assert {one.value for one in said.values() if not one.consistent} == {"tie"}


def test_as_a_strip_both_are_one_picture_and_another_judge(voted):
    with standing_in(lighter) as state:
        ask(voted, state)
        ask(voted, state, "--like", "strip")
        # What was stored of strips before pictures could stand apart is found again.
        ask(voted, state, "--like", "strip")
    assert len(state.asked) == 4 * PROMPTS
    strip = state.asked[-1].shown
    assert [title for title, _ in strip] == [""]
    assert opened(strip[0][1]).height == 768
    apart, pasted = judges_that_compare()
    assert (apart.name, pasted.name) == ("which-of-two-some-model", "which-of-two-strip-some-model")
    assert said_of(voted, apart) == said_of(voted, pasted)


def test_in_unified_rewards_words_the_pictures_have_no_names_and_its_sentence_is_read(voted):
    def better(asked, before):
        left, right, number = sides(asked)
        side = 1 if number < 6 or left > right else 2
        return spoken(f"Both are seen. Image {side} is better.")

    with standing_in(better) as state:
        ask(voted, state, "--like", "unified-reward")
    assert {title for one in state.asked for title, _ in one.shown} == {""}
    assert "Text Caption: [" in state.asked[0].text
    (judge,) = judges_that_compare()
    assert judge.name == "which-of-two-unified-reward-some-model"
    said = said_of(voted, judge)
    assert sum(one.consistent for one in said.values()) == PROMPTS - 6


def test_a_strip_is_stored_as_it_was_before_pictures_could_stand_apart():
    two = Two(1, "two cats", (4, 5), ("a", "b"), ("1" * 64, "2" * 64), ("x", "y"))
    assert key_of(two.want(0, STRIP)) == "a17aad5414d42b85"
    assert STRIP.version == "1"
    keys = {key_of(two.want(left, layout)) for left in (0, 1) for layout in (STRIP, APART)}
    assert len(keys) == 4


def test_of_edits_the_source_is_shown_too_and_is_part_of_the_key(db):
    study = editing.study("edited", count=1)
    first, second = study.images.order_by("key")
    Pair.objects.create(study=study, prompt=first.prompt, first=first, second=second)
    with standing_in(lambda asked, before: spoken("Verdict: tie")) as state:
        ask(study, state)
        PromptPicture.objects.update(sha256="0" * 64)
        ask(study, state)
    # The model itself is not asked twice about the same pixels; what it said is stored anew.
    assert (len(state.asked), Look.objects.count()) == (2, 4)
    titles = [title for title, _ in state.asked[0].shown]
    assert titles == ["Picture 1 (source):", "Picture 2 (left):", "Picture 3 (right):"]
    assert opened(state.asked[0].shown[0][1]).getpixel((110, 110)) == editing.RED
    assert "leaves the rest as it was" in state.asked[0].text


def test_an_engine_that_takes_one_picture_is_refused_before_it_is_asked(voted, monkeypatch):
    monkeypatch.setattr(OpenAIServer, "takes_several", False)
    with standing_in(lighter) as state:
        with pytest.raises(CommandError, match="takes one picture, and two are shown"):
            ask(voted, state)
        assert not state.asked
        ask(voted, state, "--like", "strip")


def test_the_leaderboard_shows_it_beside_people_with_its_swap_consistency(voted):
    with standing_in(lighter) as state:
        ask(voted, state)
    body = leaderboard(voted, Parameters(), resamples=100)
    judge = body["judges"]["which-of-two-some-model"]
    assert judge["swap_consistency"]["value"] == pytest.approx(18 / 24)
    assert judge["swap_consistency"]["n"] == 24
    # Of 48 votes, it says those of prompts 6 to 23; its ties of prompts 0 to 5 are no one's.
    assert judge["votes"] == 48
    assert judge["accuracy"]["value"] == pytest.approx(36 / 48)
    assert body["ceiling"]["value"] == 1
    told = " ".join(words.sentences(body))
    assert "With the sides exchanged" in told
    assert "75" in told


def test_a_reply_without_a_verdict_counts_for_nothing(voted, capsys):
    def vague(asked, before):
        return spoken("Hard to say.") if sides(asked)[2] == 7 else lighter(asked, before)

    with standing_in(vague) as state:
        ask(voted, state)
    assert "2 replies have no verdict" in capsys.readouterr().out
    body = leaderboard(voted, Parameters(), resamples=100)
    judge = body["judges"]["which-of-two-some-model"]
    assert (judge["votes"], judge["without_score"]) == (46, 2)


def test_a_picture_that_is_refused_is_told_and_asked_again_next_time(voted, capsys):
    refuses = [True]

    def refusing(asked, before):
        if refuses and sides(asked)[2] == 7:
            return Reply({"error": {"message": "too large"}}, status=413)
        return lighter(asked, before)

    with standing_in(refusing) as state:
        ask(voted, state)
        assert "No reply 2 times" in capsys.readouterr().out
        refuses.clear()
        before = len(state.asked)
        ask(voted, state)
        assert len(state.asked) - before == 2
    assert Look.objects.count() == 2 * PROMPTS
    assert Judge.objects.count() == 1


def test_a_judge_that_does_not_talk_and_a_study_without_pairs_are_refused(voted):
    with pytest.raises(CommandError, match="does not talk about a picture") as refusal:
        call_command("judge_pairs", voted.slug, "geneval-builtin")
    named = str(refusal.value).rstrip(".").split()[-1]
    assert "talk" in catalogue.JUDGES[named].parts
    Pair.objects.all().delete()
    with standing_in(lighter) as state, pytest.raises(CommandError, match="has no pair"):
        ask(voted, state)


def test_the_page_shows_the_judge_by_slice_and_swapped(voted, alice, client):
    making.person(voted, "alice", role="owner")
    client.force_login(alice.user)
    Prompt.objects.filter(study=voted, key__in=["p1", "p2"]).update(tags=["small"])
    Prompt.objects.filter(study=voted).exclude(key__in=["p1", "p2"]).update(tags=["large"])
    address = f"/studies/{voted.slug}/leaderboard/"
    assert "same when swapped" not in client.get(address).content.decode()
    with standing_in(lighter) as state:
        ask(voted, state)
    # What was stored before is counted again.
    text = client.get(address).content.decode()
    assert "same when swapped" in text
    assert "Judge accuracy on pairwise votes, by slice" in text
