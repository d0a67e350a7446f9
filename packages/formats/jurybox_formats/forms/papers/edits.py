"""Forms about edits: before and after, side by side.

The scales are those of the papers; the words are ours. `OVERALL` says what each paper makes of one
person's answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from jurybox_formats.forms.definition import YES_NO, Choice, Condition, Form, Question

Answers = Mapping[str, float | str]
INTRODUCTION = (
    "Compare the picture before the edit with the one after it. Read the instruction first: only what "
    "it asks for should have changed."
)


def _grades(*texts: str) -> tuple[Choice, ...]:
    """From 1 up."""
    return tuple(Choice(value, text) for value, text in enumerate(texts, 1))


def _to_ten(name: str, text: str, hint: str) -> Question:
    return Question(name, text, kind="number", hint=hint, least=0, most=10, whole=True)


FORM = Form(
    slug="edit",
    title="Did it, kept the rest, looks right",
    source="Jurybox",
    introduction=INTRODUCTION,
    questions=(
        Question("did", "Was done what the instruction asks for?", YES_NO),
        Question("kept", "Is everything else as it was before?", YES_NO),
        Question("looks_right", "Does the result look right, without flaws?", YES_NO),
        Question(
            "where",
            "Where is it wrong?",
            kind="mark",
            hint="Mark what was missed, changed without being asked for, or is flawed.",
            when=(Condition("kept", (0,)),),
            optional=True,
        ),
    ),
)

IMAGENHUB = Form(
    slug="imagenhub",
    title="Semantic consistency and perceptual quality",
    source="ImagenHub: each 0, 0.5 or 1; overall is the root of their product",
    introduction=INTRODUCTION,
    questions=(
        Question(
            "semantic_consistency",
            "Does the result follow all that was given: the instruction and the pictures?",
            (Choice(0, "Not at all"), Choice(0.5, "In part"), Choice(1, "Mostly")),
        ),
        Question(
            "perceptual_quality",
            "Does the result look like a real picture?",
            (
                Choice(0, "Flaws make it hard to recognise"),
                Choice(0.5, "Some flaws, or unnatural"),
                Choice(1, "Looks real"),
            ),
        ),
    ),
)

GEDIT = Form(
    slug="gedit",
    title="Success, over-editing and quality, 0 to 10",
    source="GEdit-Bench, as VIEScore scores edits: the smaller of the first two, and quality",
    introduction=INTRODUCTION,
    questions=(
        _to_ten(
            "success",
            "How far was done what the instruction asks for?",
            "0: nothing of it. 10: all of it.",
        ),
        _to_ten(
            "no_over_editing",
            "How far was everything else left as it was?",
            "0: another picture. 10: the least change that does it.",
        ),
        _to_ten(
            "perceptual_quality",
            "How natural and free of flaws does the result look?",
            "0: unnatural, full of flaws. 10: like a real picture.",
        ),
    ),
)

IMGEDIT = Form(
    slug="imgedit",
    title="Instruction, detail and realism, 1 to 5",
    source="ImgEdit: the second and third count at most as much as the first",
    introduction=INTRODUCTION,
    questions=(
        Question(
            "instruction",
            "Was done what the instruction asks for?",
            _grades("Not at all", "Hardly", "In part", "With small faults", "Completely"),
        ),
        Question(
            "detail",
            "Is the rest of the picture as it was?",
            _grades(
                "Another picture", "Much changed", "Some changed", "Little changed", "All kept"
            ),
        ),
        Question(
            "realism",
            "Does the edit fit in: light, edges, perspective?",
            _grades("Not at all", "Clear flaws", "Some flaws", "Hardly any", "Seamless"),
        ),
    ),
)

KRIS = Form(
    slug="kris",
    title="Consistency, quality, instruction and knowledge, 1 to 5",
    source="KRIS-Bench: four grades",
    introduction=INTRODUCTION,
    questions=(
        Question(
            "visual_consistency",
            "Is what should stay the same?",
            _grades("Not at all", "Hardly", "In part", "Mostly", "Completely"),
        ),
        Question(
            "visual_quality",
            "How good does the result look?",
            _grades("Bad", "Poor", "Fair", "Good", "Very good"),
        ),
        Question(
            "instruction",
            "Was the instruction followed?",
            _grades("Not at all", "Hardly", "In part", "Mostly", "Completely"),
        ),
        Question(
            "knowledge",
            "Does the result agree with what is known of the world?",
            _grades("Not at all", "Hardly", "In part", "Mostly", "Completely"),
        ),
    ),
)

RISE = Form(
    slug="rise",
    title="Reasoning, consistency and plausibility, 1 to 5",
    source="RISEBench: three grades",
    introduction=INTRODUCTION,
    questions=(
        Question(
            "reasoning",
            "Does the result show what follows from the instruction?",
            _grades("Not at all", "Hardly", "In part", "Mostly", "Completely"),
        ),
        Question(
            "consistency",
            "Is what has nothing to do with it as it was?",
            _grades("Not at all", "Hardly", "In part", "Mostly", "Completely"),
        ),
        Question(
            "plausibility",
            "Could the result be a real picture?",
            _grades("Not at all", "Hardly", "In part", "Mostly", "Completely"),
        ),
    ),
)
FORMS = (FORM, IMAGENHUB, GEDIT, IMGEDIT, KRIS, RISE)


def _numbers(answers: Answers, *names: str) -> list[float] | None:
    """None unless each is answered with a number."""
    given = [value for name in names if isinstance(value := answers.get(name), int | float)]
    return given if len(given) == len(names) else None


def overall_imagenhub(answers: Answers) -> float | None:
    both = _numbers(answers, "semantic_consistency", "perceptual_quality")
    return None if both is None else math.sqrt(both[0] * both[1])


def overall_gedit(answers: Answers) -> float | None:
    given = _numbers(answers, "success", "no_over_editing", "perceptual_quality")
    return None if given is None else math.sqrt(min(given[:2]) * given[2])


def overall_imgedit(answers: Answers) -> float | None:
    given = _numbers(answers, "instruction", "detail", "realism")
    return None if given is None else sum(min(grade, given[0]) for grade in given) / 3


OVERALL: dict[str, Callable[[Answers], float | None]] = {
    IMAGENHUB.slug: overall_imagenhub,
    GEDIT.slug: overall_gedit,
    IMGEDIT.slug: overall_imgedit,
}
ORDER = 90
