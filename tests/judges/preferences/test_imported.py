"""Votes on pairs that a judge gave elsewhere: stored, read back, and compared with people's."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from audit.contests.parameters import Parameters
from audit.contests.standings import leaderboard
from judges.models import Judge, Look
from judges.preferences.imported import imported_votes, take_votes
from judges.preferences.vote_files import SAID
from tests import making

pytestmark = pytest.mark.django_db
PROMPTS = 24


@pytest.fixture
def voted(tmp_path):
    """People prefer late on 20 of 24 prompts."""
    study = making.study("arena", prompts=PROMPTS, files=False)
    head = "pair_id,prompt_id,first,second,rater,question,value,left"
    rows = [
        f"a{n},p{n},early-{n},late-{n},{who},match,{'first' if n < 4 else 'second'},"
        for n in range(PROMPTS)
        for who in ("ann", "ben")
    ]
    write(tmp_path / "votes.csv", head, *rows)
    call_command("import_pairs", study.slug, str(tmp_path / "votes.csv"))
    return study


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def arena(prompt, left, vote):
    models = {"left_model": left, "right_model": "early"}
    return {"prompt": prompt, **models, "vote_type": vote, "judge": "other"}


def taken(study, path, **more):
    return take_votes(study=study, path=path, **more)


def verdicts(study):
    return {
        judge.name: {keys: (one.value, one.consistent) for keys, one in found.items()}
        for judge, found in imported_votes(study)
    }


def test_a_row_names_two_images_a_pair_or_two_models(voted, tmp_path):
    prompts = {n: voted.prompts.get(key=f"p{n}").text for n in (0, 1)}
    files = (
        write(tmp_path / "a.csv", "first,second,value,judge", "early-0,late-0,second,one"),
        write(tmp_path / "b.csv", "pair_id,vote,judge", "a1,B>A,one"),
        write(
            tmp_path / "c.jsonl",
            json.dumps(arena(prompts[0], "late", "rightvote")),
            json.dumps(arena(prompts[1], "LATE", "tievote")),
        ),
    )
    for file in files:
        assert taken(voted, file).left_out == []
    assert verdicts(voted) == {
        "one": {("early-0", "late-0"): ("second", None), ("early-1", "late-1"): ("second", None)},
        "other": {("late-0", "early-0"): ("second", None), ("late-1", "early-1"): ("tie", None)},
    }
    # The same again changes nothing.
    again = taken(voted, files[0])
    assert (again.there, sum(again.new.values())) == (1, 0)


def test_both_orders_are_one_preference_where_they_agree_and_a_tie_where_not(voted, tmp_path):
    rows = [
        "early-0,late-0,left,first",
        "early-0,late-0,right,second",  # early stood right, and won again
        "early-1,late-1,left,first",
        "early-1,late-1,left,second",  # whoever stands left
        "early-2,late-2,second,",
    ]
    file = write(tmp_path / "a.csv", "first,second,value,left", *rows[:4])
    taken(voted, file, judge="model")
    assert verdicts(voted)["model"] == {
        ("early-0", "late-0"): ("first", True),
        ("early-1", "late-1"): ("tie", False),
    }
    nobody = write(tmp_path / "b.csv", "first,second,value,left", rows[4])
    taken(voted, nobody, judge="model")
    assert verdicts(voted)["model"]["early-2", "late-2"] == ("second", None)


def test_the_leaderboard_shows_how_often_the_judge_says_what_people_say(voted, tmp_path):
    rows = [f"early-{n},late-{n},{'second' if n < 22 else 'first'}" for n in range(PROMPTS)]
    file = write(tmp_path / "a.csv", "first,second,value", *rows)
    call_command("import_preferences", "arena", str(file), "--judge", "published model")
    row = leaderboard(voted, Parameters(), resamples=100)["judges"]["published model"]
    # People say first on 4, the judge on 2 others: 18 of 24 are the same.
    assert row["accuracy"]["value"] == pytest.approx(18 / 24)
    assert "undefined" in row["swap_consistency"]


def test_what_does_not_fit_is_named_and_nothing_is_taken(voted, tmp_path):
    rows = [
        *("early-0,late-0,second", "early-0,late-1,first", "early-1,early-1,first"),
        *("early-9999,late-1,first", "early-1,late-1,1", "early-2,late-2,left"),
    ]
    file = write(tmp_path / "a.csv", "first,second,value", *rows)
    with pytest.raises(CommandError) as refused:
        call_command("import_preferences", "arena", str(file), "--judge", "m")
    said = str(refused.value)
    for words in (
        "different prompts",
        "one and the same image",
        "no such image",
        "A vote is one of first",
        "does not say who stood left",
    ):
        assert words in said
    assert Look.objects.count() == 0 and not Judge.objects.filter(name="m").exists()
    told = taken(voted, file, judge="m", skip=True)
    assert (sum(told.new.values()), told.left_out_in_all) == (1, 5)
    other = write(tmp_path / "b.csv", "first,second,value", "early-0,late-0,first")
    with pytest.raises(Exception, match="said something else of these two before"):
        taken(voted, other, judge="m")


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("image,value,judge", "holds no votes on pairs"),
        ("first,second,judge", "holds no votes on pairs"),
        ("first,second,value", "name the judge"),
    ],
)
def test_a_file_of_something_else_says_what_is_wanted(voted, tmp_path, head, words):
    file = write(tmp_path / "a.csv", head, "x,y,z")
    with pytest.raises(CommandError, match=words):
        call_command("import_preferences", "arena", str(file))


def test_a_model_with_several_images_of_a_prompt_is_not_guessed(voted, tmp_path):
    image = voted.images.get(key="late-0")
    image.pk, image.key, image.sample, image.public_id = None, "late-0-again", 1, "x" * 22
    image.save()
    text = voted.prompts.get(key="p0").text
    file = write(
        tmp_path / "a.csv",
        "prompt,left_model,right_model,vote_type",
        f'"{text}",late,early,leftvote',
    )
    with pytest.raises(Exception, match="2 images by it have this prompt"):
        taken(voted, file, judge="m")


def test_a_page_takes_the_votes_of_a_judge(voted, tmp_path, client):
    client.force_login(User.objects.create_superuser("root", password="x"))
    content = b"first,second,value\nearly-0,late-0,second\n"
    address = reverse("pairs-import", args=["arena"])
    file = SimpleUploadedFile("a.csv", content)
    client.post(address, {"file": file, "judge": "model"})
    assert verdicts(voted) == {"model": {("early-0", "late-0"): ("second", None)}}
    bad = SimpleUploadedFile("a.csv", b"first,second,value\nx,y,first\n")
    page = client.post(address, {"file": bad, "judge": "model"}).content.decode()
    assert "The study has no such image." in page


def test_every_word_for_a_vote_is_one_of_four():
    assert set(SAID.values()) == {"first", "second", "tie", ""}
