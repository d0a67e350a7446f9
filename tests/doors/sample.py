"""A small study that goes out to other tools and comes back: each kind of answer, of three people."""

from __future__ import annotations

import uuid
import zipfile
from collections import Counter
from pathlib import Path

from django.utils import timezone

from annotations.exports.labels import label_rows
from annotations.forms.versions import publish_form
from annotations.models import Annotation, Study
from judges.exports.tables import ExportOptions, stream
from jurybox_formats.forms.definition import Choice, Form, Question
from tests import making

FORM = Form(
    "doors",
    "Doors",
    "",
    (
        Question("fit", "Does it fit?", (Choice(1, "Yes"), Choice(0, "No"))),
        Question("stars", "How good?", (Choice(1, "Bad"), Choice(2, "Fair"), Choice(3, "Good"))),
        Question(
            "seen",
            "What is there?",
            (Choice("r", "Red"), Choice("c", "Circle"), Choice("s", "Sky")),
            kind="choices",
        ),
        Question("count", "How many?", kind="number"),
        Question("remark", "Anything else?", kind="text", optional=True),
        Question("atom", "Is it there?", (Choice(1, "Yes"), Choice(0, "No")), per="atom"),
    ),
)
GIVEN = {
    "early-0": {
        "ann": {"fit": 1, "stars": 3, "seen": "r|c", "count": 2, "remark": "fine, “really”"},
        "ben": {"fit": 0, "stars": 1, "seen": "s", "count": 0.5, "remark": ""},
    },
    "early-1": {"ann": {"fit": 0, "stars": 2, "seen": "c", "count": 12, "remark": "两个圆"}},
    "late-0": {"cleo": {"fit": 1, "stars": 3, "seen": "r|c|s", "count": 1, "remark": ""}},
}


# Its answers, those about parts of prompts included.
SENT = 26


def study(slug: str = "doors", *, answered: bool = True) -> Study:
    made = making.study(slug)
    made.form = publish_form(FORM)
    made.save()
    if answered:
        _answer(made)
    return made


def _answer(made: Study) -> None:
    people: dict = {}
    for key, given in GIVEN.items():
        for name, answers in given.items():
            person = people.get(name) or people.setdefault(name, making.person(made, name))
            annotation = Annotation.objects.create(
                study=made,
                image=made.images.get(key=key),
                annotator=person,
                form=made.form,
                submission=uuid.uuid4(),
                submitted_at=timezone.now(),
            )
            for question, value in answers.items():
                if value != "":
                    is_text = isinstance(value, str)
                    annotation.answers.create(
                        question=question,
                        value=None if is_text else value,
                        text=value if is_text else "",
                    )
            for atom in annotation.image.prompt.atoms.all():
                value = (answers["fit"] + atom.index) % 2
                annotation.answers.create(question="atom", atom=atom, value=value)


def rows(made: Study, people: str = "nobody") -> set[tuple]:
    """Its labels, without the times that no tool keeps."""
    named = ("image_id", "rater", "question", "value", "atom")
    return {tuple(row[name] for name in named) for row in label_rows(made, people=people)}


def answers(made: Study) -> Counter:
    """What was answered of which image, whoever is called how; several choices in their order of letters."""
    return Counter(
        (image, question, "|".join(sorted(str(value).split("|"))), atom)
        for image, _, question, value, atom in rows(made)
    )


def export(made: Study, out: Path, what: str = "labels", **options) -> Path:
    asked = ExportOptions(what, **options)
    out.write_bytes(b"".join(stream(made, asked)))
    return out


def unzip(file: Path) -> Path:
    folder = file.with_suffix("")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder
