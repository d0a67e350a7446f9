"""Checks answers as they were sent, and turns them into values to store."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from annotations.errors import LabelRefused
from jurybox_formats.forms import marks
from jurybox_formats.forms.definition import Form, Question
from jurybox_formats.forms.per_image import AskedQuestion, holds
from jurybox_formats.forms.scales import CANT_TELL

LONGEST = 2000
# Half of a surrogate pair: neither files nor databases take it.
HALF = re.compile("[\ud800-\udfff]")
NOTHING = "nothing was saved."


def validated(
    form: Form,
    questions: tuple[AskedQuestion, ...],
    answers: Mapping[str, Any],
    *,
    all_needed: bool = True,
) -> dict[str, float | str]:
    """key -> a number or a text; several choices become one text, `red|white`.

    LabelRefused, with a sentence for the annotator, if they do not fit the form.
    """
    _refuse_unknown_keys(form, questions, answers)
    given: dict[str, Any] = {}
    for asked in questions:
        question, sent = asked.question, answers.get(asked.key)
        name = _name(asked)
        if question.kind == "mark":
            sent = _marks(sent, name)
        if not holds(question.when, given):
            if not _empty(sent):
                raise LabelRefused(
                    f"{name} is not asked after these answers; {NOTHING} "
                    "Load the page again and answer what it shows."
                )
        elif not _empty(sent):
            given[asked.key] = _value(question, sent, name)
        elif all_needed and not question.optional:
            raise LabelRefused(f"{name} has no answer yet; {NOTHING}")
    return {
        key: "|".join(map(_short, value)) if isinstance(value, list) else value
        for key, value in given.items()
    }


def _refuse_unknown_keys(
    form: Form, questions: tuple[AskedQuestion, ...], answers: Mapping[str, Any]
) -> None:
    keys, names = {asked.key for asked in questions}, {q.name for q in form.questions}
    for key in answers:
        if key in keys:
            continue
        if key.partition(".")[0] in names:
            raise LabelRefused(f"The prompt of this image is not asked “{key[:80]}”; {NOTHING}")
        raise LabelRefused(f"This form has no question “{key[:80]}”; {NOTHING}")


def _value(question: Question, sent: Any, name: str) -> Any:
    if question.kind == "mark":
        return sent
    if question.kind == "choices":
        parts = sent if isinstance(sent, list | tuple) else str(sent).split("|")
        chosen = [_choice(question, part, name) for part in parts]
        # In the order of the form, so that the same choices are always the same text.
        return [choice.value for choice in question.choices if choice.value in chosen]
    if isinstance(sent, list | tuple):
        if len(sent) != 1:
            raise LabelRefused(f"{name} takes one answer, not {len(sent)}; {NOTHING}")
        sent = sent[0]
    if question.kind == "number":
        return _number(question, sent, name)
    if question.kind == "text":
        return _text(sent, name)
    return _choice(question, sent, name)


def _choice(question: Question, sent: Any, name: str) -> float | str:
    if question.cant_tell and sent == CANT_TELL:
        return CANT_TELL
    number = _float(sent)
    for choice in question.choices:
        same = (
            str(sent) == choice.value if isinstance(choice.value, str) else number == choice.value
        )
        if same:
            return choice.value
    words = ", ".join(choice.text for choice in question.choices)
    words += f", {CANT_TELL}" if question.cant_tell else ""
    raise LabelRefused(f"{name} takes one of: {words}; {NOTHING}")


def _number(question: Question, sent: Any, name: str) -> float:
    number = _float(sent)
    least, most = question.least, question.most
    fits = number is not None and (
        (least is None or number >= least)
        and (most is None or number <= most)
        and (not question.whole or number.is_integer())
    )
    if number is None or not fits:
        raise LabelRefused(f"{name} takes {describe_number(question)}; {NOTHING}")
    return number


def describe_number(question: Question) -> str:
    kind = "a whole number" if question.whole else "a number"
    least, most = question.least, question.most
    if least is not None and most is not None:
        return f"{kind} from {_short(least)} to {_short(most)}"
    if least is not None:
        return f"{kind} from {_short(least)} up"
    return kind if most is None else f"{kind} up to {_short(most)}"


def _marks(sent: Any, name: str) -> str:
    """Empty if there are none."""
    if isinstance(sent, list | tuple) and len(sent) == 1 and isinstance(sent[0], str):
        [sent] = sent
    try:
        return marks.marks_text(marks.read(sent or ()))
    except ValueError as reason:
        raise LabelRefused(f"{name} cannot be read: {reason}; {NOTHING}") from None


def _text(sent: Any, name: str) -> str:
    text = str(sent).replace("\r\n", "\n").strip()
    if len(text) > LONGEST:
        raise LabelRefused(f"{name} takes at most {LONGEST} characters; {NOTHING}")
    if any(ord(letter) < 32 and letter not in "\n\t" for letter in text) or HALF.search(text):
        raise LabelRefused(f"{name} contains characters that are not text; {NOTHING}")
    return text


def _float(sent: Any) -> float | None:
    try:
        number = float(sent)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _empty(sent: Any) -> bool:
    if isinstance(sent, list | tuple):
        return not any(str(part).strip() for part in sent)
    return sent is None or not str(sent).strip()


def _name(asked: AskedQuestion) -> str:
    text = (asked.shown or asked.question).text
    if asked.atom is None:
        return f"“{text}”"
    return f"“{text}” ({asked.atom.text or asked.atom.question})"


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
