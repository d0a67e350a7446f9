"""Recipes of somebody's own: added once, run like any judge, removed only while no run rests on them."""

import pytest

from annotations.models import Event
from judges import installed, own_recipes
from judges.models import Judge, Recipe, Run
from judges.runs import lifecycle, score_chunk
from jurybox_judging import catalogue, registry
from jurybox_judging.errors import JudgeRefused
from tests import making

pytestmark = pytest.mark.django_db
TEXT = """
name = "strict-dsg"
title = "DSG, also the grandparents"
released = 2024-04-01
method = "dsg"
options.transitive = true
answers.engine = "builtin"
"""


def run(study, name="strict-dsg", **options):
    started = lifecycle.start_run(study=study, name=name, options=options)
    score_chunk.work_off(run=started)
    started.refresh_from_db()
    assert started.state == Run.State.FINISHED, started.reason
    return started


def test_a_recipe_is_a_judge_as_soon_as_it_is_added(study, alice):
    own_recipes.add(text=TEXT, by=alice.user)
    done = run(study)
    assert done.judge.options == {"transitive": True}
    assert done.judge.method == "Dsg"
    assert str(done.judge.release_date) == "2024-04-01"
    assert done.judge.recipe.name == "strict-dsg"
    shipped = run(study, "dsg-builtin", transitive=True)
    assert list(done.scores.order_by("image").values_list("value", "error")) == list(
        shipped.scores.order_by("image").values_list("value", "error")
    )
    assert shipped.judge.recipe is None


def test_every_value_of_a_recipe_is_in_its_fingerprint():
    def fingerprint(text):
        own_recipes.add(text=text)
        made = registry.fingerprint(registry.identity("strict-dsg", {}))
        own_recipes.remove(name="strict-dsg")
        return made

    first = fingerprint(TEXT)
    assert fingerprint(TEXT) == first
    assert fingerprint(TEXT.replace("transitive = true", "transitive = false")) != first
    assert (
        fingerprint(TEXT.replace("options.trans", "options.dependencies = false\noptions.trans"))
        != first
    )
    assert fingerprint(f"{TEXT}answers.batch = 4\n") != first


def test_the_same_text_twice_is_one_recipe_and_another_text_is_refused():
    first = own_recipes.add(text=TEXT)
    assert own_recipes.add(text=TEXT.replace("\n", "\r\n")) == first
    with pytest.raises(JudgeRefused, match="There is another recipe named “strict-dsg”"):
        own_recipes.add(text=TEXT.replace("true", "false"))
    assert Recipe.objects.get().text == TEXT


def test_a_name_of_the_catalogue_cannot_be_taken():
    with pytest.raises(JudgeRefused, match="“name” is that of a judge of the catalogue"):
        own_recipes.add(text=TEXT.replace("strict-dsg", "dsg-builtin"))
    assert not Recipe.objects.exists()


FLANT5 = TEXT.replace('"builtin"', '"clip-flant5"')
# What is written instead -> why it is refused
FORBIDDEN = {
    'method = "jurybox_judging.methods.dsg:Dsg"': "a recipe names no module",
    'answers.checkpoint = "/etc"': "“answers.checkpoint” may not be '/etc'",
    'answers.checkpoint = "../weights"': "“answers.checkpoint” may not be",
    'answers.checkpoint = "somebody/model"': "“answers.checkpoint” may not be 'somebody/model'",
    'answers.tokenizer = "~/tokenizer"': "“answers.tokenizer” may not be",
}


@pytest.mark.parametrize("line", FORBIDDEN)
def test_no_module_and_no_path_beyond_what_the_operator_allows(line, settings):
    settings.JUDGE_WEIGHTS = ["/srv/weights", "own/model"]
    text = FLANT5.replace('method = "dsg"\n', "") if line.startswith("method") else FLANT5
    with pytest.raises(JudgeRefused, match=FORBIDDEN[line]):
        own_recipes.add(text=f"{text}{line}\n")
    assert not Recipe.objects.exists()


def test_what_the_operator_allows_may_be_named(settings):
    settings.JUDGE_WEIGHTS = ["/srv/weights", "own/model"]
    for number, value in enumerate(("own/model", "/srv/weights/a", "zhiqiulin/clip-flant5-xxl")):
        text = FLANT5.replace("strict-dsg", f"dsg-{number}")
        own_recipes.add(text=f'{text}answers.checkpoint = "{value}"\n')
    assert Recipe.objects.count() == 3


def test_a_server_must_be_allowed_too(settings):
    settings.JUDGE_SERVERS = ["http://127.0.0.1:8001"]
    text = TEXT.replace('"builtin"', '"server"\nanswers.checkpoint = "any"')
    with pytest.raises(JudgeRefused, match="8002"):
        own_recipes.add(text=f'{text}answers.base_url = "http://10.0.0.1:8002/v1"\n')


def test_what_is_not_allowed_any_more_is_not_started(settings, study):
    settings.JUDGE_WEIGHTS = ["own/model"]
    own_recipes.add(text=f'{FLANT5}answers.checkpoint = "own/model"\n')
    settings.JUDGE_WEIGHTS = []
    with pytest.raises(JudgeRefused, match="“answers.checkpoint” may not be 'own/model'"):
        lifecycle.start_run(study=study, name="strict-dsg")


def test_a_recipe_goes_only_while_no_run_rests_on_it(study, alice):
    own_recipes.add(text=TEXT, by=alice.user)
    done = run(study)
    with pytest.raises(JudgeRefused, match="“strict-dsg” stays. Runs of 1 study rest on it"):
        own_recipes.remove(name="strict-dsg", by=alice.user)
    done.delete()
    own_recipes.remove(name="strict-dsg", by=alice.user)
    assert not Recipe.objects.exists()
    assert not Judge.objects.filter(name="strict-dsg").exists()
    with pytest.raises(JudgeRefused, match="There is no judge named “strict-dsg”"):
        lifecycle.start_run(study=study, name="strict-dsg")


def test_only_who_added_it_and_administrators_remove_it(study, alice, django_user_model):
    other = making.person(study, "olga", role="researcher").user
    own_recipes.add(text=TEXT, by=alice.user)
    with pytest.raises(JudgeRefused, match="Only who added it and administrators"):
        own_recipes.remove(name="strict-dsg", by=other)
    root = django_user_model.objects.create_superuser("root")
    own_recipes.remove(name="strict-dsg", by=root)
    assert [event.did for event in Event.objects.filter(study=None).order_by("pk")] == [
        "recipe added",
        "recipe removed",
    ]


@pytest.mark.parametrize("name", ["nothing", "dsg-builtin", "a\0b", "\ud800", "x" * 200, ""])
def test_what_is_no_recipe_cannot_be_removed(name):
    with pytest.raises(JudgeRefused, match="There is no recipe of your own named"):
        own_recipes.remove(name=name)
    with pytest.raises(JudgeRefused):
        catalogue.entry(name if name != "dsg-builtin" else "nobody")


def test_a_recipe_that_cannot_be_read_any_more_is_said_and_spoils_nothing(alice):
    Recipe.objects.create(name="old", title="Old", text='name = "old"\nfields = "of before"')
    assert "old" not in installed.entries()
    (row,) = own_recipes.rows(alice.user)
    assert "“fields” is no field of a recipe" in row.broken
    own_recipes.remove(name="old")


def test_a_judge_that_the_catalogue_took_the_name_of_scores_nothing_else(study, monkeypatch):
    own_recipes.add(text=TEXT)
    started = lifecycle.start_run(study=study, name="strict-dsg")
    monkeypatch.setitem(catalogue.JUDGES, "strict-dsg", catalogue.JUDGES["tifa-builtin"])
    score_chunk.work_off(run=started)
    started.refresh_from_db()
    assert started.state == Run.State.STOPPED
    assert not started.scores.exists()
