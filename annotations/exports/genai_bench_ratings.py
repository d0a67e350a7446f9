"""Ratings in GenAI-Bench's own layout, so that its evaluation scripts can read them.

`{id: {"id", "prompt", "models": {generator: [ratings]}}}`: the official scripts know one picture
per prompt and generator. Where there are more, the layout of the rankings is written:
`{generator: {"1": [ratings], …}}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from annotations.errors import Refused
from annotations.models import Answer, Study


def genai_bench(study: Study, *, question: str = "likert") -> Iterator[str]:
    answers = (
        Answer.objects.numbers_of(study, question)
        .order_by(
            "annotation__image__prompt__key",
            "annotation__image__generator__name",
            "annotation__image__sample",
            "annotation__annotator__name",
        )
        .values_list(
            "annotation__image__prompt__key",
            "annotation__image__prompt__text",
            "annotation__image__generator__name",
            "annotation__image__sample",
            "value",
        )
    )
    between = "{\n"
    for (key, text), of_prompt in groupby(answers.iterator(chunk_size=5000), lambda a: a[:2]):
        models: dict[str, Any] = {}
        for generator, given in groupby(of_prompt, lambda a: a[2]):
            samples: dict[int, list[float]] = {}
            for *_, sample, value in given:
                if value is not None:
                    rating = int(value) if value % 1 == 0 else value
                    samples.setdefault(sample, []).append(rating)
            models[generator] = (
                next(iter(samples.values()))
                if len(samples) == 1
                else {str(number): ratings for number, ratings in samples.items()}
            )
        entry = {"id": key, "prompt": text, "models": models}
        yield between + f"{json.dumps(key)}: {json.dumps(entry, ensure_ascii=False)}"
        between = ",\n"
    if between == "{\n":
        raise Refused(f"Nobody answered a question “{question}” in this study.")
    yield "\n}\n"
