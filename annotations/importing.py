"""Any source of neutral records -> prompts, generators, images, labels: the one writer of imports.

Rows are written in batches, each whole or not at all. What is there already and equal is counted
as unchanged; what cannot be taken is refused by row, with its place, and stops nothing else.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotations import assigning
from annotations.errors import ImportRefused
from annotations.models import (
    Annotation,
    Answer,
    Assignment,
    Atom,
    Generator,
    Image,
    Membership,
    Prompt,
    Study,
)
from annotations.picture import store_picture
from annotations.records import (
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptRecord,
)
from annotations.signals import labels_changed

BATCH = 500
T = TypeVar("T")


@dataclass(slots=True)
class Outcome:
    """What an import did; the keys of `import_* --json`."""

    prompts: int = 0
    atoms: int = 0
    images: int = 0
    generators: int = 0
    annotations: int = 0
    answers: int = 0
    unchanged: int = 0
    rejected: list[dict[str, Any]] = field(default_factory=list)

    def reject(self, *, line: int, field: str, value: object, reason: str) -> None:
        self.rejected.append({"line": line, "field": field, "value": value, "reason": reason})


def import_prompts(*, study: Study, records: Iterable[PromptRecord], outcome: Outcome) -> None:
    for batch in _batches(records):
        with transaction.atomic():
            known = set(
                Prompt.objects.filter(study=study, key__in=[r.key for r in batch]).values_list(
                    "key", flat=True
                )
            )
            new = [r for r in batch if r.key not in known]
            outcome.unchanged += len(batch) - len(new)
            prompts = Prompt.objects.bulk_create(
                Prompt(
                    study=study,
                    key=r.key,
                    text=r.text,
                    tags=list(r.tags),
                    atomicity=r.atomicity,
                    metadata=r.metadata,
                )
                for r in new
            )
            atoms = Atom.objects.bulk_create(
                Atom(
                    prompt=prompt,
                    index=atom.index,
                    kind=atom.kind,
                    text=atom.text,
                    question=atom.question,
                    expected=atom.expected,
                    parents=list(atom.parents),
                )
                for prompt, r in zip(prompts, new, strict=True)
                for atom in r.atoms
            )
            outcome.prompts += len(prompts)
            outcome.atoms += len(atoms)


@transaction.atomic
def import_generators(
    *, study: Study, records: Iterable[GeneratorRecord], outcome: Outcome
) -> None:
    for record in records:
        generator, created = Generator.objects.get_or_create(
            study=study,
            name=record.name,
            defaults={
                "release_date": record.release_date,
                "family": record.family,
                "note": record.note,
            },
        )
        outcome.generators += created
        outcome.unchanged += not created
        if not created and record.release_date and generator.release_date is None:
            generator.release_date = record.release_date
            generator.save(update_fields=["release_date"])


def import_images(*, study: Study, records: Iterable[ImageRecord], outcome: Outcome) -> None:
    prompts = dict(Prompt.objects.filter(study=study).values_list("key", "pk"))
    generators = dict(Generator.objects.filter(study=study).values_list("name", "pk"))
    line = 0
    for batch in _batches(records):
        known = set(
            Image.objects.filter(study=study, key__in=[r.key for r in batch]).values_list(
                "key", flat=True
            )
        )
        new = []
        for record in batch:
            line += 1
            if record.key in known:
                outcome.unchanged += 1
                continue
            image = _image(study, record, prompts, generators, line, outcome)
            if image is not None:
                known.add(record.key)
                new.append(image)
        # Files first, rows after: a row never points to a file that is not there.
        with transaction.atomic():
            outcome.images += len(Image.objects.bulk_create(new))


def _image(
    study: Study,
    record: ImageRecord,
    prompts: dict[str, int],
    generators: dict[str, int],
    line: int,
    outcome: Outcome,
) -> Image | None:
    for name, value, known in (
        ("prompt_id", record.prompt, prompts),
        ("generator", record.generator, generators),
    ):
        if value not in known:
            outcome.reject(
                line=line, field=name, value=value, reason=f"The study has no such {name}."
            )
            return None
    image = Image(
        study=study,
        prompt_id=prompts[record.prompt],
        generator_id=generators[record.generator],
        key=record.key,
        variant=record.variant,
        sample=record.sample,
        metadata=record.metadata,
        place=assigning.seeded_place(study.slug, record.key),
    )
    if record.content is not None:
        try:
            stored = store_picture(record.content, name=record.key)
        except ImportRefused as error:
            outcome.reject(line=line, field="file", value=record.key, reason=error.message)
            return None
        image.file, image.sha256 = stored.file, stored.sha256
        image.width, image.height = stored.width, stored.height
    return image


def import_labels(
    *, study: Study, records: Iterable[LabelRecord], outcome: Outcome, simulated: bool = False
) -> None:
    """Rows of one person about one image become one annotation; they may stand anywhere."""
    images = {
        key: (pk, prompt)
        for key, pk, prompt in Image.objects.filter(study=study).values_list(
            "key", "pk", "prompt_id"
        )
    }
    atoms = {
        (prompt, index): pk
        for pk, prompt, index in Atom.objects.filter(prompt__study=study).values_list(
            "pk", "prompt_id", "index"
        )
    }
    people = {m.name: m for m in Membership.objects.filter(study=study)}
    line = 0
    for batch in _batches(records, size=4 * BATCH):
        grouped: dict[tuple[int, str], list[LabelRecord]] = defaultdict(list)
        atom_of: dict[int, int | None] = {}
        for record in batch:
            line += 1
            if record.image not in images:
                outcome.reject(
                    line=line,
                    field="image_id",
                    value=record.image,
                    reason="The study has no such image.",
                )
                continue
            pk, prompt = images[record.image]
            if record.atom is not None and (prompt, record.atom) not in atoms:
                outcome.reject(
                    line=line,
                    field="atom",
                    value=record.atom,
                    reason="The prompt of this image has no such atom.",
                )
                continue
            atom_of[id(record)] = None if record.atom is None else atoms[prompt, record.atom]
            grouped[pk, record.rater].append(record)
        with transaction.atomic():
            _write_labels(study, grouped, atom_of, people, outcome, simulated)
    labels_changed.send(sender=Study, study_id=study.pk)


def _write_labels(
    study: Study,
    grouped: dict[tuple[int, str], list[LabelRecord]],
    atom_of: dict[int, int | None],
    people: dict[str, Membership],
    outcome: Outcome,
    simulated: bool,
) -> None:
    for _, rater in grouped:
        if rater not in people:
            people[rater] = Membership.objects.create(study=study, name=rater, simulated=simulated)
    images = {image for image, _ in grouped}
    existing = {
        (a.image_id, a.annotator_id): a
        for a in Annotation.objects.filter(study=study, image__in=images)
    }
    new = []
    for (image, rater), records in grouped.items():
        person = people[rater]
        if (image, person.pk) not in existing:
            seconds = [r.seconds for r in records if r.seconds is not None]
            moments = [r.submitted_at for r in records if r.submitted_at is not None]
            annotation = Annotation(
                study=study,
                image_id=image,
                annotator=person,
                form_id=study.form_id,
                submission=uuid.uuid4(),
                seconds=seconds[0] if seconds else None,
                submitted_at=moments[0] if moments else timezone.now(),
            )
            existing[image, person.pk] = annotation
            new.append(annotation)
    Annotation.objects.bulk_create(new)
    Assignment.objects.bulk_create(
        Assignment(
            study=study,
            image_id=a.image_id,
            annotator_id=a.annotator_id,
            state=Assignment.State.ANSWERED,
        )
        for a in new
    )
    places: dict[int, int] = defaultdict(int)
    for annotation in new:
        places[annotation.image_id] += 1
    for count in set(places.values()):
        Image.objects.filter(pk__in=[i for i, n in places.items() if n == count]).update(
            taken=F("taken") + count
        )
    outcome.annotations += len(new)
    answered = set(
        Answer.objects.filter(annotation__in=[a.pk for a in existing.values()]).values_list(
            "annotation_id", "question", "atom_id"
        )
    )
    answers = []
    for (image, rater), records in grouped.items():
        annotation = existing[image, people[rater].pk]
        for record in records:
            place = (annotation.pk, record.question, atom_of[id(record)])
            if place in answered:
                outcome.unchanged += 1
                continue
            answered.add(place)
            number = isinstance(record.value, int | float)
            answers.append(
                Answer(
                    annotation=annotation,
                    question=record.question,
                    atom_id=atom_of[id(record)],
                    value=record.value if number else None,
                    text="" if number else record.value,
                )
            )
    Answer.objects.bulk_create(answers)
    outcome.answers += len(answers)


def _batches(records: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    iterator = iter(records)
    while batch := list(islice(iterator, size)):
        yield batch
