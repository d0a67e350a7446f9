"""Release dates and families: all together or nothing, and what stands on them is made anew."""

from __future__ import annotations

import io
import re
from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Generator
from annotations.studies import generators
from annotations.studies.generators import TypedDetails
from annotations.versions import labels_version, start_reading_labels

pytestmark = pytest.mark.django_db


def one(study, name="early") -> Generator:
    return study.generators.get(name=name)


def where(study, name="generators"):
    return reverse(name, args=[study.slug])


def form(study, **more):
    sent = {}
    for g in study.generators.all():
        sent |= {f"release_date-{g.pk}": "2022-02-02", f"family-{g.pk}": "F", f"note-{g.pk}": "N"}
    return sent | more


def test_a_change_is_saved_and_reports_are_old(study, django_capture_on_commit_callbacks):
    start_reading_labels(study.pk)
    before = labels_version(study.pk)
    with django_capture_on_commit_callbacks(execute=True):
        generators.change(
            study=study, given={one(study).pk: TypedDetails("2021-03-04", "SD", "local")}
        )
    early = one(study)
    assert (early.release_date, early.family, early.note) == (date(2021, 3, 4), "SD", "local")
    assert labels_version(study.pk) != before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2024", "take its first day"),
        ("2024-10", "take its first day"),
        ("5.10.2024", "A full date like 2024-10-05"),
        ("2024-02-30", "A full date like"),
        ("20241005", "A full date like"),
    ],
)
def test_only_full_dates_fit_and_a_mistake_changes_nothing(study, text, words):
    early, late = one(study), one(study, "late")
    given = {early.pk: TypedDetails("2020-01-01", "", ""), late.pk: TypedDetails(text, "", "")}
    with pytest.raises(generators.GeneratorsRefused) as refused:
        generators.change(study=study, given=given)
    assert list(refused.value.wrong) == [(late.pk, "release_date")]
    assert words in refused.value.message
    assert one(study).release_date == date(2021, 1, 1)


def test_a_page_with_a_mistake_keeps_all_that_was_typed(client, alice, study):
    client.force_login(alice.user)
    sent = form(study) | {f"release_date-{one(study).pk}": "2024-10", "x": "y"}
    response = client.post(where(study), sent)
    text = response.content.decode()
    assert response.status_code == 422
    assert 'value="2024-10"' in text
    assert text.count('value="2022-02-02"') == 1
    assert text.count('value="F"') == 2
    assert 'aria-invalid="true"' in text
    assert one(study).family == ""


def test_a_suggested_date_is_filled_in_and_nothing_is_saved(client, alice, study):
    client.force_login(alice.user)
    study.generators.filter(name="early").update(name="SDXL 1.0", release_date=None)
    key = one(study, "SDXL 1.0").pk
    page = client.get(where(study)).content.decode()
    assert "Take 2023-07-26" in page
    assert "1 of 2 lacks one" in page
    sent = form(study) | {f"release_date-{key}": "", f"family-{key}": "typed", "take": str(key)}
    text = client.post(where(study), sent).content.decode()
    assert 'value="2023-07-26"' in text
    assert 'value="typed"' in text
    assert one(study, "SDXL 1.0").release_date is None


def test_the_table_goes_out_and_comes_in(study, tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("generator,release_date,family\nearly,2020-05-06,SD\nlate,,FLUX\n")
    assert generators.import_table(study=study, path=path) == 2
    assert generators.as_table(study).splitlines() == [
        "generator,release_date,family,note",
        "early,2020-05-06,SD,",
        "late,2024-01-01,FLUX,",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("generator,release_date\nearly,2024\n", "Line 2, release_date"),
        ("generator,release_date\nearly,20240105\n", "A full date like"),
        ("generator,release_date\nnobody,2024-01-01\n", "no generator “nobody”"),
        ("name\nearly\n", "generator"),
    ],
)
def test_a_table_with_a_mistake_changes_nothing_and_stays_typed(client, alice, study, text, words):
    client.force_login(alice.user)
    response = client.post(where(study, "generator-import"), {"table": text})
    assert response.status_code == 422
    assert words in response.content.decode()
    assert text.strip() in response.content.decode()
    assert one(study).release_date == date(2021, 1, 1)


def test_the_command_does_the_same(study):
    out = io.StringIO()
    call_command("generators", "shapes", "set", "early", "--released", "2020-02-03", stdout=out)
    call_command("generators", "shapes", "list", stdout=out)
    assert "early,2020-02-03,," in out.getvalue()
    for arguments in (["set", "nobody"], ["set", "early", "--released", "2020"]):
        with pytest.raises(CommandError):
            call_command("generators", "shapes", *arguments)


def test_more_generators_ask_nothing_more_and_are_cut_into_pages(client, alice, study):
    client.force_login(alice.user)

    def queries():
        with CaptureQueriesContext(connection) as asked:
            assert client.get(where(study)).status_code == 200
        return len(asked)

    queries()
    before = queries()
    Generator.objects.bulk_create(Generator(study=study, name=f"g{n}") for n in range(150))
    assert queries() == before
    assert "Page 1 of 2" in client.get(where(study)).content.decode()


def test_a_date_is_suggested_whatever_signs_and_case_a_name_has():
    assert generators.suggested("FLUX.1 [dev]") == date(2024, 8, 1)
    assert generators.suggested("Stable-Diffusion_v2.1") is None
    assert generators.suggested("stable diffusion 2.1") == date(2022, 12, 7)
    assert all(re.fullmatch(r"[a-z0-9]+", name) for name in generators.RELEASED)
