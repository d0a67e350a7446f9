import pytest
from django.db import connection
from django.db.models import Count

from annotations.models import Image
from annotations.pairs.progress import each

pytestmark = pytest.mark.django_db


def test_groups_are_those_of_the_column(study):
    images = Image.objects.filter(study=study).order_by()
    plain = images.values_list("prompt").annotate(Count("pk"))
    grouped = images.values_list(each("prompt")).annotate(Count("pk"))
    assert dict(grouped) == dict(plain)
    assert set(dict(grouped).values()) == {2}


def test_only_the_rows_of_the_filter_are_gone_through(study):
    if connection.vendor != "sqlite":
        pytest.skip("it is SQLite that would rather have its rows in order")
    images = Image.objects.filter(study=study).exclude(file="").order_by()
    plan = images.values_list(each("prompt"), each("generator")).annotate(Count("pk")).explain()
    assert "(study_id=?)" in plan
    assert "SCAN" not in plan
