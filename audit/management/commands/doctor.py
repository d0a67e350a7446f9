"""`manage.py doctor`: what is wrong with this installation."""

from dataclasses import asdict

from django.core.management import CommandError

from annotations.management.command import PlainCommand, as_json
from annotations.studies import generators
from audit.installation import health
from judges.runs import counts

MARKS = {"well": "·", "look": "!", "broken": "✗"}


class Command(PlainCommand):
    help = "Check every part of the installation; exit status 1 when one is broken."

    def arguments(self, add) -> None:
        add.json()
        where = (
            "where visitors reach this installation; else https:// and the first of ALLOWED_HOSTS"
        )
        add("--address", where, default="", metavar="URL")
        kept = "what is kept (scores of runs, images of generators, figures of pages)"
        add.flag("--recount", f"count again {kept}, and put it right")

    def handle(self, *, json: bool, address: str, recount: bool, **options) -> None:
        if recount:
            wrong = {
                "run": counts.recount_all(),
                "generator": generators.recount_all(),
                "page's figure": _pages(),
            }
            told = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for what, n in wrong.items())
            self.stderr.write(f"Counted again: {told} put right.")
        findings = health.everything(address)
        width = max(len(finding.part) for finding in findings)
        lines = [f"{MARKS[row.state]} {row.part:<{width}}  {row.words}" for row in findings]
        rows = [asdict(finding) for finding in findings]
        self.stdout.write(as_json(rows) if json else "\n".join(lines))
        if broken := [finding.part for finding in findings if finding.state == "broken"]:
            raise CommandError(f"Broken: {', '.join(broken)}.")


def _pages() -> int:
    # The statistics take a second to load.
    from audit.answers import worker

    return worker.recount_all()
