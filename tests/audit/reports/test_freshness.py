import pytest

from audit import pulse
from audit.models import Pulse

pytestmark = pytest.mark.django_db


def test_a_change_moves_the_stamp_once_until_a_report_has_looked(study):
    first = pulse.seen(study.pk)
    pulse.changed(study.pk)
    moved = pulse.stamp(study.pk)
    assert moved != first
    pulse.changed(study.pk)
    assert pulse.stamp(study.pk) == moved
    assert pulse.seen(study.pk) == moved
    pulse.changed(study.pk)
    assert pulse.stamp(study.pk) != moved


def test_further_changes_only_look(study, django_assert_num_queries):
    pulse.seen(study.pk)
    pulse.changed(study.pk)
    with django_assert_num_queries(1):
        pulse.changed(study.pk)


def test_a_change_while_a_report_reads_counts_as_newer(study):
    saw = pulse.seen(study.pk)
    pulse.changed(study.pk)
    # The report is stored with what it saw before it began to read.
    assert pulse.stamp(study.pk) != saw


def test_a_study_that_nothing_happened_to_has_a_stamp(study):
    assert pulse.stamp(study.pk) == "v0"
    pulse.changed(study.pk)
    assert Pulse.objects.get().version == 1


def test_what_a_report_has_not_seen_yet_moves_for_who_looked_in_between(study):
    pulse.seen(study.pk)
    pulse.changed(study.pk)
    looked = pulse.met(study.pk)
    pulse.changed(study.pk)
    assert pulse.stamp(study.pk) != looked
