"""`manage.py images STUDY`: the images that fit a filter, as the data page lists them."""

from django.core.management import CommandError

from annotations.exports import study_tables
from annotations.exports.labels import as_csv, as_jsonl
from annotations.management.command import StudyCommand, write_lines
from audit.images import command


class Command(StudyCommand):
    help = "List the images of a study that fit a filter: the query of the data page."

    def arguments(self, add) -> None:
        add("--format", choices=["keys", "csv", "jsonl"], default="keys")
        add.flag("--count", "only say how many there are")
        command.add_filters(add.parser)

    def do(self, study, *, format, count, **options) -> None:
        images = command.images(study, options)
        if count:
            self.stdout.write(str(images.count()))
        elif format == "keys":
            for key in images.values_list("key", flat=True).iterator(chunk_size=5000):
                self.stdout.write(key)
        else:
            among = list(images.order_by("key").values_list("pk", flat=True))
            if not among and images.exists():
                raise CommandError("The images changed while they were listed; try again.")
            rows = study_tables.wide_rows(study, among=among)
            write_lines(
                as_csv(rows, study_tables.WIDE) if format == "csv" else as_jsonl(rows), None
            )
