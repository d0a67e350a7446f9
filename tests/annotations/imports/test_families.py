"""The family of a prompt comes in by tables, goes out with it, and is shown where tags are."""

import json

import pytest
from django.urls import reverse

from annotations.exports import study_tables
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Prompt, Study
from annotations.versions import labels_version, start_reading_labels
from judges.exports.study_folder import write_study as write_folder
from jurybox_formats.registry import Source, records
from jurybox_formats.sources import mapped_table
from jurybox_formats.sources.records import PromptRecord
from tests import making

pytestmark = pytest.mark.django_db


def write(study, *given, **more):
    outcome = Outcome(**more)
    write_study.import_records(study=study, records=given, outcome=outcome)
    return outcome


def families(study):
    return dict(study.prompts.order_by("key").values_list("key", "family"))


def read(path, format="tidy"):
    return [r for r in records(format, Source(path)) if isinstance(r, PromptRecord)]


def test_a_table_of_prompts_has_a_column_for_it(study, tmp_path):
    path = tmp_path / "prompts.csv"
    path.write_text("prompt_id,prompt,family\na,two dogs, counting dogs \nb,a cat,\n")
    assert [(r.key, r.family) for r in read(tmp_path)] == [("a", "counting dogs"), ("b", "")]
    write(study, *read(tmp_path))
    assert families(study)["a"] == "counting dogs"


def test_a_table_of_images_calls_it_otherwise_than_that_of_the_generator(tmp_path):
    path = tmp_path / "images.csv"
    head = "image_id,prompt_id,prompt,generator,family,prompt_family\n"
    path.write_text(f"{head}i,a,two dogs,sdxl,Stable Diffusion,counting\n")
    assert [r.family for r in read(tmp_path)] == ["counting"]
    path.write_text(f"{head}i,a,two dogs,sdxl,,counting\nj,a,two dogs,flux,,colours\n")
    refused = [r for r in records("tidy", Source(tmp_path)) if hasattr(r, "reason")]
    assert [r.line for r in refused] == [3]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("prompt,family\ntwo dogs,counting\n", "counting"),
        ("prompt,prompt_template\ntwo dogs,counting\n", "counting"),
        ("image_id,prompt,generator,family\ni,two dogs,sdxl,Stable Diffusion\n", ""),
        ("image_id,prompt,generator,prompt_family\ni,two dogs,sdxl,counting\n", "counting"),
    ],
)
def test_any_table_is_guessed_and_a_generators_family_is_not_the_prompts(tmp_path, table, expected):
    (tmp_path / "any.csv").write_text(table)
    found = mapped_table.read(Source(tmp_path / "any.csv"))
    assert [r.family for r in found if isinstance(r, PromptRecord)] == [expected]


def test_a_prompt_of_two_families_is_named(tmp_path):
    path = tmp_path / "any.csv"
    path.write_text("prompt,prompt_family\ntwo dogs,counting\ntwo dogs,colours\n")
    (refused,) = [r for r in mapped_table.read(Source(path)) if hasattr(r, "reason")]
    assert "stood with another family" in refused.reason


@pytest.mark.parametrize(
    ("family", "words"),
    [
        ("x" * 201, "longer than 200 characters"),
        ("one\ntwo", "another letter that cannot be seen"),
        ("one\x07", "another letter that cannot be seen"),
        ("one\0", "not sound text"),
    ],
)
def test_what_is_no_family_is_refused_in_a_sentence(study, family, words):
    outcome = write(study, PromptRecord("new", "a dog", family=family))
    assert [words in row["reason"] for row in outcome.rejected] == [True]
    assert not study.prompts.filter(key="new").exists()


def test_a_family_is_filled_in_once_and_makes_reports_new(
    study, django_capture_on_commit_callbacks
):
    known = making.prompt(1)
    before = start_reading_labels(study.pk)
    with django_capture_on_commit_callbacks(execute=True):
        outcome = write(study, PromptRecord(known.key, known.text, family="circles"))
    assert (outcome.prompts, outcome.unchanged) == (1, 0)
    assert families(study) == {"p0": "", "p1": "circles", "p2": "", "p3": ""}
    assert labels_version(study.pk) != before
    before = start_reading_labels(study.pk)
    with django_capture_on_commit_callbacks(execute=True):
        again = write(study, PromptRecord(known.key, known.text, family="circles"), known)
        other = write(study, PromptRecord(known.key, known.text, family="squares"))
    assert (again.prompts, again.rejected) == (0, [])
    assert other.rejected[0]["reason"] == "“p1” is there already, with another family."
    assert families(study)["p1"] == "circles"
    assert labels_version(study.pk) == before


def test_a_new_prompt_may_get_its_family_from_a_later_row_of_the_same_file(study):
    write(study, PromptRecord("new", "a dog"), PromptRecord("new", "a dog", family="animals"))
    assert families(study)["new"] == "animals"


def test_it_goes_out_with_the_study_and_comes_in_again(study, tmp_path):
    plain = study_tables.digest(study)
    Prompt.objects.filter(study=study, key="p2").update(family="circles; red")
    about = write_folder(study, tmp_path / "out", files=True)
    assert study_tables.digest(study) != plain
    again = Study.objects.create(slug="again", title="Again", form=study.form)
    write(again, *records("tidy", Source(tmp_path / "out")))
    assert families(again) == families(study)
    twice = write_folder(again, tmp_path / "twice", files=True)
    assert twice["signature"]["study"] == about["signature"]["study"]
    wide = {row["prompt_id"]: row["prompt_family"] for row in study_tables.wide_rows(study)}
    assert wide == families(study)


def test_a_study_without_families_has_the_digest_it_always_had(study, monkeypatch):
    found = study_tables.digest(study)
    rows = study_tables.prompt_rows

    def as_before(study):
        for row in rows(study):
            del row["family"]
            yield row

    monkeypatch.setattr(study_tables, "prompt_rows", as_before)
    assert study_tables.digest(study) == found


def test_the_page_and_the_api_show_it(client, alice, study):
    Prompt.objects.filter(study=study, key="p2").update(family="circle template")
    client.force_login(alice.user)
    where = reverse("prompts", args=[study.slug])
    assert "circle template" in client.get(where).content.decode()
    found = client.get(where, {"q": "circle template"}).content.decode()
    assert "1 prompt<" in found
    told = client.get(f"/api/v1/studies/{study.slug}/prompts/").json()["results"]
    assert {row["prompt_id"]: row["family"] for row in told} == families(study)


def test_a_prompt_of_geneval_2_is_of_the_family_of_its_template(tmp_path):
    def item(words, *skills):
        asked = [[f"{skill}?", "two"] for skill in skills]
        return {
            "prompt": words,
            "atom_count": len(skills),
            "vqa_list": asked,
            "skills": list(skills),
        }

    items = (
        item("two green dogs", "count", "attribute", "object"),
        item("two red cats", "count", "attribute", "object"),
        item("two cats", "count", "object"),
    )
    path = tmp_path / "geneval2_data.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in items))
    found = [r.family for r in read(path, "geneval2")]
    assert found == ["count attribute object", "count attribute object", "count object"]
