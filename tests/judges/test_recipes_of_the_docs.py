"""The two recipes printed in docs/recipes.md: added as they stand there, they score the demo's study."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotations.models import Membership
from audit import demo
from judges.models import Recipe, Run
from judges.runs import score_chunk
from jurybox_judging.recipes.check import check_values
from jurybox_judging.recipes.read import read_one

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "recipes.md").read_text()
TWO = PAGE.partition("## Two examples")[2].partition("\n## ")[0]


def recipes(text: str) -> list[str]:
    return re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", recipes(PAGE), ids=lambda text: read_one(text)[0])
def test_every_recipe_of_the_page_fits(text):
    check_values(read_one(text)[1])


def test_both_score_every_image_of_the_demo(client, django_user_model, tmp_path):
    study = demo.build_demo(prompts=4, generators=2, size=128, seed=7)
    researcher = django_user_model.objects.create_user("rhea")
    Membership.objects.create(study=study, user=researcher, role="researcher", name="rhea")
    client.force_login(researcher)
    by_page, by_command = recipes(TWO)
    assert client.post(reverse("recipes", args=[study.slug]), {"text": by_page}).status_code == 302
    file = tmp_path / "mine.toml"
    file.write_text(by_command)
    call_command("judges", add=str(file))
    for recipe in Recipe.objects.all():
        start = reverse("run-start", args=[study.slug])
        assert client.post(start, {"judge": recipe.name}).status_code == 302
        run = Run.objects.get(judge__recipe=recipe)
        score_chunk.work_off(run=run)
        run.refresh_from_db()
        assert run.state == Run.State.FINISHED, run.reason
        scores = list(run.scores.values_list("value", "error"))
        assert len(scores) == study.images.count() == 8
        assert all(error == "" and 0 <= value <= 1 for value, error in scores)
        assert len({value for value, _ in scores}) > 1
