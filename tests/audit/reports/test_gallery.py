import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import PackedNumbers
from audit.reports import gallery
from audit.reports import make as reports
from audit.reports.gallery import Filters, Gallery
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def report(study):
    """People: yes to all early images, no to all late ones. The judge scores as written."""
    making.labels(study, {i.key: {"ann": i.key.startswith("early")} for i in study.images.all()})
    making.scores(
        study,
        {"early-0": 0.9, "early-1": 0.2, "early-2": 0.6, "late-0": 0.7, "late-1": "broken"},
    )
    return reports.make_report(study=study, options=reports.Options())


def keys(report, **filters) -> list[str]:
    stored, wanted = Gallery(report.pk, "some-judge"), Filters(**filters)
    names = dict(report.study.images.values_list("pk", "key"))
    return [names[pk] for pk, _ in stored.part(wanted, 0, stored.count(wanted))]


def test_images_that_differ_most_come_first_and_unscored_ones_are_left_out(report):
    # |1 − .2| = .8, |0 − .7| = .7, |1 − .6| = .4, |1 − .9| = .1
    assert keys(report) == ["early-1", "late-0", "early-2", "early-0"]


def test_filters_keep_the_order(report):
    assert keys(report, generator=0) == ["early-1", "early-2", "early-0"]
    assert keys(report, variant="rewritten") == []


@pytest.mark.parametrize("stretch", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("filters", [Filters(), Filters(generator=0), Filters(generator=7)])
def test_stretches_say_the_same_as_the_columns_of_all(report, monkeypatch, stretch, filters):
    """However long they are; reports of earlier versions have none."""
    monkeypatch.setattr(gallery, "STRETCH", stretch)
    making.scores(report.study, {"early-3": 0.65})
    newer = reports.make_report(study=report.study)
    stored = Gallery(newer.pk, "some-judge")
    whole = Gallery(newer.pk, "some-judge")
    whole._stretches[0] = None
    assert stored.exists and whole.exists
    n = whole.count(filters)
    assert stored.count(filters) == n
    for start in range(n + 1):
        for stop in range(start, n + 2):
            assert stored.part(filters, start, stop) == whole.part(filters, start, stop)
    images = list(report.study.images.values_list("pk", flat=True))
    assert len({whole.place_of(Filters(), image) for image in images} - {None}) == 5
    for image in [0, *images, max(images) + 1]:
        assert stored.place_of(filters, image) == whole.place_of(filters, image)


def test_who_filters_nothing_reads_no_column_of_all_images(report):
    with CaptureQueriesContext(connection) as seen:
        stored = Gallery(report.pk, "some-judge")
        image, gap = stored.part(Filters(), 0, 16)[0]
        assert (stored.exists, stored.count(Filters()), stored.place_of(Filters(), image)) == (
            True,
            4,
            0,
        )
    assert gap == pytest.approx(0.8)
    read = " ".join(query["sql"] for query in seen)
    assert "'order 0 some-judge'" in read and "'ranks 0 some-judge'" in read
    assert "'people'" not in read and "'judge some-judge'" not in read


def test_a_newer_report_takes_the_columns_over(report, study):
    making.labels(study, {"early-3": {"ben": 1}})
    newer = reports.make_report(study=study)
    assert set(PackedNumbers.objects.values_list("report", flat=True)) == {newer.pk}
    assert not Gallery(report.pk, "some-judge").exists


def test_what_was_packed_is_what_comes_out():
    shared = {
        "image": np.array([2**40, 7]),
        "generator": np.array([0, 1]),
        "rewritten": np.array([True, False]),
        "yes": np.array([1.0, np.nan]),
    }
    out = gallery._unpack(gallery._pack(shared, gallery.SHARED), gallery.SHARED)
    for name, values in shared.items():
        np.testing.assert_array_equal(out[name], values)
