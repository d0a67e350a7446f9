"""A published set and a judge's table, sent to the page and to the API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from audit.test_judge import sent_files
from tests import making
from tests.audit.test_judge.test_place import mmrb2

pytestmark = pytest.mark.django_db
VOTES = "pair,vote,vote_swapped\n" + "\n".join(f"p{n},a,b" for n in range(40))


@pytest.fixture
def owner(client):
    client.force_login(making.person(making.study(), "alice", role="owner").user)
    return client


def send(browser, known, scores):
    sent = {
        "file": SimpleUploadedFile("set.json", known),
        "scores": SimpleUploadedFile("judge.csv", scores.encode()),
    }
    return browser.post("/test-judge/", sent)


def test_the_page_places_the_judge_among_the_published(owner, tmp_path):
    # Always the first response: right for the 30 of 40 pairs in which people choose it.
    page = send(owner, mmrb2(tmp_path).read_bytes(), VOTES)
    assert page.context["found"]["official"]["value"] == 75
    judges = [row["judge"] for row in page.context["rows"]]
    assert judges[:2] == ["This judge", "Gemini 3 Pro"]
    assert b"not told apart" in page.content


def test_the_api_answers_as_the_command_does(owner, tmp_path):
    with mmrb2(tmp_path).open("rb") as known:
        answer = owner.post("/api/v1/test-judge/", {"file": known, "scores": VOTES})
    assert answer.status_code == 200
    assert (answer.json()["both_orders"], answer.json()["changed"]) == (40, 0)


@pytest.mark.parametrize(
    ("known", "scores", "words"),
    [
        (b"a,b\n1,2", VOTES, "The set’s file is none of the known sets."),
        (b"PAR1 and more", VOTES, "The set’s file is Parquet"),
        (b"", VOTES, "The set’s file is empty."),
        (None, "pair,vote\np0,perhaps", "The judge’s file, row 2: “perhaps” is no vote."),
        (None, "pair,vote\nq0,a", "None of the pairs in the judge’s file is in the set."),
        (b"[" * 100_000, VOTES, "it is nested too deeply"),
    ],
)
def test_each_fault_is_a_sentence(owner, tmp_path, known, scores, words):
    page = send(owner, mmrb2(tmp_path).read_bytes() if known is None else known, scores)
    assert page.status_code == 422
    assert words in page.context["refusal"]


def test_a_prompt_of_any_depth_breaks_nothing(owner):
    flat = json.dumps([{"id": "p0", "human_annotations": [6], "prompt_content": 0}])
    for depth in (500, 900, 980, 1500, 20_000):
        known = flat.replace(": 0", ": " + "[" * depth + "]" * depth).encode()
        assert send(owner, known, VOTES).status_code in {200, 422}


def test_without_a_file_the_page_says_what_is_wanted(owner):
    assert "Choose two files" in owner.post("/test-judge/").context["refusal"]


def test_a_file_that_is_too_large_is_refused(owner, tmp_path, monkeypatch):
    monkeypatch.setattr(sent_files, "LARGEST_TABLE", 100)
    page = send(owner, mmrb2(tmp_path).read_bytes(), VOTES)
    assert page.context["refusal"].startswith("The judge’s file is larger than")
