"""A form as the fields of the builder page, and back, without losing a part of it.

A draft is what stands in the fields: texts, also wrong and half-written ones. Only `definition_of`
makes a definition of it, and `read_form` says what is wrong with that. The page keeps the draft in its
own fields: the question being edited field by field, every other one as JSON in a hidden field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from annotations.forms.builder_languages import (
    read_translations,
    translation_definition,
    translation_drafts,
)
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.forms.validate_definition import NAME, QUESTIONS
from jurybox_formats.sources.sound_json import Unsound, load_json

# What the page calls the kinds -> the kind of a definition.
KINDS = {
    "yes/no": "choice",
    "scale": "choice",
    "choice": "choice",
    "several": "choices",
    "number": "number",
    "whole number": "number",
    "text": "text",
    "mark": "mark",
}
# What stands in its menu.
KIND_NAMES = {
    "yes/no": gettext_lazy("yes/no"),
    "scale": gettext_lazy("scale"),
    "choice": gettext_lazy("choice"),
    "several": gettext_lazy("several choices"),
    "number": gettext_lazy("number"),
    "whole number": gettext_lazy("whole number"),
    "text": gettext_lazy("text"),
    "mark": gettext_lazy("mark on the image"),
}
WITH_CHOICES = ("scale", "choice", "several")
YES_NO = [{"value": 1, "text": "Yes"}, {"value": 0, "text": "No"}]
PLAIN = ("name", "text", "hint", "least", "most", "rest")
TICKS = ("optional", "cant_tell", "with_prompt", "per")
HEAD = ("slug", "title", "source", "introduction")
EXAMPLE = ("kind", "prompt", "answers", "thought", "image")
RATING = ("Not at all", "Slightly", "Partly", "Mostly", "Completely")
# What "Add" offers: a question that can be used as it is, or with two choices to fill in.
READY: dict[str, tuple[Promise, dict[str, Any]]] = {
    "aligned": (
        gettext_lazy("Yes or no"),
        {"kind": "yes/no", "text": "Does the image show what the prompt asks for?"},
    ),
    "likert": (
        gettext_lazy("Rating 1–5"),
        {
            "kind": "scale",
            "text": "How well does the image match the prompt?",
            "choices": [{"value": "", "text": text, "key": ""} for text in RATING],
        },
    ),
    "atom": (
        gettext_lazy("Part by part"),
        {"kind": "yes/no", "per": "yes", "text": "Does the image show this part of the prompt?"},
    ),
    "choice": (gettext_lazy("One of several"), {"kind": "choice", "text": ""}),
    "several": (gettext_lazy("Any of several"), {"kind": "several", "text": ""}),
    "count": (
        gettext_lazy("Number"),
        {"kind": "whole number", "text": "How many are there?", "least": "0", "most": "20"},
    ),
    "where": (
        gettext_lazy("Mark on the image"),
        {"kind": "mark", "text": "Mark where it is wrong.", "optional": "yes"},
    ),
    "comment": (
        gettext_lazy("Free text"),
        {"kind": "text", "text": "Anything else?", "optional": "yes"},
    ),
}
NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?")

Draft = dict[str, Any]


# ---- Definition <-> draft ------------------------------------------------------------------------


def draft_of(definition: Mapping[str, Any]) -> Draft:
    return {
        **{part: str(definition.get(part) or "") for part in HEAD},
        "notes": [str(note) for note in _list(definition.get("notes"))],
        "questions": [_question_draft(q) for q in _maps(definition.get("questions"))],
        "examples": [
            {
                "kind": kind,
                "prompt": str(example.get("prompt") or ""),
                "answers": "\n".join(map(_one_line, _list(example.get("answers")))),
                "thought": str(example.get("thought") or ""),
                "image": str(example.get("image") or ""),
            }
            for part, kind in (("examples", "example"), ("edge_cases", "edge case"))
            for example in _maps(definition.get(part))
        ],
        "translations": translation_drafts(definition.get("translations")),
        "translating": "",
    }


def definition_of(draft: Draft) -> dict[str, Any]:
    examples = [
        {
            "prompt": example["prompt"],
            "answers": [_lines_again(line) for line in example["answers"].split("\n") if line],
            "thought": example["thought"],
            "image": example["image"],
            "kind": example["kind"],
        }
        for example in draft["examples"]
    ]
    definition: dict[str, Any] = {part: draft[part] for part in HEAD if draft[part]}
    definition["questions"] = [_question_definition(q) for q in draft["questions"]]
    definition["notes"] = [note for note in draft["notes"] if note.strip()]
    for part, kind in (("examples", "example"), ("edge_cases", "edge case")):
        definition[part] = [
            {name: value for name, value in example.items() if name != "kind"}
            for example in examples
            if example["kind"] == kind
        ]
    if draft["translations"]:
        definition["translations"] = translation_definition(draft["translations"])
    return definition


def _question_draft(given: Mapping[str, Any]) -> Draft:
    rest = dict(given)
    choices = _maps(rest.pop("choices", ()))
    kind = _kind(rest.pop("kind", "choice"), choices, rest)
    draft: Draft = {
        "kind": kind,
        "choices": [
            {
                "value": "" if kind == "scale" else _value_text(choice.get("value")),
                "text": str(choice.get("text") or ""),
                "key": str(choice.get("key") or ""),
            }
            for choice in choices
            if kind != "yes/no"
        ],
        "when": [
            {
                "question": str(when.get("question") or ""),
                "one_of": _list(when.get("one_of")),
                "above": when.get("above"),
            }
            for when in _maps(rest.pop("when", ()))
        ],
        **{part: str(rest.pop(part, None) or "") for part in ("name", "text", "hint")},
        **{part: "yes" if rest.pop(part, None) else "" for part in TICKS},
        "least": "",
        "most": "",
    }
    if KINDS[kind] == "number":
        for part in ("least", "most"):
            if rest.get(part) is not None:
                draft[part] = _value_text(rest.pop(part))
    draft["rest"] = json.dumps(rest, ensure_ascii=False) if rest else ""
    return draft


def _kind(kind: Any, choices: Sequence[Mapping[str, Any]], rest: dict[str, Any]) -> str:
    """The page's name for it."""
    if kind == "number":
        return "whole number" if rest.pop("whole", None) else "number"
    if kind != "choice":
        return {"choices": "several"}.get(kind, kind if kind in KINDS else "choice")
    # 1.0 is another value than 1 where a form is hashed.
    values = json.dumps([choice.get("value") for choice in choices])
    if [dict(choice) for choice in choices] == YES_NO and values == "[1, 0]":
        return "yes/no"
    if choices and values == json.dumps(list(range(1, len(choices) + 1))):
        return "scale"
    return "choice"


def _question_definition(draft: Draft) -> dict[str, Any]:
    kind = draft["kind"]
    definition = _object(draft["rest"])
    definition |= {"name": draft["name"], "text": draft["text"], "kind": KINDS[kind]}
    if kind == "yes/no":
        definition["choices"] = [dict(choice) for choice in YES_NO]
    elif kind in WITH_CHOICES:
        definition["choices"] = [
            {
                "value": number if kind == "scale" else _value(choice["value"] or choice["text"]),
                "text": choice["text"],
                **({"key": choice["key"]} if choice["key"] else {}),
            }
            for number, choice in enumerate(draft["choices"], start=1)
            if any(choice.values())
        ]
    if KINDS[kind] == "number":
        definition |= {"whole": True} if kind == "whole number" else {}
        definition |= {part: _value(draft[part]) for part in ("least", "most") if draft[part]}
    if draft["hint"]:
        definition["hint"] = draft["hint"]
    for tick in TICKS:
        if draft[tick]:
            definition[tick] = "atom" if tick == "per" else True
    if draft["when"]:
        definition["when"] = [
            {
                "question": when["question"],
                **({"one_of": when["one_of"]} if when["one_of"] else {}),
                **({} if when["above"] is None else {"above": when["above"]}),
            }
            for when in draft["when"]
        ]
    return definition


# ---- Fields of the page <-> draft ----------------------------------------------------------------


def read_fields(post: Any) -> tuple[Draft, int | None]:
    """The draft in the fields that a page sent, and which question stands open."""
    draft: Draft = {part: _unix(post.get(part, "")) for part in HEAD}
    draft["notes"] = [_unix(note) for note in post.getlist("note")]
    draft["questions"] = [_sound(_object(text)) for text in post.getlist("question")][:QUESTIONS]
    columns = [post.getlist(f"example-{part}") for part in EXAMPLE]
    draft["examples"] = [
        dict(zip(EXAMPLE, map(_unix, row), strict=True)) for row in zip(*columns, strict=False)
    ]
    draft["translations"], draft["translating"] = read_translations(post)
    opened = post.get("open", "")
    number = int(opened) if opened.isdecimal() and len(opened) < 4 else None
    if number is None or number >= len(draft["questions"]):
        return draft, None
    draft["questions"][number] = _open_draft(post)
    return draft, number


def _open_draft(post: Any) -> Draft:
    columns = [post.getlist(f"choice-{part}") for part in ("value", "text", "key")]
    names = ("value", "text", "key")
    return _sound(
        {
            **{part: _unix(post.get(part, "")) for part in (*PLAIN, "kind", *TICKS)},
            "name": post.get("name", "").strip(),
            "choices": [
                dict(zip(names, map(str.strip, row), strict=True))
                for row in zip(*columns, strict=False)
            ],
            "when": _conditions([_object(text) for text in post.getlist("when")]),
        }
    )


def _conditions(ticked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ticks of one group are one condition."""
    groups: dict[str, dict[str, Any]] = {}
    for tick in ticked:
        key = str(tick.get("group"))
        when = groups.setdefault(
            key, {"question": str(tick.get("question")), "one_of": [], "above": None}
        )
        if "above" in tick:
            when["above"] = tick["above"]
        elif "value" in tick:
            when["one_of"].append(tick["value"])
    return list(groups.values())


def condition_ticks(draft: Draft, number: int) -> list[dict[str, Any]]:
    """What the question can depend on: each answer to each earlier question, as a tick box."""
    question = draft["questions"][number]
    ticks: list[dict[str, Any]] = []
    groups: dict[str, int] = {}
    for group, when in enumerate(question["when"]):
        groups[when["question"]] = group
        ticks += [
            _tick(draft, group, when["question"], True, value=value) for value in when["one_of"]
        ]
        if when["above"] is not None:
            ticks.append(_tick(draft, group, when["question"], True, above=when["above"]))
    there = [tick["value"] for tick in ticks]
    for earlier in draft["questions"][:number]:
        group = groups.setdefault(earlier["name"], len(groups) + len(question["when"]))
        more = [
            _tick(draft, group, earlier["name"], False, **part) for part in _answers_to(earlier)
        ]
        ticks += [tick for tick in more if tick["value"] not in there]
    return ticks


def _answers_to(question: Draft) -> Iterator[dict[str, Any]]:
    definition = _question_definition(question)
    if not question["name"]:
        return
    for choice in definition.get("choices", ()):
        yield {"value": choice["value"]}
    if question["cant_tell"]:
        yield {"value": CANT_TELL}
    if KINDS[question["kind"]] == "number":
        yield {"above": 0}


def _tick(draft: Draft, group: int, name: str, checked: bool, **part: Any) -> dict[str, Any]:
    if "above" in part:
        words = gettext("when %(question)s is above %(number)s") % {
            "question": name,
            "number": part["above"],
        }
    else:
        texts: dict[Any, str] = {}
        for question in draft["questions"]:
            if question["name"] == name:
                for choice in _question_definition(question).get("choices", ()):
                    texts[choice["value"]] = choice["text"]
        value = part["value"]
        said = texts.get(value, value) if isinstance(value, str | int | float) else value
        said = gettext("Can't tell") if value == CANT_TELL else said
        words = gettext("when %(question)s is %(answer)s") % {"question": name, "answer": said}
    value = json.dumps({"group": group, "question": name, **part}, ensure_ascii=False)
    return {"value": value, "words": words, "checked": checked}


def closed(question: Draft) -> str:
    """A question that is not being edited, for a hidden field."""
    return json.dumps(question, ensure_ascii=False)


def _sound(given: Mapping[str, Any]) -> Draft:
    """A draft with every part, whatever was sent."""
    kind = given.get("kind")
    choices = [
        {part: str(choice.get(part) or "") for part in ("value", "text", "key")}
        for choice in _maps(given.get("choices"))
    ]
    return {
        "kind": kind if kind in KINDS else "choice",
        **{part: str(given.get(part) or "") for part in (*PLAIN, *TICKS)},
        "choices": choices,
        "when": [
            {
                "question": str(when.get("question") or ""),
                "one_of": _list(when.get("one_of")),
                "above": when.get("above"),
            }
            for when in _maps(given.get("when"))
        ],
    }


# ---- Steps ---------------------------------------------------------------------------------------


def step(draft: Draft, opened: int | None, do: str) -> int | None:
    """Change the draft as a button says ("add likert", "up 2"); which question is open afterwards."""
    verb, _, rest = do.partition(" ")
    number = int(rest) if rest.isdecimal() and len(rest) < 4 else -1
    questions = draft["questions"]
    inside = 0 <= number < len(questions)
    if verb == "add" and rest in READY and len(questions) < QUESTIONS:
        questions.append(_new(rest, questions))
        return len(questions) - 1
    if verb == "open" and inside:
        return number
    if verb == "close":
        return None
    if verb == "remove" and inside:
        del questions[number]
        return None
    if verb == "duplicate" and inside and len(questions) < QUESTIONS:
        copy = _sound(json.loads(closed(questions[number])))
        copy["name"] = _free_name(copy["name"] or "question", questions)
        questions.insert(number + 1, copy)
        return number + 1
    other = number + {"up": -1, "down": 1}.get(verb, 0)
    if inside and other != number and 0 <= other < len(questions):
        questions[number], questions[other] = questions[other], questions[number]
        return {number: other, other: number}.get(opened, opened) if opened is not None else None
    if verb == "picture":
        _set_picture(draft["examples"], rest)
    _small_step(draft, opened, verb, number)
    return opened


def _set_picture(examples: list[Draft], rest: str) -> None:
    """`picture 2 KEY`: the third example shows this picture; without a key it shows none."""
    number, _, image = rest.partition(" ")
    if number.isdecimal() and len(number) < 4 and int(number) < len(examples):
        examples[int(number)]["image"] = image


def _small_step(draft: Draft, opened: int | None, verb: str, number: int) -> None:
    lists = {"note": draft["notes"], "example": draft["examples"]}
    news: dict[str, Any] = {
        "note": "",
        "example": dict.fromkeys(EXAMPLE, "") | {"kind": "example"},
        "choice": {"value": "", "text": "", "key": ""},
    }
    if opened is not None:
        lists["choice"] = draft["questions"][opened]["choices"]
    verb, _, what = verb.partition("-")
    if what not in lists:
        return
    if verb == "add":
        lists[what].append(news[what])
    elif verb == "remove" and 0 <= number < len(lists[what]):
        del lists[what][number]


def _new(ready: str, questions: list[Draft]) -> Draft:
    _, parts = READY[ready]
    empty = [{"value": "", "text": "", "key": ""} for _ in range(2)]
    return _sound({"choices": empty, **parts, "name": _free_name(ready, questions)})


def _free_name(wanted: str, questions: list[Draft]) -> str:
    taken = {question["name"] for question in questions}
    names = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
    return wanted if wanted not in taken else next(name for name in names if name not in taken)


# ---- What is wrong, at its field -----------------------------------------------------------------

FIELDS = (
    ("name", r"needs a name|twice; each|always means"),
    ("text", r"its text"),
    ("when", r"depends on|“above”|its conditions"),
    ("numbers", r"least|largest"),
    ("cant_tell", r"can.t tell"),
    ("choices", r"choice|its values|a key is|holds a \|"),
)


def place_of(sentence: str, draft: Draft) -> tuple[int | None, str]:
    """The question (or None) and the field that a sentence of `read_form` is about."""
    number = None
    if match := re.match(r"Question (\d+) ", sentence):
        number = int(match[1]) - 1
    elif match := re.match(r"Question “([^”]*)”", sentence):
        names = [question["name"] for question in draft["questions"]]
        if match[1] in names:
            number = len(names) - 1 - names[::-1].index(match[1])
    if number is None:
        return None, "title" if sentence.startswith("The title") else ""
    field = next((name for name, words in FIELDS if re.search(words, sentence)), "")
    return number, field


# ---- Small parts ---------------------------------------------------------------------------------


def name_questions(draft: Draft) -> None:
    """A question without a name gets one from its words, so that nobody must think of one."""
    for question in draft["questions"]:
        if not question["name"].strip():
            words = re.sub(r"[^a-z0-9]+", "-", question["text"].lower()).strip("-0123456789")
            short = "-".join(words.split("-")[:3])[:40].strip("-")
            if NAME.fullmatch(short):
                question["name"] = _free_name(short, draft["questions"])


def _value(text: str) -> Any:
    if NUMBER.fullmatch(text):
        try:
            return json.loads(text)
        except ValueError:  # 007 is a word.
            return text
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    return text


def _value_text(value: Any) -> str:
    """A word that looks like a number, or stands in quotes, gets quotes."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value)
    return value if _value(value) == value else f'"{value}"'


def _one_line(text: Any) -> str:
    return str(text).replace("\\", "\\\\").replace("\n", "\\n")


def _lines_again(line: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], line)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")


def _list(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else []


def _maps(given: Any) -> list[Mapping[str, Any]]:
    return [part for part in _list(given) if isinstance(part, Mapping)]


def _object(text: str) -> dict[str, Any]:
    try:
        given = load_json(text) if text else {}
    except Unsound:
        return {}
    return given if isinstance(given, dict) else {}
