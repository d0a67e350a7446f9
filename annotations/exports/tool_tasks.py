"""Labels as tools for labelling hold them: a task for each image, with what each person said of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from annotations.exports.image_chunks import image_chunks
from annotations.exports.labels import Rows
from annotations.models import Study
from jurybox_formats.forms.scales import CANT_TELL

Row = dict[str, Any]


class Task(NamedTuple):
    """`people`: each one's name and rows of labels."""

    image: str
    prompt: str
    generator: str
    file: str
    people: list[tuple[str, list[Row]]]


def tasks(study: Study, rows: Rows) -> Iterator[Task]:
    """Of the images that somebody labelled."""
    images = chain.from_iterable(image_chunks(study, "prompt__text", "generator__name", "file"))
    for image, of_image in groupby(rows, itemgetter("image_id")):
        # Both come in the order of the keys.
        _, prompt, generator, file = next(there for there in images if there[0] == image)
        people = [(rater, list(given)) for rater, given in groupby(of_image, itemgetter("rater"))]
        yield Task(image, prompt, generator, file, people)


def question_of(row: Row) -> str:
    """The question, with the part of the prompt that it is about."""
    question: str = row["question"]
    return question if row["atom"] == "" else f"{question}.{row['atom']}"


def choice_texts(study: Study) -> dict[str, ChoiceTexts]:
    return {question["name"]: ChoiceTexts(question) for question in study.form.questions}


class ChoiceTexts:
    """The texts of a question's choices, as people read them. `texts_of` is empty where an answer is none of
    its choices."""

    def __init__(self, question: dict[str, Any]) -> None:
        self.several = question.get("kind", "choice") == "choices"
        choices = question.get("choices", ())
        values = {plain(choice["value"]) for choice in choices}
        often = Counter(choice["text"].strip().lower() for choice in choices)
        self.texts = {}
        for choice in choices:
            text, value = choice["text"].strip(), choice["value"]
            # Only texts that lead back to their value, and to no other.
            leads = often[text.lower()] == 1 and "|" not in text
            if isinstance(value, str):
                self.texts[value] = text if leads and text not in values - {value} else value
            elif leads and not self.several:
                self.texts[plain(value)] = text

    def texts_of(self, value: Any) -> list[str]:
        if value == CANT_TELL:
            return [CANT_TELL] if self.texts else []
        given = str(value).split("|") if self.several else [plain(value)]
        texts = [self.texts.get(one) for one in given]
        return [text for text in texts if text] if all(texts) else []


def plain(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"
