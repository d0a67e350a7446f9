"""Every import format by name: its reader, and which questions its labels answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from jurybox_formats.prompt_grammar import parse as prompt_parser
from jurybox_formats.sets import (
    dsg,
    edits,
    genai_bench,
    geneval,
    geneval2,
    geneval2_prompts,
    geneval_prompts,
    hugging_face,
    imagenhub,
    m3t2ibench,
    m3t2ibench_prompts,
    t2i_compbench,
    t2i_compbench_prompts,
    tifa,
)
from jurybox_formats.sets.edit_sets import reader as edit_set_reader
from jurybox_formats.sets.edit_sets.items import SETS as EDIT_SETS
from jurybox_formats.sets.prompt_sets import items as prompt_sets
from jurybox_formats.sets.prompt_sets import reader as prompt_set_reader
from jurybox_formats.sources import mapped_table, picture_folder, tidy_tables
from jurybox_formats.sources.records import (
    LabelRecord,
    PromptRecord,
    Record,
    Unreadable,
)
from jurybox_formats.tools import argilla, captions, doccano, label_studio, potato, rapidata


@dataclass(frozen=True, slots=True)
class Source:
    """What a person points at: the file or folder, the images beside it, who made them."""

    path: Path
    images: Path | None = None
    generator: str = ""
    generators: Path | None = None
    judge: str = ""
    # Of the scores: "people" where they are shares of yes, "own" where they are not.
    unit: str = field(default="", kw_only=True)
    # What reads the atoms of prompts that have none, such as `prompt_grammar.parse.parse`.
    atoms: prompt_parser.Reader | None = None
    # What a person says of columns (`table`), of folders and names (`pictures`) and of what the
    # labels answer: question -> kind. The rest is guessed.
    columns: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    name: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    # False where only labels are looked at: pictures that lie in a table stay there.
    pictures: bool = True
    # So many pictures across and down in each file; 0: as the set's own come.
    grid: int = 0
    # Rows of a set's prompts that the study has already: results need no files of prompts beside them.
    known: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Format:
    title: str
    read: Callable[[Source], Iterator[Record]]
    # The questions that its labels answer: a new study gets the form that asks them.
    questions: frozenset[str] = frozenset()
    # The form that a new study gets where its questions do not say it.
    form: str = ""


def _read_set(name: str, source: Source) -> Iterator[Record]:
    return prompt_set_reader.read(
        name,
        source.path,
        source.images,
        source.generator,
        source.judge,
        source.grid,
        source.known,
    )


def _read_edit_set(name: str, source: Source) -> Iterator[Record]:
    return edit_set_reader.read(name, source.path, source.images, source.generator, source.judge)


LIKERT = frozenset({"likert"})
FORMATS: dict[str, Format] = {
    "tidy": Format(
        "tidy tables (CSV, JSONL)", lambda s: tidy_tables.study(s.path, s.images, s.judge)
    ),
    "geneval": Format(
        "GenEval: prompts, image folders, results, crowd answers",
        lambda s: geneval.read(s.path, s.images, s.generator, s.judge),
        frozenset({"aligned"}),
    ),
    "geneval2": Format(
        "GenEval 2: prompts with questions, image map, scores",
        lambda s: geneval2.read(s.path, s.images, s.generator, s.judge),
        frozenset({"atom"}),
    ),
    "genai_bench": Format(
        "GenAI-Bench: ratings, skills, rankings",
        lambda s: genai_bench.read(s.path, s.images),
        LIKERT,
    ),
    "t2i_compbench": Format(
        "T2I-CompBench: prompt files, samples, results",
        lambda s: t2i_compbench.read(s.path, s.images, s.generator, s.judge),
        LIKERT,
    ),
    "m3t2ibench": Format(
        "M3T2IBench: structured records", lambda s: m3t2ibench.read(s.path), LIKERT
    ),
    "dsg": Format(
        "DSG: questions, answers, ratings",
        lambda s: dsg.read(s.path, s.generator, s.judge),
        LIKERT,
    ),
    "tifa": Format(
        "TIFA: questions, images, results, ratings",
        lambda s: tifa.read(s.path, s.images, s.generator, s.judge),
        LIKERT,
    ),
    "edits": Format(
        "edits: source/, a folder for each model, a table of instructions",
        lambda s: edits.read(s.path),
        form="edit",
    ),
    "imagenhub": Format(
        "ImagenHub: ratings of each task, a TSV for each rater",
        lambda s: imagenhub.read(s.path, s.images),
        form="imagenhub",
    ),
    **{
        name: Format(
            chosen.title,
            partial(_read_set, name),
            form=prompt_sets.FORMS[name],
        )
        for name, chosen in prompt_sets.SETS.items()
    },
    **{
        name: Format(chosen.title, partial(_read_edit_set, name), form=chosen.form)
        for name, chosen in EDIT_SETS.items()
    },
    "table": Format(
        "any table (CSV, TSV, JSONL, JSON, Parquet), its columns guessed",
        lambda s: mapped_table.read(
            s.path, s.images, s.generator, s.judge, s.columns, pictures=s.pictures
        ),
    ),
    "pictures": Format(
        "pictures alone, named by prompt or generator",
        lambda s: picture_folder.read(s.path, s.generator, folder=s.folder, name=s.name),
    ),
    "hf": Format(
        "a dataset of the Hugging Face hub: Parquet with pictures, imagefolder",
        lambda s: hugging_face.read(
            s.path, s.images, s.generator, s.judge, s.columns, pictures=s.pictures
        ),
    ),
    "label_studio": Format(
        "Label Studio: tasks with their annotations (JSON)",
        lambda s: label_studio.read(s.path, s.images, s.generator),
    ),
    "argilla": Format(
        "Argilla 2: records with their responses (JSON)",
        lambda s: argilla.read(s.path, s.images, s.generator),
    ),
    "doccano": Format(
        "doccano: labels of image classification (JSONL)",
        lambda s: doccano.read(s.path, s.images, s.generator),
    ),
    "potato": Format(
        "Potato: what people answered (JSON, JSONL, CSV), or the whole task",
        lambda s: potato.read(s.path, s.images, s.generator),
    ),
    "rapidata": Format(
        "Rapidata: responses to a classification (JSON, CSV)",
        lambda s: rapidata.read(s.path, s.images, s.generator, s.judge),
    ),
    "coco": Format(
        "COCO: captions of images (JSON)",
        lambda s: captions.read_coco(s.path, s.images, s.generator),
    ),
    "vqa": Format(
        "VQA: questions about images, and people’s answers (JSON)",
        lambda s: captions.read_vqa(s.path, s.images, s.generator),
    ),
}
# Of these a new study asks what the labels answer, since the format does not say it.
FREE = ("tidy", "table", "hf", "label_studio", "argilla", "doccano", "potato", "rapidata", "vqa")


def records(format: str, source: Source) -> Iterator[Record]:
    """Everything in the source, generators first. Each call reads it again."""
    if not source.path.exists():
        raise Unreadable(f"There is no file or folder {source.path}.")
    if source.images is not None and not source.images.exists():
        raise Unreadable(f"There is no file or folder {source.images}.")
    if source.generators is not None:
        yield from tidy_tables.generators(source.generators)
    read = FORMATS[format].read(source)
    yield from with_atoms(read, source.atoms) if source.atoms else read


def with_atoms(records: Iterator[Record], reader: prompt_parser.Reader) -> Iterator[Record]:
    """Prompts without atoms get those that `reader` finds in their words."""
    for record in records:
        if isinstance(record, PromptRecord) and not record.atoms:
            record = replace(record, atoms=tuple(reader(record.text)))
        yield record


def tidy_part(kind: type, source: Source) -> Iterator[Record]:
    """The labels or the scores of one tidy file."""
    path = source.path
    if not path.exists():
        raise Unreadable(f"There is no file {path}.")
    if kind is LabelRecord:
        return tidy_tables.labels(path)
    return tidy_tables.scores(path, source.judge)


def tidy_labels(folder: Path) -> Iterator[Record]:
    """The labels of a folder of tidy tables, if it has any; a single table has images only."""
    path = tidy_tables.part(folder, "labels") if folder.is_dir() else None
    return iter(()) if path is None else tidy_tables.labels(path)


Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Maker:
    """`make(seed, count)` and `parse(prompt)` are each other's inverse."""

    make: Callable[[int, int | None], Iterator[Item]]
    parse: Callable[[str], Item | None]
    count: int
    # The format that imports what was made.
    format: str


MAKERS = {
    "geneval": Maker(geneval_prompts.make, geneval_prompts.parse, geneval_prompts.COUNT, "geneval"),
    "geneval2": Maker(
        geneval2_prompts.make, geneval2_prompts.parse, geneval2_prompts.COUNT, "geneval2"
    ),
    "t2i_compbench": Maker(
        t2i_compbench_prompts.make,
        t2i_compbench_prompts.parse,
        t2i_compbench_prompts.COUNT,
        "t2i_compbench",
    ),
    "m3t2ibench": Maker(
        m3t2ibench_prompts.make, m3t2ibench_prompts.parse, m3t2ibench_prompts.COUNT, "m3t2ibench"
    ),
}
