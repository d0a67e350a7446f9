import gc

import numpy as np
import pytest

from annotations.database import columns
from annotations.models import Image


@pytest.mark.django_db
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_columns_hold_what_the_rows_say_however_many_are_read_at_once(study, monkeypatch, rows):
    monkeypatch.setattr(columns, "ROWS", rows)
    Image.objects.exclude(key="early-1").update(width=None)
    every = Image.objects.filter(study=study).order_by("pk")
    found = np.concatenate(list(columns.columns(every, "pk", "width")), axis=1)
    assert found[0].tolist() == [image.pk for image in every]
    assert np.isnan(found[1]).sum() == found.shape[1] - 1
    assert np.nanmax(found[1]) == 16


@pytest.mark.django_db
@pytest.mark.parametrize("rows", [1, 3, 8, 100])
def test_blocks_hold_every_row_once_however_many_are_read_at_once(study, monkeypatch, rows):
    monkeypatch.setattr(columns, "BLOCK", rows)
    every = Image.objects.filter(study=study).order_by("pk")
    found = list(columns.blocks(every, "pk", "key"))
    assert [row for block in found for row in block] == [(image.pk, image.key) for image in every]
    assert all(len(block) == rows for block in found[:-1])


def test_a_block_is_read_before_the_garbage_collector_looks():
    assert gc.get_threshold()[0] > columns.BLOCK


def test_places_are_found_by_id_and_who_came_later_has_none():
    places = columns.Places(np.array([7, 3, 12]))
    assert places.find_places(np.array([3, 12, 7, 7, 4, 13])).tolist() == [1, 2, 0, 0, -1, -1]
    nobody = columns.Places(np.array([], dtype=np.int64))
    assert nobody.find_places(np.array([3.0])).tolist() == [-1]
