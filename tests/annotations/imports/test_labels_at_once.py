"""Labels are checked and written many at once, with the same result as one by one."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.imports.write_labels import LabelWriter
from annotations.models import Annotation, Answer, Image
from jurybox_formats.sources.records import LabelRecord, Rejected
from tests import making

pytestmark = pytest.mark.django_db


def labels(image="early-0", rater="ann", question="aligned", value=1.0, **more) -> LabelRecord:
    return LabelRecord(image, rater, question, value, **more)


FIT = [
    labels(),
    labels(question="quality", value="No", seconds=2.5),
    labels(question="score", value=-0.0),
    labels(question="score", value=0.0, image="late-1"),
    labels(question="score", value="7", rater="ben"),
    labels(question="quality", value="can’t tell", rater="ben"),
    labels(question="atom", value=1.0, atom=1),
    labels(question="atom", value="yes", atom=0, image="late-1", language="de"),
    labels(question="note", value="a word", submitted_at=datetime(2025, 1, 1, tzinfo=UTC)),
]
UNFIT = [
    labels("nowhere"),
    labels(rater=""),
    labels(value=7.0),
    labels(value="perhaps"),
    labels(question=""),
    labels(question="atom"),
    labels(question="atom", atom=9),
    labels(question="atom", atom=1, value=3.0),
    labels(seconds=-1.0),
    labels(question="note", value="x" * 20_001),
]


def written(slug: str, records: list[LabelRecord]) -> tuple[dict, list, list]:
    study = making.study(slug, files=False)
    outcome = Outcome()
    lines = [record._replace(line=n, source="f.csv") for n, record in enumerate(records, 2)]
    write_study.import_records(study=study, records=lines, outcome=outcome)
    of = {"annotation__study": study}
    answers = Answer.objects.filter(**of).order_by("pk")
    fields = ("annotation__image__key", "annotation__annotator__name", "question")
    given = answers.values_list(*fields, "atom__index", "value", "text", "annotation__seconds")
    taken = Image.objects.filter(study=study).order_by("key").values_list("key", "taken")
    return outcome.as_json(), list(given), list(taken)


@pytest.mark.parametrize("unfit", [[], *([one] for one in UNFIT), UNFIT])
def test_many_labels_together_are_the_rows_and_refusals_of_each_alone(unfit, monkeypatch):
    records = [*FIT, *unfit, *FIT[:2], labels(value=0.0)]
    together = written("together", records)
    monkeypatch.setattr(LabelWriter, "_fit_together", lambda self, batch: None)
    assert written("alone", records) == together
    assert together[0]["answers"] == len(FIT)
    # The last contradicts the first.
    assert len(together[0]["rejected"]) == len(unfit) + 1


def test_numbers_keep_their_sign_beside_texts(study):
    writer = LabelWriter(study, Outcome())
    batch = [labels(question="score", value=value) for value in (-0.0, 0.0, "7", -0.0)]
    writer.known.look_up({"early-0"}, set())
    fit = writer._fit_together(batch)
    assert fit is not None
    assert [str(number) for number in fit.numbers] == ["-0.0", "0.0", "None", "-0.0"]
    assert list(fit.texts) == ["", "", "7", ""]


def test_one_unfit_label_lets_the_others_in(study):
    writer = LabelWriter(study, outcome := Outcome())
    writer.write([*FIT, labels("nowhere", line=3)])
    assert outcome.answers == len(FIT)
    assert [row["line"] for row in outcome.rejected] == [3]


@pytest.mark.parametrize("at_once", [1, 2, 10_000])
def test_a_row_that_is_several_labels_counts_once(study, at_once, monkeypatch):
    monkeypatch.setattr(write_study, "LABEL_BATCH", at_once)
    places = [("a", 2), ("a", 2), ("a", 3), ("b", 3), ("b", 4), ("b", 0), ("b", 0)]
    records = [
        labels(question=f"q{n}", source=source, line=line)
        for n, (source, line) in enumerate(places)
    ]
    refused = Rejected("value", "x", "No.", 4, "b")
    for stream, rows in ((records, 6), ([*records[:5], refused], 4), (records[2:5], 3)):
        outcome = Outcome()
        write_study.import_records(study=study, records=stream, outcome=outcome)
        assert outcome.read == rows


def test_an_annotation_has_the_time_and_the_form_of_its_first_label(study):
    first = labels(seconds=1.5, language="de", submitted_at=datetime(2025, 1, 1, tzinfo=UTC))
    writer = LabelWriter(study, Outcome())
    writer.write([first, labels("late-1"), labels(question="quality", seconds=9.0, language="fr")])
    there = Annotation.objects.order_by("pk").values_list("image__key", "seconds", "language")
    assert list(there) == [("early-0", 1.5, "de"), ("late-1", None, "")]


def test_annotations_are_found_by_their_images(study, django_assert_max_num_queries):
    writer = LabelWriter(study, Outcome())
    writer.write([labels(), labels("early-1", "ben")])
    image = study.images.get(key="early-0").pk
    with django_assert_max_num_queries(1) as asked:
        there = writer._find_annotations([(image, 0)])
    assert there == {}
    if connection.vendor == "sqlite":
        sql = f"EXPLAIN QUERY PLAN {asked.captured_queries[-1]['sql']}"
        with connection.cursor() as cursor:
            cursor.execute(sql)
            plan = str(cursor.fetchall())
        assert "annotation_by_state" not in plan
        assert "(image_id=?)" in plan
    assert Annotation.objects.count() == 2
