"""Papers' own numbers, from a study made of their own files."""

import csv
from collections import defaultdict

import pytest

from annotations.models import Study
from audit.paper_tables import LIKE
from audit.paper_tables.study import audited
from audit.reports.options import Options
from judges.intake import bring_in
from jurybox_formats.registry import Source
from tests import needs

pytestmark = pytest.mark.django_db


def study_of(format: str, path, **more) -> Study:
    bring_in.import_study(slug="s", format=format, source=Source(path, **more))
    return Study.objects.get(slug="s")


def shown(study: Study, like: str, table: int = 0) -> dict[str, dict[str, str]]:
    """Row -> column -> what the table shows."""
    made = LIKE[like](audited(study, Options()))[table]
    return {
        row.label: {
            column.heading: cell.value or "–"
            for column, cell in zip(made.columns, cells, strict=True)
        }
        for row, cells in made.rows_with_cells
    }


def test_tifa_s_official_result():
    study = study_of("tifa", needs.shared("tifa"), generator="sd")
    (row,) = shown(study, "tifa").values()
    # sample_evaluation_result.json: .8125, .26517 and the six types
    assert row == {
        "average": "0.812",
        "stdev": "0.265",
        "activity": "1.000",
        "animal/human": "0.750",
        "color": "1.000",
        "counting": "0.333",
        "location": "1.000",
        "object": "1.000",
    }


def test_geneval_s_published_crowd():
    study = study_of("geneval", needs.shared("geneval"))
    row = shown(study, "geneval")["clip · people, all answers"]
    # The paper says .42 of the images that CLIP retrieves; over its tasks it would be .43.
    assert (row["all images"], row["overall"]) == ("0.42", "0.43")


def test_dsg_s_published_answers():
    folder = needs.shared("dsg")
    study = study_of("dsg", folder)
    asked: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    with (folder / "mplug_dsg.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            asked[row["t2i_model"], row["item_id"]].append(row)
    totals: dict[str, float] = defaultdict(float)
    for (generator, _), rows in asked.items():
        totals[generator] += score(rows)
    # 160 items by each of four generators, all 1,060 by the last; one has no answers of any.
    sizes = {generator: 1060 if generator == "sd2dot1" else 160 for generator in totals}
    assert {name: numbers["mplug-dsg"] for name, numbers in shown(study, "dsg").items()} == {
        generator: f"{total / sizes[generator]:.3f}" for generator, total in totals.items()
    }


def score(rows: list[dict[str, str]]) -> float:
    """As the official notebook has it: a yes counts where all its direct parents are yes; where one
    dependency of an item is no number, none of them counts."""
    yes = {row["question_id"] for row in rows if row["answer"] == "yes"}
    parents = [{part.strip() for part in row["dependency_id"].split(",")} - {"0"} for row in rows]
    if not all(part.isdecimal() for on in parents for part in on):
        parents = [set() for _ in rows]
    there = {row["question_id"] for row in rows}
    right = (
        row["question_id"] in yes and not (on & there) - yes
        for row, on in zip(rows, parents, strict=True)
    )
    return sum(right) / len(rows)
