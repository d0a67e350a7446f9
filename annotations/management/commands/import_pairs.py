"""`manage.py import_pairs STUDY FILE`: votes on pairs, tidy or in a published layout."""

from pathlib import Path

from annotations.management.command import PlainCommand
from annotations.pairs import files
from annotations.pairs.take_file import take
from annotations.studies import owners
from jurybox_formats.pair_files.layouts import AUTO, FORMATS


class Command(PlainCommand):
    help = (
        "Take votes on pairs from a local file: tidy rows about images of the study, or a published "
        "set with its prompts and images."
    )

    def arguments(self, add) -> None:
        add("study", "made by a published set where there is none")
        tidy = f"tidy columns: {', '.join(files.COLUMNS)}"
        add("file", f"Parquet (a folder of parts, too), CSV, JSONL or JSON; {tidy}", type=Path)
        add("--format", "auto: known by its columns", choices=FORMATS, default=AUTO)
        add("--images", "where the paths of the pictures begin", type=Path, metavar="DIR")
        add.flag("--skip", "leave out the rows that do not fit, and name them")
        add("--owner", "of a study that is made", default="", metavar="NAME")

    def handle(self, *, study, file, format, images, skip, owner, **options) -> str:
        account = owners.choose_owner(owner)
        return take(
            slug=study, path=file, layout=format, images=images, skip=skip, owner=account
        ).sentence()
