"""Takes a file of votes in a published layout: its prompts, images, pairs and votes, all or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify

from annotations import event_log
from annotations.database.rehearsal import rehearsal
from annotations.errors import ImportRefused
from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Image, Study
from annotations.pairs import files
from annotations.pairs.write_votes import BATCH, TakenVotes, VoteWriter
from annotations.studies import owners
from jurybox_formats.pair_files.layouts import LAYOUTS, NEEDED, TIDY, Layout, format_of, records
from jurybox_formats.pair_files.place import Place
from jurybox_formats.pair_files.rows import rows_of
from jurybox_formats.sources.records import Record, Unreadable, VoteRecord
from jurybox_formats.sources.rows import Line

SHOWN = 20
NOBODY = "unknown"


@dataclass
class Imported:
    """What a file brought."""

    layout: str
    taken: TakenVotes
    outcome: Outcome

    def sentence(self) -> str:
        out = self.outcome
        counts = {
            "prompts": out.prompts,
            "images": out.images,
            "generators": out.generators,
        }
        new = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        lines = [f"{self.layout}: {self.taken.sentence()}"]
        lines += [f"New with them: {new}."] if new else []
        lines += out.warnings
        if out.rejected_in_all:
            lines.append(f"Left out ({out.rejected_in_all}):")
            lines += [f"  {words}" for words in _name_rejects(out)]
        return "\n".join(lines)


def take(
    *,
    slug: str,
    path: Path,
    layout: str,
    images: Path | None = None,
    skip: bool = False,
    owner: User | None = None,
) -> Imported:
    """Into the study of this name, which is made where a published layout brings its own images.

    First a rehearsal, in which nothing is written. With `skip` the rows that fit are taken although
    others do not.
    """
    try:
        chosen = format_of(path) if layout == "auto" else layout
        if chosen == TIDY:
            return _take_tidy(slug, path)
        plan = _Import(slug, path, LAYOUTS[chosen], images or _folder(path), owner)
        with rehearsal():
            tried = plan.carry_out(dry_run=True)
        refused = tried.outcome.rejected_in_all
        if refused and not skip:
            more = f" … and {refused - SHOWN} more." if refused > SHOWN else ""
            raise ImportRefused(
                "Nothing was imported. " + " ".join(_name_rejects(tried.outcome)) + more
            )
        if not tried.taken.votes and not tried.taken.there:
            raise ImportRefused(" ".join([f"{path.name} brings no vote.", *tried.outcome.warnings]))
        return plan.carry_out(dry_run=False)
    except Unreadable as error:
        raise ImportRefused(error.message) from None


def _name_rejects(outcome: Outcome) -> list[str]:
    """The first rows that do not fit."""
    return [
        f"{row.get('file', '')} line {row['line']}: {row['field']} = “{row['value']}”: "
        f"{row['reason']}".strip()
        for row in outcome.rejected[:SHOWN]
    ]


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _take_tidy(slug: str, path: Path) -> Imported:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise ImportRefused(
            f"There is no study “{slug}”, and a tidy file of pairs brings no images."
        )
    outcome = Outcome()

    def rows() -> Iterator[dict[str, Any]]:
        for row in rows_of(path, required=NEEDED, optional=("left",)):
            if isinstance(row, Line):
                yield row.value
            else:
                outcome.note(row)
        if outcome.rejected_in_all:
            raise ImportRefused("Nothing was imported. " + " ".join(_name_rejects(outcome)))

    taken = files.take(study, rows())
    event_log.note(study, "imported", f"imported votes on pairs: {taken.sentence()}")
    return Imported("Tidy pairs", taken, outcome)


@dataclass(frozen=True)
class _Import:
    slug: str
    path: Path
    layout: Layout
    images: Path
    owner: User | None

    @transaction.atomic
    def carry_out(self, *, dry_run: bool) -> Imported:
        study, taken = self._study(), TakenVotes()
        outcome = Outcome(dry_run=dry_run)

        def refuse(vote: VoteRecord, why: str) -> None:
            outcome.reject(
                line=vote.line, field="vote", value=vote.value, reason=f"{why}.", source=vote.source
            )

        writer = VoteWriter(study, taken, refuse)
        write_study.import_records(
            study=study,
            records=self._records(study),
            outcome=outcome,
            more={VoteRecord: (BATCH, writer.write)},
        )
        writer.finish()
        if not dry_run:
            words = f"imported votes on pairs ({self.layout.title}): {taken.sentence()}"
            event_log.note(study, "imported", words)
        return Imported(self.layout.title, taken, outcome)

    def _study(self) -> Study:
        study = Study.objects.select_for_update(no_key=True).filter(slug=self.slug).first()
        if study is not None:
            if study.status == Study.Status.CLOSED:
                raise ImportRefused(f"The study “{self.slug}” is closed; open it before importing.")
            return study
        if self.slug != slugify(self.slug) or len(self.slug) > 80 or self.slug == "new":
            raise ImportRefused(
                f"“{self.slug}” cannot name a study: use small letters, digits and hyphens."
            )
        title = self.slug.replace("-", " ").capitalize()
        form = publish_form(self.layout.form)
        study = Study.objects.create(slug=self.slug, title=title, form=form)
        if self.owner is not None:
            owners.make_owner(study=study, user=self.owner)
        return study

    def _records(self, study: Study) -> Iterator[Record]:
        place = Place(self.path.name, self.images)
        images = Image.objects.filter(study=study).order_by("pk")
        for known in images.values_list("key", "prompt__key", "generator__name", "sample"):
            place.know(*known)
        nameless = _Nameless()
        for record in records(self.path, self.layout, place):
            if isinstance(record, VoteRecord) and not record.rater:
                record = nameless.name_vote(record)
            yield record


class _Nameless:
    """Where a file does not say who voted, the n-th vote on a pair is that of the n-th unknown person.
    They are no people of which one could say anything, but two votes on a pair stay two."""

    def __init__(self) -> None:
        self.count: Counter[frozenset[str]] = Counter()

    def name_vote(self, vote: VoteRecord) -> VoteRecord:
        ends = frozenset((vote.first, vote.second))
        self.count[ends] += 1
        return vote._replace(rater=f"{NOBODY} {self.count[ends]}")
