"""The command that prints a set's official score, from import to number."""

import json

import pytest
from django.core.management import CommandError, call_command

from judges.intake.bring_in import import_study
from jurybox_formats.registry import Source
from tests.formats.sets.prompt_sets import small

pytestmark = pytest.mark.django_db


@pytest.fixture
def dpg(tmp_path):
    folder = small.write(tmp_path, "dpg")
    lines = (
        "flux/0.png, 0.5, 1.0, 0.0, 0.5, 0.5\nflux/partiprompts7.png, 1.0, 1.0, 1.0, 0.0, 0.75\n"
    )
    (folder / "r.txt").write_text(lines)
    import_study(slug="s", format="dpg", source=Source(folder))


def test_the_score_of_each_generator_has_an_interval_over_prompts_and_says_how(dpg, capsys):
    call_command("set_scores", "s")
    words = capsys.readouterr().out
    # (.5 + .75) / 2
    assert "flux: 8 images of 2 prompts\n  DPG-Bench score: 0.6250 [0.5000, 0.7500], n = 8" in words
    assert "dpg by dpg " in words and "1000 resamples of prompts, seed 0" in words
    call_command("set_scores", "s", "--json")
    body = json.loads(capsys.readouterr().out)
    assert body["generators"][0]["figures"][0]["value"] == 0.625


def test_what_the_script_does_not_know_is_refused_with_what_it_knows(dpg, study):
    with pytest.raises(
        CommandError, match="no slip of the script of dpg; it knows last-crop, first-row"
    ):
        call_command("set_scores", "s", "--as-coded", "last")
    with pytest.raises(CommandError, match="no edition of dpg"):
        call_command("set_scores", "s", "--edition", "legacy")
    with pytest.raises(CommandError, match="not those of one set"):
        call_command("set_scores", study.slug)
