"""Whose scores are shares of yes: said by the method, a recipe or whoever imports, never by numbers that
happen to lie from 0 to 1."""

from dataclasses import replace
from importlib import import_module

import pytest
from django.apps import apps

from audit.reports import make as reports
from audit.reports.pairing import facts_of
from judges.intake import bring_in
from judges.models import Run
from judges.runs.lifecycle import start_run
from jurybox_formats.registry import Source
from jurybox_judging import catalogue
from jurybox_judging.recipes.names import METHODS, load
from tests import making

KEYS = [f"{name}-{number}" for name in ("early", "late") for number in range(4)]
OWN = "nothing says that the judge's scores are shares of yes"


def test_probabilities_and_shares_of_yes_are_in_peoples_unit_and_likenesses_are_not():
    told = {
        name: getattr(load(method.path), "in_peoples_unit", False)
        for name, method in METHODS.items()
    }
    assert all(told[name] for name in ("geneval", "read-text", "soft-tifa", "tifa", "vqa-score"))
    assert {name for name, unit in told.items() if unit is False} >= {
        *("chain-of-thought", "clip-score", "compbench-3-in-1", "kept-rest", "reward"),
        *("weighted-points", "weighted-tokens"),
    }
    checklist = told["checklist"]
    assert checklist({"reading": "answers"}) and not checklist({"reading": "numbers"})


def report_of(study):
    keys = study.images.values_list("key", flat=True)
    making.labels(study, {key: {"ann": int(key[-1]) % 2, "ben": int(key[-1]) % 2} for key in keys})
    return reports.make_report(study=study).body["judges"]


@pytest.mark.django_db
def test_a_cosine_between_0_and_1_is_off_by_no_points():
    study = making.study(prompts=32, files=False)
    scores = {
        key: 0.2 + n / 100 for n, key in enumerate(study.images.values_list("key", flat=True))
    }
    run = making.scores(study, scores, name="clip", in_peoples_unit=None)
    run.judge.method = "ClipScore"
    run.judge.save()
    making.scores(study, scores, name="soft")
    told = report_of(study)
    off, soft = (told[name]["overall"] for name in ("clip", "soft"))
    for name in ("net_deviation", "equivalence", "brier", "calibration_error", "log_score"):
        assert off[name]["undefined"].startswith(OWN)
        assert "value" in soft[name]
    # What asks for an order alone is the same.
    assert off["auroc"] == soft["auroc"]
    assert told["clip"]["drift"]["gap"]["undefined"].startswith(OWN)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "unit", "in_points"),
    [
        ((0, 1, 1, 0), "", True),
        ((0.2, 0.7, 1, 0), "", False),
        ((0.2, 0.7, 1, 0), "people", True),
        ((0.2, 0.7, 1, 0), "own", False),
        ((0, 1, 1, 0), "own", False),
        ((0, 12, 1, 0), "people", False),
    ],
)
def test_whoever_imports_says_what_a_score_is_and_unsaid_only_0_and_1_are_verdicts(
    tmp_path, values, unit, in_points
):
    study = making.study()
    table = tmp_path / "scores.csv"
    rows = [f"{key},some,{values[n % 4]}" for n, key in enumerate(KEYS)]
    table.write_text("\n".join(["image_id,judge,score", *rows]))
    bring_in.import_scores(study=study, source=Source(table, unit=unit))
    said = report_of(study)["some"]["overall"]["net_deviation"]
    assert ("value" in said) == in_points
    # What is told later holds: the report is made anew, of other data.
    before = study.reports.get().data
    bring_in.import_scores(study=study, source=Source(table, unit="people"))
    report = reports.make_report(study=study)
    assert (report.data == before) == (in_points or max(values) > 1)
    said = report.body["judges"]["some"]["overall"]["net_deviation"]
    assert ("value" in said) == (max(values) <= 1)


@pytest.mark.django_db
def test_a_recipe_may_say_it_otherwise_than_its_method(monkeypatch):
    study = making.study()
    told = catalogue.entry("geneval-builtin")
    monkeypatch.setattr(catalogue, "entry", lambda name: replace(told, unit="own"))
    run = start_run(study=study, name="geneval-builtin")
    assert facts_of(run, 0)["in_peoples_unit"] is False
    monkeypatch.setattr(catalogue, "entry", lambda name: told)
    other = start_run(study=making.study("other"), name="geneval-builtin")
    assert facts_of(other, 0)["in_peoples_unit"] is True


@pytest.mark.django_db
def test_imported_scores_from_0_to_1_that_were_in_points_stay_so():
    study = making.study()
    for name, score in (("soft", 0.4), ("raw", 22)):
        run = making.scores(study, {key: score for key in KEYS}, name=name, in_peoples_unit=None)
        run.judge.method = "imported"
        run.judge.save()
    import_module("judges.migrations.0008_unit_of_scores").keep_units(apps, None)
    told = dict(Run.objects.values_list("judge__name", "in_peoples_unit"))
    assert told == {"soft": True, "raw": None}
