"""`manage.py answer QUESTION --study STUDY`: the answer of any question that has exhibits."""

from pathlib import Path

from annotations.errors import Refused
from annotations.management.command import PlainCommand, as_json, pairs, study_called, write_file
from annotations.models import Study
from annotations.stored_answers.store import answer_at_once
from audit.doors.document import document_of
from audit.doors.files import as_text
from audit.doors.registry import (
    exhibits_called,
    parameter_names,
    read_parameters,
    show_body,
)
from audit.exhibits import Body, Exhibits
from audit.handed_in.formats import HANDED_IN, write_beside
from audit.pages.tables import as_csv

KINDS = {".pdf": "pdf", ".html": "html", ".tex": "latex"}


class Command(PlainCommand):
    help = "Answer a question about a study, in text, as JSON or CSV, or as a document."

    def arguments(self, add) -> None:
        add("question", "its name, as in the address of its page", metavar="QUESTION")
        add("--study", "the study's short name", required=True, metavar="STUDY")
        add.many("--set", "a choice that the question has", metavar="NAME=VALUE")
        add.json()
        add.flag("--csv", "one row for each number")
        add(
            "--out", "a document, by the ending of the file", type=Path, metavar="FILE.pdf|html|tex"
        )

    def handle(self, *, question, study, set, json, csv, out, **options) -> str:
        exhibits, study = exhibits_called(question), study_called(study)
        given = pairs(set, "--set", "NAME=VALUE", "name=value")
        if strange := given.keys() - parameter_names(exhibits):
            raise Refused(f"“{question}” has no choice “{min(strange)}”.")
        if out is not None and out.suffix.lower() not in KINDS:
            raise Refused(f"{out.name}: a document ends in {', '.join(KINDS)}.")
        parameters = read_parameters(exhibits, study, given)
        answer = answer_at_once(exhibits.question, study, parameters)
        body = show_body(exhibits, study, answer.body or {}, given)
        made = f"{answer.computed_at:%Y-%m-%d}"
        return show_answer(exhibits, body, study, made=made, out=out, json=json, csv=csv)


def show_answer(
    exhibits: Exhibits,
    body: Body,
    study: Study,
    *,
    made: str,
    out: Path | None,
    json: bool,
    csv: bool = False,
) -> str:
    if out is not None:
        kind = KINDS[out.suffix.lower()]
        document = document_of(exhibits, body, study, made=made)
        write_beside(document, kind, out)
        write_file(out, HANDED_IN[kind](document))
        return f"Written to {out}."
    if json:
        return as_json(body)
    return as_csv(body, exhibits.tables(body)).rstrip() if csv else as_text(exhibits, body)
