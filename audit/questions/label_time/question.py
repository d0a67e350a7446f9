"""How long do people take by generator?"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Annotation, Study
from annotations.stored_answers.question import NoParameters, Question
from annotations.studies.queries import drawn_with
from audit.reports.options import RESAMPLES, SEED, sign
from jurybox_stats import enough
from jurybox_stats.estimate import Result
from jurybox_stats.resampling.medians import median

INTERVAL = "95 %, percentiles of resamples that draw whole prompts"
NO_TIME = "No answer has a time yet. Imported answers and those of simulated people have none."


def label_time(study: Study, parameters: NoParameters) -> dict[str, Any]:
    """Of answers that count, by people who are not simulated."""
    rows = Annotation.objects.filter(
        study=study,
        state=Annotation.State.COUNTED,
        seconds__gt=0,
        annotator__simulated=False,
    ).order_by("image__prompt__key", "pk")
    drawn = drawn_with(study)
    found = [
        (generator, drawn.get(prompt, prompt), seconds)
        for generator, prompt, seconds in rows.values_list(
            "image__generator_id", "image__prompt__key", "seconds"
        )
    ]
    if not found:
        raise Refused(NO_TIME)
    generator, prompt, seconds = map(np.array, zip(*found, strict=True))
    named = study.generators.order_by("release_date", "name").values_list(
        "pk", "name", "release_date"
    )
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "all": _median(seconds, prompt),
        "generators": [
            {
                "name": name,
                "release_date": released and released.isoformat(),
                "seconds": _median(seconds[generator == pk], prompt[generator == pk]),
            }
            for pk, name, released in named
        ],
        "signature": sign(hashlib.sha256(repr(found).encode()).hexdigest(), INTERVAL),
    }


def _median(seconds: np.ndarray, prompts: np.ndarray) -> dict[str, Any]:
    found: Result = enough.too_few(seconds.size, what="answers")
    if seconds.size >= enough.IMAGES:
        found = median(seconds, prompts, resamples=RESAMPLES, seed=SEED)
    return found.as_dict()


LABEL_TIME = Question(name="label-time", compute=label_time)
QUESTIONS = (LABEL_TIME,)
