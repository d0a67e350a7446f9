"""The per-atom form of the GenEval 2 paper (appendix C.2, figures 11 and 12).

The prompt in its own words: every count, attribute, object, relation and "a" is answered in
place; "and" is no question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from jurybox_formats.forms.definition import YES_NO, Example, Form, Question
from jurybox_formats.forms.papers.geneval_audit import EDGE_CASES, NOTES, QUALITY

# The words as the paper prints them. They name a dropdown and examples that this form does not show.
FIRST = Form(
    slug="geneval2-atoms",
    title="Alignment part by part, and quality",
    source="GenEval 2, appendix C.2, figures 11 and 12",
    introduction=(
        "In this task, you will be given a text prompt and an image, followed by two questions. "
        "The first question must be answered part-by-part; the second question is a yes/no "
        "question. Answer the questions in accordance with the instructions below. (Note: the "
        "word “and” has no dropdown, as it does not need to be annotated.)"
    ),
    questions=(
        Question("atom", "Does the image align with the prompt?", YES_NO, per="atom"),
        QUALITY,
    ),
    notes=NOTES,
    examples=(
        Example(
            "Three green candles, and six red kangaroos to the right of a green koala",
            (
                "Three Yes",
                "green Yes",
                "candles, Yes",
                "and",
                "six No",
                "red No",
                "kangaroos Yes",
                "to the right of No",
                "a Yes",
                "green Yes",
                "koala Yes",
            ),
            "Is the image of good quality? Yes",
        ),
    ),
    edge_cases=EDGE_CASES,
)


FORM = replace(
    FIRST,
    introduction=FIRST.introduction.replace("has no dropdown", "has no buttons"),
    # The notes speak of Examples 1 to 3: those of the first study, answered part by part, as the
    # paper says of its own instructions.
    examples=(
        Example(
            "A toothbrush above a bus",
            ("A Yes", "toothbrush Yes", "above Yes", "a Yes", "bus Yes"),
            "Is the image of good quality? Yes. The toothbrush and bus are both well-formed, so the "
            "image is of good quality (even if the prompt is unrealistic).",
        ),
        Example(
            "Two dogs",
            ("Two Yes", "dogs Yes"),
            "Is the image of good quality? No. One of the dogs is not well-formed (it has two faces).",
        ),
        Example(
            "A backpack right of a sandwich",
            ("A Yes", "backpack Yes", "right of No", "a Yes", "sandwich Yes"),
            "Is the image of good quality? Yes. A burger is a type of sandwich, but the backpack is "
            "behind and left of it, not to its right.",
        ),
        Example(
            "A baseball bat and a bear",
            ("A No", "baseball bat No", "and", "a No", "bear No"),
            "Is the image of good quality? No. The image does not contain an identifiable baseball bat "
            "and bear.",
        ),
        *FIRST.examples,
    ),
)


def prompt_is_correct(
    answers: Mapping[int, float | str | None], *, atoms: Iterable[int]
) -> bool | None:
    """A prompt is correct if and only if all its atoms are (section 4).

    None if no atom is wrong but some have no answer.
    """
    given = [answers.get(atom) for atom in atoms]
    if 0 in given:
        return False
    return None if None in given or not given else True


FORMS = (FORM,)
EARLIER = (FIRST,)
ORDER = 20
