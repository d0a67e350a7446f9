"""Prompts made by a benchmark's rules, or written one on a line: atoms, duplicates, questions."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.errors import ImportRefused
from annotations.imports import new_prompts
from annotations.models import Atom, Prompt
from jurybox_formats.registry import MAKERS

pytestmark = pytest.mark.django_db


def where(study, name="prompts"):
    return reverse(name, args=[study.slug])


@pytest.mark.parametrize("maker", MAKERS)
def test_each_benchmark_makes_prompts_with_atoms_and_the_same_ones_again(study, maker):
    records = new_prompts.make(maker=maker, seed=7, count=20)
    assert len(records) == 20
    assert all(record.atoms for record in records)
    assert records == new_prompts.make(maker=maker, seed=7, count=20)
    outcome = new_prompts.write(study=study, records=records)
    assert (outcome.prompts, outcome.rejected) == (20, [])
    again = new_prompts.write(study=study, records=records)
    assert (again.prompts, again.unchanged) == (0, 20)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"maker": "poetry"}, "Prompts are made for: geneval"),
        ({"count": 0}, "between 1 and 2000"),
        ({"count": 2001}, "between 1 and 2000"),
        ({"seed": -1}, "from 0 up"),
    ],
)
def test_what_cannot_be_made_is_refused_in_words(changes, words):
    with pytest.raises(ImportRefused, match=words):
        new_prompts.make(**{"maker": "geneval", "seed": 0, "count": 5, **changes})


def test_written_prompts_get_the_atoms_of_their_words_and_duplicates_are_said(study):
    text = "two red dogs\n\n  Two  red dogs \na red circle, number 0\n"
    plan = new_prompts.sort_out(study=study, records=new_prompts.write_down(text))
    assert [record.text for record in plan.new] == ["two red dogs"]
    assert plan.twice == ["Two red dogs"]
    assert plan.there == ["a red circle, number 0"]
    outcome = new_prompts.write(study=study, records=new_prompts.write_down(text))
    assert outcome.prompts == 1
    atoms = Atom.objects.filter(prompt__text="two red dogs")
    assert [atom.kind for atom in atoms] == ["object", "count", "attribute"]


def test_a_changed_question_is_kept_and_an_emptied_one_takes_what_rests_on_it_away(study):
    key = new_prompts.key_of("two red dogs and a cat")
    text = "two red dogs and a cat"
    first = new_prompts.write_down(text)[0].atoms
    dog, cat = first[0], next(atom for atom in first if atom.text == "cat")
    changed = {f"{key}.{dog.index}": " ", f"{key}.{cat.index}": "Is a cat there?"}
    atoms = new_prompts.write_down(text, changed)[0].atoms
    assert "Is a cat there?" in [atom.question for atom in atoms]
    assert not [atom for atom in atoms if "dog" in atom.question]
    assert [atom.index for atom in atoms] == list(range(len(atoms)))


def test_the_page_shows_ten_then_makes_them(client, alice, study):
    client.force_login(alice.user)
    sent = {"maker": "geneval2", "count": "30", "seed": "3"}
    text = client.post(where(study, "prompt-make"), sent).content.decode()
    assert "30 prompts would be made" in text
    assert text.count('<li class="card">') == 10
    assert Prompt.objects.filter(study=study).count() == 4
    client.post(where(study, "prompt-make"), sent | {"make": "1"})
    assert Prompt.objects.filter(study=study).count() == 34


@pytest.mark.parametrize(
    ("name", "sent", "typed"),
    [
        ("prompt-make", {"maker": "geneval", "count": "many", "seed": "5"}, 'value="many"'),
        ("prompt-write", {"prompts": "fine\n" + "x" * 20_001}, "x" * 20_001),
    ],
)
def test_a_refusal_keeps_what_was_typed(client, alice, study, name, sent, typed):
    client.force_login(alice.user)
    response = client.post(where(study, name), sent)
    assert response.status_code == 422
    assert typed in response.content.decode()


def test_questions_are_changed_on_the_page_before_anything_is_written(client, alice, study):
    client.force_login(alice.user)
    text = client.post(where(study, "prompt-write"), {"prompts": "a blue dog"}).content.decode()
    key = new_prompts.key_of("a blue dog")
    assert f'name="question-{key}.0"' in text
    assert not Prompt.objects.filter(text="a blue dog").exists()
    sent = {"prompts": "a blue dog", f"question-{key}.0": "Do you see a dog?", "write": "1"}
    client.post(where(study, "prompt-write"), sent)
    atoms = Atom.objects.filter(prompt__text="a blue dog")
    assert atoms.get(index=0).question == "Do you see a dog?"


def test_the_list_is_searched_by_words_and_tags_and_asks_no_more_for_more(client, alice, study):
    client.force_login(alice.user)

    def queries(**query):
        with CaptureQueriesContext(connection) as asked:
            assert client.get(where(study), query).status_code == 200
        return len(asked)

    assert "1 prompt<" in client.get(where(study), {"q": "number 2"}).content.decode()
    assert "4 prompts<" in client.get(where(study), {"q": "colors"}).content.decode()
    before = queries()
    new_prompts.write(study=study, records=new_prompts.make(maker="geneval", seed=1, count=120))
    assert queries() == before
    assert "Page 1 of 2" in client.get(where(study)).content.decode()


def test_the_command_adds_to_a_study_by_the_same_verb(study):
    out = io.StringIO()
    call_command("make_prompts", "geneval2", "--study", "shapes", "--count", "12", stdout=out)
    assert "Imported 12 prompts" in out.getvalue()
    with pytest.raises(CommandError, match="no study"):
        call_command("make_prompts", "geneval2", "--study", "nowhere", "--count", "12")
