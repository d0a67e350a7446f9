"""`manage.py import_scores STUDY FILE`: scores into an existing study."""

from pathlib import Path

from django.core.management import CommandError

from judges.intake import bring_in
from judges.management.imports import IntoStudy
from jurybox_formats.registry import FORMATS
from jurybox_formats.tools.result_files import READERS


class Command(IntoStudy):
    help = "Import scores into an existing study, from tables, from what other tools wrote, or from a judged lake."
    importer = staticmethod(bring_in.import_scores)
    formats = (*FORMATS, *READERS, bring_in.LAKE_SCORES)

    def arguments(self, add) -> None:
        super().arguments(add)
        of, numbers = ", ".join(READERS), "what export_dataset wrote; numbers are its rows"
        add("--dataset", f"{of}: {numbers}", type=Path, metavar="FOLDER")
        add.flag(
            "--matching-only", f"{of}: import what matches, name the rest; else all or nothing"
        )

    def do(self, study, *, file, format, strict, **options) -> None:
        dataset, part = options["dataset"], options["matching_only"]
        given = {"study": study, "path": file, "strict": strict}
        given |= {name: options[name] for name in ("judge", "dry_run")}
        if format == bring_in.LAKE_SCORES and not (part or dataset):
            outcome = self.carry_out(bring_in.import_lake_scores, **given)
            self.show(outcome, json=options["json"], strict=strict)
            return
        if format not in READERS:
            if part or dataset:
                raise CommandError(f"--dataset and --matching-only are for {', '.join(READERS)}.")
            super().do(study, file=file, format=format, strict=strict, **options)
            return

        def importer(*, strict, **given):
            return bring_in.import_results(part=part and not strict, **given)

        given |= {name: options[name] for name in ("generator", "unit", "dataset")}
        outcome = self.carry_out(importer, format=format, **given)
        self.show(outcome, json=options["json"], strict=strict or not part)
