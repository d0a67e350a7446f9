"""Which questions labels answer, counted value by value."""

import pytest

from jurybox_formats import label_questions
from jurybox_formats.form_from_labels import AnswerKind
from jurybox_formats.sources.records import LabelRecord, Rejected, Remark

SAID = {
    "aligned": [1, 0, 1, 1],
    "mood": ["calm", "wild", "calm", "calm", "wild"],
    # Three values in four cells are no choices yet: counted twice, they would be.
    "colour": ["red", "blue", "green", "red"],
    "size": [1, 2.5, 7, 2.5],
    "why": [f"reason number {n} of many" for n in range(90)],
}


def labels():
    longest = max(map(len, SAID.values()))
    for place in range(longest):
        for question, values in SAID.items():
            if place < len(values):
                yield LabelRecord(
                    image=f"i{place}",
                    rater="ann",
                    question=question,
                    value=values[place],
                    line=place,
                    source="labels.csv",
                )


def test_questions_are_known_by_what_stands_in_their_values():
    found = label_questions.asked_by(labels(), {})
    kinds = {question: one.kind for question, one in found.items()}
    assert kinds == {
        "aligned": "yes/no",
        "mood": "choice",
        "colour": "text",
        "size": "number",
        "why": "text",
    }
    assert found["mood"].words == ["calm", "wild"]
    assert found["size"].words == ["1", "2.5", "7"]
    # Of a text only the first sixty values are remembered.
    assert len(found["why"].words) == 60


@pytest.mark.parametrize("at_a_time", [1, 2, 7])
def test_it_does_not_matter_how_many_values_are_counted_before_they_are_looked_at(
    at_a_time, monkeypatch
):
    expected = label_questions.asked_by(labels(), {})
    monkeypatch.setattr(label_questions, "AT_A_TIME", at_a_time)
    assert label_questions.asked_by(labels(), {}) == expected


def test_a_source_with_very_many_questions_is_known_by_its_first(monkeypatch):
    monkeypatch.setattr(label_questions, "MOST", 2)
    assert list(label_questions.asked_by(labels(), {})) == ["aligned", "mood"]


@pytest.mark.parametrize("block", [1, 2, 1000])
def test_labels_that_are_adapted_are_the_same_by_any_number_of_them(block, monkeypatch):
    monkeypatch.setattr(label_questions, "BLOCK", block)
    asked = {
        "A mood": AnswerKind("a_mood", "choice"),
        "aligned": AnswerKind("aligned", "yes/no"),
        "taste": AnswerKind("taste", "1-5"),
    }
    remark = Remark("There is more.")
    answers = [("aligned", 7.0), ("A mood", "calm"), ("taste", 5.0), ("taste", 6.0), ("why", "x")]
    given = [LabelRecord("i", "r", *answer, line=n) for n, answer in enumerate(answers)]
    adapted = list(label_questions.adapt([*given[:2], remark, *given[2:]], asked, {"aligned"}))
    refusal = "“taste” takes a whole number from 1 to 5."
    assert adapted == [
        given[0],
        given[1]._replace(question="a_mood"),
        remark,
        given[2],
        Rejected("value", 6.0, refusal, 3, ""),
        given[4],
    ]
