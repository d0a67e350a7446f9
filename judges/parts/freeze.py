"""A draft becomes the parts of the study's prompts: their atoms, and what methods need besides.

Answers and scores belong to an atom by its row. A prompt whose parts were labelled or scored keeps
them as they are: nothing is lost, and no answer comes to stand at another question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotations import event_log
from annotations.forms.versions import form_of
from annotations.models import Answer, Assignment, Atom, HandedBack, Image, Prompt, Study
from judges.models import AtomScore, PartsVersion, PromptParts, Score
from judges.parts import derive
from judges.parts.part import Part, of_prompt, read
from jurybox_formats.forms.per_image import needs_atoms
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.methods.geneval import GenEval

NAMED = 3
AT_A_TIME = 500
Described = tuple[Prompt, dict[str, Any]]


@transaction.atomic
def freeze(*, study: Study) -> PartsVersion:
    # Whoever labels or scores an atom meanwhile waits at its row, or has been seen.
    version = (
        PartsVersion.objects.select_for_update(of=("self",))
        .filter(study=study, frozen_at=None)
        .first()
    )
    if version is None:
        raise JudgeRefused("There is no draft to freeze. Draft questions first.")
    rows = list(version.prompts.select_related("prompt").prefetch_related("prompt__atoms"))
    changed = [row for row in rows if _atoms(_parts(row)) != _atoms(of_prompt(row.prompt))]
    _expect_free(study, changed)
    described = _described(version, rows)
    _expect_unscored(study, described)
    _replace_atoms(changed)
    for prompt, metadata in described:
        prompt.metadata = metadata
    prompts = [prompt for prompt, _ in described]
    Prompt.objects.bulk_update(prompts, ["metadata"], batch_size=AT_A_TIME)
    # Last, so that it sees whom an image was given meanwhile.
    _expect_nobody_answers(study, changed)
    version.frozen_at = timezone.now()
    version.save(update_fields=["frozen_at"])
    event_log.note(
        study, "parts frozen", f"froze version {version.number} of the parts of {len(rows)} prompts"
    )
    return version


def used_atoms() -> Any:
    """Condition on a prompt: somebody has answered about one of its atoms, or a judge has scored it."""
    atoms = Atom.objects.filter(prompt=OuterRef("pk"))
    answers = Answer.objects.filter(atom=OuterRef("pk"))
    scores = AtomScore.objects.filter(atom=OuterRef("pk"))
    return Exists(atoms.filter(Exists(answers) | Exists(scores)))


def _expect_free(study: Study, changed: Sequence[PromptParts]) -> None:
    prompts = Prompt.objects.filter(study=study).filter(used_atoms())
    used = set(prompts.values_list("pk", flat=True))
    held = [row.prompt.text for row in changed if row.prompt_id in used]
    if held:
        named = "; ".join(f"“{text[:60]}”" for text in held[:NAMED])
        raise JudgeRefused(
            f"The parts of these prompts have answers or scores already and must stay as they are "
            f"(in all {len(held)}): {named}. Nothing was frozen."
        )


def _expect_nobody_answers(study: Study, changed: Sequence[PromptParts]) -> None:
    """A page that is open somewhere names parts by their numbers, and may be sent hours later."""
    if not changed or not needs_atoms(form_of(study.form)):
        return
    images = Image.objects.filter(study=study, prompt__in=[row.prompt_id for row in changed])
    given = images.filter(
        Exists(Assignment.objects.filter(image=OuterRef("pk")))
        | Exists(HandedBack.objects.filter(image=OuterRef("pk")))
    ).count()
    if given:
        raise JudgeRefused(
            f"People who answer part by part have been given {given} of these images already, so their "
            "parts must stay as they are. Nothing was frozen."
        )


def _expect_unscored(study: Study, described: Sequence[Described]) -> None:
    """A score of GenEval rests on the clause that the prompt had then."""
    scored = set(
        Score.objects.filter(
            run__study=study, value__isnull=False, run__judge__method=GenEval.identity
        )
        .order_by()
        .values_list("image__prompt", flat=True)
        .distinct()
    )
    held = [
        prompt.text
        for prompt, metadata in described
        if prompt.pk in scored and prompt.metadata.get("include") != metadata.get("include")
    ]
    if held:
        raise JudgeRefused(
            f"GenEval has scored images of “{held[0][:60]}” by the parts that they had. Start with "
            "a study of its own to ask about other parts."
        )


def _described(version: PartsVersion, rows: Sequence[PromptParts]) -> list[Described]:
    """The prompts whose metadata change, with what they will be."""
    described = []
    for row in rows:
        held = row.prompt.metadata
        metadata = derive.metadata(held, _parts(row), version.number)
        if _without_version(metadata) != _without_version(held):
            described.append((row.prompt, metadata))
    return described


def _without_version(metadata: Any) -> Any:
    return {**metadata, derive.MARK: {**derive.mark_of(metadata), "version": 0}}


def _replace_atoms(changed: Sequence[PromptParts]) -> None:
    Atom.objects.filter(prompt__in=[row.prompt_id for row in changed]).delete()
    Atom.objects.bulk_create(
        (
            Atom(
                prompt=row.prompt,
                index=place,
                kind=part.kind[:40],
                text=part.text,
                question=part.question,
                expected=part.expected,
                parents=list(part.parents),
            )
            for row in changed
            for place, part in enumerate(_parts(row))
        ),
        batch_size=AT_A_TIME,
    )


def _parts(row: PromptParts) -> list[Part]:
    return [read(held) for held in row.parts]


def _atoms(parts: Sequence[Part]) -> list[Part]:
    """Choices stand beside the atoms, and no answer rests on them."""
    return [replace(part, choices=()) for part in parts]
