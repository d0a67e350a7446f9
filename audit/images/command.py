"""The filters of the data page as options of a command."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.db.models import QuerySet

from annotations.models import Image, Study
from annotations.stored_answers.store import answer_at_once
from audit.images import browse
from audit.images.browse import FLAGS, KNOWN, LABELS, SORTS, VARIANTS, Filters, NotThere
from audit.images.tally import TALLY

# option -> (name in an address, its values, help)
OPTIONS: dict[str, tuple[str, list[str] | None, str]] = {
    "words": ("q", None, "words that the prompt must hold"),
    "prompt": ("prompt", None, "the prompt with this id"),
    "tag": ("tag", None, "a tag of the prompt"),
    "generator": ("generator", None, "made by this generator"),
    "variant": ("variant", list(VARIANTS), "of the original or the rewritten prompt"),
    "flag": ("flag", list(FLAGS), "flagged"),
    "labels": ("labels", list(LABELS), "how many people have labelled it"),
    "answer": ("answer", None, "what people say: QUESTION:yes|no|draw or QUESTION:LOW-HIGH"),
    "split": ("split", None, "people differ about this question, or about “any”"),
    "judge": ("judge", None, "the judge that --min, --max and --sort score speak of"),
    "min": ("least", None, "its score at least"),
    "max": ("most", None, "its score at most"),
    "known": ("known", list(KNOWN), "gold questions or not"),
    "selection": ("selection", None, "the number of a selection"),
    "sort": ("sort", [name for name in SORTS if name], "the order; by image id without it"),
}


def add_filters(parser: Any) -> None:
    group = parser.add_argument_group("which images")
    for option, (_, values, words) in OPTIONS.items():
        more = {"choices": values} if values else {"metavar": option.upper()}
        group.add_argument(f"--{option}", help=words.replace("%", "%%"), default="", **more)


def filters(options: dict[str, Any]) -> Filters:
    given = {name: options[option] for option, (name, _, _) in OPTIONS.items()}
    try:
        made = Filters.from_query(given)
    except NotThere as error:
        raise CommandError("A selection is a number, as its address shows it.") from error
    for option, (name, _, _) in OPTIONS.items():
        if given[name] and not getattr(made, name):
            about = " (name the judge, too)" if name in ("least", "most") else ""
            raise CommandError(f"--{option} {given[name]} means nothing here{about}.")
    return made


def images(study: Study, options: dict[str, Any]) -> QuerySet[Image]:
    chosen = filters(options)
    if chosen.asks_people:
        answer_at_once(TALLY, study)
    try:
        return browse.images_of(study, chosen)
    except NotThere as error:
        raise CommandError(f"The study has no such {str(error).lower()}.") from error


def chosen_images(study: Study, options: dict[str, Any]) -> list[int]:
    return list(images(study, options).order_by("key").values_list("pk", flat=True))
