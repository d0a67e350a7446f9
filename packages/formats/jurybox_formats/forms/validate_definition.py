"""Turns a form's definition, as an owner wrote it or as it was stored, into a `Form`.

All mistakes are reported at once, with a sentence for each.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from jurybox_formats.forms.definition import (
    KINDS,
    Choice,
    Condition,
    Example,
    Form,
    Question,
    Translation,
    Wording,
)
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.forms.translations import (
    LANGUAGE_NAMES,
    placeholders,
    source_texts,
    texts_of_choices,
)
from jurybox_formats.sources.errors import FormRefused


def N_(text: str) -> str:
    """The text itself, which whoever collects messages finds by this name, and whoever shows it translates."""
    return text


NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")
QUESTIONS, CHOICES, LONGEST = 60, 40, 2000
LARGEST = 10**12
# What these names mean in the API, the CSV files and the reports, but where a file has brought its own.
MEANINGS = {
    "aligned": ({0, 1}, N_("yes/no")),
    "quality": ({0, 1}, N_("yes/no")),
    "atom": ({0, 1}, N_("yes/no")),
    "likert": ({1, 2, 3, 4, 5}, N_("a scale from 1 to 5")),
}
# The parts of a form that hold examples, by what a sentence calls one; as a page says them.
EXAMPLES = {
    N_("example"): (N_("The examples"), N_("An example")),
    N_("edge case"): (N_("The edge cases"), N_("An edge case")),
}
PARTS = {
    "form": {"slug", "title", "source", "questions", "introduction", "notes", "examples"}
    | {"edge_cases", "translations"},
    "question": {"name", "text", "choices", "kind", "hint", "per", "objects", "when", "wordings"}
    | {"optional", "least", "most", "whole", "with_prompt", "cant_tell"},
    "translation": {"by", "texts"},
}


def read_form(definition: Any, *, own: Container[str] = ()) -> Form:
    """FormRefused, with a sentence for each mistake, if it is not a valid form. `own`: names that mean in
    this study what its file has given them."""
    wrong: list[str] = []
    form = _Reader(wrong, own).form(definition)
    if wrong or form is None:
        raise FormRefused(wrong)
    return form


class _Reader:
    def __init__(self, wrong: list[str], own: Container[str]) -> None:
        self.wrong = wrong
        self.own = own

    def form(self, given: Any) -> Form | None:
        if not isinstance(given, Mapping):
            self.wrong.append("A form is an object with a title and questions.")
            return None
        if _unprintable(given):
            self.wrong.append("The form contains characters that are not text.")
            return None
        self._unknown(given, "form", N_("The form"))
        title = self._text(given.get("title"), N_("The title"), 200)
        slug = str(given.get("slug") or _slug(title))
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,79}", slug):
            self.wrong.append(
                f"The form is called “{slug[:80]}”; write small letters, digits and -, 80 at most."
            )
        listed = given.get("questions")
        if not isinstance(listed, list) or not listed:
            self.wrong.append("The form has no question yet.")
            return None
        if len(listed) > QUESTIONS:
            self.wrong.append(f"The form has {len(listed)} questions; {QUESTIONS} are allowed.")
            return None
        questions: list[Question] = []
        for number, definition in enumerate(listed, start=1):
            question = self._question(definition, number, questions)
            if question:
                questions.append(question)
        form = Form(
            slug=slug,
            title=title,
            source=str(given.get("source") or ""),
            questions=tuple(questions),
            introduction=str(given.get("introduction") or ""),
            notes=tuple(str(note) for note in self._list(given.get("notes"), N_("The notes"))),
            examples=self._examples(given.get("examples"), "example"),
            edge_cases=self._examples(given.get("edge_cases"), "edge case"),
        )
        # Of a form that is wrong nobody knows which texts it lacks.
        if self.wrong or not given.get("translations"):
            return form
        return replace(form, translations=self._translations(given["translations"], form))

    def _question(self, given: Any, number: int, before: list[Question]) -> Question | None:
        place = f"Question {number}"
        if not isinstance(given, Mapping):
            self.wrong.append(f"{place} is not an object with a name and a text.")
            return None
        name = given.get("name")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            self.wrong.append(
                f"{place} needs a name of small letters, digits, - and _, beginning with a "
                f"letter; “{str(name)[:60]}” is none."
            )
            return None
        place = N_(f"Question “{name}”")
        if any(name == question.name for question in before):
            self.wrong.append(f"{place} is in the form twice; each question needs its own name.")
        self._unknown(given, "question", place)
        kind = given.get("kind", "choice")
        if kind not in KINDS:
            self.wrong.append(f"{place} is of the kind “{kind}”; write {', '.join(KINDS)}.")
            return None
        choices = self._choices(given.get("choices"), kind, place)
        per = given.get("per", "")
        if per not in ("", "atom"):
            self.wrong.append(f"{place} can be asked per atom, not per “{per}”.")
        question = Question(
            name=name,
            text=self._text(given.get("text"), f"{place}: {N_('its text')}", LONGEST),
            choices=choices,
            kind=kind,
            hint=str(given.get("hint") or ""),
            per=per if isinstance(per, str) else "",
            objects=self._objects(given.get("objects"), place),
            when=self._conditions(given.get("when"), before, place),
            wordings=self._wordings(given.get("wordings"), kind, place),
            optional=given.get("optional") is True,
            least=self._bound(given.get("least"), f"{place}: {N_('its least number')}"),
            most=self._bound(given.get("most"), f"{place}: {N_('its largest number')}"),
            whole=given.get("whole") is True,
            with_prompt=given.get("with_prompt") is True,
            cant_tell=given.get("cant_tell") is True,
        )
        least, most = question.least, question.most
        if least is not None and most is not None and least > most:
            self.wrong.append(f"{place}: its least number is larger than its largest.")
        if question.kind == "mark" and question.per:
            self.wrong.append(f"{place} marks the image, so it is asked once for each image.")
        self._can_offer_cant_tell(question, place)
        self._keeps_its_meaning(question, place)
        return question

    def _choices(self, given: Any, kind: str, place: str) -> tuple[Choice, ...]:
        if kind in ("number", "text", "mark"):
            if given:
                self.wrong.append(f"{place} takes a {kind}, so it has no choices.")
            return ()
        if not isinstance(given, list) or not 2 <= len(given) <= CHOICES:
            self.wrong.append(f"{place} needs 2 to {CHOICES} choices.")
            return ()
        choices: list[Choice] = []
        for definition in given:
            choice = self._choice(definition, kind, place)
            if choice is None:
                return ()
            choices.append(choice)
        for what, values in (
            ("value", [choice.value for choice in choices]),
            ("text", [choice.text for choice in choices]),
            ("key", [choice.key for choice in choices if choice.key]),
        ):
            if len(set(values)) != len(values):
                self.wrong.append(f"{place}: two of its choices have the same {what}.")
        if len({isinstance(choice.value, str) for choice in choices}) > 1:
            self.wrong.append(f"{place}: its values are all numbers or all words, not both.")
        return tuple(choices)

    def _choice(self, given: Any, kind: str, place: str) -> Choice | None:
        given = given if isinstance(given, Mapping) else {}
        value, text = given.get("value"), given.get("text")
        number = _is_number(value)
        word = isinstance(value, str) and 0 < len(value.strip()) <= 60
        if not (number or word) or not isinstance(text, str) or not text.strip():
            self.wrong.append(f"{place}: a choice has a value (a number or a word) and a text.")
            return None
        if word and kind == "choices" and "|" in value:
            self.wrong.append(f"{place}: the value “{value}” holds a |, which separates values.")
            return None
        key = given.get("key", "")
        if not isinstance(key, str) or (key and not re.fullmatch(r"[a-z0-9]", key)):
            self.wrong.append(f"{place}: a key is one small letter or one digit, not “{key}”.")
            return None
        return Choice(value, text.strip()[:LONGEST], key)

    def _conditions(self, given: Any, before: list[Question], place: str) -> tuple[Condition, ...]:
        conditions = []
        earlier = {question.name: question for question in before}
        for definition in self._list(given, f"{place}: {N_('its conditions')}"):
            condition = definition if isinstance(definition, Mapping) else {}
            other = condition.get("question")
            if not isinstance(other, str) or other not in earlier:
                self.wrong.append(
                    f"{place} depends on “{other}”, which is not a question before it."
                )
                continue
            above = condition.get("above")
            one_of = self._list(condition.get("one_of"), f"{place}: “one_of”")
            if any(not isinstance(value, str) and not _is_number(value) for value in one_of):
                self.wrong.append(f"{place} depends on an answer that is neither word nor number.")
                continue
            allowed = [choice.value for choice in earlier[other].choices]
            allowed += [CANT_TELL] if earlier[other].cant_tell else []
            strange = [value for value in one_of if allowed and value not in allowed]
            if strange:
                self.wrong.append(
                    f"{place} depends on the answer “{strange[0]}” to “{other}”, which is none of "
                    "its choices."
                )
            elif not one_of and above is None:
                self.wrong.append(f"{place} depends on “{other}”, but not on which answer.")
            elif above is not None and not _is_number(above):
                self.wrong.append(f"{place}: “above” needs a number, not “{above}”.")
            conditions.append(Condition(other, tuple(one_of), above))
        return tuple(conditions)

    def _wordings(self, given: Any, kind: str, place: str) -> tuple[Wording, ...]:
        return tuple(
            Wording(
                tuple(
                    str(tag)
                    for tag in self._list(wording.get("tags"), f"{place}: {N_('the tags')}")
                ),
                self._text(wording.get("text"), f"{place}: {N_('a wording')}", LONGEST),
                self._choices(wording.get("choices"), kind, place),
            )
            for wording in self._list(given, f"{place}: {N_('its wordings')}")
            if isinstance(wording, Mapping)
        )

    def _objects(self, given: Any, place: str) -> tuple[int, ...]:
        objects = tuple(self._list(given, f"{place}: {N_('its objects')}"))
        if any(not isinstance(number, int) or not 0 <= number < 20 for number in objects):
            self.wrong.append(f"{place}: its objects are numbers from 0.")
            return ()
        return objects

    def _examples(self, given: Any, what: str) -> tuple[Example, ...]:
        examples, (all_of_them, one) = [], EXAMPLES[what]
        for example in self._list(given, all_of_them):
            if not isinstance(example, Mapping) or not example.get("prompt"):
                self.wrong.append(f"An {what} has a prompt, answers and a thought.")
                continue
            answers = tuple(
                str(answer)
                for answer in self._list(example.get("answers"), f"{one}: {N_('its answers')}")
            )
            thought, image = str(example.get("thought") or ""), str(example.get("image") or "")
            examples.append(Example(str(example["prompt"]), answers, thought, image))
        return tuple(examples)

    def _translations(self, given: Any, form: Form) -> tuple[Translation, ...]:
        if not isinstance(given, Mapping):
            self.wrong.append("“translations” has an object for each language, such as “de”.")
            return ()
        names = LANGUAGE_NAMES
        for language in sorted(set(given) - set(names)):
            self.wrong.append(
                f"There is no page in “{str(language)[:60]}”; write {', '.join(names)}."
            )
        # In the order of languages and texts, which a database does not keep.
        return tuple(
            self._translation(language, N_(f"The {name} translation"), given[language], form)
            for language, name in names.items()
            if language in given
        )

    def _translation(self, language: str, place: str, given: Any, form: Form) -> Translation:
        texts = given.get("texts") if isinstance(given, Mapping) else None
        if not isinstance(texts, Mapping):
            self.wrong.append(f"{place} needs “texts”, each under the text that it translates.")
            return Translation(language, ())
        self._unknown(given, "translation", place)
        by = given.get("by", "")
        if not isinstance(by, str) or len(by) > 80:
            self.wrong.append(f"{place}: “by” is a name of at most 80 characters.")
        sources = source_texts(form)
        for source in sorted(set(texts) - set(sources)):
            self.wrong.append(
                f"{place} has words for “{source[:60]}”, which the form does not say."
            )
        done: dict[str, str] = {
            source: text
            for source in sources
            if isinstance(text := texts.get(source), str) and text.strip()
        }
        lacking = [source for source in sources if source not in done]
        if lacking:
            self.wrong.append(
                f"{place} is not finished: it has no words for {len(lacking)} of {len(sources)} texts, "
                f"the first is “{lacking[0][:60]}”."
            )
        for source, text in done.items():
            if len(text) > LONGEST:
                self.wrong.append(
                    f"{place}: a text has {len(text)} characters; {LONGEST} are allowed."
                )
            if placeholders(source) != placeholders(text):
                self.wrong.append(
                    f"{place} of “{source[:60]}” must name the same of [OBJECT], [OBJECT A] and "
                    "[OBJECT B] as the source."
                )
        for choices in texts_of_choices(form):
            words = [done.get(text, text) for text in choices]
            if len(set(words)) != len(words):
                self.wrong.append(f"{place} says the same for two choices of a question.")
        return Translation(language, tuple(done.items()), str(by))

    def _can_offer_cant_tell(self, question: Question, place: str) -> None:
        if not question.cant_tell:
            return
        if question.kind != "choice":
            self.wrong.append(f"{place}: only a question with one choice can offer “can't tell”.")
        if any(choice.value == CANT_TELL for choice in question.choices):
            self.wrong.append(f"{place} has “{CANT_TELL}” twice; remove it from the choices.")

    def _keeps_its_meaning(self, question: Question, place: str) -> None:
        values, words = MEANINGS.get(question.name, (None, ""))
        given = {choice.value for choice in question.choices}
        if values is None or question.name in self.own:
            return
        if question.kind != "choice" or given != values:
            self.wrong.append(
                f"{place}: “{question.name}” always means {words} in Jurybox; give this question "
                "another name."
            )

    def _list(self, given: Any, what: str) -> list[Any]:
        if given is None or isinstance(given, list):
            return given or []
        self.wrong.append(f"{what} must be a list.")
        return []

    def _bound(self, given: Any, what: str) -> float | None:
        if given is None:
            return None
        if not _is_number(given):
            self.wrong.append(f"{what} must be a number, not “{str(given)[:60]}”.")
            return None
        return given

    def _text(self, given: Any, what: str, longest: int) -> str:
        if not isinstance(given, str) or not given.strip():
            self.wrong.append(f"{what} is missing.")
            return ""
        if len(given) > longest:
            self.wrong.append(f"{what} has {len(given)} characters; {longest} are allowed.")
        return given.strip() if longest == 200 else given

    def _unknown(self, given: Mapping, part: str, place: str) -> None:
        for name in sorted(set(given) - PARTS[part]):
            self.wrong.append(f"{place} has a “{name}”, which is unknown.")


def _is_number(given: Any) -> bool:
    """Only numbers that databases, files and reports all keep exactly."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    return number and -LARGEST < given < LARGEST


def _unprintable(given: Any) -> bool:
    if isinstance(given, str):
        return any(ord(letter) < 32 and letter not in "\n\t" for letter in given) or bool(
            re.search("[\ud800-\udfff]", given)
        )
    if isinstance(given, Mapping):
        return any(_unprintable(part) for both in given.items() for part in both)
    return isinstance(given, list) and any(map(_unprintable, given))


def _slug(title: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"own-{words}"[:80].rstrip("-") or "own"
