"""One parameter, however many values: the same rows as Django's own IN."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.database.among import among_lookup
from annotations.models import Image, Prompt

pytestmark = pytest.mark.django_db


def test_the_rows_are_those_of_django(study):
    keys = [
        *Image.objects.values_list("key", flat=True)[:3],
        "nowhere",
        'a "quoted" key',
        "%s",
        "ü",
    ]
    Prompt.objects.create(study=study, key='a "quoted" key', text="x")
    Prompt.objects.create(study=study, key="ü", text="x")
    for model in (Image, Prompt):
        theirs = model.objects.filter(study=study, key__in=keys).order_by("pk")
        ours = model.objects.filter(among_lookup("key", keys), study=study).order_by("pk")
        assert list(ours) == list(theirs)
        assert ours.exists()


def test_of_no_values_there_are_no_rows(study):
    assert not Image.objects.filter(among_lookup("key", [])).exists()


def test_thousands_of_values_are_looked_up_by_the_index(study):
    keys = [f"key {n}" for n in range(5_000)]
    images = Image.objects.filter(among_lookup("key", keys), study=study)
    with CaptureQueriesContext(connection) as asked:
        assert not images.exists()
    assert len(asked) == 1
    if connection.vendor == "sqlite":
        assert "key=?" in images.explain()
