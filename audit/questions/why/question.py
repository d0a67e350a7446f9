"""Why did the gap between people and a judge move from one side of a study to another?"""

from __future__ import annotations

from annotations.anchors import again
from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import Question
from audit.why.explain import explain
from audit.why.parameters import Parameters


def study_called(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise Refused(f"There is no study “{slug}”.")
    return study


def _studies(study: Study, parameters: Parameters) -> list[Study]:
    after = parameters.sides()[1]
    if after.kind == "study":
        return [study, study_called(after.study)]
    if after.kind == "labelled":
        return [study, *(one.study for one in again.rounds_of(study))]
    return [study]


WHY = Question(
    name="why",
    compute=lambda study, parameters: explain(study, parameters, find=study_called),
    parameters=Parameters,
    studies=_studies,
)
QUESTIONS = (WHY,)
