"""Delete a study: it closes at once for everybody; a worker removes its rows and pictures.

`begin` is all that a page, a command or a rule of retention calls. The rows go in small transactions
that wait for nobody: a row that somebody holds is left for the next round. So people who are
answering and workers who are scoring at that moment can neither block it nor be blocked by it, and
a killed worker is continued where it stopped.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from datetime import timedelta
from functools import cache
from typing import Any

from django.core.files.storage import default_storage
from django.db import DatabaseError, connection, models, transaction
from django.utils import timezone

from annotations import event_log
from annotations.database import locks
from annotations.errors import StudyRefused
from annotations.jobs import JobKind, Progress, TryLater
from annotations.models import Deletion, ExamplePicture, Image, Membership, PromptPicture, Study
from annotations.pictures.store import PICTURES, thumbnail_of

logger = logging.getLogger(__name__)

# Rows in one transaction.
BATCH = 500
# Whose rows name files in the storage.
SHOW_FILES: tuple[type[models.Model], ...] = (Image, ExamplePicture, PromptPicture)
# Rows that stay held or come anew: so many rounds, with a pause after each, until it is a failed try.
ROUNDS, PAUSE = 240, 0.25


@transaction.atomic
def begin(*, study: Study, by: Any = None, reason: str = "") -> Deletion:
    """Close the study for everybody, and leave the rest to a worker."""
    now = timezone.now()
    # One row, changed under its lock: of two who ask, one closes it. The name is free at once, and
    # no address can hold the one that it gets.
    closed = Study.objects.filter(pk=study.pk).update(
        status=Study.Status.CLOSED, deleted_at=now, slug=f"~{study.pk}"
    )
    if not closed:
        raise StudyRefused("This study is being deleted already.")
    words = f"asked to delete the study {study.slug}"
    event_log.note(None, "deleting", f"{words}: {reason}" if reason else words)
    return Deletion.objects.create(about=study.pk, slug=study.slug, title=study.title, by=by)


def try_again(*, deletion: Deletion) -> None:
    if not KIND.try_again(deletion.pk):
        raise StudyRefused("This study is being deleted; there is nothing to try again.")


def _remove_everything(deletion: Deletion, progress: Progress) -> None:
    study = Study._base_manager.filter(pk=deletion.about).first()
    if study is None:
        return  # A worker that was killed had come to the end.
    _wait_for_those_inside(study)
    removed: Counter[str] = Counter()
    for round_number in range(ROUNDS):
        for model, link in _children(Study):
            _empty(model, {link: [study.pk]}, removed)
        if _remove_study(deletion, progress, removed):
            return
        if round_number:
            time.sleep(PAUSE)
    raise TryLater("Somebody went on writing into this study.")


KIND = JobKind(
    Deletion,
    _remove_everything,
    "they were deleting this study",
    lease_length=timedelta(seconds=60),
    limit=6 * 3600,
    kept=False,
)


def _wait_for_those_inside(study: Study) -> None:
    """Whoever was saving an answer when the study closed has saved it after this; all later ones are
    refused with words (`annotations.labelling.assign.lock`)."""
    for key in Membership.objects.filter(study=study).order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            # One row at a time, so that nobody can be waiting for us.
            list(Membership.objects.select_for_update().filter(pk=key).values_list("pk"))


def _remove_study(deletion: Deletion, progress: Progress, removed: Counter[str]) -> bool:
    """With its last rows; False when others have come meanwhile."""
    parts = ", ".join(
        f"{removed[name]} {name}" for name in ("images", "annotations", "scores") if removed[name]
    )
    words = f"deleted the study {deletion.slug}"
    try:
        with transaction.atomic():
            # Not where somebody else has gone on with it.
            progress(removed.total())
            for model, link in _children(Study):
                if _rows(model, {link: [deletion.about]}).exists():
                    return False
            event_log.note(None, "deleted", f"{words}: {parts}" if parts else words)
            _delete(Study, [deletion.about])
    except DatabaseError as error:
        logger.info("the study gets another round: %s", error)
        return False
    return True


def _empty(model: type[models.Model], which: dict[str, list[int]], removed: Counter[str]) -> None:
    """Remove these rows and all that belong to them, a batch at a time, the outermost first."""
    above = 0
    while True:
        # Keys only go up: a row that somebody holds is passed over until the next round.
        batch = _keys(_rows(model, which).filter(pk__gt=above))
        if not batch:
            return
        above = batch[-1]
        for child, link in _children(model):
            _empty(child, {link: batch}, removed)
        try:
            with transaction.atomic():
                free = _free(model, batch)
                files = _files(model, free)
                _let_go(model, free)
                _delete(model, free)
        except DatabaseError as error:
            # Something came in below them meanwhile: the next round sees it.
            logger.info("%s rows get another round: %s", len(batch), error)
            continue
        removed[str(model._meta.verbose_name_plural)] += len(free)
        _remove_pictures(files)


def _rows(model: type[models.Model], which: dict[str, list[int]]) -> models.QuerySet[Any]:
    return model._base_manager.filter(**{f"{name}__in": keys for name, keys in which.items()})


def _keys(rows: models.QuerySet[Any]) -> list[int]:
    return list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])


def _free(model: type[models.Model], batch: list[int]) -> list[int]:
    """The keys of the rows that nobody holds and nothing belongs to any more; locked from now on.

    SQLite has one writer at a time anyway.
    """
    rows = _rows(model, {"pk": batch})
    if connection.features.has_select_for_update_skip_locked:
        rows = rows.select_for_update(skip_locked=True)
    free = set(rows.values_list("pk", flat=True))
    for child, link in _children(model):
        free -= set(_rows(child, {link: sorted(free)}).values_list(link, flat=True))
    return sorted(free)


def _let_go(model: type[models.Model], keys: list[int]) -> None:
    """What only mentions these rows stays, and mentions nobody."""
    for other, link in _mentions(model):
        _rows(other, {link: keys}).update(**{link: None})


def _delete(model: type[models.Model], keys: list[int]) -> None:
    """Nothing refers to them any more: not through Django, which would look for that in each table."""
    model._base_manager.filter(pk__in=keys)._raw_delete(using=connection.alias)


def _files(model: type[models.Model], keys: list[int]) -> list[str]:
    if model not in SHOW_FILES:
        return []
    files = model._base_manager.filter(pk__in=keys).exclude(file="").order_by("file")
    return list(files.values_list("file", flat=True).distinct())


def _remove_pictures(files: list[str]) -> None:
    """Except those that another study shows, too."""
    if not files:
        return
    # Nobody stores pictures meanwhile: an import would find a file and be left without it.
    with locks.hold_alone(PICTURES):
        kept = {
            file
            for model in SHOW_FILES
            for file in model._base_manager.filter(file__in=files).values_list("file", flat=True)
        }
        for file in files:
            if file not in kept:
                default_storage.delete(file)
                default_storage.delete(thumbnail_of(file))


@cache
def _mentions(model: type[models.Model]) -> list[tuple[type[models.Model], str]]:
    return [
        (relation.related_model, relation.field.name)
        for relation in _relations(model)
        if relation.on_delete is models.SET_NULL
    ]


def _relations(model: type[models.Model]) -> list[Any]:
    return [
        relation
        for relation in model._meta.get_fields(include_hidden=True)
        if isinstance(relation, models.ManyToOneRel)
    ]


@cache
def _children(model: type[models.Model]) -> list[tuple[type[models.Model], str]]:
    """The tables whose rows belong to a row of this one, and by which field; those that refer to
    others of them come first. New tables are found by themselves."""
    links = {
        relation.related_model: relation.field.name
        for relation in _relations(model)
        if relation.on_delete is not models.SET_NULL
    }
    ordered: dict[type[models.Model], str] = {}

    def add(child: type[models.Model], above: frozenset[type[models.Model]]) -> None:
        for other in _referrers(child) & links.keys() - ordered.keys() - above:
            add(other, above | {child})
        ordered.setdefault(child, links[child])

    for child in links:
        add(child, frozenset({child}))
    return list(ordered.items())


def _referrers(model: type[models.Model]) -> set[Any]:
    return {relation.related_model for relation in _relations(model)} - {model}
