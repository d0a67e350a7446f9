"""What few people look at: a worker counts it once a page has asked."""

import pytest

from annotations.kept import figures, on_demand
from annotations.models import Kept
from audit.reports import freshness
from tests import making

pytestmark = pytest.mark.django_db
ASKED = {"judge": "one"}


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(figures, "AT_ONCE", 0)
    return making.study(files=False)


def shown(study, asked=ASKED, also=""):
    return on_demand.shown(study, "times", asked, lambda: {"times": "at once"}, also)


def keep(study, times, asked=ASKED, also=""):
    on_demand.keep(study, "times", asked, lambda: {"times": times}, also)


def test_a_small_study_is_counted_at_once_and_nothing_is_kept():
    assert shown(making.study(files=False)) == on_demand.Shown({"times": "at once"})
    assert not Kept.objects.exists()


def test_images_alone_make_a_study_large(monkeypatch):
    study = making.study(files=False)
    monkeypatch.setattr(figures, "AT_ONCE", study.images.count() - 1)
    assert shown(study).body is None
    monkeypatch.setattr(figures, "AT_ONCE", study.images.count())
    assert shown(study).body == {"times": "at once"}


def test_what_was_kept_is_shown_for_what_was_asked_and_nothing_else(large):
    assert shown(large) == on_demand.Shown(None, behind=True)
    keep(large, 1)
    assert shown(large) == on_demand.Shown({"times": 1})
    assert shown(large, {"judge": "other"}).body is None


def test_after_a_change_it_is_old_and_asked_for_again_when_it_has_rested(large):
    keep(large, 1)
    Kept.objects.update(seconds=60)
    freshness.changed(large.pk)
    assert shown(large) == on_demand.Shown({"times": 1}, is_old=True)
    Kept.objects.update(seconds=0)
    assert shown(large) == on_demand.Shown({"times": 1}, is_old=True, behind=True)
    keep(large, 2)
    assert shown(large) == on_demand.Shown({"times": 2})


def test_what_changes_while_it_is_counted_is_counted_the_next_time(large):
    def count():
        freshness.changed(large.pk)
        return {}

    on_demand.keep(large, "times", ASKED, count)
    assert shown(large).is_old


def test_what_else_it_depends_on_counts_too(large):
    keep(large, 1, also=" 7")
    assert not shown(large, also=" 7").is_old
    assert shown(large, also=" 8").is_old


def test_what_was_counted_longest_ago_goes(large, monkeypatch):
    monkeypatch.setattr(on_demand, "MOST", 2)
    Kept.objects.create(study=large, name="other", seconds=0, made_at="2020-01-01T00:00Z")
    for judge in "abc":
        keep(large, judge, {"judge": judge})
    assert [shown(large, {"judge": judge}).body for judge in "abc"] == [
        None,
        {"times": "b"},
        {"times": "c"},
    ]
    assert Kept.objects.filter(name="other").exists()
