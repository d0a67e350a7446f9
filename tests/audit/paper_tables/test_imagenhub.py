"""ImagenHub's table: by hand for two images, and to the printed digit from the published ratings."""

from __future__ import annotations

import json
import math

import pytest

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Study
from audit.paper_tables import imagenhub
from audit.paper_tables.study import audited
from audit.reports.options import Options
from jurybox_formats.forms.papers import edits
from jurybox_formats.registry import Source, records
from tests import needs

FILES = needs.SHARED / "data" / "imagenhub"
PRINTED = needs.SHARED / "golden" / "imagenhub_published.json"
NAMES = {"fleiss_kappa": "κ", "alpha_ordinal": "α"}


def study_of(path) -> Study:
    study = Study.objects.create(slug="hub", title="Hub", form=publish_form(edits.IMAGENHUB))
    outcome = Outcome()
    write_study.import_records(
        study=study, records=records("imagenhub", Source(path)), outcome=outcome
    )
    assert outcome.rejected == []
    return study


@pytest.mark.django_db
def test_means_are_over_items_then_raters_and_what_never_varies_has_no_agreement(tmp_path):
    (tmp_path / "Edit_rater1.tsv").write_text("uid\tone\na.jpg\t[1,1]\nb.jpg\t[0.5,1]\n")
    (tmp_path / "Edit_rater2.tsv").write_text("uid\tone\na.jpg\t[1,1]\nb.jpg\t[1,1]\n")
    [table] = imagenhub.tables(audited(study_of(tmp_path), Options(question="overall")))
    [row] = table.rows
    headings = [column.heading for column in table.columns]
    numbers = dict(zip(headings, row.numbers, strict=True))
    assert (table.title, row.label) == (
        "ImagenHub, Edit: people’s scores and agreement",
        "one",
    )
    assert numbers["SC"]["value"] == pytest.approx((0.75 + 1) / 2)
    assert numbers["PQ"]["value"] == 1
    assert numbers["O"]["value"] == pytest.approx(((1 + math.sqrt(0.5)) / 2 + 1) / 2)
    # Pairs that agree: 1 of 2 items. Chance: (3/4)² + (1/4)² = .625. (.5 − .625) / .375 = −1/3.
    assert numbers["κ SC"]["value"] == pytest.approx(-1 / 3)
    assert "undefined" in numbers["κ PQ"]
    assert "undefined" in numbers["α PQ"]


@pytest.mark.django_db
@pytest.mark.skipif(not FILES.is_dir(), reason="ImagenHub’s files are not beside the checkout.")
def test_the_published_ratings_give_the_printed_table():
    printed = json.loads(PRINTED.read_text())["tasks"]
    found = {}
    for table in imagenhub.tables(audited(study_of(FILES), Options(question="overall"))):
        task = table.title.removeprefix("ImagenHub, ").partition(":")[0]
        for row in table.rows:
            for column, number in zip(table.columns, row.numbers, strict=True):
                found[task, row.label, column.heading] = number
    compared = 0
    for task, models in printed.items():
        for model, figures in models.items():
            for name, value in figures.items():
                kind, _, short = name.rpartition(" ")
                number = found[task, model, f"{NAMES[kind]} {short}" if kind else short]
                if value is None:
                    assert "undefined" in number, (task, model, name)
                else:
                    assert round(number["value"], 2) == value, (task, model, name, number)
                compared += 1
    assert compared == 142
