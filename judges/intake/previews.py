"""What is in the files that somebody sent, and what will become of them: a dry run of the import.

Small deliveries are looked at in the request, larger ones by a worker. Nothing is written but the
delivery's own row, where the page finds it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import slugify
from django.utils.translation import gettext

from annotations.access import place_of
from annotations.errors import Refused
from annotations.imports.outcome import Outcome
from annotations.jobs import JobKind, Progress, run
from annotations.language.counts import count_things
from annotations.models import Study
from judges.intake import bring_in, deliveries
from judges.models import Delivery, Preview, Upload
from jurybox_formats import guess_format, label_questions
from jurybox_formats.form_from_labels import AnswerKind
from jurybox_formats.forms.definition import Form
from jurybox_formats.registry import FORMATS, FREE, Source
from jurybox_formats.sources import columns, mapped_table, picture_folder, picture_names
from jurybox_formats.sources.mapped_table import SHOWN
from jurybox_formats.sources.picture_names import UNKNOWN
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.tools import result_files
from jurybox_formats.tools.result_files import READERS

logger = logging.getLogger(__name__)

# So much is looked at while the person waits for the page.
SMALL_BYTES, SMALL_FILES = 32 * 2**20, 500
BECOMES = ("images", "prompts", "generators", "answers", "scores")
# So many pictures are decoded by the check; the import decodes them all.
DECODED = 300
LOOKING_HERE = timedelta(minutes=1)
# Names of tables that say what is in them, and nothing of the study.
PARTS = {"images", "prompts", "generators", "labels", "scores", "table", "data", "metadata"}
NAMED = 100
NOTHING_LISTED = "Nothing in these files can be imported; what is wrong is listed."
NOTHING_SEEN = (
    "Nothing would be imported from these files. State below what the columns are, or the format."
)


def source_of(path: Path, typed: Mapping[str, Any], *, format: str) -> Source:
    """What a person stated beside the files. Of columns and levels only what fits this format."""
    return Source(
        path,
        generator=str(typed.get("generator", ""))[:200],
        judge=str(typed.get("judge", ""))[:120],
        columns=dict(typed.get("columns", {})) if format == "table" else {},
        folder=str(typed.get("folder", "")) if format == "pictures" else "",
        name=str(typed.get("name_is", "")) if format == "pictures" else "",
        questions=dict(typed.get("questions", {})) if format == "tidy" else {},
        grid=_grid(typed.get("grid", "")),
        unit=str(typed.get("unit", "")),
    )


def _grid(said: Any) -> int:
    """0 where nothing was chosen: as the set's own pictures come."""
    return int(said) if said in tuple("12345678") else 0


def is_small(delivery: Delivery) -> bool:
    size = delivery.batches.aggregate(all=Sum("size"))["all"] or 0
    files = sum(len(batch.files) for batch in delivery.batches.all())
    archives = any(
        deliveries.is_archive(path) for batch in delivery.batches.all() for path, _ in batch.files
    )
    return size <= (SMALL_BYTES // 4 if archives else SMALL_BYTES) and files <= SMALL_FILES


def ask(*, delivery: Delivery) -> Preview | None:
    """Look at what came; the job where a worker has to be called for it."""
    if not deliveries.is_complete(delivery):
        return None
    here = is_small(delivery)
    with transaction.atomic():
        deliveries.look_no_more(delivery)
        job = Preview.objects.create(
            study=delivery.study,
            by=delivery.by,
            key=delivery.key,
            # Workers leave it alone; should this process die, one of them takes it up.
            due_at=timezone.now() + LOOKING_HERE if here else None,
        )
    if not here:
        return job
    run(job.pk)
    return None


def _look_at(job: Preview, progress: Progress) -> dict[str, Any]:
    delivery = Delivery.objects.select_related("by", "study").filter(key=job.key).first()
    # It may have gone with its account.
    return _look(delivery, progress) if delivery is not None else {}


def _store(job: Preview) -> None:
    if not job.is_given_up:
        rows = Delivery.objects.filter(key=job.key).exclude(state=Delivery.State.SENT)
        rows.update(state=Delivery.State.LOOKED, found=job.outcome)


KIND = JobKind(
    Preview,
    _look_at,
    "they were looking at these files",
    queue="imports",
    limit=3600,
    progress_every=1.0,
    kept=False,
    ended=_store,
)


def _look(delivery: Delivery, progress: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"name": suggest_name(delivery), "format": "", "kind": "study"}
    folder = None
    try:
        with deliveries.laid_out(delivery) as (folder, path):
            _look_into(path, folder, delivery, found, progress)
    except (Refused, Unreadable) as refusal:
        found["refusal"] = _plain(refusal.message, folder)
    except OSError as error:
        logger.warning("delivery %s cannot be laid out: %s", delivery.pk, error)
        found["refusal"] = "Two of these files are in each other's way: pack them as one zip."
    return found


def _look_into(
    path: Path, folder: Path, delivery: Delivery, found: dict[str, Any], progress: Any
) -> None:
    """Fills `found`, as far as it comes before something is refused."""
    format, kind = _format(delivery, path)
    found |= {"format": format, "kind": kind}
    source = source_of(path, delivery.typed, format=format)
    found |= _counts(path)
    _add_choices(found, format, kind, source)
    outcome = _dry_run(delivery, format, kind, source, progress)
    found |= {"outcome": _short(outcome.as_json(), folder), "read": outcome.read, "refusal": ""}
    if not outcome.changes and not outcome.unchanged:
        found["refusal"] = NOTHING_LISTED if outcome.rejected else NOTHING_SEEN


def _format(delivery: Delivery, path: Path) -> tuple[str, str]:
    format, kind = delivery.typed.get("format", ""), delivery.typed.get("kind", "")
    tool = format if format in READERS else ""
    if format not in FORMATS and (tool := tool or result_files.guess(path)):
        if delivery.study is None:
            words = "make the study of the images first, and import the scores there."
            raise Unreadable(f"These are scores ({READERS[tool][0]}): {words}")
        return tool, "scores"
    if format not in FORMATS:
        format, guessed = guess_format.guess(path)
        kind = kind or guessed
    return format, kind if kind in guess_format.KINDS and delivery.study else "study"


def _dry_run(delivery: Delivery, format: str, kind: str, source: Source, progress: Any) -> Outcome:
    more: dict[str, Any] = {"format": format, "source": source, "dry_run": True}
    more["progress"] = progress
    if delivery.study is None:
        return bring_in.import_study(
            slug=f"preview-{delivery.key}", by=delivery.by, pictures=DECODED, **more
        )
    place = place_of(delivery.by, delivery.study.slug)
    more["for_anybody"] = place is not None and place.owns
    if kind == Upload.Brings.LABELS:
        return bring_in.import_labels(study=delivery.study, **more)
    if kind == Upload.Brings.SCORES:
        return bring_in.import_scores(study=delivery.study, **more)
    return bring_in.import_study(slug=delivery.study.slug, pictures=DECODED, **more)


def _counts(path: Path) -> dict[str, Any]:
    files = picture_folder.list_files(path)[1]
    pictures = sum(picture_folder.is_picture(file) for file in files)
    return {"pictures": pictures, "files": len(files)}


def _add_choices(found: dict[str, Any], format: str, kind: str, source: Source) -> None:
    """What was guessed or chosen of columns, of folders and names, and of questions; the menus stay
    where the choices turn out to be wrong, so that they can be corrected."""
    if format == "table":
        found["tables"] = _tables(source)
    elif format == "pictures":
        files = [
            f for f in picture_folder.list_files(source.path)[1] if picture_folder.is_picture(f)
        ]
        if files:
            levels = picture_folder.choose_levels(files, source.folder, source.name)
            found["levels"] = {"folder": levels.folder, "name": levels.name}
            found["rows"] = _first_pictures(files, levels, source)
    if format in FREE and kind == "study":
        asked = label_questions.find_questions(format, source)
        found["questions"] = [
            {"column": column, "name": one.name, "kind": one.kind, "words": list(one.words)[:40]}
            for column, one in sorted(asked.items())
        ]


def _tables(source: Source) -> list[dict[str, Any]]:
    """Also where the choices contradict each other: the menus must show them to be corrected."""
    root, pictures, names = mapped_table.find_tables(source.path)
    tables = []
    for name in names:
        table = mapped_table.look(root / name, name, pictures)
        roles = mapped_table.roles_of(table, source.columns)
        chosen = columns.check_roles(source.columns, table.columns, name)
        dropped = [c for c in replace(table, roles=roles).dropped if c not in chosen]
        tables.append(
            {
                "name": name,
                "rows": table.rows,
                "dropped": dropped,
                "columns": [
                    {
                        "name": column,
                        "role": roles[column],
                        "examples": [str(row.get(column, ""))[:80] for row in table.first],
                    }
                    for column in table.columns
                ],
            }
        )
    return tables


def _first_pictures(
    files: list[str], levels: picture_names.Levels, source: Source
) -> list[dict[str, Any]]:
    strip = picture_names.common_folders(files)
    captions = {f for f in picture_folder.list_files(source.path)[1] if f.lower().endswith(".txt")}
    rows = []
    for file in files[:SHOWN]:
        named = picture_names.read(file, levels, strip=strip)
        captioned = picture_folder.caption_of(file, captions)
        rows.append(
            {
                "file": file,
                "prompt": named.prompt,
                "caption": captioned,
                "generator": named.generator or source.generator or UNKNOWN,
                "sample": named.sample,
            }
        )
    return rows


def _short(outcome: dict[str, Any], folder: Path) -> dict[str, Any]:
    """As much as a page shows."""
    outcome["rejected_in_all"] = outcome.get("rejected_in_all", len(outcome["rejected"]))
    outcome["rejected"] = outcome["rejected"][:NAMED]
    outcome["missing_in_all"] = outcome.get("missing_in_all", len(outcome["missing"]))
    outcome["missing"] = outcome["missing"][:NAMED]
    outcome["warnings"] = [_plain(words, folder) for words in outcome["warnings"][:NAMED]]
    return outcome


def what_becomes(outcome: dict[str, Any]) -> str:
    """What a file does not hold is not counted."""
    counts = ((outcome.get(what, 0), "labels" if what == "answers" else what) for what in BECOMES)
    return " · ".join(count_things(count, name) for count, name in counts if count)


def _plain(words: str, folder: Path | None) -> str:
    """Without the places of this machine."""
    if folder is not None:
        words = words.replace(f"{folder}/content/", "").replace(str(folder), "the files")
    return words.replace("content holds", "What came holds")


def suggest_name(delivery: Delivery) -> str:
    """What a study of these files may be called: after the archive, the one folder or the one table; else
    after the day. A picture's name says what it shows, and no study is called so."""
    paths = [path for batch in delivery.batches.order_by("pk") for path, _ in batch.files]
    if not paths:
        return ""
    archives = [path for path in paths if deliveries.is_archive(path)]
    folders = {path.partition("/")[0] if "/" in path else "" for path in paths}
    tables = [path for path in paths if path.lower().endswith(mapped_table.SUFFIXES)]
    if archives:
        stem = Path(archives[0]).name.partition(".")[0]
    elif len(folders) == 1 and "" not in folders:
        (stem,) = folders
    else:
        stem = Path(tables[0]).stem if len(tables) == 1 else ""
    name = stem.replace("_", " ").replace("-", " ").strip().capitalize()[:200]
    if name and name.lower() not in PARTS:
        return name
    day = date_format(timezone.localdate(), gettext("j F Y"))
    name = gettext("Study of %(day)s") % {"day": day}
    number = free_slug(name).removeprefix(slug_for(name)).lstrip("-")
    return f"{name} {number}".strip()


def form_of(delivery: Delivery, slug: str) -> Form:
    """The form that the preview showed."""
    found = delivery.found
    asked = {
        one["column"]: AnswerKind(one["name"], one["kind"], one["words"])
        for one in found.get("questions", ())
    }
    return bring_in.form_for(slug, found.get("format") or "tidy", asked)


def slug_for(name: str) -> str:
    return slugify(name)[:70].strip("-")


def free_slug(name: str) -> str:
    """The address of a study of this name that no study has."""
    base = slug_for(name) or "study"
    taken = set(Study._base_manager.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= bring_in.RESERVED
    if base not in taken:
        return base
    return next(slug for n in range(2, 10_000) if (slug := f"{base}-{n}") not in taken)
