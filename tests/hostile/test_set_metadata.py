"""Metadata of a prompt that say they are of a known set, and are not: a sentence, never a traceback."""

from __future__ import annotations

import copy
import os
import random

import pytest

from annotations.errors import Refused
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Atom, Prompt, Study
from audit.set_scores import official
from judges.exports import set_files
from judges.intake.bring_in import import_study
from judges.models import AtomScore, Run, Score
from judges.parts import drafts, freeze
from judges.runs.fit import StudyPrompts
from jurybox_formats.forms.per_image import objects_of
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import GeneratorRecord, ImageRecord
from jurybox_judging import catalogue
from tests import making
from tests.formats.sets import edit_grades
from tests.formats.sets.edit_layouts import LAYOUTS
from tests.formats.sets.prompt_sets import small
from tests.hostile.routes import routes

SETS = ("corebench", "unigenbench", "dpg", "longtext", "wise", "oneig", "cvtg", "tiif")
NASTY = (
    *(None, True, -1, 0.5, 10**400, "", "a", "9" * 5000, "../../x", "/etc/x", "a\\b"),
    *([], {}, [[]], [{}], [5], [None], {"a": []}, [{"class": 5, "count": "x"}], [{"class": []}]),
)
MANGLED = int(os.environ.get("MANGLED", 12))
CRAWLS = int(os.environ.get("CRAWLS", 1))
# What makers of judges, forms and sets look for in the metadata of a prompt.
KEYS = (
    *("include", "exclude", "tag", "questions", "relations", "categories", "chunks", "nouns"),
    *("counts", "category", "subset", "text", "explanation", "number", "rows", "test_points"),
    *("propositions", "benchmark", "language", "point_tags", "sentences", "parts", "drafted"),
)
SOUND = {
    "include": [
        {"class": "cup", "count": 1, "color": "red"},
        {"class": "dog", "count": 2, "position": ["left of", 0]},
    ],
    "exclude": [{"class": "cup", "count": 3}],
    "tag": "position",
    "questions": [{"question": "Is it red?", "choices": ["yes", "no"], "answer": "yes"}],
    "relations": [["cup", 1, ["left"], "dog", 2]],
    "categories": ["object"],
    "chunks": ["a cup"],
    "nouns": ["cup", "dog"],
    "counts": {"cup": 1},
}

pytestmark = pytest.mark.django_db


def mangle(value, dice: random.Random):
    """The same but for one place: something else stands there, or nothing."""
    held = {"": copy.deepcopy(value)}
    places: list[tuple] = []

    def walk(part, key):
        places.append((part, key))
        inner = part[key]
        for name in (
            inner
            if isinstance(inner, dict)
            else range(len(inner))
            if isinstance(inner, list)
            else ()
        ):
            walk(inner, name)

    walk(held, "")
    part, key = dice.choice(places[1:])
    if dice.random() < 0.3:
        del part[key]
    else:
        part[key] = copy.deepcopy(dice.choice(NASTY))
    return held[""]


def score_every_prompt(study: Study) -> Run:
    images = [
        ImageRecord(f"flux/{prompt.key}-{sample}", prompt.key, "flux", sample=sample)
        for prompt in study.prompts.all()
        for sample in range(2)
    ]
    write_study.import_records(study=study, records=[GeneratorRecord("flux")], outcome=Outcome())
    write_study.import_records(study=study, records=images, outcome=Outcome())
    run = making.scores(study, {image.key: 0.5 for image in study.images.all()})
    for score in Score.objects.filter(run=run).select_related("image__prompt"):
        answers = [
            {"said": "Yes", "expected": "yes"} for _ in score.image.prompt.metadata.get("rows", ())
        ]
        evidence = {
            "answers": answers,
            "expected": "OPEN",
            "read": "OPEN",
            "grades": {"consistency": 2},
        }
        Score.objects.filter(pk=score.pk).update(evidence=evidence)
        for atom in Atom.objects.filter(prompt=score.image.prompt):
            AtomScore.objects.create(score=score, atom=atom, value=1.0)
    return run


@pytest.mark.parametrize("name", SETS)
def test_no_metadata_of_a_set_break_its_files_and_scores(name, tmp_path, monkeypatch):
    monkeypatch.setattr(official, "RESAMPLES", 2)
    import_study(slug="s", format=name, source=Source(small.write(tmp_path, name)))
    study = Study.objects.get(slug="s")
    run = score_every_prompt(study)
    prompts = list(study.prompts.order_by("pk"))
    dice, refused = random.Random(11), 0
    for _ in range(MANGLED):
        prompt = dice.choice(prompts)
        Prompt.objects.filter(pk=prompt.pk).update(metadata=mangle(prompt.metadata, dice))
        for write in (
            lambda: b"".join(set_files.prompt_files(study)),
            lambda: b"".join(set_files.result_files(study, run)),
            lambda: official.official_scores(study, judge="some-judge"),
            lambda: official.scores_of_everybody(study, slips=(), edition=""),
        ):
            try:
                write()
            except Refused as refusal:
                assert refusal.message.endswith(".")
                refused += 1
        Prompt.objects.filter(pk=prompt.pk).update(metadata=prompt.metadata)
    assert refused


@pytest.mark.parametrize("name", LAYOUTS)
def test_no_metadata_of_a_set_of_edits_break_its_files_and_scores(
    name, tmp_path, monkeypatch, settings
):
    monkeypatch.setattr(official, "RESAMPLES", 2)
    settings.MEDIA_ROOT = tmp_path / "media"
    LAYOUTS[name][0](tmp_path / "in")
    edit_grades.write(tmp_path / "in", name)
    import_study(slug="s", format=name, source=Source(tmp_path / "in"))
    study = Study.objects.get(slug="s")
    runs = list(study.runs.all())
    prompts, dice, refused = list(study.prompts.order_by("pk")), random.Random(14), 0
    for _ in range(MANGLED):
        prompt = dice.choice(prompts)
        odd = {"tags": []} if dice.random() < 0.3 else {}
        metadata = mangle(prompt.metadata, dice)
        Prompt.objects.filter(pk=prompt.pk).update(metadata=metadata, **odd)
        for write in (
            lambda: b"".join(set_files.prompt_files(study)),
            lambda: b"".join(set_files.result_files(study, dice.choice(runs))),
            lambda: official.scores_of_everybody(study, slips=(), edition=""),
        ):
            try:
                write()
            except Refused as refusal:
                assert refusal.message.endswith(".")
                refused += 1
        Prompt.objects.filter(pk=prompt.pk).update(metadata=prompt.metadata, tags=prompt.tags)
    assert refused


def odd_metadata(dice: random.Random) -> dict:
    """Sound in part: what comes after the first broken part is reached, too."""
    kept = {
        key: mangle({"": value}, dice).get("") if dice.random() < 0.4 else value
        for key, value in SOUND.items()
    }
    return kept | {key: copy.deepcopy(dice.choice(NASTY)) for key in dice.sample(KEYS, 4)}


def test_no_metadata_break_a_page(world, clients, filled):
    dice = random.Random(12)
    owner, annotator = clients("owner"), clients("annotator")
    addresses = [(name, filled(name, address)) for name, address in routes()]
    fell = []
    for _ in range(CRAWLS):
        for prompt in Prompt.objects.filter(study=world.study):
            Prompt.objects.filter(pk=prompt.pk).update(metadata=odd_metadata(dice))
        for name, address in addresses:
            for browser in (owner, annotator):
                answer = browser.get(address)
                if answer.streaming:
                    b"".join(answer.streaming_content)
                if answer.status_code >= 500 and answer.status_code != 503:
                    fell.append((name, answer.status_code))
    assert fell == []


def test_no_metadata_stop_the_counting_of_what_judges_can_score(study):
    dice = random.Random(13)
    for _ in range(MANGLED):
        for prompt in Prompt.objects.filter(study=study):
            Prompt.objects.filter(pk=prompt.pk).update(metadata=odd_metadata(dice))
        fits = StudyPrompts(study, 100).fits(catalogue.JUDGES)
        assert all(fit.images == study.images.count() for fit in fits.values())


@pytest.mark.parametrize(
    "file", ["../x.csv", "/etc/x.csv", "a/../../x.csv", "a\\x.csv", "", "x\n.csv"]
)
def test_no_file_of_an_archive_lies_outside_its_folder(file, tmp_path):
    import_study(slug="s", format="dpg", source=Source(small.write(tmp_path, "dpg")))
    study = Study.objects.get(slug="s")
    assert b"".join(set_files.prompt_files(study)).startswith(b"PK")
    prompt = study.prompts.first()
    prompt.metadata["rows"][0]["file"] = file
    prompt.save()
    with pytest.raises(Refused, match="not what its files hold"):
        set_files.prompt_files(study)


def test_clauses_that_name_nothing_are_passed_over():
    """A form that asks about objects finds the others."""
    clauses = [5, None, [], {}, {"class": 7}, {"class": ["cup"]}, {"class": ""}, {"class": "cup"}]
    assert objects_of({"include": clauses}, ()) == ("cup",)


def test_no_metadata_stop_the_drafting_and_freezing_of_parts(study):
    dice = random.Random(15)
    for _ in range(MANGLED):
        for prompt in Prompt.objects.filter(study=study):
            question = prompt.atoms.first().question
            held = [{"question": question, "choices": dice.choice(NASTY)}, dice.choice(NASTY)]
            mark = dice.choice([*NASTY, {"derived": dice.choice(NASTY)}])
            metadata = odd_metadata(dice) | {"questions": held, "parts": mark}
            Prompt.objects.filter(pk=prompt.pk).update(metadata=metadata)
        drafts.make_draft(study=study)
        freeze.freeze(study=study)


def test_a_set_named_by_thousands_of_digits_is_none(study):
    Prompt.objects.filter(study=study).update(metadata={"benchmark": "9" * 5000})
    try:
        assert set_files.sets_of(study) <= {"9" * 5000}
    except Refused as refusal:
        assert refusal.message.endswith(".")
