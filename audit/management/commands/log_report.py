"""`manage.py log_report STUDY --to mlflow|wandb|tensorboard`: the report's numbers in a tracker."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from annotations import event_log
from annotations.errors import Refused
from audit.reports import make as reports
from audit.trackers.log import TRACKERS, log
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = "Log a study's report: its numbers as scalars, the JSON as an artefact."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--to", required=True, choices=list(TRACKERS))
        parser.add_argument("--project", default="jurybox", help="or experiment; a folder's name")
        parser.add_argument(
            "--folder",
            type=Path,
            metavar="DIR",
            help="where tensorboard writes (var/trackers), and wandb what it sends",
        )

    def handle(self, *, study, to, project, folder, **options) -> None:
        logged = study_or_error(study)
        if not project or project != Path(project).name:
            raise CommandError("--project is a plain name, without a slash.")
        try:
            report = reports.make_report(study=logged)
            done = log(report, to, project=project, folder=folder or settings.VAR_DIR / "trackers")
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        event_log.note(logged, "exported", f"logged the report to {to}")
        absent = f"; {done.undefined} are undefined and left out" if done.undefined else ""
        self.stdout.write(f"Logged {done.numbers} numbers{absent}. {done.where}")
