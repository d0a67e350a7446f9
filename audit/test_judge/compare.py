"""A published set's file and a judge's beside each other, whichever set it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotations.errors import Refused
from audit.test_judge.checks import is_checklist, read_answers, read_checks
from audit.test_judge.choices import read_choices
from audit.test_judge.pairs import read_pairs
from audit.test_judge.place import place_judge
from audit.test_judge.place_rated import place_checks, place_scores
from audit.test_judge.rated_images import rated_set, read_ratings, read_scores
from jurybox_formats.sources.records import Unreadable


def compare_files(known: Path, judge: Path) -> dict[str, Any]:
    try:
        if name := rated_set(known):
            return place_scores(name, read_ratings(known, name), read_scores(judge, name))
        if is_checklist(known):
            return place_checks(read_checks(known), read_answers(judge))
    except Unreadable as error:
        raise Refused(error.message) from error
    name, pairs = read_pairs(known)
    return place_judge(name, pairs, read_choices(judge))
