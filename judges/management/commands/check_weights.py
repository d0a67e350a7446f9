"""`manage.py check_weights JUDGE`: what it would read, whether it fits, how fast it is."""

from django.core.management import CommandError

from annotations.management.command import PlainCommand, as_json
from judges.management.judge_options import add_option, options_of
from judges.runs import check_weights


class Command(PlainCommand):
    help = "Check a judge's weights: files, sizes, memory and keys, from the files' headers alone."

    def arguments(self, add) -> None:
        add("judge")
        add_option(add)
        add.flag("--measure", "load them, test them and time three drawings")
        add.json("print one list")

    def handle(self, *, judge, option, measure, json, **options) -> None:
        checks = check_weights.check(judge, options_of(judge, option), measure=measure)
        if json:
            self.stdout.write(as_json([told.as_json() for told in checks]))
        else:
            lines = [line for told in checks for line in check_weights.lines(told)]
            self.stdout.write("\n".join(lines or [f"{judge} reads no weights."]))
        if wrong := [told.part for told in checks if told.wrong]:
            raise CommandError(f"These weights cannot be used: {', '.join(wrong)}.")
