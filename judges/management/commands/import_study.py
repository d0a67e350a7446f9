"""`manage.py import_study STUDY --format FORMAT PATH`: prompts, images and the files beside them."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth.models import User
from django.core.management import CommandError

from annotations.benchmarks.registry import FORMATS, Source
from annotations.errors import Refused
from annotations.models import Study
from annotations.sources.columns import KINDS
from annotations.sources.expected_rows import expected_rows
from annotations.sources.picture_names import FOLDERS, NAMES
from annotations.studies import owners
from judges.intake import bring_in
from judges.management.imports import ImportCommand


class Command(ImportCommand):
    help = "Import prompts, images, labels and scores; the study is created if there is none."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("path", type=Path, metavar="PATH")
        parser.add_argument("--format", required=True, choices=list(FORMATS))
        parser.add_argument("--images", type=Path, metavar="DIR", help="the folder of the pictures")
        parser.add_argument("--generator", default="", metavar="NAME", help="who made the images")
        parser.add_argument(
            "--generators", type=Path, metavar="FILE", help="a tidy table of generators"
        )
        parser.add_argument("--judge", default="", metavar="NAME", help="who gave the scores")
        parser.add_argument(
            "--atoms",
            nargs="?",
            const="grammar",
            default="",
            metavar="NAME",
            help="derive atoms for prompts that have none (or let this plug-in derive them)",
        )
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="NAME=ROLE",
            help="--format table: what a column is, where the guess is wrong",
        )
        parser.add_argument(
            "--folder",
            default="",
            choices=list(FOLDERS),
            help="--format pictures: what folders are",
        )
        parser.add_argument(
            "--name", default="", choices=list(NAMES), help="--format pictures: what names are"
        )
        parser.add_argument(
            "--question",
            action="append",
            default=[],
            metavar="NAME=KIND",
            help=f"what a question's labels are: {', '.join(KINDS)}",
        )
        parser.add_argument(
            "--owner",
            default="",
            metavar="NAME",
            help="the account that the study belongs to; not needed where one account runs all",
        )
        self.add_flags(parser)

    def handle(self, *, study, path, format, dry_run, strict, owner, **options) -> None:
        try:
            account = owners.chosen(owner)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
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
                options["atoms"],
                _pairs(options["column"], "--column"),
                options["folder"],
                options["name"],
                _pairs(options["question"], "--question"),
            ),
            dry_run=dry_run,
            strict=strict,
            expected=expected_rows(format, path),
        )
        if not dry_run:
            outcome.warnings += _given(study, account, named=bool(owner))
        self.show(outcome, as_json=options["json"], strict=strict)


def _pairs(given: list[str], flag: str) -> dict[str, str]:
    """`caption=prompt`, as often as one likes; a name may hold the sign, what it is does not."""
    wrong = [pair for pair in given if "=" not in pair]
    if wrong:
        raise CommandError(f"{flag} {wrong[0]}: write NAME=WHAT, like {flag} caption=prompt.")
    return {name: value for name, _, value in (pair.rpartition("=") for pair in given)}


def _given(slug: str, account: User | None, *, named: bool) -> list[str]:
    """Give the study to the account that was named, or an orphan to the one account there is."""
    study = Study.objects.filter(slug=slug).first()
    if study is None or not (named or not owners.has_owner(study)):
        return []
    if account is None:
        names = ", ".join(user.get_username() for user in owners.who_could_own())
        if not names:
            make = "make an account with manage.py createowner NAME, then import again"
            return [f"Nobody owns “{slug}” yet: {make}."]
        return [f"Nobody owns “{slug}” yet: import again with --owner and one of {names}."]
    owners.make_owner(study=study, user=account)
    return []
