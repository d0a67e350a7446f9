"""Forms as text that an owner can write: lines of text <-> a definition.

    Title: What went wrong
    Introduction: Look at the whole image first.
    Note: Ignore the style.

    aligned (yes/no): Does the image align with the prompt?
    wrong (several, when aligned is No): What is wrong?
    - The number of objects
    - colour = A colour
    hands (whole number 0 to 20): How many hands are visible?
    sharp (yes/no, can't tell): Is it sharp?
    where (mark, optional): Mark where it is wrong.
    comment (text, optional): Anything else?
    > A few words are enough.

A choice is `- text` or `- value = text`, with its key `- [k] value = text`; `>` is a hint below the
question. `Example: the prompt` (or `Edge case:`) is followed by lines `Answer:`, `Thought:` and
`Picture:`, the key of an image of the study. `Form:` is the name in
exports; without it, it follows from the title.
"""

from __future__ import annotations

import json
import re
from typing import Any

from jurybox_formats.forms.definition import Choice, Condition, Form, Question
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.forms.validate_definition import MEANINGS, N_, read_form
from jurybox_formats.sources.errors import FormRefused
from jurybox_formats.sources.sound_json import Unsound, decode_json

HEADS = {
    "form": "slug",
    "title": "title",
    "source": "source",
    "introduction": "introduction",
    "note": "notes",
}
QUESTION = re.compile(r"(?P<name>[^\s(:]+)\s*\((?P<about>[^)]*)\)\s*:\s*(?P<text>.+)")
NUMBER = re.compile(r"(?P<whole>whole )?number(?: (?P<least>-?[\d.]+) to (?P<most>-?[\d.]+))?")
WHEN = re.compile(r"when (?P<name>\S+) (?:is (?P<values>.+)|above (?P<above>-?[\d.]+))")
CHOICE = re.compile(
    r"-\s*(?:\[(?P<key>[a-z0-9])\]\s+)?(?:(?P<value>[^=]{1,60}?)\s*=\s*)?(?P<text>.+)"
)
EXAMPLES = {"example": "examples", "edge case": "edge_cases"}
OF_EXAMPLE = {"answer": "answers", "thought": "thought", "picture": "image"}
KINDS = {
    "choice": "choice",
    "scale": "choice",
    "several": "choices",
    "text": "text",
    "mark": "mark",
}


def parse(text: str) -> dict[str, Any]:
    """The definition in these lines; FormRefused names the lines it cannot read."""
    if text.lstrip().startswith("{"):
        try:
            return decode_json(text)
        except Unsound as error:
            where = f"Line {error.line}: this is not JSON." if error.line else error.message
            raise FormRefused([where]) from None
    form: dict[str, Any] = {"questions": []}
    wrong: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            problem = _take(line.strip(), form)
            if problem:
                wrong.append(f"Line {number}: {problem}")
    form.pop("_example", None)
    for question in form["questions"]:
        _finish(question, form["questions"])
    if wrong:
        raise FormRefused(wrong)
    return form


def as_text(form: Form) -> str:
    """The form as lines; as JSON if it has parts that lines cannot express."""
    text = _in_lines(form)
    try:
        same = read_form(parse(text), own=MEANINGS) == form
    except FormRefused:
        same = False
    return text if same else json.dumps(form.definition(), indent=2, ensure_ascii=False)


def _in_lines(form: Form) -> str:
    lines = [f"Form: {form.slug}", f"Title: {form.title}"]
    lines += [f"Source: {form.source}"] if form.source else []
    lines += [f"Introduction: {form.introduction}"] if form.introduction else []
    lines += [f"Note: {note}" for note in form.notes]
    for question in form.questions:
        lines += ["", *_lines(question, form)]
    for name, examples in (("Example", form.examples), ("Edge case", form.edge_cases)):
        for example in examples:
            lines += ["", f"{name}: {example.prompt}"]
            lines += [f"Answer: {answer}" for answer in example.answers]
            lines += [f"Thought: {example.thought}"] if example.thought else []
            lines += [f"Picture: {example.image}"] if example.image else []
    return "\n".join(lines) + "\n"


def _take(line: str, form: dict[str, Any]) -> str:
    """Add one line to the form. Returns what is wrong with it, or an empty string."""
    head, colon, rest = line.partition(":")
    if colon and head.lower() in HEADS:
        part = HEADS[head.lower()]
        if part == "notes":
            form.setdefault("notes", []).append(rest.strip())
        else:
            form[part] = rest.strip()
        return ""
    if colon and head.lower() in EXAMPLES:
        example = {"prompt": rest.strip(), "answers": [], "thought": ""}
        form.setdefault(EXAMPLES[head.lower()], []).append(example)
        form["_example"] = example
        return ""
    if colon and head.lower() in OF_EXAMPLE:
        return _take_of_example(OF_EXAMPLE[head.lower()], rest.strip(), form)
    questions = form["questions"]
    if line[0] in "->":
        if not questions:
            return N_("a choice or a hint comes after its question, and there is no question yet.")
        if line[0] == ">":
            questions[-1]["hint"] = line[1:].strip()
            return ""
        return _take_choice(line, questions[-1])
    match = QUESTION.fullmatch(line)
    if not match:
        return f"“{line[:60]}” is not a question; write “name (yes/no): the words of the question”."
    question: dict[str, Any] = {"name": match["name"], "text": match["text"], "choices": []}
    # Added even if the rest of the line is wrong, since its choices follow on the next lines.
    questions.append(question)
    kind, *more = [part.strip() for part in match["about"].split(",")]
    return _take_kind(kind, question) or next(
        filter(None, (_take_more(m, question) for m in more)), ""
    )


def _take_of_example(part: str, words: str, form: dict[str, Any]) -> str:
    if "_example" not in form:
        return N_("an answer, a thought or a picture comes after its example.")
    if part == "answers":
        form["_example"]["answers"].append(words)
    else:
        form["_example"][part] = words
    return ""


def _take_kind(kind: str, question: dict[str, Any]) -> str:
    if kind == "yes/no":
        question["choices"] = [{"value": 1, "text": "Yes"}, {"value": 0, "text": "No"}]
    elif match := NUMBER.fullmatch(kind):
        question |= {"kind": "number", "whole": bool(match["whole"])}
        if match["least"]:
            question |= {"least": _value(match["least"]), "most": _value(match["most"])}
    elif kind in KINDS:
        question["kind"] = KINDS[kind]
        question["_scale"] = kind == "scale"
    else:
        return (
            f"“{kind}” is not a kind of question; write yes/no, scale, choice, several, number, "
            "“whole number 0 to 10”, text, or mark."
        )
    return ""


def _take_more(part: str, question: dict[str, Any]) -> str:
    if part == "optional":
        question["optional"] = True
    elif part == "per atom":
        question["per"] = "atom"
    elif part.replace("’", "'").lower() == CANT_TELL:
        question["cant_tell"] = True
    elif match := WHEN.fullmatch(part):
        condition: dict[str, Any] = {"question": match["name"]}
        if match["above"]:
            condition["above"] = _value(match["above"])
        else:
            condition["one_of"] = [value.strip() for value in match["values"].split(" or ")]
        question.setdefault("when", []).append(condition)
    else:
        return (
            f"“{part}” is not understood; write optional, per atom, can't tell, “when name is "
            "answer”, or “when name above 0”."
        )
    return ""


def _take_choice(line: str, question: dict[str, Any]) -> str:
    match = CHOICE.fullmatch(line)
    if not match:
        return N_("a choice has a text: “- the text”, or “- value = the text”.")
    text = match["text"].strip()
    value: Any = match["value"].strip() if match["value"] else None
    if value is None:
        value = len(question["choices"]) + 1 if question.get("_scale") else _word(text)
    choice = {"value": _value(value), "text": text}
    question["choices"].append(choice | ({"key": match["key"]} if match["key"] else {}))
    return ""


def _finish(question: dict[str, Any], questions: list[dict[str, Any]]) -> None:
    """Conditions name a choice by its words; store its value instead."""
    question.pop("_scale", None)
    named = {other["name"]: other for other in questions}
    for condition in question.get("when", ()):
        choices = named.get(condition["question"], {}).get("choices", ())
        meant = {choice["text"].lower(): choice["value"] for choice in choices}
        meant.setdefault(CANT_TELL, CANT_TELL)
        condition["one_of"] = [
            meant.get(value.lower(), _value(value)) for value in condition.get("one_of", ())
        ]


def _lines(question: Question, form: Form) -> list[str]:
    words = [choice.text for choice in question.choices]
    values = [choice.value for choice in question.choices]
    plain: tuple[Any, ...] = tuple(words), tuple(values)
    if question.kind == "number":
        kind = "whole number" if question.whole else "number"
        if question.least is not None and question.most is not None:
            kind += f" {question.least:g} to {question.most:g}"
    elif plain == (("Yes", "No"), (1, 0)):
        kind = "yes/no"
    elif question.kind == "choices":
        kind = "several"
    else:
        kind = question.kind
    about = [kind]
    about += ["per atom"] if question.per else []
    about += ["optional"] if question.optional else []
    about += [CANT_TELL] if question.cant_tell else []
    about += [_condition(when, form) for when in question.when]
    lines = [f"{question.name} ({', '.join(about)}): {question.text}"]
    lines += [f"> {question.hint}"] if question.hint else []
    if kind != "yes/no":
        lines += [
            f"- {_key(choice)}{_value_text(choice.value)} = {choice.text}"
            for choice in question.choices
        ]
    return lines


def _key(choice: Choice) -> str:
    return f"[{choice.key}] " if choice.key else ""


def _condition(when: Condition, form: Form) -> str:
    if when.above is not None:
        return f"when {when.question} above {when.above:g}"
    other = next(question for question in form.questions if question.name == when.question)
    texts = {choice.value: choice.text for choice in other.choices}
    return f"when {when.question} is " + " or ".join(
        str(texts.get(value, value)) for value in when.one_of
    )


def _value(text: Any) -> Any:
    if isinstance(text, str) and re.fullmatch(r"-?\d+(\.\d+)?", text):
        number = float(text)
        return int(number) if number.is_integer() else number
    return text


def _word(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-")[:60] or text[:60]


def _value_text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
