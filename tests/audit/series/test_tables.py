"""Two tables as a source of a report: what the database and a lake give for the same study, and no row."""

from __future__ import annotations

import gc
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from annotations.errors import ImportRefused
from annotations.models import Study
from audit.reports.make import Computation
from audit.reports.options import Options
from audit.reports.pairing import Database, Paired
from audit.reports.progress import Progress
from audit.series.lake import LakeStudy
from audit.series.tables import Tables
from audit.series.write_lake import write_study
from judges.intake import bring_in
from jurybox_formats.registry import Source
from tests.audit.series import tables as made_tables

ATOMS = [
    {"kind": "object", "text": "a cat", "question": "Is there a cat?"},
    {"kind": "color", "text": "red", "question": "Is it red?", "parents": [0]},
]
# What cannot be taken, beside rows that stand twice and rows that contradict others.
BAD_IMAGES = [
    {"image_id": "odd", "prompt_id": "p-0", "prompt": "other words", "generator": "gen-0"},
    {"image_id": "im-15", "prompt_id": "p-99", "prompt": "a cat", "generator": "gen-0"},
    {"image_id": "im-2", "prompt_id": "p-0", "prompt": "", "generator": "gen-0"},
]
BAD_LABELS = [
    {"image_id": "im-0", "rater": "ann", "question": "aligned", "value": 7},
    {"image_id": "nowhere", "rater": "ann", "question": "aligned", "value": 1},
    {"image_id": "im-0", "rater": "an\u200bn", "question": "aligned", "value": 0},
    {"image_id": "im-0", "rater": "аnn", "question": "aligned", "value": 1},
    {"image_id": "im-0", "rater": "ann", "question": "atom", "value": 1, "atom": 9},
    {"image_id": "im-0", "rater": "ann", "question": "aligned", "value": 1, "seconds": -1},
    {"image_id": "im-0", "rater": "r" * 300, "question": "aligned", "value": 1},
]
BAD_SCORES = [
    {"image_id": "im-0", "judge": "vqa", "score": 0.123},
    {"image_id": "nowhere", "judge": "vqa", "score": 0.5},
    {"image_id": "im-0", "judge": "v.q.a", "score": 0.5},
    {"image_id": "im-0", "judge": "v-q-a", "score": 0.5},
    {"image_id": "im-0", "judge": "vqa", "score": "nan"},
    {"image_id": "im-0", "judge": "vqa"},
    {"image_id": "im-0", "judge": "clip", "score": 0.5, "error": "broken"},
    {"image_id": "im-0", "judge": "clip", "atom": 9, "score": 1},
]


def write(folder: Path, **tables: list[dict]) -> Path:
    folder.mkdir()
    for name, rows in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def write_study_with_everything(folder: Path, *, with_bad_rows: bool = False) -> Path:
    """48 images of 16 prompts in families, with tags, atoms and a rewritten variant; three people who also
    say words and “can't tell”, under two forms; judges with verdicts, failures and scores of atoms."""
    images, labels, scores = [], [], []
    for n in range(48):
        prompt, image = n // 3, f"im-{n}"
        images.append(
            {
                "image_id": image,
                "prompt_id": f"p-{prompt}",
                "prompt": f"prompt {prompt}",
                "generator": f"gen-{n % 3}",
                "variant": "rewritten" if n % 5 == 0 else "original",
                "tags": [f"tag {prompt % 2}", "all"] if prompt else [],
                "prompt_family": f"family {prompt % 4}" if prompt % 5 else "",
                "atomicity": 1 + prompt % 3,
                "atoms": ATOMS if prompt % 4 else [],
            }
        )
        for at, rater in enumerate(("cho", "ann", "bea")):
            if (n * 7 + at) % 11 == 0:
                continue
            row = {"image_id": image, "rater": rater, "form": "our form v2" if n % 9 == 1 else ""}
            is_right = n % 7 > 2 or (n + at) % 13 == 0
            said = "can't tell" if (n + at) % 17 == 5 else int(is_right)
            labels.append({**row, "question": "aligned", "value": said})
            labels.append({**row, "question": "looks", "value": 1 + (n * 3 + at) % 5})
            labels.append(
                {**row, "question": "why", "value": ("hands", "text", "hands, too")[n % 3]}
            )
            if prompt % 4:
                for atom in range(2):
                    labels.append(
                        {**row, "question": "atom", "atom": atom, "value": (n + at + atom) % 3 > 0}
                    )
        for at, judge in enumerate(("vqa", "clip", "absent sometimes")):
            row = {"image_id": image, "judge": judge}
            if at == 2 and n % 10 == 3:
                continue
            if at == 1 and n % 12 == 4:
                scores.append({**row, "error": "out of memory"})
                continue
            score = (0.4 if n % 7 > 2 else 0.1) + (n * 31 + at * 17) % 50 / 100
            verdict = {"correct": score > 0.5} if at == 0 else {}
            if at == 1 and prompt % 4:
                for atom in range(2):
                    scores.append({**row, "atom": atom, "score": (n * 13 + atom * 7) % 20 / 20})
            scores.append({**row, "score": score, **verdict})
    generators = [{"generator": f"gen-{n}", "release_date": f"202{4 - n}-01-01"} for n in range(2)]
    if with_bad_rows:
        images += [*BAD_IMAGES, images[4]]
        labels += [*BAD_LABELS, labels[4], {**labels[5], "value": 2}]
        scores += [*BAD_SCORES, scores[4]]
        generators += [{"generator": "gen-0", "release_date": "2019-01-01"}, {"generator": "new"}]
    return write(folder, images=images, labels=labels, scores=scores, generators=generators)


def body_of(source) -> dict:
    return Computation(source, Options(resamples=100), Progress()).body


def read(folder: Path, **more: str) -> Tables:
    return Tables(folder, slug="audited", **more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_study_with_everything(tmp_path_factory.mktemp("tables") / "whole")


@pytest.mark.django_db
def test_rows_a_lake_and_tables_of_one_study_give_the_same_report(folder, tmp_path):
    bring_in.import_study(slug="audited", format="tidy", source=Source(folder))
    study = Study.objects.get(slug="audited")
    write_study(study, tmp_path, people="nobody")
    from_tables, lake = read(folder), LakeStudy(tmp_path / "audited")
    expected = body_of(Database(study))
    assert expected["people"]["in_words"]["why"]["most_frequent"][0] == {"text": "text", "n": 45}
    assert expected["people"]["cannot_tell"]["aligned"]["n"] == 8
    assert expected["judges"]["clip"]["by_atom_kind"].keys() == {"color", "object"}
    assert expected["signature"]["clusters"] and len(expected["signature"]["form"]) == 2
    assert expected["missing"]["scores"]["clip"] == {"absent": 0, "failed": 4}
    assert body_of(from_tables) == expected == body_of(lake)
    assert from_tables.questions() == Database(study).questions() == ["aligned", "looks"]
    for asked in (
        {"question": "looks"},
        {"question": "aligned", "judges": ("clip",), "decided": True},
    ):
        paired, as_rows = (source.pair(**asked) for source in (from_tables, Database(study)))
        assert paired.digest == as_rows.digest
        assert facts_of(paired) == facts_of(as_rows)


def facts_of(paired: Paired) -> tuple:
    people = paired.people
    return people.raters, people.forms, people.scale, *(judge.facts for judge in paired.judges)


@pytest.mark.django_db
@pytest.mark.parametrize("unit", ["", "people", "own"])
def test_the_unit_of_scores_is_that_of_an_import(folder, unit):
    bring_in.import_study(slug="audited", format="tidy", source=Source(folder, unit=unit))
    expected = facts_of(Database(Study.objects.get()).pair("aligned"))
    assert expected[-1]["in_peoples_unit"] is {"": None, "people": True, "own": False}[unit]
    assert facts_of(read(folder, unit=unit).pair("aligned")) == expected


@pytest.mark.django_db
def test_what_an_import_refuses_counts_and_notes_is_said_of_tables(tmp_path):
    folder = write_study_with_everything(tmp_path / "bad", with_bad_rows=True)
    imported = bring_in.import_study(slug="audited", format="tidy", source=Source(folder))
    tables = read(folder)
    assert tables.outcome.as_json() == imported.as_json()
    said = tables.outcome.as_text()
    for words in (
        "value = 7.0: “aligned” takes one of",
        "rater = 'аnn': This name looks like “ann”",
        "the name 'an\\u200bn' was read as “ann”",
        "This person has answered this question already, with",
        "image_id = 'nowhere': The study has no such image.",
        "prompt = 'other words': “p-0” stood for another prompt (or other tags) further up.",
        "prompt_id = 'p-99': “im-15” is there already, with another prompt_id.",
        "score = 0.123: This judge said 0.1 of this image before.",
        "It would have the same name as “v.q.a”: v-q-a.",
        "score = None: “score” is missing.",
        "A row has a score or an error, never both of them.",
        "The prompt of this image has no such atom.",
        "release_date = '2019-01-01': “gen-0” is there already, with 2024-01-01.",
        "Form “our form v2” is not known here",
        "absent-sometimes: 48 images expected, 43 with a judgement; 5 are missing.",
    ):
        assert words in said
    assert tables.pair("aligned").digest == Database(Study.objects.get()).pair("aligned").digest


def test_a_report_of_tables_opens_no_connection(folder, monkeypatch):
    def refuse(self, *args, **kwargs):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(
        "django.db.backends.base.base.BaseDatabaseWrapper.ensure_connection", refuse
    )
    assert body_of(read(folder))["people"]["images"] == 48


def test_a_judge_keeps_its_number_in_the_file_and_stands_by_its_name(folder):
    paired = read(folder).pair("aligned")
    numbers = {judge.name: judge.facts["number"] for judge in paired.judges}
    assert list(numbers.items()) == [("absent-sometimes", 2), ("clip", 1), ("vqa", 0)]
    assert paired.people.raters == ("ann", "bea", "cho")
    # gen-1 came out before gen-0; gen-2 has no date.
    assert paired.people.generator_names == ("gen-1", "gen-0", "gen-2")


def test_an_images_whole_score_takes_the_place_of_its_atoms_alone(tmp_path):
    image = {"prompt_id": "p", "prompt": "a cat", "generator": "g", "atoms": ATOMS}
    label = {"rater": "ann", "question": "aligned", "value": 1}
    folder = write(
        tmp_path / "atoms",
        images=[{"image_id": key, **image} for key in "ab"],
        labels=[{"image_id": "a", **label}],
        scores=[
            *({"image_id": key, "judge": "j", "atom": 0, "score": 1} for key in "ab"),
            # In a later batch than those of the atoms.
            *({"image_id": "a", "judge": f"j{n}", "score": 1} for n in range(1300)),
            {"image_id": "a", "judge": "j", "score": 0.25},
        ],
    )
    tables = read(folder)
    (judge,) = (one for one in tables.pair("aligned").judges if one.name == "j")
    np.testing.assert_array_equal(judge.scores, [0.25, np.nan])
    np.testing.assert_array_equal(judge.failed, [False, True])
    assert (tables.outcome.scores, tables.outcome.rejected_in_all) == (1303, 0)


def test_tables_without_rows_that_fit_have_no_question(tmp_path):
    label = {"image_id": "a", "rater": "ann", "question": "aligned", "value": 1}
    tables = read(write(tmp_path / "few", labels=[label]))
    assert tables.questions() == []
    assert tables.outcome.rejected[0]["reason"] == "The study has no such image."


def test_a_file_that_is_no_table_is_refused_in_a_sentence(tmp_path):
    folder = write(tmp_path / "broken")
    (folder / "labels.csv").write_text("x,y\n1,2\n")
    with pytest.raises(ImportRefused, match="labels.csv has no column"):
        read(folder)


def test_rows_of_tables_take_a_few_hundred_bytes_each(tmp_path):
    folder = made_tables.write(tmp_path / "many", images=2000, judges=2)
    tracemalloc.start()
    try:
        tables = read(folder)
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert tables.outcome.answers == 6_000
    # 2,000 images, 6,000 answers, 4,000 scores.
    assert held < 4_000_000
