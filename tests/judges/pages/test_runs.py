"""Choosing a judge with its options; what it asked about one image, as a page and as a command."""

import json
from dataclasses import dataclass, replace

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotations.models import Image
from judges.models import Judge, Run
from judges.runs import lifecycle, score_chunk
from jurybox_judging import catalogue, registry
from jurybox_judging.options import Declared, weights_of
from jurybox_judging.recipes.entry import Entry
from tests import making
from tests.judging.pins import PINNED

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(study):
    run = lifecycle.start_run(study=study, name="soft-tifa-gm-builtin")
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED, run.reason
    return run


# --- which judges there are


def test_every_judge_is_listed_with_what_it_lacks(as_alice, study, monkeypatch):
    there = catalogue.JUDGES["dsg-builtin"]
    lacking = replace(there, title="Lacking", needs=("no_such_module",))
    monkeypatch.setitem(catalogue.JUDGES, "lacking", lacking)
    page = as_alice.get(reverse("run-judges", args=[study.slug])).content.decode()
    for name in (*PINNED, "lacking"):
        entry = catalogue.JUDGES[name]
        # The built-in engine cannot read these prompts as a whole.
        assert (entry.title.replace("'", "&#x27;") in page) != (name == "vqa-score-builtin")
    assert "Cannot run here" in page
    assert "Not installed here: no_such_module. Install with pip install -r" in page
    assert reverse("run-options", args=[study.slug, "geneval-builtin"]) in page
    assert reverse("run-options", args=[study.slug, "lacking"]) in page


@pytest.mark.parametrize(
    ("asked", "shown", "hidden"),
    [
        ({"q": "WORDS longtext"}, "text-words", "clip-score"),
        ({"q": "ocr"}, "text-words", "clip-score"),
        ({"kind": "ready"}, "geneval-builtin", "clip-score"),
        ({"kind": "download"}, "clip-score", "geneval-builtin"),
        ({"kind": "server"}, "vqa-score-server", "clip-score"),
        ({"kind": "edits"}, "kept-rest", "clip-score"),
        ({"q": "clip", "kind": "download"}, "clip-score", "dsg"),
    ],
)
def test_the_list_is_searched_and_filtered(as_alice, study, asked, shown, hidden):
    page = as_alice.get(reverse("run-judges", args=[study.slug]), asked).content.decode()
    there = [reverse("run-options", args=[study.slug, name]) in page for name in (shown, hidden)]
    assert there == [True, False]


def test_a_search_without_any_judge_says_so_and_answers_its_part_alone(as_alice, study):
    address = reverse("run-judges", args=[study.slug])
    part = as_alice.get(address, {"q": "no such"}, headers={"HX-Request": "true"}).content.decode()
    assert "No judge fits these words." in part
    assert "<html" not in part


def test_the_command_lists_them_too(capsys):
    call_command("judges", "--json")
    told = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert told.keys() == catalogue.JUDGES.keys()
    assert told["geneval-builtin"]["why_not"] == ""
    assert told["geneval-builtin"]["options"]["threshold"] == 0.3
    call_command("judges", "geneval-builtin")
    assert "threshold = 0.3" in capsys.readouterr().out


def test_the_command_knows_no_other_judge():
    with pytest.raises(CommandError, match="no judge named “nobody”"):
        call_command("judges", "nobody")


def test_the_runs_page_offers_what_runs_at_once_and_leads_to_the_rest(as_alice, study):
    page = as_alice.get(reverse("runs", args=[study.slug])).content.decode()
    assert 'id="start-geneval-builtin"' in page
    assert 'id="start-clip-score"' not in page
    assert reverse("run-judges", args=[study.slug]) in page


# --- with options


def test_a_judge_is_started_with_the_options_that_were_filled_in(as_alice, study):
    page = as_alice.get(reverse("run-options", args=[study.slug, "geneval-builtin"]))
    assert 'name="option:threshold"' in page.content.decode()
    filled = {"judge": "geneval-builtin", "option:threshold": "0.5", "option:paper": " "}
    as_alice.post(reverse("run-start", args=[study.slug]), filled)
    assert Judge.objects.get().options == {"threshold": 0.5}


def test_an_option_that_is_no_number_is_refused_in_words(as_alice, study):
    filled = {"judge": "geneval-builtin", "option:no_such": "1"}
    answer = as_alice.post(reverse("run-start", args=[study.slug]), filled)
    assert answer.status_code == 422
    assert "does not take these options" in answer.content.decode()
    assert not Run.objects.exists()


def test_weights_that_have_to_be_given_are_asked_for_before_a_run_exists(
    as_alice, study, monkeypatch, settings
):
    settings.JUDGE_WEIGHTS = ["folder/weights"]
    part = (f"{__name__}:Weighty", {})
    entry = Entry("Weighty", "jurybox_judging.methods.geneval:GenEval", {"objects": part})
    monkeypatch.setitem(catalogue.JUDGES, "weighty", entry)
    page = as_alice.get(reverse("run-options", args=[study.slug, "weighty"])).content.decode()
    assert "Needs a file: objects.checkpoint." in page
    assert (
        'name="option:objects.checkpoint" placeholder="" autocomplete="off" '
        'aria-describedby="help-objects.checkpoint" required' in page
    )
    answer = as_alice.post(reverse("run-start", args=[study.slug]), {"judge": "weighty"})
    assert "needs objects.checkpoint: its weights: a file." in answer.content.decode()
    filled = {"judge": "weighty", "option:objects.checkpoint": "folder/weights"}
    as_alice.post(reverse("run-start", args=[study.slug]), filled)
    judge = Judge.objects.get()
    assert judge.options == {"objects.checkpoint": "folder/weights"}
    assert judge.checkpoint == "folder/weights"


@dataclass(eq=False)
class Weighty(Declared):
    checkpoint: str = weights_of("", "Its weights: a file.")

    identity = "tests:Weighty"
    version = "1"
    classes = ()
    batch = 1

    @property
    def facts(self):
        return {"checkpoint": self.checkpoint}


def test_the_form_offers_each_option_as_it_is_declared(as_alice, study):
    page = as_alice.get(reverse("run-options", args=[study.slug, "geneval-builtin"]))
    form = page.content.decode()
    assert 'type="number" id="option-max_objects"' in form
    assert 'min="1" max="1000" step="1" placeholder="16"' in form
    assert '<select id="option-paper" name="option:paper"' in form
    for told in registry.declared_options("geneval-builtin").values():
        assert told.help.replace("'", "&#x27;") in form


def test_the_api_and_the_command_tell_every_option_and_what_it_takes(as_alice, study, capsys):
    address = reverse("api-judge-options", args=[study.slug, "tifa-builtin"])
    told = {one["name"]: one for one in as_alice.get(address).json()}
    assert told.keys() == registry.declared_options("tifa-builtin").keys()
    assert told["form"]["choices"] == ["atoms", "free"]
    assert told["max_tokens"]["wanted"] == "a whole number from 1 to 4,096"
    call_command("judges", "tifa-builtin", "--json")
    (row,) = json.loads(capsys.readouterr().out)
    assert {one["name"]: one for one in row["declared"]} == told
    call_command("judges", "tifa-builtin")
    printed = capsys.readouterr().out
    assert "The longest free answer, in tokens. It is a whole number from 1 to 4,096." in printed


def test_a_judge_that_nobody_knows_has_no_options(as_alice, study):
    address = reverse("api-judge-options", args=[study.slug, "nobody"])
    assert as_alice.get(address).status_code == 422


def test_an_option_of_no_part_is_refused(study):
    with pytest.raises(
        registry.JudgeRefused, match="“eyes.checkpoint” names no part of this judge"
    ):
        lifecycle.start_run(study=study, name="geneval-builtin", options={"eyes.checkpoint": "x"})


def test_only_researchers_see_judges_and_looks(as_bob, study):
    image = Image.objects.first()
    for name, args in (
        ("run-judges", []),
        ("run-options", ["geneval-builtin"]),
        ("look", [image.public_id]),
    ):
        assert as_bob.get(reverse(name, args=[study.slug, *args])).status_code in (403, 404)


# --- one image


def test_a_page_shows_every_question_with_probability_tokens_and_time(as_alice, study, run):
    image = Image.objects.get(key="early-1")
    page = as_alice.get(reverse("look", args=[study.slug, image.public_id])).content.decode()
    look = image.looks.get(asked__text__startswith="Is the circle red?")
    assert "Are there any circles in the image?" in page
    assert f"{look.told['probability']:.6f}" in page
    assert "BuiltinEngine" in page
    score = run.scores.get(image=image)
    assert f"{score.value:.4f}" in page


def test_an_image_of_another_study_has_no_look_here(as_alice, study):
    other = Image.objects.filter(study=making.study("other")).first()
    assert as_alice.get(reverse("look", args=[study.slug, other.public_id])).status_code == 404


def test_a_command_shows_them_too(study, run, capsys):
    call_command("look", study.slug, "early-1", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["image"] == "early-1"
    assert [verdict["judge"] for verdict in told["verdicts"]] == ["soft-tifa-gm-builtin"]
    first, second = told["told"]
    assert first["asked"].startswith("Are there any circles in the image?")
    assert first["tokens"] == [["Yes", first["probability"]]]
    assert first["seconds"] >= 0
    assert second["asked"].startswith("Is the circle red?")
    call_command("look", study.slug, "early-1")
    printed = capsys.readouterr().out
    assert "Is the circle red?" in printed
    assert f"probability {second['probability']:.6f}" in printed


def test_with_a_judge_only_what_its_engines_told_is_shown(study, run, capsys, monkeypatch):
    score_chunk.work_off(run=lifecycle.start_run(study=study, name="geneval-builtin"))
    call_command("look", study.slug, "early-1", "--json")
    both = json.loads(capsys.readouterr().out)
    assert {told["kind"] for told in both["told"]} == {"objects", "answers"}
    assert len(both["verdicts"]) == 2
    with pytest.raises(CommandError, match="“clip-score” has not scored “early-1”"):
        call_command("look", study.slug, "early-1", "--judge", "clip-score")
    call_command("look", study.slug, "early-1", "--json", "--judge", "geneval-builtin")
    own = json.loads(capsys.readouterr().out)
    assert [verdict["judge"] for verdict in own["verdicts"]] == ["geneval-builtin"]


def test_an_image_that_is_not_there_is_said(study):
    with pytest.raises(CommandError, match="no image “nothing” in “shapes”"):
        call_command("look", study.slug, "nothing")
