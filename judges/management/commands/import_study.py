"""`manage.py import_study STUDY --format FORMAT PATH`: prompts, images and the files beside them."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth.models import User
from django.core.management import CommandError

from annotations.benchmarks.registry import FORMATS, Source
from annotations.errors import Refused
from annotations.models import Study
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
            ),
            dry_run=dry_run,
            strict=strict,
        )
        if not dry_run:
            outcome.warnings += _given(study, account, named=bool(owner))
        self.show(outcome, as_json=options["json"], strict=strict)


def _given(slug: str, account: User | None, *, named: bool) -> list[str]:
    """Give the study to the account that was named, or an orphan to the one account there is."""
    study = Study.objects.filter(slug=slug).first()
    if study is None or not (named or not owners.has_owner(study)):
        return []
    if account is None:
        return [f"Nobody owns “{slug}” yet, so nobody sees it: import again with --owner NAME."]
    owners.make_owner(study=study, user=account)
    return []
