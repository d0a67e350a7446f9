"""Recipes by page, API and command: added as text or file, listed, downloaded, removed."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judges import own_recipes
from judges.models import Recipe, Run
from judges.runs import score_chunk
from jurybox_judging.recipes.read import read_one
from tests.judges.test_own_recipes import TEXT

pytestmark = pytest.mark.django_db


@pytest.fixture
def where(study):
    return reverse("recipes", args=[study.slug])


def test_a_recipe_is_pasted_and_leads_to_its_options(as_alice, study, where):
    answer = as_alice.post(where, {"text": TEXT})
    assert answer.status_code == 302
    assert answer.headers["Location"] == reverse("run-options", args=[study.slug, "strict-dsg"])
    page = as_alice.get(answer.headers["Location"]).content.decode()
    assert "DSG, also the grandparents" in page
    assert reverse("recipe-file", args=[study.slug, "strict-dsg"]) in page
    assert "strict-dsg" in as_alice.get(where).content.decode()
    listed = as_alice.get(reverse("run-judges", args=[study.slug])).content.decode()
    assert "DSG, also the grandparents" in listed
    as_alice.post(reverse("run-start", args=[study.slug]), {"judge": "strict-dsg"})
    run = Run.objects.get()
    score_chunk.work_off(run=run)
    runs = as_alice.get(reverse("runs", args=[study.slug])).content.decode()
    assert "DSG, also the grandparents" in runs
    image = study.images.first()
    look = as_alice.get(reverse("look", args=[study.slug, image.public_id])).content.decode()
    assert "DSG, also the grandparents" in look


def test_a_recipe_comes_as_a_file(as_alice, where):
    as_alice.post(where, {"file": SimpleUploadedFile("mine.toml", b"\xef\xbb\xbf" + TEXT.encode())})
    assert Recipe.objects.get().text == TEXT


# what is sent -> the sentence about it
BAD = {
    "a mistake": ({"text": TEXT.replace('"dsg"', '"dgs"')}, "“method” must be one of align-score"),
    "nothing": ({"text": " "}, "Choose a file, or write the recipe."),
    "no text": ({"file": b"\xff\xfe"}, "is no text in UTF-8: byte 1 does not fit"),
    "too large": ({"file": b"#" * 500_000}, "is too large for a recipe"),
    "a NUL": ({"text": TEXT + "\0"}, "cannot be read as TOML"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused_is_said_and_what_was_typed_stays(as_alice, where, case):
    given, words = BAD[case]
    sent = dict(given)
    if "file" in sent:
        sent["file"] = SimpleUploadedFile("mine.toml", sent["file"])
    answer = as_alice.post(where, sent)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'role="alert">Nothing was added. ' in page
    assert words in page
    assert not Recipe.objects.exists()
    if case == "a mistake":
        assert "method = &quot;dgs&quot;" in page


def test_every_judge_has_a_recipe_to_begin_from(as_alice, study):
    answer = as_alice.get(reverse("recipe-file", args=[study.slug, "tifa-free-server"]))
    assert answer.headers["Content-Disposition"] == 'attachment; filename="tifa-free-server.toml"'
    name, entry = read_one(answer.content.decode())
    assert name == "tifa-free-server"
    assert entry.options == {"form": "free"}
    assert as_alice.get(reverse("recipe-file", args=[study.slug, "nobody"])).status_code == 422


def test_a_recipe_is_removed_by_its_button(as_alice, alice, study, where):
    own_recipes.add(text=TEXT, by=alice.user)
    remove = reverse("recipe-remove", args=[study.slug, "strict-dsg"])
    assert remove in as_alice.get(where).content.decode()
    assert as_alice.post(remove).headers["Location"] == where
    assert not Recipe.objects.exists()


def test_who_may_not_remove_it_sees_no_button_but_why(as_alice, study, where):
    own_recipes.add(text=TEXT)
    page = as_alice.get(where).content.decode()
    assert reverse("recipe-remove", args=[study.slug, "strict-dsg"]) not in page
    assert "Only who added it and administrators may remove it." in page


def test_more_recipes_ask_the_database_no_more(as_alice, study, where):
    pages = [where, *(reverse(name, args=[study.slug]) for name in ("run-judges", "runs"))]
    pages.append(reverse("api-judge-offers", args=[study.slug]))

    def queries():
        counts = []
        for page in pages:
            with CaptureQueriesContext(
                connection,
            ) as asked:
                assert as_alice.get(page).status_code == 200
            counts.append(len(asked))
        return counts

    own_recipes.add(text=TEXT)
    queries()
    before = queries()
    for number in range(5):
        own_recipes.add(text=TEXT.replace("strict-dsg", f"dsg-{number}"))
    assert queries() == before


def test_annotators_see_no_recipes(as_bob, study, where):
    assert as_bob.get(where).status_code == 403
    assert as_bob.post(where, {"text": TEXT}).status_code == 403
    assert not Recipe.objects.exists()


def test_the_api_adds_lists_and_removes(as_alice, study):
    where = reverse("api-recipes", args=[study.slug])
    answer = as_alice.post(where, {"text": TEXT}, content_type="application/json")
    assert answer.status_code == 201
    (told,) = as_alice.get(where).json()
    assert told == answer.json()
    assert (told["name"], told["text"], told["added_by"]) == ("strict-dsg", TEXT, "alice")
    offers = as_alice.get(reverse("api-judge-offers", args=[study.slug])).json()
    assert "strict-dsg" in {offer["name"] for offer in offers}
    options = as_alice.get(reverse("api-judge-options", args=[study.slug, "strict-dsg"])).json()
    assert {o["name"]: o["default"] for o in options}["transitive"] is True
    bad = as_alice.post(where, {"text": "name ="}, content_type="application/json")
    assert bad.status_code == 422
    assert "cannot be read as TOML" in bad.json()["message"]
    gone = as_alice.delete(reverse("api-recipe", args=[study.slug, "strict-dsg"]))
    assert gone.status_code == 204
    assert as_alice.get(where).json() == []
    # By the command line: nobody's.
    own_recipes.add(text=TEXT)
    assert [one["added_by"] for one in as_alice.get(where).json()] == [""]


def test_the_command_adds_prints_and_removes(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text(TEXT)
    call_command("judges", add=str(file))
    assert "Added strict-dsg: DSG, also the grandparents" in capsys.readouterr().out
    call_command("judges", "strict-dsg", recipe=True)
    assert capsys.readouterr().out == TEXT
    call_command("judges", "strict-dsg", json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert row["title"] == "DSG, also the grandparents"
    call_command("judges", remove="strict-dsg")
    assert not Recipe.objects.exists()
    file.write_text(TEXT.replace('"dsg"', '"os:system"'))
    with pytest.raises(CommandError, match=r"mine.toml, “method” must be one of"):
        call_command("judges", add=str(file))
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("judges", add=str(tmp_path / "nothing.toml"))
    with pytest.raises(CommandError, match="Name the judge"):
        call_command("judges", recipe=True)
