"""`manage.py card`: plan, measuring, and what it refuses."""

import json

import pytest
from django.core.management import CommandError, call_command

from judges.cards.changes import CHANGES
from judges.models import MadeScore, Run
from tests import making
from tests.judges.self_checks.bench import bench

pytestmark = pytest.mark.django_db


def said(capsys, *arguments):
    call_command("card", *arguments)
    return capsys.readouterr().out


@pytest.mark.nightly("test_card.py measures a judge from end to end")
def test_one_command_scores_measures_and_prints(capsys, tmp_path):
    study = bench(12)
    text = said(capsys, "geneval-builtin", "--study", study.slug, "--count", "12")
    assert "Blind, picture removed: its score falls" in text
    assert Run.objects.get().state == "finished"
    made = MadeScore.objects.count()
    assert made == 12 * len(CHANGES)
    body = json.loads(
        said(capsys, "geneval-builtin", "--study", study.slug, "--count", "12", "--json")
    )
    assert body["facts"]["fingerprint"] and MadeScore.objects.count() == made
    plan = said(capsys, "geneval-builtin", "--study", study.slug, "--count", "12", "--plan")
    assert plan.startswith(f"{made} pictures made from 12 images; {made} are scored, 0 to ask.")
    record = json.loads(
        said(capsys, "geneval-builtin", "--study", study.slug, "--count", "12", "--record")
    )
    assert record["schema_version"] == "0.3.0" and record["evaluation_results"]
    out = tmp_path / "card.html"
    said(capsys, "geneval-builtin", "--study", study.slug, "--count", "12", "--out", str(out))
    assert "Dark current" in out.read_text()


def test_what_cannot_be_measured_is_refused_with_a_sentence():
    study = making.study(prompts=2)
    with pytest.raises(CommandError, match="has not scored this study"):
        call_command("card", "nobody", "--study", study.slug)
    with pytest.raises(CommandError, match="no study"):
        call_command("card", "nobody", "--study", "none")
    with pytest.raises(CommandError, match="count is a number of images"):
        call_command("card", "nobody", "--study", study.slug, "--count", "0")
    with pytest.raises(CommandError, match="a document ends in"):
        call_command("card", "nobody", "--study", study.slug, "--out", "card.txt")
