"""Results of other tools → scores of this study's images. A result that could mean two images is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

from annotations.models import Image, Study
from jurybox_formats.sources import parquet_rows
from jurybox_formats.sources.checks import Unfit, sound
from jurybox_formats.sources.records import Record, Rejected, ScoreRecord, Unreadable
from jurybox_formats.tools.result_files import Result, read

BATCH = 2_000


def scores(
    study: Study,
    *,
    format: str,
    path: Path,
    judge: str = "",
    generator: str = "",
    dataset: Path | None = None,
) -> Iterator[Record]:
    """`generator`: the images are its own. `dataset`: the folder of `export_dataset` that was judged;
    a number is a row of it."""
    order = [] if dataset is None else _order(dataset)
    results = read(format, path, judge)
    while batch := list(islice(results, BATCH)):
        found = _StudyRows(study, [one for one in batch if isinstance(one, Result)], generator)
        for one in batch:
            if isinstance(one, Rejected):
                yield one
                continue
            try:
                image = found.image_of(one, order)
            except Unfit as unfit:
                yield unfit.reject(one.line, path.name)
                continue
            yield ScoreRecord(
                image,
                one.judge,
                one.score,
                one.correct,
                reason=one.reason,
                error=one.error,
                evidence=one.evidence,
                line=one.line,
                source=path.name,
            )


class _StudyRows:
    """What the study has of all that a batch of results names."""

    def __init__(self, study: Study, results: list[Result], generator: str) -> None:
        self.generator = generator
        images = Image.objects.filter(study=study).order_by()
        if generator:
            images = images.filter(generator__name=generator)
        keys = {
            key
            for one in results
            for key in (one.image, *_keys(one.file, one.generator or generator))
        }
        self.keys = set(images.filter(key__in=sound(keys)).values_list("key", flat=True))
        self.of_prompt: dict[str, list[str]] = defaultdict(list)
        self.of_generator: dict[tuple[str, str], list[str]] = defaultdict(list)
        texts = sound({one.prompt for one in results if one.prompt})
        there = images.filter(prompt__text__in=texts)
        for text, key, whose in there.values_list("prompt__text", "key", "generator__name"):
            self.of_prompt[text].append(key)
            self.of_generator[whose, text].append(key)
        called = sound({one.file for one in results if one.generator})
        there = images.filter(prompt__key__in=called).exclude(key__in=self.keys)
        for name, key, whose in there.values_list("prompt__key", "key", "generator__name"):
            self.of_generator[whose, name].append(key)

    def image_of(self, one: Result, order: list[str]) -> str:
        """An id or a row counts; where there is none, a file's name, and then the prompt."""
        if one.image and (one.image in self.keys or not order):
            if one.image in self.keys:
                return one.image
            raise Unfit("image_id", one.image, f"The study has no such image{self._run_label()}.")
        if order and one.number is not None:
            if one.number >= len(order):
                words = f"The dataset has rows 0 to {len(order) - 1}."
                raise Unfit("number", one.number, words)
            return order[one.number]
        files = list(dict.fromkeys(_keys(one.file, one.generator or self.generator)))
        files = [key for key in files if key in self.keys]
        if len(files) == 1:
            return files[0]
        if len(files) > 1:
            words = f"It could be the image {files[0]} or {files[1]}."
            raise Unfit("file", one.file, words)
        alike = self.of_prompt.get(one.prompt, [])
        if one.generator:
            clues = (one.file, one.prompt)
            alike = next(filter(None, (self.of_generator[one.generator, c] for c in clues)), [])
        if len(alike) == 1:
            return alike[0]
        if alike:
            words = f"{len(alike)} images have this prompt{self._run_label()}; "
            words += "say which by --generator, or by --dataset."
            raise Unfit("prompt", one.prompt, words)
        clue = one.file or one.prompt or ("" if one.number is None else str(one.number))
        words = (
            "Nothing in this line leads to an image of the study; --dataset says what numbers mean."
        )
        raise Unfit("line", clue, words)

    def _run_label(self) -> str:
        return f" by {self.generator}" if self.generator else ""


def _keys(file: str, generator: str) -> Iterable[str]:
    """What an image may be called whose picture is called so."""
    if not file or len(file) > 2_000:
        return []
    path = PurePosixPath(file.replace("\\", "/"))
    keys = [file, path.name, path.stem, f"{path.parent.name}/{path.stem}"]
    keys += [f"{path.parent.name}/{path.name}", f"{generator}/{path.stem}"]
    return [key for key in keys if len(key) <= 200]


def _order(dataset: Path) -> list[str]:
    """The images of a dataset, in the order of its rows."""
    files = [dataset] if dataset.is_file() else sorted((dataset / "data").glob("*.parquet"))
    if not files:
        raise Unreadable(f"{dataset} is no dataset: there is no data/*.parquet in it.")
    keys: list[str] = []
    for file in files:
        if "image_id" not in parquet_rows.columns(file):
            raise Unreadable(f"{file.name} has no column “image_id”.")
        keys += [str(row.value["image_id"]) for row in parquet_rows.rows(file, ["image_id"])]
    return keys
