"""Exports: every table in every format, all of it or a part, and nobody's name by accident."""

import csv
import io
import json
import zipfile
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotations.models import Event, Image, PromptPicture
from audit.pages import export
from judges.exports.tables import TABLES, ExportOptions, stream
from tests import editing, making

pytestmark = pytest.mark.django_db
PLAIN = [(w, f) for w, t in TABLES.items() for f in t.formats if f in ("csv", "jsonl", "parquet")]
ROWS = {  # of the study below, counted by hand
    "labels": 3,
    "consensus": 2,
    "scores": 3,
    "images": 8,
    "prompts": 4,
    "generators": 2,
    "flags": 1,
    "payments": 0,
}


@pytest.fixture
def judged(study, bob):
    making.labels(study, {"early-0": {"ann": 1, "ben": 0}, "late-1": {"ann": 1}})
    making.scores(study, {"early-0": 0.5, "late-0": 0.25, "early-1": "the file is broken"})
    image = study.images.get(key="early-0")
    image.flags.create(annotator=bob, reason="other", note="=1+1")
    return study


def content(client, study, what, kind, query="") -> bytes:
    response = client.get(reverse("export-file", args=[study.slug, what, kind]) + query)
    assert response.status_code == 200, response.content[:300]
    assert "attachment" in response.headers["Content-Disposition"]
    assert response.streaming
    return b"".join(response.streaming_content)


def rows_in(sent: bytes, kind: str) -> list[dict]:
    if kind == "csv":
        return list(csv.DictReader(io.StringIO(sent.decode())))
    if kind == "jsonl":
        return [json.loads(line) for line in sent.decode().splitlines()]
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(io.BytesIO(sent)).to_pylist()


@pytest.mark.parametrize(("what", "kind"), PLAIN)
def test_every_table_comes_in_every_format_with_all_its_rows(as_alice, judged, what, kind):
    assert len(rows_in(content(as_alice, judged, what, kind), kind)) == ROWS[what]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_part_is_the_part(as_alice, judged, kind):
    of = {
        what: rows_in(content(as_alice, judged, what, kind, "?generator=late&q=number+1"), kind)
        for what in ROWS
        if what != "payments"
    }
    assert [row["image_id"] for row in of["images"]] == ["late-1"]
    assert [row["image_id"] for row in of["labels"]] == ["late-1"]
    assert [row["prompt_id"] for row in of["prompts"]] == ["p1"]
    assert of["scores"] == of["flags"] == []
    assert len(of["consensus"]) == 1


def test_the_page_says_how_many_rows_before(as_alice, judged):
    text = as_alice.get(reverse("export", args=[judged.slug])).content.decode()
    for what in ("labels", "scores", "images", "prompts", "generators", "flags"):
        part = text.split(f'id="export-{what}"')[1].split("</tr>")[0]
        assert f"<td>{ROWS[what]}</td>" in part, what
    text = as_alice.get(reverse("export", args=[judged.slug]) + "?generator=late").content.decode()
    assert "Only 4 images" in text
    assert "<td>1</td>" in text.split('id="export-labels"')[1].split("</tr>")[0]
    assert "/export/labels.csv?generator=late" in text


def test_people_have_pseudonyms_unless_the_owner_says_otherwise(as_alice, client, judged):
    def raters(query=""):
        return {
            row["rater"]
            for row in rows_in(content(as_alice, judged, "labels", "csv", query), "csv")
        }

    assert all(name.startswith("person-") for name in raters())
    assert raters("?people=nobody") == {"ann", "ben"}
    client.force_login(making.person(judged, "rita", role="researcher").user)
    where = reverse("export-file", args=[judged.slug, "labels", "csv"])
    assert client.get(where).status_code == 200
    assert client.get(where + "?people=nobody").status_code == 403


def test_no_cell_is_a_formula(as_alice, judged):
    assert rows_in(content(as_alice, judged, "flags", "csv"), "csv")[0]["note"] == "'=1+1"


def test_the_papers_own_layouts(as_alice, judged):
    tasks = json.loads(content(as_alice, judged, "labels", "label_studio"))
    assert [task["data"]["image_id"] for task in tasks] == ["early-0", "late-1"]
    where = reverse("export-file", args=[judged.slug, "scores", "geneval"])
    refused = as_alice.get(where)
    assert refused.status_code == 400
    assert "gave no verdict" in refused.content.decode()
    part = reverse("export-file", args=[judged.slug, "labels", "label_studio"]) + "?generator=late"
    assert as_alice.get(part).status_code == 422


def test_the_whole_study_as_a_zip_comes_in_again_as_the_same(as_alice, judged, tmp_path):
    sent = content(as_alice, judged, "study", "zip", "?pictures=1")
    folder = tmp_path / "study"
    with zipfile.ZipFile(io.BytesIO(sent)) as archive:
        assert archive.testzip() is None
        about = json.loads(archive.read("README.json"))
        archive.extractall(folder)
    assert about["counts"] == {
        "generators": 2,
        "prompts": 4,
        "images": 8,
        "labels": 3,
        "scores": 3,
    }
    call_command("import_study", "again", str(folder), format="tidy", verbosity=0)
    again = Image.objects.filter(study__slug="again")
    assert again.exclude(file="").count() == 8


def test_the_zip_of_a_study_of_edits_holds_what_they_began_with(tmp_path):
    study = editing.study(count=3)
    asked = ExportOptions("study", pictures=True)
    counts = []
    for among in (
        None,
        list(study.images.filter(prompt__key="edit-1").values_list("pk", flat=True)),
    ):
        sent = io.BytesIO(b"".join(stream(study, replace(asked, among=among))))
        folder = tmp_path / str(len(counts))
        with zipfile.ZipFile(sent) as archive:
            archive.extractall(folder)
        slug = f"again-{len(counts)}"
        call_command("import_study", slug, str(folder), format="tidy", verbosity=0)
        sources = PromptPicture.objects.filter(study__slug=slug)
        counts.append((sources.count(), Image.objects.filter(study__slug=slug).count()))
    assert counts == [(3, 6), (1, 2)]


def test_what_is_not_there_is_not_found(as_alice, judged):
    for address in ("labels.exe", "people.csv", "images.zip", "study.csv"):
        assert as_alice.get(f"/studies/shapes/export/{address}").status_code == 404
    for query in ("?generator=third", "?prompt=p77", "?selection=5"):
        assert as_alice.get(f"/studies/shapes/export/labels.csv{query}").status_code == 404


def test_annotators_get_no_file(as_bob, judged):
    assert as_bob.get("/studies/shapes/export/").status_code == 403
    for what, table in TABLES.items():
        where = reverse("export-file", args=[judged.slug, what, table.formats[0]])
        assert as_bob.get(where).status_code == 403


def test_an_export_is_written_down(as_alice, judged):
    content(as_alice, judged, "labels", "csv", "?generator=late")
    event = Event.objects.filter(did="exported").first()
    assert event.words == "exported labels of 4 images as csv, people: everybody"


def test_the_commands_give_what_the_pages_give(as_alice, judged, tmp_path, capsys):
    call_command("images", "shapes", "--generator", "late", "--words", "NUMBER 1")
    assert capsys.readouterr().out.split() == ["late-1"]
    call_command("images", "shapes", "--judge", "some-judge", "--min", "0.3", "--count")
    assert capsys.readouterr().out.strip() == "1"
    call_command("images", "shapes", "--answer", "aligned:draw", "--format", "csv")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == ["image_id", "early-0"]
    call_command("export", "shapes", "labels", "--generator", "late")
    printed = capsys.readouterr().out
    sent = content(as_alice, judged, "labels", "csv", "?generator=late").decode()
    assert printed.splitlines() == sent.splitlines()
    call_command("export", "shapes", "study", "--out", str(tmp_path / "all.zip"), "--tag", "colors")
    assert zipfile.ZipFile(tmp_path / "all.zip").testzip() is None
    for wrong in (["--min", "0.3"], ["--generator", "third"], ["--selection", "x"]):
        with pytest.raises(CommandError):
            call_command("images", "shapes", *wrong)
    with pytest.raises(CommandError, match="no text"):
        call_command("export", "shapes", "images", "--format", "parquet")


def test_the_page_asks_for_the_names_of_judges_once(judged, as_alice, monkeypatch):
    asked = []
    names = export.runs_by_name
    monkeypatch.setattr(export, "runs_by_name", lambda study: asked.append(study) or names(study))
    assert as_alice.get(reverse("export", args=[judged.slug])).status_code == 200
    assert len(asked) == 1
