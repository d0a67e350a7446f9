"""The questions about pairs in several languages: what is asked, and what a vote says of it."""

import uuid

import pytest
from django.urls import reverse

from annotations.errors import LabelRefused
from annotations.models import PairVote
from annotations.pairs import assign, draws, files, questions, record
from annotations.studies.personal_data import everything_kept
from jurybox_formats.forms.validate_definition import read_form

pytestmark = pytest.mark.django_db
HEAD = "pair_id,prompt_id,first,second,rater,question,value,left,language"
# Other words, in any of the languages, are another question: they get another digest, and votes on the words
# before are kept apart from them.
PUBLISHED = "be7ec397135bd325b99e71706af4d4df480d31c5efadaaee3f1e9697b5ba79cf"


@pytest.fixture
def pairs(study):
    draws.draw(study=study, per_prompt=1)
    return study


def compare(client, study, language, name="compare"):
    return client.get(reverse(name, args=[study.slug]), headers={"Accept-Language": language})


def send(client, study, page, **said):
    """As the page sends it: its hidden fields and a vote."""
    context = page.context
    fields = {
        "pair": context["pair"].public_id,
        "submission": context["submission"],
        "language": context["asked_in"],
    }
    return client.post(reverse("compare", args=[study.slug]), {**fields, **said})


def test_translations_are_part_of_the_version():
    assert questions.ASKED.digest == PUBLISHED
    assert questions.SOURCE.digest != PUBLISHED


def test_the_questions_are_a_valid_form_with_whole_translations():
    assert read_form(questions.ASKED.definition(), own=questions.NAMES).digest == PUBLISHED


@pytest.mark.parametrize(
    ("language", "words", "left", "mark"),
    [
        ("de", "Welches Bild passt besser zum Prompt?", "Links", "Übersetzung: Jurybox"),
        ("zh-hans", "哪张图片更符合提示词？", "左边", "译者：Jurybox"),
    ],
)
def test_a_page_asks_in_its_language_with_the_english_beside_it(
    as_bob, pairs, language, words, left, mark
):
    page = compare(as_bob, pairs, language).text
    assert words in page and f"<span>{left}</span>" in page and mark in page
    assert '<span lang="en">Which image fits the prompt better?</span>' in page
    assert f'name="language" value="{language}"' in page


def test_an_english_page_asks_in_the_questions_own_words(as_bob, pairs):
    page = compare(as_bob, pairs, "en").text
    assert "<legend>Which image fits the prompt better?</legend>" in page
    assert 'name="language" value=""' in page


def test_a_vote_says_in_which_language_it_was_asked_and_its_value_is_the_same(as_bob, pairs):
    for language in ("zh-hans", "en"):
        send(as_bob, pairs, compare(as_bob, pairs, language), match="both")
    said = PairVote.objects.order_by("pk").values_list("language", "value")
    assert list(said) == [("zh-hans", "both"), ("", "both")]


@pytest.mark.parametrize("language", ["fr", "en", "x" * 40])
def test_a_language_that_the_questions_do_not_have_is_refused(pairs, bob, language):
    held = assign.next_pair(annotator=bob)
    with pytest.raises(LabelRefused, match="no translation"):
        record.record_vote(
            pair=held.pair,
            annotator=bob,
            said={"match": "left"},
            submission=uuid.uuid4(),
            language=language,
        )
    assert not PairVote.objects.exists()


def test_own_votes_are_shown_in_the_words_of_the_page(as_bob, pairs):
    send(as_bob, pairs, compare(as_bob, pairs, "zh-hans"), match="neither")
    assert "两张都不符合" in compare(as_bob, pairs, "zh-hans", "compare-votes").text
    assert "Neither fits" in compare(as_bob, pairs, "en", "compare-votes").text


def test_files_and_a_persons_own_data_have_the_language(as_bob, pairs, bob):
    send(as_bob, pairs, compare(as_bob, pairs, "de"), match="left")
    lines = list(files.csv_lines(files.vote_rows(pairs)))
    assert lines[0].strip() == HEAD and lines[1].strip().endswith(",de")
    assert everything_kept(bob.user)["studies"][0]["votes"][0]["language"] == "de"


def test_a_file_brings_the_language_and_an_older_one_without_it_comes_in_too(pairs):
    first, second = (
        pairs.images.filter(prompt__key="p0").order_by("pk").values_list("key", flat=True)
    )
    row = {
        "pair_id": "one",
        "prompt_id": "p0",
        "first": first,
        "second": second,
        "question": "match",
    }
    taken = files.take(
        pairs,
        [
            {**row, "rater": "ann", "value": "first", "left": "", "language": "zh-hans"},
            {**row, "rater": "ben", "value": "tie"},
        ],
    )
    assert taken.votes == 2
    said = PairVote.objects.order_by("annotator__name").values_list("annotator__name", "language")
    assert list(said) == [("ann", "zh-hans"), ("ben", "")]
    with pytest.raises(files.VotesRefused, match="must be a code like de or zh-hans"):
        files.take(pairs, [{**row, "rater": "cat", "value": "first", "language": "Ger man"}])


def votes_of_api(client, person, study):
    client.force_login(person.user)
    return client.get(reverse("api-votes", args=[study.slug]))


def test_the_api_gives_votes_with_their_language_to_researchers_alone(as_bob, bob, alice, pairs):
    send(as_bob, pairs, compare(as_bob, pairs, "de"), match="both")
    assert votes_of_api(as_bob, bob, pairs).status_code == 403
    (vote,) = votes_of_api(as_bob, alice, pairs).json()["results"]
    pair = PairVote.objects.get().pair
    assert (vote["language"], vote["value"], vote["pair_id"]) == ("de", "both", pair.key)
    assert {vote["first"], vote["second"]} == {pair.first.key, pair.second.key}
    assert vote["rater"] != "bob"


def test_a_vote_that_was_taken_back_is_not_among_those_of_the_api(as_bob, bob, alice, pairs):
    send(as_bob, pairs, compare(as_bob, pairs, "de"), match="both")
    record.take_back(pair=PairVote.objects.get().pair, annotator=bob)
    assert votes_of_api(as_bob, alice, pairs).json()["results"] == []
