"""Makes a repaired image and a control for each confirmed finding, and brings both into the study as any
import does. The control is made always: images that a judge found wrong score higher the second time by
chance alone, and only what a repair gains above another try is the repair's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from annotations.errors import Refused, StudyRefused
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Image, Study
from audit.models import Finding
from audit.repairs.painters import Painter, new_seed
from jurybox_formats.sources.records import GeneratorRecord, ImageRecord, Record

REPAIRED, CONTROL = "repaired", "control"
ARMS = (REPAIRED, CONTROL)


@dataclass(frozen=True, slots=True)
class MadePicture:
    images: int
    known: int  # findings whose images were there already


def enforce(
    *,
    study: Study,
    findings: Sequence[Finding],
    painter: Painter,
    advance: Callable[[], object] = lambda: None,
    is_checked: bool = False,
) -> MadePicture:
    """`is_checked`: first the painter must draw one of the images again from its seed."""
    there = set(study.images.filter(metadata__has_key="parent").values_list("key", flat=True))
    todo = [
        one
        for one in findings
        if not {key_of(one.image, arm) for arm in ARMS} <= there
        and "parent" not in one.image.metadata
    ]
    if is_checked and todo:
        painter.check(todo[0].image)
    outcome = Outcome()
    makers = {one.image.generator for one in todo}
    generators = (
        GeneratorRecord(
            name=f"{maker.name} + {arm}",
            release_date=maker.release_date,
            family=maker.family,
            note=f"Images of {maker.name}, {arm}.",
        )
        for maker in sorted(makers, key=lambda maker: maker.name)
        for arm in ARMS
    )
    records: Iterator[Record] = chain(generators, _images(todo, painter, advance))
    write_study.import_records(study=study, records=records, outcome=outcome)
    if outcome.rejected:
        raise StudyRefused(f"An image could not be taken in: {outcome.rejected[0]['reason']}")
    return MadePicture(2 * len(todo), len(findings) - len(todo))


def key_of(image: Image, arm: str) -> str:
    return f"{image.key[:185]}-{arm}"


def _images(
    findings: Sequence[Finding], painter: Painter, advance: Callable[[], object]
) -> Iterator[ImageRecord]:
    for finding in findings:
        image = finding.image
        about = {"parent": image.key, **painter.image_metadata(image)}
        pair = {"wanted": finding.wanted, "found": finding.found, "judge": finding.judge}
        try:
            made = (
                (REPAIRED, painter.repaired(finding), pair),
                (CONTROL, painter.control(image), {"seed": new_seed(image)}),
            )
        except Refused as refusal:
            raise StudyRefused(f"{image.key}: {refusal.message}") from None
        for arm, content, more in made:
            yield ImageRecord(
                key=key_of(image, arm),
                prompt=image.prompt.key,
                generator=f"{image.generator.name} + {arm}",
                content=content,
                variant=image.variant,
                sample=image.sample,
                metadata={**about, "arm": arm, **more},
            )
        advance()
