"""`manage.py report --like`: each paper's table from a small study, the numbers worked by hand."""

import csv
import io
import json
import re
from datetime import date

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotations.exports.pseudonyms import name_in_reports
from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Image, Study
from audit.paper_tables import LIKE
from audit.paper_tables.study import audited
from audit.paper_tables.table import NONE, as_text
from audit.reports.options import Options
from audit.reports.pairing import pair
from judges.models import Atom, AtomScore
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.sources.records import (
    AtomRecord,
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptRecord,
)
from jurybox_stats import ranking
from tests import making

pytestmark = pytest.mark.django_db


def made(prompts: dict[str, tuple[str, ...]], *, kinds=(), atomicity=None) -> Study:
    """`{prompt: tags}`, each with an image by early and by late, and an atom of each kind."""
    study = Study.objects.create(slug="s", title="S", form=publish_form(geneval_audit.FORM))
    outcome = Outcome()
    records = (
        PromptRecord(
            key,
            f"prompt {key}",
            tags,
            tuple(AtomRecord(i, kind, kind, f"{kind}?", "Yes") for i, kind in enumerate(kinds)),
            atomicity,
        )
        for key, tags in prompts.items()
    )
    write_study.import_records(study=study, records=records, outcome=outcome)
    write_study.import_records(
        study=study,
        records=[
            GeneratorRecord("early", date(2021, 1, 1)),
            GeneratorRecord("late", date(2024, 1, 1)),
        ],
        outcome=outcome,
    )
    write_study.import_records(
        study=study,
        records=(ImageRecord(f"{g}-{p}", p, g) for p in prompts for g in ("early", "late")),
        outcome=outcome,
    )
    assert outcome.rejected == []
    return study


def people_say_of_atoms(study, said: dict[str, list[float]]) -> None:
    records = (
        LabelRecord(image=image, rater="ann", question="atom", value=value, atom=index)
        for image, values in said.items()
        for index, value in enumerate(values)
    )
    outcome = Outcome()
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert outcome.rejected == []


def scored_atoms(study, said: dict[str, list[float]], *, name: str) -> None:
    run = making.scores(study, {k: sum(v) / len(v) for k, v in said.items()}, name=name)
    for image, values in said.items():
        score = run.scores.get(image__key=image)
        prompt = Image.objects.get(study=study, key=image).prompt
        for index, value in enumerate(values):
            atom = Atom.objects.get(prompt=prompt, index=index)
            AtomScore.objects.create(score=score, atom=atom, value=value)


def rows(study, like: str, table: int = 0) -> dict[str, list[str]]:
    """What the table shows, row by row."""
    made = LIKE[like](audited(study, Options()))[table]
    return {
        row.label: [cell.value or NONE for cell in cells] for row, cells in made.rows_with_cells
    }


def geneval() -> Study:
    study = made({"p0": ("counting",), "p1": ("counting",), "p2": ("colors",)})
    # ann, ben, cem on early; nobody has seen late.
    said = {"early-p0": (1, 1, 0), "early-p1": (0, 0, 0), "early-p2": (1, 1, 1)}
    making.labels(
        study,
        {key: dict(zip(("ann", "ben", "cem"), given, strict=True)) for key, given in said.items()},
    )
    making.scores(study, {"early-p0": True, "early-p1": True, "early-p2": True}, name="strict")
    return study


def test_geneval_s_table_by_task():
    found = rows(geneval(), "geneval")
    # counting 2/2, colors 1/1: overall (1 + 1) / 2
    assert found["early · strict"] == ["1.00", "1.00", "1.00", "1.00"]
    # counting (2/3 + 0) / 2 = 1/3, colors 1: overall 2/3; over all images (2/3 + 0 + 1) / 3 = 5/9
    assert found["early · people, all answers"] == ["0.67", "0.56", "0.33", "1.00"]
    # counting (1 + 0) / 2, colors 1: overall .75
    assert found["early · people, majority"] == ["0.75", "0.67", "0.50", "1.00"]
    assert found["late · people, majority"] == [NONE] * 4


def test_geneval_s_own_print_out():
    study = made({"p0": ("counting",), "p1": ("counting",), "p2": ("colors",)})
    making.scores(study, {"early-p0": True, "early-p1": False, "early-p2": True}, name="strict")
    # 2 of 3 images and prompts; counting 1 of 2, colors 1 of 1: overall 75
    found = rows(study, "geneval", 3)
    assert found["early · strict"] == ["3.00", "3.00", "66.67", "66.67", "75.00"]
    assert found["late · strict"] == [NONE] * 5


@pytest.mark.parametrize("like", ["geneval", "geneval2", "tifa", "dsg"])
def test_a_judges_scores_make_a_table_without_any_people(like, capsys):
    study = made({"p0": ("counting",), "p1": ("counting",)}, kinds=("count",), atomicity=3)
    scored_atoms(study, {"early-p0": [1.0], "early-p1": [0.5]}, name="ours")
    call_command("report", study.slug, like=like)
    printed = capsys.readouterr().out
    assert any("0.75" in line or "75.0" in line for line in printed.splitlines())


def test_geneval_s_agreement_with_single_people():
    study = geneval()
    # The judge says yes throughout; people: p0 2 of 3, p1 0 of 3, p2 3 of 3 -> 5 of 9; counting 2 of 6.
    assert rows(study, "geneval", 1)["strict"] == ["0.556", "0.333", "1.000"]
    # Pairs of people: p0 1 of 3 alike, p1 and p2 3 of 3 -> 7 of 9; counting 4 of 6.
    assert rows(study, "geneval", 1)["between people"] == ["0.778", "0.667", "1.000"]
    # Ann's answers came first: p0 1 of 2 others say the same, p1 and p2 2 of 2 -> 5 of 6; counting 3 of 4.
    first = rows(study, "geneval", 1)["first annotator against the others"]
    assert first == ["0.833", "0.750", "1.000"]
    # A judge that always says yes agrees by chance alone.
    assert rows(study, "geneval", 2)["strict"][0] == "0.00"


def test_geneval2_compares_atoms_with_one_mean_and_prompts_with_the_other():
    study = made({"p0": (), "p1": ()}, kinds=("object", "count"), atomicity=3)
    people_say_of_atoms(study, {"early-p0": [1, 1], "early-p1": [1, 0], "late-p0": [0]})
    scored_atoms(study, {"early-p0": [0.9, 0.7], "early-p1": [0.5, 0.1]}, name="am")
    found = rows(study, "geneval2")
    # atoms (1 + .5) / 2; prompts (1 + 0) / 2; judge (.8 + .3) / 2
    assert found["early"] == ["75.0", "50.0", "55.0"]
    # One of two atoms was answered: no prompt score, rather than a 0.
    assert found["late"] == ["0.0", NONE, NONE]
    skills = rows(study, "geneval2", 1)
    assert skills["early · people"] == ["100.0", "50.0"]
    assert skills["early · am"] == ["70.0", "40.0"]
    assert rows(study, "geneval2", 2)["early · am"] == ["55.0"]


def test_tifa_s_summary():
    study = made({"p0": (), "p1": ()}, kinds=("object", "color"))
    scored_atoms(study, {"early-p0": [1, 1], "early-p1": [1, 0]}, name="tifa")
    # captions 1 and .5: mean .75, sample deviation sqrt(2 * .25^2 / 1) = .354; color 1/2, object 2/2
    assert rows(study, "tifa")["early · tifa"] == ["0.750", "0.354", "0.500", "1.000"]


def test_dsg_counts_an_item_without_answers_as_0():
    study = made({f"p{n}": () for n in range(3)})
    likert = {"early-p0": 5, "early-p1": 3, "early-p2": 1}
    making.labels(study, {k: {"ann": v} for k, v in likert.items()}, question="likert")
    making.scores(study, {"early-p0": 0.9, "early-p1": 0.6}, name="dsg")
    found = audited(study, Options())
    # (.9 + .6 + 0) / 3; late has no score at all and stays without.
    assert rows(study, "dsg") == {"early": ["0.500"], "late": [NONE]}
    assert rows(study, "dsg", 1)["dsg"] == ["1.000", "1.000"]
    assert "dsg: 1 images without answers count 0, as in the paper: early-p2" in as_text(
        LIKE["dsg"](found)
    )


def test_dsg_counts_an_item_of_which_a_generator_made_no_image_as_0():
    study = made({"tifa_0": (), "tifa_1": (), "tifa_2": (), "count_0": (), "count_1": ()})
    Image.objects.filter(key__in=("early-tifa_2", "early-count_0", "early-count_1")).delete()
    making.scores(study, {"early-tifa_0": 0.9, "early-tifa_1": 0.6}, name="dsg")
    # Most of the split tifa is there, so its third item counts 0: 1.5 / 3. Of count there is none.
    assert rows(study, "dsg")["early"] == ["0.500"]
    assert "early: 1 items without an image count 0, as in the paper: tifa_2" in as_text(
        LIKE["dsg"](audited(study, Options()))
    )


def test_dsg_does_not_call_a_failed_judgement_0():
    study = made({f"p{n}": () for n in range(3)})
    making.scores(study, {"early-p0": 0.9, "early-p1": 0.6, "early-p2": "it broke"}, name="dsg")
    assert rows(study, "dsg")["early"] == ["0.750"]


def ratings() -> Study:
    """Four images, two people, one judge."""
    study = made({f"p{n}": ("basic",) for n in range(4)})
    said = [(1, 1), (2, 3), (3, 2), (5, 5)]
    making.labels(
        study,
        {
            f"early-p{n}": dict(zip(("ann", "ben"), given, strict=True))
            for n, given in enumerate(said)
        },
        question="likert",
    )
    making.scores(study, {f"early-p{n}": n / 10 for n in range(4)}, name="vqa")
    return study


def test_viescore_s_human_rows():
    study = ratings()
    found = rows(study, "viescore")
    ann, ben = (found[name_in_reports(study.slug, name)] for name in ("ann", "ben"))
    # Ranks 1 2 3 4 against 1 3 2 4: rho = 1 - 6 * 2 / (4 * 15) = .8; tau = (5 - 1) / 6
    # Pearson of (1, 2, 3, 5) and (1, 3, 2, 5): deviations from 2.75, sxy 7.75, sxx 8.75
    assert ann == ["0.8000", "0.8857", "0.6667"]
    assert ben == found["people, mean"] == ann
    # The judge ranks the images 0 1 2 3; means are 1, 2.5, 2.5, 5.
    assert found["vqa"][0] == "0.9487"  # sqrt(.9)


def test_correlations_of_genai_bench_and_t2v():
    study = ratings()
    # Means 1 2.5 2.5 5, scores 0 .1 .2 .3: tau-b = 5 / sqrt(5 * 6); with epsilon 0 all pairs but the
    # tied one are right, 5 of 6; no epsilon does better.
    # Pearson: deviations -1.75 -.25 -.25 2.25 and -.15 -.05 .05 .15: .6 / sqrt(8.25 * .05) = .934
    assert rows(study, "genai_bench")["vqa"] == ["83.3", "93.4", "91.3"]
    assert rows(study, "genai_bench", 1) == {"vqa": ["83.3"]}
    assert rows(study, "t2v")["vqa"] == ["93.4", "94.9", "91.3", "83.3"]


def printed(*args) -> str:
    out = io.StringIO()
    call_command("report", "s", *args, stdout=out)
    return out.getvalue()


def many_ratings() -> Study:
    """Forty images of early, three people, one judge."""
    study = made({f"p{n}": ("basic",) for n in range(40)})
    rng = np.random.default_rng(5)
    level = rng.integers(1, 6, 40)
    said = np.clip(level + rng.integers(-1, 2, (3, 40)), 1, 5)
    making.labels(
        study,
        {
            f"early-p{n}": {name: int(said[row, n]) for row, name in enumerate("abc")}
            for n in range(40)
        },
        question="likert",
    )
    making.scores(study, {f"early-p{n}": float(level[n]) for n in range(40)}, name="vqa")
    return study


def test_viescore_by_generator_is_tanh_of_the_mean_z_with_an_interval():
    study = many_ratings()
    said = np.array(pair(study=study, question="likert").people.ratings)[:, :40]
    said = said[:, ~np.isnan(said).any(axis=0)]
    z = [
        np.arctanh(ranking.pearson(np.delete(said, row, 0).mean(axis=0), said[row]).value)
        for row in range(3)
    ]
    table = LIKE["viescore"](audited(study, Options()))[1]
    of_people = {row.label: row.numbers for row in table.rows}["early · people"]
    pearson = of_people[[column.heading for column in table.columns].index("Pearson")]
    assert pearson["value"] == pytest.approx(np.tanh(np.mean(z)))
    assert pearson["low"] < pearson["value"] < pearson["high"] < 1
    # Nobody rated an image of late.
    late = {row.label: row.numbers for row in table.rows}["late · people"]
    assert all("undefined" in number for number in late)


def test_the_tables_of_papers_print_intervals_in_text_json_and_csv():
    many_ratings()
    line = next(
        line for line in printed("--like", "viescore").splitlines() if "early · people" in line
    )
    assert re.search(r"0\.\d{4} \(0\.\d{4} to 0\.\d{4}\)", line)
    told = json.loads(printed("--like", "viescore", "--json"))["tables"][1]
    number = told["rows"][0]["numbers"][0]
    assert number["low"] < number["value"] < number["high"]
    rows = list(csv.DictReader(io.StringIO(printed("--like", "viescore", "--format", "csv"))))
    row = next(row for row in rows if row["row"] == "early · people")
    assert float(row["low"]) < float(row["value"]) < float(row["high"])


def test_the_command_prints_text_json_and_csv():
    ratings()
    text = printed("--like", "t2v")
    assert text.splitlines()[0] == "T2V: judges and people’s ratings, × 100"
    heads = ["judge", "Pearson", "Spearman", "Kendall", "pairwise, ties calibrated"]
    assert re.split(r"  +", text.splitlines()[2]) == heads
    told = json.loads(printed("--like", "t2v", "--json"))
    (table,) = told["tables"]
    assert table["columns"] == heads
    assert table["rows"][0]["numbers"][3]["value"] == pytest.approx(100 * 5 / 6)
    lines = list(csv.DictReader(io.StringIO(printed("--like", "t2v", "--format", "csv"))))
    assert [line["column"] for line in lines] == table["columns"][1:]
    assert lines[1]["n"] == "4"


def test_the_command_refuses_an_unknown_paper_and_question():
    ratings()
    with pytest.raises(CommandError):
        printed("--like", "nobody")
    with pytest.raises(CommandError, match="Nobody answered"):
        printed("--like", "t2v", "--question", "mood")


@pytest.mark.parametrize("like", LIKE)
def test_a_study_without_anything_has_empty_tables_and_reasons(like):
    study = made({"p0": ("counting",)})
    for table in LIKE[like](audited(study, Options())):
        assert all("undefined" in number for row in table.rows for number in row.numbers)
