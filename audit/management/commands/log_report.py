"""`manage.py log_report STUDY --to mlflow|wandb|trackio|tensorboard`: the report's numbers in a tracker."""

from pathlib import Path

from django.conf import settings
from django.core.management import CommandError

from annotations import event_log
from annotations.management.command import StudyCommand
from audit.reports import make as reports
from audit.trackers.log import TRACKERS, log


class Command(StudyCommand):
    help = "Log a study's report: its numbers as scalars, the JSON as an artefact."

    def arguments(self, add) -> None:
        add("--to", required=True, choices=list(TRACKERS))
        add("--project", "or experiment; a folder's name", default="jurybox")
        where = "where tensorboard writes (var/trackers), and wandb what it sends"
        add("--folder", where, type=Path, metavar="DIR")

    def do(self, study, *, to, project, folder, **options) -> str:
        if not project or project != Path(project).name:
            raise CommandError("--project is a plain name, without a slash.")
        report = reports.make_report(study=study)
        done = log(report, to, project=project, folder=folder or settings.VAR_DIR / "trackers")
        event_log.note(study, "exported", f"logged the report to {to}")
        absent = f"; {done.undefined} are undefined and left out" if done.undefined else ""
        return f"Logged {done.numbers} numbers{absent}. {done.where}"
