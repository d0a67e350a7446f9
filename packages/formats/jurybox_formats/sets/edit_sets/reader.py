"""A set of edits as records: its instructions with their pictures, then results of models, which lie in
the layout that the set's own scripts write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath

from jurybox_formats.sets.edit_sets import grades
from jurybox_formats.sets.edit_sets.items import PLAIN, SETS, Item
from jurybox_formats.sources import picture_folder
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import left_out, name_generator, named_after
from jurybox_formats.sources.records import (
    ImageRecord,
    Missing,
    PromptPictureRecord,
    PromptRecord,
    Record,
    Rejected,
    Unreadable,
)
from jurybox_formats.sources.rows import Images

# GEdit's script saves the source beside each result.
COPY = "_SRCIMG"


def read(source: Source, name: str) -> Iterator[Record]:
    """`source.images`: the folder of results, where they do not lie beside the instructions."""
    chosen, path, images = SETS[name], source.path, source.images
    title = chosen.title.partition(":")[0]
    root, files = picture_folder.list_files(path)
    texts = [file for file in files if not picture_folder.is_picture(file)]
    graded = [file for file in texts if grades.holds_grades(name, root / file)]
    own = [file for file in texts if file not in graded and chosen.is_file(root / file)]
    if not own and graded:
        raise Unreadable(
            f"{path.name} holds grades of {title}, and not its instructions: put the set's own file of "
            "instructions beside them, with its pictures."
        )
    if not own:
        raise Unreadable(f"{path.name} holds no instructions of {title}.")
    items: dict[str, Item] = {}
    for file in own:
        for item in chosen.read(root, file):
            if isinstance(item, Rejected):
                yield item
            elif item.key in items:
                words = "This id stood further up."
                yield Rejected("id", item.key, words, item.line, item.source)
            else:
                items[item.key] = item
                yield from _prompt(name, item)
    seen = Images()
    yield from _results(root, files, items, images, source.generator, seen)
    for folder, some in _grade_files(name, root, graded, images):
        for file in some:
            yield from grades.read_grades(
                name, folder, file, items, source.generator, source.judge, seen
            )
    others = (file for file in texts if file not in own and file not in graded)
    yield from left_out(others, f"no instructions of {title}")


def _grade_files(
    name: str, root: Path, graded: list[str], images: Path | None
) -> Iterator[tuple[Path, list[str]]]:
    """The scripts write them beside the results, which may lie elsewhere."""
    yield root, graded
    if (
        images is not None
        and images.is_dir()
        and not images.resolve().is_relative_to(root.resolve())
    ):
        files = picture_folder.list_files(images)[1]
        others = [file for file in files if not picture_folder.is_picture(file)]
        yield images, [file for file in others if grades.holds_grades(name, images / file)]


def _prompt(name: str, item: Item) -> Iterator[Record]:
    metadata = {"benchmark": name, **item.metadata}
    yield PromptRecord(
        item.key, item.text, item.tags, metadata=metadata, line=item.line, source=item.source
    )
    for place, content, told in item.pictures:
        if content is None:
            yield Missing(f"picture {told}")
        else:
            yield PromptPictureRecord(item.key, place, content, item.line, item.source)


def _results(
    root: Path,
    files: list[str],
    items: Mapping[str, Item],
    images: Path | None,
    generator: str,
    seen: Images,
) -> Iterator[Record]:
    folder, there = (root, files) if images is None else picture_folder.list_files(images)
    used = {content for item in items.values() for _, content, _ in item.pictures}
    by_name = {item.name: item for item in items.values()}
    unknown = []
    nameless = False
    for file in there:
        if not picture_folder.is_picture(file) or folder / file in used:
            continue
        found = _item_of(file, by_name)
        if found is None:
            if not PurePosixPath(file).stem.endswith(COPY):
                unknown.append(file)
            continue
        item, folders = found
        who = generator or (folders[-1] if folders else "")
        nameless = nameless or not who
        who = who or named_after(folder)
        key = f"{who}/{item.key}"
        yield from seen.send(ImageRecord(key, item.key, who, folder / file, source=file))
    if nameless:
        yield from name_generator(generator, folder)
    yield from left_out(unknown, "pictures of no instruction")
    for who in sorted(seen.generators):
        for key in items:
            if f"{who}/{key}" not in seen.keys:
                yield Missing(f"result {who}/{key}")


def _item_of(file: str, by_name: Mapping[str, Item]) -> tuple[Item, list[str]] | None:
    """The edit that a result's path ends with, and the folders before that say whose it is."""
    parts = [*PurePosixPath(file).parts[:-1], PurePosixPath(file).stem]
    for start in range(len(parts)):
        item = by_name.get("/".join(parts[start:]))
        if item is not None:
            return item, [folder for folder in parts[:start] if folder.lower() not in PLAIN]
    return None


FORMATS = {
    name: Format(one.title, partial(read, name=name), form=one.form, order=120)
    for name, one in SETS.items()
}
