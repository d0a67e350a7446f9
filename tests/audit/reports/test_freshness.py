import pytest

from audit.models import Pulse
from audit.reports import freshness

pytestmark = pytest.mark.django_db


def test_a_change_moves_the_stamp_once_until_a_report_has_looked(study):
    first = freshness.report_begins(study.pk)
    freshness.changed(study.pk)
    moved = freshness.stamp(study.pk)
    assert moved != first
    freshness.changed(study.pk)
    assert freshness.stamp(study.pk) == moved
    assert freshness.report_begins(study.pk) == moved
    freshness.changed(study.pk)
    assert freshness.stamp(study.pk) != moved


def test_further_changes_only_look(study, django_assert_num_queries):
    freshness.report_begins(study.pk)
    freshness.changed(study.pk)
    with django_assert_num_queries(1):
        freshness.changed(study.pk)


def test_a_change_while_a_report_reads_counts_as_newer(study):
    saw = freshness.report_begins(study.pk)
    freshness.changed(study.pk)
    # The report is stored with what it saw before it began to read.
    assert freshness.stamp(study.pk) != saw


def test_a_study_that_nothing_happened_to_has_a_stamp(study):
    assert freshness.stamp(study.pk) == "v0"
    freshness.changed(study.pk)
    assert Pulse.objects.get().version == 1


def test_what_a_report_has_not_seen_yet_moves_for_who_looked_in_between(study):
    freshness.report_begins(study.pk)
    freshness.changed(study.pk)
    looked = freshness.people_page_begins(study.pk)
    freshness.changed(study.pk)
    assert freshness.stamp(study.pk) != looked
