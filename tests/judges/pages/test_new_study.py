"""The page without JavaScript: whole files, the same preview, and nothing typed is lost."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.jobs import run as run_job
from annotations.models import Study
from judges.intake import deliveries
from judges.models import Batch, Delivery, Upload
from judges.pages import bring
from jurybox_formats.sources import tidy_tables
from jurybox_formats.two_tables import as_tidy
from tests import making
from tests.formats.sets.prompt_sets import small

pytestmark = pytest.mark.django_db
NEW = "/studies/new/"
TABLE = b"path,caption,model,rating\n1.png,a red cup,SDXL,4\n2.png,two dogs,FLUX,2\n"


def files(**contents: bytes) -> list[SimpleUploadedFile]:
    return [
        SimpleUploadedFile(name.replace("_", "."), content) for name, content in contents.items()
    ]


def sent(client, contents, **more):
    return client.post(NEW, {"file": files(**contents), **more}, follow=True)


def pair() -> dict[str, bytes]:
    return {"images_csv": TABLE, "1_png": making.png(), "2_png": making.png((1, 2, 3))}


def test_files_are_shown_before_anything_is_written_and_then_become_a_study(as_alice):
    page = sent(as_alice, pair(), name="March audit").content.decode()
    assert "Becomes 2 images · 2 prompts · 2 generators · 2 labels" in page
    assert 'value="March audit"' in page
    assert Study.objects.count() == 1
    # As a browser sends it: all menus as they are shown.
    shown = {
        f"column-0-{n}": r for n, r in enumerate(("picture", "prompt", "generator", "label:1-5"))
    }
    form = {
        "do": "make",
        "name": "March audit",
        "format": "",
        "generator": "",
        "judge": "",
        **shown,
    }
    page = as_alice.post(NEW, form, follow=True).content.decode()
    assert "Waiting for a worker" in page
    made = Study.objects.get(slug="march-audit")
    assert [m.name for m in made.memberships.all()] == ["alice"]
    assert [q["name"] for q in made.form.questions] == ["rating"]
    run_job(Upload.objects.get().pk)
    page = as_alice.get("/studies/march-audit/imports/").content.decode()
    assert "Imported 2 prompts, 2 images, 2 generators, 2 annotations, 2 answers." in page
    assert "Label images" in page


def test_every_judge_of_a_table_is_imported_and_what_is_dropped_is_counted_in_amber(as_alice):
    table = b"image,prompt,clip,our_vlm,note\n1.png,a cup,.3,.9,dark\n2.png,two dogs,.2,.4,\n"
    page = sent(as_alice, pair() | {"images_csv": table}).content.decode()
    assert "Becomes 2 images · 2 prompts · 1 generator · 4 scores" in page
    warned = page.partition('<p class="notice warn">')[2].partition("</p>")[0]
    assert warned == "⚠ 1 of 5 columns of images.csv is not imported: note"
    # Who chose to ignore a column knows of it.
    answer = as_alice.post(NEW, {"do": "look", "column-0-3": "ignore"}, follow=True)
    page = answer.content.decode()
    assert "4 scores" not in page and "2 scores" in page
    assert "1 of 5 columns of images.csv is not imported: note<" in page


def test_the_page_and_the_command_guess_alike(as_alice, tmp_path):
    """One table of scores, sent to the page and given to `jurybox audit`."""
    table = "image,clip,our_vlm,steps,note\nsdxl/a cup.png,.3,1,50,x\nflux/a cup.png,.2,0,28,y\n"
    pictures = {name: making.png() for name in ("sdxl/a cup.png", "flux/a cup.png")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in {"scores.csv": table, **pictures}.items():
            archive.writestr(name, content)
    sent(as_alice, {"all_zip": packed.getvalue()})
    found = Delivery.objects.get().found
    judges = [c["name"] for c in found["tables"][0]["columns"] if c["role"] == "score"]
    assert (judges, found["outcome"]["generators"], found["outcome"]["scores"]) == (
        ["clip", "our_vlm"],
        2,
        4,
    )
    for name, text in {"scores": table, "labels": table.replace("clip", "aligned")}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    (tmp_path / "tidy").mkdir()
    files = {part: tmp_path / f"{part}.csv" for part in ("labels", "scores")}
    as_tidy(files, tmp_path / "tidy")
    scores = list(csv.DictReader((tmp_path / "tidy/scores.csv").read_text().splitlines()))
    images = list(csv.DictReader((tmp_path / "tidy/images.csv").read_text().splitlines()))
    assert sorted({row["judge"] for row in scores}) == judges and len(scores) == 4
    assert {row["generator"] for row in images} == {"sdxl", "flux"}


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ({"a_zip": b"PK\x03\x04 half of it"}, "a.zip"),
        ({"a_csv": making.png()}, "not a text file"),
        ({"a_csv": b"path,caption\n"}, "a header and no rows"),
        ({"a_csv": b"a,b,c,d,e,f,g,h,i,j\n1.5,2,3,4,5,6,7,8,9,x\n"}, "None of the 10 columns"),
        ({"a_csv": b"a,b\n1.5,2\n", "1_png": making.png()}, "None of the 2 columns"),
        ({"a_exe": b"MZ"}, "nothing that can be imported"),
        ({"a_xlsx": b"PK"}, "save it as CSV"),
        ({"a_png": b""}, "empty"),
        ({}, "Choose a file"),
    ],
)
def test_after_a_refusal_what_was_typed_is_still_there(as_alice, contents, words):
    page = sent(as_alice, contents, name="What I typed").content.decode()
    assert words in page
    assert 'value="What I typed"' in page
    # Pressed all the same, nothing is made.
    page = as_alice.post(NEW, {"do": "make", "name": "What I typed"}).content.decode()
    assert 'value="What I typed"' in page
    assert Study.objects.count() == 1


def test_a_name_that_is_taken_is_refused_with_one_that_is_free_and_the_files_stay(as_alice):
    sent(as_alice, pair(), name="Shapes")
    answer = as_alice.post(NEW, {"do": "make", "name": "Shapes"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "“Shapes 2” is free" in page
    assert "Becomes 2 images" in page
    as_alice.post(NEW, {"do": "make", "name": "Shapes 2"})
    assert Study.objects.filter(slug="shapes-2").exists()


def test_a_column_that_was_corrected_stays_corrected_after_a_refusal(as_alice):
    sent(as_alice, pair(), name="x")
    as_alice.post(NEW, {"do": "look", "column-0-1": "generator"})

    def roles():
        return [c["role"] for c in Delivery.objects.get().found["tables"][0]["columns"]]

    assert roles() == ["picture", "generator", "ignore", "label:1-5"]
    page = as_alice.post(NEW, {"do": "make", "name": "Shapes"}).content.decode()
    assert "“Shapes 2” is free" in page
    assert page.count('<option value="generator" selected>') == 1


def test_a_choice_that_was_not_looked_at_is_looked_at_before_anything_is_made(as_alice):
    sent(as_alice, pair(), name="x")
    as_alice.post(NEW, {"do": "make", "name": "x", "column-0-2": "ignore"})
    assert not Study.objects.filter(slug="x").exists()
    assert Delivery.objects.get().found["outcome"]["generators"] == 1
    as_alice.post(NEW, {"do": "make", "name": "x", "column-0-2": "ignore"})
    assert Study.objects.filter(slug="x").exists()


def test_an_empty_study_can_be_made_and_begun_again_leaves_nothing(as_alice):
    as_alice.post(NEW, {"do": "empty", "name": "杯子"})
    assert Study.objects.get(title="杯子").slug == "study"
    sent(as_alice, pair())
    as_alice.post(NEW, {"do": "forget"})
    assert not Delivery.objects.exists()


def test_only_people_who_may_make_studies_get_the_page(as_bob, client):
    assert as_bob.get(NEW).status_code == 403
    assert as_bob.post("/studies/new/files/", "{}", "application/json").status_code == 403
    client.logout()
    assert client.get(NEW).headers["Location"].startswith("/login/")


def test_a_piece_of_somebody_else_s_files_is_not_found(client, alice, study):
    rita = making.person(study, "rita", role="owner")
    batch = deliveries.add_batch(
        delivery=deliveries.begin(user=alice.user, study=None), files=[["x.csv", 3, 1]]
    )
    client.force_login(rita.user)
    address = f"/deliveries/{batch.pk}/0/"
    assert client.post(address, b"abc", "application/octet-stream").status_code == 404
    # Hers has the same list of files, and is another one.
    mine = client.post("/studies/new/files/", json.dumps({"files": [["x.csv", 3, 1]]}), "text/json")
    assert mine.json()["have"] == []
    assert Batch.objects.count() == 2
    client.force_login(alice.user)
    assert client.post(address, b"abc", "application/octet-stream").status_code == 200
    assert client.post(address, b"abcd", "application/octet-stream").status_code == 422


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"files": 7}', b"[" * 10_000, b"\xff"])
def test_a_list_of_files_that_is_none_is_refused(as_alice, body):
    answer = as_alice.post("/studies/new/files/", body, "application/json")
    assert (answer.status_code, bool(answer.json()["message"])) == (422, True)


@pytest.mark.parametrize("name", bring.SAMPLES)
def test_a_sample_table_is_one_that_the_reader_takes(as_alice, tmp_path, name):
    content = as_alice.get(f"/studies/new/samples/{name}.csv").content.decode()
    header, row = list(csv.reader(io.StringIO(content)))
    assert len(header) == len(row)
    path = tmp_path / f"{name}.csv"
    path.write_text(content.replace("sdxl/1.png", ""))
    read = {
        "images": tidy_tables.images_table,
        "labels": tidy_tables.labels,
        "scores": tidy_tables.scores,
        "generators": tidy_tables.generators,
    }[name]
    assert {type(record).__name__ for record in read(path)} <= {
        "PromptRecord",
        "ImageRecord",
        "GeneratorRecord",
        "LabelRecord",
        "ScoreRecord",
    }


def test_the_page_asks_the_database_the_same_whatever_was_sent(as_alice):
    sent(as_alice, pair())

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            as_alice.get(NEW)
        return len(asked)

    before = queries()
    sent(as_alice, {"3_png": making.png(), "more_csv": TABLE})
    assert queries() == before


def set_with_a_grid():
    asked = small.table(small.dpg("0", 1, "0", "Is there a cup?"))
    return {"q_csv": asked.encode(), "0_png": making.png(size=32)}


def test_pictures_in_one_file_are_chosen_where_a_set_comes_in_grids(as_alice):
    page = sent(as_alice, set_with_a_grid(), name="dpg").content.decode()
    assert "Becomes 4 images" in page and "as the set’s own: 2 × 2" in page
    form = {"do": "look", "name": "dpg", "grid": "1"}
    page = as_alice.post(NEW, form, follow=True).content.decode()
    assert "Becomes 1 image" in page and '<option value="1" selected>one picture' in page
    as_alice.post(NEW, {**form, "do": "make"}, follow=True)
    run_job(Upload.objects.get().pk)
    assert Study.objects.get(slug="dpg").images.count() == 1
    # What is no choice is none.
    sent(as_alice, set_with_a_grid(), name="other", grid="9")
    assert Delivery.objects.latest("pk").typed["grid"] == ""


def test_other_files_have_no_such_choice(as_alice):
    assert "Pictures in one file" not in sent(as_alice, pair()).content.decode()
