"""Edits by editor: did, kept and looks right by people, and the judges that were made for each question."""

import pytest

from annotations.errors import Refused
from annotations.stored_answers.question import NONE
from audit.questions.edits.exhibits import EXHIBITS
from audit.questions.edits.question import edits
from tests import making

pytestmark = pytest.mark.django_db


def answered_study(prompts: int = 40):
    """Of the early editor's, all were done, ann says that each second kept the rest, ben that none did, and
    every fourth looks right. The late one's were done and nothing else."""
    study = making.study(prompts=prompts, files=False)
    for place, image in enumerate(study.images.order_by("generator__name", "key")):
        early = image.generator.name == "early"
        for question, said in {
            "did": {"ann": 1, "ben": 1},
            "kept": {"ann": early and place % 2 == 0, "ben": 0},
            "looks_right": dict.fromkeys(("ann", "ben"), early and place % 4 == 0),
        }.items():
            making.labels(study, {image.key: said}, question=question)
    return study


def test_all_three_at_once_are_one_persons_answers_and_judges_stand_beside_their_question():
    study = answered_study()
    keys = {image.key: float("late" in image.key) for image in study.images.all()}
    run = making.scores(study, keys, name="keeper")
    run.judge.method, run.judge.options = "EditForm", {"form": "edit", "question": "kept"}
    run.judge.save()
    making.scores(study, keys, name="of-the-whole")
    body = edits(study, NONE)
    early, late = (body["editors"][name]["people"] for name in ("early", "late"))
    # Ann says yes to all three of each fourth, ben never: half of a quarter. The product of the shares,
    # 1 × .25 × .25, is something else.
    assert {name: number["value"] for name, number in early.items()} == {
        "did": 1,
        "kept": 0.25,
        "looks_right": 0.25,
        "all": 0.125,
    }
    assert late["all"]["value"] == 0
    (table,) = EXHIBITS.tables(body)
    headings = ["did it", "kept the rest", "keeper", "looks right", "all three at once"]
    assert [column.heading for column in table.columns] == headings
    assert [[number["value"] for number in row.numbers] for row in table.rows] == [
        [1, 0.25, 0, 0.25, 0.125],
        [1, 0, 1, 0, 0],
    ]
    first, second = EXHIBITS.sentences(body)
    assert first.startswith("Edits by early are most often right in all three ways: 0.12 (")
    assert second.startswith("Least often those by late: 0.00")


def test_an_editor_with_fewer_than_30_edits_has_no_number():
    body = edits(answered_study(prompts=20), NONE)
    assert "20 images" in body["editors"]["early"]["people"]["all"]["undefined"]
    assert EXHIBITS.sentences(body)[0].startswith("No editor has enough edits")


def test_without_all_three_questions_it_is_refused_with_a_sentence():
    study = making.study(files=False)
    making.labels(study, {"early-0": {"ann": 1}}, question="did")
    with pytest.raises(Refused, match="all of did, kept, looks_right"):
        edits(study, NONE)
