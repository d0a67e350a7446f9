"""Which images fit a filter, worked by hand on eight images."""

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from annotations.imports.outcome import Outcome
from annotations.imports.write_study import import_records
from annotations.labelling import assign, record
from annotations.models import Image, Prompt
from annotations.stored_answers import question, store
from annotations.studies import selections
from audit.answers import worker
from audit.images import browse, tally
from audit.images.browse import Filters, NotThere
from jurybox_formats.sources.records import PromptRecord
from tests import making

pytestmark = pytest.mark.django_db
EARLY = ["early-0", "early-1", "early-2", "early-3"]
LATE = ["late-0", "late-1", "late-2", "late-3"]


def found(study, words: str) -> list[str]:
    tally.update_rows(study)
    filters = Filters.from_query(QueryDict(words))
    return list(browse.images_of(study, filters).values_list("key", flat=True))


def test_without_a_filter_all_images_come_by_their_ids(study):
    assert found(study, "") == EARLY + LATE


def test_every_word_must_be_in_the_prompt_in_any_case_and_order(study):
    Prompt.objects.filter(study=study, key="p1").update(text="A blue Ärmel beside a DOG")
    assert found(study, "q=dog+blue") == ["early-1", "late-1"]
    assert found(study, "q=ärmel") == ["early-1", "late-1"]
    assert found(study, "q=ÄRMEL") == ["early-1", "late-1"]
    assert found(study, "q=dog+red") == []
    assert found(study, "q=100%25") == []


def test_a_tag_is_found_whole(study):
    Prompt.objects.filter(study=study, key="p0").update(tags=["col", 'a "colors" b'])
    assert found(study, "tag=colors") == [*EARLY[1:], *LATE[1:]]
    assert found(study, "tag=col") == ["early-0", "late-0"]
    assert browse.all_tags(study) == ['a "colors" b', "col", "colors"]


def test_the_tags_of_a_large_study_are_kept_until_an_import(study, monkeypatch):
    monkeypatch.setattr(question, "AT_ONCE", 0)
    monkeypatch.setattr(store, "SHARE_OF_TIME", 1e9)
    before = browse.all_tags(study)
    with CaptureQueriesContext(connection) as seen:
        assert browse.all_tags(study) == before
    assert not any("annotations_prompt" in query["sql"] for query in seen)
    record = PromptRecord(key="p9", text="a new prompt", tags=("new tag",), line=1, source="a test")
    import_records(study=study, records=[record], outcome=Outcome())
    worker.request_due_answers()
    assert making.compute_waiting_answers()
    assert browse.all_tags(study) == sorted([*before, "new tag"])


def test_generator_variant_prompt_and_known_answers(study):
    Image.objects.filter(key="late-2").update(variant="rewritten", gold={"aligned": 1})
    assert found(study, "generator=late") == LATE
    assert found(study, "variant=rewritten") == ["late-2"]
    assert found(study, "known=yes") == ["late-2"]
    assert found(study, "known=no&generator=late") == ["late-0", "late-1", "late-3"]
    assert found(study, "prompt=p2") == ["early-2", "late-2"]


def test_flags_that_are_open_and_any(study, bob, alice):
    from annotations.studies import flags

    lease = assign.next_image(annotator=bob)
    flag = record.flag(image=lease.image, annotator=bob, reason="other", note="?")
    assert found(study, "flag=open") == [lease.image.key]
    flags.settle(flag=flag, remark="", by=alice.user)
    assert found(study, "flag=open") == []
    assert found(study, "flag=any") == [lease.image.key]


def test_how_many_people_have_labelled_an_image_without_those_who_look_at_it_now(study, bob):
    # Three people are wanted for each image.
    making.labels(study, {"early-0": {"a": 1, "b": 1, "c": 0}, "early-1": {"a": 1, "b": 1}})
    lease = assign.next_image(annotator=bob)
    assert lease.image.taken + 1 == Image.objects.get(pk=lease.image.pk).taken
    others = [key for key in EARLY + LATE if key not in ("early-0", "early-1")]
    assert found(study, "labels=none") == others
    assert found(study, "labels=some") == ["early-1"]
    assert found(study, "labels=enough") == ["early-0"]
    Image.objects.filter(key="early-1").update(taken=3)
    assign.Assignment.objects.filter(pk=lease.pk).update(image=Image.objects.get(key="early-1"))
    Image.objects.filter(pk=lease.image.pk).update(taken=0)
    assert found(study, "labels=some") == ["early-1"]


def test_what_most_people_say_and_where_they_differ(study):
    making.labels(
        study,
        {
            "early-0": {"a": 1, "b": 1, "c": 0},  # yes, 2 of 3 pairs differ
            "early-1": {"a": 0, "b": 0},  # no
            "early-2": {"a": 1, "b": 0},  # as many; the only pair differs
        },
    )
    assert found(study, "answer=aligned:yes") == ["early-0"]
    assert found(study, "answer=aligned:no") == ["early-1"]
    assert found(study, "answer=aligned:draw") == ["early-2"]
    assert found(study, "answer=aligned:0.6-1") == ["early-0"]
    assert found(study, "split=aligned") == ["early-0", "early-2"]
    assert found(study, "split=any") == ["early-0", "early-2"]
    assert found(study, "sort=-split") == ["early-2", "early-0", "early-1"]
    assert found(study, "sort=mean") == ["early-1", "early-2", "early-0"]


def test_a_corrected_and_a_removed_label_are_counted_anew(study):
    making.labels(study, {"early-0": {"a": 1}, "early-1": {"a": 1}})
    assert found(study, "answer=aligned:yes") == ["early-0", "early-1"]
    study.annotations.filter(image__key="early-0").update(state="set aside")
    study.annotations.get(image__key="early-1").answers.update(value=0)
    assert found(study, "answer=aligned:yes") == []
    assert found(study, "answer=aligned:no") == ["early-1"]
    assert tally.update_rows(study) == 0  # nothing is written that is there already


def test_a_judges_score_within_a_span_and_sorted(study):
    making.scores(study, {"early-0": 0.2, "late-0": 0.9, "late-1": 0.5, "early-1": "broken"})
    making.scores(study, {"early-3": 0.5}, name="another")
    assert found(study, "judge=some-judge&least=0.5") == ["late-0", "late-1"]
    assert found(study, "judge=some-judge&least=0.3&most=0.8") == ["late-1"]
    assert found(study, "judge=some-judge&sort=score") == ["early-0", "late-1", "late-0"]
    assert found(study, "judge=some-judge&sort=-score&most=0.5") == ["late-1", "early-0"]
    assert found(study, "judge=some-judge") == EARLY + LATE
    assert found(study, "least=0.5") == EARLY + LATE  # of no judge


def test_a_selection_keeps_its_images(study):
    pks = study.images.filter(key__in=["late-3", "early-1"]).values_list("pk", flat=True)
    chosen = selections.choose(study=study, images=pks, name="two")
    assert chosen.images == 2
    assert found(study, f"selection={chosen.pk}") == ["early-1", "late-3"]


@pytest.mark.parametrize(
    "words", ["prompt=p9", "generator=x", "judge=x", "judge=x&least=1", "selection=99999"]
)
def test_what_another_study_has_is_not_there(study, words):
    elsewhere = making.study("elsewhere", prompts=10)
    making.scores(elsewhere, {"early-0": 1.0}, name="x")
    with pytest.raises(NotThere):
        found(study, words)


@pytest.mark.parametrize(
    "words",
    [
        "q=%00%EF%BF%BE'%22%25_\\&tag='&flag=x&labels=x&sort=x&variant=x&known=x",
        "q=" + "a+" * 500,
        *("judge=some-judge&least=nan&most=inf", "judge=some-judge&least=1e999&most=--"),
        *("answer=aligned", "answer=:yes", "answer=aligned:1-", "answer=aligned:nan-1"),
        *("answer=a'%22:yes", "split='", "tag=%F0%9F%A6%86%00", "q=%ED%A0%80"),
    ],
)
def test_odd_values_break_nothing(study, words):
    making.scores(study, {"early-0": 0.2})
    assert isinstance(found(study, words), list)
