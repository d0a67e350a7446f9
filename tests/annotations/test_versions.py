import pytest

from annotations.models import LabelVersion
from annotations.versions import (
    labels_version,
    raise_labels_version,
    raise_votes_version,
    start_reading_labels,
)

pytestmark = pytest.mark.django_db


def test_a_change_moves_the_stamp_once_until_a_report_has_looked(study):
    first = start_reading_labels(study.pk)
    raise_labels_version(study.pk)
    moved = labels_version(study.pk)
    assert moved != first
    raise_labels_version(study.pk)
    assert labels_version(study.pk) == moved
    assert start_reading_labels(study.pk) == moved
    raise_labels_version(study.pk)
    assert labels_version(study.pk) != moved


def test_further_changes_only_look(study, django_assert_num_queries):
    start_reading_labels(study.pk)
    raise_labels_version(study.pk)
    with django_assert_num_queries(1):
        raise_labels_version(study.pk)


def test_a_change_while_a_report_reads_counts_as_newer(study):
    saw = start_reading_labels(study.pk)
    raise_labels_version(study.pk)
    # The report is stored with what it saw before it began to read.
    assert labels_version(study.pk) != saw


def test_a_study_that_nothing_happened_to_has_a_stamp(study):
    assert labels_version(study.pk) == "v0"
    raise_labels_version(study.pk)
    assert LabelVersion.objects.get().labels == 1


def test_what_one_answer_has_not_read_yet_moves_for_another_that_has(study):
    start_reading_labels(study.pk)
    raise_labels_version(study.pk)
    looked = start_reading_labels(study.pk)
    raise_labels_version(study.pk)
    assert labels_version(study.pk) != looked


@pytest.mark.django_db(transaction=True)
def test_a_study_that_was_deleted_a_moment_ago_is_no_error():
    raise_labels_version(10**9)
    raise_votes_version(10**9)
    start_reading_labels(10**9)
    assert not LabelVersion.objects.exists()
