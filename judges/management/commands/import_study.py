"""`manage.py import_study STUDY --format FORMAT PATH`: prompts, images and the files beside them."""

from pathlib import Path

from annotations.management.command import pairs
from annotations.studies import owners
from judges.intake import bring_in
from judges.management.imports import ImportCommand
from jurybox_formats.plugins import atom_reader
from jurybox_formats.registry import FORMATS, Source
from jurybox_formats.sources.archives import unpacked
from jurybox_formats.sources.columns import KINDS
from jurybox_formats.sources.expected_rows import expected_rows
from jurybox_formats.sources.picture_names import FOLDERS, NAMES
from jurybox_judging.recipes.peoples_unit import add_unit


class Command(ImportCommand):
    help = "Import prompts, images, labels and scores; the study is created if there is none."

    def arguments(self, add) -> None:
        add("study")
        add("path", "a file, a folder or an archive of them", type=Path, metavar="PATH")
        add("--format", required=True, choices=list(FORMATS))
        add("--images", "the folder of the pictures", type=Path, metavar="DIR")
        add("--generator", "who made the images", default="", metavar="NAME")
        add("--generators", "a tidy table of generators", type=Path, metavar="FILE")
        add("--judge", "who gave the scores", default="", metavar="NAME")
        add_unit(add)
        derive = "derive atoms for prompts that have none (or let this plug-in derive them)"
        add("--atoms", derive, nargs="?", const="grammar", default="", metavar="NAME")
        column = "--format table: what a column is, where the guess is wrong"
        add.many("--column", column, metavar="NAME=ROLE")
        grid = "pictures across and down in each file, where a set's own come otherwise (1: none are grids)"
        add("--grid", grid, type=int, default=0, choices=range(9), metavar="N")
        add("--folder", "--format pictures: what folders are", default="", choices=list(FOLDERS))
        add("--name", "--format pictures: what names are", default="", choices=list(NAMES))
        kinds = f"what a question's labels are: {', '.join(KINDS)}"
        add.many("--question", kinds, metavar="NAME=KIND")
        account = "the account that the study belongs to; not needed where one account runs all"
        add("--owner", account, default="", metavar="NAME")
        self.add_flags(add)

    def handle(self, *, study, path, format, dry_run, strict, owner, **options) -> None:
        account = owners.choose_owner(owner)
        with unpacked(path) as path:
            outcome = self.carry_out(
                bring_in.import_study,
                slug=study,
                format=format,
                source=Source(
                    path,
                    options["images"],
                    options["generator"],
                    options["generators"],
                    options["judge"],
                    atom_reader(options["atoms"]),
                    _pairs(options["column"], "--column"),
                    options["folder"],
                    options["name"],
                    _pairs(options["question"], "--question"),
                    grid=options["grid"],
                    unit=options["unit"],
                ),
                dry_run=dry_run,
                strict=strict,
                expected=expected_rows(format, path),
            )
        if not dry_run:
            outcome.warnings += owners.give(slug=study, account=account, named=bool(owner))
        self.show(outcome, json=options["json"], strict=strict)


def _pairs(given: list[str], flag: str) -> dict[str, str]:
    return pairs(given, flag, "NAME=WHAT", "caption=prompt")
